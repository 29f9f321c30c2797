"""``x[key] = value`` as a new tensor, for every form of NumPy's indexing. See :mod:`np2tnp.runtime.indexing.keys` for
the words.

Every strategy gives the same result on every device and with every schedule: indices are checked, and where several
values go to one place, all but the last are dropped first.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from np2tnp.runtime.base.device_forms import last_entries, last_of_each, wrapped
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.gradients import is_recording
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import operand, reshaped
from np2tnp.runtime.base.stored_values import constant, filled, fitted, kept_number, stored, trimmed
from np2tnp.runtime.base.tracing import check
from np2tnp.runtime.compile.xla import strided_planes
from np2tnp.runtime.compile.xla.padded_stores import pays, write_padded, write_spread
from np2tnp.runtime.indexing.item_reads import check_mask, is_plain, stacked, true_indices
from np2tnp.runtime.indexing.keys import (
    Basic,
    basic_key,
    consumed,
    expand,
    flat_positions,
    is_full,
    is_index_array,
    is_mask,
    is_on_device,
    is_unknown,
    normal_parts,
    on_host,
    resolve_basic,
    static_shape,
)


def write(x: Any, key: Any, value: Any) -> Any:
    """`x` with ``x[key] = value`` done. Raises NumPy's exceptions, Unsupported if there is no exact TensorFlow form."""
    parts = basic_key(key)
    normal: list[Any] = []
    if parts is None:
        normal = normal_parts(key)
        parts = basic_key(tuple(normal))
    if parts is not None:
        plan = resolve_basic(static_shape(x), parts)
        rank = value.shape.rank if is_tensor(value) else np.ndim(value)
        if rank and (plan.scalar or (rank > len(plan.shape) and isinstance(value, (list, tuple)))):
            raise Unsupported("a sequence where a store takes a number")  # NumPy's versions differ in what they allow
        kept = None if plan.whole else kept_number(value, x.dtype)
        return write_basic(x, plan, stored(value, x.dtype) if kept is None else kept)
    value = stored(value, x.dtype)
    if is_plain(normal):
        if len(normal) == 1 and is_mask(normal[0]) and consumed(normal[0]) == x.shape.rank and len(value.shape) > 1:
            raise Unsupported("a value with several dimensions for a mask")
        written = _write_axes(x, expand(normal, x.shape.rank), value)
        if written is not None:
            return written
    shape = static_shape(x)
    positions = flat_positions(shape, on_host(normal))
    value = fitted(value, positions.shape)
    flat = _scatter(reshaped(x, (-1,)), positions.reshape(-1, 1), reshaped(value, (-1,)), positions.ravel())
    return reshaped(flat, shape)


def write_basic(x: Any, plan: Basic, value: Any) -> Any:
    """`x` with `value` (of :func:`~np2tnp.runtime.base.stored_values.stored`) stored under a resolved basic key."""
    value = trimmed(value, plan.shape)
    if 0 in plan.shape:
        return x
    shape = tuple(x.shape)
    if plan.whole:
        full = filled(value, plan.shape)
        return full if plan.shape == shape else reshaped(full, shape)
    if plan.sliced != plan.shape:  # axes that None added have length 1
        value = fitted(value, plan.shape)
        value = reshaped(value, plan.sliced)
    if not plan.strided:
        raise Unsupported("this many dimensions")
    if not tf.executing_eagerly():
        value = fitted(value, plan.sliced)  # XLA does not broadcast
        taken_apart = strided_planes.stored(x, plan, value)
        if taken_apart is not None:
            return taken_apart
        if not plan.unit:
            spread = write_spread(x, plan, value)
            return _write_where(x, list(plan.axes), value) if spread is None else spread
        if pays(x, plan, value):
            return write_padded(x, plan, value)
    begin, end, strides = plan.vectors()
    return tf.raw_ops.TensorStridedSliceUpdate(
        input=x,
        begin=begin,
        end=end,
        strides=strides,
        value=constant(value),
        end_mask=plan.end_mask,
        shrink_axis_mask=plan.shrink_mask,
    )


def _write_axes(x: Any, axes: list[Any], value: Any) -> Any | None:
    """The forms with a strategy of their own; None for the others."""
    chosen = [number for number, part in enumerate(axes) if not is_full(part)]
    masks = [number for number in chosen if is_mask(axes[number])]
    if masks:
        return _write_mask(x, axes[masks[0]], masks[0], value) if len(chosen) == 1 else None
    if any(is_on_device(axes[number]) for number in chosen):
        return _write_unknown(x, axes, chosen, value)
    leading = chosen == list(range(len(chosen))) and not any(isinstance(axes[number], slice) for number in chosen)
    if leading:
        return _write_rows(x, axes[: len(chosen)], value)
    if _is_one_vector([axes[number] for number in chosen]):
        return _write_where(x, _resolved(x, axes), value)
    return None


