"""What containers made in a region hold, after something was put into them or into a container inside."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.env import Env
from np2tnp.analysis.values import SHARED, Sequence, Value, join, refs_of

#: Methods that give what a container holds.
_ITEM_METHODS = frozenset(("get", "setdefault", "pop", "popleft"))
_SHARED = frozenset((SHARED,))


def put_into(where: cst.BaseExpression, added: Value, env: Env) -> None:
    """The container that `where` denotes, such as ``rows`` or ``rows[k]``, holds `added` as well from here on."""
    depth = 0
    while True:
        if isinstance(where, cst.Subscript):
            where = where.value
        elif (
            isinstance(where, cst.Call)
            and isinstance(where.func, cst.Attribute)
            and where.func.attr.value in _ITEM_METHODS
        ):
            where = where.func.value
        else:
            break
        depth += 1
    if isinstance(where, cst.Name) and where.value in env.values:
        env.values[where.value] = _holding(env.values[where.value], added, depth)
        share_items(where.value, added, env)


def share_items(name: str, added: Value, env: Env) -> None:
    """Two items of the container `name` may be one array, if what is `added` shares memory with what it holds."""
    names = env.aliases(name) | {name}
    if refs_of(added) & names:
        for each in names:
            if isinstance(env.values.get(each), Sequence):
                env.link(each, _SHARED)


def _holding(container: Value, added: Value, depth: int) -> Value:
    if not isinstance(container, Sequence):
        return container
    inner = added if depth == 0 else _holding(container.element, added, depth - 1)
    return Sequence(container.type, join(container.element, inner))
