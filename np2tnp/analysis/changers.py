"""By what names code of a module's classes may update arrays in place where nobody wrote the call.

Python calls special methods, properties and descriptors where syntax or a builtin asks an object. Which class such an
object has is often not known, so it goes by names: a method may change an array where its text stores into something
that is not new, calls what is not known to leave arrays alone, or mentions the name of a method that may.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.special_names import MAKING, ORDER, RESUMED, asked_by, is_special
from np2tnp.analysis.domain.values import NO_NAMES
from np2tnp.analysis.leaving_alone import LeavingAlone, kinds_of_attributes, kinds_of_names
from np2tnp.analysis.module import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted, signature_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog

#: Attributes that everything has, or that say nothing of what runs.
_PLAIN = frozenset("__dict__ __doc__ __name__ __module__ __qualname__ __annotations__ __slots__ __all__".split())
#: Methods that Python's own functions call by name.
_PROTOCOL = frozenset("keys items close write read".split())
_DESCRIPTORS = frozenset(("__get__", "__set__", "__delete__"))
_WITH_PARAMETERS = (cst.FunctionDef, cst.Lambda)
_FORMS = frozenset("shape dtype strides real imag flat data".split())


class Changers:
    """What of a module's functions and methods may update in place an array that they did not make.

    changing: their names, of methods as ``name`` and as ``Class.name``.
    asked: those that Python calls without anybody writing it, and names of attributes that run such code.
    patched: special methods that are assigned to classes from outside.
    shown: names of attributes that may show what another attribute holds.
    """

    def __init__(self, module: ModuleInfo, catalog: Catalog) -> None:
        self.asked = self.patched = self.shown = self.changing = NO_NAMES
        everything = list(walk(module.node))  # walking is what takes time here
        if not any(type(node) is cst.ClassDef for node in everything):
            return
        self._alone = LeavingAlone(module, catalog)
        self._mentions: dict[str, set[str]] = defaultdict(set)
        self._changing: set[str] = set()
        self._attributes: set[str] = set()  # properties
        self._assigned: set[str] = set()  # in the bodies of classes, by calls
        self._found: dict[int, tuple[set[str], bool, set[str] | None]] = {}
        self._numbers, self._containers = kinds_of_attributes(everything)
        self._alone.containers = self._containers
        patched = self._patches(everything)
        for node in everything:
            if type(node) is cst.FunctionDef:
                self._read(node, [node.name.value])
            elif type(node) is cst.ClassDef:
                self._read_class(node)
        self._settle()
        changing = self._changing
        if not changing.isdisjoint(_DESCRIPTORS):
            self._attributes |= self._assigned
            changing |= self._assigned
            self._described = frozenset(self._assigned)
        found = {name for name in changing if is_special(name) or name in _PROTOCOL or name in self._attributes}
        found |= changing & {RESUMED}
        self.patched = frozenset(patched & changing) if "__class__" not in patched else frozenset(found)
        self.changing, self.asked = frozenset(changing), frozenset(found - MAKING)
        self.shown = frozenset(self._attributes | self._assigned)

    _generators: set[str]
    _managers: set[str]  #: generators that a ``with`` statement resumes
    _described: frozenset[str] = NO_NAMES  #: attributes that may be descriptors, where one changes anything

    def of_class(self, name: str, methods: Iterator[str]) -> frozenset[str]:
        """Those of the names `methods` that the class of this name itself defines so that they may change arrays."""
        return frozenset(it for it in methods if it in self._described or f"{name}.{it}" in self.changing)

    # ---- what is written

    def _patches(self, everything: list[cst.CSTNode]) -> set[str]:
        """Special methods that are assigned as attributes: ``Class.__len__ = function``."""
        found: set[str] = set()
        self._generators, self._managers = set(), set()
        for node in everything:
            if type(node) is not cst.Assign:
                continue
            for item in node.targets:
                name = item.target.attr.value if type(item.target) is cst.Attribute else ""
                if is_special(name) and name not in _PLAIN:
                    found.add(name)
                    self._read(node.value, [name])
        return found

    def _read_class(self, node: cst.ClassDef) -> None:
        for statement in _statements(node.body):
            if type(statement) is cst.FunctionDef:
                name = statement.name.value
                self._read(statement, [f"{node.name.value}.{name}"])
                if any(dotted(_made_by(it)) not in ("staticmethod", "classmethod") for it in statement.decorators):
                    self._attributes.add(name)
            elif type(statement) is cst.SimpleStatementLine:
                small: Any
                for small in statement.body:
                    targets = [it.target for it in small.targets] if type(small) is cst.Assign else []
                    targets += [small.target] if type(small) is cst.AnnAssign and small.value is not None else []
                    for target in targets:
                        if type(target) is not cst.Name or target.value in _PLAIN:
                            continue
                        value = small.value
                        if type(value) is cst.Call:
                            self._assigned.add(target.value)
                        if is_special(target.value) or type(value) in (cst.Name, cst.Lambda):
                            self._read(value, [target.value, f"{node.name.value}.{target.value}"])

    def _read(self, node: Any, names: list[str]) -> None:
        """Note of a function, or of what is assigned to such a name, whether it changes anything, and what it names."""
        if id(node) not in self._found:
            self._found[id(node)] = self._look(node)
        mentions, changes, resumed = self._found[id(node)]
        if resumed is not None:
            resumed.update(names)
        if changes:
            self._changing.update(names)
        for name in names:
            self._mentions[name] |= mentions

    def _look(self, node: Any) -> tuple[set[str], bool, set[str] | None]:
        """What it mentions, whether it changes anything itself, and among whom it is noted if it can be resumed."""
        function = type(node) is cst.FunctionDef
        parts = list(walk(node.body if function else node))
        mentions = {name for part in parts for name in asked_by(part)}
        mentions.update(_names_in(parts))
        resumed = None
        if function:
            mentions.update(name for it in node.decorators for name in _names_in(walk(it)))
            if any(type(part) is cst.Yield for part in parts):
                made_by = {dotted(_made_by(it)).rpartition(".")[2] for it in node.decorators}
                managers = {"contextmanager", "asynccontextmanager"} & made_by
                resumed = self._managers if managers else self._generators
        if function or type(node) is cst.Lambda:
            return mentions, self._changes(node), resumed
        return mentions, type(node) not in (cst.Name, cst.Attribute) and not _is_literal(node), resumed

    def _changes(self, function: Any) -> bool:
        """Whether its own text changes what it did not make, or calls what may."""
        parts, header = list(walk(function.body)), list(walk(function.params))
        made, new, containers = kinds_of_names(parts, header, self._alone)
        inside = {part.name.value for part in parts if type(part) is cst.FunctionDef}
        signatures = [part.params for part in (function, *parts, *header) if isinstance(part, _WITH_PARAMETERS)]
        given = {name.lstrip("*") for signature in signatures for name in signature_names(signature)}
        part: Any
        for part in parts:
            kind = type(part)
            if kind is cst.Call:
                if not self._alone.leaves(part, made, new | containers | given, inside, containers):
                    return True
            elif kind is cst.AugAssign:
                if not self._is_harmless_update(part.target, made, new | containers):
                    return True
            elif kind is cst.AssignTarget:
                if not all(self._is_harmless_store(it, made, new | containers) for it in _stored(part.target)):
                    return True
            elif kind in (cst.For, cst.CompFor, cst.AsName):
                target = part.name if kind is cst.AsName else part.target
                if any(type(it) is cst.Subscript for it in walk(target)):
                    return True
            elif kind is cst.Await:
                return True
        return False

    def _is_harmless_update(self, target: Any, made: set[str], own: set[str]) -> bool:
        if type(target) is cst.Name:
            return target.value in own
        if type(target) is cst.Attribute:
            return target.attr.value in self._numbers
        return _root(target) in made

    def _is_harmless_store(self, target: Any, made: set[str], own: set[str]) -> bool:
        if type(target) is cst.Attribute:
            return target.attr.value not in _FORMS or dotted(target.value) == "self"
        if type(target) is not cst.Subscript:
            return True
        base = target.value
        if type(base) is cst.Name and base.value in own:
            return True
        if type(base) is cst.Attribute and base.attr.value in self._containers:
            return True
        return _root(target) in made

    def _settle(self) -> None:
        """What names something that changes arrays may change them, too."""
        changing, mentions = self._changing, self._mentions
        more = True
        while more:
            more = False
            if not changing.isdisjoint(ORDER):  # an operator asks the other operand by the reflected method
                changing |= ORDER
            for name, named in mentions.items():
                if name not in changing and not named.isdisjoint(changing):
                    changing.add(name)
                    more = True
            for name in [name for name in changing if "." in name]:
                short = name.rpartition(".")[2]
                if short in MAKING:
                    short = name.rpartition(".")[0].rpartition(".")[2]  # who mentions the class may make one
                if short not in changing:
                    changing.add(short)
                    more = True
            for pseudo, generators in ((RESUMED, self._generators), ("__enter__", self._managers)):
                if pseudo not in changing and not changing.isdisjoint(generators):
                    changing.add(pseudo)
                    more = True


def _names_in(parts: Iterable[cst.CSTNode]) -> Iterator[str]:
    for part in parts:
        if type(part) is cst.Attribute:
            yield part.attr.value
        elif type(part) is cst.Name:
            yield part.value


def _statements(body: Any) -> list[Any]:
    return list(body.body) if type(body) is cst.IndentedBlock else [cst.SimpleStatementLine(body.body)]


def _stored(target: Any) -> Iterator[Any]:
    if type(target) in (cst.Tuple, cst.List):
        for element in target.elements:
            yield from _stored(element.value)
    else:
        yield target


def _root(target: Any) -> str:
    while type(target) in (cst.Subscript, cst.Attribute):
        target = target.value
    return target.value if type(target) is cst.Name else ""


def _made_by(decorator: cst.Decorator) -> cst.BaseExpression:
    node = decorator.decorator
    return node.func if type(node) is cst.Call else node


def _is_literal(node: Any) -> bool:
    return type(node) in (
        cst.Integer,
        cst.Float,
        cst.SimpleString,
        cst.Tuple,
        cst.List,
        cst.Dict,
        cst.ConcatenatedString,
    )


def changers_of(module: ModuleInfo, catalog: Catalog) -> Changers:
    """Those of a module, which are found once."""
    if module.changers is None:
        module.changers = Changers(module, catalog)
    return module.changers
