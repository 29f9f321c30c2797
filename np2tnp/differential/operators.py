"""Which operators of tensors give what NumPy's give: every pair of dtypes, Python numbers and NumPy scalars as
operands.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from np2tnp.differential import behaviour
from np2tnp.differential.cases import DTYPES, make_arguments
from np2tnp.differential.compare import Outcome, Tolerance, compare, compare_outcomes
from np2tnp.differential.surface import BINARY_OPERATORS, UNARY_OPERATORS

_CONTRACTIONS = {"matmul"}


def observe(api: str, announce: Callable[..., None]) -> dict[str, Any]:
    """``tnp`` facts of one operator, and notes on what differs. In-place operators are emitted as calls: nothing
    is measured.
    """
    name = api.partition(".")[2]
    if name in UNARY_OPERATORS:
        announce("start", api, "tnp", "unary")
        bad = "".join(char for char in DTYPES if not _agrees_unary(name, char))
        return {"dtypes": "".join(c for c in DTYPES if c not in bad)}
    if name not in BINARY_OPERATORS:
        return {}
    announce("start", api, "tnp", "pairs")
    facts: dict[str, Any] = {"pairs_bad": [a + b for a in DTYPES for b in DTYPES if not _agrees_pair(name, a, b)]}
    if name in _CONTRACTIONS:
        return facts
    for key, numbers in (
        ("weak_int_bad", _ints),
        ("weak_float_bad", _floats),
        ("weak_complex_bad", _complexes),
        ("weak_bool_bad", _bools),
    ):
        announce("start", api, "tnp", key)
        facts[key] = "".join(
            char for char in DTYPES if not all(_agrees_weak(name, char, number) for number in numbers(char))
        )
    announce("start", api, "tnp", "overflow")
    facts["weak_int_overflow"] = "".join(
        char for char in DTYPES if not all(_agrees_weak(name, char, n) for n in (300, -1, 2**31, 2**63))
    )
    facts["scalar_bad"] = [
        a + b for a in DTYPES for b in DTYPES if a + b not in facts["pairs_bad"] and not _agrees_scalar(name, a, b)
    ]
    return facts


def _ints(char: str) -> tuple[int, ...]:
    signed = char not in "?BHIL"
    return (0, 1, 2, 3, 7, *((-1, -2) if signed else ()))


def _floats(char: str) -> tuple[float, ...]:
    return (0.0, 0.5, 2.0, 0.1, -1.5, float("nan"), float("inf"))


def _complexes(char: str) -> tuple[complex, ...]:
    return (1j, 2 + 0.5j)


def _bools(char: str) -> tuple[bool, ...]:
    return (True, False)


def _agrees_unary(name: str, char: str) -> bool:
    arguments = make_arguments(char)
    return all(_agrees(name, (arguments[key],)) for key in ("v", "m", "s", "z", "e", "l"))


def _agrees_pair(name: str, a: str, b: str) -> bool:
    first, second = make_arguments(a), make_arguments(b)
    if name in _CONTRACTIONS:
        pairs: list[tuple[Any, Any]] = [
            (first["q"], second["p"]),
            (first["m"], second["v"][:4]),
            (first["l"], second["l"]),
            (first["t"], second["n"].T),
        ]
    else:
        pairs = [
            (first["v"], second["w"]),
            (first["m"], second["r2"]),
            (first["z"], second["y"]),
            (first["S"], second["U"]),
            (first["c"], second["r2"]),
            (first["e"], second["w"][:1]),
            (first["l"], second["l2"]),
            (first["v"], second["r2"]),
        ]
    return all(_agrees(name, pair) for pair in pairs)


def _agrees_weak(name: str, char: str, number: complex) -> bool:
    arguments = make_arguments(char)
    return all(
        _agrees(name, pair) for key in ("v", "s", "z") for pair in ((arguments[key], number), (number, arguments[key]))
    )


def _agrees_scalar(name: str, a: str, b: str) -> bool:
    scalar, array = make_arguments(a)["z"][()], make_arguments(b)
    return all(_agrees(name, pair) for key in ("v", "s") for pair in ((scalar, array[key]), (array[key], scalar)))


def _agrees(name: str, operands: tuple[Any, ...]) -> bool:
    from np2tnp.runtime.dispatch import to_tensor

    function = getattr(operator, name)
    expected = _outcome(function, tuple(o.copy() if isinstance(o, np.ndarray) else o for o in operands))
    actual = _outcome(function, tuple(to_tensor(o) if isinstance(o, np.ndarray) else o for o in operands))
    if expected.error is not None:
        return actual.error is not None
    if actual.error is not None or not hasattr(actual.value, "numpy"):
        return False
    value = actual.value.numpy()
    value = value[()] if np.ndim(value) == 0 and isinstance(expected.value, np.generic) else np.asarray(value)
    return bool(compare_outcomes(expected, Outcome(value), _tolerance(name, expected.value, operands)))


def _tolerance(name: str, expected: Any, operands: tuple[Any, ...]) -> Tolerance:
    if name in _CONTRACTIONS and expected.dtype.kind in "fc":
        size = max(float(np.abs(np.asarray(o, np.complex128)).max(initial=0.0)) for o in operands)
        return Tolerance(slack=1000 * float(np.finfo(expected.dtype).eps) * size * size)
    return Tolerance(signed_zero=expected.dtype.kind == "f")


def _outcome(function: Callable[..., Any], operands: tuple[Any, ...]) -> Outcome:
    try:
        with behaviour.quiet():
            return Outcome(function(*operands))
    except Exception as error:
        return Outcome.of_error(error)


def disagreements(name: str, a: str, b: str) -> Iterator[str]:
    """For people: what differs for one pair of dtypes."""
    first, second = make_arguments(a), make_arguments(b)
    from np2tnp.runtime.dispatch import to_tensor

    function = getattr(operator, name)
    for x, y in ((first["v"], second["w"]), (first["S"], second["U"])):
        expected, actual = _outcome(function, (x, y)), _outcome(function, (to_tensor(x), to_tensor(y)))
        if expected.error or actual.error:
            yield f"{expected.error} against {actual.error}"
        else:
            yield compare(expected.value, np.asarray(actual.value), _tolerance(name, expected.value, (x, y))).detail
