"""What generators hand out: their callers may keep and change it, and whatever they passed, until they ask again."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.result_aliases import outside_views, shown_by
from np2tnp.analysis.domain.values import (
    NONE,
    SUBCLASS,
    UNKNOWN,
    Sequence,
    Value,
    is_lazy,
    is_outside_location,
    refs_of,
)
from np2tnp.analysis.evaluate import METHODS
from np2tnp.analysis.module.contents import FunctionInfo
from np2tnp.analysis.syntax.scopes import parameters_of
from np2tnp.analysis.writes import Writes

#: Who holds the arguments of a generator, and what it hands out.
CALLER = frozenset(("kept by the caller",))


def arguments_of(function: FunctionInfo) -> frozenset[str]:
    """Parameters of a generator that its caller may change at any time."""
    names = [parameter.name.value for parameter in parameters_of(function.node.params)]
    return frozenset(names[1:] if function.is_method else names)


class Yields(Writes):
    """Evaluates ``yield``."""

    own_returns = True  #: not inside of a nested function
    nested_yields: list[Value]  #: of the nested function that is being interpreted

    def keep_arguments(self, names: frozenset[str], env: Env) -> None:
        """Callers of a generator have its arguments while it waits."""
        for name in names:
            env.link(min(CALLER), frozenset((name, f"@{name}")))

    def _yield(self, node: cst.Yield, env: Env) -> Value:
        delegates = isinstance(node.value, cst.From)
        shown = node.value.item if isinstance(node.value, cst.From) else node.value
        value = self.evaluate(shown, env) if shown is not None else None
        if value is not None:
            outside = (ref for ref in refs_of(value) if is_outside_location(ref))
            self.facts.extra.setdefault("yielded", set()).update(outside)
            if SUBCLASS in refs_of(value):
                self.construct(shown or node, "subclass operand")
        if self.depth:
            self.nested_yields.append(NONE if value is None else value)
        alone = node is self.root and isinstance(self.statement, cst.Expr)
        if not alone:
            self.facts.extra["receives"] = True  # what its caller sends in
        own = self.facts.generator and self.own_returns and not self.depth and alone
        self.construct(node, "yield", "" if own else "elsewhere")
        if own:
            if shown is not None and value is not None:
                if delegates and is_lazy(value):
                    self.construct(node, "iterator handed out")
                self._hand_out(shown, value, env)
            self._kept_may_change(node, "the caller", env)
        return UNKNOWN

    def _hand_out(self, shown: cst.BaseExpression, value: Value, env: Env) -> None:
        items = value.items if isinstance(value, Sequence) and isinstance(shown, cst.Tuple) else None
        if items is not None and isinstance(shown, cst.Tuple) and len(items) == len(shown.elements):
            for element, item in zip(shown.elements, items, strict=True):
                self._hand_out(element.value, item, env)
            self.keep(CALLER, value, env)
            return
        if is_lazy(value):
            self.construct(shown, "iterator handed out")
        shows = outside_views(shown_by(value, env), self.hosted)
        others = frozenset(location for location in shows if location.startswith("seen by"))
        if others:  # callees may change it, and the caller what they hold: NumPy must make it
            self.facts.viewed |= others
            self.construct(shown, "returned view", min(others))
        self.escape(shown, value, "is yielded")
        self._copy_may_change(shown, "the caller", ev.Argument(cst.Arg(shown), value))
        self.keep(CALLER, value, env)


METHODS[cst.Yield] = Yields._yield
