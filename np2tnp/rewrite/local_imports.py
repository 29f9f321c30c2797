"""Imports of NumPy inside a function that nothing in it uses any more, once it is rewritten."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

#: With these a name may be used that is not written down.
_BY_TEXT = frozenset(("locals", "vars", "dir", "eval", "exec"))


def without_unused_imports(before: cst.BaseSuite, after: cst.BaseSuite) -> cst.BaseSuite:
    """`after` without those imports that `before` used and it does not. What has a comment stays."""
    if not any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in walk(after)):
        return after
    used = _names(after)
    if used & _BY_TEXT or any(isinstance(part, (cst.Global, cst.Nonlocal)) for part in walk(after)):
        return after
    done = after.visit(_Cleaner(_names(before) - used))
    assert isinstance(done, cst.BaseSuite)
    return done


class _Cleaner(cst.CSTTransformer):
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
