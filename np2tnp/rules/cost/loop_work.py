"""What one iteration of a Python loop works on: whole arrays, or parts that the loop chooses.

Eager TensorFlow takes tens of microseconds an operation, however small its operands are, and a store copies the whole
array. So a loop pays where each iteration works on whole arrays (time steps, epochs, k-means), and costs where it takes
one row, slice or element after the other. How often it runs nobody knows: many times, unless its text says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Unknown,
    Value,
    home_of,
    is_number,
    may_hold_tensor,
)
from np2tnp.analysis.syntax.liveness import NONE, live_before
from np2tnp.analysis.syntax.python_tables import MEMBERS, REDUCTIONS
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk
from np2tnp.rules.base import Context
from np2tnp.rules.cost.loop_counts import (
    LOOPS,
    Loop,
    comparisons_of_numbers,
    runs_often,
    single_numbers,
    size_of_draw,
    unwrapped,
)


def operand_nodes(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The operands of an operator, in the order in which its event has their values."""
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    if isinstance(node, cst.Comparison):
        return [node.left, *(target.comparator for target in node.comparisons)]
    return [node.expression] if isinstance(node, cst.UnaryOperation) else []


#: Functions that combine whole arrays with one another, whatever a part of something else gives beside them.
PRODUCTS = frozenset("dot matmul einsum tensordot inner outer vdot kron solve lstsq inv pinv".split())
#: Functions of two arrays, element by element.
_ELEMENTWISE = frozenset("add subtract multiply divide true_divide power maximum minimum".split())
_PAIRING = ("enumerate", "zip", "reversed")
#: What is made of a few numbers, however long the arrays are from which these come.
_DISPLAYS = frozenset((cst.List, cst.Tuple, cst.ListComp))
#: Methods of lists that take what becomes an item.
_ADDING = frozenset(("append", "appendleft"))
#: What asks an array for nothing but its form.
_FORMS = frozenset("shape ndim size dtype len".split())


class Size(IntEnum):
    """How large an operand is beside the arrays that the function was given. Greater ones win where two meet."""

    NUMBER = 0
    ITEM = 1  #: of what may be an array or a list of arrays: a number, a row, or whatever the list holds
    PART = 2  #: what the loop chooses of an array, and what is made of such parts
    BESIDE = 3  #: an array that the loop does not change, and that meets parts only: a window, a row of weights
    WHOLE = 4


@dataclass(slots=True)
class Work:
    """What a loop does in one iteration."""

    reads: list[ev.Read] = field(default_factory=list)  #: of parts
    stores: list[ev.Store] = field(default_factory=list)  #: of parts: each copies the array
    items: list[cst.BaseExpression] = field(default_factory=list)  #: what it goes through item by item
    size: Size = Size.NUMBER  #: of the largest operand
    first: cst.CSTNode | None = None  #: the first piece of work on parts
    copies: bool = False  #: whether it stores arrays as large as those that it works on, into a larger one
    assembles: bool = False  #: whether what it stores is no number that was computed of many
    scatters: bool = False  #: whether it stores by several indices: into more than a vector
    whole: set[str] = field(default_factory=set)  #: names of arrays that it works on as a whole
    small: cst.CSTNode | None = None  #: the first operation whose operands are parts
    fills: bool = False  #: whether it stores into a list of Python's
    calls: str = ""  #: a method, or what an object or a parameter holds, that it calls

    @property
    def takes_parts(self) -> bool:
        return bool(self.reads or self.stores or self.items)


