"""Numbers beside NumPy's scalars: which of the two types answers an operator, what it gives, and how strong that is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import compare_text, load, rewrite

from np2tnp import runtime as rt

OPERATORS = "+ - * / // % ** == != < <= > >= & | ^ << >> divmod".split()
PYTHON = ("True", "3", "2.5", "(1+2j)")
DTYPES = ("bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128")


def _text(operator: str) -> str:
    def applied(left: str, right: str) -> str:
        return f"divmod({left}, {right})" if operator == "divmod" else f"{left} {operator} {right}"

    functions = [
        ("unknown_left", "number, y", applied("number", "np.sort(y)[1]")),
        ("unknown_right", "x, number", applied("np.sort(x)[1]", "number")),
        ("scalars", "x, y", applied("np.sort(x)[1]", "np.sort(y)[1]")),
        ("reductions", "x, y", applied("np.max(x)", "np.max(y)")),
        ("arrays", "x, y", applied("np.sort(x)", "np.max(y)")),
    ]
    for place, number in enumerate(PYTHON):
        functions.append((f"left{place}", "y", applied(number, "np.max(y)")))
        functions.append((f"right{place}", "x", applied("np.max(x)", number)))
    lines = ["import numpy as np"]
    for name, parameters, value in functions:
        lines += [f"def {name}({parameters}):", f"    return {value}"]
        if operator != "divmod":  # a Python number takes the dtype beside it, a NumPy scalar does not
            lines += [f"def {name}_beside({parameters}, z):", f"    return z * ({value})"]
    return "\n".join([*lines, ""])


def _calls(operator: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    arrays = [np.array([1, 2, 5], dtype) for dtype in DTYPES]
    groups: list[tuple[str, tuple[Any, ...]]] = []
    for array in arrays:
        groups += [("unknown_left", (number, array)) for number in map(eval, PYTHON)]
        groups += [("unknown_right", (array, number)) for number in map(eval, PYTHON)]
        groups += [(f"{side}{place}", (array,)) for side in ("left", "right") for place in range(len(PYTHON))]
        groups += [(name, (array, other)) for name in ("scalars", "reductions", "arrays") for other in arrays]
    yield from groups
    if operator != "divmod":
        yield from ((f"{name}_beside", (*arguments, np.array([1, 2], np.float32))) for name, arguments in groups)


def _outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function(*arguments)
    except Exception as error:
        return error


def _shown(result: Any) -> Any:
    """What must be the same: the exception's class; or type, dtype, shape and values."""
    if isinstance(result, tuple):
        return tuple(map(_shown, result))
    if isinstance(result, Exception):
        return next(base for base in type(result).__mro__ if base.__module__ == "builtins")
    array = np.asarray(result)
    return type(result), array.dtype, array.shape


def _equal(expected: Any, actual: Any) -> bool:
    if isinstance(expected, Exception):
        return isinstance(actual, _shown(expected))
    if _shown(expected) != _shown(actual):
        return False
    with np.errstate(all="ignore"):
        return bool(np.allclose(expected, actual, rtol=1e-3 if "16" in str(np.asarray(expected).dtype) else 1e-6))


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_pair_answers_as_in_numpy(operator: str) -> None:
    text = _text(operator)
    report = rewrite(text)
    assert report.new_text is not None
    old, new = (vars(load({"snippet": each})[0]) for each in (text, report.new_text))
    wrong, refused, count = [], 0, 0
    for name, arguments in _calls(operator):
        expected, actual = _outcome(old[name], arguments), _outcome(new[name], arguments)
        count += 1
        if isinstance(actual, rt.UnverifiedError):
            refused += not isinstance(expected, Exception)
        elif not _equal(expected, actual):
            wrong.append(f"{name}{arguments}: {expected!r}, but {actual!r}")
    assert not wrong, "\n".join([f"{len(wrong)} of {count}", *wrong[:20]])
    assert refused < 0.03 * count


