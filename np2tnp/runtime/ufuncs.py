"""The methods of binary ufuncs as functions: ``rt.add_reduce(x)`` is ``np.add.reduce(x)``, for every binary ufunc.

``reduce``, ``accumulate``, ``outer`` and ``reduceat`` (``at`` changes its argument and lives with the functional
updates). Where grouping cannot show (whole numbers, extremes, truth) they are folds in a logarithmic number of steps.
Of the rest NumPy does eager calls; in a graph they are loops (``ufunc_steps.py``).
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime import bits, comparison, elementwise, reductions, running, transcendental, ufunc_steps
from np2tnp.runtime.axes import UNSET, normal_axes, normal_axis, rank_of, refuse_out
from np2tnp.runtime.base.dispatch import exact, host, is_tracing, to_ndarray
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import array, dtype_of
from np2tnp.runtime.comparison import truth

Function = Callable[..., Any]

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
    "logical_and": comparison.logical_and,
    "logical_or": comparison.logical_or,
    "logical_xor": comparison.logical_xor,
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
    x = ufunc_steps.first(x, axis)
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
        return ufunc_steps.reduced(function, getattr(np, name), x, axis, dtype, keepdims, initial, where)

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
        return ufunc_steps.accumulated(function, getattr(np, name), x, axis, dtype, name in _ASSOCIATIVE)

    return run


def _grouped_accumulation(name: str, x: Any, axis: Any, dtype: Any) -> Any:
    if rank_of(x) == 0:
        raise Unsupported("no dimensions")
    if name in ("add", "multiply"):
        return (running.cumsum if name == "add" else running.cumprod)(x, normal_axis(axis, rank_of(x)), dtype)
    if name not in _ASSOCIATIVE:
        raise Unsupported("this form of accumulate")
    index = normal_axis(axis, rank_of(x))
    x = _operands(name, x, index, dtype)
    step = 1
    while step < x.shape[0]:
        x = tf.concat([x[:step], _ASSOCIATIVE[name](x[:-step], x[step:])], 0)
        step *= 2
    return ufunc_steps.back(x, index)


def _reduceat(name: str, function: Function) -> Function:
    def run(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        refuse_out(out)
        if not is_tracing():
            raise Unsupported("no form in TensorFlow")
        x = _tensor(array)
        return ufunc_steps.reduced_at(function, getattr(np, name), x, indices, axis, dtype, name in _ASSOCIATIVE)

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
        values = tf.gather(ufunc_steps.first(x, index), places)
        return ufunc_steps.back(reduce(values, segments, starts.size), index)

    return run


def _collect() -> dict[str, Function]:
    """All methods of all binary ufuncs that have a helper."""
    found: dict[str, Function] = {}
    for module in (elementwise, comparison, bits, transcendental):
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
