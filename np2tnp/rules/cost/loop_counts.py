"""How often a loop runs, as far as its text tells, and what it is that is no array there: a shape, a set, a number."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Bound, Symbol, Unknown, Value, is_number
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import names_in, nodes_of, walk
from np2tnp.rules.base import Context

#: So many iterations, said by the text, are few: directions, channels, stages.
FEW = 32
Loop = cst.For | cst.While | cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp
LOOPS = frozenset((cst.For, cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp))


def runs_often(loop: Loop, context: Context) -> bool:
    """Whether nothing says that a loop has a few iterations only."""
    if type(loop) is cst.While:
        return True
    clause = loop if type(loop) is cst.For else loop.for_in  # type: ignore[union-attr]
    while clause is not None:
        if not _is_short(clause.iter, context):
            return True
        clause = clause.inner_for_in if type(clause) is cst.CompFor else None
    return False


def _is_short(node: cst.BaseExpression, context: Context) -> bool:
    if isinstance(node, (cst.Tuple, cst.List)):
        return len(node.elements) <= FEW
    if is_shape(node, context):
        return True
    if not isinstance(node, cst.Call):
        return False
    inner, _ = unwrapped(node, context)
    if inner is not node:
        return _is_short(inner, context)
    name = dotted(node.func).rpartition(".")[2]
    arguments = [argument.value for argument in node.args if argument.keyword is None]
    call = context.calls.get(id(node))
    if call is not None and call.api in _BY_AXIS:
        return True
    if name in ("enumerate", "zip", "reversed", "sorted", "list", "tuple"):
        return any(_is_short(argument, context) for argument in arguments)
    if name in _COMBINING:
        return bool(arguments) and all(_is_short(it, context) or type(it) is cst.Integer for it in arguments)
    if name not in RANGES or not arguments:
        return False
    if any(_is_rank(part, context) for it in arguments for part in walk(it)):
        return True
    numbers = [int(argument.value, 0) for argument in arguments if isinstance(argument, cst.Integer)]
    return len(numbers) == len(arguments) and len(range(*numbers)) <= FEW


#: Python's own counting, and that of progress bars and numba.
RANGES = frozenset("range trange tnrange prange".split())
_PAIRS = frozenset("range enumerate zip reversed".split())
#: Progress bars, as they are called: they give what they get, item by item.
_PROGRESS = frozenset("tqdm tqdm_notebook track progress progressbar progress_bar ProgressBar pbar alive_it".split())
#: Modules whose functions are known: what gives the items of something else is not among them.
_KNOWN = frozenset((*sys.stdlib_module_names, "numpy", "builtins"))


def is_unseen(callee: Value) -> bool:
    """Whether nobody knows what it does: an object, what a parameter holds, or a function of another package."""
    if isinstance(callee, Symbol):
        return callee.name.partition(".")[0] not in _KNOWN
    return isinstance(callee, Unknown) or (isinstance(callee, Bound) and isinstance(callee.receiver, Unknown))


def unwrapped(node: cst.BaseExpression, context: Context) -> tuple[cst.BaseExpression, Value | None]:
    """What a loop goes over, without a progress bar or the like around it, and its value if something was around it.

    Of a function that nobody knows it is assumed where it gets an array, or what only a loop has a use for.
    """
    value: Value | None = None
    while isinstance(node, cst.Call) and dotted(node.func).rpartition(".")[2] not in RANGES:
        call = context.calls.get(id(node))
        if call is None or not call.arguments or call.arguments[0].star or not is_unseen(call.callee):
            break
        first = call.arguments[0]
        inner = first.node.value
        loops = isinstance(inner, cst.Call) and dotted(inner.func) in _PAIRS
        shown = dotted(node.func).rpartition(".")[2] in _PROGRESS
        if not shown and not loops and not isinstance(first.value, Array):
            break
        node, value = inner, first.value
    return node, value


#: What gives an array for each axis.
_BY_AXIS = frozenset(
    ("numpy.nonzero", "ndarray.nonzero", "numpy.unravel_index", "numpy.indices", "numpy.meshgrid", "numpy.ix_")
)
#: Functions of itertools that combine a few items with each other.
_COMBINING = frozenset("product combinations combinations_with_replacement permutations".split())
#: How names of shapes and of numbers of axes end, as people write them.
_SHAPES, _RANKS = ("shape", "axes"), ("ndim", "ndims")


def _made_of(node: cst.Name, context: Context) -> list[cst.BaseExpression]:
    """What the function assigns to a name; nothing where it is bound in other ways, too."""
    if node.value in context.facts.parameters:
        return []
    found = []
    for part in nodes_of(context.facts.node):
        if type(part) is cst.Assign and any(node.value in target_names(item.target) for item in part.targets):
            if not all(isinstance(item.target, cst.Name) for item in part.targets):
                return []
            found.append(part.value)
        elif type(part) in (cst.For, cst.AugAssign, cst.CompFor) and node.value in target_names(part.target):  # type: ignore[attr-defined]
            return []
    return found


_CONTAINERS = frozenset(("list", "tuple", "set", "dict"))


def is_tested_list(node: cst.BaseExpression, context: Context) -> bool:
    """Whether the name `node` stands where a test says that it is a list: ``max(n) if isinstance(n, list) else n``.

    Also by another name that is given to it there.
    """
    if not isinstance(node, cst.Name):
        return False
    for part in nodes_of(context.facts.node):
        if not isinstance(part, (cst.If, cst.IfExp)) or not isinstance(part.test, cst.Call) or len(part.test.args) != 2:
            continue
        tested, kinds = (argument.value for argument in part.test.args)
        names = [item.value for item in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
        if dotted(part.test.func) == "isinstance" and _CONTAINERS.issuperset(map(dotted, names)):
            inside = list(walk(part.body))
            assigned = [it for it in inside if isinstance(it, cst.Assign)]
            bound = [name for it in assigned for target in it.targets for name in target_names(target.target)]
            same = {dotted(it.targets[0].target) for it in assigned if dotted(it.value) == dotted(tested)}
            certain = (same | {dotted(tested)}) - {name for name in bound if name not in same or bound.count(name) > 1}
            if node.value in certain and any(it is node for it in inside):
                return True
    return False


def is_set(node: cst.CSTNode, context: Context, depth: int = 3) -> bool:
    """Whether it is a set, or what operators make of one: no array."""
    if isinstance(node, cst.BinaryOperation):
        return is_set(node.left, context, depth) or is_set(node.right, context, depth)
    if isinstance(node, cst.Call):
        return dotted(node.func) in ("set", "frozenset")
    made = _made_of(node, context) if isinstance(node, cst.Name) and depth else []
    return isinstance(node, (cst.Set, cst.SetComp)) or (
        bool(made) and all(is_set(it, context, depth - 1) for it in made)
    )


def is_shape(node: cst.CSTNode, context: Context, depth: int = 3) -> bool:
    """Whether it is an array's shape, a part of one, or computed of one: an item for each axis."""
    if isinstance(node, cst.Attribute):
        return node.attr.value in ("shape", "strides")
    if isinstance(node, cst.BinaryOperation):
        return is_shape(node.left, context, depth) or is_shape(node.right, context, depth)
    if isinstance(node, cst.Call) and len(node.args) == 1:
        listed = dotted(node.func).rpartition(".")[2] in ("array", "asarray", "tuple", "list")
        return listed and is_shape(node.args[0].value, context, depth)
    if isinstance(node, cst.Subscript):
        cut = len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice)
        return cut and is_shape(node.value, context, depth)
    if not isinstance(node, cst.Name) or not depth:
        return False
    made = _made_of(node, context)
    return node.value.endswith(_SHAPES) if not made else all(is_shape(it, context, depth - 1) for it in made)


