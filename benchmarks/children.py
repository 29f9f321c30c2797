"""Child processes that answer line by line: one that is silent for too long is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any


def answers(script: str, job: dict[str, Any], first: float, patience: float, **environment: str) -> Iterator[Any]:
    """What ``python script --serve`` prints about `job`, one JSON value a line, until it ends.

    first, patience : seconds for the first line, and for each one after it.
    environment : variables that the child has besides ours.
    """
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", script, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=None if os.environ.get("NP2TNP_PROBE_LOG") else subprocess.DEVNULL, text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0", **environment},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(job))
    process.stdin.close()
    watchdog = threading.Timer(first, process.kill)
    watchdog.start()
    for line in process.stdout:
        watchdog.cancel()
        watchdog = threading.Timer(patience, process.kill)
        watchdog.start()
        yield json.loads(line)
    watchdog.cancel()
    process.wait()
