"""What a run is about to change, on disk, so that a later run can undo what a killed one left.

A journal lies in the user's state folder, never in the project: a repository could bring one along, and have files
overwritten or removed that way. Even so, what is undone is only what holds the very content that was written.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from typing import Any

from np2tnp.config import ConfigError, state_folder
from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes
from np2tnp.files.writing import Writer, create_file, replace_file, temporary_beside

_LOG = "journal.jsonl"


def place(root: str) -> str:
    """The folder of the journal of runs in the project at `root`."""
    top = os.path.realpath(root)
    name = re.sub(r"[^\w-]", "_", os.path.basename(top))[:40]
    digest = hashlib.sha256(top.encode(errors="surrogateescape")).hexdigest()[:16]
    return os.path.join(state_folder(), f"{name}-{digest}")


def is_ours(folder: str) -> bool:
    """Whether it is a folder that this user made: others may write into the one for temporary files."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and (not hasattr(os, "geteuid") or status.st_uid == os.geteuid())


class AnotherRunError(ConfigError):
    """Two runs want to write to one project at the same time."""


class Journal(Writer):
    """Writes files, each step told on disk before it is taken."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self.root = root
        self.folder = place(root)

    def begin(self, originals: Mapping[str, bytes]) -> None:
        """Save the originals of all files that may change. Raises ConfigError."""
        try:
            parent = os.path.dirname(self.folder)
            os.makedirs(parent, mode=0o700, exist_ok=True)
            if not is_ours(parent):
                raise PermissionError(f"{parent} belongs to somebody else")
            self._open()
            self._log({"root": os.path.realpath(self.root)})
            for number, (path, data) in enumerate(originals.items()):
                with open(os.path.join(self.folder, f"{number}.orig"), "wb") as copy:
                    copy.write(data)
                    copy.flush()
                    os.fsync(copy.fileno())
                self._log({"path": os.path.realpath(path), "original": f"{number}.orig"})
        except OSError as error:
            drop(self.folder)
            words = "originals cannot be saved (XDG_STATE_HOME sets another folder)"
            raise ConfigError(f"{self.folder}: {words}: {error.strerror or error}") from None
        except AnotherRunError:
            raise
        except BaseException:
            drop(self.folder)
            raise

    def _open(self) -> None:
        try:
            os.mkdir(self.folder, 0o700)
        except FileExistsError:  # whose it is: it must not be dropped
            words = "another run of np2tnp is writing to this project: wait for it, or see `np2tnp rewrite --recover`"
            raise AnotherRunError(f"{self.root}: {words}") from None

    def replace(self, path: str, old: bytes, new: bytes) -> None:
        temporary = temporary_beside(path)
        self._log({"path": os.path.realpath(path), "writes": digest(new), "temporary": temporary})
        self._told(path, replace_file(path, old, new, temporary))

    def create(self, path: str, data: bytes) -> None:
        temporary = temporary_beside(path)
        self._log({"path": os.path.realpath(path), "creates": digest(data), "temporary": temporary})
        create_file(path, data, temporary)

    def make_folder(self, path: str) -> None:
        self._log({"made": os.path.realpath(path)})
        os.mkdir(path)

    def end(self, how: str) -> None:
        """It is over, and the files are as they shall be: "kept" or "restored"."""
        self._log({"ended": how})
        drop(self.folder)

    def _log(self, entry: dict[str, str]) -> None:
        with open(os.path.join(self.folder, _LOG), "a", encoding="utf-8") as stream:
            stream.write(json.dumps({**entry, "process": os.getpid()}) + "\n")
            stream.flush()
            os.fsync(stream.fileno())


def drop(folder: str) -> None:
    """Remove a journal that is no longer needed: what tells how it ended goes last."""
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder), key=lambda name: name == _LOG):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


def state_left(root: str) -> str:
    """What a run that was killed left in the project at `root`, in one sentence; empty where there was none.

    Raises ConfigError when that run still works.
    """
    folder = place(root)
    if not is_ours(os.path.dirname(folder)) or not is_ours(folder):
        return ""
    entries = _entries(folder)
    _require_dead(entries, root)
    advice = f"`np2tnp rewrite --recover {root}`"
    if _how_it_ended(entries):
        return f"an earlier run was killed as it began or ended; its files are in order: {advice} says how"
    written = _written(entries)
    changed = [path for path in written if _content(path) in written[path]]
    many = sum("original" in entry for entry in entries)
    what = f"{len(changed)} of {many} file{'s' * (many != 1)} hold what it wrote"
    return f"an earlier run was killed in the middle: {what}; {advice} puts the originals back"


def recover(root: str) -> list[str] | None:
    """Undo what a killed run did in the project at `root`, and say so in lines; None when there is no journal."""
    folder = place(root)
    if not is_ours(os.path.dirname(folder)) or not is_ours(folder):
        return None
    entries = _entries(folder)
    _require_dead(entries, root)
    ended = _how_it_ended(entries)
    if ended == "kept":
        lines = ["the run that was killed had ended: what it wrote stays rewritten"]
    elif ended == "restored":
        lines = ["no file had been changed"]
    elif ended == "never began":
        lines = ["the run was killed as it began or ended: nothing is half done"]
    else:
        lines = _put_back(folder, entries)
        lines.append(
            "all files are as they were before the run that was killed" if lines else "no file had been changed"
        )
    drop(folder)
    return lines


def _how_it_ended(entries: list[dict[str, str]]) -> str:
    """Kept, restored, never began; empty for a run that was killed in the middle."""
    if not any("original" in entry for entry in entries):
        return "never began"
    return next((entry["ended"] for entry in entries if "ended" in entry), "")


def _put_back(folder: str, entries: list[dict[str, str]]) -> list[str]:
    """A line for each file that does not hold its original, and for each that was not there."""
    written = _written(entries)
    lines = []
    for entry in entries:
        if "temporary" in entry and _is_plain_file(entry["temporary"]):
            os.unlink(entry["temporary"])  # its name, which nobody could guess, was told before it was made
    for entry in entries:
        if "creates" in entry and _content(entry["path"]) == entry["creates"]:
            os.unlink(entry["path"])
    for folder_made in [entry["made"] for entry in reversed(entries) if "made" in entry]:  # the inner ones first
        if os.path.isdir(folder_made) and os.path.realpath(folder_made) == folder_made:
            lines.append(_remove_made(folder_made))
    for entry in entries:
        if "original" not in entry:
            continue
        path = entry["path"]
        original = _read_original(os.path.join(folder, entry["original"]))
        now = _content(path)
        if now == digest(original):
            continue
        try:
            if now not in written.get(path, set()):
                raise Problem("TNP908", "changed")
            replace_file(path, read_bytes(path), original)
            lines.append(f"put back {path}")
        except Problem:
            copy = save_beside(path, original)
            lines.append(f"{path} was changed since, and is left as it is; its original is in {copy}")
    return lines


def _remove_made(folder: str) -> str:
    """Remove a folder that was made, with what Python compiled of its files, unless somebody else's files are in it."""
    compiled = os.path.join(folder, "__pycache__")
    with contextlib.suppress(OSError):
        if not os.path.islink(compiled):
            for name in os.listdir(compiled):
                if name.endswith(".pyc"):
                    os.unlink(os.path.join(compiled, name))
            os.rmdir(compiled)
    try:
        os.rmdir(folder)
    except OSError:
        return f"{folder} stays: it holds what np2tnp did not write"
    return f"removed {folder}"


