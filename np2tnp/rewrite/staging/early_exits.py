"""Loops that are left early: ``break``, ``continue`` and ``return`` become conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.edits import build

# --- Loop bodies without ``break`` and ``continue``: what follows them moves into the other branch of their ``if``

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


# --- Loops that return: the ``return`` becomes a ``break``, and what it returned is computed after the loop


@dataclass(frozen=True, slots=True)
class Returning:
    """A loop without its ``return``, and the statement that takes the place of that and of the statements after it."""

    loop: cst.For | cst.While
    after: cst.SimpleStatementLine
    flag: str | None  #: the name that says whether the loop returned; None where it always does


def without_return(
    loop: cst.For | cst.While, rest: Sequence[cst.BaseStatement], runtime: str, flag: str
) -> Returning | None:
    """The loop with a ``break`` for its one ``return``. `rest`: the statements after it in its block.

    None where there is none, or more than one, or one in another loop inside, or where `rest` is not one ``return``.
    """
    found = [part for part in walk(loop.body) if isinstance(part, cst.Return)]
    inner = [part for part in walk(loop.body) if isinstance(part, (cst.For, cst.While, cst.FunctionDef, cst.Lambda))]
    if len(found) != 1 or found[0].value is None or loop.orelse is not None or any(found[0] in walk(p) for p in inner):
        return None
    endless = isinstance(loop, cst.While) and isinstance(loop.test, cst.Name) and loop.test.value == "True"
    always = endless and not _breaks(loop)
    other = _only_return(rest)
    if not always and other is None:
        return None
    changed = loop.visit(_Breaks(None if always else flag))
    assert isinstance(changed, (cst.For, cst.While))
    if always:
        return Returning(changed, cst.SimpleStatementLine([found[0]]), None)
    assert other is not None
    value = _chosen(flag, found[0].value, other, runtime)
    return None if value is None else Returning(changed, cst.SimpleStatementLine([cst.Return(value)]), flag)


def _breaks(loop: cst.For | cst.While) -> bool:
    return any(isinstance(part, cst.Break) for part in walk(loop.body))


def _only_return(rest: Sequence[cst.BaseStatement]) -> cst.BaseExpression | None:
    """What `rest` returns, where that is all it does."""
    if len(rest) != 1 or not isinstance(rest[0], cst.SimpleStatementLine) or len(rest[0].body) != 1:
        return None
    only = rest[0].body[0]
    return only.value if isinstance(only, cst.Return) else None


def _chosen(
    flag: str, returned: cst.BaseExpression, other: cst.BaseExpression, runtime: str
) -> cst.BaseExpression | None:
    """One of two results, by a flag that may be a symbol; arguments that are handed back are the same for both."""
    one, two = _updated(returned, runtime), _updated(other, runtime)
    if (one is None) != (two is None):
        return None
    if one is not None and two is not None:
        if [_code(arg) for arg in one.args[1:]] != [_code(arg) for arg in two.args[1:]]:
            return None
        value = _chosen(flag, one.args[0].value, two.args[0].value, runtime)
        return None if value is None else one.with_changes(args=[one.args[0].with_changes(value=value), *one.args[1:]])
    results = [build.argument(_lambda(value)) for value in (returned, other)]
    return build.call(f"{runtime}.cond", build.argument(cst.Name(flag)), *results, build.argument(cst.Name("None")))


def _lambda(value: cst.BaseExpression) -> cst.Lambda:
    return cst.Lambda(cst.Parameters([cst.Param(cst.Name("_"))]), build.bare(value))


def _updated(value: cst.BaseExpression, runtime: str) -> cst.Call | None:
    """`value` where it is ``rt.updated(...)`` of names."""
    if not isinstance(value, cst.Call) or _code(value.func) != f"{runtime}.updated":
        return None
    return value


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


class _Breaks(Transformer):
    """Puts ``flag = True; break`` for ``return``."""

    def __init__(self, flag: str | None) -> None:
        super().__init__()
        self.flag = flag

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802 - the name is libcst's
        return False

    def leave_Return(  # noqa: N802
        self, original_node: cst.Return, updated_node: cst.Return
    ) -> cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]:
        leave = cst.Break()
        if self.flag is None:
            return leave
        return cst.FlattenSentinel([build.assign(cst.Name(self.flag), cst.Name("True")), leave])
