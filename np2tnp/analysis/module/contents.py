"""The functions and classes of one module, and what its top level binds each name to."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from np2tnp.analysis.domain.values import NO_NAMES, Symbol, Value
from np2tnp.analysis.module.imports import import_bindings
from np2tnp.analysis.syntax.liveness import DeadNames
from np2tnp.analysis.syntax.scopes import Scope, Uses, dotted, parameters_of, scan, signature_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog
from np2tnp.files.outline import operators_of
from np2tnp.files.replaced import ANY

if TYPE_CHECKING:
    from np2tnp.analysis.module.effects_by_name import Changers

__all__ = [
    "ClassInfo",
    "FunctionInfo",
    "ModuleInfo",
    "blocks_of",
    "collect",
    "dotted",
    "parameters_of",
    "signature_names",
    "statements_of",
]


# --- The answer of ``tensor_state``: which attributes of a module's objects may hold tensors


@dataclass(slots=True)
class TensorState:
    """Which attributes may hold tensors, and which hold arrays and may not."""

    names: frozenset[str] = NO_NAMES
    stays: dict[str, str] = field(default_factory=dict)  #: why others stay ndarrays, for people
    methods: frozenset[str] = NO_NAMES  #: those that may put a tensor into their object
    as_made: bool = False  #: whether what an object keeps as it was made is a tensor from the beginning


_KINDS = {
    "staticmethod": "static", "classmethod": "class",
    **dict.fromkeys(("property", "cached_property", "lazyproperty", "getter", "setter", "deleter"), "property"),
}  # fmt: skip
#: Decorators that remember results; astropy's is a cached_property that may be assigned to.
_CACHING = frozenset(("cache", "lru_cache", "cached_property", "lazyproperty"))
#: Decorators whose result is called as the method was.
_METHODS = frozenset(
    ("abstractmethod", "override", "final", "overload", "lru_cache", "cache", "migrated", "njit", "jit")
)
#: Attributes of arrays that are assigned to, to give them another form.
_FORMS = frozenset(("shape", "dtype", "strides", "real", "imag", "flat", "data"))
_BINDING = frozenset((cst.AssignTarget, cst.AnnAssign, cst.AugAssign))


@dataclass(slots=True)
class FunctionInfo:
    """One function or method that is a region of its own (outermost)."""

    qualname: str
    node: cst.FunctionDef
    owner: str | None = None  #: qualname of the class it is a method of
    locals: frozenset[str] = NO_NAMES
    globals: frozenset[str] = NO_NAMES
    uses: Uses = field(default_factory=Uses)

    @property
    def decorators(self) -> tuple[str, ...]:
        """The dotted names of its decorators, outermost first."""
        return _decorators(self.node)

    @property
    def is_method(self) -> bool:
        """Whether calls pass an instance or class before the arguments."""
        return self.owner is not None and self.kind != "static"

    @property
    def is_cached(self) -> bool:
        """Whether calls must go through the public name, because a decorator remembers results."""
        return any(name.rpartition(".")[2] in _CACHING for name in self.decorators)

    @property
    def is_migrated(self) -> bool:
        """Whether an earlier run of np2tnp wrote it: it has the runtime's decorator."""
        return any(name.endswith(".migrated") for name in self.decorators)

    @property
    def kind(self) -> str:
        """How its class hands it out: "method", "property", "class" or "static".

        "decorated" where a decorator decides that nobody knows: it is a method where it is called, else a property.
        """
        names = [name.rpartition(".")[2] for name in self.decorators]
        kinds = [_KINDS[name] for name in names if name in _KINDS]
        return kinds[0] if kinds else "method" if _METHODS.issuperset(names) else "decorated"


