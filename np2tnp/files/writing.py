"""Puts files in the place of others in one step, and says what of a file could not be kept."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from np2tnp.files.problems import Problem
from np2tnp.files.source import read_bytes


class Writer:
    """Writes files; what a run that may be killed does with a journal (``migration/journal.py``), too."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}  #: what was lost, in lines for the user

    def replace(self, path: str, old: bytes, new: bytes) -> None:
        """As ``replace_file``."""
        self._told(path, replace_file(path, old, new))

    def create(self, path: str, data: bytes) -> None:
        """As ``create_file``."""
        create_file(path, data)

    def make_folder(self, path: str) -> None:
        """A new directory; its parent is there. Raises OSError."""
        os.mkdir(path)

    def _told(self, path: str, lost: list[str]) -> None:
        self.notes.update(dict.fromkeys(f"{path}: {words}" for words in lost))


def temporary_beside(path: str) -> str:
    """A name that nobody else has, in the directory of the file that `path` leads to."""
    return os.path.join(os.path.dirname(os.path.realpath(path)), f".np2tnp-{os.urandom(8).hex()}.tmp")


def refuse_link_outwards(path: str, root: str) -> None:
    """Raises Problem (TNP904) where the file at `path` is a link to one outside of the project at `root`.

    Who names a directory, or gives a link a place in the project, does not mean files elsewhere.
    """
    if not os.path.islink(path):
        return
    target = os.path.realpath(path)
    tops = (os.path.realpath(root), os.path.realpath(os.path.dirname(path) or os.curdir))
    if not any(target.startswith(os.path.join(top, "")) for top in tops):
        raise Problem("TNP904", f"is a link to {target}, outside of the project: not rewritten; name that file itself")


def replace_file(path: str, old: bytes, new: bytes, temporary: str = "") -> list[str]:
    """Puts ``new`` in the place of ``old`` in one step, through symbolic links; what of the file could not be kept.

    Mode, owner, and extended attributes are kept where the system lets us. Raises Problem, TNP908 when the file no
    longer holds ``old`` and TNP904 when it cannot be written; nothing was changed then.
    """
    target = os.path.realpath(path)
    temporary = temporary or temporary_beside(path)
    try:
        before = os.stat(target)
        if read_bytes(target) != old:
            raise Problem("TNP908", "changed while it was being rewritten; left as it is now")
        if not os.access(target, os.W_OK):
            # Replacing needs only the directory's permission: a write-protected file would lose its protection.
            raise Problem("TNP904", "cannot be written: Permission denied")
        with _made(temporary, new):
            lost = _keep_attributes(target, before, temporary)
            after = os.stat(target)
            if (after.st_mtime_ns, after.st_size, after.st_ino) != (before.st_mtime_ns, before.st_size, before.st_ino):
                raise Problem("TNP908", "changed while it was being rewritten; left as it is now")
            os.replace(temporary, target)
    except OSError as error:
        raise Problem("TNP904", f"cannot be written: {error.strerror or error}") from None
    return lost


def create_file(path: str, data: bytes, temporary: str = "") -> None:
    """A new file, whole or not at all. Raises OSError: FileExistsError where something has that name."""
    temporary = temporary or temporary_beside(path)
    with _made(temporary, data, 0o666):  # less what the user's umask takes
        try:
            os.link(temporary, path)  # unlike renaming, never over another file
        except FileExistsError:
            raise
        except (OSError, AttributeError):  # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            os.rename(temporary, path)


@contextlib.contextmanager
def _made(temporary: str, data: bytes, mode: int = 0o600) -> Iterator[None]:
    """A file with the data that does not outlive the block under this name."""
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _keep_attributes(target: str, before: os.stat_result, temporary: str) -> list[str]:
    """Give the new file what the old one has besides its text; what could not be given, in words."""
    lost = []
    if before.st_nlink > 1:
        # Written in place, all would change: among them may be the cache that a package was installed from.
        others = f"{before.st_nlink - 1} other name{'s' * (before.st_nlink > 2)}"
        lost.append(f"the file has {others} (hard links), which keep the text as it was")
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(temporary, before.st_uid, before.st_gid)
        now = os.stat(temporary)
        if now.st_uid != before.st_uid:
            lost.append("it belonged to another user, and is yours now")
        elif now.st_gid != before.st_gid:
            with contextlib.suppress(OSError):
                os.chown(temporary, -1, before.st_gid)
            if os.stat(temporary).st_gid != before.st_gid:
                lost.append("it belonged to another group, and is your group's now")
    names = []
    with contextlib.suppress(OSError, AttributeError):  # not on every system
        names = os.listxattr(target)
    for name in names:
        try:
            os.setxattr(temporary, name, os.getxattr(target, name))
        except OSError:
            lost.append(f"its attribute {name} could not be kept")
    mode = stat.S_IMODE(before.st_mode)
    os.chmod(temporary, mode)  # last: what comes before clears setuid
    if stat.S_IMODE(os.stat(temporary).st_mode) != mode:
        lost.append(f"its mode {mode:o} could not be kept")
    return lost
