"""The command line as people and scripts use it: arguments, statuses, formats, both ways of calling it."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import HEAT, check_json, run

from np2tnp import __version__
from np2tnp.cli import COMMANDS, _parser
from np2tnp.codes import CODES, EFFORTS, GROUPS
from np2tnp.options import COMMON
from np2tnp.rules import DOCS

ROOT = Path(__file__).resolve().parents[2]

# --- check


#: ``first`` is blocked twice, ``second`` stays NumPy because it would be slower, ``third`` migrates.
STAYS = """\
import numpy as np


async def first(x, y):
    x.sort()
    return np.exp(x).ctypes.data + y


def second(x, out):
    for i in range(1, len(x)):
        out[i] = out[i - 1] * 0.5 + np.exp(x[i])
    return out


def third(x):
    y = np.exp(x)
    y[0] = y[0] * 2 + y[0] * 2
    y[0] = 1
    return y
"""


def test_statuses(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "stays.py").write_text(STAYS)
    assert run(capfd, "check", "plain.py")[0] == 0
    assert run(capfd, "check", "heat.py")[0] == 0  # all of it migrates
    assert run(capfd, "check", "stays.py")[0] == 1
    assert run(capfd, "check", "stays.py", "--ignore", "TNP4,TNP5")[0] == 0
    assert run(capfd, "check", "heat.py", "--fail-on", "adapt,block")[0] == 1
    assert run(capfd, "check", "heat.py", "--fail-on", "none")[0] == 0
    assert run(capfd, "check", "heat.py", "--fail-on", "convert,adapt")[0] == 1
    assert run(capfd, "check", "stays.py", "--exit-zero")[0] == 0
    assert run(capfd, "check", "heat.py", "missing.py", "--exit-zero")[0] == 2


def test_what_is_selected_fails_unless_something_else_is_said(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "check", "heat.py", "--select", "TNP101")[0] == 1
    assert run(capfd, "check", "heat.py", "--select", "TNP101", "--fail-on", "block")[0] == 0
    assert run(capfd, "check", "heat.py", "--extend-select", "TNP101")[0] == 1
    (project / "np2tnp.toml").write_text('select = ["TNP1"]\nfail-on = ["block"]\n')
    assert run(capfd, "check", "heat.py")[0] == 0


def test_what_a_nearer_configuration_selects_is_shown(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "np2tnp.toml").write_text("")
    (project / "sub").mkdir()
    (project / "sub" / "heat.py").write_text(HEAT)
    (project / "sub" / "np2tnp.toml").write_text('select = ["TNP101"]\n')
    status, out, _ = run(capfd, "check", ".", "-q", "--output-format", "concise")
    assert (status, [line.partition(" ")[0] for line in out.splitlines()]) == (1, ["sub/heat.py:6:9:"])


def test_one_finding_for_each_function_that_stays(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "stays.py").write_text(STAYS)
    lines = run(capfd, "check", "stays.py", "-q", "--output-format", "concise")[1].splitlines()
    assert [re.sub(r".*(TNP\d+ .* stays NumPy): .*", r"\1", line) for line in lines] == [
        "TNP403 first stays NumPy",
        "TNP701 second stays NumPy",
    ]
    told = run(capfd, "check", "stays.py", "-q", "--output-format", "github")[1].splitlines()
    assert [line.partition(" ")[0] for line in told] == ["::error", "::notice"]  # one annotation a function
    decides = [item["region"] for item in check_json(capfd, "stays.py")[1]["findings"] if item["decides"]]
    assert decides == ["first", "second"]
    everything = run(capfd, "check", "stays.py", "-q", "-v", "--output-format", "concise")[1].splitlines()
    assert len(everything) > 2
    assert set(lines) <= set(everything)
    # what is hidden makes no room for the next reason
    (project / "stays.py").write_text(STAYS.replace("first(x, y):", "first(x, y):  # np2tnp: ignore[TNP403]"))
    hidden = run(capfd, "check", "stays.py", "-q", "--output-format", "concise")
    assert (hidden[0], hidden[1].splitlines()) == (0, lines[1:])


def test_what_is_found_again_in_a_function_is_one_finding_with_its_lines(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "stays.py").write_text(STAYS)
    _, document = check_json(capfd, "stays.py")
    keys = [(item["region"], item["code"], item["message"], item["verdict"]) for item in document["findings"]]
    assert len(keys) == len(set(keys))
    (store,) = (it for it in document["findings"] if (it["region"], it["code"]) == ("third", "TNP101"))
    assert (store["line"], store["lines"]) == (17, [17, 18])
    assert "(also line 18)" in run(capfd, "check", "stays.py", "--select", "TNP101")[1]
    # each line is hidden for itself
    text = STAYS.replace("    y[0] = 1\n", "    y[0] = 1  # np2tnp: ignore[TNP101]\n")
    (project / "stays.py").write_text(text)
    (store,) = (
        it for it in check_json(capfd, "stays.py")[1]["findings"] if (it["region"], it["code"]) == ("third", "TNP101")
    )
    assert store["lines"] == [17]


def test_the_table_of_functions(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "stays.py").write_text(STAYS)
    out = run(capfd, "check", "stays.py")[1]
    for words in (
        r"stays\.py:4 first +blocked +TNP403 line 4 +hours",
        r"stays\.py:9 second +kept +TNP701 line 11 +redesign",
        r"stays\.py:15 third +migrates +- +none",
    ):
        assert re.search(rf"^{words}$", out, re.MULTILINE), out
    rows = list(csv.DictReader(run(capfd, "check", ".", "--output-format", "csv")[1].splitlines()))
    states = {row["function"]: (row["state"], row["code"], row["effort"]) for row in rows}
    assert states == {
        "relax": ("migrates", "", "none"),
        "double": ("migrates", "", "none"),
        "first": ("blocked", "TNP403", "hours"),
        "second": ("kept", "TNP701", "redesign"),
        "third": ("migrates", "", "none"),
    }
    many = "".join(f"def f{number}(x: np.ndarray):\n    return np.exp(x)\n\n\n" for number in range(20))
    (project / "stays.py").write_text(STAYS + f"\n\n{many}")
    out = run(capfd, "check", "stays.py")[1]
    table = [line.split()[:2] for line in out.partition("\nfunction ")[2].splitlines()[1:4]]
    assert table == [["stays.py:4", "first"], ["stays.py:9", "second"], ["...", "and"]]
    assert "\n... and 21 more functions; --output-format csv has a line for each function\n" in out
    (project / "test_stays.py").write_text(STAYS)
    lines = run(capfd, "check", "stays.py", "test_stays.py")[1].splitlines()
    assert not any(line.startswith("test_stays.py") for line in lines)
    (project / "test_stays.py").unlink()
    for number in range(9):
        (project / f"stays{number}.py").write_text(STAYS)
    out = run(capfd, "check", ".")[1]
    assert re.search(r"^stays0\.py +0 +1 +1 +1 +TNP403 in 1 +redesign$", out, re.MULTILINE)
    assert "... and 3 more files; --output-format csv has a line for each function" in out
    assert "effort" not in run(capfd, "check", ".", "-q")[1]


def test_what_has_nothing_to_migrate_counts_apart(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "heat.py").write_text(HEAT + "\n\ndef version(x):\n    return np.__version__, np.isscalar(x)\n")
    out = run(capfd, "check", ".")[1]
    assert (
        "Functions: 2 of 2 can be migrated (100 %), 0 kept in NumPy, 0 blocked; 1 more with nothing to migrate" in out
    )
    assert re.search(r"^heat\.py:\d+ version +kept +nothing in it is work for TensorFlow +none$", out, re.MULTILINE)


def test_portability(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "stays.py").write_text(STAYS)
    codes = {item["code"] for item in check_json(capfd, ".", "--select", "portability")[1]["findings"]}
    assert {"TNP101"} < codes <= set(GROUPS["portability"])
    assert run(capfd, "check", "heat.py", "--select", "portability")[0] == 1
    assert {it["code"] for it in check_json(capfd, ".", "--select", "array-store")[1]["findings"]} == {"TNP101"}


@pytest.mark.parametrize("option", ["--select", "--ignore", "--extend-select"])
def test_unknown_codes_are_errors(project: Path, capfd: pytest.CaptureFixture[str], option: str) -> None:
    for word, meant in (("TNP999", "TNP99"), ("portabilty", "portability"), ("tnp101", "TNP101"), ("E501", "")):
        status, out, err = run(capfd, "check", "heat.py", option, word)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert f"{option}: unknown code `{word}`" in err
        assert not meant or f"did you mean `{meant}" in err
    (project / "np2tnp.toml").write_text('per-file-ignores = {"*.py" = ["TNP12"]}\n')
    assert "*.py: unknown code `TNP12`" in run(capfd, "check", ".")[2]


def test_all_clear_says_how_much_was_looked_at(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    clear = "All clear: all of 2 functions with 5 calls of NumPy in 2 files can be migrated."
    assert run(capfd, "check", ".")[1].endswith(f"\n{clear}\n")
    assert run(capfd, "check", ".", "--output-format", "concise")[1] == f"{clear}\n"
    for option in (("--select", "TNP2"), ("--ignore", "TNP101")):
        out = run(capfd, "check", ".", *option)[1]
        assert "All clear" not in out
        assert re.search(r"^Hidden: \d+ findings?, by options or comments$", out, re.MULTILINE)
    julia = {"metadata": {"language_info": {"name": "julia"}}, "nbformat": 4, "cells": []}
    (project / "nb.ipynb").write_text(json.dumps(julia))
    out = run(capfd, "check", ".")[1]
    assert "Skipped: 1 notebook runs no Python (nb.ipynb)" in out
    assert "All clear" not in out
    (project / "nb.ipynb").unlink()
    out = run(capfd, "check", "heat.py", "plain.py", "--force-exclude", "--extend-exclude", "plain.py")[1]
    assert "Skipped: plain.py: excluded by options" in out
    assert "All clear" not in out
    out = run(capfd, "check", ".", "--extend-exclude", "p*.py")[1]
    assert "Skipped: plain.py: excluded by options" in out
    assert "All clear" not in out
    (project / "build").mkdir()  # what nobody calls the project's own code
    (project / "build" / "copy.py").write_text(HEAT)
    assert "All clear" in run(capfd, "check", ".")[1]
    commented = HEAT.replace("field[2:])\n", "field[2:])  # np2tnp: ignore[TNP101]\n")
    (project / "heat.py").write_text(commented)
    assert "All clear" not in run(capfd, "check", "heat.py")[1]


def test_behind_two_dashes_are_paths(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "-q.py").write_text(HEAT)
    status, out, err = run(capfd, "check", "-v", "plain.py", "--output-format", "concise", "--", "-q.py", "heat.py")
    assert (status, err) == (0, "")
    assert {line.partition(":")[0] for line in out.splitlines()[:-1]} == {"-q.py", "heat.py"}


def test_a_wrong_option_is_one_line(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, "check", "--no-such-option", "heat.py")
    assert (status, out) == (2, "")
    assert err == "np2tnp check: unknown option --no-such-option (see np2tnp check --help)\n"
    for word in ("--slect", "--slect=TNP1"):
        status, out, err = run(capfd, "check", word, "heat.py")
        assert (status, out) == (2, "")
        assert err == "np2tnp check: unknown option --slect; did you mean `--select`? (see np2tnp check --help)\n"


def test_the_json_report(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, document = check_json(capfd, ".")
    assert status == 0
    assert {"findings", "files", "summary", "version"} <= set(document)
    assert document["version"] == __version__
    store = next(item for item in document["findings"] if item["code"] == "TNP101")
    assert set(store) == {
        *("path", "code", "message", "verdict", "safety", "line", "column", "end_line", "end_column", "region"),
        *("fixable", "decides", "shown", "lines", "rule", "fingerprint"),
    }
    assert (store["path"], store["line"], store["column"], store["region"]) == ("heat.py", 6, 9, "relax")
    assert store["verdict"] == "adapt"
    assert store["fixable"] is True
    assert document["summary"]["files"] == 2
    assert document["summary"]["files_with_numpy"] == 1
    assert [item["path"] for item in document["files"]] == ["heat.py", "plain.py"]


def test_the_json_report_is_laid_out_as_json_dumps_does(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # two regions, one of them blocked, an error, quotes, backslashes and characters outside of ASCII
    (project / 'na"me\\ä.py').write_text(
        "import numpy as np\n\n\ndef ö(x):\n    x.sort(axis='\u2028')\n    eval('x')\n", "utf-8"
    )
    (project / "broken.py").write_text("import numpy as np\nx = (\n")
    for arguments in ((".",), ("plain.py",), ()):
        (project / "empty").mkdir(exist_ok=True)
        out = run(capfd, "check", "--no-cache", "--output-format", "json", *(arguments or ("empty",)))[1]
        assert out == json.dumps(json.loads(out), indent=2) + "\n"


def test_text(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, "check", "-v", "heat.py")
    assert out.startswith("heat.py\n")
    assert re.search(r"^  6:9 +TNP101 adapt", out, re.MULTILINE)
    lines = out.splitlines()
    shown = next(
        index for index, line in enumerate(lines) if line.endswith("| field[1:-1] = 0.5 * (field[:-2] + field[2:])")
    )
    assert lines[shown + 1].index("^") == lines[shown].index("field")
    assert "NumPy calls and operators: " in out
    assert "Functions: " in out
    quiet = run(capfd, "-q", "-v", "check", "heat.py")[1]
    assert "Functions: " not in quiet
    assert "TNP101" in quiet


def test_text_ends_with_what_blocks_most(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "In the way" not in run(capfd, "check", "heat.py")[1]
    blocked = "".join(f"@deco\ndef f{n}(x):\n    return np.exp(x)\n\n\n" for n in range(2))
    text = f"import numpy as np\nfrom m import deco\n\n\n{blocked}async def g(x):\n    return np.exp(x)\n"
    (project / "blocked.py").write_text(text)
    out = run(capfd, "check", "blocked.py")[1]
    assert "In the way (functions): TNP405 in 2, TNP403 in 1; see np2tnp explain TNP405" in out


def test_calls_that_convert_are_only_shown_when_asked_for(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert " convert " not in run(capfd, "check", "-q", "heat.py")[1]
    (project / "only.py").write_text("import numpy as np\n\n\ndef f(x, y):\n    return np.add(x, y)\n")
    verdicts = {item["verdict"] for item in check_json(capfd, "only.py")[1]["findings"]}
    if "convert" in verdicts:
        assert " convert " in run(capfd, "check", "-v", "-q", "only.py")[1]


def test_concise(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, "check", "heat.py", "--output-format", "concise", "-q", "-v")
    assert out
    for line in out.splitlines():
        assert re.fullmatch(r"heat\.py:\d+:\d+: TNP\d{3} .+", line)


def test_github(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "a,b%.py").write_text(HEAT)
    _, out, _ = run(capfd, "check", "a,b%.py", "--output-format=github", "-v")
    assert out
    for line in out.splitlines():
        assert re.fullmatch(r"::(warning|notice|error) file=a%2Cb%25\.py,line=\d+,[^:]*title=TNP\d{3} \w+::.+", line)


def test_paths_and_options_anywhere(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    expected = run(capfd, "check", "heat.py", "-q", "--no-cache")
    for order in (
        ["heat.py", "check", "-q", "--no-cache"],
        ["--slow", "keep", "heat.py", "-q", "check", "--no-cache"],
        ["-q", "check", "--no-cache", "heat.py"],
        ["check", "-q", "heat.py", "--no-cache"],
        ["--no-cache", "check", "heat.py", "-q"],
        ["check", "--output-format", "text", "heat.py", "--no-cache", "-q"],
        ["--output-format", "text", "check", "-q", "--no-cache", "heat.py"],
    ):
        assert run(capfd, *order) == expected
    both = run(capfd, "check", "plain.py", "-q", "heat.py", "--no-cache")
    assert both == expected
    # What belongs to an option is no command.
    assert "no such function" in run(capfd, "--only", "report", "rewrite", "heat.py")[2]
    assert "unknown command `heat.py`" in run(capfd, "heat.py", "--only", "rewrite")[2]
    assert run(capfd, "--verify", "check", "rewrite", "--check", "missing.py")[0] == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no full device")
@pytest.mark.parametrize(("where", "status", "words"), [("> /dev/full", 2, "cannot be written"), (">&-", 0, "")])
def test_output_that_goes_nowhere(project: Path, where: str, status: int, words: str) -> None:
    command = f"{sys.executable} -m np2tnp check heat.py {where}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (status, bool(words))
    assert words in done.stderr


def test_standard_input(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "np2tnp", "check", "-v", "-", "--stdin-filename", "src/heat.py"]
    done = subprocess.run(command, input=HEAT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("src/heat.py\n")
    assert "| field[1:-1] = " in done.stdout


def test_output_file_and_statistics(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "check", "heat.py", "--output-format", "json", "--output-file", "report.json")
    assert (status, out) == (0, "")
    assert json.loads((project / "report.json").read_text())["findings"]
    _, out, _ = run(capfd, "check", "heat.py", "--statistics", "-v")
    assert re.search(r"^ +1  TNP101  ", out, re.MULTILINE)
    assert run(capfd, "check", "heat.py", "--output-file", "no/such/dir")[0] == 2
    rows = json.loads(run(capfd, "check", "heat.py", "--statistics", "-v", "--output-format", "json")[1])
    assert {"TNP101": 1}.items() <= {row["code"]: row["count"] for row in rows}.items()
    lines = run(capfd, "check", "heat.py", "--statistics", "-v", "--output-format", "json-lines")[1].splitlines()
    assert [json.loads(line) for line in lines] == rows
    refused = run(capfd, "check", "heat.py", "--statistics", "--output-format", "sarif")
    assert refused == (2, "", "np2tnp: --statistics is written as text or JSON, not as sarif\n")


def test_select_and_ignore(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    codes = {item["code"] for item in check_json(capfd, "heat.py")[1]["findings"]}
    assert {item["code"] for item in check_json(capfd, "heat.py", "--select", "TNP101")[1]["findings"]} == {"TNP101"}
    left = {item["code"] for item in check_json(capfd, "heat.py", "--ignore", "TNP1")[1]["findings"]}
    assert left == {code for code in codes if not code.startswith("TNP1")}


def test_colour_is_a_matter_of_the_environment(project: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    assert "\x1b[" not in run(capfd, "check", "heat.py", "-v")[1]
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[" not in run(capfd, "check", "heat.py", "-v")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run(capfd, "check", "heat.py", "-v")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(capfd, "check", "heat.py", "-v")[1]


def test_the_cache_changes_nothing_but_time(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first = run(capfd, "check", "-v", ".")
    assert (project / ".np2tnp_cache" / "reports.sqlite").exists()
    assert run(capfd, "check", "-v", ".") == first
    assert run(capfd, "check", "-v", ".", "--no-cache") == first
    (project / "heat.py").write_text(HEAT.replace("field[1:-1]", "field[1:-2]"))
    assert "field[1:-2]" in run(capfd, "check", "-v", ".")[1]


def test_many_files_in_processes(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(6):
        (project / f"copy{number}.py").write_text(HEAT)
    one = run(capfd, "check", ".", "--no-cache", "-j1", "--output-format", "json")
    two = run(capfd, "check", ".", "--no-cache", "-j2", "--output-format", "json")
    assert one == two


def test_suppression(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = HEAT.replace("field[2:])\n", "field[2:])  # np2tnp: ignore[TNP101] known\n")
    (project / "heat.py").write_text(text)
    document = check_json(capfd, "heat.py")[1]
    assert not [item for item in document["findings"] if item["code"] in ("TNP101", "TNP991")]


# --- configuration


def test_configuration(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.np2tnp]\nignore = ["TNP1"]\nfail-on = ["block"]\nextend-exclude = ["p*.py"]\n'
    )
    status, document = check_json(capfd, ".")
    assert status == 0
    assert [item["path"] for item in document["files"]] == ["heat.py"]
    assert not [item for item in document["findings"] if item["code"].startswith("TNP1")]
    status, document = check_json(capfd, ".", "--isolated")
    assert (status, len(document["files"])) == (0, 2)
    assert check_json(capfd, ".", "--fail-on", "convert")[0] == 1
    (project / "other.toml").write_text('per-file-ignores = {"heat.py" = ["ALL"]}\n')
    assert check_json(capfd, ".", "--config", "other.toml")[1]["findings"] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('selct = ["TNP1"]', "did you mean `select`"),
        ('select = "TNP1"', "list of codes"),
        ('select = ["E501"]', "unknown code `E501`"),
        ('slow = "never"', "keep, convert"),
        ("jobs = -1", "whole number"),
        ("above = -1", "whole number"),
        ('above = "all"', "whole number"),
        ("cache = 1", "true or false"),
        ('boundary = "vector"', "unknown value"),
        ("rewrite = true", "unknown option"),
        ("= 1", "not valid TOML"),
    ],
)
def test_mistakes_in_the_configuration(project: Path, capfd: pytest.CaptureFixture[str], text: str, words: str) -> None:
    (project / "np2tnp.toml").write_text(text + "\n")
    status, out, err = run(capfd, "check", ".")
    assert (status, out) == (2, "")
    assert words in err
    assert "np2tnp.toml" in err
    assert err.count("\n") == 1


def test_above_is_taken_from_the_command_line_and_the_file(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert ", above=7_000" in run(capfd, "rewrite", "heat.py", "--above", "7000")[1]
    (project / "np2tnp.toml").write_text("above = 0\n")
    assert ", above=0" in run(capfd, "rewrite", "heat.py")[1]


def test_options_that_do_nothing_are_refused(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for option in (["--boundary", "tensor", "--compile", "graph"],):
        status, _, err = run(capfd, "rewrite", "heat.py", *option)
        assert status == 2 or "not implemented" not in err
    assert run(capfd, "check", "heat.py", "--slow", "fast")[0] == 2
    assert run(capfd, "check", "heat.py", "--no-such-option")[0] == 2


# --- the rest


def test_version_and_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "--version")[:2] == (0, f"np2tnp {__version__}\n")
    assert run(capfd, "check", "--version")[:2] == (0, f"np2tnp {__version__}\n")
    status, out, _ = run(capfd, "--help")
    assert status == 0
    assert all((f"\n  {command} " in out) is (command != "probe") for command in COMMANDS)
    for command in COMMANDS:
        assert run(capfd, command, "--help")[0] == 0
    for command, words in COMMON.items():
        status, short, _ = run(capfd, command, "--help")
        assert status == 0
        assert short.startswith(f"usage: np2tnp {command} ")
        assert "[OPTIONS]" in short.partition("\n")[0]
        assert len(short.splitlines()) <= 55
        assert all(f" --{word}" in short or f" -{word}" in short for word in words.split())
        status, full, _ = run(capfd, command, "--help-all")
        assert status == 0
        rare = {action.option_strings[-1] for action in _parser(command)._actions if action.option_strings}
        rare -= {f"--{word}" for word in f"{words} help help-all config quiet verbose".split()} | {"-n"}
        assert all(re.search(rf" {word}\b", full) for word in rare)
        assert not any(re.search(rf" {word}[ \n]", short) for word in rare)
        assert f"--help-all shows {len(rare)} more options" in short
    assert run(capfd)[0] == 2
    status, _, err = run(capfd, "chekc", ".")
    assert status == 2
    assert "did you mean `check`" in err


def test_explain_rules_and_api(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "rules")
    assert status == 0
    assert "TNP101" in out
    assert "TNP905" in out
    for code in re.findall(r"^  (TNP\d{3}) ", out, re.MULTILINE):
        assert run(capfd, "explain", code)[0] == 0
    assert run(capfd, "explain", "TNP000")[0] == 2
    assert "numpy.linalg.inv" in run(capfd, "api", "np.linalg.inv")[1]
    assert run(capfd, "api", "numpy.nonsense")[0] == 2


def test_every_code_that_can_be_reported_can_be_explained(capfd: pytest.CaptureFixture[str]) -> None:
    known = set(re.findall(r"TNP\d{3}", run(capfd, "rules")[1]))
    folders = ("rules", "rewrite", "edits", "files")
    files = [
        ROOT / "np2tnp" / "engine.py",
        *(path for name in folders for path in (ROOT / "np2tnp" / name).rglob("*.py")),
    ]
    used = {code for path in files for code in re.findall(r'"(TNP\d{3})"', path.read_text(encoding="utf-8"))}
    assert used <= known
    assert {code: doc.name for code, doc in DOCS.items()} == CODES
    assert {code for codes in (*GROUPS.values(), *EFFORTS.values()) for code in codes} <= known


def test_both_ways_of_calling(project: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    module = subprocess.run(
        [sys.executable, "-m", "np2tnp", "check", "-v", "-q", "--no-cache", "heat.py"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert module.returncode == 0
    assert b"TNP101" in module.stdout
    code = "import sys; from np2tnp.cli import main; sys.exit(main())"
    script = subprocess.run(
        [sys.executable, "-c", code, "check", "-v", "-q", "--no-cache", "heat.py"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (script.returncode, script.stdout) == (0, module.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end differently there")
def test_a_reader_that_stops_reading(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "np2tnp", "check", "heat.py", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs bash")
def test_bash_completes_commands_options_values_and_files(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    status, script, err = run(capfd, "--print-completion", "bash")
    assert (status, err) == (0, "")
    (project / "completion").write_text(script)

    def completed(*words: str) -> list[str]:
        listed = " ".join(f"'{word}'" for word in ("np2tnp", *words))
        program = (
            f"source completion; COMP_WORDS=({listed}); COMP_CWORD={len(words)}; "
            'eval "$(complete -p np2tnp | grep -o "_shtab[a-z0-9_]*")"; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    assert set(completed("")) >= {*COMMANDS} - {"probe"}
    assert "probe" not in completed("")
    assert completed("check", "--output-f") == ["--output-format", "--output-file"]
    assert completed("check", "--output-format", "s") == ["sarif"]
    assert completed("check", "--output-format", "zz") == []
    assert completed("check", "he") == ["heat.py"]


def test_completion_needs_its_extra(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    status, out, err = run(capfd, "--print-completion", "bash")
    assert (status, out) == (2, "")
    assert err == "np2tnp: --print-completion needs shtab; install it with: pip install 'np2tnp[completion]'\n"


def test_a_missing_extra_is_one_line(project: Path) -> None:
    """Without TensorFlow, commands that need it say what to install."""
    program = (
        "import sys\n"
        "sys.modules['tensorflow'] = None; sys.modules['numpy'] = None; sys.modules['matplotlib'] = None\n"
        "from np2tnp.cli import main\n"
        "sys.exit(main(['profile', 'heat.py:double', '--size', 'n=10', '--arg', 'x=rng.standard_normal(n)']))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"np2tnp[^\n]*pip install[^\n]*np2tnp\[\w+\][^\n]*\n", done.stderr), done.stderr


@pytest.mark.parametrize("form", ["text", "concise"])
def test_what_may_be_an_array_is_not_all_clear(tmp_path: Path, capfd: pytest.CaptureFixture[str], form: str) -> None:
    path = tmp_path / "m.py"
    path.write_text("import numpy as np\n\n\ndef shift(n, x):\n    for i in range(n):\n        x[i] = x[i + 1]\n")
    _, out, _ = run(capfd, "check", "--no-cache", "--output-format", form, str(path))
    assert "TNP010" in out
    assert "All clear" not in out
    assert "No calls of NumPy" not in out
