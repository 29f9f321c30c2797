"""TNP010: work on values of which nothing is known, and on ndarrays that stay on the host."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    Array,
    Bound,
    Class,
    Function,
    Instance,
    Sequence,
    Symbol,
    Unknown,
    Value,
    exact_of,
    may_be_array,
    may_hold_tensor,
)
from np2tnp.analysis.syntax.python_tables import IN_PLACE_METHODS, MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.decisions import decide, made_kind
from np2tnp.rules.host.host_calls import AMBIGUOUS
from np2tnp.rules.views import memory_order
from np2tnp.rules.words_and_edits import callee_words, holds_array, short_name

# --- Words for calls that may change ndarrays, which show it: nothing is lost, but it is to be told

#: Attributes of arrays that change the array when they are assigned.
CHANGING_ATTRIBUTES = frozenset(("flat", "shape", "dtype", "strides", "real", "imag"))


def words_for(event: ev.Call, context: Context) -> str:
    """What to say of a call that no rule acts on as one that changes arrays; "" where it changes none."""
    callee = event.callee
    if type(event.node.func) is cst.Call and dotted(event.node.func.func) == "getattr":
        return "which method is called here is not known: it may change what it is called on"
    if isinstance(callee, Symbol) and callee.name.startswith("builtins."):
        changes = callee.name in ("builtins.setattr", "builtins.delattr") and event.arguments
        return (
            f"{callee_words(event)} may change an array" if changes and may_be_array(event.arguments[0].value) else ""
        )
    if isinstance(callee, Bound):
        if isinstance(callee.receiver, Sequence):
            return ""
        if isinstance(callee.receiver, (Unknown, Array)) and callee.name in IN_PLACE_METHODS:
            return f".{callee.name}() may change what it is called on"
    if isinstance(callee, Class) or not _may_change(callee, context):
        return ""
    values = [argument.value for argument in event.arguments]
    ndarrays = any((may_be_array(value) or holds_array(value)) and not may_hold_tensor(value) for value in values)
    if ndarrays:
        return f"{callee_words(event)} may change the ndarrays that it gets"
    if _is_rebound(event):
        return f"{callee_words(event)} may change what it gets and give it back"
    return f"{callee_words(event)} may change the copies that it gets" if _updates_copies(event, context) else ""


def _updates_copies(event: ev.Call, context: Context) -> bool:
    """Whether a function of the project that stays in NumPy is known to update parameters for which tensors come."""
    summary = context.summary(event.callee) if isinstance(event.callee, Function) else None
    if summary is None or summary.migrated or not summary.mutates:
        return False
    matched = summary.match(event.arguments) or {}
    return any(name in matched and may_hold_tensor(matched[name].value) for name in summary.mutates)


def _may_change(callee: object, context: Context) -> bool:
    if not isinstance(callee, Function):
        return True
    summary = context.summary(callee)
    if callee.nested:
        return False
    return summary is None or bool(summary.mutates or summary.changeable or summary.updates)


def _is_rebound(event: ev.Call) -> bool:
    """Whether the result of the call goes to a name that it gets: ``x = f(x)``."""
    statement = event.place.statement
    if not isinstance(statement, cst.Assign) or statement.value is not event.node:
        return False
    names = {name for target in statement.targets for name in target_names(target.target)}
    return any(isinstance(item.node.value, cst.Name) and item.node.value.value in names for item in event.arguments)


@register
class UnknownValue(Rule):
    doc = Doc(
        code="TNP010",
        name="unknown-value",
        summary="A call or an update that stays as it is: its array is NumPy's there, or it is not known to be one.",
        why="Nothing is different there, but nothing is gained either: NumPy does that work, if it is work on arrays.",
        does=(
            "Leaves it alone. Where something is an array, `np.asarray` or an annotation (`x: np.ndarray`) says so. A"
            " function whose arrays come from `xp = array_namespace(x)`, more than from NumPy, stays NumPy as a whole:"
            " the setting numpy-names says that `xp` stands for NumPy."
        ),
        bad="""
            from models import predict


            def spread(data):
                y = predict(np.exp(data))
                return y.max() - y.min()
        """,
        good="""
            from models import predict


            def spread(data):
                y = np.array(predict(np.exp(data)))
                return y.max() - y.min()
        """,
    )
    on = (ev.Call, ev.AttributeStore, ev.Kind.HANDED_OVER, ev.Kind.AMBIGUOUS)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.Construct) and event.kind == ev.Kind.AMBIGUOUS:
            yield self.hit(event.node, event.detail, Verdict.NOTE)
            return
        if isinstance(event, ev.Construct):
            if any(isinstance(part, _WORK) for part in walk(event.node)):
                yield self.hit(event.node, _HANDED, Verdict.NOTE)
            return
        if isinstance(event, ev.AttributeStore):
            if isinstance(event.base, Unknown) and isinstance(event.node, cst.AugAssign):
                words = f".{event.name} may be an array, which NumPy updates in place"
                yield self.hit(event.node, words, Verdict.NOTE)
            elif isinstance(event.base, Unknown) and event.name in CHANGING_ATTRIBUTES and exact_of(event.base):
                words = f"this changes what may be an array: .{event.name} of an ndarray, which stays one"
                yield self.hit(event.node, words, Verdict.NOTE)
            return
        assert isinstance(event, ev.Call)
        if id(event.node) in context.stores:
            return
        words = (
            _numpys(event, context) if event.api is not None else _unknowns(event, context) or words_for(event, context)
        )
        if words and event.api is not None and memory_order.asks_for_order(event):
            yield Hit(memory_order.CODE, event.node, f"{words}, in the memory order that is asked for", Verdict.NOTE)
        elif words:
            yield self.hit(event.node, words, Verdict.NOTE)


#: Functions, by their last names, that give the module whose functions take what they are given.
_NAMESPACES = frozenset("array_namespace get_namespace get_array_module __array_namespace__".split())


def of_namespace(context: Context) -> Hit | None:
    """What is said of a function that works on arrays through ``xp = array_namespace(x)``, more than through NumPy.

    Nobody knows what ``xp.f(...)`` gives, so its arrays would go to the host and back for each such call.
    """
    names: set[str] = {"xp"} & frozenset(context.facts.parameters)
    for call in context.calls.values():
        if isinstance(call.place.statement, cst.Assign) and dotted(call.node.func).rpartition(".")[2] in _NAMESPACES:
            names.update(*(target_names(target.target) for target in call.place.statement.targets))
    through: dict[str, list[cst.Call]] = {}
    for call in context.calls.values():
        owner, _, function = dotted(call.node.func).partition(".")
        if call.api is None and owner in names and context.catalog.get(f"numpy.{function}") is not None:
            through.setdefault(owner, []).append(call.node)
    name = max(through, key=lambda owner: len(through[owner]), default="")
    own = sum(call.api is not None for call in context.calls.values())
    if not name or len(through[name]) < own:
        return None
    words = f"arrays come from {name}.{dotted(through[name][0].func).partition('.')[2]}(...), which nobody knows"
    advice = f'if {name} stands for NumPy, say so: numpy-names = ["{name}"] in [tool.np2tnp]'
    return Hit(UnknownValue.doc.code, through[name][0], f"{words}; {advice}", Verdict.NOTE)


def is_handed(hit: Hit) -> bool:
    """Whether the finding tells of a nested function that stays NumPy's."""
    return hit.message == _HANDED


