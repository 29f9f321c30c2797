"""TNP205: windows and iterators over the memory of arrays."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Array, home_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import decide
from np2tnp.rules.words_and_edits import keep_in_numpy

AS_STRIDED = "numpy.lib.stride_tricks.as_strided"
#: What is said beside it.
WINDOWS = "np.lib.stride_tricks.sliding_window_view makes windows without them"


@register
class StridedView(Rule):
    doc = Doc(
        code="TNP205",
        name="strided-view",
        summary=(
            "Windows and iterators over an array's memory: np.lib.stride_tricks, np.nditer, np.ndenumerate, x.flat."
        ),
        why=(
            "Tensors have no strides; such a view of a tensor is made from a copy on the host, and each window is"
            " copied."
        ),
        does="Leaves the call to NumPy, with a host copy; the result goes to TensorFlow as a whole.",
        bad="""
            def smooth(x):
                y = np.exp(x)
                return np.lib.stride_tricks.sliding_window_view(y, 3).mean(axis=-1)
        """,
        good="""
            def smooth(x):
                y = np.exp(x)
                return (y[:-2] + y[1:-1] + y[2:]) / 3
        """,
        severity=Severity.RAISES,
    )
    on = (Calls.NUMPY, ev.AttributeRead)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.AttributeRead):
            if (
                event.name == "flat"
                and context.in_region
                and isinstance(event.base, Array)
                and home_of(event.base) != HOST
            ):
                yield self.hit(event.node, ".flat gives the elements one by one, on the host", Verdict.HOST)
            return
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is not None and decision.code == self.code:
            why = f"{decision.why}: {WINDOWS}" if event.api == AS_STRIDED else decision.why
            yield keep_in_numpy(event, context, self.code, why)