class RegionWork:
    """The loops of a region, with what they do. Nothing is looked at before somebody asks."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._works: dict[tuple[int, bool], Work] = {}

    @cached_property
    def loops(self) -> list[Loop]:
        """Those that may run often, and stay loops."""
        context = self.context
        loops: list[Loop] = [part for part in nodes_of(context.facts.node) if type(part) in LOOPS]  # type: ignore[misc]
        return [loop for loop in loops if id(loop) not in context.vectorized and runs_often(loop, context)]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Names of single numbers."""
        return single_numbers(self.context.facts.node)

    @cached_property
    def tests(self) -> frozenset[int]:
        """Comparisons that are asked for one truth value."""
        return frozenset(map(id, comparisons_of_numbers(self.context.facts.node)))

    def _read_events(self) -> None:
        self.reads: dict[int, ev.Read] = {}
        self.stores: dict[int, ev.Store] = {}
        self.operators: dict[int, ev.Operator] = {}
        self.iterated: dict[int, Value] = {}
        for event in self.context.facts.events:
            if isinstance(event, ev.Read):
                self.reads[id(event.node)] = event
            elif isinstance(event, ev.Store):
                self.stores[id(event.node)] = event
            elif isinstance(event, ev.Operator):
                self.operators[id(event.node)] = event
            elif isinstance(event, ev.Loop):
                self.iterated[id(event.node)] = event.iterated
        stored = (it.node.value for it in self.stores.values() if isinstance(it.node, cst.Assign) and _is_element(it))
        self.elements = frozenset(map(id, stored))  #: what gives one number: products of vectors, for instance
        self.lengths = frozenset(_lengths(self.context.facts.node))
        self.dicts = frozenset(_dicts(self.context.facts.node))

    def work(self, loop: Loop, hosts: bool = False) -> Work:
        """What an iteration of `loop` does, inner loops included. `hosts`: to parts of ndarrays and lists, too."""
        if not self._works:
            self._read_events()
        key = id(loop), hosts
        if key not in self._works:
            self._works[key] = _Iteration(self, loop, hosts).work
        return self._works[key]


