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
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from np2tnp.differential import (
    cases_arrays,
    cases_elementwise,
    cases_host,
    cases_indexing,
    cases_keywords,
    cases_linear,
    cases_others,
    cases_reductions,
    cases_ufuncs,
)

DTYPES = "?bhilBHILefdFD"
#: dtypes that implementations treat alike, in the order in which one stands for its class.
CLASSES = ("?", "lihb", "BLIH", "dfe", "DF")
TAGS = {
    "@real": "?bhilBHILefd", "@float": "efd", "@inexact": "efdFD", "@int": "?bhilBHIL", "@number": "bhilBHILefdFD",
    "@double": "d", "@index": "il", "@classes": "?ilBHefdD", "@wide": "?ildD", "@complex": "FD",
}  # fmt: skip


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


#: Arrays that calls store into: those of the dtype under test by their shapes, and what the others hold.
OUTPUTS: dict[str, Any] = {
    "o": (6,), "o2": (6,), "o4": (4,), "o3": (3,), "om": (3, 4), "oq": (3, 3), "oz": (),
    "od": np.full(6, 0.25), "oi": np.full(6, 77), "ob": np.ones(6, bool), "oc": np.full(6, 2 - 1j),
    "oc4": np.full(4, 2 - 1j), "oc33": np.full((3, 3), 2 - 1j), "od34": np.full((3, 4), 0.25),
    "od4": np.full(4, 0.25), "oi4": np.full(4, 77), "ob4": np.ones(4, bool),
}  # fmt: skip


@functools.cache
def all_cases() -> dict[str, tuple[Case, ...]]:
    """Cases by API, in the order of the tables."""
    cases: dict[str, list[Case]] = {}
    tables = (
        cases_elementwise, cases_reductions, cases_arrays, cases_linear, cases_others, cases_ufuncs, cases_indexing,
        cases_keywords, cases_host,
    )  # fmt: skip
    for module in tables:
        for names, tags, calls in _rows(module.TABLE):
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
    return {api: tuple(dict.fromkeys(listed)) for api, listed in cases.items()}


def name_below(api: str) -> str:
    """The name of an API below ``numpy`` or ``ndarray``."""
    return api.removeprefix("numpy.").removeprefix("ndarray.")


def name_helper(api: str) -> str:
    """The name below the runtime that the exact helper for an API has, if there is one."""
    owner, _, method = name_below(api).rpartition(".")
    if method in cases_ufuncs.METHODS and owner in (*cases_ufuncs.BINARY, *cases_ufuncs.UNARY):
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
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in copies.items()}


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


@functools.cache
def make_arguments(char: str) -> dict[str, Any]:
    """The arrays that calls may name. Shared: see :func:`fresh_arguments`.

    Parameters
    ----------
    char : dtype character of all arrays, except index arrays (``k*``, int64), masks (``b*``, bool) and NaN-free
    floats ``x*``.
    """
    rng = np.random.RandomState(7)
    names: dict[str, Any] = {"np": np}
    names |= _vectors(char, "v", "m", "t", rng) | _vectors(char, "w", "n", "t2", rng)
    names["v"], names["w"] = _cast([3.5, -1.25, 4, -1.25, 0.5, 9.75], char), _cast([2, 3.5, -1, 5, 1.5, -2], char)
    names["s"], names["S"], names["U"] = specials(char), specials(char)[:, None], specials(char)[None, :]
    names["z"], names["y"] = _cast(2.5, char), _cast(3.0, char)
    names["c"], names["r"], names["r2"] = names["m"][:, :1].copy(), names["m"][0].copy(), names["n"][1].copy()
    names["e"], names["em"], names["me"], names["e3"] = (np.zeros(s, char) for s in ((0,), (0, 3), (3, 0), (2, 0, 3)))
    names["q"] = _cast([[4, 1, 0.5], [1, 5, 2], [0.5, 2, 6]], char)  # symmetric, positive definite
    names["p"] = _cast([[2, -1, 0], [1, 3, 1], [0, 4, -2]], char)
    names["Q"] = (
        np.stack([names["q"], names["q"] + names["q"].dtype.type(1)]) if char != "?" else np.stack([names["q"]] * 2)
    )
    names["sing"] = _cast([[1, 2], [2, 4]], char)
    names["g"] = np.sort(names["v"])  # sorted
    names["d"] = _cast([2, 1, 2, 3, 1, 2, 2], char)  # duplicates
    names["one"] = np.ones(1, char)
    names["l"], names["l2"] = _long(char, rng), _long(char, rng)
    names["l3"] = rng.permutation(names["l"])[:257]
    names["big"] = np.ones(70_000, char)  # more than float16 can count
    names["a5"] = _cast(np.arange(2 * 1 * 3 * 1 * 2).reshape(2, 1, 3, 1, 2) - 4, char)
    names |= {
        "k": np.array([0, 2, 1, -1]), "k1": np.array([5, 3, 0, 0, 1, 2]), "kbad": np.array([0, 99]), "km":
        np.array([[0, 1], [2, 0]]),
        "kr": np.array([0, 2, 1]), "k0": np.array(2), "kn": np.array([1, 2, 0, 3, 1, 2]), "ke": np.array([],
        dtype=np.int64),
        "kc": np.array([[0, 1, 2, 0], [1, 1, 0, 2]]), "b": np.array([True, False, True, True, False, False]),
        "bm": np.arange(12).reshape(3, 4) % 3 == 0, "br": np.array([True, False, True]), "b0": np.zeros(6, bool),
        "js": _complex_specials(char),
        # true by its imaginary part alone
        "j": (np.array([0, 2j, 0, 0]) if char in "FD" else np.zeros(4)).astype(char),
        "x": np.array([0.0, 1.0, 2.5, 4.0, 7.0, 9.0]), "xi": np.array([2.6, -1.0, 8.9, np.nan, 2.5, 100.0]),
    }  # fmt: skip
    outputs = {name: np.ones(what, char) if isinstance(what, tuple) else what for name, what in OUTPUTS.items()}
    return names | outputs


