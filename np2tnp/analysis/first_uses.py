"""Whether the next thing that happens to a name is a use of it, so that an error there is one where it is bound."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import libcst as cst

from np2tnp.analysis.own_scope import SCOPES, OwnScope, Use
from np2tnp.analysis.walk import PARTS


def is_met(uses: list[Use], later: Sequence[Any], scan: OwnScope, modules: frozenset[str]) -> bool:
    """Whether one of `uses` is evaluated in any case, before anything that others, or a handler, could notice."""
    wanted = {id(use.node) for use in uses}
    for node in chain.from_iterable(line.body if type(line) is cst.SimpleStatementLine else (line,) for line in later):
        kind = type(node)
        head = "iter" if kind is cst.For else "test" if kind in (cst.While, cst.If) else ""
        parts = _certain_parts(getattr(node, head) if head else node)
        if not isinstance(node, cst.BaseSmallStatement) and not head:
            return False
        if any(type(part) is cst.Call and module_called(part) not in modules for part in parts):
            return False
        if any(id(part) in wanted for part in parts):
            return True
        if kind is not cst.Assign or any(type(item.target) is not cst.Name for item in node.targets):
            return False
        if any(type(other) in (cst.Try, cst.TryStar) for other in scan.nodes):
            return False
    return False


def _certain_parts(root: Any) -> list[Any]:
    """The nodes below `root` that are evaluated wherever it is."""
    found: list[Any] = []
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in SCOPES or kind is cst.Assert:
            continue
        found.append(node)
        if kind is cst.IfExp:
            stack.append(node.test)
        elif kind is cst.BooleanOperation:
            stack.append(node.left)
        elif kind is cst.Comparison:  # of several, one that does not hold is the last
            stack += [node.left, node.comparisons[0].comparator]
        else:
            stack.extend(PARTS[kind](node))
    return found


def module_called(node: Any) -> str:
    """``np`` of ``np.f(...)``; empty for anything else."""
    called = node.func if type(node) is cst.Call else None
    if type(called) is cst.Attribute and type(called.value) is cst.Name:
        return str(called.value.value)
    return ""
