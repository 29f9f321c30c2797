"""Lines that a rewrite changed, formatted by the project's own formatter where it names one: Ruff or Black."""

from __future__ import annotations

import ast
import difflib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from np2tnp.importing import project_root, upwards

_SECONDS = 30  #: that a formatter may take
_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")


def formatted(text: str, old: str, path: str) -> str:
    """`text`, which was made of `old`, with the new lines as the formatter of the project around `path` has them.

    It stays as it is where the project names no formatter or has none installed, and where the formatter fails or would
    make something else of the code.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n")
    name = formatter_of(path)
    if name is None or "\r" in lines or (newline == "\r\n" and text.count("\n") != text.count("\r\n")):
        return text
    program = _program(name)
    made = _format(name, program, lines, old, path) if program is not None else None
    return text if made is None or made == lines else made.replace("\n", newline)


def formatter_of(path: str) -> str | None:
    """The formatter that the nearest configuration names: "ruff" or "black"."""
    folder = os.path.dirname(os.path.abspath(path))
    top = project_root(folder)
    for directory in upwards(folder):
        for name in _FILES:
            tables = _tables(os.path.join(directory, name))
            if tables is None:
                continue
            if name != "pyproject.toml":
                return "ruff"
            tools = tables.get("tool")
            tools = tools if isinstance(tools, dict) else {}
            if "black" in tools or "ruff" in tools:
                return "black" if "black" in tools else "ruff"  # who has both formats with Black
        if directory == top:
            break
    return None


def _tables(path: str) -> dict[str, Any] | None:
    if not os.path.isfile(path):
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        with open(path, "rb") as file:
            found: dict[str, Any] = tomllib.load(file)
    except (OSError, ValueError):
        return None
    return found


def _program(name: str) -> str | None:
    """Where the formatter is installed: on the path, or beside the Python that runs this."""
    found = shutil.which(name) or shutil.which(name, path=os.path.dirname(sys.executable))
    return found if found is not None and os.path.isabs(found) else None


def _format(name: str, program: str, text: str, old: str, path: str) -> str | None:
    """`text` with its new lines formatted; None where the formatter fails, or makes other code of it."""
    whole = _run(_command(name, program, path), text, path)
    if whole is None:
        return None
    taken = _taken(text, whole, old)
    if taken is not None and (taken == text or _same_code(text, taken)):
        return taken
    made: str | None = text
    ranges = _ranges(text, whole, old)
    if name == "black" and ranges:
        given = [f"--line-ranges={first}-{last}" for first, last in ranges]
        made = _run([*_command(name, program, path), *given], text, path)
    elif name == "ruff":
        for first, last in reversed(ranges):  # it takes one at a time; those above keep their numbers
            words = [*_command(name, program, path), f"--range={first}-{last + 1}"]
            made = _run(words, made, path) if made is not None else None
    return made if made is not None and _same_code(text, made) else None


def _taken(text: str, whole: str, old: str) -> str | None:
    """`text` with what the formatter makes of its new lines, out of the `whole` that it made: a run of it is spared.

    None where it makes something of new and old lines together: then it is asked about the new ones alone.
    """
    known = set(map(str.strip, old.splitlines()))
    lines, made = text.splitlines(keepends=True), whole.splitlines(keepends=True)
    result: list[str] = []
    for kind, first, end, begin, stop in difflib.SequenceMatcher(None, lines, made, False).get_opcodes():
        are_new = {line.strip() not in known for line in lines[first:end]}
        if kind != "equal" and len(are_new) > 1:
            return None
        result += made[begin:stop] if kind != "equal" and are_new == {True} else lines[first:end]
    return "".join(result)


def _command(name: str, program: str, path: str) -> list[str]:
    words = ["format", "--no-cache"] if name == "ruff" else []
    return [program, *words, "--quiet", "--stdin-filename", os.path.abspath(path), "-"]


def _run(command: Sequence[str], text: str, path: str) -> str | None:
    """What the formatter makes of `text`."""
    folder = os.path.dirname(os.path.abspath(path))
    data = text.encode("utf-8", "surrogatepass")
    try:
        done = subprocess.run(command, input=data, capture_output=True, check=False, cwd=folder, timeout=_SECONDS)
        made = done.stdout.decode("utf-8", "surrogatepass").replace("\r\n", "\n")
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return made if done.returncode == 0 and made else None


def _ranges(text: str, whole: str, old: str) -> list[tuple[int, int]]:
    """The lines of `text` that are not among the old ones and that the formatter would change: first and last ones."""
    lines = text.splitlines()
    known = set(map(str.strip, old.splitlines()))
    new = [line.strip() not in known for line in lines]
    found: list[tuple[int, int]] = []
    for kind, first, end, _, _ in difflib.SequenceMatcher(None, lines, whole.splitlines(), False).get_opcodes():
        for number in range(first, end) if kind != "equal" else ():
            if new[number] and found and found[-1][1] == number:
                found[-1] = found[-1][0], number + 1
            elif new[number]:
                found.append((number + 1, number + 1))
    return found


def _same_code(text: str, made: str) -> bool:
    try:
        return _equal(ast.parse(text), ast.parse(made))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # newer than the Python that runs this
        return False


def _equal(one: Any, other: Any) -> bool:
    """Whether two syntax trees say the same, wherever in their texts: as their dumps would tell, but sooner."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is list:
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, ast.AST):
        return all(_equal(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    return bool(one == other)
