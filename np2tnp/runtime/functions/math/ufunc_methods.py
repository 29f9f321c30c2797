"""The methods of binary ufuncs as functions: ``rt.add_reduce(x)`` is ``np.add.reduce(x)``, for every binary ufunc.

``reduce``, ``accumulate``, ``outer`` and ``reduceat`` (``at`` changes its argument and lives with the functional
updates). Where grouping cannot show (whole numbers, extremes, truth) they are folds in a logarithmic number of steps.
Of the rest NumPy does eager calls; in a graph they are loops (``ufunc_methods.py``).
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, host, is_tensor, is_tracing, to_ndarray
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, cast, dtype_of, requested_dtype
from np2tnp.runtime.base.tracing import all_hold, check, current
from np2tnp.runtime.functions.axes import UNSET, mask_for, normal_axes, normal_axis, rank_of, refuse_out
from np2tnp.runtime.functions.math import bits, comparisons, elementwise, transcendental
from np2tnp.runtime.functions.math.comparisons import truth
from np2tnp.runtime.functions.statistics import cumulative, reductions

# --- Methods of ufuncs inside a graph, where NumPy cannot be asked: element after element, in NumPy's order
#
# ``reduce`` and ``accumulate`` are loops along the axis. ``reduceat`` takes all its segments at once: a step for each
# position in them or, where grouping does not matter, for each power of two.

Function = Callable[..., Any]

#: Up to so many steps are operations of their own.
_UNROLLED = 8
#: A step of a graph takes microseconds, one of NumPy's nanoseconds: beyond, what may run eagerly does.
_MOST_STEPS = 4096

#: Ufuncs that NumPy (2.4) does not apply to one element after the other where the axis is its inner loop.
_VECTORIZED = ("arctan2", "power")
#: Ufuncs by which NumPy reduces half precision in single precision, where the axis is its inner loop.
_WIDE = ("add", "subtract", "multiply", "divide")


def reduced(
    function: Function, ufunc: np.ufunc, x: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """``ufunc.reduce`` of the tensor `x`, by `function`. Raises NumPy's own exceptions for what it refuses."""
    wanted = _wanted(x, dtype)
    mask = mask_for(where, x)
    sample = np.ones([0 if size == 0 else 1 for size in x.shape], dtype_of(x))
    keywords: dict[str, Any] = {"axis": axis, "dtype": wanted, "keepdims": keepdims}
    if initial is not UNSET:
        keywords["initial"] = 1 if is_tensor(initial) else initial
    if mask is not None:
        keywords["where"] = sample == 1
    loop = _dtype_by(ufunc.reduce, sample, **keywords)
    _refuse_vectorized(ufunc, loop)
    axes = normal_axes(axis, rank_of(x)) if rank_of(x) else ()
    if rank_of(x) and not axes:
        raise Unsupported("no axis")
    wide = loop.char == "e" and ufunc.__name__ in _WIDE
    if wide and mask is not None:
        raise Unsupported("half precision with where")
    wide = wide and _is_inner(x, axes)
    start = _start(ufunc, initial, sample.dtype, wanted, loop)
    rows = _rows(_operand(x, ufunc, np.dtype("f") if wide else loop), axes)
    if start is None and rows.shape[0] is None:
        check(tf.greater(tf.shape(rows)[0], 0), "a reduction of nothing")
    start = start if start is None else cast(start, rows.dtype)
    result = cast(_folded_rows(function, rows, start, mask if mask is None else _rows(mask, axes)), loop)
    for index in axes if keepdims else ():
        result = tf.expand_dims(result, index)
    return result


def accumulated(function: Function, ufunc: np.ufunc, x: Any, axis: Any, dtype: Any, grouped: bool) -> Any:
    """``ufunc.accumulate`` of the tensor `x`; `grouped` where it does not matter how elements are grouped."""
    loop = _dtype_by(ufunc.accumulate, np.ones((1,) * rank_of(x), dtype_of(x)), axis=axis, dtype=_wanted(x, dtype))
    axes = normal_axes(axis, rank_of(x))
    rows = _rows(_operand(x, ufunc, loop), axes)
    result = rows if rows.shape[0] == 0 else _doubled(function, rows) if grouped else _scanned(function, rows)
    return back(result, axes[0])


