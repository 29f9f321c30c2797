"""Which attributes of objects may hold tensors from call to call (``--state tensor``), and where a function may meet
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.locations import of_parameter
from np2tnp.analysis.domain.values import NO_NAMES, Array, Function, Symbol
from np2tnp.analysis.module.contents import ClassInfo, FunctionInfo, ModuleInfo, TensorState
from np2tnp.analysis.module.effects_by_name import CALLING, LOOKING, OtherCode
from np2tnp.analysis.syntax.python_tables import (
    ARRAY_MEMBERS,
    MEMBERS,
    PYTHON_ATTRIBUTES,
    PYTHON_METHODS,
    VIEW_ATTRIBUTES,
)
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import PARTS, walk
from np2tnp.catalog.catalog import Catalog

# --- Which attributes of objects may hold tensors from call to call (``--state tensor``), by the module's own text
#
# Nothing here depends on what becomes of a function, nor on other modules: who reads an attribute so that it could
# tell a tensor from an array gets an ndarray, which the object then holds (``rt.settled``). What is left to know
# beforehand is whether all who read it in this module can be made to, and whether the object is one of the module's
# own.

#: What reads attributes by names that nobody can list, or all of them.
_DYNAMIC = frozenset(("vars", "eval", "exec", "getattr", "attrgetter", "asdict", "astuple", "getmembers"))
_DYNAMIC_ATTRIBUTES = frozenset(
    ("__dict__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "ctypes", "__array_interface__")
)
_SHALLOW = Symbol("copy.copy")
_OTHER_DTYPES = frozenset("object object_ str str_ bytes bytes_ datetime64 timedelta64 longdouble void".split())
#: Bases and decorators of classes that leave attributes alone.
_PLAIN_BASES = frozenset(("object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"))
#: Methods that give arrays, of whatever object has them.
_GIVING = ARRAY_MEMBERS - PYTHON_ATTRIBUTES.keys() - PYTHON_METHODS.keys() - VIEW_ATTRIBUTES


def find(module: ModuleInfo, catalog: Catalog, spares: Callable[[str], bool], kept: Container[str]) -> TensorState:
    """Decide about all attributes. `spares`: whether a region must not change; `kept`: originals of an earlier run."""
    found: set[str] = set()
    plain = {name for name, info in module.classes.items() if _is_plain(info, module)}
    foreign: dict[str, str] = {}
    methods: set[str] = set()
    for function in module.functions.values():
        names = set(_assigned_arrays(function, module, catalog))
        if function.owner in plain and function.kind == "method" and _has_self(function):
            found |= names
            methods.add(function.qualname)
        else:
            foreign.update(dict.fromkeys(names, "it belongs to an object of a class that is not all the module's own"))
    declared = frozenset(name for info in module.functions.values() for name in _declared(info))
    found -= declared
    if not found:
        return TensorState(declared, foreign, frozenset(methods))
    if words := _dynamic(module):
        return TensorState(declared, dict.fromkeys(found, words), frozenset(methods))
    stays = {name: words for name, words in foreign.items() if name not in found}
    outside = _outside(module)
    fixed = {
        item.attr.value
        for name, info in module.functions.items()
        if info.is_migrated or name in kept or spares(name)
        for item in walk(info.node)
        if type(item) is cst.Attribute
    }
    called = {id(part.func) for part in walk(module.node) if type(part) is cst.Call}
    members = {
        part.attr.value
        for part in walk(module.node)
        if type(part) is cst.Attribute and part.attr.value in MEMBERS and not is_held(part) and id(part) not in called
    }
    strings = [part.value for part in walk(module.node) if type(part) is cst.SimpleString]
    texts = " ".join(text for text in strings if "{" in text or ">>>" in text)
    bound = frozenset(name for info in module.classes.values() for name in _bound_in(info, info.qualname in plain))
    for name in found:
        if name in members:
            stays[name] = "arrays have a member of that name, and some other object is asked for it"
        elif name in bound:
            stays[name] = "the class itself has something of that name"
        elif name in outside:
            stays[name] = "it is read outside of functions, which stays NumPy"
        elif name in fixed:
            stays[name] = "a function that is not to change reads it"
        elif re.search(rf"\.{name}\b", texts):
            stays[name] = "a text that is formatted, or a doctest, may read it"
    return TensorState(declared.union(found - stays.keys()), stays, frozenset(methods))


def _declared(function: FunctionInfo) -> Iterator[str]:
    """The attributes that a function which an earlier run migrated takes as tensors."""
    for item in function.node.decorators if function.is_migrated else ():
        for argument in item.decorator.args if type(item.decorator) is cst.Call else ():
            if argument.keyword is not None and argument.keyword.value == "tensors":
                texts = (part for part in walk(argument.value) if type(part) is cst.SimpleString)
                yield from (str(part.evaluated_value) for part in texts)


def is_held(node: cst.Attribute) -> bool:
    """Whether an attribute of such a name surely is one of an object: an array has ``.mean``, too."""
    return node.attr.value not in MEMBERS or dotted(node.value) == "self"


def _has_self(function: FunctionInfo) -> bool:
    """Whether its object is ``self`` all the time."""
    parameters = (*function.node.params.posonly_params, *function.node.params.params)
    return bool(parameters) and parameters[0].name.value == "self" and not _rebinds_self(function)


def _rebinds_self(function: FunctionInfo) -> bool:
    targets = (getattr(part, "target", None) for part in walk(function.node.body))
    return any(type(target) is cst.Name and target.value == "self" for target in targets)


def _is_plain(info: ClassInfo, module: ModuleInfo, seen: frozenset[str] = NO_NAMES) -> bool:
    """Whether the module's own text says all that there is about the class."""
    if info.decorators or getattr(info.node, "keywords", ()) or info.qualname in seen:
        return False
    for base in info.node.bases:
        node = base.value.value if type(base.value) is cst.Subscript else base.value
        name = dotted(node)
        if base.star or (name not in _PLAIN_BASES and name not in module.classes):
            return False
        inner = module.classes.get(name)
        if inner is not None and not _is_plain(inner, module, seen | {info.qualname}):
            return False
    return True


