"""The imports that rewritten code needs, and where they go."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.rewrite.plan import Names
from np2tnp.rewrite.vendoring import INSTALLED, Home

TNP = "tensorflow.experimental.numpy"
RUNTIME = "np2tnp.runtime"


def choose_names(module: ModuleInfo, words: Container[str], private: bool = False) -> Names:
    """Names for numpy, tnp and the runtime in this module: those it has already, else free ones.

    `words`: every identifier in the file, so that a new name cannot hide a local one. `private`: names that
    ``from module import *`` leaves where they are.
    """
    prefix = "_" if private else ""
    known = {value.name: name for name, value in reversed(module.values.items()) if isinstance(value, Symbol)}
    numpy = next((name for name in ("np", "numpy") if module.values.get(name) == Symbol("numpy")), known.get("numpy"))
    tnp, rt = (known.get(name) or _free(prefix + short, words) for name, short in ((TNP, "tnp"), (RUNTIME, "rt")))
    return Names(numpy, tnp, rt)


def _free(name: str, words: Container[str]) -> str:
    while name in words:
        name += "_"
    return name


def add_imports(
    tree: cst.Module,
    needs: set[str],
    names: Names,
    module: ModuleInfo,
    runtime: Home = INSTALLED,
    waits: bool = True,
) -> cst.Module:
    """`tree` with the imports in `needs` ("tnp", "rt") that it lacks, after the module's own import of NumPy.

    `waits`: tnp is the runtime's stand-in, which imports TensorFlow on first use.
    """
    have = {value.name for value in module.values.values() if isinstance(value, Symbol)}
    lines: list[cst.SimpleStatementLine] = []
    if "tnp" in needs and TNP not in have and not waits:
        alias = cst.ImportAlias(name_node(TNP), cst.AsName(cst.Name(names.tnp)))
        lines.append(cst.SimpleStatementLine([cst.Import([alias])]))
    if "rt" in needs and RUNTIME not in have:
        lines.append(cst.SimpleStatementLine([_import(runtime.package, _alias(runtime.name, names.rt))]))
    if "tnp" in needs and TNP not in have and waits:
        dot = "." if runtime.package.strip(".") else ""
        package = f"{runtime.package}{dot}{runtime.name}"
        lines.append(cst.SimpleStatementLine([_import(package, _alias("tnp", names.tnp))]))
    if not lines:
        return tree
    body = list(tree.body)
    at = _place(body)
    if at == 0:
        tree, body = _with_its_comment(tree)
    elif not _is_import(body[at - 1]) or _is_future(body[at - 1]):
        lines[0] = lines[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return tree.with_changes(body=[*body[:at], *lines, *_set_apart(body[at:])])


def _with_its_comment(tree: cst.Module) -> tuple[cst.Module, list[Any]]:
    """`tree`, with the comment that stands on the first statement there and not among the module's own; its body."""
    body, header = list(tree.body), list(tree.header)
    blanks = [number for number, line in enumerate(header) if line.comment is None]
    if not blanks or not body or not hasattr(body[0], "leading_lines"):
        return tree, body
    body[0] = body[0].with_changes(leading_lines=[*header[blanks[-1] + 1 :], *body[0].leading_lines])
    return tree.with_changes(header=header[: blanks[-1] + 1]), body


def _set_apart(body: list[Any]) -> list[Any]:
    """What comes behind imports, with blank lines before it as people write them, where it stood at the top."""
    if not body or _is_import(body[0]) or not hasattr(body[0], "leading_lines"):
        return body
    before = body[0].leading_lines
    if any(line.comment is None for line in before):
        return body
    wanted = 2 if isinstance(body[0], (cst.FunctionDef, cst.ClassDef)) else 1
    return [body[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)] * wanted + list(before)), *body[1:]]


def _alias(name: str, bound: str) -> cst.ImportAlias:
    return cst.ImportAlias(cst.Name(name), cst.AsName(cst.Name(bound)) if bound != name else None)


def _import(package: str, alias: cst.ImportAlias) -> cst.Import | cst.ImportFrom:
    if not package:
        return cst.Import([alias])
    module = package.lstrip(".")
    dots = [cst.Dot()] * (len(package) - len(module))
    return cst.ImportFrom(name_node(module) if module else None, [alias], relative=dots)


def name_node(text: str) -> cst.Attribute | cst.Name:
    first, *rest = text.split(".")
    node: cst.Attribute | cst.Name = cst.Name(first)
    for part in rest:
        node = cst.Attribute(node, cst.Name(part))
    return node


def _place(body: Sequence[cst.BaseStatement]) -> int:
    """Behind the last import of the leading block that holds NumPy's, or else behind the first imports."""
    numpy_at = -1
    start = 0
    for index, statement in enumerate(body):
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        first = statement.body[0]
        if (
            index == 0
            and isinstance(first, cst.Expr)
            and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))
        ):
            start = 1
        if _is_future(statement):
            start = index + 1
        if numpy_at < 0 and _imports_numpy(first):
            numpy_at = index
    definitions = [i for i, statement in enumerate(body) if isinstance(statement, (cst.FunctionDef, cst.ClassDef))]
    if numpy_at < 0 or not _is_import(body[numpy_at]) or (definitions and numpy_at > definitions[0]):
        # what stands behind the import on its line may need ours
        at = start + (start < len(body) and _is_import(body[start]) and not _is_relative(body[start]))
    else:
        at = numpy_at + 1
    while at < len(body) and _is_import(body[at]) and _before_any_code(body, at):
        at += 1
    return max(at, start)


def _is_import(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(
        isinstance(s, (cst.Import, cst.ImportFrom)) for s in statement.body
    )


def _before_any_code(body: Sequence[cst.BaseStatement], index: int) -> bool:
    """Absolute imports that follow directly; a block of the project's own imports stays last."""
    statement = body[index]
    assert isinstance(statement, cst.SimpleStatementLine)
    return not any(line.comment is None for line in statement.leading_lines) and not _is_relative(statement)


def _is_relative(statement: cst.BaseStatement) -> bool:
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(first, cst.ImportFrom) and bool(first.relative)


def _is_future(statement: cst.BaseStatement) -> bool:
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(first, cst.ImportFrom) and first.module is not None and dotted(first.module) == "__future__"


def _imports_numpy(node: cst.BaseSmallStatement) -> bool:
    if isinstance(node, cst.Import):
        return any(dotted(alias.name).split(".")[0] == "numpy" for alias in node.names)
    return isinstance(node, cst.ImportFrom) and node.module is not None and dotted(node.module).split(".")[0] == "numpy"