def reduced_at(function: Function, ufunc: np.ufunc, x: Any, indices: Any, axis: Any, dtype: Any, grouped: bool) -> Any:
    """``ufunc.reduceat`` of the tensor `x`; `grouped` as for :func:`accumulated`."""
    starts = array(indices)
    places = np.zeros([size if size is not None else 1 for size in starts.shape], dtype_of(starts))
    loop = _dtype_by(ufunc.reduceat, np.ones((1,) * rank_of(x), dtype_of(x)), places, axis, _wanted(x, dtype))
    _refuse_vectorized(ufunc, loop)
    axes = normal_axes(axis, rank_of(x))
    wide = loop.char == "e" and ufunc.__name__ in _WIDE
    rows = _rows(_operand(x, ufunc, np.dtype("f") if wide else loop), axes)
    grouped = grouped or ufunc.__name__ == "add" or (ufunc.__name__ == "multiply" and loop.kind in "iu")
    starts, lengths, most = _segments_of_rows(ufunc, rows, tf.cast(starts, tf.int64))
    return back(cast((_by_blocks if grouped else _by_positions)(function, rows, starts, lengths, most), loop), axes[0])


def first(x: Any, axis: int) -> Any:
    """`x` with `axis` before the others."""
    return x if axis == 0 else tf.transpose(x, [axis, *(i for i in range(rank_of(x)) if i != axis)])


def back(x: Any, axis: int) -> Any:
    """`x` with the first axis as `axis`."""
    return x if axis == 0 else tf.transpose(x, [*range(1, axis + 1), 0, *range(axis + 1, rank_of(x))])


# --- what NumPy says --------------------------------------------------------------------------------------------------


def _wanted(x: Any, dtype: Any) -> np.dtype[Any] | None:
    if dtype is None:
        return None
    found = requested_dtype(dtype)
    if x.dtype.is_complex and found.kind != "c":
        raise Unsupported("complex numbers as real ones")
    return found


def _dtype_by(method: Function, *args: Any, **keywords: Any) -> np.dtype[Any]:
    """The dtype that a method calculates in and gives. Raises what NumPy raises for these arguments."""
    with np.errstate(all="ignore"):
        found: np.dtype[Any] = np.asarray(method(*args, **keywords)).dtype
    return found


def _refuse_vectorized(ufunc: np.ufunc, loop: np.dtype[Any]) -> None:
    if ufunc.__name__ in _VECTORIZED and loop.char in "fd":
        raise Unsupported("a reduction in which NumPy does not take one element after the other")


def _operand(x: Any, ufunc: np.ufunc, loop: np.dtype[Any]) -> Any:
    return truth(x) if ufunc.__name__.startswith("logical") else cast(x, loop)


def _is_inner(x: Any, axes: tuple[int, ...]) -> bool:
    """Whether the axis is NumPy's inner loop, for an array in C order."""
    later = [x.shape[i] for i in range(axes[-1] + 1, rank_of(x))] if axes else []
    if None in later:
        raise Unsupported("half precision of an unknown shape")
    return all(size == 1 for size in later)


def _start(ufunc: np.ufunc, initial: Any, given: np.dtype[Any], wanted: Any, loop: np.dtype[Any]) -> Any:
    """What a reduction starts with, as NumPy converts it; None for the first element."""
    if initial is None or (initial is UNSET and ufunc.identity is None):
        return None
    if is_tensor(initial):
        if initial.shape.rank != 0 or dtype_of(initial) != loop:
            raise Unsupported("initial of another dtype")
        return initial
    keywords = {} if initial is UNSET else {"initial": initial}
    return tf.constant(np.asarray(ufunc.reduce(np.zeros(0, given), dtype=wanted, **keywords)))


def _rows(x: Any, axes: tuple[int, ...]) -> Any:
    """`x` with one axis in place of `axes`, before the others."""
    if not axes:
        return tf.reshape(x, [1])
    if len(axes) == 1:
        return first(x, axes[0])
    rest = [i for i in range(rank_of(x)) if i not in axes]
    shape = tf.shape(x)
    length = tf.reduce_prod(tf.gather(shape, list(axes)))
    found = tf.reshape(
        tf.transpose(x, [*axes, *rest]), tf.concat([[length], tf.gather(shape, tf.constant(rest, tf.int32))], 0)
    )
    sizes = [x.shape[i] for i in axes]
    found.set_shape([None if None in sizes else int(np.prod(sizes)), *(x.shape[i] for i in rest)])
    return found