class _Iteration:
    """Reads the body of one loop."""

    def __init__(self, region: RegionWork, loop: Loop, hosts: bool) -> None:
        self.region, self.context, self.hosts = region, region.context, hosts
        self.may_be_large = _may_be_large if hosts else region.context.may_be_tensor
        self.body = list(body_of(loop))
        self.assigned = frozenset(name for part in (loop, *self.body) for name in bound_names(part))
        self.carried = carried_names(loop) & self.assigned
        self.attributes = frozenset(_bound_attributes(self.body))
        self.iterators = frozenset(head.iter.value for head in _heads(loop, self.body) if type(head.iter) is cst.Name)
        self.taken = frozenset(_roots(self.body, region.reads))
        stores = [*filter(None, (region.stores.get(id(part)) for part in self.body))]
        self.stored = frozenset(store.root for store in stores if store.root is not None)
        self.fitting = frozenset(_fitting(stores, self.body)) & self.assigned
        self.made_to_fit = frozenset(map(id, _made_for(self.fitting, self.body)))
        self.multiplied = frozenset(_multiplied(self.body, region.context))
        self.sizes: dict[str, Size] = {}
        self.reduced: set[str] = set()  #: names of what is smaller than what it was made of
        self.windows: set[str] = set()  #: names of slices whose bounds move with the loop
        self.work = Work()
        self.items_of: set[str] = set()  #: names of items of arrays
        self.fixed: set[int] = set()  #: operations of what meets a window: as small
        self.grown: set[str] = set()  #: names of lists to which it adds items
        self.counters: set[str] = set()  #: names of whole numbers that the loop goes through
        self.counting: set[str] | None = None
        self.objects = frozenset(map(id, _objects(self.body)))
        self.settled = False
        self._targets(loop)
        for _ in range(2):  # what the first pass learns of names that are read above
            for part in self.body:
                self._learn(part)
        self.settled = True
        last = {id(part) for end in self.body if hosts and type(end) is cst.Return for part in walk(end)}
        for part in self.body:
            if id(part) not in last:  # is done once
                self._look(part)

    def _targets(self, loop: Loop) -> None:
        for head in _heads(loop, self.body):
            source, value = unwrapped(head.iter, self.context)
            value = value or self.region.iterated.get(id(head)) or self.context.facts.comprehended.get(id(head))
            names = set(target_names(head.target))
            if value is None:
                continue
            if not isinstance(value, Array) and names and names <= self._counting():
                self.counters |= names  # a list of whole numbers: sizes, offsets, places
                continue
            if any(_arrays_in(value, self.context)):
                self.work.items += sources(source)
                self.work.first = self.work.first or head.iter
            if self.hosts and not (isinstance(value, Array) or _is_of_numbers(value)):
                continue  # a list of arrays or objects, as a rule
            for name in names:
                self.sizes[name] = Size.PART
                self.items_of.add(name)

    def _counting(self) -> set[str]:
        """Names that stand where only whole numbers can: bounds, counts and indices."""
        if self.counting is None:
            self.counting = {
                name.value
                for part in self.body
                for node in _whole_numbers(part)
                for name in walk(node)
                if type(name) is cst.Name
            }
        return self.counting

    def _learn(self, part: cst.CSTNode) -> None:
        """What a name of the iteration holds."""
        if type(part) is cst.Assign:
            for target in part.targets:
                self._bind(target.target, part.value)
        elif (type(part) is cst.AnnAssign and part.value is not None) or type(part) is cst.AugAssign:
            self._bind(part.target, part.value)  # type: ignore[arg-type]
        elif type(part) is cst.Call and type(part.func) is cst.Attribute and part.func.attr.value in _ADDING:
            for item in part.args:  # a list grows by a number or a part in each iteration
                for name in target_names(part.func.value):
                    self.grown.add(name)
                    self.sizes[name] = max(self.size(item.value), self.sizes.get(name, Size.PART))

    def _bind(self, target: cst.CSTNode, value: cst.BaseExpression) -> None:
        for name in target_names(target):
            size = max(self.size(value), self.sizes.get(name, Size.NUMBER))
            self.sizes[name] = min(size, Size.PART) if name in self.fitting else size
            if self._is_window(value):
                self.windows.add(name)
            if not self._is_full(value):
                self.reduced.add(name)

    def _is_full(self, node: cst.BaseExpression, unknown: bool = False) -> bool:
        """Whether `node` has as many elements as what it is made of; `unknown`: if a function of ours makes it."""
        if isinstance(node, cst.Name):
            return node.value not in self.reduced
        if isinstance(node, cst.Call):
            call = self.context.calls.get(id(node))
            name = (call.api or "").rpartition(".")[2] if call is not None else ""
            return name not in REDUCTIONS and name not in PRODUCTS if name else unknown
        if isinstance(node, cst.BinaryOperation):
            product = isinstance(node.operator, cst.MatrixMultiply)
            return not product and (self._is_full(node.left, unknown) or self._is_full(node.right, unknown))
        if isinstance(node, cst.Subscript):
            return self._is_full(node.value, unknown)
        return isinstance(node, (cst.UnaryOperation, cst.Attribute))

    def _look(self, part: cst.CSTNode) -> None:
        key, context = id(part), self.context
        read = self.region.reads.get(key)
        if (
            read is not None
            and self.may_be_large(read.base)
            and self._chooses(read.node, read.keys, read.base)
            and not self._is_object(read)
        ):
            self.work.reads.append(read)
            self.work.first = self.work.first or part
        if (store := self.region.stores.get(key)) is not None:
            if self.may_be_large(store.base):
                self._stored(store)
            self.work.fills |= isinstance(store.base, Sequence) and store.base.type == "list"
        operator = self.region.operators.get(key)
        if operator is not None and self._works(key, operator.result, *([] if self.hosts else operator.operands)):
            size = self._of_operands(operator)
            self._count(min(size, Size.PART) if key in self.region.tests else size, part)
        call = context.calls.get(key)
        if call is not None and (call.api is not None or _is_ours(call)):
            if not self.hosts or self._works(key, call.result):
                self._count(self._of_arguments(call), part)
        elif call is not None and call.arguments and _is_of_an_object(call.callee):
            self.work.calls = self.work.calls or dotted(call.node.func)

    def _works(self, key: int, *values: Value) -> bool:
        """Whether TensorFlow works where the node stands."""
        return any(map(self.context.may_be_tensor, values)) or (self.hosts and key in self.context.edits.replace)

    def _is_object(self, read: ev.Read) -> bool:
        """Whether what is read is no part of an array of numbers: an item of a dict, or an object (a plot's axes)."""
        return id(read.node) in self.objects or root_of(read.node) in self.region.dicts

    def _count(self, size: Size, node: cst.CSTNode | None = None) -> None:
        if id(node) in self.fixed:
            return
        self.work.size = max(self.work.size, size)
        if size is Size.PART:
            self.work.small = self.work.small or node
        if size is Size.WHOLE and node is not None:
            self.work.whole.update(_whole_names(node))

    def _stored(self, store: ev.Store) -> None:
        target = store.target
        if type(target) is not cst.Subscript:  # ``u += v`` of a whole array, or of a sum of parts
            if not is_number(store.base):
                self._count(self._of_name(target, store.base))
            return
        if isinstance(store.base, Sequence) or root_of(target) in self.region.dicts:
            return
        if self._chooses(target, store.keys, store.base):
            self.work.stores.append(store)
            self.work.scatters = self.work.scatters or _scatters(store)
            self.work.first = self.work.first or store.node
            value = store.node.value if isinstance(store.node, (cst.Assign, cst.AugAssign)) else None
            if value is None or isinstance(store.value, (Const, Scalar)):
                self.work.assembles = True
            elif not is_number(store.value) and not _is_element(store):
                self.work.assembles |= self._is_full(value, True)
                self.work.copies |= self._is_full(value) and self.size(value, store.value) >= Size.BESIDE
        elif not any(map(selects, store.keys or ())):  # what gave the indices counts, where it is work
            self._count(self.size(target.value, store.base))

    # ---- sizes of expressions

    def size(self, node: cst.BaseExpression, value: Value | None = None) -> Size:
        """Of what `node` gives; `value`: what is known of it."""
        kind, context = type(node), self.context
        if id(node) in self.fixed and kind is not cst.Name:
            return Size.PART
        if value is not None and (is_number(value) or not (self.may_be_large(value) or self._holds(node, value))):
            return Size.NUMBER
        if kind is cst.Name:
            return self._of_name(node, value)
        if kind is cst.Subscript:
            read = self.region.reads.get(id(node))
            if self.hosts and not _is_certain(node, read):  # type: ignore[arg-type]
                return self._of_item(node)  # type: ignore[arg-type]
            if read is None or not self.may_be_large(read.base) or is_number(read.result):
                return Size.NUMBER if read is not None else self.size(node.value)  # type: ignore[attr-defined]
            chosen = self._chooses(node, read.keys, read.base)  # type: ignore[arg-type]
            if self.hosts and chosen:
                return Size.PART
            inner = self.size(node.value, read.base)  # type: ignore[attr-defined]
            return min(inner, Size.PART) if chosen else inner
        if kind is cst.Call:
            call = context.calls.get(id(node))
            if call is None or is_number(call.result):
                return Size.NUMBER
            return self._of_arguments(call)
        if id(node) in self.region.operators:
            operator = self.region.operators[id(node)]
            return Size.NUMBER if is_number(operator.result) else self._of_operands(operator)
        if kind is cst.Attribute:
            if dotted(node) in self.region.numbers:
                return Size.NUMBER
            inner = self.size(node.value) if _is_name(node) else Size.WHOLE  # type: ignore[attr-defined]
            of_object = self.hosts and node.attr.value not in MEMBERS  # type: ignore[attr-defined]
            return Size.NUMBER if _is_about(node) else Size.WHOLE if of_object else inner
        if kind is cst.Tuple or kind is cst.List:
            return max((self.size(element.value) for element in node.elements), default=Size.NUMBER)  # type: ignore[attr-defined]
        if kind is cst.IfExp:
            return max(self.size(node.body), self.size(node.orelse))  # type: ignore[attr-defined]
        if kind is cst.ListComp:
            return self.size(node.elt)  # type: ignore[attr-defined]
        return Size.NUMBER

    def _of_item(self, node: cst.Subscript) -> Size:
        """Of an item of what may be an array as well as a list of arrays: nothing follows from one of the loop's."""
        index = node.slice[0].slice
        if type(index) is cst.Index and type(index.value) is cst.SimpleString:
            return Size.WHOLE  # of a dict, or a table
        taken = self._varies(node.slice[0]) or (type(index) is cst.Index and type(index.value) is cst.Integer)
        return Size.ITEM if taken else self.size(node.value)

    def _holds(self, node: cst.CSTNode, value: Value) -> bool:
        if not isinstance(value, Sequence):
            return False
        return may_hold_tensor(value) or (self.hosts and type(node) is cst.Name and node.value in self.sizes)

    def _of_name(self, node: cst.CSTNode, value: Value | None) -> Size:
        name = node.value if type(node) is cst.Name else ""
        if name in self.region.numbers or name in self.counters:
            return Size.NUMBER
        if name in self.carried and name not in self.items_of:
            known = self.sizes.get(name, Size.NUMBER)
            if name in self.multiplied or known is Size.WHOLE or (known is Size.NUMBER and self.settled):
                return Size.WHOLE
            return known  # a sum of parts is as large as a part
        if name in self.sizes:
            return self.sizes[name]
        if name in self.assigned or (value is None and name not in self.context.facts.parameters):
            return Size.NUMBER
        return Size.WHOLE

    def _of_operands(self, operator: ev.Operator) -> Size:
        pairs = list(zip(operand_nodes(operator.node), operator.operands, strict=False))
        is_product = (
            isinstance(operator.node, cst.BinaryOperation) and type(operator.node.operator) is cst.MatrixMultiply
        )
        return Size.WHOLE if is_product and self._has_items(pairs) else self._beside_windows(pairs, not is_product)

    def _has_items(self, given: list[tuple[cst.BaseExpression, Value]]) -> bool:
        """Whether a product has an operand out of what is a list of matrices, then, as a rule."""
        return self.hosts and any(self.size(*pair) is Size.ITEM for pair in given)

    def _beside_windows(self, given: list[tuple[cst.BaseExpression, Value]], elementwise: bool) -> Size:
        """Elementwise, an array is as long as the slice that it meets: what is made of both is a part, too."""
        if elementwise and any(self._is_window(node) for node, _ in given):
            self.fixed.update(id(part) for node, _ in given for part in self._as_large(node))
        found = self._together(given)
        is_part = found is Size.BESIDE and elementwise and any(self._is_window(node) for node, _ in given)
        return Size.PART if is_part else found

    def _as_large(self, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        """The operations in `node` whose results have as many elements as its own."""
        if type(node) is cst.BinaryOperation and type(node.operator) is not cst.MatrixMultiply:
            yield node
            yield from self._as_large(node.left)
            yield from self._as_large(node.right)
        elif type(node) is cst.Call and node.args:
            call = self.context.calls.get(id(node))
            name = (call.api or "").rpartition(".")[2] if call is not None else ""
            if name in _ELEMENTWISE or name == "reshape":
                yield node
                for item in node.args[:2] if name in _ELEMENTWISE else node.args[:1]:
                    yield from self._as_large(item.value)

    def _is_window(self, node: cst.BaseExpression) -> bool:
        """Whether `node` is ``x[i:i + width]``, or a name for it: all axes that it has are those of the slice."""
        if type(node) is cst.Name:
            return node.value in self.windows
        if type(node) is not cst.Subscript or len(node.slice) != 1 or type(node.slice[0].slice) is not cst.Slice:
            return False
        read = self.region.reads.get(id(node))
        return read is not None and self._chooses(node, read.keys, read.base)

    def _of_arguments(self, call: ev.Call) -> Size:
        given: list[tuple[cst.BaseExpression, Value]] = [(it.node.value, it.value) for it in call.arguments]
        if call.receiver is not None and isinstance(call.node.func, cst.Attribute):
            given.append((call.node.func.value, call.receiver))
        name = (call.api or "").rpartition(".")[2]
        found = self._beside_windows(
            given, name in _ELEMENTWISE or (name == "dot" and id(call.node) in self.region.elements)
        )
        if name in PRODUCTS and self._has_items(given):
            return Size.WHOLE
        if found is not Size.NUMBER or is_number(call.result) or not self.may_be_large(call.result):
            return found
        if any(self.may_be_large(value) for _, value in given):
            return found
        drawn = size_of_draw(call)
        if drawn is not None:
            given = [(argument.node.value, argument.value) for argument in drawn]
        if not any(self._is_long(node) for node, _ in given if type(node) not in _DISPLAYS):
            return found
        return Size.PART if id(call.node) in self.made_to_fit else Size.WHOLE  # made of numbers

    def _together(self, given: list[tuple[cst.BaseExpression, Value]]) -> Size:
        """Of operands: an array from before the loop is as large as the parts that it meets, as far as is known."""
        sizes = [self.size(node, value) for node, value in given]
        if Size.PART not in sizes or Size.WHOLE not in sizes:
            return max(sizes, default=Size.NUMBER)
        taken = self.taken | self.carried | self.stored
        for size, (node, _) in zip(sizes, given, strict=True):
            names = {part.value for part in walk(node) if type(part) is cst.Name}
            if size is Size.WHOLE and (names & taken or (names & self.assigned and type(node) is not cst.Name)):
                return Size.WHOLE
        return Size.BESIDE

    # ---- indices

    def _chooses(self, node: cst.Subscript, keys: tuple[Value, ...] | None, base: Value) -> bool:
        """Whether the index takes another, small part in each iteration."""
        parts = [element.slice for element in node.slice]
        values = keys if keys is not None and len(keys) == len(parts) else (None,) * len(parts)
        many = [
            part.value
            for part, value in zip(parts, values, strict=True)
            if type(part) is cst.Index and (selects(value) or self._may_select(part.value, value))
        ]
        if many:  # a mask, or many indices: as many as what they were made of
            return max(map(self.size, many)) in (Size.PART, Size.BESIDE)
        sent = self.hosts and home_of(base) == HOST and root_of(node) not in self.multiplied
        if sent and any(type(it) is cst.Slice and self._varies(it) for it in parts):
            return True  # of an ndarray: however long it is, each iteration sends it
        return any(self._is_small(part) for part in parts)

    def _may_select(self, node: cst.BaseExpression, key: Value | None) -> bool:
        number = type(node) is cst.Name and node.value in self.region.numbers
        return self.hosts and isinstance(key, Array) and key.rank is None and not number

    def _is_small(self, part: cst.BaseSlice) -> bool:
        if type(part) is cst.Index:
            return self._varies(part.value)
        assert isinstance(part, cst.Slice)
        if part.step is not None and self._varies(part.step):
            return True
        if part.lower is None or part.upper is None:
            return False  # half of the array, as a rule
        if not (self._varies(part.lower) or self._varies(part.upper)):
            return False
        return not self._is_long(part.upper)

    def _varies(self, node: cst.CSTNode) -> bool:
        return any(
            (type(part) is cst.Name and (part.value in self.assigned or part.value in self.grown))
            or (
                type(part) is cst.Attribute
                and (dotted(part) in self.attributes or dotted(part.value) in self.iterators)
            )
            for part in walk(node)
        )

    def _is_long(self, node: cst.BaseExpression) -> bool:
        """Whether a length in it is that of an array, rather than a parameter or a number."""
        return any(
            (type(part) is cst.Name and part.value in self.region.lengths and part.value not in self.assigned)
            or (type(part) is cst.Attribute and part.attr.value in ("shape", "size"))
            or (type(part) is cst.Call and type(part.func) is cst.Name and part.func.value == "len")
            for part in walk(node)
        )


def body_of(loop: Loop) -> Iterator[cst.CSTNode]:
    if isinstance(loop, cst.For):
        yield from walk(loop.body)
    elif isinstance(loop, cst.While):
        yield from walk(loop.test)
        yield from walk(loop.body)
    else:
        first = {id(part) for part in walk(loop.for_in.iter)}  # is evaluated once
        yield from (part for part in walk(loop.for_in) if id(part) not in first)
        if isinstance(loop, cst.DictComp):
            yield from walk(loop.key)
            yield from walk(loop.value)
        else:
            yield from walk(loop.elt)


def _heads(loop: Loop, body: list[cst.CSTNode]) -> Iterator[cst.For | cst.CompFor]:
    if isinstance(loop, cst.For):
        yield loop
    for part in body:
        if type(part) is cst.For or type(part) is cst.CompFor:
            yield part


_BINDING = frozenset((cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor, cst.NamedExpr))


def _whole_numbers(part: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What can only be whole numbers in an expression: bounds, counts, indices."""
    if type(part) is cst.Slice:
        yield from filter(None, (part.lower, part.upper, part.step))
    elif type(part) is cst.Call and type(part.func) is cst.Name and part.func.value in ("range", "slice"):
        yield from (argument.value for argument in part.args)
    elif type(part) is cst.BinaryOperation and type(part.operator) is cst.Multiply:
        displays = [isinstance(side, (cst.Tuple, cst.List)) for side in (part.left, part.right)]
        if any(displays):
            yield part.right if displays[0] else part.left


def _objects(body: list[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """What is asked for an attribute that no array has."""
    return (part.value for part in body if isinstance(part, cst.Attribute) and part.attr.value not in MEMBERS)


_OF_DICTS = frozenset("items keys values setdefault get update".split())


def _dicts(function: cst.CSTNode) -> Iterator[str]:
    """Names that are used as only dicts and tables are: by texts as keys, or by their methods."""
    for part in nodes_of(function):
        if type(part) is cst.Subscript and type(part.value) is cst.Name:
            index = part.slice[0].slice
            if type(index) is cst.Index and isinstance(index.value, (cst.SimpleString, cst.FormattedString)):
                yield part.value.value
        elif type(part) is cst.Attribute and part.attr.value in _OF_DICTS and type(part.value) is cst.Name:
            yield part.value.value
        elif type(part) is cst.Assign and isinstance(part.value, (cst.Dict, cst.DictComp)):
            yield from (name for target in part.targets for name in target_names(target.target))


def bound_names(part: cst.CSTNode) -> Iterator[str]:
    if type(part) in _BINDING:
        yield from target_names(part.target)  # type: ignore[attr-defined]


def _bound_attributes(body: list[cst.CSTNode]) -> Iterator[str]:
    """What is bound of objects: ``self.at += 1``."""
    targets = (part.target for part in body if type(part) in (cst.AssignTarget, cst.AugAssign))  # type: ignore[attr-defined]
    yield from (dotted(target) for target in targets if type(target) is cst.Attribute)


def carried_names(loop: Loop) -> frozenset[str]:
    """The names that an iteration reads as the one before left them."""
    return live_before(loop.body.body, NONE) if isinstance(loop, (cst.For, cst.While)) else frozenset()


def _roots(body: list[cst.CSTNode], reads: dict[int, ev.Read]) -> Iterator[str]:
    """The names of arrays of which something is read by an index."""
    for part in body:
        if type(part) is cst.Subscript and id(part) in reads:
            name = root_of(part)
            if name:
                yield name


def takes_rows(read: ev.Read) -> bool:
    """Whether one number is the index of the first axis."""
    first = read.node.slice[0].slice
    return type(first) is cst.Index and not selects(read.keys[0] if read.keys else None)


def _whole_names(node: cst.CSTNode) -> Iterator[str]:
    """The names in an expression that stand for a whole array there, as far as its text tells."""
    parts = list(walk(node))
    inside = {id(part.value) for part in parts if type(part) is cst.Subscript or type(part) is cst.Attribute}
    yield from (part.value for part in parts if type(part) is cst.Name and id(part) not in inside)


def root_of(node: cst.BaseExpression) -> str:
    """The name of the array of which something is taken; "" where it has none."""
    while type(node) is cst.Subscript:
        node = node.value
    return node.value if type(node) is cst.Name else ""


def _multiplied(body: list[cst.CSTNode], context: Context) -> Iterator[str]:
    """The names in products of matrices."""
    for part in body:
        product = type(part) is cst.BinaryOperation and type(part.operator) is cst.MatrixMultiply
        call = context.calls.get(id(part))
        if product or (call is not None and (call.api or "").rpartition(".")[2] in PRODUCTS):
            yield from (name.value for name in walk(part) if type(name) is cst.Name)


def _lengths(function: cst.CSTNode) -> Iterator[str]:
    """The names of lengths of arrays: ``n, m = x.shape``, ``n = len(x) - 1``."""
    found: set[str] = set()
    for part in nodes_of(function):
        if type(part) is cst.Assign and any(
            (type(it) is cst.Attribute and it.attr.value in ("shape", "size"))
            or (type(it) is cst.Call and type(it.func) is cst.Name and it.func.value == "len")
            or (type(it) is cst.Name and it.value in found)
            for it in walk(part.value)
        ):
            found.update(name for target in part.targets for name in target_names(target.target))
    yield from found


def _arrays_in(value: Value, context: Context) -> Iterator[Value]:
    """The arrays that iterating over `value` takes items of."""
    if isinstance(value, (Array, Unknown)):
        if context.may_be_tensor(value) and not is_number(value):
            yield value
    elif isinstance(value, Sequence) and value.type == "iterator" and may_hold_tensor(value):
        yield value


def _may_be_large(value: Value) -> bool:
    """Whether `value` may be an array, wherever it lives."""
    return isinstance(value, (Array, Unknown)) and not is_number(value)


def selects(key: Value | None) -> bool:
    """Whether an index is an array: a mask, or many indices."""
    if isinstance(key, Sequence):
        return key.type in ("list", "range")
    return isinstance(key, Array) and key.rank != 0 and (key.rank is not None or key.dtypes == frozenset("?"))


def _scatters(store: ev.Store) -> bool:
    """Whether what is stored into is larger than a vector of one number an iteration."""
    indices = sum(type(element.slice) is cst.Index for element in store.target.slice)  # type: ignore[attr-defined]
    return indices > 1 or any(map(selects, store.keys or ()))


def _fitting(stores: list[ev.Store], body: list[cst.CSTNode]) -> Iterator[str]:
    """The names that do nothing but be stored into a part which a loop chooses: they are as large as that part."""
    stored = {
        id(store.node.value): store.node.value.value
        for store in stores
        if type(store.target) is cst.Subscript
        and isinstance(store.node, cst.Assign)
        and type(store.node.value) is cst.Name
    }
    if stored:
        bound = {id(part.target) for part in body if type(part) is cst.AssignTarget}
        names = (part for part in body if type(part) is cst.Name)
        yield from {*stored.values()} - {it.value for it in names if id(it) not in bound and id(it) not in stored}


def _made_for(names: frozenset[str], body: list[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """The calls in what is assigned to one of the names."""
    for part in body:
        if names and type(part) is cst.Assign and any(names & {*target_names(it.target)} for it in part.targets):
            yield from (inner for inner in walk(part.value) if type(inner) is cst.Call)


def _is_element(store: ev.Store) -> bool:
    """Whether one element is stored, as far as is known."""
    keys = store.keys or ()
    if type(store.target) is cst.Subscript and any(type(it.slice) is cst.Slice for it in store.target.slice):
        return False
    numbers = all(isinstance(key, (Const, Scalar)) or is_number(key) for key in keys)
    return numbers and isinstance(store.base, Array) and store.base.rank == len(keys)


def _is_of_an_object(callee: Value) -> bool:
    return isinstance(callee, Unknown) or (isinstance(callee, Bound) and isinstance(callee.receiver, Instance))


def _is_certain(node: cst.Subscript, read: ev.Read | None) -> bool:
    """Whether an array is indexed, rather than a list of arrays: several axes, or one after the other."""
    several = len(node.slice) > 1 or type(node.slice[0].slice) is cst.Slice or type(node.value) is cst.Subscript
    return read is not None and (several or (isinstance(read.base, Array) and not _is_kept(read.base)))


def _is_kept(value: Array) -> bool:
    """Whether an object keeps it: that it is an array is then an assumption."""
    return any(ref.startswith(".") for ref in value.refs)


def _is_of_numbers(value: Value) -> bool:
    """Whether it is a list or the like of numbers, or of a few of them each."""
    if not isinstance(value, Sequence):
        return False
    items = value.items if value.items is not None else (value.element,)
    return bool(items) and all(isinstance(it, (Const, Scalar)) or is_number(it) or _is_of_numbers(it) for it in items)


def _is_ours(call: ev.Call) -> bool:
    return isinstance(call.callee, Function)


def _is_about(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value in _FORMS


def _is_name(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and isinstance(node.value, (cst.Name, cst.Subscript))


def sources(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What a loop goes over, without ``zip``, ``enumerate`` and ``reversed`` around it."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _PAIRING:
        return [source for argument in node.args for source in sources(argument.value)]
    return [node]


def heads(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """What a loop goes over by ``zip``, ``enumerate`` or ``reversed``: their calls, where `node` is a loop."""
    if type(node) is not cst.For and type(node) is not cst.CompFor:
        return
    waiting = [node.iter]
    while waiting:
        part = waiting.pop()
        if isinstance(part, cst.Call) and isinstance(part.func, cst.Name) and part.func.value in _PAIRING:
            yield part
            waiting += [argument.value for argument in part.args]
