"""What a call does outside of its process, as Python's audit events tell: files it writes, programs it starts.

Runs in the child processes. An audit hook stays for good; this one sees nothing while nobody looks.
"""

from __future__ import annotations

import contextlib
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
_seen: list[str] | None = None
_is_installed = False


@contextlib.contextmanager
def watch_outside() -> Iterator[list[str]]:
    """A list that fills with what happens meanwhile, each once: ``writes out.txt``, ``starts programs``."""
    global _seen, _is_installed
    if not _is_installed:
        sys.addaudithook(_hook)
        _is_installed = True
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _seen is None:
        return
    said = _EVENTS.get(event, "")
    if event == "open" and isinstance(args[0], (str, bytes)) and _is_for_writing(args[1], args[2]):
        name = os.path.basename(os.fsdecode(args[0]))
        said = "" if name.endswith(".pyc") or args[0] == os.devnull else f"writes {name}"
    if said and said not in _seen:
        _seen.append(said)


def _is_for_writing(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
