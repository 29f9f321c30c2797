"""What functions bind and use, found in one walk over each outermost function.

The interpreter asks for it again for every attempt at a region and every round of a loop around a nested function, so
it is remembered by the function's node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import libcst as cst

from np2tnp.analysis.syntax.python_tables import BY_ORDER
from np2tnp.analysis.syntax.walk import PARTS


@dataclass(slots=True)
class Scope:
    """One function's own scope, without the scopes nested in it."""

    bound: set[str] = field(default_factory=set)  #: names bound, parameters included, without the declared ones
    declared: set[str] = field(default_factory=set)  #: names declared global or nonlocal


@dataclass(slots=True)
class Uses:
    """What an outermost function does with names, the functions and classes nested in it included."""

    global_names: set[str] = field(default_factory=set)  #: declared with ``global``
    #: arguments of ``range``, lengths of axes, terms of bounds of slices, what repeats a list of one item: ``[0] * n``
    counts: set[str] = field(default_factory=set)
    lengths: set[str] = field(default_factory=set)  #: whole shapes: ``np.ones(n)``, which may be tuples, too
    stored: set[str] = field(default_factory=set)  #: ``x`` of ``x[...] = v``, ``x[...][...] += v``
    plain: set[str] = field(default_factory=set)  #: compared as one number: by if, while, min() or max()
    copies: set[tuple[str, str]] = field(default_factory=set)  #: ``a = b``
    steps: set[tuple[str, str]] = field(default_factory=set)  #: ``a += b``, ``a -= 2 * b``
    numbers: set[str] = field(default_factory=set)  #: ``a = 0.0``, ``a = np.pi / 2``
    assigned: set[str] = field(default_factory=set)  #: bound by assignments and loops
    converted: set[str] = field(default_factory=set)  #: ``x = f(x, ...)``
    told_apart: set[str] = field(default_factory=set)  #: compared with text: ``x == "a"``, ``x in ("a", "b")``
    handed: set[str] = field(default_factory=set)  #: arguments of calls, but those of ``np.f(...)``
    by_order: bool = False  #: it calls something that shows an array by its memory order
    stores_attributes: bool = False  #: something like ``x.name`` is assigned to


def scan(function: cst.FunctionDef, scopes: dict[int, Scope]) -> Uses:
    """The uses of an outermost function.

    Its scope and those of all functions in it are added to `scopes`, by id of their node.
    """
    uses = Uses()
    nowhere = Scope()  # gets the bindings that no function owns: in classes, lambdas and comprehensions
    opened = [_open(function)]
    scopes[id(function)] = opened[0]
    pending: list[tuple[list[Any], Scope]] = [([function.body], opened[0])]
    parts, notes, nested, leaves = PARTS, _NOTES, _NESTED, _LEAVES
    while pending:
        stack, scope = pending.pop()
        pop, extend = stack.pop, stack.extend
        while stack:
            node = pop()
            kind = type(node)
            if kind in leaves:
                continue
            if kind in nested:
                if kind is cst.FunctionDef:
                    scope.bound.add(node.name.value)
                    inner = scopes[id(node)] = _open(node)
                    opened.append(inner)
                    pending.append(([node.body], inner))
                    pending.append(([node.params, node.returns, node.decorators, node.type_parameters], nowhere))
                    continue
                if kind is cst.ClassDef:
                    scope.bound.add(node.name.value)
                if scope is not nowhere:
                    pending.append((list(parts[kind](node)), nowhere))
                    continue
            if kind in notes:
                notes[kind](node, scope, uses)
            extend(parts[kind](node))
    for scope in opened:
        scope.bound -= scope.declared
    return uses


