"""Subclasses of ndarray: which classes and parameters of a module are some, by bases and annotations."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.module import ClassInfo, ModuleInfo
from np2tnp.analysis.scopes import dotted
from np2tnp.analysis.values import Class, Symbol, Value

#: NumPy's own subclasses of ndarray, by every public name.
SUBCLASSES = frozenset(
    (
        *("numpy.matrix", "numpy.memmap", "numpy.recarray", "numpy.rec.recarray", "numpy.chararray"),
        *("numpy.char.chararray", "numpy.ma.MaskedArray", "numpy.ma.masked_array", "numpy.ma.core.MaskedArray"),
    )
)

#: What a class inherits from whose objects are arrays.
ARRAYS = SUBCLASSES | {"numpy.ndarray"}


def array_base(info: ClassInfo, module: ModuleInfo) -> str | None:
    """The array class that `info` inherits from, directly or not; None where none is known."""
    seen: set[str] = set()
    pending = [info]
    while pending:
        current = pending.pop()
        seen.add(current.qualname)
        for base in current.node.bases:
            value = _resolve(base.value, module)
            if isinstance(value, Symbol) and value.name in ARRAYS:
                return value.name
            if isinstance(value, Class) and value.qualname not in seen and value.qualname in module.classes:
                pending.append(module.classes[value.qualname])
    return None


def annotated_subclass(parameter: cst.Param, module: ModuleInfo) -> str | None:
    """The subclass of ndarray that a parameter's annotation names, somewhere in it; None where there is none."""
    if parameter.annotation is None:
        return None
    for name in _names(parameter.annotation.annotation):
        value = _resolve(name, module)
        if isinstance(value, Symbol) and value.name in SUBCLASSES:
            return value.name
    return None


def _resolve(node: cst.BaseExpression, module: ModuleInfo) -> Value | None:
    """What a name or dotted name of the module's top level denotes."""
    first, _, rest = dotted(node).partition(".")
    value = module.values.get(first)
    if rest and isinstance(value, Symbol):
        return Symbol(f"{value.name}.{rest}")
    return None if rest else value


def _names(annotation: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The names and dotted names in an annotation: in ``A | B``, ``Optional[A]`` and in text."""
    if isinstance(annotation, (cst.Name, cst.Attribute)):
        yield annotation
    elif isinstance(annotation, cst.BinaryOperation):
        yield from _names(annotation.left)
        yield from _names(annotation.right)
    elif isinstance(annotation, cst.Subscript):
        for element in annotation.slice:
            if isinstance(element.slice, cst.Index):
                yield from _names(element.slice.value)
    elif isinstance(annotation, cst.SimpleString) and isinstance(annotation.evaluated_value, str):
        try:
            yield from _names(cst.parse_expression(annotation.evaluated_value))
        except cst.ParserSyntaxError:
            return
