"""TNP002: calls that tnp has no function for, done by an exact helper of the runtime."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, register
from np2tnp.rules.decisions import convert, decide


@register
class ExactHelper(Rule):
    doc = Doc(
        code="TNP002",
        name="exact-helper",
        summary=(
            "A NumPy function or method that tnp lacks, and the runtime has: np.linalg, np.fft, np.add.reduce,"
            " percentiles..."
        ),
        why=(
            "tnp has no linalg and no fft, none of the ufuncs' methods, and 123 of NumPy's 283 other functions"
            " are missing."
        ),
        does="Calls the helper of the same signature in np2tnp.runtime, which works with TensorFlow operations.",
        bad="""
            def solve(a, b):
                return np.linalg.solve(a, b)
        """,
        good="""
            @rt.migrated
            def solve(a, b):
                return rt.linalg.solve(a, b)
        """,
        safety=(
            "Safe. The helpers are compared with NumPy call by call; what one has no exact form for it leaves to"
            " NumPy, on the host."
        ),
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is not None and decision.code == self.code:
            yield convert(event, decision, context)
