"""The one comparer: does what TensorFlow gave count as what NumPy gives?

Used by the probe, by ``verify``, by ``profile`` and by tests, so that "equal" means one thing. Integers, booleans,
shapes,
dtypes, container types and the places of NaN and infinity must be the same. Floats may differ by a few units in the
last
place (:attr:`Tolerance.ulp`), or by an absolute slack where a result is a sum of many terms (:attr:`Tolerance.slack`,
usually ``k * eps * sum(|terms|)``: see :func:`contraction_slack`), because the order of summation is nobody's promise.

NumPy is imported; TensorFlow is not: the caller converts tensors to ndarrays first, as the boundary would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Units in the last place by which two correct implementations of one elementwise function may differ.
ELEMENTWISE_ULP = 16

_UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two floats may lie apart."""

    ulp: float = ELEMENTWISE_ULP  #: units in the last place
    slack: Any = None  #: absolute error also allowed: a number, or an array that broadcasts against the result
    signed_zero: bool = False  #: whether ``-0.0`` differs from ``0.0``
    flush: bool = True  #: whether a subnormal number may be zero, or lose bits: TensorFlow's CPU kernels flush them
    python_scalars: bool = True  #: whether ``float`` differs from ``numpy.float64`` (and so on)


DEFAULT = Tolerance()

#: The pairs of objects that are being compared: what refers back to them (a child to its parent) adds nothing.
_UNDER_WAY: ContextVar[frozenset[tuple[int, int]]] = ContextVar("_UNDER_WAY", default=frozenset())


@dataclass(frozen=True, slots=True)
class Agreement:
    """The outcome of one comparison: falsy when the two differ."""

    kind: str  #: ``equal`` `value` `dtype` `shape` `type` `structure` `exception` `mutation`
    detail: str = ""  #: for people: where and what
    ulp: float = 0.0  #: the largest distance seen among the floats that counted as equal

    def __bool__(self) -> bool:
        return self.kind == "equal"

    @property
    def label(self) -> str:
        """``equal``, ``ulp:3``, or the kind of difference: what facts record."""
        return self.kind if self.kind != "equal" or self.ulp == 0 else f"ulp:{math.ceil(self.ulp)}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call did: returned a value or raised, and what its arguments look like afterwards."""

    value: Any = None
    error: str | None = None  #: name of the exception's class
    bases: tuple[str, ...] = ()  #: names of that class and its bases
    message: str = ""
    arguments: Mapping[str, Any] = field(
        default_factory=dict
    )  #: arguments after the call, when they are to be compared

    @classmethod
    def of_error(cls, error: BaseException, arguments: Mapping[str, Any] | None = None) -> Outcome:
        names = tuple(base.__name__ for base in type(error).__mro__)
        return cls(error=names[0], bases=names, message=str(error)[:500], arguments=arguments or {})


def compare_outcomes(expected: Outcome, actual: Outcome, tolerance: Tolerance = DEFAULT) -> Agreement:
    """Compare two calls: same value or same exception class (a subclass counts), and same arguments afterwards."""
    if expected.error is not None or actual.error is not None:
        if expected.error is None:
            return Agreement("exception", f"raises {actual.error}: {actual.message}, where NumPy returns")
        if actual.error is None:
            return Agreement("exception", f"returns, where NumPy raises {expected.error}: {expected.message}")
        if expected.error not in actual.bases:
            return Agreement("exception", f"raises {actual.error}, where NumPy raises {expected.error}")
    agreement = Agreement("equal") if expected.error is not None else compare(expected.value, actual.value, tolerance)
    if not agreement:
        return agreement
    after = compare(dict(expected.arguments), dict(actual.arguments), tolerance)
    if not after:
        return Agreement("mutation", f"argument afterwards: {after.detail}", after.ulp)
    return Agreement("equal", "", max(agreement.ulp, after.ulp))


