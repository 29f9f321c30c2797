"""The two texts that are compared, and which functions differ between them. Standard library only."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

from np2tnp.config import Config
from np2tnp.model import FileReport

_MIGRATED = re.compile(
    r"^\s*(?:from\s+np2tnp\s+import\s+runtime|from\s+np2tnp\.runtime\s+import|import\s+np2tnp)", re.MULTILINE
)


_START = re.compile(r"\w+\.(?:start|leave_numpy_behavior)\(.*\)")


#: Of notebooks.
NO_NOTEBOOKS = "functions of notebooks are not run: `jupyter nbconvert --to script` makes a program of one"


class CannotVerify(Exception):  # noqa: N818 - the text is one line for the user
    """There is nothing to compare, or it cannot be read."""


@dataclass(frozen=True)
class Pair:
    """A program before and after."""

    path: str  #: where both versions live: decides what they can import
    original: str
    rewritten: str
    source: str  #: where the original is from, for people
    in_memory: bool = False  #: the rewritten text is not the one in the file


def read_text(path: str) -> str:
    """A program's text, decoded as Python would. Raises CannotVerify, also where it is no Python."""
    from np2tnp.files import syntax
    from np2tnp.files.problems import Problem
    from np2tnp.files.source import NOTEBOOK, decode, read_bytes

    if path.endswith(NOTEBOOK):
        raise CannotVerify(f"{path}: {NO_NOTEBOOKS}")
    try:
        text = decode(path, read_bytes(path)).text
        if not syntax.is_accepted(text):
            raise syntax.explain(text)
    except Problem as problem:
        place = "" if problem.code == "TNP904" else f":{problem.line}:{problem.column}"
        raise CannotVerify(f"{path}{place}: {problem}") from None
    return text


def check_inputs(path: str | None) -> None:
    """Raises CannotVerify for ``--inputs`` that NumPy could not open."""
    if path is not None and not zipfile.is_zipfile(path):
        raise CannotVerify(f"--inputs {path}: there is no such .npz file")


def find_pair(path: str, original: str | None, config: Config) -> Pair:
    """Both versions of the program `path`.

    The original is the file `original`; or, when the program uses np2tnp's runtime already, its last version in git
    that did not; else the program itself, which is then rewritten in memory. Raises CannotVerify.
    """
    text = read_text(path)
    if original is not None:
        return Pair(path, read_text(original), text, original)
    if is_migrated(text):
        for commit, old in _versions(path):
            if not is_migrated(old):
                return Pair(path, old, text, f"git {commit[:10]}")
        raise CannotVerify(
            f"{path} is rewritten already and git knows no version before that: name it with --original OLD.py"
        )
    return Pair(
        path, text, rewrite_in_memory(path, text, config), "the file itself, rewritten in memory", in_memory=True
    )


def is_migrated(text: str) -> bool:
    """Whether the text imports np2tnp's runtime."""
    return _MIGRATED.search(text) is not None


def rewrite_in_memory(path: str, text: str, config: Config) -> str:
    """What ``rewrite`` would make of the text; the same text where nothing changes. Raises CannotVerify."""
    report = report_in_memory(path, text, config)
    return report.new_text if report.new_text is not None else text


def report_in_memory(path: str, text: str, config: Config) -> FileReport:
    """The report of rewriting the text. Raises CannotVerify where that fails."""
    from np2tnp.engine import analyze
    from np2tnp.files.source import from_text

    try:
        report = analyze(from_text(path, text), replace(config.of_file(path), rewrite=True))
    except Exception as error:  # one bad file is a message, not a traceback
        raise CannotVerify(f"{path}: rewriting failed (a bug in np2tnp): {type(error).__name__}: {error}") from None
    if report.error is not None:
        raise CannotVerify(f"{path}: {report.error}")
    return report


def _versions(path: str) -> Iterator[tuple[str, str]]:
    """The file's text in git, HEAD's first: (commit, text)."""
    folder = os.path.dirname(os.path.abspath(path))
    name = os.path.basename(path)
    listing = _git(folder, "log", "--format=%H", "-n", "100", "--", name)
    for commit in listing.split() if listing else []:
        text = _git(folder, "show", f"{commit}:./{name}")
        if text is not None:
            yield commit, text


def _git(folder: str, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def functions_of(text: str) -> dict[str, str]:
    """Every top-level function and method with a dump of its code: ``f``, ``Class.method``. Raises CannotVerify."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise CannotVerify(f"not Python: {error}") from None
    found: dict[str, str] = {}
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in reversed(tree.body)]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[prefix + node.name] = found.get(prefix + node.name, "") + ast.dump(node)
        elif isinstance(node, ast.ClassDef) and not prefix:
            stack.extend((f"{node.name}.", item) for item in reversed(node.body))
        elif isinstance(node, (ast.If, ast.Try)):
            stack.extend((prefix, item) for item in reversed([*node.body, *node.orelse]))
    return found


def is_top_level_changed(pair: Pair) -> bool:
    """Whether statements outside of functions, classes and imports differ. Raises CannotVerify."""
    before, after = (_statements(text) for text in (pair.original, pair.rewritten))
    return before != after


def _statements(text: str) -> list[str]:
    """The top level of a text, as code; without the statements that start TensorFlow."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError) as error:
        raise CannotVerify(f"not Python: {error}") from None
    left_out = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    found = [ast.unparse(node) for node in body if not isinstance(node, left_out)]
    return [code for code in found if not _START.fullmatch(code)]


def changed_functions(pair: Pair) -> tuple[list[str], list[str]]:
    """Names of the functions that differ between the two versions, and of those that do not, in source order."""
    before, after = functions_of(pair.original), functions_of(pair.rewritten)
    changed = [name for name, code in before.items() if name in after and after[name] != code]
    return changed, [name for name in before if name in after and name not in set(changed)]
