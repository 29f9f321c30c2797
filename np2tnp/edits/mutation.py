"""Edits of stores: an in-place update of an array becomes the rebinding of a name to an updated array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.edits.targets import UFUNC_OF_OPERATOR


class NotStorable(Exception):  # noqa: N818 # a fact about the target, not a failure
    """A store target that no rebinding of a name can stand for; the message says why."""


def rebind(
    target: cst.BaseExpression, value: Callable[[cst.BaseExpression], cst.BaseExpression], rt: str, tnp: str
) -> cst.Assign:
    """``name = ...`` such that what `target` denotes becomes ``value(target)``.

    ``x[i]`` gives ``x = rt.at(x)[i].set(value)``; chains of basic indices and ``.T`` work from the inside out.
    """
    if isinstance(target, cst.Name) or is_attribute(target):
        return build.assign(target, value(target))
    if isinstance(target, cst.Subscript):
        new = value(target)
        return rebind(target.value, lambda base: build.at(rt, base, target.slice, "set", new), rt, tnp)
    if isinstance(target, cst.Attribute) and target.attr.value == "T":
        new = value(target)
        return rebind(target.value, lambda base: build.call(f"{tnp}.transpose", new), rt, tnp)
    if isinstance(target, cst.Attribute) and target.attr.value == "flat":
        new = value(build.call(f"{rt}.ravel", target.value))
        return rebind(
            target.value, lambda base: build.call(f"{rt}.reshape", new, build.call(f"{rt}.shape", base)), rt, tnp
        )
    raise NotStorable("only names, their elements and their transposes can be rebound")


def store(
    target: cst.BaseExpression, value: cst.BaseExpression, op: str, rt: str, tnp: str, joins: bool = False
) -> cst.Assign:
    """The statement for ``target = value`` (`op` empty) or ``target op= value``.

    joins: whether a list that `target` may be is known to take the items of `value`.
    """
    if isinstance(target, cst.Subscript):
        method = UFUNC_OF_OPERATOR[op] if op else "set"
        if isinstance(target.value, cst.Attribute) and target.value.attr.value == "flat":
            flat = build.call(f"{rt}.ravel", target.value.value)
            new = build.at(rt, flat, target.slice, method, value)
            shape = build.call(f"{rt}.shape", target.value.value)
            return rebind(target.value.value, lambda base: build.call(f"{rt}.reshape", new, shape), rt, tnp)
        return rebind(target.value, lambda base: build.at(rt, base, target.slice, method, value), rt, tnp)
    if op and (isinstance(target, cst.Name) or is_attribute(target)):
        more = [build.argument(cst.Name("True"), "joins")] if joins else []
        return build.assign(target, build.call(f"{rt}.i{op.rstrip('_')}", target, value, *more))
    raise NotStorable("this target cannot be updated")


def is_attribute(target: cst.BaseExpression) -> bool:
    """Whether `target` is an attribute of a named object, which can be assigned to instead."""
    return isinstance(target, cst.Attribute) and target.attr.value not in ("T", "flat")


def is_storable(target: cst.BaseExpression) -> bool:
    """Whether :func:`rebind` knows how to store through `target`."""
    while True:
        if isinstance(target, cst.Name):
            return True
        if isinstance(target, cst.Subscript) or (
            isinstance(target, cst.Attribute) and target.attr.value in ("T", "flat")
        ):
            target = target.value
        else:
            return False


# --- Calls with ``out=`` built anew: ``np.f(x, out=y)`` becomes ``rt.assign(y, rt.f(x), casting=...)``

#: What raises for some values: NumPy does not look at those where ``where`` is false.
RAISING = frozenset(("power",))


def _is_plain(node: cst.BaseExpression) -> bool:
    """Whether evaluating `node` twice does no more than doing it once."""
    return not any(isinstance(part, (cst.Call, cst.NamedExpr, cst.Await, cst.Yield)) for part in walk(node))


@dataclass(frozen=True, slots=True)
class OutputForm:
    """How one call is built anew."""

    helper: str  #: the function that computes, with its module: ``tnp.exp``, ``rt.linalg.norm``
    casting: str
    out: int  #: index of the argument ``out``
    where: int | None  #: of the argument ``where``
    keeps_place: bool  #: whether positional arguments follow ``out``
    is_method: bool

    def build(self, call: cst.Call, base: cst.BaseExpression, rt: str) -> cst.Call:
        """``rt.assign(base, rt.helper(...), casting=...)``."""
        arguments = []
        for index, argument in enumerate(call.args):
            if index == self.out and self.keeps_place:
                arguments.append(argument.with_changes(value=cst.Name("None")))
            elif index not in (self.out, self.where):
                arguments.append(argument)
            elif index == self.where and self.helper.rpartition(".")[2] in RAISING and _is_plain(argument.value):
                arguments.append(argument.deep_clone())
        if self.is_method:
            arguments.insert(0, build.argument(cst.ensure_type(call.func, cst.Attribute).value))
        if arguments:
            arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        computed = build.call(self.helper, *arguments)
        extra = [build.argument(build.string(self.casting), "casting")]
        if self.where is not None:
            extra.append(call.args[self.where].with_changes(comma=cst.MaybeSentinel.DEFAULT))
        return build.call(f"{rt}.assign", build.argument(base), build.argument(computed), *extra)
