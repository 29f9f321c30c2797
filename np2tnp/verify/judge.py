"""Whether two observations of one call agree, with the one comparer and the original's own sensitivity
as tolerance.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from np2tnp.verify.compare import Tolerance, compare, eps, is_single, rounding
from np2tnp.verify.observe import Frozen, Observation, flatten

# --- Compares what two calls printed: texts exactly, numbers as far as the original's are certain

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_FARTHER = 64.0  #: how much farther from the original's number than any of its noisy repeats


def is_printed_alike(expected: str, actual: str, moved: list[str] | None) -> bool:
    """Whether the texts are equal but for the last printed digit of numbers, where the original's is uncertain."""
    if expected == actual:
        return True
    if moved is None:
        return False
    wanted, got = _NUMBER.findall(expected), _NUMBER.findall(actual)
    # NumPy aligns columns: other digits take other room, and equal ones the same
    spaced = wanted == got and not is_single()
    if len(wanted) != len(got) or _without_numbers(expected, spaced) != _without_numbers(actual, spaced):
        return any(actual == other for other in moved)
    units = 64 if any(other != expected for other in moved) else 2
    relative = max(1e-13, 64 * eps(np.float64))
    changes = _changes(expected, moved)
    for a, b, change in zip(wanted, got, changes, strict=True):
        slack = _FARTHER * change if _unit(a) else 0.0
        if a != b and not abs(float(a) - float(b)) <= _unit(a) * units + relative * abs(float(a)) + slack:
            return False
    return True


def prints_otherwise(expected: str, other: str) -> bool:
    """Whether the texts differ in words, or in whole numbers."""
    if expected == other:
        return False
    wanted, got = _NUMBER.findall(expected), _NUMBER.findall(other)
    if len(wanted) != len(got) or _without_numbers(expected, False) != _without_numbers(other, False):
        return True
    return any(a != b and not _unit(a) and not _unit(b) for a, b in zip(wanted, got, strict=True))


def _changes(expected: str, moved: list[str]) -> list[float]:
    """The largest change of each printed number in the texts that repeats with noise printed."""
    wanted = [float(it) for it in _NUMBER.findall(expected)]
    changes = [0.0] * len(wanted)
    for other in moved:
        got = [float(it) for it in _NUMBER.findall(other)]
        if len(got) == len(wanted):
            changes = [max(change, abs(a - b)) for change, a, b in zip(changes, wanted, got, strict=True)]
    return changes


def _without_numbers(text: str, spaced: bool) -> str:
    found = _NUMBER.sub("#", text)
    return found if spaced else "".join(found.split())


def _unit(text: str) -> float:
    """One unit in the last printed place of a number's text; 0 for whole numbers, which must be equal."""
    mantissa, _, exponent = text.lower().partition("e")
    if "." not in mantissa and not exponent:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))


#: How many times the change that one-ULP changes of the input cause in the original's result may the results differ.
_AMPLIFY = 64.0
#: Runs with noise; four times as many where only one of the two raises, as of a matrix that is nearly singular.
_NOISY = 12
#: Said of a comparison whose tolerance is float32's.
IN_FLOAT32 = "it worked in float32 and was compared as float32 rounds: values differ from NumPy's"


@dataclass(frozen=True)
class Judgement:
    """What one input showed."""

    #: ``equal`` ``raised`` (both alike) ``refused`` ``different`` ``unstable`` ``random`` ``misused`` ``as a scalar``
    kind: str
    detail: str = ""
    warnings: tuple[str, ...] = ()


