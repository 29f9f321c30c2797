"""What the commands write to the terminal: exact text to standard output, everything else to standard error."""

from __future__ import annotations

import os
import sys


def print_exactly(text: str, encoding: str = "utf-8") -> None:
    """Writes to standard output exactly: no newline translation, in the encoding of what is printed."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or (sys.stdout.isatty() and encoding == "utf-8"):
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    stream.write(text.encode(encoding, "backslashreplace"))


def say(message: str) -> None:
    """One line for the user, on standard error."""
    print(f"np2tnp: {message}", file=sys.stderr)


def close_stdout() -> None:
    """Let nothing more be written to a standard output that nobody reads."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return