@dataclass(slots=True)
class ClassInfo:
    """A class of the module's top level (or nested in another class)."""

    qualname: str
    node: cst.ClassDef
    methods: dict[str, str] = field(default_factory=dict)  #: method name -> qualname
    numbers: frozenset[str] | None = None  #: attributes, as shown_parameters.held_numbers says, once somebody asked
    containers: frozenset[str] | None = None  #: as shown_parameters.held_containers says

    @property
    def decorators(self) -> tuple[str, ...]:
        """The dotted names of its decorators, outermost first."""
        return _decorators(self.node)


@dataclass(slots=True)
class ModuleInfo:
    """What a module defines. ``values`` is filled by interpreting its top level."""

    node: cst.Module
    path: str = ""
    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    classes: dict[str, ClassInfo] = field(default_factory=dict)
    lambdas: dict[str, cst.Lambda] = field(default_factory=dict)  #: those of the top level
    subclasses: dict[str, tuple[ClassInfo, ...]] | None = (
        None  #: by class, once somebody asked (see overridden_methods.py)
    )
    values: dict[str, Value] = field(default_factory=dict)
    operators: frozenset[str] = NO_NAMES  #: those that classes of the module define: ``matmul`` for __matmul__
    #: asks for those of the modules that it imports, which others must read
    imported_operators: Callable[[], frozenset[str]] = frozenset
    rebound: frozenset[str] = NO_NAMES  #: module names that some function rebinds with ``global``
    replaced: dict[str, str] = field(default_factory=dict)  #: NumPy's and builtin names that code replaces -> where
    unlisted: bool = False  #: whether a star import binds names that nobody can list
    written: set[str] = field(default_factory=set)  #: module names some function writes into
    name_of: dict[int, str] = field(default_factory=dict)  #: id of a FunctionDef or ClassDef -> qualname
    scopes: dict[int, Scope] = field(default_factory=dict)  #: id of a FunctionDef, nested ones too -> what it binds
    #: id of a region -> its nested functions that are only called and handed over (True), how often it binds each name
    handed: dict[int, dict[str, bool]] = field(default_factory=dict)
    bindings: dict[int, Counter[str]] = field(default_factory=dict)
    dead_names: dict[int, DeadNames] = field(default_factory=dict)
    by_order: frozenset[str] | None = None  #: as layouts.updated_by_order says, once somebody asked
    #: id of a region -> what it binds each name to, None where that is no expression
    bound_values: dict[int, dict[str, list[cst.BaseExpression | None]]] = field(default_factory=dict)
    kept_functions: dict[int, frozenset[int]] = field(default_factory=dict)  #: ... and those that others may call later
    given: dict[str, frozenset[str]] | None = None  #: as parameter_kinds.arrays_given says, once somebody asked
    complex_given: dict[str, frozenset[str]] | None = None  #: ... and as complex_given does
    called: dict[str, frozenset[str]] | None = None  #: by function, the last names of what it calls, likewise
    called_in_loops: frozenset[str] | None = None  #: names of functions, as is_called_in_loops says
    waited_for: frozenset[str] | None = None  #: functions with whose values code waits for a small error, likewise
    by_probabilities: bool | None = None  #: whether it draws with given probabilities, once somebody asked
    numpy_names: frozenset[str] = NO_NAMES  #: names that stand for NumPy, whatever they are bound to
    near_compiler: str = ""  #: "own" where it imports a compiler of native code, "imported" where what it imports does
    first_party: frozenset[str] = NO_NAMES  #: the packages of the project that it imports
    state: TensorState = field(default_factory=TensorState)  #: which attributes may hold tensors (``--state tensor``)
    #: ... and the functions that such a one may get, from whom and where, once somebody asked
    compiled: dict[str, tuple[str, cst.CSTNode]] | None = None
    private_lists: dict[int, frozenset[str]] = field(default_factory=dict)  #: ... and lists that one name keeps
    methods: frozenset[str] | None = None  #: as `has_method` says, once somebody asked
    attributes: frozenset[str] | None = None  #: as `gives` says, once somebody asked
    changers: Changers | None = None  #: what may update arrays without a call of it, once somebody asked
    asked: frozenset[str] | None = None  #: ... by which names, classes included that the module imports

    def keeps_tensor(self, region: str, target: cst.BaseExpression) -> bool:
        """Whether what the region assigns to the attribute `target` may stay a tensor there."""
        return (
            type(target) is cst.Attribute
            and target.attr.value in self.state.names
            and region in self.state.methods
            and _is_self(target.value)
        )

    def has_method(self, name: str) -> bool:
        """Whether an object whose class is not known may have a method or property of this name from the module."""
        if self.methods is None:
            self.methods = frozenset(key.rpartition(".")[2] for key, info in self.functions.items() if info.owner)
        return name in self.methods

    def gives(self, name: str) -> bool:
        """Whether it may have an attribute of this name from the module: a method, or one that is assigned to."""
        if self.attributes is None:
            found: set[str] = set()
            for node in walk(self.node):
                if type(node) in _BINDING:
                    targets = (it for it in walk(node.target) if type(it) is cst.Attribute)  # type: ignore[attr-defined]
                    found.update(it.attr.value for it in targets if it.attr.value not in _FORMS or _is_self(it.value))
            for info in self.classes.values():
                found.update(fields_of(info.node))
            self.attributes = frozenset(found)
        return name in self.attributes or self.has_method(name)

    def defines(self, operator: str) -> bool:
        """Whether an object whose class is not known may say itself what the operator does."""
        return operator in self.operators or operator in self.imported_operators()


