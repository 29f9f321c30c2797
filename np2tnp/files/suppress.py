"""Comments for np2tnp: those that hide findings, and those that keep functions as they are; reading and writing them.

The first hide; they never make a blocked region eligible.

* ``# np2tnp: ignore[TNP101, TNP2] why``: findings that start or end on this line, or on the next line of code when the
  comment stands alone
* ``# np2tnp: ignore``: the same for all codes
* ``# np2tnp: ignore-file[...]``: the whole file
* ``# np2tnp: disable[...]`` ... ``# np2tnp: enable[...]``: everything between; without a code: all
* ``# noqa: TNP101``: as ``ignore[TNP101]``

Instead of a code its name may stand (``ignore[array-store]``). ``# np2tnp: keep`` on a ``def`` or ``class`` hides
nothing: what it stands on is not rewritten.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from np2tnp.codes import expanded, is_known
from np2tnp.files.guards import TOKEN
from np2tnp.model import Finding, Span, Verdict

UNUSED = "TNP991"

_DIRECTIVE = re.compile(r"#\s*np2tnp:\s*(?P<word>[\w-]*)\s*(?P<list>\[(?P<codes>[^\]]*)\])?")
_NOQA = re.compile(r"#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_CODE = re.compile(r"TNP\d{0,3}\Z")
_KNOWN = ("ignore", "ignore-file", "disable", "enable")
_KEEP = "keep"
_ALL = ""


@dataclass(slots=True)
class _Suppression:
    first: int  #: lines that it covers, inclusive
    last: int
    codes: dict[str, bool]  #: code prefix → whether it hid something
    span: Span
    word: str
    whole: bool = True  #: covers findings that start in it; else also those that end there
    closed: Span | None = None  #: the comment that ends a range


@dataclass(slots=True)
class _Reading:
    suppressions: list[_Suppression] = field(default_factory=list)
    mistakes: list[tuple[Span, str]] = field(default_factory=list)
    keeps: list[Span] = field(default_factory=list)  #: comments that say `keep`


def apply(text: str, path: str, findings: tuple[Finding, ...]) -> tuple[tuple[Finding, ...], int]:
    """The findings that no comment in ``text`` hides, with a TNP991 for each comment (or code) that hid nothing.

    Also the number of those that are hidden.
    """
    if not has_any(text):
        return findings, 0
    reading = read(text)
    if reading.keeps:
        useless = find_kept(text, [span.line for span in reading.keeps]).useless
        reading.mistakes += [
            (span, f"`{_KEEP}` stands on no function") for span in reading.keeps if span.line in useless
        ]
    if not reading.suppressions and not reading.mistakes:
        return findings, 0
    hidden = mark_used(reading, findings)
    kept = [item for number, item in enumerate(findings) if number not in hidden or item.code.startswith("TNP90")]

    number_hidden = len(findings) - len(kept)

    def note(span: Span, message: str) -> Finding:
        return Finding(path, span, UNUSED, message, Verdict.NOTE)

    for item in reading.suppressions:
        unused = [code for code, used in item.codes.items() if not used]
        if unused == [_ALL]:
            kept.append(note(item.span, f"`{item.word}` hides nothing here"))
        elif unused:
            kept.append(note(item.span, f"`{item.word}` hides no {', '.join(unused)} here"))
        elif item.word == "disable" and item.closed is None:
            code = next(iter(item.codes)) or "anything"
            kept.append(note(item.span, f"`disable` without an `enable` of {code} after it hides the rest of the file"))
    kept += [note(span, message) for span, message in reading.mistakes]
    return tuple(sorted(kept, key=lambda finding: finding.sort_key)), number_hidden


def has_any(text: str) -> bool:
    """Whether there may be comments for np2tnp in the text."""
    return "np2tnp:" in text or "TNP" in text


def mark_used(reading: _Reading, findings: tuple[Finding, ...]) -> set[int]:
    """The numbers of the findings that something hides; what hides one is noted as used, be it hidden twice.

    A file may hold as many comments as lines: each is looked at once for each code that it names.
    """
    by_code: dict[tuple[str, bool], list[_Suppression]] = {}
    for item in reading.suppressions:
        for code in item.codes:
            by_code.setdefault((code, item.whole), []).append(item)
    hidden: set[int] = set()
    for (code, whole), items in by_code.items():
        meant = [(number, it.span) for number, it in enumerate(findings) if it.code.startswith(code)]
        ends = [] if whole else [(span.end_line, number) for number, span in meant]
        places = sorted([*((span.line, number) for number, span in meant), *ends])
        left = sorted(items, key=lambda item: -item.first)
        reach = 0  # the last line that those before the place cover
        for line, number in places:
            while left and left[-1].first <= line:
                item = left.pop()
                reach = max(reach, item.last)
                item.codes[code] = item.codes[code] or item.last >= line
            if reach >= line:
                hidden.add(number)
    return hidden


def read(text: str) -> _Reading:
    """The comments of a text that say something to np2tnp."""
    reading = _Reading()
    last_line = text.count("\n") + text.count("\r") + 1
    opened: dict[str, _Suppression] = {}
    lines_of_code: list[int] = []

    def next_code_line(line: int) -> int:
        if not lines_of_code:
            stripped = map(str.strip, re.split(r"\r\n?|\n", text))
            lines_of_code.extend(number for number, it in enumerate(stripped, 1) if it and not it.startswith("#"))
        at = bisect_right(lines_of_code, line)
        return lines_of_code[at] if at < len(lines_of_code) else line

    for comment, line, column, alone in _comments(text):
        span = Span(line, column, line, column + len(comment))
        noqa = _NOQA.search(comment)
        if noqa is not None:
            codes = [code.upper() for code in re.split(r"[,\s]+", noqa["codes"])]
            ours = {code: False for code in codes if _CODE.match(code)}
            if ours:
                reading.suppressions.append(_Suppression(line, line, ours, span, "noqa", whole=False))
        directive = _DIRECTIVE.search(comment)
        if directive is None:
            continue
        word = directive["word"]
        words = [code.strip() for code in (directive["codes"] or "").split(",") if code.strip()]
        wrong = [code for code in words if not _is_code(code)]
        wanted = list(dict.fromkeys(code for item in words for code in codes_of(item)))
        if word == _KEEP and not directive["list"]:
            reading.keeps.append(span)
            continue
        if word not in _KNOWN or wrong or (directive["list"] and not wanted):
            what = f"code `{wrong[0]}`" if wrong else f"`{directive[0][1:].strip()}`"
            reading.mistakes.append((span, f"{what} is not understood; write `# np2tnp: ignore[TNP101]`"))
            continue
        codes_used = dict.fromkeys(wanted or [_ALL], False)
        if word == "enable":
            for code in wanted or list(opened) or [_ALL]:
                if code in opened:
                    item = opened.pop(code)
                    item.last, item.closed = line, span
                else:
                    reading.mistakes.append((span, f"`enable` without a `disable` of {code or 'anything'} before it"))
        elif word == "disable":
            for code in codes_used:
                item = _Suppression(line, last_line, {code: False}, span, word)
                opened[code] = item
                reading.suppressions.append(item)
        elif word == "ignore-file":
            reading.suppressions.append(_Suppression(1, last_line, codes_used, span, word))
        else:
            first, last = (line, next_code_line(line)) if alone else (line, line)
            reading.suppressions.append(_Suppression(first, last, codes_used, span, word, whole=alone))
    return reading


def codes_of(word: str) -> tuple[str, ...]:
    """The prefixes that a word in a comment stands for: a prefix, or a name."""
    return expanded((word.lower(),)) if is_known(word.lower()) else (word.upper(),)


def without_directive(comment: str) -> str:
    """A comment without what it says to np2tnp, up to the next comment in it."""
    found = _DIRECTIVE.search(comment)
    if found is None:
        return comment
    end = comment.find("#", found.end())
    return f"{comment[: found.start()]}{comment[end:] if end >= 0 else ''}".rstrip()


def _is_code(word: str) -> bool:
    return is_known(word.lower()) or _CODE.match(word.upper()) is not None


def keeps(text: str) -> list[int]:
    """The lines of the comments that say `keep`."""
    if "np2tnp:" not in text or _KEEP not in text:
        return []
    return [span.line for span in read(text).keeps]


def _comments(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """Each comment with its line, column and whether nothing else is on its line."""
    line, start = 1, 0
    blank = True
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] == "#":
            yield token, line, match.start() - start + 1, blank
        elif token[0] in "\r\n":
            line += 1
            start = match.end() - len(token.lstrip("\r\n"))
            blank = True
        else:
            blank = False
            if "\n" in token:
                line += token.count("\n")
                start = match.start() + token.rindex("\n") + 1


# --- ``# np2tnp: keep``


@dataclass(frozen=True, slots=True)
class Kept:
    """What the comments of one text stand on."""

    names: frozenset[str] = frozenset()  #: qualified names of functions, and of classes
    useless: frozenset[int] = frozenset()  #: lines of comments that stand on no function
    is_all: bool = False  #: nobody can tell, so all of it

    def __contains__(self, qualname: str) -> bool:
        parts = qualname.split(".")
        return self.is_all or any(".".join(parts[:count]) in self.names for count in range(1, len(parts) + 1))


def find_kept(text: str, lines: Sequence[int]) -> Kept:
    """What the comments in these lines keep: they stand on a ``def`` or ``class``, on what decorates it, or before it.

    A function in another one is part of it: both are kept.
    """
    if not lines:
        return Kept()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return Kept(is_all=True)  # in a newer Python than this one
    texts = text.splitlines()
    names: set[str] = set()
    left = set(lines)
    for name, first, last in _heads(tree.body, "", ""):
        while first > 1 and texts[first - 2].lstrip().startswith("#"):
            first -= 1
        here = {line for line in lines if first <= line <= last}
        if here:
            names.add(name)
            left -= here
    return Kept(frozenset(names), frozenset(left))


def _heads(body: Sequence[ast.AST], prefix: str, outer: str) -> Iterator[tuple[str, int, int]]:
    """The region of each function and class, and the first and last line of its head."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = outer or prefix + node.name
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            begin = node.body[0]
            decorated = [item.lineno for item in getattr(begin, "decorator_list", ())]
            yield name, first, max(node.lineno, min([begin.lineno, *decorated]) - 1)
            is_class = isinstance(node, ast.ClassDef) and not outer
            yield from _heads(node.body, f"{name}.", "" if is_class else name)
        else:
            inner = [item for item in ast.iter_child_nodes(node) if isinstance(item, (ast.stmt, ast.excepthandler))]
            yield from _heads(inner, prefix, outer)


