"""Whatever is in the files: a message that names file and place, and all other files still done."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from np2tnp import cli, executors, pipeline
from np2tnp.cli import main
from np2tnp.config import CHOICES, Config
from np2tnp.model import FileReport

GOOD = "import numpy as np\n\n\ndef f(x):\n    x[0] = np.sum(x)\n    return x\n"

#: file → (bytes, code, line, words of the message)
BAD: dict[str, tuple[bytes, str, int, str]] = {
    "syntax.py": (b"import numpy as np\n\ndef f(:\n    pass\n", "TNP901", 3, "syntax error"),
    "syntax_without_numpy.py": (b"x = 1\ny = (2,\n", "TNP901", 2, "syntax error"),
    "unclosed.py": (b"import numpy\nx = '''\n", "TNP901", 2, "syntax error"),
    "bytes.py": (b"import numpy\nx = '\xff'\n", "TNP902", 2, "0xff"),
    "cookie.py": (b"# coding: nonsense\nimport numpy\n", "TNP902", 1, "nonsense"),
    "null.py": (b"import numpy\0\n", "TNP902", 1, "null"),
    "utf16.py": ("import numpy\n".encode("utf-16"), "TNP902", 1, ""),
    "old_print.py": (b"import numpy\nprint 'x'\n", "TNP903", 2, "Python 2"),
    "old_except.py": (b"import numpy\ntry:\n    pass\nexcept ValueError, e:\n    pass\n", "TNP903", 4, "Python 2"),
    "old_without_numpy.py": (b"print 'x'\n", "TNP903", 1, "Python 2"),
    "deep.py": (b"import numpy\nx = " + b"(" * 5_000 + b")" * 5_000 + b"\n", "TNP905", 2, "deep"),
    "chain.py": (b"import numpy\nx = " + b"a+" * 20_000 + b"a\n", "TNP905", 2, "linked"),
    "large.py": (b"import numpy\nx = '" + b"a" * 5_000_000 + b"'\n", "TNP905", 1, "MB"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, (data, *_) in BAD.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "empty.py").write_text("")
    return tmp_path


def check(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    status = main(["check", "--no-cache", "--output-format", "json", *arguments])
    document: dict[str, Any] = json.loads(capfd.readouterr().out)
    return status, document


def test_every_bad_file_is_named_and_the_good_one_done(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, document = check(capfd, ".")
    assert status == 2
    errors = {item["path"]: item for item in document["findings"] if item["code"].startswith("TNP90")}
    assert set(errors) == set(BAD)
    for name, (_, code, line, words) in BAD.items():
        assert (errors[name]["code"], errors[name]["line"]) == (code, line), name
        assert words in errors[name]["message"], name
        assert "\n" not in errors[name]["message"]
    assert any(item["path"] == "good.py" and item["code"] == "TNP101" for item in document["findings"])
    assert document["summary"]["errors"] == len(BAD)
    assert document["summary"]["files"] == len(BAD) + 2


def test_rewrite_does_the_good_file_and_leaves_the_bad(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "--apply", "."]) == 2
    err = capfd.readouterr().err
    for name, (data, code, line, _) in BAD.items():
        assert (project / name).read_bytes() == data
        assert f"{name}:{line}:" in err
        assert code in err
    assert (project / "good.py").read_text() != GOOD
    assert sorted(os.listdir(project)) == sorted([*BAD, "good.py", "empty.py"])


def test_paths_that_are_not_there(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, document = check(capfd, "missing.py", "good.py", "missing/dir")
    assert status == 2
    missing = [item["path"] for item in document["findings"] if item["code"] == "TNP904"]
    assert missing == ["missing.py", "missing/dir"]
    assert any(item["path"] == "good.py" for item in document["findings"])


@pytest.mark.parametrize("command", [("check",), ("check", "--output-format", "json"), ("rewrite",)])
def test_nothing_that_is_there_is_one_line(
    command: tuple[str, ...], project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "missing.py", "missing/dir"]) == 2
    assert capfd.readouterr() == ("", "np2tnp: missing.py, missing/dir: no such file or directory\n")


def test_a_directory_without_python_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("")
    assert main(["check", str(tmp_path)]) == 0
    out = capfd.readouterr().out
    assert f"{tmp_path}: no Python files in this directory" in out
    assert "All clear" not in out


def test_empty_files_are_fine(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, document = check(capfd, "empty.py")
    assert (status, document["findings"]) == (0, [])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read anything")
def test_a_file_that_may_not_be_read(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "good.py").chmod(0)
    status, document = check(capfd, "good.py", "empty.py")
    assert status == 2
    assert [(item["path"], item["code"]) for item in document["findings"]] == [("good.py", "TNP904")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.py")
    status, document = check(capfd, "pipe.py", "empty.py")
    assert (status, [(item["path"], item["code"]) for item in document["findings"]]) == (2, [("pipe.py", "TNP904")])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GOOD.replace("\n", "\r"), 6),
        (GOOD.replace("def", "\fdef"), 4),
        (GOOD + "\nf'{1!s }'\n", 8),
    ],
    ids=["lone CR", "form feed", "conversion"],
)
def test_what_rewriting_would_lose_is_not_called_convertible(text: str, line: int) -> None:
    for rewrite in (False, True):
        report = pipeline.analyse_bytes(Config(rewrite=rewrite, slow="convert"), ("f.py", text.encode()))
        assert report.error is not None
        assert report.new_text is None
        assert [item.span.line for item in report.findings if item.code == "TNP905"] == [line]
        assert not any(item.fixable for item in report.findings)
        totals = pipeline.summarize([report])
        assert (totals.regions["convertible"], totals.regions["blocked"]) == (0, 1)
        assert (totals.calls_convertible, totals.errors) == (0, 1)


def test_a_bug_outside_of_the_files_is_no_finding(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(pipeline, "check", fail)
    assert main(["check", "good.py"]) == 2
    error = capfd.readouterr().err
    assert "KeyError: 'lost'" in error
    assert error.splitlines()[-1].startswith("np2tnp: this is a bug in np2tnp")


def test_a_file_that_changes_meanwhile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor saves while np2tnp works: the editor wins, and the run goes on."""
    (project / "other.py").write_text(GOOD)
    analyse = pipeline.analyse_bytes

    def analyse_and_edit(config: Config, item: tuple[str, bytes], analyst: pipeline.Analyst) -> FileReport:
        report = analyse(config, item, analyst)
        if item[0] == "good.py":
            (project / "good.py").write_text("edited = True\n")
        return report

    monkeypatch.setattr(pipeline, "analyse_bytes", analyse_and_edit)
    run = pipeline.rewrite(["good.py", "other.py"], Config(root=str(project), jobs=1), apply=True)
    codes = {report.path: [item.code for item in report.findings if item.code == "TNP908"] for report in run.reports}
    assert codes == {"good.py": ["TNP908"], "other.py": []}
    assert run.summary.errors == 1
    assert (project / "good.py").read_text() == "edited = True\n"
    assert (project / "other.py").read_text() != GOOD


