"""Methods of Python's own containers: what they put in, take out and show."""

from __future__ import annotations

from collections.abc import Set

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.containers import element_of, sequence_of
from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.summaries import from_host, hosted
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NO_NAMES,
    NONE,
    NOTHING,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    held,
    may_hold_object,
    may_hold_tensor,
    refs_of,
    replace,
    scalar_type,
    with_refs,
)
from np2tnp.analysis.interpreter.access import Access
from np2tnp.analysis.interpreter.frame import Frame, Record
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.writes import Keeping
from np2tnp.analysis.module.parameter_kinds import declared_containers
from np2tnp.analysis.syntax.python_tables import (
    CONTAINER_MUTATORS,
    HEAP_FUNCTIONS,
    KEEPING_METHODS,
    TENSOR_SAFE_BUILTINS,
)
from np2tnp.analysis.syntax.scopes import dotted, parameters_of
from np2tnp.analysis.syntax.walk import walk

#: Builtins that read a list and do not give it back.
_READING = frozenset("all any bool enumerate len list reversed set sorted str sum tuple zip".split())
_METHODS = CONTAINER_MUTATORS | KEEPING_METHODS | {"copy", "count", "index", "pop", "popleft"}


def private_lists(region: cst.FunctionDef, makers: Set[str]) -> frozenset[str]:
    """Names that `region` binds to new lists alone, and never gives to anybody: no second name, object or callee.

    makers: dotted names of what makes new lists and queues.
    """
    made: set[str] = set()
    mentions: list[str] = []  # how often each name stands anywhere ...
    private: list[str] = []  # ... and where it gives the list to nobody
    given = {parameter.name.value for parameter in parameters_of(region.params)}
    for node in walk(region.body):
        kind = type(node)
        if kind is cst.Name:
            mentions.append(node.value)  # type: ignore[attr-defined]
        elif kind is cst.FunctionDef or kind is cst.Lambda or kind is cst.Global or kind is cst.Nonlocal:
            given.update(part.value for part in walk(node) if type(part) is cst.Name)
        else:
            private.extend(name.value for name in _harmless(node) if type(name) is cst.Name)
            if kind is cst.Assign and _is_new(node.value, makers):  # type: ignore[attr-defined]
                target = node.targets[0].target  # type: ignore[attr-defined]
                if len(node.targets) == 1 and type(target) is cst.Name:  # type: ignore[attr-defined]
                    private.append(target.value)
                    made.add(target.value)
    return frozenset(name for name in made - given if mentions.count(name) == private.count(name))


def _is_new(value: cst.BaseExpression, makers: Set[str]) -> bool:
    if type(value) is cst.Call:
        return dotted(value.func) in makers
    return type(value) is cst.List or type(value) is cst.ListComp


