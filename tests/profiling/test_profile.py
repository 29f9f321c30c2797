"""``profile FILE:FUNCTION`` and ``doctor``, as commands."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from result_files import check, read_result

from np2tnp.commands.profile import make_plan
from np2tnp.config import Config
from np2tnp.options import add_profile

pytestmark = pytest.mark.usefixtures("forked_children")

ROOT = Path(__file__).parents[2]

BODY = """
def sigmoid(x):
    return 1 / (1 + {}.exp(-x))
"""
ORIGINAL = "import numpy as np\n" + BODY.format("np")
REWRITTEN = "import tensorflow.experimental.numpy as tnp\nfrom np2tnp import runtime as rt\n" + BODY.format(
    "tnp"
).replace("def", "@rt.migrated\ndef")


def run_cli(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", "np2tnp", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def test_the_command_writes_the_result_and_the_charts(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "old.py").write_text(ORIGINAL)
    (tmp_path / "new.py").write_text(REWRITTEN)
    done = run_cli(
        tmp_path,
        *(
            "profile",
            "new.py:sigmoid",
            "--original",
            "old.py",
            "--size",
            "n=10..1000",
            "--arg",
            "x=rng.standard_normal(n)",
        ),
        *("--budget", "0.05", "--repeats", "5", "--device", "cpu"),
    )
    assert done.returncode == 0, done.stderr
    document = read_result(tmp_path / "np2tnp-profile.json")
    assert document["complete"]
    trials = document["functions"][0]["trials"]
    assert {trial["size"] for trial in trials} >= {10, 100, 1000}
    assert all(trial["verdict"] in {"FASTER", "SLOWER", "SAME", "UNSURE"} for trial in trials)
    for name in ("time", "rate", "relative", "parts", "transfer", "first-call"):
        assert (tmp_path / f"np2tnp-profile-{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / f"np2tnp-profile-{name}.svg").read_text()
    for trial in trials:
        assert trial["verdict"] in done.stdout


@pytest.mark.usefixtures("new_children")
def test_a_long_name_does_not_widen_a_chart(tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    widths = []
    for name in ("f", "function_" * 12):
        trial = {
            "variant": "eager-tensor",
            "device": "CPU:0",
            "size": 10,
            "elements": 10,
            "seconds": {"median": 1e-3, "q1": 1e-3, "q3": 1e-3},
            "numpy": {"median": 1e-3, "q1": 1e-3, "q3": 1e-3},
            "ratio": {"value": 1.0, "low": 0.9, "high": 1.1},
            "first_call": 0.1,
            "transfer": None,
            "verdict": "SAME",
            "pays_after": None,
        }
        function = {"function": name, "size_name": "n", "trials": [trial, {**trial, "size": 100, "elements": 100}]}
        environment = {"cpu": "a CPU", "cores": 2, "tensorflow": "2.21", "numpy": "2", "tf32": False}
        document = {"functions": [function], "environment": environment, "created": "2026-01-01T00:00:00"}
        (tmp_path / "result.json").write_text(json.dumps(document))
        command = [sys.executable, "-m", "np2tnp.profiling.charts", "function", str(tmp_path / "result.json")]
        done = subprocess.run(
            [*command, str(tmp_path / "chart")], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        widths.append(imread(tmp_path / "chart-first-call.png").shape[1])
    assert widths[1] < 1.1 * widths[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("profile", "new.py:nobody", "--original", "old.py"), "nobody"),
        (("profile", "new.py:sigmoid", "--original", "old.py", "--size", "n=x"), "--size"),
        (("profile", "new.py:sigmoid", "--original", "old.py", "--arg", "x"), "NAME=EXPRESSION"),
        (("profile", "new.py:sigmoid", "--repeats", "0"), "--repeats: 0 is not a whole number of at least 1"),
        (("profile", "new.py:sigmoid", "--budget", "nan"), "--budget: nan is not a number above 0"),
        (("profile", "absent.py:f"), "absent.py"),
        (("profile", "broken.py:f"), "broken.py:2:7: syntax error"),
        (("profile", "new.py:sigmoid", "--original", "broken.py"), "broken.py:2:7: syntax error"),
        (("profile", "new.py:sigmoid", "--original", "old.py", "--inputs", "old.py"), "--inputs old.py: "),
        (("verify", "broken.py"), "broken.py:2:7: syntax error"),
        (("verify", "new.py", "--original", "old.py", "--inputs", "no.npz"), "--inputs no.npz: "),
        (("profile",), "FILE:FUNCTION"),
    ],
)
def test_wrong_command_lines_are_one_line_and_status_2(tmp_path, arguments, said):
    (tmp_path / "old.py").write_text(ORIGINAL)
    (tmp_path / "new.py").write_text(REWRITTEN)
    (tmp_path / "broken.py").write_text("import numpy as np\ndef f(:\n")
    done = run_cli(tmp_path, *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("new_children")
def test_doctor_reports_devices_that_were_tried(tmp_path):
    done = run_cli(tmp_path, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["devices"][0]["name"] == "CPU:0"
    assert report["devices"][0]["works"] is True
    assert report["tensorflow"]["numpy"]


def test_doctor_works_without_tensorflow(tmp_path):
    program = (
        "import sys, importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name in ('tensorflow', 'numpy') else real(name, *a)\n"
        "from np2tnp.cli import main\n"
        "sys.exit(main(['doctor']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 2
    assert "pip install 'np2tnp[tf]'" in " ".join(done.stdout.split())


def test_the_basics_are_a_valid_result(tmp_path):
    arguments = ("--size", "n=16", "--repeats", "1", "--budget", "0.01", "--device", "cpu", "--no-charts")
    done = run_cli(tmp_path, "profile", "--suite", "basics", *arguments, "--output", "basics")
    assert done.returncode == 0, done.stderr
    document = read_result(tmp_path / "basics" / "np2tnp-profile.json")
    assert [function["function"] for function in document["functions"]] == ["sort", "tanh", "sigmoid", "fft", "matmul"]
    assert {trial["size"] for trial in document["functions"][0]["trials"]} == {16}
    assert {trial["size"] for trial in document["functions"][-1]["trials"]} == {4}  # the edge of 16 elements

    trial = document["functions"][0]["trials"][0]
    with pytest.raises(AssertionError, match="verdict"):
        check({**document, "functions": [{**document["functions"][0], "trials": [{**trial, "agreed": False}]}]})
    with pytest.raises(AssertionError, match="dtype"):
        check({key: value for key, value in document.items() if key != "dtype"})


def test_what_rewrite_keeps_as_slow_is_timed_in_every_form(tmp_path):
    path = tmp_path / "m.py"
    path.write_text(
        "import numpy as np\n\n\ndef f(n: int):\n    a = np.zeros(n)\n    for i in range(1, n):\n"
        "        a[i] = np.sin(a[i - 1]) + 1.0\n    return a\n"
    )
    parser = argparse.ArgumentParser()
    add_profile(parser)
    plan = make_plan(parser.parse_args([f"{path}:f", "--size", "n=10"]), Config(root=str(tmp_path)))
    texts = [plan.pair.rewritten, *(form.text for form in plan.compiled)]
    assert [text.count("@rt.migrated") for text in texts] == [1, 1, 1]
    assert [text.count("rt.fori_loop(") for text in texts] == [0, 1, 1]
