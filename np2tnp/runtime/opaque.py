"""Numbers that XLA's compiler must not know, so that it computes what is written, in the order that is written.

XLA simplifies formulas as real numbers allow it: ``(x + 2**52) - 2**52`` becomes ``x``, ``x / 3`` a multiplication,
``x + 0.0`` keeps -0.0, ``exp(x) * exp(y)`` is ``exp(x + y)``; and the machine code rounds ``x * y + z`` once. None of
that can happen when every constant is multiplied by 1.0, and every result that such a rule looks at has -0.0 added to
it, where both numbers come as arguments of the graph. Neither changes anything (0.0 + -0.0 is 0.0). Matrix products get
0.0 instead: XLA begins a sum with its first term, which may be -0.0, NumPy with 0.0.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from np2tnp.runtime.base import exact_floats
from np2tnp.runtime.base.lazy_tensorflow import tf

#: Operations whose results are known to the compiler.
_KNOWN = frozenset(("Const", "ZerosLike", "OnesLike", "Cast"))

#: Operations whose results XLA would merge with the operations that use them. A product beside a sum becomes one
#: rounding instead of two; with -0.0 between them that is the product's own.
_MERGED = frozenset(("Mul", "Square", "RealDiv", "Div", "Reciprocal", "Inv", "Exp", "Pow", "Sqrt", "Rsqrt"))

#: Operations whose results are sums of products.
_CONTRACTIONS = frozenset(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum"))


class Opaque:
    """The argument of one trace that is ``[1.0, -0.0, 0.0]`` when the graph runs."""

    def __init__(self, argument: Any) -> None:
        self._argument = argument
        self._numbers: dict[tuple[Any, Any], tuple[Any, ...]] = {}
        self._sources: dict[Any, Any] = {}  #: what the results of :meth:`known` are

    def known(self, tensor: Any) -> Any:
        """A tensor of real floats whose values the compiler would know, as one of which it knows nothing."""
        hidden = tf.raw_ops.Mul(x=tensor, y=self._of_dtype(tensor.dtype)[0])
        self._sources[hidden.ref()] = tensor
        return hidden

    def source(self, tensor: Any) -> Any:
        """The tensor that :meth:`known` made this one of; itself, where that made it of none."""
        return self._sources.get(tensor.ref(), tensor)

    def made(self, tensor: Any) -> Any:
        """A tensor of real floats, as one of which the compiler does not know how it was made."""
        return tf.raw_ops.AddV2(x=tensor, y=self._of_dtype(tensor.dtype)[1])

    def summed(self, tensor: Any) -> Any:
        """Sums of real floats, of which none is -0.0."""
        return tf.raw_ops.AddV2(x=tensor, y=self._of_dtype(tensor.dtype)[2])

    def zero(self) -> Any:
        """An int32 that is 0, which the compiler does not know."""
        return tf.cast(tf.unstack(self._argument)[2], tf.int32)

    def _of_dtype(self, dtype: Any) -> tuple[Any, ...]:
        key = (tf.compat.v1.get_default_graph(), dtype)
        if key not in self._numbers:
            self._numbers[key] = tuple(tf.cast(number, dtype) for number in tf.unstack(self._argument))
        return self._numbers[key]


def argument() -> Any:
    """What a graph gets for the argument of :class:`Opaque`."""
    return tf.constant(np.array([1.0, -0.0, 0.0]))


def _power(base: Any, exponent: Any, output: Any) -> Any:
    """``base ** exponent`` as NumPy computes it where the exponent is a number in the program."""
    number = exact_floats.known_number(exponent)
    if number is None or not base.dtype.is_floating or base.dtype.size == 2:
        return output
    if number in (0.5, 2.0):
        return (tf.raw_ops.Sqrt if number == 0.5 else tf.raw_ops.Square)(x=base)
    found = exact_floats.by_number(base, number)
    return tf.raw_ops.Pow(x=base, y=tf.constant(number, base.dtype)) if found is None else found


@contextmanager
def literal_arithmetic(opaque: Opaque | None) -> Iterator[None]:
    """Operations that this thread adds to graphs in the block are not merged with others.

    opaque : None where no compiler merges them. Then only powers with a number become what NumPy makes of them.
    """
    callbacks = importlib.import_module("tensorflow.python.framework.op_callbacks")
    hiding: dict[str, Any] = {"Pow": None}
    if opaque is not None:
        hiding = dict.fromkeys(_KNOWN, opaque.known) | dict.fromkeys(_MERGED, opaque.made)
        hiding |= dict.fromkeys(_CONTRACTIONS, opaque.summed)

    def between(
        op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:  # the callback's protocol: returns what takes the outputs' place
        if op_type == "StridedSlice" and graph is not None and opaque is not None:
            from np2tnp.runtime.compile.xla.materialize import kept
            from np2tnp.runtime.compile.xla.store_forwarding import forwarded
            from np2tnp.runtime.compile.xla.strided_planes import read

            answers = (answer(outputs[0].op) for answer in (read, forwarded, kept))
            found = next((answer for answer in answers if answer is not None), None)
            return outputs if found is None else [found]
        if graph is None or op_type not in hiding:
            return outputs
        (output,) = outputs
        if op_type == "Pow":
            output = _power(inputs[0], inputs[1], output)
        if not output.dtype.is_floating:  # complex products are not rounded alike everywhere in NumPy, either
            return outputs
        if op_type == "Cast" and not (inputs[0].dtype.is_integer or inputs[0].dtype.is_bool):
            return outputs
        return [hiding[op_type](output) if opaque is not None else output]

    callbacks.add_op_callback(between)
    try:
        yield
    finally:
        callbacks.remove_op_callback(between)
