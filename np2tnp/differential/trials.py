"""Trials that a process may not survive: which one it was, for the process that comes after it.

A call can kill its process, or stay in native code for good (LAPACK does, on some infinite numbers), where no signal
of Python's reaches it. So each trial is noted in a file before it begins, and a process in which one hangs ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from np2tnp.differential.specs import Array, Call, Case


class Trials:
    """Notes in the file `path` (empty: nowhere) what kind of call is tried; what `avoided` names is not tried again."""

    def __init__(self, path: str, seconds: float) -> None:
        self.avoided: frozenset[str] = frozenset()
        self._path = path
        self._seconds = seconds
        self._silence = open(os.devnull, "w") if path else None  # noqa: SIM115 - for as long as the process lives

    @contextlib.contextmanager
    def trial(self, case: Case) -> Iterator[bool]:
        """Whether `case` may be tried, which ends the process when it takes too long."""
        if self._silence is None:
            yield True
            return
        name = kind_of(case)
        if name in self.avoided:
            yield False
            return
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(name)
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._silence)
        try:
            yield True
        finally:
            faulthandler.cancel_dump_traceback_later()
            os.truncate(self._path, 0)


def kind_of(case: Case) -> str:
    """What calls have in common that mostly end alike: the target, and for each argument its type, rank and range."""
    calls = [*([case.construct] if isinstance(case.construct, Call) else []), case.call]
    return f"{case.target}({', '.join(_kind(item) for call in calls for item in call.items())})"


def _kind(item: Any) -> str:
    values = item.values if isinstance(item, Array) else item
    if not isinstance(values, (np.ndarray, np.generic, int, float, complex)):
        return type(item).__name__
    array = np.asarray(values)
    words = [type(item).__name__, array.dtype.kind, str(array.ndim), "" if array.size else "empty"]
    if array.dtype.kind in "fc":
        words.append("" if np.isfinite(array).all() else "not finite")
    if array.dtype.kind in "if":
        words.append("negative" if (array < 0).any() else "")
    return " ".join(filter(None, words))
