"""Keeps input away from the parser that would take minutes, gigabytes or the whole process.

libcst's parser dies on deep nesting (segmentation fault at 3,000 parentheses) and takes quadratic time and memory for
long chains (``a+a+...``, ``f()()...``, implicit string concatenation, ``elif``). A token scan, a twentieth of the
parse, measures both. What remains still recurses deeper than a usual thread's stack allows, so work on trees runs in a
thread with a large one.
"""

from __future__ import annotations

import functools
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from np2tnp.files.problems import Problem

MAX_TOKENS = 800_000  #: about a gigabyte in the parser
MAX_DEPTH = 200  #: nested brackets; CPython's own limit
MAX_INDENT = 100  #: nested blocks; CPython's own limit
MAX_LINKS = 1_500  #: operators, trailers and joined strings in one expression
MAX_ELIF = 500

_STRING = (
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"'
    r"|'[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'"
)
#: Strings (without prefix), comments, line ends with the next line's indentation, words, brackets, operators.
TOKEN = re.compile(_STRING + r"|#[^\r\n]*|(?:\r\n?|\n)[ \t]*|\w+|[-()\[\]{}+*/%@&|^~.,;<>\\]", re.DOTALL)
_BRACKET = re.compile(r"[()\[\]{}]")
_DEEP_INDENT = re.compile(rf"^[ \t]{{{MAX_INDENT}}}", re.MULTILINE)

_OPEN, _CLOSE, _BREAK, _LINK, _LINE, _TEXT = range(1, 7)
_KIND = {
    **dict.fromkeys("([{", _OPEN),
    **dict.fromkeys(")]}", _CLOSE),
    **dict.fromkeys(",;", _BREAK),
    **dict.fromkeys("+-*/%@&|^~.<>", _LINK),
    **dict.fromkeys(("and", "or", "not", "lambda", "if", "else", "for", "await", "in", "is"), _LINK),
}


class _Kinds(dict[str, int]):
    """What a token is; 0 for words and whatever else joins nothing. Most are seen more than once."""

    def __missing__(self, token: str) -> int:
        first = token[0]
        kind = self[token] = _LINE if first in "\r\n" else _TEXT if first in "\"'" else 0
        return kind


_STACK_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 60_000

T = TypeVar("T")


@functools.lru_cache(maxsize=256)  # modules that others import are opened for these, and when their own turn comes
def check(text: str) -> None:
    """Raises Problem (TNP905) for text that the parser must not see."""
    tokens = TOKEN.findall(text)
    if len(tokens) > MAX_TOKENS:
        raise Problem("TNP905", f"has more than {MAX_TOKENS:,} tokens; it looks like data, which needs no migration")
    _check_expressions(tokens)
    if _DEEP_INDENT.search(text):
        _check_blocks(tokens)
    if text.count("elif") > MAX_ELIF:
        _check_branches(tokens)


def _check_expressions(tokens: list[str]) -> None:
    line = 1
    links = 0  # of the innermost open bracket
    total = 0  # of all open brackets: how deep the tree of this expression can get
    outer: list[int] = []
    for index, kind in enumerate(map(_Kinds(_KIND).__getitem__, tokens)):
        if not kind:
            continue
        if kind == _LINE:
            line += 1
            if not outer:
                links = total = 0
        elif kind == _TEXT:
            token = tokens[index]
            line += token.count("\n")
            links += 1
            total += 1
            if len(token) > MAX_DEPTH and _may_hold_code(token, tokens[index - 1]):
                _check_string(token, line)
        elif kind == _LINK:
            links += 1
            total += 1
        elif kind == _OPEN:
            outer.append(links + 1)
            total += 1
            links = 0
            if len(outer) > MAX_DEPTH:
                raise Problem("TNP905", f"nests brackets more than {MAX_DEPTH} deep", line)
        elif kind == _CLOSE:
            total -= links
            links = outer.pop() if outer else 0
        else:
            total -= links
            links = 0
        if total > MAX_LINKS:
            raise Problem("TNP905", f"has an expression of more than {MAX_LINKS:,} linked operations", line)


def _may_hold_code(token: str, before: str) -> bool:
    """Whether a string is an f-string, or (on one line) maybe the text between two quotes inside one."""
    prefix = before.lower()
    return prefix in ("f", "fr", "rf", "t", "tr", "rt") or not token.startswith(('"""', "'''"))


