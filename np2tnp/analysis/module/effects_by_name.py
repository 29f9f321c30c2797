"""May this code update an array that it was not given? By the names that it calls, of the module's classes and of
others.
"""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.special_names import MAKING, ORDER, RESUMED, asked_by, is_special
from np2tnp.analysis.domain.values import NO_NAMES, Array, Class, Const, Function, Scalar, Sequence, Symbol, Value
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.python_tables import (
    CALLERS,
    CONTAINER_MUTATORS,
    HARMLESS_METHODS,
    IN_PLACE_METHODS,
    MEMBERS,
)
from np2tnp.analysis.syntax.scopes import dotted, signature_names, target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog

# --- Whether code that is not in sight runs while a part of a function does: it might change what objects hold

#: Builtins that only look at what they get, and those that may give it back.
LOOKING = frozenset(f"builtins.{name}" for name in "len float int bool complex print repr str format abs".split())
_CHOOSING = frozenset(
    f"builtins.{name}" for name in "range round min max sum isinstance type slice zip enumerate".split()
)
#: Functions of NumPy's that call others.
CALLING = frozenset(
    f"numpy.{name}"
    for name in "apply_along_axis apply_over_axes piecewise vectorize frompyfunc fromfunction fromiter select".split()
)
#: Special methods that run when an object is made, and no other time.
_MAKING = frozenset(("__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__del__"))
#: ... and those that only tell of an object.
_SHOWING = frozenset(("__repr__", "__str__", "__format__"))
_STOPS = frozenset((cst.Await, cst.Yield, cst.NamedExpr, cst.With))
_TRUTHS = frozenset((cst.If, cst.While, cst.BooleanOperation, cst.IfExp, cst.Assert))


class OtherCode:
    """Asks the events of an interpreter's look at a function.

    `lifts`: whether it also counts where a method is called that only reads its object: it may put tensors there.
    """

    def __init__(self, look: Any, lifts: bool = False) -> None:
        self.look = look
        #: what classes of the module do where syntax asks them: such an object may be anything that is not known
        self.special: set[str] = set()
        self.properties: set[str] = set()
        for info in look.module.functions.values():
            name = info.qualname.rpartition(".")[2].partition("#")[0]
            if info.owner is None or name in _MAKING:
                continue
            does = _may_change(info.node, look.module.has_method)
            if name.startswith("__") and (does or lifts):
                self.special.add(name)
            if info.kind != "method" and does:
                self.properties.add(name)
        self.operators = self.special - _SHOWING - {"__len__", "__bool__", "__getitem__", "__setitem__"}

    def may_run(self, node: Any) -> bool:
        """Whether any runs between the beginning and the end of `node`."""
        return any(map(self._runs, walk(node)))

    def _runs(self, part: Any) -> bool:
        kind = type(part)
        if kind in _STOPS:
            return True
        if kind is cst.Call:
            return self._calls(part)
        if kind is cst.Attribute:
            return part.attr.value in self.properties
        if kind is cst.For or kind is cst.CompFor:
            return not _is_plain_iteration(part.iter, self.look)
        if not self.special:
            return False
        if kind is cst.Subscript:
            read = self._event(ev.Read, part) or self._event(ev.Store, part)
            return bool(self.special & {"__getitem__", "__setitem__"}) and (read is None or not _is_plain(read.base))
        if kind is cst.BinaryOperation or kind is cst.UnaryOperation or kind is cst.Comparison:
            operator = self._event(ev.Operator, part)
            return bool(self.operators) and (operator is None or not all(map(_is_plain, operator.operands)))
        if kind is cst.AugAssign:
            stored = self._event(ev.Store, part.target) or self._event(ev.AttributeStore, part.target)
            known = stored is not None and _is_plain(stored.base) and _is_plain(stored.value)
            return bool(self.operators) and not known
        if kind in _TRUTHS:
            asked = not isinstance(getattr(part, "test", None), cst.Comparison)
            return asked and bool(self.special & {"__bool__", "__len__"})
        return kind is cst.FormattedStringExpression and bool(self.special & _SHOWING)

    def _calls(self, call: Any) -> bool:
        event = self._event(ev.Call, call)
        if event is None:
            return True
        if event.api is not None:
            fact = self.look.catalog.get(event.api)
            if event.api in CALLING or fact is None or fact.mutates:
                return True
            return any(item.name == "out" or item.star for item in event.arguments)
        objects = bool(self.special) and not all(_is_plain(item.value) for item in event.arguments)
        if isinstance(event.callee, Symbol):
            return objects or event.callee.name not in LOOKING | _CHOOSING
        if isinstance(event.callee, Function) and not event.callee.nested:
            summary = self.look.services.summary(event.callee)
            quiet = summary is not None and summary.quiet and not (summary.mutates or summary.changeable)
            return objects or not quiet
        return True

    def _event(self, kind: type, node: Any) -> Any:
        return self.look.recorded.get((kind, id(node)))


