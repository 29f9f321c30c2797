"""TNP407: match statements."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class Match(Rule):
    doc = Doc(
        code="TNP407",
        name="match-statement",
        summary="A match statement in a function that works with arrays.",
        why="Its patterns look at the class of what they get: `case np.ndarray():` never holds for a tensor.",
        does="Leaves the whole function in NumPy.",
        bad="""
            def norm(x, kind):
                match kind:
                    case 1:
                        return np.abs(x).sum()
                return np.sqrt(x)
        """,
        good="""
            def norm(x, kind):
                if kind == 1:
                    return np.abs(x).sum()
                return np.sqrt(x)
        """,
        severity=Severity.SILENT,
    )
    on = ("match",)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.in_region:
            yield self.hit(event.node, "match on an array looks at its class", Verdict.BLOCK)
