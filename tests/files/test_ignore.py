"""``.gitignore`` patterns mean what git takes them for, and take no time however many stars they have."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from np2tnp.files.discover import Ignored

PIECES = (
    *("a", "b", "*", "**", "?", "/", "[ab]", "[!a]", "[^b]", "\\a", "!", "#", " ", ".", "[", "]", "a-b", "[[:alpha:]]"),
    *("-", "[a-c]", "\\*", "[]a]", "[a\\]]", "ab", "a/b", "\t"),
)
NAMES = ("a", "b", "ab", "a b", "aab", ".a", "a.b", "c", "*", "#a", "!a", "[", "]", "-", "b-a", "a\\b")


def is_ignored(ignored: Ignored, path: str) -> bool:
    """As the walk asks: what lies in a directory that is ignored is not looked at."""
    parts = path.split("/")
    return any(ignored.says("/".join(parts[:end]), end < len(parts)) for end in range(1, len(parts) + 1))


@pytest.mark.skipif(shutil.which("git") is None or os.name != "posix", reason="git is asked what it ignores")
def test_patterns_mean_what_git_takes_them_for(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    paths = [f"top_{name}" for name in NAMES]
    for outer in NAMES:
        (tmp_path / "dirs" / outer / "a").mkdir(parents=True)
        paths += [f"dirs/{outer}/{inner}" for inner in NAMES[1:9]] + [f"dirs/{outer}/a/b"]
    for path in paths:
        (tmp_path / path).touch()
    chance = random.Random(4)
    wrong = []
    for _ in range(150):
        lines = []
        for _ in range(chance.choice((1, 1, 2, 3))):
            start = chance.choice(("", "dirs/", "/dirs/", "**/", "!", "top_"))
            lines.append(start + "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 5))))
        if any("\\/" in line for line in lines):
            continue  # a slash behind a backslash: nobody writes that
        text = "\n".join(lines) + "\n"
        (tmp_path / ".gitignore").write_text(text)
        asked = subprocess.run(
            ["git", "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"],
            cwd=tmp_path,
            input="\0".join(paths).encode(),
            capture_output=True,
            check=False,
        )
        fields = asked.stdout.decode().split("\0")
        answers = {
            path: bool(line) and not line.startswith("!")
            for line, path in zip(fields[2::4], fields[3::4], strict=False)
        }
        assert answers.keys() == set(paths)
        ignored = Ignored(text)
        wrong += [(text, path) for path in paths if is_ignored(ignored, path) is not answers[path]]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("*a" * 40 + "*b\n", "a" * 250, None),
        ("*a" * 40 + "*b\n", "a" * 250 + "b", True),
        ("*?" * 60 + "x\n", "a" * 250, None),
        ("**/" * 50 + "x\n", "a/" * 60 + "y", None),
        ("**/" * 50 + "x\n", "a/" * 60 + "x", True),
        ("**/a/" * 30 + "x\n", "a/" * 60 + "y", None),
        ("**/a/" * 30 + "x\n", "a/" * 60 + "x", True),
        ("/" + "*a" * 40 + "*b/c\n", "a" * 250 + "/c", None),
    ],
)
def test_many_stars_take_no_time(text: str, path: str, expected: bool | None) -> None:
    """As one regular expression each of these takes longer than anybody waits."""
    assert Ignored(text).says(path, False) is expected


def test_line_ends_and_marks_are_no_part_of_patterns() -> None:
    ignored = Ignored("\ufeffa.py\r\n# b.py\r\nc.py  \r\nd.py\\ \r\n\r\n\\#e.py\r\n\\!f.py")
    names = ("a.py", "b.py", "c.py", "d.py", "d.py ", "#e.py", "!f.py")
    assert [name for name in names if ignored.says(name, False)] == ["a.py", "c.py", "d.py ", "#e.py", "!f.py"]
    assert not Ignored("\n# nothing\n/\n!\n[\nx\\\n")
