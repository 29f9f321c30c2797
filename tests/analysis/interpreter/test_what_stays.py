"""Functions with nothing to migrate: what stays NumPy's is told and counted, and a list is not taken for an array."""

from __future__ import annotations

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import FileReport, RegionState


def report_of(body: str, parameters: str = "a: np.ndarray") -> FileReport:
    text = f"import numpy as np\n\n\ndef f({parameters}):\n    {body}\n"
    report = pipeline.analyse_bytes(Config(), ("f.py", text.encode()))
    assert report.error is None
    return report


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return a.strides", "TNP204"),
        ("return a.flags['C_CONTIGUOUS']", "TNP204"),
        ("return np.array(['x', 'y'])", "TNP302"),
        ("return np.asarray([[1, 'y'], [2, 'z']])", "TNP302"),
        ("return np.datetime64('2020-01-01') + np.timedelta64(1, 'D')", "TNP304"),
        ("return np.longdouble(3)", "TNP305"),
        ("return np.lib.stride_tricks.as_strided(a, (3,), (8,))", "TNP010"),
        ("return np.char.upper(a)", "TNP010"),
    ],
)
def test_what_is_left_to_numpy_is_told_where_it_stands(body: str, code: str) -> None:
    report = report_of(body)
    assert (5, code) in {(item.span.line, item.code) for item in report.findings}
    assert report.regions[-1].state.value == "kept"


def test_calls_that_are_left_alone_count_as_calls() -> None:
    report = report_of("return np.lib.stride_tricks.as_strided(np.broadcast_to(a, (3, 3)), (3,), (8,))")
    assert (report.regions[-1].calls, report.regions[-1].converted) == (2, 0)


def test_an_annotated_array_is_not_asked_for_an_annotation() -> None:
    told = report_of("return a.ravel()").findings
    assert [item.code for item in told] == ["TNP010"]
    assert "annotate" not in told[0].message
    assert "annotate" in report_of("return a.ravel()", "a").findings[0].message


@pytest.mark.parametrize("parameters", ["a", "a: list", "a: list[float]"])
def test_sorting_does_not_make_an_array(parameters: str) -> None:
    report = report_of("a[0] = 1; a.sort()", parameters)
    assert report.regions[-1].state.value == "plain"
    assert {item.code for item in report.findings} == {"TNP010"}
    assert report_of("a[0] = 1; a.sort()").regions[-1].state.value == "convertible"


@pytest.mark.parametrize(
    "parameters",
    ["out: list, n", "out: dict[str, float], n", "out: Optional[List[float]], n", "out: list | None, n"],
)
def test_a_store_into_an_annotated_container_is_no_update_of_an_array(parameters: str) -> None:
    found = {finding.code for finding in report_of("out[0] = np.sin(n).sum()\n    return out", parameters).findings}
    assert "TNP101" not in found
    assert "TNP506" in found


@pytest.mark.parametrize("items", ["[0] * n", "n * [0.0]"])
def test_a_repeated_list_is_no_array(items: str) -> None:
    report = report_of(f"out = {items}\n    out[0] = np.sin(a).sum()\n    return out", "a: np.ndarray, m")
    assert not [finding for finding in report.findings if finding.code.startswith("TNP1")]


def test_a_list_of_several_items_times_a_name_may_be_an_array() -> None:
    report = report_of("out = [1, 2] * m\n    out[0] = np.sin(a).sum()\n    return out", "a: np.ndarray, m")
    assert [finding for finding in report.findings if finding.code == "TNP101"]


