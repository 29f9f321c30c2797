"""What is not Python in a notebook's cell (magics, shell lines, help) as statements that stand for it, and back.

Each piece becomes a call that no parser takes amiss, on as many lines as it had. What a magic may do decides which:

* a call of a method of ``get_ipython()`` (what IPython itself makes of it): it changes no names
* ``exec(...)``: it may bind names (``%run``, ``%store``, magics that nobody here knows)
* ``from ... import *``: ``%pylab``
* with ``locals()`` among the arguments, inside of blocks: magics and shell lines read the names around them
"""

from __future__ import annotations

import ast
import re
import warnings
import zlib
from dataclasses import dataclass, field

#: Line magics that bind no names in the notebook.
_KEEP_NAMES = frozenset(
    "aimport alias autoawait automagic autoreload autosave bookmark cat cd clear colors conda config cp debug "
    "dhist dirs doctest_mode env hist history image img jupyter killbgscripts ldir less lf lk ll load_ext logoff "
    "logon logstart logstate logstop ls lsmagic lx magic mamba man matplotlib memit mkdir more mv notebook page "
    "pdb pdef pdoc pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd pwd pycat quickref "
    "reload_ext rm rmdir save set_env sx system tb tensorboard time timeit unalias unload_ext uv watermark who "
    "who_ls whos writefile xmode".split()
)
#: Line magics whose text is a statement that runs in the notebook.
_RUN_PYTHON = frozenset(("time", "timeit", "prun", "memit"))
#: Cell magics whose cell is Python that runs in the notebook.
_PYTHON_CELLS = frozenset(("capture", "prun", "time", "timeit"))
#: Cell magics whose cell is something else, and that bind no names.
_OTHER_CELLS = frozenset(
    "bash cmd file html HTML javascript js latex markdown perl pypy python python2 python3 ruby script sh svg SVG sx"
    " system writefile ! !!".split()
)
#: Commands that IPython takes without the ``%``.
_BARE = re.compile(
    r"[ \t]*(?P<name>pip|conda|mamba|cd|ls|ll|cat|mkdir|rm|rmdir|cp|mv|man|more|less|time|timeit)[ \t]+(?=[\w./~\"'*-])"
)
_CELL = re.compile(r"\s*^%%(?P<name>[\w.]+|!!?)?(?P<rest>[^\r\n]*)", re.MULTILINE)
_LINE = re.compile(r"[ \t]*(?:(?P<shell>!!?)|%(?P<name>[A-Za-z_][\w.]*)|(?P<call>[,;/])(?=[^\s,;/]))")
_HELP = re.compile(r"[ \t]*(?:\?{1,2}[ \t]*[\w.*%][^\r\n]*|[^\r\n#'\"?]+\?{1,2}[ \t]*)(?=[\r\n]|\Z)")
_ASSIGNED = re.compile(r"[ \t]*[A-Za-z_][\w., \t\[\]*]*=[ \t]*(?:(?P<shell>!)|%(?P<name>[A-Za-z_][\w.]*))")
_REST = re.compile(r"(?:[^\r\n\\]|\\(?!\r|\n)|\\(?:\r\n|\r|\n))*")  # up to a line's end that no backslash continues
_BLANKS = re.compile(r"[ \t]*")
_NEWLINE = re.compile(r"\r\n?|\n")
#: What a statement of Python goes on over the ends of lines in.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""'
    r"|'''(?:[^\\]|\\.)*?'''"
    r'|"(?:[^"\\\r\n]|\\.)*"'
    r"|'(?:[^'\\\r\n]|\\.)*'"
    r"|#[^\r\n]*|\\(?:\r\n|\r|\n)|\r\n?|\n|[()\[\]{}]|[^\"'#\\\r\n()\[\]{}]+|.",
    re.DOTALL,
)  # fmt: skip


@dataclass(slots=True)
class Pieces:
    """What was replaced in the cells of one notebook: each stand-in is there once, and may be moved and copied."""

    mark: str  #: a word that the notebook does not have
    found: dict[str, str] = field(default_factory=dict)  #: stand-in -> what it stands for
    _numbers: dict[int, str] = field(default_factory=dict)

    def stand_in(self, text: str, name: str, kind: str, locals_too: bool = False, more: str = "") -> str:
        """What stands for `text`, a magic or command of this `name`; `more` is what comes behind, for Python."""
        number = zlib.crc32(text.encode(errors="surrogatepass"))  # the same wherever it stands, so baselines know it
        while self._numbers.setdefault(number, text) != text:
            number += 1
        lines = "\n" * len(_NEWLINE.findall(text))
        seen = ", locals()" if locals_too else ""
        if kind == "star":
            made = f"from {self.mark}_{number} import *"
        else:
            head = f'exec("{self.mark} {name}"' if kind == "exec" else f'get_ipython().{self.mark}("{name}"'
            made = f"{head}, {number}{seen},{lines})" if lines else f"{head}, {number}{seen})"
        self.found[made + more] = text
        return made + more

    def restored(self, text: str) -> str | None:
        """`text` with the pieces as they were; None where something else was made of a stand-in."""
        for made in sorted(self.found, key=len, reverse=True):
            text = text.replace(made, self.found[made])
        return None if self.mark in text else text


