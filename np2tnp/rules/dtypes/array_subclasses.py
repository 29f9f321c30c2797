"""TNP307: masked arrays, matrices and other subclasses of ndarray."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import SUBCLASS, Class, Instance, Sequence, Symbol, Value
from np2tnp.analysis.module.subclasses import (
    SUBCLASSES,
    holds_subclass,
    is_followed,
    makes_subclass,
    maps_file,
    may_mask,
)
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.words_and_edits import keep_in_numpy, short_name


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
        does=(
            "Leaves the whole function in NumPy, but where masked arrays and matrices are only calculated with, shown"
            " and turned into ordinary arrays (`.filled(0)`, `.compressed()`): that stays NumPy's. The boundary of a"
            " migrated function refuses such arguments."
        ),
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
    on = (
        Calls.NUMPY,
        ev.Kind.ARRAY_SUBCLASS,
        ev.Kind.SUBCLASS_PARAMETER,
        ev.Kind.SUBCLASS_INSTANCE,
        ev.Kind.SUBCLASS_OPERAND,
    )

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        asked_for = False  # where somebody wants a masked array, nothing else will do
        words = _inherited(event) if isinstance(event, ev.Construct) else None
        if isinstance(event, ev.Call) and event.api is not None:
            words = _made(event, event.api)
        if isinstance(event, ev.Call) and may_mask(event.api or ""):
            where = _followed_badly(event, context)
            if where is None:
                yield keep_in_numpy(event, context, self.code, "masked arrays and matrices are NumPy's")
                return
            words = f"{words}; it, or what comes of it, {where}: {_remedy(event.api or '', context)}"
            asked_for = where in (_GIVEN, _RETURNED) and not _fills(context)
        if words is not None:
            assert isinstance(event, (ev.Call, ev.Construct))
            unseen = isinstance(event, ev.Construct) and event.kind == ev.Kind.SUBCLASS_OPERAND
            inherits = isinstance(event, ev.Construct) and event.kind in _OF_CLASSES
            unseen = unseen or words.endswith(_IN_ITS_OWN_WAY)
            left = "unseen" if unseen else "masked" if asked_for or inherits else ""
            yield Hit(self.code, event.node, words, Verdict.BLOCK, left=left)


#: What a class is decides, which nobody changes for one function.
_OF_CLASSES = (ev.Kind.ARRAY_SUBCLASS, ev.Kind.SUBCLASS_INSTANCE)
_IN_ITS_OWN_WAY = "which NumPy may treat in its own way"
_GIVEN, _RETURNED = "is given to other code", "is returned"
#: What little work is moved elsewhere stays little: see `plan`, which asks for the words "function of its own".
_INSIDE = "work on ndarrays, its values and its mask"
_TAKEN = "give values and mask to another function"
_MADE = "compute values and mask in another function, and make the masked array of what that returns"
_MATRIX = "work on ndarrays, whose matrix product is a @ b"
_OTHERS = "give np.asarray(...) of it to another function"


def _remedy(api: str, context: Context) -> str:
    """What helps where the masked array stays in the region, where the region gets it, and where it gives it away."""
    if not api.startswith("numpy.ma."):
        return _MATRIX if is_followed(api) else _OTHERS
    if not makes_subclass(api):
        return _TAKEN
    return _MADE if any(map(_gives_away, context.facts.events)) else _INSIDE


def _gives_away(event: ev.Event) -> bool:
    if isinstance(event, ev.Call):
        own = (event.api or "").startswith("numpy.") and not isinstance(event.receiver, Sequence)
        return not own and any(holds_subclass(argument.value) for argument in event.arguments)
    return isinstance(event, (ev.Return, ev.Store, ev.AttributeStore)) and holds_subclass(event.value)


def lives_on_masked(hits: Iterable[Iterable[Hit]]) -> bool:
    """Whether masked arrays are in many functions of a module that work on arrays: nobody writes all that anew.

    hits: what was found in each of these functions.
    """
    with_masked = [
        any(it.code == ArraySubclass.doc.code and it.message.startswith("np.ma.") for it in of) for of in hits
    ]
    return sum(with_masked) >= _MANY and 3 * sum(with_masked) >= len(with_masked)


_MANY = 4  #: functions with masked arrays; fewer are soon written on values and masks


def _fills(context: Context) -> bool:
    """Whether the region makes ndarrays of masked arrays itself, so that it might begin with these."""
    called = (call.node.func for call in context.calls.values())
    return any(isinstance(func, cst.Attribute) and func.attr.value == "filled" for func in called)


def _inherited(event: ev.Construct) -> str | None:
    if event.kind == ev.Kind.ARRAY_SUBCLASS:
        return f"the class inherits from {short_name(event.detail)}: self is an array that no tensor can stand for"
    if event.kind == ev.Kind.SUBCLASS_PARAMETER:
        return f"the argument is a {short_name(event.detail)}, which no tensor can stand for; pass an ndarray"
    if event.kind == ev.Kind.SUBCLASS_INSTANCE:
        return f"{event.detail} inherits from ndarray: its objects are arrays that no tensor can stand for"
    if event.kind == ev.Kind.SUBCLASS_OPERAND:
        return "an operand may be a masked array, or of another subclass of ndarray: it was made as one elsewhere"
    return None


def _followed_badly(event: ev.Call, context: Context) -> str | None:
    """What becomes of masked arrays and matrices in the region besides NumPy's own work; None where nothing does."""
    if not is_followed(event.api or "") or any(argument.star or argument.name == "out" for argument in event.arguments):
        return "is not followed"
    for other in context.facts.events:
        if isinstance(other, ev.Call):
            api = other.api or ""
            given = [argument.value for argument in other.arguments if holds_subclass(argument.value)]
            if isinstance(other.receiver, Sequence) and given:
                return "is put into a container"
            shown = isinstance(other.callee, Symbol) and other.callee.name in _SHOWING
            if (given and not (api.startswith("numpy.") or shown)) or any(
                item.name == "out" for item in other.arguments
            ):
                return _GIVEN
        elif isinstance(other, ev.Operator) and any(map(holds_subclass, other.operands)):
            return "is an operand beside a tensor"
        elif isinstance(other, ev.Read) and any(map(holds_subclass, (other.base, *other.keys))):
            if SUBCLASS not in other.base.refs:
                return "is an index"
        elif isinstance(other, (ev.Store, ev.AttributeStore)):
            if holds_subclass(other.base) or holds_subclass(other.value) or any(map(holds_subclass, _keys(other))):
                return "is stored or updated"
        elif isinstance(other, ev.Return) and holds_subclass(other.value):
            return _RETURNED
    return None


