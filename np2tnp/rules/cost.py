"""What would run slower: work on single elements."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register


@register
class ElementLoop(Rule):
    code = "TNP701"
    name = "element-loop"
    summary = "A loop that stores single elements of an array"
    why = "Every functional update copies the whole array, and reading one element takes 190 µs instead of 0.06."
    does = "Keeps the function in NumPy unless --slow convert is given."
    bad = "for i in range(n):\n    y[i] = x[i] ** 2"
    good = "y = x ** 2"
    on = (ev.ElementLoop,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.ElementLoop)
        yield self.hit(event.node, f"{event.name} is stored element by element in a loop: eager TensorFlow copies it each time", Verdict.NOTE)
