"""Names for parts of arrays through which functions store: ``u = U[1:-1, 1:-1]``, and later ``u += ...``.

A tensor has no views, so a store through `u` would be lost in `U`. NumPy shows the same memory for the same key each
time it is asked, so the key is put in the place of the name: ``U[1:-1, 1:-1] += ...``. That is done where it is certain
that name, array and key mean the same at each use: each is bound once, before, and all uses follow in the same block.
The analysis then sees plain stores and reads of one array.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any

import libcst as cst

from np2tnp.analysis.syntax.own_scope import OwnScope, Use, is_met, module_called
from np2tnp.analysis.syntax.scopes import single_parameters, target_names
from np2tnp.analysis.syntax.walk import PARTS, walk

# --- Which functions name parts of something, and what functions store into

_IN_PLACE = frozenset("fill sort partition put itemset byteswap".split())
#: The fields in which statements hold statements.
_BLOCKS: dict[type, tuple[str, ...]] = {
    cst.IndentedBlock: ("body",), cst.SimpleStatementSuite: ("body",), cst.SimpleStatementLine: ("body",),
    cst.If: ("body", "orelse"), cst.Else: ("body",), cst.For: ("body", "orelse"), cst.While: ("body", "orelse"),
    cst.With: ("body",), cst.Try: ("body", "handlers", "orelse", "finalbody"), cst.ExceptHandler: ("body",),
    cst.Finally: ("body",), cst.TryStar: ("body", "handlers", "orelse", "finalbody"), cst.ExceptStarHandler: ("body",),
    cst.Match: ("cases",), cst.MatchCase: ("body",),
}  # fmt: skip


def may_have_parts(function: cst.FunctionDef) -> bool:
    """Whether statements name parts of something, and store into that or them: most functions need no closer look."""
    named: set[str] = set()
    stored: set[str] = set()
    stack: list[Any] = [function.body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.Assign:
            value: Any = node.value
            values: list[Any] = [element.value for element in value.elements] if type(value) is cst.Tuple else [value]
            if all(type(part) is cst.Subscript and type(part.value) is cst.Name for part in values):
                named.update(part.value.value for part in values)
                named.update(chain.from_iterable(target_names(target.target) for target in node.targets))
            stored.update(stored_into(node.targets))
        elif kind is cst.AugAssign or kind is cst.For:
            stored.update(stored_into([node]))
        elif kind is cst.Expr and type(node.value) is cst.Call:
            stored.update(stored_into([node.value, *node.value.args]))
        if kind in _BLOCKS:
            stack.extend(part for name in _BLOCKS[kind] if (part := getattr(node, name)) is not None)
        elif kind is list or kind is tuple:
            stack.extend(node)
    return not named.isdisjoint(stored)


def stored_into(nodes: Iterable[Any]) -> Iterator[str]:
    """The names of the arrays that a function stores into, whatever it stores."""
    for node in nodes:
        kind = type(node)
        if kind is cst.AssignTarget or kind is cst.AugAssign or kind is cst.For:
            yield from _roots(node.target, kind is cst.AugAssign)
        elif kind is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in _IN_PLACE:
            yield from _roots(node.func.value, True)
        elif kind is cst.Arg and node.keyword is not None and node.keyword.value == "out":
            yield from _roots(node.value, True)


def _roots(target: Any, itself: bool) -> Iterator[str]:
    if type(target) in (cst.Tuple, cst.List):
        for element in target.elements:
            yield from _roots(element.value, itself)
        return
    root = target
    while type(root) is cst.Subscript:
        root = root.value
    if type(root) is cst.Name and (itself or root is not target):
        yield root.value


#: A name for a part of something; most files have none, and need no more of this.
_LIKELY = re.compile(r"^[ \t]+\w+(?:[ \t]*,[ \t]*\w+)*[ \t]*=[ \t]*\w+\[[^\n\]=]*(?::|\.\.\.)", re.MULTILINE)

#: Functions with one of these are left as they are: names are bound, or read, out of sight, or at another time.
_OPAQUE = frozenset((cst.Global, cst.Nonlocal, cst.Yield, cst.Await))
_OPAQUE_CALLS = frozenset("locals vars globals exec eval id setattr".split())
#: What is asked of the very object, not of its memory.
_OF_THE_OBJECT = frozenset("flags setflags resize ctypes base data __array_interface__".split())
#: Functions of Python's that read what they get, and keep nothing.
_READING = frozenset("len abs float int complex bool sum min max range print".split())
#: NumPy's functions that make an array, whatever they get: of others a part may be one of a tuple or list.
_MAKERS = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like array asarray ascontiguousarray asfortranarray"
    " copy arange eye identity tri diag tile repeat concatenate stack vstack hstack dstack column_stack pad reshape"
    " transpose ravel roll flip outer dot matmul fromfunction"
    " add subtract multiply divide power maximum minimum abs absolute exp log sqrt square sin cos tan tanh sort cumsum"
    " clip round sum mean".split()
)
#: Attributes by which an array, and so what a key shows of it, gets another form.
_FORMS = frozenset(("shape", "dtype", "strides", "data"))
_TARGETS = frozenset((cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr, cst.Del))


@dataclass(slots=True)
class Inlined:
    """What was put into one module's tree."""

    places: dict[int, cst.CSTNode] = field(default_factory=dict)  #: id of a new node -> the name it stands for
    shown: dict[int, frozenset[str]] = field(default_factory=dict)
    """By id of a function, parameters whose parts had names: if they are no arrays, nothing here holds."""
    originals: dict[int, cst.FunctionDef] = field(default_factory=dict)  #: by id, as they were, of libcst's own trees
    alive: list[cst.CSTNode] = field(default_factory=list)  #: nodes whose ids must stay theirs


