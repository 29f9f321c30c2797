"""Objects that answer operators, indices and ``in`` by methods of their own class, beside arrays.

Such a method may update the array that it gets in place, or keep it. NumPy would show that; the array that stands for
a tensor does not. Nothing of the objects' own is called here: what a class has is asked of its type.
"""

from __future__ import annotations

import dis
import functools
import itertools
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.looking import items_of, member, module_of, name_of, owner_of

_ORDER = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_BINARY = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()

#: What rewritten code says for an operator on what may be an array -> the methods by which Python may then ask.
ASKED_BY: dict[str, tuple[str, ...]] = {
    **{f"op_{name}": (f"__{name}__", f"__r{name}__") for name in _BINARY},
    **{f"i{name}": (f"__i{name}__", f"__{name}__", f"__r{name}__") for name in _BINARY},
    **{f"op_{name}": (f"__{name}__", f"__{other}__") for name, other in _ORDER.items()},
    "op_contains": ("__contains__",),
    "host": ("__contains__",),
    "at": ("__setitem__", "__getitem__"),
}
#: All by which an operator, an index or ``in`` may ask an object, and NumPy's functions.
_ANY = frozenset(name for names in ASKED_BY.values() for name in names) | {"__array_ufunc__", "__array_function__"}
#: Who has one of these is a container: to read its items by numbers and texts shows it no array.
_OF_CONTAINERS = ("__len__", "__iter__", "keys")
_OF_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR")
_CONTAINERS = frozenset((list, tuple, dict, set, frozenset))
#: Whose methods change and keep nothing that they get, in subclasses of the program's, too.
_QUIET = frozenset(sys.stdlib_module_names)
#: Whose classes do so; what they do in a subclass of the program's, that may decide.
_QUIET_CLASSES = ("numpy.", "tensorflow.", "pandas.", "scipy.sparse._", f"{own_package}.")
#: What :func:`own_method` found, for classes met so far.
_FOUND: dict[tuple[type, frozenset[str]], str] = {}
#: Of containers, so many items are looked at.
_MOST = 1000
_PLAIN = frozenset((np.ndarray, bool, int, float, complex, str, bytes, type(None), slice, range, np.float64, np.dtype))


@functools.lru_cache(maxsize=4096)
def asked_in(code: types.CodeType) -> frozenset[str]:
    """The special methods by which the operators in rewritten `code`, and functions in it, may ask an object."""
    inner = (asked_in(constant) for constant in code.co_consts if type(constant) is types.CodeType)
    own = (ASKED_BY[name] for name in code.co_names if name in ASKED_BY)
    return frozenset().union(*own, *inner)


_SIGNS = dict(zip("+ - * / // % ** @ & | ^ << >>".split(), [name for name in _BINARY if name != "divmod"], strict=True))
#: Python's sign of an operator -> by which method it asks what stands on the right.
_REFLECTED = {sign: f"__r{name}__" for sign, name in _SIGNS.items()}
_REFLECTED |= {"<": "__gt__", "<=": "__ge__", ">": "__lt__", ">=": "__le__"}
#: What dis calls the operators of Python 3.10 -> the sign.
_OF_3_10 = {
    f"{kind}_{name}": sign
    for sign, name in zip(
        _SIGNS,
        "ADD SUBTRACT MULTIPLY TRUE_DIVIDE FLOOR_DIVIDE MODULO POWER MATRIX_MULTIPLY AND OR XOR LSHIFT RSHIFT".split(),
        strict=True,
    )
    for kind in ("BINARY", "INPLACE")
}


@functools.lru_cache(maxsize=4096)
def reflected_in(code: types.CodeType) -> frozenset[str]:
    """The special methods by which plain operators in `code`, and functions in it, may ask what stands on the right.

    On the left of an array stands nothing unknown. ``==`` is left out: it is asked of all kinds of objects.
    """
    found = {_REFLECTED[sign] for step in dis.get_instructions(code) if (sign := _sign_of(step)) in _REFLECTED}
    inner = (reflected_in(constant) for constant in code.co_consts if type(constant) is types.CodeType)
    return frozenset(found).union(*inner)


