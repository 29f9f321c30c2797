"""TNP204: attributes that show the memory of an ndarray."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Array, Unknown, home_of, may_hold_tensor
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.analysis.syntax.scopes import sketch
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.host.native_code import POINTERS
from np2tnp.rules.views.strided_views import AS_STRIDED, WINDOWS

_APART = "move what needs it into a function of its own"
_MEMORY = frozenset(("flags", "strides", "base", "data", "device"))


@register
class MemoryAttribute(Rule):
    doc = Doc(
        code="TNP204",
        name="memory-attribute",
        summary=(
            "An attribute that shows the memory of an ndarray: .flags, .strides, .base, .data, or any that is not"
            " NumPy's."
        ),
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
    on = (ev.AttributeRead, ev.Call)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Call):
            yield from self._of_call(event, context)
            return
        assert isinstance(event, ev.AttributeRead)
        if not context.in_region or isinstance(event.base, Unknown):
            return
        if home_of(event.base) == HOST:
            if isinstance(event.base, Array) and event.name in _MEMORY:
                words = f".{event.name} shows the memory of an ndarray, which stays one here"
                yield self.hit(event.node, words, Verdict.NOTE)
            return
        if event.name in _MEMORY:
            words = f".{event.name} shows the memory of an ndarray; a tensor has none to show"
            if event.name == "flags" and _sets_flag(event.node, context):
                words = f"the array is made read-only, or writable again, by its flags; a tensor has none: {_APART}"
            elif event.name not in ("strides", "flags"):  # who reads those asks how NumPy would have laid it out
                words += f": {_APART}"
            elif any(call.api == AS_STRIDED for call in context.calls.values()):
                words += f": {WINDOWS}"
            left = "objects" if event.name == "data" else ""  # objects around arrays have that name for them
            yield Hit(self.code, event.node, words, Verdict.BLOCK, left=left)
        elif has_no_form(event.name) and event.name not in POINTERS:
            words = (
                f"{sketch(event.node.value)} seems to be an object in an array (.{event.name}), which no tensor holds"
            )
            yield Hit(self.code, event.node, f"{words}: best left in NumPy", Verdict.BLOCK, left="objects")

    def _of_call(self, event: ev.Call, context: Context) -> Iterator[Hit]:
        func = event.node.func
        if not context.in_region or type(func) is not cst.Attribute or func.attr.value != "setflags":
            return
        values = [event.receiver, *(argument.value for argument in event.arguments)]
        if event.receiver is None or any(value is not None and may_hold_tensor(value) for value in values):
            yield self.hit(
                event.node, f"setflags() protects an ndarray; a tensor has no flags to set: {_APART}", Verdict.BLOCK
            )


def _sets_flag(flags: cst.CSTNode, context: Context) -> bool:
    """Whether it is the ``x.flags`` of ``x.flags.writeable = False``."""
    targets = (part.target for part in nodes_of(context.facts.node) if type(part) is cst.AssignTarget)
    return any(isinstance(it, (cst.Attribute, cst.Subscript)) and it.value is flags for it in targets)


def has_no_form(name: str) -> bool:
    """Whether nothing stands for this attribute of ndarrays in rewritten code."""
    return name in _MEMORY or name in POINTERS or name not in MEMBERS
