"""The calls that the probe makes: tables, one row an operation, written as the argument lists a person would type.

A row is ``names : call | call | ...``. Each call is Python text whose names are arrays of the dtype under test (see
:func:`make_arguments`); it is evaluated as ``f(<call>)`` for NumPy with ndarrays and for the target with tensors. A
line that
begins with blanks continues the row above. Tags after the names choose the tolerance (``@sum`` ``@fft`` ``@solve``
``@same`` ``@order``) or the dtypes
(``@real`` ``@float`` ``@int``): NumPy's behaviour outside of them is an exception or nonsense that nobody relies on.

Rows want ordinary values and every awkward one: NaN, infinities, -0.0, the extremes of integers, empty and 0-d arrays,
broadcasting, negative and out-of-range axes and indices, and each keyword of the function.
"""

from __future__ import annotations

import ast
import copy
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from np2tnp.probe.cases import cases_arrays, cases_inputs, cases_numeric
from np2tnp.probe.cases.cases_inputs import OUTPUTS, make_arguments

DTYPES = "?bhilBHILefdFD"
#: dtypes that implementations treat alike, in the order in which one stands for its class.
CLASSES = ("?", "lihb", "BLIH", "dfe", "DF")
TAGS = {
    "@real": "?bhilBHILefd", "@float": "efd", "@inexact": "efdFD", "@int": "?bhilBHIL", "@number": "bhilBHILefdFD",
    "@double": "d", "@index": "il", "@classes": "?ilBHefdD", "@wide": "?ildD", "@complex": "FD",
}  # fmt: skip


#: What has no other inputs: forms of index are tried one by one, and a view of foreign memory has no defined values.
_NO_OTHER_INPUTS = {"operator.getitem", "operator.setitem", "numpy.lib.stride_tricks.as_strided"}
#: Further calls that are left out: of what has no axis NumPy gives back the very argument, which nobody relies on.
_LEFT_OUT = {(f"numpy.fft.{name}", call) for name in ("fftn", "ifftn") for call in ("z", "number")}
#: A bounded number is strong, the bounds are weak: no dtype rule says that, and nobody writes it.
_LEFT_OUT.add(("numpy.clip", "number, r, r2"))


#: A 0-d tensor counts as a scalar, which these rebind.
_IN_PLACE = {f"operator.i{name}" for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
)}  # fmt: skip


#: Members that do something else than the function of their name, if there is one: the helper's name.
_HELPERS = {
    "ndarray.conj": "conjugated", "ndarray.conjugate": "conjugated", "ndarray.compress": "compressed",
    "ndarray.sort": "sort_in_place", "ndarray.fill": "assign", "ndarray.T": "transpose",
    "ndarray.mT": "matrix_transpose",
}  # fmt: skip


