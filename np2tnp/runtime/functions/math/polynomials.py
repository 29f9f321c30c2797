"""Polynomials by their coefficients, and the convolutions and correlations that they rest on."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import as_tensor, exact, is_tracing, to_ndarray
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import cast, dtype_of
from np2tnp.runtime.base.shapes import (
    as_common,
    as_index,
    common_dtype,
    is_all_finite,
    known,
    must_hold,
    rank_of,
    require,
    slice_axis,
    static_shape,
)
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.functions.arrays.manipulation import at_least
from np2tnp.runtime.functions.linalg.contractions import from_working, product, to_working
from np2tnp.runtime.functions.linalg.host_steps import asked
from np2tnp.runtime.functions.linalg.linalg import inv, lstsq

__all__ = [
    "convolve",
    "correlate",
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


# --- One-dimensional convolution and correlation, summed directly (no Fourier transform: that would round
# differently)

#: Up to this many coefficients the shifted copies are added one by one; more go through a matrix product.
_SHORT = 16
#: The band matrix of a kernel may be this large, or so many times as large as the signal: else NumPy is faster by far.
_BAND, _BANDS = 2**15, 16


def full_convolution(signal: Any, kernel: Any) -> Any:
    """The full convolution of tensors of one dtype, each with a value at least; the kernel is not the longer one."""
    dtype = dtype_of(signal)
    length, width = static_shape(signal)[0], static_shape(kernel)[0]
    if dtype.char == "?":
        counted = full_convolution(tf.cast(signal, tf.int64), tf.cast(kernel, tf.int64))
        return tf.not_equal(counted, 0)
    signal, kernel = to_working(signal, dtype), to_working(kernel, dtype)
    if width <= _SHORT or is_tracing() or not is_all_finite(signal, kernel):
        require(width <= 8 * _SHORT, "a long kernel of values that may not be finite")
        total: Any = None
        for place, coefficient in enumerate(tf.unstack(kernel)):
            part = tf.pad(tf.multiply(signal, coefficient), [(place, width - 1 - place)])
            total = part if total is None else tf.add(total, part)
        return from_working(total, dtype)
    require(2 * width**2 <= max(_BAND, _BANDS * length), "a kernel whose band matrix is much larger than the signal")
    # Frames of the signal times a band matrix of the kernel: twice the multiplications, all in one matrix product.
    frames = -(-(length + width - 1) // width)
    padded = tf.pad(signal, [(width - 1, frames * width - length)])
    starts = np.arange(frames)[:, np.newaxis] * width + np.arange(2 * width - 1)
    lags = np.arange(width)[np.newaxis, :] + (width - 1) - np.arange(2 * width - 1)[:, np.newaxis]
    inside = (lags >= 0) & (lags < width)
    band = tf.where(inside, tf.gather(kernel, np.clip(lags, 0, width - 1)), tf.zeros((), kernel.dtype))
    whole = tf.reshape(product(tf.gather(padded, starts), band), (-1,))
    return from_working(slice_axis(whole, 0, None, length + width - 1), dtype)


def _part(full: Any, length: int, width: int, mode: Any) -> Any:
    """What `mode` keeps of a full convolution of `length` values with a kernel of `width`."""
    require(mode in ("full", "same", "valid"), f"mode {mode!r}")
    if mode == "full":
        return full
    if mode == "same":
        start = (width - 1) // 2
        return slice_axis(full, 0, start, start + length)
    return slice_axis(full, 0, width - 1, length)


def _pair(a: Any, v: Any) -> tuple[Any, Any]:
    (left, right), _ = as_common(a, v)
    left, right = (tf.reshape(t, (1,)) if rank_of(t) == 0 else t for t in (left, right))
    require(rank_of(left) == rank_of(right) == 1, "dimensions")
    require(static_shape(left)[0] > 0 and static_shape(right)[0] > 0, "an empty array")
    return left, right


@exact("numpy.convolve")
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """``np.convolve``: integers wrap as NumPy's, floats are summed directly."""
    signal, kernel = _pair(a, v)
    if static_shape(kernel)[0] > static_shape(signal)[0]:
        signal, kernel = kernel, signal
    return _part(full_convolution(signal, kernel), static_shape(signal)[0], static_shape(kernel)[0], mode)


