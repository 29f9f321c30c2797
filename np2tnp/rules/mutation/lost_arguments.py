"""TNP108: arguments that are updated for the caller and then lost."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.module.parameter_kinds import shown_otherwise
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class LostArgument(Rule):
    doc = Doc(
        code="TNP108",
        name="lost-argument",
        summary="An argument is updated in place, and its name no longer holds it at a return.",
        why="The caller must see the update in its own array, and only the name tells which tensor that is.",
        does=(
            "Lets NumPy update the caller's ndarray; where that is not possible, leaves the whole function in NumPy."
        ),
        bad="""
            def double(a):
                a[0] = 1
                a = np.exp(a)
                return a
        """,
        good="""
            def double(a):
                a[0] = 1
                return np.exp(a)
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Return,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Return)
        node = event.node or context.facts.node
        for name in sorted(context.facts.lost):
            words = f"{name} is updated in place and then rebound: it stays the caller's ndarray, which NumPy updates"
            yield self.hit(node, words, Verdict.HOST)
        lost = sorted(name for name, held in context.facts.mutated.items() if not held)
        other = shown_otherwise(context.facts.node)
        if lost and other.issuperset(lost):  # functions, say, which may hold arrays
            names = ", ".join(lost)
            words = (
                f"code that cannot be seen may have changed what {names} holds, and {names} may mean something else by"
                f" now: move the array work into a function that is not given {names}"
            )
            yield Hit(self.code, node, words, Verdict.BLOCK, left="unseen")
        elif lost:
            yield self.hit(
                node,
                f"{', '.join(lost)} is updated in place for the caller but may not hold that array any more:"
                " give the other one another name",
                Verdict.BLOCK,
            )
