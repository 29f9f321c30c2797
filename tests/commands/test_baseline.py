"""``np2tnp baseline`` and ``check --changed-since``: only what is new is told, however known code was moved."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command_line import check_json, run

from np2tnp.files.fingerprints import fingerprints
from np2tnp.migration.baselines import Entry
from np2tnp.model import Finding, Span, Verdict

BLOCKED = """\
import numpy as np


def stuck(x):
    return np.sort(x).astype(np.longdouble)


def free(x):
    return np.exp(x)
"""
NEW = "\n\ndef fresh(x):\n    return np.cos(x).astype(np.longdouble)\n"

_LAID_OUT = """(
        np.sort(
            x,
        )  # sorted
        .astype(np.longdouble)
    )"""
#: The same function otherwise: moved, indented, laid out, commented.
MOVED = {
    "below": BLOCKED.replace("import numpy as np\n", "import numpy as np\n\n\nLIMIT = 3\n"),
    "indented": """\
import numpy as np


class Box:
    def stuck(self, x):
        return np.sort(x).astype(np.longdouble)
""",
    "laid out": BLOCKED.replace("np.sort(x).astype(np.longdouble)", _LAID_OUT),
    "guarded": BLOCKED.replace("    return np.sort", "    if x.ndim:\n        print('é', 1)\n    return np.sort"),
}


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "np2tnp.toml").write_text("cache = false\n")
    (tmp_path / "a.py").write_text(BLOCKED)
    (tmp_path / "b.py").write_text(BLOCKED.replace("stuck", "other"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def decided(capfd, *words: str) -> tuple[int, set[str]]:
    status, document = check_json(capfd, *words)
    return status, {f"{item['path']}::{item['region']}" for item in document["findings"] if item["decides"]}


def entries(project: Path) -> list[tuple[str, str]]:
    document = json.loads((project / "np2tnp-baseline.json").read_text())
    return [(item["path"], item["function"]) for item in document["entries"]]


def known(project: Path, capfd, way: str) -> tuple[str, ...]:
    """What makes `check` tell of what is new only."""
    if way == "baseline":
        assert run(capfd, "baseline", "create")[0] == 0
        return ()
    return ("--changed-since", "HEAD")


@pytest.mark.parametrize("way", ["baseline", "changed-since"])
@pytest.mark.parametrize("how", MOVED)
def test_known_code_may_be_moved(project, capfd, way, how):
    assert decided(capfd, ".") == (1, {"a.py::stuck", "b.py::other"})
    words = known(project, capfd, way)
    assert decided(capfd, ".", *words) == (0, set())
    (project / "a.py").write_text(MOVED[how])
    assert decided(capfd, ".", *words) == (0, set())
    (project / "a.py").write_text(MOVED[how] + NEW)
    assert decided(capfd, ".", *words) == (1, {"a.py::fresh"})
    assert decided(capfd, "b.py", *words) == (0, set())  # alone, as a hook may name it


@pytest.mark.parametrize("way", ["baseline", "changed-since"])
def test_known_code_may_move_to_another_file(project, capfd, way):
    words = known(project, capfd, way)
    (project / "a.py").rename(project / "c.py")
    assert decided(capfd, ".", *words) == (0, set())
    (project / "c.py").unlink()
    (project / "b.py").write_text((project / "b.py").read_text() + BLOCKED)
    assert decided(capfd, "b.py", *words) == (0, set())


@pytest.mark.parametrize("way", ["baseline", "changed-since"])
def test_a_copy_is_new(project, capfd, way):
    words = known(project, capfd, way)
    (project / "c.py").write_text(BLOCKED)
    assert decided(capfd, ".", *words) == (1, {"c.py::stuck"})
    assert decided(capfd, "c.py", *words) == (1, {"c.py::stuck"})  # a.py, which is not looked at, has it still
    twice = "    if x.ndim > 1:\n        return np.sort(x).astype(np.longdouble)\n    return np.sort"
    (project / "c.py").write_text("")
    (project / "a.py").write_text(BLOCKED.replace("    return np.sort", twice))
    document = check_json(capfd, "a.py", *words)[1]
    assert [item["lines"] for item in document["findings"] if item["verdict"] == "block"] == [[7]]


def test_what_is_known_is_said_to_be_hidden(project, capfd):
    run(capfd, "baseline", "create")
    _, out, _ = run(capfd, "check", ".")
    assert "2 findings known from np2tnp-baseline.json not shown" in out
    assert "Hidden:" not in out  # by options or comments: it is said once, and what is true
    assert "All clear" not in out
    assert "by options or comments" not in run(capfd, "check", ".", "--output-format", "concise")[1]
    (project / "b.py").write_text("import numpy as np\n")
    _, out, _ = run(capfd, "check", ".")
    assert "np2tnp-baseline.json: 1 entry matches nothing any more (np2tnp baseline update)" in out


def test_updates_only_shrink(project, capfd):
    status, out, _ = run(capfd, "baseline", "create")
    assert (status, out) == (0, "wrote np2tnp-baseline.json: 2 entries\n")
    (project / "a.py").write_text(MOVED["below"] + NEW)
    (project / "b.py").write_text("import numpy as np\n")
    status, out, _ = run(capfd, "baseline", "update", "a.py")
    assert (status, out) == (0, "wrote np2tnp-baseline.json: 2 entries, as many as before\n")  # b.py was not looked at
    document = json.loads((project / "np2tnp-baseline.json").read_text())
    assert [item["line"] for item in document["entries"]] == [8, 5]
    assert run(capfd, "baseline", "update")[0] == 0
    assert entries(project) == [("a.py", "stuck")]
    assert decided(capfd, ".") == (1, {"a.py::fresh"})


def test_prune_forgets_files_that_are_no_more(project, capfd):
    run(capfd, "baseline", "create")
    (project / "b.py").unlink()
    status, out, _ = run(capfd, "baseline", "prune")
    assert (status, out) == (0, "wrote np2tnp-baseline.json: 1 entry, 2 before\n")
    assert entries(project) == [("a.py", "stuck")]


def test_what_is_blocked_behind_something_else_is_known_too(project, capfd):
    text = (
        "import numpy as np\n\n\ndef f(x):\n    y = x.astype(np.longdouble)\n    return np.sort(x).astype(object), y\n"
    )
    (project / "a.py").write_text(text)
    run(capfd, "baseline", "create")
    (project / "a.py").write_text(text.replace("x.astype(np.longdouble)", "x + 1"))
    assert decided(capfd, "a.py") == (0, set())


def test_the_file_may_be_named(project, capfd):
    (project / "sub").mkdir()
    assert run(capfd, "baseline", "create", "--baseline", "sub/known.json", "a.py")[0] == 0
    assert decided(capfd, ".") == (1, {"a.py::stuck", "b.py::other"})
    assert decided(capfd, ".", "--baseline", "sub/known.json") == (1, {"b.py::other"})
    (project / "np2tnp.toml").write_text('cache = false\nbaseline = "sub/known.json"\n')
    assert decided(capfd, ".") == (1, {"b.py::other"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a baseline of np2tnp"),
        ('{"schema": 2, "entries": []}', "written by another version (schema 2)"),
        ('{"schema": 1, "entries": [{"path": "a.py"}]}', "an entry is broken"),
        ('{"schema": 1, "entries": [7]}', "an entry is broken"),
        (
            json.dumps({"schema": 1, "entries": [{**dict.fromkeys(Entry.__slots__, ""), "line": "1"}]}),
            "an entry is broken",
        ),
    ],
)
def test_broken_baselines_are_one_line(project, capfd, text, words):
    (project / "np2tnp-baseline.json").write_text(text)
    for command in (("check", "."), ("baseline", "update"), ("baseline", "prune")):
        status, out, err = run(capfd, *command)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert words in err
    assert (project / "np2tnp-baseline.json").read_text() == text


def test_baselines_that_are_there_or_not(project, capfd):
    for command in (("baseline", "update"), ("check", "--baseline", "nowhere.json"), ("baseline", "keep")):
        status, out, err = run(capfd, *command)
        assert (status, out, err.count("\n")) == (2, "", 1), err
    run(capfd, "baseline", "create")
    before = (project / "np2tnp-baseline.json").read_text()
    (project / "a.py").write_text("import numpy as np\n")
    assert run(capfd, "baseline", "create")[0] == 2
    assert (project / "np2tnp-baseline.json").read_text() == before


@pytest.mark.parametrize("rev", ["nowhere", "--output=x", "HEAD:a.py", ""])
def test_unknown_revisions_are_one_line(project, capfd, rev):
    status, out, err = run(capfd, "check", f"--changed-since={rev}", ".")
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert "no such revision" in err
    assert not (project / "x").exists()


def test_outside_of_a_repository(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "a.py").write_text(BLOCKED)
    status, out, err = run(capfd, "check", "--changed-since", "HEAD", ".")
    assert (status, out) == (2, "")
    assert err == "np2tnp: --changed-since: not in a git repository\n"


def test_only_changed_files_are_looked_at(project, capfd):
    (project / "b.py").write_text((project / "b.py").read_text() + NEW)
    status, document = check_json(capfd, ".", "--changed-since", "HEAD")
    assert status == 1
    assert [item["path"] for item in document["files"]] == ["b.py"]
    git(project, "commit", "-qam", "more")
    assert check_json(capfd, ".", "--changed-since", "HEAD~1")[0] == 1
    status, _, err = run(capfd, "check", ".", "--changed-since", "HEAD")
    assert status == 0
    assert "no file changed since HEAD" in err


def finding(line: int, column: int, end_line: int, end_column: int) -> Finding:
    return Finding("a.py", Span(line, column, end_line, end_column), "TNP101", "", Verdict.BLOCK, region="A.f")


def test_fingerprints_are_of_the_code_that_is_pointed_at():
    def of(text: str, *span: int) -> str:
        return fingerprints(text, [finding(*span)])[0]

    plain = of("y = f(x, 'a')\n", 1, 5, 1, 14)
    assert plain == of('if 1:\n    é = 2; y = f(\n        x,\n        "a",\n    )\n', 2, 16, 5, 6)
    assert plain != of("y = f(x, 'b')\n", 1, 5, 1, 14)
    assert plain != of("y = g(x, 'a')\n", 1, 5, 1, 14)
    head = of("for i in r:\n    a[i] = 1\n", 1, 1, 2, 13)
    assert head == of("for i in r:\n    b[i] = 2\n", 1, 1, 2, 13)  # a finding about a loop is about its head
    assert head != of("for j in r:\n    a[i] = 1\n", 1, 1, 2, 13)
    assert of("print 1\n", 1, 1, 1, 8) == of("print   1\n", 1, 1, 1, 10)  # no code of this Python
