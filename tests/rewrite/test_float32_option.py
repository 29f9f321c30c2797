"""``--float32``: what is emitted, what is said about it, what it is compared with, and where it is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import Pair, rewrite

from np2tnp import runtime as rt
from np2tnp.cli import main
from np2tnp.config import EMISSION
from np2tnp.runtime.base import precision

TEXT = """
import numpy as np


def normal(x):
    y = x - x.mean()
    return y / np.sqrt((y * y).mean() + 1e-12)


def settle(x, tol=1e-9):
    while np.abs(x).max() > tol:
        x = x * 0.5
    return x


def integrate(rate, n):
    t = np.linspace(0.0, 1.0, n)
    steps = np.arange(n) / n
    return np.cumsum(np.exp(-rate * t)) + steps, t.dtype, t.nbytes


def brighten(image, gain):
    image[1:] *= gain
    return image


class Model:
    def __init__(self, n):
        self.w = np.full((n, n), 0.1)
        self.seen = 0

    def forward(self, x):
        return np.tanh(x @ self.w)

    def learn(self, x, y, rate=0.1):
        error = self.forward(x) - y
        self.w -= rate * np.outer(x, error)
        self.seen += 1
        return (error ** 2).sum()


def train(x, y, steps):
    model = Model(x.shape[0])
    losses = [model.learn(x, y) for _ in range(steps)]
    return model.w, np.array(losses), model.seen


def report(x):
    return f"{np.mean(x):.3f} of {x.dtype}", np.argmax(x), x > 0.5


def choose(n, seed):
    rng = np.random.default_rng(seed)
    draws = rng.normal(size=n)
    return np.sort(draws)[:3], rng.integers(0, 10, 3)
"""
CALLS = [
    "normal(np.linspace(0.1, 7.3, 50))",
    "normal(np.arange(12))",
    "settle(np.array([0.3, 0.7]))",
    "integrate(1.7, 40)",
    "integrate(np.float64(0.3), 40)",
    "brighten(np.linspace(0.1, 0.9, 12).reshape(4, 3), 1.3)",
    "train(np.linspace(0.1, 1.0, 5), np.linspace(1.0, 0.0, 5), 4)",
    "report(np.linspace(0.05, 0.97, 20))",
    "choose(30, 7)",
]


def options(name: str, **more: object) -> str:
    """The decorator of one function of TEXT under --float32."""
    lines = (rewrite(TEXT, float32=True, **more).new_text or "").splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip().startswith(f"def {name}("))
    begin = max(number for number in range(at) if lines[number].lstrip().startswith("@"))
    return " ".join(lines[begin:at])


def test_functions_agree_as_float32_does() -> None:
    from side_by_side import Call

    rt.start()  # which takes longer than a call may
    precision.RUNS.clear()
    pair = Pair(TEXT, rewrite(TEXT, float32=True).new_text or "")
    found = pair.compare(Call.parse(call) for call in CALLS)
    assert [(call, judged.detail) for call, judged in zip(CALLS, found, strict=True) if judged.kind != "equal"] == []
    assert precision.RUNS["float32"] >= len(CALLS) - 1
    exact = {call for call, judged in zip(CALLS, found, strict=True) if not judged.warnings}
    assert exact == {"settle(np.array([0.3, 0.7]))"}
    assert all("float32" in words for judged in found for words in judged.warnings)


def test_what_float32_does_not_explain_is_different() -> None:
    from side_by_side import Call

    new = (rewrite(TEXT, float32=True).new_text or "").replace("tnp.exp(", "tnp.expm1(").replace("tnp.tanh", "tnp.sin")
    found = Pair(TEXT, new).compare(Call.parse(call) for call in CALLS if call.startswith(("integrate", "train")))
    assert {judged.kind for judged in found} == {"different"}


def test_every_function_says_that_its_values_change() -> None:
    report = rewrite(TEXT, float32=True)
    said = {finding.region for finding in report.findings if finding.code == "TNP310"}
    stays = {finding.region for finding in report.findings if finding.code == "TNP311"}
    assert stays == {"settle"}
    assert said == {region.qualname for region in report.regions if region.state.value == "convertible"} - stays
    assert not [finding for finding in rewrite(TEXT).findings if finding.code in ("TNP310", "TNP311")]


def test_the_decorator_says_it() -> None:
    assert "float32=True" in options("normal")
    assert "float32=True" in options("learn")
    assert "float32" not in options("settle")
    both = options("normal", compile="xla", device="/CPU:0")
    assert 'compile="xla", float32=True, device="/CPU:0"' in both
    assert "float32" not in (rewrite(TEXT).new_text or "")


@pytest.mark.parametrize("flags", [["--boundary", "tensor"], ["--top-level"]])
def test_it_needs_a_boundary(flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.py"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["rewrite", "--float32", *flags, str(file)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "--float32 needs a boundary" in error


def test_reports_have_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.py"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["rewrite", "--isolated", "--float32", "--slow", "convert", str(file)]) == 0
    assert "functions in float32: values change" in capsys.readouterr().err
    assert main(["rewrite", "--isolated", str(file)]) == 0
    assert "float32" not in capsys.readouterr().err
    assert main(["check", "--isolated", "--float32", "--exit-zero", "--output-format", "json", str(file)]) == 0
    report = json.loads(capsys.readouterr().out)
    flagged = {finding["region"] for finding in report["findings"] if finding["code"] == "TNP310"}
    regions = {region["qualname"]: region["float32"] for region in report["files"][0]["regions"]}
    assert flagged == {name for name, single in regions.items() if single}
    assert regions["normal"]
    assert not regions["settle"]


def test_what_was_measured_in_float32_is_rewritten_only_so() -> None:
    assert "float32" in EMISSION


def test_the_configuration_can_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "np2tnp.toml").write_text("float32 = true\n", encoding="utf-8")
    file = tmp_path / "a.py"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["rewrite", str(file)]) == 0
    assert "float32=True" in capsys.readouterr().out


def test_large_integers_and_smallest_differences_are_refused_or_right() -> None:
    report = rewrite("import numpy as np\n\n\ndef f(x):\n    return np.log(x) + np.arange(x.size)\n", float32=True)
    scope: dict[str, object] = {}
    exec(report.new_text or "", scope)
    with pytest.raises(Exception, match="cannot hold"):
        scope["f"](np.array([1.0, 1e300]))  # type: ignore[operator]


_LOOP = """
def f(x: np.ndarray, tol, n):
    err = 1.0
    while {test}:
        y = np.cos(x)
        err = np.linalg.norm(y - x)
        x = y{more}
    return x