def test_a_bug_of_ours_is_one_finding(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import np2tnp.engine

    def fail(source: object, config: object, project: object) -> FileReport:
        raise KeyError("lost")

    monkeypatch.setattr(np2tnp.engine, "analyze", fail)
    report = pipeline.analyse_bytes(Config(), ("good.py", GOOD.encode()))
    assert [item.code for item in report.findings] == ["TNP906"]
    assert "KeyError" in report.findings[0].message


def visit(item: int) -> int:
    if item == 3:
        os._exit(9)
    if item == 5:  # not even interrupted: no step of Python's is taken
        re.match("(a*)*b", "a" * 60)
    return item * item


def test_a_worker_that_dies_or_works_on_for_ever_costs_one_item() -> None:
    results = dict(executors.map_in_processes(visit, range(8), 2, 2.0, sys.path))
    assert set(results) == set(range(8))
    for item, result in results.items():
        if item in (3, 5):
            assert isinstance(result, executors.Lost)
        else:
            assert result == item * item
    assert "died" in results[3].reason  # type: ignore[union-attr]
    assert results[5] == executors.Lost("took more than 2 seconds of processor time", True)


def test_a_worker_that_waits_for_ever_costs_one_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_PATIENCE", 2)
    results = dict(executors.map_in_processes(time.sleep, [0.0, 1000.0, 0.0], 2, 5.0, sys.path))
    assert results == {0: None, 1: executors.Lost("took more than 10 seconds", True), 2: None}


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_takes_too_long_is_one_finding(project: Path, jobs: int) -> None:
    """A chain of views, of which each may show all others; in this process, too, and without a word about bugs."""
    views = "".join(f"    v{number + 1} = v{number}[1:]\n" for number in range(1900))
    (project / "views.py").write_text(f"import numpy as np\n\n\ndef f(v0):\n{views}    v9[0] = 1\n    return v1900\n")
    paths = ["views.py", "good.py", "empty.py"]
    run = pipeline.check(paths, Config(root=str(project), jobs=jobs, file_timeout=1, cache=False))
    found = {report.path: [(item.code, item.message) for item in report.findings] for report in run.reports}
    words = "takes more than 1 seconds of processor time: not looked at to its end"
    words += "; split the module, or give it more (--config file-timeout=60)"
    assert found.pop("views.py") == [("TNP905", words)]
    alone = pipeline.check(paths[1:], Config(root=str(project), jobs=1, cache=False))
    assert found == {report.path: [(item.code, item.message) for item in report.findings] for report in alone.reports}


def test_names_that_may_all_show_the_same_array() -> None:
    views = "".join(f"    v{number + 1} = v{number}[1:]\n" for number in range(3000))
    text = f"import numpy as np\n\n\ndef f(v0):\n{views}    v9[0] = 1\n    return v3000\n"
    report = pipeline.analyse_bytes(Config(file_timeout=0), ("f.py", text.encode()))
    assert [(item.code, item.message) for item in report.findings] == [
        ("TNP905", "has a function in which more than 2,000 names may show the same array")
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupting_leaves_no_trace(project: Path) -> None:
    program = (
        "import sys, os, signal\nfrom np2tnp import pipeline\nfrom np2tnp.cli import main\n"
        "def interrupt(*_, **__):\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "pipeline.plan = interrupt\nsys.exit(main(['rewrite', '--apply', '.']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "np2tnp: interrupted: no file was changed\n")


def test_interrupting_while_a_class_is_made_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an import does; Python before 3.12 raises RuntimeError there."""

    class Field:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_main", lambda _: type("Node", (), {"field": Field()}))
    assert cli.main([]) == 130
    assert capsys.readouterr().err == "np2tnp: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupting_between_two_files_leaves_none_behind(project: Path) -> None:
    for name in ("one.py", "two.py"):
        (project / name).write_text("import numpy as np\n\n\ndef f(x: np.ndarray):\n    return np.sin(x) + 1\n")
    program = (
        "import sys, os, signal\nfrom np2tnp.migration import journal\nfrom np2tnp.cli import main\n"
        "write = journal.replace_file\n"
        "def interrupted(*args):\n    os.kill(os.getpid(), signal.SIGINT)\n    return write(*args)\n"
        "journal.replace_file = interrupted\nsys.exit(main(['rewrite', '--apply', 'one.py', 'two.py']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 files rewritten" in done.stderr
    assert all("rt.migrated" in (project / name).read_text() for name in ("one.py", "two.py"))


PIECES = st.sampled_from(
    [
        *(
            "import numpy as np\n",
            "np",
            "sum",
            "def f(x):",
            "for i in x:",
            "lambda",
            "return",
            "if",
            "else",
            "class A:",
        ),
        *(".", "(", ")", "[", "]", "x", " ", "\n", "    ", "=", "+=", ":", ",", "1", "'", '"', '"""', "f'{", "}", "#"),
        *("\\", "*", "@", "\r", "\t", "\f", "é"),
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=40))
def test_any_text_gives_a_report(pieces: list[str]) -> None:
    text = "import numpy as np\n" + "".join(pieces)
    report = pipeline.analyse_bytes(Config(rewrite=True), ("f.py", text.encode()))
    assert not [item for item in report.findings if item.code in ("TNP906", "TNP907")], report.findings


@pytest.mark.parametrize("rewrite", [False, True])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("return f(1.0)", "'return' outside function"),
        ("def g(x, x): pass", "duplicate argument 'x'"),
        (r"name = '\N{no such}'", "unicode error"),
        ("(x): int = 3", "the parser of np2tnp does not"),
        ("(f.x): int = 3", "the parser of np2tnp does not"),
    ],
)
def test_text_that_a_parser_takes_and_another_does_not(rewrite: bool, code: str, words: str) -> None:
    text = f"import numpy as np\n\n\ndef f(x):\n    return np.exp(x)\n\n\n{code}\n"
    report = pipeline.analyse_bytes(Config(rewrite=rewrite, slow="convert"), ("f.py", text.encode()))
    assert [(finding.code, finding.span.line) for finding in report.findings] == [("TNP901", 8)]
    assert words in (report.error or "")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="only a newer Python than the one that runs this shows it")
