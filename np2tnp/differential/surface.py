"""What NumPy offers: every public name with its kind and its parameters, read off NumPy itself.

The names that the catalog knows are those of the modules in :data:`MODULES`, the members of ndarray, of the random
generators and of the ufuncs, Python's operators, and the names that NumPy 1 had and NumPy 2 dropped (:data:`LEGACY`),
since code that people migrate is full of them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import numpy as np

from np2tnp.differential.numpy_versions import LEGACY, LEGACY_FACTS, SINCE_2
from np2tnp.differential.syntax import operator_facts

MODULES = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib.stride_tricks", "numpy.testing",
    "numpy.exceptions",
    "numpy.emath",
)  # fmt: skip

#: Modules of which every name counts that ``dir()`` tells; of the others those that they export.
_LISTED = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random")

CLASSES = {
    "ndarray": np.ndarray,
    "numpy.random.Generator": np.random.Generator,
    "numpy.random.RandomState": np.random.RandomState,
    "numpy.dtype": np.dtype,
}

_SPREAD = [
    "axis=None", "dtype=None", "out=None", "ddof=0", "keepdims=<no value>", "*", "where=<no value>", "mean=<no value>",
]  # fmt: skip
#: Methods that take other arguments than their signature says: choices one by one; a dtype before `out`; no keyword;
#: no correction; other names than the function's.
_TRUE_PARAMETERS = {
    "ndarray.choose": ["*choices", "out=None", "mode='raise'"],
    "ndarray.all": ["axis=None", "*", "out=None", "keepdims=False", "where=True"],
    "ndarray.any": ["axis=None", "*", "out=None", "keepdims=False", "where=True"],
    "ndarray.fill": ["value", "/"],
    "ndarray.std": _SPREAD,
    "ndarray.var": _SPREAD,
    "ndarray.clip": ["min=None", "max=None", "out=None", "**kwargs"],
}


def resolve(name: str) -> Any:
    """The object named `name` (``numpy.fft.rfft``, ``ndarray.sum``, ``numpy.add.reduce``). Raises AttributeError."""
    parts = name.split(".")
    found: Any = {"numpy": np, "ndarray": np.ndarray}[parts[0]]
    for index, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            if not inspect.ismodule(found):
                raise
            try:
                found = importlib.import_module(".".join(parts[:index]))
            except ImportError as error:
                raise AttributeError(name) from error
    return found


def list_surface() -> dict[str, dict[str, Any]]:
    """Each public name with ``kind`` and ``parameters``, or with ``alias_of`` when another name is the same object."""
    facts: dict[str, dict[str, Any]] = {}
    owners: dict[int, str] = {}
    for module in MODULES:
        for attribute in _public_names(resolve(module)):
            name = f"{module}.{attribute}"
            if name in facts:  # the canonical name of an alias that came first
                continue
            value = getattr(resolve(module), attribute)
            if inspect.ismodule(value):
                facts[name] = {"kind": "module"}
            elif callable(value) and (owner := owners.get(id(value))) is not None:
                facts[name] = {"alias_of": owner}
            else:
                facts[name] = {"kind": kind_of(value), "parameters": parameters_of(value)}
                if callable(value):
                    owners[id(value)] = _prefer_own_name(name, value, facts, owners)
    for prefix, cls in CLASSES.items():
        for attribute in _public_names(cls):
            facts[f"{prefix}.{attribute}"] = _member_fact(getattr(cls, attribute))
    for name, fact in facts.items():
        function = facts.get("numpy" + name.removeprefix("ndarray"), {})
        if name.startswith("ndarray.") and "**kwargs" in fact["parameters"] and "parameters" in function:
            fact["parameters"] = function["parameters"][1:]  # the method passes all on to the function
    for name, parameters in _TRUE_PARAMETERS.items():
        facts[name]["parameters"] = parameters
    facts.update(_ufunc_methods({n: f for n, f in facts.items() if f.get("kind") == "ufunc"}))
    facts.update(operator_facts())
    for name, target in LEGACY.items():
        if name not in facts:
            fact = (
                {"alias_of": target}
                if target
                else LEGACY_FACTS.get(name, {"kind": "function", "parameters": ["*args", "**kwargs"]})
            )
            facts[name] = fact if _is_hidden_module(name, fact) else {**fact, "legacy": True}
        elif target not in (None, name) and facts[name].get("kind") == "function":  # still there, and deprecated
            facts[name] = {"alias_of": target}
    for name in SINCE_2 & facts.keys():
        facts[name] = {**facts[name], "since": "2"}
    for fact in facts.values():  # no chains: an alias names the canonical one
        while "alias_of" in facts.get(fact.get("alias_of", ""), {}):
            fact["alias_of"] = facts[fact["alias_of"]]["alias_of"]
    return facts


def _is_hidden_module(name: str, fact: dict[str, Any]) -> bool:
    """Whether it is a module that the installed NumPy has, though it does not list it."""
    try:
        return fact.get("kind") == "module" and inspect.ismodule(resolve(name))
    except AttributeError:
        return False


def kind_of(value: Any) -> str:
    """The catalog's ``kind`` of a member of a module."""
    if isinstance(value, np.ufunc):
        return "ufunc"
    if isinstance(value, type):
        return "dtype" if issubclass(value, np.generic) else "class"
    if isinstance(value, (int, float, complex, str, type(None))):
        return "constant"
    return "function" if inspect.isroutine(value) else "object"


