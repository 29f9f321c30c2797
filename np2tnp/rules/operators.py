"""Operators, indexing and attributes of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import (
    EITHER,
    HOST,
    TENSOR,
    Array,
    Const,
    Sequence,
    Unknown,
    Value,
    home_of,
    is_python_number,
    may_hold_tensor,
    scalar_type,
)
from np2tnp.edits import build
from np2tnp.edits.calls import needs_tensor
from np2tnp.edits.targets import operator_differs
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register


@register
class OperatorDiffers(Rule):
    code = "TNP006"
    name = "operator-differs"
    summary = "An operator that tensors compute differently from ndarrays"
    why = "`0.5 // 0.1` is 4 in NumPy and 5 in tnp; small integers divide to float32; `==` of shapes that do not broadcast is False."
    does = "Calls the exact operator of the runtime, which leaves Python numbers to Python."
    bad = "y = a // b"
    good = "y = rt.op_floordiv(a, b)"
    on = (ev.Operator,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Operator)
        if not context.in_region:
            return
        if not any(
            home_of(value) != HOST for value in (*event.operands, event.result) if isinstance(value, (Array, Unknown))
        ):
            return
        nodes = _operand_nodes(event.node)
        counted = any(isinstance(value, Array) for value in event.operands)
        if counted:
            context.edits.total += 1
            context.edits.converted += 1
        chained = event.op.startswith("chained ")
        if not chained and operator_differs(context.catalog, event.op, event.operands):
            op = event.op.rstrip("_")

            def change(updated: cst.BaseExpression) -> cst.BaseExpression:
                return build.call(f"{context.rt}.op_{op}", *_operand_nodes(updated))

            context.edits.replace[id(event.node)] = change
            context.edits.needs.add("rt")
            if counted:
                yield self.hit(
                    event.node,
                    f"`{_SIGNS.get(event.op, event.op)}` may differ between tensors and ndarrays here; the exact operator is used",
                    Verdict.ADAPT,
                )
            return
        if (
            home_of(event.result) != HOST
            and not chained
            and not any(home_of(value) == TENSOR for value in event.operands)
        ):
            for node, value in zip(nodes, event.operands, strict=False):
                if isinstance(value, Array) and needs_tensor(value):
                    context.edits.wrap_tensor(node)
                    break


_SIGNS = {"truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "eq": "==", "ne": "!=", "lshift": "<<", "rshift": ">>", "add": "+",
          "sub": "-", "mul": "*", "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
          "neg": "-", "invert": "~", "pos": "+", "abs": "abs"}  # fmt: skip


def _operand_nodes(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return [node.left, node.comparisons[0].comparator]
    return []


@register
class IndexForm(Rule):
    code = "TNP007"
    name = "index-form"
    summary = "An index form that tensors read differently"
    why = "`t[0, :, [1, 3]]` has another shape, out-of-range indices give zeros on a GPU, empty lists and boolean scalars raise."
    does = "Reads through rt.at(x)[index].get(), which is NumPy's own indexing."
    bad = "y = x[order]"
    good = "y = rt.at(x)[order].get()"
    on = (ev.Read,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Read)
        if not context.in_region:
            return
        base = event.base
        if home_of(base) == HOST and not isinstance(base, Sequence):
            for element in event.node.slice:
                yield from _host_key(element, event.keys, context)
            return
        if not isinstance(base, (Array, Unknown)) or _is_plain(event.keys):
            return

        def change(updated: cst.Subscript) -> cst.BaseExpression:
            return build.at(context.rt, updated.value, updated.slice, "get")

        context.edits.replace[id(event.node)] = change
        context.edits.needs.add("rt")
        if isinstance(base, Array):
            yield self.hit(
                event.node, "this index form is read through the exact indexing of the runtime", Verdict.ADAPT
            )


def _host_key(element: cst.SubscriptElement, keys: tuple[Value, ...], context: Context) -> Iterator[Hit]:
    if isinstance(element.slice, cst.Index) and any(may_hold_tensor(key) for key in keys):
        context.edits.wrap_host(element.slice.value)
    return iter(())


def _is_plain(keys: tuple[Value, ...]) -> bool:
    """Whether tensors take the index as ndarrays do: ints, slices, None, Ellipsis."""
    for key in keys:
        if isinstance(key, Const) and (key.value is None or key.value is Ellipsis or key.type == "int"):
            continue
        if scalar_type(key) in ("slice", "int"):
            continue
        return False
    return True


@register
class ArrayAttribute(Rule):
    code = "TNP008"
    name = "array-attribute"
    summary = "An attribute of arrays that tensors lack or answer differently"
    why = "Tensors have no .size of Python's, their .dtype is not a NumPy dtype, and 53 members are missing."
    does = "Asks the runtime: rt.size(x), rt.dtype(x), rt.shape(x)."
    bad = "n = x.size"
    good = "n = rt.size(x)"
    on = (ev.AttributeRead,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.AttributeRead)
        if not context.in_region:
            return
        base, name = event.base, event.name
        if home_of(base) == HOST:
            if (
                isinstance(base, Array)
                and name in ("T", "mT", "real", "imag", "flat")
                and home_of(event.result) != HOST
            ):
                context.edits.wrap_tensor(event.node.value)
                self._function(event, context)
            return
        if isinstance(base, Unknown):
            if name in ("T", "mT", "real", "imag", "shape", "ndim", "size", "dtype", "nbytes", "itemsize", "flat"):
                self._maybe(event, context)
            return
        if name in ("flags", "strides", "ctypes", "base", "data", "device"):
            yield Hit(
                "TNP204",
                event.node,
                f".{name} shows the memory of an ndarray; a tensor has none to show",
                Verdict.BLOCK,
            )
            return
        if name == "ndim" or name == "shape" and _shape_may_stay(event, context):
            return
        self._function(event, context)

    def _maybe(self, event: ev.AttributeRead, context: Context) -> None:
        """The object may be a tensor or anything else: the runtime looks."""

        def change(updated: cst.Attribute) -> cst.BaseExpression:
            return build.call(
                f"{context.rt}.get_attribute", build.argument(updated.value), build.argument(build.string(event.name))
            )

        context.edits.replace[id(event.node)] = change
        context.edits.needs.add("rt")

    def _function(self, event: ev.AttributeRead, context: Context) -> None:
        function = {"T": f"{context.tnp}.transpose", "real": f"{context.rt}.real", "imag": f"{context.rt}.imag",
                    "mT": f"{context.rt}.matrix_transpose"}.get(event.name, f"{context.rt}.{event.name}")  # fmt: skip
        if event.name == "T" and not isinstance(event.result, Array):
            return

        def change(updated: cst.Attribute) -> cst.BaseExpression:
            return build.call(function, updated.value)

        context.edits.replace[id(event.node)] = change
        context.edits.needs.add("tnp" if event.name == "T" else "rt")


def _shape_may_stay(event: ev.AttributeRead, context: Context) -> bool:
    """``n, m = x.shape`` and ``x.shape[0]`` work on a tensor's shape as well."""
    if id(event.node) in context.facts.extra.get("plain shapes", ()):
        return True
    statement = event.place.statement
    if (
        isinstance(statement, cst.Assign)
        and event.place.root
        and isinstance(statement.targets[0].target, (cst.Tuple, cst.List))
    ):
        return True
    return False


__all__ = ["EITHER", "TENSOR", "ArrayAttribute", "IndexForm", "OperatorDiffers", "is_python_number"]