def test_a_newer_python_is_rewritten_as_it_is_checked() -> None:
    text = "import numpy as np\n\ntype Number = float\n\n\ndef f(x):\n    return np.exp(x)\n"
    for rewrite in (False, True):
        report = pipeline.analyse_bytes(Config(rewrite=rewrite, slow="convert"), ("f.py", text.encode()))
        assert (report.error, report.regions[-1].state.value) == (None, "convertible")
        assert (report.new_text is not None) is rewrite


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")
def test_a_name_that_is_no_utf8_hinders_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("good.py", "latin_\udce9.py"):
        Path(name).write_text("import other\n" + GOOD)
    assert main(["rewrite", "--apply", "."]) == 0
    assert main(["rewrite", "."]) == 0  # the cache asks for the names in the directory
    assert capfd.readouterr().out.count("rewrote") == 2
    assert main(["check", ".", "--output-file", "report.txt"]) == main(["check", "."]) == 0


HANDLERS = """
def g(x):
    try:
        return np.exp(x)
    except ValueError :
        return np.log(x)


try:
    pass
except  E  :
    pass
except(A ,B) :  # why: this
    pass
except ( ( A ) )\t:
    pass
except (A,
        B) as error :
    pass
except A: pass
try:
    pass
except* A  :
    pass
"""