@dataclass(slots=True)
class _View:
    """``name = base[key]``, and where that stands."""

    name: str
    base: str
    value: cst.Subscript
    uses: list[Use]
    statement: cst.Assign
    line: cst.SimpleStatementLine
    block: cst.IndentedBlock
    is_met: bool  #: a use is the next thing to happen: a key that does not fit raises there as it would here


def is_likely(text: str) -> bool:
    """Whether there may be such a name in a text; most have none."""
    return _LIKELY.search(text) is not None


def inline_views(tree: cst.Module, text: str, editable: bool) -> Inlined:
    """Replace the names for parts of arrays in the functions of `tree`, in place.

    `editable`: `tree` is libcst's own, whose functions are kept as they were, too.
    """
    found = Inlined()
    if not is_likely(text):
        return found
    modules = _numpy_names(tree)
    reforms: bool | None = None
    for function in _outermost_functions(tree):
        views = _views_in(function, modules)
        if views and reforms is None:
            reforms = _gives_forms(tree)
        if not views or (reforms and _may_be_reformed(function, views, modules)):
            continue
        own = {parameter.name.value for parameter in single_parameters(function.params)}
        bases = frozenset(view.base for view in views) & own
        if editable:
            found.originals[id(function)] = function.deep_clone()
        found.shown[id(function)] = bases
        for view in views:
            for use in view.uses:
                _replace(use, view.value, found)
        for view in {id(v.statement): v for v in views}.values():
            if all(other.is_met for other in views if other.statement is view.statement):
                _remove(view.statement, view.line, view.block, editable)
            else:
                _keep_value(view.statement, view.line, found)
            found.alive += (view.statement, view.line)
    return found


def _numpy_names(tree: cst.Module) -> frozenset[str]:
    """The names that an import at top level, and nothing else there, gives to NumPy."""
    names: set[str] = set()
    for node in tree.body:
        for small in node.body if type(node) is cst.SimpleStatementLine else ():
            if type(small) is cst.Import:
                for alias in small.names:
                    if type(alias.name) is cst.Name and alias.name.value == "numpy":
                        as_name = alias.asname.name if alias.asname is not None else alias.name
                        names.add(as_name.value)  # type: ignore[union-attr]
    bound = OwnScope(tree.body).bound
    return frozenset(name for name in names if bound[name] == 1)


