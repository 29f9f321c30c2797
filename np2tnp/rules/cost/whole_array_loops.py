"""TNP703: loops over elements that become operations on whole arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.loops.loop_parts import Events, NoForm
from np2tnp.analysis.loops.whole_array_form import whole_array_form
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits.whole_arrays import is_free, vectorize
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cost.element_loops import ElementLoop


@register
class WholeArrayLoop(Rule):
    doc = Doc(
        code="TNP703",
        name="whole-array-loop",
        summary="A loop over elements that is the same as operations on whole arrays.",
        why="Element by element TensorFlow takes a thousand times as long as NumPy; all at once, a part of its time.",
        does=(
            "Lets the counter stand for all its values: the body is then evaluated once, on arrays. It is done where no"
            " iteration needs what another one did, but for sums and products, which are added up in the loop's order"
            " (a GPU has an order of its own). What only values can show (ranks, negative indices) is looked at when"
            " the loop begins; the loop then runs as it was written. A loop inside of another one that has no such form"
            " changes with --slow convert only."
        ),
        bad="""
            def smooth(x):
                y = np.zeros(x.shape)
                for i in range(1, len(x) - 1):
                    y[i] = 0.5 * (x[i - 1] + x[i + 1])
                return y
        """,
        good="""
            @rt.migrated(arrays=("x",), zero_d="array")
            def smooth(x):
                y = tnp.zeros(rt.shape(x))
                for i in rt.vectorized(range(1, len(x) - 1), vectors=(x, y)):
                    y = rt.at(y)[i].set(0.5 * (rt.at(x)[i - 1].get() + rt.at(x)[i + 1].get()))
                return y
        """,
        severity=Severity.SLOWER,
    )
    on = (ev.Loop,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Loop)
        function = context.facts.node
        if not context.in_region or not isinstance(function, cst.FunctionDef) or event.place.nested:
            return
        if context.compile != "none" or context.boundary != "numpy" or context.float32:
            return  # loops are staged; traced tensors have no values to look at; Python's numbers count in float64
        if context.events is None:
            context.events = Events(context.facts.events)
        try:
            form = whole_array_form(event.node, function, context.events)
            if not is_free(form, context.edits):
                raise NoForm("its statements change in other ways")
        except NoForm as reason:
            context.no_form.append((event.node, f"no whole-array form: {reason}"))
            return
        vectorize(form, context.edits, context.rt, context.events.words(function))
        context.edits.converted += 1
        context.edits.total += 1
        context.vectorized.update(id(part) for part in walk(event.node) if isinstance(part, cst.For))
        if event.place.loops:  # a few operations, where NumPy's loop has a few elements: how many, nobody knows
            words = "its whole-array form is run again in each iteration of the loop around"
            context.no_form.append((event.node, words))
        else:
            context.vectorized.update(map(id, form.statements))
        names = ", ".join(form.results)
        message = (
            f"this loop over elements becomes whole-array operations on {names}: faster from thousands of iterations"
        )
        yield self.hit(event.node, message, Verdict.ADAPT)


def _reasons(context: Context) -> dict[int, str]:
    """By id, why stores in loops stay slow: in an inner loop of which more is known, for what is known of that."""
    found: dict[int, str] = {}
    for loop, words in context.no_form:
        for part in walk(loop):
            if type(part) is cst.Assign or type(part) is cst.AugAssign:
                found.setdefault(id(part), words)
    return found


def settled(hits: list[Hit], context: Context) -> list[Hit]:
    """The hits, without element loops that got whole-array form; the others say why they have none."""
    if context.events is None:
        return hits
    result: list[Hit] = []
    reasons: dict[int, str] | None = None
    for hit in hits:
        if hit.code == ElementLoop.doc.code:
            if id(hit.node) in context.vectorized:
                continue
            reasons = _reasons(context) if reasons is None else reasons
            reason = reasons.get(id(hit.node))
            if reason:
                hit = replace(hit, message=f"{hit.message}; {reason}")
        result.append(hit)
    return result
