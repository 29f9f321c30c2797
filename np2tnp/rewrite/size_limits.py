"""What the decorator says of sizes: from how many elements on TensorFlow works, and how many the function makes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Const, Scalar, Value
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.config import FEW
from np2tnp.rewrite.plan import RegionPlan

#: Element loops that became operations on whole arrays pay much earlier: Python takes 0.1 µs an iteration and more.
FEW_ITERATIONS = 10_000

#: Values of ``--compile`` with which a function has the size test of eager ones.
EAGERLY = ("none", "auto")

#: Where these take a shape, and under what name.
_SHAPES = {
    **dict.fromkeys(("numpy.zeros", "numpy.ones", "numpy.empty", "numpy.full"), (0, "shape")),
    **dict.fromkeys(("numpy.linspace", "numpy.logspace", "numpy.geomspace"), (2, "num")),
}
#: The same of generators' methods.
_DRAWS = {
    **dict.fromkeys(("standard_normal", "random", "random_sample"), 0),
    **dict.fromkeys(("normal", "uniform", "integers", "randint"), 2),
}
_SQUARES = frozenset(("numpy.eye", "numpy.identity"))
_OUTER = frozenset(("numpy.meshgrid", "numpy.outer", "numpy.ix_", "numpy.add.outer", "numpy.subtract.outer"))
_SIGNS: dict[type, tuple[str, int]] = {
    cst.Add: ("+", 0),
    cst.Subtract: ("-", 0),
    cst.Multiply: ("*", 1),
    cst.FloorDivide: ("//", 1),
    cst.Power: ("**", 2),
}
_DEPTH = 4
_LENGTH = 60  #: of the expression: what is longer says nothing to a reader


@dataclass(frozen=True, slots=True)
class _Number:
    """An expression of parameters and literals.

    level: how strongly its operator binds (3: no operator); is_length: of one dimension, not the product of several.
    """

    text: str
    names: frozenset[str] = frozenset()
    level: int = 3
    is_length: bool = True

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


def least_elements(plan: RegionPlan, decided: int | None, slow: str, compile_as: str, keeps: bool) -> int | None:
    """``above`` of the decorator: what was `decided`, else what follows from the options; None: the runtime's own.

    compile_as : how the function is compiled; keeps : whether originals are kept without it.
    """
    if not decided and (compile_as not in EAGERLY or plan.float32):
        return None  # what the runtime takes for these is 0
    if decided is None and slow == "convert":
        return 0  # TensorFlow does all array work
    if decided is None and keeps and is_vectorized(plan):
        return FEW_ITERATIONS
    return decided


def is_vectorized(plan: RegionPlan) -> bool:
    """Whether element loops of it became operations on whole arrays."""
    return any(hit.code == "TNP703" for hit in plan.hits)


def made_elements(facts: ev.RegionFacts) -> cst.BaseExpression | None:
    """How many elements the largest array has that the function makes: a ``lambda`` of its parameters, or a number.

    None where the text does not tell, or tells that they are few. It is a guess about speed and nothing else: names
    that are bound more than once are not followed, and what other functions make is not looked at, since these look at
    sizes themselves.
    """
    node = facts.node
    if not isinstance(node, cst.FunctionDef):
        return None
    numbers = _Numbers(facts, node)
    steps = _steps(node, numbers)
    sizes: list[tuple[str, ...]] = []
    known: dict[str, _Number] = {}
    combined = [part.value for part in walk(node.body) if isinstance(part, cst.Subscript) and _is_outer(part)]
    made = {id(part) for part in combined if isinstance(part, cst.Call)}  # ``np.arange(n)[:, None]`` tells its own size
    is_outer = len(made) < len(combined)
    vectors: list[str] = []
    for event in facts.events:
        if not isinstance(event, ev.Call):
            continue
        is_outer = is_outer or event.api in _OUTER
        read = [numbers.read(part) for part in _dimensions(event)]
        found = [part for part in read if part is not None]
        if not found or len(found) < len(read):
            continue
        found = [part for part in found if not part.names & steps]
        known.update((part.text, part) for part in found)
        sizes.append(tuple(sorted(part.text for part in found)))
        if len(found) == 1:
            vectors.append(found[0].text)
            is_outer = is_outer or id(event.node) in made
    if is_outer and vectors and (len(vectors) > 1 or all(len(size) < 2 for size in sizes)):
        different = list(dict.fromkeys(vectors))  # of each with another one, or with itself
        sizes.append(tuple(sorted((*different, *different)[:2])))
    return _largest(sizes, known, facts, node)


def _steps(node: cst.FunctionDef, numbers: _Numbers) -> frozenset[str]:
    """Parameters that say how often a loop runs: an array that has so many rows is worked on row by row."""
    found: set[str] = set()
    for loop in walk(node.body):
        if isinstance(loop, cst.For) and isinstance(loop.iter, cst.Call):
            for part in map(numbers.read, (argument.value for argument in loop.iter.args)):
                found |= part.names if part is not None else set()
    return frozenset(found)


def _may_take_arrays(node: cst.FunctionDef, facts: ev.RegionFacts, but: frozenset[str]) -> bool:
    """Whether a parameter other than these may be an array, whose size then says more."""
    parameters = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
    return any(
        param.name.value not in facts.assumed_scalars | but | {"self", "cls"}
        and not isinstance(param.default, (cst.Integer, cst.Float, cst.SimpleString, cst.UnaryOperation))
        for param in parameters
    )


def _largest(
    sizes: list[tuple[str, ...]], known: dict[str, _Number], facts: ev.RegionFacts, node: cst.FunctionDef
) -> cst.BaseExpression | None:
    kept = list(dict.fromkeys(sizes))
    products = [
        _product([known[text] for text in size])
        for size in kept
        if not any(size != other and _is_part(size, other) for other in kept)
    ]
    most = max((int(product.text) for product in products if product.text.isdecimal()), default=0)
    if most >= FEW:
        return cst.Integer(f"{most:_}")
    products = [product for product in products if product.names]
    if all(product.is_length for product in products):
        used = frozenset().union(*(product.names for product in products))
        if _may_take_arrays(node, facts, used):
            return None
    texts = list(dict.fromkeys(product.text for product in products))
    text = ", ".join(texts)
    if not texts or len(text) > _LENGTH:
        return None
    used = frozenset().union(*(product.names for product in products))
    parameters = [cst.Param(cst.Name(name)) for name in facts.parameters if name in used]
    body = cst.parse_expression(f"max({text})" if len(texts) > 1 else text)
    return cst.Lambda(cst.Parameters(parameters), body)


def _product(factors: list[_Number]) -> _Number:
    """The factors as one expression."""
    constant = math.prod(int(factor.text) for factor in factors if factor.text.isdecimal())
    others = [factor for factor in factors if not factor.text.isdecimal()]
    if not others:
        return _Number(str(constant))
    if len(others) == 1 and constant == 1:
        return others[0]
    text = " * ".join([*([str(constant)] if constant != 1 else []), *(factor.within(2) for factor in others)])
    return _Number(text, frozenset().union(*(factor.names for factor in others)), 1, is_length=False)


def _is_part(size: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether all factors of `size` are factors of `other`, as often."""
    return all(size.count(factor) <= other.count(factor) for factor in size)