def _outermost_functions(tree: cst.Module) -> Iterator[cst.FunctionDef]:
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if type(node) is cst.FunctionDef:
            yield node
        else:
            stack.extend(PARTS[type(node)](node))


def _views_in(function: cst.FunctionDef, modules: frozenset[str]) -> list[_View]:
    """The names that can be replaced, where the function stores through one of them or into what they show."""
    if not may_have_parts(function):
        return []
    scan = OwnScope([function.params, function.body])
    if any(type(node) in _OPAQUE for node in scan.nodes) or not _OPAQUE_CALLS.isdisjoint(scan.uses):
        return []
    modules = frozenset(name for name in modules if not scan.bound[name])
    stores = set(stored_into(scan.nodes))
    arrays = _arrays(function, scan, modules)
    own = frozenset(parameter.name.value for parameter in single_parameters(function.params))
    found: list[list[_View]] = []
    for block in scan.blocks:
        for number, line in enumerate(block.body):
            if type(line) is not cst.SimpleStatementLine:
                continue
            for place, statement in enumerate(line.body):
                if type(statement) is cst.Assign:
                    later = [*line.body[place + 1 :], *block.body[number + 1 :]]
                    views = _views_of(statement, later, scan, arrays, own, modules)
                    views = [view for view in views if stores.isdisjoint(_names_in_key(view[2]))] if views else []
                    found.append([_View(*v, statement, line, block, is_met(v[3], later, scan, modules)) for v in views])
    shown: dict[str, set[str]] = {}
    for view in chain.from_iterable(found):
        shown.setdefault(view.base, {view.base}).add(view.name)
    changed = {base for base, names in shown.items() if not stores.isdisjoint(names)}
    return [view for views in found if any(view.base in changed for view in views) for view in views]


def _arrays(function: cst.FunctionDef, scan: OwnScope, modules: frozenset[str]) -> frozenset[str]:
    """Names that hold one array all along: parameters, for which the boundary looks, and what NumPy made."""
    found: set[str] = set()
    for parameter in single_parameters(function.params):
        annotation = parameter.annotation
        words = [part.value for part in walk(annotation) if type(part) is cst.Name] if annotation is not None else []
        if annotation is None or any("array" in word.lower() for word in words):
            found.add(parameter.name.value)
    for node in scan.nodes:
        if type(node) is cst.Assign and len(node.targets) == 1 and _makes_array(node.value, modules):
            target = node.targets[0].target
            if type(target) is cst.Name:
                found.add(target.value)
    return frozenset(name for name in found if scan.bound[name] == 1) - {"self", "cls"}


def _makes_array(node: Any, modules: frozenset[str]) -> bool:
    return module_called(node) in modules and node.func.attr.value in _MAKERS


def _gives_forms(tree: cst.CSTNode) -> bool:
    """Whether something in `tree` assigns to ``array.shape`` and the like, or resizes an array."""
    for node in walk(tree):
        targets = [node.target] if type(node) in _TARGETS else []  # type: ignore[attr-defined]
        while targets:
            target = targets.pop()
            if type(target) in (cst.Tuple, cst.List):
                targets += [element.value for element in target.elements]
            elif type(target) is cst.Attribute and target.attr.value in _FORMS:
                owns = type(target.value) is cst.Name and target.value.value == "self"  # an object's, not an array's
                if not owns:
                    return True
        if type(node) is cst.Attribute and node.attr.value == "resize":
            return True
    return False


def _may_be_reformed(function: cst.FunctionDef, views: list[_View], modules: frozenset[str]) -> bool:
    """Whether a function of a module that gives arrays other forms may do so, or have it done, to arrays with parts."""
    if _gives_forms(function):
        return True
    scan = OwnScope([function.body])
    parents = [use.parent for view in views for use in scan.uses.get(view.base, ())]
    calls = [scan.calls[id(parent)] for parent in parents if type(parent) is cst.Arg]
    return any(module_called(call) not in modules for call in calls)


