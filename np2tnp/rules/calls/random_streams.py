"""TNP601: random draws, which keep NumPy's streams."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.edits.edit import convert_arguments
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import decide
from np2tnp.rules.words_and_edits import keep_in_numpy


@register
class RandomStream(Rule):
    doc = Doc(
        code="TNP601",
        name="random-stream",
        summary="A random draw: np.random's functions and the methods of its generators.",
        why="TensorFlow's generators give other numbers for every seed: seeded results and tests would change.",
        does="Draws on the host with NumPy and hands the numbers to TensorFlow.",
        bad="""
            def jitter(x, rng):
                return np.tanh(x + np.random.standard_normal(x.shape))
        """,
        good="""
            def jitter(x, noise):
                return np.tanh(x + noise)
        """,
        safety="Safe: the stream is the same, bit for bit.",
        severity=Severity.SILENT,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is None or decision.code != self.code:
            return
        if decision.write is not None:
            yield decision.write(event, decision, context)
        elif decision.why:
            yield keep_in_numpy(event, context, self.code, decision.why)
        else:  # a generator is made or handed on: a Python object
            convert_arguments(event, context.edits, "host")