"""
_METHOD = """
class Solver:
    tol = 1e-10

    def f(self, x: np.ndarray):
        err = 1.0
        while err > self.tol:
            y = np.cos(x)
            err = np.linalg.norm(y - x)
            x = y
        return x
"""
_BREAK = "\n        if err < tol:\n            break"


@pytest.mark.parametrize(
    "text",
    [
        _LOOP.format(test="err > tol", more=""),
        _LOOP.format(test="err > CFG['tol']", more=""),
        _LOOP.format(test="err > 10.0 ** -n", more=""),
        _LOOP.format(test="not err <= x.min() * tol", more=""),
        _LOOP.format(test="True", more=_BREAK),
        _METHOD,
        "def f(x: np.ndarray, h=1e-6):\n    return (np.sin(x + h) - np.sin(x - h)) / (2 * h)\n",
        "def f(x: np.ndarray):\n    return (np.sin(x + 1e-7) - np.sin(x)) / 1e-7\n",
        "def f(x: np.ndarray, rng):\n    e = np.exp(x)\n    return rng.choice(len(e), p=e / e.sum())\n",
        (
            "def f(x: np.ndarray):\n    return np.exp(x) / np.exp(x).sum()\n"
            "def draw(x, rng):\n    return rng.multinomial(9, f(x))\n"
        ),
    ],
)
def test_what_float32_cannot_resolve_stays_in_float64(text: str) -> None:
    report = rewrite(f"import numpy as np\nCFG = {{'tol': 1e-10}}\n{text}", float32=True)
    assert report.new_text is not None
    assert "float32=True" not in report.new_text
    assert "TNP311" in {finding.code for finding in report.findings}


def test_what_a_waiting_function_gets_stays_in_float64() -> None:
    """Its own text has no tolerance; the function that is given it has, as a default."""
    text = (
        "import numpy as np\n\n\n"
        "def square(x: np.ndarray):\n    return x * x\n\n\n"
        "def residual(x: np.ndarray):\n    return np.sqrt(square(x) + 1) - 2\n\n\n"
        "def other(x: np.ndarray):\n    return np.sqrt(x) + 1\n\n\n"
        "def solve(f, x, tol=1e-10):\n    for _ in range(99):\n        r = f(x)\n"
        "        if np.linalg.norm(r) < tol:\n            break\n        x = x - r\n    return x\n\n\n"
        "def main():\n    return solve(residual, np.ones(3))\n"
    )
    report = rewrite(text, float32=True)
    assert {region.qualname for region in report.regions if region.float32} == {"other"}


def test_what_is_differentiated_by_small_steps_stays_in_float64() -> None:
    """The step is taken in place, by a context manager: only the division shows it."""
    text = (
        "import numpy as np\nfrom contextlib import contextmanager\n\n\n"
        "@contextmanager\ndef perturbed(x, i, eps):\n    old = x[i]\n    x[i] += eps\n    yield x\n    x[i] = old\n\n\n"
        "def energy(x: np.ndarray):\n    return np.sum(np.cos(x))\n\n\n"
        "def other(x: np.ndarray):\n    return np.sqrt(x) + 1\n\n\n"
        "def gradient(x: np.ndarray, eps=1e-6):\n    g = np.empty_like(x)\n    for i in range(x.size):\n"
        "        with perturbed(x, i, eps):\n            high = energy(x)\n"
        "        g[i] = (high - energy(x)) / eps\n    return g\n"
    )
    report = rewrite(text, float32=True)
    assert {region.qualname for region in report.regions if region.float32} == {"other"}


@pytest.mark.parametrize(
    "text",
    [
        _LOOP.format(test="err > 1e-3", more=""),
        _LOOP.format(test="len(x) > 10", more="\n        x = x[1:]"),
        "def f(x: np.ndarray, h=0.1):\n    return (np.sin(x + h) - np.sin(x - h)) / (2 * h)\n",
        "def f(x: np.ndarray, rng):\n    return np.exp(x)[rng.choice(len(x))]\n",
    ],
)
def test_other_loops_and_steps_work_in_float32(text: str) -> None:
    report = rewrite(f"import numpy as np\n{text}", float32=True)
    assert report.new_text is not None
    assert "float32=True" in report.new_text


UNSEEN = """
import numpy as np