def _dimensions(event: ev.Call) -> Iterator[cst.BaseExpression | None]:
    """The dimensions of what a call makes; None for one that cannot be told, nothing where it makes no array."""
    api = event.api or ""
    if any(argument.star for argument in event.arguments):
        return
    given = [argument.node.value for argument in event.arguments if argument.name is None]
    named = {argument.name: argument.node.value for argument in event.arguments if argument.name is not None}
    if api in _SQUARES and given:
        yield from (given[0], given[1] if len(given) > 1 else given[0])
    elif api == "numpy.arange" and len(given) in (1, 2) and not named.keys() & {"start", "stop", "step"}:
        if len(given) == 1 or isinstance(given[0], cst.Integer):
            yield given[-1]
    elif api in _SHAPES or isinstance(event.node.func, cst.Attribute):
        method = event.node.func.attr.value if isinstance(event.node.func, cst.Attribute) else ""
        place, name = _SHAPES.get(api, (_DRAWS.get(method, len(given)), "size"))
        shape = named.get(name, given[place] if place < len(given) else None)
        if isinstance(shape, (cst.Tuple, cst.List)):
            yield from (element.value for element in shape.elements)
        elif shape is not None:
            yield shape


def _is_outer(node: cst.Subscript) -> bool:
    """``x[:, None]``: to be combined with every element of something else."""
    parts = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
    return any(
        (isinstance(part, cst.Name) and part.value == "None")
        or (isinstance(part, cst.Attribute) and part.attr.value == "newaxis")
        for part in parts
    )


def _names(target: cst.BaseExpression) -> Iterator[str]:
    """The names that an assignment to `target` binds."""
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _names(element.value)


