"""TNP701: loops over single elements."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Value,
    home_of,
    may_hold_tensor,
    scalar_type,
)
from np2tnp.analysis.syntax.python_tables import REDUCTIONS
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cost.loop_work import operand_nodes

# --- Work on pairs of items: two nested loops, with both counters as indices of arrays


def work_on_pairs(loop: ev.Loop, context: Context) -> cst.For | None:
    """The inner loop of two that read or store items of arrays at both their counters, such as ``x[i] - x[j]``.

    None where an iteration may work on more: whole arrays, windows (``image[i : i + h]``), matrices. Counters that
    only count (epochs, time steps) are no indices.
    """
    inner_loops = [part for part in walk(loop.node.body) if type(part) is cst.For]
    if not inner_loops:
        return None
    bases = {
        id(event.node if isinstance(event, ev.Read) else event.target): event.base
        for event in context.facts.events
        if isinstance(event, (ev.Read, ev.Store)) and context.may_be_tensor(event.base)
    }
    made = {*_assigned(loop.node.body), *target_names(loop.node.target)}
    for inner in inner_loops:
        items = [
            (part, bases[id(part)])
            for part in walk(inner.body)
            if type(part) is cst.Subscript and not isinstance(bases.get(id(part)), Sequence | None)
        ]
        counters = (set(target_names(loop.node.target)), set(target_names(inner.target)))
        if (
            all(any(_is_index(names, item) for item, _ in items) for names in counters)
            and all(_is_small(item, base, made) for item, base in items)
            and not _takes_whole_arrays(inner.body, made, context)
        ):
            return inner
    return None


def each_element(loop: ev.Loop, context: Context) -> cst.CSTNode | None:
    """The statement that stores an element of an ndarray at both counters of two nested loops; None without one.

    And if TensorFlow works in the inner loop: then it is called for each element by itself. Stores into tensors have
    events of their own.
    """
    inner_loops = [part for part in walk(loop.node.body) if type(part) is cst.For]
    for inner in inner_loops:
        inside = {id(part) for part in walk(inner.body)}
        if inside.isdisjoint(context.edits.replace):
            continue
        counters = (set(target_names(loop.node.target)), set(target_names(inner.target)))
        for event in context.facts.events:
            if (
                isinstance(event, ev.Store)
                and id(event.node) in inside
                and type(event.target) is cst.Subscript
                and len(event.target.slice) > 1
                and home_of(event.base) == HOST
                and all(_is_index(names, event.target) for names in counters)
                and _is_number_each(event.keys)
            ):
                return event.node
    return None


def _is_number_each(keys: tuple[Value, ...] | None) -> bool:
    return keys is not None and all(scalar_type(key) in ("int", "number") for key in keys)


def _assigned(body: cst.CSTNode) -> Iterator[str]:
    for part in walk(body):
        if type(part) is cst.AssignTarget or type(part) is cst.AnnAssign or type(part) is cst.For:
            yield from target_names(part.target)


def _is_index(names: set[str], item: cst.Subscript) -> bool:
    return any(_mentions(element.slice, names) for element in item.slice)


def _mentions(part: cst.BaseSlice, names: set[str]) -> bool:
    """Whether one of the names is in an index; bounds of slices are none."""
    return type(part) is cst.Index and any(type(name) is cst.Name and name.value in names for name in walk(part.value))


def _is_small(item: cst.Subscript, base: Value, names: set[str]) -> bool:
    """Whether it is one element, a row, or a part of one, as far as is known."""
    slices = [element.slice for element in item.slice]
    indices = sum(1 for part in slices if _mentions(part, names))
    if any(isinstance(part, cst.Slice) and (part.lower or part.upper) for part in slices) and not indices:
        return False
    return not (isinstance(base, Array) and base.rank is not None and base.rank - indices > 1)


def _takes_whole_arrays(body: cst.CSTNode, made: set[str], context: Context) -> bool:
    """Whether what may be an array, and was not made in the loops, is an operand or an argument as a whole."""
    inside = {id(part) for part in walk(body)}
    for event in context.facts.events:
        if isinstance(event, (ev.Operator, ev.Call, ev.Store)) and id(event.node) in inside:
            for node, value in _taken(event):
                if isinstance(node, cst.Name) and node.value not in made and not _is_number(value):
                    return True
    return False


def _taken(event: ev.Operator | ev.Call | ev.Store) -> Iterator[tuple[cst.CSTNode, Value]]:
    if isinstance(event, ev.Operator):
        yield from zip(operand_nodes(event.node), event.operands, strict=False)
    elif isinstance(event, ev.Store):
        if isinstance(event.base, Array) and event.base.rank is not None:  # s += x[i] * x[j] has no known rank
            yield event.target, event.base
    elif not (isinstance(event.callee, Symbol) and event.callee.name.startswith(("builtins.", "math."))):
        yield from ((argument.node.value, argument.value) for argument in event.arguments)
        if event.receiver is not None and isinstance(event.node.func, cst.Attribute):
            yield event.node.func.value, event.receiver


def _is_number(value: Value) -> bool:
    return isinstance(value, (Const, Scalar)) or (isinstance(value, Array) and value.rank == 0)


# --- Loops over arrays: what works on whole arrays in each iteration, and what on single items

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


def _visits_every_element(event: ev.ElementLoop) -> bool:
    """Whether loops run over several axes (``d[i, j] = norm(x[i] - x[j])``): each piece of work is small, then."""
    node = event.node
    target = node.targets[0].target if isinstance(node, cst.Assign) else getattr(node, "target", None)
    return event.place.loops > 1 and isinstance(target, cst.Subscript) and len(target.slice) > 1


def _is_slow(event: ev.ElementLoop, context: Context) -> bool:
    value = event.node.value if isinstance(event.node, (cst.Assign, cst.AugAssign)) else None
    return value is None or not does_array_work(value, context) or _visits_every_element(event)


def _is_told(loop: cst.For, context: Context) -> bool:
    """Whether a store in the loop is slow by itself."""
    stores = [event for event in context.facts.events if isinstance(event, ev.ElementLoop)]
    inside = {id(part) for part in walk(loop.body)} if stores else set()
    return any(id(event.node) in inside and _is_slow(event, context) for event in stores)


def _of_pairs(loop: cst.For) -> Hit:
    """What is said of a loop within another that works on items at both counters: matrices of lists, where `@` does."""
    operators = (part.operator for part in walk(loop.body) if isinstance(part, cst.BinaryOperation))
    if any(isinstance(operator, cst.MatrixMultiply) for operator in operators):
        words = "the loops work on one pair of items after the other: each operation is a launch of its own; best left"
        return Hit(CODE, loop, f"{words} in NumPy", Verdict.NOTE, left="loops")
    words = "the loops work on single items or rows at both their counters: each operation is a launch of its own"
    return Hit(CODE, loop, f"{words}; write it on whole arrays", Verdict.NOTE)


CODE = "TNP701"


@register
class ElementLoop(Rule):
    doc = Doc(
        code=CODE,
        name="element-loop",
        summary="A loop that stores single elements of an array, makes Python numbers of them, or works on pairs.",
        why="Every functional update copies the whole array, and reading one element takes 190 µs instead of 0.06.",
        does=(
            "Keeps the function in NumPy unless --slow convert is given. Loops whose iterations need nothing of each"
            " other are no such loops (TNP703); the message says what is in the way here. Nor is a loop over one axis"
            " that stores what whole arrays gave, such as `y[i] = a[i] @ x`. Two nested loops are such loops where both"
            " counters are indices of single items or rows (`x[i] - x[j]`), and nothing in them works on whole arrays"
            " or windows (`image[i : i + h]`). Nor do two nested loops gain that compute each element of an ndarray by"
            " itself (`self.grid[i, j] = np.sum(...)`)."
        ),
        bad="""
            def highest_so_far(x):
                y = np.copy(x)
                for i in range(1, len(x)):
                    y[i] = max(y[i - 1], x[i])
                return y
        """,
        good="""
            def highest_so_far(x):
                return np.maximum.accumulate(x)
        """,
        severity=Severity.SLOWER,
    )
    on = (ev.ElementLoop, ev.Loop)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Loop):
            call = number_of_an_item(event, context)
            if call is not None:
                yield self.hit(
                    call, "each item of an array becomes a Python number: 190 µs from a tensor", Verdict.NOTE
                )
            single = each_element(event, context) if context.compile == "none" else None
            if single is not None:
                words = "each element is computed by itself in nested loops: each operation is a launch of its own"
                yield self.hit(single, words, Verdict.NOTE)
                return
            pairs = work_on_pairs(event, context) if context.compile == "none" else None
            if pairs is not None and not _is_told(pairs, context):
                yield _of_pairs(pairs)
            return
        assert isinstance(event, ev.ElementLoop)
        if not _is_slow(event, context):
            return
        yield self.hit(
            event.node,
            f"{event.name} is stored item by item in a loop: eager TensorFlow copies it each time",
            Verdict.NOTE,
        )
