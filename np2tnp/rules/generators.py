"""TNP402: generators."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register


@register
class Generator(Rule):
    doc = Doc(
        code="TNP402",
        name="generator",
        summary="A generator that works with arrays.",
        why=(
            "It hands out arrays while it runs: tensors would reach its caller, and updates of arguments would"
            " come too late."
        ),
        does="Leaves the whole function in NumPy.",
        bad="""
            def rows(x):
                for row in np.exp(x):
                    yield row
        """,
        good="""
            def rows(x):
                return list(np.exp(x))
        """,
    )
    on = ("yield",)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.in_region:
            words = "a generator hands out arrays while it runs: move its work on arrays into a function that it calls"
            yield self.hit(event.node, words, Verdict.BLOCK)