#: Methods that take what the function of their name takes after the array.
_ALIKE = (
    "all", "any", "argmax", "argmin", "argsort", "choose", "copy", "cumprod", "cumsum", "diagonal", "dot", "max",
    "mean", "min", "nonzero", "prod", "repeat", "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take",
    "trace", "var",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One call of one API."""

    api: str
    call: str  #: argument list as text
    dtypes: str
    tolerance: str  #: ``elementwise`` ``sum`` ``fft`` ``solve``

    def __str__(self) -> str:
        return f"{self.api}({self.call})"


@functools.cache
def all_cases() -> dict[str, tuple[Case, ...]]:
    """Cases by API, in the order of the tables."""
    cases: dict[str, list[Case]] = {}
    for table in (cases_numeric.TABLE, cases_arrays.TABLE, cases_numeric.OF_UFUNCS):
        for names, tags, calls in _rows(table):
            dtypes = next((TAGS[tag] for tag in tags if tag in TAGS), DTYPES)
            tolerance = next(
                (tag[1:] for tag in tags if tag in ("@sum", "@fft", "@solve", "@same", "@order")), "elementwise"
            )
            for name in names:
                api = name if name.startswith(("ndarray.", "operator.")) else f"numpy.{name}"
                cases.setdefault(api, []).extend(Case(api, call, dtypes, tolerance) for call in calls)
    for name in _ALIKE:  # what a function gets wrong, the method of its name may get wrong by another way
        method = f"ndarray.{name}"
        known = cases.setdefault(method, [])
        known.extend(
            Case(method, case.call, case.dtypes, case.tolerance)
            for case in cases[f"numpy.{name}"]
            if _is_call_of_method(case.call)
        )
    for api, listed in list(cases.items()):
        if api.startswith("numpy.random.") and api.count(".") == 2:  # the generators have methods of the same names
            for cls in ("RandomState", "Generator"):
                if hasattr(getattr(np.random, cls), api.rpartition(".")[2]):
                    method = f"numpy.random.{cls}.{api.rpartition('.')[2]}"
                    cases.setdefault(method, []).extend(
                        Case(method, case.call, case.dtypes, case.tolerance) for case in listed
                    )
    for api, listed in cases.items():
        listed.extend(_of_other_inputs(api, listed))
    return {api: tuple(dict.fromkeys(listed)) for api, listed in cases.items()}


def _of_other_inputs(api: str, listed: list[Case]) -> list[Case]:
    """The plainest of the cases with inputs of other classes (see cases_inputs.py)."""
    if api.startswith("numpy.random.") or api in _NO_OTHER_INPUTS:
        return []
    tagged = {case.call: case for case in listed}
    is_function = api.startswith("numpy.") and not api.endswith(".at")
    found = []
    for base, call, dtypes in cases_inputs.vary([case.call for case in listed], _dimensions(), is_function):
        case = tagged[base]
        shared = "".join(char for char in dtypes if char in case.dtypes)
        if shared and (api, call) not in _LEFT_OUT and not (api in _IN_PLACE and "z" in names_in(call)):
            found.append(Case(api, call, shared, case.tolerance))
    return found


@functools.cache
def _dimensions() -> dict[str, int]:
    """Dimensions of the arrays of the dtype under test that are read, and that are there in other forms, too."""
    arrays = make_arguments("f")
    return {
        name: arrays[name].ndim for name in sorted(_typed_names() - OUTPUTS.keys())
        if not name.endswith(cases_inputs.FORMS) and f"{name}_list" in arrays
    }  # fmt: skip


def name_below(api: str) -> str:
    """The name of an API below ``numpy`` or ``ndarray``."""
    return api.removeprefix("numpy.").removeprefix("ndarray.")


def name_helper(api: str) -> str:
    """The name below the runtime that the exact helper for an API has, if there is one."""
    owner, _, method = name_below(api).rpartition(".")
    if method in cases_numeric.METHODS and owner in (*cases_numeric.BINARY, *cases_numeric.UNARY):
        return f"{owner}_{method}"
    return _HELPERS.get(api, name_below(api))


def _rows(table: str) -> list[tuple[list[str], list[str], list[str]]]:
    lines: list[str] = []
    for line in table.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0].isspace():
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    rows = []
    for line in lines:
        head, _, body = line.partition(" : ")
        words = head.split()
        tags = [w for w in words if w.startswith("@")]
        calls = [call.strip() for call in body.split(" | ")]
        rows.append(([w for w in words if not w.startswith("@")], tags, ["" if c == "()" else c for c in calls]))
    return rows


def _is_call_of_method(call: str) -> bool:
    """Whether the first argument certainly is an array, and each keyword one that methods have, too."""
    node = ast.parse(f"f({call})", mode="eval").body
    assert isinstance(node, ast.Call)
    first = ast.unparse(node.args[0]) if node.args else ""
    others = {"axis1", "axis2", "correction", "subok"}
    return first in make_arguments("d") and not any(keyword.arg in others for keyword in node.keywords)


@functools.cache
def names_in(call: str) -> frozenset[str]:
    """Names that the text of a call uses."""
    return frozenset(node.id for node in ast.walk(ast.parse(f"f({call})")) if isinstance(node, ast.Name))


@functools.cache
def compile_call(call: str) -> Any:
    """Code of ``f(<call>)`` to evaluate with the names of the call and ``f``."""
    return compile(f"f({call})", "<case>", "eval")


def used_parameters(call: str, parameters: list[str]) -> dict[str, str]:
    """Parameter name → text of its argument. `parameters` as in the catalog; surplus positions go to ``*args``'
    name.
    """
    node = ast.parse(f"f({call})", mode="eval").body
    assert isinstance(node, ast.Call)
    positional: list[str] = []
    variadic = None
    for text in parameters:
        if text == "*" or text.startswith("**"):
            break
        if text.startswith("*"):
            variadic = text[1:]
            break
        if text != "/":
            positional.append(text.split("=")[0])
    used: dict[str, str] = {}
    for index, argument in enumerate(node.args):
        name = positional[index] if index < len(positional) else variadic or f"#{index}"
        used.setdefault(name, ast.unparse(argument))
    for keyword in node.keywords:
        used[keyword.arg or "**"] = ast.unparse(keyword.value)
    return used


def fresh_arguments(call: str, char: str, second: str | None = None) -> dict[str, Any]:
    """Fresh copies of the arrays that the text of `call` names, and ``np``.

    Parameters
    ----------
    char : dtype character of the first operand, and of all others unless `second` is given for them.
    """
    masters = make_arguments(char)
    copies = {name: masters[name] for name in names_in(call) if name in masters}
    if second is not None:  # the first operand of one dtype, all others of another
        copies |= {name: make_arguments(second)[name] for name in operands(call)[1:]}
    return {name: copy.deepcopy(v) if isinstance(v, (np.ndarray, list)) else v for name, v in copies.items()}


@functools.cache
def operands(call: str) -> tuple[str, ...]:
    """Names in the text of `call` that are read, and arrays of the dtype under test, in their order."""
    nodes = (node for node in ast.walk(ast.parse(f"f({call})")) if isinstance(node, ast.Name))
    in_order = [node.id for node in sorted(nodes, key=lambda node: node.col_offset)]
    return tuple(name for name in dict.fromkeys(in_order) if name in _typed_names() - OUTPUTS.keys())


@functools.cache
def _typed_names() -> frozenset[str]:
    singles, shorts = make_arguments("f"), make_arguments("h")
    return frozenset(n for n, v in singles.items() if getattr(v, "dtype", None) == "f4" and shorts[n].dtype == "i2")
