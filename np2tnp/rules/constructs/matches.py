"""TNP407: match statements."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class Match(Rule):
    doc = Doc(
        code="TNP407",
        name="match-statement",
        summary="A match statement on what a function computes from arrays.",
        why="Its patterns look at the class of what they get: `case np.ndarray():` never holds for a tensor.",
        does="Leaves the whole function in NumPy. A parameter that is matched stays what the caller gave.",
        bad="""
            def norm(x):
                match np.sum(np.abs(x)):
                    case 0.0:
                        return x
                    case total:
                        return x / total
        """,
        good="""
            def norm(x):
                total = np.sum(np.abs(x))
                return x if total == 0.0 else x / total
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.MATCH,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.in_region:
            yield self.hit(event.node, "match on an array looks at its class: compare by if and else", Verdict.BLOCK)
