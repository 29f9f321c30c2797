"""Which helpers take slices whose length a loop changes (`lengths.py`), and what they make of them.

A helper is here if it is right for tensors of unknown lengths: it computes with them when the graph runs, and looks at
no length before. What NumPy raises, or warns of, for no elements is a check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import is_tensor, resolve
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import check
from np2tnp.runtime.lengths import Sliced, lengths_of, sliced
from np2tnp.runtime.weak import Weak

#: Functions besides the ufuncs that work element by element on their first argument.
_ELEMENTWISE = frozenset(f"numpy.{name}" for name in "real imag nan_to_num copy zeros_like ones_like".split())
_ELEMENTWISE |= {"numpy.ndarray.astype", "ndarray.astype", "numpy.astype", "ndarray.copy"}
#: Reductions of which NumPy knows what they are for no elements.
_SUMS = frozenset(f"numpy.{name}" for name in "sum prod any all count_nonzero".split())
#: Those for which it raises, or warns.
_OF_SOMETHING = frozenset(f"numpy.{name}" for name in "max min amax amin mean argmax argmin var std ptp".split())
_REDUCING = frozenset(("axis", "keepdims", "dtype", "ddof"))
#: Of two operands; without keywords.
_PRODUCTS = frozenset(("numpy.outer", "numpy.dot"))
#: Operators that are no ufuncs.
_NO_UFUNCS = frozenset(("operator.contains", "operator.matmul", "operator.imatmul"))


def called(api: str, reference: Any, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The helper for NumPy's `api` with Sliced arguments. Raises UnverifiedError for those that it may not take."""
    try:
        function = resolve(api) if reference is None else reference
        return _called(api, function, helper, args, kwargs)
    except Unsupported as error:
        raise UnverifiedError(f"{api}: {error}") from error


def _called(api: str, reference: Any, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if any(type(value) is Sliced for value in kwargs.values()):
        raise Unsupported("a slice whose length a loop changes as a keyword")
    if isinstance(reference, np.ufunc) and reference.signature is None and not kwargs:
        return applied(helper, args)
    if (reference is np.matmul or api == "operator.matmul") and not kwargs:
        return applied(helper, args, is_product=True)
    if api.startswith("operator.i") and api not in _NO_UFUNCS and api != "operator.invert":
        return _updated(helper, args)
    if api.startswith(("operator.", "builtins.")) and api not in _NO_UFUNCS:
        return applied(helper, args)
    if api == "numpy.where" and len(args) == 3:
        return applied(helper, args)
    if api in _ELEMENTWISE and all(type(value) is not Sliced for value in args[1:]):
        return applied(lambda x: helper(x, *args[1:], **kwargs), args[:1])
    if api in _SUMS | _OF_SOMETHING and len(args) <= 2 and _REDUCING.issuperset(kwargs):
        return _reduced(api, helper, args, kwargs)
    if api in _PRODUCTS and len(args) == 2 and not kwargs:
        return _multiplied(api, helper, args)
    if api == "numpy.linalg.norm" and len(args) <= 2:
        if not {"axis", "keepdims"}.issuperset(kwargs) or (len(args) == 2 and args[1] is not None):
            raise Unsupported("a norm of another order, of a slice whose length a loop changes")
        return _given(helper(_plain(args[0]), **kwargs))
    raise Unsupported("a slice whose length a loop changes")


def _plain(value: Any) -> Any:
    return value.tensor if type(value) is Sliced else value


def _given(result: Any, lengths: tuple[Any, ...] | None = None) -> Any:
    """A helper's result, with what is unknown of it as Sliced."""
    if isinstance(result, tuple):
        return tuple(_given(part, lengths) for part in result)
    return sliced(result, lengths) if is_tensor(result) else result


def _lengths(value: Any) -> tuple[Any, ...]:
    if type(value) is Sliced:
        return value.lengths
    return lengths_of(value) if is_tensor(value) else () if isinstance(value, Weak) else np.shape(value)


def applied(helper: Callable[..., Any], args: tuple[Any, ...], is_product: bool = False) -> Any:
    """An elementwise `helper`, or matmul, on arguments of which some are Sliced."""
    shapes = [_lengths(value) for value in args]
    lengths = _product(*shapes) if is_product else _broadcast(shapes)
    return _given(helper(*map(_plain, args)), lengths)


def _broadcast(shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The lengths of arrays broadcast against each other, which must be the same or 1 when the graph runs."""
    rank = max(map(len, shapes))
    found = []
    for place in range(-rank, 0):
        lengths = [shape[place] for shape in shapes if len(shape) >= -place]
        others = [length for length in lengths if not (isinstance(length, int) and length == 1)]
        same = not others or all(length == others[0] for length in others)
        found.append((others[0] if others else 1) if same else object())
    return tuple(found)


def _product(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The lengths of a matrix product of at most two dimensions."""
    return (*left[:-1], *right[1:]) if max(len(left), len(right)) <= 2 else None


def _updated(helper: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """``x op= value``, whose result must be as long as `x`."""
    x, value = args
    lengths = _lengths(x)
    result = helper(_plain(x), _plain(value))
    if _broadcast([lengths, _lengths(value)]) != lengths:
        check(tf.reduce_all(tf.equal(tf.shape(result), tf.shape(_plain(x)))), "a result longer than what it updates")
    result.set_shape([length if isinstance(length, int) else None for length in lengths])
    return _given(result, lengths)


def _reduced(api: str, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x, *rest = args
    if type(x) is not Sliced or any(type(value) is Sliced for value in rest):
        raise Unsupported("a slice whose length a loop changes as an axis")
    if api in _OF_SOMETHING:
        axis = rest[0] if rest else kwargs.get("axis")
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for each in axes:
            if not isinstance(x.lengths[each], int):
                least = kwargs.get("ddof", 0)
                check(tf.shape(x.tensor)[each] > least, "a reduction of nothing")
    return _given(helper(x.tensor, *rest, **kwargs))


def _multiplied(api: str, helper: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    left, right = map(_lengths, args)
    result = helper(*map(_plain, args))
    if api == "numpy.outer":
        lengths = (*left, *right) if len(left) == len(right) == 1 else None
    else:
        lengths = _product(left, right) if left and right else None
    return _given(result, lengths)
