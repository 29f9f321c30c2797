"""TNP308: what NumPy 2 has no more."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, register
from np2tnp.rules.words_and_edits import short_name

#: Ways to ask for NumPy 1's promotion.
_PROMOTION = frozenset(("numpy._set_promotion_state", "numpy._get_promotion_state", "numpy._no_nep50_warning"))


@register
class RemovedName(Rule):
    doc = Doc(
        code="TNP308",
        name="removed-name",
        summary=(
            "A name that NumPy 2 has no more: np.float, np.in1d, np.product, np.trapz, x.ptp()...; or NumPy 1's"
            " promotion. In code written for NumPy 1.26 (target-numpy), a name that came with NumPy 2."
        ),
        why=(
            "TensorFlow 2.18 and newer run with NumPy 2, where the name raises AttributeError. What np2tnp"
            " promises is to give what NumPy 2 gives, its promotion of Python numbers included."
        ),
        does=(
            "Says so, and names the successor where there is one. Migrated functions get helpers for functions, and the"
            " successors of dtypes and constants. `ruff check --select NPY` changes most of them elsewhere."
        ),
        bad="""
            def total(x):
                return np.product(np.exp(x))
        """,
        good="""
            def total(x):
                return np.prod(np.exp(x))
        """,
        safety="A note: what is rewritten around it stays right.",
    )
    on = (Calls.NUMPY, ev.NameRead)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, (ev.Call, ev.NameRead))
        api = event.api
        if api is None:
            return
        if api in _PROMOTION:
            yield self.hit(event.node, f"{short_name(api)}: NumPy 1's promotion is not reproduced", Verdict.NOTE)
            return
        fact = context.catalog.get(api)
        if fact is None:
            return
        if fact.legacy and (fact.alias_of or "").startswith("numpy.") and isinstance(event, ev.NameRead):
            _rename(event.node, str(fact.alias_of).removeprefix("numpy."), context)
        if context.catalog.target_numpy != "newest":
            if fact.since:
                words = (
                    f"NumPy {context.catalog.target_numpy} has no {short_name(api)}: it came with NumPy {fact.since}"
                )
                yield self.hit(event.node, words, Verdict.NOTE)
            return
        if not fact.legacy:
            return
        successor = f"; use {short_name(fact.alias_of)}" if fact.alias_of else ""
        yield self.hit(event.node, f"NumPy 2 has no {short_name(api)}{successor}", Verdict.NOTE)


def _rename(node: cst.BaseExpression, name: str, context: Context) -> None:
    """``np.float_`` becomes ``np.float64``: the runtime needs NumPy 2."""
    if context.in_region and isinstance(node, cst.Attribute):
        context.edits.replace.setdefault(id(node), lambda updated: _member(updated.value, name))


def _member(namespace: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """``np.char.chararray`` for the name ``char.chararray``."""
    for part in name.split("."):
        namespace = cst.Attribute(namespace, cst.Name(part))
    return namespace
