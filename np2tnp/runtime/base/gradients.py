"""Gradients of what comes without one: of TensorFlow's own operations, and of what NumPy computes on the host."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base import dispatch
from np2tnp.runtime.base.dispatch import is_tensor, map_structure
from np2tnp.runtime.base.lazy_tensorflow import tf

#: Functions that change by steps, or not at all: no gradient flows, as through ``tf.round``.
_FLAT = frozenset(
    "zeros_like ones_like empty_like sign floor ceil trunc fix rint round around floor_divide heaviside spacing".split()
)


@functools.cache
def _tapes() -> Any:
    return importlib.import_module("tensorflow.python.eager.record")


def is_recording() -> bool:
    """Whether any ``tf.GradientTape`` is recording (0.2 us)."""
    return bool(_tapes().could_possibly_record())


def is_followed(*tensors: Any) -> bool:
    """Whether a ``tf.GradientTape`` watches any of these floating-point tensors, or what it was computed from."""
    if not is_recording():
        return False
    read = [tf.convert_to_tensor(each) for each in tensors if _is_continuous(each)]  # variables are no tensors here
    return bool(_tapes().should_record_backprop(read))


def attached(
    result: Any,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    differentiable: Callable[..., Any] | None,
) -> Any:
    """`result`, which NumPy's `function` computed from tensors, tied to these for the tapes that watch them.

    Its values stay. Its derivative is that of `differentiable`, called with the same arguments when a tape asks; where
    there is none, the tape raises LookupError: without that it would take `result` for a constant, and be wrong.
    """
    if not is_recording():
        return result
    name = getattr(function, "__name__", "")
    given = [leaf for leaf in _leaves((args, kwargs)) if _is_continuous(leaf)]
    found = [leaf for leaf in _leaves(result) if _is_continuous(leaf)]
    if name in _FLAT or not found or not is_followed(*given):
        return result

    def known(*values: Any) -> Any:
        placed = dict(zip(map(id, given), values, strict=True))

        def gradient(*upstream: Any) -> list[Any]:
            with tf.GradientTape() as tape:
                tape.watch(values)
                arguments = map_structure(lambda leaf: placed.get(id(leaf), leaf), (args, kwargs))
                outputs = _derivable(name, differentiable, *arguments)
                outputs = [_like(leaf, one) for leaf, one in zip(outputs, found, strict=True)]
            slopes = tape.gradient(outputs, values, upstream, unconnected_gradients=tf.UnconnectedGradients.ZERO)
            return [tf.convert_to_tensor(slope) for slope in slopes]

        return found, gradient

    tied = iter(tf.custom_gradient(known)(*map(tf.convert_to_tensor, given)))
    return map_structure(lambda leaf: next(tied) if _is_continuous(leaf) else leaf, result)


def _derivable(
    name: str, differentiable: Callable[..., Any] | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    if differentiable is None:
        raise LookupError(f"no gradient for {name}: NumPy computes it on the host")
    try:
        return [leaf for leaf in _leaves(differentiable(*args, **kwargs)) if _is_continuous(leaf)]
    except Exception as error:
        raise LookupError(f"no gradient for {name} with these arguments: {error}") from error


def _leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    map_structure(found.append, value)
    return found


def _is_continuous(leaf: Any) -> bool:
    return is_tensor(leaf) and (leaf.dtype.is_floating or leaf.dtype.is_complex)


def _like(value: Any, one: Any) -> Any:
    """`value` in the dtype of what NumPy gave: real where all imaginary parts are zero."""
    if value.dtype.is_complex and not one.dtype.is_complex:
        value = tf.math.real(value)
    return tf.cast(value, one.dtype)


def install(_: Any) -> None:
    """Give ``TruncateMod``, of which ``x % y`` and ``np.fmod`` are made, its gradient; safe to call again."""
    with contextlib.suppress(KeyError):  # it has one by now
        tf.RegisterGradient("TruncateMod")(_of_truncate_mod)


def _of_truncate_mod(operation: Any, upstream: Any) -> tuple[Any, Any]:
    x, y = operation.inputs
    whole = tf.round((x - operation.outputs[0]) / y)  # a multiple of y, but for rounding
    shapes = tf.shape(x), tf.shape(y)
    axes = tf.raw_ops.BroadcastGradientArgs(s0=shapes[0], s1=shapes[1])
    parts = zip((upstream, -upstream * whole), axes, shapes, strict=True)
    of_x, of_y = (tf.reshape(tf.reduce_sum(part, axis), shape) for part, axis, shape in parts)
    return of_x, of_y


dispatch.attach_gradient = attached
