"""TNP509: what keeps a script's top level in NumPy."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class TopLevelNames(Rule):
    doc = Doc(
        code="TNP509",
        name="top-level-names",
        summary="With --top-level: somebody may see names of the script's top level that would hold tensors.",
        why=(
            "Names that only top-level statements use hold tensors, names that functions and classes mention hold"
            " ndarrays. Who reads the module's names in another way would find tensors where NumPy has ndarrays."
        ),
        does="Leaves the whole top level in NumPy; functions are migrated as ever.",
        bad="""
            x = np.linspace(0.0, 1.0, 5000)
            print(eval("x.sum()"))
        """,
        good="""
            x = np.linspace(0.0, 1.0, 5000)
            print(x.sum())
        """,
        severity=Severity.SILENT,
        top_level=True,
    )
    on = (ev.Kind.TOP_LEVEL,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.in_region:
            yield self.hit(event.node, event.detail, Verdict.BLOCK)
