"""TNP107: stores whose statement cannot become a rebinding."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.cases import StoreCase, store_case
from np2tnp.rules.words_and_edits import split


@register
class UnpackedStore(Rule):
    doc = Doc(
        code="TNP107",
        name="unpacked-store",
        summary="A store into an array inside an unpacking that cannot be split up, or as the target of a loop.",
        why=(
            "Stores such as `a[:2], a[2:] = r[:2], r[2:]`, where `r = a[::-1]` is another view of `a`, read what the"
            " first store changed; no rebinding of `a` does the same."
        ),
        does=(
            "Leaves the whole function in NumPy. Most unpackings and chained assignments become one assignment a target"
            " instead. In `a[0], a[-1] = a[1], a[-2]` rows are views of what the first store may have changed: they are"
            " read again; numbers are not. Of other values rt.numbers refuses arrays with axes, where the function has"
            " no effect and its original can answer instead."
        ),
        bad="""
            def exchange(x):
                y = np.exp(x)
                turned = y[::-1]
                y[:2], y[2:] = turned[:2], turned[2:]
                return y
        """,
        good="""
            def exchange(x):
                y = np.exp(x)
                turned = y[::-1].copy()
                y[:2], y[2:] = turned[:2], turned[2:]
                return y
        """,
    )
    on = (ev.Store, ev.Kind.STORE_IN_TUPLE, ev.Kind.SPLIT_STORES)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Construct):
            if context.in_region and event.kind == ev.Kind.SPLIT_STORES:
                if event.detail == "numbers" and not context.begins_again():
                    words = "stores inside an unpacking of what may be views of the array: copy them before"
                    yield self.hit(event.node, words, Verdict.BLOCK)
                split(event, context)
            elif context.in_region and event.kind == ev.Kind.STORE_IN_TUPLE:
                yield self.hit(event.node, _words(event.node), Verdict.BLOCK)
            return
        assert isinstance(event, ev.Store)
        case = store_case(event, context)
        if case.kind is StoreCase.UNPACKED:
            yield self.hit(event.node, case.why, Verdict.BLOCK)


def _words(node: cst.CSTNode) -> str:
    targets = node.targets[0].target if isinstance(node, cst.Assign) else None
    elements = targets.elements if isinstance(targets, (cst.Tuple, cst.List)) else ()
    if sum(isinstance(element.value, cst.Subscript) for element in elements) == 1:
        return "a store into an element inside an unpacking: unpack into names, and store in a statement of its own"
    return (
        "stores into elements inside an unpacking, of which NumPy may see one through the other's view:"
        " unpack into names, copies where that is not meant, and store each in a statement of its own"
    )
