"""TNP006: operators that tensors compute differently."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import as_floats, as_wider
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    EITHER,
    HOST,
    TENSOR,
    Array,
    Const,
    Sequence,
    Symbol,
    Unknown,
    Value,
    home_of,
    lives_anywhere,
    may_be_array,
    may_hold_tensor,
    meets_either,
    python_answers,
    scalar_type,
    zero_d_of,
)
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build, layout
from np2tnp.edits.edit import is_plain_ndarray, needs_tensor, operand_nodes
from np2tnp.edits.targets import JOINING, operator_differs
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class OperatorDiffers(Rule):
    doc = Doc(
        code="TNP006",
        name="operator-differs",
        summary="An operator that might reach an object's own operator, or that Python and NumPy answer differently.",
        why=(
            "What stands on the left of a tensor may be an object with an operator of its own, which must get an"
            " ndarray. All other operators of tensors are NumPy's in rewritten code, graphs included: where"
            " TensorFlow's differ (`0.5 // 0.1`, small integers divided, shapes that do not broadcast), the runtime"
            " answers."
        ),
        does="Calls the exact operator of the runtime, which leaves Python numbers to Python.",
        bad="""
            def fitted(basis, x):
                return basis(len(x)) @ np.exp(x)
        """,
        good="""
            @rt.migrated
            def fitted(basis, x):
                return rt.op_matmul(basis(len(x)), tnp.exp(x))
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Operator, ev.Call)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.Call):
            _exact_builtin(event, context)
            if context.boundary != "tensor" and _sums_complex(event):
                yield self.hit(event.node, "a `sum` in which Python's complex answers", Verdict.BLOCK)
            return
        assert isinstance(event, ev.Operator)
        if event.op == "contains":
            _search(event, context)
            return
        if not any(
            context.may_be_tensor(v) for v in (*event.operands, event.result) if isinstance(v, (Array, Unknown))
        ):
            return
        nodes = operand_nodes(event.node)
        counted = any(isinstance(value, Array) for value in event.operands)
        if counted:
            context.edits.total += 1
            context.edits.converted += 1
        chained = event.op.startswith("chained ")
        if chained and context.boundary != "tensor" and _is_pythons(event.op.partition(" ")[2], event.operands):
            yield self.hit(event.node, "a chain of comparisons in which Python's complex answers", Verdict.BLOCK)
            return
        homes = [*map(home_of, event.operands)]
        beside = (node for number, node in enumerate(nodes) if TENSOR in homes[:number] + homes[number + 1 :])
        context.edits.beside_tensors.update(map(id, beside))
        differs = _differs(event, event.operands, context)
        anywhere = differs and home_of(event.result) == EITHER and lives_anywhere(event.op, event.operands)
        if not chained and _is_covered(event.op, event.operands, context, anywhere):
            return
        if not differs and context.facts.door and not context.edits.plain_for_few:
            context.edits.plain_for_few = _differs(event, tuple(map(as_wider, event.operands)), context)
        late = id(event.node) in context.facts.seen.read_late  # the operator reads it itself
        late = late or (not any(home_of(value) == TENSOR for value in event.operands) and _calls_later(nodes))
        if not chained and (differs or late or context.float32):  # tensors make float64 of integers and floats
            op = event.op.rstrip("_")
            joins = event.op in JOINING and any(isinstance(value, Sequence) for value in event.operands)
            more = [build.argument(cst.Name("True"), "joins")] if joins else []

            unsure = meets_either(event.op, event.operands)
            either = _beside_list(op, event.operands, "either") if context.checked else None
            if (unsure or either is not None) and not context.begins_again():
                what = "a complex number of Python's" if unsure else "a list"
                words = f"{what} meets what may be a scalar or a 0-d array"
                yield self.hit(event.node, words, Verdict.BLOCK)
            beside_list = _beside_list(op, event.operands) if context.checked else None
            array = (op == "pow" and _has_own_powers(*event.operands)) or beside_list == 0
            zero_d = context.checked and (_is_array_beside_complex(event.op, event.operands) or beside_list == 1)

            def change(updated: cst.BaseExpression) -> cst.BaseExpression:
                updated = _with_checked_right(updated, context.rt) if unsure else updated
                if either is not None and isinstance(updated, cst.BinaryOperation):
                    side = ("left", "right")[either]
                    updated = updated.with_changes(
                        **{side: build.call(f"{context.rt}.not_zero_d", getattr(updated, side))}
                    )
                if zero_d and isinstance(updated, cst.BinaryOperation):
                    updated = updated.with_changes(right=build.call(f"{context.rt}.zero_d_array", updated.right))
                if array and isinstance(updated, cst.BinaryOperation):
                    updated = updated.with_changes(left=build.call(f"{context.rt}.zero_d_array", updated.left))
                return layout.operation(f"{context.rt}.op_{op}", updated, *more)

            context.edits.replace[id(event.node)] = change
            if not any(map(context.may_be_tensor, event.operands)):
                context.edits.brought[id(event.node)] = id(event.node)
            context.edits.blame(*event.operands)
            if differs and not context.edits.plain_for_floats:
                context.edits.plain_for_floats = _is_plain_for_floats(event, context)
            if counted and differs:
                sign = _SIGNS.get(event.op, event.op)
                why = "what is beside the array may answer it" if context.has_operators else "tensors have another"
                words = f"`{sign}` becomes rt.op_{op}: {why}"
                yield self.hit(event.node, words, Verdict.ADAPT)
            return
        if (
            home_of(event.result) != HOST
            and not chained
            and not any(home_of(value) == TENSOR for value in event.operands)
        ):
            operands = list(zip(nodes, event.operands, strict=False))
            first = next((it for it in operands if isinstance(it[1], Array) and needs_tensor(it[1])), None)
            if first is not None:
                _bring(event, first[0], context)


