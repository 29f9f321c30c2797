"""What the parameters of a function are bound to where its body begins."""

from __future__ import annotations

from collections.abc import Mapping

from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    Array,
    Class,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
)
from np2tnp.analysis.interpreter.statements import Interpreter
from np2tnp.analysis.module.contents import FunctionInfo
from np2tnp.analysis.module.parameter_kinds import random_generator, scalar_annotation
from np2tnp.analysis.module.subclasses import annotated_subclass, array_base
from np2tnp.analysis.syntax.scopes import parameters_of


def bind_parameters(
    function: FunctionInfo,
    interpreter: Interpreter,
    arrays: frozenset[str],
    scalars: frozenset[str],
    hosted: frozenset[str],
    defaults: Mapping[str, str],
) -> Env:
    """The parameters' values. Each is an array, a number, or stays the caller's ndarray, where the sets say so.

    defaults: by parameter, where the array lies that it has by default.
    """
    info = interpreter.module
    env = Env()
    node = function.node
    parameters = parameters_of(node.params)
    for index, parameter in enumerate(parameters):
        name = parameter.name.value
        if index == 0 and function.owner is not None and function.kind != "static":
            env.bind(name, Instance(function.owner, info.path))
            base = array_base(info.classes[function.owner], info)
            if base is not None:
                interpreter.construct(parameter, "array subclass", base)
            continue
        annotated = annotated_subclass(parameter, info)
        if annotated is not None:
            interpreter.construct(parameter, "subclass parameter", annotated)
        if parameter is node.params.star_arg or parameter is node.params.star_kwarg:
            refs, home = frozenset((f"@{name}",)), HOST if name in hosted else EITHER
            kind = "tuple" if parameter is node.params.star_arg else "dict"
            env.bind(name, Sequence(kind, Unknown(home, refs, None, frozenset((name,))), None, refs))
        elif parameter.default is not None and isinstance(
            interpreter.evaluate(parameter.default, Env()), (Symbol, Function, Class)
        ):
            # a module or function by default: its attributes are no evidence of an array
            env.bind(name, Unknown(HOST if name in hosted else EITHER, frozenset((f"@{name}",)), name))
        elif (
            parameter.annotation is not None
            and parameter.default is None
            and (generator := random_generator(parameter.annotation.annotation, interpreter.evaluate))
        ):
            env.bind(name, generator)
        elif name in interpreter.numbers:
            env.bind(name, Scalar("int") if name in function.uses.lengths else Unknown(HOST))
        elif name in scalars:
            env.bind(name, Scalar(scalar_annotation(parameter) or "int"))
        else:
            env.bind(name, _parameter(name, arrays, hosted, interpreter.made))
    for name, place in defaults.items():
        if place.startswith("global:"):
            env.link(name, frozenset((place,)))  # who updates that array updates the argument, where none was given
    return env


def _parameter(name: str, arrays: frozenset[str], hosted: frozenset[str], made: str) -> Value:
    location = frozenset((f"@{name}",))
    deps = frozenset((name,))
    if made == HOST or name in hosted:
        return Array(HOST, refs=location, exact=name, weak=True) if name in arrays else Unknown(HOST, location, name)
    if name in arrays:
        return Array(EITHER, refs=location, exact=name, deps=deps, weak=True, zero_d="never")
    return Unknown(EITHER, location, name, deps)