def _segments_of_rows(ufunc: np.ufunc, rows: Any, starts: Any) -> tuple[Any, Any, Any]:
    """Where segments start, how long they are, and the most of that: an int where it is known."""
    length = _length(rows)
    known = tf.get_static_value(starts)
    if known is not None and isinstance(length, int):
        outside = known[(known < 0) | (known >= length)]
        if outside.size:
            raise IndexError(f"index {outside[0]} out-of-bounds in {ufunc.__name__}.reduceat [0, {length})")
        lengths = np.maximum(np.append(known[1:], length)[: known.size] - known, 1)
        return starts, tf.constant(lengths, tf.int64), int(lengths.max(initial=1))
    check(tf.reduce_all(tf.logical_and(starts >= 0, starts < length)), "an index of reduceat that is out of bounds")
    ends = tf.concat([starts[1:], tf.cast(length, tf.int64)[tf.newaxis]], 0)[: tf.shape(starts)[0]]
    lengths = tf.maximum(ends - starts, 1)
    return starts, lengths, length if isinstance(length, int) else tf.reduce_max(tf.concat([lengths, [1]], 0))


# --- loops ------------------------------------------------------------------------------------------------------------


def _length(rows: Any) -> Any:
    """The number of rows: an int where it is known."""
    return rows.shape[0] if rows.shape[0] is not None else tf.shape(rows, tf.int64)[0]


def _loop(begin: int, end: Any, body: Function, *carried: Any) -> tuple[Any, ...]:
    """``for i in range(begin, end): carried = body(i, *carried)``, whose dtypes and shapes stay."""
    if isinstance(end, int) and end - begin <= _UNROLLED:
        for i in range(begin, end):
            carried = body(tf.constant(i, tf.int64), *carried)
        return carried
    trace = current()
    if trace is None:
        return tuple(
            tf.while_loop(
                lambda i, *_: i < end,
                lambda i, *values: (i + 1, *_alike(body(i, *values), values)),
                (tf.constant(begin, tf.int64), *carried),
            )[1:]
        )
    if not isinstance(end, int) or end - begin > _MOST_STEPS:
        raise Unsupported(f"a loop of more than {_MOST_STEPS} steps")

    def run(held: Any, i: Any, *values: Any) -> tuple[Any, ...]:
        with trace.nested() as checks:
            new = _alike(body(i, *values), values)
            held = tf.logical_and(held, all_hold(checks))
            trace.end_graph()
        return (held, i + 1, *new)

    begun = (tf.constant(True), tf.constant(begin, tf.int64), *carried)
    held, _, *found = tf.while_loop(lambda held, i, *_: tf.logical_and(held, i < end), run, begun)
    trace.checks[-1].append(held)
    return tuple(found)


def _alike(new: tuple[Any, ...], old: tuple[Any, ...]) -> tuple[Any, ...]:
    for value, before in zip(new, old, strict=True):
        if isinstance(before, tf.Tensor):
            value.set_shape(before.shape)
    return new


def _folded_rows(function: Function, rows: Any, start: Any, mask: Any) -> Any:
    """From the first row to the last, those that the mask leaves out excepted."""
    at_first = rows[0] if start is None else tf.broadcast_to(start, tf.shape(rows)[1:])

    def step(i: Any, before: Any) -> tuple[Any]:
        after = function(before, tf.gather(rows, i))
        return (after if mask is None else tf.where(tf.gather(mask, i), after, before),)

    return _loop(int(start is None), _length(rows), step, at_first)[0]


def _scanned(function: Function, rows: Any) -> Any:
    """All that a fold comes by."""
    count = _length(rows)
    if not isinstance(count, int):  # there may be none
        rows = tf.concat([rows, tf.zeros(tf.concat([[1], tf.shape(rows)[1:]], 0), rows.dtype)], 0)
        count = tf.maximum(count, 1)
    kept = tf.TensorArray(rows.dtype, tf.cast(count, tf.int32), element_shape=rows.shape[1:])

    def step(i: Any, before: Any, kept: Any) -> tuple[Any, Any]:
        after = function(before, tf.gather(rows, i))
        return after, kept.write(tf.cast(i, tf.int32), after)

    _, kept = _loop(1, count, step, rows[0], kept.write(0, rows[0]))
    found = kept.stack()
    if isinstance(count, int):
        found.set_shape(rows.shape)
        return found
    return found[: tf.shape(rows)[0] - 1]