def is_ambiguous(hit: Hit) -> bool:
    """Whether the finding tells of a name that may be NumPy's, and may be another's."""
    return hit.code == UnknownValue.doc.code and " may be numpy" in hit.message


def beside(handed: list[Hit], hits: list[Hit]) -> list[Hit]:
    """Those of `hits` that are not about the nested functions that `handed` tells of."""
    if not handed:
        return hits
    inside = {id(part) for hit in handed for part in walk(hit.node)}
    return [hit for hit in hits if id(hit.node) not in inside]


def may_be_work(hit: Hit) -> bool:
    """Whether the finding is about work on what may be an array, in a function where nothing is known to be one."""
    return hit.code[3] in "0125"


def is_about_arrays(hit: Hit, annotated: bool) -> bool:
    """Whether only arrays can be meant: their dtypes, or their memory in a function with annotated arrays."""
    return hit.code[3] == "3" or (annotated and hit.code[3] == "2")


def of_region(facts: ev.RegionFacts, annotated: bool) -> Hit:
    """What is said of such a function as a whole."""
    words = (
        "nothing here is work for TensorFlow: what its arrays are used for stays NumPy's"
        if annotated
        else "nothing here is known to be an array, and something may be: annotate it (x: np.ndarray) to have it"
        " migrated"
    )
    return Hit(UnknownValue.doc.code, facts.node, words, Verdict.NOTE)


def _numpys(event: ev.Call, context: Context) -> str:
    """Of a call of NumPy: what to say of one that no other rule acts on, though there are arrays in it."""
    if decide(event, context) is not None or made_kind(event, context) is not None:
        return ""
    made = (Array, Unknown) if event.api in ("numpy.array", "numpy.asarray", "numpy.asanyarray") else Array
    if not any(map(may_be_array, _values(event))) and not isinstance(event.result, made):
        return ""
    context.edits.total += 1  # of the share of NumPy's calls that are migrated, it is one that is not
    return f"{short_name(event.api or '')} is left alone: its arrays are NumPy's here"


def _unknowns(event: ev.Call, context: Context) -> str:
    """Of a call of something that is not known."""
    callee, held = event.callee, any(may_hold_tensor(argument.value) for argument in event.arguments)
    if held or (isinstance(callee, Function) and (callee.nested or is_migrated(callee, context))):
        return ""  # TNP501 and its like tell of it
    if isinstance(callee, Symbol) and callee.name.startswith("builtins."):
        return ""
    if isinstance(callee, Bound):
        receiver, name = callee.receiver, callee.name
        if isinstance(receiver, (Instance, Sequence)):
            return ""
        if isinstance(receiver, Unknown) and context.catalog.get(f"numpy.random.{name}") is not None:
            return f".{name}() is left alone: it may draw random numbers"
        if may_hold_tensor(receiver) and name in AMBIGUOUS:
            return ""  # TNP501's rule acts on it
        if isinstance(receiver, (Unknown, Array)) and name in MEMBERS:
            return f".{name}() is left alone: what it is called on may be an array, and would be NumPy's"
    if not any(may_be_array(value) or holds_array(value) for value in _values(event)):
        return ""
    known = isinstance(callee, (Function, Class))
    return f"{callee_words(event)} {'stays in NumPy' if known else 'is not known'}; it gets its arguments as they are"


_HANDED = "this function is handed to others: what it does stays NumPy's"

#: What a function does besides computing with operators.
_WORK = (cst.Call, cst.AugAssign, cst.AssignTarget)


def is_migrated(function: Function, context: Context) -> bool:
    summary = context.summary(function)
    return summary is not None and summary.migrated


def _values(event: ev.Call) -> list[Value]:
    values = [argument.value for argument in event.arguments]
    return values if event.receiver is None else [*values, event.receiver]
