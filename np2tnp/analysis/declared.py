"""What annotations, and uses that only one kind of value allows, say of a function's parameters."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.values import GENERATORS, NO_NAMES, Array, Sequence, Symbol, Unknown, Value
from np2tnp.analysis.module import FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted, single_parameters

_SCALAR_ANNOTATIONS = {"int": "int", "float": "float", "bool": "bool", "str": "str", "complex": "complex"}
_ARRAY_ANNOTATIONS = ("ndarray", "NDArray")
_CONTAINER_ANNOTATIONS = frozenset(
    "list dict List Dict MutableSequence MutableMapping DefaultDict defaultdict OrderedDict Counter".split()
)
#: ... and those that nobody stores into by a key.
_CONTAINERS = _CONTAINER_ANNOTATIONS | frozenset("set Set MutableSet deque Deque".split())


def scalar_annotation(parameter: cst.Param) -> str | None:
    """The Python type of a parameter that is annotated as a plain number or text; None for any other."""
    if parameter.annotation is None:
        return None
    return _SCALAR_ANNOTATIONS.get(dotted(parameter.annotation.annotation))


def texts(function: FunctionInfo) -> frozenset[str]:
    """Parameters that are text by default: whatever is computed from them, they are no arrays."""
    parameters = single_parameters(function.node.params)
    return frozenset(p.name.value for p in parameters if type(p.default) is cst.SimpleString)


def handed_texts(function: FunctionInfo) -> frozenset[str]:
    """Parameters that are text, by default or by what they are compared with, and are compared or handed on.

    They reach the body as they are: converting what is no array would say nothing, and an array stays right.
    """
    uses = function.uses
    if not uses.told_apart and not uses.handed:
        return NO_NAMES
    names = {p.name.value for p in single_parameters(function.node.params)}
    return frozenset(uses.told_apart & names | texts(function) & uses.handed)


#: Expressions by default that may make an array.
_MAKING = frozenset((cst.Call, cst.Subscript, cst.BinaryOperation))


def array_defaults(
    function: FunctionInfo, module: ModuleInfo, resolve: Callable[[str], Value | None]
) -> dict[str, str]:
    """Parameters that may be arrays by default, and the place of each default: a global, or the function itself."""
    found: dict[str, str] = {}
    for parameter in single_parameters(function.node.params):
        name, node = parameter.name.value, parameter.default
        if type(node) is cst.Name:
            value = module.values.get(node.value)
            value = resolve(value.name) if isinstance(value, Symbol) else value
            if isinstance(value, (Array, Unknown, Sequence)):
                found[name] = f"global:{module.path}:{node.value}"
        elif type(node) in _MAKING:
            found[name] = f"kept by {function.qualname} as {name}"
    return found


def likely_numbers(function: FunctionInfo) -> frozenset[str]:
    """Parameters that are compared as single numbers, are numbers by default, or are added to what began as a number.

    Or that are a shape by themselves. Arrays and tuples may be passed all the same.
    """
    uses = function.uses
    plain = (
        uses.plain
        | (uses.lengths - uses.assigned)
        | {source for target, source in uses.steps if target in uses.numbers}
    )
    while more := {source for target, source in uses.copies if target in plain} - plain:
        plain |= more
    parameters = single_parameters(function.node.params)
    defaults = {p.name.value for p in parameters if isinstance(_unsigned(p.default), (cst.Integer, cst.Float))}
    return frozenset(plain & {p.name.value for p in parameters} | defaults)


def _unsigned(node: cst.BaseExpression | None) -> cst.BaseExpression | None:
    return node.expression if type(node) is cst.UnaryOperation else node


def declared(function: FunctionInfo) -> tuple[frozenset[str], frozenset[str]]:
    """Parameters that annotations or unmistakable uses say are arrays, and those that are Python scalars."""
    arrays: set[str] = set()
    scalars: set[str] = set()
    names: set[str] = set()
    converted = function.uses.converted  # lists are welcome there, whatever the annotation says
    for parameter in single_parameters(function.node.params):
        name = parameter.name.value
        names.add(name)
        if parameter.annotation is not None:
            annotation = parameter.annotation.annotation
            inner = annotation.value if type(annotation) is cst.Subscript else annotation
            if dotted(inner).rpartition(".")[2] in _ARRAY_ANNOTATIONS and name not in converted:
                arrays.add(name)
        if scalar_annotation(parameter) and name not in converted:
            scalars.add(name)
    scalars |= (function.uses.counts - function.uses.assigned) & names
    return frozenset(arrays), frozenset(scalars)


def filled_containers(function: FunctionInfo) -> frozenset[str]:
    """Parameters that are annotated as lists or dicts and stored into.

    The annotation is believed, not proved: such a parameter reaches the body as it is, so that Python's own store is
    made into whatever was passed, an array too.
    """
    stored = function.uses.stored - function.uses.assigned
    if not stored:
        return NO_NAMES
    return frozenset(
        parameter.name.value
        for parameter in single_parameters(function.node.params)
        if parameter.name.value in stored
        and parameter.annotation is not None
        and _is_container(parameter.annotation.annotation)
    )


def declared_containers(function: FunctionInfo) -> frozenset[str]:
    """The parameters of a function that are annotated as lists, dicts or sets, and are never bound to anything else."""
    names = {
        parameter.name.value
        for parameter in single_parameters(function.node.params)
        if parameter.annotation is not None and _is_container(parameter.annotation.annotation, _CONTAINERS)
    }
    return frozenset(names - function.uses.assigned)


def _is_container(annotation: cst.BaseExpression, names: frozenset[str] = _CONTAINER_ANNOTATIONS) -> bool:
    if type(annotation) is cst.BinaryOperation:  # ``list | None``
        sides = (annotation.left, annotation.right)
        return any(_is_container(side, names) for side in sides) and any(dotted(side) == "None" for side in sides)
    if type(annotation) is cst.Subscript:
        if dotted(annotation.value).rpartition(".")[2] == "Optional":
            inner = annotation.slice[0].slice
            return type(inner) is cst.Index and _is_container(inner.value, names)
        annotation = annotation.value
    return dotted(annotation).rpartition(".")[2] in names


def random_generator(
    annotation: cst.BaseExpression, evaluate: Callable[[cst.BaseExpression, Env], Value]
) -> Value | None:
    """What stands for an object of the class `annotation`, where that is one of NumPy's random generators."""
    if dotted(annotation).rpartition(".")[2] not in ("Generator", "RandomState"):
        return None
    value = evaluate(annotation, Env())
    return value if value in GENERATORS else None
