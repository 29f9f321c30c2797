"""TNP003: calls whose tnp namesake gives something else."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import convert, decide


@register
class SilentDifference(Rule):
    doc = Doc(
        code="TNP003",
        name="silent-difference",
        summary=(
            "A NumPy function or method whose tnp namesake gives other values, dtypes or shapes for these arguments."
        ),
        why=(
            "Nothing raises: `tnp.arange(0.1, 1.1, 0.1)` computes in float32, `tnp.linspace(..., dtype=int)`"
            " ignores the dtype, `tnp.var(x, dtype=float)` is float32. The message names the argument or the"
            " dtypes at fault."
        ),
        does=(
            "Calls the exact helper of the same signature in np2tnp.runtime. Where tnp's own function can be called"
            " like that, too, it has tnp's name: `tnp` in rewritten code has the runtime's functions."
        ),
        bad="""
            def grid(n):
                return np.sort(np.arange(0.0, 1.0, 1.0 / n))
        """,
        good="""
            @rt.migrated
            def grid(n):
                return tnp.sort(tnp.arange(0.0, 1.0, 1.0 / n))
        """,
        safety="Safe. `np2tnp api NAME` shows what was measured.",
        severity=Severity.SILENT,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is not None and decision.code == self.code:
            yield convert(event, decision, context)