# --- Writing comments that hide findings (``check --add-ignore``), and taking out those that nothing needs any more

_LIST = re.compile(r"\[([^\]]*)\]")
_NOQA_LIST = re.compile(r"(#\s*noqa\s*:\s*)([A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_IGNORE = re.compile(r"(#\s*np2tnp:\s*ignore\s*)\[([^\]]*)\]")


def without_needless(
    old_text: str, old_findings: tuple[Finding, ...], new_text: str, new_findings: tuple[Finding, ...]
) -> str:
    """The new text without the comments, or the codes in them, that hid something in the old one and nothing in it."""
    used = _hiding(old_text, old_findings)
    if not used:
        return new_text
    lines = _lines_of(new_text)
    reading = read(new_text)
    mark_used(reading, new_findings)
    needless: dict[Span, set[str]] = defaultdict(set)
    needed: dict[Span, set[str]] = defaultdict(set)
    for item in reading.suppressions:
        said = _comment(lines, item.span)
        for code, hides in item.codes.items():
            is_needless = not hides and (said, code) in used
            for span in filter(None, (item.span, item.closed)):
                (needless if is_needless else needed)[span].add(code)
    for span in sorted(needless, reverse=True):
        _take_out(lines, span, needless[span], needed[span])
    return "".join(lines)


def _hiding(text: str, findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    """Each comment with each of its codes that hides something."""
    reading = read(text)
    mark_used(reading, findings)
    lines = _lines_of(text)
    return {
        (_comment(lines, item.span), code) for item in reading.suppressions for code, used in item.codes.items() if used
    }


def _lines_of(text: str) -> list[str]:
    """The lines of a text as Python counts them, with their ends."""
    return list(io.StringIO(text, newline=""))


def _comment(lines: list[str], span: Span) -> str:
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]


def _take_out(lines: list[str], span: Span, needless: set[str], needed: set[str]) -> None:
    """Take codes out of a comment, and all of it where no code is left."""
    line = lines[span.line - 1]
    before, comment = line[: span.column - 1], _comment(lines, span)
    behind = line[span.end_column - 1 :]
    if _NOQA_LIST.search(comment):
        comment = _without_codes(comment, needless)
    elif needed:
        comment = _LIST.sub(lambda found: f"[{_without(found[1], needless)}]", comment, count=1)
    else:
        comment = without_directive(comment)
    if comment:
        lines[span.line - 1] = f"{before}{comment}{behind}"
    elif before.strip():
        lines[span.line - 1] = f"{before.rstrip()}{behind}"
    else:
        lines[span.line - 1] = ""


def _without(words: str, codes: set[str]) -> str:
    """The list of a comment without words that stand for nothing but these codes."""
    kept = [word.strip() for word in words.split(",") if not set(codes_of(word.strip())) <= codes]
    return ", ".join(kept)


def _without_codes(comment: str, codes: set[str]) -> str:
    """``# noqa: E501, TNP101`` without ours; without any code it would hide everything, so it goes."""

    def left(found: re.Match[str]) -> str:
        words = [word for word in re.split(r"[,\s]+", found[2]) if word.upper() not in codes]
        return f"{found[1]}{', '.join(words)}" if words else ""

    return _NOQA_LIST.sub(left, comment, count=1).rstrip()


# --- check --add-ignore


def with_ignores(text: str, findings: Iterable[Finding], reason: str) -> tuple[str, list[Finding]]:
    """The text with a comment that hides them on the line of each finding, and those for which there is no place.

    A comment has no place in a string of several lines, and before the line that a backslash continues.
    """
    free = _ends_of_lines(text)
    lines = _lines_of(text)
    wanted: dict[int, dict[str, None]] = defaultdict(dict)
    left: list[Finding] = []
    for finding in findings:
        line = next((it for it in (finding.span.line, finding.span.end_line) if it in free), 0)
        if line:
            wanted[line][finding.code] = None
        else:
            left.append(finding)
    for number, codes in wanted.items():
        text_line = lines[number - 1]
        body = text_line.rstrip("\r\n")
        lines[number - 1] = f"{_with_codes(body, free[number], codes, reason)}{text_line[len(body) :]}"
    return "".join(lines), left


def _with_codes(line: str, comment: int, codes: Mapping[str, None], reason: str) -> str:
    """`comment`: where the line's comment begins; its length where there is none."""
    there = _IGNORE.search(line, comment)
    if there:
        words = [word.strip() for word in there[2].split(",") if word.strip()]
        words += [code for code in codes if code not in words]
        return f"{line[: there.start()]}{there[1]}[{', '.join(words)}]{line[there.end() :]}"
    more = f" {reason}" if reason else ""
    return f"{line.rstrip()}  # np2tnp: ignore[{', '.join(codes)}]{more}"


def _ends_of_lines(text: str) -> dict[int, int]:
    """The lines that may end in a comment, with the column at which theirs begins."""
    found: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.start[1]
            elif token.type in (tokenize.NEWLINE, tokenize.NL):
                found.setdefault(token.start[0], token.start[1])
    except (tokenize.TokenError, SyntaxError):
        return {}
    return found
