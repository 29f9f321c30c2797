"""Graphs that run as they were traced: TensorFlow's optimizer rewrites formulas as real numbers allow it.

It makes ``~(x < y)`` ``x >= y`` (which is another thing for NaN), ``(x + 2**52) - 2**52`` ``x``, ``x * y + x * z``
``x * (y + z)``. Which of its passes run is an attribute of a call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base.lazy_tensorflow import tf

#: Passes that change what formulas give.
_REWRITING = ("arithmetic_optimization", "constant_folding", "remapping", "layout_optimizer", "auto_mixed_precision")


@functools.cache
def _settings() -> bytes:
    config = tf.compat.v1.ConfigProto()
    options = config.graph_options.rewrite_options
    for name in _REWRITING:
        setattr(options, name, options.OFF)
    settings: bytes = config.SerializeToString()
    return settings


def literally(function: Any) -> Callable[..., list[Any]]:
    """A ``ConcreteFunction`` of tensors that returns a list of tensors, as a function whose graph is not rewritten."""
    kinds = [output.dtype for output in function.outputs]

    def call(*inputs: Any) -> list[Any]:
        arguments = [*inputs, *function.captured_inputs]
        outputs: list[Any] = tf.raw_ops.StatefulPartitionedCall(
            args=arguments, Tout=kinds, f=function, config_proto=_settings()
        )
        return outputs

    def with_gradient(*inputs: Any) -> Any:
        def gradient(*upstream: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                outputs = function(*inputs)
            return tape.gradient(outputs, inputs, upstream, unconnected_gradients=tf.UnconnectedGradients.ZERO)

        return call(*inputs), gradient

    result: Callable[..., list[Any]] = tf.custom_gradient(with_gradient)
    return result