def _harmless(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The expressions directly in `node` that it uses without keeping them or giving them on."""
    kind = type(node)
    if kind is cst.Call:
        assert isinstance(node, cst.Call)
        method = node.func
        if type(method) is cst.Attribute and method.attr.value in _METHODS:
            return [method.value]
        name = dotted(node.func) or ""
        alone = len(node.args) == 1 and name in ("max", "min")  # of several, one is given back
        reads = alone or name in _READING or name.startswith(("np.", "numpy."))
        return [argument.value for argument in node.args if reads and not argument.star]
    if kind is cst.Subscript:
        return [node.value]  # type: ignore[attr-defined]
    if kind is cst.While or kind is cst.If or kind is cst.IfExp:
        return [node.test]  # type: ignore[attr-defined]
    if kind is cst.For or kind is cst.CompFor:
        return [node.iter]  # type: ignore[attr-defined]
    if kind is cst.UnaryOperation and type(node.operator) is cst.Not:  # type: ignore[attr-defined]
        return [node.expression]  # type: ignore[attr-defined]
    if kind is cst.AugAssign:
        return [node.target]  # type: ignore[attr-defined]
    if kind is cst.Return:
        return [node.value] if node.value is not None else []  # type: ignore[attr-defined]
    return []


#: Methods that put the items of what they get into the container.
_FILLING = frozenset(("extend", "extendleft", "update", "__iadd__", "__ior__", "__init__"))
#: Python's own names for what puts arrays into a container, called as methods.
_SPECIAL = frozenset(("__setitem__", "__iadd__", "__ior__", "__init__"))
#: Those that ask items whether they are equal to what is given.
_SEARCHING = frozenset(("count", "index", "remove"))


def _holds_object(value: Value) -> bool:
    """Whether `value` is, or holds, an object with an order of its own."""
    if isinstance(value, Sequence):
        return any(map(_holds_object, value.items if value.items is not None else (value.element,)))
    return isinstance(value, Instance)


class Containers:
    """Evaluates calls of methods of lists, dicts, sets and iterators made in the region, and of heapq's functions."""

    def __init__(self, frame: Frame, record: Record, placement: Placement, keeping: Keeping, access: Access) -> None:
        self.frame = frame
        self.facts = frame.facts
        self.module = frame.module
        self.services = frame.services
        self.record = record
        self.placement = placement
        self.keeping = keeping
        self.access = access

    def as_of_text(self, node: cst.Call, callee: Value, arguments: tuple[ev.Argument, ...]) -> Value:
        """The method that is called: ``x.partition(...)`` of text gets text or gives parts, an array's gives None."""
        if not isinstance(callee, Bound) or callee.name != "partition":
            return callee
        statement = self.frame.statement
        text = len(arguments) == 1 and scalar_type(arguments[0].value) in ("str", "bytes")
        if isinstance(statement, cst.Assign) and statement.value is node:
            text |= any(isinstance(item.target, (cst.Tuple, cst.List)) for item in statement.targets)
        if text:
            self.facts.objects |= deps_of(callee.receiver)
        return Bound(Unknown(HOST), callee.name) if text else callee

    def container_call(
        self, function: str, arguments: tuple[ev.Argument, ...], env: Env
    ) -> tuple[Value, tuple[ev.Argument, ...]] | None:
        """What a function gives that makes a queue or works on a heap, and its arguments; None of other functions."""
        if function == "collections.deque":
            return self._deque_of(arguments)
        return self._heap_call(function, arguments, env)

    def _heap_call(
        self, function: str, arguments: tuple[ev.Argument, ...], env: Env
    ) -> tuple[Value, tuple[ev.Argument, ...]] | None:
        """What heapq's `function` gives, which compares items of a list, and its arguments: what is new is an ndarray.

        None where it is not known to get a list of numbers, texts and ndarrays, or the list of an object or a global:
        heapq works on nothing but lists, and changes no items of them.
        """
        added = HEAP_FUNCTIONS.get(function, len(arguments))
        heap = arguments[0].value if arguments else None
        if added >= len(arguments) or any(argument.star or argument.name for argument in arguments):
            return None
        if isinstance(heap, Unknown) and refs_of(heap) and not may_hold_tensor(heap):
            return self._outer_heap_call(heap, added, arguments, env)
        if not isinstance(heap, Sequence) or heap.type != "list" or may_hold_tensor(heap) or _holds_object(heap):
            return None
        where = arguments[0].node.value
        if added > 0:
            item = arguments[added]
            if _holds_object(item.value):
                return None
            kept = self.placement.on_host(item.node.value, item.value, "an item of a heap")
            self.keeping.put(where, heap, kept, env)
            self.keeping.keep(refs_of(heap), kept, env)
            heap = replace(heap, element=join(heap.element, kept))
            arguments = (
                *arguments[:added],
                ev.Argument(item.node, kept, item.name, item.star),
                *arguments[added + 1 :],
            )
        if function in ("heapq.heappush", "heapq.heapify"):
            return NONE, arguments
        own = {where.value} if isinstance(where, cst.Name) else set()
        taken = held(heap.element, heap)
        return with_refs(taken, refs_of(taken) - own), arguments

    def _outer_heap_call(
        self, heap: Unknown, added: int, arguments: tuple[ev.Argument, ...], env: Env
    ) -> tuple[Value, tuple[ev.Argument, ...]]:
        """The same of a list that the region did not make, and whose items may show whatever that does."""
        if added > 0:
            item = arguments[added]
            kept = self.placement.on_host(item.node.value, item.value, "an item of a heap")
            self.keeping.keep(refs_of(heap), kept, env)
            given = ev.Argument(item.node, kept, item.name, item.star)
            arguments = (*arguments[:added], given, *arguments[added + 1 :])
        return Unknown(HOST, refs_of(heap) | NO_NAMES.union(*(refs_of(each.value) for each in arguments))), arguments

    def _deque_of(self, arguments: tuple[ev.Argument, ...]) -> tuple[Value, tuple[ev.Argument, ...]] | None:
        """``deque(items)`` and its arguments; a queue holds ndarrays: nobody converts it where it is handed out."""
        if len(arguments) > 2 or any(argument.star or argument.name not in (None, "maxlen") for argument in arguments):
            return None
        if not arguments or arguments[0].name:
            return Sequence("deque", NOTHING), arguments
        first = arguments[0]
        kept = self.placement.on_host(first.node.value, first.value, "a deque")
        if may_hold_tensor(kept):
            return None
        made = Sequence("deque", element_of(kept), None, refs_of(kept))
        return made, (ev.Argument(first.node, kept, first.name, first.star), *arguments[1:])

    def container_method(
        self, where: cst.BaseExpression, receiver: Sequence, name: str, arguments: tuple[ev.Argument, ...], env: Env
    ) -> Value:
        if receiver.type == "set":  # which hashes what it gets, and the items of that
            for argument in arguments:
                self.record.escape(argument.node.value, argument.value, "is put into a set, or compared with its items")
            arguments = tuple([ev.Argument(it.node, hosted(it.value), it.name, it.star) for it in arguments])
        if receiver.type == "dict" and name == "setdefault" and arguments:
            self.record.escape(arguments[0].node.value, arguments[0].value, "is a key")
        if receiver.type == "dict" and name in ("update", "__ior__", "__init__"):
            given_keys = [it.value if it.name or it.star else self._with_keys(it) for it in arguments]
            pairs_given = zip(arguments, given_keys, strict=True)
            arguments = tuple([ev.Argument(it.node, value, it.name, it.star) for it, value in pairs_given])
        values = [argument.value for argument in arguments]
        shown = held(receiver.element, receiver)
        if (name in KEEPING_METHODS or name in _SPECIAL) and values:
            given = [self.placement.as_item(receiver, argument.node.value, argument.value) for argument in arguments]
            if name in _FILLING:
                pairs = zip(arguments, given, strict=True)
                kept = [value if argument.name else element_of(value) for argument, value in pairs]
            else:
                kept = given[-1:]
                if name == "__setitem__" and isinstance(kept[0], Sequence):
                    kept = [join(kept[0], element_of(kept[0]))]  # a slice takes the items
            for added in kept:
                self.keeping.put(where, receiver, added, env)
                self.keeping.keep(self._holders_of_items(where, receiver), added, env)
            if name in ("__iadd__", "__ior__"):
                return receiver
            return NONE if name != "setdefault" else join(shown, kept[0])
        if name in CONTAINER_MUTATORS:
            self.keeping.changes_container(receiver, env)
        if name in ("items", "enumerate"):
            pair = sequence_of("tuple", [Scalar("object"), shown])
            return Sequence("dict view" if name == "items" else "iterator", pair, None, receiver.refs)
        if name == "keys":
            return Sequence("iterator", Scalar("object"))
        if name == "copy":
            return receiver
        if name == "values":
            return Sequence("dict view", receiver.element, None, receiver.refs)
        if name in ("get", "pop", "setdefault") and arguments and receiver.type == "dict":
            self.record.escape(arguments[0].node.value, values[0], "is looked up by its hash")
        if name == "sort" and arguments:
            self._sorts_by(arguments[-1], receiver)
        elif name == "sort" and may_hold_object(receiver) and may_hold_tensor(receiver):
            self.record.construct(where, ev.Kind.CALLBACK, "sort")  # its class compares
        if name in _SEARCHING and may_hold_object(receiver):
            for argument in arguments:
                self.record.escape(argument.node.value, argument.value, "is compared with what may be an object")
        if name == "get":
            return join(shown, values[1]) if len(values) > 1 else shown
        if name == "popitem":
            return sequence_of("tuple", [Scalar("object"), shown])
        if name in ("pop", "popleft"):  # taken out of this container, but not out of its copies
            own = {where.value} if type(where) is cst.Name else set()
            taken = with_refs(shown, refs_of(shown) - own)
            return join(taken, values[1]) if len(values) > 1 else taken
        if name.startswith("__") or name == "send":  # an item, an iterator, or a container of the same items
            home = EITHER if may_hold_tensor(receiver) else HOST
            return Unknown(home, refs_of(receiver) | refs_of(shown), view="view")
        return Scalar("int" if name in ("count", "index") else "object")

    def _holders_of_items(self, where: cst.BaseExpression, container: Sequence) -> frozenset[str]:
        """Who holds what is put into `container`: it may be what its items show, unless one name has it alone."""
        known, region = self.module.private_lists, self.facts.node
        if type(where) is not cst.Name or not isinstance(region, cst.FunctionDef):
            return container.refs
        if id(region) not in known:
            makers = {name for name in ("list", "deque", "collections.deque") if self._makes_container(name)}
            known[id(region)] = private_lists(region, makers)
        alone = where.value in known[id(region)]
        return frozenset(filter(str.isidentifier, container.refs)) if alone else container.refs

    def _makes_container(self, name: str) -> bool:
        """Whether the dotted `name` is Python's, as far as the module's names tell."""
        first, _, rest = name.partition(".")
        if first in self.frame.scope.locals:
            return False
        value = self.module.values.get(first)
        return value is None if name == "list" else value == Symbol("collections" if rest else "collections.deque")

    def is_container(self, where: cst.BaseExpression, env: Env) -> bool:
        """Whether `where` is a container of Python's.

        An attribute to which its class only assigns those, a global that is one, or a parameter that is annotated so.
        """
        if type(where) is cst.Name:
            if where.value in self.frame.scope.locals:
                return where.value in self._declared_containers()
            return isinstance(self.module.values.get(where.value), Sequence)
        if not isinstance(where, cst.Attribute):
            return False
        owner = self.access.evaluate_base(where.value, env)
        return isinstance(owner, Instance) and isinstance(
            self.services.attributes(owner).get(where.attr.value), Sequence
        )

    def _declared_containers(self) -> frozenset[str]:
        """The parameters that are annotated as lists, dicts or sets, and are nothing else later."""
        function = self.module.functions.get(self.facts.qualname)
        return NO_NAMES if function is None or self.frame.depth else declared_containers(function)

    def key_of_dict(self, node: cst.BaseExpression, env: Env) -> Bound | None:
        """``d.get``, as a function by which keys are compared, where `node` is that of a dict made here."""
        if not (isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.attr.value == "get"):
            return None
        held = env.load(node.value.value)
        return Bound(held, "get") if isinstance(held, Sequence) and held.type == "dict" else None

    def _sorts_by(self, key: ev.Argument, items: Sequence) -> None:
        """A list is sorted, perhaps by what a function says of its items, which it gets as they are."""
        value = key.value
        known = isinstance(value, (Const, Scalar)) or (isinstance(value, Function) and value.nested)
        if isinstance(value, Symbol):
            known = value.name.removeprefix("builtins.") in TENSOR_SAFE_BUILTINS
        if not known and may_hold_tensor(items):
            self.record.construct(key.node, ev.Kind.CALLBACK, "sort")

    def dict_of(self, arguments: tuple[ev.Argument, ...]) -> Sequence:
        """``dict(other)``, ``dict(pairs)``, ``dict(name=value)``."""
        values: list[Value] = []
        for argument in arguments:
            value = argument.value
            if argument.name is None and not (isinstance(value, Sequence) and value.type == "dict"):
                value = self._with_keys(argument)
                value = element_of(element_of(value)) if argument.star == "" else element_of(value)
            elif argument.name is None:
                value = element_of(value)
            values.append(value)
        return sequence_of("dict", values, known=False) if values else Sequence("dict", NOTHING)

    def _with_keys(self, argument: ev.Argument) -> Value:
        """What is given to a dict: converted where it is pairs, whose first items a dict hashes."""
        value = argument.value
        if not isinstance(value, (Sequence, Array)) or (isinstance(value, Sequence) and value.type == "dict"):
            return value
        pair = element_of(element_of(value)) if argument.star else element_of(value)
        key = pair.items[0] if isinstance(pair, Sequence) and pair.items else element_of(pair)
        if not may_hold_tensor(key):
            return value
        self.record.escape(argument.node.value, value, "gives the keys of a dict")
        return from_host(value)