def judge(
    expected: Observation,
    actual: Observation,
    again: Callable[[str], Observation | None],
    sharing: bool = True,
) -> Judgement:
    """Compare what the original (`expected`) and the rewritten function (`actual`) did on one input.

    Parameters
    ----------
    again : runs the original once more: on the ``same`` input, with its fractions ``moved`` by one ULP, with noise
        in every operation that two correct implementations may round differently as well (``noisy``), or with
        ``scalars`` for 0-d arrays; None where that failed or there is no such run. Only asked when the strict
        comparison fails.
    sharing : whether it counts which arrays are the same object or share memory.

    Where the rewritten function worked in float32, all this is as large as float32's rounding.
    """
    with rounding(actual.single):
        found = _judge(expected, actual, again, sharing)
    return replace(found, warnings=(*found.warnings, IN_FLOAT32)) if actual.single else found


def _judge(
    expected: Observation, actual: Observation, again: Callable[[str], Observation | None], sharing: bool
) -> Judgement:
    if actual.status == "refused":
        if actual.changed and expected.returned:
            return Judgement("different", "refused the input, but changed an argument first")
        return Judgement("refused", actual.message)
    shared = _shared_otherwise(expected, actual) if sharing and expected.returned and actual.returned else None
    detail = _difference(expected, actual, {})
    if _is_misuse(expected) and (detail is not None or actual.error != expected.error):
        return Judgement("misused", expected.message)
    if detail is None:
        return _alike(expected, actual, shared)
    if actual.error == "RecursionError" and not expected.returned:
        return Judgement("misused", "a recursion without an end: the rewritten function's calls take more of the stack")
    if actual.draws and actual.returned:
        return Judgement("random", "it draws random numbers from TensorFlow's streams (--random tf)")
    repeat = again("same")
    if repeat is None or _difference(expected, repeat, {}) is not None:
        return Judgement("random", "the original itself gives different results from call to call")
    moved = [other for other in (again("moved") for _ in range(5)) if other is not None]
    if any(_discrete_difference(expected, other) for other in moved):
        return Judgement(
            "unstable", "a change of the input by one ULP changes the original's result in kind: " + detail
        )
    loose = _difference(expected, actual, _slack(expected, moved), [other.printed for other in moved])
    noisy: list[Observation] = []
    if loose is not None:
        for _ in range(_NOISY if expected.status == actual.status else 4 * _NOISY):
            other = again("noisy")
            if other is None:
                break
            if _discrete_difference(expected, other):
                return Judgement("unstable", "rounding inside of the original decides about its result: " + detail)
            noisy.append(other)
        moved += noisy
        if _is_noise_divided(expected, actual, _slack(expected, moved)):
            return Judgement("unstable", "rounding decides where the result is NaN or infinite: " + detail)
        loose = _difference(expected, actual, _slack(expected, moved), [other.printed for other in moved])
    if loose is None:
        return _alike(expected, actual, shared)
    undefined = next((other.undefined for other in noisy if other.undefined), "")
    if undefined:
        return Judgement("unstable", f"{undefined} decides: {loose}")
    if expected.casts and expected.returned and actual.returned:
        return Judgement("unstable", "a number becomes an integer of a type that cannot hold it: " + loose)
    if expected.underflows and not _discrete_difference(expected, actual):
        return Judgement("unstable", "a number so small that TensorFlow makes it zero decides: " + loose)
    scalar = again("scalars")
    if scalar is not None and _is_of_scalars(scalar, actual, _slack(expected, moved)):
        return Judgement("as a scalar", "a 0-d array counts as a scalar: " + loose)
    return Judgement("different", loose)


def _is_of_scalars(scalar: Observation, actual: Observation, slack: dict[str, Any]) -> bool:
    """Whether `actual` is what the original does with scalars for 0-d arrays, but for the kind of 0-d results."""
    return _difference(_without_zero_d(scalar), _without_zero_d(actual), slack) is None


def _without_zero_d(it: Observation) -> Observation:
    """The observation with a scalar for each 0-d array."""
    return replace(
        it, value=_scalars_in(it.value), after={name: _scalars_in(value) for name, value in it.after.items()}
    )