def compare(expected: Any, actual: Any, tolerance: Tolerance = DEFAULT, path: str = "result") -> Agreement:
    """Whether `actual` counts as `expected`.

    Parameters
    ----------
    expected, actual : ndarrays, NumPy and Python scalars, strings, None, dtypes, and tuples, namedtuples, lists,
    dicts and sets
        of them; of other objects the class must be the same and ``__dict__``, where there is one, must compare equal.
    tolerance : for floats and complex numbers.
    path : how the value is called in the detail.
    """
    if isinstance(expected, (np.ndarray, np.generic)) or isinstance(actual, (np.ndarray, np.generic)):
        return _compare_numeric(expected, actual, tolerance, path)
    if isinstance(expected, (bool, int, float, complex)) and isinstance(actual, (bool, int, float, complex)):
        if type(expected) is not type(actual) and tolerance.python_scalars:
            return _differs("type", path, type(expected).__name__, type(actual).__name__)
        if type(expected) is type(actual) is int:  # of any size: NumPy makes an object of those beyond 64 bits
            return Agreement("equal") if expected == actual else _differs("value", path, expected, actual)
        return _compare_arrays(np.asarray(expected), np.asarray(actual), tolerance, path)
    if type(expected) is not type(actual) and not _are_like_namedtuples(expected, actual):
        return _differs("type", path, _describe_type(expected), _describe_type(actual))
    pair = id(expected), id(actual)
    if pair in _UNDER_WAY.get():
        return Agreement("equal")
    with _under_way(pair):
        return _compare_parts(expected, actual, tolerance, path)


@contextmanager
def _under_way(pair: tuple[int, int]) -> Iterator[None]:
    token = _UNDER_WAY.set(_UNDER_WAY.get() | {pair})
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)


def _compare_parts(expected: Any, actual: Any, tolerance: Tolerance, path: str) -> Agreement:
    if isinstance(expected, (list, tuple)):
        return _compare_items(expected, actual, tolerance, path)
    if isinstance(expected, dict):
        if expected.keys() != actual.keys():
            return _differs(
                "structure", path, f"keys {sorted(map(repr, expected))}", f"keys {sorted(map(repr, actual))}"
            )
        return _first_difference(compare(expected[key], actual[key], tolerance, f"{path}[{key!r}]") for key in expected)
    return _compare_others(expected, actual, tolerance, path)


def contraction_slack(terms: Any, count: int, dtype: Any, k: float = 4.0) -> Any:
    """The absolute error allowed for sums: ``k * eps(dtype) * (1 + log2(count)) * terms``.

    Parameters
    ----------
    terms : sum of the absolute values of the terms, per element of the result.
    count : how many terms one element sums.
    dtype : of the result; integers and booleans have no slack.
    """
    kind = np.dtype(dtype)
    if kind.kind not in "fc":
        return None
    return k * float(np.finfo(kind).eps) * (1.0 + math.log2(max(count, 1))) * np.asarray(terms)


def ulp_distance(expected: Any, actual: Any) -> Any:
    """Distance in units in the last place, elementwise, as float64.

    Parameters
    ----------
    expected, actual : floating arrays of one dtype and one shape. For complex arrays the distance is measured in
    units of the
        last place of the expected modulus. Where both are NaN, or the same infinity, the distance is 0; where only one
        is, it is inf.
    """
    if expected.dtype.kind == "c":
        return _complex_distance(expected, actual)
    if expected.dtype.itemsize not in _UNSIGNED:  # longdouble has no integer of its size: relative distance instead
        return _relative_distance(expected, actual)
    integers = _UNSIGNED[expected.dtype.itemsize]
    a, b = _ordered(expected, integers), _ordered(actual, integers)
    distance = np.where(a > b, a - b, b - a).astype(np.float64)
    both_nan = np.isnan(expected) & np.isnan(actual)
    unlike = (np.isnan(expected) != np.isnan(actual)) | (np.isinf(expected) != np.isinf(actual))
    return np.where(both_nan, 0.0, np.where(unlike, np.inf, distance))