def _is_self(node: cst.BaseExpression) -> bool:
    return type(node) is cst.Name and node.value == "self"


def fields_of(node: cst.ClassDef) -> Iterator[str]:
    """The names that the body of a class binds by assignments: class attributes, fields of dataclasses."""
    for statement in node.body.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            targets = [item.target for item in small.targets] if isinstance(small, cst.Assign) else []
            targets += [small.target] if isinstance(small, cst.AnnAssign) else []
            yield from (target.value for target in targets if isinstance(target, cst.Name))


def collect(tree: cst.Module, path: str = "") -> ModuleInfo:
    """Find the regions of a module: functions at top level (under if/try/with too) and methods of its classes."""
    info = ModuleInfo(tree, path)
    rebound: set[str] = set()
    _collect_body(tree.body, "", None, info, rebound)
    info.rebound = frozenset(rebound)
    info.operators = operators_of(name for item in info.classes.values() for name in item.methods)
    return info


def note_replaced(info: ModuleInfo, replaced: Mapping[str, str]) -> None:
    """Code of the module replaces these names; ``own.f``: of the module's own, ``own.*``: any function of it."""
    info.replaced = {name: place for name, place in replaced.items() if not name.startswith("own.")}
    own = {name.removeprefix("own.") for name in replaced if name.startswith("own.")}
    if ANY in own:  # nobody calls something else ``np``
        own |= {name for name in (*info.functions, *info.classes) if "." not in name}
    info.rebound |= own - {ANY}


def _collect_body(
    body: tuple[cst.BaseStatement, ...] | list[cst.BaseStatement] | object,
    prefix: str,
    owner: ClassInfo | None,
    info: ModuleInfo,
    rebound: set[str],
) -> None:
    for statement in statements_of(body):
        if type(statement) is cst.FunctionDef:
            qualname = _unused(prefix + statement.name.value, info.functions)
            uses = scan(statement, info.scopes)
            scope = info.scopes[id(statement)]
            info.functions[qualname] = FunctionInfo(
                qualname,
                statement,
                owner.qualname if owner else None,
                frozenset(scope.bound),
                frozenset(scope.declared),
                uses,
            )
            info.name_of[id(statement)] = qualname
            rebound.update(uses.global_names)
            if owner is not None:
                owner.methods[statement.name.value] = qualname
        elif type(statement) is cst.ClassDef:
            qualname = _unused(prefix + statement.name.value, info.classes)
            inner = ClassInfo(qualname, statement)
            info.classes[qualname] = inner
            info.name_of[id(statement)] = qualname
            _collect_body(statement.body, qualname + ".", inner, info, rebound)
        else:
            for block in blocks_of(statement):
                _collect_body(block, prefix, owner, info, rebound)


