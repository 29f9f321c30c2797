"""Subclasses of ndarray: which classes and parameters of a module are some, by bases and annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from np2tnp.analysis.domain.events import Argument
from np2tnp.analysis.domain.values import HOST, NONE, SUBCLASS, Array, Class, Sequence, Symbol, Unknown, Value
from np2tnp.analysis.module.contents import ClassInfo, ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted

#: NumPy's own subclasses of ndarray, by every public name.
SUBCLASSES = frozenset(
    (
        *("numpy.matrix", "numpy.memmap", "numpy.recarray", "numpy.rec.recarray", "numpy.chararray"),
        *("numpy.char.chararray", "numpy.ma.MaskedArray", "numpy.ma.masked_array", "numpy.ma.core.MaskedArray"),
    )
)

#: Calls that make one.
MAKERS = SUBCLASSES | {"numpy.asmatrix", "numpy.mat", "numpy.bmat"}
#: Functions of np.ma that give no masked array.
_QUESTIONS = frozenset(("is_masked", "isMaskedArray", "isMA", "isarray", "count", "count_masked", "is_mask"))
#: Those that take one, and give ordinary arrays.
_UNMASKING = frozenset("getdata getmask getmaskarray filled compressed clump_masked make_mask compress_nd".split())

#: Those that change one, or are classes to inherit from.
_CHANGING = frozenset("put putmask harden_mask soften_mask unshare_mask resize mvoid".split())
_MATRICES = frozenset(("numpy.matrix", "numpy.asmatrix", "numpy.mat", "numpy.bmat"))
#: Methods of masked arrays that give ordinary ones.
UNMASKING_METHODS = frozenset(("filled", "compressed", "count"))

#: What a class inherits from whose objects are arrays.
ARRAYS = SUBCLASSES | {"numpy.ndarray"}


def may_mask(api: str) -> bool:
    """Whether NumPy's function `api` takes or gives arrays of a subclass."""
    if api.startswith("numpy.ma."):
        return api.rpartition(".")[2] not in _QUESTIONS
    return api in MAKERS or api.startswith("numpy.rec.")


def makes_subclass(api: str) -> bool:
    """Whether the result of NumPy's function `api` may be an array of a subclass."""
    return may_mask(api) and not (api.startswith("numpy.ma.") and api.rpartition(".")[2] in _UNMASKING)


def is_followed(api: str) -> bool:
    """Whether a function only reads what it gets, and what it `makes_subclass` is a masked array or a matrix.

    That stays NumPy's where all its uses are seen.
    """
    if api.startswith("numpy.ma."):
        return may_mask(api) and api.rpartition(".")[2] not in _CHANGING
    return api in _MATRICES


def copies(api: str, arguments: Iterable[Argument]) -> bool:
    """Whether what `is_followed` shares no memory with the arguments."""
    name = api.rpartition(".")[2]
    return name.startswith("masked_") and name != "masked_array" and not any(item.name == "copy" for item in arguments)


def holds_subclass(value: Value) -> bool:
    """Whether `value` is, or holds, what may be an array of a subclass."""
    if isinstance(value, Sequence):
        items = value.items if value.items is not None else (value.element,)
        return SUBCLASS in value.refs or any(map(holds_subclass, items))
    return SUBCLASS in value.refs


def maps_file(api: str, arguments: Iterable[Argument]) -> bool:
    """Whether the call opens a file as an array."""
    return api == "numpy.load" and any(item.name == "mmap_mode" and item.value != NONE for item in arguments)


def seen_outside(value: Value, shown: frozenset[str]) -> Value:
    """`value` of the top level, whose memory lies at `shown`, as regions see it: it may be of a subclass."""
    is_array = isinstance(value, (Array, Unknown)) and SUBCLASS in shown
    return Unknown(HOST, frozenset((SUBCLASS,))) if is_array else value


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
