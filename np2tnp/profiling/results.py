"""The result file, the charts and the progress bar: what all forms of ``profile`` share."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from np2tnp.verify.channel import child_environment
from np2tnp.verify.two_texts import CannotVerify

SCHEMA = 1  #: of the result file; see docs/profile-schema.md


def now() -> str:
    """The time of day for result files."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write the file in one step, so that it is valid at every moment. Raises CannotVerify."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise CannotVerify(f"cannot write {path}: {error.strerror or error}") from None


def require_writable(path: Path) -> None:
    """Say before anything is run that its result could not be written. Raises CannotVerify; writes nothing new."""
    folder = path.parent
    while not folder.exists() and folder != folder.parent:  # what is missing is made
        folder = folder.parent
    reason = ""
    if path.is_dir():
        reason = "Is a directory"
    elif not folder.is_dir():
        reason = "Not a directory"
    else:
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            reason = error.strerror or str(error)
    if reason:
        raise CannotVerify(f"cannot write {path}: {reason}")


def missing_gpu(devices: list[str]) -> str:
    """What to say once where no GPU was among the devices; empty where one was."""
    if any("GPU" in device for device in devices):
        return ""
    return "no GPU was measured (np2tnp doctor says what is missing)"


def draw(arguments: list[str]) -> str:
    """Draw charts in a child process (matplotlib imports NumPy). What to tell the user about them."""
    command = [sys.executable, "-m", "np2tnp.profiling.charts", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=child_environment())
    if done.returncode == 0:
        names = done.stdout.splitlines()
        ends = " and ".join(dict.fromkeys(Path(name).suffix for name in names))
        return f" and {len(names)} charts beside it ({ends})" if names else ""
    if "No module named 'matplotlib'" in done.stderr:
        return " (no charts: pip install 'np2tnp[profile]')"
    return f" (no charts: {(done.stderr.strip().splitlines() or ['?'])[-1]})"
