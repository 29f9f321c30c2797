"""Loops that return: the ``return`` becomes a ``break``, and what it returned is computed after the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build


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


class _Breaks(cst.CSTTransformer):
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
