"""Loops whose slices change their length: in a plain graph, with what NumPy gives and raises."""

from __future__ import annotations

import logging
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.compile import compiled
from np2tnp.runtime.compile.compiled import RUNS

TEXT = (Path(__file__).resolve().parents[3] / "fixtures" / "staging" / "lengths.py").read_text(encoding="utf-8")


def module(text: str) -> types.ModuleType:
    made = types.ModuleType("lengths")
    exec(compile(text, "lengths.py", "exec"), made.__dict__)
    return made


ORIGINAL = module(TEXT)


@pytest.fixture(autouse=True)
def many_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """One text is called with more sizes and dtypes than a program has."""
    monkeypatch.setattr(compiled, "MOST_TRACES", 100)


@pytest.fixture(scope="module", params=["graph", "xla"])
def version(request: pytest.FixtureRequest) -> Any:
    config = Config(rewrite=True, slow="convert", compile=request.param, on_unverified="raise")
    text = analyze(Source("lengths.py", TEXT), config).new_text
    assert text is not None
    return request.param, module(text)


def outcome(function: Any, arguments: tuple[Any, ...]) -> list[Any]:
    """The result and the arguments afterwards, or the class of what was raised."""
    try:
        result = function(*arguments)
    except (ValueError, TypeError) as error:
        return [next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")]
    return [*(result if isinstance(result, tuple) else (result,)), *arguments]


def compare(version: Any, name: str, *arguments: Any) -> Any:
    """Both versions do the same. Gives how the calls of the rewritten one ran."""
    expected = outcome(getattr(ORIGINAL, name), tuple(np.copy(a) if np.ndim(a) else a for a in arguments))
    RUNS.clear()
    actual = outcome(getattr(version, name), arguments)
    assert len(actual) == len(expected), (actual, expected)
    for one, other in zip(actual, expected, strict=True):
        assert type(one) is type(other)
        if isinstance(other, (np.ndarray, np.generic)):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            single = other.dtype.char in "fF"
            np.testing.assert_allclose(one, other, rtol=1e-4 if single else 1e-10, atol=1e-5 if single else 1e-12)
        else:
            assert one == other
    return dict(RUNS)


def matrix(n: int, dtype: str) -> Any:
    rng = np.random.default_rng(n)
    if np.dtype(dtype).kind == "i":
        return rng.integers(-4, 5, (n, n)) + 9 * np.eye(n, dtype=dtype)
    a = rng.random((n, n)) + n * np.eye(n)
    return (a + (1j * rng.random((n, n)) if dtype == "c16" else 0)).astype(dtype)


MATRICES = [
    ("lu", "f8 f4 i8 c16"),
    ("lu_in_place", "f8 f4 c16"),
    ("lu_with_row_exchange", "f8 f4"),
    ("lu_with_exchange_where_needed", "f8"),
    ("gram_schmidt", "f8"),
    ("householder", "f8"),
    ("elimination_by_rows", "f8 f4"),
]
CASES = [(name, dtype) for name, dtypes in MATRICES for dtype in dtypes.split()]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_matrices_are_factored_as_they_were(version: Any, name: str, dtype: str) -> None:
    mode, new = version
    for n in (0, 1, 2, 5) if mode == "graph" else (2,):
        assert compare(new, name, matrix(n, dtype)) == {"compiled": 1}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_sums_over_a_changing_length(version: Any, dtype: str) -> None:
    mode, new = version
    for n in (0, 1, 2, 5) if mode == "graph" else (2,):
        a = matrix(n, dtype)
        positive = a @ a.T
        assert compare(new, "cholesky", positive) == {"compiled": 1}
        assert compare(new, "back_substitution", a, np.arange(n).astype(dtype)) == {"compiled": 1}
        assert compare(new, "of_all_before", np.arange(n).astype(dtype) - 2) == {"compiled": 1}
        if n:
            assert compare(new, "levinson", 0.5 ** np.arange(n).astype(dtype), np.ones(n, dtype)) == {"compiled": 1}


@pytest.mark.parametrize("n", [1, 2, 5])
def test_bounds_are_those_of_python(version: Any, n: int) -> None:
    _, new = version
    x = np.arange(n) ** 2.0
    assert compare(new, "bounds_that_wrap", x, x + 3) == {"compiled": 1}
    assert compare(new, "one_element_is_broadcast", x, x + 3) == {"compiled": 1}
    assert compare(new, "views_are_read_again", x, x + 3) == {"compiled": 1}
    assert compare(new, "copies_are_changed", x) == {"compiled": 1}
    if n == 5:
        assert compare(new, "from_both_ends", x, 2) == {"compiled": 1}


@pytest.mark.parametrize(
    "name",
    [
        "shorter_by_one",
        "empty_slices_take_no_others",
        "backwards_from_before_the_end",
        "longer_than_what_it_updates",
        "greatest_of_nothing",
    ],
)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_what_numpy_raises(version: Any, name: str, n: int) -> None:
    x = np.arange(n) + 1.0
    compare(version[1], name, x, *([] if name == "greatest_of_nothing" else [x + 3]))


def test_a_length_that_the_program_asks_for_keeps_it_from_being_staged(version: Any) -> None:
    compare(version[1], "asks_for_a_length", np.arange(4.0))
    assert "compiled" not in compare(version[1], "asks_for_a_length", np.arange(1500.0))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
def test_dtypes_are_those_of_numpy(version: Any, dtype: str) -> None:
    assert compare(version[1], "cast_as_a_store_casts", np.arange(4).astype(dtype)) == {"compiled": 1}
    compare(version[1], "casts_that_an_update_refuses", np.arange(4).astype(dtype))


def test_long_loops_are_staged(version: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Unrolled, these would be more operations than a graph may have."""
    mode, new = version
    n = 400
    a = np.eye(n) + np.tri(n, k=-1).T / n
    with caplog.at_level(logging.WARNING, "np2tnp"):
        assert compare(new, "back_substitution", a, np.arange(n) / n) == {"compiled": 1}
        assert compare(new, "levinson", 0.5 ** np.arange(n), np.ones(n)) == {"compiled": 1}
        assert compare(new, "lu_with_row_exchange", np.cos(np.arange(40_000.0)).reshape(200, 200)) == {"compiled": 1}
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == (3 if mode == "xla" else 0)
    assert all("as a plain graph for some arguments, not under XLA" in text for text in told)
