"""Loop bodies without ``break`` and ``continue``: what follows them moves into the other branch of their ``if``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build

Truth = Callable[[cst.BaseExpression], cst.BaseExpression]


def lines(body: cst.BaseSuite) -> list[cst.BaseStatement]:
    """The statements of a block, also of one on the line of its head."""
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)
    assert isinstance(body, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine([_plain(part)]) for part in body.body]


def leaves(statements: Sequence[cst.CSTNode]) -> bool:
    """Whether a ``break`` or ``continue`` in `statements` belongs to the loop around them."""
    return any(_leaves(statement) for statement in statements)


def _leaves(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.Break, cst.Continue)):
        return True
    if isinstance(node, (cst.For, cst.While)):
        parts = walk(node.orelse) if node.orelse is not None else ()
        return any(isinstance(part, (cst.Break, cst.Continue)) for part in parts)
    if isinstance(node, cst.SimpleStatementLine):
        return leaves(node.body)
    if isinstance(node, cst.If):
        return leaves(node.body.body) or (node.orelse is not None and _leaves(node.orelse))
    if isinstance(node, cst.Else):
        return leaves(node.body.body)
    return False


def without_leaving(
    statements: Sequence[cst.BaseStatement], stop: str, truth: Truth, within: bool = False
) -> list[cst.BaseStatement] | None:
    """The body of a loop with `stop` bound at its end to whether the loop is left there.

    `truth` makes a condition into an expression that can be kept in a name, which is not done in a branch (`within`):
    the other one may give Python's True or False. None where a ``break`` or ``continue`` stands anywhere but in
    branches of ``if``.
    """
    result: list[cst.BaseStatement] = []
    for number, statement in enumerate(statements):
        if not _leaves(statement):
            result.append(statement)
            continue
        rest = list(statements[number + 1 :])
        if isinstance(statement, cst.SimpleStatementLine):  # what follows is never reached
            *before, last = statement.body
            if not isinstance(last, (cst.Break, cst.Continue)) or leaves(before):
                return None
            if before:
                result.append(statement.with_changes(body=[_plain(part) for part in before]))
            result.append(_set(stop, isinstance(last, cst.Break)))
            return result
        if not isinstance(statement, cst.If):
            return None
        changed = _branches(statement, rest, stop, truth, within)
        if changed is None:
            return None
        return [*result, changed]
    return [*result, _set(stop, False)]


def _branches(
    node: cst.If, rest: list[cst.BaseStatement], stop: str, truth: Truth, within: bool
) -> cst.BaseStatement | None:
    """An ``if`` that may leave the loop, with the statements after it in those branches that do not."""
    orelse = node.orelse
    other: list[cst.BaseStatement] = []
    if isinstance(orelse, cst.Else):
        other = lines(orelse.body)
    elif orelse is not None:
        other = [orelse]
    then = without_leaving([*lines(node.body), *rest], stop, truth, True)
    otherwise = without_leaving([*other, *rest], stop, truth, True)
    if then is None or otherwise is None:
        return None
    values = [_value(part, stop) for part in (*then, *otherwise)]
    if not within and values == [True, False]:  # ``if test: break`` at the end
        return cst.SimpleStatementLine([build.assign(cst.Name(stop), build.bare(truth(node.test)))], node.leading_lines)
    return node.with_changes(body=cst.IndentedBlock(then), orelse=cst.Else(cst.IndentedBlock(otherwise)))


def _plain(statement: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
    return statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)


def _set(stop: str, value: bool) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([build.assign(cst.Name(stop), cst.Name(str(value)))])


def _value(statement: cst.BaseStatement, stop: str) -> bool | None:
    """True or False where `statement` is ``stop = True`` or ``stop = False``."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        only = statement.body[0]
        if isinstance(only, cst.Assign) and isinstance(only.value, cst.Name):
            target = only.targets[0].target
            if isinstance(target, cst.Name) and target.value == stop and only.value.value in ("True", "False"):
                return only.value.value == "True"
    return None
