"""Whether a call, as it is written, certainly leaves alone the arrays that others hold."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import libcst as cst

from np2tnp.analysis.domain.values import Class, Function, Sequence, Symbol
from np2tnp.analysis.module import ModuleInfo
from np2tnp.analysis.other_code import CALLING
from np2tnp.analysis.syntax.python_tables import (
    CALLERS,
    CONTAINER_MUTATORS,
    HARMLESS_METHODS,
    IN_PLACE_METHODS,
    MEMBERS,
)
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.catalog import Catalog

#: Builtins that change nothing by themselves; what they ask objects, and call, is looked at apart.
_BUILTINS = frozenset(
    "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset getattr"
    " hasattr hash hex id int isinstance issubclass iter len list map max min next object oct ord pow print property"
    " range repr reversed round set slice sorted str sum super tuple type vars zip".split()
)
_EXCEPTIONS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)
#: Modules of Python's whose functions do not store into arrays.
_MODULES = frozenset(
    "abc collections contextlib copy dataclasses datetime decimal enum fractions functools inspect itertools json"
    " logging math numbers operator os pathlib re string sys textwrap threading time types typing warnings".split()
)
_PYTHONS = HARMLESS_METHODS | CONTAINER_MUTATORS
_DISPLAYS = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)
_NUMBERS = (cst.Integer, cst.Float)
_LITERALS = (*_NUMBERS, cst.Imaginary, cst.SimpleString, cst.FormattedString)


class LeavingAlone:
    """Asks the names of one module."""

    def __init__(self, module: ModuleInfo, catalog: Catalog) -> None:
        self.module = module
        self.catalog = catalog
        self.containers: frozenset[str] = frozenset()  #: attributes that only get new containers

    def leaves(self, call: cst.Call, new: set[str], own: set[str], inside: set[str], held: set[str]) -> bool:
        """Whether what is called changes nothing by itself, or is a function of the module, which is looked at.

        `new`: names of arrays made here; `own`: of all that the function binds; `inside`: of functions in it;
        `held`: of containers made here.
        """
        func = call.func
        if type(func) is cst.Lambda:
            return True
        name = self._canonical(func, own)
        if name is not None:
            return self._by_name(name, call, new, own)
        if type(func) is cst.Name:
            return func.value in inside or isinstance(self.module.values.get(func.value), (Function, Class))
        if type(func) is not cst.Attribute:
            return False
        method = func.attr.value
        owner = dotted(func.value)
        if method == "__setattr__" and (owner == "object" or _is_super(func.value)):
            return True
        if method in IN_PLACE_METHODS:
            return type(func.value) is cst.Name and func.value.value in new
        if any(item.keyword is not None and item.keyword.value == "out" for item in call.args):
            return False
        if self.module.has_method(method) or (_is_super(func.value) and method[:2] == "__"):
            return True
        return method in MEMBERS or (method in _PYTHONS and self._is_pythons(func.value, held))

    def _is_pythons(self, node: cst.BaseExpression, held: set[str]) -> bool:
        """Whether it certainly is a container or a text: names of methods that these have, others' may have, too."""
        if type(node) is cst.Name:
            return node.value in held or isinstance(self.module.values.get(node.value), (Sequence, Symbol))
        if type(node) is cst.Attribute:
            return node.attr.value in self.containers or node.attr.value == "__dict__"
        return isinstance(node, (*_DISPLAYS, cst.SimpleString, cst.FormattedString, cst.ConcatenatedString))

    def _by_name(self, name: str, call: cst.Call, new: set[str], own: set[str]) -> bool:
        first, _, rest = name.partition(".")
        if first == "builtins":
            return (rest in _BUILTINS or rest in _EXCEPTIONS) and not self._calls_given(call, own)
        if first == "numpy":
            fact = self.catalog.get(name)
            if any(item.keyword is not None and item.keyword.value == "out" for item in call.args):
                return False
            if fact is None or fact.mutates:
                target = call.args[0].value if call.args else None
                return type(target) is cst.Name and target.value in new
            return not (name in CALLERS or name in CALLING) or not self._calls_given(call, own)
        known = self.catalog.is_pure(name) or first in _MODULES
        return known and not name.startswith(("operator.i", "operator.set")) and not self._calls_given(call, own)

    def _calls_given(self, call: cst.Call, own: set[str]) -> bool:
        """Whether it may call a function that stands in a name or attribute which nobody knows."""
        keyed = [it.value for it in call.args if it.keyword is not None and it.keyword.value in ("key", "default")]
        name = dotted(call.func).rpartition(".")[2]
        first = [call.args[0].value] if call.args and name in _FIRST else []
        for node in (*keyed, *first):
            if type(node) is cst.Lambda:
                continue
            if type(node) is cst.Name and (node.value not in own or node.value == "None"):
                continue
            if type(node) is cst.Attribute and self.module.has_method(node.attr.value):
                continue
            if type(node) in (cst.Name, cst.Attribute, cst.Call, cst.Subscript):
                return True
        return False

    def _canonical(self, func: Any, own: set[str]) -> str | None:
        """The canonical name of what is called, where it is from outside of the project."""
        text = dotted(func)
        first, _, rest = text.partition(".")
        if not text or first in own:
            return None
        value = self.module.values.get(first)
        if value is None:
            return f"builtins.{text}" if not rest else None
        if isinstance(value, Symbol):
            return f"{value.name}.{rest}" if rest else value.name
        return None

    def is_new(self, node: cst.BaseExpression, own: set[str]) -> bool:
        """Whether the value of an expression is a number, a text or an array that nobody else has."""
        if isinstance(node, _LITERALS):
            return True
        if type(node) is not cst.Call:
            return False
        name = self._canonical(node.func, own)
        if name is None:
            return type(node.func) is cst.Attribute and node.func.attr.value == "copy"
        if name.startswith("builtins."):
            return name[9:] in ("len", "int", "float", "abs", "sum", "round", "str", "bool", "complex")
        fact = self.catalog.get(name) if name.startswith("numpy.") else None
        return fact is not None and fact.effect == "fresh" and not fact.mutates and fact.gives_back is None


