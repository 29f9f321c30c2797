"""What people read of the catalog: ``np2tnp api`` and docs/coverage.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from np2tnp.catalog import load
from np2tnp.report import to_api, to_coverage

COVERAGE = Path(__file__).parent.parent / "docs" / "coverage.md"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("np.take", "numpy.take"),
        ("take", "numpy.take"),
        ("numpy.fft.rfft", "numpy.fft.rfft"),
        ("linalg.inv", "numpy.linalg.inv"),
        ("ndarray.sort", "ndarray.sort"),
        ("add()", "numpy.add"),
        ("operator.add", "operator.add"),
        ("np.float_", "numpy.float_"),
    ],
)
def test_names_as_people_type_them(typed: str, found: str) -> None:
    fact = to_api.find(typed, load())
    assert fact is not None
    assert fact.name == found


def test_differences_are_said_in_words() -> None:
    text = to_api.render("numpy.take", load())
    assert text is not None
    assert "gives other values" in text
    assert "(v, [-1])" in text
    assert "rt.take" in text


def test_unknown_names() -> None:
    assert to_api.render("numpy.nothing_like_it", load()) is None
    assert load().suggest("np.arnage") == "numpy.arange"


def test_mutation_is_said() -> None:
    text = to_api.render("ndarray.sort", load())
    assert text is not None
    assert "changes in place: self" in text


@pytest.mark.parametrize(
    ("chars", "words"),
    [
        ("?bhilBHILefdFD", "every dtype"),
        ("?bhilBHILefd", "every real dtype"),
        ("bhilBHILd", "integers, float64"),
        ("?l", "bool, int64"),
        ("", "no dtype"),
    ],
)
def test_dtypes_in_words(chars: str, words: str) -> None:
    assert to_api.describe_dtypes(chars) == words


def test_colour_only_on_request() -> None:
    assert "\x1b" not in (to_api.render("sum", load()) or "")
    assert "\x1b" in (to_api.render("sum", load(), colour=True) or "")


def test_coverage_page_is_up_to_date() -> None:
    assert COVERAGE.read_text(encoding="utf-8") == to_coverage.render(load())
