"""TNP306: Python's types as dtypes."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.syntax.scopes import dotted
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
        why=(
            "It means 64 bits in NumPy, and in most functions of tnp; in some (`tnp.var`, `tnp.geomspace`), and where"
            " TensorFlow was told to prefer 32 bits, it means 32."
        ),
        does="Writes the NumPy dtype that it means, which is the same everywhere.",
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
            words = f"the dtype {dotted(argument.node.value) or 'of Python'} is written out as NumPy's own of 64 bits"
            yield self.hit(argument.node, words, Verdict.ADAPT)
