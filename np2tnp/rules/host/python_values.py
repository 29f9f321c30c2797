"""TNP502: arrays that become Python values."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Sequence
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import StoreCase, store_case
from np2tnp.rules.words_and_edits import wrap_keys

#: Where a 0-d array and the scalar look the same, unless they are in a container.
_AS_TEXT = ("is formatted into a string", "is passed to print()", "is passed to str()")


@register
class PythonValue(Rule):
    doc = Doc(
        code="TNP502",
        name="python-value",
        summary=(
            "An array or number of NumPy's becomes a Python value: it is printed, formatted, used as a key, looked up."
        ),
        why="A tensor prints, hashes and compares differently; each such place waits for the device.",
        does="Converts it there: rt.host(x).",
        bad="""
            def show(x):
                print(f"{np.exp(x)}")
        """,
        good="""
            @rt.migrated
            def show(x):
                print(f"{rt.host(tnp.exp(x))}")
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Escape, ev.Store)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Store):
            self._key(event, context)
            return
        assert isinstance(event, ev.Escape)
        if not context.in_region:
            return
        alike = event.reason in _AS_TEXT and not isinstance(event.value, Sequence)
        context.edits.wrap_host(event.node, None if alike else event.value)
        if isinstance(event.value, Array):
            yield self.hit(event.node, f"this {event.reason}: converted there", Verdict.HOST)

    def _key(self, event: ev.Store, context: Context) -> None:
        """A dict made in the region: tensors may be stored in it; its keys must be Python's."""
        if not isinstance(event.target, cst.Subscript) or store_case(event, context).kind is not StoreCase.CONTAINER:
            return
        if isinstance(event.base, Sequence) and event.base.type == "dict":
            wrap_keys(event.target, event.keys, context)
