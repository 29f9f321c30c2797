"""TNP410: context managers that are told of exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.syntax.python_tables import INDIFFERENT
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.edits import build
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.constructs.exception_handlers import EVERYTHING, MOVE, TRANSLATED, stores_items_only, why_not_shown


@register
class ContextManager(Rule):
    doc = Doc(
        code="TNP410",
        name="context-manager",
        summary="A context manager around array work that may swallow exceptions.",
        why=(
            "TensorFlow raises exceptions of other classes than NumPy, and the runtime refuses what it cannot vouch"
            " for. A context manager that swallows everything would take such a refusal, and the function would go on."
        ),
        does=(
            "Shows it NumPy's exceptions, and lets refusals pass whatever it says: `with rt.manager(m):`. Not those"
            " that are known to swallow nothing, such as open() and locks. `contextlib.suppress` is a handler that does"
            " nothing: where that would leave the function in NumPy (TNP401), it stays there."
        ),
        bad="""
            def timed(timer, x):
                with timer:
                    return np.exp(x)
        """,
        good="""
            @rt.migrated
            def timed(timer, x):
                with rt.manager(timer):
                    return tnp.exp(x)
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.WITH,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        assert isinstance(event.node, cst.WithItem)
        item = event.node
        call = context.calls.get(id(item.item))
        callee = call.callee if call is not None else None
        if not context.in_region or (isinstance(callee, Symbol) and callee.name in INDIFFERENT):
            return
        if call is not None and callee == Symbol("contextlib.suppress"):
            names = [dotted(argument.value).rpartition(".")[2] for argument in call.node.args]
            around = event.place.statement
            if names == ["IndexError"] and isinstance(around, cst.With) and stores_items_only(around.body, context):
                return
            caught = sorted({name or "Exception" for name in names} & (TRANSLATED | EVERYTHING))
            why = why_not_shown(_as_handler(around), caught, context) if isinstance(around, cst.With) else MOVE
            if caught and why:
                words = f"contextlib.suppress around array work: TensorFlow raises others; {why}"
                yield self.hit(item, words, Verdict.BLOCK)
                return
        edits = context.edits
        inner = edits.replace.get(id(item.item))

        def managed(updated: Any) -> cst.BaseExpression:
            return build.call(f"{context.rt}.manager", updated if inner is None else inner(updated))

        edits.replace[id(item.item)] = managed
        yield self.hit(
            item, "a context manager that may swallow exceptions: it gets those that NumPy would raise", Verdict.ADAPT
        )


def _as_handler(around: cst.With) -> cst.Try:
    """``with suppress(E): ...`` as the statement that does the same."""
    nothing = cst.IndentedBlock([cst.SimpleStatementLine([cst.Pass()])])
    return cst.Try(around.body, [cst.ExceptHandler(nothing)])
