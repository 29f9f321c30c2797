"""Inputs as data: what travels between the processes, is shrunk, and is printed as code.

A live ndarray cannot stand for an input: pickling loses its strides, its read-only flag and the memory it shares with
another argument, and a call may change it. So an input is a *spec*; each process makes the live objects from it.
"""

from __future__ import annotations

import cmath
import io
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from np2tnp.verify.program_classes import find

#: How an array lies in memory. All hold the same values.
LAYOUTS = ("C", "F", "strided", "reversed", "readonly")

_PRINTED = 2000  #: bytes of a pickled object that are printed


@dataclass(frozen=True)
class Array:
    """An ndarray of `values` in one of LAYOUTS."""

    values: Any
    layout: str = "C"


@dataclass(frozen=True)
class Code:
    """The value of a Python expression (`np` and the module's names are known), such as ``lambda x: x * x``."""

    text: str


@dataclass(frozen=True)
class Same:
    """The very object that is argument number `of`."""

    of: int


@dataclass(frozen=True)
class Overlap:
    """A view of argument number `of`: the same shape, read backwards along the first axis."""

    of: int


@dataclass(frozen=True)
class Instance:
    """An object of a class of the module."""

    name: str
    call: Call


@dataclass(frozen=True)
class Pickled:
    """An object that a real run of the program had; its class is found in the version that unpickles it."""

    data: bytes


@dataclass(frozen=True)
class Call:
    """Arguments of one call: specs, or plain Python values that stand for themselves."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)

    def items(self) -> list[Any]:
        return [*self.args, *self.kwargs.values()]

    def with_items(self, items: list[Any]) -> Call:
        count = len(self.args)
        return Call(tuple(items[:count]), dict(zip(self.kwargs, items[count:], strict=True)))


@dataclass(frozen=True)
class Case:
    """One input of one function: for a method also how its object is made and what is called before."""

    target: str  #: ``name`` or ``Class.name``
    call: Call
    construct: Call | Pickled | None = None  #: arguments for its class, or the very object
    before: tuple[tuple[str, Call], ...] = ()
    made_as: str = ""  #: the subclass whose object it is, where the class itself makes none
    note: str = ""  #: which edge it tries, for people

    def with_call(self, call: Call) -> Case:
        return replace(self, call=call)


def with_scalars(call: Call) -> Call | None:
    """`call` with a NumPy scalar for each 0-d array; None where it has none."""
    items = [np.asarray(item.values)[()] if _is_zero_d(item) else item for item in call.items()]
    return call.with_items(items) if any(map(_is_zero_d, call.items())) else None


def _is_zero_d(item: Any) -> bool:
    return isinstance(item, Array) and np.ndim(item.values) == 0


class _Unpickler(pickle.Unpickler):
    """Finds the classes of a module in one of the versions of it that are loaded."""

    def __init__(self, data: bytes, namespace: dict[str, Any], names: set[str]) -> None:
        super().__init__(io.BytesIO(data))
        self._namespace = namespace
        self._names = names

    def find_class(self, module: str, name: str) -> Any:
        if module not in self._names:
            return super().find_class(module, name)
        first, *rest = name.split(".")
        found = self._namespace[first]
        for part in rest:
            found = getattr(found, part)
        return found


def unpickled(data: bytes, namespace: dict[str, Any], names: set[str]) -> Any:
    """The object in `data`; what is of a module called one of `names` comes from `namespace`.

    Raises what unpickling raises.
    """
    return _Unpickler(data, namespace, names).load()


def make(spec: Any, namespace: dict[str, Any], made: list[Any] | None = None) -> Any:
    """The live object that `spec` describes. `made` holds the arguments before it."""
    if isinstance(spec, Array):
        return _make_array(spec)
    if isinstance(spec, Code):
        return eval(spec.text, {"np": np, **namespace})
    if isinstance(spec, Same):
        return (made or [])[spec.of]
    if isinstance(spec, Overlap):
        return (made or [])[spec.of][::-1]
    if isinstance(spec, Pickled):
        return unpickled(spec.data, namespace, {namespace.get("__name__", "")})
    if isinstance(spec, Instance):
        args, kwargs = make_call(spec.call, namespace)
        return find(namespace, spec.name)(*args, **kwargs)
    if type(spec) in (list, tuple):
        return type(spec)(make(item, namespace, made) for item in spec)
    if type(spec) is dict:
        return {key: make(item, namespace, made) for key, item in spec.items()}
    return spec


def make_call(call: Call, namespace: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Live positional and keyword arguments."""
    made: list[Any] = []
    for item in call.items():
        made.append(make(item, namespace, made))
    count = len(call.args)
    return made[:count], dict(zip(call.kwargs, made[count:], strict=True))


def _make_array(spec: Array) -> Any:
    values = np.asarray(spec.values)
    if values.dtype.kind in "biufc" and values.dtype.isnative:
        # an unpickled dtype is not the one that NumPy compares with `is`: np.asarray would make a view for nothing
        values = values.view(np.dtype(values.dtype.char))
    if spec.layout == "F":
        return np.array(values, order="F")
    if spec.layout == "strided" and values.ndim:
        wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
        wide[..., ::2] = values
        return wide[..., ::2]
    if spec.layout == "reversed" and values.ndim:
        return np.array(values[::-1])[::-1]
    array = np.array(values, order="C")
    if spec.layout == "readonly":
        array.flags.writeable = False
    return array


