"""TNP201: views that are written through while their base is read."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Unknown
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class StaleView(Rule):
    doc = Doc(
        code="TNP201",
        name="view-written-through",
        summary="An array is read after its memory was written through another name.",
        why="Tensors never share memory: the write would not be seen here.",
        does=(
            "Keeps ndarrays under all the names (TNP202). Leaves the whole function in NumPy where they might not share"
            " memory as before: `ravel` and `reshape` show or copy by an order in memory that tensors do not have."
        ),
        bad="""
            def first(x):
                y = np.exp(x)
                flat = y.ravel()
                flat[0] = 1
                return y
        """,
        good="""
            def first(x):
                y = np.exp(x)
                y.flat[0] = 1
                return y
        """,
        severity=Severity.SILENT,
    )
    on = (ev.StaleRead,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.StaleRead)
        for reason in event.stale.reasons if context.in_region else ():
            if reason.kind == "store":  # else TNP503
                words = f"{event.name} shares memory with {reason.via}, which was written in place before"
                remedy = f"store through {event.name} instead"
                if reason.via.startswith(f"{event.name}."):  # an object that holds the array
                    remedy = f"make a new object of what {reason.via} is to be"
                left = "" if _is_array_written(reason.line_node, context) else "unseen"
                yield Hit(self.code, event.node, f"{words}: {remedy}", Verdict.BLOCK, left=left)
                return


def _is_array_written(node: int, context: Context) -> bool:
    """Whether the store by the node of this id is into an array, for all that is known."""
    stores = (it for it in context.facts.events if isinstance(it, ev.Store) and id(it.node) == node)
    return all(type(it.base) is not Unknown for it in stores)
