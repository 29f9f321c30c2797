"""Operators of eager tensors whose dtypes TensorFlow has no kernel for: the sum of two masks, complex numbers compared.

Where the dtypes are not known before, rewritten code has TensorFlow's own operator if that raises where it differs
from NumPy's (``pairs_loud`` in the facts). It raises in the middle of a function, which cannot always begin again: so
the exact helper takes over there, in the middle of the function, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base import lazy_tensorflow
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import translate

#: Python's methods for such operators -> the helper, and whether it takes the operands the other way round.
HELPERS = {
    "__add__": ("op_add", False),
    "__radd__": ("op_add", True),
    "__lt__": ("op_lt", False),
    "__le__": ("op_le", False),
    "__gt__": ("op_gt", False),
    "__ge__": ("op_ge", False),
    "__eq__": ("op_eq", False),
    "__ne__": ("op_ne", False),
}
#: Of which NumPy knows the result for Python integers that the dtype does not hold.
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def covered(name: str, method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """TensorFlow's `method` of that name, or the exact helper where it has no kernel, once a migrated function runs.

    Not in a process where none did: there the facts are measured.
    """
    if name not in HELPERS:
        return method
    helper, reflected = HELPERS[name]
    compares = helper[3:] in _COMPARISONS

    def by_helper(tensor: Any, other: Any) -> Any:
        from np2tnp.runtime import operators

        return getattr(operators, helper)(*((other, tensor) if reflected else (tensor, other)))

    @functools.wraps(method)
    def call(tensor: Any, other: Any) -> Any:
        if compares and type(other) is int and abs(other) >= 1 << 63 and lazy_tensorflow.ready:
            return by_helper(tensor, other)
        try:
            return method(tensor, other)
        except Exception as error:
            known = translate(error)
            beyond = compares and isinstance(known or error, OverflowError)
            if not lazy_tensorflow.ready or not (beyond or isinstance(known, UnverifiedError)):
                raise
            return by_helper(tensor, other)

    return call
