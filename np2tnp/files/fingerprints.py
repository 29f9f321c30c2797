"""What tells a finding from others by the code that it is about, wherever that stands and however it is laid out."""

from __future__ import annotations

import ast
import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence

from np2tnp.model import Finding

#: Fields that say nothing of what code does.
_UNTOLD = ("ctx", "kind", "type_comment", "type_ignores")
#: Fields of statements that hold others: a finding about one is about its head.
_HELD = ("body", "orelse", "finalbody", "handlers", "cases")

_Range = tuple[int, int, int, int]
#: The nearest nodes with a place below a node: many findings are below the same.
_Known = dict[ast.AST, list[tuple[_Range, ast.AST]]]


def fingerprints(text: str, findings: Sequence[Finding]) -> list[str]:
    """One for each finding: of its code, its function's name, and the tree of the code that it points at.

    So spaces, line breaks, quotes, comments, indentation and the line make no difference. Findings of equal code in one
    function have the same.
    """
    try:
        tree = ast.parse(text) if findings else ast.Module([], [])
    except (SyntaxError, ValueError, RecursionError):
        tree = ast.Module([], [])
    lines = list(io.StringIO(text, newline=""))  # as Python counts them
    known: _Known = {}
    found = []
    for finding in findings:
        name = finding.region.rpartition(".")[2]
        told = "\0".join((finding.code, name, _told(tree, finding, lines, known)))
        found.append(hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()[:16])
    return found


def _told(tree: ast.Module, finding: Finding, lines: Sequence[str], known: _Known) -> str:
    span = finding.span
    wanted = (
        span.line,
        _offset(lines, span.line, span.column),
        span.end_line,
        _offset(lines, span.end_line, span.end_column),
    )
    node: ast.AST = tree
    while True:
        placed = known.get(node)
        if placed is None:
            placed = known[node] = [(_range(item), item) for item in _placed(node)]
        inside = [item for found, item in placed if found[0] >= wanted[0] and _is_within(found, wanted)]
        if inside:
            return ",".join(_dump(item) for item in inside)
        around = next((item for found, item in placed if found[0] <= wanted[0] and _is_within(wanted, found)), None)
        if around is None:
            break
        node = around
    if node is tree:  # no code, or none that this Python reads
        return "".join("".join(lines[span.line - 1 : span.end_line]).split())
    return _dump(node)


def _placed(node: ast.AST) -> Iterator[ast.AST]:
    """The nearest nodes below that have a place in the text."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _placed(child)


def _range(node: ast.AST) -> _Range:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _is_within(inner: _Range, outer: _Range) -> bool:
    return inner[:2] >= outer[:2] and inner[2:] <= outer[2:]


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    """A column as Python's tree counts it."""
    return len(lines[line - 1][: column - 1].encode(errors="surrogatepass")) if 0 < line <= len(lines) else 0


def _dump(node: object, top: bool = True) -> str:
    """As ``ast.dump``, which differs from Python to Python."""
    if isinstance(node, list):
        return f"[{','.join(_dump(item, False) for item in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    is_head = top and isinstance(node, ast.stmt)
    parts: Iterable[str] = (
        f"{name}={_dump(value, False)}"
        for name, value in ast.iter_fields(node)
        if value not in (None, []) and name not in _UNTOLD and not (is_head and name in _HELD)
    )
    return f"{type(node).__name__}({','.join(parts)})"
