"""Whether code that is not in sight runs while a part of a function does: it might change what objects hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Const, Function, Scalar, Sequence, Symbol, Value
from np2tnp.analysis.syntax.python_tables import IN_PLACE_METHODS, MEMBERS
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

#: Builtins that only look at what they get, and those that may give it back.
LOOKING = frozenset(f"builtins.{name}" for name in "len float int bool complex print repr str format abs".split())
_CHOOSING = frozenset(
    f"builtins.{name}" for name in "range round min max sum isinstance type slice zip enumerate".split()
)
#: Functions of NumPy's that call others.
CALLING = frozenset(
    f"numpy.{name}"
    for name in "apply_along_axis apply_over_axes piecewise vectorize frompyfunc fromfunction fromiter select".split()
)
#: Special methods that run when an object is made, and no other time.
_MAKING = frozenset(("__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__del__"))
#: ... and those that only tell of an object.
_SHOWING = frozenset(("__repr__", "__str__", "__format__"))
_STOPS = frozenset((cst.Await, cst.Yield, cst.NamedExpr, cst.With))
_TRUTHS = frozenset((cst.If, cst.While, cst.BooleanOperation, cst.IfExp, cst.Assert))


class OtherCode:
    """Asks the events of an interpreter's look at a function.

    `lifts`: whether it also counts where a method is called that only reads its object: it may put tensors there.
    """

    def __init__(self, look: Any, lifts: bool = False) -> None:
        self.look = look
        #: what classes of the module do where syntax asks them: such an object may be anything that is not known
        self.special: set[str] = set()
        self.properties: set[str] = set()
        for info in look.module.functions.values():
            name = info.qualname.rpartition(".")[2].partition("#")[0]
            if info.owner is None or name in _MAKING:
                continue
            does = _may_change(info.node, look.module.has_method)
            if name.startswith("__") and (does or lifts):
                self.special.add(name)
            if info.kind != "method" and does:
                self.properties.add(name)
        self.operators = self.special - _SHOWING - {"__len__", "__bool__", "__getitem__", "__setitem__"}

    def may_run(self, node: Any) -> bool:
        """Whether any runs between the beginning and the end of `node`."""
        return any(map(self._runs, walk(node)))

    def _runs(self, part: Any) -> bool:
        kind = type(part)
        if kind in _STOPS:
            return True
        if kind is cst.Call:
            return self._calls(part)
        if kind is cst.Attribute:
            return part.attr.value in self.properties
        if kind is cst.For or kind is cst.CompFor:
            return not _is_plain_iteration(part.iter, self.look)
        if not self.special:
            return False
        if kind is cst.Subscript:
            read = self._event(ev.Read, part) or self._event(ev.Store, part)
            return bool(self.special & {"__getitem__", "__setitem__"}) and (read is None or not _is_plain(read.base))
        if kind is cst.BinaryOperation or kind is cst.UnaryOperation or kind is cst.Comparison:
            operator = self._event(ev.Operator, part)
            return bool(self.operators) and (operator is None or not all(map(_is_plain, operator.operands)))
        if kind is cst.AugAssign:
            stored = self._event(ev.Store, part.target) or self._event(ev.AttributeStore, part.target)
            known = stored is not None and _is_plain(stored.base) and _is_plain(stored.value)
            return bool(self.operators) and not known
        if kind in _TRUTHS:
            asked = not isinstance(getattr(part, "test", None), cst.Comparison)
            return asked and bool(self.special & {"__bool__", "__len__"})
        return kind is cst.FormattedStringExpression and bool(self.special & _SHOWING)

    def _calls(self, call: Any) -> bool:
        event = self._event(ev.Call, call)
        if event is None:
            return True
        if event.api is not None:
            fact = self.look.catalog.get(event.api)
            if event.api in CALLING or fact is None or fact.mutates:
                return True
            return any(item.name == "out" or item.star for item in event.arguments)
        objects = bool(self.special) and not all(_is_plain(item.value) for item in event.arguments)
        if isinstance(event.callee, Symbol):
            return objects or event.callee.name not in LOOKING | _CHOOSING
        if isinstance(event.callee, Function) and not event.callee.nested:
            summary = self.look.services.summary(event.callee)
            quiet = summary is not None and summary.quiet and not (summary.mutates or summary.changeable)
            return objects or not quiet
        return True

    def _event(self, kind: type, node: Any) -> Any:
        return self.look.recorded.get((kind, id(node)))


def _is_plain(value: Value) -> bool:
    """Whether it is no object of a class of the project."""
    if isinstance(value, Sequence):
        return all(map(_is_plain, value.items)) if value.items is not None else _is_plain(value.element)
    return isinstance(value, (Array, Const, Scalar, Symbol))


def _is_plain_iteration(node: Any, look: Any) -> bool:
    """Whether a loop goes over numbers or an array, which run no code."""
    if type(node) is cst.Call:
        event = look.recorded.get((ev.Call, id(node)))
        callee = event.callee if isinstance(event, ev.Call) else None
        if isinstance(callee, Symbol) and callee.name in ("builtins.zip", "builtins.enumerate"):
            return all(_is_plain(item.value) and not _is_lazy(item.value) for item in event.arguments)
        return (isinstance(callee, Symbol) and callee.name == "builtins.range") or (
            isinstance(event, ev.Call) and event.api is not None and not _is_lazy(event.result)
        )
    return isinstance(node, (cst.Tuple, cst.List))


def _is_lazy(value: Value) -> bool:
    return isinstance(value, Sequence) and value.type in ("iterator", "map", "dict view")


def _may_change(function: cst.FunctionDef, has_method: Callable[[str], bool]) -> bool:
    """Whether a method may change an array, or calls what may; `has_method`: of the module's own methods, by name."""
    for part in walk(function.body):
        kind = type(part)
        if kind in (cst.AugAssign, cst.Del, cst.With, cst.For, cst.Yield, cst.Await):
            return True
        if kind is cst.AssignTarget and type(part.target) is not cst.Name:  # type: ignore[attr-defined]
            return True
        if kind is cst.Call:
            func = part.func  # type: ignore[attr-defined]
            name = func.attr.value if type(func) is cst.Attribute else getattr(func, "value", "")
            if type(func) is cst.Attribute:
                known = name in MEMBERS - IN_PLACE_METHODS and not has_method(name)
            else:
                known = f"builtins.{name}" in LOOKING
            if not known and not dotted(func).startswith(("np.", "numpy.")):
                return True
    return False
