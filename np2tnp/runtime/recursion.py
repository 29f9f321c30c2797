"""Python's limit of recursion, without the frames that the runtime puts between the program's own."""

from __future__ import annotations

import sys
import threading

_lock = threading.RLock()
_late = 0  #: frames of which the limit could not be rid yet


def allow(frames: int) -> None:
    """Let the stack grow by so many frames more. It must hold at least as many of the runtime's."""
    with _lock:
        sys.setrecursionlimit(sys.getrecursionlimit() + frames)


def withdraw(frames: int) -> None:
    """Take back what :func:`allow` allowed."""
    global _late
    with _lock:
        try:
            sys.setrecursionlimit(sys.getrecursionlimit() - frames - _late)
            _late = 0
        except RecursionError:  # the stack is as deep as that
            _late += frames
