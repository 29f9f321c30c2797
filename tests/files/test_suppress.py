"""Comments that hide findings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from np2tnp.files import suppress
from np2tnp.model import Finding, Span, Verdict


def finding(code: str, line: int, end_line: int | None = None) -> Finding:
    return Finding("f.py", Span(line, 1, end_line or line, 2), code, "message", Verdict.ADAPT)


def hidden(text: str, *findings: Finding) -> list[str]:
    return [f"{item.code}:{item.span.line}" for item in suppress.apply(text, "f.py", tuple(findings))[0]]


def test_ignore_on_the_line() -> None:
    text = "a\nb  # np2tnp: ignore[TNP101] because\nc\n"
    assert hidden(text, finding("TNP101", 2), finding("TNP101", 1), finding("TNP102", 2)) == ["TNP101:1", "TNP102:2"]


@pytest.mark.parametrize(
    "comment",
    [
        *("# np2tnp: ignore", "# np2tnp: ignore[TNP1]", "#np2tnp:ignore[tnp102, TNP101]", "# noqa: E501, TNP101"),
        *("# np2tnp: ignore[array-store]", "# np2tnp: ignore[Array-Store, TNP2]", "# np2tnp: ignore[portability]"),
    ],
)
def test_forms_that_hide(comment: str) -> None:
    left = hidden(f"x  {comment}\n", finding("TNP101", 1))
    assert "TNP101:1" not in left


def test_a_comment_alone_covers_the_next_line_of_code() -> None:
    text = "# np2tnp: ignore[TNP101] why\n# more why\n\nx\ny\n"
    assert hidden(text, finding("TNP101", 4), finding("TNP101", 5)) == ["TNP101:5"]


def test_a_comment_at_the_end_of_a_long_statement() -> None:
    assert hidden("x = (1,\n     2)  # np2tnp: ignore\n", finding("TNP101", 1, 2)) == []


def test_whole_files_and_ranges() -> None:
    assert hidden("a\nb\n# np2tnp: ignore-file[TNP1]\n", finding("TNP101", 1), finding("TNP201", 2)) == ["TNP201:2"]
    text = "a\n# np2tnp: disable[TNP101]\nb\n# np2tnp: enable[TNP101]\nc\n"
    assert hidden(text, finding("TNP101", 1), finding("TNP101", 3), finding("TNP101", 5)) == ["TNP101:1", "TNP101:5"]
    assert hidden("# np2tnp: disable\nb\n# np2tnp: enable\n", finding("TNP101", 2)) == []
    assert hidden("# np2tnp: disable\nb\n", finding("TNP101", 2)) == ["TNP991:1"]  # where does it end?


def test_comments_that_hide_nothing_are_said() -> None:
    assert hidden("x  # np2tnp: ignore[TNP101]\n") == ["TNP991:1"]
    assert hidden("x  # np2tnp: ignore[TNP101, TNP102]\n", finding("TNP101", 1)) == ["TNP991:1"]
    assert hidden("x  # noqa: E501\n") == []
    assert hidden("x  # noqa\n") == []


@pytest.mark.parametrize("comment", ["ingore", "ignore[E501]", "ignore[]", "enable", "", "ignore_file"])
def test_comments_that_are_not_understood_are_said(comment: str) -> None:
    assert hidden(f"x  # np2tnp: {comment}\n", finding("TNP101", 1)) == ["TNP101:1", "TNP991:1"]


def test_text_that_looks_like_a_comment() -> None:
    text = "s = '# np2tnp: ignore'\nt = '''\n# np2tnp: ignore-file\n'''\n"
    assert hidden(text, finding("TNP101", 1)) == ["TNP101:1"]


def test_errors_cannot_be_hidden() -> None:
    assert "TNP901:1" in hidden("x  # np2tnp: ignore\n", finding("TNP901", 1))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["TNP101", "TNP201", "TNP701"]), st.integers(1, 9)), max_size=8))
def test_suppressing_every_line_leaves_no_finding(items: list[tuple[str, int]]) -> None:
    text = "x  # np2tnp: ignore\n" * 9
    left = hidden(text, *(finding(code, line) for code, line in items))
    assert all(code.startswith("TNP991") for code in left)


def test_many_comments_take_no_time() -> None:
    """Comments in a row, comments with a finding on each line, and pairs, by the ten thousand."""
    many = 20_000
    row = hidden("# np2tnp: ignore[TNP101]\n" * many + "x = 1\n", finding("TNP101", many + 1), finding("TNP102", 1))
    assert row == ["TNP102:1"]
    each = hidden("x  # np2tnp: ignore[TNP101]\n" * many, *(finding("TNP101", line + 1) for line in range(many)))
    assert each == []
    text = "# np2tnp: disable[TNP101]\nx\n# np2tnp: enable[TNP101]\n" * many
    pairs = hidden(text, *(finding("TNP101", 3 * line + 2) for line in range(0, many, 2)))
    assert len(pairs) == many // 2
    assert set(pairs) == {f"TNP991:{3 * line + 1}" for line in range(1, many, 2)}