def _doubled(function: Function, rows: Any) -> Any:
    """The same by steps that reach twice as far each."""
    places = tf.range(tf.shape(rows, tf.int64)[0])
    ahead = tf.reshape(places, [-1, *[1] * (rank_of(rows) - 1)])

    def step(i: Any, values: Any) -> tuple[Any]:
        reach = tf.bitwise.left_shift(tf.constant(1, tf.int64), i)
        earlier = tf.gather(values, tf.maximum(places - reach, 0))
        return (tf.where(ahead >= reach, function(earlier, values), values),)

    return _loop(0, _bits(_length(rows)), step, rows)[0]


def _bits(number: Any) -> Any:
    """How many bits a number has: an int, or an upper bound of it as a tensor."""
    if isinstance(number, int):
        return number.bit_length()
    powers = tf.bitwise.left_shift(tf.ones([62], tf.int64), tf.range(62, dtype=tf.int64))
    return tf.reduce_sum(tf.cast(powers <= number, tf.int64))


def _by_positions(function: Function, rows: Any, starts: Any, lengths: Any, most: Any) -> Any:
    """Segments, one element of each after the other."""
    last = tf.cast(_length(rows) - 1, tf.int64)

    def step(i: Any, before: Any) -> tuple[Any]:
        inside = _as_rows(i < lengths, rows)
        row = tf.gather(rows, tf.clip_by_value(starts + i, 0, last))
        row = tf.where(inside, row, tf.ones_like(row))  # for which nothing raises
        return (tf.where(inside, function(before, row), before),)

    return _loop(1, most, step, tf.gather(rows, tf.clip_by_value(starts, 0, last)))[0]


def _by_blocks(function: Function, rows: Any, starts: Any, lengths: Any, most: Any) -> Any:
    """Segments, each of blocks whose lengths are powers of two: where grouping does not matter."""
    places = tf.range(tf.shape(rows, tf.int64)[0])
    last = tf.cast(_length(rows) - 1, tf.int64)

    def step(i: Any, blocks: Any, found: Any, place: Any, begun: Any) -> tuple[Any, ...]:
        reach = tf.bitwise.left_shift(tf.constant(1, tf.int64), i)
        taken = tf.equal(tf.bitwise.bitwise_and(lengths, reach), reach)
        block = tf.gather(blocks, tf.clip_by_value(place, 0, last))
        joined = tf.where(_as_rows(begun, rows), function(found, block), block)
        following = tf.gather(blocks, tf.clip_by_value(places + reach, 0, last))
        return (
            function(blocks, following),
            tf.where(_as_rows(taken, rows), joined, found),
            tf.where(taken, place + reach, place),
            tf.logical_or(begun, taken),
        )

    at_first = tf.gather(rows, tf.clip_by_value(starts, 0, last))
    return _loop(0, _bits(most), step, rows, at_first, starts, tf.zeros_like(starts, tf.bool))[1]


def _as_rows(flags: Any, rows: Any) -> Any:
    return tf.reshape(flags, [-1, *[1] * (rank_of(rows) - 1)])


#: Ufuncs that are a reduction of their own.
_REDUCTIONS: dict[str, Function] = {
    "add": reductions.sum,
    "multiply": reductions.prod,
    "maximum": reductions.max,
    "minimum": reductions.min,
    "logical_and": reductions.all,
    "logical_or": reductions.any,
}

#: Ufuncs whose result does not depend on how their operands are grouped.
_ASSOCIATIVE: dict[str, Function] = {
    "maximum": elementwise.maximum,
    "minimum": elementwise.minimum,
    "fmax": elementwise.fmax,
    "fmin": elementwise.fmin,
    "logical_and": comparisons.logical_and,
    "logical_or": comparisons.logical_or,
    "logical_xor": comparisons.logical_xor,
    "bitwise_and": bits.bitwise_and,
    "bitwise_or": bits.bitwise_or,
    "bitwise_xor": bits.bitwise_xor,
    "gcd": bits.gcd,
}

#: Ufuncs whose ``reduceat`` has a derivative, by the name that TensorFlow's reduction of segments ends in.
_SEGMENTS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}


