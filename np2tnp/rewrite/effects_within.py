"""Functions within a function that change what lives longer than their call: no loop that calls them is staged.

A staged loop runs its body once, while it is traced: a list that a nested function appends to would get one item.
"""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.syntax.liveness import Names, assigned, parameters
from np2tnp.analysis.syntax.walk import walk

#: Methods of containers and iterators that change them, and give something.
_CHANGING = frozenset(
    "add append appendleft clear discard extend insert pop popitem popleft remove reverse rotate send setdefault sort"
    " update write __next__ __setitem__".split()
)
_FOREIGN = (cst.Global, cst.Nonlocal, cst.Del, cst.Yield, cst.Await)


def is_changing(call: cst.Call, apart: Names) -> bool:
    """Whether `call` is that of a method that changes its object. apart: modules, and objects that do not matter."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in _CHANGING:
        return False
    return _base(call.func.value) not in apart


def _changes(node: cst.CSTNode, apart: Names) -> bool:
    return any(isinstance(part, cst.Call) and is_changing(part, apart) for part in walk(node))


def changing_functions(body: cst.CSTNode, modules: Names) -> Names:
    """The names in `body` of functions made there that change something, and what else may hold one of them."""
    parts = list(walk(body))
    found = {
        part.name.value
        for part in parts
        if isinstance(part, cst.FunctionDef) and part is not body and _has_effects(part, modules)
    }
    before = -1
    while before != len(found):
        before = len(found)
        for part in parts:
            if isinstance(part, cst.Assign) and (
                _hands_on(part.value, found)
                or any(isinstance(it, cst.Lambda) and (_changes(it, modules) or _reads(it, found)) for it in walk(part))
            ):
                found.update(assigned(cst.SimpleStatementLine([part])))
            elif isinstance(part, cst.FunctionDef) and part is not body and _reads(part.body, found):
                found.add(part.name.value)
    return frozenset(found)


def _has_effects(function: cst.FunctionDef, modules: Names) -> bool:
    given = {parameter.name.value for parameter in parameters(function.params)}
    own = frozenset(assigned(function.body)) - given
    for part in walk(function.body):
        if isinstance(part, _FOREIGN):
            return True
        if isinstance(part, (cst.AssignTarget, cst.AugAssign)):
            for target in _single(part.target):
                if not isinstance(target, cst.Name) and _base(target) not in own:
                    return True
        if isinstance(part, cst.Expr) and isinstance(part.value, cst.Call) and _base(part.value.func) not in own:
            return True
    return _changes(function.body, modules | own)


def _single(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, (cst.Tuple, cst.List)):
        return [item for element in target.elements for item in _single(element.value)]
    return [target]


def _base(node: cst.BaseExpression) -> str:
    """The name that an attribute, an item or a result is one of: ``rt`` of ``rt.at(x)[i].add``."""
    while isinstance(node, (cst.Attribute, cst.Subscript, cst.Call)):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node.value if isinstance(node, cst.Name) else ""


def _hands_on(value: cst.BaseExpression, names: set[str]) -> bool:
    """Whether one of `names` stands in `value`, but as what is called."""
    called = {id(part.func) for part in walk(value) if isinstance(part, cst.Call)}
    return any(isinstance(part, cst.Name) and part.value in names and id(part) not in called for part in walk(value))


def _reads(node: cst.CSTNode, names: set[str]) -> bool:
    return any(isinstance(part, cst.Name) and part.value in names for part in walk(node))
