"""``verify``: right rewrites are EQUAL, wrong ones DIFFERENT, and nothing is claimed that was not seen."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest
from verify_texts import HEAD, LIMITS, NEW_HEAD

from np2tnp.cli import main
from np2tnp.config import Config
from np2tnp.report.progress import Stages
from np2tnp.verify.program import FunctionResult, FunctionVerdict, Limits, Verifier, verify_pair
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions, find_pair

pytestmark = pytest.mark.usefixtures("forked_children")

ROOT = Path(__file__).parents[2]

#: Calls have a second or less here, which a busy machine may use up: a fault fails each time, chance does not.
within_seconds = pytest.mark.flaky(reruns=4)

EXAMPLE = '"""E to the x.\\n\\n    >>> explained(np.arange(5.0), \\"sesame\\")\\n    array(...)\\n    """'

#: name: (original, right rewrite)
RIGHT = {
    "sigmoid": (
        "def sigmoid(x):\n    return 1 / (1 + np.exp(-x))",
        "@rt.migrated\ndef sigmoid(x):\n    return 1 / (1 + tnp.exp(-x))",
    ),
    "relax": (
        """
def relax(field: np.ndarray, steps: int):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()
""",
        """
@rt.migrated(mutates=("field",), refuses={"field": "?"})
def relax(field: np.ndarray, steps: int):
    for _ in range(steps):
        field = rt.at(field)[1:-1].set(0.5 * (rt.at(field)[:-2].get() + rt.at(field)[2:].get()))
    return rt.updated(rt.sum(field), field=field)
""",
    ),
    "product": ("def product(a, b):\n    return a @ b", "@rt.migrated\ndef product(a, b):\n    return rt.matmul(a, b)"),
    "chatty": (
        "def chatty(x: np.ndarray):\n    print(f'mean {x.mean():.3f}')\n    return x * 2.0",
        "@rt.migrated\ndef chatty(x: np.ndarray):\n    print(f'mean {rt.host(rt.mean(x)):.3f}')\n    return 2.0 * x",
    ),
    "locked": (  # only its caller knows the key
        "def locked(x, key):\n    if key != ('a', 3): raise KeyError(key)\n    return np.exp(x)",
        "@rt.migrated\ndef locked(x, key):\n    if key != ('a', 3): raise KeyError(key)\n    return rt.exp(x)",
    ),
    "opens": (
        "def opens(x: np.ndarray):\n    return 2.0 * locked(x, ('a', 3))",
        "@rt.migrated\ndef opens(x: np.ndarray):\n    return 2.0 * locked.core(x, ('a', 3))",
    ),
    "explained": (
        f"def explained(x, key):\n    {EXAMPLE}\n    if key != 'sesame': raise KeyError(key)\n    return np.exp(x)",
        f"@rt.migrated\ndef explained(x, key):\n    {EXAMPLE}\n    return rt.exp(x)",
    ),
    "Scaler.fit": (
        """
class Scaler:
    def __init__(self, eps=1e-9):
        self.eps = eps
        self.mean = None
    def fit(self, X):
        self.mean = X.mean(axis=0)
        self.std = X.std(axis=0) + self.eps
        return self
    def transform(self, X):
        return (X - self.mean) / self.std
""",
        """
class Scaler:
    def __init__(self, eps=1e-9):
        self.eps = eps
        self.mean = None
    @rt.migrated
    def fit(self, X):
        self.mean = rt.host(rt.mean(X, axis=0))
        self.std = rt.host(rt.add(rt.std(X, axis=0), self.eps))
        return self
    @rt.migrated
    def transform(self, X):
        return rt.divide(rt.subtract(X, rt.tensor(self.mean)), rt.tensor(self.std))