@exact("numpy.correlate")
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """``np.correlate``: the second argument conjugated."""
    require(rank_of(as_tensor(a)) == rank_of(as_tensor(v)) == 1, "dimensions")
    signal, kernel = _pair(a, v)
    length, width = static_shape(signal)[0], static_shape(kernel)[0]
    kernel = tf.math.conj(kernel) if kernel.dtype.is_complex else kernel
    kernel = tf.reverse(kernel, (0,))
    if width > length:  # NumPy swaps them, and turns the result round
        # the centre of "same" is measured from the other end then
        full = tf.reverse(full_convolution(kernel, signal), (0,))
        return tf.reverse(_part(full, width, length, mode), (0,))
    return _part(full_convolution(signal, kernel), length, width, mode)


# --- Polynomials by their coefficients: evaluation, arithmetic, calculus and least-squares fits
#
# ``np.poly1d`` objects stay NumPy's. Roots need eigenvalues in LAPACK's order, so they are found on the host. What a
# graph takes for zeros that NumPy leaves out is only known when it runs, so that lengths are unknown there.

#: Beyond this ratio of singular values two libraries' fits differ by more than anybody expects: NumPy's is taken.
_WORST_RATIO = 1e-7

#: What NumPy takes for zero at the head of the rest of a division.
_SMALL = 1e-8

#: Loops over more coefficients would make graphs that take minutes to compile.
_LONGEST = 128


def _coefficients(p: Any) -> Any:
    require(not isinstance(p, np.poly1d), "a poly1d")
    tensor = as_tensor(p)
    require(rank_of(tensor) <= 1 and tensor.dtype != tf.bool, "coefficients")
    return tensor


@exact("numpy.polyval")
def polyval(p: Any, x: Any) -> Any:
    """``np.polyval`` by Horner's rule, in the common dtype of coefficients and points (neither is weak)."""
    require(not isinstance(x, np.poly1d), "a poly1d")
    numbers, points = _coefficients(p), as_tensor(x)
    require(rank_of(numbers) == 1, "a 0-d polynomial")
    if static_shape(numbers)[0] == 0:
        if points.shape.rank == 0:  # else a scalar: what is emitted for a 0-d result is not known here
            raise UnverifiedError("np.polyval without coefficients gives a 0-d array of a number")
        return tf.zeros_like(points)
    require(points.dtype != tf.bool, "bool")
    dtype = common_dtype(numbers, points)
    numbers, points = cast(numbers, dtype), cast(points, dtype)
    result = tf.zeros_like(points)
    for number in tf.unstack(numbers):
        result = tf.add(tf.multiply(result, points), number)
    return result


def _summed(a1: Any, a2: Any, operation: Any) -> Any:
    (left, right), _ = as_common(at_least(1, _coefficients(a1)), at_least(1, _coefficients(a2)))
    length = max(static_shape(left)[0], static_shape(right)[0])
    left, right = (tf.pad(t, [(length - static_shape(t)[0], 0)]) for t in (left, right))
    return operation(left, right)


@exact("numpy.polyadd")
def polyadd(a1: Any, a2: Any) -> Any:
    """``np.polyadd``."""
    return _summed(a1, a2, tf.add)


@exact("numpy.polysub")
def polysub(a1: Any, a2: Any) -> Any:
    """``np.polysub``."""
    return _summed(a1, a2, tf.subtract)


@exact("numpy.polymul")
def polymul(a1: Any, a2: Any) -> Any:
    """``np.polymul``: leading zeros go first, as in NumPy (which makes the length depend on values)."""
    if is_tracing():
        return _product(a1, a2)
    return convolve.__wrapped__(_trimmed(a1), _trimmed(a2))  # type: ignore[attr-defined]


