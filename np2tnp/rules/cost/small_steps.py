"""Loops whose every iteration works on a few numbers, and functions that call themselves for ever smaller parts.

`loop_work` asks what of an array an iteration takes. Here the question is how much an iteration has at all: literal
shapes, draws of a few numbers, and what code gives that nobody can see say that it is little. Where one operation of a
loop may work on more, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from weakref import WeakKeyDictionary

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    TENSOR,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Symbol,
    Value,
    home_of,
)
from np2tnp.analysis.syntax.python_tables import REDUCTIONS
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import names_in, nodes_of, walk
from np2tnp.rules.base import Context
from np2tnp.rules.cost.loop_counts import RANGES, Loop, is_unseen, size_of_draw, unwrapped
from np2tnp.rules.cost.loop_work import PRODUCTS, RegionWork, body_of, bound_names, operand_nodes, selects
from np2tnp.rules.cost.small_arrays import SMALL, elements_of_shape, size_of_made


class Amount(IntEnum):
    """How much an expression holds, as far as its text tells."""

    NUMBER = 0
    FEW = 1  #: fewer than `SMALL` elements: the text says how many
    PIECE = 2  #: an item of an array that a progress bar or the like gives
    UNSEEN = 3  #: what a function gave that nobody can see, and that got no large array
    ANY = 4


@dataclass(frozen=True, slots=True)
class Step:
    """The first operation of a loop on little, where all its operations are such."""

    node: cst.CSTNode
    amount: Amount
    callee: str  #: the function that nobody can see, of what it gave; empty where there is none


#: What makes arrays that are larger than what it gets, joins what may have grown, or reads files.
_GROWING = frozenset(
    "repeat tile pad resize broadcast_to kron outer meshgrid concatenate append insert stack vstack hstack"
    " column_stack dstack block convolve load loadtxt genfromtxt fromfile memmap frombuffer vander indices".split()
)
_MAKING = frozenset("array asarray asanyarray ascontiguousarray".split())
_MADE = frozenset("zeros ones empty full eye identity linspace logspace geomspace arange".split())
_NUMERIC = ("math.", "random.", "time.", "cmath.")
_COUNTS = frozenset("len int float bool complex round ord hash divmod abs min max sum".split())
_ABOUT = frozenset("shape size ndim dtype itemsize nbytes pi e inf nan newaxis".split())
_VIEWS = frozenset("T mT real imag".split())
#: What reads files and the like gives much, whoever wrote it.
_READING = ("read", "load", "open", "fetch", "download")
_PAIRING = ("enumerate", "zip", "reversed")
_PASSES = 8


class _Amounts:
    """How much the names of a function hold: the most that is assigned to them anywhere in it."""

    def __init__(self, region: RegionWork, trusted_by: _Amounts | None = None) -> None:
        """trusted_by : known amounts; parameters that are operands of arithmetic alone are then taken for numbers."""
        self.region, self.context = region, region.context
        self.parameters = frozenset(self.context.facts.parameters)
        self.trusting = trusted_by is not None
        if self.trusting:
            self.parameters -= frozenset(_factors(self.context.facts.node))
        self.names: dict[str, Amount] = {}
        self.operators: dict[int, ev.Operator] = {}
        self.reads: dict[int, ev.Read] = {}
        self.varying: frozenset[str] = frozenset()  #: names that loops bind
        self._bound: list[cst.CSTNode] = []
        self._opaque: list[str] = []
        if trusted_by is not None:  # what the text tells is the same
            self.operators, self.reads = trusted_by.operators, trusted_by.reads
            self.varying, self._bound, self._opaque = trusted_by.varying, trusted_by._bound, trusted_by._opaque
        else:
            self._read(nodes_of(self.context.facts.node))
        self.settled = self._settle()

    def _read(self, parts: Sequence[cst.CSTNode]) -> None:
        events = self.context.facts.events
        self.operators = {id(it.node): it for it in events if isinstance(it, ev.Operator)}
        self.reads = {id(it.node): it for it in events if isinstance(it, ev.Read)}
        loops = [part for part in parts if isinstance(part, (cst.For, cst.While, cst.CompFor))]
        self.varying = frozenset(name for loop in loops for it in walk(loop) for name in bound_names(it))
        self._bound = [part for part in parts if any(True for _ in bound_names(part)) or isinstance(part, cst.Assign)]
        self._opaque = [name.value for part in parts for name in _bound_otherwise(part)]

    def _settle(self) -> bool:
        """Whether an end was found."""
        self.names.update((name, Amount.ANY) for name in self._opaque if name not in self.context.facts.parameters)
        for _ in range(_PASSES):
            before = dict(self.names)
            for part in self._bound:
                self._bind(part)
            if before == self.names:
                return True
        return False

    def _bind(self, part: cst.CSTNode) -> None:
        if isinstance(part, cst.Assign):
            for target in part.targets:
                self._assign(target.target, part.value)
        elif isinstance(part, (cst.AugAssign, cst.AnnAssign, cst.NamedExpr)) and part.value is not None:
            self._give(part.target, self.of(part.value))
        elif isinstance(part, (cst.For, cst.CompFor)):
            self._give(part.target, self._item(part.iter))

    def _assign(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if (
            isinstance(target, cst.Tuple)
            and isinstance(value, cst.Tuple)
            and len(target.elements) == len(value.elements)
            and all(type(it) is cst.Element for it in (*target.elements, *value.elements))
        ):
            for one, given in zip(target.elements, value.elements, strict=True):
                self._assign(one.value, given.value)
        else:
            self._give(target, self.of(value))

    def _give(self, target: cst.CSTNode, amount: Amount) -> None:
        for name in target_names(target):
            known = self.names.get(name, Amount.NUMBER)
            self.names[name] = Amount.NUMBER if name in self.region.numbers else max(known, amount)

    def _item(self, node: cst.BaseExpression) -> Amount:
        """Of an item of what a loop goes over."""
        inner, value = unwrapped(node, self.context)
        if isinstance(value, Array) and value.exact is None:
            return Amount.PIECE
        if not isinstance(inner, cst.Call):
            return self.of(inner)
        name = dotted(inner.func).rpartition(".")[2]
        if name in RANGES:
            return Amount.NUMBER
        if name in _PAIRING:
            return max((self._item(it.value) for it in inner.args if it.keyword is None), default=Amount.ANY)
        call = self.context.calls.get(id(inner))
        return self.unseen(call) if call is not None and call.api is None else Amount.ANY

    # ---- expressions

    def of(self, node: cst.BaseExpression, value: Value | None = None) -> Amount:
        if _is_number(value):
            return Amount.NUMBER
        if isinstance(node, cst.Name):
            if node.value in self.region.numbers:
                return Amount.NUMBER
            if node.value in self.parameters:
                return Amount.ANY
            own = Amount.NUMBER if node.value in self.context.facts.parameters else Amount.ANY
            return self.names.get(node.value, own)
        if isinstance(node, cst.Call):
            call = self.context.calls.get(id(node))
            return Amount.ANY if call is None else self.of_call(call)
        if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)):
            operator = self.operators.get(id(node))
            operands = operand_nodes(node)
            values = operator.operands if operator is not None else (None,) * len(operands)
            return max((self.of(*pair) for pair in zip(operands, values, strict=False)), default=Amount.ANY)
        if isinstance(node, cst.Subscript):
            read = self.reads.get(id(node))
            if read is not None and _is_number(read.result):
                return Amount.NUMBER
            base = self.of(node.value)
            return Amount.NUMBER if base is Amount.FEW and all(map(_is_literal, node.slice)) else base
        if isinstance(node, cst.Attribute):
            return Amount.NUMBER if node.attr.value in _ABOUT else self._of_attribute(node)
        if isinstance(node, (cst.Tuple, cst.List)):
            few = max((self.of(item.value) for item in node.elements), default=Amount.ANY)
            return max(few, Amount.FEW) if len(node.elements) < SMALL else Amount.ANY
        if isinstance(node, cst.IfExp):
            return max(self.of(node.body), self.of(node.orelse))
        if isinstance(node, cst.BooleanOperation):
            return max(self.of(node.left), self.of(node.right))
        plain = (cst.BaseNumber, cst.SimpleString, cst.FormattedString)
        return Amount.NUMBER if isinstance(node, plain) else Amount.ANY

    def _of_attribute(self, node: cst.Attribute) -> Amount:
        return self.of(node.value) if node.attr.value in _VIEWS else Amount.ANY

    def of_call(self, call: ev.Call) -> Amount:
        if isinstance(call.callee, Symbol):
            module, _, name = call.callee.name.rpartition(".")
            if module == "builtins":
                plain = name in _COUNTS and not isinstance(call.result, Array)
                return Amount.NUMBER if plain else max(self.given(call), Amount.FEW)
            if call.callee.name.startswith(_NUMERIC):
                return Amount.NUMBER
        if call.api is None:
            return self.unseen(call)
        name = call.api.rpartition(".")[2]
        drawn = size_of_draw(call)
        if drawn is not None:
            count = 1 if not drawn else _product(drawn)
            others = self.given(call) if count is not None and count < SMALL else Amount.ANY
            return max(others, Amount.FEW) if drawn else others
        if name in _MADE:
            made = size_of_made(call, self.context.catalog)
            return Amount.FEW if made is not None and made < SMALL else Amount.ANY
        if name in _GROWING or call.api.startswith("numpy.random."):
            return Amount.ANY
        given = self.given(call)
        if self.trusting and given is Amount.NUMBER and (name in REDUCTIONS or name in PRODUCTS):
            return Amount.ANY  # nobody adds up one number
        if isinstance(call.result, Array) and call.result.rank == 0:
            return Amount.NUMBER
        if given is not Amount.NUMBER or name in _MAKING:
            return given
        fact = self.context.catalog.get(call.api)
        return Amount.NUMBER if fact is not None and fact.kind == "ufunc" else Amount.ANY

    def given(self, call: ev.Call) -> Amount:
        amounts = [self.of(it.node.value, it.value) if not it.star else Amount.ANY for it in call.arguments]
        if call.receiver is not None and isinstance(call.node.func, cst.Attribute):
            amounts.append(self.of(call.node.func.value, call.receiver))
        return max(amounts, default=Amount.ANY)

    def unseen(self, call: ev.Call) -> Amount:
        """Of what code gives that nobody can see: a piece, unless it got an array as a whole."""
        function = isinstance(call.callee, Function)
        if function and home_of(call.result) != HOST:
            return self.of_ours(call)
        name = dotted(call.node.func).rpartition(".")[2].lower()
        if not (function or is_unseen(call.callee)) or any(word in name for word in _READING):
            return Amount.ANY
        whole = chosen = False
        for argument in call.arguments:
            node = argument.node.value
            amount = Amount.ANY if argument.star else self.of(node, argument.value)
            varies = not self.varying.isdisjoint(names_in(node))
            if amount is Amount.ANY and varies:
                return Amount.ANY  # it goes on with what the loop works on
            whole |= amount is Amount.ANY
            chosen |= amount is Amount.NUMBER and varies
        return Amount.ANY if whole and not chosen else Amount.UNSEEN

    def of_ours(self, call: ev.Call) -> Amount:
        given = self.given(call)
        return Amount.ANY if given is Amount.NUMBER else given


def _is_literal(element: cst.SubscriptElement) -> bool:
    return isinstance(element.slice, cst.Index) and isinstance(element.slice.value, (cst.Integer, cst.UnaryOperation))


def _is_number(value: Value | None) -> bool:
    return isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0)


def _product(drawn: Sequence[ev.Argument]) -> int | None:
    counts = [elements_of_shape(argument.value) for argument in drawn]
    total = 1
    for count in counts:
        if count is None:
            return None
        total *= count
    return total


def _bound_otherwise(part: Any) -> Iterator[cst.Name]:
    """Names that no assignment binds: of files, exceptions, patterns, functions."""
    if type(part) is cst.AsName:
        yield from (name for name in walk(part.name) if type(name) is cst.Name)
    elif type(part) in (cst.Param, cst.FunctionDef, cst.ClassDef):
        yield part.name
    elif type(part) in (cst.Global, cst.Nonlocal):
        yield from (item.name for item in part.names)


def _factors(function: cst.CSTNode) -> Iterator[str]:
    """Names that are operands of arithmetic, or made an array of with others, wherever they stand: ``y + dt * v``."""
    parts = nodes_of(function)
    around = {id(it) for part in parts for it in _operands(part)}
    names = [part for part in parts if type(part) is cst.Name]
    parameters = {id(it.name) for it in parts if type(it) is cst.Param}
    others = {name.value for name in names if id(name) not in around and id(name) not in parameters}
    yield from {name.value for name in names if id(name) in around} - others


def _operands(part: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if type(part) is cst.BinaryOperation and type(part.operator) is not cst.MatrixMultiply:
        yield from (part.left, part.right)
    elif type(part) is cst.UnaryOperation:
        yield part.expression
    elif type(part) is cst.Comparison:
        yield from operand_nodes(part)
    elif type(part) is cst.Call and part.args:
        name, given = dotted(part.func).rpartition(".")[2], part.args[0].value
        if name in _MADE:
            yield given  # a length
        if name in _MADE or name in _MAKING:
            yield from (it.value for it in given.elements) if isinstance(given, (cst.Tuple, cst.List)) else ()


def small_steps(region: RegionWork) -> list[tuple[Loop, Step]]:
    """The loops that may run often and work on a little in each iteration, with where they do."""
    found = _FOUND.get(region)
    if found is None:
        found = _FOUND[region] = list(_small_steps(region)) if region.loops else []
    return found


#: Two rules ask for them.
_FOUND: WeakKeyDictionary[RegionWork, list[tuple[Loop, Step]]] = WeakKeyDictionary()


def _small_steps(region: RegionWork) -> Iterator[tuple[Loop, Step]]:
    amounts = _Amounts(region)
    trusting: _Amounts | None = None
    for loop in region.loops:
        step = _step(loop, region, amounts)
        if step is None:
            trusting = trusting or _Amounts(region, amounts)
            step = _step(loop, region, trusting)
            step = step if step is not None and step.amount is Amount.FEW else None
        if step is not None:
            yield loop, step


def _step(loop: Loop, region: RegionWork, amounts: _Amounts) -> Step | None:
    if not amounts.settled:
        return None
    context = region.context
    chosen = {id(store.node) for store in region.work(loop).stores}
    first: tuple[cst.CSTNode, Amount] | None = None
    most = Amount.NUMBER
    for part in body_of(loop):
        key = id(part)
        amount = Amount.NUMBER
        works = False
        if (call := context.calls.get(key)) is not None:
            amount, works = _of_work(call, amounts, context)
        elif (operator := amounts.operators.get(key)) is not None:
            amount = max(map(amounts.of, operand_nodes(operator.node), operator.operands), default=Amount.ANY)
            works = context.may_be_tensor(operator.result) and (amount > 0 or home_of(operator.result) == TENSOR)
        elif (store := region.stores.get(key)) is not None:
            target = store.target
            amount = amounts.of(target.value if isinstance(target, cst.Subscript) else target)
            amount = Amount.NUMBER if key in chosen else amount
            works = context.may_be_tensor(store.base) and (amount > 0 or isinstance(target, cst.Subscript))
        if not works:
            continue
        if amount is Amount.ANY:
            return None
        if first is None or (amount > first[1] and amount >= Amount.PIECE):
            first = part, amount
        most = max(most, amount)
    return Step(first[0], most, _callee(loop, amounts) if most is Amount.UNSEEN else "") if first else None


def _of_work(call: ev.Call, amounts: _Amounts, context: Context) -> tuple[Amount, bool]:
    """How much a call works on, and whether that is work for TensorFlow."""
    callee = call.callee
    if call.api is None and (
        isinstance(callee, Function) or (isinstance(callee, Bound) and isinstance(callee.receiver, Instance))
    ):
        stays = isinstance(call.result, Array) and home_of(call.result) == HOST
        return (Amount.NUMBER, False) if stays else (amounts.of_ours(call), True)
    if call.api is None or call.api.startswith("numpy.random."):
        return Amount.NUMBER, False
    amount = max(amounts.given(call), amounts.of_call(call))
    return amount, amount is Amount.ANY or context.may_be_tensor(call.result)  # NumPy may work on much, too


def _callee(loop: Loop, amounts: _Amounts) -> str:
    for part in body_of(loop):
        call = amounts.context.calls.get(id(part))
        if call is not None and call.api is None and amounts.of_call(call) is Amount.UNSEEN:
            return dotted(call.node.func)
    head = loop if isinstance(loop, cst.For) else getattr(loop, "for_in", None)
    return dotted(head.iter.func) if head is not None and isinstance(head.iter, cst.Call) else ""


# --- Recursion


def calls_itself(region: RegionWork) -> cst.Call | None:
    """A call by which one call of the function goes on with several, or with a half: down to the smallest parts."""
    context = region.context
    node = context.facts.node
    if not isinstance(node, cst.FunctionDef) or not isinstance(node.body, cst.IndentedBlock):
        return None
    found = {key for key, call in context.calls.items() if _is_itself(call, context)}
    if not found:
        return None
    calls = [part for part in walk(node.body) if isinstance(part, cst.Call) and id(part) in found]
    if _most(node.body.body, found) > 1:
        taken = dict(_names_of_parts(context))
        return _first_of_parts([(call, part) for call in calls for part in _handed(call, taken)])
    slices = dict(_names_of_slices(context))
    looped = {id(it) for loop in nodes_of(node) if isinstance(loop, _LOOPS) for it in walk(loop)}
    pairs = [(call, part) for call in calls for part in _handed(call, slices) if part is None or _has_slice(part)]
    often = [pair for pair in pairs if id(pair[0]) in looped or not _hands_on_array(context.calls[id(pair[0])], slices)]
    chosen = frozenset(_names_of_indices(context))
    often += [(it, part) for it in calls if id(it) in looped for part in _handed(it, {}) if _has_index(part, chosen)]
    part_by_part = _first_of_parts(often)
    if part_by_part is not None:
        return part_by_part
    loops = (loop for loop in region.loops if any(map(_is_single, region.work(loop).stores)))
    inside = {id(part) for loop in loops for part in body_of(loop)}
    return next((call for call in calls if id(call) in inside), None)


_LOOPS = (cst.For, cst.While, cst.ListComp, cst.GeneratorExp, cst.DictComp, cst.SetComp)
_SPLITTING = frozenset(f"numpy.{name}" for name in "split array_split hsplit vsplit dsplit".split())
#: A part that a call hands on; None for a name of what is not one part of an array.
_Part = cst.Subscript | None


def _first_of_parts(handed: list[tuple[cst.Call, _Part]]) -> cst.Call | None:
    """The first of the calls, unless all go on with the same coarser grid: its levels are few, and work on it all."""
    parts = [part for _, part in handed if part is not None]
    if len(parts) == len(handed) and all(map(_is_coarser, parts)) and len(set(map(_spelt, parts))) == 1:
        return None
    return next((call for call, _ in handed), None)


def _is_coarser(part: cst.Subscript) -> bool:
    """Whether it takes each second element, or the like, of all that there is: ``r[::2, ::2]``."""
    slices = [element.slice for element in part.slice]
    whole = all(isinstance(it, cst.Slice) and it.lower is None and it.upper is None for it in slices)
    return whole and any(isinstance(it, cst.Slice) and it.step is not None for it in slices)


def _spelt(part: cst.Subscript) -> tuple[str, ...]:
    return tuple(it.value if isinstance(it, (cst.Name, cst.Integer)) else type(it).__name__ for it in walk(part))


def _has_slice(part: cst.Subscript) -> bool:
    return any(isinstance(element.slice, cst.Slice) for element in part.slice)


def _has_index(part: _Part, names: frozenset[str]) -> bool:
    """Whether an array of NumPy's says what it takes: ``m[s]``."""
    index = part.slice[0].slice if part is not None and len(part.slice) == 1 else None
    return isinstance(index, cst.Index) and isinstance(index.value, cst.Name) and index.value.value in names