COMPLEX = """import numpy as np
def beside(x, y):
    return y * (1j * np.sum(x)), y - complex(1, 2) / x[0]
def inner(x, y, k):
    return y * np.exp(k * x)
def outer(x, y, k):
    return inner(np.sum(x), y, k), inner(np.mean(x, 0), y, 1j)
def item(x, y):
    return y * (x.astype(complex).item(0) * np.max(x.real))
def perhaps(x, k, y):
    z = 1j * (np.sum(x) if k else 2)
    return y * z, z
def loop(x, k, y):
    z = np.sum(x)
    for _ in range(k):
        z = 1j * z
        y = y * z
    return y
def updated(x):
    a = 1j
    a *= np.sum(x)
    return a, type(a).__name__
def compared(x):
    return 1j == np.sum(x), 1 + (1j != np.sum(x))
def array(x, t):
    t = np.asarray(t)
    return 1j * t, 1j * np.array(x[0])
def divided(x):
    return [2j / value for value in np.cumsum(x)], 1j ** x[0]
"""
_ONES = ("np.ones(3)", "np.ones(3, np.float32)")
COMPLEX_CALLS = [
    *(f"{name}({x}, np.ones(2, np.float32))" for name in ("beside", "item") for x in _ONES),
    *(f"outer({x}, np.ones(2, np.float32), {k})" for x in (*_ONES, "np.ones((2, 3))") for k in ("2j", "1.5", "2")),
    *(f"{name}({x}, {k}, np.ones(2, np.float32))" for name in ("perhaps", "loop") for x in _ONES for k in (0, 2)),
    *(f"{name}({x})" for name in ("updated", "compared", "divided") for x in (*_ONES, "np.zeros(2)", "np.arange(4)")),
    *(f"array(np.ones(3), {t})" for t in ("2.0", "np.float64(2)", "np.array(2.0)", "np.ones(2)")),
]


@pytest.mark.parametrize("options", [{}, {"compile": "graph"}], ids=str)
def test_complex_numbers_of_python_answer_for_float64_scalars(options: dict[str, str]) -> None:
    report, judgements = compare_text(COMPLEX, COMPLEX_CALLS, **options)
    assert report.new_text is not None
    wrong = [
        f"{call}: {judgement.kind} {judgement.detail}"
        for call, judgement in zip(COMPLEX_CALLS, judgements, strict=True)
        if judgement.kind not in ("equal", "raised")
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("value", "converts"),
    [
        ("1j == s == x[0]", False), ("s == 1j == x[0]", False), ("x[0] == s == 1j", True), ("1 == s == x[0]", True),
        ("sum((s, t), 1j)", False), ("sum([1j, s])", False), ("sum([s, t], 2)", True), ("sum([s, 1j])", True),
        ("sum(np.sort(x), 1j)", False),
    ],
)  # fmt: skip
def test_what_pythons_complex_answers_out_of_sight_stays(value: str, converts: bool) -> None:
    text = f"import numpy as np\ndef f(x):\n    s, t = np.sum(x), np.max(x)\n    return {value}\n"
    report, judgements = compare_text(text, [f"f(np.array([1.0, 2.0], {char!r}))" for char in "dflD"])
    assert (report.new_text is not None) is converts
    assert all(judgement.kind == "equal" for judgement in judgements), judgements


@pytest.mark.parametrize("char", "?bBhHilL")
@pytest.mark.parametrize("value", ["2 // y", "2 % y", "y // n", "y % n", "y // 0", "y % 3", "y // 3"])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_integers_are_divided_by_zero_as_in_numpy(value: str, char: str) -> None:
    text = f"import numpy as np\ndef f(x, n: int):\n    y = np.sort(np.array(x, {char!r}))\n    return {value}\n"
    report, judgements = compare_text(text, ["f([0, 1, 3], 0)", "f([0, 1, 3], 2)"])
    assert report.new_text is not None
    assert [judgement.kind for judgement in judgements] == ["equal"] * 2, judgements
    assert value in report.new_text  # tensors ask the exact helper themselves