def _is_rank(node: cst.CSTNode, context: Context, depth: int = 3) -> bool:
    """Whether it is how many axes an array has."""
    if isinstance(node, cst.Attribute):
        return node.attr.value == "ndim"
    if isinstance(node, cst.Call):
        return dotted(node.func) == "len" and len(node.args) == 1 and is_shape(node.args[0].value, context)
    if not isinstance(node, cst.Name) or not depth:
        return False
    made = _made_of(node, context)
    named = node.value.endswith(_RANKS)
    return named if not made else all(any(_is_rank(p, context, depth - 1) for p in walk(it)) for it in made)


# --- What is one number, by its place in the text

#: What gives a number for each number.
_EACH = frozenset(
    "abs absolute fabs sqrt float exp log log10 sin cos tan arcsin arccos arctan asin acos atan arctan2 atan2 hypot"
    " floor ceil sign square power maximum minimum".split()
)
_ORDER = (cst.LessThan, cst.GreaterThan, cst.LessThanEqual, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)


def single_numbers(function: cst.CSTNode) -> frozenset[str]:
    """Names of single numbers: they are compared where only one truth value can stand, or say how often a loop runs.

    ``while t < end`` has one answer, so both are numbers, and so is ``dt`` in ``t += dt``. Others are bounds of slices,
    or are made numbers of Python's: ``int(seconds * rate)``.
    """
    found: set[str] = set()
    for part in nodes_of(function):
        found.update(name for number in _numbers(part) for name in _added(number))
        for test in _tests(part):
            found.update(name for operand in _compared(test) for name in _added(operand))
    for _ in range(2 if found else 0):
        for part in nodes_of(function):
            if type(part) is cst.AugAssign:
                found.update(_added(part.value) if _is_in(part.target, found) else ())
            elif type(part) is cst.Assign and _is_in(part.targets[0].target, found):
                found.update(_added(part.value))
    return frozenset(found)


