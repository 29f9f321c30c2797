"""Finding, reading and writing files."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from np2tnp import cli
from np2tnp.config import Config
from np2tnp.files.discover import discover
from np2tnp.files.problems import Problem
from np2tnp.files.source import Source, decode, read_bytes
from np2tnp.files.writing import create_file, refuse_link_outwards, replace_file

as_root = hasattr(os, "geteuid") and os.geteuid() == 0


# --- bytes and text


@pytest.mark.parametrize(
    ("data", "encoding", "newline", "bom"),
    [
        (b"", "utf-8", "\n", False),
        (b"x = 1", "utf-8", "\n", False),
        (b"x = 1\r\ny = 2\r\nz = 3\n", "utf-8", "\r\n", False),
        (b"x = 1\ry = 2\r", "utf-8", "\r", False),
        (codecs.BOM_UTF8 + "x = 'ä'\n".encode(), "utf-8", "\n", True),
        ("# -*- coding: latin-1 -*-\nx = 'ä'\n".encode("latin-1"), "latin-1", "\n", False),
        (
            "#!/usr/bin/python\n# vim: set fileencoding=shift_jis :\nx = 'あ'\n".encode("shift_jis"),
            "shift_jis",
            "\n",
            False,
        ),
        (b"# coding: UTF-8-unix\n", "utf-8", "\n", False),
        (b"x = 1\n# coding: latin-1\ny = '\xc3\xa4'\n", "utf-8", "\n", False),
    ],
)
def test_bytes_survive(data: bytes, encoding: str, newline: str, bom: bool) -> None:
    source = decode("f.py", data)
    assert (source.encoding, source.newline, source.bom) == (encoding, newline, bom)
    assert source.encode(source.text) == data


@given(st.binary(max_size=60))
def test_any_bytes_survive_or_are_refused(data: bytes) -> None:
    try:
        source = decode("f.py", data)
    except Problem as problem:
        code = problem.code
    else:
        code = "TNP902"
        assert source.encode(source.text) == data
    assert code == "TNP902"


@pytest.mark.parametrize(
    ("data", "words", "line"),
    [
        (b"a = 1\nb = '\xff'\n", "byte 0xff", 2),
        (b"# coding: klingon\n", "klingon", 1),
        (b"\n# coding: rot13\nx = 1\n", "rot13", 2),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", "byte order mark", 1),
        (b"x = 1\n\0", "null bytes", 2),
        ("x = 1\n".encode("utf-16"), "", 1),
    ],
)
def test_undecodable(data: bytes, words: str, line: int) -> None:
    with pytest.raises(Problem) as caught:
        decode("f.py", data)
    assert caught.value.code == "TNP902"
    assert words in caught.value.message
    assert caught.value.line == line


def test_text_that_the_encoding_lacks_is_refused() -> None:
    source = Source("f.py", "", encoding="latin-1")
    with pytest.raises(Problem, match="cannot be written in latin-1") as caught:
        source.encode("→")
    assert caught.value.code == "TNP902"


# --- writing


def test_replacing_keeps_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_bytes(b"old")
    file.chmod(0o750)
    replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert os.listdir(tmp_path) == ["f.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_replacing_goes_through_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "f.py"
    target.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(target)
    replace_file(str(link), b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_out_of_the_project_are_refused(tmp_path: Path) -> None:
    (tmp_path / "project" / "inner").mkdir(parents=True)
    (tmp_path / "shared.py").write_bytes(b"old")
    (tmp_path / "project" / "real.py").write_bytes(b"old")
    inside, outside = tmp_path / "project" / "inner" / "inside.py", tmp_path / "project" / "outside.py"
    inside.symlink_to(tmp_path / "project" / "real.py")
    outside.symlink_to(tmp_path / "shared.py")
    refuse_link_outwards(str(inside), str(tmp_path / "project"))
    refuse_link_outwards(str(outside), str(tmp_path))
    with pytest.raises(Problem, match="outside of the project") as caught:
        refuse_link_outwards(str(outside), str(tmp_path / "project"))
    assert caught.value.code == "TNP904"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_rewriting_leaves_links_out_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.sin(x) + 1\n"
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "shared.py").write_text(text)
    Path("own.py").write_text(text)
    Path("link.py").symlink_to("../shared.py")
    for arguments in (["rewrite", "."], ["rewrite", "--apply", "."], ["rewrite", "--apply", "link.py"]):
        assert cli.main(arguments) == 2
        assert "link.py:1:1: TNP904 is a link to" in capfd.readouterr().err
    assert (tmp_path / "shared.py").read_text() == text
    assert "rt.migrated" in Path("own.py").read_text()


@pytest.mark.skipif(os.name != "posix", reason="Windows has other attributes")
def test_what_a_file_is_besides_its_text(tmp_path: Path) -> None:
    file, other = tmp_path / "f.py", tmp_path / "other.py"
    file.write_bytes(b"old")
    file.chmod(0o4755)
    attributes = {}
    with contextlib.suppress(OSError, AttributeError):  # not on every file system
        os.setxattr(file, "user.mark", b"mine")
        attributes = {"user.mark": b"mine"}
    assert replace_file(str(file), b"old", b"new") == []
    assert stat.S_IMODE(file.stat().st_mode) == 0o4755
    assert {name: os.getxattr(file, name) for name in attributes} == attributes
    os.link(file, other)
    lost = replace_file(str(file), b"new", b"newer")
    assert lost == ["the file has 1 other name (hard links), which keep the text as it was"]
    assert (file.read_bytes(), other.read_bytes()) == (b"newer", b"new")


@pytest.mark.skipif(os.name != "posix", reason="no limits there")
def test_a_full_disk_leaves_nothing_half_done(tmp_path: Path) -> None:
    """A limit on the size of files is met as a full disk is: in the middle of a write."""
    (tmp_path / "f.py").write_bytes(b"old")
    program = (
        "import resource\nfrom np2tnp.files.writing import create_file, replace_file\n"
        "from np2tnp.files.problems import Problem\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n    create_file('f.py.orig', b'x' * 1000)\nexcept OSError as error:\n    print(type(error).__name__)\n"
        "try:\n    replace_file('f.py', b'old', b'x' * 1000)\nexcept Problem as error:\n    print(error.code)\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("OSError\nTNP904\n", 0), done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"f.py": b"old"}


def test_new_files_never_replace_others(tmp_path: Path) -> None:
    create_file(str(tmp_path / "new.py"), b"new")
    with pytest.raises(FileExistsError):
        create_file(str(tmp_path / "new.py"), b"newer")
    assert (tmp_path / "new.py").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["new.py"]


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_bytes(b"edited meanwhile")
    with pytest.raises(Problem) as caught:
        replace_file(str(file), b"old", b"new")
    assert caught.value.code == "TNP908"
    assert file.read_bytes() == b"edited meanwhile"
    assert os.listdir(tmp_path) == ["f.py"]


@pytest.mark.skipif(as_root, reason="root may write anything")
def test_a_protected_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(Problem) as caught:
        replace_file(str(file), b"old", b"new")
    assert caught.value.code == "TNP904"
    assert file.read_bytes() == b"old"


def test_reading_what_is_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.py"):
        with pytest.raises(Problem) as caught:
            read_bytes(str(path))
        assert caught.value.code == "TNP904"


# --- discovery


def tree(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")


def found(root: Path, *paths: str, **options: object) -> list[str]:
    config = Config(root=str(root), **options)  # type: ignore[arg-type]
    result = discover([str(root / path) for path in paths] or [str(root)], config)
    return [os.path.relpath(path, root).replace(os.sep, "/") for path in result.files]


def test_python_files_sorted_without_the_usual_exclusions(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a.py", "c.txt", "pkg/m.pyw", "pkg/sub/n.py", ".venv/x.py", "build/y.py", "x/.git/z.py")
    assert found(tmp_path) == ["a.py", "b.py", "pkg/m.pyw", "pkg/sub/n.py"]


def test_named_files_are_always_taken(tmp_path: Path) -> None:
    tree(tmp_path, "script", ".venv/x.py", "a.py")
    assert found(tmp_path, "script", ".venv/x.py", "a.py", "a.py") == ["script", ".venv/x.py", "a.py"]
    assert found(tmp_path, ".venv/x.py", "a.py", force_exclude=True) == ["a.py"]


def test_exclude_patterns(tmp_path: Path) -> None:
    tree(tmp_path, "a_test.py", "a.py", "docs/conf.py", "src/docs/b.py", "src/c.py")
    assert found(tmp_path, extend_exclude=("*_test.py",)) == ["a.py", "docs/conf.py", "src/c.py", "src/docs/b.py"]
    assert found(tmp_path, extend_exclude=("src/docs", "a*.py")) == ["docs/conf.py", "src/c.py"]
    assert found(tmp_path, exclude=("docs",)) == ["a.py", "a_test.py", "src/c.py"]


def test_exclude_patterns_as_seen_from_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "pkg/a.py", "pkg/tests/b.py", "pkg/pkg/tests/c.py")
    monkeypatch.chdir(tmp_path)
    for pattern in ("pkg/tests/*", "./pkg/tests", "tests/*"):
        assert "tests/b.py" not in found(tmp_path / "pkg", extend_exclude=(pattern,))
    assert found(tmp_path / "pkg", extend_exclude=("other/tests/*",)) == ["a.py", "pkg/tests/c.py", "tests/b.py"]
    monkeypatch.chdir(tmp_path / "pkg")
    assert found(tmp_path / "pkg", extend_exclude=("pkg/tests/*",)) == ["a.py", "tests/b.py"]


def test_gitignore(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "gen/b.py", "gen/keep.py", "pkg/local.py", "pkg/c.py", "pkg/sub/local.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("# made\ngen/*\n!gen/keep.py\n")
    (tmp_path / "pkg" / ".gitignore").write_text("/local.py\n")
    assert found(tmp_path) == ["a.py", "gen/keep.py", "pkg/c.py", "pkg/sub/local.py"]
    assert found(tmp_path, "pkg/sub", "pkg") == ["pkg/sub/local.py", "pkg/c.py"]
    assert found(tmp_path, "gen") == ["gen/keep.py"]
    assert "gen/b.py" in found(tmp_path, respect_gitignore=False)


def test_an_ignored_directory_that_is_named_is_meant(tmp_path: Path) -> None:
    tree(tmp_path, "out/a.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n")
    assert found(tmp_path) == []
    assert found(tmp_path, "out") == ["out/a.py"]


def test_lines_that_are_no_patterns_are_passed_over_as_by_git(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "b.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("!\n[\n/\nb.py\n")
    assert found(tmp_path) == ["a.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "same.py").symlink_to(tmp_path / "a" / "x.py")
    (tmp_path / "a" / "gone.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "a" / "self.py").symlink_to(tmp_path / "a" / "self.py")
    result = discover([str(tmp_path)], Config(root=str(tmp_path)))
    assert result.files == [str(tmp_path / "a" / "x.py")]
    assert [(os.path.basename(path), problem.code) for path, problem in result.problems] == [
        ("gone.py", "TNP904"),
        ("self.py", "TNP904"),
    ]


def test_missing_paths_and_empty_directories_are_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    tree(tmp_path, "a.py", "n.ipynb")
    names = [str(tmp_path / name) for name in ("missing", "empty", "a.py", "n.ipynb")]
    result = discover(names, Config(root=str(tmp_path)))
    assert result.files == names[2:]
    assert [path for path, _ in result.problems] == [names[0]]
    assert result.empty == [names[1]]