def specials(char: str) -> Any:
    """A vector of the values of a dtype that implementations get wrong."""
    kind = np.dtype(char).kind
    if kind == "b":
        return np.array([True, False])
    if kind in "iu":
        info = np.iinfo(char)
        return np.array(
            sorted(
                {
                    info.min,
                    info.min + 1,
                    info.max - 1,
                    info.max,
                    0,
                    1,
                    2,
                    7,
                    100,
                    *((-1, -2, -7) if kind == "i" else ()),
                }
            ),
            char,
        )
    real = np.dtype(char.lower())
    info_f = np.finfo(real)
    values = [
        np.nan,
        np.inf,
        -np.inf,
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0.1,
        3,
        info_f.max,
        info_f.min,
        info_f.tiny,
        info_f.eps,
        1e-5,
        40.0,
        -200.0,
    ]
    column = np.array(values, real)
    if kind == "f":
        return column
    # Finite parts only: nobody agrees on what sums make of infinite ones. Elementwise functions are tried on `js`, too.
    parts = column[[3, 4, 5, 6, 7, 10, 11, 13]]
    return _complex_grid(parts, char)


def _complex_specials(char: str) -> Any:
    """Complex numbers with infinite, NaN and zero parts of both signs; of other dtypes their own special values."""
    if np.dtype(char).kind != "c":
        return specials(char)
    return _complex_grid(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5]), char)


def _complex_grid(parts: Any, char: str) -> Any:
    grid = np.empty((parts.size, parts.size), char)
    grid.real, grid.imag = parts[:, None], parts[None, :]
    return grid.ravel()


def _vectors(char: str, v: str, m: str, t: str, rng: Any) -> dict[str, Any]:
    return {
        v: _cast(rng.randint(-9, 10, 6) / 2, char),
        m: _cast(rng.randint(-9, 10, (3, 4)) / 2, char),
        t: _cast(rng.randint(-9, 10, (2, 3, 4)) / 2, char),
    }


def _cast(values: Any, char: str) -> Any:
    array = np.asarray(values, dtype=np.float64)
    if char == "?":
        return np.asarray(array > 0.75)
    if np.dtype(char).kind == "u":
        array = np.asarray(np.abs(array))
    if np.dtype(char).kind == "c":
        return np.asarray(array + 1j * np.flip(array * 0.5, axis=tuple(range(array.ndim)))).astype(char)
    return array.astype(char)


def _long(char: str, rng: Any) -> Any:
    kind = np.dtype(char).kind
    if kind == "b":
        return rng.rand(600) < 0.5
    if kind in "iu":
        info = np.iinfo(char)
        return rng.randint(max(info.min, -(2**31)), min(info.max, 2**31 - 1), 600).astype(char)
    values = rng.standard_normal(600) * np.where(rng.rand(600) < 0.2, 30, 1)
    return values.astype(char) if kind == "f" else (values + 1j * rng.standard_normal(600)).astype(char)
