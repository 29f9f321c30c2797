"""What version control says changed: which files, and what they held before."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable

from np2tnp.config import ConfigError
from np2tnp.files.source import NOTEBOOK


def changed_since(rev: str, files: Iterable[str]) -> tuple[list[str], dict[str, bytes]]:
    """Those of `files` that differ from what `rev` had; and what these, and Python files that are no more, held then.

    A file that was renamed since held what the file of its former name did. Raises ConfigError outside of a
    repository, and where it knows no such revision.
    """
    changed: list[str] = []
    before: dict[str, bytes] = {}
    tops: dict[str, str] = {}
    names: dict[str, dict[str, str]] = {}
    for path in files:
        folder = os.path.dirname(os.path.realpath(path))
        if folder not in tops:
            said = _git(folder, "rev-parse", "--show-toplevel", fail="--changed-since: not in a git repository")
            tops[folder] = os.path.realpath(os.fsdecode(said).rstrip("\n"))
        top = tops[folder]
        if top not in names:
            names[top] = _changes(top, rev)
            for name, former in names[top].items():
                gone = os.path.join(top, name)
                if former and name.endswith((".py", NOTEBOOK)) and not os.path.lexists(gone):
                    before[gone] = _git(top, "show", f"{rev}:{former}")
        name = os.path.relpath(os.path.realpath(path), top).replace(os.sep, "/")
        if name in names[top]:
            changed.append(path)
            if former := names[top][name]:
                before[path] = _git(top, "show", f"{rev}:{former}")
    return changed, before


def _changes(top: str, rev: str) -> dict[str, str]:
    """By the name of each file that changed its former name; empty where it was not there."""
    unknown = f"--changed-since {rev}: git knows no such revision"
    _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}", fail=unknown)
    words = os.fsdecode(_git(top, "diff", "--name-status", "-z", "-M", "--end-of-options", rev, "--")).split("\0")
    names: dict[str, str] = {}
    left = iter(words)
    for status in left:
        if not status:
            continue
        first = next(left)
        if status[0] in "RC":
            names[next(left)] = first
        else:
            names[first] = "" if status[0] == "A" else first
    for name in os.fsdecode(_git(top, "ls-files", "--others", "--exclude-standard", "-z")).split("\0"):
        if name:
            names[name] = ""
    return names


def _git(folder: str, *words: str, fail: str = "") -> bytes:
    """What git says. Raises ConfigError."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"--changed-since: git cannot be run: {getattr(error, 'strerror', '') or error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise ConfigError(fail or f"--changed-since: git {words[0]}: {said}")
    return done.stdout
