"""Names whose ndarrays lie in memory as NumPy's own do.

Whether ``x.reshape(-1)`` shows x or a copy of it hangs on the memory order of x. An ndarray made of a tensor is in C
order, where NumPy's may be in another one; of what is in C order in NumPy, too, and its views, NumPy says the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.scopes import target_names
from np2tnp.analysis.walk import walk

#: What makes arrays in C order, and how many positional arguments stand before ``order``.
_MAKERS = {
    "numpy.zeros": 2, "numpy.ones": 2, "numpy.empty": 2, "numpy.full": 3, "numpy.eye": 4, "numpy.arange": 4,
    "ndarray.copy": 0,
}  # fmt: skip
#: Methods that show their array, or copy it where NumPy does: in C order.
_VIEWS = frozenset("reshape ravel transpose swapaxes squeeze".split())

_TARGETED = (cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)
_NAMED = (cst.AsName, cst.FunctionDef, cst.ClassDef, cst.Param, cst.NameItem)

_Value = cst.BaseExpression | None


def is_in_c_order(call: object) -> bool:
    """Whether the recorded event `call` makes an array that is in C order in NumPy."""
    if not isinstance(call, ev.Call) or call.api not in _MAKERS or len(call.arguments) > _MAKERS[call.api]:
        return False
    return not any(argument.star or argument.name in ("order", "like") for argument in call.arguments)


def laid_out_alike(region: cst.CSTNode, kept: frozenset[str], is_maker: Callable[[cst.Call], bool]) -> frozenset[str]:
    """Those of the names `kept`, which hold ndarrays, that `region` binds to nothing but arrays in C order, or views.

    is_maker: whether a call makes an array in C order; what shows one of those under a name is a view of it.
    """
    bound: dict[str, list[_Value]] = defaultdict(list)
    for node in walk(region):
        for name, value in _bindings(node):
            bound[name].append(value)
    found: set[str] = set()
    while True:
        more = {
            name
            for name in kept & bound.keys()
            if all(_shows(value, found) or (type(value) is cst.Call and is_maker(value)) for value in bound[name])
        }
        if more <= found:
            return frozenset(found)
        found |= more


def _bindings(node: cst.CSTNode) -> Iterator[tuple[str, _Value]]:
    """The names that `node` itself binds, each with the expression that it is bound to; None where there is none."""
    kind = type(node)
    if kind is cst.Assign:
        assert isinstance(node, cst.Assign)
        for target in node.targets:
            if type(target.target) is cst.Name:
                yield target.target.value, node.value
            else:
                yield from ((name, None) for name in target_names(target.target))
    elif kind in _TARGETED:
        yield from ((name, None) for name in target_names(node.target))  # type: ignore[attr-defined]
    elif kind in _NAMED:
        yield from ((name, None) for name in target_names(node.name))  # type: ignore[attr-defined]
    elif kind in (cst.MatchAs, cst.MatchStar, cst.ImportAlias):
        yield from ((part.value, None) for part in walk(node) if type(part) is cst.Name)


def _shows(node: _Value, names: set[str]) -> bool:
    """Whether `node` is one of `names`, or a view of it that NumPy makes."""
    if type(node) is cst.Name:
        return node.value in names
    if type(node) is cst.Attribute:
        return node.attr.value == "T" and _shows(node.value, names)
    if type(node) is cst.Subscript:
        return all(type(part.slice) is cst.Slice for part in node.slice) and _shows(node.value, names)
    if type(node) is not cst.Call or type(node.func) is not cst.Attribute or node.func.attr.value not in _VIEWS:
        return False
    return _shows(node.func.value, names) and not any(argument.keyword or argument.star for argument in node.args)