def _operands(name: str, a: Any, axis: int, dtype: Any) -> Any:
    if dtype is not None:
        raise Unsupported("dtype")
    x = array(a)
    if name.startswith("logical"):
        x = truth(x)
    elif getattr(np, name).resolve_dtypes((dtype_of(x), dtype_of(x), None))[2] != dtype_of(x):
        raise Unsupported("a result of another dtype")
    if rank_of(x) == 0:
        raise Unsupported("no dimensions")
    x = first(x, axis)
    if not x.shape[0]:
        raise Unsupported("nothing, or an unknown number of elements")
    return x


def _fold(name: str, x: Any) -> Any:
    function = _ASSOCIATIVE[name]
    length = x.shape[0]
    if name == "gcd" and length == 1:  # NumPy begins with 0
        return function(x[0], x[0])
    while length > 1:
        half = length // 2
        pairs = function(x[:half], x[half : 2 * half])
        x = tf.concat([pairs, x[2 * half :]], 0) if length % 2 else pairs
        length = half + length % 2
    return x[0]


def _reduce(name: str, function: Function) -> Function:
    def run(
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = UNSET,
        where: Any = True,
    ) -> Any:
        refuse_out(out)
        try:
            if name in _REDUCTIONS:
                return _plain_reduction(name, array, axis, dtype, keepdims, initial, where)
            return _grouped_reduction(name, array, axis, dtype, keepdims, initial, where)
        except Unsupported:
            if name in ("add", "multiply") or not is_tracing():
                raise
        x = _tensor(array)
        return reduced(function, getattr(np, name), x, axis, dtype, keepdims, initial, where)

    return run


