"""Changing files on trial so that an interruption at any moment can be undone, by this run or by a later one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

from np2tnp.config import ConfigError
from np2tnp.files.problems import Problem
from np2tnp.migration.journal import Journal, save_beside


class Transaction:
    """Files that hold trial versions for a while, and at the end their originals or what is kept. A context manager.

    Every original is in the journal, on disk, before the first file changes, and every version before it is written.
    The journal goes when the run ends; a run that was killed leaves it there, and `recover` puts the originals back.
    """

    def __init__(self, root: str, originals: Mapping[str, bytes]) -> None:
        self._originals = dict(originals)
        self._now = dict(originals)
        self.journal = Journal(root)
        self._made: list[str] = []  #: folders that were not there before
        self._is_kept = False
        self._signals = Interruptions()

    def __enter__(self) -> Transaction:
        self._signals.begin()
        try:
            self.journal.begin(self._originals)
        except BaseException:
            self._signals.end()
            raise
        return self

    def make(self, folder: str, fill: Callable[[str, Journal], None]) -> None:
        """Let `fill` write a folder, which goes again where it was not there before and nothing is kept."""
        if not os.path.lexists(folder):
            self._made.append(folder)
        fill(folder, self.journal)

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
        if os.path.isdir(self.journal.folder):
            return f"files are changed still: `np2tnp rewrite --recover {self.journal.root}` puts them back"
        return "what was found to pass stays rewritten" if self._is_kept else "all files are as they were before"

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._signals.ignore()
        if not self._is_kept:
            for path, original in self._originals.items():
                try:
                    self._write(path, original)
                except ConfigError:
                    save_beside(path, original)
        for folder in self._made:
            shutil.rmtree(folder, ignore_errors=True)
        self.journal.end("kept" if self._is_kept else "restored")
        self._signals.end()

    def _write(self, path: str, data: bytes) -> None:
        if self._now[path] == data:
            return
        with self._signals.held():  # else a file might be changed without our knowing it
            try:
                self.journal.replace(path, self._now[path], data)
            except Problem as problem:
                raise ConfigError(f"{path}: {problem}; all other files are as they were") from None
            self._now[path] = data


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


# --- What is told of a region whose rewrite was taken back


@dataclass(frozen=True, slots=True)
class Reverted:
    """A region that stays as it was because its rewrite was found wanting."""

    path: str
    qualname: str
    reason: str  #: one line
    evidence: str = ""  #: more lines, indented
