"""TNP102: in-place operators on whole arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, python_answers
from np2tnp.edits import build
from np2tnp.edits.targets import operator_differs
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import StoreCase, store_case, store_words
from np2tnp.rules.words_and_edits import update


@register
class InPlaceOperator(Rule):
    doc = Doc(
        code="TNP102",
        name="in-place-operator",
        summary="An in-place operator on a whole array: `x += v`.",
        why=(
            "Of a tensor it makes a new array that nobody else sees, of another dtype: `x += 0.5` of integers"
            " raises in NumPy."
        ),
        does=(
            "Rebinds the name to rt.iadd(x, v), which keeps the dtype as NumPy does; arguments are written back"
            " for the caller."
        ),
        bad="""
            def shift(x, v):
                x += np.tanh(v)
        """,
        good="""
            @rt.migrated(mutates=("x",), arrays=("x",))
            def shift(x, v):
                x = rt.iadd(x, rt.tanh(v))
                return rt.updated(None, x=x)
        """,
        safety="Safe. On numbers, which Python rebinds, only an operator that differs is replaced.",
        severity=Severity.SILENT,
    )
    on = (ev.Store,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Store)
        if event.keys is not None:
            return
        case = store_case(event, context)
        if case.kind is StoreCase.TOP_LEVEL and isinstance(event.base, Array):
            yield self.hit(event.node, f"{store_words(event)} changes an ndarray in place", Verdict.HOST)
        elif case.kind is StoreCase.NUMBER:
            self._rebinding(event, context)
        elif case.kind is StoreCase.UPDATE:
            update(event, context)
            words = f"{store_words(event)} becomes the rebinding of {event.root} to an updated array"
            yield self.hit(event.node, words, Verdict.ADAPT)

    def _rebinding(self, event: ev.Store, context: Context) -> None:
        """``s += v`` on a number: Python rebinds, as tensors do; only an operator that differs is replaced."""
        operands = (event.base, event.value)
        answers = context.boundary != "tensor" and python_answers(event.op, operands)
        if not answers and not operator_differs(context.catalog, event.op, operands, context.guarded, context.checked):
            return
        function = f"{context.rt}.op_{event.op.rstrip('_')}"

        def change(updated: cst.AugAssign) -> cst.BaseSmallStatement:
            return build.assign(updated.target, build.call(function, updated.target, updated.value))

        context.edits.statement(event.node).change.append(change)
