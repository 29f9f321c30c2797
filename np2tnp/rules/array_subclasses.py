"""TNP307: masked arrays, matrices and other subclasses of ndarray."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.subclasses import SUBCLASSES, maps_file, may_mask
from np2tnp.analysis.values import Class, Instance, Symbol
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.shared import short_name


@register
class ArraySubclass(Rule):
    doc = Doc(
        code="TNP307",
        name="array-subclass",
        summary="A masked array, a matrix, a memory map: a subclass of ndarray is made, taken or inherited.",
        why=(
            "A conversion to a tensor keeps the numbers and loses the rest: masks, `*` as matrix product, files,"
            " fields."
        ),
        does="Leaves the whole function in NumPy; the boundary of a migrated function refuses such arguments.",
        bad="""
            def mean(x, bad):
                return np.ma.masked_where(bad, np.exp(x)).mean()
        """,
        good="""
            def mean(x, bad):
                return np.mean(np.exp(x)[~bad])
        """,
        severity=Severity.SILENT,
    )
    on = (Calls.NUMPY, "array subclass", "subclass parameter", "subclass instance", "subclass operand")

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        words = _inherited(event) if isinstance(event, ev.Construct) else None
        if isinstance(event, ev.Call) and event.api is not None:
            words = _made(event, event.api)
        if words is not None:
            assert isinstance(event, (ev.Call, ev.Construct))
            yield self.hit(event.node, words, Verdict.BLOCK)


def _inherited(event: ev.Construct) -> str | None:
    if event.kind == "array subclass":
        return f"the class inherits from {short_name(event.detail)}: self is an array that no tensor can stand for"
    if event.kind == "subclass parameter":
        return f"the argument is a {short_name(event.detail)}, which no tensor can stand for; pass an ndarray"
    if event.kind == "subclass instance":
        return f"{event.detail} inherits from ndarray: its objects are arrays that no tensor can stand for"
    if event.kind == "subclass operand":
        return "an operand may be a masked array, or of another subclass of ndarray: it was made as one elsewhere"
    return None


def _made(event: ev.Call, api: str) -> str | None:
    """Why the call gets or makes something that is not exactly an ndarray; None where it does not."""
    if may_mask(api):
        return f"{short_name(api)} makes a subclass of ndarray, which no tensor can stand for"
    if maps_file(api, event.arguments):
        return "np.load with mmap_mode= gives an np.memmap, which no tensor can stand for"
    if api.rpartition(".")[2] == "view" and any(item.name == "type" or _is_class(item) for item in event.arguments):
        return "x.view() with a class makes a subclass of ndarray, which no tensor can stand for"
    given = next((item.value for item in event.arguments if isinstance(item.value, Instance)), None)
    if isinstance(given, Instance):
        return f"{short_name(api)} gets an object of class {given.qualname}, which NumPy may treat in its own way"
    return None


def _is_class(argument: ev.Argument) -> bool:
    value, node = argument.value, argument.node.value
    if isinstance(value, Symbol):
        return value.name in SUBCLASSES or value.name == "numpy.ndarray"
    is_type_of = isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "type"
    return isinstance(value, Class) or is_type_of or (isinstance(node, cst.Name) and node.value == "cls")