def _decorators(node: cst.FunctionDef | cst.ClassDef) -> tuple[str, ...]:
    items = (item.decorator for item in node.decorators)
    return tuple(dotted(item.func if type(item) is cst.Call else item) for item in items)


def _unused(name: str, taken: object) -> str:
    """`name`, or ``name#2`` where a definition of that name came before."""
    number, candidate = 1, name
    while candidate in taken:  # type: ignore[operator]
        number += 1
        candidate = f"{name}#{number}"
    return candidate


def statements_of(body: object) -> list[cst.BaseStatement]:
    """The statements of a module body, an indented block or a one-line suite (the latter has only small statements)."""
    if type(body) is cst.IndentedBlock:
        return list(body.body)
    if isinstance(body, (list, tuple)):
        return list(body)
    return []


def blocks_of(statement: cst.CSTNode) -> Iterator[object]:
    """The suites of a compound statement, in source order."""
    if type(statement) is cst.If:
        yield statement.body
        if type(statement.orelse) is cst.If:
            yield from blocks_of(statement.orelse)
        elif statement.orelse is not None:
            yield statement.orelse.body
    elif type(statement) is cst.For or type(statement) is cst.While:
        yield statement.body
        if statement.orelse is not None:
            yield statement.orelse.body
    elif type(statement) is cst.Try or type(statement) is cst.TryStar:
        yield statement.body
        for handler in statement.handlers:
            yield handler.body
        if statement.orelse is not None:
            yield statement.orelse.body
        if statement.finalbody is not None:
            yield statement.finalbody.body
    elif type(statement) is cst.With:
        yield statement.body
    elif type(statement) is cst.Match:
        for case in statement.cases:
            yield case.body


# --- Names of the top level that may be NumPy's: they are bound in several ways, and one of them is an import of
# NumPy

_BUILTINS = frozenset(dir(builtins))


def why_ambiguous(module: cst.Module, name: str, catalog: Catalog) -> str:
    """What to say of such a name: ``np may be numpy, and may be cupy``; empty where no import of NumPy binds it."""
    found = [
        value.name
        for node in _imports(module.body)
        for bound, value in import_bindings(node, catalog, lambda _: ())
        if bound == name and isinstance(value, Symbol)
    ]
    numpys = [full for full in found if full.partition(".")[0] == "numpy"]
    if not numpys:
        return ""
    others = [full for full in dict.fromkeys(found) if full not in numpys]
    other = " or ".join(others) if others else "something else"
    return f"{name} may be {numpys[0]}, and may be {other}: import it in one way, or tell --numpy-names {name}"


def late_builtins(module: cst.Module, catalog: Catalog, star_names: Callable[[str], tuple[str, ...]]) -> frozenset[str]:
    """Names that are Python's own until an import binds them, where code may have run with them before that import."""
    found: set[str] = set()
    mentioned: set[str] = set()
    has_run = False
    for statement in module.body:
        imports = list(_imports([statement]))
        if has_run:
            names = {name for node in imports for name, _ in import_bindings(node, catalog, star_names)}
            found |= names & mentioned & _BUILTINS
        for part in walk(statement):
            if type(part) is cst.Name:
                mentioned.add(part.value)
        has_run = has_run or not (imports or isinstance(statement, (cst.FunctionDef, cst.ClassDef)))
    return frozenset(found)


def _imports(body: object) -> Iterator[cst.Import | cst.ImportFrom]:
    for statement in statements_of(body):
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, (cst.Import, cst.ImportFrom)):
                    yield small
        for block in blocks_of(statement):
            yield from _imports(block)