def _product(a1: Any, a2: Any) -> Any:
    """The product in a graph: both polynomials are moved to the front, and only terms that NumPy has are summed."""
    tensors, dtype = as_common(at_least(1, _coefficients(a1)), at_least(1, _coefficients(a2)))
    tensors.sort(key=lambda t: -static_shape(t)[0])
    (length,), (width,) = map(static_shape, tensors)
    require(0 < width <= _LONGEST, "a long polynomial, or none")
    starts = [_leading_zeros(tensor) for tensor in tensors]
    signal, kernel = (to_working(tf.roll(t, -start, 0), dtype) for t, start in zip(tensors, starts, strict=True))
    inside = tf.less(tf.range(length, dtype=tf.int64), length - starts[0])
    total: Any = None
    for place, coefficient in enumerate(tf.unstack(kernel)):
        counts = tf.logical_and(inside, tf.less(tf.constant(place, tf.int64), width - starts[1]))
        terms = tf.where(counts, tf.multiply(signal, coefficient), tf.zeros((), signal.dtype))
        terms = tf.pad(terms, [(place, width - 1 - place)])
        total = terms if total is None else tf.add(total, terms)
    kept = tf.less(tf.range(length + width - 1, dtype=tf.int64), length + width - 1 - starts[0] - starts[1])
    return tf.boolean_mask(from_working(total, dtype), kept)


def _leading_zeros(tensor: Any) -> Any:
    """How many zeros stand first, int64; the last number does not count as one of them."""
    seen = tf.cumsum(tf.cast(tf.not_equal(tensor, tf.zeros((), tensor.dtype)), tf.int64))
    return tf.reduce_sum(tf.cast(tf.equal(seen[:-1], 0), tf.int64))


def _trimmed(p: Any) -> Any:
    tensor = at_least(1, _coefficients(p))
    places = tf.reshape(tf.where(tf.not_equal(tensor, tf.zeros((), tensor.dtype))), (-1,))
    require(static_shape(tensor)[0] > 0 and known(tf.greater(tf.size(places), 0)), "no coefficients")
    return slice_axis(tensor, 0, int(places.numpy()[0]), None)


@exact("numpy.polyder")
def polyder(p: Any, m: int = 1) -> Any:
    """``np.polyder``."""
    tensor = _coefficients(p)
    order = as_index(m)
    require(order >= 0 and rank_of(tensor) == 1, "order")
    for _ in range(order):
        count = static_shape(tensor)[0] - 1
        require(count >= 0, "no coefficients")
        powers = as_tensor(np.arange(count, 0, -1))
        (tensor, powers), _ = as_common(slice_axis(tensor, 0, None, -1), powers)
        tensor = tf.multiply(tensor, powers)
    return tensor  # none of no derivative: the very array


@exact("numpy.polyint")
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """``np.polyint``: double precision at least; `k` holds the constants of integration."""
    tensor = _coefficients(p)
    order = as_index(m)
    require(order >= 0 and rank_of(tensor) == 1, "order")
    constants = at_least(1, as_tensor(np.zeros(order) if k is None else k))
    if static_shape(constants) == (1,) and order > 1:
        constants = cast(tf.tile(constants, (order,)), np.result_type(dtype_of(constants), np.float64))
    require(static_shape(constants)[0] >= order, "too few constants")
    for step in range(order):
        wide = np.result_type(dtype_of(tensor), np.float64)
        powers = as_tensor(np.arange(static_shape(tensor)[0], 0, -1).astype(wide))
        (body, constant), _ = as_common(tf.divide(cast(tensor, wide), powers), slice_axis(constants, 0, step, step + 1))
        tensor = tf.concat([body, constant], 0)
    return tensor


