"""TNP701: loops over single elements."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.item_pairs import each_element, work_on_pairs
from np2tnp.rules.single_items import does_array_work, number_of_an_item


def _visits_every_element(event: ev.ElementLoop) -> bool:
    """Whether loops run over several axes (``d[i, j] = norm(x[i] - x[j])``): each piece of work is small, then."""
    node = event.node
    target = node.targets[0].target if isinstance(node, cst.Assign) else getattr(node, "target", None)
    return event.place.loops > 1 and isinstance(target, cst.Subscript) and len(target.slice) > 1


def _is_slow(event: ev.ElementLoop, context: Context) -> bool:
    value = event.node.value if isinstance(event.node, (cst.Assign, cst.AugAssign)) else None
    return value is None or not does_array_work(value, context) or _visits_every_element(event)


def _is_told(loop: cst.For, context: Context) -> bool:
    """Whether a store in the loop is slow by itself."""
    stores = [event for event in context.facts.events if isinstance(event, ev.ElementLoop)]
    inside = {id(part) for part in walk(loop.body)} if stores else set()
    return any(id(event.node) in inside and _is_slow(event, context) for event in stores)


@register
class ElementLoop(Rule):
    doc = Doc(
        code="TNP701",
        name="element-loop",
        summary="A loop that stores single elements of an array, makes Python numbers of them, or works on pairs.",
        why="Every functional update copies the whole array, and reading one element takes 190 µs instead of 0.06.",
        does=(
            "Keeps the function in NumPy unless --slow convert is given. Loops whose iterations need nothing of each"
            " other are no such loops (TNP703); the message says what is in the way here. Nor is a loop over one axis"
            " that stores what whole arrays gave, such as `y[i] = a[i] @ x`. Two nested loops are such loops where both"
            " counters are indices of single items or rows (`x[i] - x[j]`), and nothing in them works on whole arrays"
            " or windows (`image[i : i + h]`). Nor do two nested loops gain that compute each element of an ndarray by"
            " itself (`self.grid[i, j] = np.sum(...)`)."
        ),
        bad="""
            def smoothed(x, weight):
                y = np.zeros_like(x)
                for i in range(1, len(x)):
                    y[i] = weight * x[i] + (1 - weight) * y[i - 1]
                return y
        """,
        good="""
            def squares(x):
                return np.square(x)
        """,
        severity=Severity.SLOWER,
    )
    on = (ev.ElementLoop, ev.Loop)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Loop):
            call = number_of_an_item(event, context)
            if call is not None:
                yield self.hit(
                    call, "each item of an array becomes a Python number: 190 µs from a tensor", Verdict.NOTE
                )
            single = each_element(event, context) if context.compile == "none" else None
            if single is not None:
                words = "each element is computed by itself in nested loops: each operation is a launch of its own"
                yield self.hit(single, words, Verdict.NOTE)
                return
            pairs = work_on_pairs(event, context) if context.compile == "none" else None
            if pairs is not None and not _is_told(pairs, context):
                words = "the loops work on single items or rows at both their counters: each operation is a launch"
                yield self.hit(pairs, f"{words} of its own", Verdict.NOTE)
            return
        assert isinstance(event, ev.ElementLoop)
        if not _is_slow(event, context):
            return
        yield self.hit(
            event.node,
            f"{event.name} is stored element by element in a loop: eager TensorFlow copies it each time",
            Verdict.NOTE,
        )