def _scalars_in(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value if value.ndim else value[()]
    if type(value) in (list, tuple):
        return type(value)(map(_scalars_in, value))
    if type(value) is dict:
        return {key: _scalars_in(item) for key, item in value.items()}
    return Frozen(value.kind, _scalars_in(value.content)) if isinstance(value, Frozen) else value


def _alike(expected: Observation, actual: Observation, shared: str | None) -> Judgement:
    """The judgement where all values agree."""
    if shared is not None:
        return Judgement("different", shared)
    return Judgement("equal" if expected.returned else "raised", warnings=_warnings(expected, actual))


def _shared_otherwise(expected: Observation, actual: Observation) -> str | None:
    """The first array that is another object's, or shares memory with it, in one of the two only."""
    for fact in (*expected.shares, *actual.shares):
        if fact not in actual.shares:
            return f"in the original {fact}; in the rewritten function it does not"
        if fact not in expected.shares:
            return f"{fact}; in the original it does not"
    return None


def _warnings(expected: Observation, actual: Observation) -> tuple[str, ...]:
    """What differs, but not in what was promised: sums and products of matrices choose the sign of a zero freely."""
    wanted, got = _leaves(expected), _leaves(actual)
    for path, value in wanted.items():
        if _is_inexact(value) and path in got and np.shape(value) == np.shape(got[path]):
            strict = compare(value, got[path], Tolerance(ulp=np.inf, signed_zero=True), path)
            if not strict:
                return (f"a zero has the other sign: {strict.detail}",)
    return ()


#: What Python, or a ufunc's `out`, says of numbers and lists that stand where only an array can.
_NO_ARRAY = re.compile(
    r"unsupported operand|bad operand|can't multiply sequence|can only concatenate|'[\w.]+' object (is|does) not|"
    r"object of type|slice indices must be|"
    r"(list|tuple) indices must be|'.*' not supported between|return arrays must be of ArrayType"
)


def _is_misuse(it: Observation) -> bool:
    """Whether the call failed as it does for a list where only arrays have the method: not a use to keep."""
    return it.error == "AttributeError" or (it.error == "TypeError" and bool(_NO_ARRAY.match(it.message)))


def _leaves(it: Observation) -> dict[str, Any]:
    leaves = flatten(it.value) if it.returned else {}
    if it.returned:
        for name, value in it.after.items():
            leaves.update(flatten(value, f"{name} afterwards"))
    return leaves


def _difference(
    expected: Observation, actual: Observation, slack: dict[str, Any], prints: list[str] | None = None
) -> str | None:
    """The first difference, for people; None where there is none."""
    if expected.returned and not actual.returned:
        return f"raises {actual.error}: {actual.message}; the original returns"
    if not expected.returned and actual.returned:
        return f"returns; the original raises {expected.error}: {expected.message}"
    if not expected.returned and not _is_caught_alike(expected, actual):
        return f"raises {actual.error} ({actual.message}); the original raises {expected.error} ({expected.message})"
    wanted, got = _leaves(expected), _leaves(actual)
    for path in [*wanted, *got]:
        if path not in got or path not in wanted:
            if path.startswith("type of "):
                continue  # told by what is inside or around it
            return f"{path} exists only in the {'original' if path in wanted else 'rewritten function'}"
        one, other = _without_complex_infinities(wanted[path], got[path])
        agreement = compare(one, other, Tolerance(slack=slack.get(path)), path)
        if not agreement:
            return agreement.detail
    if not is_printed_alike(expected.printed, actual.printed, prints):
        return f"prints {_shortened(actual.printed)}; the original prints {_shortened(expected.printed)}"
    return None


def _without_complex_infinities(one: Any, other: Any) -> tuple[Any, Any]:
    """Both with 0 where both are complex and not finite: what arithmetic makes of such numbers is not promised."""
    arrays = [np.asarray(value) for value in (one, other) if isinstance(value, (np.ndarray, np.complexfloating))]
    if len(arrays) < 2 or arrays[0].shape != arrays[1].shape or any(array.dtype.kind != "c" for array in arrays):
        return one, other
    neither = ~np.isfinite(arrays[0]) & ~np.isfinite(arrays[1])
    if not neither.any():
        return one, other
    first, second = (np.where(neither, 0, array).astype(array.dtype) for array in arrays)
    return (first if isinstance(one, np.ndarray) else first[()]), (
        second if isinstance(other, np.ndarray) else second[()]
    )


def _is_caught_alike(expected: Observation, actual: Observation) -> bool:
    """Whether an ``except`` for the original's exception (its public class) also catches the other one."""
    public = {"Exception", "BaseException", "object"}
    for name in expected.bases:
        if name in public:
            return True
        if not name.startswith("_") and name in _CATCHABLE:
            return name in actual.bases
    return False


_CATCHABLE = frozenset(
    name
    for name, value in vars(__import__("builtins")).items()
    if isinstance(value, type) and issubclass(value, Exception)
) | {"LinAlgError", "AxisError"}


def _discrete_difference(expected: Observation, other: Observation) -> bool:
    """Whether the two differ in more than the size of floats."""
    if expected.status != other.status or expected.error != other.error:
        return True
    a, b = _leaves(expected), _leaves(other)
    if a.keys() != b.keys():
        return True
    if prints_otherwise(expected.printed, other.printed):
        return True
    for path, value in a.items():
        if type(value) is not type(b[path]):
            return True
        if _is_inexact(value) and _is_inexact(b[path]):
            same = np.shape(value) == np.shape(b[path]) and bool(np.all(np.isfinite(value) == np.isfinite(b[path])))
            same = same and bool(np.all(_signs_of_infinity(value) == _signs_of_infinity(b[path])))
        else:
            same = bool(compare(value, b[path], path=path))
        if not same:
            return True
    return False


def _signs_of_infinity(value: Any) -> Any:
    """1 and -1 where a real number is infinite, else 0."""
    return np.zeros(np.shape(value)) if np.iscomplexobj(value) else np.where(np.isinf(value), np.sign(value), 0.0)


def _is_noise_divided(expected: Observation, actual: Observation, slack: dict[str, Any]) -> bool:
    """Whether the original's numbers are no larger than its noise wherever the other result is not finite."""
    if not (expected.returned and actual.returned):
        return False
    wanted, got = _leaves(expected), _leaves(actual)
    found = False
    for path, limit in slack.items():
        one, other = np.asarray(wanted[path]), np.asarray(got.get(path))
        if one.shape != other.shape or other.dtype.kind not in "fc":
            return False
        places = np.isfinite(one) & ~np.isfinite(other)
        if np.any(places & (np.abs(one) > limit)):
            return False
        found = found or bool(np.any(places))
    return found


def _is_inexact(value: Any) -> bool:
    return isinstance(value, (float, complex)) or (
        isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"
    )


def _slack(expected: Observation, moved: list[Observation]) -> dict[str, Any]:
    """Absolute tolerances for each float leaf: what rounding the input did to it, amplified."""
    found = {}
    leaves = [_leaves(other) for other in moved]
    for path, value in _leaves(expected).items():
        if not _is_inexact(value):
            continue
        with np.errstate(all="ignore"):
            base = np.asarray(value)
            change = np.zeros(base.shape)
            for other in leaves:
                gap = np.abs(np.asarray(other[path]) - base).astype(np.float64)
                change = np.maximum(change, np.where(np.isfinite(gap), gap, 0.0))
            kind = base.dtype if base.dtype.kind in "fc" else np.dtype(np.float64)
            size = np.abs(base).astype(np.float64)
            scale = float(np.max(size, initial=0.0, where=np.isfinite(size)))
            # an element's own change, the largest change of its neighbours, and rounding at the scale of the whole
            typical = float(np.max(change, initial=0.0))
            found[path] = _AMPLIFY * change + 8.0 * typical + 8.0 * eps(kind) * scale
    return found


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 120 else text[:117] + "...")