@exact("numpy.polyfit")
def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    """``np.polyfit``: coefficients; with `full` also (residuals, rank, singular values, rcond), with `cov` a matrix.

    Fits that are close to rank-deficient, or ill-conditioned, run on the host (NumPy then warns).
    """
    order = as_index(deg) + 1
    points, values = _lifted(x), _lifted(y)
    require(order >= 1 and rank_of(points) == 1 and rank_of(values) in (1, 2), "dimensions")
    count = static_shape(points)[0]
    require(count > 0 and static_shape(values)[0] == count, "no points")
    limit = count * np.finfo(dtype_of(points)).eps if rcond is None else rcond
    points = cast(points, np.promote_types(dtype_of(points), np.int64))  # as np.vander does
    columns = [tf.ones_like(points)]
    for _ in range(order - 1):
        columns.append(tf.multiply(columns[-1], points))
    system = tf.stack(columns[::-1], 1)
    right = values
    if w is not None:
        weights = _lifted(w)
        require(static_shape(weights) == (count,), "weights")
        (system, right, weights), _ = _same_kind(system, right, weights)
        system = tf.multiply(system, tf.expand_dims(weights, 1))
        right = tf.multiply(right, weights if rank_of(right) == 1 else tf.expand_dims(weights, 1))
    require(not system.dtype.is_complex, "complex points")
    scale = tf.sqrt(tf.reduce_sum(tf.square(system), 0))
    system = tf.divide(system, scale)
    if is_tracing():
        found, residuals, rank, spectrum = _fitted(system, right, limit)
    else:
        found, residuals, rank, spectrum = lstsq.__wrapped__(system, right, limit)  # type: ignore[attr-defined]
        ratio = tf.divide(tf.reduce_min(spectrum), tf.reduce_max(spectrum))
        require(int(rank.numpy()) == order and float(ratio.numpy()) > _WORST_RATIO, "an ill-conditioned fit")
    shape = (-1,) if rank_of(found) == 1 else (-1, 1)
    found = tf.divide(found, cast(tf.reshape(scale, shape), dtype_of(found)))
    if full:
        return found, residuals, rank, spectrum, as_tensor(limit) if isinstance(limit, np.generic) else limit
    if not cov:
        return found
    gram = tf.matmul(system, system, transpose_a=True)
    base = inv.__wrapped__(gram)  # type: ignore[attr-defined]
    base = tf.divide(base, tf.multiply(tf.expand_dims(scale, 1), tf.expand_dims(scale, 0)))
    if isinstance(cov, str):
        require(cov == "unscaled", "cov")
        return found, base
    require(count > order and residuals.dtype == base.dtype and rank_of(values) == 1, "too few points")
    return found, tf.multiply(base, tf.divide(residuals, tf.constant(count - order, residuals.dtype)))


def _fitted(system: Any, right: Any, limit: Any) -> tuple[Any, Any, Any, Any]:
    """``np.linalg.lstsq`` of real systems of full rank in a graph, which checks that they are."""
    dtype = np.result_type(dtype_of(system), dtype_of(right))
    require(
        isinstance(limit, (float, int, np.floating)) and not right.dtype.is_complex, "a tolerance that is not known"
    )
    rows, columns = static_shape(system)
    matrix = cast(system, np.float64)
    block = cast(right if rank_of(right) == 2 else tf.expand_dims(right, 1), np.float64)
    finite = tf.logical_and(*(tf.reduce_all(tf.math.is_finite(tensor)) for tensor in (matrix, block)))
    must_hold(finite, "numbers that are not finite")
    matrix, block = (tf.where(finite, tensor, tf.zeros_like(tensor)) for tensor in (matrix, block))  # else SVD may hang
    require(rows >= columns, "less points than coefficients")
    values, left, vectors = tf.linalg.svd(_outside_of_xla(matrix), full_matrices=False)
    ratio = tf.divide(tf.reduce_min(values), tf.reduce_max(values))
    must_hold(tf.greater(ratio, max(2 * float(limit), _WORST_RATIO)), "an ill-conditioned fit")
    shares = tf.divide(tf.matmul(left, block, transpose_a=True), tf.expand_dims(values, 1))
    found = tf.matmul(vectors, shares)
    missed = tf.reduce_sum(tf.square(tf.subtract(block, tf.matmul(matrix, found))), 0)
    residuals = missed if rows > columns else tf.zeros((0,), tf.float64)
    found = found if rank_of(right) == 2 else tf.squeeze(found, 1)
    rank = tf.constant(columns, tf.int32)
    return cast(found, dtype), cast(residuals, dtype), rank, cast(values, dtype)


