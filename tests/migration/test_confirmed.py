"""``rewrite --confirmed``: only what was measured equal and faster is rewritten, with ``--dispatch`` from a size on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from np2tnp.cli import main
from np2tnp.profiling.evidence import Ratio, Speed, Spread
from np2tnp.profiling.measured import Measured, Plan, Trial
from np2tnp.verify.two_texts import Pair

TEXT = """\
import numpy as np


def inner(x):
    return np.exp(x)


def outer(x):
    return np.sum(inner(x))


def alone(x):
    return np.tanh(x) + 1.0


class Model:
    def step(self, x):
        return np.cosh(x)


def unseen(x):
    return np.log(x)
"""
OPTIONS = (
    *((option, "numpy") for option in ("boundary", "random", "state", "on_unverified")),
    ("target_tensorflow", "newest"),
)
SPREAD = Spread(1.0, 1.0, 1.0)


def function(name: str, *trials: tuple[int, Speed], migrated: tuple[str, ...] = (), **changes) -> dict:
    """A function's entry in a result file, measured at some sizes with these outcomes."""
    options = (*OPTIONS, ("unsafe", False), ("float32", False))
    plan = Plan(Pair("m.py", TEXT, "", "test"), name, "n", (), (), options=options, migrated=migrated or (name,))
    found = Measured(plan, devices=["CPU:0"])
    for elements, speed in trials:
        ratio = Ratio(2.0, 1.9, 2.1) if speed is Speed.FASTER else Ratio(0.5, 0.4, 0.6)
        found.trials.append(
            Trial(name, "eager-ndarray", "CPU:0", elements, True, "", elements, 0.1, {}, SPREAD, SPREAD, ratio, speed)
        )
    return {**found.as_dict(), **changes}


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "m.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def confirm(functions: list[dict], *arguments: str, **changes) -> int:
    document = {"schema": 1, "kind": "program", "complete": True, "functions": functions, **changes}
    Path("result.json").write_text(json.dumps(document))
    return main(["rewrite", "--apply", "--confirmed", "result.json", *arguments, "m.py"])


def migrated_in(text: str) -> set[str]:
    lines = text.splitlines()
    return {lines[i + 1].split("def ")[1].partition("(")[0] for i, line in enumerate(lines) if "@rt.migrated" in line}


def test_only_winners_are_rewritten(project, capsys):
    wins, loses = ((10, Speed.FASTER), (1000, Speed.FASTER)), ((10, Speed.FASTER), (1000, Speed.UNSURE))
    assert confirm([function("alone", *wins), function("Model.step", *loses)]) == 0
    assert migrated_in(Path("m.py").read_text()) == {"alone"}
    said = capsys.readouterr().err
    assert "m.py::Model.step was left as it is: FASTER (2 times as fast) at 10 elements, UNSURE" in said
    assert "m.py::unseen was left as it is: it was not measured" in said


def test_a_size_test_keeps_numpy_for_small_arrays(project, capsys):
    entry = function("alone", (10, Speed.SLOWER), (50_000, Speed.FASTER), (900_000, Speed.FASTER))
    assert confirm([entry]) == 0
    assert Path("m.py").read_text() == TEXT
    assert "--dispatch rewrites it for 50,000 elements and more" in capsys.readouterr().err
    assert confirm([entry], "--dispatch") == 0
    text = Path("m.py").read_text()
    assert '@rt.original("alone", above=50_000)\ndef _(x):' in text
    assert "def _(x):\n    return np.tanh(x) + 1.0\n" in text


def test_what_was_measured_together_is_rewritten_together_or_not_at_all(project, capsys):
    outer = function("outer", (10, Speed.FASTER), migrated=("inner", "outer", "alone"))
    assert confirm([outer]) == 0
    assert Path("m.py").read_text() == TEXT
    assert "outer was left as it is: it was measured together with inner" in capsys.readouterr().err
    companion = [{"path": "m.py", "function": "inner"}]
    assert confirm([outer], companions=companion) == 0
    assert migrated_in(Path("m.py").read_text()) == {"inner", "outer"}


def test_a_companion_that_loses_when_called_by_itself_moves_all_the_same(project):
    both = [
        function("inner", (10, Speed.SLOWER), migrated=("inner", "outer")),
        function("outer", (10, Speed.FASTER), migrated=("inner", "outer")),
    ]
    assert confirm(both, companions=[{"path": "m.py", "function": "inner"}]) == 0
    assert migrated_in(Path("m.py").read_text()) == {"inner", "outer"}


@pytest.mark.parametrize("left", [("--skip", "outer"), ("--only", "inner,alone")])
def test_a_companion_stays_where_its_callers_stay(project, left):
    measured = [function(name, (10, Speed.FASTER), migrated=("inner", "outer", "alone")) for name in ("outer", "alone")]
    slow = function("inner", (10, Speed.SLOWER), migrated=("inner", "outer", "alone"))
    companions = [{"path": "m.py", "function": "inner"}]
    assert confirm(measured, *left, companions=companions) == 0
    assert migrated_in(Path("m.py").read_text()) == {"alone"}
    Path("m.py").write_text(TEXT)
    assert confirm([*measured, slow], *left, companions=companions) == 0
    assert migrated_in(Path("m.py").read_text()) == {"alone"}


