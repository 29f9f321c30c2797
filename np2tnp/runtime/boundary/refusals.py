"""The text of a refusal inside a function: which call of which function, for which dtype, of which arguments."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.dispatch import NUMERIC
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import translate

#: Packages that try things out: what is raised and handled in there is no refusal of anything.
_TRYING = frozenset(("tensorflow", "keras", "numpy"))
#: How TensorFlow names a dtype that it has no kernel for.
_DTYPE = re.compile(r"Value for attr '\w+' of (\w+)|T=DT_(\w+)|dtype:? '?(\w+)'?")
_NAMES = {"half": "float16", "float": "float32", "double": "float64", "bool": "bool"}
#: What any object with these attributes answers; nothing is done to an array.
_ASKED = frozenset("shape ndim size dtype nbytes itemsize".split())
#: What takes an array in the text of a function.
_USES = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.AugAssign, ast.For, ast.comprehension)
_LONGEST = 100
_KNOWN = frozenset(np.dtype(char).name for char in NUMERIC)


def explained(
    refusal: UnverifiedError, error: BaseException, body: Callable[..., Any], arguments: Iterable[tuple[str, Any]]
) -> UnverifiedError:
    """`refusal` with the line of `body` where `error` was raised and the arguments of the dtype that it is about."""
    words = [getattr(body, "__qualname__", "a migrated function")]
    line = _line(error, body)
    if line:
        words.append(f"`{line}`")
    elif str(refusal).startswith(words[0]):  # the boundary's own: it has named the function
        return refusal
    # The runtime's own refusals say of what they are: an attribute's array, a global, what a foreign call gave.
    dtype = None if isinstance(error, UnverifiedError) else _dtype(str(error))
    if dtype is None:
        return UnverifiedError(f"{': '.join(words)}: {refusal}")
    names = [repr(name) for name, value in arguments if _name_of(getattr(value, "dtype", None)) == dtype]
    which = f" (argument {', '.join(names)})" if names else ""
    return UnverifiedError(f"{': '.join(words)} was not verified for {dtype}{which}: TensorFlow does not compute it")


def use_of(function: Callable[..., Any], name: str) -> str:
    """The first call, operation or index of `function` that takes what its parameter `name` holds, as text.

    Empty where there is none, or no source. Only asked when a call is refused.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ""
    body = [statement for node in tree.body[:1] for statement in getattr(node, "body", ())]
    nodes = [node for statement in body for node in ast.walk(statement)]
    return _first_use(nodes, name)


def _first_use(nodes: list[Any], name: str, outer: frozenset[str] = frozenset()) -> str:
    """Of a loop over what `name` holds also the first use of its items; `outer` are names of loops around."""
    asked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in _ASKED}
    named = [node for node in nodes if isinstance(node, ast.Name) and node.id == name and id(node) not in asked]
    for first in sorted(named, key=lambda node: (node.lineno, node.col_offset)):
        around: list[Any] = [node for node in nodes if isinstance(node, _USES) and _holds(node, first)]
        if around:
            node = min(around, key=lambda node: sum(1 for _ in ast.walk(node)))
            is_loop = isinstance(node, (ast.For, ast.comprehension))
            text = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}" if is_loop else ast.unparse(node)
            text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
            if is_loop and isinstance(node.target, ast.Name) and node.target.id not in outer | {name}:
                of_items = _first_use(nodes, node.target.id, outer | {name})
                return f"{text}`, `{of_items}" if of_items else text
            return text
    return ""


def _holds(node: Any, part: ast.AST) -> bool:
    loops = isinstance(node, (ast.For, ast.comprehension))  # what they run is no use of their own
    return any(inner is part for inner in ast.walk(node.iter if loops else node))


def replaced(error: BaseException, handled: BaseException | None) -> BaseException:
    """The refusal that a ``finally`` or a handler of the program replaced by `error`; else `error` itself.

    handled : the exception that was being handled when the call began; it is none of this call's.
    """
    earlier = error.__context__
    while earlier is not None and earlier is not handled:
        trace = earlier.__traceback__
        name = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
        tried = name.partition(".")[0] in _TRYING or name.startswith(f"{own_package}.")
        if not tried and isinstance(translate(earlier) or earlier, UnverifiedError):
            return earlier
        earlier = earlier.__context__
    return error


def _line(error: BaseException, body: Callable[..., Any]) -> str:
    code = getattr(body, "__code__", None)
    found = ""
    trace = error.__traceback__
    while trace is not None and code is not None:
        if trace.tb_frame.f_code is code:
            found = linecache.getline(code.co_filename, trace.tb_lineno, trace.tb_frame.f_globals).strip()
        trace = trace.tb_next
    return found


def _dtype(message: str) -> str | None:
    for match in _DTYPE.finditer(message):
        name: str = next(filter(None, match.groups())).lower()
        name = _NAMES.get(name, name)
        if name in _KNOWN:
            return name
    return None


def _name_of(dtype: Any) -> str | None:
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) else None
