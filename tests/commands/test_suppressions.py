"""Comments for np2tnp in real runs: ``check --add-ignore``, names of rules, ``keep``, what ``rewrite`` takes out."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from command_line import check_json, run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "np2tnp.toml").write_text("cache = false\n")
    return tmp_path


NEEDLESS = """\
import numpy as np


def update(x, y: np.ndarray):
    # np2tnp: ignore[in-place-operator]
    x += 1.0
    x[0] = 1.0  # np2tnp: ignore[array-store] why
    x[1] = 1.0  # noqa: E501, TNP101
    x[2] = 1.0  # noqa: TNP101
    x[3] = 1.0  # type: ignore  # np2tnp: ignore  # more
    return np.sin(y)  # np2tnp: ignore[TNP001, TNP7]


def span(x: np.ndarray):
    # np2tnp: disable[TNP001, TNP2]
    return np.cos(x)
    # np2tnp: enable


def stuck(x):
    return np.sort(x).astype(np.longdouble)  # np2tnp: ignore[extended-precision] kept
"""


def test_rewrite_takes_out_comments_that_nothing_needs_any_more(project, capfd):
    (project / "a.py").write_text(NEEDLESS)
    before = {item["code"] for item in check_json(capfd, "a.py", "-v")[1]["findings"] if item["code"] == "TNP991"}
    assert run(capfd, "rewrite", "--apply", "a.py")[0] == 0
    text = (project / "a.py").read_text()
    body, _, originals = text.partition("# NumPy originals")
    assert originals.count("x[0] = 1.0\n") == 1
    for part in (body, originals):
        assert "array-store" not in part
        assert "in-place-operator" not in part
        assert "TNP101" not in part
        assert part.count("# noqa: E501\n") == 1
        assert part.count("# type: ignore  # more\n") == 1
        assert part.count("# np2tnp: ignore[TNP7]\n") == 1  # needless before, too: it is the user's to take out
        assert part.count("# np2tnp: disable[TNP2]\n") == 1
        assert part.count("# np2tnp: enable\n") == 1
    assert "  # np2tnp: ignore[extended-precision] kept\n" in body
    after = {item["code"] for item in check_json(capfd, "a.py", "-v")[1]["findings"] if item["code"] == "TNP991"}
    assert after == before == {"TNP991"}


def test_a_range_goes_with_its_end(project, capfd):
    text = NEEDLESS.replace(", TNP2]", "]").replace("    # np2tnp: enable\n", "    # np2tnp: enable[TNP001]  # pause\n")
    (project / "a.py").write_text(text)
    run(capfd, "rewrite", "--apply", "a.py")
    text = (project / "a.py").read_text()
    assert "disable" not in text
    assert "enable" not in text
    assert text.count("    # pause\n") == 2


KEPT = """\
import functools

import numpy as np


def plain(x):
    return np.exp(x)


def header(
    x,  # np2tnp: keep the reference
):
    return np.exp(x)


# np2tnp: keep
# (the reference)
@functools.cache
def above(x):
    def inner(y):
        return np.exp(y)

    return inner(x)


def outer(x):
    def inner(y):  # np2tnp: keep
        return np.exp(y)

    return inner(x)


class Box:
    def free(self, x):
        return np.exp(x)

    def method(self, x):  # np2tnp: keep
        return np.exp(x)


class Whole:  # np2tnp: keep
    def first(self, x):
        return np.exp(x)

    def second(self, x):
        return self.first(np.cos(x))


if True:

    def conditional(x):  # np2tnp: keep
        return np.exp(x)


def last(x):
    return plain(x) + header(x)