def _is_plain(value: Value) -> bool:
    """Whether it is no object of a class of the project."""
    if isinstance(value, Sequence):
        return all(map(_is_plain, value.items)) if value.items is not None else _is_plain(value.element)
    return isinstance(value, (Array, Const, Scalar, Symbol))


def _is_plain_iteration(node: Any, look: Any) -> bool:
    """Whether a loop goes over numbers or an array, which run no code."""
    if type(node) is cst.Call:
        event = look.recorded.get((ev.Call, id(node)))
        callee = event.callee if isinstance(event, ev.Call) else None
        if isinstance(callee, Symbol) and callee.name in ("builtins.zip", "builtins.enumerate"):
            return all(_is_plain(item.value) and not _is_lazy(item.value) for item in event.arguments)
        return (isinstance(callee, Symbol) and callee.name == "builtins.range") or (
            isinstance(event, ev.Call) and event.api is not None and not _is_lazy(event.result)
        )
    return isinstance(node, (cst.Tuple, cst.List))


def _is_lazy(value: Value) -> bool:
    return isinstance(value, Sequence) and value.type in ("iterator", "map", "dict view")


def _may_change(function: cst.FunctionDef, has_method: Callable[[str], bool]) -> bool:
    """Whether a method may change an array, or calls what may; `has_method`: of the module's own methods, by name."""
    for part in walk(function.body):
        kind = type(part)
        if kind in (cst.AugAssign, cst.Del, cst.With, cst.For, cst.Yield, cst.Await):
            return True
        if kind is cst.AssignTarget and type(part.target) is not cst.Name:  # type: ignore[attr-defined]
            return True
        if kind is cst.Call:
            func = part.func  # type: ignore[attr-defined]
            name = func.attr.value if type(func) is cst.Attribute else getattr(func, "value", "")
            if type(func) is cst.Attribute:
                known = name in MEMBERS - IN_PLACE_METHODS and not has_method(name)
            else:
                known = f"builtins.{name}" in LOOKING
            if not known and not dotted(func).startswith(("np.", "numpy.")):
                return True
    return False


# --- Whether a call, as it is written, certainly leaves alone the arrays that others hold

#: Builtins that change nothing by themselves; what they ask objects, and call, is looked at apart.
_BUILTINS = frozenset(
    "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset getattr"
    " hasattr hash hex id int isinstance issubclass iter len list map max min next object oct ord pow print property"
    " range repr reversed round set slice sorted str sum super tuple type vars zip".split()
)
_EXCEPTIONS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)
#: Modules of Python's whose functions do not store into arrays.
_MODULES = frozenset(
    "abc collections contextlib copy dataclasses datetime decimal enum fractions functools inspect itertools json"
    " logging math numbers operator os pathlib re string sys textwrap threading time types typing warnings".split()
)
_PYTHONS = HARMLESS_METHODS | CONTAINER_MUTATORS
_DISPLAYS = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)
_NUMBERS = (cst.Integer, cst.Float)
_LITERALS = (*_NUMBERS, cst.Imaginary, cst.SimpleString, cst.FormattedString)


