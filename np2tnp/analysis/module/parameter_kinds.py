"""Which parameters are arrays: by annotations, by uses that only arrays allow, by what a module's own functions give
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import kept_by, of_global
from np2tnp.analysis.domain.values import GENERATORS, NO_NAMES, Array, Sequence, Symbol, Unknown, Value
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo
from np2tnp.analysis.syntax.python_tables import ARRAY_MEMBERS
from np2tnp.analysis.syntax.scopes import dotted, parameters_of, single_parameters
from np2tnp.analysis.syntax.walk import PARTS, walk

# --- What annotations, and uses that only one kind of value allows, say of a function's parameters

_SCALAR_ANNOTATIONS = {"int": "int", "float": "float", "bool": "bool", "str": "str", "complex": "complex"}
_ARRAY_ANNOTATIONS = ("ndarray", "NDArray")
_CONTAINER_ANNOTATIONS = frozenset(
    "list dict List Dict MutableSequence MutableMapping DefaultDict defaultdict OrderedDict Counter".split()
)
#: ... and those of which arrays are made.
_SEQUENCES = frozenset("list List tuple Tuple Sequence MutableSequence Iterable Collection deque Deque".split())
#: ... and those that nobody stores into by a key.
_CONTAINERS = _CONTAINER_ANNOTATIONS | frozenset("set Set MutableSet deque Deque".split())


def scalar_annotation(parameter: cst.Param) -> str | None:
    """The Python type of a parameter that is annotated as a plain number or text; None for any other."""
    if parameter.annotation is None:
        return None
    return _SCALAR_ANNOTATIONS.get(dotted(parameter.annotation.annotation))


def texts(function: FunctionInfo) -> frozenset[str]:
    """Parameters that are text by default, or by the docstring: whatever is computed from them, they are no arrays."""
    parameters = single_parameters(function.node.params)
    found = {p.name.value for p in parameters if type(p.default) is cst.SimpleString}
    return frozenset(found | documented(function.node, _IS_TEXT))


def handed_texts(function: FunctionInfo) -> frozenset[str]:
    """Parameters that are text, by default or by what they are compared with, and are compared or handed on.

    And those that the docstring says are text.

    They reach the body as they are: converting what is no array would say nothing, and an array stays right.
    """
    uses = function.uses
    written = documented(function.node, _IS_TEXT)
    names = {p.name.value for p in single_parameters(function.node.params)}
    return frozenset((uses.told_apart | written) & names | texts(function) & uses.handed)


@lru_cache(maxsize=64)
def shown_otherwise(function: cst.CSTNode) -> frozenset[str]:
    """Parameters that are no arrays themselves, as they are used: flags, texts, functions and options by keyword.

    For messages only: whoever calls may give anything.
    """
    if not isinstance(function, cst.FunctionDef):
        return NO_NAMES
    literals = (cst.BaseNumber, cst.SimpleString)
    found = {
        parameter.name.value
        for parameter in parameters_of(function.params)
        if isinstance(parameter.default, literals)
        or (isinstance(parameter.default, cst.Name) and parameter.default.value in ("True", "False"))
    }
    for part in walk(function.body):
        if type(part) is cst.Call:
            found.add(dotted(part.func))
            found.update(dotted(argument.value) for argument in part.args if argument.star == "**")
        elif type(part) is cst.Comparison and isinstance(part.comparisons[0].comparator, cst.SimpleString):
            found.add(dotted(part.left))
    found |= documented(function, _IS_OTHER)
    return frozenset(found & {parameter.name.value for parameter in parameters_of(function.params)})


_ENTRY = re.compile(r"^[ \t]*(\w+(?:, *\w+)*)(?: *: *([^\n]+)| \(([^)\n]+)\):)", re.MULTILINE)
_IS_TEXT = re.compile(
    r"(?:str(?:ing)?|list of str(?:ing)?s?)\b(?!.*(?:array|float|\bint|number|scalar|object|series|frame))",
    re.IGNORECASE,
)
_IS_OTHER = re.compile(r"(?:a )?(?:function|callable|dict|str|string|bool)\b(?!.*(?:\bor\b|array))", re.IGNORECASE)


_NAMED = r"(?:int(?:eger)?|float|scalar|number|real|complex|str(?:ing)?|bool(?:ean)?|None)s?\b"
_IS_SINGLE = re.compile(
    rf"(?:an? |positive |non-negative )?{_NAMED}(?:(?:,|/| or| \|) *(?:an? )?{_NAMED})*"
    r"(?!.*(?:\bor\b|array|list|tuple))",
    re.IGNORECASE,
)


def said_to_be_single(function: FunctionInfo) -> set[str]:
    """Parameters of which an annotation, a docstring or a default says that they are single numbers, texts or flags."""
    parameters = parameters_of(function.node.params)
    constants = (cst.BaseNumber, cst.SimpleString)
    shown = {it.name.value for it in parameters if isinstance(_unsigned(it.default), constants) or _is_flag(it.default)}
    return shown | {p.name.value for p in parameters if scalar_annotation(p)} | documented(function.node, _IS_SINGLE)


def _is_flag(node: cst.BaseExpression | None) -> bool:
    return type(node) is cst.Name and node.value in ("True", "False")


def documented(function: cst.CSTNode, kind: re.Pattern[str]) -> set[str]:
    """The parameters whose types, as the docstring names them (in NumPy's form or Google's), begin as `kind` says."""
    text = function.get_docstring(clean=False) if isinstance(function, cst.FunctionDef) else None
    if not text or not isinstance(function, cst.FunctionDef):
        return set()
    entries = ((names, numpys or googles) for names, numpys, googles in _ENTRY.findall(text))
    found = {name for names, what in entries if kind.match(what) for name in names.replace(" ", "").split(",")}
    return found & {p.name.value for p in parameters_of(function.params)}


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
                found[name] = of_global(module.path, node.value)
        elif type(node) in _MAKING:
            found[name] = kept_by(function.qualname, name)
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


def listed(function: FunctionInfo) -> frozenset[str]:
    """Parameters that annotations or docstrings say are lists or tuples: a door for arrays would refuse them all."""
    names = {
        parameter.name.value
        for parameter in single_parameters(function.node.params)
        if parameter.annotation is not None and _is_container(parameter.annotation.annotation, _SEQUENCES)
    }
    return frozenset(names | documented(function.node, _IS_LIST))


_IS_LIST = re.compile(r"(?:list|tuple|sequence|iterable)\b(?!.*(?:\bor\b|array))", re.IGNORECASE)


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


# --- Which parameters are arrays by what a module's own functions give them and keep, as far as the text alone tells
#
# Operators do not tell what they work on: ``def flux(u): return u**2 / 2`` is arithmetic of numbers, or of arrays.
# Where the functions of the same module call it with what is plainly an array, that is evidence; so is an operator
# that has an attribute of the method's object on its other side, in which the class keeps such arrays. The guard
# looks at each call.

#: Functions of NumPy that give an array whatever they get.
_MAKERS = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like arange linspace logspace geomspace eye identity"
    " array asarray asanyarray ascontiguousarray copy concatenate stack vstack hstack dstack column_stack tile repeat"
    " roll pad outer gradient diff cumsum cumprod sort argsort reshape ravel transpose meshgrid fromfunction tri tril"
    " triu atleast_1d atleast_2d atleast_3d convolve random.rand random.randn random.random random.normal"
    " random.uniform fft.fft fft.ifft fft.rfft fft.irfft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.fftfreq loadtxt"
    " genfromtxt".split()
)
#: Functions of NumPy that give an array where they get one, in the places of arrays.
_ELEMENTWISE = frozenset(
    "exp log log2 log10 log1p expm1 sqrt square abs absolute fabs sign sin cos tan arcsin arccos arctan arctan2 sinh"
    " cosh tanh power add subtract multiply divide minimum maximum where clip real imag conj round rint floor ceil"
    " hypot mod nan_to_num fliplr flipud flip rot90 interp".split()
)
#: Functions of NumPy whose first argument is no single number, where it makes sense.
_OF_MANY = frozenset(
    "sum mean std var median prod min max amin amax ptp argmin argmax any all nansum nanmean nanmax nanmin average"
    " percentile quantile cumsum cumprod diff sort argsort dot vdot linalg.norm linalg.solve linalg.inv gradient roll"
    " reshape ravel transpose trapezoid trapz convolve flip fliplr flipud count_nonzero nonzero argwhere unique"
    " histogram fft.fft fft.ifft fft.rfft fft.fft2".split()
)
#: Members of an array that are arrays, or give one.
_GIVING = frozenset("T real imag copy astype reshape ravel flatten transpose clip conj squeeze swapaxes".split())
_DISPLAYS = frozenset((cst.List, cst.Tuple, cst.ListComp, cst.Dict, cst.Set, cst.SimpleString, cst.FormattedString))
_LOOKED = frozenset(
    (cst.Call, cst.Assign, cst.AugAssign, cst.Attribute, cst.Subscript, cst.BinaryOperation, cst.Return)
)
#: What functions and classes in a function do is theirs; the others have nothing below.
_PASSED = frozenset(
    (cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.Name, cst.Integer, cst.Float, cst.SimpleString, type(None))
)
_ROUNDS = 6


def arrays_given(module: ModuleInfo) -> dict[str, frozenset[str]]:
    """By qualified name of a function or method, those of its parameters that get arrays."""
    if module.given is None:
        kept: dict[str, set[str]] = {owner: set() for owner in module.classes}
        callers = [_Caller(function, module, kept) for function in module.functions.values()]
        callers = [caller for caller in callers if caller.calls or caller.stores or caller.beside]
        given: dict[str, set[str]] = {}
        _hand_on(callers, given, kept)
        for caller in callers:
            for callee, node in caller.calls:
                others = {name for name, value in _matched(callee, node) if type(value) in _DISPLAYS}
                given[callee.qualname] -= others  # for an array the guard would refuse these
        module.given = {name: frozenset(found) for name, found in given.items() if found}
    return module.given


def _hand_on(callers: Iterable[_Caller], given: dict[str, set[str]], kept: dict[str, set[str]]) -> None:
    """Add to `given`, by function, and `kept`, by class, what the callers hand on until nothing more is found."""
    for _ in range(_ROUNDS):
        before = sum(map(len, (*given.values(), *kept.values())))
        for caller in callers:
            caller.hand_on(given)
        if sum(map(len, (*given.values(), *kept.values()))) == before:
            break


class _Caller:
    """A function, what it binds, and the functions of its module that it calls."""

    def __init__(self, function: FunctionInfo, module: ModuleInfo, kept: dict[str, set[str]]) -> None:
        self.function = function
        self.module = module
        self.kept = kept.get(function.owner or "", set())  #: attributes in which the class keeps arrays
        parameters = parameters_of(function.node.params) if function.is_method else []
        self.receiver = parameters[0].name.value if parameters else ""
        self.arrays = set(declared(function)[0])
        self.bound: list[tuple[str, cst.BaseExpression]] = []
        self.calls: list[tuple[FunctionInfo, cst.Call]] = []
        self.stores: list[tuple[str, cst.BaseExpression]] = []
        self.beside: list[tuple[str, cst.BaseExpression]] = []
        stack: list[Any] = [function.node.body]
        parts, pop, extend = PARTS, stack.pop, stack.extend
        while stack:  # many nodes, few of which tell something
            node = pop()
            kind = type(node)
            if kind in _LOOKED:
                self._look(node)
            if kind not in _PASSED:
                extend(parts[kind](node))

    def _look(self, node: Any) -> None:
        kind = type(node)
        if kind is cst.Call:
            callee = self._callee(node.func)
            if callee is not None:
                self.calls.append((callee, node))
            elif node.args and type(node.args[0].value) is cst.Name and self._numpy_name(node.func) in _OF_MANY:
                self.arrays.add(node.args[0].value.value)
        elif kind is cst.AugAssign:
            target = node.target
            if type(target) is cst.Subscript and type(target.value) is cst.Name and _slices(target):
                self.arrays.add(target.value.value)
        elif kind is cst.Assign:
            self.bound.extend((item.target.value, node.value) for item in node.targets if type(item.target) is cst.Name)
            own = (self._own(item.target) for item in node.targets)
            self.stores.extend((name, node.value) for name in own if name)
        elif kind is cst.BinaryOperation:
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if name := self._own(side):
                    self.beside.append((name, other))
        elif kind is cst.Attribute:
            member = node.attr.value
            if type(node.value) is cst.Name and member in ARRAY_MEMBERS and not self.module.gives(member):
                self._show(node.value.value)
        elif kind is cst.Subscript and type(node.value) is cst.Name and len(node.slice) > 1 and _slices(node):
            self.arrays.add(node.value.value)

    def _own(self, node: Any) -> str:
        """The name of an attribute of the method's own object; empty for anything else."""
        is_own = type(node) is cst.Attribute and type(node.value) is cst.Name and node.value.value == self.receiver
        return node.attr.value if is_own and self.receiver else ""

    def _show(self, name: str) -> None:
        """What is used as arrays are is one, but for the method's own object and modules."""
        value = self.module.values.get(name) if name not in self.function.locals else None
        if name != self.receiver and not isinstance(value, Symbol):
            self.arrays.add(name)

    def _callee(self, func: cst.BaseExpression) -> FunctionInfo | None:
        function = self.function
        if type(func) is cst.Name:
            name = f"{func.value}.__init__" if func.value in self.module.classes else func.value
            return self.module.functions.get(name) if func.value not in function.locals else None
        if type(func) is cst.Attribute and type(func.value) is cst.Name and func.value.value == self.receiver:
            return self.module.functions.get(f"{function.owner}.{func.attr.value}")
        return None

    def _follow(self, given: dict[str, set[str]]) -> None:
        """Add what the names of this function, and its object's, are bound to, with what is `given` to it by now."""
        self.arrays |= given.get(self.function.qualname, NO_NAMES)
        while more := {name for name, value in self.bound if self._is_array(value)} - self.arrays:
            self.arrays |= more
        self.kept |= {name for name, value in self.stores if self._is_array(value) or self._is_part(value)}

    def hand_on(self, given: dict[str, set[str]]) -> None:
        """Add what this function gives to others."""
        self._follow(given)
        names = {name for attribute, other in self.beside if attribute in self.kept for name in _operands(other)}
        if names:
            given.setdefault(self.function.qualname, set()).update(names & _free(self.function))
        for callee, node in self.calls:
            taken = given.setdefault(callee.qualname, set())
            free = None
            for name, value in _matched(callee, node):
                if name not in taken and self._is_array(value):
                    free = _free(callee) if free is None else free
                    taken |= {name} & free

    def _is_array(self, node: cst.BaseExpression) -> bool:
        kind = type(node)
        if kind is cst.Name:
            return node.value in self.arrays  # type: ignore[attr-defined]
        if kind is cst.BinaryOperation:
            return self._is_array(node.left) or self._is_array(node.right)  # type: ignore[attr-defined]
        if kind is cst.UnaryOperation:
            return self._is_array(node.expression)  # type: ignore[attr-defined]
        if kind is cst.Subscript:
            return _slices(node) and self._is_array(node.value)  # type: ignore[attr-defined]
        if kind is cst.Attribute:
            return self._own(node) in self.kept or (
                node.attr.value in _GIVING and self._is_array(node.value)  # type: ignore[attr-defined]
            )
        return kind is cst.Call and self._gives_array(node)  # type: ignore[arg-type]

    def _is_part(self, node: cst.BaseExpression) -> bool:
        """Whether it is what NumPy leaves of an array along an axis: ``x.mean(axis=0)``."""
        if type(node) is not cst.Call:
            return False
        along = any(
            it.keyword is not None and it.keyword.value == "axis" and not _is_none(it.value) for it in node.args
        )
        func = node.func
        if not along or type(func) is cst.Name:
            return False
        return self._numpy_name(func) in _OF_MANY or (type(func) is cst.Attribute and func.attr.value in _OF_MANY)

    def _numpy_name(self, func: cst.BaseExpression) -> str:
        """``fft.fft`` for ``np.fft.fft``; empty for what is not NumPy's."""
        first, _, rest = dotted(func).partition(".")
        value = self.module.values.get(first) if first not in self.function.locals else None
        if not isinstance(value, Symbol) or value.name.partition(".")[0] != "numpy":
            return ""
        return ".".join(filter(None, (value.name.partition(".")[2], rest)))

    def _gives_array(self, call: cst.Call) -> bool:
        func = call.func
        name = self._numpy_name(func)
        if name:
            return name in _MAKERS or (
                name in _ELEMENTWISE and any(self._is_array(item.value) for item in call.args if item.keyword is None)
            )
        return type(func) is cst.Attribute and func.attr.value in _GIVING and self._is_array(func.value)


