"""Wrappers with the very parameters of what they wrap.

Libraries count a callback's parameters, or choose what they pass, by ``f.__code__``, which ``functools.wraps`` does not
copy: of a wrapper that takes ``*args`` they would see no parameter, and leave out arguments without a word.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

_VARARGS, _VARKEYWORDS, _ONLY_AST = 0x4, 0x8, 0x400

#: What such a wrapper does. Its names are the function's own, so it has no variables but these.
_TEXT = """
def make({own}):
    def shaped({taken}):
        if {own}.is_running:
            return {own}.deeper({given})
        {own}.is_running = True
        try:
            if {own}.waits and "tensorflow" not in {own}.modules:
                return {own}.original({given})
            return {own}.call({given})
        finally:
            {own}.is_running = False
    return shaped
"""


def with_parameters_of(function: Callable[..., Any], door: Any) -> Callable[..., Any]:
    """A function with the parameters, defaults and place of `function` that asks `door` (see ``door.py``)."""
    code = getattr(function, "__code__", None)
    own = code if isinstance(code, CodeType) else _anything.__code__
    namespace: dict[str, Any] = {}
    exec(_factory(own), namespace)
    shaped: Any = namespace["make"](door)
    if own is not code:
        return shaped  # type: ignore[no-any-return]
    places = {"co_filename": code.co_filename, "co_firstlineno": code.co_firstlineno, "co_name": code.co_name}
    if hasattr(code, "co_qualname"):
        places["co_qualname"] = code.co_qualname
    shaped.__code__ = shaped.__code__.replace(**places)
    shaped.__defaults__, shaped.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return shaped  # type: ignore[no-any-return]


def _anything(*args: Any, **kwargs: Any) -> None: ...


def _factory(code: CodeType) -> CodeType:
    """Code that defines ``make(door)``, which gives a function with the parameters of `code`."""
    names = code.co_varnames
    positional = names[: code.co_argcount]
    end = code.co_argcount + code.co_kwonlyargcount
    named = names[code.co_argcount : end]
    rest = list(names[end:])
    star = rest.pop(0) if code.co_flags & _VARARGS else ""
    stars = rest.pop(0) if code.co_flags & _VARKEYWORDS else ""
    return _compiled(positional, code.co_posonlyargcount, star, named, stars)


@functools.lru_cache(maxsize=256)
def _compiled(positional: tuple[str, ...], first: int, star: str, named: tuple[str, ...], stars: str) -> CodeType:
    """`first`: how many of `positional` are so only."""
    own = "door"
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
    text = _TEXT.format(own=own, taken=", ".join(taken), given=", ".join(given))
    return compile(_on_one_line(compile(text, "<np2tnp>", "exec", _ONLY_AST)), "<np2tnp>", "exec")


def _on_one_line(tree: Any) -> Any:
    """The syntax tree with all its code in one line: the first of the function, which tracebacks show."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
        for name in node._fields:
            value = getattr(node, name, None)
            todo += [part for part in (value if isinstance(value, list) else [value]) if hasattr(part, "_fields")]
    return tree