@pytest.mark.parametrize(
    ("top", "calls"),
    [
        ("x = np.zeros(3)\ny = np.take(x, [-1])\nprint(x.sum() + y)", 4),
        ("x = np.zeros(3)\nx[0] = 1.0", 2),
        ("f = lambda n: np.ones(n)\ng = [np.ones(3) for i in range(3)]\nclass A:\n    w = np.zeros(3)", 3),
        ("EPS = np.finfo(float).eps\nDT = np.float64", 0),
    ],
)
def test_work_outside_of_functions_counts_as_work_that_stays(top: str, calls: int) -> None:
    report = pipeline.analyse_bytes(Config(), ("f.py", f"import numpy as np\n{top}\n".encode()))
    assert report.error is None
    region = report.regions[0]
    assert (region.calls, region.converted) == (calls, 0)
    assert report.uses_numpy is bool(calls)
    assert (region.state.value, bool(region.reasons)) == (("kept", True) if calls else ("plain", False))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("b = np.zeros((3, 3), order='F'); b[0] = x; return b", "TNP203"),
        ("return np.reshape(x, (-1, 2), order='F')", "TNP203"),
        ("b = np.zeros((3, 3), order='F'); b[0] = x; return b, b.strides", "TNP204"),
        ("return np.reshape(x, (-1, 2))", "TNP010"),
    ],
)
def test_memory_order_is_told_where_numpy_keeps_the_array(body: str, found: str) -> None:
    report = report_of(body, parameters="x")
    assert found in {item.code for item in report.findings if item.verdict.value == "note"}


@pytest.mark.parametrize(("text", "end"), [("x = np.ones(3)", (2, 15)), ("x = np.ones(3)\ny = 1\n", (3, 6))])
def test_the_top_level_ends_where_the_file_does(text: str, end: tuple[int, int]) -> None:
    report = pipeline.analyse_bytes(Config(), ("f.py", f"import numpy as np\n{text}".encode()))
    span = report.regions[0].span
    assert (span.end_line, span.end_column) == end


@pytest.mark.parametrize(
    ("call", "copied"),
    [
        ("special.erf(y, z)", False),
        ("w = special.erf(y, z)", False),
        ("w = special.beta(y, z)", True),
        ("w = special.beta(y, y, z)", False),
    ],
)
def test_a_function_of_scipys_that_stores_into_an_argument_gets_no_copy(call: str, copied: bool) -> None:
    body = f"import scipy.special as special\n    y = np.sqrt(a)\n    z = np.zeros(3)\n    {call}\n    return y + z"
    text = f"import numpy as np\n\n\ndef f(a):\n    {body}\n"
    report = pipeline.analyse_bytes(Config(rewrite=True, slow="convert"), ("f.py", text.encode()))
    assert report.new_text is not None
    assert ("rt.host(z))" in report.new_text) is copied


NESTED = """
import numpy as np


class Drift:
    def __init__(self, xs, zs, shape):
        self.xs = xs
        self.zs = zs
        self.out = np.zeros(shape)

    def found(self, x):
        for m in range(x.shape[0]):
            for n in range(x.shape[1]):
                first = np.amin(np.where(self.xs >= x[m, n])[0])
                self.out[m, n] = self.zs[first]
        return np.exp(self.out)

    def labels(self, x):
        for m in range(3):
            for n in range(3):
                self.out[m, n] = m * n
        return np.exp(x)

    def rows(self, x):
        for m in range(3):
            for n in range(3):
                self.out[m] = np.sum(np.exp(x), axis=0)
        return np.exp(x)
"""


def test_nested_loops_that_compute_each_element_of_an_ndarray_stay() -> None:
    report = pipeline.analyse_bytes(Config(), ("drift.py", NESTED.encode()))
    found = {region.qualname: region for region in report.regions}
    assert found["Drift.found"].state is RegionState.KEPT
    assert "each element is computed by itself in nested loops" in found["Drift.found"].reasons[0]
    assert found["Drift.labels"].state is RegionState.CONVERTIBLE  # TensorFlow has nothing to do in the loops
    assert found["Drift.rows"].state is RegionState.CONVERTIBLE


@pytest.mark.parametrize("call", ["datetime_as_string(a, 's')", "busday_offset(a, 1)"])
def test_texts_and_dates_are_no_arrays_of_numbers(call: str) -> None:
    text = f"import numpy as np\n\n\ndef f(a, b):\n    s = np.{call}\n    return 'at ' + s[:4] + s[5:7], np.sin(b)\n"
    report = pipeline.analyse_bytes(Config(rewrite=True), ("f.py", text.encode()))
    assert report.error is None
    migrated = (report.new_text or "").partition("# NumPy originals")[0]
    assert f"np.{call}" in migrated
    assert "tnp.sin(b)" in migrated or "rt.sin(b)" in migrated
