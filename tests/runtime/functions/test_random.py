"""rt.random: NumPy's shapes, dtypes, classes, errors and distributions; never its stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import host, is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

#: Distributions of numpy.random and Generator alike, with parameters.
DISTRIBUTIONS: list[tuple[str, tuple[Any, ...]]] = [
    ("random", ()),
    ("uniform", (2.0, 6.0)),
    ("normal", (3.0, 2.0)),
    ("standard_normal", ()),
    ("lognormal", (0.0, 0.5)),
    ("exponential", (2.0,)),
    ("standard_exponential", ()),
    ("gamma", (0.3, 0.5)),
    ("gamma", (0.004, 3.0)),  # some of which are 0
    ("standard_gamma", (4.0,)),
    ("chisquare", (3,)),
    ("beta", (2.0, 5.0)),
    ("beta", (0.05, 0.02)),
    ("f", (4.0, 9.0)),
    ("standard_t", (3.0,)),
    ("standard_cauchy", ()),
    ("laplace", (1.0, 2.0)),
    ("logistic", (1.0, 2.0)),
    ("gumbel", (1.0, 2.0)),
    ("rayleigh", (2.0,)),
    ("weibull", (1.5,)),
    ("pareto", (3.0,)),
    ("power", (2.5,)),
    ("triangular", (-1.0, 0.5, 2.0)),
    ("wald", (2.0, 3.0)),
    ("poisson", (9.0,)),
    ("poisson", (0.4,)),
    ("binomial", (12, 0.3)),
    ("binomial", (1000, 0.5)),
    ("negative_binomial", (5, 0.4)),
    ("geometric", (0.2,)),
]
SAMPLE = 20_000


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Kolmogorov and Smirnov's: the largest difference of the two empirical distribution functions."""
    places = np.union1d(first, second)
    below = [np.searchsorted(np.sort(sample), places, side="right") / sample.size for sample in (first, second)]
    return float(np.abs(below[0] - below[1]).max())


def assert_same_distribution(first: np.ndarray, second: np.ndarray) -> None:
    # a larger distance has a probability below 1e-5 where the distributions are equal; seeds make it the same each run
    assert distance(first.ravel(), second.ravel()) < 2.47 * (2 / SAMPLE) ** 0.5


@pytest.mark.parametrize(("name", "args"), DISTRIBUTIONS)
def test_distributions(name: str, args: tuple[Any, ...]) -> None:
    rng = np.random.default_rng(7)
    expected = getattr(np.random.default_rng(8), name)(*args, size=SAMPLE)
    drawn = getattr(rt.random.stream(rng), name)(*args, size=SAMPLE)
    assert is_tensor(drawn)
    assert (drawn.dtype.as_numpy_dtype, drawn.shape) == (expected.dtype, expected.shape)
    assert_same_distribution(drawn.numpy(), expected)


def test_the_test_sees_a_difference() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(AssertionError):
        assert_same_distribution(rng.normal(size=SAMPLE), rng.normal(scale=1.1, size=SAMPLE))


@pytest.mark.parametrize(("name", "args"), DISTRIBUTIONS)
def test_arrays_of_parameters_and_single_numbers(name: str, args: tuple[Any, ...]) -> None:
    stream = rt.random.stream(np.random.default_rng(7))
    expected = getattr(np.random.default_rng(8), name)(*args)
    assert type(getattr(stream, name)(*args)) is type(expected)
    if args:
        first = tf.constant(np.full((3, 1), args[0]))
        drawn = getattr(stream, name)(first, *args[1:], size=(2, 3, 4))
        assert drawn.shape == (2, 3, 4)
        assert getattr(stream, name)(first, *args[1:]).shape == (3, 1)