def _ordered(array: Any, integers: Any) -> Any:
    """Integers in the order of the floats, neighbours one apart, with both zeros at the same place."""
    bits = np.ascontiguousarray(array).view(integers)
    sign = integers(1) << integers(8 * array.dtype.itemsize - 1)
    return np.where(bits & sign, sign - (bits & ~sign), bits | sign).reshape(array.shape)


def _relative_distance(expected: Any, actual: Any) -> Any:
    with np.errstate(all="ignore"):
        same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
        gap = np.abs(expected - actual) / (np.abs(expected) * np.finfo(expected.dtype).eps)
        return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap)).astype(np.float64)


def _complex_distance(expected: Any, actual: Any) -> Any:
    with np.errstate(all="ignore"):
        modulus = np.abs(expected)
        finite = np.isfinite(modulus) & np.isfinite(actual.real) & np.isfinite(actual.imag)
        gap = np.abs(np.where(finite, expected - actual, 0))
        gap = gap / np.maximum(modulus * np.finfo(expected.dtype).eps, np.finfo(expected.dtype).smallest_subnormal)
        parts = np.maximum(
            ulp_distance(np.asarray(expected.real), np.asarray(actual.real)),
            ulp_distance(np.asarray(expected.imag), np.asarray(actual.imag)),
        )
        # C99 calls a complex number with an infinite part infinite whatever the other part: only infinities' places
        # count
        return np.where(finite, np.minimum(gap, parts), parts)


def _compare_numeric(expected: Any, actual: Any, tolerance: Tolerance, path: str) -> Agreement:
    for one, other in ((expected, actual), (actual, expected)):
        if isinstance(one, (np.ndarray, np.generic)) and not isinstance(other, (np.ndarray, np.generic)):
            alike = (
                isinstance(other, (bool, int, float, complex)) and not tolerance.python_scalars and np.ndim(one) == 0
            )
            if not alike:
                return _differs("type", path, _describe_type(expected), _describe_type(actual))
    if isinstance(expected, np.ndarray) != isinstance(actual, np.ndarray) and tolerance.python_scalars:
        return _differs("type", path, _describe_type(expected), _describe_type(actual))
    if isinstance(expected, np.ndarray) and isinstance(actual, np.ndarray) and type(expected) is not type(actual):
        return _differs("type", path, _describe_type(expected), _describe_type(actual))
    return _compare_arrays(np.asarray(expected), np.asarray(actual), tolerance, path)


def _compare_arrays(expected: Any, actual: Any, tolerance: Tolerance, path: str) -> Agreement:
    if expected.shape != actual.shape:
        return _differs("shape", path, expected.shape, actual.shape)
    if expected.dtype != actual.dtype and (tolerance.python_scalars or expected.dtype.kind != actual.dtype.kind):
        return _differs("dtype", path, expected.dtype, actual.dtype)
    if expected.dtype.kind == "O":
        pairs = zip(expected.ravel().tolist(), actual.ravel().tolist(), strict=True)
        return _first_difference(compare(a, b, tolerance, f"{path}.flat[{i}]") for i, (a, b) in enumerate(pairs))
    if expected.dtype.kind not in "fc":
        wrong = np.asarray(expected != actual)
        if expected.dtype.kind in "mM":
            wrong &= ~(np.isnat(expected) & np.isnat(actual))
        return _at_first(wrong, expected, actual, path) if wrong.any() else Agreement("equal")
    distance = ulp_distance(expected, actual.astype(expected.dtype, copy=False))
    wrong = distance > tolerance.ulp
    if tolerance.slack is not None and wrong.any():
        with np.errstate(all="ignore"):
            slack = np.broadcast_to(np.asarray(tolerance.slack), expected.shape)
            wrong &= ~((np.abs(expected - actual) <= slack) & np.isfinite(slack))
    if tolerance.flush and wrong.any():
        wrong &= ~_both_tiny(expected, actual)
    if tolerance.signed_zero and tolerance.slack is None:
        wrong = wrong | _zeros_of_other_sign(expected, actual)
    if wrong.any():
        return _at_first(wrong, expected, actual, path)
    return Agreement("equal", "", float(np.where(distance <= tolerance.ulp, distance, 0.0).max(initial=0.0)))


