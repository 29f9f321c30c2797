"""What finished steps of ``migrate`` found, in the user's state folder, for the next run of the same command."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import platform
import shutil
import sys
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import np2tnp
from np2tnp import pipeline
from np2tnp.config import Config, ConfigError
from np2tnp.migration import journal

_KEY = "key"


class KeptSteps:
    """Values by name in a folder of their own. What was found under another key is forgotten.

    The folder is in the user's state folder, not in the project: values are unpickled, and a repository could bring
    some along.
    """

    def __init__(self, root: str, command: Sequence[str], key: str, fresh: bool) -> None:
        name = hashlib.sha256(repr(list(command)).encode()).hexdigest()[:16]
        self.folder = Path(f"{journal.place(root)}-migrate") / name
        kept = self._read(_KEY)
        if kept != key.encode() or fresh:
            self.drop()
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            if not journal.is_ours(str(self.folder)):
                raise PermissionError(f"{self.folder} belongs to somebody else")
            self._write(_KEY, key.encode())
        except OSError as error:
            words = "results cannot be kept (XDG_STATE_HOME sets another folder)"
            raise ConfigError(f"{self.folder}: {words}: {error.strerror or error}") from None

    def load(self, name: str) -> Any:
        """What was saved under this name; None where nothing was."""
        data = self._read(name)
        if data is None:
            return None
        try:
            return pickle.loads(data)
        except Exception:  # torn, or of classes that are no more
            return None

    def save(self, name: str, value: Any) -> None:
        """Keep it, in one step."""
        self._write(name, pickle.dumps(value))

    def when(self, name: str) -> str:
        """The time of day at which it was saved."""
        return time.strftime("%d %B, %H:%M", time.localtime((self.folder / name).stat().st_mtime))

    def drop(self) -> None:
        """Forget all of it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def empty(self, name: str) -> Path:
        """An empty folder for files that stay as long as the values do."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def _read(self, name: str) -> bytes | None:
        if not journal.is_ours(str(self.folder)):
            return None
        with contextlib.suppress(OSError):
            return (self.folder / name).read_bytes()
        return None

    def _write(self, name: str, data: bytes) -> None:
        part = self.folder / f"{name}.part"
        part.write_bytes(data)
        os.replace(part, self.folder / name)


def key_of(files: pipeline.Files, config: Config, command: Sequence[str], top: int) -> str:
    """What the steps' results depend on, as far as it can be known: texts, options, versions, the machine."""
    package = Path(np2tnp.__file__).parent
    parts = [os.getcwd(), platform.node(), sys.version, config.fingerprint(), repr(list(command)), str(top)]
    parts += [os.environ.get(name, "") for name in ("CUDA_VISIBLE_DEVICES", "PYTHONPATH")]
    for name in ("np2tnp", "numpy", "tensorflow", "scipy"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            parts.append(f"{name} {metadata.version(name)}")
    parts += [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sorted(package.rglob("*.py"))]
    key = hashlib.sha256("\n".join(parts).encode(errors="surrogateescape"))
    contents = dict(files.contents)
    for word in command[1:]:  # the program's own text, and files that it is told to read
        with contextlib.suppress(OSError, ValueError):
            contents.setdefault(word, Path(word).read_bytes())
    for path, data in sorted(contents.items()):
        key.update(f"\n{path}\n{hashlib.sha256(data).hexdigest()}".encode(errors="surrogateescape"))
    return key.hexdigest()