def _bring(event: ev.Operator, node: cst.BaseExpression, context: Context) -> None:
    """Make a tensor of `node`, one of the ndarrays that an operator works on: it makes one of the other itself."""
    plain = all(is_plain_ndarray(it) and not getattr(it, "weak", False) for it in event.operands if needs_tensor(it))
    if context.compile != "none" or context.float32 or not plain:
        context.edits.wrap_tensor(node)
    elif event.op == "matmul":
        context.edits.replace[id(event.node)] = partial(layout.operation, f"{context.tnp}.matmul")
    elif id(node) in context.edits.replace:
        context.edits.wrap_tensor(node)
    else:
        context.edits.replace[id(node)] = partial(build.call, f"{context.tnp}.asarray")
        if all(home_of(value) == HOST for value in event.operands):
            context.edits.brought[id(event.node)] = id(node)


def _differs(event: ev.Operator, operands: tuple[Value, ...], context: Context) -> bool:
    """Whether the tensors' operator is another one than NumPy's, of such operands."""
    return (
        operator_differs(context.catalog, event.op, operands, context.guarded, context.checked)
        or (context.boundary != "tensor" and python_answers(event.op, operands))
        or _is_given_container(operands)
        or (context.checked and event.op == "pow" and _has_own_powers(*operands))
        or (context.checked and _is_array_beside_complex(event.op, operands))
        or (context.checked and any(_beside_list(event.op, operands, kind) is not None for kind in _NO_SCALARS))
    )


def _is_given_container(operands: tuple[Value, ...]) -> bool:
    """Whether what may be an object with an operator of its own gets a container, in which tensors may be."""
    held = any(isinstance(value, Sequence) and may_hold_tensor(value) for value in operands)
    return held and any(type(value) is Unknown for value in operands)


def _is_plain_for_floats(event: ev.Operator, context: Context) -> bool:
    return not _differs(event, tuple(map(as_floats, event.operands)), context)


def _is_covered(op: str, operands: tuple[Value, ...], context: Context, any_home: bool = False) -> bool:
    """Whether the operator stays as it is: those of tensors are NumPy's in rewritten code.

    But where a 0-d array may answer otherwise than the scalar that a tensor is taken for; where Python's complex may
    compare, as a tensor is not told who stands on the left; and where it may join or repeat a list, which holds what
    stands for the caller's arrays.

    any_home: the result may be an ndarray, too, and nothing need be brought.
    """
    if meets_either(op, operands) or (op in ("eq", "ne") and python_answers(op, operands)):
        return False
    if _is_given_container(operands):
        return False
    if (op == "pow" and _has_own_powers(*operands)) or any(
        _beside_list(op, operands, kind) is not None for kind in _NO_SCALARS
    ):
        return False
    if _is_array_beside_complex(op, operands) or (op in JOINING and not any(isinstance(it, Array) for it in operands)):
        return False
    return context.covers(*operands, any_home=any_home)


def _calls_later(nodes: list[cst.BaseExpression]) -> bool:
    """Whether the second operand calls something: what the first one shows may be updated until the operator works."""
    return len(nodes) > 1 and any(type(part) is cst.Call for part in walk(nodes[1]))


def _is_pythons(op: str, operands: tuple[Value, ...]) -> bool:
    """Whether what surely is a number of Python's complex answers the operator."""
    return scalar_type(operands[0]) == "complex" and python_answers(op, operands)


def _sums_complex(event: ev.Call) -> bool:
    """Whether ``sum`` adds what may be scalars of NumPy's float64 to a complex number of Python's."""
    callee = event.callee
    if not isinstance(callee, Symbol) or callee.name != "builtins.sum" or not event.arguments:
        return False
    summed = event.arguments[0].value
    items = (summed.items or (summed.element,)) if isinstance(summed, Sequence) else ()
    numbers = [*(argument.value for argument in event.arguments[1:2]), *items]
    at = next((i for i, number in enumerate(numbers) if scalar_type(number) == "complex"), len(numbers))
    if at < len(numbers) and isinstance(summed, Array):
        return "d" in summed.dtypes
    return any(_is_pythons("add", (numbers[at], item)) for item in numbers[at + 1 :])


