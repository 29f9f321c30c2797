"""Loops over arrays: what works on whole arrays in each iteration, and what on single items."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Bound, Function, Instance, Symbol, may_hold_tensor
from np2tnp.analysis.syntax.python_tables import REDUCTIONS
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.rules.base import Context

#: What makes Python numbers of single numbers, by how many arguments it takes at least.
_NUMBERS = {"int": 1, "float": 1, "complex": 1, "bool": 1, "round": 1, "min": 2, "max": 2}


def does_array_work(node: cst.CSTNode, context: Context) -> bool:
    """Whether whole arrays are surely worked on in `node` (a reduction, a function of the module)."""
    for part in walk(node):
        if type(part) is cst.Slice or type(part) is cst.MatrixMultiply:
            return True
        call = context.calls.get(id(part))
        if call is None:
            continue
        if isinstance(call.callee, Function) or (
            isinstance(call.callee, Bound) and isinstance(call.callee.receiver, Instance)
        ):
            return True
        api = call.api or ""
        name = api.rpartition(".")[2]
        if name in REDUCTIONS or name in ("dot", "inner", "vdot") or api.startswith(("numpy.linalg", "numpy.fft")):
            return True
    return False


def number_of_an_item(loop: ev.Loop, context: Context) -> cst.Call | None:
    """The first call such as ``int(v * scale)`` in ``for v in x``, of what is a number only if `v` is one.

    Not ``int(np.sum(v))``: there `v` may be a row. None where the loop works on whole arrays, too.
    """
    if not may_hold_tensor(loop.iterated) or _calls_for_arrays(loop.node.body, context):
        return None
    items = set(target_names(loop.node.target))
    for part in walk(loop.node.body):
        if (
            isinstance(part, cst.Call)
            and _makes_number(part, context)
            and any(_is_item(argument.value, items, context) for argument in part.args)
        ):
            return part
    return None


def _calls_for_arrays(body: cst.CSTNode, context: Context) -> bool:
    """Whether anything but ufuncs, Python's own functions and methods of containers is called in `body`."""
    if does_array_work(body, context):
        return True
    calls = (context.calls.get(id(part)) for part in walk(body) if isinstance(part, cst.Call))
    return any(
        call is None or (call.api is not None and not _is_ufunc(call, context)) or _is_strange(call) for call in calls
    )


def _is_strange(call: ev.Call) -> bool:
    callee = call.callee
    if isinstance(callee, Symbol):
        return not callee.name.startswith(("numpy.", "builtins.", "math."))
    return not isinstance(callee, Bound)


def _is_ufunc(call: ev.Call, context: Context) -> bool:
    fact = context.catalog.get(call.api) if call.api else None
    return fact is not None and fact.kind == "ufunc"


def _makes_number(node: cst.Call, context: Context) -> bool:
    call = context.calls.get(id(node))
    if call is None or not isinstance(call.callee, Symbol):
        return False
    module, _, name = call.callee.name.rpartition(".")
    return (module == "builtins" and len(node.args) >= _NUMBERS.get(name, 99)) or module == "math"


def _is_item(node: cst.BaseExpression, items: set[str], context: Context) -> bool:
    """Whether `node` has the shape of an item: one itself, or arithmetic and ufuncs of it."""
    if isinstance(node, cst.Name):
        return node.value in items
    if isinstance(node, cst.UnaryOperation):
        return _is_item(node.expression, items, context)
    if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
        return _is_item(node.left, items, context) or _is_item(node.right, items, context)
    if isinstance(node, cst.Call) and node.args:
        call = context.calls.get(id(node))
        return call is not None and _is_ufunc(call, context) and _is_item(node.args[0].value, items, context)
    return False