def test_blanks_behind_the_classes_of_handlers_stay() -> None:
    text = GOOD + HANDLERS
    report = pipeline.analyse_bytes(Config(rewrite=True, slow="convert"), ("f.py", text.encode()))
    assert report.error is None
    assert report.new_text is not None
    assert "@rt.migrated" in report.new_text
    assert HANDLERS[HANDLERS.index("\n\ntry") :] in report.new_text


@pytest.mark.parametrize(
    "line",
    ["np." * 50_000, "patch(" * 50_000, "setattr(a, " * 30_000, "del np, " * 10_000, "np.a, " * 20_000],
    ids=range(5),
)
def test_long_lines_take_no_time(line: str) -> None:
    """No pattern starts over at each word of a line: that cannot be interrupted, and takes minutes here."""
    text = f"import numpy as np\n\nx = 1  # {line}\ny = np.sin(x)\n"
    report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
    assert report.uses_numpy
    assert report.error is None


# --- what users give by mistake: one clear line, and exit status 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("select = 5", "expected a list of codes such as TNP101 or TNP1, got 5"),
        ("ignore = 1979-05-27", "expected a list of codes"),
        ("exclude = 1979-05-27T07:32:00Z", "expected a list of texts"),
        ("per_file_ignores = {'a.py' = 5}", "expected a list of codes"),
        ("extend_exclude = {a = 1}", "expected a list of texts"),
        ("file_timeout = 07:32:00", "expected a whole number"),
        ("jobs = " + "9" * 400, "expected a whole number"),
        ("jobs = " + "9" * 5000, "not valid TOML"),
        ("select = " + "[" * 100_000, "not valid TOML"),
        ("x = " + "{a = " * 100_000, "not valid TOML"),
        ("slow = 'fast'", "unknown value `fast`"),
    ],
    ids=range(11),
)
def test_configurations_that_cannot_be_followed(
    project: Path, capfd: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (project / "np2tnp.toml").write_text(text)
    assert main(["check", "."]) == 2
    err = capfd.readouterr().err
    assert words in err
    assert err.startswith("np2tnp: ")
    assert err.count("\n") == 1
    assert len(err) < 400


DEEP = "[" * 200_000
RESULT = {"schema": 1, "complete": True}


@pytest.mark.parametrize(
    "text",
    [
        *(DEEP, DEEP.replace("[", '{"a":'), '{"schema": ' + "9" * 5000 + "}", "\x00", "[]", "5"),
        *(json.dumps({**RESULT, "functions": it}) for it in ([5], [[]], [{"decision": 5}], [None], {}, "f")),
        json.dumps({**RESULT, "functions": [], "hot": 5, "companions": 5}),
        json.dumps({**RESULT, "functions": [{"decision": {}, "original": {"sha256": 5}, "migrated": [5]}]}),
    ],
    ids=range(14),
)
def test_result_files_that_are_none(project: Path, capfd: pytest.CaptureFixture[str], text: str) -> None:
    (project / "r.json").write_text(text)
    for command in (["rewrite", "--confirmed", "r.json", "good.py"], ["report", "--profile", "r.json"]):
        assert main(command) == 2, command
        err = capfd.readouterr().err
        assert err.startswith("np2tnp: ")
        assert "bug" not in err
        assert err.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there are no devices here")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_has_no_end_is_not_read(project: Path, capfd: pytest.CaptureFixture[str], kind: str) -> None:
    def make(name: str) -> None:
        if kind == "pipe":
            os.mkfifo(project / name)
        else:
            (project / name).symlink_to("/dev/zero")

    make("endless")
    for command in (
        ["rewrite", "--confirmed", "endless", "good.py"],
        ["report", "--profile", "endless"],
        ["report", "--verify", "endless"],
        ["check", "--config", "endless", "good.py"],
    ):
        assert main(command) == 2, command
        assert "not a regular file" in capfd.readouterr().err
    for name in (".gitignore", "endless.py", "np2tnp.toml", "notebook.ipynb"):
        make(name)
    status, document = check(capfd, "good.py", "endless.py", "--top-level")
    assert status == 2
    errors = [item for item in document["findings"] if item["code"].startswith("TNP90")]
    assert [(item["path"], item["message"]) for item in errors] == [("endless.py", "is not a regular file")]
    for name in BAD:
        (project / name).unlink()
    status, document = check(capfd, ".")
    assert {item["path"] for item in document["findings"]} == {"good.py"}


def test_an_integer_of_thousands_of_digits(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "digits.py").write_text(f"import numpy as np\nx = {'9' * 5000}\ny = np.sin(1)\n")
    status, document = check(capfd, "digits.py")
    if hasattr(sys, "get_int_max_str_digits"):
        assert status == 2
        assert [(item["code"], item["line"]) for item in document["findings"]] == [("TNP901", 2)]
        assert "Exceeds the limit" in document["findings"][0]["message"]
    else:
        assert status == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_that_vanishes_meanwhile(tmp_path: Path, jobs: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(4):
        (folder / f"f{number}.py").write_text(GOOD)

    def vanish(done: int, total: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    config = Config(root=str(tmp_path), jobs=jobs, slow="convert")
    run = pipeline.check([str(folder)], config, progress=vanish)
    assert len(run.reports) == 4
    assert not any(item.code == "TNP906" for report in run.reports for item in report.findings)
    folder.mkdir()
    (folder / "f0.py").write_text(GOOD)
    made = pipeline.plan(pipeline.read([str(folder)], config), config)
    assert len(made.new) == 1
    shutil.rmtree(folder)
    written = pipeline.write(made, config)
    assert "TNP904" in [item.code for report in written.reports for item in report.findings]


@pytest.mark.skipif(os.name != "posix", reason="the current directory cannot be removed there")
def test_a_current_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = (
        f"import os, sys\nos.chdir({str(gone)!r})\nos.rmdir({str(gone)!r})\n"
        "from np2tnp.cli import main\nsys.exit(main(['check', 'f.py']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "np2tnp: the current directory is not there any more\n")


# --- what terminals obey


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there are no such names")
def test_no_control_character_reaches_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of the names of files: they hide lines, write into the clipboard, or turn the order of letters."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    colours = re.compile(r"\x1b\[[0-9;]*m")
    name = "a\x1b]0;owned\x07\x1b[2K\x9b1A\u202egnp\n.py"
    Path(name).write_text(GOOD)
    Path("broken" + name).write_text("import numpy\nx = (\n")
    Path("folder\x1b[1A").mkdir()
    commands = [["check", "--no-cache", "--output-format", it, "."] for it in CHOICES["output_format"]]
    commands += [["check", "--statistics", "."], ["rewrite", "."], ["rewrite", "--check", "-v", "."]]
    commands += [["check", name + "missing"], ["check", "folder\x1b[1A"], ["report", "."], ["check", "--config", name]]
    commands += [["rewrite", "--apply", "--backup", "."]]
    for command in commands:
        main(command)
        out, err = capfd.readouterr()
        text = colours.sub("", out + err)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), (command, text)
    page = Path("np2tnp-report.html").read_text()
    assert "owned" in page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", page)