def _write_rows(x: Any, indices: list[Any], value: Any) -> Any:
    """The leading axes indexed by static integers or integer arrays."""
    rows = stacked(x, indices)
    shape = static_shape(x)
    count = len(indices)
    rest = shape[count:]
    target = (*rows.shape[:-1], *rest)
    value = trimmed(value, target)
    if 0 in target:
        return x
    rows = rows.reshape(-1, count)
    updates = reshaped(fitted(value, target), (len(rows), *rest))
    return _scatter(
        x, rows, updates, np.ravel_multi_index(tuple(rows.T), shape[:count]) if len(rows) > 1 else rows[:, 0]
    )


def _scatter(x: Any, indices: Any, updates: Any, positions: Any) -> Any:
    keep = last_of_each(positions)
    if keep is not None:
        indices = indices[keep]
        updates = tf.raw_ops.GatherV2(params=updates, indices=operand(keep), axis=0, batch_dims=0)
    return tf.raw_ops.TensorScatterUpdate(tensor=x, indices=operand(indices), updates=updates)


def _write_mask(x: Any, mask: Any, first: int, value: Any) -> Any:
    """One mask over the axes from `first` on, everything else whole."""
    check_mask(x, mask, first)
    rank = consumed(mask)
    after = x.shape.rank - first - rank
    value = _without_leading_ones(value, first + 1 + after)
    dims = tuple(value.shape)
    if len(dims) > first + 1 + after or None in dims:
        raise Unsupported("a value of this shape for a mask")
    axes = [
        *range(first),
        None,
        *range(first + rank, x.shape.rank),
    ]  # what the value's axes run over; None: the true elements
    for length, axis in zip(dims[::-1], axes[::-1], strict=False):
        if axis is not None and length not in (1, x.shape[axis]):
            raise ValueError(f"could not broadcast a value of shape {dims} into the masked array")
    where = len(dims) - 1 - after  # the value's axis that runs over the true elements, if it has one
    if len(dims) > after and dims[where] != 1:
        return _write_masked_values(x, mask, first, rank, after, value, where)
    if len(dims) > after and rank != 1:
        dims = dims[:where] + (1,) * rank + dims[where + 1 :]
        value = reshaped(value, dims) if is_tensor(value) else value.reshape(dims)
    return tf.raw_ops.SelectV2(condition=operand(_spread(mask, first, after)), t=constant(value), e=x)


def _spread(mask: Any, first: int, after: int) -> Any:
    """A mask with axes of length 1 for the axes that it does not select from."""
    if not after:  # leading axes need not be written out
        return mask
    if is_tensor(mask):
        if not mask.shape.is_fully_defined():
            for _ in range(after):
                mask = tf.expand_dims(mask, -1)
            return mask
        return reshaped(mask, (*mask.shape, *(1,) * after))
    return mask.reshape(mask.shape + (1,) * after)


def _without_leading_ones(value: Any, rank: int) -> Any:
    dims = tuple(value.shape)
    extra = len(dims) - rank
    if extra <= 0 or any(n != 1 for n in dims[:extra]):
        return value
    return reshaped(value, dims[extra:]) if is_tensor(value) else value.reshape(dims[extra:])


def _write_masked_values(x: Any, mask: Any, first: int, rank: int, after: int, value: Any, where: int) -> Any:
    """One value per true element, in order."""
    given = value.shape[where]
    if first == 0 and (not is_tensor(mask) or tf.executing_eagerly()):
        indices = true_indices(mask)
        count = indices.shape[0]
        if count != given:
            raise ValueError(f"cannot assign {given} input values to the {count} output values where the mask is true")
        if not count or 0 in static_shape(x):
            return x
        updates = fitted(value, (given, *static_shape(x)[rank:]))
        return tf.raw_ops.TensorScatterUpdate(tensor=x, indices=indices, updates=updates)
    mask = tf.convert_to_tensor(mask)
    flat = tf.reshape(mask, (-1,))
    order = tf.cumsum(tf.cast(flat, tf.int64))
    total = order[-1] if mask.shape.num_elements() else tf.zeros((), tf.int64)
    if tf.executing_eagerly() and int(total) != given:
        raise ValueError(f"cannot assign {given} input values to the {int(total)} output values where the mask is true")
    if not given:
        return x
    check(total == given, f"shape mismatch: the mask does not select {given} elements")
    source = tf.reshape(tf.clip_by_value(order - 1, 0, given - 1), tf.shape(mask))
    spread = tf.gather(constant(value), source, axis=where)
    return tf.raw_ops.SelectV2(condition=operand(_spread(mask, first, after)), t=spread, e=x)


