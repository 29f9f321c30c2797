"""How far a run over files is, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


class Progress:
    """A line at a terminal that counts files, from the second second on."""

    def __init__(self, quiet: bool) -> None:
        self._active = sys.stderr.isatty() and not quiet
        self._next = time.monotonic() + 1
        self._drawn = False

    def __enter__(self) -> Callable[[int, int], None]:
        return self._advance

    def _advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._active and now >= self._next:
            self._next = now + 0.2
            self._drawn = True
            sys.stderr.write(f"\r{done} of {total} files")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