def _free(callee: FunctionInfo) -> frozenset[str]:
    """Parameters that may be arrays as far as the function itself says nothing else."""
    plain = {item.name.value for item in parameters_of(callee.node.params) if item.annotation is None}
    return frozenset(plain) - declared(callee)[1] - likely_numbers(callee) - texts(callee)


def _matched(callee: FunctionInfo, call: cst.Call) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The parameters that a call gives something, as far as no ``*`` hides them."""
    names = [item.name.value for item in (*callee.node.params.posonly_params, *callee.node.params.params)]
    names = names[1:] if callee.is_method else names
    for index, item in enumerate(call.args):
        if item.star:
            return
        if item.keyword is not None:
            yield item.keyword.value, item.value
        elif index < len(names):
            yield names[index], item.value


def _operands(node: cst.BaseExpression) -> Iterator[str]:
    """The names that arithmetic works on."""
    if type(node) is cst.Name:
        yield node.value
    elif type(node) is cst.BinaryOperation:
        yield from _operands(node.left)
        yield from _operands(node.right)
    elif type(node) is cst.UnaryOperation:
        yield from _operands(node.expression)


def _is_none(node: cst.BaseExpression) -> bool:
    return type(node) is cst.Name and node.value == "None"


def _slices(node: Any) -> bool:
    return any(type(item.slice) is cst.Slice for item in node.slice)


# --- Which parameters are complex, as far as the text tells
#
# A door that lets in real arrays alone would leave these calls to the original, each time.

_IS_COMPLEX = re.compile(r".*\bcomplex(?:64|128)?\b", re.IGNORECASE)
_COMPLEX_TYPES = frozenset("complex complex64 complex128 csingle cdouble complexfloating complex_".split())
#: Functions of NumPy whose results are complex whatever they get, and those that give real numbers for complex ones.
_GIVE_COMPLEX = frozenset(
    "fft.fft fft.ifft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft fft.rfft2 fft.rfftn fft.ihfft".split()
)
_GIVE_REAL = frozenset(
    "abs absolute fabs real imag angle linalg.norm isnan isfinite isinf iscomplex isreal allclose array_equal size"
    " shape ndim argmax argmin argsort any all count_nonzero equal not_equal fft.irfft fft.irfft2 fft.irfftn fft.hfft"
    " unwrap arange fft.fftfreq fft.rfftfreq nonzero flatnonzero argwhere searchsorted".split()
)
#: Functions of NumPy, methods and attributes that nobody asks real arrays for.
_OF_COMPLEX = frozenset("conj conjugate imag angle".split())
#: What leaves an array as complex as it is.
_KEEP = frozenset(
    "array asarray asanyarray ascontiguousarray atleast_1d atleast_2d atleast_3d copy reshape ravel".split()
)
_SHOWING = frozenset("copy reshape ravel flatten transpose swapaxes squeeze".split())
#: Methods and attributes of a complex array that are complex.
_STAY_COMPLEX = _GIVING - {"real", "imag"} | frozenset(
    "dot sum mean cumsum cumprod prod conjugate diagonal trace take".split()
)


def complex_given(module: ModuleInfo) -> dict[str, frozenset[str]]:
    """By qualified name of a function, its parameters, and attributes of its object, that show to be complex.

    Annotations, docstrings and defaults show it, and what the functions of the module hand to each other.
    """
    if module.complex_given is None:
        kept: dict[str, set[str]] = {owner: set() for owner in module.classes}
        results: set[str] = set()
        callers = [_ComplexCaller(function, module, kept, results) for function in module.functions.values()]
        given: dict[str, set[str]] = {}
        _hand_on(callers, given, kept)
        for caller in callers:
            caller.kept -= caller.kept_otherwise()
        module.complex_given = {caller.function.qualname: frozenset(caller.shown()) for caller in callers}
    return module.complex_given


class _ComplexCaller(_Caller):
    """A function of which is asked what is complex, where `_Caller` asks what is an array."""

    def __init__(
        self, function: FunctionInfo, module: ModuleInfo, kept: dict[str, set[str]], results: set[str]
    ) -> None:
        self.returned: list[cst.BaseExpression] = []
        self.unpacked: set[str] = set()  #: attributes that get parts of something
        self.asked: set[str] = set()  #: names that are used as complex arrays alone are
        self.parts: list[tuple[str, cst.BaseExpression]] = []  #: what is stored into arrays, by their names
        super().__init__(function, module, kept)
        self.results = results  #: functions that give what is complex
        parameters = parameters_of(function.node.params)
        self.arrays = documented(function.node, _IS_COMPLEX)
        self.arrays |= {it.name.value for it in parameters if it.annotation and _says_complex(it.annotation)}
        self.arrays |= {it.name.value for it in parameters if it.default is not None and self._is_array(it.default)}
        self.free = {it.name.value for it in parameters} - {name for name, value in self.bound if not _keeps(value)}
        self.arrays |= self.asked & self.free
        #: what may be complex, and is made real where the function begins: ``theta = np.real(theta)``
        self.made_real = {name for name, value in self.bound if self._gives_real(name, value)}
        self.made_real -= {name for name, value in self.bound if not self._gives_real(name, value)}

    def shown(self) -> set[str]:
        """The parameters that are complex, and attributes of its object: ``self.w``."""
        names = {it.name.value for it in parameters_of(self.function.node.params)}
        return ((self.arrays | self.made_real) & names) | {
            f"{self.receiver}.{name}" for name in self.kept if self.receiver
        }

    def kept_otherwise(self) -> set[str]:
        """Attributes of its object that it binds to what is not known to be complex."""
        return {name for name, value in self.stores if not self._is_array(value)} | self.unpacked

    def _look(self, node: Any) -> None:
        kind = type(node)
        if kind is cst.Return and node.value is not None:
            self.returned.append(node.value)
        elif kind is cst.Assign and isinstance(node.targets[0].target, (cst.Tuple, cst.List)):
            self.unpacked |= {self._own(item.value) for item in node.targets[0].target.elements}
        elif kind is cst.AugAssign and type(node.target) is cst.Name:
            self.bound.append((node.target.value, node.value))
        else:
            if kind is cst.Attribute and node.attr.value in _OF_COMPLEX:
                self.asked.add(_array_of(node.value))
            elif kind is cst.Call and self._numpy_name(node.func) in _OF_COMPLEX:
                self.asked.update(_array_of(item.value) for item in node.args[:1])
            elif kind is cst.Assign:
                targets = (it.target for it in node.targets if type(it.target) is cst.Subscript)
                self.parts += [(target.value.value, node.value) for target in targets if type(target.value) is cst.Name]
            super()._look(node)

    def _gives_real(self, name: str, value: cst.BaseExpression) -> bool:
        is_real = type(value) is cst.Call and len(value.args) == 1 and self._numpy_name(value.func) == "real"
        return is_real and dotted(value.args[0].value) == name  # type: ignore[attr-defined]

    def hand_on(self, given: dict[str, set[str]]) -> None:
        self._follow(given)
        stored = (name for array, value in self.parts if array in self.arrays for name in _made_of(value))
        self.arrays |= self.free.intersection(stored)
        if any(map(self._is_array, self.returned)):
            self.results.add(self.function.qualname)
        for callee, node in self.calls:
            given.setdefault(callee.qualname, set()).update(
                name for name, value in _matched(callee, node) if self._is_array(value)
            )

    def _is_array(self, node: cst.BaseExpression) -> bool:
        """Whether it is complex, an array or a number."""
        kind = type(node)
        if kind is cst.Imaginary:
            return True
        if kind in (cst.List, cst.Tuple):
            return any(self._is_array(item.value) for item in node.elements)  # type: ignore[attr-defined]
        if kind is cst.Subscript:
            return self._is_array(node.value)  # type: ignore[attr-defined]
        if kind is cst.Attribute:
            member = node.attr.value  # type: ignore[attr-defined]
            return self._own(node) in self.kept or (member == "T" and self._is_array(node.value))  # type: ignore[attr-defined]
        return super()._is_array(node)

    def _is_part(self, node: cst.BaseExpression) -> bool:
        return False

    def _gives_array(self, call: cst.Call) -> bool:
        if any(_names_complex(item.value) for item in call.args):
            return True  # dtype=complex, astype(np.complex128)
        name = self._numpy_name(call.func)
        if name:
            return name in _GIVE_COMPLEX or (
                name not in _GIVE_REAL and any(self._is_array(item.value) for item in call.args)
            )
        if type(call.func) is cst.Name and call.func.value == "complex":
            return True
        callee = self._callee(call.func)
        if callee is not None:
            return callee.qualname in self.results
        func = call.func
        return type(func) is cst.Attribute and func.attr.value in _STAY_COMPLEX and self._is_array(func.value)


def _keeps(value: cst.BaseExpression) -> bool:
    """Whether what is bound here is as complex as what it was made of: ``np.asarray(s)``, ``s.copy()``, ``s[:, 0]``."""
    if type(value) is cst.Call:
        return dotted(value.func).rpartition(".")[2] in _KEEP and not any(it.keyword for it in value.args)
    return type(value) is cst.Subscript


def _array_of(node: Any) -> str:
    """The name of the array that this is, or shows, or copies: ``s`` of ``s[0].T``; empty for anything else."""
    while True:
        kind = type(node)
        if kind is cst.Subscript or (kind is cst.Attribute and node.attr.value == "T"):
            node = node.value
        elif kind is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in _SHOWING:
            node = node.func.value
        else:
            return node.value if kind is cst.Name else ""


def _made_of(node: cst.BaseExpression) -> Iterator[str]:
    """The names of which a sum or product is made, or of whose parts: ``t[0] - t[1].dot(u)``."""
    kind = type(node)
    if kind is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value == "dot":  # type: ignore[attr-defined]
        for part in (node.func.value, *(item.value for item in node.args)):  # type: ignore[attr-defined]
            yield from _made_of(part)
    elif kind is cst.BinaryOperation:
        yield from _made_of(node.left)  # type: ignore[attr-defined]
        yield from _made_of(node.right)  # type: ignore[attr-defined]
    elif kind is cst.UnaryOperation:
        yield from _made_of(node.expression)  # type: ignore[attr-defined]
    elif kind is cst.Subscript:
        yield from _made_of(node.value)  # type: ignore[attr-defined]
    elif kind is cst.Name:
        yield node.value  # type: ignore[attr-defined]


def _names_complex(node: cst.BaseExpression) -> bool:
    """Whether it is a complex dtype: ``complex``, ``np.complex64``, ``"complex128"``."""
    if type(node) is cst.SimpleString:
        return node.raw_value in _COMPLEX_TYPES
    return dotted(node).rpartition(".")[2] in _COMPLEX_TYPES


def _says_complex(annotation: cst.Annotation) -> bool:
    return any(_names_complex(part) for part in walk(annotation) if isinstance(part, (cst.Name, cst.Attribute)))
