"""Python's own parser: its trees, kept for a while, and what is wrong with text that it does not take."""

from __future__ import annotations

import ast
import re
import warnings

from np2tnp.files.guards import TOKEN
from np2tnp.files.problems import Problem

# --- Python's own syntax trees, kept for a while: what a module binds and what it does are asked soon after each other

#: Trees take a hundred times the memory of their text: so many characters of it are kept, the latest.
_KEPT = 300_000


class Trees:
    """Parses texts; the same text again soon costs nothing."""

    def __init__(self) -> None:
        self._trees: dict[str, ast.Module] = {}  # the oldest first

    def parse(self, text: str) -> ast.Module:
        """The tree, which nobody may change. Raises what Python's parser does: SyntaxError, RecursionError and more."""
        known = self._trees.get(text)
        if known is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                known = ast.parse(text)
            self._trees[text] = known
            size = sum(map(len, self._trees))
            while size > _KEPT:
                oldest = next(iter(self._trees))
                size -= len(oldest)
                del self._trees[oldest]
        return known


# --- What is wrong with text that does not parse

#: Forms that only Python 2 has; matched on lines without their strings and comments.
_OLD_FORMS = (
    (re.compile(r"^\s*print\s+(?![=.,)\]}:;+*/%|&^@<>-]|(?:in|is|if|and|or|not)\b)[\w\"'({\[`-]"), "a print statement"),
    (re.compile(r"^\s*print\s*>>"), "a print statement"),
    (re.compile(r"^\s*except\s+[\w.]+\s*,\s*[a-z]\w*\s*:"), "`except Error, name`"),
    (re.compile(r"^\s*except\s*\([^)]*\)\s*,\s*[a-z]\w*\s*:"), "`except (...), name`"),
    (re.compile(r"^\s*exec\s+[\w\"']"), "an exec statement"),
    (re.compile(r"^\s*raise\s+[\w.]+\s*,"), "`raise Error, message`"),
    (re.compile(r"<>"), "the operator <>"),
    (re.compile(r"`"), "backticks"),
    (re.compile(r"(?<![\w.])0+[1-7][0-7]*[lL]?(?![\w.])"), "an octal number without 0o"),
    (re.compile(r"(?<![\w.])\d+[lL]\b"), "a long number"),
    (re.compile(r"\b[uU][rR][\"']"), "a ur'' text"),
)
_EXCEPT_NAME = _OLD_FORMS[2][0]


def python2_form(text: str) -> Problem | None:
    """The first form that only Python 2 has, as a Problem (TNP903); None when there is none."""
    for number, line in enumerate(_bare_lines(text), 1):
        for pattern, name in _OLD_FORMS:
            match = pattern.search(line)
            if match is not None:
                column = len(line) - len(line.lstrip()) + 1 if pattern.pattern.startswith("^") else match.start() + 1
                message = f"is Python 2 ({name}); np2tnp reads Python 3: convert it first"
                return Problem("TNP903", message, number, column)
    return None


def accepted_python2(text: str) -> Problem | None:
    """Python 2 that the parser accepts: ``except Error, name:``. (Python 3.14 allows it for tuples of classes.)"""
    if "except" not in text or not re.search(r"except\s+[\w.]+\s*,", text):
        return None
    for number, line in enumerate(_bare_lines(text), 1):
        if _EXCEPT_NAME.search(line):
            return python2_form("\n" * (number - 1) + line)
    return None


def is_accepted(text: str) -> bool:
    """Whether the Python that runs this can parse ``text``."""
    try:
        _parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def refused_by_compiler(text: str, trees: Trees, flags: int = 0) -> Problem | None:
    """What Python's compiler says (TNP901) of text that its parser takes, such as ``return`` outside of a function,

    and of texts with malformed escapes, which libcst does not look at.

    None, too, for text that the parser of the Python that runs this refuses: it may be in a newer Python.
    """
    tree = None
    try:
        tree = trees.parse(text)  # which is needed anyway: compiling that takes half of what compiling the text does
        compile_quietly(tree, flags)
    except SyntaxError as error:
        # the latter: an integer of more than 4,300 digits
        told = error.msg.startswith(("(unicode error)", "Exceeds the limit"))
        if told or tree is not None:
            return Problem("TNP901", f"syntax error: {error.msg}", error.lineno or 1, error.offset or 1)
    except (ValueError, RecursionError, MemoryError, OverflowError):
        pass
    return None


def explain(text: str, line: int = 1, column: int = 1, message: str = "cannot be parsed") -> Problem:
    """What is wrong with ``text``, which libcst refused at a place with a message: TNP903 or TNP901."""
    try:
        _parse(text)
        message = "Python takes this, the parser of np2tnp does not"
    except SyntaxError as error:
        line, column = error.lineno or line, error.offset or column
        message = error.msg or message
    except (ValueError, RecursionError, MemoryError, OverflowError):
        pass  # the parser's own words must do
    return python2_form(text) or Problem("TNP901", f"syntax error: {message}", line, column)


def _parse(text: str) -> None:
    compile_quietly(text, 0x400)  # PyCF_ONLY_AST


def compile_quietly(code: str | ast.Module, flags: int = 0) -> None:
    """Raises what `compile` raises; warnings are about the user's own text, which Python shows in its time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(code, "<text>", "exec", dont_inherit=True, flags=flags)  # and nothing is run


def _bare_lines(text: str) -> list[str]:
    """The lines of ``text`` with strings emptied and comments removed; line numbers and indentation stay."""

    def bare(match: re.Match[str]) -> str:
        token = match.group()
        if token[0] == "#":
            return ""
        if token[0] in "\"'":
            return '""' + "\n" * token.count("\n")
        return token

    return re.split(r"\r\n?|\n", TOKEN.sub(bare, text))
