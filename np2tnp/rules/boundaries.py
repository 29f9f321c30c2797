"""Where tensors meet Python: printing, objects, globals, callbacks."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import (
    HOST,
    Array,
    Bound,
    Function,
    Symbol,
    may_hold_tensor,
    home_of,
)
from np2tnp.edits import build
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register


@register
class BecomesPython(Rule):
    code = "TNP502"
    name = "becomes-python"
    summary = "An array or number of NumPy's becomes a Python value: printed, formatted, a key, looked up"
    why = "A tensor prints, hashes and compares differently."
    does = "Converts it there: rt.host(x)."
    bad = 'print(f"{x.sum():.3f}")'
    good = 'print(f"{rt.host(tnp.sum(x)):.3f}")'
    on = (ev.Escape,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Escape)
        if not context.in_region:
            return
        context.edits.wrap_host(event.node)
        if isinstance(event.value, Array):
            yield self.hit(event.node, f"this {event.reason}: converted there", Verdict.HOST)


@register
class ObjectState(Rule):
    code = "TNP506"
    name = "object-state"
    summary = "An array is stored in an object"
    why = "Objects are seen by code that expects ndarrays."
    does = "Stores host values; NumPy updates in place what an object holds."
    bad = "self.w -= rate * grad"
    good = "self.w -= rt.host(rate * grad)"
    on = (ev.AttributeStore,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.AttributeStore)
        if not context.in_region:
            return
        base = event.base
        if isinstance(event.node, cst.Assign) and isinstance(base, Array) and home_of(base) != HOST:
            if event.name == "shape" and isinstance(event.target.value, cst.Name) and len(event.node.targets) == 1:

                def reshape(updated: cst.Assign) -> cst.BaseSmallStatement:
                    target = updated.targets[0].target
                    assert isinstance(target, cst.Attribute)
                    return build.assign(target.value, build.call(f"{context.tnp}.reshape", target.value, updated.value))

                context.edits.statement(event.node).change.append(reshape)
                context.edits.needs.add("tnp")
                yield Hit("TNP203", event.node, "assigning .shape becomes a reshape", Verdict.ADAPT)
            else:
                yield Hit("TNP204", event.node, f"assigning .{event.name} of an array", Verdict.BLOCK)
            return
        if may_hold_tensor(event.value):
            if event.value_node is None:
                yield Hit(
                    "TNP506",
                    event.node,
                    "an attribute is assigned by unpacking or a loop: assign it by itself",
                    Verdict.BLOCK,
                )
                return
            context.edits.wrap_host(event.value_node)
            yield self.hit(event.node, f".{event.name} keeps a host copy", Verdict.HOST)


@register
class Callback(Rule):
    code = "TNP408"
    name = "callback"
    summary = "A function nested in the region is handed to the outside"
    why = "It would be called with ndarrays and would give tensors back."
    does = "Leaves the whole function in NumPy."
    bad = "return scipy.optimize.brentq(lambda t: np.sin(t) - y, 0, 1)"
    good = "def residual(t, y): ...  # at module level, migrated by itself"
    on = (ev.Call, ev.Return)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.Return):
            if isinstance(event.value, Function) and event.value.nested and event.node is not None:
                yield self.hit(
                    event.node, "a nested function is returned: its callers would see tensors", Verdict.BLOCK
                )
            return
        assert isinstance(event, ev.Call)
        callee = event.callee
        if (
            isinstance(callee, Function)
            and callee.nested
            or isinstance(callee, Symbol)
            and callee.name.startswith("builtins.")
        ):
            return
        for argument in event.arguments:
            if isinstance(argument.value, Function) and argument.value.nested:
                where = callee.name if isinstance(callee, (Symbol, Bound)) else "another function"
                yield self.hit(argument.node, f"a nested function is handed to {where}", Verdict.BLOCK)