class LeavingAlone:
    """Asks the names of one module."""

    def __init__(self, module: ModuleInfo, catalog: Catalog) -> None:
        self.module = module
        self.catalog = catalog
        self.containers: frozenset[str] = frozenset()  #: attributes that only get new containers

    def leaves(self, call: cst.Call, new: set[str], own: set[str], inside: set[str], held: set[str]) -> bool:
        """Whether what is called changes nothing by itself, or is a function of the module, which is looked at.

        `new`: names of arrays made here; `own`: of all that the function binds; `inside`: of functions in it;
        `held`: of containers made here.
        """
        func = call.func
        if type(func) is cst.Lambda:
            return True
        name = self._canonical(func, own)
        if name is not None:
            return self._by_name(name, call, new, own)
        if type(func) is cst.Name:
            return func.value in inside or isinstance(self.module.values.get(func.value), (Function, Class))
        if type(func) is not cst.Attribute:
            return False
        method = func.attr.value
        owner = dotted(func.value)
        if method == "__setattr__" and (owner == "object" or _is_super(func.value)):
            return True
        if method in IN_PLACE_METHODS:
            return type(func.value) is cst.Name and func.value.value in new
        if any(item.keyword is not None and item.keyword.value == "out" for item in call.args):
            return False
        if self.module.has_method(method) or (_is_super(func.value) and method[:2] == "__"):
            return True
        return method in MEMBERS or (method in _PYTHONS and self._is_pythons(func.value, held))

    def _is_pythons(self, node: cst.BaseExpression, held: set[str]) -> bool:
        """Whether it certainly is a container or a text: names of methods that these have, others' may have, too."""
        if type(node) is cst.Name:
            return node.value in held or isinstance(self.module.values.get(node.value), (Sequence, Symbol))
        if type(node) is cst.Attribute:
            return node.attr.value in self.containers or node.attr.value == "__dict__"
        return isinstance(node, (*_DISPLAYS, cst.SimpleString, cst.FormattedString, cst.ConcatenatedString))

    def _by_name(self, name: str, call: cst.Call, new: set[str], own: set[str]) -> bool:
        first, _, rest = name.partition(".")
        if first == "builtins":
            return (rest in _BUILTINS or rest in _EXCEPTIONS) and not self._calls_given(call, own)
        if first == "numpy":
            fact = self.catalog.get(name)
            if any(item.keyword is not None and item.keyword.value == "out" for item in call.args):
                return False
            if fact is None or fact.mutates:
                target = call.args[0].value if call.args else None
                return type(target) is cst.Name and target.value in new
            return not (name in CALLERS or name in CALLING) or not self._calls_given(call, own)
        known = self.catalog.is_pure(name) or first in _MODULES
        return known and not name.startswith(("operator.i", "operator.set")) and not self._calls_given(call, own)

    def _calls_given(self, call: cst.Call, own: set[str]) -> bool:
        """Whether it may call a function that stands in a name or attribute which nobody knows."""
        keyed = [it.value for it in call.args if it.keyword is not None and it.keyword.value in ("key", "default")]
        name = dotted(call.func).rpartition(".")[2]
        first = [call.args[0].value] if call.args and name in _FIRST else []
        for node in (*keyed, *first):
            if type(node) is cst.Lambda:
                continue
            if type(node) is cst.Name and (node.value not in own or node.value == "None"):
                continue
            if type(node) is cst.Attribute and self.module.has_method(node.attr.value):
                continue
            if type(node) in (cst.Name, cst.Attribute, cst.Call, cst.Subscript):
                return True
        return False

    def _canonical(self, func: Any, own: set[str]) -> str | None:
        """The canonical name of what is called, where it is from outside of the project."""
        text = dotted(func)
        first, _, rest = text.partition(".")
        if not text or first in own:
            return None
        value = self.module.values.get(first)
        if value is None:
            return f"builtins.{text}" if not rest else None
        if isinstance(value, Symbol):
            return f"{value.name}.{rest}" if rest else value.name
        return None

    def is_new(self, node: cst.BaseExpression, own: set[str]) -> bool:
        """Whether the value of an expression is a number, a text or an array that nobody else has."""
        if isinstance(node, _LITERALS):
            return True
        if type(node) is not cst.Call:
            return False
        name = self._canonical(node.func, own)
        if name is None:
            return type(node.func) is cst.Attribute and node.func.attr.value == "copy"
        if name.startswith("builtins."):
            return name[9:] in ("len", "int", "float", "abs", "sum", "round", "str", "bool", "complex")
        fact = self.catalog.get(name) if name.startswith("numpy.") else None
        return fact is not None and fact.effect == "fresh" and not fact.mutates and fact.gives_back is None


