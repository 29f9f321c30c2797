"""Calls with ``out=`` built anew: ``np.f(x, out=y)`` becomes ``rt.assign(y, rt.f(x), casting=...)``."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build

#: What raises for some values: NumPy does not look at those where ``where`` is false.
_RAISING = frozenset(("power",))


def _is_plain(node: cst.BaseExpression) -> bool:
    """Whether evaluating `node` twice does no more than doing it once."""
    return not any(isinstance(part, (cst.Call, cst.NamedExpr, cst.Await, cst.Yield)) for part in walk(node))


@dataclass(frozen=True, slots=True)
class OutputForm:
    """How one call is built anew."""

    helper: str
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
            elif index == self.where and self.helper in _RAISING and _is_plain(argument.value):
                arguments.append(argument.deep_clone())
        if self.is_method:
            arguments.insert(0, build.argument(cst.ensure_type(call.func, cst.Attribute).value))
        if arguments:
            arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        computed = build.call(f"{rt}.{self.helper}", *arguments)
        extra = [build.argument(build.string(self.casting), "casting")]
        if self.where is not None:
            extra.append(call.args[self.where].with_changes(comma=cst.MaybeSentinel.DEFAULT))
        return build.call(f"{rt}.assign", build.argument(base), build.argument(computed), *extra)
