"""What a call does outside of its process, as Python's audit events tell: files it writes, programs it starts.

Seen, or refused before it happens. Runs in the child processes. An audit hook stays for good; this one does nothing
while nobody looks.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator

_EVENTS = {
    "os.system": "starts programs",
    "subprocess.Popen": "starts programs",
    "os.posix_spawn": "starts programs",
    "os.fork": "starts processes",
    "socket.connect": "opens connections",
    "os.remove": "removes files",
    "os.rename": "renames files",
    "os.mkdir": "makes folders",
    "os.rmdir": "removes folders",
    "shutil.rmtree": "removes folders",
}
#: What is refused besides: none of it is something that a function under test does unnoticed.
_REFUSED = (
    "builtins.input", "ftplib.", "os.chmod", "os.chown", "os.exec", "os.forkpty", "os.kill", "os.link", "os.spawn",
    "os.startfile", "os.symlink", "os.truncate", "pty.spawn", "shutil.", "signal.pthread_kill", "smtplib.", "socket.",
    "sqlite3.connect", "urllib.Request", "webbrowser.open",
)  # fmt: skip
_seen: list[str] | None = None
_refuses = False
_is_installed = False


@contextlib.contextmanager
def watch_outside() -> Iterator[list[str]]:
    """A list that fills with what happens meanwhile, each once: ``writes out.txt``, ``starts programs``."""
    global _seen
    _install()
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None


@contextlib.contextmanager
def refuse_outside() -> Iterator[None]:
    """PermissionError for whatever would be seen outside of the process: nothing of that kind happens meanwhile."""
    global _refuses
    _install()
    stdin, sys.stdin, _refuses = sys.stdin, io.StringIO(), True
    try:
        yield
    finally:
        sys.stdin, _refuses = stdin, False


def _install() -> None:
    global _is_installed
    if not _is_installed:
        sys.addaudithook(_hook)
        _is_installed = True


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _seen is None and not _refuses:
        return
    said = _EVENTS.get(event, "")
    if event == "open" and isinstance(args[0], (str, bytes)) and _is_for_writing(args[1], args[2]):
        name = os.path.basename(os.fsdecode(args[0]))
        said = "" if name.endswith(".pyc") or args[0] == os.devnull else f"writes {name}"
    if _refuses and (said or event.startswith(_REFUSED)):
        raise PermissionError(f"refused while arguments are looked for: {said or event}")
    if said and _seen is not None and said not in _seen:
        _seen.append(said)


def _is_for_writing(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
