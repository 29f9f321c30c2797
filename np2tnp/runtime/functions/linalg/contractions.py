"""Products that sum: dot, inner, outer, tensordot, einsum, kron, trace. Dtypes as NumPy's: no argument is weak.

Integers are multiplied in int64 and cast back, which is exact because NumPy's integer arithmetic wraps modulo 2**n, and
bools become "any of both". Half precision accumulates in float32, as NumPy's loops do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, holds_tensor, is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import reshaped, transposed
from np2tnp.runtime.base.promotion import cast, dtype_of, requested_dtype
from np2tnp.runtime.base.shapes import as_common, as_index, as_indices, normal_axis, rank_of, require, static_shape
from np2tnp.runtime.base.tracing import check, current
from np2tnp.runtime.base.ufunc_tables import op

__all__ = ["cross", "diagonal", "dot", "einsum", "einsum_path", "inner", "kron", "outer", "tensordot", "trace", "vdot"]

_LABELS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which sums of products of `dtype` are computed."""
    if dtype.char in "fdFD":
        return dtype
    return np.dtype(np.float32 if dtype.char == "e" else np.int64)


def to_working(tensor: Any, dtype: np.dtype[Any]) -> Any:
    """The tensor in the working dtype of `dtype`; 64-bit integers keep their bits."""
    return tf.bitcast(tensor, tf.int64) if tensor.dtype == tf.uint64 else cast(tensor, working_dtype(dtype))


def from_working(tensor: Any, dtype: np.dtype[Any]) -> Any:
    """A result of the working dtype as `dtype`; bool means non-zero."""
    if dtype.char == "?":
        return tf.not_equal(tensor, 0)
    return tf.bitcast(tensor, tf.uint64) if dtype == np.uint64 else cast(tensor, dtype)


def product(a: Any, b: Any) -> Any:
    """Matrix product over the last two axes of tensors of one dtype; leading axes broadcast, integers wrap."""
    require(static_shape(a)[-1] == static_shape(b)[-2], "inner lengths differ")
    return _multiplied(a, b)


def _multiplied(a: Any, b: Any) -> Any:
    dtype = dtype_of(a)
    is_direct = dtype.char in "fdFD"
    left, right = (a, b) if is_direct else (to_working(a, dtype), to_working(b, dtype))
    matrices = left.shape.rank == right.shape.rank == 2
    result = op("MatMul")(a=left, b=right) if matrices else tf.matmul(left, right)
    return result if is_direct else from_working(result, dtype)


def contract(a: Any, b: Any, axes_a: tuple[int, ...], axes_b: tuple[int, ...]) -> Any:
    """``np.tensordot`` over normal axes, as one matrix product."""
    shape_a, shape_b = static_shape(a), static_shape(b)
    summed = [shape_a[i] for i in axes_a]
    require(summed == [shape_b[i] for i in axes_b], "summed lengths differ")
    free_a = [i for i in range(len(shape_a)) if i not in axes_a]
    free_b = [i for i in range(len(shape_b)) if i not in axes_b]
    length = math.prod(summed)
    outer_a, outer_b = [shape_a[i] for i in free_a], [shape_b[i] for i in free_b]
    rows, columns = math.prod(outer_a), math.prod(outer_b)
    left = _shaped(_ordered(a, [*free_a, *axes_a]), (*outer_a, *summed), (rows, length))
    right = _shaped(_ordered(b, [*axes_b, *free_b]), (*summed, *outer_b), (length, columns))
    return _shaped(_multiplied(left, right), (rows, columns), (*outer_a, *outer_b))


def _ordered(tensor: Any, order: list[int]) -> Any:
    return tensor if order == list(range(len(order))) else transposed(tensor, order)


def _shaped(tensor: Any, shape: tuple[int, ...], wanted: tuple[int, ...]) -> Any:
    return tensor if shape == wanted else reshaped(tensor, wanted)


def times(a: Any, b: Any) -> Any:
    """Elementwise product of tensors of one dtype, wrapping as NumPy does; bools become "both"."""
    if a.dtype == tf.bool:
        return tf.logical_and(a, b)
    dtype = dtype_of(a)
    if dtype.kind in "iu":
        return from_working(tf.multiply(to_working(a, dtype), to_working(b, dtype)), dtype)
    return tf.multiply(a, b)