""",
    ),
}

#: name: (original, wrong rewrite, what the report must say)
WRONG = {
    "wrong_axis": ("def wrong_axis(x):\n    return x.sum(axis=0)", "return tnp.sum(x, axis=-1)", ""),
    "lost_dtype": ("def lost_dtype(x):\n    return np.exp(x)", "return tnp.exp(rt.astype(x, np.float32))", "dtype"),
    "missed_mutation": (
        "def missed_mutation(x):\n    x *= 2.0\n    return x.sum()",
        "return tnp.sum(x * 2.0)",
        "x after",
    ),
    "off_by_one": ("def off_by_one(x):\n    return x[1:].sum()", "return tnp.sum(x[2:])", ""),
    "nan_handling": ("def nan_handling(x):\n    return np.maximum(x, 0.5)", "return tnp.where(x > 0.5, x, 0.5)", ""),
    "negative_zero": (
        "def negative_zero(x):\n    return np.arctan2(-0.0 * np.abs(x), -1.0 - np.abs(x))",
        "return tnp.arctan2(0.0 * tnp.abs(x), -1.0 - tnp.abs(x))",
        "",
    ),
    "tuple_or_list": ("def tuple_or_list(x):\n    return x.min(), x.max()", "return [tnp.min(x), tnp.max(x)]", "list"),
    "wrong_print": (
        "def wrong_print(x):\n    print(x.shape)\n    return x + 1.0",
        "print(list(rt.shape(x)))\n    return x + 1.0",
        "prints",
    ),
    "wrong_exception": (
        "def wrong_exception(x: np.ndarray):\n    if x.ndim != 2:\n        raise ValueError('no')\n    return x * 2.0",
        "if x.ndim != 2:\n        raise TypeError('no')\n    return x * 2.0",
        "TypeError",
    ),
    "swallowed": (
        "def swallowed(x: np.ndarray):\n    if x.size == 0:\n        raise ValueError('empty')\n    return np.tanh(x)",
        "return rt.tanh(x)",
        "returns",
    ),
    "lost_rows": (
        "def lost_rows(x: np.ndarray):\n    return x.reshape(-1)[x.reshape(-1) > 0]",
        "return tnp.reshape(x, [-1])[tnp.reshape(x, [-1]) >= -0.1]",
        "",
    ),
    "float_floor": ("def float_floor(x):\n    return x // 0.1", "return tnp.floor(x / 0.1)", ""),
    "wrong_ddof": ("def wrong_ddof(x):\n    return np.std(x, ddof=1)", "return tnp.std(x)", ""),
    "tie_break": (
        "def tie_break(x: np.ndarray):\n    return int(np.argmax(x))",
        "return int(rt.host(rt.size(x) - 1 - tnp.argmax(x[::-1])))",
        "",
    ),
    "global_state": (
        "CALLS = [0]\n\ndef global_state(x):\n    CALLS[0] += 1\n    return np.sin(x)",
        "return tnp.sin(x)",
        "CALLS",
    ),
    "extra_write": (
        "def extra_write(x: np.ndarray, y: np.ndarray):\n    return x + y",
        "y[...] = 0\n    return rt.tensor(x) + rt.tensor(y)",
        "",
    ),
    "precision": (
        "def precision(x):\n    return np.sqrt(x * x + 1.0)",
        "return rt.astype(tnp.sqrt(rt.astype(x * x + 1.0, np.float32)), np.float64)",
        "",
    ),
    "scalar_type": ("def scalar_type(x):\n    return float(x.sum())", "return tnp.sum(x)", "type"),
    "leaked_tensor": ("def leaked_tensor(x):\n    return {'sum': [x.sum()], 'n': 1}", "return Holder(tnp.sum(x))", ""),
}


def pair_of(original: str, rewritten: str) -> Pair:
    return Pair("program_under_test.py", HEAD + original, NEW_HEAD + rewritten, "test")


@pytest.fixture(scope="module")
def right_results() -> dict[str, object]:
    original = "\n".join(textwrap.dedent(old) for old, _ in RIGHT.values())
    rewritten = "\n".join(textwrap.dedent(new) for _, new in RIGHT.values())
    names = [*RIGHT, "Scaler.transform"]
    return {it.name: it for it in verify_pair(pair_of(original, rewritten), names, LIMITS)}


@pytest.mark.parametrize("name", [*RIGHT, "Scaler.transform"])
def test_a_right_rewrite_is_equal(name, right_results):
    result = right_results[name]
    assert result.verdict is FunctionVerdict.EQUAL, (result.reason, result.difference, result.code)
    assert result.counts["equal"] >= LIMITS.count
    assert result.operations > 0


@pytest.fixture(scope="module")
def wrong_results() -> dict[str, object]:
    original, rewritten = [], ["class Holder:\n    def __init__(self, x):\n        self.x = x\n"]
    for name, (old, body, _) in WRONG.items():
        original.append(old)
        start = old[: old.index("def ")] + old[old.index("def ") : old.index("\n", old.index("def "))]
        decorator = "" if name == "extra_write" else "@rt.migrated\n"
        rewritten.append(start.replace("def ", decorator + "def ") + "\n    " + body)
    pair = pair_of("\n\n".join(original), "\n\n".join(rewritten))
    return {it.name: it for it in verify_pair(pair, list(WRONG), LIMITS)}


@pytest.mark.parametrize("name", list(WRONG))
def test_a_wrong_rewrite_is_different(name, wrong_results):
    result = wrong_results[name]
    assert result.verdict is FunctionVerdict.DIFFERENT, (result.counts, result.reason)
    assert WRONG[name][2] in result.difference
    assert f"import {name}" in result.code
    compile(result.code, "reproduction", "exec")


#: name: (original, rewritten, what the reason must say): nothing can be claimed about these
UNTESTED = {
    "idle": (
        "def idle(x):\n    return np.sin(x)",
        "def idle(x):\n    y = np.sin(x)\n    return y",
        "TensorFlow did no work",
    ),
    "picky": ("def picky(x):\n    raise KeyError(x.unheard_of)", "def picky(x):\n    return 1", "AttributeError"),
    "dice": (
        "def dice(x: np.ndarray):\n    return x + np.random.default_rng().random(x.shape)",
        "@rt.migrated\ndef dice(x: np.ndarray):\n    return x + np.random.default_rng().random(tuple(x.shape))",
        "call to call",
    ),
    "shy": (
        "def shy(x: np.ndarray):\n    return x * 2",
        "@rt.migrated\ndef shy(x: np.ndarray):\n    raise rt.UnverifiedError('not today')",
        "not today",
    ),
}


@pytest.fixture(scope="module")
def untested_results() -> dict[str, object]:
    pair = pair_of(*("\n\n".join(row[i] for row in UNTESTED.values()) for i in (0, 1)))
    return {it.name: it for it in verify_pair(pair, list(UNTESTED), LIMITS)}


@pytest.mark.parametrize("name", list(UNTESTED))
def test_what_was_not_seen_is_not_claimed(name, untested_results):
    result = untested_results[name]
    assert result.verdict is FunctionVerdict.UNTESTED, result.difference
    assert UNTESTED[name][2] in result.reason


@within_seconds
def test_a_program_that_ends_or_hangs_is_only_a_result():
    old = "def hang(x):\n    return x.sum()\n\ndef die(x):\n    return x.sum()\n\ndef fine(x):\n    return np.cos(x)"
    new = """
