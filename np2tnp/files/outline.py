"""What the top level of a module binds, by Python's own parser: a tenth of the cost of the tree that edits need."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from np2tnp.files.replaced import ANY, replaced_in
from np2tnp.files.syntax import Trees

#: Assignments to attributes of anything but ``self`` and ``cls``, and texts that name what is patched.
_PATCHED = (
    # Each begins with plain text, which Python's search finds fast; with numbers, as a line may be of megabytes.
    re.compile(r"\.(?<!\bself\.)(?<!\bcls\.)(\w+)\s*(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)"),
    re.compile(r"setattr\((?<!\wsetattr\()\s*[\w.]+\s*,\s*[\"'](\w+)[\"']"),
    re.compile(r"patch(?<!\wpatch)(?:\.object)?\([^)\n]{0,999}?[\"'](?:[\w.]{0,999}\.)?(\w{1,999})[\"']"),
)


#: Methods by which a class takes part in Python's syntax.
_METHOD = re.compile(r"^[ \t]+(?:def[ \t]+)?(__\w+__)[ \t]*[(=]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Binding:
    """What one name of a module's top level is bound to.

    kind: "function", "class", "import", "value", or "several" where that is not one thing.
    detail: what is imported (``.ops.blur``, ``numpy``), or a literal's value.
    """

    kind: str
    detail: Any = None


SEVERAL = Binding("several")


@dataclass(slots=True)
class Outline:
    """The top level of one module."""

    names: dict[str, Binding] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)  #: modules of ``from m import *``, in order
    before: dict[str, int] = field(default_factory=dict)  #: how many of those come before a name is bound
    exported: tuple[str, ...] | None = None  #: ``__all__``, where it is a literal
    patched: frozenset[str] = frozenset()  #: names that some code of the module may replace in another module
    operators: frozenset[str] = frozenset()  #: those that its classes define: ``matmul`` for __matmul__, __rmatmul__

    def public(self) -> Iterable[str]:
        """The names that a star import takes, those of its own star imports left out."""
        if self.exported is not None:
            return self.exported
        return [name for name in self.names if not name.startswith("_")]


def outline_of(text: str, trees: Trees) -> Outline | None:
    """The outline of a module's text; None where it is not Python."""
    try:
        tree = trees.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = Outline(patched=patched_names(text))
    for statement in tree.body:
        _note(statement, found)
    found.operators = operators_of(_METHOD.findall(text))
    if re.search(r"^\s+global ", text, re.MULTILINE):
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                for name in node.names:
                    found.names[name] = SEVERAL
    for name in replaced_in(text, trees).own:
        found.names.update(dict.fromkeys(found.names if name == ANY else (name,), SEVERAL))
    return found


def operators_of(methods: Iterable[str]) -> frozenset[str]:
    """The operators that methods of these names stand for, and more that are none: ``init``."""
    names = {name.strip("_") for name in methods if name.startswith("__")}
    return frozenset(names | {name[1:] for name in names if name.startswith("r")})


@lru_cache(maxsize=256)  # of modules that others import it is asked twice
def patched_names(text: str) -> frozenset[str]:
    """Names that `text` may assign as attributes of modules: whatever they are in those is not certain any more."""
    return frozenset(match[1] for pattern in _PATCHED for match in pattern.finditer(text))


def _note(node: ast.stmt, found: Outline) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        _bind(found, node.name, Binding("function"))
    elif isinstance(node, ast.ClassDef):
        _bind(found, node.name, Binding("class"))
    elif isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            _bind(found, name, Binding("import", alias.name if alias.asname else name))
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                found.stars.append(module)
            else:
                full = f"{module}{alias.name}" if module.endswith(".") else f"{module}.{alias.name}"
                _bind(found, alias.asname or alias.name, Binding("import", full))
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        _note_assignment(node, found)
    elif isinstance(node, (ast.AugAssign, ast.Delete)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == "__all__":
            found.exported = None
        for target in [node.target] if isinstance(node, ast.AugAssign) else node.targets:
            for name in _names(target):
                found.names[name] = SEVERAL
    else:
        for name in _names_in(node):
            _bind(found, name, Binding("value"))
        for inner in _inner(node):
            _note(inner, found)


def _note_assignment(node: ast.Assign | ast.AnnAssign, found: Outline) -> None:
    if node.value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    try:
        literal = ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        literal = None
    for target in targets:
        names_public = isinstance(target, ast.Name) and target.id == "__all__"
        if names_public and isinstance(literal, (list, tuple)) and all(isinstance(item, str) for item in literal):
            found.exported = tuple(literal)
        simple = isinstance(target, ast.Name) and isinstance(literal, (bool, int, float, complex, str))
        for name in _names(target):
            _bind(found, name, Binding("value", literal if simple else None))


def _bind(found: Outline, name: str, binding: Binding) -> None:
    before = found.names.get(name)
    found.before[name] = len(found.stars)
    found.names[name] = binding if before is None or (before == binding and binding.kind == "import") else SEVERAL


def _names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _names(element)
    elif isinstance(target, ast.Starred):
        yield from _names(target.value)


def _names_in(node: ast.stmt) -> Iterator[str]:
    """Names that a compound statement's head or an expression binds."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        yield from _names(node.target)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            if item.optional_vars is not None:
                yield from _names(item.optional_vars)
    elif isinstance(node, ast.Expr):
        for part in ast.walk(node):
            if isinstance(part, ast.NamedExpr):
                yield part.target.id


def _inner(node: ast.stmt) -> Iterator[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())
    for handler in getattr(node, "handlers", ()):
        yield from handler.body
    for case in getattr(node, "cases", ()):
        yield from case.body