def _names_of_indices(context: Context) -> Iterator[str]:
    """Names that are bound to arrays that functions of NumPy's give, and to nothing else."""
    given, others = set[str](), set[str]()
    for part in nodes_of(context.facts.node):
        if isinstance(part, cst.Assign):
            call = context.calls.get(id(part.value))
            value = call.result if call is not None and call.api is not None else None
            names = {name for target in part.targets for name in target_names(target.target)}
            (given if isinstance(value, Array) and value.rank != 0 else others).update(names)
        elif not isinstance(part, cst.AssignTarget):
            others.update(bound_names(part))
    return iter(given - others)


def _names_of_parts(context: Context) -> Iterator[tuple[str, _Part]]:
    """The names of parts of arrays, and of what is computed from some: ``left = x[:half]``."""
    for part in nodes_of(context.facts.node):
        if isinstance(part, cst.Assign) and any(isinstance(it, cst.Subscript) for it in walk(part.value)):
            of = part.value if isinstance(part.value, cst.Subscript) else None
            yield from ((name, of) for target in part.targets for name in target_names(target.target))
        elif isinstance(part, cst.For):
            yield from ((name, None) for name in target_names(part.target))


def _names_of_slices(context: Context) -> Iterator[tuple[str, _Part]]:
    """The names of slices of arrays alone."""
    for part in nodes_of(context.facts.node):
        if isinstance(part, cst.Assign):
            for value in _in_display(part.value):
                if isinstance(value, cst.Subscript) and _has_slice(value):
                    of = value if value is part.value else None
                    yield from ((name, of) for target in part.targets for name in target_names(target.target))
        elif isinstance(part, (cst.For, cst.CompFor)):
            call = context.calls.get(id(part.iter))
            items = _in_display(part.iter)
            slices = any(isinstance(it, cst.Subscript) and _has_slice(it) for it in items if it is not part.iter)
            if slices or (call is not None and call.api in _SPLITTING):
                yield from ((name, None) for name in target_names(part.target))