def _is_in(node: cst.CSTNode, names: set[str]) -> bool:
    return type(node) is cst.Name and node.value in names


_WITH_TEST = frozenset((cst.If, cst.While, cst.IfExp, cst.Assert, cst.CompIf))


def _tests(part: Any) -> Iterator[cst.BaseExpression]:
    """What is asked whether it is true."""
    if type(part) in _WITH_TEST:
        yield part.test
    elif type(part) is cst.BooleanOperation:
        yield part.left


_ONE = RANGES | {"int", "float", "bool", "round", "slice"}


def _numbers(part: Any) -> Iterator[cst.BaseExpression]:
    """Expressions in `part` that can be nothing but a number."""
    kind = type(part)
    if kind is cst.Call:
        if type(part.func) is cst.Name and part.func.value in _ONE:
            yield from (argument.value for argument in part.args)
    elif kind is cst.Slice:
        yield from filter(None, (part.lower, part.upper))
    elif kind is cst.Subscript:
        parts = [element.slice for element in part.slice]
        if any(type(it) is cst.Slice and (it.lower or it.upper) for it in parts):
            indices = (it.value for it in parts if type(it) is cst.Index)
            yield from (it for it in indices if type(it) is cst.BinaryOperation)
    elif kind is cst.Assign:
        value = part.value
        if type(value) is cst.Attribute and type(value.value) is cst.Call and _is_of_dtype(value.value):
            yield from (it.target for it in part.targets)  # eps = np.finfo(x.dtype).eps


def _is_of_dtype(node: cst.Call) -> bool:
    return dotted(node.func).rpartition(".")[2] in ("finfo", "iinfo")


def comparisons_of_numbers(function: cst.CSTNode) -> Iterator[cst.Comparison]:
    """Those that are asked for one truth value."""
    for part in nodes_of(function):
        for test in _tests(part):
            yield from _comparisons(test)