def _both_tiny(expected: Any, actual: Any) -> Any:
    """Where both are below the smallest normal number, and at least one is subnormal or zero."""
    if expected.dtype.kind == "c":
        parts = ((expected.real, actual.real), (expected.imag, actual.imag))
        return np.logical_and(
            *(_both_tiny(e, a) | (ulp_distance(e.copy(), a.copy()) <= ELEMENTWISE_ULP) for e, a in parts)
        )
    smallest = np.finfo(expected.dtype).smallest_normal
    return (np.abs(expected) <= smallest) & (np.abs(actual) <= smallest)


def _zeros_of_other_sign(expected: Any, actual: Any) -> Any:
    if expected.dtype.kind == "c":
        return _zeros_of_other_sign(expected.real, actual.real) | _zeros_of_other_sign(expected.imag, actual.imag)
    return (expected == 0) & (actual == 0) & (np.signbit(expected) != np.signbit(actual))


def _at_first(wrong: Any, expected: Any, actual: Any, path: str) -> Agreement:
    place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    name = f"{path}[{', '.join(map(str, place))}]" if place else path
    share = f" ({int(wrong.sum())} of {wrong.size} elements)" if wrong.size > 1 else ""
    return Agreement("value", f"{name} is {actual[place]!r}, expected {expected[place]!r}{share}", math.inf)


def _compare_items(expected: Any, actual: Any, tolerance: Tolerance, path: str) -> Agreement:
    if len(expected) != len(actual):
        return _differs("structure", path, f"{len(expected)} items", f"{len(actual)} items")
    return _first_difference(
        compare(a, b, tolerance, f"{path}[{i}]") for i, (a, b) in enumerate(zip(expected, actual, strict=True))
    )


def _compare_others(expected: Any, actual: Any, tolerance: Tolerance, path: str) -> Agreement:
    if expected is actual:
        return Agreement("equal")
    state = getattr(expected, "__dict__", None)
    if isinstance(state, dict) and not isinstance(expected, type) and not callable(expected):
        return compare(state, actual.__dict__, tolerance, path)
    try:
        same = bool(expected == actual)
    except Exception:  # an object whose comparison fails cannot be called equal
        same = False
    return Agreement("equal") if same else _differs("value", path, repr(expected)[:200], repr(actual)[:200])


def _first_difference(agreements: Any) -> Agreement:
    ulp = 0.0
    for agreement in agreements:
        if not agreement:
            return agreement  # type: ignore[no-any-return]
        ulp = max(ulp, agreement.ulp)
    return Agreement("equal", "", ulp)


def _are_like_namedtuples(expected: Any, actual: Any) -> bool:
    fields = getattr(expected, "_fields", None)
    return isinstance(expected, tuple) and fields is not None and fields == getattr(actual, "_fields", None)


def _describe_type(value: Any) -> str:
    return f"ndarray of {value.dtype}" if type(value) is np.ndarray else type(value).__name__


def _differs(kind: str, path: str, expected: Any, actual: Any) -> Agreement:
    return Agreement(kind, f"{kind} of {path} is {actual}, expected {expected}")


# --- In which precision the rewritten function rounds: the original's own, or float32 (``--float32``)

_single: ContextVar[bool] = ContextVar("single", default=False)
_TO = {"d": np.dtype(np.float32), "D": np.dtype(np.complex64)}


@contextmanager
def rounding(single: bool) -> Iterator[None]:
    """In the ``with`` block what is moved to a neighbour is moved to one of float32."""
    token = _single.set(single)
    try:
        yield
    finally:
        _single.reset(token)


def is_single() -> bool:
    """Whether the rewritten function works in float32."""
    return _single.get()


def rounding_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype whose units in the last place count for numbers of `dtype`."""
    found: np.dtype[Any] = np.dtype(dtype)
    return _TO.get(found.char, found) if _single.get() else found


def eps(dtype: Any) -> float:
    """The distance from 1 to the next number, of a floating or complex dtype."""
    return float(np.finfo(rounding_dtype(dtype)).eps)
