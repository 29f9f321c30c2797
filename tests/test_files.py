"""Finding, reading, guarding, suppressing, caching and writing files."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from np2tnp.config import Config
from np2tnp.files import guards, suppress, syntax
from np2tnp.files.cache import Cache, hash_bytes, stat_key
from np2tnp.files.discover import discover
from np2tnp.files.problems import Problem
from np2tnp.files.source import Source, decode, read_bytes, replace_file
from np2tnp.model import FileReport, Finding, Region, RegionState, Safety, Span, Verdict

as_root = hasattr(os, "geteuid") and os.geteuid() == 0


def finding(code: str, line: int, end_line: int | None = None) -> Finding:
    return Finding("f.py", Span(line, 1, end_line or line, 2), code, "message", Verdict.ADAPT)


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
    assert len(result.files) == 1
    assert [(os.path.basename(path), problem.code) for path, problem in result.problems] == [
        ("gone.py", "TNP904"),
        ("self.py", "TNP904"),
    ]


def test_missing_paths_and_empty_directories_are_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    tree(tmp_path, "a.py", "n.ipynb")
    names = [str(tmp_path / name) for name in ("missing", "empty", "a.py", "n.ipynb")]
    result = discover(names, Config(root=str(tmp_path)))
    assert result.files == [names[2]]
    assert [path for path, _ in result.problems] == [names[0], names[3]]
    assert result.empty == [names[1]]


# --- guards


N = 20_000
HURTFUL = {
    "sum": "x = " + "a+" * N + "a",
    "sum over lines": "x = (" + "a +\n" * N + "a)",
    "calls": "x = a" + ".b()" * N,
    "subscripts": "x = a" + "[0]" * N,
    "parentheses": "x = " + "(" * N + ")" * N,
    "lists": "x = " + "[" * 300 + "]" * 300,
    "calls in calls": "x = " + "f(" * 300 + ")" * 300,
    "unclosed": "(" * N,
    "minus": "x = " + "-" * N + "1",
    "not": "x = " + "not " * N + "a",
    "lambda": "x = " + "lambda: " * N + "0",
    "conditions": "x = " + "a if b else " * N + "0",
    "joined strings": "x = (" + "'a' " * N + ")",
    "elif": "if a: pass\n" + "elif b: pass\n" * N,
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(300)) + " " * 300 + "pass",
    "f-string": "x = f'{" + "(" * 300 + ")" * 300 + "}'",
    "data": "x = [" + "1, " * 500_000 + "]",
}


@pytest.mark.parametrize("text", HURTFUL.values(), ids=list(HURTFUL))
def test_hurtful_text_is_refused(text: str) -> None:
    with pytest.raises(Problem) as caught:
        guards.check(text + "\n")
    assert caught.value.code == "TNP905"


def test_ordinary_text_passes() -> None:
    guards.check("x = [" + "(1, 2), " * 5_000 + "]\n")
    guards.check("x = 1 + 2\n" * 5_000)
    guards.check("def f(a, b=(1, 2)):\n    return a.b.c(d)[e] + -f\n\n\n" * 2_000)
    guards.check("x = '" + "(" * 150 + "'\n# " + "((((" * 500 + "\n")
    guards.check("if a:\n    pass\nelif b:\n    pass\n" * 1_000)
    guards.check("x = foo(\n" + " " * 110 + "a,\n" + " " * 112 + "b)\n")
    guards.check("'''" + "( + \n" * 5_000 + "'''\n")


def test_a_deep_stack() -> None:
    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    before = sys.getrecursionlimit()
    assert guards.call_with_deep_stack(depth, 20_000) == 20_000
    assert sys.getrecursionlimit() == before
    with pytest.raises(ZeroDivisionError):
        guards.call_with_deep_stack(lambda: 1 // 0)


# --- Python 2


@pytest.mark.parametrize(
    "text",
    [
        'print "hello"\n',
        "print x\n",
        "import numpy as np\nfor x in y:\n    print 'a', x\n",
        "print >>f, x\n",
        "try:\n    pass\nexcept ValueError, e:\n    pass\n",
        "try:\n    pass\nexcept (A, B), e:\n    pass\n",
        "exec 'x = 1' in {}\n",
        "raise ValueError, 'no'\n",
        "x = `1`\n",
        "if a <> b:\n    pass\n",
        "x = 0777\n",
        "x = 10L\n",
        "x = ur'a'\n",
    ],
)
def test_python2_is_recognised(text: str) -> None:
    problem = syntax.explain(text)
    assert problem.code == "TNP903"
    assert "Python 2" in problem.message


@pytest.mark.parametrize(
    "text",
    ["def f(:\n", "x = (1,\n", "print('a') x\n", "x = 1.01 +\n", "x = 'a\n", "for i in range(3) print(i)\n", "0xfg\n"],
)
def test_other_syntax_errors_are_not_called_python2(text: str) -> None:
    problem = syntax.explain(text)
    assert problem.code == "TNP901"
    assert problem.message.startswith("syntax error: ")


def test_python2_that_the_parser_accepts() -> None:
    assert syntax.accepted_python2("try:\n    pass\nexcept ValueError, e:\n    pass\n") is not None
    assert syntax.accepted_python2("try:\n    pass\nexcept ValueError as e:\n    pass\n") is None
    assert syntax.accepted_python2("s = 'except ValueError, e:'\n") is None


# --- suppression


def hidden(text: str, *findings: Finding) -> list[str]:
    return [f"{item.code}:{item.span.line}" for item in suppress.apply(text, "f.py", tuple(findings))]


def test_ignore_on_the_line() -> None:
    text = "a\nb  # np2tnp: ignore[TNP101] because\nc\n"
    assert hidden(text, finding("TNP101", 2), finding("TNP101", 1), finding("TNP102", 2)) == ["TNP101:1", "TNP102:2"]


@pytest.mark.parametrize(
    "comment", ["# np2tnp: ignore", "# np2tnp: ignore[TNP1]", "#np2tnp:ignore[tnp102, TNP101]", "# noqa: E501, TNP101"]
)
def test_forms_that_hide(comment: str) -> None:
    left = hidden(f"x  {comment}\n", finding("TNP101", 1))
    assert "TNP101:1" not in left


def test_a_comment_alone_covers_the_next_line_of_code() -> None:
    text = "# np2tnp: ignore[TNP101] why\n# more why\n\nx\ny\n"
    assert hidden(text, finding("TNP101", 4), finding("TNP101", 5)) == ["TNP101:5"]


def test_a_comment_at_the_end_of_a_long_statement() -> None:
    assert hidden("x = (1,\n     2)  # np2tnp: ignore\n", finding("TNP101", 1, 2)) == []


def test_whole_files_and_ranges() -> None:
    assert hidden("a\nb\n# np2tnp: ignore-file[TNP1]\n", finding("TNP101", 1), finding("TNP201", 2)) == ["TNP201:2"]
    text = "a\n# np2tnp: disable[TNP101]\nb\n# np2tnp: enable[TNP101]\nc\n"
    assert hidden(text, finding("TNP101", 1), finding("TNP101", 3), finding("TNP101", 5)) == ["TNP101:1", "TNP101:5"]
    assert hidden("# np2tnp: disable\nb\n", finding("TNP101", 2)) == []


def test_comments_that_hide_nothing_are_said() -> None:
    assert hidden("x  # np2tnp: ignore[TNP101]\n") == ["TNP991:1"]
    assert hidden("x  # np2tnp: ignore[TNP101, TNP102]\n", finding("TNP101", 1)) == ["TNP991:1"]
    assert hidden("x  # noqa: E501\n") == []
    assert hidden("x  # noqa\n") == []


@pytest.mark.parametrize("comment", ["ingore", "ignore[E501]", "ignore[]", "enable", "", "ignore_file"])
def test_comments_that_are_not_understood_are_said(comment: str) -> None:
    assert hidden(f"x  # np2tnp: {comment}\n", finding("TNP101", 1)) == ["TNP101:1", "TNP991:1"]


def test_text_that_looks_like_a_comment() -> None:
    text = "s = '# np2tnp: ignore'\nt = '''\n# np2tnp: ignore-file\n'''\n"
    assert hidden(text, finding("TNP101", 1)) == ["TNP101:1"]


def test_errors_cannot_be_hidden() -> None:
    assert "TNP901:1" in hidden("x  # np2tnp: ignore\n", finding("TNP901", 1))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["TNP101", "TNP201", "TNP701"]), st.integers(1, 9)), max_size=8))
def test_suppressing_every_line_leaves_no_finding(items: list[tuple[str, int]]) -> None:
    text = "x  # np2tnp: ignore\n" * 9
    left = hidden(text, *(finding(code, line) for code, line in items))
    assert all(code.startswith("TNP991") for code in left)


# --- cache


REPORT = FileReport(
    "f.py",
    (Finding("f.py", Span(1, 2, 3, 4), "TNP101", "mess → age", Verdict.ADAPT, Safety.UNSAFE, "f.<locals>.g", True),),
    (Region("f", Span(1, 1, 9, 9), RegionState.KEPT, ("TNP701 3: slow",), 7, 5),),
    uses_numpy=True,
    unresolved=2,
)


def stored(tmp_path: Path) -> tuple[str, Path, FileReport]:
    file = tmp_path / "f.py"
    file.write_bytes(b"x = 1\n")
    from dataclasses import replace

    report = replace(REPORT, path=str(file), findings=tuple(replace(item, path=str(file)) for item in REPORT.findings))
    directory = str(tmp_path / "cache")
    cache = Cache.open(directory, "run", [str(file)])
    cache.add(report, hash_bytes(b"x = 1\n"), stat_key(str(file)))
    cache.save()
    return directory, file, report


def test_the_cache_gives_back_what_it_was_given(tmp_path: Path) -> None:
    directory, file, report = stored(tmp_path)
    cache = Cache.open(directory, "run", [str(file)])
    assert cache.find_unchanged(str(file)) == report
    file.write_bytes(b"x = 2  #\n")
    assert cache.find_unchanged(str(file)) is None
    assert cache.find_same(str(file), hash_bytes(b"x = 2  #\n"), "") is None
    assert cache.find_same(str(file), hash_bytes(b"x = 1\n"), "") == report
    assert Cache.open(directory, "other options", [str(file)]).find_unchanged(str(file)) is None
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


def test_a_touched_file_is_found_by_its_content(tmp_path: Path) -> None:
    directory, file, report = stored(tmp_path)
    os.utime(file, ns=(1, 1))
    cache = Cache.open(directory, "run", [str(file)])
    assert cache.find_unchanged(str(file)) is None
    assert cache.find_same(str(file), hash_bytes(b"x = 1\n"), stat_key(str(file))) == report
    cache.save()
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) == report


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000, None])
def test_a_damaged_cache_is_no_cache(tmp_path: Path, damage: bytes | None) -> None:
    directory, file, report = stored(tmp_path)
    database = Path(directory) / "reports.sqlite"
    database.write_bytes(database.read_bytes()[:300] if damage is None else damage)
    cache = Cache.open(directory, "run", [str(file)])
    assert cache.find_unchanged(str(file)) is None
    cache.add(report, "hash", stat_key(str(file)))
    cache.save()
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) == report


def test_rows_that_are_not_reports_are_no_reports(tmp_path: Path) -> None:
    import sqlite3

    directory, file, _ = stored(tmp_path)
    connection = sqlite3.connect(Path(directory) / "reports.sqlite")
    connection.execute("UPDATE report SET data = '{\"findings\": [1]}'")
    connection.commit()
    connection.close()
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) is None


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache.open(str(tmp_path / "file" / "cache"), "run", [])
    cache.add(REPORT, "hash", "stat")
    cache.save()
