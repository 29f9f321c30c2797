"""What containers made in a region hold, after something was put into them or into a container inside."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.env import Env
from np2tnp.analysis.values import Sequence, Value, join

#: Methods that give what a container holds.
_ITEM_METHODS = frozenset(("get", "setdefault", "pop", "popleft"))


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


def _holding(container: Value, added: Value, depth: int) -> Value:
    if not isinstance(container, Sequence):
        return container
    inner = added if depth == 0 else _holding(container.element, added, depth - 1)
    return Sequence(container.type, join(container.element, inner))