def _with_checked_right(node: cst.BaseExpression, runtime: str) -> cst.BaseExpression:
    """Of an operand that is a scalar or a 0-d array nobody knows whether Python's complex or NumPy answers."""
    if isinstance(node, cst.BinaryOperation):
        return node.with_changes(right=build.call(f"{runtime}.not_zero_d", node.right))
    assert isinstance(node, cst.Comparison)
    (target,) = node.comparisons
    checked = target.with_changes(comparator=build.call(f"{runtime}.not_zero_d", target.comparator))
    return node.with_changes(comparisons=[checked])


def _is_array_beside_complex(op: str, operands: tuple[Value, ...]) -> bool:
    """Whether what may be Python's complex stands left of a 0-d array: NumPy answers, as it does not of a scalar."""
    if len(operands) != 2 or op not in ("add", "sub", "mul", "truediv", "pow"):
        return False
    left, right = operands
    if not isinstance(right, Array) or right.rank or right.zero_d != "array" or "d" not in right.dtypes:
        return False
    if isinstance(left, Array):  # a door lets numbers in, too
        return left.weak is True and "D" in left.dtypes
    return scalar_type(left) in ("complex", "number") or isinstance(left, Unknown)


def _beside_list(op: str, operands: tuple[Value, ...], kind: str = "array") -> int | None:
    """Which operand of ``*`` may be a 0-d array beside a list: a scalar would repeat the list, or raise.

    kind: "either" where nobody knows which of them it is.
    """
    if op != "mul" or len(operands) != 2:
        return None
    for number, (value, other) in enumerate((operands, operands[::-1])):
        if isinstance(value, Array) and not value.rank and zero_d_of(value) == kind and isinstance(other, Sequence):
            return number if value.exact is None else None
    return None


#: What a 0-d tensor may stand for other than a scalar.
_NO_SCALARS = ("array", "either")


def _has_own_powers(base: Value, exponent: Value) -> bool:
    """Whether `base` may be a 0-d array whose power is not that of the scalar: of bools, and roots."""
    if not isinstance(base, Array) or base.rank or base.exact is not None or zero_d_of(base) != "array":
        return False
    known = base.rank == 0 or base.dtypes < ALL_DTYPES  # of what nobody knows it is no bool that people square
    if known and "?" in base.dtypes and scalar_type(exponent) in ("int", "number", "object"):
        return True
    return not isinstance(exponent, Const) or exponent.value in (0.5, 1, -1)


def _exact_builtin(event: ev.Call, context: Context) -> None:
    """``abs(x)``, ``pow(x, n)``: operators in the form of a call. Not reported, as calls of Python's own are not."""
    op = event.callee.name.removeprefix("builtins.") if isinstance(event.callee, Symbol) else ""
    values = tuple([argument.value for argument in event.arguments])
    if len(values) != _BUILTINS.get(op) or any(argument.star or argument.name for argument in event.arguments):
        return
    differs = any(home_of(value) != HOST for value in values) and not _is_covered(op, values, context)
    if op == "abs":
        differs = differs and operator_differs(context.catalog, "abs", values, context.guarded)
    # without a wrapper, callers pass tensors for what is an ndarray otherwise
    if differs or (context.boundary == "tensor" and any(may_be_array(it) and home_of(it) == HOST for it in values)):
        context.edits.replace[id(event.node)] = lambda updated: updated.with_changes(
            func=build.name(f"{context.rt}.op_{op}")
        )


def _search(event: ev.Operator, context: Context) -> None:
    """``x in [y, z]``: by identity and by NumPy's ``==``. It is not reported, since nothing is computed."""

    def change(updated: cst.BaseExpression) -> cst.BaseExpression:
        assert isinstance(updated, cst.Comparison)
        item, container = operand_nodes(updated)
        found = build.call(f"{context.rt}.op_contains", container, item)
        if isinstance(updated.comparisons[0].operator, cst.In):
            return found
        return cst.UnaryOperation(cst.Not(), found, lpar=updated.lpar, rpar=updated.rpar)

    context.edits.replace[id(event.node)] = change


#: Builtins that are operators, and how many operands they then have.
_BUILTINS = {"abs": 1, "divmod": 2, "pow": 2}

_SIGNS = {
    "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "eq": "==", "ne": "!=", "lshift": "<<", "rshift": ">>",
    "add": "+", "sub": "-", "mul": "*", "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lt": "<", "le": "<=",
    "gt": ">", "ge": ">=", "neg": "-", "invert": "~", "pos": "+", "abs": "abs",
}  # fmt: skip
