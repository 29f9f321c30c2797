"""Loops over rows, slices and elements stay NumPy, and say so; loops that work on whole arrays migrate."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState

HEAD = """
import functools
import numpy as np


def g(v):
    return np.sqrt(v) - v.mean()


def f(x, y, w, n, step, width, edges=(), weights=()):
    rows = np.asarray(x)
"""


def report_of(body: str, **options: object) -> FileReport:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return analyze(Source("m.py", HEAD + lines), Config(rewrite=True, **options))  # type: ignore[arg-type]


def state_of(report: FileReport) -> RegionState:
    (state,) = [region.state for region in report.regions if region.qualname == "f"]
    return state


ROWS = "out[i] = x[i] / np.linalg.norm(x[i])\nreturn out"
OUT = "out = np.zeros_like(x)\n"
KEPT = {
    "rows by shape": f"{OUT}for i in range(x.shape[0]):\n    {ROWS}",
    "rows by len": f"{OUT}for i in range(len(x)):\n    {ROWS}",
    "rows by np.shape": f"{OUT}k = np.shape(x)[0]\nfor i in range(k):\n    {ROWS}",
    "rows by a number": f"{OUT}for i in range(n):\n    {ROWS}",
    "rows of enumerate": (
        f"{OUT}for i, row in enumerate(np.abs(x)):\n    out[i] = row / np.linalg.norm(row)\nreturn out"
    ),
    "rows of zip": "return [np.dot(a, b) for a, b in zip(np.abs(x), np.abs(y))]",
    "rows themselves": "return [np.sum(np.exp(row)) for row in np.abs(x)]",
    "rows with a window": f"{OUT}for i in range(n):\n    out[i] = np.cumsum(x[i]) * w\nreturn out",
    "rows of a new array": (
        "p = np.pad(x, 2)\nout = np.empty(n)\nfor t in range(n):\n    out[t] = np.sum(p[t:t + 5])\nreturn out"
    ),
    "step and width": (
        "out = np.zeros((n, width))\nfor i in range(n):\n"
        "    out[i] = x[i * step:i * step + width] * np.hanning(width)\nreturn out"
    ),
    "slices in a comprehension": "return np.array([np.sum(rows[i * step:i * step + width] ** 2) for i in range(n)])",
    "slices in a generator": "return sum(np.sum(rows[i:i + width]) for i in range(0, len(x), width))",
    "windows": (
        "out = []\nfor s in range(0, len(x) - width, step):\n    part = x[s:s + width] * w\n"
        "    out.append(np.abs(np.fft.rfft(part)))\nreturn np.array(out)"
    ),
    "windows in a comprehension": "return [np.sum(np.multiply(w, x[s:s + width])) for s in range(0, len(x), step)]",
    "windows that are added": (
        "out = np.zeros(len(x))\nfor s in range(0, len(x) - width, step):\n    out[s:s + width] += x[s:s + width] * w\n"
        "return out"
    ),
    "windows by a name": (
        "win = np.hanning(width)\nout = []\nfor i in range(n):\n    part = rows[i * step:i * step + width]\n"
        "    out.append(np.max(win * part))\nreturn out"
    ),
    "a filter": "out = np.zeros(n)\nfor i in range(n):\n    out[i] = np.dot(rows[i:i + width], w)\nreturn out",
    "while with a counter": f"{OUT}i = 0\nwhile i < n:\n    out[i] = np.cumsum(x[i])\n    i += 1\nreturn out",
    "columns": f"{OUT}for j in range(x.shape[1]):\n    out[:, j] = np.sort(x[:, j])\nreturn out",
    "nested": f"{OUT}for k in range(n):\n    for i in range(len(x)):\n        out[i] = np.roll(x[i], k)\nreturn out",
    "single stores by edges": "a = np.zeros((n, n))\nfor i, j in edges:\n    a[i, j] = 1\nreturn a",
    "single stores by zip": ("a = np.zeros((n, n))\nfor i, j, v in zip(x, y, w):\n    a[i, j] += v\nreturn a"),
    "stores by steps": (
        "a = np.ones(n, dtype=bool)\nfor i in range(2, n):\n    if a[i]:\n        a[i * i::i] = False\n"
        "return np.nonzero(a)[0]"
    ),
    "stores by a stack": (
        "seen = np.zeros(n, dtype=bool)\nstack = [0]\nwhile stack:\n    u = stack.pop()\n    if not seen[u]:\n"
        "        seen[u] = True\n        stack.extend(edges[u])\nreturn seen"
    ),
    "blocks of an assembly": (
        "k = np.zeros((n, n))\nfor e in edges:\n    i = np.array([e, e + 1])\n    k[np.ix_(i, i)] += 1.0\nreturn k"
    ),
    "a history of states": (
        "u = np.abs(x)\nout = np.zeros((n, len(x)))\nfor t in range(n):\n    u = u + 0.1 * (np.roll(u, 1) - u)\n"
        "    out[t] = u\nreturn out"
    ),
    "a function for each row": f"{OUT}for i in range(n):\n    out[i] = g(x[i])\nreturn out",
    "sum": "return sum(np.sqrt(x))",
    "max and min": "z = np.sqrt(x)\nreturn max(z), min(z)",
    "sorted": "return sorted(np.round(x * 10))[:3]",
    "list": "return list(np.sqrt(x))",
    "any": "return any(np.sqrt(x) > 2)",
    "reduce": "return functools.reduce(lambda a, b: a + b, np.sqrt(x))",
    "map": "return list(map(lambda v: v + 1, np.sqrt(x)))",
    "a comprehension": "z = np.sqrt(x)\nreturn [v for v in z if v > 0.5][:3]",
}
MIGRATES = {
    "what may be a list": "return [np.mean(v) for v in weights]",
    "an index for each axis": "z = np.exp(x)\nreturn z[tuple(np.nonzero(z > 2))]",
    "two numbers": "return np.sqrt(x) if any(np.isnan([n, step])) else x",
    "nine directions": "s = 0 * x[0]\nfor i in range(9):\n    s = s + np.roll(x[i], i)\nreturn s",
    "time steps": (
        "u = np.abs(x)\nfor t in range(n):\n    u = u + 0.1 * (np.roll(u, 1) + np.roll(u, -1) - 2 * u)\nreturn u"
    ),
    "a stencil": "for t in range(n):\n    x[1:-1] = 0.5 * (x[:-2] + x[2:])\nreturn np.sum(x)",
    "red and black": "for t in range(n):\n    x[1:-1:2] = 0.5 * (x[:-2:2] + x[2::2])\nreturn np.sum(x)",
    "a solver": (
        "r = y - x @ w\np = r\nwhile np.sum(r * r) > 1e-9:\n    q = x @ p\n    a = np.sum(r * r) / np.sum(p * q)\n"
        "    w = w + a * p\n    r = r - a * q\n    p = r + 0.5 * p\nreturn w"
    ),
    "training": "for epoch in range(n):\n    w = w - 0.1 * (x.T @ (x @ w - y))\nreturn w",
    "k-means": (
        "c = np.array(rows[:n])\nfor t in range(20):\n"
        "    label = np.argmin(((rows[:, None, :] - c[None]) ** 2).sum(-1), axis=1)\n"
        "    for k in range(n):\n        c[k] = rows[label == k].mean(axis=0)\nreturn c"
    ),
    "a history of numbers": (
        "e = np.zeros(n)\nfor t in range(n):\n    x = np.cos(x)\n    e[t] = np.sum(x * x)\nreturn e"
    ),
    "each with all": (
        "out = np.zeros(len(x))\nfor i in range(len(x)):\n    out[i] = np.sum(np.exp(-(rows - rows[i]) ** 2))\n"
        "return out"
    ),
    "offsets of a kernel": (
        "h, v = x.shape\np = np.pad(x, 1)\nout = np.zeros((h, v))\nfor i in range(n):\n    for j in range(n):\n"
        "        out += w[i, j] * p[i:i + h, j:j + v]\nreturn out"
    ),
    "lags": "return np.array([np.sum(rows[:len(x) - k] * rows[k:]) for k in range(1, n)])",
    "three channels": "return np.stack([np.fft.fft2(rows[..., c]) for c in range(3)])",
    "layers": "h = np.tanh(x)\nfor v in weights:\n    h = np.tanh(h @ v)\nreturn h",
    "a polynomial": "s = np.zeros_like(x)\nfor k in range(len(w)):\n    s = s * x + w[k]\nreturn s",
    "the larger of two": "return np.sqrt(x) * max(n, 3)",
    "items of a list": "parts = [np.sqrt(x), np.exp(x)]\nreturn sum(parts)",
    "batches": (
        "for s in range(0, len(x), width):\n    part = rows[s:s + width]\n"
        "    w = w - 0.1 * (part.T @ (part @ w - y[s:s + width]))\nreturn w"
    ),
    "whole batches": "for k in range(n):\n    w = w - 0.1 * (rows[k].T @ (rows[k] @ w))\nreturn w",
}

#: The size test sees how large a row is.
JUDGED = {
    "rows that are summed": "total = 0.0\nfor i in range(n):\n    total = total + np.sum(rows[i] ** 2)\nreturn total",
    "a function for each row, listed": "return np.array([g(rows[i]) for i in range(n)])",
    "rows and weights": (
        "out = np.zeros(len(x))\nm = x.mean()\nfor i in range(len(x)):\n    out[i] = np.dot(x[i], w)\nreturn out + m"
    ),
    "pairs of rows": "return [np.dot(u, v) for u, v in zip(x, y)]",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_what_takes_parts_stays_numpy_and_says_so(body: str) -> None:
    report = report_of(body)
    assert state_of(report) is RegionState.KEPT
    codes = {finding.code for finding in report.findings if finding.region == "f"}
    assert codes & {"TNP701", "TNP704", "TNP705"}
    assert state_of(report_of(body, slow="convert")) is RegionState.CONVERTIBLE


@pytest.mark.parametrize("body", MIGRATES.values(), ids=MIGRATES.keys())
def test_work_on_whole_arrays_migrates(body: str) -> None:
    report = report_of(body)
    assert state_of(report) is RegionState.CONVERTIBLE
    assert not {finding.code for finding in report.findings} & {"TNP701", "TNP704", "TNP705"}


def test_the_finding_is_at_the_work() -> None:
    report = report_of(KEPT["rows by len"])
    (finding,) = [finding for finding in report.findings if finding.code == "TNP704"]
    assert (HEAD + KEPT["rows by len"]).splitlines()[finding.span.line - 1].strip().startswith("out[i] = ")
    assert "out" in finding.message


@pytest.mark.parametrize(
    ("call", "advice"),
    [("edges(x[i])", "unless edges takes all parts at once"), ("np.exp(x[i])", "work on whole arrays (or")],
)
def test_what_a_loop_calls_decides_what_may_be_done(call: str, advice: str) -> None:
    report = report_of(f"{OUT}for i in range(len(x)):\n    out[i] = {call} / np.linalg.norm(x[i])\nreturn out")
    assert advice in next(finding.message for finding in report.findings if finding.code == "TNP704")


def test_keys_and_items_of_a_dict_are_no_array() -> None:
    codes = {finding.code for finding in report_of("return [np.sqrt(k) for k in sorted(w.items())]").findings}
    assert "TNP705" not in codes


@pytest.mark.parametrize("made", ["s = tuple(x.shape)\nif n:\n    s = s[1:]", "s = {n}\nif n:\n    s = s | {1}"])
def test_what_is_made_of_itself_is_judged(made: str) -> None:
    report = report_of(f"{made}\nt = 0.0\nfor k in s:\n    t += np.sum(x * k)\nreturn t")
    assert "TNP906" not in {finding.code for finding in report.findings}


def test_staged_loops_are_not_slow() -> None:
    report = report_of(KEPT["rows by a number"], compile="xla")
    assert state_of(report) is RegionState.CONVERTIBLE


@pytest.mark.parametrize("body", JUDGED.values(), ids=JUDGED.keys())
def test_an_array_of_which_rows_are_read_counts_for_a_row(body: str) -> None:
    report = report_of(body)
    assert state_of(report) is RegionState.CONVERTIBLE
    assert 'rows="x' in (report.new_text or "")
