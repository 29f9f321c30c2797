"""HTML and SVG as text: what is not markup already is escaped, so that no source line can become part of a page."""

from __future__ import annotations

import html

from np2tnp.report.style import visible_lines


def escape(text: str) -> str:
    """Text as HTML, without characters that a page may not hold."""
    return html.escape(visible_lines(text))


class Markup(str):
    """Text that is HTML; any other ``str`` is escaped when it becomes part of an element."""

    __slots__ = ()


def join(*parts: str | None) -> Markup:
    """The parts in a row; None is nothing."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts if part is not None))


def element(name: str, *children: str | None, **attributes: str | float | bool | None) -> Markup:
    """``<name attribute="...">children</name>``.

    ``class_`` becomes ``class`` and ``stroke_width`` ``stroke-width``. None and False leave an attribute out, True
    gives it no value.
    """
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        shown = key.rstrip("_").replace("_", "-")
        words.append(shown if value is True else f'{shown}="{escape(_text(value))}"')
    if name in _VOID:
        return Markup(f"<{' '.join(words)}>")
    return Markup(f"<{' '.join(words)}>{join(*children)}</{name}>")


def prose(text: str) -> Markup:
    """A sentence in which `` `words` `` between backquotes are code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return join(text)
    return join(*(element("code", piece) if at % 2 else piece for at, piece in enumerate(pieces)))


def table(head: list[str], rows: list[list[str]], class_: str | None = None, numeric: tuple[int, ...] = ()) -> Markup:
    """A table with a heading; the columns ``numeric`` are set flush right."""

    def cells(kind: str, row: list[str]) -> Markup:
        return join(
            *(element(kind, cell, class_="number" if at in numeric else None) for at, cell in enumerate(row)),
        )

    body = join(*(element("tr", cells("td", row)) for row in rows))
    whole = element("table", element("thead", element("tr", cells("th", head))), element("tbody", body), class_=class_)
    return element("div", whole, class_="scroll")


def _text(value: str | float | bool) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


_VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))
