"""The kept original of a migrated function, beside it under a private name: for what the migrated one refuses."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import libcst as cst


def original_name(name: str, words: Container[str], taken: set[str]) -> str:
    """A free private name for the original of the function `name`, added to `taken`.

    `words`: every identifier in the file. `taken`: names of originals in the same scope (a name may be defined twice).
    """
    candidate = f"_{name.strip('_') or 'function'}_numpy"
    while candidate in words or candidate in taken:
        candidate += "_"
    taken.add(candidate)
    return candidate


def is_protocol(node: cst.ClassDef) -> bool:
    """Whether the class is a protocol: every name in it, an original's too, is asked of those who implement it."""
    for base in node.bases:
        value = base.value.value if isinstance(base.value, cst.Subscript) else base.value
        name = value.attr if isinstance(value, cst.Attribute) else value
        if isinstance(name, cst.Name) and name.value == "Protocol":
            return True
    return False


def kept_original(node: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """`node` under the name `name`, without decorators and docstring.

    The runtime gives it the migrated function's default objects, so that each is made once: only literals stay.
    """
    body = node.body
    if isinstance(body, cst.IndentedBlock) and node.get_docstring() is not None and len(body.body) > 1:
        body = body.with_changes(body=body.body[1:])
    return node.with_changes(
        name=cst.Name(name),
        decorators=(),
        lines_after_decorators=(),
        leading_lines=_blank(node),
        params=node.params.visit(_Literals()),
        body=body,
    )


def below_original(node: cst.FunctionDef) -> cst.FunctionDef:
    """The migrated function with the blank lines that the original above it asks for, also at a block's beginning."""
    if _blank(node):
        return node
    return node.with_changes(leading_lines=[cst.EmptyLine(indent=False), *node.leading_lines])


def _blank(node: cst.FunctionDef) -> list[cst.EmptyLine]:
    lines: list[cst.EmptyLine] = []
    for line in node.leading_lines:
        if line.comment is not None:
            break
        lines.append(line)
    return lines


class _Literals(cst.CSTTransformer):
    """Replaces the defaults that are not literals by ``...``."""

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:  # noqa: N802
        default: Any = original_node.default
        if default is None or isinstance(default, (cst.Integer, cst.Float, cst.SimpleString)):
            return updated_node
        if isinstance(default, cst.Name) and default.value in ("None", "True", "False"):
            return updated_node
        return updated_node.with_changes(default=cst.Ellipsis())
