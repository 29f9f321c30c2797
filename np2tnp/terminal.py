"""What the commands write to the terminal (exact text to standard output, everything else to standard error), and their
exit statuses.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator

# --- What the commands write to the terminal: exact text to standard output, everything else to standard error


class OutputError(Exception):
    """Standard output does not take what is written: a full disk."""


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from None


def print_exactly(text: str | Iterable[str], encoding: str = "utf-8") -> None:
    """Writes a text, or its pieces, to standard output exactly: no newline translation, in the encoding of the text."""
    pieces = (text,) if isinstance(text, str) else text
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or (sys.stdout.isatty() and encoding == "utf-8"):
        with _told():
            sys.stdout.writelines(pieces)
        return
    with _told():
        sys.stdout.flush()
        stream.writelines(piece.encode(encoding, "backslashreplace") for piece in pieces)


def print_bytes(data: bytes) -> None:
    """Writes bytes that may be no text to standard output."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(data.decode("utf-8", "backslashreplace"))
        return
    with _told():
        sys.stdout.flush()
        stream.write(data)
        stream.flush()


def say(message: str) -> None:
    """One line for the user, on standard error."""
    from np2tnp.report.style import visible_lines

    print(f"np2tnp: {visible_lines(message)}", file=sys.stderr)


def close_stdout() -> None:
    """Let nothing more be written to a standard output that nobody reads."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return


# --- The exit statuses of all commands

CLEAN, FOUND, ERROR = 0, 1, 2
INTERRUPTED, BROKEN_PIPE = 130, 141