class _Numbers:
    """Reads expressions of parameters of one function."""

    def __init__(self, facts: ev.RegionFacts, node: cst.FunctionDef) -> None:
        bound: dict[str, list[cst.BaseExpression | None]] = {}
        for part in walk(node.body):
            if isinstance(part, (cst.Assign, cst.AnnAssign)):
                targets: list[cst.BaseExpression] = [part.target] if isinstance(part, cst.AnnAssign) else []
                targets += [it.target for it in part.targets] if isinstance(part, cst.Assign) else []
                value = part.value if len(targets) == 1 and isinstance(targets[0], cst.Name) else None
            elif isinstance(part, (cst.AugAssign, cst.For, cst.CompFor, cst.NamedExpr)):
                targets, value = [part.target], None
            else:
                continue
            for name in (name for target in targets for name in _names(target)):
                bound.setdefault(name, []).append(value)
        own = {
            param.name.value for param in (*node.params.params, *node.params.kwonly_params, *node.params.posonly_params)
        }
        self.parameters = own - bound.keys() - {"self", "cls"} - facts.assumed_arrays
        self.locals = {name: values[0] for name, values in bound.items() if len(values) == 1 and values[0] is not None}

    def read(self, node: cst.BaseExpression | None, depth: int = _DEPTH) -> _Number | None:
        if node is None or depth == 0:
            return None
        if isinstance(node, cst.Integer):
            return _Number(node.value.replace("_", ""))
        if isinstance(node, cst.Name):
            if node.value in self.parameters:
                # a shape may be a tuple: the runtime takes its product
                return _Number(node.value, frozenset((node.value,)), is_length="shape" not in node.value)
            return self.read(self.locals.get(node.value), depth - 1)
        if isinstance(node, cst.BinaryOperation) and type(node.operator) in _SIGNS:
            sign, level = _SIGNS[type(node.operator)]
            left, right = self.read(node.left, depth - 1), self.read(node.right, depth - 1)
            if left is not None and right is not None:
                text = f"{left.within(level + (level == 2))} {sign} {right.within(level + 1)}"
                return _Number(text, left.names | right.names, level)
        return None


# --- Which arrays a function's loops work on one item at a time: ``for i in range(n): y[i] = np.sum(x[i] * w)``
#
# Each operation is a launch for one row then, however many rows there are, so a row's size says what TensorFlow wins.

#: What is read of an array without its elements.
_ABOUT = frozenset("shape ndim dtype size".split())
_PAIRING = frozenset(("enumerate", "zip", "reversed"))
_LOOPS = (cst.For, cst.CompFor)


def arrays_by_row(facts: ev.RegionFacts) -> tuple[str, ...]:
    """Parameters of which loops take one item along the first axis at a time, and of which nothing else is taken.

    What else is taken of them outside of such a loop is less work than the loop (`part_loops.parameters_by_row`).
    """
    node = facts.node
    if not isinstance(node, cst.FunctionDef):
        return ()
    items = _items(facts)
    counters: set[str] = set()
    neutral: set[int] = set()  #: names where nothing, or only one item, is taken
    by_row: set[str] = set()
    for part in walk(node.body):
        if isinstance(part, _LOOPS):
            counters.update(target_names(part.target))
            for iterated in _iterated(part.iter):
                neutral.add(id(iterated))
                by_row.add(iterated.value)
    for part in walk(node.body):
        if isinstance(part, cst.Attribute):
            neutral.add(id(part.attr))
            if part.attr.value in _ABOUT:
                neutral.add(id(part.value))
        elif isinstance(part, cst.Call) and isinstance(part.func, cst.Name) and part.func.value == "len":
            neutral.update(id(argument.value) for argument in part.args)
        elif isinstance(part, cst.Subscript) and isinstance(part.value, cst.Name) and id(part) in items:
            neutral.add(id(part.value))
            if _counts(part.slice[0].slice, counters):
                by_row.add(part.value.value)
    wanted = by_row & set(facts.parameters)
    names = (part for part in walk(node.body) if isinstance(part, cst.Name)) if wanted else ()
    taken = {name.value for name in names if id(name) not in neutral}
    chosen = (wanted - taken) | facts.planned.by_row
    return tuple(name for name in facts.parameters if name in chosen)


def _items(facts: ev.RegionFacts) -> frozenset[int]:
    """Subscripts, by id, whose first index is surely one number."""
    found: set[int] = set()
    for event in facts.events:
        if isinstance(event, ev.Read) and event.keys and _is_number(event.keys[0]):
            found.add(id(event.node))
        elif isinstance(event, ev.Store) and event.keys and _is_number(event.keys[0]):
            found.add(id(event.target))
    return frozenset(found)


def _is_number(value: Value) -> bool:
    return isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0)


def _counts(index: cst.BaseSlice, counters: set[str]) -> bool:
    """Whether an index depends on what a loop goes over."""
    return isinstance(index, cst.Index) and any(
        isinstance(part, cst.Name) and part.value in counters for part in walk(index.value)
    )


def _iterated(node: cst.BaseExpression) -> list[cst.Name]:
    """The names of what a loop goes over: of ``x``, ``enumerate(x)``, ``zip(x, y)``."""
    if isinstance(node, cst.Name):
        return [node]
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in _PAIRING:
        return [name for argument in node.args for name in _iterated(argument.value)]
    return []
