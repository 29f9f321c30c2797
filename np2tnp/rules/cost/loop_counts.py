"""How often a loop runs, as far as its text tells, and what it is that is no array there: a shape, a set."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk
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
    name = dotted(node.func).rpartition(".")[2]
    arguments = [argument.value for argument in node.args if argument.keyword is None]
    call = context.calls.get(id(node))
    if call is not None and call.api in _BY_AXIS:
        return True
    if name in ("enumerate", "zip", "reversed", "sorted", "list", "tuple"):
        return any(_is_short(argument, context) for argument in arguments)
    if name in _COMBINING:
        return bool(arguments) and all(_is_short(it, context) or type(it) is cst.Integer for it in arguments)
    if name != "range" or not arguments:
        return False
    if any(_is_rank(part, context) for it in arguments for part in walk(it)):
        return True
    numbers = [int(argument.value, 0) for argument in arguments if isinstance(argument, cst.Integer)]
    return len(numbers) == len(arguments) and len(range(*numbers)) <= FEW


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