def _in_display(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [it.value for it in node.elements] if isinstance(node, (cst.Tuple, cst.List)) else [node]


def _handed(call: cst.Call, taken: dict[str, _Part]) -> Iterator[_Part]:
    """The parts among the arguments."""
    for part in (part for argument in call.args for part in walk(argument.value)):
        if isinstance(part, cst.Subscript):
            yield part
        elif isinstance(part, cst.Name) and part.value in taken:
            yield taken[part.value]


def _hands_on_array(call: ev.Call, slices: dict[str, _Part]) -> bool:
    """Whether an array goes on as a whole beside the part: each level may work on all of it."""
    given = [(it.node.value, it.value) for it in call.arguments]
    whole = [value for node, value in given if not isinstance(node, cst.Subscript) and dotted(node) not in slices]
    return any(isinstance(value, Array) and value.rank != 0 for value in whole)


def _is_single(store: ev.Store) -> bool:
    """Whether each index of what is stored into is one number."""
    keys = store.keys or ()
    return bool(keys) and not any(map(selects, keys))


def _is_itself(call: ev.Call, context: Context) -> bool:
    callee = call.callee
    around, _, name = context.facts.qualname.rpartition(".")
    if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
        return bool(around) and dotted(call.node.func) == f"self.{name}"
    return isinstance(callee, Function) and callee.qualname == context.facts.qualname


def _most(statements: Sequence[cst.CSTNode], found: set[int]) -> int:
    """How many of the calls one run of the statements makes, at most; a loop's are counted once."""
    total = 0
    for number, part in enumerate(statements):
        if not isinstance(part, cst.If):
            total += sum(id(it) in found for it in walk(part))
            continue
        rest = _most(statements[number + 1 :], found)
        return total + _most([part.test], found) + max(_of_branches(part, rest, found))
    return total


def _of_branches(node: cst.If, rest: int, found: set[int]) -> Iterator[int]:
    """For each branch how many it makes, with the `rest` after it where it comes to an end."""
    yield _most(node.body.body, found) + (0 if _leaves(node.body) else rest)
    other = node.orelse
    if isinstance(other, cst.If):
        yield _most([other.test], found) + max(_of_branches(other, rest, found))
    elif isinstance(other, cst.Else):
        yield _most(other.body.body, found) + (0 if _leaves(other.body) else rest)
    else:
        yield rest


def _leaves(body: cst.BaseSuite) -> bool:
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, (cst.Return, cst.Raise))
