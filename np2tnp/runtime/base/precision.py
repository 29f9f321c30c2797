"""Which precision the code that this thread runs works in: NumPy's own, or ``float32=True``.

It belongs to the running function, not to the arrays: in a function of ``float32=True`` a float32 tensor stands for a
float64 array. So the boundary says it for each call (public functions and cores alike, of either kind), and nothing
that runs elsewhere, such as a worker thread's functions, needs to know.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: How many threads are in a function of ``float32=True``: where it is 0, nobody asks the thread.
active = 0

#: What float32 does to arrays, dtypes and helpers: symbols/float32.py, which puts itself here when it is imported. The
#: boundary imports it, so it is there before any function works in float32.
narrowing: Any = None

#: How calls of functions of ``float32=True`` ran: "float32", or "as given" where an argument was in float32 already.
RUNS: Counter[str] = Counter()

_counting = threading.Lock()
_local = threading.local()


def is_single() -> bool:
    """Whether float32 stands for float64 in what this thread is doing."""
    return bool(active) and getattr(_local, "single", False)


@contextmanager
def working(single: bool) -> Iterator[None]:
    """What this thread does in the ``with`` block works in float32, or in NumPy's own precision."""
    global active
    before = is_single()
    if before == single:
        yield
        return
    _local.single = single
    with _counting:
        active += 1
    try:
        yield
    finally:
        with _counting:
            active -= 1
        _local.single = before