def _check_string(token: str, line: int) -> None:
    depth = 0
    for bracket in _BRACKET.findall(token):
        depth = depth + 1 if bracket in "([{" else max(depth - 1, 0)
        if depth > MAX_DEPTH:
            raise Problem("TNP905", f"has a text that nests brackets more than {MAX_DEPTH} deep", line)


def _check_blocks(tokens: list[str]) -> None:
    indents = [0]
    depth = 0
    line = 1
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth = max(depth - 1, 0)
        elif token[0] in "\r\n":
            line += 1
            if depth or following[:1] in ("", "#", "\r", "\n"):
                continue
            indent = len(token.lstrip("\r\n"))
            while indent < indents[-1]:
                indents.pop()
            if indent > indents[-1]:
                indents.append(indent)
            if len(indents) > MAX_INDENT:
                raise Problem("TNP905", f"nests blocks more than {MAX_INDENT} deep", line)


def _check_branches(tokens: list[str]) -> None:
    counts: dict[int, int] = {}
    line = 1
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if token[0] in "\r\n":
            line += 1
            indent = len(token.lstrip("\r\n"))
            if following == "if":
                counts[indent] = 0
            elif following == "elif":
                counts[indent] = counts.get(indent, 0) + 1
                if counts[indent] > MAX_ELIF:
                    raise Problem("TNP905", f"has a chain of more than {MAX_ELIF} elif branches", line)


class Late(BaseException):
    """Raised in the middle of whatever takes too long."""


def call_with_deep_stack(function: Callable[..., T], *args: Any, seconds: float = 0) -> T:
    """``function(*args)`` where deep trees can be walked: in a thread with a large stack. Exceptions come through.

    Nothing is locked while waiting, so Ctrl-C ends the wait at once. Raises Problem (TNP905) where it takes more than
    `seconds` of processor time, which other programs do not make longer; 0: it may take any.
    """
    if threading.current_thread().name == _DEEP:
        return function(*args)
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        results.append(function(*args))

    def work() -> None:
        try:
            _with_frame_of(_FRAME_SLOTS, call)()
        except BaseException as error:  # handed to the caller, whatever it is
            errors.append(error)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        end = time.process_time() + seconds
        thread = _start(work)
        while thread.is_alive():
            left = end - time.process_time() if seconds else None  # not less than so long, whatever it does
            if left is not None and left <= 0:
                _interrupt(thread)
                left = 1.0
            thread.join(0.1 if sys.platform == "win32" else left)
    finally:
        sys.setrecursionlimit(limit)
    if results:
        return results[0]
    if isinstance(errors[0], Late):
        raise Problem("TNP905", late(seconds))
    raise errors[0]


def late(seconds: float) -> str:
    """What is said of a file that took too long."""
    words = f"takes more than {seconds:g} seconds of processor time: not looked at to its end"
    return f"{words}; split the module, or give it more (--config file-timeout=60)"


def _interrupt(thread: threading.Thread) -> None:
    """Raise Late in the thread, as soon as it gets to its next step in Python."""
    try:
        import ctypes

        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Late))
    except (ImportError, AttributeError):  # not CPython: there it may take as long as it likes
        return


_DEEP = "np2tnp-deep"
_FRAME_SLOTS = 1_000_000  #: eight megabytes, of which only what is used gets memory


def _with_frame_of(slots: int, function: Callable[[], None]) -> Callable[[], None]:
    """A function that calls ``function`` from a frame of so many slots.

    CPython (3.11 on) keeps frames in chunks of 16 KiB or twice the frame that asks for one, and gives a chunk back to
    the system with its last frame. A loop whose calls cross the end of a chunk maps and unmaps memory at each of them:
    one file of SciPy took 100 seconds of system time for that. One large frame makes one chunk hold all that follow.
    """

    def caller() -> None:
        function()

    caller.__code__ = caller.__code__.replace(co_stacksize=slots)
    return caller


def _start(work: Callable[[], None]) -> threading.Thread:
    size = _STACK_BYTES
    while True:
        before = threading.stack_size(size)
        try:
            thread = threading.Thread(target=work, name=_DEEP, daemon=True)
            thread.start()
        except RuntimeError:  # the address space is limited: less must do
            if size <= 16 * 1024 * 1024:
                raise
            size //= 4
        else:
            return thread
        finally:
            threading.stack_size(before)
