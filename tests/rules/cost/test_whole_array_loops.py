"""Loops over elements: which get whole-array form, why others do not, and that all do what they did."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

import random_loops

from np2tnp import runtime as rt
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState

HEAD = """
import math
import numpy as np


def f(x, y, a, s, n, m, best=0.0, flag=False):
    z = np.zeros(len(x))
    c = np.zeros((n, n))
    t = 0
    w = x
"""


def report_of(body: str, end: str = "return x, y, z, c") -> FileReport:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return analyze(Source("m.py", f"{HEAD}{lines}    {end}\n"), Config(rewrite=True))


FORMS = {
    "map": "for i in range(n):\n    z[i] = x[i] * s + 1",
    "stencil": "for i in range(1, n - 1):\n    z[i] = 0.5 * (x[i - 1] + x[i + 1])",
    "names of the iteration": "for i in range(n):\n    u = x[i] - y[i]\n    u *= 2\n    z[i] = u * u",
    "old values ahead": "for i in range(n - 1):\n    x[i] = x[i + 1] - x[i]",
    "old values behind, downwards": "for i in range(n - 1, 0, -1):\n    x[i] = -x[i - 1]",
    "a finished array": "for i in range(1, n):\n    z[i] = x[i]\n    y[i] = z[i - 1]",
    "the counter as a number": "for i in range(n):\n    z[i] = np.sin(i * s) / (i + 1)",
    "sum": "for i in range(n):\n    t += x[i] * y[i]",
    "product": "for i in range(n):\n    t *= x[i]",
    "running sum": "for i in range(1, n):\n    z[i] = z[i - 1] + x[i]",
    "running sum, backwards": "for i in range(n - 2, -1, -1):\n    z[i] = x[i] + z[i + 1]",
    "enumerate": "for i, v in enumerate(x, 1):\n    y[i] = v * v",
    "elements": "w = np.abs(x)\nfor v in w:\n    t += v * v",
    "pairs": "w = np.abs(x)\nu = np.abs(y)\nfor p, q in zip(w, u):\n    if p > q:\n        t += p * q",
    "counted pairs": "for i, (p, q) in enumerate(zip(x, y)):\n    z[i] = p - q",
    "elements for each": "u = np.abs(y)\nfor i in range(n):\n    b = 0\n    for q in u:\n        b += q\n    z[i] = b",
    "grid": "for i in range(n):\n    for j in range(n):\n        c[i, j] = x[i] * y[j]",
    "transposed": "for i in range(n):\n    for j in range(n):\n        c[j][i] = a[i, j]",
    "row sums": "for i in range(n):\n    u = 0.0\n    for j in range(m):\n        u += a[i, j]\n    z[i] = u",
    "another column": "for i in range(n - 1):\n    c[i, m] = c[i + 1, m - 1] - x[i]",
    "branch": "for i in range(n):\n    if x[i] > s:\n        z[i] = x[i]\n    elif i > 0:\n        z[i] = x[i - 1]",
    "count": "for i in range(n):\n    if x[i] < 0:\n        t += 1",
    "branch of the call": "for i in range(n):\n    if flag:\n        z[i] = x[i]",
    "range of another step": "for i in range(0, n, 2):\n    z[i] = x[i + 1]",
}

REFUSALS = {
    "recurrence": ("for i in range(1, n):\n    z[i] = s * z[i - 1] + x[i]", "needs what the one before stored in z"),
    "recurrence ahead": ("for i in range(n - 2, -1, -1):\n    z[i] = z[i + 1] * x[i + 1] + 1", "stored in z"),
    "read ahead too late": ("for i in range(n - 1):\n    z[i] = x[i]\n    y[i] = z[i + 1]", "read ahead after"),
    "one place for all": ("for i in range(n):\n    z[len(y) - 1] = x[i]", "stores into the same element of z"),
    "two places": ("for i in range(n - 1):\n    z[i] = x[i]\n    z[i + 1] = y[i]", "at two places"),
    "unknown places": ("for i in range(n):\n    z[i] = z[n - 1 - i]", "some elements of z and reads others"),
    "carried": ("for i in range(n):\n    z[i] = t\n    t = x[i]", "needs the t of the one before"),
    "needed afterwards": ("for i in range(n):\n    t = x[i]\n    z[i] = t\nz[0] = t", "t is needed after the loop"),
    "counter assigned": ("for i in range(n):\n    i = i + 1\n    z[i - 1] = x[i - 1]", "it assigns its counter i"),
    "counter moved": ("for i in range(n):\n    i += 1\n    z[i - 1] = x[i - 1]", "it assigns its counter i"),
    "counter afterwards": ("for i in range(n):\n    z[i] = x[i]\nz[0] = i", "i is needed after the loop"),
    "running total stored": ("for i in range(n):\n    t += x[i]\n    z[i] = t", "needs the t of the one before"),
    "math": ("for i in range(n):\n    z[i] = math.sqrt(x[i])", "np.sqrt takes arrays"),
    "max": ("for i in range(n):\n    z[i] = max(x[i], 0)", "np.maximum takes arrays"),
    "power in a branch": ("for i in range(n):\n    if x[i] > 0:\n        z[i] = 2 ** x[i]", "a power in a branch"),
    "division in a branch": ("for i in range(n):\n    if i > 0:\n        z[i] = s / i", "a division in a branch"),
    "break": ("for i in range(n):\n    z[i] = x[i]\n    break", "it has a `break`"),
    "slices": ("for i in range(n):\n    c[i, 1:] = x[i]\n    z[i] = 0", "more than single numbers"),
    "inner loop alone": (
        "for j in range(1, n):\n    for i in range(n - j):\n        c[i, j] = c[i + 1, j - 1] - x[i]",
        "best left in NumPy",
    ),
    "triangle": (
        "for i in range(n):\n    for j in range(i):\n        c[i, j] = c[i, j - 1] * 2 + x[j]",
        "needs what the one before stored in c",
    ),
    "gauss-seidel": (
        "for i in range(1, n - 1):\n    for j in range(1, n - 1):\n        c[i, j] = c[i - 1, j] + c[i, j - 1]",
        "stored in c",
    ),
    "no value yet": (
        "if n:\n    scale = x[0]\nfor i in range(n):\n    z[i] = x[i] * scale",
        "may have no value yet",
    ),
    "strict pairs": (
        "w = np.abs(x)\nfor i, (p, q) in enumerate(zip(w, w, strict=True)):\n    z[i] = p",
        "write it on whole arrays",
    ),
    "total of both": (
        "for i in range(n):\n    for j in range(n):\n        t += c[i, j]\n        z[j] = t",
        "needs the t of the one before",
    ),
}


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS.keys())
def test_form(body: str) -> None:
    report = report_of(body, "return x, y, z, c, t")
    assert report.new_text is not None
    assert "TNP703" in {finding.code for finding in report.findings}
    assert "TNP701" not in {finding.code for finding in report.findings}
    assert [region.state for region in report.regions if region.qualname == "f"] == [RegionState.CONVERTIBLE]


@pytest.mark.parametrize(("body", "reason"), REFUSALS.values(), ids=REFUSALS.keys())
def test_no_form(body: str, reason: str) -> None:
    report = report_of(body)
    told = [finding.message for finding in report.findings if finding.code == "TNP701"]
    assert any(reason in message.partition("; ")[2] for message in told), told
    assert report.new_text is None


@pytest.mark.parametrize("body", ["w[i] = x[i - 1]", "x[i] = w[i - 1]"])
def test_two_names_of_one_array_have_no_form(body: str) -> None:
    report = report_of(f"for i in range(1, n):\n    {body}")
    assert "rt.vectorized" not in (report.new_text or "")


@pytest.mark.parametrize(
    "body",
    [
        "w = np.abs(x)\nfor v in w:\n    t += v\nz[1] = v",
        "for row in np.abs(a):\n    t += row",
        "for v in [x, y]:\n    t += v",
        "w = np.abs(x)\nfor v in w:\n    w = w * v\n    t += v",
        "w = np.abs(x)\nfor v in w:\n    t += v\n    if v > 3:\n        break",
        "w = np.abs(x)\nfor v in w:\n    t += v\nelse:\n    t = 0",
    ],
)
def test_other_loops_over_arrays_stay_loops(body: str) -> None:
    text = report_of(body, "return x, y, z, c, t").new_text or ""
    assert "rt.enumerated" not in text
    assert "rt.zipped" not in text


def test_slow_convert_takes_inner_loops_too() -> None:
    text = f"{HEAD}    for j in range(1, n):\n        for i in range(n - j):\n            c[i, j] = c[i + 1, j - 1]\n"
    new_text = analyze(Source("m.py", f"{text}    return c\n"), Config(rewrite=True, slow="convert")).new_text
    assert new_text is not None
    assert "for i in rt.vectorized(range(n - j), numbers=(j,), least=(j - 1,)):" in new_text


def test_random_loops() -> None:
    total: Counter[str] = Counter()
    wrong = []
    for seed in range(48):
        tally, text = random_loops.run(seed, calls=3)
        total += tally
        wrong += [text] if text else []
    assert not wrong, wrong[0]
    assert total["programs with a form"] >= 10
    assert total["equal"] >= 20


def values(x: object) -> list[float]:
    return np.asarray(rt.host(x)).tolist()  # type: ignore[no-any-return]


def test_negative_indices_count_from_the_end() -> None:
    x = rt.tensor(np.arange(4.0))
    for i in rt.vectorized(range(3), vectors=(x,)):
        assert values(rt.at(x)[i - 1].get()) == [3.0, 0.0, 1.0]
        assert values(rt.at(x)[i - 4].get()) == [0.0, 1.0, 2.0]
        assert values(rt.at(x)[2 - i].get()) == [2.0, 1.0, 0.0]


def test_indices_out_of_range_raise() -> None:
    x = rt.tensor(np.arange(4.0))
    for i in rt.vectorized(range(4), vectors=(x,)):
        with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
            rt.at(x)[i + 1].get()
        for _, where in rt.branches(i < 3, i):
            if np.asarray(where).sum() == 3:
                assert values(rt.at(x, where)[i + 1].get())[:3] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "checks",
    [
        {"vectors": (np.ones(3),)},
        {"vectors": ([1.0],)},
        {"matrices": (np.ones(3),)},
        {"numbers": (np.ones(2),)},
        {"least": (-1,)},
        {"low": -1},
    ],
    ids=str,
)
def test_what_is_not_as_assumed_runs_step_by_step(checks: dict[str, object]) -> None:
    assert list(rt.vectorized(range(3), **checks)) == [0, 1, 2]


def test_a_counter_is_a_weak_number() -> None:
    x = rt.tensor(np.ones(3, np.float32))
    small = rt.tensor(np.zeros(300, np.uint8))
    for i in rt.vectorized(range(3), vectors=(x,)):
        assert rt.dtype(rt.op_mul(rt.at(x)[i].get(), i * 0.5)) == np.float32
    for i in rt.vectorized(range(300), vectors=(small,)):
        with pytest.raises(OverflowError, match=r"299 out of bounds for uint8"):
            rt.at(small)[i].set(i)


def test_a_test_that_is_the_same_for_all_keeps_the_mask() -> None:
    x, one = rt.tensor(np.array([1.0, -1.0, 2.0])), rt.tensor(np.array([5.0]))
    for i in rt.vectorized(range(3), vectors=(x, one)):
        for then, where in rt.branches(rt.at(x)[i].get() > 0, i):
            for inner, where2 in rt.branches(rt.at(one, where)[0].get() > 1, i, where):
                assert inner
                if then:
                    x = rt.at(x, where2)[i].set(0)
    assert values(x) == [0.0, -1.0, 0.0]


def test_floats_that_integers_cannot_hold_raise_as_one_number_does() -> None:
    whole, x = rt.tensor(np.zeros(3, np.int64)), rt.tensor(np.array([1.5, np.nan, 2.0]))
    for i in rt.vectorized(range(3), vectors=(whole, x)):
        with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
            rt.at(whole)[i].set(rt.at(x)[i].get())
        with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
            rt.at(whole)[i].set(rt.op_mul(rt.at(x)[i].get(), 1j))
        for then, where in rt.branches(rt.at(x)[i].get() == rt.at(x)[i].get(), i):
            if then:
                assert values(rt.at(whole, where)[i].set(rt.at(x)[i].get())) == [1, 0, 2]


def test_sums_are_added_in_the_order_of_the_loop() -> None:
    numbers = np.random.default_rng(0).standard_normal(10_001).astype(np.float32)
    expected = np.float32(0)
    for number in numbers:
        expected += number
    x, total = rt.tensor(numbers), 0.0
    for i in rt.vectorized(range(numbers.size), vectors=(x,)):
        total = rt.fold_add(total, rt.at(x)[i].get(), i)
    assert rt.host(total) == expected
    assert rt.dtype(total) == np.float32


def test_values_of_the_host_are_summed_one_by_one() -> None:
    x, total = rt.tensor(np.arange(4.0)), np.float64(1)
    for i in rt.vectorized(range(4), vectors=(x,)):
        total = rt.fold_add(total, rt.host(rt.at(x)[i].get()), i)
    assert values(total) == 7.0


def test_an_accumulator_that_stays_an_ndarray_has_no_form() -> None:
    text = "import numpy as np\ndef f(x, s):\n    t = s\n    for i in range(len(x)):\n        t -= np.sin(x[i]) + s\n"
    new_text = analyze(Source("m.py", text + "    return t, np.abs(x), s\n"), Config(rewrite=True)).new_text
    assert "rt.vectorized" not in (new_text or "")


def test_an_outer_loop_of_many_steps_keeps_arrays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    from np2tnp.runtime.loops import vectorized_loops

    monkeypatch.setattr(vectorized_loops, "_PAIRS", 6)
    a = np.arange(12.0).reshape(4, 3)
    x, sums, seen = rt.tensor(a), rt.tensor(np.zeros(4)), 0
    for i in rt.vectorized(range(4), matrices=(x,), vectors=(sums,), depth=2):
        total = 0
        for j in rt.vectorized(range(3), within=i):
            seen += 1
            total = rt.fold_add(total, rt.at(x)[i, j].get(), j)
        sums = rt.at(sums)[i].set(total)
    assert seen == 3
    assert values(sums) == a.sum(1).tolist()
