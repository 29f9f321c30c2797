"""TNP107: stores whose statement cannot become a rebinding."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.cases import StoreCase, store_case


@register
class UnpackedStore(Rule):
    doc = Doc(
        code="TNP107",
        name="unpacked-store",
        summary="A store into an array inside an unpacking or a chained assignment, or as the target of a loop.",
        why=(
            "Swaps such as `a[i], a[j] = a[j], a[i]` read views that the first store changes; no rebinding does"
            " the same."
        ),
        does="Leaves the whole function in NumPy.",
        bad="""
            def halves(x, y):
                y[0], y[1] = np.sin(x[0]), np.cos(x[0])
        """,
        good="""
            def halves(x, y):
                first, second = np.sin(x[0]), np.cos(x[0])
                y[0] = first
                y[1] = second
        """,
    )
    on = (ev.Store, "store in tuple")

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Construct):
            if context.in_region:
                yield self.hit(
                    event.node,
                    "a store into an element inside an unpacking: NumPy may see one store through the other's view",
                    Verdict.BLOCK,
                )
            return
        assert isinstance(event, ev.Store)
        case = store_case(event, context)
        if case.kind is StoreCase.UNPACKED:
            yield self.hit(event.node, case.why, Verdict.BLOCK)
