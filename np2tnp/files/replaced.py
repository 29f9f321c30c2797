"""What a module replaces while it runs: functions in NumPy's namespace, and names of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from np2tnp.files.syntax import Trees

_NOTHING: frozenset[str] = frozenset()
#: Modules whose functions the analysis knows.
_ROOTS = ("numpy", "builtins")
#: Any name of a namespace.
ANY = "*"

_ALIAS = re.compile(
    r"numpy[\w.]*\s+as\s+(\w+)|from\s+numpy[\w.]*\s+import\s+(\([^)]*\)|[^\n#]+)"
    r"|^[ \t]*(\w+)\s*=\s*(?:np|numpy)\b(?!\.)",
    re.MULTILINE,
)
_ASSIGNED = r"(?:[-+*/%@&|^]|//|\*\*|<<|>>|:[^\n=()]*)?=(?!=)"
#: What may stand before one of several targets of an assignment.
_TARGETS = re.compile(r"[ \t]*[(\[]?(?:[\w.]+\s*,\s*)*")
#: What reaches the dictionary of this module, or a module by a text. Most texts hold none of these.
_NEEDLES = ("globals()", "vars()", "locals()[", "modules[", "builtins.", "import_module(", "__import__(")
#: ``setattr(np, ...)``, ``patch.object(np, ...)``, ``vars(np)``: how the name of the function ends. A pattern that
#: begins with plain text is searched for ten times as fast as one that begins with a choice.
_ENDS = ("attr", "item", "object", "dict", "multiple", "attr__", "vars")
#: ``mock.patch("numpy.ones")``, ``"ours.module.np.ones"``.
_QUOTED = tuple(f"{before}{name}." for name in ("numpy", "np", "builtins") for before in "\"'.")
_IN_QUOTES = re.compile(r"\(\s*[rbuf]?[\"'](?:[^\"'\n]*\.)?(?:numpy|np|builtins)\.")


@dataclass(frozen=True, slots=True)
class Replaced:
    """outside: names of NumPy's and builtins that the module assigns, ``numpy.ones``; ``numpy.*``: any of them.

    own: names of the module itself that are rebound through its dictionary; ``*`` where the name is not known.
    lines: the numbers of the lines with these assignments, by what they replace.
    """

    outside: frozenset[str] = _NOTHING
    own: frozenset[str] = _NOTHING
    lines: tuple[tuple[str, int], ...] = ()


_NONE = Replaced()
#: Functions that replace what their second argument names in what their first one is.
_SETTERS = frozenset("setattr delattr object dict multiple setitem delitem __setattr__ __delattr__".split())


@lru_cache(maxsize=256)  # asked of a module and of all that import it
def replaced_in(text: str, trees: Trees) -> Replaced:
    """What the code of a module replaces, at its top level or in any function; nothing where it is not Python."""
    if not may_replace(text):
        return _NONE
    try:
        tree = trees.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _NONE
    search = _Search(tree)
    found = sorted(set(search.found()))
    return Replaced(
        frozenset(name for name, _ in found if not name.startswith("own.")),
        frozenset(name.removeprefix("own.") for name, _ in found if name.startswith("own.")),
        tuple(found),
    )


@lru_cache(maxsize=256)  # of modules that others import it is asked twice
def may_replace(text: str) -> bool:
    """Whether the text looks as if it replaced something; cheap, and never wrong where it says no."""
    if any(needle in text for needle in _NEEDLES):
        return True
    if "numpy" not in text:
        return False
    if any(quoted in text for quoted in _QUOTED) and _IN_QUOTES.search(text):
        return True
    names = {"numpy", "np", "builtins"}
    for match in _ALIAS.finditer(text):
        names.update(re.findall(r"\w+", " ".join(filter(None, match.groups()))))
    roots = "|".join(sorted(names))
    member = rf"(?:{roots})(?:\.\w+){{1,9}}"  # with a limit, here and below: a line may be of megabytes
    for match in re.finditer(rf"\b{member}\s*(?:{_ASSIGNED}|(,)[^\n=(]{{0,500}}=(?!=))", text):
        start = text.rfind("\n", 0, match.start()) + 1
        if match[1] is None or _TARGETS.fullmatch(text, start, match.start()):
            return True
    return any(re.search(pattern, text, re.MULTILINE) for pattern in _patterns(roots, member, text))


def _patterns(roots: str, member: str, text: str) -> Iterator[str]:
    """What else the replacing of a `member` of one of the modules `roots` (a choice of names) looks like."""
    yield rf"for\s[^\n:(]{{0,200}}\b{member}[^\n:(]{{0,200}}\bin\b"
    yield rf"as\s+\(?{member}"
    yield rf"del\s[^\n]{{0,500}}\b{member}"
    for end in _ENDS:
        if end in text:
            yield rf"{end}\s*\(\s*(?:{roots})\b"
    if "locals()" in text:
        yield r"^\w+\s*=\s*locals\(\)"
    if "__dict__" in text:
        yield rf"\b(?:{roots})(?:\.\w+){{0,9}}\.__dict__"


def replaced_by(name: str, replaced: Mapping[str, str]) -> str:
    """Why the canonical `name` may be something else than it says; "" where it is not replaced.

    replaced: where each name was replaced, in words.
    """
    owner, known = "", ""
    for part in name.split("."):
        known = known or replaced.get(f"{owner}.{ANY}", "")
        owner = f"{owner}.{part}" if owner else part
        known = known or replaced.get(owner, "")
    return f"{name} is replaced in {known}" if known else ""


@lru_cache(maxsize=256)  # a module is opened more than once
def imports_of(text: str, trees: Trees) -> list[str]:
    """The modules that a module's code imports, as it names them; of ``from m import name`` m and ``m.name``."""
    try:
        tree = trees.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: dict[str, None] = {}
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            found.update(dict.fromkeys(alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found[module] = None
            dot = "" if module.endswith(".") else "."
            found.update(dict.fromkeys(f"{module}{dot}{alias.name}" for alias in node.names if alias.name != "*"))
    return list(found)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """All statements: few of the nodes of a tree are."""
    stack: list[ast.stmt] = list(tree.body)
    while stack:
        node = stack.pop()
        yield node
        for name in ("body", "orelse", "finalbody"):
            stack.extend(getattr(node, name, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            stack.extend(part.body)


class _Search:
    """Finds stores into NumPy's modules and into the module's own dictionary."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes = list(ast.walk(tree))
        self.modules: dict[str, str] = {}  # names of the module -> NumPy's modules
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.partition(".")[0]
                    if root in _ROOTS:
                        self.modules[alias.asname or root] = alias.name if alias.asname else root
            elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in _ROOTS:
                self.modules.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
        more = True
        while more:  # module = np
            more = False
            for node in self.nodes:
                if isinstance(node, ast.Assign):
                    name = self._numpy(node.value)
                    for target in node.targets if name else ():
                        if isinstance(target, ast.Name) and target.id not in self.modules:
                            self.modules[target.id] = name
                            more = True

    def found(self) -> Iterator[tuple[str, int]]:
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
                yield from self._at(node, self._owner(node.value), node.attr)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
                owner, name = self._dictionary(node.value), _text(node.slice)
                if owner != "own" or name != ANY or isinstance(node.ctx, ast.Store):
                    yield from self._at(node, owner, name)  # `del globals()[name]` gives nothing another value
            elif isinstance(node, ast.Call):
                yield from self._called(node)
            elif isinstance(node, ast.Assign) and (owner := self._dictionary(node.value)):
                yield f"{owner}.{ANY}", node.lineno  # under another name it is not followed

    def _at(self, node: ast.expr, owner: str, name: str) -> Iterator[tuple[str, int]]:
        if owner:
            yield f"{owner}.{name}", node.lineno

    def _called(self, node: ast.Call) -> Iterator[tuple[str, int]]:
        function = node.func
        last = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        first = node.args[0] if node.args else None
        if last in _SETTERS and first:
            owner = self._owner(first) or self._dictionary(first)
            if owner and last in ("dict", "multiple"):
                yield f"{owner}.{ANY}", node.lineno
            elif owner:
                yield from self._at(node, owner, _text(node.args[1]) if len(node.args) > 1 else ANY)
            elif isinstance(first, ast.Constant):
                yield from _named(first, node.lineno)
        elif last == "patch" and isinstance(first, ast.Constant):
            yield from _named(first, node.lineno)
        elif last in ("update", "setdefault", "pop", "__setitem__", "clear", "popitem") and isinstance(
            function, ast.Attribute
        ):
            owner = self._dictionary(function.value)
            if not owner:
                return
            if last == "update":
                names = [keyword.arg or ANY for keyword in node.keywords] + [ANY] * len(node.args)
            else:
                names = [_text(first)] if first is not None else [ANY]
            for name in names:
                yield f"{owner}.{name}", node.lineno

    def _owner(self, node: ast.expr) -> str:
        """The NumPy module that `node` is, "own" for the module itself, or ""."""
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("modules"):
            key = node.slice
            if isinstance(key, ast.Name):
                return "own" if key.id == "__name__" else ""
            return _module(key)
        return self._numpy(node)

    def _dictionary(self, node: ast.expr) -> str:
        """Whose dictionary `node` is."""
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return self._owner(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "globals" or (node.func.id in ("vars", "locals") and not node.args):
                return "own"
            if node.func.id == "vars":
                return self._owner(node.args[0])
        return ""

    def _numpy(self, node: ast.expr) -> str:
        """The canonical name of what is NumPy's, or ""."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self._owner(node.value)
            if node.attr == "__dict__":
                return owner
            return f"{owner}.{node.attr}" if owner not in ("", "own") else ""
        if isinstance(node, ast.Call) and node.args:
            imports = ast.unparse(node.func).endswith(("import_module", "__import__"))
            return _module(node.args[0]) if imports else ""
        return ""


def _module(node: ast.expr) -> str:
    """The module of those that the analysis knows which a text names, or ""."""
    name = _text(node)
    return name if name.partition(".")[0] in _ROOTS else ""


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ANY


def _named(node: ast.Constant, line: int) -> Iterator[tuple[str, int]]:
    """``mock.patch("numpy.ones")``, ``mock.patch("ours.module.np.ones")``."""
    parts = str(node.value).split(".")
    for name, module in (("numpy", "numpy"), ("np", "numpy"), ("builtins", "builtins")):
        if name in parts[:-1]:
            yield ".".join([module, *parts[parts.index(name) + 1 :]]), line
            return
