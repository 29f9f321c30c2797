"""Views and aliases that are written through, and arguments whose updates the caller must see."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register
from np2tnp.rules.stores import _read_back_name


@register
class StaleView(Rule):
    code = "TNP201"
    name = "view-written-through"
    summary = "An array is read after its memory was written through another name"
    why = "Tensors never share memory: the write would not be seen here."
    does = "Leaves the whole function in NumPy."
    bad = "row = a[0]\nrow[:] = 1\nreturn a"
    good = "a[0, :] = 1\nreturn a"
    on = (ev.StaleRead,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.StaleRead)
        if not context.in_region:
            return
        stale = event.stale
        if stale.kind == "call":
            call = context.calls.get(stale.line_node)
            done = context.rebinds.setdefault(stale.line_node, set())
            if event.name in done:
                return
            if call is not None:
                statement = call.place.statement
                argument = next(
                    (
                        a.node.value
                        for a in call.arguments
                        if isinstance(a.node.value, cst.Name) and a.node.value.value == event.name
                    ),
                    None,
                )
                if (
                    argument is not None
                    and isinstance(statement, (cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign))
                    and not call.place.nested
                ):
                    done.add(event.name)
                    context.edits.host.discard(id(argument))
                    assert isinstance(argument, cst.Name)
                    _read_back_name(argument, context.edits.statement(statement), context)
                    yield Hit(
                        "TNP503",
                        call.node,
                        f"{stale.via} may change {event.name}: it is read back after the call",
                        Verdict.HOST,
                    )
                    return
            yield Hit(
                "TNP503",
                event.node,
                f"{event.name} may have been changed by {stale.via}: give that call a statement of its own",
                Verdict.BLOCK,
            )
            return
        if stale.kind == "call on a view":
            yield Hit(
                "TNP503",
                event.node,
                f"{event.name} may have been changed by {stale.via}, which got a view of it or an object that holds it",
                Verdict.BLOCK,
            )
            return
        yield self.hit(
            event.node, f"{event.name} shares memory with {stale.via}, which was written in place before", Verdict.BLOCK
        )


@register
class LostArgument(Rule):
    code = "TNP108"
    name = "argument-updated-then-lost"
    summary = "An argument is updated in place, and its name no longer holds it at a return"
    why = "The caller must see the update in its own array, and only the name tells which tensor that is."
    does = "Leaves the whole function in NumPy."
    bad = "def f(a):\n    a[0] = 1\n    a = a * 2\n    return a"
    good = "def f(a):\n    a[0] = 1\n    return a * 2"
    on = (ev.Return,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Return)
        if event.node is None:
            return
        lost = sorted(name for name, held in context.facts.mutated.items() if not held)
        if lost:
            yield self.hit(
                event.node,
                f"{', '.join(lost)} is updated in place for the caller but may not hold that array any more",
                Verdict.BLOCK,
            )