import os, time

@rt.migrated
def hang(x):
    time.sleep(100)

@rt.migrated
def die(x):
    os._exit(3)

@rt.migrated
def fine(x):
    return rt.cos(x)
"""
    limits = Limits(search=1.0, seconds=0.5)
    hang, die, fine = verify_pair(pair_of(old, new), ["hang", "die", "fine"], limits)
    assert hang.verdict is FunctionVerdict.UNTESTED
    assert "longer" in hang.reason
    assert die.verdict is FunctionVerdict.DIFFERENT
    assert "exit status 3" in die.difference
    assert fine.verdict is FunctionVerdict.EQUAL


@within_seconds
def test_a_slow_function_gets_its_time_and_no_more():
    old = "import time\n\ndef slow(x):\n    time.sleep(0.5)\n    return np.exp(x)"
    new = "import time\n\n@rt.migrated\ndef slow(x):\n    time.sleep(0.5)\n    return rt.exp(x)"
    limits = Limits(search=2.0, seconds=2.0, budget=20.0)  # a trial of the search has a fifth of the seconds
    (result,) = verify_pair(pair_of(old, new), ["slow"], limits)
    assert result.verdict is FunctionVerdict.EQUAL, result.reason
    (cut,) = verify_pair(pair_of(old, new), ["slow"], replace(limits, budget=1.0))
    assert cut.verdict is FunctionVerdict.UNTESTED
    assert cut.reason.startswith("only "), cut.reason
    assert cut.reason.endswith("within 1 s (--budget)")


@pytest.mark.parametrize("option", ["-n 0", "--timeout -1", "--budget 0", "--memory 1", "--seed -1"])
def test_numbers_that_mean_nothing_are_refused(option, capsys):
    assert main(["verify", "m.py", *option.split()]) == 2
    assert option.split()[0] in capsys.readouterr().err


def test_only_changed_functions_are_listed():
    pair = pair_of(
        "def f(x):\n    return x\n\ndef g(x):\n    return x", "def f(x):\n    return x\n\ndef g(x):\n    return +x"
    )
    assert changed_functions(pair) == (["g"], ["f"])


def test_the_original_is_the_last_version_without_the_runtime(tmp_path):
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    file = tmp_path / "m.py"
    git("init", "-q")
    for text in ("import numpy as np\n", "import numpy as np\nfrom np2tnp import runtime as rt\n"):
        file.write_text(text)
        git("add", "m.py")
        git("commit", "-qm", "x")
    pair = find_pair(str(file), None, Config())
    assert pair.original == "import numpy as np\n"
    assert pair.source.startswith("git ")


def test_a_rewritten_file_without_history_needs_the_original(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("from np2tnp import runtime as rt\n")
    with pytest.raises(CannotVerify, match="--original"):
        find_pair(str(file), None, Config())


@pytest.mark.usefixtures("new_children")
def test_the_command_line(tmp_path):
    (tmp_path / "old.py").write_text(HEAD + "def f(x):\n    return np.sin(x)\n\ndef g(x):\n    return x\n")
    (tmp_path / "new.py").write_text(
        NEW_HEAD + "@rt.migrated\ndef f(x):\n    return tnp.cos(x)\n\ndef g(x):\n    return x\n"
    )
    command = [sys.executable, "-m", "np2tnp", "verify", "new.py", "--original", "old.py"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*command, "--json"], cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["functions"][0]["verdict"] == "DIFFERENT"
    assert found["not_rewritten"] == ["g"]
    done = subprocess.run(
        [*command, "nobody"], cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 2
    assert "nobody" in done.stderr


def test_what_the_original_answered_is_not_taken_for_tensorflows(tmp_path):
    path = tmp_path / "old.py"
    path.write_text(HEAD + "def f(x):\n    return np.sin(x)\n")
    new = NEW_HEAD + (
        "def _f_numpy(x):\n    return np.sin(x)\n\n"
        '@rt.migrated(original=_f_numpy, on_unverified="numpy", pure=True, above=0)\n'
        "def f(x):\n    tnp.cos(x)\n    raise ValueError('not in NumPy')\n"
    )
    (it,) = verify_pair(Pair(str(path), path.read_text(), new, "test"), ["f"], LIMITS)
    assert it.verdict is FunctionVerdict.UNTESTED
    assert "TensorFlow" in it.reason


@pytest.mark.parametrize(
    ("kinds", "reason"),
    [
        ({"unstable": 3}, "last bit decides"),
        ({"unstable": 3, "equal": 2}, "only 2 of the 5"),
        ({"unstable": 3, "equal without TensorFlow": 2}, "TensorFlow did no work"),
        ({}, "only 0 of the 5"),
    ],
)
def test_the_reason_says_what_stands_in_the_way_of_equal(kinds, reason):
    result = FunctionResult("f")
    result.counts.update(kinds)
    Verifier(pair_of("", ""), LIMITS)._conclude(result, takes_arguments=True)
    assert result.verdict is FunctionVerdict.UNTESTED
    assert reason in result.reason


@within_seconds
@pytest.mark.parametrize(
    "end",
    ["os._exit(3)", "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); time.sleep(60)"],
)
def test_calls_that_the_search_does_not_survive_are_not_tried_again(end):
    head = "import os, signal, time\n\n"
    deadly = "x.ndim == 1 and x.dtype == float and (x < 0).any()"
    body = f"def risky(x: np.ndarray):\n    if {deadly}:\n        {end}\n    return np.exp(x)"
    limits = Limits(search=1.0, seconds=2.0)
    (it,) = verify_pair(
        pair_of(head + body, f"{head}@rt.migrated\n{body.replace('np.exp', 'rt.exp')}"), ["risky"], limits
    )
    assert it.verdict is FunctionVerdict.EQUAL, it.reason


def test_what_is_done_is_told_before_the_first_result():
    body = "def f(x: np.ndarray):\n    return np.exp(x)"
    told: list[str] = []
    at_results: list[int] = []
    pair = pair_of(body, f"@rt.migrated\n{body.replace('np.exp', 'rt.exp')}")
    shares: list[float] = []

    def stage(what: str, share: float) -> None:
        told.append(what)
        shares.append(share)

    verify_pair(pair, ["f"], LIMITS, lambda result: at_results.append(len(told)), stage)
    assert told[0] == "1 of 1 function, f: loading the original program"
    assert any("TensorFlow" in what for what in told[: at_results[0]])
    assert any(what.startswith("1 of 1 function, f: input 2 of ") for what in told)
    assert shares == sorted(shares)
    assert shares[0] == 0 < shares[-1] < 1


@pytest.mark.parametrize("quiet", [False, True])
def test_long_stages_are_told_while_they_last(capsys, quiet):
    said = ""
    with Stages(quiet, first=0.01, every=0.01) as stage:
        stage("looking for inputs")
        for _ in range(500):
            said += capsys.readouterr().err
            if said.count("\n") > 1 or quiet:
                break
            time.sleep(0.01)
    said += capsys.readouterr().err
    assert ("np2tnp: looking for inputs (" in said) is not quiet
    assert not quiet or not said


def test_the_time_left_is_told(capsys):
    said = ""
    with Stages(False, first=0.01, every=0.01) as stage:
        stage("running it", expected=600)
        for _ in range(500):
            said += capsys.readouterr().err
            if "left" in said:
                break
            time.sleep(0.01)
        stage.begin()
        capsys.readouterr()
        time.sleep(0.2)
        stage("comparing", share=0.1)  # of which nine times as much is left
        time.sleep(0.1)
    assert "running it (0 s, about 10 min left)" in said
    assert "comparing (0 s, about 2 s left)" in capsys.readouterr().err
