"""TNP009: names in NumPy's namespace that the catalog does not know."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, register
from np2tnp.rules.decisions import decide
from np2tnp.rules.words_and_edits import keep_in_numpy


@register
class UnknownName(Rule):
    doc = Doc(
        code="TNP009",
        name="unknown-name",
        summary="A call of a name in NumPy's namespace that np2tnp's catalog does not know.",
        why=(
            "It may be misspelt, newer than the catalog, or private; nothing is known about what it does to its"
            " arguments."
        ),
        does="Leaves the call to NumPy, with host copies of its arguments.",
        bad="""
            def total(x):
                return np.summ(np.exp(x))
        """,
        good="""
            def total(x):
                return np.sum(np.exp(x))
        """,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        decision = decide(event, context)
        if decision is not None and decision.code == self.code:
            yield keep_in_numpy(event, context, self.code, decision.why)
