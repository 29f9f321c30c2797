"""Lists that a function makes and only appends to, as ``losses.append(loss)``: staged loops carry them.

What an iteration appends is in the list only when the whole loop is over. So nothing may look at the list in a loop, by
this name or by another one: the name was bound to a list display, and stands nowhere since but before ``.append``.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from np2tnp.analysis.syntax.liveness import NONE, Names, assigned, targets
from np2tnp.analysis.syntax.walk import walk

#: What binds names, but for statements that hold others.
_BINDING = (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.AsName, cst.ImportAlias)


def grown(node: cst.CSTNode) -> Names:
    """The names of what may be lists in statements like ``name.append(value)``, anywhere in `node`."""
    return frozenset(name for part in walk(node) if (name := _appended_to(part)))


def only_grown(node: cst.CSTNode, name: str) -> bool:
    """Whether `name` stands nowhere in `node` but in statements that append to it."""
    parts = list(walk(node))
    uses = sum(isinstance(part, cst.Name) and part.value == name for part in parts)
    return uses == sum(_appended_to(part) == name for part in parts)


def given_back(body: cst.BaseSuite) -> Names:
    """The names of such lists of which nothing but the length and the last item is asked, and which are returned."""
    parts = list(walk(body))
    fine: list[str] = [name for part in parts if (name := _appended_to(part))]
    for part in parts:
        if isinstance(part, cst.Return):
            fine += _returned(part.value)
        elif isinstance(part, cst.Assign):
            fine += _made(part)
        elif isinstance(part, cst.Call) and isinstance(part.func, cst.Attribute) and len(part.args) == 1:
            if part.func.attr.value == "length" and isinstance(part.args[0].value, cst.Name):
                fine.append(part.args[0].value.value)
        elif isinstance(part, cst.Subscript) and isinstance(part.value, cst.Name) and _is_last(part.slice):
            fine.append(part.value.value)
    words = [part.value for part in parts if isinstance(part, cst.Name)]
    return frozenset(name for name in fine if fine.count(name) == words.count(name))


def _returned(value: cst.BaseExpression | None) -> list[str]:
    """The names in `value` that a result has as they are."""
    if isinstance(value, cst.Name):
        return [value.value]
    if isinstance(value, (cst.Tuple, cst.List)):
        return [name for element in value.elements for name in _returned(element.value)]
    if isinstance(value, cst.Dict):
        return [name for element in value.elements for name in _returned(element.value)]
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "updated":
        return _returned(value.args[0].value)
    return []


def _is_last(key: Sequence[cst.SubscriptElement]) -> bool:
    only = key[0].slice if len(key) == 1 else None
    value = only.value if isinstance(only, cst.Index) else None
    return (
        isinstance(value, cst.UnaryOperation)
        and isinstance(value.operator, cst.Minus)
        and isinstance(value.expression, cst.Integer)
        and value.expression.value == "1"
    )


def always_grown(statements: Sequence[cst.BaseStatement], name: str) -> bool:
    """Whether nothing decides about it when statements append to `name`."""
    lines = [part for part in statements if isinstance(part, cst.SimpleStatementLine)]
    found = sum(_appended_to(small) == name for line in lines for small in line.body)
    return found == sum(_appended_to(part) == name for statement in statements for part in walk(statement))


def lists_after(statement: cst.BaseStatement, lists: Names) -> Names:
    """Of `lists` those that are so still after a statement, and those that it makes."""
    left = frozenset(name for name in lists if only_grown(statement, name))
    if not isinstance(statement, cst.SimpleStatementLine):
        return left
    made = NONE
    for small in statement.body:
        made |= _made(small)
    return left | frozenset(name for name in made if _stands_once(statement, name))


def within(loop: cst.BaseStatement, lists: Names) -> Names:
    """Of `lists` those that are so at the begin of each iteration."""
    bound = assigned(loop)
    return frozenset(name for name in lists if name not in bound and only_grown(loop, name))


def made_in(node: cst.CSTNode) -> Names:
    """The names that everything in `node` which binds them binds to lists of their own."""
    parts = list(walk(node))
    made = [name for part in parts if isinstance(part, cst.Assign) for name in _made(part)]
    bound = [name for part in parts if isinstance(part, _BINDING) for name in assigned(part)]
    bound += [name for part in parts if isinstance(part, cst.For) for name in targets(part.target)]
    return frozenset(name for name in made if made.count(name) == bound.count(name))


def is_append(node: cst.CSTNode) -> bool:
    """Whether `node` is a statement ``name.append(value)``."""
    return bool(_appended_to(node))


def _appended_to(node: cst.CSTNode) -> str:
    call = node.value if isinstance(node, cst.Expr) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1 or call.args[0].star or call.args[0].keyword is not None:
        return ""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "append" or not isinstance(func.value, cst.Name):
        return ""
    return func.value.value


def _made(node: cst.BaseSmallStatement) -> Names:
    """The names that an assignment binds to lists of their own."""
    if not isinstance(node, cst.Assign) or len(node.targets) != 1:
        return NONE
    target, value = node.targets[0].target, node.value
    if isinstance(target, cst.Name):
        return frozenset((target.value,)) if isinstance(value, cst.List) else NONE
    if (
        not isinstance(target, cst.Tuple)
        or not isinstance(value, cst.Tuple)
        or len(target.elements) != len(value.elements)
    ):
        return NONE
    pairs = zip(target.elements, value.elements, strict=True)
    return frozenset(
        to.value.value for to, of in pairs if isinstance(to.value, cst.Name) and isinstance(of.value, cst.List)
    )


def _stands_once(node: cst.CSTNode, name: str) -> bool:
    return sum(isinstance(part, cst.Name) and part.value == name for part in walk(node)) == 1
