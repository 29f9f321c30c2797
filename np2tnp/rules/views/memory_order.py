"""TNP203: memory order, which tensors do not have."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Const
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import decide

CODE = "TNP203"
_ORDERED = frozenset(("numpy.asfortranarray", "numpy.require"))
#: Where order says in which order elements are read: "F" and "C" are computed, "A" and "K" ask for the memory order.
_READING = ("reshape", "ravel", "flatten", "tobytes", "tostring")


@register
class MemoryOrder(Rule):
    doc = Doc(
        code=CODE,
        name="memory-order",
        summary="Memory order is asked for: order='F', order='A', np.asfortranarray, np.require.",
        why=(
            "A tensor is always in C order. Code that relies on another one (BLAS, Fortran and Cython calls,"
            " `.ravel('K')`, speed of column access) would not find it."
        ),
        does=(
            "An array in Fortran order that is returned, kept by an object or handed to other code is made by NumPy,"
            " as it was; one that is only calculated with is in C order, with the same values. `ravel`, `reshape`,"
            " `flatten` and `tobytes` with order 'A' or 'K', whose values depend on the order in memory, leave the"
            " function in NumPy."
        ),
        bad="""
            def columns(x):
                return np.asfortranarray(np.exp(x))
        """,
        good="""
            @rt.migrated
            def columns(x):
                return np.asfortranarray(rt.host(tnp.exp(x)))
        """,
        safety="Safe. An order that NumPy chooses itself (a result of what is in Fortran order) is not kept.",
        severity=Severity.SLOWER,
    )
    on = (Calls.NUMPY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        if event.api is None or not context.in_region:
            return
        decision = decide(event, context)
        if decision is None:
            return
        order = _order(event)
        name = event.api.rpartition(".")[2]
        if name in _READING[3:] and order is None and event.arguments:
            order = "A"  # which one is not known, and nobody asks when it runs
        if name in _READING and order in ("A", "K"):
            words = (
                f"order='{order}' reads elements as they lie in memory, and tensors are always in C order: say"
                " order='C', which is the same of an array in C order, or order='F' of one in Fortran order"
            )
            yield self.hit(event.node, words, Verdict.BLOCK)
        elif event.api in _ORDERED or (order in ("F", "A") and name not in _READING):
            words = "a tensor has no memory order: the values are equal"
            if not decision.converts:
                words = "the memory order is NumPy's, which makes this array"
            yield self.hit(event.node, words, Verdict.ADAPT if decision.converts else Verdict.HOST)


def asks_for_order(event: ev.Call) -> bool:
    """Whether the call wants its result in another order than C."""
    return event.api in _ORDERED or _order(event) in ("F", "A")


def _order(event: ev.Call) -> str | None:
    for argument in event.arguments:
        if argument.name == "order" and isinstance(argument.value, Const):
            return str(argument.value.value)
    last = event.arguments[-1] if event.arguments else None
    if last is not None and last.name is None and isinstance(last.value, Const) and last.value.value in ("A", "K", "F"):
        return str(last.value.value)  # x.ravel('K')
    return None
