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
        first = body.body[1]
        lines = getattr(first, "leading_lines", ())
        above = next((n for n, line in enumerate(lines) if line.comment is not None), len(lines))
        if above:  # blank lines that stood below the docstring
            first = first.with_changes(leading_lines=lines[above:])
        body = body.with_changes(body=[first, *body.body[2:]])
    return node.with_changes(
        name=cst.Name(name),
        decorators=(),
        lines_after_decorators=(),
        leading_lines=_heading(node) or _blank(node),
        params=node.params.visit(_Literals()),
        body=body,
    )


def below_original(node: cst.FunctionDef) -> cst.FunctionDef:
    """The migrated function with the blank lines that the original above it asks for, also at a block's beginning.

    A heading, comments that a blank line parts from the function, stands above both.
    """
    blank = _blank(node)
    heading = _heading(node)
    if blank and not heading:
        return node
    lines = node.leading_lines[len(heading) :]
    return node.with_changes(leading_lines=[*(blank or [cst.EmptyLine(indent=False)]), *lines])


def _heading(node: cst.FunctionDef) -> list[cst.EmptyLine]:
    lines = list(node.leading_lines)
    while lines and lines[-1].comment is not None:
        lines.pop()
    return lines if any(line.comment is not None for line in lines) else []


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