"""


def test_functions_that_are_to_be_kept_stay(project, capfd):
    (project / "a.py").write_text(KEPT)
    document = check_json(capfd, "a.py")[1]
    states = {item["qualname"]: item["state"] for item in document["files"][0]["regions"]}
    kept = {"header", "above", "outer", "Box.method", "Whole.first", "Whole.second", "conditional"}
    assert {name for name, state in states.items() if state == "kept" and name != "<module>"} >= kept
    assert {name for name, state in states.items() if state == "convertible"} == {"plain", "Box.free", "last"}
    assert "TNP991" not in {item["code"] for item in document["findings"]}
    assert run(capfd, "rewrite", "--apply", "a.py")[0] == 0
    before, after = ast.parse(KEPT), ast.parse((project / "a.py").read_text())
    for name in ("header", "above", "outer", "Whole"):
        old, new = (next(it for it in tree.body if getattr(it, "name", "") == name) for tree in (before, after))
        assert ast.dump(old) == ast.dump(new)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # np2tnp: keep\n",
        "def f(x):\n    y = x  # np2tnp: keep\n    return y\n",
        "# np2tnp: keep\n\ndef f(x):\n    return x\n",
    ],
)
def test_a_keep_that_stands_on_nothing_is_said(project, capfd, text):
    (project / "a.py").write_text(f"import numpy as np\n\n\n{text}")
    (item,) = check_json(capfd, "a.py")[1]["findings"]
    assert (item["code"], item["message"]) == ("TNP991", "`keep` stands on no function")


STUCK = """\
import numpy as np


def stuck(x):
    y = x.astype(np.longdouble)  # fine
    return np.sort(
        x
    ).astype(np.longdouble), y


def known(x):
    return np.cos(x).astype(np.longdouble)  # np2tnp: ignore[TNP7] why


def free(x):
    return np.exp(x)
"""


def test_comments_are_added_for_what_is_shown(project, capfd):
    (project / "a.py").write_bytes(STUCK.replace("\n", "\r\n").encode())
    assert check_json(capfd, "a.py")[0] == 1
    status, out, err = run(capfd, "check", "a.py", "--add-ignore", "--ignore-reason", "never on a  GPU")
    assert (status, out) == (0, "a.py: 2 findings hidden by comments\n"), err
    wanted = STUCK.replace("# fine", "# fine  # np2tnp: ignore[TNP305] never on a GPU").replace(
        "[TNP7]", "[TNP7, TNP305]"
    )
    assert (project / "a.py").read_bytes() == wanted.replace("\n", "\r\n").encode()
    assert check_json(capfd, "a.py")[0] == 0
    assert run(capfd, "check", "a.py", "--add-ignore")[:2] == (0, "")


def test_a_line_without_a_place_for_a_comment_is_said(project, capfd):
    text = "import numpy as np\n\n\ndef f(x):\n    return np.sin(x).astype(np.longdouble), \\\n        1\n"
    (project / "a.py").write_text(text)
    status, _, err = run(capfd, "check", "a.py", "--add-ignore")
    assert status == 1
    assert "np2tnp: a.py:5: TNP305: no comment has a place on this line" in err
    assert (project / "a.py").read_text() == text


@pytest.mark.parametrize("name", ["01_relaxation.py", "07_csr.py", "10_kalman.py", "101_simplex.py", "20_life.py"])
def test_added_comments_hide_all_and_change_nothing_else(project, capfd, name):
    shutil.copy(ROOT / "fixtures" / "programs" / name, project / "a.py")
    before = (project / "a.py").read_text()
    select = ("--select", "portability", "--fail-on", "none")
    found = check_json(capfd, "a.py", *select)[1]["findings"]
    assert found
    status, _, err = run(capfd, "check", "a.py", "--add-ignore", *select)
    after = (project / "a.py").read_text()
    assert ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    left = check_json(capfd, "a.py", *select)[1]["findings"]
    assert {item["code"] for item in left} <= {"TNP991"} if status == 0 else "no comment has a place" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ignore-reason", "x", "."), "--ignore-reason belongs to --add-ignore"),
        (("--add-ignore", "-"), "--add-ignore does not work on standard input"),
    ],
)
def test_options_that_do_not_go_together(project, capfd, monkeypatch, words, said):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STUCK.encode())))
    status, out, err = run(capfd, "check", *words)
    assert (status, out) == (2, "")
    assert said in err
