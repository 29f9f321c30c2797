"""Names that a loop alone uses, and that no iteration takes over from the one before."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.liveness import live_at_loop, parameters, reads
from np2tnp.analysis.own_scope import OwnScope


class DeadNames:
    """The dead names of the loops of one function: what they held may be forgotten where an iteration ends.

    Parameters are none, nor names that stand outside of the loop, too, or in a scope within, which may run at any time.
    """

    def __init__(self, function: cst.FunctionDef) -> None:
        self._scope = OwnScope((function.body,))
        self._seen = self._scope.inner.union(parameter.name.value for parameter in parameters(function.params))
        self._of: dict[int, frozenset[str]] = {}

    def at_head(self, loop: cst.For | cst.While) -> frozenset[str]:
        """Those that an iteration of `loop` assigns before it reads them, if it does."""
        known = self._of.get(id(loop))
        if known is None:
            scope = OwnScope((loop,))
            own = (name for name in scope.bound if name in scope.uses and name not in self._seen)
            alone = frozenset(name for name in own if len(scope.uses[name]) == len(self._scope.uses.get(name, ())))
            known = self._of[id(loop)] = alone - self._needed(loop) if alone else alone
        return known

    def _needed(self, loop: cst.For | cst.While) -> frozenset[str]:
        """What an iteration needs of those before; a loop around this one evaluates again what this one is over."""
        live = live_at_loop(loop, frozenset())
        return live | reads(loop.iter) if type(loop) is cst.For else live


def dead_at_head(region: cst.CSTNode, loop: cst.For | cst.While, known: dict[int, DeadNames]) -> frozenset[str]:
    """The dead names of `loop` in `region`; `known` is where what was found of a function is kept."""
    if type(region) is not cst.FunctionDef:
        return frozenset()  # others may read what the top level of a module binds
    if id(region) not in known:
        known[id(region)] = DeadNames(region)
    return known[id(region)].at_head(loop)
