"""Colour for terminals, by hand: a report of thousands of lines costs rich seconds."""

from __future__ import annotations

import os
import re
from typing import TextIO

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}


#: What a terminal obeys, or what turns the order of letters: never shown as it is.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """One line of text, such as a file's name, with its control characters written out."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_lines(text: str) -> str:
    """As ``visible``; line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


class Style:
    """Paints words, or leaves them alone when ``colour`` is False."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, *names: str) -> str:
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


def wants_colour(stream: TextIO) -> bool:
    """NO_COLOR and FORCE_COLOR decide; else whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
