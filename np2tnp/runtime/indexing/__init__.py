"""Reading, storing and updating by an index, and in place."""

from __future__ import annotations

from typing import Any

#: What the module of this name had when it was no folder: see former_names.py.
_FORMER = frozenset(("At", "Item", "at", "resolved_key", "resolved_store"))


def __getattr__(name: str) -> Any:
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from np2tnp.runtime.former_names import look_up

    return look_up(__name__, name)
