"""TNP403: async functions."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register


@register
class Coroutine(Rule):
    doc = Doc(
        code="TNP403",
        name="coroutine",
        summary="An async function that works with arrays.",
        why="Other code runs while it waits, and sees the arrays that it shares in the middle of their updates.",
        does="Leaves the whole function in NumPy.",
        bad="""
            async def energy(source):
                x = np.abs(await source())
                return np.exp(x)
        """,
        good="""
            def energy(x):
                return np.exp(np.abs(x))
        """,
    )
    on = (ev.Kind.ASYNC,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.in_region:
            yield self.hit(
                event.node,
                "an async function is not migrated: move its work on arrays into a function of its own",
                Verdict.BLOCK,
            )
