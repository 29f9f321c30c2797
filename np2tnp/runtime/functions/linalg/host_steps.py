"""What only NumPy's libraries decide, inside a graph: eigenvectors, singular vectors, QR factors, the order of a hash.

Signs, phases and order are the library's, so no operation of TensorFlow's has them. A graph can do what eager calls do:
ask NumPy on the host, as one step of its own (``tf.numpy_function``). Under XLA there is no such step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, is_tracing, resolve
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import dtype_of
from np2tnp.runtime.base.shapes import rank_of, require
from np2tnp.runtime.base.tracing import check, current

Shape = tuple[Any, ...]


def decomposed(name: str, reason: str, a: Any, **options: Any) -> Any:
    """What ``np.linalg.<name>(a, **options)`` gives, as tensors in NumPy's container, while a graph is traced.

    Where NumPy raises LinAlgError, or gives complex numbers for a real matrix, a check of the graph fails. Raises
    Unsupported in eager mode, and under XLA; NumPy's own exceptions for what it never takes.
    """
    trace = current()
    require(is_tracing() and (trace is None or trace.mode == "graph"), reason)
    matrix = as_tensor(a)
    rank_of(matrix)
    function = getattr(np.linalg, name)
    sample = function(_sample(matrix), **options)
    parts = sample if isinstance(sample, tuple) else (sample,)
    dtypes = [np.asarray(part).dtype for part in parts]

    def ask(array: np.ndarray) -> list[Any]:
        found = function(array, **options)
        return [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]

    def nothing(shape: Shape) -> list[Any]:
        return [np.zeros(each, dtype) for each, dtype in zip(_shapes(name, shape, options), dtypes, strict=True)]

    answers = _asked(name, ask, nothing, matrix, dtypes)
    for answer, shape in zip(answers, _shapes(name, tuple(matrix.shape), options), strict=True):
        answer.set_shape(shape)
    if not isinstance(sample, tuple):
        return answers[0]
    return type(sample)(*answers) if hasattr(sample, "_fields") else tuple(answers)


def asked(name: str, reason: str, a: Any, dtype: Any) -> Any:
    """The vector that NumPy's function `name` gives for one array, of a length that only the graph knows.

    dtype : of the result; where it turns out to be another one, or NumPy raises LinAlgError, a check fails. Raises
    Unsupported in eager mode, and under XLA.
    """
    trace = current()
    require(is_tracing() and (trace is None or trace.mode == "graph"), reason)
    function = resolve(name)
    wanted = np.dtype(dtype)
    (answer,) = _asked(
        name, lambda array: [np.asarray(function(array))], lambda _: [np.zeros(0, wanted)], as_tensor(a), [wanted]
    )
    answer.set_shape((None,))
    return answer


def _asked(
    name: str,
    ask: Callable[[Any], list[Any]],
    nothing: Callable[[Shape], list[Any]],
    tensor: Any,
    dtypes: list[np.dtype[Any]],
) -> list[Any]:
    """What `ask` gives for the tensor's value when the graph runs; `nothing`, by its shape, where a check fails."""

    def step(array: np.ndarray) -> list[Any]:
        try:
            found = ask(array)
        except np.linalg.LinAlgError:
            return [np.False_, *nothing(array.shape)]
        if [part.dtype for part in found] != dtypes:
            return [np.False_, *nothing(array.shape)]
        return [np.True_, *found]

    def given(tensor: Any) -> tuple[list[Any], Callable[..., Any]]:
        answers = tf.numpy_function(step, [tensor], [tf.bool, *map(tf.as_dtype, dtypes)], stateful=False)
        return answers, _refuse_gradient(name)

    sound, *answers = tf.custom_gradient(given)(tensor)
    check(tf.reshape(sound, ()), f"{name}: no convergence, or results of another dtype")
    return list(answers)


def _refuse_gradient(name: str) -> Callable[..., Any]:
    def gradient(*_: Any) -> Any:
        raise LookupError(f"no gradient for {name} inside tf.function: NumPy computes it on the host")

    return gradient


def _sample(matrix: Any) -> Any:
    """A small matrix of the same kind, on which NumPy raises what it would raise."""
    sizes = [1] * rank_of(matrix)
    last = tuple(matrix.shape)[-2:]
    if len(sizes) >= 2 and None not in last and last[0] != last[1]:
        sizes[-1] = 2
    return np.ones(sizes, dtype_of(matrix))


def _shapes(name: str, shape: Shape, options: dict[str, Any]) -> list[Shape]:
    """The results' shapes for a matrix of this one; None for lengths that are not known."""
    *batch, rows, columns = shape
    least = None if None in (rows, columns) else min(rows, columns)
    if name == "svd":
        if not options["compute_uv"]:
            return [(*batch, least)]
        left, right = (rows, columns) if options["full_matrices"] else (least, least)
        return [(*batch, rows, left), (*batch, least), (*batch, right, columns)]
    if name == "qr":
        mode = options["mode"]
        if mode == "raw":
            return [(*batch, columns, rows), (*batch, least)]
        height = rows if mode == "complete" else least
        triangle = (*batch, height, columns)
        return [triangle] if mode == "r" else [(*batch, rows, height), triangle]
    values = (*batch, rows)
    return [values] if name == "eigvals" else [values, (*batch, rows, columns)]