def _dynamic(module: ModuleInfo) -> str:
    """How the module reads attributes that nobody can list; empty if it does not."""
    for node in walk(module.node):
        kind = type(node)
        if kind is cst.Attribute and node.attr.value in _DYNAMIC_ATTRIBUTES:  # type: ignore[attr-defined]
            return f"the module reads attributes by .{node.attr.value}"  # type: ignore[attr-defined]
        if kind is cst.FunctionDef and node.name.value in _DYNAMIC_ATTRIBUTES:  # type: ignore[attr-defined]
            return f"the module defines {node.name.value}"  # type: ignore[attr-defined]
        if kind is cst.MatchClass:
            return "a pattern of a match statement may read attributes"
        if kind is cst.Call:
            text = dotted(node.func)  # type: ignore[attr-defined]
            name = text.rpartition(".")[2]
            if name in _DYNAMIC:
                return f"the module reads attributes by {name}()"
            if name == "copy" and _symbol(node.func, module) == _SHALLOW.name:  # type: ignore[attr-defined]
                return "copy.copy() makes two objects of one array"
    return ""


def _symbol(node: cst.BaseExpression, module: ModuleInfo) -> str:
    """The canonical name of what a dotted name of the module's denotes; empty where that is not known."""
    first, dot, rest = dotted(node).partition(".")
    value = module.values.get(first)
    return f"{value.name}{dot}{rest}" if isinstance(value, Symbol) else ""


def _outside(module: ModuleInfo) -> frozenset[str]:
    """Attributes that stand outside of functions: in statements, class bodies, decorators, defaults."""
    regions = {id(info.node) for info in module.functions.values()}
    found: set[str] = set()
    pending: list[Any] = [module.node.body]
    while pending:
        node = pending.pop()
        if id(node) in regions:
            pending += [node.decorators, node.params]
            continue
        if type(node) is cst.Attribute:
            found.add(node.attr.value)
        pending.extend(PARTS[type(node)](node))
    return frozenset(found)