def _views_of(
    statement: cst.Assign,
    later: Sequence[Any],
    scan: OwnScope,
    arrays: frozenset[str],
    own: frozenset[str],
    modules: frozenset[str],
) -> list[tuple[str, str, cst.Subscript, list[Use]]]:
    """Name, array, value and uses of what ``u = U[...]`` or ``u, v = U[...], V[...]`` binds, if all can be replaced."""
    if len(statement.targets) != 1 or not later:
        return []
    target, value = statement.targets[0].target, statement.value
    pairs: list[tuple[Any, Any]] = [(target, value)]
    if type(target) is cst.Tuple and type(value) is cst.Tuple and len(target.elements) == len(value.elements):
        pairs = [(one.value, other.value) for one, other in zip(target.elements, value.elements, strict=True)]
    if not all(
        type(one) is cst.Name
        and type(other) is cst.Subscript
        and type(other.value) is cst.Name
        and other.value.value in arrays
        and _is_basic(other)
        for one, other in pairs
    ):
        return []
    after = OwnScope(later)
    found: list[tuple[str, str, cst.Subscript, list[Use]]] = []
    for one, other in pairs:
        name, base = one.value, other.value.value
        key = _names_in_key(other)
        if name in scan.inner or scan.bound[name] != 1 or any(after.bound[word] for word in (base, *key)):
            return []
        if key & scan.stepped or any(scan.bound[word] != 1 for word in key):
            return []
        uses = [use for use in scan.uses[name] if use.node is not one]
        inside = {id(use.node) for use in after.uses.get(name, ())}
        if not all(id(use.node) in inside and _is_replaceable(use, scan, modules, base not in own) for use in uses):
            return []
        found.append((name, base, other, uses))
    return found if any(uses for *_, uses in found) else []


def _names_in_key(value: cst.Subscript) -> set[str]:
    return {part.value for item in value.slice for part in walk(item) if type(part) is cst.Name}


def _is_basic(value: cst.Subscript) -> bool:
    """Whether the key is made of slices and written integers, at least one of them a slice: it shows the memory.

    Not ``...`` alone, which gives a copy of a scalar.
    """
    sliced = False
    if len(value.slice) == 1 and type(value.slice[0].slice) is not cst.Slice:
        return False
    for element in value.slice:
        index: Any = element.slice
        if type(index) is cst.Slice:
            sliced = True
            if not all(_is_bound(part) for part in (index.lower, index.upper, index.step) if part is not None):
                return False
        elif type(index.value) is cst.Ellipsis:
            sliced = True
        elif not _is_integer(index.value):
            return False
    return sliced


def _is_integer(node: Any) -> bool:
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Minus:
        node = node.expression
    return type(node) is cst.Integer


def _is_bound(node: Any) -> bool:
    """Whether the bound of a slice is the same each time, as long as no name in it is bound again."""
    if _is_integer(node) or type(node) is cst.Name:
        return True
    if type(node) is cst.BinaryOperation:
        known = type(node.operator) in (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide)
        return known and _is_bound(node.left) and _is_bound(node.right)
    if type(node) is cst.UnaryOperation and type(node.operator) is cst.Minus:
        return _is_bound(node.expression)
    return False


def _is_replaceable(use: Use, scan: OwnScope, modules: frozenset[str], is_made: bool) -> bool:
    """Whether an expression for the same memory can stand there: nothing is asked of, or done to, the very object."""
    parent = use.parent
    kind = type(parent)
    if kind is cst.Attribute:
        return parent.attr.value not in _OF_THE_OBJECT
    if kind is cst.ComparisonTarget:
        return type(parent.operator) not in (cst.Is, cst.IsNot)
    if kind is cst.Comparison:
        return all(type(item.operator) not in (cst.Is, cst.IsNot) for item in parent.comparisons)
    if kind is cst.IfExp:  # a side is the view itself, under another name
        return use.name == "test"
    if kind is cst.Return:  # the view itself is given out: the caller's array must not be what it shows
        return is_made
    if kind is cst.Arg:
        call = scan.calls[id(parent)]
        return module_called(call) in modules or (type(call.func) is cst.Name and call.func.value in _READING)
    # what is kept is the view itself
    return kind not in (cst.Element, cst.DictElement, cst.AssignTarget, cst.Assign, cst.NamedExpr, cst.BooleanOperation)


