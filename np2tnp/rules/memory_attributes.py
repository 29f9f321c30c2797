"""TNP204: attributes that show the memory of an ndarray."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import HOST, Unknown, home_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register

MEMORY_ATTRIBUTES = frozenset(("flags", "strides", "ctypes", "base", "data", "device"))


@register
class MemoryAttribute(Rule):
    doc = Doc(
        code="TNP204",
        name="memory-attribute",
        summary="An attribute that shows the memory of an ndarray: .flags, .strides, .base, .data, .ctypes, .device.",
        why="A tensor has no memory to show: it may live on a GPU, is always contiguous, and never a view.",
        does="Leaves the whole function in NumPy.",
        bad="""
            def is_contiguous(x):
                y = np.exp(x)
                return y.flags.c_contiguous
        """,
        good="""
            def shift(x):
                y = np.exp(x)
                return y - y.max()
        """,
    )
    on = (ev.AttributeRead,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.AttributeRead)
        if not context.in_region or home_of(event.base) == HOST or isinstance(event.base, Unknown):
            return
        if event.name in MEMORY_ATTRIBUTES:
            words = f".{event.name} shows the memory of an ndarray; a tensor has none to show"
            yield self.hit(event.node, words, Verdict.BLOCK)