INTEGERS = [
    ("integers", (2, 9), {}),
    ("integers", (4,), {"endpoint": True}),
    ("integers", (0, 200), {"dtype": np.uint8}),
    ("integers", ([1, 50],), {"size": (SAMPLE // 2, 2)}),
    ("integers", (-(2**62), 2**62), {}),
    ("choice", (7,), {}),
    ("choice", ([2.0, 3.0, 5.0],), {"p": [0.5, 0.2, 0.3]}),
]


@pytest.mark.parametrize(("name", "args", "options"), INTEGERS)
def test_integers_and_choices(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    options = {"size": SAMPLE, **options}
    expected = getattr(np.random.default_rng(8), name)(*args, **options)
    drawn = getattr(rt.random.stream(np.random.default_rng(7)), name)(*args, **options)
    assert (drawn.dtype.as_numpy_dtype, drawn.shape) == (expected.dtype, expected.shape)
    assert_same_distribution(drawn.numpy(), expected)


def test_legacy_names_draw_the_same_distributions() -> None:
    rt.random.seed(3)
    assert_same_distribution(rt.random.rand(SAMPLE).numpy(), np.random.default_rng(0).random(SAMPLE))
    assert_same_distribution(rt.random.randn(SAMPLE, 1).numpy(), np.random.default_rng(0).normal(size=SAMPLE))
    expected = np.random.default_rng(0).integers(5, 9, SAMPLE)
    assert_same_distribution(rt.random.randint(5, 9, SAMPLE).numpy(), expected)
    assert rt.random.random_sample((2, 3)).shape == (2, 3)
    state = np.random.RandomState(0)
    assert rt.random.stream(state).normal(size=4).shape == (4,)


def test_seeding_numpy_seeds_the_draws() -> None:
    rngs: list[Any] = []
    for restart, draw in (
        (np.random.seed, lambda: rt.random.normal(size=5)),
        (rt.random.seed, lambda: rt.random.gamma(2.0, size=5)),
        (lambda seed: rngs.append(np.random.default_rng(seed)), lambda: rt.random.stream(rngs[-1]).poisson(40, size=9)),
    ):
        restart(3)
        first, second = draw().numpy(), draw().numpy()
        assert (first != second).any()
        restart(3)
        np.testing.assert_array_equal(draw().numpy(), first)
        restart(4)
        assert (draw().numpy() != first).any()


def test_orders_keep_every_member() -> None:
    stream = rt.random.stream(np.random.default_rng(0))
    assert sorted(stream.permutation(9).numpy()) == list(range(9))
    assert sorted(rt.random.shuffle([3, 1, 2]).numpy()) == [1, 2, 3]
    assert len(set(stream.choice(9, 9, replace=False).numpy())) == 9
    rows = np.arange(12.0).reshape(3, 4)
    permuted = stream.permutation(rows, axis=1).numpy()
    np.testing.assert_array_equal(np.sort(permuted, axis=1), rows)
    assert stream.choice(rows, 2, axis=1).shape == (3, 2)
    firsts = [int(stream.permutation(3)[0]) for _ in range(600)]
    assert all(150 < firsts.count(value) < 250 for value in range(3))


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("normal", (0.0, -1.0), {"size": 3}),
        ("normal", ([0.0, 1.0], [1.0, -1.0]), {}),
        ("normal", ([0.0, 1.0],), {"size": 3}),
        ("poisson", (-1.0,), {"size": 3}),
        ("binomial", (3, 1.5), {"size": 3}),
        ("triangular", (2.0, 1.0, 3.0), {"size": 3}),
        ("gamma", (), {"size": 3}),
        ("gamma", (1.0, 2.0, 3, 4), {}),
        ("normal", (), {"sizes": 3}),
        ("integers", (5, 5), {"size": 2}),
        ("integers", (0, 300), {"size": 2, "dtype": np.uint8}),
        ("choice", (3, 4), {"replace": False}),
        ("choice", (2, 3), {"p": [0.5, 0.2]}),
        ("choice", ([], 3), {}),
        ("random", (3,), {"dtype": np.int32}),
        ("normal", (1j,), {"size": 3}),
    ],
)
def test_errors_are_numpys(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever NumPy raises
        getattr(np.random.default_rng(0), name)(*args, **options)
    with pytest.raises(type(expected.value)) as caught:
        getattr(rt.random.stream(np.random.default_rng(0)), name)(*args, **options)
    assert str(caught.value) == str(expected.value)


def test_what_has_no_form_is_drawn_by_numpy() -> None:
    stream = rt.random.stream(np.random.default_rng(5))
    expected = np.random.default_rng(5).integers(0, 2**64 - 1, 3, dtype=np.uint64)
    np.testing.assert_array_equal(host(stream.integers(0, 2**64 - 1, 3, dtype=np.uint64)), expected)
    assert stream.random(4, dtype=np.float32).dtype == tf.float32
    with pytest.raises(rt.UnverifiedError, match="no generator"):
        rt.random.stream(object())


def test_a_size_without_dimensions_gives_an_array() -> None:
    stream = rt.random.stream(np.random.default_rng(5))
    rng = np.random.default_rng(5)
    for name, args in [("random", ()), ("normal", (1.0, 2.0)), ("integers", (5,)), ("choice", (5,))]:
        drawn, expected = host(getattr(stream, name)(*args, size=())), getattr(rng, name)(*args, size=())
        assert (type(drawn), drawn.dtype, drawn) == (np.ndarray, expected.dtype, expected)


def test_graphs_draw_anew_in_every_call() -> None:
    rng = np.random.default_rng(2)

    @tf.function
    def draw() -> Any:
        return rt.random.stream(rng).normal(size=3), rt.random.uniform(size=2)

    (first, second), (third, fourth) = draw(), draw()
    assert (first.numpy() != third.numpy()).all()
    assert (second.numpy() != fourth.numpy()).all()
