"""Which settings count for a file: the nearest file's, ``--config KEY=VALUE``, the command line; ``np2tnp config``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import jsonschema
import pytest
from command_line import HEAT, check_json, run

from np2tnp.commands.show_config import schema
from np2tnp.config import Config, load

ROOT = Path(__file__).resolve().parents[2]
PLAIN = "import numpy as np\n\n\ndef f(x):\n    return np.exp(x)\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with settings of its own in ``sub``, and none in ``other``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "np2tnp.toml").write_text('fail-on = ["block"]\n')
    for folder in ("sub", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(HEAT)
    (tmp_path / "sub" / "pyproject.toml").write_text(
        '[tool.np2tnp]\nselect = ["TNP101"]\nfail-on = ["adapt"]\nextend-exclude = ["left"]\n'
    )
    (tmp_path / "sub" / "left").mkdir()
    (tmp_path / "sub" / "left" / "b.py").write_text(HEAT)
    return tmp_path


def codes(document: dict, path: str) -> set[str]:
    return {item["code"] for item in document["findings"] if item["path"] == path}


@pytest.mark.parametrize("paths", [("sub/a.py", "other/a.py"), ("other/a.py", "sub/a.py"), (".",), ("sub", "other")])
def test_the_nearest_file_counts_whatever_is_named_with_it(tree, capfd, paths):
    status, document = check_json(capfd, *paths)
    assert status == 1  # of sub, which fails on what is adapted
    alone_status, alone = check_json(capfd, "sub/a.py")
    assert (alone_status, codes(alone, "sub/a.py")) == (1, {"TNP101"})
    assert codes(document, "sub/a.py") == {"TNP101"}
    other_status, other = check_json(capfd, "other/a.py")
    assert other_status == 0
    assert codes(document, "other/a.py") == codes(other, "other/a.py") > {"TNP101"}
    assert {item["path"] for item in document["findings"]} == {"sub/a.py", "other/a.py"}  # not sub/left/b.py


def test_directories_without_a_mark_have_the_configuration_of_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "down").mkdir(parents=True)
    config = load(["."])
    if config.root == str(tmp_path):  # else something above has a mark
        assert config.of_file("deep/down/a.py") is config
    (tmp_path / "deep" / "setup.py").write_text("")
    assert load(["."]).of_file("deep/down/a.py").root == load(["deep/down/a.py"]).root == str(tmp_path / "deep")


def test_a_file_that_is_named_and_no_configuration_are_for_all_files(tree, capfd):
    assert check_json(capfd, "--isolated", "--fail-on", "none", "sub")[0] == 0
    document = check_json(capfd, "--config", "np2tnp.toml", "sub/a.py", "other/a.py")[1]
    assert codes(document, "sub/a.py") == codes(document, "other/a.py")


def test_each_file_is_rewritten_with_its_own_settings(tree, capfd):
    (tree / "sub" / "pyproject.toml").write_text('[tool.np2tnp]\non-unverified = "raise"\n')
    status, _, err = run(capfd, "rewrite", "--apply", "sub/a.py", "other/a.py")
    assert status == 0, err
    assert "rt.original" in (tree / "other" / "a.py").read_text()
    assert "@rt.migrated" in (tree / "sub" / "a.py").read_text()
    assert "rt.original" not in (tree / "sub" / "a.py").read_text()


def test_what_is_changed_after_loading_is_changed_for_all_files(tree):
    from dataclasses import replace

    config = replace(load(["sub", "other"]), slow="convert")
    assert config.of_file("sub/a.py").slow == "convert"
    assert config.of_file("sub/a.py").select == ("TNP101",)
    assert config.of_file("other/a.py") == config


def test_lists_on_the_command_line_add_up(tree, capfd):
    document = check_json(capfd, "other", "--select", "TNP101", "--select", "TNP0,TNP2")[1]
    assert codes(document, "other/a.py") >= {"TNP101", "TNP001"}
    assert load(["."], {"select": ["TNP1", "TNP2"]}).select == ("TNP1", "TNP2")
    status, out, _ = run(capfd, "rewrite", "other", "--skip", "relax", "--skip", "double")
    assert (status, out) == (0, "")


@pytest.mark.parametrize(
    ("item", "name", "value"),
    [
        ("slow=convert", "slow", "convert"),
        ('slow="convert"', "slow", "convert"),
        ("fail-on=adapt,block", "fail_on", ("adapt", "block")),
        ('fail-on = ["adapt"]', "fail_on", ("adapt",)),
        ("above = 5", "above", 5),
        ("float32=true", "float32", True),
        ('per-file-ignores={"x.py" = ["TNP1"]}', "per_file_ignores", (("x.py", ("TNP1",)),)),
    ],
)
def test_single_settings(tree, item, name, value):
    config = load(["sub/a.py"], config=[item])
    assert getattr(config.of_file("sub/a.py"), name) == value
    assert getattr(config.of_file("other/a.py"), name) == value
    assert getattr(load(["sub/a.py"], config=["np2tnp.toml", item]), name) == value


def test_the_command_line_wins_over_single_settings(tree):
    assert load(["sub"], {"slow": "keep"}, config=["slow=convert"]).slow == "keep"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--config", "slwo=keep"), "--config: unknown option `slwo`; did you mean `slow`?"),
        (("--config", "slow=kept"), "--slow: unknown value `kept`"),
        (("--config", "a.toml", "--config", "b.toml"), "--config b.toml: a.toml was named before"),
        (("--config", "jobs=many"), "--config: jobs: expected a whole number, got 'many'"),
    ],
)
def test_mistakes_in_single_settings(tree, capfd, words, said):
    status, out, err = run(capfd, "check", *words, ".")
    assert (status, out) == (2, "")
    assert said.removeprefix("--slow: ") in err
    assert err.count("\n") == 1


def test_the_settings_of_a_file_and_their_sources(tree, capfd):
    status, out, err = run(capfd, "config", "sub/a.py", "--config", "jobs=2", "--slow", "convert")
    assert status == 0, err
    lines = out.splitlines()
    assert f'root = "{tree / "sub"}"  # the project\'s top' in lines
    assert 'select = ["TNP101"]  # sub/pyproject.toml' in lines
    assert "jobs = 2  # --config" in lines
    assert 'slow = "convert"  # the command line' in lines
    assert 'state = "numpy"  # default' in lines
    status, out, _ = run(capfd, "config", "other/a.py", "--json")
    assert json.loads(out)["settings"]["fail-on"] == {"value": ["block"], "from": "np2tnp.toml"}
    assert run(capfd, "config", "nowhere.py")[0] == 2


def test_the_schema_is_current_and_says_what_the_reader_takes(tree, capfd):
    assert json.loads((ROOT / "docs" / "config-schema.json").read_text()) == schema()
    assert run(capfd, "config", "--schema")[1] == (ROOT / "docs" / "config-schema.json").read_text()
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    settings = json.loads(run(capfd, "config", "other/a.py", "--json")[1])["settings"]
    validator.validate({key: item["value"] for key, item in settings.items() if item["value"] is not None})
    for wrong in ({"slow": "kept"}, {"slwo": "keep"}, {"select": ["X1"]}, {"jobs": "many"}, {"above": -1}):
        assert not validator.is_valid(wrong)
        (tree / "np2tnp.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in wrong.items()))
        assert run(capfd, "check", "other")[0] == 2


def test_rewrite_leaves_tests_alone(tree, capfd):
    for place in ("tests/test_a.py", "pkg/tests/helper.py", "pkg/code.py", "quiet.py", "less.py"):
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text(PLAIN)
    (tree / "np2tnp.toml").write_text(
        'tests = ["tests"]\nper-file-ignores = { "quiet.py" = ["ALL"], "less.py" = ["TNP1"] }\n'
    )
    status, out, err = run(capfd, "rewrite", "--apply", ".")
    assert status == 0, err
    assert set(out.split()) - {"rewrote"} == {"less.py", "other/a.py", "pkg/code.py", "sub/a.py"}
    assert "3 files not looked at: tests, or without wanted findings (`tests`, `per-file-ignores`)" in err
    assert run(capfd, "rewrite", "tests/test_a.py")[1] == ""  # named, too: they are the reference
    assert {item["path"] for item in check_json(capfd, "tests")[1]["findings"]} == {"tests/test_a.py"}


def test_rewrite_leaves_tests_alone_that_nobody_named(tree, capfd):
    places = ("tests/test_a.py", "pkg/tests/helper.py", "pkg/test_b.py", "pkg/conftest.py", "pkg/code.py", "latest.py")
    for place in places:
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text(PLAIN)
    status, out, err = run(capfd, "rewrite", "--apply", ".")
    assert status == 0, err
    assert set(out.split()) - {"rewrote"} == {"latest.py", "other/a.py", "pkg/code.py", "sub/a.py"}
    assert "4 test files not looked at: tests are the reference (name them, or their folder" in err
    assert set(run(capfd, "rewrite", "--apply", "tests")[1].split()) - {"rewrote"} == {"tests/test_a.py"}
    assert set(run(capfd, "rewrite", "--apply", "pkg", "pkg/test_b.py")[1].split()) - {"rewrote"} == {"pkg/test_b.py"}
    assert check_json(capfd, "pkg/conftest.py")[1]["findings"]


def test_a_folder_of_tests_that_is_named_is_rewritten_without_a_configuration(tmp_path, monkeypatch, capfd):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(PLAIN)
    monkeypatch.chdir(tmp_path)
    assert run(capfd, "rewrite", ".")[1] == ""
    for named in ("tests", str(tmp_path / "tests")):
        assert "+from np2tnp import runtime" in run(capfd, "rewrite", named)[1]


@pytest.mark.parametrize("option", ["--select", "--extend-select", "--ignore"])
def test_rewrite_refuses_what_only_chooses_findings(tree, capfd, option):
    status, out, err = run(capfd, "rewrite", option, "TNP101", "other")
    assert (status, out) == (2, "")
    assert f"{option} is for check" in err
    assert "--only" in err


@pytest.mark.parametrize("command", ["check", "rewrite"])
def test_functions_that_are_not_there_are_mistakes(tree, capfd, command):
    status, out, err = run(capfd, command, "--only", "relx", "other")
    assert (status, out) == (2, "")
    assert "--only relx: there is no such function; did you mean `relax`?" in err


def test_diffs_may_be_asked_for_by_name(tree, capfd):
    plain = run(capfd, "rewrite", "other")
    assert run(capfd, "rewrite", "--diff", "other") == plain
    assert plain[1].startswith("--- ")
    status, out, err = run(capfd, "rewrite", "--diff", "--apply", "other")
    assert (status, out) == (2, "")
    assert "--apply and --diff exclude each other" in err


@pytest.mark.parametrize("command", ["check", "rewrite"])
def test_a_function_may_be_in_a_file_that_nobody_could_read(tree, capfd, command):
    Path("other/broken.py").write_text("import numpy as np\ndef relx(x:\n")
    status, out, err = run(capfd, command, "--only", "relx", "other")
    assert status == 2
    assert "no such function" not in err
    assert "TNP901" in out + err


@pytest.mark.parametrize("command", [("check",), ("rewrite",), ("rewrite", "--apply")])
def test_exclusion_holds_for_standard_input(tree, capfd, monkeypatch, command):
    for force in ((), ("--force-exclude",)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HEAT.encode())))
        status, out, err = run(capfd, *command, "-", "--stdin-filename", "sub/left/b.py", *force)
        assert status == (1 if command == ("check",) and not force else 0), err
        if command == ("check",):
            assert ("relax" in out) is not bool(force)
        elif "--apply" in command:
            assert (out == HEAT) is bool(force)
        else:
            assert (out == "") is bool(force)


def test_a_configuration_is_what_it_was_without_files_elsewhere():
    config = Config(select=("TNP1",))
    assert config.of_file("anywhere.py") is config
