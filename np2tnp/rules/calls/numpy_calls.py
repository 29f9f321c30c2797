"""TNP001: calls that become the tnp function of the same name."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import convert, decide


@register
class NumpyCall(Rule):
    doc = Doc(
        code="TNP001",
        name="numpy-call",
        summary="A NumPy function or method that becomes the tnp function of the same name.",
        why=(
            "tnp gives the same values, dtypes and shapes for floats: that was measured, call by call. What it does"
            " otherwise (other dtypes, empty arrays) the runtime's function by this name does as NumPy."
        ),
        does="Calls the tnp function; a method becomes a function of its receiver.",
        bad="""
            def column_sums(n):
                return np.ones((n, n)).sum(axis=0)
        """,
        good="""
            @rt.migrated(scalars="n")
            def column_sums(n):
                return tnp.sum(tnp.ones((n, n)), axis=0)
        """,
        safety="Safe. `np2tnp api NAME` shows what was measured, and where TensorFlow's own function differs.",
        severity=Severity.STYLE,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is not None and decision.code == self.code:
            yield convert(event, decision, context)