class Net:
    def __init__(self, w):
        self.w = w

    def predict(self, x):
        return np.asarray(x * self.w, dtype=np.float32)


def of_attribute(net, x):
    return np.exp(net.w * x).sum()


def of_callback(f, x):
    return np.exp(f(x)) * x


def of_method(net, x, n):
    out = []
    for _ in range(n):
        boxes = net.predict(x)
        boxes[0] = np.clip(boxes[0], 0, 1)
        out.append(np.sqrt(boxes).sum())
    return out


def calls(name):
    w = np.linspace(0.1, 1.0, 4, dtype=np.float32)
    x = np.arange(4.0)
    if name == "attribute":
        return of_attribute(Net(w), x)
    if name == "callback":
        return of_callback(lambda v: v.astype(np.float32), x)
    return of_method(Net(w), x, 2)
"""


@pytest.mark.parametrize("name", ["attribute", "callback", "method"])
def test_arrays_of_float32_that_no_door_sees_are_refused_by_none(name: str) -> None:
    """Where the call cannot begin again with the original, the function stays in float64 beforehand."""
    from side_by_side import Call

    report = rewrite(UNSEEN, float32=True, on_unverified="numpy")
    new = report.new_text or ""
    assert f"of_{name}" not in {region.qualname for region in report.regions if region.float32}
    assert f'@rt.original("of_{name}"' in new
    judged = Pair(UNSEEN, new).compare([Call.parse(f"calls('{name}')")])
    assert [it.kind for it in judged] == ["equal"]


OWN = """
import numpy as np


def like(x, tell):
    tell(x)
    y = np.exp(x)
    return y + np.zeros(y.shape, y.dtype), np.zeros_like(y, dtype=x.dtype)
"""


def test_a_dtype_that_functions_are_given_is_the_one_that_numpy_has() -> None:
    new: dict[str, object] = {}
    exec(rewrite(OWN, float32=True).new_text or "", new)
    for char in "df":
        found = new["like"](np.arange(3, dtype=char), lambda x: None)  # type: ignore[operator]
        assert [part.dtype.char for part in found] == [char, char]