def test_what_a_large_call_needs_is_migrated_for_it_alone(project, capsys):
    both = ("inner", "outer")
    large = function("outer", (10, Speed.SLOWER), (50_000, Speed.FASTER), migrated=both)
    lost = function("inner", (10, Speed.SLOWER), (50_000, Speed.SLOWER), migrated=both)
    unequal = {**lost, "trials": [{**lost["trials"][0], "agreed": False, "reason": "not equal: 1.0 is 2.0"}]}
    assert confirm([large, unequal], "--dispatch") == 0
    assert Path("m.py").read_text() == TEXT
    assert "outer was left as it is: it was measured together with inner" in capsys.readouterr().err
    assert confirm([large, lost], "--dispatch") == 0
    text = Path("m.py").read_text()
    assert migrated_in(text) == {"inner", "outer"}
    assert '@rt.original("inner", above=rt.NEVER)' in text
    assert "inner.core(x)" in text


def test_both_confirmed_are_rewritten_as_one(project):
    both = [function(name, (10, Speed.FASTER), migrated=("inner", "outer")) for name in ("inner", "outer")]
    assert confirm(both) == 0
    assert "inner.core(x)" in Path("m.py").read_text()


def compiled(name: str, *modes: str, migrated: tuple[str, ...] = ()) -> dict:
    """An entry that won under these values of ``--compile``, the later the more."""
    entry = function(name, (10, Speed.FASTER), migrated=migrated)
    gains = {mode: 2.0 + i for i, mode in enumerate(modes)}
    entry["decision"] |= {"compile": modes[-1], "modes": gains}
    return entry


def test_the_winning_variant_is_emitted(project):
    assert confirm([compiled("alone", "none", "graph", "xla"), compiled("Model.step", "none")]) == 0
    text = Path("m.py").read_text()
    assert re.search(r'@rt.migrated\(.*compile="xla"\)\ndef alone', text)
    assert '@rt.original("Model.step", above=0)\ndef _(self' in text


def test_functions_that_call_each_other_are_compiled_alike_or_not_at_all(project, capsys):
    both = ("inner", "outer")
    assert confirm([compiled("inner", "none", "xla", migrated=both), compiled("outer", "none", migrated=both)]) == 0
    assert "compile" not in Path("m.py").read_text()
    Path("m.py").write_text(TEXT)
    assert confirm([compiled("inner", "graph", migrated=both), compiled("outer", "xla", migrated=both)]) == 0
    assert migrated_in(Path("m.py").read_text()) == {"inner"}
    assert "outer was left as it is: it was measured together with inner, which is not confirmed like that" in (
        capsys.readouterr().err
    )


def test_companions_are_compiled_as_their_callers(project):
    outer = compiled("outer", "xla", migrated=("inner", "outer"))
    assert confirm([outer], companions=[{"path": "m.py", "function": "inner"}]) == 0
    assert len(re.findall(r'@rt.migrated\(.*compile="xla"\)', Path("m.py").read_text())) == 2


def test_nothing_is_written_without_apply(project, capsys):
    confirm([function("alone", (10, Speed.FASTER))])
    Path("m.py").write_text(TEXT)
    assert main(["rewrite", "--confirmed", "result.json", "m.py"]) == 0
    assert Path("m.py").read_text() == TEXT
    assert "+@rt.migrated" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"complete": False}, "interrupted"),
        ({"schema": 99}, "another version"),
        ({"functions": 3}, "not a result file"),
        ({"functions": [{"path": "m.py"}]}, "another version"),
        ({"functions": []}, "nothing about the files"),
    ],
)
def test_results_that_say_nothing_are_refused(project, capsys, changes, said):
    assert confirm(**{"functions": [], **changes}) == 2
    assert said in capsys.readouterr().err
    assert Path("m.py").read_text() == TEXT


def test_results_of_other_sources_and_options_are_refused(project, capsys):
    entry = function("alone", (10, Speed.FASTER))
    assert confirm([{**entry, "options": {**entry["options"], "random": "tf"}}]) == 2
    assert "measured with random = tf" in capsys.readouterr().err
    Path("m.py").write_text(TEXT + "\n# changed\n")
    assert confirm([entry]) == 2
    assert "m.py has changed since it was measured" in capsys.readouterr().err


def test_files_that_are_no_results_are_one_line(project, capsys):
    for name in ("absent.json", "m.py"):
        assert main(["rewrite", "--confirmed", name, "m.py"]) == 2
        assert name in capsys.readouterr().err
    assert main(["rewrite", "--dispatch", "m.py"]) == 2
    assert "--dispatch belongs to --confirmed" in capsys.readouterr().err


def test_a_file_is_known_by_its_text_wherever_it_lies(project):
    (project / "other").mkdir()
    (project / "m.py").rename(project / "other" / "m.py")
    document = {"schema": 1, "complete": True, "functions": [function("alone", (10, Speed.FASTER))]}
    Path("result.json").write_text(json.dumps(document))
    assert main(["rewrite", "--apply", "--confirmed", "result.json", "other"]) == 0
    assert migrated_in(Path("other/m.py").read_text()) == {"alone"}
