"""TNP601: random draws, which keep NumPy's streams."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.edits import build
from np2tnp.edits.edit import convert_arguments, retarget
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import Decision, decide
from np2tnp.rules.words_and_edits import keep_in_numpy, short_name

#: Canonical names of the methods of NumPy's generators.
METHODS = ("numpy.random.Generator.", "numpy.random.RandomState.")


@register
class RandomStream(Rule):
    doc = Doc(
        code="TNP601",
        name="random-stream",
        summary="A random draw: np.random's functions and the methods of its generators.",
        why="TensorFlow's generators give other numbers for every seed: seeded results and tests would change.",
        does=(
            "Draws on the host with NumPy and hands the numbers to TensorFlow. --random tf draws arrays on the device,"
            " from the same distributions; each draw takes its seed from NumPy's generator, so that seeding it anywhere"
            " makes the draws reproducible."
        ),
        bad="""
            def jitter(x, rng):
                return np.tanh(x + np.random.standard_normal(x.shape))
        """,
        good="""
            def jitter(x, noise):
                return np.tanh(x + noise)
        """,
        safety="Safe: the stream is the same, bit for bit. With --random tf all numbers are others.",
        severity=Severity.SILENT,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is None or decision.code != self.code:
            return
        if decision.function:
            yield self._on_device(event, decision, context)
        elif decision.why:
            yield keep_in_numpy(event, context, self.code, decision.why)
        else:  # a generator is made or handed on: a Python object
            convert_arguments(event, context.edits, "host")

    def _on_device(self, event: ev.Call, decision: Decision, context: Context) -> Hit:
        rt = context.rt
        api = event.api or ""
        if api.startswith(METHODS):

            def change(updated: cst.Call) -> cst.BaseExpression:
                assert isinstance(updated.func, cst.Attribute)
                stream = build.call(f"{rt}.random.stream", updated.func.value)
                return updated.with_changes(func=updated.func.with_changes(value=stream))

            context.edits.replace[id(event.node)] = change
        else:
            retarget(event, context.edits, f"{rt}.{decision.function}", False)
        convert_arguments(event, context.edits, "tensor")
        context.edits.total += 1
        context.edits.converted += 1
        return self.hit(event.node, f"{short_name(api)}: {decision.why}", Verdict.ADAPT)
