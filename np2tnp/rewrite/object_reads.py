"""Which attributes of its object a compiled method reads as arrays only through the runtime."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.syntax.walk import walk


def array_attributes(function: cst.FunctionDef, runtime: str) -> tuple[str, ...]:
    """The attributes of ``self`` that only ``rt.tensor``, ``rt.array`` and exact operators of the `function` get.

    It is the rewritten one. These take a tensor for an ndarray. Wherever else an attribute stands, NumPy's own
    semantics are meant.
    """
    through: set[int] = set()
    for part in walk(function):
        if isinstance(part, cst.Call) and _takes_tensors(part.func, runtime):
            through.update(id(argument.value) for argument in part.args if not argument.star)
    own = [part for part in walk(function) if isinstance(part, cst.Attribute) and _is_self(part.value)]
    raw = {part.attr.value for part in own if id(part) not in through}
    return tuple(sorted({part.attr.value for part in own} - raw))


def _takes_tensors(node: cst.BaseExpression, runtime: str) -> bool:
    if not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Name) or node.value.value != runtime:
        return False
    name = node.attr.value
    return name in ("tensor", "array", "asarray") or name.startswith("op_")


def _is_self(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "self"
