"""The exit statuses of all commands."""

from __future__ import annotations

CLEAN, FOUND, ERROR = 0, 1, 2
INTERRUPTED, BROKEN_PIPE = 130, 141
