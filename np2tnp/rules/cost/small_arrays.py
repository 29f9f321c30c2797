"""TNP702, TNP707: arrays too small for a GPU, and functions that do too little with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import bind
from np2tnp.analysis.domain.values import Array, Const, Scalar, Sequence, Value, scalar_type
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk
from np2tnp.catalog.catalog import Catalog
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, document, register
from np2tnp.rules.decisions import decide

#: Below this many elements every operation is faster in NumPy: it takes less time than starting one in TensorFlow.
SMALL = 1000
_SHAPED = frozenset(("zeros", "ones", "empty", "full"))
_SQUARE = frozenset(("eye", "identity"))


@register
class SmallArray(Rule):
    doc = Doc(
        code="TNP702",
        name="small-array",
        summary=f"An array of fewer than {SMALL} elements is made.",
        why=(
            "An operation on 8 elements takes NumPy 0.3 µs and tnp 50 µs: below 10,000 elements NumPy nearly"
            " always wins."
        ),
        does="Only says so. `np2tnp profile` measures from which size on the function gains.",
        bad="""
            def kernel(x):
                return np.convolve(x, np.ones(3))
        """,
        good="""
            def kernel(x, width):
                return np.convolve(x, np.ones(width))
        """,
        safety="A note: it changes nothing.",
        severity=Severity.SLOWER,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        if event.api is None or not context.in_region:
            return
        decision = decide(event, context)
        if decision is None or not decision.converts:
            return
        size = size_of_made(event, context.catalog)
        if size is not None and size < SMALL:
            words = f"an array of {size} element{'' if size == 1 else 's'}: work on it is faster in NumPy"
            yield self.hit(event.node, words, Verdict.NOTE)


def size_of_made(event: ev.Call, catalog: Catalog) -> int | None:
    """How many elements a creating call makes, where its text says so."""
    name = (event.api or "").removeprefix("numpy.")
    fact = catalog.get(event.api or "")
    bound = bind(fact, event.arguments) if fact is not None else None
    if not bound:
        return None
    values = {key: argument.value for key, argument in bound.items()}
    if name in _SHAPED:
        return elements_of_shape(values.get("shape"))
    if name in _SQUARE:
        rows = _int(values.get("N", values.get("n")))
        columns = _int(values.get("M")) if "M" in values else rows
        return None if rows is None or columns is None else rows * columns
    if name == "array":
        return _count(values.get("object"))
    if name in ("linspace", "logspace", "geomspace"):
        return _int(values.get("num")) if "num" in values else 50
    if name == "arange" and len(event.arguments) == 1:
        return _int(event.arguments[0].value)
    return None


def _int(value: Value | None) -> int | None:
    return value.value if isinstance(value, Const) and value.type == "int" else None


def elements_of_shape(shape: Value | None) -> int | None:
    """How many elements an array of this shape has, where it is known."""
    if not isinstance(shape, Sequence):
        return _int(shape)
    total = 1
    for item in shape.items if shape.items is not None else (shape.element,):
        length = _int(item)
        if length is None or shape.items is None:
            return None
        total *= length
    return total


def _count(value: Value | None) -> int | None:
    """Elements in nested displays of numbers; None where one is no number."""
    if isinstance(value, Const):
        return 1 if value.type in ("int", "float", "bool", "complex") else None
    if not isinstance(value, Sequence) or value.items is None:
        return None
    counts = [_count(item) for item in value.items]
    return None if None in counts else sum(count for count in counts if count is not None)


# --- What works on numbers, and on as few as the text says


class Size(IntEnum):
    """How much an expression holds, as far as the text tells."""

    TEXT = 0
    NUMBER = 1
    FEW = 2  #: fewer than `SMALL` elements
    UNKNOWN = 3
    MANY = 4  #: an array, of any size


#: What says of an array how large it is, and numbers that have names.
_ABOUT = frozenset("shape size ndim itemsize nbytes pi e inf nan".split())
_SAME = frozenset("T mT real imag".split())
_NUMBERS = frozenset("len int float bool complex round ord hash divmod sum".split())
_TEXTS = frozenset("str repr format ascii chr bin hex oct".split())
_OF_TEXTS = frozenset("join format strip lower upper replace startswith endswith encode decode".split())
#: What makes arrays larger than what it gets.
_GROWING = frozenset(
    "repeat tile pad resize broadcast_to kron outer meshgrid load loadtxt genfromtxt fromfile memmap frombuffer vander"
    " indices ones_like fromiter".split()
)
_MADE = _SHAPED | _SQUARE | frozenset("linspace logspace geomspace tri".split())
_DISPLAYS = (cst.Tuple, cst.List)
_PASSES = 8


def little_of(facts: ev.RegionFacts, catalog: Catalog) -> frozenset[int]:
    """The calls, operators and stores (ids of their nodes) that work on numbers, or on as few as the text says."""
    sizes = _Sizes(facts, catalog)
    return frozenset(id(event.node) for event in facts.events if sizes.is_little(event))


_LEAVE = "best left in NumPy (--slow convert migrates it)"


def of_few(hit: Hit, facts: ev.RegionFacts, catalog: Catalog, does_little: bool) -> Hit:
    """What is said of something slow, where that is work on a few numbers. `does_little`: the function, beside that."""
    if hit.left:
        return hit
    if does_little and id(hit.node) in facts.little:
        return replace(hit, message=f"the function works on a few numbers, as its text says: {_LEAVE}", left="little")
    target: cst.CSTNode | None = getattr(hit.node, "target", None)
    target = hit.node.targets[0].target if isinstance(hit.node, cst.Assign) else target
    while isinstance(target, cst.Subscript):
        target = target.value
    name = target.value if isinstance(target, cst.Name) else ""
    count = _few_in(facts, catalog, name)
    return hit if count is None else replace(hit, message=f"{name} has {count} elements: {_LEAVE}", left="little")


def _few_in(facts: ev.RegionFacts, catalog: Catalog, name: str) -> int | None:
    """How many elements the array has that `name` is bound to, once, by a call whose text says so."""
    calls = {id(it.node): it for it in facts.events if isinstance(it, ev.Call)}
    bound = [part for part in nodes_of(facts.node) if isinstance(part, _BINDING) and name in _names_of(part)]
    made = calls.get(id(bound[0].value)) if len(bound) == 1 and isinstance(bound[0], cst.Assign) else None
    size = size_of_made(made, catalog) if made is not None else None
    return size if size is not None and size < SMALL else None


class _Sizes:
    """How much the names of a function hold, by all that is assigned to them."""

    def __init__(self, facts: ev.RegionFacts, catalog: Catalog) -> None:
        self.facts, self.catalog = facts, catalog
        self.calls = {id(it.node): it for it in facts.events if isinstance(it, ev.Call)}
        self.values = {id(it.node): it.result for it in facts.events if isinstance(it, (ev.Operator, ev.Read))}
        parts = nodes_of(facts.node)
        self.tested = frozenset(name for part in parts for name in self._tested(part))
        bindings = [part for part in parts if isinstance(part, _BINDING)]
        limits = {name for part in bindings if _is_limit(part) for name in _names_of(part)}
        self.limits = limits.difference(*(_names_of(part) for part in bindings if not _is_limit(part)))
        self.names: dict[str, Size] = {}
        for _ in range(_PASSES):
            before = dict(self.names)
            for part in bindings:
                self._bind(part)
            if before == self.names:
                return
        self.names = dict.fromkeys(self.names, Size.MANY)

    def is_little(self, event: ev.Event) -> bool:
        if isinstance(event, ev.Call):
            given = [self.of(it.node.value, it.value) for it in event.arguments]
            if event.receiver is not None and isinstance(event.node.func, cst.Attribute):
                given.append(self.of(event.node.func.value, event.receiver))
            return max([self.of(event.node), *given]) <= Size.FEW or (bool(given) and _together(given) <= Size.FEW)
        if isinstance(event, ev.Operator):
            return self.of(event.node) <= Size.FEW
        if isinstance(event, ev.Store):
            base = event.target.value if isinstance(event.target, cst.Subscript) else event.target
            return isinstance(base, cst.Name) and self.of(base) <= Size.FEW
        return False

    # ---- names

    def _tested(self, part: cst.CSTNode) -> Iterator[str]:
        """Names of what is tested, or made an int or a float: of arrays, that would raise."""
        if isinstance(part, (cst.If, cst.While, cst.IfExp, cst.Assert)):
            yield from self._of_test(part.test)
        elif isinstance(part, cst.BooleanOperation):
            for side in (part.left, part.right):
                yield from self._of_test(side)
        elif isinstance(part, cst.Call) and dotted(part.func) in ("int", "float", "range") and part.args:
            for argument in part.args:
                yield from self._elementwise(argument.value)

    def _of_test(self, node: cst.BaseExpression) -> Iterator[str]:
        if not isinstance(node, cst.Name):  # a list may be tested, too
            yield from self._elementwise(node)

    def _elementwise(self, node: cst.BaseExpression) -> Iterator[str]:
        """The names that `node` computes with, element by element."""
        if isinstance(node, cst.Name):
            yield node.value
        elif isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
            yield from (name for side in (node.left, node.right) for name in self._elementwise(side))
        elif isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
            yield from self._elementwise(node.expression)
        elif isinstance(node, cst.Comparison):
            asked = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
            if not any(isinstance(it.operator, asked) for it in node.comparisons):
                sides = (node.left, *(it.comparator for it in node.comparisons))
                yield from (name for side in sides for name in self._elementwise(side))
        elif isinstance(node, cst.Call):
            call = self.calls.get(id(node))
            fact = self.catalog.get(call.api) if call is not None and call.api is not None else None
            if fact is not None and fact.kind == "ufunc":
                yield from (name for argument in node.args for name in self._elementwise(argument.value))

    def _bind(self, part: cst.CSTNode) -> None:
        if isinstance(part, cst.Assign):
            for target in part.targets:
                self._give(target.target, self.of(part.value))
        elif isinstance(part, (cst.AugAssign, cst.AnnAssign, cst.NamedExpr)) and part.value is not None:
            self._give(part.target, self.of(part.value))
        elif isinstance(part, (cst.For, cst.CompFor)):
            counts = isinstance(part.iter, cst.Call) and dotted(part.iter.func) == "range"
            self._give(part.target, Size.NUMBER if counts else max(self.of(part.iter), Size.UNKNOWN))

    def _give(self, target: cst.CSTNode, size: Size) -> None:
        for name in target_names(target):
            self.names[name] = max(self.names.get(name, Size.TEXT), size)

    # ---- expressions

    def of(self, node: cst.BaseExpression, value: Value | None = None) -> Size:
        value = self.values.get(id(node)) if value is None else value
        found = self._of(node)
        if isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0):
            return Size.TEXT if scalar_type(value) == "str" else Size.NUMBER
        return Size.MANY if found is Size.UNKNOWN and isinstance(value, Array) else found

    def _of(self, node: cst.BaseExpression) -> Size:
        if isinstance(node, cst.Name):
            if node.value in self.tested:
                return Size.NUMBER
            return max(self.names.get(node.value, Size.TEXT), self._given(node.value))
        if isinstance(node, cst.BaseNumber):
            return Size.NUMBER
        if isinstance(node, (cst.BaseString, cst.FormattedString)):
            return Size.TEXT
        if isinstance(node, cst.Attribute):
            if node.attr.value in _ABOUT:
                return Size.NUMBER
            return self.of(node.value) if node.attr.value in _SAME else Size.UNKNOWN
        if isinstance(node, cst.Call):
            return self._of_call(node)
        if isinstance(node, cst.Subscript):
            return self._of_part(node)
        if isinstance(node, (cst.Tuple, cst.List)):
            sizes = [self.of(item.value) for item in node.elements]
            return max(_together(sizes), Size.FEW) if len(sizes) < SMALL else Size.UNKNOWN
        if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
            sides = [self.of(node.left), self.of(node.right)]
            return Size.TEXT if Size.TEXT in sides and max(sides) < Size.MANY else _together(sides)
        if isinstance(node, cst.Comparison):
            return _together([self.of(node.left), *(self.of(it.comparator) for it in node.comparisons)])
        if isinstance(node, cst.UnaryOperation):
            return self.of(node.expression)
        return max(self.of(node.body), self.of(node.orelse)) if isinstance(node, cst.IfExp) else Size.UNKNOWN

    def _given(self, name: str) -> Size:
        return Size.UNKNOWN if name in self.facts.parameters or name not in self.names else Size.TEXT

    def _of_part(self, node: cst.Subscript) -> Size:
        base = self.of(node.value)
        if base <= Size.FEW:
            return base
        first = node.slice[0].slice
        if len(node.slice) > 1:
            return base
        if isinstance(first, cst.Index):
            index = self.of(first.value)
            return Size.FEW if index is Size.FEW else base
        ends = isinstance(first, cst.Slice) and first.step is None and first.lower is None
        upper = first.upper if ends and isinstance(first, cst.Slice) else None
        return Size.FEW if upper is not None and self._is_limited(upper) else base

    def _is_limited(self, node: cst.BaseExpression) -> bool:
        """Whether it is a number below `SMALL`: ``75``, or ``min(75, n)``."""
        return _is_short(node) or (isinstance(node, cst.Name) and node.value in self.limits)

    def _of_call(self, node: cst.Call) -> Size:
        given = [self.of(argument.value) for argument in node.args]
        name = dotted(node.func).rpartition(".")[2]
        call = self.calls.get(id(node))
        if isinstance(node.func, cst.Name):
            if name in _TEXTS:
                return Size.TEXT
            if name in _NUMBERS:
                return Size.NUMBER
        if call is None or call.api is None:
            if isinstance(node.func, cst.Attribute) and name in _OF_TEXTS:
                return Size.TEXT
            shown = [size for size, it in zip(given, node.args, strict=True) if not isinstance(it.value, _DISPLAYS)]
            return Size.FEW if Size.FEW in shown and max(given) < Size.MANY else Size.UNKNOWN
        made = size_of_made(call, self.catalog)
        if made is not None:
            return Size.FEW if made < SMALL else Size.MANY
        if name == "arange":
            return Size.FEW if self._is_short_range(node) else Size.MANY
        if name in _GROWING or name in _MADE or call.api.startswith("numpy.random."):
            return Size.MANY
        if call.receiver is not None and isinstance(node.func, cst.Attribute):
            given.append(self.of(node.func.value, call.receiver))
        return _together(given)

    def _is_short_range(self, node: cst.Call) -> bool:
        """``np.arange(tau)`` up to a limit, or ``np.arange(n - 1, n + 3)``."""
        values = [argument.value for argument in node.args if argument.keyword is None]
        if len(values) == 1:
            return self._is_limited(values[0])
        if len(values) != 2:
            return False
        (first, below), (other, above) = map(_around, values)
        return bool(first) and first == other and 0 <= above - below < SMALL


def _together(sizes: list[Size]) -> Size:
    """Of what is computed of several: as many as the largest array has; what nobody knows counts as a number beside."""
    most = max(sizes, default=Size.UNKNOWN)
    return Size.FEW if most is Size.UNKNOWN and Size.FEW in sizes else most


def _around(node: cst.BaseExpression) -> tuple[str, int]:
    """``("n", -1)`` of ``n - 1``; an empty name for anything else."""
    if isinstance(node, cst.Name):
        return node.value, 0
    if (
        isinstance(node, cst.BinaryOperation)
        and isinstance(node.left, cst.Name)
        and isinstance(node.right, cst.Integer)
    ):
        if isinstance(node.operator, cst.Add):
            return node.left.value, node.right.evaluated_value
        if isinstance(node.operator, cst.Subtract):
            return node.left.value, -node.right.evaluated_value
    return "", 0


def _is_short(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Integer):
        return node.evaluated_value < SMALL
    least = isinstance(node, cst.Call) and dotted(node.func) == "min" and len(node.args) > 1
    return least and any(isinstance(it.value, cst.Integer) and _is_short(it.value) for it in node.args)  # type: ignore[attr-defined]


def _is_limit(part: cst.CSTNode) -> bool:
    """Whether a name gets a number below `SMALL`."""
    return isinstance(part, cst.Assign) and _is_short(part.value)


_BINDING = (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)


def _names_of(part: cst.CSTNode) -> set[str]:
    """What a statement binds."""
    targets = [it.target for it in part.targets] if isinstance(part, cst.Assign) else [getattr(part, "target", None)]
    return {name for target in targets if target is not None for name in target_names(target)}


LITTLE = "TNP707"

document(
    Doc(
        code=LITTLE,
        name="little-work",
        summary="A function that does little with arrays, and hands on nothing of it but what goes to the host.",
        why=(
            "It checks arguments, fills an object or reads a file. Moving its arrays to the device and back would take"
            " longer than what it does there, and the code would be full of such moves."
        ),
        does=(
            "Keeps the function in NumPy unless --slow convert is given. A function that gives arrays back, updates its"
            " arguments or calls migrated ones migrates: its arrays may stay on the device. So does one that a loop of"
            " the module calls, itself or by others: its array would go to the host in each iteration. But what draws,"
            " or works on tables of pandas', stays where it gives back no array of its own and does not much. A"
            " function stays, whoever calls it, that would bring arrays to the device and back for less than three"
            " operations on each: that takes longer than NumPy. Arrays of objects and what other code gave count in"
            " full where nothing else is there; factors that LAPACK makes on the host (`eigh`, `qr`, `svd`) are no work"
            " for a device. What only checks what objects hold stays as well. So do functions of single numbers, as"
            " annotations or docstrings say of them, and classes that offer NumPy's functions by their names."
        ),
        bad="""
            def check(points, weights):
                if not isinstance(points, np.ndarray):
                    raise TypeError(f"{points} is no array")
                weights = np.array(weights)
                if points.shape != weights.shape:
                    raise ValueError("shapes differ")
        """,
        good="""
            def weighted(points, weights):
                return points * np.array(weights)
        """,
        severity=Severity.SLOWER,
    ),
)


def too_little(region: cst.CSTNode) -> Hit:
    """What is said of a function that does so little that it stays NumPy."""
    words = "it does little with arrays, and all goes to the host: best left in NumPy (--slow convert migrates it)"
    return Hit(LITTLE, region, words, Verdict.NOTE, left="little")


def of_checks(region: cst.CSTNode) -> Hit:
    """What is said of a function that does nothing with arrays but to ask something of them."""
    words = "all that it does with arrays is to check them: best left in NumPy (--slow convert migrates it)"
    return Hit(LITTLE, region, words, Verdict.NOTE, left="little")


def of_few_numbers(region: cst.CSTNode) -> Hit:
    """What is said of a function all of whose arrays have few elements, as its text says."""
    words = "it works on a few numbers, as its text says: best left in NumPy (--slow convert migrates it)"
    return Hit(LITTLE, region, words, Verdict.NOTE, left="little")


def of_numbers(region: cst.CSTNode) -> Hit:
    """What is said of a function that is given single numbers alone, as is written of them."""
    words = "all that it is given are single numbers, as is written of them"
    return Hit(LITTLE, region, f"{words}: best left in NumPy (--slow convert migrates it)", Verdict.NOTE, left="little")


#: So many methods that pass on to NumPy's functions of their names make a class NumPy's side of a choice.
_PASSED_ON = 8


def is_of_a_backend(qualname: str, module: ModuleInfo) -> bool:
    """Whether it is a method of a class that offers NumPy's functions by their names, beside classes for others."""
    owner = module.classes.get(qualname.rpartition(".")[0])
    if owner is None:
        return False
    methods = filter(None, (module.functions.get(name) for name in owner.methods.values()))
    return sum(_passes_on(method.node) for method in methods) >= _PASSED_ON