def _outside_of_xla(matrix: Any) -> Any:
    """`matrix`, by way of an operation that XLA does not have: its singular values are right in seven digits only."""
    trace = current()
    require(trace is None or trace.mode != "xla", "a decomposition that XLA computes otherwise")
    first = tf.stop_gradient(tf.reshape(matrix, (-1, 1))[:1])
    solved = tf.raw_ops.MatrixSolveLs(matrix=first, rhs=first, l2_regularizer=tf.constant(0.0, tf.float64), fast=False)
    return tf.where(tf.math.is_finite(solved), matrix, matrix)


def _lifted(value: Any) -> Any:
    """``np.asarray(value) + 0.0``: integers become float64, floats keep their dtype."""
    tensor = as_tensor(value)
    dtype = dtype_of(tensor)
    require(dtype.char not in "eg", "half precision")
    return tensor if dtype.kind in "fc" else cast(tensor, np.float64)


def _same_kind(*tensors: Any) -> tuple[list[Any], np.dtype[Any]]:
    dtype = common_dtype(*tensors)
    # NumPy multiplies in place: a weight of a wider dtype would be narrowed
    require(all(dtype_of(t) == dtype for t in tensors), "weights of another dtype")
    return list(tensors), dtype


def _divided(u: Any, v: Any) -> tuple[Any, Any]:
    """``np.polydiv`` for its derivative: leading zeros of the rest are left out where NumPy does so."""
    (rest, divisor), dtype = as_common(at_least(1, _coefficients(u)), at_least(1, _coefficients(v)))
    if dtype.kind not in "fc":
        rest, divisor = cast(rest, np.float64), cast(divisor, np.float64)
    left = np.polydiv(to_ndarray(rest), to_ndarray(divisor))[1].size
    count = static_shape(divisor)[0]
    parts = []
    while static_shape(rest)[0] >= count:
        parts.append(tf.divide(rest[0], divisor[0]))
        rest = tf.concat([tf.subtract(rest[1:count], tf.multiply(divisor[1:], parts[-1])), rest[count:]], 0)
    rest = tf.pad(rest, [[max(left - static_shape(rest)[0], 0), 0]])
    return tf.stack(parts or [tf.zeros_like(divisor[0])]), rest[static_shape(rest)[0] - left :]


@exact("numpy.polydiv", differentiable=_divided)
def polydiv(u: Any, v: Any) -> Any:
    """``np.polydiv``, eagerly on the host: a loop over coefficients."""
    require(is_tracing(), "a loop over coefficients")
    numbers = [_lifted(at_least(1, _coefficients(p))) for p in (u, v)]
    (rest, divisor), dtype = as_common(*numbers)
    length, width = static_shape(rest)[0], static_shape(divisor)[0]
    steps = length - width + 1
    require(min(length, width) > 0 and steps <= _LONGEST, "a long polynomial, or none")
    scale = cast(tf.math.reciprocal(numbers[1][0]), dtype)
    found = []
    for step in range(steps):
        found.append(tf.multiply(scale, rest[step]))
        rest = tf.subtract(rest, tf.pad(tf.multiply(found[-1], divisor), [(step, length - width - step)]))
    small = tf.less_equal(cast(tf.abs(rest), np.float64), _SMALL)  # NaN is not
    seen = tf.cumsum(tf.cast(tf.logical_not(small[:-1]), tf.int64))
    kept = tf.concat([tf.greater(seen, 0), [True]], 0)
    return tf.stack(found or [tf.zeros((), rest.dtype)]), tf.boolean_mask(rest, kept)


