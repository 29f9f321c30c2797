"""TNP202: stores that may change memory which another name holds."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.locations import is_seen
from np2tnp.analysis.domain.values import Array
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import CallCase, StoreCase, call_case, stays_ndarray, store_case, store_words


@register
class SharedMemory(Rule):
    doc = Doc(
        code="TNP202",
        name="shared-memory",
        summary="A store into an array whose memory the caller, an object or another name may hold as well.",
        why=(
            "Tensors never share memory: the update would stay with one name, and the others would keep the old values."
        ),
        does=(
            "Keeps ndarrays under all the names, and lets NumPy update them with host values; where it is not certain"
            " which ones these are, leaves the whole function in NumPy. Written as `U[1:-1] += ...`, without a"
            " name for the part, the store is one of U alone."
        ),
        bad="""
            def top(x):
                row = x[0]
                row[:] = np.exp(row)
        """,
        good="""
            def top(x):
                x[0, :] = np.exp(x[0])
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Store, Calls.UPDATING)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Call):
            call = call_case(event, context)
            if call is not None and call.kind is CallCase.SHARED:
                yield self.hit(event.node, call.why, Verdict.BLOCK)
            return
        assert isinstance(event, ev.Store)
        case = store_case(event, context)
        if case.kind is StoreCase.SHARED:
            seen = bool(event.conflicts) and all(map(is_seen, event.conflicts))
            unsure = seen or (bool(event.conflicts) and not isinstance(event.base, Array))
            yield Hit(self.code, event.node, case.why, Verdict.BLOCK, left="unseen" if unsure else "")
        elif stays_ndarray(event, context):
            words = f"{store_words(event)}: other names may show that memory; it stays an ndarray, which NumPy updates"
            yield self.hit(event.node, words, Verdict.HOST)