def _sign_of(step: dis.Instruction) -> str:
    if step.opname == "COMPARE_OP":
        return str(step.argval)
    return step.argrepr.rstrip("=") if step.opname == "BINARY_OP" else _OF_3_10.get(step.opname, "")


@functools.lru_cache(maxsize=4096)
def operands_in(code: types.CodeType) -> frozenset[str]:
    """The names, attributes included, whose values `code` uses in another way than to read or set their attributes."""
    found: set[str] = set()
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            found |= operands_in(constant)
    steps = [step for step in dis.get_instructions(code) if step.opname != "PUSH_NULL"]
    before = None
    for step, after in itertools.zip_longest(steps, steps[1:]):
        is_settled = before is not None and before.argval == "settled"  # ``rt.settled(o, "w").w``: of `o` that is read
        before = step
        if step.opname.startswith("LOAD_") and step.opname != "LOAD_CONST" and not is_settled:
            names = step.argval if type(step.argval) is tuple else (step.argval,)
            found.update(names[:-1] if after is not None and after.opname in _OF_ATTRIBUTES else names)
    return frozenset(found)


def own_method(kind: type, names: frozenset[str]) -> str:
    """One of the special methods `names` that objects of this class have from the program or a library; else empty."""
    found = _FOUND.get((kind, names))
    if found is None:
        found = _FOUND[kind, names] = next((name for name in sorted(names) if _has(kind, name)), "")
    return found


def _has(kind: type, name: str) -> bool:
    owner, found = owner_of(kind, name)
    if found is None or module_of(owner).partition(".")[0] in _QUIET:
        return False
    if f"{module_of(kind)}.".startswith(_QUIET_CLASSES):
        return False
    is_generated = type(found) is types.FunctionType and found.__code__.co_filename == "<string>"
    return not (is_generated and owner_of(owner, "__dataclass_fields__")[0] is owner)


def objects_in(value: Any, seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """An object of each class in `value`, or in the containers that it is or holds."""
    kind = type(value)
    items = items_of(value)
    if kind not in _PLAIN and kind not in _CONTAINERS:
        yield value
    if items is not None and id(value) not in seen:
        kinds: set[type] = set()
        for item in itertools.islice(items, _MOST):
            kind = type(item)
            if kind not in _PLAIN and kind not in kinds:
                if items_of(item) is None:
                    kinds.add(kind)
                yield from objects_in(item, seen | {id(value)})


def asked_object(value: Any, names: frozenset[str], reflected: frozenset[str] = frozenset()) -> str:
    """In words, that `value`, or something in that container, has one of the special methods `names`; else empty.

    reflected: further methods, which only `value` itself is looked at for.
    """
    if reflected and type(value) not in _CONTAINERS and (found := own_method(type(value), reflected)):
        return _words(type(value), found)
    for item in objects_in(value) if names else ():
        kind = type(item)
        is_container = any(member(kind, name) is not None for name in _OF_CONTAINERS)
        found = own_method(kind, names - {"__getitem__"} if is_container else names)
        if found:
            return _words(kind, found)
    return ""


def _words(kind: type, method: str) -> str:
    return f"{module_of(kind)}.{name_of(kind)} has its own {method}, which may change or keep an array"


def is_asked(value: Any) -> bool:
    """Whether an object may get the arrays that stand beside it in an operation."""
    kind = type(value)
    return kind not in _PLAIN and kind not in _CONTAINERS and bool(own_method(kind, _ANY))


def require_left_alone(lent: list[tuple[np.ndarray[Any, Any], bytes]], keeps: bool) -> None:
    """Refuse where an object changed one of the arrays that were `lent` to it, or has it, or a view, afterwards.

    keeps: whether it may have it.
    """
    if any(array.tobytes() != before for array, before in lent):
        raise UnverifiedError("an object's own operator or index changed an array that it got")
    alone = _references([(np.empty(1), b"")])[0]
    if not keeps and max(_references(lent), default=0) > alone:
        raise UnverifiedError("an object's own operator or index keeps an array that it got, or gives it back")


def _references(lent: list[tuple[np.ndarray[Any, Any], bytes]]) -> list[int]:
    """How often each array is referred to, these pairs included."""
    return [sys.getrefcount(pair[0]) for pair in lent]
