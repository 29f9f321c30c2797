"""Whether a call can move to a statement before the one that it stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst

from np2tnp.analysis.syntax.walk import walk

Moves = Callable[[cst.Call], bool]


def comes_first(call: cst.Call, statement: cst.CSTNode | None, moves: Moves) -> bool:
    """Whether `call` runs whenever `statement` does, and nothing is computed before it.

    Names may be read before: they hold the same object afterwards. moves: of other calls, whether they move as well.
    """
    if isinstance(statement, cst.AugAssign) and not isinstance(statement.target, cst.Name):
        return False
    if not isinstance(statement, (cst.Expr, cst.Assign, cst.AugAssign, cst.Return)) or statement.value is None:
        return False
    return _reaches(statement.value, call, moves) is True


def _reaches(node: cst.CSTNode, call: cst.Call, moves: Moves) -> bool | None:
    """True: `node` contains `call`, which can move. None: it does not, and computes nothing. False: neither."""
    if node is call:
        return True
    if isinstance(node, (cst.Name, cst.BaseNumber, cst.SimpleString)):
        return None
    if isinstance(node, cst.Call) and moves(node):
        return None
    parts: Iterable[cst.CSTNode]
    if isinstance(node, (cst.Tuple, cst.List)):
        starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
        found = _first([element.value for element in node.elements], call, moves)
        return False if starred else found  # *x runs through x
    if isinstance(node, cst.Call):
        if any(argument.star for argument in node.args):
            return False
        callee = node.func.value if isinstance(node.func, cst.Attribute) else node.func
        parts = (callee, *(argument.value for argument in node.args))
    elif isinstance(node, cst.BinaryOperation):
        parts = (node.left, node.right)
    elif isinstance(node, cst.UnaryOperation):
        parts = (node.expression,)
    elif isinstance(node, cst.Comparison):  # what follows the first two may not be evaluated
        parts = (node.left, node.comparisons[0].comparator)
    elif isinstance(node, cst.IfExp):
        parts = (node.test,)
    elif isinstance(node, cst.BooleanOperation):
        parts = (node.left,)
    elif isinstance(node, cst.Subscript):
        parts = (node.value, *(e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)))
    elif isinstance(node, cst.FormattedString):
        shown = (part for part in node.parts if isinstance(part, cst.FormattedStringExpression))
        parts = [part.expression for part in shown][:1]
    elif isinstance(node, cst.Attribute):
        parts = (node.value,)
    else:
        parts = ()
    return _first(parts, call, moves) is True


def _first(parts: Iterable[cst.CSTNode], call: cst.Call, moves: Moves) -> bool | None:
    """The first answer of `parts` that is one."""
    for part in parts:
        found = _reaches(part, call, moves)
        if found is not None:
            return found
    return None


def around(call: cst.Call, statement: cst.CSTNode) -> Iterable[cst.Call]:
    """The calls in `statement` that `call` is an argument or the receiver of, however deep."""
    calls = (node for node in walk(statement) if isinstance(node, cst.Call) and node is not call)
    return (node for node in calls if any(part is call for part in walk(node)))
