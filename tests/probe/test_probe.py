"""The probe: from what was observed to what is promised. Wrong promises are the worst fault that np2tnp could have."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

from np2tnp.catalog import load  # noqa: E402
from np2tnp.cli import main  # noqa: E402
from np2tnp.commands import probe  # noqa: E402
from np2tnp.probe import agreement, behaviour, child, facts_file, operator_pairs, staged, surface  # noqa: E402
from np2tnp.probe import agreement as stage_facts  # noqa: E402
from np2tnp.probe.cases.all_cases import DTYPES, Case, all_cases, fresh_arguments, operands, used_parameters  # noqa: E402

PARAMETERS = ["a", "axis=None", "dtype=None", "out=None", "keepdims=<no value>"]


def labels(good: str = DTYPES, **bad: str) -> dict[str, str]:
    found = dict.fromkeys(good, "equal")
    for word, chars in bad.items():
        found |= dict.fromkeys(chars, word.replace("_", " "))
    return found


def test_a_dtype_is_accepted_when_every_plain_call_agrees() -> None:
    observed = [["v", labels()], ["s", labels(value="d", dtype="BH")]]
    entry, notes = agreement.summarize(observed, PARAMETERS, "tnp.f")
    assert entry["dtypes"] == "?bhilILefFD"
    assert entry["accepted"] == ["a"]
    assert notes["d"] == "value in 1 of 2: (s)"


def test_a_parameter_is_refused_when_one_call_with_it_differs() -> None:
    observed = [["v", labels()], ["m, axis=0", labels()], ["m, dtype=float", labels(dtype="l")]]
    entry, notes = agreement.summarize(observed, PARAMETERS, "tnp.f")
    assert entry["accepted"] == ["a", "axis"]
    assert notes["refused"] == {"dtype": "dtype: (m, dtype=float) for l"}


def test_position_and_keyword_are_one_parameter() -> None:
    observed = [["v", labels()], ["m, axis=0", labels()], ["m, 0", labels(shape="d")]]
    entry, _ = agreement.summarize(observed, PARAMETERS, "tnp.f")
    assert entry["accepted"] == ["a"]


def test_a_parameter_that_always_raises_proves_nothing() -> None:
    observed = [["v", labels()], ["m, axis=9", labels("", raises=DTYPES)]]
    entry, _ = agreement.summarize(observed, PARAMETERS, "tnp.f")
    assert entry["accepted"] == ["a"]


def test_a_dtype_for_which_numpy_always_raises_is_not_accepted() -> None:
    observed = [["v", labels("d", raises="D")], ["m", labels("d", raises="D")]]
    assert agreement.summarize(observed, PARAMETERS, "tnp.f")[0]["dtypes"] == "d"


@pytest.mark.parametrize("word", ["no error", "error TypeError", "crash", "hang", "value", "type", "structure"])
def test_nothing_else_counts_as_equal(word: str) -> None:
    observed = [["v", {**labels(), "d": word}]]
    assert "d" not in agreement.summarize(observed, PARAMETERS, "tnp.f")[0]["dtypes"]


def test_parameters_that_fail_together_are_all_refused() -> None:
    observed = [["v", labels()], ["m, axis=0", labels()], ["m, keepdims=True", labels()]]
    observed.append(["m, axis=0, keepdims=True", labels(shape="d")])
    entry, _ = agreement.summarize(observed, PARAMETERS, "tnp.f")
    assert {"axis", "keepdims"} - set(entry["accepted"])


def test_mixtures_within_the_accepted_dtypes_agree() -> None:
    observed = [["v, w", {**labels(), "bB": "dtype", "Bb": "dtype", "bH": "dtype", "ld": "equal"}]]
    entry, _ = agreement.summarize(observed, ["x1", "x2", "/"], "tnp.f")
    assert "b" not in entry["dtypes"]
    assert set("BHld") <= set(entry["dtypes"])


def test_calls_to_the_host_are_told_apart() -> None:
    observed = [["v", {**labels(), "F": "equal@"}], ["m, axis=0", {**labels(), "F": "equal@"}]]
    observed.append(["m, dtype=float", dict.fromkeys(DTYPES, "equal@")])
    entry, _ = agreement.summarize(observed, PARAMETERS, "rt.f")
    assert entry["dtypes"] == DTYPES
    assert entry["host_dtypes"] == "F"
    assert entry["host_parameters"] == ["dtype"]


def test_used_parameters() -> None:
    assert used_parameters("m, 0, keepdims=True", PARAMETERS) == {"a": "m", "axis": "0", "keepdims": "True"}
    assert used_parameters("'ij', m", ["*operands", "out=None"]) == {"operands": "'ij'"}


def test_every_case_is_meant_for_an_existing_api_and_returns_somewhere() -> None:
    known = surface.list_surface()
    assert not [api for api in all_cases() if api not in known]
    for api, cases in all_cases().items():
        outcomes = []
        for case in cases[:4]:
            with behaviour.quiet():
                outcomes += list(behaviour._run(case, known[api].get("parameters", [])))
        assert outcomes or "alias_of" in known[api] or len(cases) == 1, api


@pytest.mark.parametrize("char", DTYPES)
def test_arguments_have_the_dtype_and_are_fresh(char: str) -> None:
    first, second = fresh_arguments("v, w", char), fresh_arguments("v, w", char)
    assert first["v"].dtype.char == char
    first["v"][...] = 0
    assert second["v"].any()
    mixed = fresh_arguments("m, n", char, "d")
    assert (mixed["m"].dtype.char, mixed["n"].dtype.char) == (char, "d")
    assert operands("kn, v, b") == ("v",)


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("numpy.fill_diagonal", ("none", ["a"])),
        ("numpy.diagonal", ("view", [])),
        ("numpy.copy", ("fresh", [])),
        ("ndarray.byteswap", ("may-view", ["self"])),
        ("numpy.r_", ("fresh", [])),
        ("numpy.s_", ("may-view", [])),
    ],
)
def test_effects_are_measured(api: str, expected: tuple[str, list[str]]) -> None:
    measured = behaviour.measure(api, surface.list_surface()[api]["parameters"])
    assert measured is not None
    assert (measured.effect, measured.mutates) == expected


ENTRY = {"target": "rt.f", "accepted": ["a", "axis"], "dtypes": DTYPES}
KNOWN = ["a", "axis=None"]


def test_a_stage_that_agrees_everywhere_is_ok() -> None:
    observed = [["v", labels()], ["m, axis=0", labels("?lBdD")]]
    assert agreement.summarize_stage(observed, KNOWN, ENTRY) == "ok"


def test_a_silent_difference_takes_the_whole_class_of_dtypes() -> None:
    observed = [["v", labels()], ["s", labels("?lBD", value="d")], ["m, axis=0", labels("?lBdD")]]
    found = agreement.summarize_stage(observed, KNOWN, ENTRY)
    assert found == {"dtypes": "?bhilBHILFD", "differs": {"d": "value in 1 of 3: (s)"}}


def test_a_call_that_raises_takes_only_what_never_succeeds() -> None:
    observed = [["v", labels("?bhilBHILefd", error_X="FD")], ["s", labels("?lB", error_X="dD")]]
    observed.append(["m, axis=0", labels("", error_X="?lBdD")])
    found = agreement.summarize_stage(observed, KNOWN, ENTRY)
    assert found["dtypes"] == "?bhilBHILefd"
    assert found["accepted"] == ["a"]
    assert found["fails"]["d"] == "error X in 2 of 3: (s)"


def test_a_dtype_that_fails_where_its_class_succeeds_stands_alone() -> None:
    observed = [["v", labels("?bhilBHILfdFD", error_X="e")], ["m, axis=0", labels("?lBdD")]]
    assert agreement.summarize_stage(observed, KNOWN, ENTRY)["dtypes"] == "?bhilBHILfdFD"


def test_returning_where_numpy_raises_is_kept_apart() -> None:
    observed = [["v", labels()], ["m, axis=0", labels()], ["kbad", labels("", no_error="d")]]
    assert agreement.summarize_stage(observed, KNOWN, ENTRY) == {"unchecked": "(kbad)"}


def test_operators_keep_pairs_that_differ_in_a_stage() -> None:
    observed = [["v, w", {"dd": "equal", "ll": "error X"}], ["2, v", {"d": "value", "e": "error X"}]]
    found = agreement.summarize_operator(observed)
    assert found == {"pairs_bad": ["ll"], "weak_int_bad": "d", "example": "error X: (v, w) for ll"}
    assert agreement.summarize_operator([["v, 1j", {"D": "ulp:2"}]]) == "ok"


def test_stages_are_kept_for_what_they_were_measured_for() -> None:
    def entry(dtypes: str, *accepted: str, **stages: object) -> dict[str, dict[str, object]]:
        return {"tnp": {"target": "tnp.f", "dtypes": dtypes, "accepted": list(accepted), **stages}}

    old = {
        "numpy.f": entry("d", "a", traced="ok"), "numpy.g": entry("df", "a", traced="ok", compiled={"dtypes": "f"}),
        "numpy.h": entry("d", "a", traced="ok"), "numpy.i": entry("d", "a", compiled={"accepted": [], "fails": "x"}),
        "numpy.k": entry("d", "a", traced="ok"),
    }  # fmt: skip
    facts = {
        "numpy.f": entry("d", "a"), "numpy.g": entry("dfe", "a", "axis"), "numpy.h": {"rt": {"target": "rt.h"}},
        "numpy.i": entry("d"), "numpy.j": entry("d"), "numpy.k": entry(""),
    }  # fmt: skip
    stage_facts.keep(facts, old)
    assert facts == {
        "numpy.f": old["numpy.f"],
        "numpy.g": entry(
            "dfe", "a", "axis", traced={"dtypes": "df", "accepted": ["a"]}, compiled={"dtypes": "f", "accepted": ["a"]}
        ),
        "numpy.h": {"rt": {"target": "rt.h"}}, "numpy.i": entry("d", compiled={"fails": "x"}), "numpy.j": entry("d"),
        "numpy.k": entry(""),
    }  # fmt: skip


def test_one_graph_of_many_calls_tells_them_apart() -> None:
    pytest.importorskip("tensorflow")
    from np2tnp.probe.probed_calls import find_targets, import_runtime

    import_runtime()
    take, inv = find_targets("numpy.take")["rt"], find_targets("numpy.linalg.inv")["rt"]
    calls = [staged.make_call(Case("numpy.take", text, "d", "same"), "d", take) for text in ("v, [1, -1]", "v, [99]")]
    calls += [staged.make_call(Case("numpy.linalg.inv", "q", "dD", "solve"), char, inv) for char in "dD"]
    assert [call.expected.error if call else "" for call in calls] == [None, "IndexError", None, None]
    for stage, words in (
        ("traced", "equal raises equal equal"),
        ("compiled", "equal no equal error"),
    ):  # XLA drops assertions
        observed = staged.measure([c for c in calls if c], stage, ("a", "rt"), set(), lambda *_: None)
        found = {id(call): "equal" if word.startswith("ulp") else word.split()[0] for call, word in observed}
        seen = [found[id(call)] for call in calls]
        assert seen == words.split()


def test_eager_calls_are_made_on_the_device_that_is_named() -> None:
    """A second logical CPU stands for the GPU: what is said of it comes from calls that ran there."""
    pytest.importorskip("tensorflow")
    code = """
