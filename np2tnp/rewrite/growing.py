"""Lists that a function makes and only appends to, as ``losses.append(loss)``: staged loops carry them.

What an iteration appends is in the list only when the whole loop is over. So nothing may look at the list in a loop, by
this name or by another one: the name was bound to a list display, and stands nowhere since but before ``.append``.
"""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.liveness import NONE, Names, assigned, targets
from np2tnp.analysis.walk import walk

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
