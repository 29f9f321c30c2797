"""The arguments that the user's expressions make, for each version of a program. Runs in the child process."""

from __future__ import annotations

import ast
import copy
import random
import types
from collections.abc import Sequence
from typing import Any

import numpy as np


def evaluate(
    expressions: Sequence[tuple[str, str]],
    modules: Sequence[types.ModuleType],
    known: dict[str, Any],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """The values of `expressions` by name, once for each of `modules`.

    An expression knows NumPy as ``np``, `rng`, the names in `known`, the values before it, and what its module defines.
    Those that use the latter are evaluated in every module, with the random numbers of the first time, so that each
    version of the program gets objects of its own classes; all others share one value. Raises what evaluating raises.
    """
    found: list[dict[str, Any]] = [{} for _ in modules]
    shared = {"np", "rng", *known}
    for name, expression in expressions:
        names = {node.id for node in ast.walk(ast.parse(expression, mode="eval")) if isinstance(node, ast.Name)}
        is_shared = not (names - shared) & {*vars(modules[0]), *found[0]}
        before = copy.deepcopy(rng), np.random.get_state(), random.getstate()
        for number, (module, values) in enumerate(zip(modules, found, strict=True)):
            if number and is_shared:
                values[name] = found[0][name]
                continue
            if number:
                rng, legacy, plain = copy.deepcopy(before[0]), before[1], before[2]
                np.random.set_state(legacy)
                random.setstate(plain)
            scope = {**vars(module), "np": np, "rng": rng, **known, **values}
            values[name] = eval(expression, scope)
        shared = shared | {name} if is_shared else shared - {name}
    return found


def constructing(class_name: str, names: Sequence[str]) -> str:
    """The expression that makes an object of a class from values called `names`."""
    return f"{class_name}({', '.join(f'{name}={name}' for name in names)})"
