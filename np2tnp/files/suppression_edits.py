"""Writing comments that hide findings (``check --add-ignore``), and taking out those that nothing needs any more."""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Mapping

from np2tnp.files import suppress
from np2tnp.model import Finding, Span

_LIST = re.compile(r"\[([^\]]*)\]")
_NOQA = re.compile(r"(#\s*noqa\s*:\s*)([A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_IGNORE = re.compile(r"(#\s*np2tnp:\s*ignore\s*)\[([^\]]*)\]")


def without_needless(
    old_text: str, old_findings: tuple[Finding, ...], new_text: str, new_findings: tuple[Finding, ...]
) -> str:
    """The new text without the comments, or the codes in them, that hid something in the old one and nothing in it."""
    used = _hiding(old_text, old_findings)
    if not used:
        return new_text
    lines = _lines_of(new_text)
    reading = suppress.read(new_text)
    suppress.mark_used(reading, new_findings)
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
    reading = suppress.read(text)
    suppress.mark_used(reading, findings)
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
    if _NOQA.search(comment):
        comment = _without_codes(comment, needless)
    elif needed:
        comment = _LIST.sub(lambda found: f"[{_without(found[1], needless)}]", comment, count=1)
    else:
        comment = suppress.without_directive(comment)
    if comment:
        lines[span.line - 1] = f"{before}{comment}{behind}"
    elif before.strip():
        lines[span.line - 1] = f"{before.rstrip()}{behind}"
    else:
        lines[span.line - 1] = ""


def _without(words: str, codes: set[str]) -> str:
    """The list of a comment without words that stand for nothing but these codes."""
    kept = [word.strip() for word in words.split(",") if not set(suppress.codes_of(word.strip())) <= codes]
    return ", ".join(kept)


def _without_codes(comment: str, codes: set[str]) -> str:
    """``# noqa: E501, TNP101`` without ours; without any code it would hide everything, so it goes."""

    def left(found: re.Match[str]) -> str:
        words = [word for word in re.split(r"[,\s]+", found[2]) if word.upper() not in codes]
        return f"{found[1]}{', '.join(words)}" if words else ""

    return _NOQA.sub(left, comment, count=1).rstrip()


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
