"""Arguments by NumPy's parameter names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import Const, Value
from np2tnp.catalog.catalog import Catalog
from np2tnp.catalog.facts import ApiFact, positional


def bind(fact: ApiFact, arguments: tuple[ev.Argument, ...], skip: int = 0) -> dict[str, ev.Argument] | None:
    """Arguments by NumPy's parameter name, or None where a ``*`` or ``**`` hides them.

    skip: parameters already taken.
    """
    bound: dict[str, ev.Argument] = {}
    positional, variadic = _positions(fact.parameters)
    positional = positional[skip:]
    for index, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.name is not None:
            bound[argument.name] = argument
        elif index < len(positional):
            bound[positional[index]] = argument
        elif variadic is not None:
            bound[f"{variadic}[{index - len(positional)}]"] = argument
        else:
            bound[f"?{index}"] = argument
    return bound


def asked_dtypes(fact: ApiFact | None, arguments: tuple[ev.Argument, ...]) -> list[Value]:
    """What stands for a dtype in a call, by its name or by its place."""
    bound = bind(fact, arguments) if fact is not None else None
    if bound is not None:
        return [bound["dtype"].value] if "dtype" in bound else []
    return [argument.value for argument in arguments if argument.name == "dtype"]


@lru_cache(maxsize=4096)
def _positions(parameters: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """The parameters that may be given by position, and the one that takes what is left."""
    variadic = next((text[1:] for text in parameters if text.startswith("*") and text[1:2] not in ("", "*")), None)
    return positional(parameters), variadic


def ufunc_method(catalog: Catalog, api: str) -> tuple[str, str] | None:
    """("numpy.add", "reduce") for ``numpy.add.reduce``; None for what is not a method of a ufunc."""
    owner, _, method = api.rpartition(".")
    if method not in ("at", "reduce", "accumulate", "outer", "reduceat"):
        return None
    fact = catalog.get(owner)
    return (owner, method) if fact is not None and fact.kind == "ufunc" else None


#: Where the methods of ufuncs take ``out`` by position.
_OUTPUTS = {"reduce": 3, "accumulate": 3, "reduceat": 4}


def ufunc_output(method: str, arguments: tuple[ev.Argument, ...]) -> ev.Argument | None:
    """The argument ``out`` of a method of a ufunc, as far as no ``*`` hides it."""
    for index, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.name == "out" or (argument.name is None and index == _OUTPUTS.get(method)):
            return argument
    return None


#: Parameters that make some functions work in place: nothing happens while they have these values.
_SWITCHES = {"overwrite_input=False": False, "inplace=False": False, "copy=True": True}


def is_in_place(fact: ApiFact, bound: Mapping[str, ev.Argument]) -> bool:
    """Whether a call of a function that may change an argument may do so with these arguments."""
    for parameter, harmless in _SWITCHES.items():
        if parameter in fact.parameters:
            given = bound.get(parameter.partition("=")[0])
            return given is not None and given.value != Const.of(harmless)
    return True


def asks_for_update(argument: ev.Argument) -> bool:
    """Whether the argument tells a function of another library to change an array in place."""
    return argument.name in ("out", "output") or (argument.name or "").startswith("overwrite")
