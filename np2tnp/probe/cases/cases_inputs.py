"""The arrays that the probe's calls name, of the dtype under test (see all_cases.py); and each function's plainest call
once more, with inputs of every other class: lists, Python numbers, 0-d, special values, empty arrays. (The tables write
out what such inputs mean to one function; this leaves none out.)
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

#: Elements of the largest array that calls get as lists.
_FEW = 100


#: Arrays that calls store into: those of the dtype under test by their shapes, and what the others hold.
OUTPUTS: dict[str, Any] = {
    "o": (6,), "o2": (6,), "o4": (4,), "o3": (3,), "om": (3, 4), "oq": (3, 3), "oz": (),
    "od": np.full(6, 0.25), "oi": np.full(6, 77), "ob": np.ones(6, bool), "oc": np.full(6, 2 - 1j),
    "oc4": np.full(4, 2 - 1j), "oc33": np.full((3, 3), 2 - 1j), "od34": np.full((3, 4), 0.25),
    "od4": np.full(4, 0.25), "oi4": np.full(4, 77), "ob4": np.ones(4, bool),
}  # fmt: skip


@functools.cache
def make_arguments(char: str) -> dict[str, Any]:
    """The arrays that calls may name. Shared: see :func:`cases.fresh_arguments`.

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
    names["number"] = names["z"].item()
    for name, value in [*names.items()]:
        if isinstance(value, np.ndarray) and value.dtype.char == char and value.ndim and value.size <= _FEW:
            names |= other_forms(name, value, names["s"])
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


# --- Each function's plainest call once more, with inputs of every other class

#: What stands behind a name of an array for its values in another form: ``m_list`` is ``m.tolist()``.
FORMS = ("_list", "_special", "_empty")
#: One dtype each that a Python number makes, and those that implementations treat differently.
NUMBERS, CLASSES = "?ldD", "?ilBHefdD"
#: Names of special values, 0-d, empty: what has a call with one of them has that class already.
_SPECIAL, _ZERO_D, _EMPTY = {"s", "S", "U", "js"}, {"z", "y"}, {"e", "em", "me", "e3"}


def other_forms(name: str, value: Any, special: Any) -> dict[str, Any]:
    """The array called `name` as lists, filled with the values `special`, and without elements."""
    filled = np.resize(special, value.shape).astype(value.dtype)
    if value.ndim == 1 and np.array_equal(value, np.sort(value)):  # what has to be sorted stays sorted
        filled = np.sort(filled)
    shape = (0, *value.shape[1:])
    return {f"{name}_list": value.tolist(), f"{name}_special": filled, f"{name}_empty": np.zeros(shape, value.dtype)}


def has_lists(names: Collection[str]) -> bool:
    """Whether a call that uses these names gets lists in place of arrays."""
    return any(name.endswith("_list") for name in names)


def has_special(call: str) -> bool:
    """Whether special values are among the arguments of a call."""
    names = _names(call)
    return bool(names & _SPECIAL) or any(name.endswith("_special") for name in names)


def is_other(call: str, dtypes: Collection[str]) -> bool:
    """Whether the call, made in these dtypes, is one of :func:`vary`. They say nothing of what most calls do."""
    names = _names(call)
    if "number" in names or any(name.endswith(FORMS) for name in names):
        return True
    return bool(names & (_SPECIAL | _ZERO_D | _EMPTY)) and set(dtypes) <= set(CLASSES)


def vary(calls: list[str], arrays: Mapping[str, int], is_function: bool) -> Iterator[tuple[str, str, str]]:
    """The further calls of one API: what each was made of, its text, and the dtypes to make it in.

    Parameters
    ----------
    arrays : dimensions of each array of the dtype under test, by name.
    is_function : whether the first operand may be anything; else (methods, operators) it has to be an array.
    """
    trees = {call: _parse(call) for call in calls}
    operands = {call: _operands(tree, arrays) for call, tree in trees.items()}
    usable = [call for call in calls if operands[call]]
    plainest = min(usable, key=lambda call: _size(trees[call]), default=None)
    if plainest is None:
        return
    pairs = [call for call in usable if len(operands[call]) > 1]
    seen = {name for call in calls for name in _names(call)}
    for call in dict.fromkeys([plainest, *sorted(pairs, key=lambda call: _size(trees[call]))[:1]]):
        bare = [name for name in operands[call] if _is_bare(trees[call], name)]
        if bare:
            first = is_function or bare[0] != operands[call][0]
            several = len(operands[call]) > 1
            for text, dtypes in _forms(call, bare, arrays[bare[0]] == 1, first, several, seen):
                yield call, text, dtypes


def _forms(
    call: str, bare: list[str], flat: bool, is_free: bool, several: bool, seen: set[str]
) -> Iterator[tuple[str, str]]:
    """The call with other inputs.

    Parameters
    ----------
    bare : operands that may be replaced; `flat`: the first is a vector; `is_free`: it need not be an array.
    several : the call has other operands, which may have any dtype.
    seen : names in all calls of the API.
    """
    first = bare[0]
    lists = bare if is_free else bare[1:]
    if lists:
        yield _renamed(call, {name: f"{name}_list" for name in lists}), NUMBERS
    if len(bare) > 1:
        yield _renamed(call, {bare[-1]: f"{bare[-1]}_list"}), NUMBERS
        yield _renamed(call, {bare[-1]: "number"}), CLASSES
    if is_free:
        yield _renamed(call, {first: "number"}), CLASSES if several else NUMBERS
    if not _ZERO_D & seen:
        yield _renamed(call, {first: "z"}), CLASSES
    if not _EMPTY & seen:
        yield _renamed(call, {first: "e" if flat else f"{first}_empty"}), CLASSES
    if not _SPECIAL & seen:
        yield _renamed(call, {first: f"{first}_special"}), CLASSES
        if len(bare) == 1 and flat:
            yield _renamed(call, {first: "s"}), CLASSES


def _parse(call: str) -> ast.Call:
    tree = ast.parse(f"f({call})", mode="eval").body
    assert isinstance(tree, ast.Call)
    return tree


def _size(tree: ast.Call) -> tuple[int, int]:
    """Few keywords, then few arguments come first."""
    return len(tree.keywords), len(tree.args)


def _names(call: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(f"f({call})")) if isinstance(node, ast.Name)}


def _operands(tree: ast.expr, arrays: Mapping[str, int]) -> list[str]:
    """Arrays of the dtype under test in the call, in their order."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in arrays]
    return list(dict.fromkeys(node.id for node in sorted(nodes, key=lambda node: node.col_offset)))


def _is_bare(tree: ast.expr, name: str) -> bool:
    """Whether every use of the name is an argument, or an item of one: ``v.dtype`` and ``v[0]`` want an array."""
    kept = (ast.Call, ast.List, ast.Tuple, ast.keyword, ast.Starred)
    return all(
        isinstance(parent, kept)
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if isinstance(child, ast.Name) and child.id == name
    )


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _renamed(call: str, names: Mapping[str, str]) -> str:
    tree = _Renamer(names).visit(ast.parse(f"f({call})", mode="eval"))
    return ast.unparse(tree)[2:-1]
