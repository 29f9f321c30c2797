"""A script's top level as a region: which of its names others read, and what keeps it from being one.

What functions, classes and other readers of the module's names see must hold NumPy's own arrays; a name that only
top-level statements use may hold a tensor.
"""

from __future__ import annotations

import re
import symtable
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import NO_NAMES
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import PARTS, walk

_SCOPES = (cst.FunctionDef, cst.ClassDef)
_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
#: Scopes of Python's symbol table that belong to the statement around them.
_OWN = frozenset(("lambda", "listcomp", "setcomp", "dictcomp", "genexpr"))
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.) (.*)$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")

#: Ways to the module's names besides their mention, as they are written.
_READERS = {
    "globals": "hands out the module's names",
    "exec": "runs a text that may use the module's names",
    "eval": "runs a text that may use the module's names",
    "execfile": "runs a text that may use the module's names",
    "breakpoint": "shows the module's names",
    "sys.modules": "hands out the module and its names",
    "sys._getframe": "hands out the names of callers",
    "inspect.currentframe": "hands out the names of callers",
    "inspect.stack": "hands out the names of callers",
    "pdb.set_trace": "shows the module's names",
    "code.interact": "shows the module's names",
    "IPython.embed": "shows the module's names",
}
#: As these, where they are called without arguments outside of functions.
_NAMESPACES = {"vars": "hands out the module's names", "locals": "hands out the module's names"}
#: Modules whose children are copies of this process, or run the script again.
_PROCESSES = frozenset(("multiprocessing", "joblib", "pathos", "loky", "billiard", "concurrent.futures.process"))


@dataclass(frozen=True, slots=True)
class Script:
    """What is to know of a script before its top level is interpreted.

    lambdas: ids of those that only top-level statements call, by a name of their own.
    obstacles: what keeps the top level in NumPy, with the place.
    """

    shared: frozenset[str] = NO_NAMES
    lambdas: frozenset[int] = frozenset()
    obstacles: tuple[tuple[cst.CSTNode, str], ...] = ()


def script_of(tree: cst.Module, text: str) -> Script:
    """`text` and its tree as a script. Raises SyntaxError for what this Python's own compiler refuses."""
    shared = _names_in_scopes(tree, text) | _exported(tree)
    for line in _DOCTEST.findall(text):
        shared.update(_WORD.findall(line))
    own: set[int] = set()
    bound = _bound_before(tree)
    names = _called_lambdas(tree, shared)
    for node in outside(tree):
        if isinstance(node, cst.Lambda):
            free = _free(node)
            if id(node) in names and all(bound.get(name, 0) == 1 for name in free & bound.keys()):
                own.add(id(node))
            else:
                shared |= free
    return Script(frozenset(shared), frozenset(own), tuple(_obstacles(tree, shared)))


def _names_in_scopes(tree: cst.Module, text: str) -> set[str]:
    """The module's names that functions and classes read or bind, in their heads too."""
    defined = {node.name.value for node in walk(tree) if isinstance(node, _SCOPES)}
    found: set[str] = set()
    pending = [
        table
        for table in symtable.symtable(text, "<script>", "exec").get_children()
        if table.get_name() not in _OWN - defined
    ]
    while pending:
        table = pending.pop()
        in_class = table.get_type() == "class"
        for symbol in table.get_symbols():
            if symbol.is_global() or (in_class and symbol.is_referenced()):
                found.add(symbol.get_name())
        pending += table.get_children()
    for node in walk(tree):
        heads: list[Any] = []
        if isinstance(node, cst.FunctionDef):
            parameters = parameters_of(node.params)
            heads = [node.decorators, node.returns, *(part for p in parameters for part in (p.default, p.annotation))]
        elif isinstance(node, cst.ClassDef):
            heads = [node.decorators, node.bases, node.keywords]
        found.update(part.value for head in heads for part in walk(head) if isinstance(part, cst.Name))
    return found