def code_of(spec: Any, names: tuple[str, ...] = ()) -> str:
    """Python code for `spec`, in full precision. `names` are those of the arguments before it."""
    if isinstance(spec, Array):
        return _array_code(spec)
    if isinstance(spec, Code):
        return spec.text
    if isinstance(spec, Same):
        return names[spec.of]
    if isinstance(spec, Overlap):
        return f"{names[spec.of]}[::-1]"
    if isinstance(spec, Pickled):
        small = len(spec.data) <= _PRINTED
        return f"pickle.loads({spec.data!r})" if small else "...  # an object of the program: too large to print"
    if isinstance(spec, Instance):
        return f"{spec.name.rpartition(':')[2]}({_arguments_code(spec.call)})"
    if type(spec) is list:
        return f"[{', '.join(code_of(item) for item in spec)}]"
    if type(spec) is tuple:
        return f"({', '.join(code_of(item) for item in spec)}{',' if len(spec) == 1 else ''})"
    if type(spec) is dict:
        return "{" + ", ".join(f"{key!r}: {code_of(item)}" for key, item in spec.items()) + "}"
    if isinstance(spec, np.generic):
        return f"np.{spec.dtype.type.__name__}({_plain(spec.item())})"
    return _plain(spec)


def _arguments_code(call: Call) -> str:
    parts = [code_of(item) for item in call.args]
    return ", ".join(parts + [f"{name}={code_of(item)}" for name, item in call.kwargs.items()])


def _plain(value: Any) -> str:
    """A plain value's text, or that of nested lists of them."""
    if type(value) is list:
        return f"[{', '.join(map(_plain, value))}]"
    if type(value) is complex and not cmath.isfinite(value):
        return f"complex({_plain(value.real)}, {_plain(value.imag)})"
    text = repr(value)
    return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}.get(text, text)


def _array_code(spec: Array) -> str:
    values = np.asarray(spec.values)
    if values.size > 200:
        return f"np.zeros({values.shape}, dtype=np.{values.dtype.name})  # shape and dtype only: too large to print"
    body = _plain(values.tolist())
    if values.size == 0 and values.ndim > 1:
        code = f"np.zeros({values.shape}, dtype=np.{values.dtype.name})"
    else:
        default = values.dtype in (np.dtype(np.float64), np.dtype(np.bool_)) and values.size > 0
        code = f"np.array({body})" if default else f"np.array({body}, dtype=np.{values.dtype.name})"
    if spec.layout == "F":
        return f"np.asfortranarray({code})"
    if spec.layout == "strided":
        return f"np.repeat({code}, 2, axis=-1)[..., ::2]"
    if spec.layout == "reversed":
        return f"{code}[::-1].copy()[::-1]"
    return code


def program_of(case: Case, module: str, parameters: tuple[str, ...] = ()) -> str:
    """Code that makes the call of `case`, for a person to run against the original and the rewritten module."""
    class_name, _, method = case.target.rpartition(".")
    name = case.made_as or class_name or method
    lines = ["import numpy as np", *_imports(case, module, name), ""]
    call_lines, names = _assignments(case.call, parameters)
    lines += call_lines
    count = len(case.call.args)
    keywords = [f"{key}={name}" for key, name in zip(case.call.kwargs, names[count:], strict=True)]
    arguments = ", ".join(names[:count] + keywords)
    if not class_name:
        lines.append(f"print({method}({arguments}))")
    else:
        if isinstance(case.construct, Pickled):
            lines.append(f"it = {code_of(case.construct)}")
        else:
            lines.append(f"it = {name}({_arguments_code(case.construct or Call())})")
        lines += [f"it.{opened}({_arguments_code(call)})" for opened, call in case.before]
        lines.append("print(vars(it))" if method == "__init__" else f"print(it.{method}({arguments}), vars(it))")
    changed = [n for n, item in zip(names, case.call.items(), strict=True) if isinstance(item, Array)]
    if changed:
        lines.append(f"print({', '.join(changed)})")
    if any("pickle.loads(" in line for line in lines):
        lines.insert(0, "import pickle")
    return "\n".join(lines)


def _imports(case: Case, module: str, name: str) -> list[str]:
    """For the target and the classes of its objects."""
    held = [case.call, *([case.construct] if isinstance(case.construct, Call) else []), *(it for _, it in case.before)]
    classes = {found for call in held for item in call.items() for found in _classes(item)}
    lines = []
    for one in sorted(classes | {name}):
        place, _, own = one.rpartition(":")
        place = place or module
        if all(part.isidentifier() for part in place.split(".")):
            lines.append(f"from {place} import {own}")
        else:  # 01_first.py
            lines += ["import importlib", f"{own} = importlib.import_module({place!r}).{own}"]
    return lines


def _classes(spec: Any) -> Iterator[str]:
    """The classes of the objects that are made for `spec`."""
    if isinstance(spec, Instance):
        yield spec.name
    held = spec.call.items() if isinstance(spec, Instance) else spec if type(spec) in (list, tuple) else ()
    for item in held:
        yield from _classes(item)


def _assignments(call: Call, parameters: tuple[str, ...]) -> tuple[list[str], list[str]]:
    lines: list[str] = []
    names: list[str] = []
    labels = [
        *parameters[: len(call.args)],
        *(f"argument_{i}" for i in range(len(parameters), len(call.args))),
        *call.kwargs,
    ]
    for label, item in zip(labels, call.items(), strict=True):
        if isinstance(item, (Array, Same, Overlap, Instance, Pickled)):
            lines.append(f"{label} = {code_of(item, tuple(names))}")
            if isinstance(item, Array) and item.layout == "readonly":
                lines.append(f"{label}.flags.writeable = False")
            names.append(label)
        else:
            names.append(code_of(item))
    return lines, names
