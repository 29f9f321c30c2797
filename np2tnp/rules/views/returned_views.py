"""TNP207: results that show memory which somebody else holds."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.module.parameter_kinds import shown_otherwise
from np2tnp.model import Safety, Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import location_words


@register
class ReturnedView(Rule):
    doc = Doc(
        code="TNP207",
        name="returned-view",
        summary="A result that is a view of memory which another result, an argument or an object shows as well.",
        why=(
            "Results are arrays of their own after the migration: who writes to one would not change the other any"
            " more. Plain views go on being made by NumPy; this is about those that tensors cannot tell from copies."
        ),
        does=(
            "Leaves the whole function in NumPy. Where only code that cannot be seen might hold the memory, `--unsafe`"
            " takes it not to."
        ),
        bad="""
            def spectrum(x):
                y = np.exp(x)
                return y, y.ravel()
        """,
        good="""
            def spectrum(x):
                y = np.exp(x)
                return y, y.flatten()
        """,
        severity=Severity.SILENT,
    )
    on = ("returned view",)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region:
            return
        words = "two results, or parts of one, may share memory: return copies, or the base alone"
        if event.detail:
            shown = location_words(frozenset((event.detail,)))
            words = f"the result may be a view of {shown}: return a copy"
            if event.detail.startswith("@"):
                name = event.detail[1:]
                words = f"if {name} is an array, the result may be a view of it: return a copy of that part"
                if name in shown_otherwise(context.facts.node):
                    words = f"the result may be a view of an array that {name} holds or gives: return a copy"
            elif event.detail.startswith("seen by "):
                callee = event.detail.removeprefix("seen by ")
                words = f"{callee} got, or gave, an array that it may have kept, and the result may be a view of that"
                words = f"{words}: give it copies, or return some"
        words = f"{words} (np.array(...) copies an array, whatever it comes from)"
        if event.detail.startswith("seen by "):  # by code that cannot be seen itself
            yield self.hit(event.node, words, Verdict.HOST if context.trusts else Verdict.BLOCK, Safety.UNSAFE)
        else:
            yield self.hit(event.node, words, Verdict.BLOCK)