#: What calls its first argument.
_FIRST = frozenset(
    "map filter reduce partial starmap takewhile dropwhile filterfalse vectorize frompyfunc fromfunction"
    " apply_along_axis apply_over_axes".split()
)


def _is_super(node: cst.BaseExpression) -> bool:
    return type(node) is cst.Call and type(node.func) is cst.Name and node.func.value == "super"


def kinds_of_names(
    body: Iterable[cst.CSTNode], header: Iterable[cst.CSTNode], alone: LeavingAlone
) -> tuple[set[str], set[str], set[str]]:
    """The names of a function, given by all nodes of its body and of its parameters, that only hold what it made.

    Those of arrays that NumPy made and numbers, those of what operators gave as well, and those of containers.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for part in body:
        kind = type(part)
        if kind is cst.Assign:
            for item in part.targets:  # type: ignore[attr-defined]
                if type(item.target) is cst.Name:
                    found[item.target.value].add(_kind(part.value, alone))  # type: ignore[attr-defined]
                else:
                    for name in target_names(item.target):
                        found[name].add("other")
        elif kind in (cst.AnnAssign, cst.NamedExpr):
            for name in target_names(part.target):  # type: ignore[attr-defined]
                found[name].add(_kind(part.value, alone) if part.value is not None else "made")  # type: ignore[attr-defined]
        elif kind in (cst.For, cst.CompFor):
            numbers = type(part.iter) is cst.Call and dotted(part.iter.func) == "range"  # type: ignore[attr-defined]
            for name in target_names(part.target):  # type: ignore[attr-defined]
                found[name].add("made" if numbers else "other")
        elif kind in (cst.AsName, cst.MatchAs, cst.MatchStar, cst.Nonlocal, cst.Global):
            for inner in walk(part):
                if type(inner) is cst.Name:
                    found[inner.value].add("other")
        elif kind is cst.Param:
            found[part.name.value].add("other")  # type: ignore[attr-defined]
    for part in header:
        if type(part) is cst.Param:
            found[part.name.value].add("other")
    made = {name for name, kinds in found.items() if kinds == {"made"}}
    new = {name for name, kinds in found.items() if kinds <= {"made", "computed"}}
    return made, new, {name for name, kinds in found.items() if kinds == {"container"}}


def _kind(node: Any, alone: LeavingAlone) -> str:
    if isinstance(node, _DISPLAYS) or (
        type(node) is cst.Call and dotted(node.func) in ("dict", "list", "set") and not node.args
    ):
        return "container"
    if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation)):
        return "computed"
    return "made" if alone.is_new(node, set()) else "other"


def kinds_of_attributes(everything: Iterable[cst.CSTNode]) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes to which the module only ever assigns numbers, and those that only get new containers."""
    found: dict[str, set[str]] = defaultdict(set)
    for part in everything:
        if type(part) is cst.Assign:
            for item in part.targets:
                if type(item.target) is cst.Attribute:
                    kind = "number" if isinstance(part.value, _NUMBERS) else "other"
                    made = isinstance(part.value, _DISPLAYS) or (
                        type(part.value) is cst.Call
                        and dotted(part.value.func) in ("dict", "list", "set")
                        and not part.value.args
                    )
                    found[item.target.attr.value].add("container" if made else kind)
                elif type(item.target) in (cst.Tuple, cst.List):
                    for inner in walk(item.target):
                        if type(inner) is cst.Attribute:
                            found[inner.attr.value].add("other")
        elif type(part) in (cst.For, cst.CompFor, cst.AsName, cst.AnnAssign):
            target = part.name if type(part) is cst.AsName else part.target  # type: ignore[attr-defined]
            for inner in walk(target):
                if type(inner) is cst.Attribute:
                    found[inner.attr.value].add("other")
    numbers = frozenset(name for name, kinds in found.items() if kinds == {"number"})
    return numbers, frozenset(name for name, kinds in found.items() if kinds == {"container"})


# --- By what names code of a module's classes may update arrays in place where nobody wrote the call
#
# Python calls special methods, properties and descriptors where syntax or a builtin asks an object. Which class such
# an object has is often not known, so it goes by names: a method may change an array where its text stores into
# something that is not new, calls what is not known to leave arrays alone, or mentions the name of a method that may.

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
