"""Notebooks on the command line: what `check` says of them in every format, and what `rewrite` makes of their files."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import check_json, run

import np2tnp

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "fixtures" / "notebooks"
BLOCKED = "async def stuck(x):\n    return np.exp(x)"
MIGRATES = "def smooth(x):\n    return np.exp(x) + np.sin(x)"


def notebook(*cells: str | dict[str, Any], **members: Any) -> str:
    listed = [
        cell if isinstance(cell, dict) else {"cell_type": "code", "metadata": {}, "source": cell.splitlines(True)}
        for cell in cells
    ]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **members}, indent=1) + "\n"


TEXT = {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}
STUCK = notebook(TEXT, "%matplotlib inline\nimport numpy as np", f"# é\n{BLOCKED}\n", MIGRATES)


@pytest.fixture
def place(project: Path) -> Path:
    for name in ("heat.py", "plain.py"):
        (project / name).unlink()
    (project / "nb.ipynb").write_text(STUCK)
    return project


def json_line(text: str, code: str) -> int:
    """In which line of the file some code stands."""
    return next(number for number, line in enumerate(text.split("\n"), 1) if code in line)


# --- check


@pytest.mark.parametrize("form", ["concise", "grouped", "text"])
def test_places_are_cells_and_lines_of_them(place: Path, capfd: pytest.CaptureFixture[str], form: str) -> None:
    status, out, _ = run(capfd, "check", ".", "--output-format", form)
    assert status == 1
    head = {"concise": "nb.ipynb:cell 3:2:1: TNP403", "grouped": "  cell 3:2:1 TNP403", "text": "  cell 3:2:1 TNP403"}
    assert head[form] in out
    if form == "text":
        assert "| async def stuck(x):\n" in out
        assert re.search(r"^nb.ipynb:cell 3:2 stuck +blocked +TNP403 line 2 ", out, re.MULTILINE)
        assert re.search(r"^nb.ipynb:cell 4:1 smooth +migrates ", out, re.MULTILINE)


def test_json_has_cells(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, document = check_json(capfd, ".")
    assert status == 1
    stuck = next(item for item in document["findings"] if item["decides"])
    assert [stuck[key] for key in ("cell", "line", "column", "end_line", "lines")] == [3, 2, 1, 3, [2]]
    (file,) = document["files"]
    regions = {item["qualname"]: item for item in file["regions"]}
    assert [(regions[name]["cell"], regions[name]["line"]) for name in ("stuck", "smooth")] == [(3, 2), (4, 1)]
    assert regions["stuck"]["reasons"][0].startswith("TNP403 line 2: ")
    assert "cell" not in regions["<module>"]


def test_services_get_lines_of_the_file(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = json_line(STUCK, "async def stuck")
    out = run(capfd, "check", ".", "--output-format", "github")[1]
    assert re.fullmatch(
        rf"::error file=nb.ipynb,line={line},endLine={line + 1},title=TNP403 blocked::.* \(cell 3:2\)\n", out
    )
    document = json.loads(run(capfd, "check", ".", "--output-format", "sarif")[1])
    result = next(it for it in document["runs"][0]["results"] if it["ruleId"] == "TNP403")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": line, "endLine": line + 1}
    (issue,) = json.loads(run(capfd, "check", ".", "--output-format", "gitlab")[1])
    assert issue["location"]["lines"] == {"begin": line, "end": line + 1}
    (diagnostic,) = json.loads(run(capfd, "check", ".", "--output-format", "rdjson")[1])["diagnostics"]
    assert diagnostic["location"]["range"] == {"start": {"line": line}, "end": {"line": line + 1}}
    out = run(capfd, "check", ".", "--output-format", "junit")[1]
    assert "cell 3:2:1: TNP403" in out
    rows = list(csv.DictReader(io.StringIO(run(capfd, "check", ".", "--output-format", "csv")[1])))
    assert [(row["function"], row["cell"], row["line"]) for row in rows if row["cell"]] == [
        ("stuck", "3", "2"), ("smooth", "4", "1"),
    ]  # fmt: skip


def test_what_programs_get(place: Path) -> None:
    report = np2tnp.check("nb.ipynb")
    found = next(item for item in report.findings if item.decides)
    assert (found.cell and found.cell.number, found.span.line, found.place) == (3, 2, "cell 3:2:1")
    assert {(item.function, item.cell, item.line) for item in report.functions if item.cell} == {
        ("stuck", 3, 2), ("smooth", 4, 1),
    }  # fmt: skip


def test_the_cache_says_the_same(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copy(NOTEBOOKS / "julia.ipynb", place)
    first = run(capfd, "check", ".", "-v", "--output-format", "json")
    import os

    for name in ("nb.ipynb", "julia.ipynb"):  # long unchanged
        os.utime(name, (1_000_000_000, 1_000_000_000))
    run(capfd, "check", ".")
    assert (place / ".np2tnp_cache" / "reports.sqlite").exists()
    assert run(capfd, "check", ".", "-v", "--output-format", "json") == first


def test_comments_hide_in_cells(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    hidden = BLOCKED.replace(":\n", ":  # np2tnp: ignore[TNP403]\n", 1)
    (place / "nb.ipynb").write_text(notebook("import numpy as np", hidden, "# np2tnp: ignore[TNP1]\nx = 1"))
    status, document = check_json(capfd, ".")
    assert status == 0
    assert [(it["code"], it["cell"], it["line"]) for it in document["findings"] if it["code"] == "TNP991"] == [
        ("TNP991", 3, 1)
    ]
    (place / "nb.ipynb").write_text(notebook("import numpy as np", "# np2tnp: keep\n" + MIGRATES))
    assert run(capfd, "rewrite", ".")[1] == ""


def test_comments_are_written_into_cells(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    magic = "def listed(x):\n    !echo {x}\n    return np.exp(x)"
    (place / "nb.ipynb").write_text(notebook("import numpy as np", BLOCKED, magic))
    status, out, err = run(capfd, "check", ".", "--add-ignore", "--ignore-reason", "later")
    assert status == 1
    assert "nb.ipynb: 1 finding hidden by comments" in out
    assert "nb.ipynb:cell 3:2: TNP206: no comment has a place on this line" in err
    wanted = BLOCKED.replace(":\n", ":  # np2tnp: ignore[TNP403] later\n", 1)
    assert (place / "nb.ipynb").read_text() == notebook("import numpy as np", wanted, magic)


def test_a_baseline_knows_what_moved(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    magic = "def listed(x):\n    !echo {x}\n    return np.exp(x)"
    (place / "nb.ipynb").write_text(notebook("import numpy as np", BLOCKED, magic))
    assert run(capfd, "baseline", "create")[0] == 0
    assert run(capfd, "check", ".")[0] == 0
    moved = notebook("%autosave 5\n!pwd", "import numpy as np", "x = 1\n" + magic, "# more\n\n" + BLOCKED)
    (place / "nb.ipynb").write_text(moved)
    assert run(capfd, "check", ".")[0] == 0
    (place / "nb.ipynb").write_text(notebook("import numpy as np", BLOCKED, BLOCKED.replace("stuck", "other")))
    status, out, _ = run(capfd, "check", ".", "--output-format", "concise")
    assert status == 1
    assert "cell 3:1:1: TNP403 other" in out
    assert "cell 2" not in out


def test_only_what_is_new_since_a_revision(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def git(*words: str) -> None:
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *names, *words], check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    (place / "nb.ipynb").write_text(notebook("import numpy as np", BLOCKED, BLOCKED.replace("stuck", "other")))
    status, out, _ = run(capfd, "check", ".", "--changed-since", "HEAD", "--output-format", "concise")
    assert status == 1
    assert "cell 3:1:1: TNP403 other" in out
    assert "stuck stays" not in out


def test_which_notebooks_are_looked_at(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copy(NOTEBOOKS / "julia.ipynb", place)
    (place / ".ipynb_checkpoints").mkdir()
    shutil.copy("nb.ipynb", place / ".ipynb_checkpoints" / "nb-checkpoint.ipynb")
    _, document = check_json(capfd, ".")
    assert [item["path"] for item in document["files"]] == ["nb.ipynb"]
    assert document["skipped"] == ["1 notebook runs no Python (julia.ipynb)"]
    out = run(capfd, "check", ".", "--exclude", "nb.ipynb")[1]
    assert "Skipped: nb.ipynb: excluded by options" in out
    assert "Skipped: 1 notebook runs no Python (julia.ipynb)" in out
    assert "All clear" not in out
    assert "1 notebook runs no Python" in run(capfd, "rewrite", ".")[2]


def test_the_hooks_take_notebooks() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert text.count("types_or: [python, jupyter]") == text.count("- id:") == 2


def test_what_arrives_on_standard_input(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stream:
        buffer = io.BytesIO(STUCK.encode())

    monkeypatch.setattr("sys.stdin", Stream)
    status, out, _ = run(capfd, "check", "-", "--stdin-filename", "other.ipynb", "--output-format", "text")
    assert status == 1
    assert "cell 3:2:1 TNP403" in out
    assert "| async def stuck(x):\n" in out


# --- rewrite


def test_the_diff_is_one_that_git_applies(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "rewrite", ".")
    assert status == 0
    done = subprocess.run(["git", "apply", "-"], input=out, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    by_diff = (place / "nb.ipynb").read_text()
    (place / "nb.ipynb").write_text(STUCK)
    assert run(capfd, "rewrite", "--apply", ".")[0] == 0
    assert (place / "nb.ipynb").read_text() == by_diff
    assert run(capfd, "rewrite", "--check", ".")[0] == 0
    out = run(capfd, "check", ".")[1]
    assert re.search(r"smooth +migrated ", out)


def test_the_import_and_the_original_stand_in_their_cells(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, "rewrite", "--apply", ".")
    cells = ["".join(cell["source"]) for cell in json.loads((place / "nb.ipynb").read_text())["cells"]]
    assert cells[1] == (
        "%matplotlib inline\nimport numpy as np\nfrom np2tnp import runtime as rt\nfrom np2tnp.runtime import tnp"
    )
    assert cells[2] == f"# é\n{BLOCKED}\n"
    assert cells[3].startswith("def _smooth_numpy(x):\n    return np.exp(x) + np.sin(x)\n\n\n@rt.migrated(")


@pytest.mark.parametrize("name", ["heat", "compact"])
def test_all_but_the_code_stays(name: str, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    old = (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    (place / "nb.ipynb").write_text(old, encoding="utf-8")
    run(capfd, "rewrite", "--apply", ".")
    new = (place / "nb.ipynb").read_text(encoding="utf-8")
    assert new != old
    before, after = json.loads(old), json.loads(new)
    changed = [number for number, cell in enumerate(before["cells"]) if cell != after["cells"][number]]
    assert changed == {"heat": [1, 2, 6], "compact": [0]}[name]
    for number in changed:
        before["cells"][number]["source"] = after["cells"][number]["source"]
    assert after == before
    assert new.endswith("\n") == old.endswith("\n")
    if name == "heat":  # as Jupyter itself writes it
        assert new == json.dumps(after, indent=1, ensure_ascii=False) + "\n"


def test_the_projects_formatter_counts(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "pyproject.toml").write_text("[tool.ruff]\nline-length = 50\n")
    (place / "nb.ipynb").write_text(notebook("import numpy as np\n!ls   \\\n  -l", MIGRATES))
    run(capfd, "rewrite", "--apply", ".")
    cells = ["".join(cell["source"]) for cell in json.loads((place / "nb.ipynb").read_text())["cells"]]
    assert "@rt.migrated(\n    reals=" in cells[1]
    assert cells[0].endswith("!ls   \\\n  -l")


def test_a_formatter_that_moves_the_cells_is_not_heard(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from np2tnp.files import formatting

    monkeypatch.setattr(formatting, "formatted", lambda text, old, path: text.replace("# %%", "#  %%"))
    assert run(capfd, "rewrite", "--apply", ".")[0] == 0
    assert "_smooth_numpy" in (place / "nb.ipynb").read_text()


def test_the_top_level_stays(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "nb.ipynb").write_text(notebook("import numpy as np", "x = np.exp(np.arange(3.0))\nx"))
    assert run(capfd, "rewrite", "--top-level", ".")[1] == ""


def test_pylab_takes_the_names_of_builtins(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    total = "def total(x):\n    return np.exp(x) + sum(x)"
    (place / "nb.ipynb").write_text(notebook("import numpy as np", total))
    assert run(capfd, "rewrite", ".")[1] == ""  # Python's own sum, item by item, is slow with tensors
    (place / "nb.ipynb").write_text(notebook("import numpy as np\n%pylab", total))
    assert "tnp.exp(x) + sum(x)" in run(capfd, "rewrite", ".")[1]


def test_a_copy_of_the_runtime_lies_beside(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "__init__.py").write_text("")
    assert run(capfd, "rewrite", "--apply", "--runtime", "vendor", ".")[0] == 0
    text = (place / "nb.ipynb").read_text()
    assert "import np2tnp_runtime as rt" in text
    assert "from np2tnp_runtime import tnp" in text
    assert (place / "np2tnp_runtime" / "__init__.py").exists()


def test_functions_of_notebooks_are_not_verified(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capfd, "verify", "nb.ipynb")
    assert status == 2
    assert "functions of notebooks are not run" in err
    assert run(capfd, "rewrite", "--verify", "--strict", ".")[1] == ""
    status, out, err = run(capfd, "rewrite", "--verify", ".")
    assert "1 region could not be tested" in err
    assert "_smooth_numpy" in out


# --- Bad input

GOOD = "import numpy as np\n\n\ndef f(x):\n    return np.exp(x) + 1\n"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "TNP902", "nb.ipynb:1:1: TNP902 is not a notebook: not JSON"),
        ('{"cells": [\n {]}', "TNP902", "nb.ipynb:2:3: TNP902 is not a notebook: not JSON"),
        ('{"nbformat": 3, "worksheets": []}', "TNP902", "of format 3"),
        ("\ufeff{}", "TNP902", "does not say its `nbformat`"),
        (notebook("import numpy as np", "x = (\n"), "TNP901", "nb.ipynb:cell 2:1:5: TNP901 syntax error"),
        (notebook("import numpy as np", "x = 1\nreturn x"), "TNP901", "nb.ipynb:cell 2:2:1: TNP901 syntax error"),
        (notebook("import numpy as np", "print 1"), "TNP903", "nb.ipynb:cell 2:1:1: TNP903 is Python 2"),
    ],
)
def test_one_clear_finding_and_nothing_written(
    place: Path, capfd: pytest.CaptureFixture[str], text: str, code: str, words: str
) -> None:
    (place / "nb.ipynb").write_text(text, encoding="utf-8")
    (place / "good.py").write_text(GOOD)
    status, document = check_json(capfd, ".")
    assert status == 2
    assert [item["code"] for item in document["findings"] if item["path"] == "nb.ipynb"] == [code]
    assert words in run(capfd, "check", ".", "--output-format", "concise")[1]
    status, _, err = run(capfd, "rewrite", "--apply", ".")
    assert status == 2
    assert words in err
    assert (place / "nb.ipynb").read_text(encoding="utf-8") == text
    assert "rt.migrated" in (place / "good.py").read_text()  # the rest of the run goes on


def test_bytes_that_are_no_text(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "nb.ipynb").write_bytes(STUCK.encode("utf-16"))
    status, document = check_json(capfd, ".")
    assert status == 2
    assert [item["code"] for item in document["findings"]] == ["TNP902"]


def test_notebooks_that_are_no_mistake(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    large = {"cell_type": "code", "source": MIGRATES, "outputs": [{"text": "é" * 5_000_000}]}
    for text in (
        notebook(),
        notebook(""),
        notebook(TEXT),
        notebook("%%bash\nnp.sin (((\n"),
        notebook("import numpy as np", "x = await f()\nasync for i in g():\n    await h(i)\n[i async for i in g()]"),
        notebook("import numpy as np", large),
    ):
        (place / "nb.ipynb").write_text(text, encoding="utf-8")
        assert run(capfd, "check", ".")[0] == 0
        assert run(capfd, "rewrite", "--apply", ".")[0] == 0
        is_changed = (place / "nb.ipynb").read_text(encoding="utf-8") != text
        assert is_changed == ("smooth" in text)


def test_a_function_beside_an_await_migrates(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "nb.ipynb").write_text(notebook("import numpy as np", MIGRATES, "x = await f()"))
    assert run(capfd, "rewrite", ".")[1].count("_smooth_numpy") == 2
