"""TNP309: operations whose dtype NumPy 1 chose by the value of a scalar."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.promotion_rules import CANONICAL, dtype_char, promote2
from np2tnp.analysis.domain.values import INTEGERS, Array, Const, Value
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

#: The smallest dtype of each kind: what NumPy 1 took a scalar of that kind for, where its value allowed it.
_SMALLEST = {**dict.fromkeys("?", "?"), **dict.fromkeys("bhil", "b"), **dict.fromkeys("BHIL", "B"),
             **dict.fromkeys("efd", "e"), **dict.fromkeys("FD", "F")}  # fmt: skip
_BITS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "l": 64, "L": 64}
_COMPUTING = frozenset(
    "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift subtract multiply divide true_divide"
    " floor_divide remainder power maximum minimum fmax fmin hypot arctan2 bitwise_and bitwise_or bitwise_xor".split()
)


@register
class OldPromotion(Rule):
    doc = Doc(
        code="TNP309",
        name="old-promotion",
        summary="A NumPy scalar or a large Python integer meets an array of a smaller dtype.",
        why=(
            "NumPy 1 looked at a scalar's value: float32 array * np.float64(3) stayed float32. NumPy 2, which"
            " TensorFlow needs, gives float64, and raises OverflowError for integers that the dtype cannot hold."
        ),
        does="Only says so: what is rewritten gives what NumPy 2 gives. Say which dtype is meant.",
        bad="""
            def scaled():
                x = np.ones(1000, dtype=np.float32)
                return x * np.float64(0.1)
        """,
        good="""
            def scaled():
                x = np.ones(1000, dtype=np.float32)
                return x * 0.1
        """,
        safety="A note: it changes nothing.",
        severity=Severity.SILENT,
    )
    on = (ev.Operator, ev.Call)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        operands: tuple[Value, ...] = ()
        if isinstance(event, ev.Operator) and event.op.strip("_") in _COMPUTING:
            operands = event.operands
        elif isinstance(event, ev.Call) and event.api and event.api.removeprefix("numpy.") in _COMPUTING:
            operands = tuple(item.value for item in event.arguments if item.name is None and not item.star)
        elif isinstance(event, ev.Call) and dtype_char(event.callee) in _BITS and len(event.arguments) == 1:
            operands = (Array(dtypes=frozenset(str(dtype_char(event.callee))), rank=0), event.arguments[0].value)
        if len(operands) == 2 and isinstance(event, (ev.Operator, ev.Call)):
            words = _difference(*operands) or _difference(*reversed(operands))
            if words is not None:
                yield self.hit(event.node, words, Verdict.NOTE)


def _difference(array: Value, scalar: Value) -> str | None:
    """What NumPy 1 and 2 do differently for `array` and `scalar`; None where nothing, or where it is not known."""
    own = _dtype(array)
    if own is None or not isinstance(array, Array):
        return None
    if isinstance(scalar, Const) and type(scalar.value) is int and own in INTEGERS:
        low, high = (-(2 ** (_BITS[own] - 1)), 2 ** (_BITS[own] - 1)) if own.islower() else (0, 2 ** _BITS[own])
        if not low <= scalar.value < high:
            return f"{scalar.value} does not fit into {CANONICAL[own]}: NumPy 2 raises OverflowError, NumPy 1 did not"
        return None
    other = _dtype(scalar)
    if other is None or not isinstance(scalar, Array) or scalar.rank != 0 or not array.rank:
        return None
    now, before = promote2(own, other), promote2(own, _SMALLEST[other])
    if now == before:
        return None
    return (
        f"an array of {CANONICAL[own]} and a scalar of {CANONICAL[other]} give {CANONICAL[now]};"
        f" NumPy 1 gave {CANONICAL[before]} where the value allowed it"
    )


def _dtype(value: Value) -> str | None:
    if isinstance(value, Array) and len(value.dtypes) == 1 and not value.weak:
        return next(iter(value.dtypes))
    return None