#: What calls its first argument.
_FIRST = frozenset(
    "map filter reduce partial starmap takewhile dropwhile filterfalse vectorize frompyfunc fromfunction"
    " apply_along_axis apply_over_axes".split()
)


def _is_super(node: cst.BaseExpression) -> bool:
    return type(node) is cst.Call and type(node.func) is cst.Name and node.func.value == "super"


def kinds_of_names(
    body: Iterable[cst.CSTNode], header: Iterable[cst.CSTNode], alone: LeavingAlone
) -> tuple[set[str], set[str], set[str]]:
    """The names of a function, given by all nodes of its body and of its parameters, that only hold what it made.

    Those of arrays that NumPy made and numbers, those of what operators gave as well, and those of containers.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for part in body:
        kind = type(part)
        if kind is cst.Assign:
            for item in part.targets:  # type: ignore[attr-defined]
                if type(item.target) is cst.Name:
                    found[item.target.value].add(_kind(part.value, alone))  # type: ignore[attr-defined]
                else:
                    for name in target_names(item.target):
                        found[name].add("other")
        elif kind in (cst.AnnAssign, cst.NamedExpr):
            for name in target_names(part.target):  # type: ignore[attr-defined]
                found[name].add(_kind(part.value, alone) if part.value is not None else "made")  # type: ignore[attr-defined]
        elif kind in (cst.For, cst.CompFor):
            numbers = type(part.iter) is cst.Call and dotted(part.iter.func) == "range"  # type: ignore[attr-defined]
            for name in target_names(part.target):  # type: ignore[attr-defined]
                found[name].add("made" if numbers else "other")
        elif kind in (cst.AsName, cst.MatchAs, cst.MatchStar, cst.Nonlocal, cst.Global):
            for inner in walk(part):
                if type(inner) is cst.Name:
                    found[inner.value].add("other")
        elif kind is cst.Param:
            found[part.name.value].add("other")  # type: ignore[attr-defined]
    for part in header:
        if type(part) is cst.Param:
            found[part.name.value].add("other")
    made = {name for name, kinds in found.items() if kinds == {"made"}}
    new = {name for name, kinds in found.items() if kinds <= {"made", "computed"}}
    return made, new, {name for name, kinds in found.items() if kinds == {"container"}}


def _kind(node: Any, alone: LeavingAlone) -> str:
    if isinstance(node, _DISPLAYS) or (
        type(node) is cst.Call and dotted(node.func) in ("dict", "list", "set") and not node.args
    ):
        return "container"
    if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation)):
        return "computed"
    return "made" if alone.is_new(node, set()) else "other"


def kinds_of_attributes(everything: Iterable[cst.CSTNode]) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes to which the module only ever assigns numbers, and those that only get new containers."""
    found: dict[str, set[str]] = defaultdict(set)
    for part in everything:
        if type(part) is cst.Assign:
            for item in part.targets:
                if type(item.target) is cst.Attribute:
                    kind = "number" if isinstance(part.value, _NUMBERS) else "other"
                    made = isinstance(part.value, _DISPLAYS) or (
                        type(part.value) is cst.Call
                        and dotted(part.value.func) in ("dict", "list", "set")
                        and not part.value.args
                    )
                    found[item.target.attr.value].add("container" if made else kind)
                elif type(item.target) in (cst.Tuple, cst.List):
                    for inner in walk(item.target):
                        if type(inner) is cst.Attribute:
                            found[inner.attr.value].add("other")
        elif type(part) in (cst.For, cst.CompFor, cst.AsName, cst.AnnAssign):
            target = part.name if type(part) is cst.AsName else part.target  # type: ignore[attr-defined]
            for inner in walk(target):
                if type(inner) is cst.Attribute:
                    found[inner.attr.value].add("other")
    numbers = frozenset(name for name, kinds in found.items() if kinds == {"number"})
    return numbers, frozenset(name for name, kinds in found.items() if kinds == {"container"})