def is_indexed(value: Any) -> bool:
    """Whether `value` stands for a call by its index, as ``np.r_`` and ``np.mgrid`` do; data does not."""
    is_data = isinstance(value, (type, np.generic)) or hasattr(value, "__contains__")
    return not is_data and hasattr(value, "__getitem__")


def parameters_of(value: Any, skip: int = 0) -> list[str]:
    """Signature text per parameter, ``/`` and ``*`` included, without the first `skip` parameters."""
    if is_indexed(value):
        return ["key", "/"]
    try:
        parameters = list(inspect.signature(value).parameters.values())[skip:]
    except (TypeError, ValueError):
        return ["*args", "**kwargs"] if callable(value) else []
    texts: list[str] = []
    previous = None
    for parameter in parameters:
        if previous is parameter.POSITIONAL_ONLY and parameter.kind is not parameter.POSITIONAL_ONLY:
            texts.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and previous not in (
            parameter.KEYWORD_ONLY,
            parameter.VAR_POSITIONAL,
        ):
            texts.append("*")
        text = str(parameter.replace(annotation=parameter.empty)).replace(" = ", "=")
        texts.append(re.sub(r"<[\w.]+ object at 0x\w+>", "<no value>", text))  # an address is another in each process
        previous = parameter.kind
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        texts.append("/")
    return texts


def parameter_names(texts: list[str]) -> list[str]:
    """The plain names in a ``parameters`` list, without the markers and the variadic ones."""
    return [text.split("=")[0] for text in texts if text not in ("/", "*") and not text.startswith("*")]


def call_parameters(api: str, fact: dict[str, Any]) -> list[str]:
    """The parameters of a call as cases write it: with the array itself first for methods of ndarray."""
    texts: list[str] = fact.get("parameters", [])
    return ["self", *texts] if api.startswith("ndarray.") and fact["kind"] == "method" else texts


def _public_names(owner: Any) -> list[str]:
    listed = list(getattr(owner, "__all__", ())) + dir(owner)
    if inspect.ismodule(owner) and owner.__name__ not in _LISTED:
        listed = list(getattr(owner, "__all__", ())) or dir(owner)
    names = {n for n in listed if not n.startswith("_") and hasattr(owner, n)}
    return sorted(n for n in names if n not in ("ABCPolyBase", "PytestTester"))


def _prefer_own_name(name: str, value: Any, facts: dict[str, dict[str, Any]], owners: dict[int, str]) -> str:
    """The canonical one of an object's names: that which the object itself bears, such as ``absolute`` for
    ``np.abs``.
    """
    own = getattr(value, "__name__", None)
    module = name.rpartition(".")[0]
    if own is None or own == name.rpartition(".")[2] or not hasattr(resolve(module), own):
        return name
    if getattr(resolve(module), own) is not value:
        return name
    canonical = f"{module}.{own}"
    facts[canonical] = facts[name]
    facts[name] = {"alias_of": canonical}
    owners[id(value)] = canonical
    return canonical


def _member_fact(value: Any) -> dict[str, Any]:
    if not callable(value):
        return {"kind": "attribute", "parameters": []}
    texts = parameters_of(value, skip=1)
    return {"kind": "method", "parameters": [t for i, t in enumerate(texts) if t != "/" or i > 0]}


def _ufunc_methods(ufuncs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    facts: dict[str, dict[str, Any]] = {}
    for name in ufuncs:
        ufunc = resolve(name)
        if ufunc.signature is not None or not name.startswith("numpy.") or name.count(".") > 1:
            continue
        methods = ["at"] if ufunc.nout == 1 else []
        if ufunc.nin == 2 and ufunc.nout == 1:
            methods += ["reduce", "accumulate", "reduceat", "outer"]
        for method in methods:
            texts = parameters_of(getattr(ufunc, method))
            if method == "reduce":
                texts[-1:] = ["keepdims=False", "initial=<no value>", "where=True"]
            facts[f"{name}.{method}"] = {"kind": "method", "parameters": texts}
    return facts
