"""Which operators of tensors give what NumPy's give: every pair of dtypes, Python numbers and NumPy scalars as
operands.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from np2tnp.probe import behaviour
from np2tnp.probe.cases.all_cases import DTYPES, Case
from np2tnp.probe.cases.cases_inputs import make_arguments
from np2tnp.probe.python_syntax import BINARY_OPERATORS, UNARY_OPERATORS
from np2tnp.probe.staged import Call, make_call, representatives
from np2tnp.verify.compare import Outcome, Tolerance, compare_outcomes

_CONTRACTIONS = {"matmul"}

#: Python ints that some dtype does not hold.
_OUT_OF_RANGE = (300, -1, 2**31, 2**63)

#: How a tensor operator compares with NumPy's, from best to worst.
EQUAL, LOUD, SILENT = range(3)


def observe(api: str, announce: Callable[..., None], skip: Collection[tuple[str, ...]] = ()) -> dict[str, Any]:
    """``tnp`` facts of one operator. In-place ones and other syntax have none: they are measured as calls are.

    Parameters
    ----------
    skip : parts that ended the process, as they were announced. Only Python ints out of range do so.
    """
    name = api.partition(".")[2]
    if name in UNARY_OPERATORS:
        announce("start", api, "tnp", "unary")
        found = {char: _agrees_unary(name, char) for char in DTYPES}
        return {
            "dtypes": "".join(char for char in DTYPES if found[char] == EQUAL),
            "loud": "".join(char for char in DTYPES if found[char] == LOUD),
        }
    if name not in BINARY_OPERATORS:
        return {}
    announce("start", api, "tnp", "pairs")
    pairs = {a + b: _agrees_pair(name, a, b) for a in DTYPES for b in DTYPES}
    facts: dict[str, Any] = {
        "pairs_bad": [pair for pair, found in pairs.items() if found != EQUAL],
        "pairs_loud": [pair for pair, found in pairs.items() if found == LOUD],
    }
    if name in _CONTRACTIONS:  # NumPy refuses numbers here, tensors fail in many ways
        return facts | {f"weak_{kind}_bad": DTYPES for kind in ("int", "float", "complex", "bool")}
    for key, numbers in (
        ("weak_int_bad", _ints),
        ("weak_float_bad", _floats),
        ("weak_complex_bad", _complexes),
        ("weak_bool_bad", _bools),
    ):
        announce("start", api, "tnp", key)
        facts[key] = "".join(
            char for char in DTYPES if _worst(_agrees_weak(name, char, number) for number in numbers(char)) == SILENT
        )
    exposed = []
    for char in DTYPES:
        part = (api, "tnp", "overflow", char)
        announce("start", *part)
        if part in skip or _worst(_agrees_weak(name, char, number) for number in _OUT_OF_RANGE) == SILENT:
            exposed.append(char)
    facts["weak_int_overflow"] = "".join(exposed)
    facts["scalar_bad"] = [
        a + b for a in DTYPES for b in DTYPES if pairs[a + b] == EQUAL and _agrees_scalar(name, a, b) != EQUAL
    ]
    return facts


def plan_calls(api: str, known: dict[str, Any]) -> dict[str, list[Call]]:
    """The calls for the staged part: operands for which the tensor operator was found equal in eager mode."""
    name = api.partition(".")[2]
    facts = known.get("tnp")
    if facts is None or not has_pairs(api):
        return {}
    tolerance = "sum" if name in _CONTRACTIONS else "elementwise"
    texts = [
        (text, chars)
        for text, variants in (_unary_calls(facts) if name in UNARY_OPERATORS else _binary_calls(name, facts)).items()
        for chars in variants
    ]
    made = (make_call(Case(api, text, DTYPES, tolerance), chars, getattr(operator, name)) for text, chars in texts)
    return {"tnp": [call for call in made if call is not None and call.expected.error is None]}


def has_pairs(api: str) -> bool:
    """Whether the tensor operator is measured for pairs of dtypes (or for single ones), by :func:`observe`."""
    owner, _, name = api.partition(".")
    return owner == "operator" and name in (*BINARY_OPERATORS, *UNARY_OPERATORS)  # not numpy.add


def _unary_calls(facts: dict[str, Any]) -> dict[str, list[str]]:
    return {text: list(facts["dtypes"]) for text in ("v", "s", "z", "e")}


def _binary_calls(name: str, facts: dict[str, Any]) -> dict[str, list[str]]:
    """Text of a call -> dtype characters of its operands."""
    good = [a + b for a in DTYPES for b in DTYPES if a + b not in facts["pairs_bad"]]
    alike = [pair for pair in good if pair[0] == pair[1] in representatives(DTYPES)]
    if name in _CONTRACTIONS:
        return {"q, p": good, "m, v[:4]": alike, "l, l": alike, "t, n.T": alike}
    calls = {"v, w": good, "S, U": alike, "z, y": alike, "c, r2": alike, "e, w[:1]": alike}
    for kind, numbers in (("int", ("2", "-1")), ("float", ("0.5", "-2.0")), ("complex", ("1j",)), ("bool", ("True",))):
        chars = [char for char in DTYPES if char not in facts[f"weak_{kind}_bad"]]
        for number in numbers:
            signed = [char for char in chars if kind != "int" or number != "-1" or char not in "?BHIL"]
            calls |= {f"v, {number}": signed, f"{number}, v": signed}
    return calls


def _ints(char: str) -> tuple[int, ...]:
    signed = char not in "?BHIL"
    return (0, 1, 2, 3, 7, *((-1, -2) if signed else ()))


def _floats(char: str) -> tuple[float, ...]:
    return (0.0, 0.5, 2.0, 0.1, -1.5, float("nan"), float("inf"))


def _complexes(char: str) -> tuple[complex, ...]:
    return (1j, 2 + 0.5j)


def _bools(char: str) -> tuple[bool, ...]:
    return (True, False)


def _worst(found: Iterable[int]) -> int:
    return max(found, default=EQUAL)


def _agrees_unary(name: str, char: str) -> int:
    arguments = make_arguments(char)
    return _worst(_agrees(name, (arguments[key],)) for key in ("v", "m", "s", "z", "e", "l"))


def _agrees_pair(name: str, a: str, b: str) -> int:
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
    return _worst(_agrees(name, pair) for pair in pairs)


def _agrees_weak(name: str, char: str, number: complex) -> int:
    arguments = make_arguments(char)
    return _worst(
        _agrees(name, pair) for key in ("v", "s", "z") for pair in ((arguments[key], number), (number, arguments[key]))
    )


def _agrees_scalar(name: str, a: str, b: str) -> int:
    scalar, array = make_arguments(a)["z"][()], make_arguments(b)
    return _worst(_agrees(name, pair) for key in ("v", "s") for pair in ((scalar, array[key]), (array[key], scalar)))


def _agrees(name: str, operands: tuple[Any, ...]) -> int:
    """EQUAL, LOUD (TensorFlow raises where NumPy returns) or SILENT (it gives something else)."""
    from np2tnp.runtime.base.dispatch import to_tensor

    function = getattr(operator, name)
    expected = _outcome(function, tuple(o.copy() if isinstance(o, np.ndarray) else o for o in operands))
    actual = _outcome(function, tuple(to_tensor(o) if isinstance(o, np.ndarray) else o for o in operands))
    if actual.error == "SystemError":  # a value with an exception set: the next time it may end the process
        return SILENT
    if expected.error is not None:
        return EQUAL if actual.error is not None else SILENT
    if actual.error is not None:
        return LOUD
    if not hasattr(actual.value, "numpy"):
        return SILENT
    value = actual.value.numpy()
    value = value[()] if np.ndim(value) == 0 and isinstance(expected.value, np.generic) else np.asarray(value)
    same = compare_outcomes(expected, Outcome(value), _tolerance(name, expected.value, operands))
    return EQUAL if same else SILENT


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
