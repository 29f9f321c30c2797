"""TNP411: functions of NumPy's, and builtins, that the program replaces."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Symbol
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

CODE = "TNP411"


@register
class ReplacedName(Rule):
    doc = Doc(
        code=CODE,
        name="replaced-name",
        summary="A function of NumPy's, or a builtin, that the program replaces while it runs.",
        why=(
            "After `np.ones = mine`, `setattr(np, ...)`, `mock.patch('numpy.ones')` or `globals()['np'] = ...` the name"
            " is somebody else's function. What stands for NumPy's in TensorFlow would do what NumPy's did."
        ),
        does=(
            "Leaves the functions in NumPy that use the name, in the module that replaces it and in those that import"
            " this module."
        ),
        bad="""
            def total(n):
                return np.sum(np.ones(n) * 2.0)


            np.ones = np.zeros
        """,
        good="""
            def total(n, make=np.zeros):
                return np.sum(make(n) * 2.0)
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.REPLACED, ev.AttributeStore)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.AttributeStore):
            if isinstance(event.base, Symbol) and f"{event.base.name}.{event.name}" in context.module.replaced:
                yield self.hit(event.target, f"replaces {event.base.name}.{event.name}", Verdict.NOTE)
        elif isinstance(event, ev.Construct):
            yield self.hit(event.node, event.detail, Verdict.BLOCK if context.in_region else Verdict.NOTE)