def _moving_roots(p: Any) -> Any:
    """NumPy's roots, and a step of Newton's method, by which they follow the coefficients. Zeros of its own stay."""
    tensor = _coefficients(p)
    tensor = tensor if dtype_of(tensor).kind in "fc" else cast(tensor, np.float64)
    given = to_ndarray(tensor)
    places = np.flatnonzero(given)
    require(places.size > 0 and places[-1] == given.size - 1 and places[0] == 0, "a zero first or last")
    found = np.roots(given)
    at = as_tensor(found.astype(np.complex128))
    value = polyval.__wrapped__(cast(tensor, np.complex128), at)  # type: ignore[attr-defined]
    return tf.subtract(at, tf.divide(value, as_tensor(np.polyval(np.polyder(given), found).astype(np.complex128))))


@exact("numpy.roots", differentiable=_moving_roots)
def roots(p: Any) -> Any:
    """``np.roots``: eigenvalues in LAPACK's order, by NumPy; in a graph as a step on the host.

    Whether the roots of real coefficients are complex depends on their values. Of more than two coefficients they are
    taken to be; where they are not, a check of the graph fails.
    """
    tensor = _coefficients(p)
    require(rank_of(tensor) == 1 and is_tracing(), "eigenvalues in LAPACK's order")
    sample = np.array([1, 1] if tensor.shape[0] in (0, 1, 2) else [1, 0, 1], dtype_of(tensor))
    return asked("numpy.roots", "eigenvalues in LAPACK's order", tensor, np.roots(sample).dtype)


def _product_of_factors(seq_of_zeros: Any) -> Any:
    zeros = as_tensor(seq_of_zeros)
    if rank_of(zeros) == 2:
        return _characteristic(zeros)
    coefficients = tf.ones([1], zeros.dtype)
    for zero in tf.unstack(zeros):
        coefficients = tf.subtract(tf.pad(coefficients, [[0, 1]]), tf.multiply(tf.pad(coefficients, [[1, 0]]), zero))
    return coefficients


def _characteristic(matrix: Any) -> Any:
    """Coefficients of the characteristic polynomial, by traces of products (Faddeev and LeVerrier)."""
    matrix = matrix if dtype_of(matrix).kind in "fc" else cast(matrix, np.float64)
    one = tf.eye(static_shape(matrix)[0], dtype=matrix.dtype)
    product, coefficients = one, [tf.ones((), matrix.dtype)]
    for step in range(1, static_shape(matrix)[0] + 1):
        image = tf.matmul(matrix, product)
        coefficients.append(tf.divide(tf.negative(tf.linalg.trace(image)), tf.cast(step, matrix.dtype)))
        product = tf.add(image, tf.multiply(coefficients[-1], one))
    return tf.stack(coefficients)


@exact("numpy.poly", differentiable=_product_of_factors)
def poly(seq_of_zeros: Any) -> Any:
    """``np.poly``, eagerly on the host: a loop over few numbers, real or complex by their values."""
    require(is_tracing(), "a loop over roots")
    zeros = as_tensor(seq_of_zeros)
    require(rank_of(zeros) == 1 and not zeros.dtype.is_complex, "a matrix or complex roots, whose values say the dtype")
    zeros = zeros if dtype_of(zeros).char in "fd" else cast(zeros, np.float64)
    require(0 < static_shape(zeros)[0] <= _LONGEST, "many roots, or none")
    result = tf.ones((1,), zeros.dtype)
    for zero in tf.unstack(tf.negative(zeros)):
        moved = tf.multiply(result, zero)
        result = tf.concat([result[:1], tf.add(result[1:], moved[:-1]), moved[-1:]], 0)
    return result
