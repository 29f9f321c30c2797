"""Ends a child process that says nothing any more: by its CPU time, since a busy machine makes all slow."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path


class Watch:
    """Kills `process` when it used `patience` seconds of CPU time, or `waiting` times as many by the clock.

    Where the system does not tell CPU times, the clock decides alone.
    """

    def __init__(self, process: subprocess.Popen[str], patience: float, waiting: float) -> None:
        self.expired = False  #: whether it was killed
        self._process = process
        self._waiting = waiting
        self._stopped = threading.Event()
        self.reset(patience)
        threading.Thread(target=self._run, daemon=True).start()

    def reset(self, patience: float) -> None:
        """Begin to count anew."""
        self._since = time.monotonic(), cpu_seconds(self._process.pid)
        self._patience = patience

    def stop(self) -> None:
        """Let the process live."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(min(1.0, self._patience / 4)):
            (begun, used), patience = self._since, self._patience
            now = cpu_seconds(self._process.pid)
            spent = time.monotonic() - begun
            if now is None or used is None:
                is_over = spent > patience
            else:
                is_over = now - used > patience or spent > patience * self._waiting
            if is_over:
                self.expired = True
                self._process.kill()
                return


def cpu_seconds(pid: int) -> float | None:
    """The CPU time that a running process used so far; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