def without_magics(text: str, pieces: Pieces) -> str:
    """The Python that stands for a cell: what is not Python replaced, line for line."""
    if is_python(text):
        return text
    cell = _CELL.match(text)
    if cell is not None:
        return _cell_magic(text, cell, pieces)
    made: list[str] = []
    at = 0
    while at < len(text):
        found = _magic_at(text, at, pieces)
        if found is None:
            end = _end_of_statement(text, at)
            made.append(text[at:end])
        else:
            replaced, end = found
            made.append(replaced)
        at = end
    return "".join(made)


def is_python(text: str) -> bool:
    """Whether Python's own parser takes it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def _cell_magic(text: str, cell: re.Match[str], pieces: Pieces) -> str:
    name, rest = cell["name"] or "", cell["rest"].strip()
    head, body = text[: cell.end()], text[cell.end() :]
    if name in _PYTHON_CELLS:
        inner = without_magics(body, pieces)
        defines = name == "timeit" and re.search(r"^\s*(?:def|class|async|import|from)\b", inner, re.MULTILINE)
        if is_python(inner) and not defines:  # `%%timeit` runs it in a function of its own
            binds = (name == "capture" and rest.strip("-")) or (name == "prun" and rest)
            blank = head[: len(head) - len(head.lstrip())]
            return blank + pieces.stand_in(head[len(blank) :], name, "exec" if binds else "call") + inner
    binds = name not in _OTHER_CELLS or "--out" in rest or "--err" in rest or "--proc" in rest
    end = len(text.rstrip("\r\n"))
    return pieces.stand_in(text[:end], name, "exec" if binds else "call") + text[end:]


def _magic_at(text: str, at: int, pieces: Pieces) -> tuple[str, int] | None:
    """What stands for the magic that begins where a statement does, and where it ends; None for Python."""
    assigned = _ASSIGNED.match(text, at)
    if assigned is not None:
        start = assigned.start("shell") if assigned["shell"] else assigned.start("name") - 1
        end = _rest(text, start)
        indent = _indent(text, at)
        return text[at:start] + pieces.stand_in(text[start:end], _name(assigned), "call", bool(indent)), end
    if _HELP.match(text, at) is not None and not _is_line_of_python(text, at):
        return _whole(text, at, _rest(text, at), "help", "call", pieces)
    line = _LINE.match(text, at)
    if line is not None:
        end = _rest(text, at)
        name = _name(line)
        if name in _RUN_PYTHON:
            timed = _timed(text, line.end(), end, name, pieces, at)
            if timed is not None:
                return timed, end
        kind = "star" if name == "pylab" else "call" if line["shell"] or name in _KEEP_NAMES else "exec"
        return _whole(text, at, end, name, kind, pieces)
    bare = _BARE.match(text, at)
    if bare is not None and not _is_line_of_python(text, at):
        return _whole(text, at, _rest(text, at), bare["name"], "call", pieces)
    return None


def _name(found: re.Match[str]) -> str:
    return found["name"] or found["shell"] or found["call"]


def _indent(text: str, at: int) -> str:
    found = _BLANKS.match(text, at)
    return found[0] if found is not None else ""


def _rest(text: str, at: int) -> int:
    found = _REST.match(text, at)
    return found.end() if found is not None else at


def _is_line_of_python(text: str, at: int) -> bool:
    end = _NEWLINE.search(text, at)
    return is_python(text[at : end.start() if end else len(text)].strip())


def _whole(text: str, at: int, end: int, name: str, kind: str, pieces: Pieces) -> tuple[str, int]:
    indent = _indent(text, at)
    start = at + len(indent)
    is_inside = bool(indent)
    return indent + pieces.stand_in(text[start:end], name, "call" if is_inside else kind, is_inside), end


def _timed(text: str, after: int, end: int, name: str, pieces: Pieces, at: int) -> str | None:
    """``%time f(x)`` as two statements, the second one as it is; None where it is not that, or in a block."""
    code = text[after:end]
    statement = code.lstrip(" \t")
    if _indent(text, at) or statement.startswith("-") or not statement or not is_python(statement):
        return None
    start = end - len(statement)
    return pieces.stand_in(text[at:start], name, "call", more="; ") + statement


def _end_of_statement(text: str, at: int) -> int:
    """Where the lines end that a statement of Python beginning at `at` goes over."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        found = token[0]
        if found in "([{":
            depth += 1
        elif found in ")]}":
            depth -= 1
        elif found[0] in "\r\n" and depth <= 0:
            return token.end()
    return len(text)
