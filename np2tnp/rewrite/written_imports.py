"""What a rewritten module says at its top: its imports, when TensorFlow starts, and who switches its NumPy behaviour
on.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.edits import build
from np2tnp.rewrite.plan import Names
from np2tnp.rewrite.vendoring import INSTALLED, Home

# --- The imports that rewritten code needs, and where they go

TNP = "tensorflow.experimental.numpy"
TENSORFLOW = "tensorflow"
RUNTIME = "np2tnp.runtime"
#: The runtime's stand-in for TensorFlow, which waits for it.
WAITING = f"{RUNTIME}.tf"


def choose_names(module: ModuleInfo, words: Container[str], private: bool = False, wrapped: bool = False) -> Names:
    """Names for numpy, tnp and the runtime in this module: those it has already, else free ones.

    `words`: every identifier in the file, so that a new name cannot hide a local one. `private`: names that
    ``from module import *`` leaves where they are. `wrapped`: the runtime's tnp is meant, which looks at arguments, and
    not TensorFlow's own.
    """
    prefix = "_" if private else ""
    known = {value.name: name for name, value in reversed(module.values.items()) if isinstance(value, Symbol)}
    numpy = next((name for name in ("np", "numpy") if module.values.get(name) == Symbol("numpy")), known.get("numpy"))
    if wrapped and "experimental" in words:
        known.pop(TNP, None)
    modules = ((TNP, "tnp"), (RUNTIME, "rt"), (TENSORFLOW, "tf"))
    known.setdefault(TENSORFLOW, known.get(WAITING, ""))
    tnp, rt, tf = (known.get(name) or _free(prefix + short, words) for name, short in modules)
    return Names(numpy, tnp, rt, tf)


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
    """`tree` with the imports in `needs` ("tf", "tnp", "rt") that it lacks, after the module's own import of NumPy.

    `waits`: tf and tnp are the runtime's stand-ins, which import TensorFlow on first use.
    """
    have = {value.name for value in module.values.values() if isinstance(value, Symbol)}
    if module.values.get(names.tnp) != Symbol(TNP):
        have.discard(TNP)
    have |= {TENSORFLOW} if WAITING in have else set()
    lines: list[cst.SimpleStatementLine] = []
    modules = [("tf", TENSORFLOW, names.tf), ("tnp", TNP, names.tnp)]
    missing = [(short, name, own) for short, name, own in modules if short in needs and name not in have]
    if not waits:
        for _, name, own in missing:
            alias = cst.ImportAlias(name_node(name), cst.AsName(cst.Name(own)))
            lines.append(cst.SimpleStatementLine([cst.Import([alias])]))
    if "rt" in needs and RUNTIME not in have:
        lines.append(cst.SimpleStatementLine([_import(runtime.package, _alias(runtime.name, names.rt))]))
    if missing and waits:
        dot = "." if runtime.package.strip(".") else ""
        package = f"{runtime.package}{dot}{runtime.name}"
        lines.append(cst.SimpleStatementLine([_import(package, *(_alias(short, own) for short, _, own in missing))]))
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


def _import(package: str, *aliases: cst.ImportAlias) -> cst.Import | cst.ImportFrom:
    if not package:
        return cst.Import(aliases)
    module = package.lstrip(".")
    dots = [cst.Dot()] * (len(package) - len(module))
    return cst.ImportFrom(name_node(module) if module else None, aliases, relative=dots)


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


# --- Imports of NumPy inside a function that nothing in it uses any more, once it is rewritten

#: With these a name may be used that is not written down.
_BY_TEXT = frozenset(("locals", "vars", "dir", "eval", "exec"))


def without_unused_imports(before: cst.BaseSuite, after: cst.BaseSuite) -> cst.BaseSuite:
    """`after` without those imports that `before` used and it does not. What has a comment stays."""
    if not any(type(part) in (cst.Import, cst.ImportFrom) for part in walk(after)):
        return after
    used = _names(after)
    if used & _BY_TEXT or any(isinstance(part, (cst.Global, cst.Nonlocal)) for part in walk(after)):
        return after
    done = after.visit(_Cleaner(_names(before) - used))
    assert isinstance(done, cst.BaseSuite)
    return done


class _Cleaner(Transformer):
    def __init__(self, unused: set[str]) -> None:
        super().__init__()
        self.unused = unused

    def leave_IndentedBlock(  # noqa: N802 # libcst's name
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body = list(updated_node.body)
        for place in reversed(range(len(body))):
            line = body[place]
            if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 and not _has_comment(line):
                _drop(body, place, self.unused)
        return updated_node.with_changes(body=body) if body else updated_node


def _drop(body: list[cst.BaseStatement], place: int, unused: set[str]) -> None:
    """Take what is unused out of the import at `place`, if there is one."""
    line = body[place]
    assert isinstance(line, cst.SimpleStatementLine)
    (node,) = line.body
    if not isinstance(node, (cst.Import, cst.ImportFrom)) or isinstance(node.names, cst.ImportStar):
        return
    module = dotted(node.module) if isinstance(node, cst.ImportFrom) and node.module is not None else ""
    if isinstance(node, cst.ImportFrom) and (node.relative or module.partition(".")[0] != "numpy"):
        return
    names = [alias for alias in node.names if not (_is_numpys(alias, module) and _bound(alias) in unused)]
    if len(names) == len(node.names):
        return
    if names:
        names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        body[place] = line.with_changes(body=[node.with_changes(names=names)])
        return
    del body[place]
    if place == 0 and body and hasattr(body[0], "leading_lines"):  # no blank line at the function's top
        lines = list(body[0].leading_lines)
        while lines and lines[0].comment is None:
            del lines[0]
        body[0] = body[0].with_changes(leading_lines=lines)


def _is_numpys(alias: cst.ImportAlias, module: str) -> bool:
    return bool(module) or dotted(alias.name).partition(".")[0] == "numpy"


def _bound(alias: cst.ImportAlias) -> str:
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    return dotted(alias.name).partition(".")[0]


def _has_comment(line: cst.SimpleStatementLine) -> bool:
    return line.trailing_whitespace.comment is not None or any(item.comment for item in line.leading_lines)


def _names(node: cst.CSTNode) -> set[str]:
    """The names that it mentions: what imports bind, and attributes, are none."""
    others: set[int] = set()
    for found in walk(node):
        if isinstance(found, (cst.Import, cst.ImportFrom)):
            others.update(map(id, walk(found)))
        elif isinstance(found, cst.Attribute):
            others.add(id(found.attr))
    return {part.value for part in walk(node) if isinstance(part, cst.Name) and id(part) not in others}


# --- The statements that say when TensorFlow starts and who switches its NumPy behaviour on

#: ``--enable-numpy-behavior`` -> what stands behind the imports.
_AT_TOP = {"import": "start", "entrypoint": "leave_numpy_behavior", "never": "leave_numpy_behavior"}


def add_startup(tree: cst.Module, mode: str, runtime: str) -> cst.Module:
    """`tree` with what `mode` asks for: behind its imports and, for "entrypoint", in its ``__main__`` block."""
    if mode not in _AT_TOP or _has(tree.body, f"{runtime}.{_AT_TOP[mode]}"):
        return tree
    body: list[cst.BaseStatement] = list(tree.body)
    if mode == "entrypoint":
        body = [_started(statement, runtime) if _is_main(statement) else statement for statement in body]
    at = 1 + max((index for index, statement in enumerate(body) if _imports(statement)), default=-1)
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


def _imports(statement: cst.BaseStatement) -> bool:
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