def _write_unknown(x: Any, axes: list[Any], chosen: list[int], value: Any) -> Any | None:
    """Some index is only known when the graph runs, or on the device where it lies."""
    integers = not any(isinstance(axes[number], slice) for number in chosen)
    scalars = not any(is_index_array(axes[number]) for number in chosen)
    leading = integers and chosen == list(range(len(chosen)))
    shape = static_shape(x)
    if leading:
        rows = stacked(x, axes[: len(chosen)])
        rest = shape[len(chosen) :]
        target = (*rows.shape[:-1], *rest)
        updates = fitted(value, target)
        if 0 in target or 0 in shape:
            return x
        if scalars:
            return tf.tensor_scatter_nd_update(x, rows[tf.newaxis], updates[tf.newaxis])
        if tf.executing_eagerly() and not is_recording():  # a derivative flows to each value as often as it is stored
            return _write_device_rows(x, rows, updates, len(chosen))
        return _write_unknown_rows(x, rows, updates, len(chosen))
    if scalars or _is_one_vector([axes[number] for number in chosen]):
        return _write_where(x, _resolved(x, axes), value)
    return None


def _is_one_vector(parts: list[Any]) -> bool:
    """Whether the parts are slices and one vector of indices, whose axis then stays in its place."""
    others = [part for part in parts if not isinstance(part, slice)]
    return len(others) == 1 and not isinstance(others[0], int) and len(others[0].shape) == 1


def _write_unknown_rows(x: Any, rows: Any, updates: Any, count: int) -> Any:
    """Scatter by indices with possible duplicates: for each row its last update is found first, then gathered."""
    shape = static_shape(x)
    total = math.prod(shape[:count])
    rest = shape[count:]
    strides = [math.prod(shape[axis + 1 : count]) for axis in range(count)]
    flat = tf.reshape(tf.reduce_sum(rows * tf.constant(strides, tf.int64), axis=-1), (-1,))
    number = flat.shape[0]
    if not number or not total:
        return x
    last = _last_of_each_place(flat, total)
    source = tf.gather(tf.reshape(updates, (number, *rest)), tf.maximum(last, 0), axis=0)
    hit = tf.reshape(last >= 0, (total, *(1,) * len(rest)))
    return tf.reshape(tf.where(hit, source, tf.reshape(x, (total, *rest))), shape)


def _write_device_rows(x: Any, rows: Any, updates: Any, count: int) -> Any:
    """One scatter by eager indices of the first `count` axes, in which equal indices store the same: their last value.

    Nothing is read from the device, and no order of the scatter makes a difference.
    """
    shape = static_shape(x)
    number = math.prod(rows.shape[:-1])
    if len(rows.shape) != 2:
        rows = reshaped(rows, (number, count))
        updates = reshaped(updates, (number, *shape[count:]))
    if number > 1:
        last = last_entries(_flat_rows(rows, shape[:count]), math.prod(shape[:count]))
        updates = tf.raw_ops.GatherV2(params=updates, indices=last, axis=0, batch_dims=0)
    return tf.raw_ops.TensorScatterUpdate(tensor=x, indices=rows, updates=updates)


