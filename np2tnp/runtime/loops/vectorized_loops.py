"""Loops over elements in whole-array form.

``for i in rt.vectorized(range(1, n - 1), vectors=(x, y)):`` has one iteration, in which `i` stands for all values of
the counter: ``rt.at(x)[i - 1].get()`` is a slice, and what is computed from it an array. The loop's body was proved to
allow that, up to what only its values show; where they do not, the loop runs as it was written, one element at a time.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor, unconverted
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, constant, operand, operand_tensor, result_dtype, tensor_dtype
from np2tnp.runtime.base.ufunc_tables import op
from np2tnp.runtime.indexing.inplace import iadd, imul, isub
from np2tnp.runtime.indexing.loop_steps import StepsItem
from np2tnp.runtime.symbols.loop_counter import Numbers, Steps

__all__ = ["branches", "enumerated", "fold_add", "fold_multiply", "fold_subtract", "vectorized", "zipped"]

_log = logging.getLogger("np2tnp")

#: Reasons that were told.
_told: set[str] = set()

#: Arrays of all iterations of two loops have no more elements: beyond, the inner loop runs one step at a time.
_PAIRS = 1 << 25


@unconverted
def vectorized(
    steps: range,
    /,
    *,
    numbers: Iterable[Any] = (),
    vectors: Iterable[Any] = (),
    matrices: Iterable[Any] = (),
    least: Iterable[int] = (),
    low: int = 0,
    depth: int = 1,
    within: Any = None,
) -> Iterable[Any]:
    """All of `steps` at once, as the one item of an iterable; `steps` itself where the values do not allow that.

    numbers, vectors, matrices : must be numbers; tensors of one dimension; of two.
    least : indices that must not be negative, since those that differ must not mean the same element.
    low : added to a step it must not be negative either.
    depth : how many loops there are from this one to the innermost, when all are in whole-array form.
    within : the counter of the loop around, of which this is the inner one.
    """
    if not steps:
        return steps
    vectors, matrices = tuple(vectors), tuple(matrices)
    problem = ""
    if not all(map(_is_number, numbers)):
        problem = "an operand is no number"
    elif not (all(_has_rank(x, 1) for x in vectors) and all(_has_rank(x, 2) for x in matrices)):
        problem = "what is indexed is no array of as many dimensions as indices"
    elif min(steps[0], steps[-1]) + low < 0 or not all(value >= 0 for value in least):
        problem = "indices are negative"
    elif isinstance(within, Steps) and len(steps) * len(within.steps) > _PAIRS:
        problem = "the iterations of both loops are too many for one array"
    if problem and problem not in _told:
        _told.add(problem)
        _log.warning("a loop runs element by element, which is slow: %s", problem)
    if not isinstance(within, Steps):
        return steps if problem else (Steps(steps, 0, depth),)
    parts = [steps[place : place + 1] for place in range(len(steps))] if problem else [steps]
    return [Steps(part, within.axis + 1, within.depth) for part in parts]


@unconverted
def enumerated(x: Any, start: int = 0, /, *, vectors: Iterable[Any] = (), low: int = 0, **checks: Any) -> Iterable[Any]:
    """``enumerate(x, start)`` with all iterations at once, under the conditions of :func:`vectorized`.

    `low` counts from `start`, too.
    """
    found = _all_at_once((x,), start, vectors, low, checks)
    return enumerate(x, start) if found is None else [(i, value) for i, (value,) in found]


@unconverted
def zipped(
    arrays: tuple[Any, ...], start: int = 0, /, *, vectors: Iterable[Any] = (), low: int = 0, **checks: Any
) -> Iterable[Any]:
    """``enumerate(zip(*arrays), start)``, in the same way."""
    found = _all_at_once(arrays, start, vectors, low, checks)
    return enumerate(zip(*arrays), start) if found is None else found  # noqa: B905 - as Python's own


def _all_at_once(
    arrays: tuple[Any, ...], start: int, vectors: Iterable[Any], low: int, checks: dict[str, Any]
) -> list[tuple[Any, tuple[Any, ...]]] | None:
    """The steps and the values of all iterations; None where one iteration comes after the other."""
    if not all(_has_rank(x, 1) for x in arrays):
        return None
    found = []
    count = min(int(x.shape[0]) for x in arrays)
    for i in vectorized(range(start, start + count), vectors=vectors, low=low, **checks):
        if not isinstance(i, Steps):
            return None
        found.append((i, tuple([StepsItem(x, i.moved(1, -start)).get() for x in arrays])))
    return found


@unconverted
def branches(test: Any, step: Any, within: Any = True) -> Iterable[tuple[bool, Any]]:
    """The sides of ``if test:`` that are taken, with the iterations that take each: (True, mask), (False, mask).

    step : the counter of the loop; where it is an int, one of the two sides is given, with the mask True.
    within : the iterations that come to this branch.
    """
    if not isinstance(step, Steps) or not getattr(test, "shape", ()):
        return [(bool(test), within)]
    mask = tf.cast(test, tf.bool)
    sides = [(True, mask), (False, tf.logical_not(mask))]
    if within is not True:
        sides = [(side, tf.logical_and(taken, within)) for side, taken in sides]
    return [(side, taken) for side, taken in sides if bool(tf.reduce_any(taken))]


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, int, float, complex, np.generic, Numbers)):
        return True
    return (is_tensor(value) or type(value) is np.ndarray) and not tuple(value.shape)


def _has_rank(value: Any, rank: int) -> bool:
    return is_tensor(value) and value.shape.rank == rank and value.shape.is_fully_defined()


# --- folds: one number out of all iterations --------------------------------------------------------------------------


def _folded(name: str, scan: str, python: Callable[..., Any], result: Any, value: Any, step: Any, where: Any) -> Any:
    """`result` after ``result = result op value`` in every iteration of the loop whose counter `step` is.

    `where`: which iterations do that.

    In the order of the iterations: the scan of TensorFlow's CPU is sequential, as the loop is.
    """
    if not isinstance(step, Steps):
        if where is not True:
            raise UnverifiedError("the test of a branch in a loop is an array")
        return python(result, value)
    count = len(step.steps)
    if isinstance(value, np.ndarray):
        value = array(value)
    if type(result) is complex and is_tensor(value) and value.dtype == tf.float64:
        raise UnverifiedError("Python's complex answers beside NumPy's float64: their sum is weak in promotion")
    if not is_tensor(result) and not is_tensor(value) and not isinstance(result, Numbers):
        return _folded_numbers(name, result, value, step, where)
    pairs = [operand(v) for v in (result, value)]
    target = tensor_dtype(result_dtype(*(key for _, key in pairs)))
    if target == tf.bool:
        raise UnverifiedError("a running sum of bools in a loop in whole-array form")
    first, rest = (operand_tensor(v, key, target) for v, key in pairs)
    shape = tf.broadcast_static_shape(_deep(first, step).shape, _deep(rest, step).shape).as_list()
    first, rest = _deep(first, step), _deep(rest, step)
    shape[step.axis] = 1
    first = tf.broadcast_to(first, shape)
    shape[step.axis] = count
    rest = tf.broadcast_to(rest, shape)
    if where is not True:  # what changes nothing, -0.0 included
        nothing = 1 if name == "multiply" else 0 if name == "subtract" or target.is_integer else -0.0
        rest = tf.where(where, rest, tf.cast(nothing, target))
    if name == "subtract":
        rest = op("Neg")(x=rest) if not target.is_unsigned else tf.zeros_like(rest) - rest
    total = op(scan)(x=tf.concat([first, rest], step.axis), axis=constant(step.axis, tf.int32))
    last = total[(slice(None),) * step.axis + (slice(count, None),)]
    return tf.reshape(last, ()) if last.shape.num_elements() == 1 else last


def _deep(value: Any, step: Steps) -> Any:
    """`value` with an axis for each loop of the nest."""
    missing = step.depth - value.shape.rank
    return tf.reshape(value, [1] * missing + value.shape.as_list()) if missing else value


def _folded_numbers(name: str, result: Any, value: Any, step: Steps, where: Any) -> Any:
    """The same for numbers of Python or NumPy, of which the result is one."""
    values = value.values if isinstance(value, Numbers) else None
    if values is not None and values.size != values.shape[step.axis]:
        raise UnverifiedError("a sum of Python numbers for each iteration of a loop in whole-array form")
    function = getattr(operator, {"add": "add", "subtract": "sub", "multiply": "mul"}[name])
    count = len(step.steps)
    items = [value] * count if values is None else values.ravel().tolist() * (count // values.size)
    if where is not True:
        taken = np.asarray(where)
        if taken.size != taken.shape[step.axis]:
            raise UnverifiedError("a sum of Python numbers for each iteration of a loop in whole-array form")
        items = [item for item, does in zip(items, np.broadcast_to(taken.ravel(), count), strict=True) if does]
    for item in items:
        result = function(result, item)
    return result


@unconverted
def fold_add(result: Any, value: Any, step: Any, where: Any = True) -> Any:
    """`result` after ``result += value`` in each iteration of the loop over `step`."""
    return _folded("add", "Cumsum", iadd, result, value, step, where)


@unconverted
def fold_subtract(result: Any, value: Any, step: Any, where: Any = True) -> Any:
    """`result` after ``result -= value`` in each iteration of the loop over `step`."""
    return _folded("subtract", "Cumsum", isub, result, value, step, where)


@unconverted
def fold_multiply(result: Any, value: Any, step: Any, where: Any = True) -> Any:
    """`result` after ``result *= value`` in each iteration of the loop over `step`."""
    return _folded("multiply", "Cumprod", imul, result, value, step, where)