def _written(entries: list[dict[str, str]]) -> dict[str, set[str]]:
    """By file the digests of all that was written to it."""
    written: dict[str, set[str]] = {}
    for entry in entries:
        if "writes" in entry:
            written.setdefault(entry["path"], set()).add(entry["writes"])
    return written


def _content(path: str) -> str:
    """The digest of a file's content; empty where no plain file has this name, or links lead there by now."""
    if not _is_plain_file(path) or os.path.realpath(path) != path:
        return ""
    try:
        return digest(read_bytes(path))
    except Problem:
        return ""


def _is_plain_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _read_original(name: str) -> bytes:
    try:
        with open(name, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror or error}; nothing more was put back") from None


def _entries(folder: str) -> list[dict[str, str]]:
    """The journal's lines; the last one may be torn, and then nothing was written for it."""
    entries: list[dict[str, str]] = []
    with contextlib.suppress(OSError), open(os.path.join(folder, _LOG), encoding="utf-8") as stream:
        for line in stream:
            with contextlib.suppress(ValueError):
                entry: Any = json.loads(line)
                entries.append(entry)
    return entries


def _require_dead(entries: list[dict[str, str]], root: str) -> None:
    """Raise ConfigError where the run whose journal it is still works."""
    process = max((int(str(entry.get("process", 0))) for entry in entries), default=0)
    if process and _is_alive(process):
        raise ConfigError(f"another run (process {process}) is changing files in {root}")


def _is_alive(process: int) -> bool:
    if os.name != "posix" or process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def save_copy(path: str, data: bytes, suffix: str, writer: Writer) -> str:
    """Write `data` beside `path`, under its name with `suffix`: never over a copy that holds something else."""
    number = 0
    while True:
        name = f"{path}{suffix}{number or ''}"
        try:
            writer.create(name, data)
            return name
        except FileExistsError:
            if _content(os.path.realpath(name)) == digest(data):
                return name
        number += 1


def save_beside(path: str, original: bytes) -> str:
    """Where the original of a file was saved that somebody else changed meanwhile."""
    try:
        return save_copy(path, original, ".np2tnp-original", Writer())
    except OSError:
        return "no place that could be written"


def digest(data: bytes) -> str:
    """What stands for a file's content in the journal."""
    return hashlib.sha256(data).hexdigest()
