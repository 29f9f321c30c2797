"""The statements that say when TensorFlow starts and who switches its NumPy behaviour on."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.edits import build

#: ``--enable-numpy-behavior`` -> what stands behind the imports.
_AT_TOP = {"import": "start", "entrypoint": "leave_numpy_behavior", "never": "leave_numpy_behavior"}


def add_startup(tree: cst.Module, mode: str, runtime: str) -> cst.Module:
    """`tree` with what `mode` asks for: behind its imports and, for "entrypoint", in its ``__main__`` block."""
    if mode not in _AT_TOP or _has(tree.body, f"{runtime}.{_AT_TOP[mode]}"):
        return tree
    body: list[cst.BaseStatement] = list(tree.body)
    if mode == "entrypoint":
        body = [_started(statement, runtime) if _is_main(statement) else statement for statement in body]
    at = 1 + max((index for index, statement in enumerate(body) if _is_import(statement)), default=-1)
    body.insert(at, _line(f"{runtime}.{_AT_TOP[mode]}", blank=True))
    return tree.with_changes(body=body)


def add_script_start(tree: cst.Module, runtime: str, device: str) -> cst.Module:
    """`tree`, whose top level works with tensors, with the start of TensorFlow before its first operation."""
    body: list[cst.BaseStatement] = list(tree.body)
    at = next(index for index, statement in enumerate(body) if _binds(statement, runtime))
    while at + 1 < len(body) and _is_only_import(body[at + 1]):
        at += 1
    if at + 1 < len(body):
        lines = getattr(body[at + 1], "leading_lines", None)
        if lines is not None and not any(line.comment is None for line in lines):
            body[at + 1] = body[at + 1].with_changes(leading_lines=[cst.EmptyLine(indent=False), *lines])
    body.insert(at + 1, _line(f"{runtime}.start", blank=True, device=device))
    return tree.with_changes(body=body)


def _line(function: str, blank: bool, device: str = "") -> cst.SimpleStatementLine:
    lines = [cst.EmptyLine(indent=False)] if blank else []
    arguments = [build.argument(build.string(device), "device")] if device else []
    return cst.SimpleStatementLine([cst.Expr(build.call(function, *arguments))], leading_lines=lines)


def _has(body: object, function: str) -> bool:
    return any(
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.Call)
        and dotted(statement.body[0].value.func) == function
        for statement in body  # type: ignore[attr-defined]
    )


def _binds(statement: cst.BaseStatement, name: str) -> bool:
    """Whether an import statement of the module's own level binds `name`."""
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(node, (cst.Import, cst.ImportFrom))
        and not isinstance(node.names, cst.ImportStar)
        and any(name == (alias.evaluated_alias or alias.evaluated_name) for alias in node.names)
        for node in statement.body
    )


def _is_import(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], (cst.Import, cst.ImportFrom)
    )


def _is_only_import(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(
        isinstance(node, (cst.Import, cst.ImportFrom)) for node in statement.body
    )


def _is_main(statement: cst.BaseStatement) -> bool:
    if not isinstance(statement, cst.If) or not isinstance(statement.test, cst.Comparison):
        return False
    sides = [statement.test.left, *(item.comparator for item in statement.test.comparisons)]
    return any(isinstance(side, cst.Name) and side.value == "__name__" for side in sides)


def _started(statement: cst.BaseStatement, runtime: str) -> cst.BaseStatement:
    assert isinstance(statement, cst.If)
    block = statement.body
    if isinstance(block, cst.IndentedBlock):
        lines = [_line(f"{runtime}.start", blank=False), *block.body]
        return statement.with_changes(body=block.with_changes(body=lines))
    first = cst.Expr(
        cst.Call(build.name(f"{runtime}.start")), semicolon=cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))
    )
    return statement.with_changes(body=block.with_changes(body=[first, *block.body]))