#: Most nodes: nothing is noted of them, and nothing is below them.
_LEAVES = frozenset((cst.Name, cst.SimpleString, cst.Integer, cst.Float, type(None), cst.MaybeSentinel))
_NESTED = frozenset(
    (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
)


def _open(function: cst.FunctionDef) -> Scope:
    return Scope({parameter.name.value for parameter in parameters_of(function.params)})


def _note_target(node: Any, scope: Scope, uses: Uses) -> None:
    target = node.target
    if type(target) is cst.Name:
        scope.bound.add(target.value)
        uses.assigned.add(target.value)
    else:
        names = list(target_names(target))
        scope.bound.update(names)
        uses.assigned.update(names)
        uses.stores_attributes = uses.stores_attributes or _has_attribute(target)
        uses.stored.update(_stored_names(target))


def _note_clause(node: cst.CompFor, scope: Scope, uses: Uses) -> None:
    uses.stores_attributes = uses.stores_attributes or _has_attribute(node.target)


def _note_alias(node: cst.AsName, scope: Scope, uses: Uses) -> None:
    scope.bound.update(target_names(node.name))
    uses.stores_attributes = uses.stores_attributes or _has_attribute(node.name)


def _note_import(node: cst.ImportAlias, scope: Scope, uses: Uses) -> None:
    if node.asname is None:
        scope.bound.add(dotted(node.name).split(".")[0])


def _note_pattern(node: cst.MatchAs | cst.MatchStar, scope: Scope, uses: Uses) -> None:
    if node.name is not None:
        scope.bound.add(node.name.value)


def _note_nonlocal(node: cst.Nonlocal, scope: Scope, uses: Uses) -> None:
    scope.declared.update(item.name.value for item in node.names)


def _note_global(node: cst.Global, scope: Scope, uses: Uses) -> None:
    names = [item.name.value for item in node.names]
    scope.declared.update(names)
    uses.global_names.update(names)


def _note_call(node: cst.Call, scope: Scope, uses: Uses) -> None:
    func = node.func
    if type(func) is cst.Attribute and func.attr.value in BY_ORDER:
        uses.by_order = True
    if node.args and not (type(func) is cst.Attribute and _root(func) in ("np", "numpy")):
        uses.handed.update(arg.value.value for arg in node.args if type(arg.value) is cst.Name)
    if type(func) is cst.Name and (func.value == "range" or (func.value in ("min", "max") and len(node.args) > 1)):
        names = uses.counts if func.value == "range" else uses.plain
        names.update(arg.value.value for arg in node.args if type(arg.value) is cst.Name)
    elif node.args:
        name = func.attr.value if type(func) is cst.Attribute else func.value if type(func) is cst.Name else ""
        if name in _OF_A_SHAPE:
            named = [arg for arg in node.args if arg.keyword is not None and arg.keyword.value in ("shape", "size")]
            shapes = named if name in _BY_SIZE else [node.args[0], *named]
            uses.lengths.update(shape.value.value for shape in shapes if type(shape.value) is cst.Name)
            _note_lengths([part for shape in shapes for part in _parts(shape.value)], uses)
        elif name in _OF_LENGTHS and (name != "reshape" or len(node.args) > 1) and _takes_lengths(name, func, scope):
            _note_lengths([arg.value for arg in node.args if arg.keyword is None], uses)


def _root(node: cst.BaseExpression) -> str:
    """The name that ``a.b.c`` begins with."""
    while type(node) is cst.Attribute:
        node = node.value
    return node.value if type(node) is cst.Name else ""


def _takes_lengths(name: str, func: cst.BaseExpression, scope: Scope) -> bool:
    """Whether it is the method reshape of an array (NumPy's function begins with the array), or NumPy's other ones."""
    root = _root(func.value) if type(func) is cst.Attribute else ""
    if name == "reshape":
        return type(func) is cst.Attribute and (not root or root in scope.bound)
    if name == "identity":  # of anything, where it is not NumPy's
        return root in ("np", "numpy")
    return root not in scope.bound


#: Functions whose ``size``, or whose first argument, is a shape; and those that take lengths one by one.
_BY_SIZE = frozenset("normal uniform randint integers choice".split())
_OF_A_SHAPE = _BY_SIZE | frozenset("zeros ones empty full standard_normal random random_sample".split())
_OF_LENGTHS = frozenset("rand randn eye identity reshape".split())


def _parts(shape: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [element.value for element in shape.elements] if type(shape) is cst.Tuple else []


def _note_lengths(lengths: list[cst.BaseExpression], uses: Uses) -> None:
    """Lengths are whole numbers, and what they are sums of can only be numbers."""
    uses.counts.update(length.value for length in lengths if type(length) is cst.Name)
    _note_terms(lengths, uses)


def _note_test(node: cst.If | cst.While, scope: Scope, uses: Uses) -> None:
    test = node.test
    if type(test) is cst.Comparison and type(test.comparisons[0].operator) in _ORDER:
        parts = (test.left, test.comparisons[0].comparator)
        uses.plain.update(part.value for part in parts if type(part) is cst.Name)


def _note_comparison(node: cst.Comparison, scope: Scope, uses: Uses) -> None:
    if type(node.left) is cst.Name:
        other = node.comparisons[0].comparator
        if type(other) in _SEVERAL and other.elements:  # type: ignore[attr-defined]
            other = other.elements[0].value  # type: ignore[attr-defined]
        if type(other) is cst.SimpleString:
            uses.told_apart.add(node.left.value)


_SEVERAL = frozenset((cst.Tuple, cst.List, cst.Set))


def _note_slice(node: cst.Slice, scope: Scope, uses: Uses) -> None:
    """``x[: n - 1]``: the bounds of slices are whole numbers, and what they are sums of can only be numbers."""
    _note_terms([bound for bound in (node.lower, node.upper) if bound is not None], uses)


def _note_terms(numbers: list[cst.BaseExpression], uses: Uses) -> None:
    pending = [number for number in numbers if type(number) is cst.BinaryOperation]
    while pending:
        operation = pending.pop()
        for term in (operation.left, operation.right):
            if type(term) is cst.BinaryOperation:
                pending.append(term)
            elif type(term) is cst.Name:
                uses.counts.add(term.value)


def _note_product(node: cst.BinaryOperation, scope: Scope, uses: Uses) -> None:
    """``[0] * n`` makes a list; where an array comes as `n` it would make an array, so that is refused."""
    if type(node.operator) is cst.Multiply:
        for items, times in ((node.left, node.right), (node.right, node.left)):
            if type(items) is cst.List and type(times) is cst.Name and len(items.elements) == 1:
                uses.counts.add(times.value)


#: Comparisons whose truth only one number has.
_ORDER = frozenset((cst.LessThan, cst.GreaterThan, cst.LessThanEqual, cst.GreaterThanEqual))


def _note_assign(node: cst.Assign, scope: Scope, uses: Uses) -> None:
    value = node.value
    left = node.targets[0].target
    pairs: list[tuple[cst.BaseExpression, cst.BaseExpression]] = [(left, value)]
    if type(left) is cst.Tuple and type(value) is cst.Tuple:
        pairs = [(a.value, b.value) for a, b in zip(left.elements, value.elements, strict=False)]
    uses.copies.update((a.value, b.value) for a, b in pairs if type(a) is cst.Name and type(b) is cst.Name)
    uses.numbers.update(a.value for a, b in pairs if type(a) is cst.Name and _is_number(b))
    if type(value) is cst.Call and value.args:
        first = value.args[0].value
        target = node.targets[0].target
        if type(first) is cst.Name and type(target) is cst.Name and first.value == target.value:
            uses.converted.add(first.value)


def _note_step(node: cst.AugAssign, scope: Scope, uses: Uses) -> None:
    _note_target(node, scope, uses)
    if type(node.target) is cst.Name:
        pending = [node.value]
        while pending:
            term = pending.pop()
            if type(term) is cst.BinaryOperation:
                pending += [term.left, term.right]
            elif type(term) is cst.UnaryOperation:
                pending.append(term.expression)
            elif type(term) is cst.Name:
                uses.steps.add((node.target.value, term.value))


def _is_number(node: cst.BaseExpression) -> bool:
    """Whether `node` is a number, as it is written."""
    if type(node) is cst.UnaryOperation:
        return _is_number(node.expression)
    if type(node) is cst.BinaryOperation:
        return _is_number(node.left) and _is_number(node.right)
    if type(node) is cst.Attribute:
        return node.attr.value in ("pi", "e", "tau", "inf")
    return type(node) is cst.Integer or type(node) is cst.Float


_NOTES: dict[type, Callable[[Any, Scope, Uses], None]] = {
    **dict.fromkeys((cst.AssignTarget, cst.AnnAssign, cst.For, cst.NamedExpr), _note_target),
    cst.AugAssign: _note_step,
    cst.CompFor: _note_clause,
    cst.AsName: _note_alias,
    cst.ImportAlias: _note_import,
    cst.MatchAs: _note_pattern,
    cst.MatchStar: _note_pattern,
    cst.Nonlocal: _note_nonlocal,
    cst.Global: _note_global,
    cst.Call: _note_call,
    cst.Comparison: _note_comparison,
    cst.Slice: _note_slice,
    cst.BinaryOperation: _note_product,
    **dict.fromkeys((cst.If, cst.While), _note_test),
    cst.Assign: _note_assign,
}


def target_names(target: cst.CSTNode) -> Iterator[str]:
    """The names that assigning to `target` binds."""
    if type(target) is cst.Name:
        yield target.value
    elif type(target) is cst.Tuple or type(target) is cst.List:
        for element in target.elements:
            yield from target_names(element.value)


def _stored_names(target: cst.CSTNode) -> Iterator[str]:
    """The names through which assigning to `target` stores items."""
    if type(target) is cst.Tuple or type(target) is cst.List:
        for element in target.elements:
            yield from _stored_names(element.value)
        return
    root = target
    while type(root) is cst.Subscript:
        root = root.value
    if root is not target and type(root) is cst.Name:
        yield root.value


def _has_attribute(target: cst.CSTNode) -> bool:
    if type(target) is cst.Tuple or type(target) is cst.List:
        return any(_has_attribute(element.value) for element in target.elements)
    return type(target) is cst.Attribute


def parameters_of(parameters: cst.Parameters) -> list[cst.Param]:
    """All parameters in order, ``*args`` and ``**kwargs`` included."""
    result = [*parameters.posonly_params, *parameters.params]
    if type(parameters.star_arg) is cst.Param:
        result.append(parameters.star_arg)
    result.extend(parameters.kwonly_params)
    if parameters.star_kwarg is not None:
        result.append(parameters.star_kwarg)
    return result


def single_parameters(parameters: cst.Parameters) -> list[cst.Param]:
    """Those that take one argument each: ``*args`` is a tuple and ``**kwargs`` a dict, whatever is said of an item."""
    return [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]


def signature_names(parameters: cst.Parameters) -> tuple[str, ...]:
    """The names of all parameters in order, with ``*`` or ``**`` before those that take what is left."""
    stars = {id(parameters.star_arg): "*", id(parameters.star_kwarg): "**"}
    return tuple(stars.get(id(item), "") + item.name.value for item in parameters_of(parameters))


def absolute(name: str, path: str) -> str:
    """The canonical name of what a module at `path` imports, with the package that it is relative to."""
    short = name.lstrip(".")
    folders = Path(path).parts[: -(len(name) - len(short))] if short != name else ()
    return ".".join((*folders[-1:], short))


def sketch(node: Any) -> str:
    """An expression in a few words that people find again: ``a.b``, ``a[...]``, ``f(...)``, ``a / b``; else ``...``."""
    kind = type(node)
    if kind is cst.Name or kind is cst.Attribute:
        owner = f"{sketch(node.value)}." if kind is cst.Attribute else ""
        return f"{owner}{node.attr.value if kind is cst.Attribute else node.value}"
    if kind is cst.Subscript:
        return f"{sketch(node.value)}[...]"
    if kind is cst.Call:
        return f"{sketch(node.func)}({'...' if node.args else ''})"
    if kind in _LITERALS:
        return str(node.value)
    if kind is cst.BinaryOperation:
        sign = _SIGNS.get(type(node.operator))
        return f"{sketch(node.left)} {sign} {sketch(node.right)}" if sign else "..."
    return "..."


_LITERALS = frozenset((cst.Integer, cst.Float, cst.SimpleString))
_SIGNS = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.Divide: "/", cst.FloorDivide: "//", cst.Modulo: "%",
    cst.Power: "**", cst.MatrixMultiply: "@",
}  # fmt: skip


def dotted(node: cst.CSTNode) -> str:
    """``a.b.c`` of a chain of attributes, or "" for anything else."""
    if type(node) is cst.Name:
        return node.value
    if type(node) is cst.Attribute:
        left = dotted(node.value)
        return f"{left}.{node.attr.value}" if left else ""
    return ""