def _bound_in(info: ClassInfo, is_plain: bool) -> Iterator[str]:
    """The names that a class binds itself. An annotation alone binds nothing, where no decorator reads it."""
    body = info.node.body.body
    for statement in body:
        if type(statement) is cst.FunctionDef or type(statement) is cst.ClassDef:
            yield statement.name.value
            continue
        smalls: Iterable[cst.CSTNode] = statement.body if type(statement) is cst.SimpleStatementLine else (statement,)
        for small in smalls:
            if type(small) is cst.AnnAssign and small.value is None and is_plain:
                continue
            slots = type(small) is cst.Assign and dotted(small.targets[0].target) == "__slots__"
            for part in () if slots else walk(small):
                if type(part) is cst.Name:
                    yield part.value


def _assigned_arrays(function: FunctionInfo, module: ModuleInfo, catalog: Catalog) -> Iterator[str]:
    """The attributes to which the function assigns what it makes as an array, by the look of it."""
    bound: dict[str, list[cst.BaseExpression]] = {}
    stores: list[tuple[cst.Attribute, cst.BaseExpression]] = []
    for node in walk(function.node.body):
        if type(node) is cst.Assign:
            pairs = [pair for item in node.targets for pair in _pairs(item.target, node.value)]
        elif type(node) is cst.AnnAssign and node.value is not None:
            pairs = [(node.target, node.value)]
        else:
            continue
        for target, value in pairs:
            if type(target) is cst.Name:
                bound.setdefault(target.value, []).append(value)
            elif type(target) is cst.Attribute and dotted(target.value) == "self":
                stores.append((target, value))
    for target, value in stores:
        if _makes_array(value, bound, module, catalog):
            yield target.attr.value