def _remove(statement: cst.Assign, line: cst.SimpleStatementLine, block: cst.IndentedBlock, editable: bool) -> None:
    """Take the statement out of its line, or the line out of its block; its comments go to what follows."""
    if len(line.body) > 1:
        _set(line, "body", [small for small in line.body if small is not statement])
        return
    number = next(n for n, other in enumerate(block.body) if other is line)
    if editable:
        comments = [row for row in line.leading_lines if row.comment is not None]
        if line.trailing_whitespace.comment is not None:
            comments.append(cst.EmptyLine(comment=line.trailing_whitespace.comment))
        below: Any = block.body[number + 1]
        _set(below, "leading_lines", [*comments, *below.leading_lines])
    _set(block, "body", [*block.body[:number], *block.body[number + 1 :]])


def _keep_value(statement: cst.Assign, line: cst.SimpleStatementLine, found: Inlined) -> None:
    """Leave ``array[key]`` where it was named: a key that does not fit raises there, and perhaps nowhere else."""
    kept = object.__new__(cst.Expr)
    _set(kept, "value", statement.value)
    if hasattr(statement, "semicolon"):
        _set(kept, "semicolon", statement.semicolon)
    found.places[id(kept)] = statement
    found.alive.append(kept)
    _set(line, "body", [kept if small is statement else small for small in line.body])


def _set(node: cst.CSTNode, name: str, value: object) -> None:
    object.__setattr__(node, name, value)


def _replace(use: Use, value: cst.Subscript, found: Inlined) -> None:
    """Put a copy of `value` in the place of the name, and of ``name[...]``."""
    copy = _copied(value)
    if type(use.parent) is cst.Subscript and use.name == "value" and _is_all(use.parent, value):
        for part in ("value", "slice"):
            _set(use.parent, part, getattr(copy, part))
        for node in walk(use.parent):
            if node is not use.parent:
                found.places[id(node)] = use.node
                found.alive.append(node)
        return
    for field_name in ("lpar", "rpar"):
        if hasattr(use.node, field_name):
            _set(copy, field_name, getattr(use.node, field_name))
    for node in walk(copy):
        found.places[id(node)] = use.node
        found.alive.append(node)
    if use.index is None:
        _set(use.parent, use.name, copy)
        return
    items = list(getattr(use.parent, use.name))
    items[use.index] = copy
    _set(use.parent, use.name, type(getattr(use.parent, use.name))(items))


def _is_all(taken: cst.Subscript, value: cst.Subscript) -> bool:
    """Whether the key in `taken` takes all that `value` shows: ``...``, or ``:`` where there is an axis."""
    index: Any = taken.slice[0].slice
    if len(taken.slice) != 1:
        return False
    if type(index) is cst.Slice:
        whole = index.lower is None and index.upper is None and index.step is None
        return whole and any(type(element.slice) is cst.Slice for element in value.slice)
    return type(index.value) is cst.Ellipsis


def _copied(node: Any) -> Any:
    """A copy of `node` with copies of all below it; fields that lowered nodes do not have stay away."""
    if isinstance(node, (list, tuple)):
        return type(node)(map(_copied, node))
    if not isinstance(node, cst.CSTNode):
        return node
    kind = type(node)
    copy = object.__new__(kind)
    for item in fields(kind):
        if hasattr(node, item.name):
            _set(copy, item.name, _copied(getattr(node, item.name)))
    return copy
