"""Operands that belong to Python or to the program: what is beside them must be as NumPy has it."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.comprehensions import Comprehensions
from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import from_host
from np2tnp.analysis.domain.untensored import TO_NUMBERS, calculated, is_to_numbers
from np2tnp.analysis.domain.values import (
    HOST,
    SUBCLASS,
    UNTENSORED,
    Instance,
    Unknown,
    Value,
    home_of,
    may_hold_tensor,
    refs_of,
)
from np2tnp.analysis.module.subclasses import UNMASKING_METHODS, may_mask


class Operands(Comprehensions):
    """Converts what stands beside objects, and beside what may be a container."""

    def beside_unknown(self, node: cst.BinaryOperation, operands: list[Value]) -> list[Value]:
        """The operands with ndarrays in a container beside what lives on the host: a list of NumPy's world, perhaps."""
        if any(home_of(value) != HOST for value in operands):
            return operands
        for operand, value in zip((node.left, node.right), operands, strict=True):
            self.escape(operand, value, "is an operand beside what may be a container")
        return [from_host(value) for value in operands]

    def is_numpys(
        self, node: cst.BaseExpression, operands: list[Value], parts: tuple[cst.BaseExpression, ...] = ()
    ) -> bool:
        """Whether an operator works on an array that no tensor can stand for: all operands are NumPy's then."""
        for value in operands:  # most have no references
            if value.refs and UNTENSORED in value.refs:
                break
        else:
            return False
        if not parts:
            parts = (node.left, node.right) if type(node) is cst.BinaryOperation else ()
            parts = (node.expression,) if type(node) is cst.UnaryOperation else parts
        for operand, value in zip(parts, operands, strict=False):
            self.escape(operand, value, "is an operand beside an array that stays NumPy's")
        return True

    def beside_object(self, node: cst.CSTNode, op: str, operands: list[tuple[cst.BaseExpression, Value]]) -> None:
        """An operator of an object of the program's own: its method gets the other operand as NumPy has it."""
        self.facts.extra.setdefault("object operators", set()).add(op)
        for index, (_, value) in enumerate(operands):
            if isinstance(value, Instance) and any(may_hold_tensor(other) for _, other in operands):
                for prefix in ("", "r") if index else ("",):
                    self.object_method(node, value, f"__{prefix}{op.rstrip('_')}__")
        for operand, value in operands:
            self.escape(operand, value, "is an operand beside an object")

    def object_method(self, node: cst.CSTNode, value: Instance, name: str, keeps: bool = False) -> None:
        """Python calls the method `name` with an array, which it may read (and keep, where `keeps`)."""
        method = self.method_of(value, name)
        summary = self.services.summary(method[0]) if method is not None else None
        if method is None or (
            summary is not None
            and not (summary.mutates or (summary.changeable and not keeps) or (summary.keeps and not keeps))
            and not any(ref.startswith("@") for ref in refs_of(summary.result))
        ):
            return
        self.construct(node, "object operator", name)

    def calculated(
        self, node: cst.Call, api: str | None, arguments: tuple[ev.Argument, ...], given: Value, result: Value
    ) -> Value:
        """The result of a call that gets an array which stays NumPy's: of numbers, if that is asked for."""
        name = node.func.attr.value if type(node.func) is cst.Attribute else ""
        if SUBCLASS in given.refs and (name in UNMASKING_METHODS or may_mask(api or "")):
            return result if api else Unknown(HOST, refs_of(given) - {SUBCLASS, UNTENSORED}, view="view")
        if SUBCLASS not in given.refs and name in TO_NUMBERS and is_to_numbers(arguments, name == "astype"):
            return result
        return calculated(result, refs_of(given), HOST if api is not None else "")
