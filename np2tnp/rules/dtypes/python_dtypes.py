"""TNP306: Python's types as dtypes."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.edits.edit import plain_dtypes
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import decide


@register
class PythonDtype(Rule):
    doc = Doc(
        code="TNP306",
        name="python-dtype",
        summary="A Python type as dtype: float, int, complex.",
        why="It means 64 bits in NumPy and 32 bits in tnp; `x.astype(int)` of a tensor raises.",
        does="Writes the NumPy dtype that it means.",
        bad="""
            def start(n):
                return np.zeros(n, dtype=float)
        """,
        good="""
            @rt.migrated(zero_d="array")
            def start(n):
                return tnp.zeros(n, dtype=np.float64)
        """,
        severity=Severity.SILENT,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is None or not decision.converts or decision.ufunc_method:
            return
        for argument in plain_dtypes(event, context.edits, context.numpy):
            yield self.hit(argument.node, "a Python type as dtype means 64 bits in NumPy and 32 in tnp", Verdict.ADAPT)
