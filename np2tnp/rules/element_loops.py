"""TNP701: loops over single elements."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.tables import REDUCTIONS
from np2tnp.analysis.values import Bound, Function, Instance
from np2tnp.analysis.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


def _does_array_work(event: ev.ElementLoop, context: Context) -> bool:
    """Whether what is stored comes from whole arrays (a reduction, a function of the module): a store is little."""
    node = event.node
    if not isinstance(node, (cst.Assign, cst.AugAssign)):
        return False
    for part in walk(node.value):
        if isinstance(part, (cst.Slice, cst.MatrixMultiply)):
            return True
        call = context.calls.get(id(part))
        if call is None:
            continue
        if isinstance(call.callee, Function) or (
            isinstance(call.callee, Bound) and isinstance(call.callee.receiver, Instance)
        ):
            return True
        name = (call.api or "").rpartition(".")[2]
        if (
            name in REDUCTIONS
            or name in ("dot", "inner", "vdot")
            or (call.api or "").startswith(("numpy.linalg", "numpy.fft"))
        ):
            return True
    return False


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
        summary="A loop that stores single elements of an array.",
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
    on = (ev.ElementLoop,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.ElementLoop)
        if _does_array_work(event, context) and not _visits_every_element(event):
            return
        yield self.hit(
            event.node,
            f"{event.name} is stored element by element in a loop: eager TensorFlow copies it each time",
            Verdict.NOTE,
        )
