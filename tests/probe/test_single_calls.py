"""A sample of the probe's calls, each rewritten alone: values, types, shapes, exceptions and arguments stay NumPy's."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

pytest.importorskip("tensorflow")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import numpy as np
import single_calls
from single_functions import by_name, list_singles, make_single

from np2tnp.probe.cases.all_cases import Case
from np2tnp.verify.compare import Outcome, compare

SAMPLE = 150


@pytest.fixture(scope="module")
def results() -> list[single_calls.Result]:
    singles = list_singles()
    return single_calls.run(singles, single_calls.choose(singles, SAMPLE), jobs=1)[0]


def test_no_call_differs_or_raises_anew(results: list[single_calls.Result]) -> None:
    singles = list_singles()
    bad = [r for r in results if r.state in ("different", "raising", "crash")]
    assert not bad, "\n".join(f"{singles[r.index].case} {r.char}: {r.state}, {r.detail}" for r in bad)


def test_most_calls_are_converted_and_few_are_refused(results: list[single_calls.Result]) -> None:
    compared = [r for r in results if r.char]
    assert len({r.index for r in compared}) >= 0.75 * SAMPLE
    # 2 % of all: a sample scatters around it
    assert sum(r.state == "refused" for r in compared) < 0.05 * len(compared)
    assert sum(r.state == "equal" for r in compared) > 1000


@pytest.mark.parametrize(
    ("api", "call", "text"),
    [
        ("numpy.sum", "m, axis=0", "def f(m):\n    return np.sum(m, axis=0)\n"),
        ("numpy.select", "[b], [v], default=2.5", "def f(b, v):\n    return np.select([b], [v], default=2.5)\n"),
        ("numpy.linspace", "0, 1", "def f():\n    return np.linspace(0, 1)\n"),
        ("numpy.iterable", "[i for i in v]", "def f(v):\n    return np.iterable([i for i in v])\n"),
        ("ndarray.clip", "v, 0, 2", "def f(v):\n    v = np.array(v)\n    return v.clip(0, 2)\n"),
        ("ndarray.T", "m", "def f(m):\n    m = np.array(m)\n    return m.T\n"),
        ("ndarray.sort", "m, 0", "def f(m):\n    m = np.array(m)\n    m.sort(0)\n    return m\n"),
        ("numpy.add", "v, w, out=o", "def f(v, w, o):\n    np.add(v, w, out=o)\n    return o\n"),
        ("numpy.add.reduce", "m, 1, None, o3", "def f(m, o3):\n    np.add.reduce(m, 1, None, o3)\n    return o3\n"),
        ("numpy.sqrt", "v, out=o[1:]", "def f(v, o):\n    np.sqrt(v, out=o[1:])\n    return o\n"),
        ("numpy.put", "v, k, 1", "def f(v, k):\n    np.put(v, k, 1)\n    return v\n"),
        ("operator.sub", "v, 2", "def f(v):\n    v = np.array(v)\n    return v - 2\n"),
        ("operator.iadd", "v, w", "def f(v, w):\n    v = np.array(v)\n    v += w\n    return v\n"),
    ],
)  # fmt: skip
def test_a_case_becomes_a_function(api: str, call: str, text: str) -> None:
    single = make_single(Case(api, call, "d", "elementwise"))
    assert single is not None
    assert single.source("f") == text
    ast.parse(text)


def test_a_difference_is_seen() -> None:
    single = make_single(Case("numpy.sum", "v", "d", "sum"))
    assert single is not None

    def judge(source: str) -> tuple[str, str] | None:
        spaces: list[dict[str, object]] = [{}, {}]
        exec(single.source("f").join(["import numpy as np\n", ""]), spaces[0])
        exec("import numpy as np\n" + source, spaces[1])
        return single_calls.examine(single, "d", spaces[0]["f"], spaces[1]["f"])

    assert judge("f = lambda v: np.sum(v)") == ("equal", "")
    assert judge("f = lambda v: np.sum(v) + 1")[0] == "different"
    assert judge("f = lambda v: np.float32(np.sum(v))")[0] == "different"
    assert judge("f = lambda v: np.array(np.sum(v))")[0] == "different"
    assert judge("f = lambda v: v.fill(0) or np.sum(v) * 0 - 5.25")[0] == "different"
    assert judge("f = lambda v: v.nothing")[0] == "raising"


@pytest.mark.parametrize(
    "call",
    [
        "m.sum(axis=True)", "np.sum(m, axis=(0, True))", "np.argsort(m, True)", "np.eye(True)", "np.eye(3, k=-2.5)",
        "np.eye(300, k=-2.5)", "m.std(correction=1)", "np.zeros((True, 3))", "np.ones(3, order='K')",
        "np.eye(3, dtype=None)", "m.sum(keepdims=None)", "np.nanmax(m, keepdims=1.0)",
        "np.vander(m[0] * 1j * np.inf, 3)", "np.repeat([1, 2], 2.5)", "np.repeat(m, 2, axis=np.int64(1))",
        "np.linspace(m, m + 1, 3, axis=np.int64(1))", "m.diagonal(offset=-np.float32(2))",
    ],
)  # fmt: skip
def test_what_is_no_int_where_numpy_takes_integers(call: str) -> None:
    source = f"def f(m):\n    m = np.array(m, dtype=float)\n    return {call}\n"
    original, rewritten, states = single_calls.migrate({0: source}, "none")
    assert states["f"][0] == "convertible"
    found = []
    for function in (original["f"], rewritten["f"]):
        try:
            found.append(Outcome(function(np.arange(6.0).reshape(2, 3))))
        except Exception as error:
            found.append(Outcome.of_error(error))
    wanted, actual = found
    assert wanted.error is None or wanted.error in actual.bases
    assert wanted.error is not None or compare(wanted.value, actual.value)


def test_a_returned_argument_is_one() -> None:
    single = make_single(Case("numpy.asarray", "v", "d", "elementwise"))
    assert single is not None
    assert single_calls.examine(single, "d", lambda v: v, lambda v: v) == ("equal", "")
    assert single_calls.examine(single, "d", lambda v: v, lambda v: v.copy())[0] == "different"


@pytest.mark.parametrize(
    ("api", "call", "asked"),
    [
        ("numpy.sum", "m, 0, keepdims=True", "a=m, axis=0, keepdims=True"),
        ("numpy.add", "v, w, o", "v, w, out=o"),
        ("numpy.meshgrid", "v, w", None),
        ("ndarray.argsort", "m, 0, 'stable'", "m, axis=0, kind='stable'"),
        ("operator.add", "v, w", None),
    ],
)
def test_arguments_are_given_by_their_names(api: str, call: str, asked: str | None) -> None:
    case = by_name(Case(api, call, "d", "elementwise"))
    assert (case and case.call) == asked
