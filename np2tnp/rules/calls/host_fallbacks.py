"""TNP004: calls that stay NumPy."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import decide
from np2tnp.rules.words_and_edits import keep_in_numpy


@register
class HostFallback(Rule):
    doc = Doc(
        code="TNP004",
        name="stays-numpy",
        summary="A NumPy function or method that has no exact form in TensorFlow, or not with these arguments.",
        why="It goes on running, but its array arguments are copied to the host and its result back.",
        does="Leaves the call to NumPy: rt.tensor(np.f(rt.host(x))).",
        bad="""
            def labels(x):
                return np.array2string(np.exp(-x) / 2)
        """,
        good="""
            @rt.migrated
            def labels(x):
                return np.array2string(rt.host(tnp.exp(-x) / 2))
        """,
        severity=Severity.SLOWER,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is not None and decision.code == self.code:
            yield keep_in_numpy(event, context, self.code, decision.why)
