"""Where migrated code meets everybody else: what is let in, what is handed out."""

from __future__ import annotations

from typing import Any

#: What the module of this name had when it was no folder: see former_names.py.
_FORMER = frozenset(("keep", "leave", "wrap", "migrated", "updated"))


def __getattr__(name: str) -> Any:
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from np2tnp.runtime.former_names import look_up

    return look_up(__name__, name)
