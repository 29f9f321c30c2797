"""numpy.linalg inside tf.function: what LAPACK decides is a step on the host, thresholds are checks of the graph."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from agreement import same

tf = pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402
from np2tnp.runtime.compile import compiled  # noqa: E402

CALLS = [
    ("qr", {}), ("qr", {"mode": "r"}), ("qr", {"mode": "complete"}), ("qr", {"mode": "raw"}), ("svd", {}),
    ("svd", {"full_matrices": False}), ("svd", {"compute_uv": False}), ("svd", {"hermitian": True}), ("eigh", {}),
    ("eigh", {"UPLO": "U"}), ("eig", {}), ("eigvals", {}), ("cond", {}), ("cond", {"p": -2}), ("pinv", {}),
    ("pinv", {"rcond": 0.1}), ("pinv", {"rtol": None}), ("matrix_rank", {}), ("matrix_rank", {"rtol": 1e-3}),
]  # fmt: skip
#: Functions whose results are NumPy's own, to the last bit.
#: Before NumPy 2.5 eigenvalues of a real matrix are real where they can be; a graph has one dtype.
REAL_OR_COMPLEX = not np.iscomplexobj(np.linalg.eigvals(np.eye(2)))
ON_HOST = ("qr", "eig", "eigh", "eigvals")


def matrices(char: str) -> list[Any]:
    rng = np.random.default_rng(11)
    found = []
    for shape in [(3, 3), (4, 2), (2, 4), (2, 3, 3), (9, 9)]:
        x = rng.normal(size=shape) * 9
        x = x + 1j * rng.normal(size=shape) if char in "FD" else x
        found.append(x.astype(char))
        if shape[-1] == shape[-2]:
            found.append((x + np.swapaxes(x, -1, -2).conj()).astype(char))
    return found


def in_graph(name: str, unknown: bool, x: Any, *args: Any, **keywords: Any) -> Any:
    spec = tf.TensorSpec([None] * x.ndim if unknown else x.shape, x.dtype)

    @tf.function(input_signature=[spec], autograph=False)
    def run(tensor: Any) -> Any:
        return getattr(rt.linalg, name)(tensor, *args, **keywords)

    return run(tf.constant(x))


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize(("name", "keywords"), CALLS)
def test_graphs_give_what_numpy_gives(name: str, keywords: Any, unknown: bool) -> None:
    for char in "lD" if unknown else "dF":
        for x in matrices(char):
            try:
                wanted = getattr(np.linalg, name)(x, **keywords)
            except (np.linalg.LinAlgError, ValueError):
                with pytest.raises((np.linalg.LinAlgError, tf.errors.InvalidArgumentError, rt.UnverifiedError)):
                    in_graph(name, unknown, x, **keywords)
                continue
            if name in ("eig", "eigvals") and char not in "FD" and np.iscomplexobj(wanted[0]) and REAL_OR_COMPLEX:
                with pytest.raises(tf.errors.InvalidArgumentError, match="another dtype"):
                    in_graph(name, unknown, x, **keywords)
                continue
            same(in_graph(name, unknown, x, **keywords), wanted, 0 if name in ON_HOST else 1e4)


def test_least_squares_of_full_rank() -> None:
    rng = np.random.default_rng(2)
    for shape, right in [((5, 2), (5,)), ((5, 2), (5, 3)), ((3, 3), (3,)), ((2, 4), (2, 2))]:
        a, b = rng.normal(size=shape), rng.normal(size=right)
        *found, rank, values = in_graph("lstsq", False, a, b)
        wanted = np.linalg.lstsq(a, b)
        for one, other in zip([*found, values], [wanted[0], wanted[1], wanted[3]], strict=True):
            same(one, other, 1e4)
        assert int(rank) == wanted[2]


def test_wrong_arguments_raise_while_the_graph_is_made() -> None:
    x = np.eye(3)
    for name, keywords in [("qr", {"mode": "no"}), ("eigh", {"UPLO": "x"})]:
        with pytest.raises(ValueError, match=r"."):
            in_graph(name, False, x, **keywords)
    for unknown in (False, True):
        with pytest.raises((np.linalg.LinAlgError, tf.errors.InvalidArgumentError)):
            in_graph("eigh", unknown, np.ones((2, 3)))
        with pytest.raises((np.linalg.LinAlgError, rt.UnverifiedError)):
            in_graph("svd", unknown, np.ones(3))
    with pytest.raises(TypeError):
        in_graph("qr", False, x.astype("e"))


def test_not_under_xla() -> None:
    calls = [("eigh", {}), ("cond", {}), ("matrix_rank", {}), ("pinv", {}), ("norm", {"ord": -2})]
    for name, keywords in calls:
        with pytest.raises(tf.errors.OpError):
            tf.function(functools.partial(getattr(rt.linalg, name), **keywords), jit_compile=True)(tf.eye(3))


def test_values_that_are_not_finite_do_not_become_results() -> None:
    x = np.eye(3)
    x[0, 1] = np.nan
    for name in ("svdvals", "svd", "eig", "pinv", "cond"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            in_graph(name, False, x)


def test_compiled_calls_begin_again_where_a_graph_cannot_say() -> None:
    @rt.migrated(compile="graph")
    def values(x: Any) -> Any:
        return rt.linalg.eigvals(x)

    @rt.migrated(compile="graph")
    def rank(x: Any) -> Any:
        return rt.linalg.matrix_rank(x)

    @rt.migrated(compile="xla")
    def vectors(x: Any) -> Any:
        return rt.linalg.eigh(x)

    turn, line = np.array([[0.0, -1.0], [1.0, 0.0]]), np.array([[2.0, 0.0], [1.0, 3.0]])
    before = dict(compiled.RUNS)
    assert values(line).tolist() == np.linalg.eigvals(line).tolist()
    assert compiled.RUNS["compiled"] == before.get("compiled", 0) + 1
    assert values(turn).dtype == np.complex128
    assert compiled.RUNS.get("repeated", 0) == before.get("repeated", 0) + REAL_OR_COMPLEX
    with pytest.raises(np.linalg.LinAlgError):
        values(line * np.nan)
    assert rank(np.outer([1.0, 2.0, 3.0], [0.1, 0.7, 0.3])) == 1
    assert vectors(line).eigenvalues.tolist() == np.linalg.eigh(line).eigenvalues.tolist()
    assert compiled.RUNS["eager"] > before.get("eager", 0)


def test_no_gradient_is_better_than_a_wrong_one() -> None:
    @tf.function(autograph=False)
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(rt.linalg.eigh(x)[0]) + tf.reduce_sum(x)
        return tape.gradient(total, x)

    with pytest.raises(LookupError, match="no gradient for eigh"):
        slope(tf.eye(3))


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_cholesky_of_what_is_not_positive_definite_raises_as_eagerly(mode):
    def factor(a):
        return np.linalg.cholesky(a)

    function = rt.migrated(lambda a: rt.linalg.cholesky(a), compile=mode)
    good = np.array([[4.0, 2.0], [2.0, 3.0]])
    np.testing.assert_allclose(function(good), factor(good), rtol=1e-12)
    for bad in ([[1.0, 2.0], [2.0, 1.0]], [[-1.0, 0.0], [0.0, 1.0]]):
        with pytest.raises(np.linalg.LinAlgError):
            function(np.array(bad))