def _exported(tree: cst.Module) -> set[str]:
    """The names in ``__all__``."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)):
            targets = [item.target for item in node.targets] if isinstance(node, cst.Assign) else [node.target]
            if any(dotted(target) == "__all__" for target in targets) and node.value is not None:
                found.update(str(item.evaluated_value) for item in walk(node.value) if type(item) is cst.SimpleString)
    return found


def outside(tree: Any) -> Iterator[cst.CSTNode]:
    """All nodes outside of functions and classes, in source order."""
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, cst.CSTNode):
            yield node
        stack.extend(reversed(PARTS[type(node)](node)))


def target_names(target: cst.CSTNode) -> frozenset[str]:
    """The names that an assignment to `target` binds."""
    if isinstance(target, cst.Name):
        return frozenset((target.value,))
    if isinstance(target, (cst.Tuple, cst.List)):
        return frozenset().union(*(target_names(element.value) for element in target.elements))
    return target_names(target.value) if isinstance(target, cst.StarredElement) else NO_NAMES


def _bound_before(tree: cst.Module) -> Counter[str]:
    """How often top-level statements bind each name."""
    found: Counter[str] = Counter()
    for node in outside(tree):
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr)):
            again = 2 if isinstance(node, (cst.For, cst.AugAssign)) else 1
            found.update(dict.fromkeys(target_names(node.target), again))
        elif isinstance(node, cst.AsName) and isinstance(node.name, (cst.Name, cst.Tuple, cst.List)):
            found.update(target_names(node.name))
        if isinstance(node, (cst.For, cst.While)):
            for inner in outside(node.body):
                if isinstance(inner, cst.AssignTarget):
                    found.update(target_names(inner.target))
    return found


def _called_lambdas(tree: cst.Module, shared: set[str]) -> set[int]:
    """Lambdas that are the one value of a name which nobody but top-level statements uses, and only to call it."""
    mentions = Counter(node.value for node in walk(tree) if isinstance(node, cst.Name))
    calls = Counter(n.func.value for n in outside(tree) if isinstance(n, cst.Call) and isinstance(n.func, cst.Name))
    found: set[int] = set()
    for node in outside(tree):
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Lambda) and len(node.targets) == 1:
            name = dotted(node.targets[0].target)
            if name.isidentifier() and name not in shared and mentions[name] == calls[name] + 1:
                found.add(id(node.value))
    return found


def _free(node: Any) -> set[str]:
    """The names that an expression takes from outside of itself."""
    if isinstance(node, cst.Name):
        return {node.value}
    if isinstance(node, cst.Attribute):
        return _free(node.value)
    if isinstance(node, cst.Arg):
        return _free(node.value)
    if isinstance(node, cst.Lambda):
        parameters = parameters_of(node.params)
        defaults = _free(tuple(p.default for p in parameters if p.default is not None))
        return defaults | (_free(node.body) - {parameter.name.value for parameter in parameters})
    if isinstance(node, _COMPREHENSIONS):
        first = _free(node.for_in.iter)
        bound: set[str] = set()
        clause: cst.CompFor | None = node.for_in
        while clause is not None:
            bound |= target_names(clause.target)
            clause = clause.inner_for_in
        inner = set().union(*(_free(part) for part in PARTS[type(node)](node)))
        return first | (inner - bound)
    return set().union(*(_free(part) for part in PARTS[type(node)](node)))


def _obstacles(tree: cst.Module, shared: set[str]) -> Iterator[tuple[cst.CSTNode, str]]:
    """What lets somebody see the names of the top level whom the analysis does not know, or binds unknown ones."""
    at_top = {id(node) for node in outside(tree)}
    comments = {id(node.value) for node in walk(tree) if isinstance(node, cst.Expr)}  # docstrings among them
    for node in walk(tree):
        if isinstance(node, cst.Call):
            name = dotted(node.func)
            words = _READERS.get(name)
            if words is None and name in _NAMESPACES and not node.args and id(node) in at_top:
                words = _NAMESPACES[name]
            if words is not None:
                yield node, f"{name}() {words}"
        elif isinstance(node, cst.Attribute) and dotted(node) == "sys.modules":
            yield node, f"sys.modules {_READERS['sys.modules']}"
        elif isinstance(node, cst.SimpleString):
            if "__main__" in node.value and node.value.strip("\"'rRuU") != "__main__" and id(node) not in comments:
                yield node, "a text mentions __main__, which has the module's names"
        elif isinstance(node, cst.NamedExpr) and target_names(node.target) & shared and id(node) in at_top:
            yield node, "a name that functions read is assigned by :="
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            yield from _of_import(node)


def _of_import(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[cst.CSTNode, str]]:
    if isinstance(node, cst.Import):
        names = [dotted(alias.name) for alias in node.names]
    else:
        module = dotted(node.module) if node.module is not None else ""
        if isinstance(node.names, cst.ImportStar):
            if module.partition(".")[0] != "numpy":
                yield node, f"a star import of {module or 'a package'} binds names that are not known"
            return
        names = [f"{module}.{dotted(alias.name)}" for alias in node.names]
    for name in names:
        if name.partition(".")[0] in _PROCESSES or name.startswith("concurrent.futures.Process"):
            yield node, f"{name}: its processes are forked from one that ran TensorFlow, or run the script again"
        elif name.split(".")[0] == "__main__":
            yield node, "__main__ has the module's names"
