"""TNP102: in-place operators on whole arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, TENSOR, Array, Const, Value, home_of, python_answers, scalar_type
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.edits import build
from np2tnp.edits.targets import operator_differs
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import StoreCase, store_case, store_words
from np2tnp.rules.words_and_edits import update


@register
class InPlaceOperator(Rule):
    doc = Doc(
        code="TNP102",
        name="in-place-operator",
        summary="An in-place operator on a whole array: `x += v`.",
        why=(
            "Of a tensor it makes a new array that nobody else sees, of another dtype: `x += 0.5` of integers"
            " raises in NumPy."
        ),
        does=(
            "Rebinds the name: to x + v where dtype and shape surely stay, else to rt.iadd(x, v), which keeps them as"
            " NumPy does; arguments are written back for the caller."
        ),
        bad="""
            def shift(x, v):
                x += np.tanh(v)
        """,
        good="""
            @rt.migrated(updates="x", no_lists="x")
            def shift(x, v):
                x = rt.iadd(x, tnp.tanh(v))
                return rt.updated(None, x=x)
        """,
        safety="Safe. On numbers, which Python rebinds, only an operator that differs is replaced.",
        severity=Severity.SILENT,
    )
    on = (ev.Store,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Store)
        if event.keys is not None:
            return
        case = store_case(event, context)
        if case.kind is StoreCase.TOP_LEVEL and isinstance(event.base, Array):
            yield self.hit(event.node, f"{store_words(event)} changes an ndarray in place", Verdict.HOST)
        elif case.kind is StoreCase.NUMBER:
            self._rebinding(event, context)
        elif case.kind is StoreCase.UPDATE:
            update(event, context)
            if _is_plain(event, event.base, event.value, context):
                context.edits.statement(event.node).change[-1] = _spelt_out
            elif _is_plain(event, _FLOATS, _FLOATS if isinstance(event.value, Array) else event.value, context):
                context.edits.blame(event.base)
                context.edits.plain_for_floats = True
            elif isinstance(event.base, Array) and event.base.weak:  # Python rebinds it if it can only be a number
                context.edits.blame(event.base, event.value)
            words = f"{store_words(event)} becomes the rebinding of {event.root} to an updated array"
            yield self.hit(event.node, words, Verdict.ADAPT)

    def _rebinding(self, event: ev.Store, context: Context) -> None:
        """``s += v`` on a number: Python rebinds, as tensors do; only an operator that differs is replaced."""
        operands = (event.base, event.value)
        answers = context.boundary != "tensor" and python_answers(event.op, operands)
        if not answers and not operator_differs(context.catalog, event.op, operands, context.guarded, context.checked):
            return
        function = f"{context.rt}.op_{event.op.rstrip('_')}"

        def change(updated: cst.AugAssign) -> cst.BaseSmallStatement:
            return build.assign(updated.target, build.call(function, updated.target, updated.value))

        context.edits.statement(event.node).change.append(change)


#: Operators that give their operands' dtype where that is a floating one.
_OPERATORS = frozenset(("add", "sub", "mul", "truediv"))
_INEXACT = frozenset("fdFD")
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)
#: Reductions whose result fits into the dtype of the floats or complex numbers that are reduced.
_REDUCTIONS = frozenset(
    f"{owner}.{name}"
    for owner in ("numpy", "ndarray")
    for name in ("amax", "amin", "max", "mean", "median", "min", "prod", "ptp", "std", "sum", "var")
) | {"numpy.linalg.norm"}


#: What a door for floats lets in.
_FLOATS = Array(TENSOR, frozenset("fd"), zero_d="never", nonempty=True)


def _is_plain(event: ev.Store, base: Value, value: Value, context: Context) -> bool:
    """Whether ``x op= v`` is ``x = x op v`` for these: dtype and shape surely stay, and tensors have that operator."""
    if not isinstance(event.node, cst.AugAssign) or not isinstance(event.target, cst.Name) or context.float32:
        return False
    if not isinstance(base, Array) or home_of(base) == HOST or not base.dtypes or not base.dtypes <= _INEXACT:
        return False
    if base.weak or (base.zero_d not in ("scalar", "never") and not base.rank):
        return False  # what an array without dimensions gives is no array
    if event.op not in _OPERATORS or not _fits(base, value, event, context):
        return False
    operands = (base, value)
    answers = context.boundary != "tensor" and python_answers(event.op, operands)
    return not answers and not operator_differs(context.catalog, event.op, operands, context.guarded, context.checked)


def _fits(base: Array, value: Value, event: ev.Store, context: Context) -> bool:
    """Whether what the operator gives has the dtype and the shape of `base`."""
    if not isinstance(value, Array):
        kind = scalar_type(value)  # Scalar: it may be NumPy's float64, which is Python's float, too
        return kind in ("int", "float") and (isinstance(value, Const) or base.dtypes <= {"d", "D"})
    assert isinstance(event.node, cst.AugAssign)
    if _is_of_reductions(event.node.value, event.target, context):
        return True
    promoted = {"f": "f", "d": "dfilhb", "F": "Ff", "D": "DFdfilhb"}
    return value.rank == 0 and all(value.dtypes <= set(promoted[char]) for char in base.dtypes)


def _is_of_reductions(node: cst.BaseExpression, target: cst.BaseExpression, context: Context) -> bool:
    """Whether `node` is a reduction of `target`, or made of such and of literal numbers by arithmetic.

    It then has the dtype of `target`, and a shape that fits into it.
    """
    if isinstance(node, cst.BinaryOperation):
        if not isinstance(node.operator, _ARITHMETIC):
            return False
        sides = [side for side in (node.left, node.right) if not isinstance(side, (cst.Integer, cst.Float))]
        return bool(sides) and all(_is_of_reductions(side, target, context) for side in sides)
    call = context.calls.get(id(node))
    return call is not None and _reduces(call, target)


def _reduces(call: ev.Call, target: cst.BaseExpression) -> bool:
    """Whether `call` reduces the whole array `target`, its first axes, or its axes to one element each."""
    node = call.node
    if call.api not in _REDUCTIONS:
        return False
    more = list(node.args)
    if call.api.startswith("ndarray.") and isinstance(node.func, cst.Attribute):
        reduced = node.func.value
    elif more and more[0].keyword is None and not more[0].star:
        reduced = more.pop(0).value
    else:
        return False
    if not dotted(target) or dotted(reduced) != dotted(target):
        return False
    named = {item.keyword.value: item.value for item in more if item.keyword is not None}
    if more and more[0].keyword is None and not more[0].star and call.api != "numpy.linalg.norm":
        named.setdefault("axis", more[0].value)
    if len(named) != len(more) or not named.keys() <= {"axis", "keepdims"}:
        return False
    keeps = named.get("keepdims")
    return "axis" not in named or _is_first(named["axis"]) or (isinstance(keeps, cst.Name) and keeps.value == "True")


def _is_first(axis: cst.BaseExpression) -> bool:
    """Whether these are an array's first axes: what is left has the last ones, and is broadcast along the first."""
    items = [item.value for item in axis.elements] if isinstance(axis, cst.Tuple) else [axis]
    written = sorted(item.value if isinstance(item, cst.Integer) else "-" for item in items)
    return written == [str(number) for number in range(len(items))]


def _spelt_out(updated: cst.AugAssign) -> cst.BaseSmallStatement:
    """``x = x - v``."""
    value = updated.value
    operator = _OPERATOR_OF[type(updated.operator)]
    if not value.lpar and not isinstance(value, _CLOSED):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    left = cst.ensure_type(updated.target, cst.Name)
    return build.assign(left, cst.BinaryOperation(left.deep_clone(), operator(), value))


#: Expressions that need no parentheses beside an operator.
_CLOSED = (cst.Name, cst.BaseNumber, cst.Call, cst.Attribute, cst.Subscript)
_OPERATOR_OF: dict[type, type[cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add, cst.SubtractAssign: cst.Subtract, cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
}  # fmt: skip