def _grouped_reduction(name: str, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    if name not in _ASSOCIATIVE or initial is not UNSET or where is not True or not isinstance(axis, int):
        raise Unsupported("this form of reduce")
    index = normal_axis(axis, rank_of(array(a)))
    result = _fold(name, _operands(name, a, index, dtype))
    return tf.expand_dims(result, index) if keepdims else result


def _tensor(a: Any) -> Any:
    return array(a)


def _plain_reduction(name: str, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    keywords: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if name.startswith("logical"):
        if dtype is not None or initial is not UNSET:
            raise Unsupported("dtype or initial")
    else:
        keywords["initial"] = initial
        if name in ("add", "multiply"):
            keywords["dtype"] = dtype
        elif dtype is not None:
            raise Unsupported("dtype")
    if where is not True:
        keywords["where"] = where
    x = array(a)
    normal_axes(axis, rank_of(x))
    return _REDUCTIONS[name].__wrapped__(x, **keywords)  # type: ignore[attr-defined]


def _accumulate(name: str, function: Function) -> Function:
    def run(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        refuse_out(out)
        x = _tensor(array)
        try:
            result = _grouped_accumulation(name, x, axis, dtype)
            return tf.identity(result) if result is array else result  # one element is its own accumulation
        except Unsupported:
            if name in ("add", "multiply") or not is_tracing():
                raise
        return accumulated(function, getattr(np, name), x, axis, dtype, name in _ASSOCIATIVE)

    return run


def _grouped_accumulation(name: str, x: Any, axis: Any, dtype: Any) -> Any:
    if rank_of(x) == 0:
        raise Unsupported("no dimensions")
    if name in ("add", "multiply"):
        return (cumulative.cumsum if name == "add" else cumulative.cumprod)(x, normal_axis(axis, rank_of(x)), dtype)
    if name not in _ASSOCIATIVE:
        raise Unsupported("this form of accumulate")
    index = normal_axis(axis, rank_of(x))
    x = _operands(name, x, index, dtype)
    step = 1
    while step < x.shape[0]:
        x = tf.concat([x[:step], _ASSOCIATIVE[name](x[:-step], x[step:])], 0)
        step *= 2
    return back(x, index)


def _reduceat(name: str, function: Function) -> Function:
    def run(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        refuse_out(out)
        if not is_tracing():
            raise Unsupported("no form in TensorFlow")
        x = _tensor(array)
        return reduced_at(function, getattr(np, name), x, indices, axis, dtype, name in _ASSOCIATIVE)

    return run


def _outer(function: Function) -> Function:
    inner: Function = function.__wrapped__  # type: ignore[attr-defined]

    def run(A: Any, B: Any, /, **keywords: Any) -> Any:  # noqa: N803
        a, b = array(A), array(B)  # here NumPy's Python numbers are not weak
        a = tf.reshape(a, tf.concat([tf.shape(a), tf.ones([rank_of(b)], tf.int32)], 0))
        return inner(a, b, **keywords)

    return run


def _folded(function: Function, numpy_ufunc: np.ufunc, method: str) -> Function:
    """A form of a method for its derivative: the ufunc itself, step by step along an axis.

    Raises Unsupported where NumPy computes something else (2.4 does so for power and arctan2).
    """
    alike = {"reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat}[method]
    signature = inspect.signature(alike("add", function))

    def run(*args: Any, **keywords: Any) -> Any:
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        given = bound.arguments
        x = _tensor(given["array"])
        if given.get("initial", UNSET) is not UNSET or given.get("where", True) is not True:
            raise Unsupported("initial or where")
        axis = normal_axis(given["axis"], rank_of(x))
        rows = tf.unstack(x, axis=axis)
        result = by_steps(rows, axis, given)
        if not np.allclose(
            to_ndarray(result), getattr(numpy_ufunc, method)(to_ndarray(x), *args[1:], **keywords), equal_nan=True
        ):
            raise Unsupported("NumPy does not take one element after the other")
        return result

    def by_steps(rows: list[Any], axis: int, given: dict[str, Any]) -> Any:
        if method == "reduceat":
            starts = np.asarray(host(given["indices"]))
            stops = np.maximum(np.append(starts[1:], len(rows)), starts + 1)
            parts = [functools.reduce(function, rows[start:stop]) for start, stop in zip(starts, stops, strict=True)]
            return tf.stack(parts, axis)
        if method == "accumulate":
            return tf.stack(list(itertools.accumulate(rows, function)), axis)
        result = functools.reduce(function, rows)
        return tf.expand_dims(result, axis) if given["keepdims"] else result

    return run


def _segments(name: str) -> Function:
    """A form of ``reduceat`` for its derivative: TensorFlow adds in another order."""

    def run(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        x = _tensor(array)
        index = normal_axis(axis, rank_of(x))
        starts = np.asarray(host(indices))
        stops = np.append(starts[1:], x.shape[index])
        stops = np.maximum(stops, starts + 1)  # NumPy takes the one element where the next start is no larger
        places = np.concatenate([np.arange(*ends) for ends in zip(starts, stops, strict=True)])
        segments = np.repeat(np.arange(starts.size), stops - starts)
        reduce = getattr(tf.math, f"unsorted_segment_{_SEGMENTS[name]}")
        values = tf.gather(first(x, index), places)
        return back(reduce(values, segments, starts.size), index)

    return run


def _collect() -> dict[str, Function]:
    """All methods of all binary ufuncs that have a helper."""
    found: dict[str, Function] = {}
    for module in (elementwise, comparisons, bits, transcendental):
        for name in module.__all__:
            numpy_ufunc = getattr(np, name, None)
            if not isinstance(numpy_ufunc, np.ufunc) or (numpy_ufunc.nin, numpy_ufunc.nout) != (2, 1):
                continue
            own = numpy_ufunc.__name__
            methods = {
                "reduce": _reduce(own, getattr(module, name)),
                "accumulate": _accumulate(own, getattr(module, name)),
                "outer": _outer(getattr(module, name)),
                "reduceat": _reduceat(own, getattr(module, name)),
            }
            for method, function in methods.items():
                public = f"{name}_{method}"
                slope = None if method == "outer" else _folded(getattr(module, name), numpy_ufunc, method)
                if method == "reduceat" and own in _SEGMENTS:
                    slope = _segments(own)
                found[public] = _named(function, f"numpy.{name}.{method}", public, slope)
    return found


def _named(function: Function, api: str, public: str, differentiable: Function | None) -> Function:
    @functools.wraps(function)  # so that its signature is known
    def call(*args: Any, **keywords: Any) -> Any:
        return function(*args, **keywords)

    call.__name__ = call.__qualname__ = public
    call.__doc__ = f"``{api}``, of NumPy's signature; returns a tensor."
    return exact(api, differentiable=differentiable)(call)


_METHODS = _collect()
globals().update(_METHODS)
__all__ = sorted(_METHODS)
