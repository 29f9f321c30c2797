"""TNP701: loops over single elements."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.single_items import does_array_work, number_of_an_item


def _visits_every_element(event: ev.ElementLoop) -> bool:
    """Whether loops run over several axes (``d[i, j] = norm(x[i] - x[j])``): each piece of work is small, then."""
    node = event.node
    target = node.targets[0].target if isinstance(node, cst.Assign) else getattr(node, "target", None)
    return event.place.loops > 1 and isinstance(target, cst.Subscript) and len(target.slice) > 1


@register
class ElementLoop(Rule):
    doc = Doc(
        code="TNP701",
        name="element-loop",
        summary="A loop that stores single elements of an array, or makes Python numbers of them.",
        why="Every functional update copies the whole array, and reading one element takes 190 µs instead of 0.06.",
        does=(
            "Keeps the function in NumPy unless --slow convert is given. Loops whose iterations need nothing of each"
            " other are no such loops (TNP703); the message says what is in the way here. Nor is a loop over one axis"
            " that stores what whole arrays gave, such as `y[i] = a[i] @ x`."
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
            return
        assert isinstance(event, ev.ElementLoop)
        value = event.node.value if isinstance(event.node, (cst.Assign, cst.AugAssign)) else None
        if value is not None and does_array_work(value, context) and not _visits_every_element(event):
            return
        yield self.hit(
            event.node,
            f"{event.name} is stored element by element in a loop: eager TensorFlow copies it each time",
            Verdict.NOTE,
        )
