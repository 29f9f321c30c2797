"""What comparing a shape says of an argument: ``x.shape != (3,)``, ``x.shape[1] == 2``, ``len(x) != 4``."""

from __future__ import annotations

import ast

_VECTORS = {2: "couple", 3: "triple", 4: "four"}
_ROWS = {2: "places", 3: "points"}
_RANKS = {1: {"vector": 20.0}, 2: {"matrix": 20.0}, 3: {"cube": 20.0, "colour": 8.0}}
_SURE = 25.0


def compared(node: ast.expr, other: ast.expr) -> tuple[ast.expr, dict[str, float]] | None:
    """The array that is asked about, and the kinds of argument that pass; None where the comparison says nothing."""
    if isinstance(node, ast.Attribute) and node.attr == "ndim":
        return node.value, _RANKS.get(_number(other), {})
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0], _sure(_VECTORS.get(_number(other)))
    whole = node.value if isinstance(node, ast.Subscript) else node
    if not isinstance(whole, ast.Attribute) or whole.attr != "shape":
        return None
    if not isinstance(node, ast.Subscript):
        return whole.value, _of_shape(other)
    if isinstance(node.slice, ast.Slice):  # x.shape[1:] == (3,)
        is_tail = node.slice.lower is not None and node.slice.upper is None
        lengths = _lengths(other) if is_tail else []
        return whole.value, _sure(_ROWS.get(lengths[0])) if len(lengths) == 1 else {}
    if _number(node.slice) in (1, -1):
        return whole.value, _sure(_ROWS.get(_number(other)))
    return whole.value, _sure(_VECTORS.get(_number(other)))


def _of_shape(other: ast.expr) -> dict[str, float]:
    lengths = _lengths(other)
    if len(lengths) == 1:
        return _sure(_VECTORS.get(lengths[0])) or {"vector": 12.0}
    if len(lengths) == 2:
        if lengths[0] == lengths[1]:  # where both are names they may be one
            return {"square": _SURE if lengths[0] else 6.0, "matrix": 0.0 if lengths[0] else 12.0}
        return _sure(_ROWS.get(lengths[1])) or {"matrix": 12.0}
    return dict(_RANKS.get(len(lengths), {}))


def _lengths(node: ast.expr) -> list[int]:
    """The items of a tuple; what is no plain number counts as 0."""
    return [_number(item) for item in node.elts] if isinstance(node, ast.Tuple) else []


def _number(node: ast.expr) -> int:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return 0
    return value if type(value) is int else 0


def _sure(kind: str | None) -> dict[str, float]:
    return {kind: _SURE} if kind else {}
