"""TNP101: stores into elements, slices and masks of arrays."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.cases import StoreCase, store_case, store_words
from np2tnp.rules.words_and_edits import update


@register
class ArrayStore(Rule):
    doc = Doc(
        code="TNP101",
        name="array-store",
        summary="A store into an element, a slice or a mask of an array.",
        why="tnp arrays are immutable: `x[i] = v` raises TypeError.",
        does="Rebinds the name to an updated array; arguments are written back for the caller.",
        bad="""
            def clear(x):
                x[1:-1] = np.exp(x[:-2])
                return x.sum()
        """,
        good="""
            @rt.migrated(updates="x", no_lists="x")
            def clear(x):
                x = rt.at(x)[1:-1].set(tnp.exp(x[:-2]))
                return rt.updated(tnp.sum(x), x=x)
        """,
        safety=(
            "Safe. Casting, broadcasting, bounds and repeated indices are NumPy's. Where another name may hold"
            " the same memory the function is left alone (TNP201, TNP202). If it raises half way, the caller's"
            " array is unchanged, where NumPy would have changed part of it."
        ),
    )
    on = (ev.Store,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Store)
        if event.keys is None:
            return
        case = store_case(event, context)
        if case.kind is StoreCase.TOP_LEVEL and isinstance(event.base, Array):
            yield self.hit(event.node, f"{store_words(event)} changes an ndarray in place", Verdict.HOST)
        elif case.kind is StoreCase.UPDATE:
            update(event, context)
            words = f"{store_words(event)} becomes the rebinding of {event.root} to an updated array"
            yield self.hit(event.node, words, Verdict.ADAPT)