import json, tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from np2tnp.probe import facts_file, staged
from np2tnp.probe.probed_calls import import_runtime
import_runtime()
plan = staged.plan_calls("numpy.floor", facts_file.read()["apis"]["numpy.floor"])
ran = []
for target, calls in plan.items():
    call = calls[0]
    ran.append(staged.make_outcomes([call], "gpu", "/CPU:1")[0].value.device)
found = staged.observe("numpy.floor", plan, set(), lambda *_: None, "/CPU:1")
print(json.dumps([ran, found["rt"]["gpu"], "gpu" in staged.observe("numpy.floor", plan, set(), lambda *_: None)["rt"]]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    ran, on_device, without = json.loads(done.stdout.splitlines()[-1])
    assert all(device.endswith("CPU:1") for device in ran)
    words = {label for _, labels in on_device for label in labels.values()}
    assert {"equal"} <= words <= {"equal", "raises", "error UnverifiedError"}  # where= without out=: NumPy's work
    assert not without


def test_measuring_again_changes_nothing() -> None:
    pytest.importorskip("tensorflow")
    command = [sys.executable, "-W", "ignore", "-m", "np2tnp.commands.probe", "--diff", "-j1"]
    for name in ("numpy.sqrt", "numpy.take", "numpy.transpose"):
        command += ["--only", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout == ""


def test_the_probe_measures_one_name_into_another_file(tmp_path: Path) -> None:
    target = tmp_path / "facts.json"
    command = [sys.executable, "-m", "np2tnp", "probe", "--only", "numpy.floor", "--facts", str(target), "-j1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    measured = json.loads(target.read_text(encoding="utf-8"))["apis"]
    assert measured["numpy.floor"]["rt"]["target"] == "rt.floor"
    assert measured["numpy.floor"] == catalog_facts()["numpy.floor"]


def catalog_facts() -> dict[str, dict[str, object]]:
    apis: dict[str, dict[str, object]] = facts_file.read()["apis"]
    return apis


#: Parameters that no call of the tables has, and why.
WITHOUT_CASE = {
    "correction of std": "ndarray.std tells a parameter that it does not take", "correction of var": "the same",
    "einsum_call of einsum_path": "NumPy's own", "b of at": "ufuncs of one operand take none",
    "like of require": "it takes no ndarray",
    "descending": "new in NumPy 2.5; facts are of NumPy 2.4", "check_bounds": "the same",
}  # fmt: skip


def test_the_cases_use_every_parameter_of_numeric_functions() -> None:
    known, catalog = surface.list_surface(), load()
    missing = []
    for api, listed in all_cases().items():
        fact, decided = known.get(api, {}), catalog.get(api)
        is_method = api.startswith("ndarray.") and not fact.get("mutates")
        of_arrays = is_method or (fact.get("kind") in ("function", "ufunc") and api.startswith("numpy."))
        if not of_arrays or decided is None or decided.prefer == "numpy" or _is_elsewhere(api):
            continue
        texts = surface.call_parameters(api, fact)
        used = {name for case in listed for name in used_parameters(case.call, texts)}
        if fact["kind"] == "ufunc" and "axes" in used:  # matmul and its like, which share the ufuncs' implementation
            used |= {"where", "signature"}
        member = api.rpartition(".")[2]
        missing += [
            f"{name} of {api}" for name in surface.parameter_names(texts)
            if name not in used and not {name, f"{name} of {member}"} & WITHOUT_CASE.keys()
        ]  # fmt: skip
    assert not missing


def _is_elsewhere(api: str) -> bool:
    """Names that do no work on arrays' values, and random numbers, which stay NumPy's."""
    return api.startswith(("numpy.random.", "numpy.testing.")) or api in {
        "ndarray.tofile", "ndarray.setflags", "ndarray.setfield", "ndarray.to_device",
    }  # fmt: skip


#: A child that notes what it is asked for, and dies in numpy.g's call until it is told to skip that.
CHILD = """#!{python}
import json, os, sys
job = json.load(sys.stdin)
with open({log!r}, "a") as stream:
    stream.write(json.dumps([job["apis"], job["skip"]]) + "\\n")
print(json.dumps(["ready"]), flush=True)
for api in job["apis"]:
    culprit = [api, "tnp", "v", "efd"]
    print(json.dumps(["start", *culprit]), flush=True)
    if api == "numpy.g" and culprit not in job["skip"]:
        os.abort()
    print(json.dumps(["done", api, "seen"]), flush=True)
"""


def test_a_child_that_dies_costs_one_call_and_what_was_seen_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, saved, script = tmp_path / "log", tmp_path / "observations", tmp_path / "child"
    script.write_text(CHILD.format(python=sys.executable, log=str(log)), encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    names = ["numpy.f", "numpy.g", "numpy.h"]
    assert probe.measure("eager", names, 1, saved) == dict.fromkeys(names, "seen")
    culprit = ["numpy.g", "tnp", "v", "efd"]
    assert [json.loads(line) for line in log.read_text().splitlines()] == [[names, []], [names[1:], [culprit]]]
    log.unlink()
    assert probe.measure("eager", names, 1, saved) == dict.fromkeys(names, "seen")
    assert not log.exists()
    assert probe.measure("staged", ["numpy.h"], 1, saved) == {"numpy.h": "seen"}
    assert len(log.read_text().splitlines()) == 1


def test_observations_of_a_run_that_was_killed_and_of_other_versions_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, saved, script = tmp_path / "log", tmp_path / "observations", tmp_path / "child"
    script.write_text(CHILD.format(python=sys.executable, log=str(log)), encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    probe.measure("eager", ["numpy.f"], 1, saved)
    saved.write_text(saved.read_text() + '["eager", "numpy.h", {"tnp": [["v", "e"]')
    for _ in range(2):
        assert probe.measure("eager", ["numpy.f", "numpy.h"], 1, saved) == {"numpy.f": "seen", "numpy.h": "seen"}
    assert [json.loads(line)[0] for line in log.read_text().splitlines()] == [["numpy.f"], ["numpy.h"]]
    monkeypatch.setattr(probe.facts_file, "installed_versions", lambda: {"numpy": "1.0"})
    assert probe.measure("eager", ["numpy.f"], 1, saved) == {"numpy.f": "seen"}
    assert len(log.read_text().splitlines()) == 3


def test_a_call_that_killed_its_process_is_a_difference() -> None:
    pytest.importorskip("tensorflow")
    call = all_cases()["numpy.floor"][0].call
    seen = child.observe("numpy.floor", {("numpy.floor", "tnp", call, "efd")}, lambda *_: None)
    labels = dict(seen["tnp"])[call]
    assert {labels[char] for char in "efd"} == {"crash"}
    entry, _ = agreement.summarize(seen["tnp"], surface.list_surface()["numpy.floor"]["parameters"], "tnp.floor")
    assert not set("efd") & set(entry["dtypes"])


@pytest.mark.parametrize(
    ("name", "said"), [("numpy.flor", "did you mean `numpy.floor`"), ("operator.getitme", "operator.getitem")]
)
def test_a_name_that_is_not_measured_is_an_error(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--only", name]) == 2
    assert said in capsys.readouterr().err


def test_an_operator_that_tensors_have_needs_no_attempt():
    assert not probe._needs_attempt({"kind": "method", "tnp": {"target": "operator"}})
    assert probe._needs_attempt({"kind": "method", "tnp": {"target": "tnp.add", "dtypes": ""}})


def test_functions_of_an_operators_name_are_no_operators():
    assert operator_pairs.has_pairs("operator.add")
    assert operator_pairs.has_pairs("operator.invert")
    assert not operator_pairs.has_pairs("numpy.add")
    assert not operator_pairs.has_pairs("operator.iadd")
