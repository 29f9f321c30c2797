"""Each function's plainest call once more, with inputs of every other class: lists, Python numbers, 0-d, special
values, empty arrays. (The tables write out what such inputs mean to one function; this leaves none out.)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

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
