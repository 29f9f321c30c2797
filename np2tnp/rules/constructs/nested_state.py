"""TNP404: names that nested functions and global statements rebind."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class NestedState(Rule):
    doc = Doc(
        code="TNP404",
        name="nested-state",
        summary=(
            "A nested function rebinds a parameter, or a name that the enclosing one assigns later, or updates an array"
            " that is read in the same expression before, or a global is assigned by unpacking."
        ),
        why="When the nested function runs is not known, so neither is which tensor a name holds.",
        does=(
            "Leaves the whole function in NumPy. Arrays that a nested function only updates in place stay ndarrays,"
            " where every name that shows them can. So does what a nested function binds to names that are assigned"
            " before it alone: such a function stays NumPy's."
        ),
        bad="""
            def scaled(x, factors):
                def step(k):
                    nonlocal x
                    x = np.sqrt(x) * k

                for k in factors:
                    step(k)
                return x
        """,
        good="""
            def scaled(x, factors):
                for k in factors:
                    x = np.sqrt(x) * k
                return x
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.GLOBAL_FROM_UNPACKING, ev.Kind.NONLOCAL, ev.Kind.CLOSURE_STORE)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region:
            return
        if event.kind == ev.Kind.GLOBAL_FROM_UNPACKING:
            yield self.hit(event.node, "a global is assigned by unpacking: assign it by itself", Verdict.BLOCK)
        elif event.kind == ev.Kind.NONLOCAL:
            words = (
                f"nonlocal {event.detail}: a nested function rebinds a name of the enclosing one: return the new value,"
                " and assign it there; or rebind local names alone, which are assigned before the nested function"
            )
            yield self.hit(event.node, words, Verdict.BLOCK)
        elif not _is_by_text(event) or all(_is_by_text(it) for it in context.facts.events if _is_alike(it, event)):
            words = (
                f"a nested function updates {event.detail} of the enclosing function in place: return what is new, and"
                " store it where the function is called"
            )
            yield self.hit(event.node, words, Verdict.BLOCK)


def _is_alike(event: ev.Event, other: ev.Construct) -> bool:
    return isinstance(event, ev.Construct) and (event.kind, event.detail) == (other.kind, other.detail)


def _is_by_text(event: ev.Event) -> bool:
    """Whether something is stored by a text, as into a dict, which is hardly what is meant."""
    if not isinstance(event.node, cst.Assign):
        return False
    indices = [it.target.slice[0].slice for it in event.node.targets if isinstance(it.target, cst.Subscript)]
    texts = [it for it in indices if isinstance(it, cst.Index) and isinstance(it.value, cst.SimpleString)]
    return len(texts) == len(event.node.targets)
