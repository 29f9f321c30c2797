"""What Python writes without a name (operators, indexing, ``len(x)``, ``x in y``), and its names as methods of ndarray.

Facts are kept under the name in Python's ``operator`` module where it has one (``operator.add``), else under that of
the method (``ndarray.__len__``). :data:`METHODS` has the other names of each: ``ndarray.__radd__``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

BINARY_OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift",
    "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip
UNARY_OPERATORS = ("neg", "pos", "abs", "invert")
IN_PLACE_OPERATORS = tuple("i" + name.rstrip("_") for name in BINARY_OPERATORS[:13])

#: Parameters of what is no operator of one or two operands.
_OTHERS = {
    "operator.getitem": ["a", "key"],
    "operator.setitem": ["a", "key", "value"],
    "operator.contains": ["a", "item"],
    "operator.index": ["a"],
    "ndarray.__divmod__": ["a", "b"],
    "ndarray.__len__": ["a"],
    "ndarray.__iter__": ["a"],
    "ndarray.__bool__": ["a"],
    "ndarray.__int__": ["a"],
    "ndarray.__float__": ["a"],
    "ndarray.__complex__": ["a"],
}

#: What calls these methods.
_CALLERS: dict[str, Callable[..., Any]] = {
    "ndarray.__divmod__": divmod, "ndarray.__len__": len, "ndarray.__iter__": list, "ndarray.__bool__": bool,
    "ndarray.__int__": int, "ndarray.__float__": float, "ndarray.__complex__": complex,
}  # fmt: skip

#: Below the runtime; of the other operators the name is the same, with ``op_``.
_HELPERS = {"operator.getitem": "at(a)[key].get()", "operator.setitem": "at(a)[key].set(value)"}

#: What Python does with a tensor, for what needs no helper if it does the same as with an ndarray.
_OF_TENSORS = {
    "operator.getitem": "a[key]", "operator.contains": "item in a", "operator.index": "operator.index(a)",
    "ndarray.__divmod__": "divmod(a, b)", "ndarray.__len__": "len(a)", "ndarray.__iter__": "iter(a)",
    "ndarray.__bool__": "bool(a)", "ndarray.__int__": "int(a)", "ndarray.__float__": "float(a)",
    "ndarray.__complex__": "complex(a)",
}  # fmt: skip


def operator_facts() -> dict[str, dict[str, Any]]:
    """A fact for each operator and each other thing that is done to arrays by syntax, and for their methods' names."""
    parameters = {f"operator.{name}": ["a", "b"] for name in (*BINARY_OPERATORS, *IN_PLACE_OPERATORS)}
    parameters |= {f"operator.{name}": ["a"] for name in UNARY_OPERATORS} | _OTHERS
    facts: dict[str, dict[str, Any]] = {
        name: {"kind": "operator", "parameters": texts} for name, texts in parameters.items()
    }
    return facts | {method: {"alias_of": name} for method, name in METHODS.items()}


def _methods() -> dict[str, str]:
    found = {f"ndarray.__{name}__": f"operator.{name}" for name in ("getitem", "setitem", "contains", "index")}
    found["ndarray.__rdivmod__"] = "ndarray.__divmod__"
    for name in (*UNARY_OPERATORS, *BINARY_OPERATORS, *IN_PLACE_OPERATORS):
        found[f"ndarray.__{name.rstrip('_')}__"] = f"operator.{name}"
    for name in BINARY_OPERATORS[:13]:
        found[f"ndarray.__r{name.rstrip('_')}__"] = f"operator.{name}"
    return found


#: Other names: method of ndarray -> what the facts are kept under.
METHODS = _methods()


def is_syntax(api: str) -> bool:
    """Whether `api` is what Python writes without a name."""
    return api.startswith("operator.") or api in _OTHERS


def call_numpy(api: str) -> Callable[..., Any]:
    """What Python does with ndarrays, as a function. A store returns nothing, and changes its first argument."""
    found: Callable[..., Any] = _CALLERS.get(api) or getattr(operator, api.partition(".")[2])
    return found


def name_targets(api: str) -> dict[str, str]:
    """Names of what may stand for it: ``tnp`` for what tensors do by themselves, ``rt`` for the exact form.

    Empty for all that has a name of its own. Operators of one and two operands are not among ``tnp``: they are
    measured pair by pair (operator_pairs.py).
    """
    if not is_syntax(api):
        return {}
    short = api.partition(".")[2].strip("_")
    targets = {"tnp": _OF_TENSORS[api]} if api in _OF_TENSORS else {}
    if api in _HELPERS:
        targets["rt"] = f"rt.{_HELPERS[api]}"
    elif short in IN_PLACE_OPERATORS:
        targets["rt"] = f"rt.{short}"
    elif api not in _OTHERS or short in ("contains", "divmod"):
        targets["rt"] = f"rt.op_{short}"
    return targets


def find_targets(api: str) -> dict[str, Callable[..., Any]]:
    """The same as functions of the operands."""
    from np2tnp import runtime as rt

    forms: dict[str, Callable[..., Any]] = {
        "operator.getitem": lambda a, key: rt.at(a)[key].get(),
        "operator.setitem": lambda a, key, value: rt.at(a)[key].set(value),
    }
    names = name_targets(api)
    targets = {"tnp": call_numpy(api)} if "tnp" in names else {}
    if "rt" in names:
        targets["rt"] = forms.get(api) or getattr(rt, names["rt"].removeprefix("rt."))
    return targets
