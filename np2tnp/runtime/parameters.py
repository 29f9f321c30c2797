"""Wrappers with the very parameters of what they wrap.

Libraries count a callback's parameters, or choose what they pass, by ``f.__code__``, which ``functools.wraps`` does not
copy: of a wrapper that takes ``*args`` they would see no parameter, and leave out arguments without a word.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any

from np2tnp.runtime.arguments import describe


def with_parameters_of(function: Callable[..., Any], wrapper: Callable[..., Any]) -> Callable[..., Any]:
    """`wrapper`, which takes anything, as a function with the parameters, defaults and place of `function`."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return wrapper
    namespace: dict[str, Any] = {}
    exec(_factory(code), namespace)
    shaped = namespace["make"](wrapper)
    functools.update_wrapper(shaped, wrapper)
    shaped.__wrapped__ = wrapper.__wrapped__  # type: ignore[attr-defined]
    places = {"co_filename": code.co_filename, "co_firstlineno": code.co_firstlineno, "co_name": code.co_name}
    if hasattr(code, "co_qualname"):
        places["co_qualname"] = code.co_qualname
    shaped.__code__ = shaped.__code__.replace(**places)
    describe(shaped, function)
    return shaped  # type: ignore[no-any-return]


def _factory(code: CodeType) -> CodeType:
    """Code that defines ``make(wrapper)``, which gives a function with the parameters of `code` that calls it."""
    names = code.co_varnames
    positional = names[: code.co_argcount]
    end = code.co_argcount + code.co_kwonlyargcount
    named = names[code.co_argcount : end]
    rest = list(names[end:])
    star = rest.pop(0) if code.co_flags & inspect.CO_VARARGS else ""
    stars = rest.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else ""
    return _compiled(positional, code.co_posonlyargcount, star, named, stars)


@functools.lru_cache(maxsize=256)
def _compiled(positional: tuple[str, ...], first: int, star: str, named: tuple[str, ...], stars: str) -> CodeType:
    """`first`: how many of `positional` are so only."""
    own = "call"
    while own in (*positional, *named, star, stars):
        own += "_"
    given = list(positional)
    taken = [*given[:first], *(["/"] if first else []), *given[first:]]
    if star or named:
        taken.append(f"*{star}")
    taken += named
    given += [f"*{star}"] * bool(star) + [f"{name}={name}" for name in named]
    if stars:
        taken.append(f"**{stars}")
        given.append(f"**{stars}")
    text = (
        f"def make({own}):\n    def shaped({', '.join(taken)}): return {own}({', '.join(given)})\n    return shaped\n"
    )
    return compile(text, "<np2tnp>", "exec")