def _pairs(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    displays = (cst.Tuple, cst.List)
    if isinstance(target, displays) and isinstance(value, displays) and len(target.elements) == len(value.elements):
        for one, other in zip(target.elements, value.elements, strict=True):
            yield from _pairs(one.value, other.value)
    else:
        yield target, value


def _is_foreign(call: cst.Call) -> bool:
    """Whether the call makes an array of objects, texts or dates, which no tensor stands for, by the look of it."""
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == "dtype":
            text = dotted(argument.value) or getattr(argument.value, "raw_value", "x")
            if text.rpartition(".")[2] in _OTHER_DTYPES or str(text)[:1] in "OSUMmVa":
                return True
    first = call.args[0].value if call.args else None
    return isinstance(first, (cst.List, cst.Tuple, cst.BinaryOperation)) and any(
        type(part) is cst.SimpleString or (type(part) is cst.Name and part.value == "None") for part in walk(first)
    )


def _makes_array(
    node: Any, bound: dict[str, list[cst.BaseExpression]], module: ModuleInfo, catalog: Catalog, depth: int = 12
) -> bool:
    """Whether the value of `node` is an array, by the look of it."""

    def makes(*parts: Any) -> bool:
        return depth > 0 and any(_makes_array(part, bound, module, catalog, depth - 1) for part in parts)

    kind = type(node)
    if kind is cst.Call:
        name = _symbol(node.func, module)
        if name:
            fact = catalog.get(name)
            known = name.startswith("numpy") and fact is not None and fact.kind != "dtype" and fact.returns == "array"
            return known and not _is_foreign(node)
        if type(node.func) is not cst.Attribute:
            return False
        method = node.func.attr.value
        drawn = catalog.get(f"numpy.random.{method}")
        if drawn is not None and drawn.kind == "function" and drawn.returns == "array" and method not in _GIVING:
            return not isinstance(node.func.value, cst.Name) or node.func.value.value not in module.values
        return method in _GIVING or (method not in PYTHON_METHODS and makes(node.func.value))
    if kind is cst.BinaryOperation:
        return makes(node.left, node.right)
    if kind is cst.UnaryOperation:
        return type(node.operator) is not cst.Not and makes(node.expression)
    if kind is cst.IfExp:
        return makes(node.body, node.orelse)
    if kind is cst.Attribute:
        return node.attr.value in VIEW_ATTRIBUTES and makes(node.value)
    if kind is cst.Subscript or kind is cst.NamedExpr:
        return makes(node.value)
    return kind is cst.Name and makes(*bound.get(node.value, ()))


# --- Where a function may meet the tensor that an attribute holds, without anybody being able to tell it from the
# array
#
# A tensor is a copy of what NumPy's array was when it was read. So it may be read where it is *used up at once*: by
# an operator, by a function of NumPy's that makes something new, by a test, by what prints it, while no other code
# runs that might change the array. A name may hold it where all its uses are such and nothing else happens in the
# function. Everywhere else the function reads an ndarray (``rt.settled``), which the object then holds: what becomes
# of that is as it always was.

_SCOPES = frozenset((cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.GeneratorExp))
_BINDING = frozenset((cst.AsName, cst.MatchAs, cst.MatchStar, cst.MatchMapping, cst.Import, cst.ImportFrom, cst.Del))
_TESTS = frozenset((cst.If, cst.While, cst.Assert))


class HeldTensors:
    """What one function may meet as tensors: what one look finds is taken for certain when the next confirms it."""

    def __init__(self, function: FunctionInfo, module: ModuleInfo, catalog: Catalog) -> None:
        self.direct: frozenset[int] = frozenset()
        self.is_certain = True
        self._function, self._state, self._catalog = function, module.state, catalog
        self._looks = 0
        self._updates: frozenset[int] = frozenset()
        names = module.state.names
        self.is_of_interest = bool(names) and any(
            type(part) is cst.Attribute and part.attr.value in names for part in walk(function.node.body)
        )

    def _look(self, frame: Any) -> DirectState:
        return DirectState(self._function, self._state.names, frame, self._catalog)

    def learn(self, frame: Any) -> bool:
        """Whether the look with that `frame` was right in what it took for tensors."""
        if not self.is_of_interest:
            return True
        look = self._look(frame)
        found, self._updates = look.found(self._state.methods)
        if self._looks:
            found &= self.direct
        self.is_certain = found == self.direct
        self._looks += 1
        if not self.is_certain:
            self.direct = found if self._looks < 3 else frozenset()
        return self.is_certain

    def note(self, frame: Any) -> None:
        """Write down what was found in the last look."""
        facts = frame.facts
        facts.direct = self.direct
        if self.is_of_interest:
            facts.direct_updates = self._updates
            facts.alone = self._look(frame).is_alone()


class DirectState:
    """Looks at one function, as the events of an interpreter's look at it tell of its calls."""

    def __init__(self, function: FunctionInfo, names: frozenset[str], look: Any, catalog: Catalog) -> None:
        self.names = names
        self.look = look  #: the frame of an interpreter's look
        self.catalog = catalog
        self.body = function.node.body
        self.function = function
        self.parents: dict[int, Any] = {}
        self.mentions: list[cst.Attribute] = []
        self.uses: dict[str, list[cst.Name]] = {}
        self.inner: set[str] = set()  #: names that stand in scopes within
        self.inside: set[str] = set()  #: attributes that are read there
        self.targets: set[int] = set()
        self.others = OtherCode(look)
        self._note(function.node.body, False)

    def _note(self, node: Any, inner: bool) -> None:
        """Remember parents, what is assigned to, and where attributes and names are read."""
        pending: list[tuple[Any, bool]] = [(node, inner)]
        while pending:
            node, inner = pending.pop()
            kind = type(node)
            if kind is cst.Attribute and node.attr.value in self.names and is_held(node):
                (self.inside.add(node.attr.value) if inner else self.mentions.append(node))
            elif kind is cst.Name:
                (self.inner.add(node.value) if inner else self.uses.setdefault(node.value, []).append(node))
            elif kind in (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor, cst.NamedExpr, cst.Del):
                self.targets.add(id(node.target))
            elif kind is cst.AsName:
                self.targets.add(id(node.name))
            inner = inner or kind in _SCOPES
            for part in (node.value,) if kind is cst.Attribute else PARTS[kind](node):
                items = part if isinstance(part, (list, tuple)) else (part,)
                for item in items:
                    if isinstance(item, cst.CSTNode):
                        self.parents[id(item)] = node
                        pending.append((item, inner))

    def parent(self, node: Any) -> Any:
        return self.parents.get(id(node))

    def found(self, methods: frozenset[str]) -> tuple[frozenset[int], frozenset[int]]:
        """The attributes (their ids) that are read as tensors, and those that are updated as such.

        An attribute is one or the other in all the function: no array is to go to and fro.
        """
        reads = {
            id(node) for node in self.mentions if not self._is_target(node) and self._is_used_up(node, node.attr.value)
        }
        updates = self._updates() if self.function.qualname in methods else set()
        whole = {id(node) for node in self.mentions if self._is_bound(node)}
        known = reads | updates | whole
        settled = {node.attr.value for node in self.mentions if id(node) not in known} | self.inside
        own = {id(node) for node in self.mentions if node.attr.value not in settled}
        return frozenset(reads & own), frozenset(updates & own)

    def _is_bound(self, node: Any) -> bool:
        """Whether the attribute is assigned anew: what it held does not matter."""
        parent = self.parent(node)
        inner = type(parent) in (cst.Attribute, cst.Subscript) and parent.value is node
        return not inner and type(parent) is not cst.AugAssign and self._is_target(node)

    def _updates(self) -> set[int]:
        """The ids of the attributes that are updated in place by one statement, which nothing else comes between."""
        found: set[int] = set()
        for node in self.mentions:
            statement = self.parent(node)
            place: Any = node
            if type(statement) is cst.Subscript and statement.value is node:
                place, statement = statement, self.parent(statement)
            if type(statement) is cst.AssignTarget:
                assign = self.parent(statement)
                alone = len(assign.targets) == 1 and place is not node
                statement = assign if alone else None
            elif type(statement) is not cst.AugAssign or statement.target is not place:
                continue
            if statement is None or dotted(node.value) != "self":
                continue
            stored = self.look.recorded.get((ev.Store, id(place)))
            if place is not node and self._is_in_loop(place) and not _has_many(place, stored):
                continue
            if not self._may_run_others(statement.value) and not self._may_run_others(place):
                found.add(id(node))
        return found

    def is_alone(self) -> bool:
        """Whether no code but the function's own runs while it runs, and it is read to its end at once."""
        inner = any(type(part) in _SCOPES for part in walk(self.body))
        return not inner and not OtherCode(self.look, lifts=True).may_run(self.body)

    def _is_in_loop(self, node: Any) -> bool:
        while node is not None and node is not self.body:
            parent = self.parent(node)
            if type(parent) in (cst.For, cst.While) and node is parent.body:
                return True
            if type(parent) in (cst.CompFor, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp):
                return True
            node = parent
        return False

    def _is_target(self, node: Any) -> bool:
        """Whether `node`, or an item or attribute of it, is assigned to."""
        while type(node) in (cst.Attribute, cst.Subscript):
            if id(node) in self.targets:
                return True
            parent = self.parent(node)
            if type(parent) in (cst.Element, cst.StarredElement):  # of a target that is unpacked into
                outer: Any = parent
                while type(outer) in (cst.Element, cst.StarredElement, cst.Tuple, cst.List):
                    if id(outer) in self.targets:
                        return True
                    outer = self.parent(outer)
            if type(parent) not in (cst.Attribute, cst.Subscript) or parent.value is not node:
                return False
            node = parent
        return id(node) in self.targets

    def _is_used_up(self, node: Any, name: str, named: bool = False) -> bool:
        """Whether what is read at `node` is used up where it stands. `named`: `node` is a name for it."""
        inside = False  # a display: its items
        start = node
        while True:
            parent = self.parent(node)
            kind = type(parent)
            if kind is cst.BinaryOperation or kind is cst.UnaryOperation:
                return not inside and not self._may_run_others(parent)
            if kind is cst.Comparison or kind is cst.ComparisonTarget:
                whole = parent if kind is cst.Comparison else self.parent(parent)
                return not inside and not self._may_run_others(whole) and all(map(_is_order, whole.comparisons))
            if kind is cst.Attribute:
                taken = self._attribute(parent, node, inside)
                if isinstance(taken, bool):
                    return taken
                node = taken
            elif kind is cst.Subscript and parent.value is node:
                if inside:
                    return False
                read = self.look.recorded.get((ev.Read, id(parent)))
                if self._is_in_loop(parent) and not _has_many(parent, read):
                    return False  # single elements are NumPy's: a tensor's take a thousand times as long
                if isinstance(read, ev.Read) and any(map(_copies_surely, read.keys)):
                    return not self._may_run_others(parent)
                node = parent
            elif kind is cst.Arg:
                call = self.parent(parent)
                taken = self._argument(call, parent, inside)
                if isinstance(taken, bool):
                    return taken
                node, inside = taken, False
            elif kind is cst.Element and self._is_exchanged(self.parent(parent)):
                return node is start
            elif kind is cst.Element and type(self.parent(parent)) in (cst.Tuple, cst.List):
                node, inside = self.parent(parent), True
            elif kind is cst.FormattedStringExpression or (kind in _TESTS and getattr(parent, "test", None) is node):
                return not inside and not self._may_run_others(node)
            elif kind is cst.IfExp:
                if parent.test is node:
                    return not inside and not self._may_run_others(node)
                node = parent
            elif kind in (cst.Assign, cst.AugAssign) and not inside and self._is_copied_into(parent):
                return not self._may_run_others(parent)
            elif kind is cst.Assign and not named and node is start:
                return self._is_named(parent, name)
            else:
                return False

    def _attribute(self, parent: Any, node: Any, inside: bool) -> Any:
        """``node.name``: whether that uses it up, or what gives a view of it."""
        name = parent.attr.value
        if inside:
            return False
        call = self.parent(parent)
        if type(call) is cst.Call and call.func is parent:
            event = self.look.recorded.get((ev.Call, id(call)))
            api = event.api if isinstance(event, ev.Call) else None
            if api is None or not api.startswith("ndarray."):
                return False
            return self._result(call, api)
        if name in VIEW_ATTRIBUTES:
            return parent
        return name in PYTHON_ATTRIBUTES and name not in ("base", "data", "ctypes", "flags")

    def _argument(self, call: Any, argument: Any, inside: bool) -> Any:
        if type(call) is not cst.Call:
            return False
        event = self.look.recorded.get((ev.Call, id(call)))
        if not isinstance(event, ev.Call) or argument.star:
            return False
        if event.api is not None and event.api.startswith("numpy."):
            return self._result(call, event.api)
        if isinstance(event.callee, Symbol) and event.callee.name in LOOKING:
            return not inside and not self._may_run_others(call)
        return not inside and self._goes_no_further(event, argument) and not self._may_run_others(call)

    def _result(self, call: Any, api: str) -> Any:
        """What a call of NumPy's makes of the array: something new, or a view."""
        fact = self.catalog.get(api)
        if fact is None or fact.mutates or api in CALLING or api.endswith((".at", ".reduceat")):
            return False
        if any(item.keyword is not None and item.keyword.value in ("out", "where") for item in call.args):
            return False
        if self._may_run_others(call):
            return False
        if fact.effect in ("fresh", "none") and fact.gives_back is None:
            return True
        return call if fact.effect in ("view", "may-view") and fact.returns == "array" else False

    def _goes_no_further(self, event: ev.Call, argument: Any) -> bool:
        """Whether a function of the project only reads the argument, and runs nothing that could change it."""
        if not isinstance(event.callee, Function) or event.callee.nested:
            return False
        summary = self.look.services.summary(event.callee)
        matched = summary.match(event.arguments) if summary is not None else None
        if summary is None or matched is None or not summary.quiet or not summary.migrated:
            return False
        given = [name for name, item in matched.items() if item.node is argument]
        touched = {*summary.mutates, *summary.keeps, *summary.changeable, *summary.hosted}
        touched |= {name for pair in summary.fills for name in pair}
        shown = {ref for value in _values(summary.result) for ref in value.refs}
        return bool(given) and not any(name in touched or of_parameter(name) in shown for name in given)

    def _is_copied_into(self, statement: Any) -> bool:
        """Whether an array takes up the value of the statement: ``x[i] = value``, ``x += value``."""
        target = statement.targets[0].target if type(statement) is cst.Assign else statement.target
        if type(statement) is cst.Assign and (len(statement.targets) > 1 or type(target) is not cst.Subscript):
            return False
        known = self.look.recorded
        stored = known.get((ev.Store, id(target))) or known.get((ev.AttributeStore, id(target)))
        return stored is not None and isinstance(stored.base, Array)

    def _is_exchanged(self, display: Any) -> bool:
        """``self.u, self.v = self.v, self.u``: each array goes on being held once."""
        assign = self.parent(display)
        target = assign.targets[0].target if type(assign) is cst.Assign and len(assign.targets) == 1 else None
        if type(display) is not cst.Tuple or type(target) is not cst.Tuple or target is display:
            return False
        given, taken = ([dotted(item.value) for item in it.elements] for it in (display, target))
        own = {f"self.{name}" for name in self.names}
        return len(set(given)) == len(given) and sorted(given) == sorted(taken) and own.issuperset(given)

    def _is_named(self, assign: Any, name: str) -> bool:
        """``w = self.w``: whether each use of the name uses the array up, and nothing else happens in the function."""
        target = assign.targets[0].target if len(assign.targets) == 1 else None
        if type(target) is not cst.Name or target.value in self.inner or target.value in self.function.globals:
            return False
        if self._may_run_others(self.body) or any(
            node.attr.value == name and self._is_target(node) for node in self.mentions
        ):
            return False
        uses = [use for use in self.uses.get(target.value, ()) if use is not target]
        if any(id(use) in self.targets or self._is_stepped(use) for use in uses) or self._binds_otherwise(target.value):
            return False
        return all(self._is_used_up(use, name, named=True) for use in uses)

    def _is_stepped(self, use: Any) -> bool:
        return self._is_target_of_store(use) or type(self.parent(use)) is cst.Del

    def _is_target_of_store(self, node: Any) -> bool:
        parent = self.parent(node)
        while type(parent) in (cst.Attribute, cst.Subscript) and parent.value is node:
            if id(parent) in self.targets:
                return True
            node, parent = parent, self.parent(parent)
        return False

    def _binds_otherwise(self, name: str) -> bool:
        """Whether anything but plain assignments of names may bind `name`, or several do."""
        count = 0
        for node in walk(self.body):
            kind = type(node)
            if kind is cst.Assign:
                bound = [each for item in node.targets for each in target_names(item.target)]  # type: ignore[attr-defined]
                count += bound.count(name)
            elif kind in (cst.For, cst.CompFor, cst.AugAssign, cst.AnnAssign, cst.NamedExpr):
                count += 2 * (name in target_names(node.target))  # type: ignore[attr-defined]
            elif kind in _BINDING:
                count += 2 * any(type(part) is cst.Name and part.value == name for part in walk(node))
        return count > 1 or name in _parameters(self.function)

    def _is_quiet(self, whole: Any) -> bool:
        """Whether nothing that might change the array runs between its reading and the end of `whole`."""
        return not self._may_run_others(whole)

    def _may_run_others(self, node: Any) -> bool:
        """Whether code that might change an array runs between the beginning and the end of `node`."""
        return self.others.may_run(node)


def _is_order(item: cst.ComparisonTarget) -> bool:
    if isinstance(item.operator, (cst.Is, cst.IsNot)):
        return type(item.comparator) is cst.Name and item.comparator.value == "None"
    return not isinstance(item.operator, (cst.In, cst.NotIn))


def _has_many(place: cst.Subscript, event: ev.Read | ev.Store | None) -> bool:
    """Whether an index surely stands for more than one element."""
    keys = event.keys if isinstance(event, (ev.Read, ev.Store)) and event.keys else ()
    return any(type(item.slice) is cst.Slice for item in place.slice) or any(map(_copies_surely, keys))


def _copies_surely(key: Any) -> bool:
    return isinstance(key, Array) and not key.weak and key.rank != 0 and (key.rank is not None or key.dtypes == {"?"})


def _values(value: Any) -> Iterator[Any]:
    yield value
    for item in (*(getattr(value, "items", None) or ()), getattr(value, "element", None)):
        if item is not None:
            yield from _values(item)


def _parameters(function: FunctionInfo) -> frozenset[str]:
    return frozenset(part.name.value for part in walk(function.node.params) if type(part) is cst.Param)
