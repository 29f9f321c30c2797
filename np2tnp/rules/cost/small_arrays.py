"""TNP702, TNP707: arrays too small for a GPU, and functions that do too little with them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import bind
from np2tnp.analysis.domain.values import Const, Sequence, Value
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
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
            " function that brings arrays to the device and back as often as it works on them stays, whoever calls it."
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


def back_and_forth(region: cst.CSTNode, times: int, of_objects: bool) -> Hit:
    """What is said of a function that would bring arrays to the device and back, and do as little there."""
    where = f"{times} places" if times > 1 else "one place"
    words = f"it would bring arrays to the device and back in {where}, and do no more than that with them there"
    ends = "--state tensor keeps those of `self` there" if of_objects else "--slow convert migrates it"
    return Hit(LITTLE, region, f"{words}: best left in NumPy ({ends})", Verdict.NOTE, left="little")


def is_called_in_loops(qualname: str, module: ModuleInfo) -> bool:
    """Whether loops in functions of the module may call it, themselves or by what they call: by its last name."""
    if module.called_in_loops is None:
        module.called_in_loops = frozenset(_called_in_loops(module))
    return _short(qualname) in module.called_in_loops


def _called_in_loops(module: ModuleInfo) -> set[str]:
    calls = {it.qualname: _called(it.node) for it in module.functions.values()}
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