def _flat_rows(rows: Any, lengths: tuple[int, ...]) -> Any:
    """The position of each row of indices in an array of these lengths."""
    if len(lengths) == 1:
        return reshaped(rows, (-1,))
    strides = [math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    return tf.reduce_sum(rows * operand(np.array(strides, np.int64)), axis=-1)


def _last_of_each_place(index: Any, length: int) -> Any:
    """For each place the number of the last entry of a symbolic `index` vector that names it, or -1."""
    nowhere = tf.fill((length,), tf.constant(-1, tf.int64))
    return tf.tensor_scatter_nd_max(nowhere, index[:, tf.newaxis], tf.range(index.shape[0], dtype=tf.int64))


def _resolved(x: Any, axes: list[Any]) -> list[Any]:
    """Axis parts for :func:`_write_where`: static slices as (start, stop, step, count), indices wrapped."""
    parts: list[Any] = []
    for number, (part, length) in enumerate(zip(axes, static_shape(x), strict=True)):
        if isinstance(part, slice):
            if is_unknown(part):
                parts.append(part)
            else:
                start, stop, step = part.indices(length)
                parts.append((start, stop, step, len(range(start, stop, step))))
        else:
            parts.append(wrapped(part, length, number))
    return parts


def _write_where(x: Any, axes: list[Any], value: Any) -> Any:
    """For each element of `x` whether it is written, and from where in `value`: gathers and one select.

    `axes`: per axis an index (int or 0-d tensor), (start, stop, step, count), a symbolic slice, or an index vector.
    XLA compiles it, also with symbolic parts and with steps; equal indices in a vector take the last value.
    """
    shape = static_shape(x)
    kept = [number for number, part in enumerate(axes) if not _is_index(part)]
    counts = [_count(axes[number]) for number in kept]
    result = _full_rank(value, counts)
    hit: Any = None
    for position, number in enumerate(kept):
        member, source = _membership(axes[number], shape[number])
        length = result.shape[position]
        if source is not None and length != 1:
            if counts[position] is None:
                count = tf.reduce_sum(tf.cast(member, tf.int64))
                check(count == length, "shape mismatch in a store to a slice")
                source = tf.minimum(source, max(length - 1, 0))
            if length:
                result = tf.raw_ops.GatherV2(params=result, indices=operand(source), axis=position, batch_dims=0)
        hit = _both(hit, member, number, len(shape))
    if 0 in counts or 0 in tuple(result.shape):  # nothing to store (and XLA would gather from nothing)
        return x
    for number, part in enumerate(axes):  # in order, so that every axis before is there already
        if _is_index(part):
            places = np.arange(shape[number])
            hit = _both(
                hit, tf.constant(places, tf.int64) == part if is_tensor(part) else places == part, number, len(shape)
            )
            result = tf.expand_dims(result, number)
    return x if hit is None else tf.raw_ops.SelectV2(condition=operand(hit), t=result, e=x)


def _is_index(part: Any) -> bool:
    return isinstance(part, int) or (is_tensor(part) and part.shape.rank == 0)


def _count(part: Any) -> int | None:
    """How many elements an axis part selects; None if only known when the graph runs."""
    if isinstance(part, slice):
        return None
    return int(part[3]) if isinstance(part, tuple) else part.shape[0]


def _full_rank(value: Any, counts: list[int | None]) -> Any:
    """`value` as a tensor with as many axes as `counts`, each 1 or as long as counted. Raises ValueError."""
    value = _without_leading_ones(value, len(counts))
    dims = tuple(value.shape)
    if None in dims:
        raise Unsupported("a value of unknown shape")
    fits = all(n == 1 or m is None or n == m for n, m in zip(dims[::-1], counts[::-1], strict=False))
    if len(dims) > len(counts) or not fits:
        raise ValueError(f"could not broadcast input array from shape {dims} into shape {tuple(counts)}")
    return reshaped(value, (1,) * (len(counts) - len(dims)) + dims)


def _membership(part: Any, length: int) -> tuple[Any, Any]:
    """Which places of an axis are written (None: all), and for each place the value's index (None: the same)."""
    places = np.arange(length)
    if is_tensor(part):
        last = _last_of_each_place(part, length)
        return last >= 0, tf.maximum(last, 0)
    if isinstance(part, np.ndarray):
        source = np.full(length, -1)
        source[part] = np.arange(len(part))  # NumPy: the last of equal indices wins
        return source >= 0, np.maximum(source, 0)
    if isinstance(part, tuple):
        start, stop, step, count = part
        if (start, stop, step) == (0, length, 1):
            return None, None
        source = (places - start) // step
        member = (source >= 0) & (source < count) & ((places - start) % step == 0)
        return member, np.clip(source, 0, max(count - 1, 0))
    return _unknown_membership(part, length)


def _unknown_membership(part: Any, length: int) -> tuple[Any, Any]:
    """The same for a slice with symbolic bounds and a static step."""
    step = 1 if part.step is None else part.step
    if is_tensor(step):
        raise Unsupported("a slice whose step is only known when the graph runs")
    step = int(step)
    low, high = (0, length) if step > 0 else (-1, length - 1)
    start = _clamped(part.start, low if step > 0 else high, low, high, length)
    stop = _clamped(part.stop, high if step > 0 else low, low, high, length)
    places = tf.constant(np.arange(length), tf.int64)
    offset = places - start
    before_stop = places < stop if step > 0 else places > stop
    source = offset // step
    member = (source >= 0) & before_stop & (offset % step == 0)
    return member, tf.clip_by_value(source, 0, length - 1)


def _clamped(bound: Any, default: int, low: int, high: int, length: int) -> Any:
    """A slice bound as ``slice.indices`` gives it."""
    if bound is None:
        return tf.constant(default, tf.int64)
    bound = tf.cast(bound, tf.int64)
    return tf.clip_by_value(tf.where(bound < 0, bound + length, bound), low, high)


def _both(hit: Any, member: Any, axis: int, rank: int) -> Any:
    """`hit` and a vector of one axis, as masks that broadcast."""
    if member is None:
        return hit
    dims = (-1,) + (1,) * (rank - 1 - axis)
    member = reshaped(member, dims) if is_tensor(member) else member.reshape(dims)
    if hit is None:
        return member
    return (
        hit & member if isinstance(hit, np.ndarray) and isinstance(member, np.ndarray) else tf.logical_and(hit, member)
    )


strided_planes.write_basic = write_basic
