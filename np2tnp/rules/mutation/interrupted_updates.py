"""TNP109: exceptions after updates of arguments."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import parameters_in, refs_of
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

_WORDS = {
    ev.Kind.RAISE_AFTER_MUTATION: (
        "an exception is raised after {0} was updated in place: the caller would not see the update: raise it before"
    ),
    ev.Kind.UPDATE_IN_FINALLY: (
        "an array is updated in `finally`: who gets it by a return or an exception would not see it: update before"
    ),
}


@register
class InterruptedUpdate(Rule):
    doc = Doc(
        code="TNP109",
        name="interrupted-update",
        summary=(
            "An exception is raised after an argument was updated in place, or `finally` updates an array that was"
            " returned."
        ),
        why=(
            "The caller would see the update in NumPy. A migrated function hands updates over when it returns, so"
            " not then."
        ),
        does="Leaves the whole function in NumPy.",
        bad="""
            def scale(x, limit):
                x *= np.exp(limit)
                if limit > 1:
                    raise ValueError(limit)
        """,
        good="""
            def scale(x, limit):
                if limit > 1:
                    raise ValueError(limit)
                x *= np.exp(limit)
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.RAISE_AFTER_MUTATION, ev.Kind.UPDATE_IN_FINALLY)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if context.in_region:
            left = "" if event.kind is ev.Kind.UPDATE_IN_FINALLY or _stores_itself(context) else "unseen"
            names = event.detail.split(", ")
            grows = event.kind is ev.Kind.RAISE_AFTER_MUTATION and all(_is_grown(it, context) for it in names)
            words = _WORDS_OF_LISTS if grows else _WORDS[event.kind]
            yield Hit(self.code, event.node, words.format(" and ".join(names)), Verdict.BLOCK, left=left)


_WORDS_OF_LISTS = (
    "an exception is raised after {0} was updated in place: a list shows that, but of an array, which {0} may be, a"
    " migrated caller would not see it: raise it before"
)
_OF_LISTS = frozenset(("append", "extend", "insert", "pop", "remove", "clear"))


def _is_grown(name: str, context: Context) -> bool:
    """Whether the function calls a method of a parameter that lists have, and arrays have not."""
    return any(
        type(part) is cst.Call
        and type(part.func) is cst.Attribute
        and part.func.attr.value in _OF_LISTS
        and dotted(part.func.value) == name
        for part in nodes_of(context.facts.node)
    )


def _stores_itself(context: Context) -> bool:
    """Whether it is the function that updates an argument, and no callee, of which a list may be all that it gets."""
    given = frozenset(context.facts.mutated)
    stores = (it for it in context.facts.events if isinstance(it, ev.Store) and type(it.node) is not cst.Call)
    return any(it.root in given or not given.isdisjoint(parameters_in(refs_of(it.base))) for it in stores)
