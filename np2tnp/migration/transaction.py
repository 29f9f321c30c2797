"""Changing files on trial so that an interruption at any moment can be undone, by this run or by a later one."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any

from np2tnp.config import ConfigError
from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes, remove_temporaries, replace_file

#: The folder in the project's root that holds the originals while files are changed on trial.
NAME = ".np2tnp_journal"
_LOG = "journal.jsonl"


class Transaction:
    """Files that hold trial versions for a while, and at the end their originals or what is kept. A context manager.

    Every original is in the journal, on disk, before the first file changes, and every version before it is written.
    The journal goes when the run ends; a run that was killed leaves it there, and `recover` puts the originals back.
    """

    def __init__(self, root: str, originals: Mapping[str, bytes]) -> None:
        self._originals = dict(originals)
        self._now = dict(originals)
        self._folder = os.path.join(root, NAME)
        self._made: list[str] = []  #: folders that were not there before
        self._is_kept = False
        self._signals = Interruptions()

    def __enter__(self) -> Transaction:
        require_none(os.path.dirname(self._folder))
        self._signals.begin()
        try:
            self._write_journal()
        except BaseException as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._signals.end()
            if not isinstance(error, OSError):
                raise
            raise ConfigError(f"{self._folder}: cannot be written: {error.strerror or error}") from None
        return self

    def make(self, folder: str, fill: Callable[[str], None]) -> None:
        """Let `fill` write a folder, which goes again where it was not there before and nothing is kept."""
        if not os.path.isdir(folder):
            self._log({"made": os.path.abspath(folder)})
            self._made.append(folder)
        fill(folder)

    def show(self, new: Mapping[str, bytes]) -> None:
        """Let the files hold `new`, and those that it does not name their originals.

        Raises ConfigError when somebody else changed one of them meanwhile, or when it cannot be written.
        """
        for path, original in self._originals.items():
            self._write(path, new.get(path, original))

    def keep(self, folders: Collection[str] = ()) -> None:
        """The files stay as they are shown now, and these of the folders. Ctrl-C comes too late from here on."""
        self._signals.ignore()
        self._is_kept = True
        self._made = [folder for folder in self._made if folder not in folders]

    @property
    def state(self) -> str:
        """What the files hold once it is over, for people."""
        if os.path.isdir(self._folder):
            return f"files are changed still: `np2tnp rewrite --recover {os.path.dirname(self._folder)}` puts them back"
        return "what was found to pass stays rewritten" if self._is_kept else "all files are as they were before"

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._signals.ignore()
        if not self._is_kept:
            for path, original in self._originals.items():
                try:
                    self._write(path, original)
                except ConfigError:
                    _save_beside(path, original)
        for folder in self._made:
            shutil.rmtree(folder, ignore_errors=True)
        self._log({"ended": "kept" if self._is_kept else "restored"})
        _drop_journal(self._folder)
        self._signals.end()

    def _write(self, path: str, data: bytes) -> None:
        if self._now[path] == data:
            return
        with self._signals.held():  # else a file might be changed without our knowing it
            self._log({"path": os.path.abspath(path), "writes": _digest(data)})
            try:
                replace_file(path, self._now[path], data)
            except Problem as problem:
                raise ConfigError(f"{path}: {problem}; all other files are as they were") from None
            self._now[path] = data

    def _write_journal(self) -> None:
        os.mkdir(self._folder)
        with open(os.path.join(self._folder, ".gitignore"), "w", encoding="utf-8") as stream:
            stream.write("*\n")
        for number, (path, data) in enumerate(self._originals.items()):
            with open(os.path.join(self._folder, f"{number}.orig"), "wb") as copy:
                copy.write(data)
                copy.flush()
                os.fsync(copy.fileno())
            self._log({"path": os.path.abspath(path), "original": f"{number}.orig"})

    def _log(self, entry: dict[str, str]) -> None:
        with open(os.path.join(self._folder, _LOG), "a", encoding="utf-8") as stream:
            stream.write(json.dumps({**entry, "process": os.getpid()}) + "\n")
            stream.flush()
            os.fsync(stream.fileno())


def require_none(root: str) -> None:
    """Raise ConfigError when another run is changing files in `root`, or was killed while it did."""
    folder = os.path.join(root, NAME)
    if not os.path.isdir(folder):
        return
    process = max((int(str(entry.get("process", 0))) for entry in _entries(folder)), default=0)
    if process and _is_alive(process):
        raise ConfigError(f"another run (process {process}) is changing files in {root}")
    raise ConfigError(f"an earlier run was killed in the middle: `np2tnp rewrite --recover {root}` puts its files back")


def recover(root: str) -> list[str] | None:
    """Put back what a killed run left changed in `root`, and say so in lines; None when there is no journal."""
    folder = os.path.join(root, NAME)
    if not os.path.isdir(folder):
        return None
    entries = _entries(folder)
    for entry in entries:
        if _is_alive(int(str(entry["process"]))):
            raise ConfigError(f"another run (process {entry['process']}) is changing files in {root}")
    ended = [entry["ended"] for entry in entries if "ended" in entry]
    if ended == ["kept"]:
        lines = ["the run that was killed had ended: what it found to pass stays rewritten"]
    elif ended or not entries:
        lines = [
            "no file had been changed" if ended else "the run was killed as it began or ended: nothing is half done"
        ]
    else:
        lines = _put_back(folder, entries)
        lines.append(
            "all files are as they were before the run that was killed" if lines else "no file had been changed"
        )
    _drop_journal(folder)
    return lines


def _put_back(folder: str, entries: list[dict[str, str]]) -> list[str]:
    """A line for each file that does not hold its original, and each folder that was not there."""
    written: dict[str, set[str]] = {}
    for entry in entries:
        if "writes" in entry:
            written.setdefault(entry["path"], set()).add(entry["writes"])
    lines = []
    for entry in entries:
        if "made" in entry and os.path.isdir(entry["made"]):
            shutil.rmtree(entry["made"], ignore_errors=True)
            lines.append(f"removed {entry['made']}")
        if "original" not in entry:
            continue
        path = entry["path"]
        original = _read_original(os.path.join(folder, entry["original"]))
        remove_temporaries(path)
        try:
            now = read_bytes(path)
            if now == original:
                continue
            if _digest(now) not in written.get(path, set()):
                raise Problem("TNP908", "changed")
            replace_file(path, now, original)
            lines.append(f"put back {path}")
        except Problem:
            copy = _save_beside(path, original)
            lines.append(f"{path} was changed since, and is left as it is; its original is in {copy}")
    return lines


def _drop_journal(folder: str) -> None:
    """Remove a journal that is no longer needed: what tells how it ended goes last."""
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder), key=lambda name: name == _LOG):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


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
                entries.append(json.loads(line))
    return entries


def save_copy(path: str, data: bytes, suffix: str) -> str:
    """Write `data` beside `path`, under its name with `suffix`: never over a copy that holds something else."""
    number = 0
    while True:
        name = f"{path}{suffix}{number or ''}"
        try:
            with open(name, "xb") as stream:
                stream.write(data)
            return name
        except FileExistsError:
            with open(name, "rb") as stream:
                if stream.read() == data:
                    return name
        number += 1


def _save_beside(path: str, original: bytes) -> str:
    try:
        return save_copy(path, original, ".np2tnp-original")
    except OSError:
        return "no place that could be written"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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


class Interruptions:
    """Ctrl-C, SIGTERM and SIGHUP as one KeyboardInterrupt, which waits while files are written; others are ignored."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._is_held = self._is_wanted = self._is_over = False

    def begin(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._interrupt) for number in _signals()}

    def ignore(self) -> None:
        """From here on nothing interrupts any more."""
        self._is_over = True

    def end(self) -> None:
        """Give the signals back to those who had them."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """What comes meanwhile interrupts afterwards."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._is_wanted and not self._is_over:
            self._is_over = True
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._is_wanted = True
        if not self._is_held and not self._is_over:
            self._is_over = True
            raise KeyboardInterrupt


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C and termination for the moment that writing files, or putting them back, takes."""
    is_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (_signals() if is_main else ())}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _signals() -> list[int]:
    return [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
