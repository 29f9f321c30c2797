"""What symbols of a trace cannot do as tensors do: be asked for their length or number."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from typing import TypeVar, cast

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Bound, Function
from np2tnp.analysis.syntax.liveness import NONE, Names
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import Transformer, walk
from np2tnp.edits import build

Node = TypeVar("Node", bound=cst.CSTNode)


def without_builtins(node: Node, runtime: str, shadowed: Names) -> Node:
    """`node` with ``len(x)`` as ``rt.length(x)``, and so on for types of numbers, and what is iterated over."""
    return cast(Node, node.visit(_Builtins(runtime, shadowed)))


def without_conversions(node: Node, runtime: str, shadowed: Names) -> Node:
    """`node` with only those builtins exchanged that no symbol can do as tensors do."""
    return cast(Node, node.visit(_Conversions(runtime, shadowed)))


#: Builtin -> function of the runtime that takes symbols, too.
_BUILTINS = {
    "len": "length",
    "float": "python_float",
    "int": "python_int",
    "bool": "python_bool",
    "type": "python_type",
}
#: The same of those that compare two arguments or more.
_COMPARING = {"max": "python_max", "min": "python_min"}


#: Builtins that iterate over their arguments (`map` over those after the first).
_ITERATING = frozenset(("enumerate", "zip", "reversed", "list", "tuple", "map"))


class _Builtins(Transformer):
    def __init__(self, runtime: str, shadowed: Names) -> None:
        super().__init__()
        self.runtime = runtime
        self.shadowed = shadowed

    def leave_Call(  # noqa: N802 - the name is libcst's
        self, original_node: cst.Call, updated_node: cst.Call
    ) -> cst.BaseExpression:
        func = updated_node.func
        if not isinstance(func, cst.Name) or func.value in self.shadowed:
            return self._unpacking(updated_node)
        if func.value in _ITERATING:
            first = 1 if func.value == "map" else 0
            arguments = [
                arg.with_changes(value=self._iterated(arg.value) if number >= first else self._mapped(arg.value))
                if arg.keyword is None
                else arg
                for number, arg in enumerate(updated_node.args)
            ]
            return updated_node.with_changes(args=arguments)
        plain = all(not arg.star and arg.keyword is None for arg in updated_node.args)
        if func.value in _COMPARING and plain and len(updated_node.args) > 1:
            return updated_node.with_changes(func=build.name(f"{self.runtime}.{_COMPARING[func.value]}"))
        if func.value not in _BUILTINS:
            return self._unpacking(updated_node)
        if len(updated_node.args) != 1 or updated_node.args[0].star or updated_node.args[0].keyword is not None:
            return updated_node
        return updated_node.with_changes(func=build.name(f"{self.runtime}.{_BUILTINS[func.value]}"))

    def leave_CompFor(self, original_node: cst.CompFor, updated_node: cst.CompFor) -> cst.CompFor:  # noqa: N802
        return updated_node.with_changes(iter=self._iterated(updated_node.iter))

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:  # noqa: N802
        if any(isinstance(target.target, (cst.Tuple, cst.List)) for target in updated_node.targets):
            return updated_node.with_changes(value=self._iterated(updated_node.value))
        return updated_node

    def _unpacking(self, node: cst.Call) -> cst.Call:
        """A call with ``*x`` in it, where `x` may be an array."""
        arguments = [arg.with_changes(value=self._iterated(arg.value)) if arg.star == "*" else arg for arg in node.args]
        return node.with_changes(args=arguments)

    def _mapped(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What `map` calls: ``type`` knows no symbols."""
        is_type = isinstance(node, cst.Name) and node.value == "type" and "type" not in self.shadowed
        return build.name(f"{self.runtime}.{_BUILTINS['type']}") if is_type else node

    def _iterated(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """`node`, which is iterated over, through the runtime where it may be an array by its form."""
        if isinstance(node, cst.Attribute) and node.attr.value == "shape":
            return node
        func = dotted(node.func) if isinstance(node, cst.Call) else ""
        made = func.startswith((f"{self.runtime}.", "tnp.")) and func != f"{self.runtime}.elements"
        if not made and not isinstance(node, (cst.Name, cst.Attribute, cst.Subscript, cst.BinaryOperation)):
            return node
        return build.call(f"{self.runtime}.elements", build.argument(node))


class _Conversions(Transformer):
    def __init__(self, runtime: str, shadowed: Names) -> None:
        super().__init__()
        self.names = {name: f"{runtime}.{exact}" for name, exact in _BUILTINS.items() if name not in {"len"} | shadowed}

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: N802
        func = updated_node.func
        name = func.value if isinstance(func, cst.Name) else ""
        return updated_node.with_changes(func=build.name(self.names[name])) if name in self.names else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:  # noqa: N802
        exact = self.names.get("type")  # also of ``map(type, x)``
        return build.name(exact) if exact and updated_node.value == "type" else updated_node


# --- Which attributes of its object a compiled method reads as arrays only through the runtime


def array_attributes(
    function: cst.FunctionDef, runtime: str, admitted: Names = NONE, beside: Names = NONE
) -> tuple[str, ...]:
    """The attributes of ``self`` that only ``rt.tensor``, ``rt.array`` and exact operators of the `function` get.

    It is the rewritten one. These take a tensor for an ndarray. Wherever else an attribute stands, NumPy's own
    semantics are meant. But of arrays that its door has `admitted`, operators and tnp's functions give the same; and
    where an attribute is an operand, tensors are `beside` it: their operators answer, as for an ndarray.
    """
    through: set[int] = set()
    for part in walk(function):
        if type(part) is cst.Call and _takes_tensors(part.func, runtime):
            through.update(id(argument.value) for argument in part.args if not argument.star)
        elif type(part) is cst.Call and admitted and dotted(part.func).startswith("tnp."):
            through.update(id(argument.value) for argument in part.args if _is_one(argument.value, admitted))
        elif type(part) is cst.BinaryOperation:
            known = admitted | beside if isinstance(part.operator, _SAME) else beside
            through.update(id(side) for side in (part.left, part.right) if _is_one(side, known))
        elif type(part) is cst.Comparison and len(part.comparisons) == 1:
            (target,) = part.comparisons
            if not isinstance(target.operator, _OF_OBJECTS):
                through.update(id(side) for side in (part.left, target.comparator) if _is_one(side, beside))
    own = [part for part in walk(function) if type(part) is cst.Attribute and _is_self(part.value)]
    raw = {part.attr.value for part in own if id(part) not in through}
    return tuple(sorted({part.attr.value for part in own} - raw))


def beside_tensors(function: cst.CSTNode, known: Container[int]) -> Names:
    """The attributes of ``self`` beside which a tensor stands wherever they are operands: these nodes are `known`."""
    sides = [side for part in walk(function) for side in _operands(part) if isinstance(side, cst.Attribute)]
    own = [side for side in sides if _is_self(side.value)]
    return frozenset(side.attr.value for side in own) - {side.attr.value for side in own if id(side) not in known}


def _operands(node: cst.CSTNode) -> tuple[cst.BaseExpression, ...]:
    if type(node) is cst.BinaryOperation:
        return node.left, node.right
    if type(node) is cst.Comparison:
        return node.left, *(target.comparator for target in node.comparisons)
    return (node.expression,) if type(node) is cst.UnaryOperation else ()


#: Operators that look at the very object, or ask it otherwise.
_OF_OBJECTS = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
#: Operators that give the same for an ndarray and for a tensor, where a door lets in what they are plain for.
_SAME = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.MatrixMultiply)