@exact("numpy.dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """``np.dot``: last axis of `a` with the second-to-last of `b`; a product where either is 0-d."""
    require(out is None, "out")
    (left, right), _ = as_common(a, b)
    if rank_of(left) == 0 or rank_of(right) == 0:
        return times(left, right)
    if not (left.shape.is_fully_defined() and right.shape.is_fully_defined()):
        return _of_unknown_lengths(left, right)
    return contract(left, right, (rank_of(left) - 1,), (max(rank_of(right) - 2, 0),))


def _of_unknown_lengths(left: Any, right: Any) -> Any:
    """``np.dot`` where tracing does not know the lengths; the product looks at them when the graph runs."""
    require(rank_of(left) <= 2 and rank_of(right) <= 2, "more than two dimensions of unknown length")
    a = left if rank_of(left) == 2 else tf.expand_dims(left, 0)
    b = right if rank_of(right) == 2 else tf.expand_dims(right, 1)
    gone = ([] if a is left else [-2]) + ([] if b is right else [-1])
    result = _multiplied(a, b)
    return tf.squeeze(result, gone) if gone else result


@exact("numpy.inner")
def inner(a: Any, b: Any, /) -> Any:
    """``np.inner``: over the last axes."""
    (left, right), _ = as_common(a, b)
    if rank_of(left) == 0 or rank_of(right) == 0:
        return times(left, right)
    return contract(left, right, (rank_of(left) - 1,), (rank_of(right) - 1,))


@exact("numpy.vdot")
def vdot(a: Any, b: Any, /) -> Any:
    """``np.vdot``: of the flat values, the first conjugated."""
    (left, right), _ = as_common(a, b)
    left = tf.math.conj(left) if left.dtype.is_complex else left
    return contract(reshaped(left, (-1,)), reshaped(right, (-1,)), (0,), (0,))


@exact("numpy.outer")
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """``np.outer``: of the flat values."""
    require(out is None, "out")
    (left, right), _ = as_common(a, b)
    return times(reshaped(left, (-1, 1)), reshaped(right, (1, -1)))


@exact("numpy.kron")
def kron(a: Any, b: Any) -> Any:
    """``np.kron``."""
    (left, right), _ = as_common(a, b)
    ndim = max(rank_of(left), rank_of(right))
    shape_a = (1,) * (ndim - rank_of(left)) + static_shape(left)
    shape_b = (1,) * (ndim - rank_of(right)) + static_shape(right)
    spread_a = [d for n in shape_a for d in (n, 1)]
    spread_b = [d for n in shape_b for d in (1, n)]
    require(len(spread_a) <= 8, "more than four dimensions")
    whole = times(reshaped(left, spread_a), reshaped(right, spread_b))
    return reshaped(whole, [m * n for m, n in zip(shape_a, shape_b, strict=True)])


@exact("numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``np.tensordot`` with a count of axes or a pair of axes or axis lists."""
    (left, right), _ = as_common(a, b)
    if isinstance(axes, (list, tuple)):
        first, second = axes
        axes_a = tuple(normal_axis(i, rank_of(left)) for i in as_indices(first))
        axes_b = tuple(normal_axis(i, rank_of(right)) for i in as_indices(second))
        require(len(axes_a) == len(set(axes_a)) == len(axes_b) == len(set(axes_b)), "axes")
    else:
        count = as_index(axes)
        require(0 <= count <= min(rank_of(left), rank_of(right)), "axes")
        axes_a = tuple(range(rank_of(left) - count, rank_of(left)))
        axes_b = tuple(range(count))
    return contract(left, right, axes_a, axes_b)


@exact("numpy.einsum")
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """``np.einsum`` with a subscript string or sublists. Other keywords than `optimize` and `dtype` run on the host."""
    require(out is None and set(kwargs) <= {"dtype", "order", "casting"}, "keywords")
    require(kwargs.get("order", "K") in ("K", "C") and kwargs.get("casting", "safe") == "safe", "order or casting")
    if not isinstance(operands[0], str):
        operands = _from_sublists(operands)
    equation = operands[0].replace(" ", "")
    tensors, dtype = as_common(*operands[1:])
    if kwargs.get("dtype") is not None:
        wanted = requested_dtype(kwargs["dtype"])
        require(np.can_cast(dtype, wanted, "safe"), "unsafe casting")
        tensors, dtype = [cast(t, wanted) for t in tensors], wanted
    require(dtype.char != "?", "bool einsum")
    equation = _with_output(equation)
    _check_equation(equation, tensors)
    found = tf.einsum(equation, *(to_working(t, dtype) for t in tensors))
    if dtype.kind in "fc" and _sums_before_it_multiplies(equation):
        _require_finite(found)
    return from_working(found, dtype)


def _sums_before_it_multiplies(equation: str) -> bool:
    """Whether a label is summed that some operand lacks: NumPy multiplies all operands first, TensorFlow sums early."""
    left, right = equation.split("->")
    terms = left.split(",")
    summed = set(left) - set(right) - {",", "."}
    return len(terms) > 1 and any(label not in term for label in summed for term in terms)


def _require_finite(tensor: Any) -> None:
    """Infinite terms may cancel in one order of summation and meet zeros in another: these are NumPy's to add."""
    size = tf.abs(tensor)
    finite = tf.reduce_all(size < size.dtype.max)
    if current() is not None:
        check(finite, "an infinite sum of products")
    elif tf.executing_eagerly():
        require(bool(finite), "an infinite sum of products")


def _from_sublists(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    pairs = len(operands) // 2
    lists = list(operands[1 : 2 * pairs : 2]) + ([operands[-1]] if len(operands) % 2 else [])
    require(all(isinstance(part, (list, tuple)) for part in lists), "sublists")
    text = ["".join("..." if item is Ellipsis else _LABELS[as_index(item)] for item in part) for part in lists]
    # sorted labels are sorted numbers within a case; NumPy sorts numbers, a string would sort capitals first
    require(len(operands) % 2 == 1 or all(label.islower() for part in text for label in part if label != "."), "order")
    equation = ",".join(text[:pairs]) + ("->" + text[-1] if len(operands) % 2 else "")
    return (equation, *operands[0 : 2 * pairs : 2])


def _with_output(equation: str) -> str:
    """The equation with its implicit output written out: ellipsis first, then labels that occur once, sorted."""
    if "->" in equation:
        return equation
    labels = equation.replace("...", "").replace(",", "")
    once = "".join(sorted(label for label in set(labels) if labels.count(label) == 1))
    return f"{equation}->{'...' if '...' in equation else ''}{once}"


def _check_equation(equation: str, tensors: list[Any]) -> None:
    """Leave to NumPy what TensorFlow treats otherwise: malformed equations, and labels of lengths 1 and n."""
    left, right = equation.split("->")
    terms = left.split(",")
    require(len(terms) == len(tensors), "as many terms as operands")
    require(all(c.isascii() and (c.isalpha() or c == ".") for term in [*terms, right] for c in term), "labels")
    lengths: dict[str, int] = {}
    ellipses = []
    for term, tensor in zip(terms, tensors, strict=True):
        shape = static_shape(tensor)
        head, dots, tail = term.partition("...")
        require("." not in head + tail, "dots")
        require(len(head + tail) == len(shape) if not dots else len(head + tail) <= len(shape), "rank")
        ends = list(zip(head, shape, strict=False)) + list(zip(reversed(tail), reversed(shape), strict=False))
        for label, length in ends:
            require(lengths.setdefault(label, length) == length, "one label, two lengths")
        if dots:
            ellipses.append(shape[len(head) : len(shape) - len(tail)])
    np.broadcast_shapes(*ellipses)
    if any(ellipses) and "..." not in right:
        raise Unsupported("a summed ellipsis")
    result = right.replace("...", "")
    require(len(set(result)) == len(result) and set(result) <= set(lengths), "output labels")


@exact("numpy.einsum_path")
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """``np.einsum_path``: a plan in Python values, which NumPy makes of the shapes."""
    require(not einsum_call, "a plan with its operands")
    known = [_shape_alone(operand) if is_tensor(operand) else operand for operand in operands]
    require(not any(isinstance(operand, (list, tuple)) and holds_tensor(operand) for operand in known), "a list")
    return np.einsum_path(*known, optimize=optimize)


def _shape_alone(tensor: Any) -> np.ndarray:
    """An ndarray of the tensor's shape that takes no memory."""
    return np.broadcast_to(np.zeros((), dtype_of(tensor)), static_shape(tensor))


def diagonal_of(tensor: Any, offset: int) -> Any:
    """The diagonal of the last two axes, as NumPy cuts it (empty when the offset is outside)."""
    rows, columns = static_shape(tensor)[-2:]
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    flat = reshaped(tensor, (*static_shape(tensor)[:-2], rows * columns))
    start = offset if offset >= 0 else -offset * columns
    return tf.gather(flat, start + np.arange(length) * (columns + 1), axis=-1)


def _last_two(tensor: Any, axis1: int, axis2: int) -> Any:
    ndim = rank_of(tensor)
    require(ndim >= 2, "fewer than two dimensions")
    first, second = normal_axis(axis1, ndim), normal_axis(axis2, ndim)
    require(first != second, "the same axis twice")
    return transposed(tensor, [i for i in range(ndim) if i not in (first, second)] + [first, second])


@exact("numpy.diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """``np.diagonal``: the diagonal becomes the last axis."""
    return diagonal_of(_last_two(as_tensor(a), axis1, axis2), as_index(offset))


def trace_of(tensor: Any, offset: int, dtype: Any) -> Any:
    """The sum of the diagonal of the last two axes, in the dtype of ``np.add.reduce``."""
    source = dtype_of(tensor)
    target = requested_dtype(dtype) if dtype is not None else np.add.reduce(np.zeros(1, source)).dtype
    require(target.char != "?" and (target.kind == "c" or source.kind != "c"), "dtype")
    require(target.kind in "fc" or source.kind in "biu", "a sum of floats in integers")
    line = to_working(cast(diagonal_of(tensor, offset), target), target)
    return from_working(tf.reduce_sum(line, -1), target)


@exact("numpy.trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """``np.trace``: small integers sum in int64 or uint64."""
    require(out is None, "out")
    return trace_of(_last_two(as_tensor(a), axis1, axis2), as_index(offset), dtype)


def cross_of(left: Any, right: Any, axis_a: int, axis_b: int, axis_out: int) -> Any:
    """The cross product over axes of length three, of tensors of one dtype."""
    require(static_shape(left)[axis_a] == static_shape(right)[axis_b] == 3, "components")
    require(left.dtype != tf.bool, "bool subtraction")
    dtype = dtype_of(left)
    if dtype.kind in "iu":
        left, right = to_working(left, dtype), to_working(right, dtype)
    a, b = tf.unstack(left, axis=axis_a), tf.unstack(right, axis=axis_b)
    parts = [tf.subtract(tf.multiply(a[i], b[j]), tf.multiply(a[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]
    result = tf.stack(parts, axis=normal_axis(axis_out, rank_of(parts[0]) + 1))
    if dtype == np.uint64:
        return tf.bitcast(result, tf.uint64)
    return cast(result, dtype)


def _cross_in_plane(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """``np.cross`` where vectors have two components, for its derivative: the third is zero."""
    (left, right), _ = as_common(a, b)
    places = (axisa, axisb) if axis is None else (axis, axis)
    vectors: list[Any] = []
    flat = True
    for tensor, place in zip((left, right), places, strict=True):
        components = tf.unstack(tensor, axis=normal_axis(place, rank_of(tensor)))
        flat = flat and len(components) == 2
        vectors.append(tf.stack([*components, tf.zeros_like(components[0])][:3], -1))
    result = cross_of(vectors[0], vectors[1], rank_of(left) - 1, rank_of(right) - 1, -1)
    if flat:
        return result[..., 2]
    order = list(range(rank_of(result) - 1))
    order.insert(normal_axis(axisc if axis is None else axis, rank_of(result)), rank_of(result) - 1)
    return tf.transpose(result, order)


@exact("numpy.cross", differentiable=_cross_in_plane)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """``np.cross`` of vectors of three components; two components (deprecated by NumPy) run on the host."""
    (left, right), _ = as_common(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    return cross_of(left, right, normal_axis(axisa, rank_of(left)), normal_axis(axisb, rank_of(right)), axisc)