def _keys(event: ev.Store | ev.AttributeStore) -> tuple[Value, ...]:
    return (event.keys or ()) if isinstance(event, ev.Store) else ()


#: Builtins that show or measure what they get.
_SHOWING = frozenset(f"builtins.{name}" for name in "print len float int bool str repr type isinstance round".split())


def _made(event: ev.Call, api: str) -> str | None:
    """Why the call gets or makes something that is not exactly an ndarray; None where it does not."""
    if may_mask(api):
        does = "makes" if makes_subclass(api) else "takes"
        return f"{short_name(api)} {does} a subclass of ndarray, which no tensor can stand for"
    if maps_file(api, event.arguments):
        return "np.load with mmap_mode= gives an np.memmap, which no tensor can stand for"
    if api.rpartition(".")[2] == "view" and any(item.name == "type" or _is_class(item) for item in event.arguments):
        return "x.view() with a class makes a subclass of ndarray, which no tensor can stand for"
    given = next((item.value for item in event.arguments if isinstance(item.value, Instance)), None)
    if isinstance(given, Instance):
        return f"{short_name(api)} gets an object of class {given.qualname}, {_IN_ITS_OWN_WAY}"
    return None


def _is_class(argument: ev.Argument) -> bool:
    value, node = argument.value, argument.node.value
    if isinstance(value, Symbol):
        return value.name in SUBCLASSES or value.name == "numpy.ndarray"
    is_type_of = isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "type"
    return isinstance(value, Class) or is_type_of or (isinstance(node, cst.Name) and node.value == "cls")
