"""TNP501: calls of Python and of other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.special_names import ASKING_FOR_OTHERS
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import (
    COPIED,
    HOST,
    NO_NAMES,
    Array,
    Bound,
    Function,
    Instance,
    Sequence,
    Symbol,
    Unknown,
    home_of,
    may_be_array,
    may_hold_tensor,
    refs_of,
)
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.edits.edit import convert_arguments
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.host.native_code import is_native
from np2tnp.rules.words_and_edits import binds, callee_words, holds_array, makes_tensor, use_core

# --- Arrays that an expression has read before it calls something which may change them
#
# NumPy's operand is the array itself, read when the operator runs: after the call. A tensor was made before it.

#: An operand, the memory that it shows, and what is evaluated after it.
_Read = tuple[cst.BaseExpression, frozenset[str], cst.BaseExpression]

#: Most operands: they call nothing.
_LEAVES = frozenset((cst.Name, cst.Integer, cst.Float, cst.SimpleString))


def guard_calls(event: ev.Call | ev.Operator | ev.Store, context: Context) -> Iterator[Hit]:
    """Have calls refused, when they happen, that change what was read before them in the expression of `event`.

    Functions of the project that are seen to do so are known beforehand: these block.
    """
    if isinstance(event, ev.Call):
        yield from _guard_in_display(event, context)
    for first, refs, later in _reads(event):
        if not refs or type(later) in _LEAVES:
            continue
        given = context.calls.get(id(first))
        if given is not None and given.api is None and not (isinstance(given.callee, Function) and given.callee.nested):
            continue  # what another callee gave back: a new array nearly always, and NumPy's own object
        for node in walk(later):
            call = context.calls.get(id(node)) if type(node) is cst.Call else None
            if call is not None and not refs.isdisjoint(_changeable(call.arguments, context)):
                yield from _guard(call.node, refs, context)


def _reads(event: ev.Call | ev.Operator | ev.Store) -> Iterator[_Read]:
    node = event.node
    if isinstance(event, ev.Store):
        if isinstance(node, cst.AugAssign) and home_of(event.base) != HOST:  # NumPy updates the ndarray itself
            yield node.target, refs_of(event.base), node.value
        return
    if isinstance(event, ev.Operator):
        if type(node) is cst.BinaryOperation:
            yield node.left, refs_of(event.operands[0]), node.right
        elif type(node) is cst.Comparison:
            yield node.left, refs_of(event.operands[0]), node.comparisons[0].comparator
        return
    before = [
        # NumPy's own calls get tensors of ndarrays, too; others get these themselves
        (argument.node.value, refs_of(argument.value) if event.api or home_of(argument.value) != HOST else NO_NAMES)
        for argument in event.arguments
    ]
    if event.api and event.receiver is not None:
        before.insert(0, (event.node.func, refs_of(event.receiver)))
    for place, (later, _) in enumerate(before):
        for first, refs in before[:place]:
            yield first, refs, later


def _guard_in_display(event: ev.Call, context: Context) -> Iterator[Hit]:
    """``y, f(y)``: the tuple holds the array as `f` left it."""
    copied = (it for it in event.arguments if home_of(it.value) != HOST or COPIED in refs_of(it.value))
    refs = _changeable(copied, context)
    statement = event.place.statement
    for display in walk(statement) if refs and statement is not None and not event.place.root else ():
        if type(display) is cst.Tuple or type(display) is cst.List:
            for element in display.elements:
                if any(node is event.node for node in walk(element)):
                    break
                if any(isinstance(node, cst.Name) and node.value in refs for node in walk(element)):
                    yield from _guard(event.node, refs, context)


def _changeable(arguments: Iterable[ev.Argument], context: Context) -> frozenset[str]:
    return NO_NAMES.union(*(refs_of(item.value) for item in arguments if id(item.node) in context.changeable))


def _guard(node: cst.Call, refs: frozenset[str], context: Context) -> Iterator[Hit]:
    """`refs`: what was read before the call `node`."""
    call = context.calls[id(node)]
    if id(node) in context.changing:
        return
    summary, updated = _updated_by(call, context)
    if not refs.isdisjoint(NO_NAMES.union(*(refs_of(argument.value) for argument in updated))):
        context.changing.add(id(node))
        words = (
            f"{callee_words(call)} updates in place what the expression reads before: give it a statement of its own"
        )
        yield Hit(_IN_PLACE, node, words, Verdict.BLOCK)
        return
    if summary is not None and summary.migrated and isinstance(call.callee, Function):
        return
    context.changing.add(id(node))
    edits, function = context.edits, f"{context.rt}.unchanging"
    change = edits.replace.get(id(node.func))

    def guarded(updated: Any) -> cst.BaseExpression:
        return build.call(function, change(updated) if change is not None else updated)

    edits.replace[id(node.func)] = guarded


def _updated_by(call: ev.Call, context: Context) -> tuple[Summary | None, tuple[ev.Argument, ...]]:
    """What is known of a function or method of the project, and what of its arguments it is seen to update in place.

    The cores of migrated ones give back what tensors became, as a value of its own.
    """
    callee, skip = call.callee, 0
    if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
        callee, skip = context.method(callee.receiver, callee.name) or callee, 1
    summary = context.summary(callee) if isinstance(callee, Function) else None
    if summary is None or not summary.mutates:
        return summary, ()
    given = summary.match(call.arguments, skip)
    updated = call.arguments if given is None else [given[name] for name in summary.mutates if name in given]
    core = summary.migrated and not skip
    return summary, tuple(it for it in updated if not core or (home_of(it.value) == HOST and may_be_array(it.value)))


#: Tells of updates that tensors would not show.
_IN_PLACE = "TNP206"
#: Tells of what may be no array at all.
_UNKNOWN = "TNP010"
#: Methods of arrays that only read, and that other objects may have: on an unknown receiver the runtime decides.
AMBIGUOUS = frozenset({
    "copy", "item", "conj", "conjugate", "sum", "mean", "std", "var", "prod", "min", "max", "any", "all", "argmax",
    "argmin", "argsort", "cumsum", "cumprod", "dot", "reshape", "ravel", "flatten", "astype", "transpose", "clip",
    "nonzero", "squeeze", "swapaxes", "trace", "diagonal", "repeat", "take", "tolist", "round", "argpartition",
    "choose", "compress", "dump", "dumps", "searchsorted", "tobytes", "tofile", "view",
})  # fmt: skip


@register
class HostCall(Rule):
    doc = Doc(
        code="TNP501",
        name="host-call",
        summary="A call of Python, of another library or of a function that is not migrated, with array arguments.",
        why="The callee expects ndarrays; each call copies its array arguments from the device.",
        does=(
            "Wraps the arguments into rt.host(...); parameters that would only be fetched come as they are. Migrated"
            " functions of the module are called by their cores, without copies."
        ),
        bad="""
            import json


            def save(x, path):
                json.dump(np.exp(np.sin(x)), path)
        """,
        good="""
            import json


            @rt.migrated(hosted="path")
            def save(x, path):
                json.dump(rt.host(tnp.exp(tnp.sin(x))), path)
        """,
        safety="Safe. A callee that may change its arguments is TNP503.",
    )
    on = (ev.Call, ev.Operator, ev.Store, ev.Kind.UNRESOLVED)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Construct):
            context.changeable.add(id(event.node))
            return
        assert isinstance(event, (ev.Call, ev.Operator, ev.Store))
        if isinstance(event, ev.Call):
            context.changeable.update(id(argument.node) for argument in _updated_by(event, context)[1])
        if context.changeable and context.in_region:
            yield from guard_calls(event, context)
        if not isinstance(event, ev.Call):
            return
        if event.api is not None or (id(event.node) in context.stores and isinstance(event.callee, Function)):
            return
        callee = event.callee
        if isinstance(callee, Function) and callee.nested:
            return
        if isinstance(callee, Symbol) and callee.name.startswith("builtins."):
            return  # Escape events say what reaches Python
        if isinstance(callee, Function) or (isinstance(callee, Bound) and isinstance(callee.receiver, Instance)):
            yield from self._project(event, context)
            return
        if isinstance(callee, Bound):
            yield from self._method(event, callee, context)
            return
        if isinstance(callee, Symbol) and callee.name in ASKING_FOR_OTHERS:
            return
        held = [argument for argument in event.arguments if may_hold_tensor(argument.value)]
        if held:
            convert_arguments(event, context.edits, "host")
            if not (isinstance(callee, Symbol) and is_native(callee.name)):  # TNP504 says it
                yield self._told(event, f"{callee_words(event)} gets host copies of its array arguments")

    def _project(self, event: ev.Call, context: Context) -> Iterator[Hit]:
        callee = event.callee
        function: Function | None = callee if isinstance(callee, Function) else None
        if isinstance(callee, Bound):
            assert isinstance(callee.receiver, Instance)
            function = context.method(callee.receiver, callee.name)
        summary = context.summary(function) if function is not None else None
        if summary is not None and summary.migrated and not summary.mutates and binds(event, summary):
            if id(event.node) not in context.tried | context.facts.public_calls:
                use_core(event, context, summary)
                return
            # the public function raises what NumPy raises, and gives ndarrays
            if makes_tensor(event.result) and id(event.node) in context.tried:
                context.edits.wrap_tensor(event.node)
        if any(may_hold_tensor(argument.value) for argument in event.arguments):
            convert_arguments(event, context.edits, "host")
            words = f"{callee_words(event)} stays in NumPy and gets host copies of its array arguments"
            if summary is not None and summary.objects:
                asked = " and ".join(f"{name} is a {made.qualname}" for name, made in summary.objects)
                words = f"{callee_words(event)} gets host copies of its arrays: whether {asked} is not known here"
            yield self._told(event, words)

    def _method(self, event: ev.Call, callee: Bound, context: Context) -> Iterator[Hit]:
        receiver = callee.receiver
        if isinstance(receiver, Sequence):
            return  # a container made in the region: tensors may stay in it
        func = event.node.func
        # without a wrapper, operators on what callers pass are the runtime's, and may give tensors
        computed = isinstance(func, cst.Attribute) and isinstance(func.value, (cst.BinaryOperation, cst.UnaryOperation))
        may_be = home_of(receiver) != HOST or (context.boundary == "tensor" and computed)
        if isinstance(receiver, (Unknown, Array)) and may_be and _by_runtime(callee.name):
            edits = context.edits

            def change(updated: Any) -> cst.BaseExpression:
                arguments = [
                    build.argument(updated.func.value),
                    build.argument(build.string(callee.name)),
                    *updated.args,
                ]
                return build.call(f"{context.rt}.call_method", *arguments)

            edits.replace[id(event.node)] = change
            words = f".{callee.name}() of what may be an array: the runtime decides by what it is"
            yield self.hit(event.node, words, Verdict.ADAPT)
            return
        held = [argument for argument in event.arguments if may_hold_tensor(argument.value)]
        if held:
            convert_arguments(event, context.edits, "host")
            yield self._told(event, f"{callee_words(event)} gets host copies of its array arguments")

    def _told(self, event: ev.Call, words: str) -> Hit:
        """That the host gets copies; where nothing is known to be an array, only that it would."""
        if any(holds_array(argument.value) for argument in event.arguments):
            return self.hit(event.node, words, Verdict.HOST)
        return Hit(_UNKNOWN, event.node, f"{words}, if there are any", Verdict.NOTE)


def _by_runtime(method: str) -> bool:
    """Whether the runtime decides what the method is: by the receiver, and since tensors' operators are not NumPy's."""
    return method in AMBIGUOUS or (method.strip("_") in _OPERATORS and method == f"__{method.strip('_')}__")


_OPERATORS = frozenset(
    f"{side}{name}"
    for name in "add sub mul truediv floordiv mod pow matmul divmod and or xor lshift rshift".split()
    for side in ("", "r")
) | frozenset("getitem contains eq ne lt le gt ge neg pos abs invert".split())