def _compared(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    for comparison in _comparisons(test):
        yield comparison.left
        yield from (target.comparator for target in comparison.comparisons)


def _comparisons(test: cst.BaseExpression) -> Iterator[cst.Comparison]:
    if type(test) is cst.BooleanOperation:
        yield from _comparisons(test.left)
        yield from _comparisons(test.right)
    elif type(test) is cst.UnaryOperation and type(test.operator) is cst.Not:
        yield from _comparisons(test.expression)
    elif type(test) is cst.Comparison and all(isinstance(it.operator, _ORDER) for it in test.comparisons):
        yield test


def _added(node: cst.BaseExpression) -> Iterator[str]:
    """The names that are operands of arithmetic: what it gives is as large as they are."""
    if isinstance(node, cst.Name):
        yield node.value
    elif type(node) is cst.Attribute:
        yield dotted(node)
    elif isinstance(node, cst.UnaryOperation):
        yield from _added(node.expression)
    elif isinstance(node, cst.BinaryOperation) and type(node.operator) is not cst.MatrixMultiply:
        yield from _added(node.left)
        yield from _added(node.right)
    elif isinstance(node, cst.Call) and dotted(node.func).rpartition(".")[2] in _EACH:
        yield from (name for argument in node.args for name in _added(argument.value))


#: Where the functions that draw numbers take how many: by place. ``rand`` and ``randn`` take nothing else.
_SIZES = {
    **dict.fromkeys("random random_sample sample ranf standard_normal standard_exponential rand randn".split(), 0),
    **dict.fromkeys("poisson exponential rayleigh standard_t chisquare geometric choice".split(), 1),
    **dict.fromkeys("normal uniform integers randint random_integers binomial gamma beta laplace".split(), 2),
    **dict.fromkeys("gumbel logistic lognormal".split(), 2),
}


def size_of_draw(call: ev.Call) -> list[ev.Argument] | None:
    """The arguments that say how many numbers are drawn; None for what draws none, or by other arguments."""
    api = call.api or ""
    place = _SIZES.get(api.rpartition(".")[2]) if api.startswith("numpy.random.") else None
    if place is None or any(argument.star for argument in call.arguments):
        return None
    named = [argument for argument in call.arguments if argument.name == "size"]
    given = [argument for argument in call.arguments if argument.name is None][place:]
    return named or (given if api.endswith(("rand", "randn")) else given[:1])


_POWERS = frozenset(("numpy.power", "numpy.float_power"))


def takes_powers(body: Sequence[cst.CSTNode], counters: AbstractSet[str], context: Context) -> bool:
    """Whether an iteration raises all of an array to a power that its counters say: ``out[:, k] = x**k``.

    NumPy multiplies where the power is a number, and where it is an array calls pow() for each element.
    """
    inside = {id(part) for part in body}
    stores = (it.target for it in context.facts.events if isinstance(it, ev.Store) and id(it.node) in inside)
    slices = any(type(part.slice) is cst.Slice for it in stores if type(it) is cst.Subscript for part in it.slice)
    for event in context.facts.events:
        if isinstance(event, ev.Operator) and event.op == "pow" and isinstance(event.node, cst.BinaryOperation):
            nodes, values = [event.node.left, event.node.right], event.operands
        elif isinstance(event, ev.Call) and event.api in _POWERS and len(event.arguments) > 1:
            nodes = [argument.node.value for argument in event.arguments[:2]]
            values = tuple(argument.value for argument in event.arguments[:2])
        else:
            continue
        base, power = values
        is_all = base.rank != 0 if isinstance(base, Array) else slices and not is_number(base)
        is_one = not (isinstance(power, Array) and power.rank)
        by_counter = bool(names_in(nodes[1]) & counters) and not names_in(nodes[0]) & counters
        if id(event.node) in inside and is_all and is_one and by_counter:
            return True
    return False


_FINDING = frozenset(("numpy.where", "numpy.nonzero", "numpy.flatnonzero", "numpy.argwhere"))


def picks_by_lists(loop: Loop, body: Sequence[cst.CSTNode], context: Context) -> bool:
    """Whether an iteration takes the elements that an item of a list says, and such items differ in length.

    ``rows = [np.where(labels == k)[0] for k in kinds]``, and then ``x[rows[i]]``: no array can be made of that list.
    Nor of what a dict holds, which is no array: ``for name, rows in groups.items()``.
    """
    if any(map(_asks_a_dict, (loop, *body))):
        return True
    made = (part for part in nodes_of(context.facts.node) if type(part) is cst.Assign)
    uneven = {
        name
        for part in made
        if type(part.value) is cst.ListComp and _differs_in_length(part.value.elt, context)
        for target in part.targets
        for name in target_names(target.target)
    }
    clause = loop if type(loop) is cst.For else getattr(loop, "for_in", None)
    items = set(target_names(clause.target)) if clause is not None and names_in(clause.iter) & uneven else set()
    items -= _number_of(clause)
    for part in body if uneven else ():
        for inner in (it for key in part.slice for it in walk(key)) if type(part) is cst.Subscript else ():
            if type(inner) is cst.Name and inner.value in items:
                return True
            if type(inner) is cst.Subscript and type(inner.value) is cst.Name and inner.value.value in uneven:
                return True
    return False


def _asks_a_dict(loop: cst.CSTNode) -> bool:
    """Whether a loop goes through ``d.items()``: no array has such a method."""
    head = loop.iter if isinstance(loop, (cst.For, cst.CompFor)) else getattr(loop, "for_in", None)
    methods = (part.func for part in walk(head) if type(part) is cst.Call and not part.args) if head is not None else ()
    return any(type(it) is cst.Attribute and it.attr.value in ("items", "keys", "values") for it in methods)


def _number_of(clause: cst.For | cst.CompFor | None) -> set[str]:
    """The name that ``enumerate()`` gives numbers."""
    if clause is None or type(clause.iter) is not cst.Call or dotted(clause.iter.func) != "enumerate":
        return set()
    target = clause.target
    return set(target_names(target.elements[0].value)) if type(target) is cst.Tuple else set()


def _differs_in_length(item: cst.BaseExpression, context: Context) -> bool:
    """Whether it is a slice between bounds that an array says, where something is found, or what unknown code gives."""
    call = context.calls.get(id(item.value if type(item) is cst.Subscript else item))
    if call is not None and (call.api in _FINDING or (call.api is None and not isinstance(call.callee, Symbol))):
        return True
    key = item.slice[0].slice if type(item) is cst.Subscript else None
    return type(key) is cst.Slice and type(key.lower) is cst.Subscript and type(key.upper) is cst.Subscript