def _passes_on(method: cst.FunctionDef) -> bool:
    """Whether it is ``def exp(self, x): return np.exp(x)``."""
    lines = method.body.body
    last = lines[-1].body[0] if lines and isinstance(lines[-1], cst.SimpleStatementLine) else None
    call = last.value if isinstance(last, cst.Return) else None
    if len(lines) > 2 or not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return False
    return call.func.attr.value == method.name.value


def of_backend(region: cst.CSTNode) -> Hit:
    """What is said of a method that is NumPy's by intention."""
    words = "its class offers NumPy's functions by their names, for code that chooses among libraries"
    return Hit(LITTLE, region, f"{words}: best left in NumPy (--slow convert migrates it)", Verdict.NOTE, left="little")


def back_and_forth(region: cst.CSTNode, times: int, of_objects: bool) -> Hit:
    """What is said of a function that would bring arrays to the device and back for less work than that."""
    where = f"{times} places" if times > 1 else "one place"
    words = f"it would bring arrays to the device and back in {where}, and do less with them there than that takes"
    ends = "--state tensor keeps those of `self` there" if of_objects else "--slow convert migrates it"
    return Hit(LITTLE, region, f"{words}: best left in NumPy ({ends})", Verdict.NOTE, left="little")


def is_called_in_loops(qualname: str, module: ModuleInfo) -> bool:
    """Whether loops in functions of the module may call it, themselves or by what they call: by its last name."""
    if module.called_in_loops is None:
        module.called_in_loops = frozenset(_called_in_loops(module))
    return _short(qualname) in module.called_in_loops


def is_called(qualname: str, module: ModuleInfo) -> bool:
    """Whether another function of the module may call it: by its last name."""
    return any(_short(qualname) in names for caller, names in _calls(module).items() if caller != qualname)


def _calls(module: ModuleInfo) -> dict[str, frozenset[str]]:
    if module.called is None:
        module.called = {it.qualname: frozenset(_called(it.node)) for it in module.functions.values()}
    return module.called


def _called_in_loops(module: ModuleInfo) -> set[str]:
    calls = _calls(module)
    loops = (
        part for it in module.functions.values() for part in walk(it.node) if isinstance(part, (cst.For, cst.While))
    )
    reached: set[str] = set()
    more = {name for loop in loops for name in _called(loop)}
    while not more <= reached:
        reached |= more
        more = {name for caller, names in calls.items() if _short(caller) in reached for name in names}
    return reached


def _called(node: cst.CSTNode) -> set[str]:
    return {_short(dotted(part.func)) for part in walk(node) if isinstance(part, cst.Call)}


def _short(name: str) -> str:
    """The last name; a class is called by its own."""
    return name.removesuffix(".__init__").rpartition(".")[2]
