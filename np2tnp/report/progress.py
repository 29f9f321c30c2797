"""How far a run is: over files on a terminal, of a verification wherever its errors go."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable


class Progress:
    """A line at a terminal that counts files, from the second second on."""

    def __init__(self, quiet: bool) -> None:
        self._active = sys.stderr.isatty() and not quiet
        self._began = time.monotonic()
        self._next = self._began + 1
        self._drawn = False

    def __enter__(self) -> Callable[[int, int], None]:
        return self._advance

    def _advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._active and now >= self._next:
            self._next = now + 0.2
            self._drawn = True
            left = (now - self._began) * (total - done) / max(done, 1)
            more = f", about {describe_time(left)} left" if done > _TELLING * total and left >= 1 else ""
            sys.stderr.write(f"\r{done} of {total} files{more}\x1b[K")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")


_TELLING = 0.05  #: the share of a run that says something of how long the rest takes


class Stages:
    """What a long run does just now: a line that changes on a terminal, else a new line each ten seconds.

    It speaks from the second second on, from a thread of its own: what is waited for may be silent for minutes.
    """

    def __init__(self, quiet: bool, first: float = 2.0, every: float = 10.0) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._first, self._every = first, 0.5 if self._terminal else every
        self._what, self._began = "", time.monotonic()
        self._ends: float | None = None  #: when it is expected to be over
        self._ended = threading.Event()
        self._writing = threading.Lock()
        self._drawn = False
        self._thread = threading.Thread(target=self._speak, daemon=True)

    def __enter__(self) -> Stages:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        self.clear()

    def __call__(self, what: str, share: float = 0.0, expected: float = 0.0) -> None:
        """Say from now on that `what` is being done.

        What is left is told by the `share` of all that is over, or by the seconds that are `expected` from now on.
        """
        now = time.monotonic()
        if share > _TELLING:
            self._ends = self._began + (now - self._began) / min(share, 1.0)
        elif expected:
            self._ends = now + expected
        self._what = what

    def begin(self) -> None:
        """What was told so far says nothing of how long the rest takes."""
        self._began, self._ends = time.monotonic(), None

    def clear(self) -> None:
        """Make place for other output."""
        with self._writing:
            if self._drawn:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
            self._drawn = False

    def _speak(self) -> None:
        wait = self._first
        while not self._ended.wait(wait):
            wait = self._every
            if not self._what:
                continue
            line = f"{self._what} ({describe_time(time.monotonic() - self._began)}{self._left()})"
            with self._writing:
                sys.stderr.write(f"\r{line}\x1b[K" if self._terminal else f"np2tnp: {line}\n")
                sys.stderr.flush()
                self._drawn = self._terminal

    def _left(self) -> str:
        left = 0.0 if self._ends is None else self._ends - time.monotonic()
        return f", about {describe_time(left)} left" if left >= 1 else ""


def describe_time(seconds: float) -> str:
    """``38 s``, ``5 min``: as people say how long something takes."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5940 else f"{seconds / 3600:.1f} h"
