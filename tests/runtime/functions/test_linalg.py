"""rt.linalg against numpy.linalg: dtypes, shapes, containers, LinAlgError, and values within rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from agreement import check, same, sample

from np2tnp import runtime as rt

K = 512.0
SHAPES = [(3, 3), (1, 1), (2, 4, 4), (2, 1, 3, 3), (0, 0), (2, 0, 0), (0, 3, 3), (3, 4), (3,), ()]
SINGULAR = [
    np.array([[1.0, 2.0], [2.0, 4.0]]),
    np.zeros((3, 3)),
    np.arange(9.0).reshape(3, 3),
    np.arange(1.0, 10.0).reshape(3, 3),
    np.array([[1.0, np.nan], [0.0, 1.0]]),
    np.array([[1.0, np.inf], [0.0, 1.0]]),
    np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]),
]


def square(shape: tuple, char: str = "d") -> np.ndarray:
    """Well-conditioned where it is square."""
    array = sample(shape, char)
    if len(shape) >= 2 and shape[-1] == shape[-2] and char != "?":
        array = array + (shape[-1] * 4 * np.eye(shape[-1])).astype(char)
    return array


def positive(array: np.ndarray) -> np.ndarray:
    return array @ array.conj().swapaxes(-1, -2) if array.ndim >= 2 and array.shape[-1] == array.shape[-2] else array


@pytest.mark.parametrize(
    "name", ["inv", "det", "slogdet", "svdvals", "eigvalsh", "pinv", "matrix_rank", "cond", "cholesky"]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_of_one_matrix(name: str, shape: tuple) -> None:
    claimed = 0 not in shape[-2:] or name in ("inv", "det", "slogdet", "svdvals", "eigvalsh", "cholesky")
    claimed = claimed and not (name in ("pinv", "matrix_rank", "cond") and 0 in shape) and len(shape) >= 2
    for char in "dfDFlB":
        array = square(shape, char)
        array = positive(array) if name == "cholesky" else array
        check(f"linalg.{name}", array, factor=K, claimed=claimed)


def test_half_precision_raises_as_in_numpy() -> None:
    for name in ("inv", "det", "svdvals", "cholesky", "eigvalsh", "pinv"):
        with pytest.raises(TypeError):
            getattr(rt.linalg, name)(rt.tensor(np.eye(2, dtype="e")))


@pytest.mark.parametrize("matrix", SINGULAR)
def test_singular_matrices_are_numpys_to_judge(matrix: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        for name in ("inv", "slogdet", "pinv", "matrix_rank", "cond", "svdvals", "eigvalsh", "cholesky"):
            check(f"linalg.{name}", matrix, claimed=False, factor=K)
        check("linalg.solve", matrix, np.ones(len(matrix)), claimed=False)
        check("linalg.matrix_power", matrix, -2, claimed=False)
        for p in (1, -1, 2, -2, np.inf, "fro"):
            check("linalg.cond", matrix, p, claimed=False, factor=K)


def test_linalg_error_reaches_the_caller() -> None:
    singular = rt.tensor(SINGULAR[0])
    for call in (rt.linalg.inv, lambda m: rt.linalg.solve(m, [1.0, 2.0]), lambda m: rt.linalg.cholesky(-m)):
        with pytest.raises(np.linalg.LinAlgError):
            call(singular)


@pytest.mark.parametrize("right", [(3,), (3, 2), (3, 0), (2, 3), (2, 3, 2), (4,), ()])
@pytest.mark.parametrize("left", [(3, 3), (2, 3, 3), (5, 2, 3, 3)])
def test_solve(left: tuple, right: tuple) -> None:
    for one, two in (("d", "d"), ("f", "f"), ("f", "d"), ("F", "d"), ("l", "f"), ("D", "D")):
        check("linalg.solve", square(left, one), sample(right, two), factor=K)


def test_solve_needs_pivots() -> None:
    check("linalg.solve", np.array([[0.0, 1.0], [1.0, 0.0]]), [1.0, 2.0], factor=K)
    check("linalg.solve", np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [3.0, 0.0, 1.0]]), np.eye(3), factor=K)
    check("linalg.inv", np.array([[0.0, 1.0], [1.0, 0.0]]), factor=K)
    check("linalg.det", np.array([[0.0, 1.0], [1.0, 0.0]]), factor=K)


def test_triangles() -> None:
    for char in "dD":
        noise = np.triu(sample((3, 3), char), 1) * 100
        matrix = positive(square((3, 3), char))
        check("linalg.cholesky", matrix + noise, factor=K)
        check("linalg.cholesky", matrix + noise.T, upper=True, factor=K)
        check("linalg.eigvalsh", matrix + noise, factor=K)
        check("linalg.eigvalsh", matrix + noise.T, "U", factor=K)
        check("linalg.eigvalsh", matrix, "l", factor=K)
        check("linalg.eigvalsh", matrix, "X", factor=K)


def test_vectors_come_from_numpy() -> None:
    matrix = square((3, 3))
    for name in ("eig", "eigh", "eigvals", "qr", "svd"):
        check(f"linalg.{name}", matrix, claimed=False)
    check("linalg.svd", sample((3, 4)), compute_uv=False, factor=K)
    check("linalg.svd", sample((3, 4)), False, False, factor=K)
    check("linalg.qr", matrix, "r", claimed=False)


@pytest.mark.parametrize(
    "shapes", [((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 3), (3,)), ((2, 4), (2,)), ((2, 4), (2, 3)), ((5, 3), (4,))]
)
def test_lstsq(shapes: tuple) -> None:
    for one, two in (("d", "d"), ("f", "f"), ("D", "d"), ("l", "d")):
        a, b = sample(shapes[0], one), sample(shapes[1], two)
        check("linalg.lstsq", a, b, factor=K)
        check("linalg.lstsq", a, b, None, factor=K)
        check("linalg.lstsq", a, b, 1e-10, factor=K)
        check("linalg.lstsq", a, b, -1, factor=K, claimed=False)


def test_lstsq_of_lower_rank() -> None:
    a = np.outer(np.arange(1.0, 6.0), [1.0, 2.0, 3.0])
    check("linalg.lstsq", a, sample(5), 1e-8, factor=K, claimed=False)
    check("linalg.lstsq", a, sample(5), factor=K, claimed=False)


@pytest.mark.parametrize("ord", [None, 0, 1, -1, 2, -2, 3, 0.5, -3, np.inf, -np.inf, "fro", "f", "nuc", "other"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(ord: object, keepdims: bool) -> None:
    for char in "dfDFlB":
        for shape, axes in (
            ((4,), (None, 0, -1, 1)),
            ((3, 4), (None, 0, 1, (0, 1), (1, 0), (1, 1))),
            ((2, 3, 4), (None, 1, (0, 2), (-1, -2))),
            ((0,), (None, 0)),
            ((0, 3), (None, 0, 1)),
        ):
            for axis in axes:
                claimed = not (0 in shape and isinstance(ord, str))
                check(
                    "linalg.norm",
                    sample(shape, char),
                    ord,
                    axis,
                    keepdims,
                    factor=64.0,
                    claimed=claimed and 0 not in shape,
                )


def test_norm_of_special_values() -> None:
    for values in ([1.0, np.nan, 2.0], [np.inf, 1.0, -np.inf], [0.0, 0.0, 0.0]):
        for ord in (None, 0, 1, 2, 3, np.inf, -np.inf, -1):
            check("linalg.norm", np.array(values), ord)
    check("linalg.norm", np.array([[1, np.nan], [0, 1]]), 1)
    check("linalg.norm", np.array([[1, np.nan], [0, 1]]), np.inf)
    check("linalg.norm", [3, 4])
    check("linalg.norm", 3.0)
    check("linalg.norm", sample(3, "e"), claimed=False)


def test_array_api_norms() -> None:
    cube = sample((2, 3, 4))
    for ord in (1, 2, np.inf, 3, 0):
        for axis in (None, 0, (0, 2), (-1, 0, 1)):
            for keepdims in (False, True):
                check("linalg.vector_norm", cube, axis=axis, keepdims=keepdims, ord=ord, factor=64.0)
    for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        check("linalg.matrix_norm", cube, ord=ord, factor=64.0)
        check("linalg.matrix_norm", cube, ord=ord, keepdims=True, factor=64.0)


def test_cond_in_other_norms() -> None:
    for p in (None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"):
        check("linalg.cond", square((3, 3)), p, factor=K)
        check("linalg.cond", square((2, 3, 3)), p, factor=K)


def test_powers_and_products() -> None:
    for n in (0, 1, 2, 3, 7, -1, -3):
        check("linalg.matrix_power", square((3, 3)), n, factor=K)
        check("linalg.matrix_power", square((2, 3, 3), "f"), n, factor=K)
    check("linalg.matrix_power", sample((3, 3), "b"), 5)
    check("linalg.matrix_power", sample((3, 3), "l"), 0)
    check("linalg.matrix_power", sample((3, 4)), 2)
    check("linalg.matrix_power", sample((3, 3)), 1.5)
    a, b, c, d = sample((10, 20)), sample((20, 3)), sample((3, 30)), sample((30, 4))
    check("linalg.multi_dot", [a, b, c, d], factor=K)
    check("linalg.multi_dot", [a[0], b, c, d[:, 0]], factor=K)
    check("linalg.multi_dot", [a, b], factor=K)
    check("linalg.multi_dot", [a[0], b, c], factor=K)
    check("linalg.multi_dot", [a])
    check("linalg.multi_dot", [a, c])


def test_tensor_equations() -> None:
    a = sample((2, 3, 6))
    check("linalg.tensorsolve", a, sample((2, 3)), factor=8 * K)
    check("linalg.tensorsolve", sample((2, 6, 3)), sample((2, 3)), axes=(1,), factor=8 * K)
    check("linalg.tensorinv", sample((6, 2, 3)), 1, factor=8 * K)
    check("linalg.tensorinv", sample((2, 3, 3, 2)), 2, factor=8 * K)
    check("linalg.tensorinv", sample((6, 2, 3)), 0)


@pytest.mark.parametrize("char", "?bhilBHILfdFD")
def test_products_of_every_dtype(char: str) -> None:
    a, b, v = sample((2, 3, 4), char), sample((4, 2), char, 1), sample(4, char, 2)
    check("linalg.matmul", a, b, factor=K)
    check("linalg.matmul", v, b, factor=K)
    check("linalg.matmul", a, v, factor=K)
    check("linalg.matmul", v, v, factor=K)
    check("linalg.vecdot", a, v, factor=K)
    check("linalg.vecdot", a, a, axis=0, factor=K)
    check("linalg.outer", v, v, factor=K)
    check("linalg.tensordot", a, b, axes=1, factor=K)
    check("linalg.trace", a, offset=1, factor=K)
    check("linalg.diagonal", a, offset=-1)
    check("linalg.matrix_transpose", a)
    check("linalg.cross", sample((2, 3), char), sample((2, 3), char, 1), factor=K)
    check("linalg.cross", v, v)


def test_inside_a_traced_function() -> None:
    import tensorflow as tf

    matrix = square((3, 3))
    for name in ("inv", "det", "slogdet", "cholesky", "svdvals", "eigvalsh", "norm", "cond", "pinv", "matrix_rank"):
        argument = positive(matrix) if name == "cholesky" else matrix
        result = tf.function(getattr(rt.linalg, name))(rt.tensor(argument))
        same(result, getattr(np.linalg, name)(argument), K)


def _on_tensors(call: Callable) -> Callable:
    return lambda m: call(rt.linalg, m)


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("matrix", SINGULAR)
def test_compiled_functions_raise_for_singular_matrices_as_numpy_does(mode: str, matrix: np.ndarray) -> None:
    calls = {
        "inv": lambda linalg, m: linalg.inv(m),
        "solve": lambda linalg, m: linalg.solve(m, m[0]),
        "matrix_power": lambda linalg, m: linalg.matrix_power(m, -1),
    }
    with np.errstate(all="ignore"):
        for call in calls.values():
            compiled = rt.migrated(compile=mode)(_on_tensors(call))
            same(rt.tensor(compiled(square((3, 3)))), call(np.linalg, square((3, 3))), K)
            try:
                expected = call(np.linalg, matrix)
            except np.linalg.LinAlgError:
                with pytest.raises(np.linalg.LinAlgError):
                    compiled(matrix)
            else:
                same(rt.tensor(compiled(matrix)), expected, K)


def test_gradients_flow() -> None:
    import tensorflow as tf

    matrix = tf.constant(square((3, 3)))
    with tf.GradientTape() as tape:
        tape.watch(matrix)
        value = rt.linalg.slogdet(matrix).logabsdet + tf.reduce_sum(rt.linalg.solve(matrix, np.ones(3)))
    assert np.isfinite(tape.gradient(value, matrix).numpy()).all()