def _is_one(node: cst.BaseExpression, names: Names) -> bool:
    """Whether `node` is the attribute of ``self`` of one of these names."""
    return isinstance(node, cst.Attribute) and _is_self(node.value) and node.attr.value in names


def _takes_tensors(node: cst.BaseExpression, runtime: str) -> bool:
    if not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Name) or node.value.value != runtime:
        return False
    name = node.attr.value
    return name in ("tensor", "array", "asarray") or name.startswith("op_")


def _is_self(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "self"


# --- Functions whose default text is, word for word, what a trace may take: the runtime compiles what of them is hot
#
# So the default stays plain code of tnp's. What has to be written otherwise for a graph stays eager: loops that values
# end, numbers that are made of arrays, attributes that become inputs. A trace unrolls other loops, as far as it may.

_EMPTY = cst.Module([])


def reads_alike(plain: cst.FunctionDef, compiled: cst.FunctionDef, runtime: str, shadowed: Names) -> bool:
    """Whether the bodies are one text, and a trace can run through it."""
    if any(isinstance(part, cst.While) for part in walk(compiled.body)):
        return False
    made = without_conversions(compiled.body, runtime, shadowed)
    return _EMPTY.code_for_node(plain.body) == _EMPTY.code_for_node(made)


def held_arrays(facts: ev.RegionFacts) -> Names:
    """The attributes of ``self`` that the door of the function lets in as arrays."""
    doors = ((name, it.word) for name, it in facts.door.items() if name.startswith("self."))
    return frozenset(name.removeprefix("self.") for name, word in doors if word not in ("numbers", "counts"))


def closed(found: dict[str, ev.RegionFacts], migrated: Collection[str], module: str) -> frozenset[str]:
    """Of the functions `found` those that call no migrated function that is not among them, nor another module's.

    What calls one that stays eager stays so, too: a trace cannot hold it.
    """
    kept = set(found)
    while True:
        others = {name for name in migrated if name not in kept}
        methods = {name.rpartition(".")[2] for name in others if "." in name}
        left = {name for name in kept if any(it in others | {""} for it in _called(found[name], methods, module))}
        if not left:
            return frozenset(kept)
        kept -= left


def _called(facts: ev.RegionFacts, methods: set[str], module: str) -> Iterator[str]:
    """What functions the region calls, by their names; "" for one that may be out of sight, or one of `methods`."""
    for event in facts.events:
        callee = event.callee if isinstance(event, ev.Call) else None
        if isinstance(callee, Function) and not callee.nested:
            yield callee.qualname if callee.module in ("", module) else ""
        elif isinstance(callee, Bound) and callee.name in methods:
            yield ""
