"""rt.random: NumPy's shapes, dtypes and distributions; never its stream."""

from __future__ import annotations

import numpy as np
import pytest

from np2tnp import runtime as rt

CALLS = [
    ("random", (), {}),
    ("random", ((2, 3),), {}),
    ("rand", (4, 2), {}),
    ("rand", (), {}),
    ("randn", (3,), {}),
    ("uniform", (-1.0, [1.0, 2.0]), {}),
    ("uniform", (), {"size": (2, 2)}),
    ("normal", (5.0, 2.0, 3), {}),
    ("standard_normal", (4,), {}),
    ("lognormal", (0.0, 0.5, 4), {}),
    ("exponential", (2.0, (2, 3)), {}),
    ("gamma", (2.0, 3.0, 5), {}),
    ("standard_gamma", ([1.0, 2.0],), {}),
    ("poisson", (4.0, 6), {}),
    ("randint", (10,), {}),
    ("randint", (2, 9, (3, 3)), {}),
    ("randint", (0, 5, 4), {"dtype": np.uint8}),
    ("randint", ([1, 5], [3, 9]), {}),
    ("permutation", (5,), {}),
    ("permutation", (np.arange(6.0).reshape(3, 2),), {}),
    ("choice", (7,), {}),
    ("choice", (np.arange(4.0), (2, 3)), {}),
    ("choice", (5, 3, False), {}),
    ("choice", (3, 4), {"p": [0.5, 0.25, 0.25]}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS)
def test_shapes_and_dtypes(name: str, args: tuple, kwargs: dict) -> None:
    expected = np.asarray(getattr(np.random, name)(*args, **kwargs))
    result = getattr(rt.random, name)(*args, **kwargs).numpy()
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)


@pytest.mark.parametrize(
    ("name", "args", "mean", "deviation"),
    [
        ("random", (), 0.5, 12**-0.5),
        ("uniform", (2.0, 6.0), 4.0, 4 / 12**0.5),
        ("normal", (3.0, 2.0), 3.0, 2.0),
        ("exponential", (2.0,), 2.0, 2.0),
        ("gamma", (4.0, 0.5), 2.0, 1.0),
        ("poisson", (9.0,), 9.0, 3.0),
        ("randint", (0, 11), 5.0, 10**0.5),
    ],
)
def test_distributions(name: str, args: tuple, mean: float, deviation: float) -> None:
    rt.random.seed(7)
    drawn = getattr(rt.random, name)(*args, size=40_000).numpy()
    assert abs(drawn.mean() - mean) < 5 * deviation / 200
    assert abs(drawn.std() - deviation) < 0.05 * deviation


def test_seed_restarts_the_stream() -> None:
    rt.random.seed(3)
    first = rt.random.normal(size=5).numpy()
    rt.random.seed(3)
    np.testing.assert_array_equal(rt.random.normal(size=5).numpy(), first)
    assert (rt.random.normal(size=5).numpy() != first).all()


def test_orders_keep_every_member() -> None:
    assert sorted(rt.random.permutation(9).numpy()) == list(range(9))
    assert sorted(rt.random.shuffle([3, 1, 2]).numpy()) == [1, 2, 3]
    assert len(set(rt.random.choice(9, 9, replace=False).numpy())) == 9
    assert set(rt.random.choice(3, 100, p=[0.0, 1.0, 0.0]).numpy()) == {1}


def test_errors() -> None:
    for call in (
        lambda: rt.random.randint(5, 5),
        lambda: rt.random.normal(0.0, -1.0),
        lambda: rt.random.choice(3, 4, replace=False),
        lambda: rt.random.choice(2, p=[0.5, 0.2]),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - NumPy's messages vary
            call()
