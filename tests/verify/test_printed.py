"""What calls print: words and whole numbers count, and fractions as far as the original's repeats agree."""

from __future__ import annotations

import pytest

from np2tnp.verify.judge import is_printed_alike, prints_otherwise


@pytest.mark.parametrize(
    ("expected", "actual", "moved", "is_alike"),
    [
        ("error 4.07e-32", "error 7.48e-32", ["error 1.3e-32"], True),  # noise, as the repeats show
        ("error 4.07e-32", "error 7.48e-32", ["error 4.07e-32"], False),
        ("error 4.07e-32", "error 7.48e-22", ["error 1.3e-32"], False),
        ("length 3.25", "length 3.26", ["length 3.25"], True),  # one unit in the last place
        ("length 3.25", "length 3.35", ["length 3.25"], False),
        ("steps 12", "steps 13", ["steps 12"], False),
        ("steps 12", "steps 13", ["steps 14"], False),  # that is no matter of size: `prints_otherwise`
        ("done 1.5", "over 1.5", ["done 1.5"], False),
        ("0.5 1.5", "0.5 nan", ["0.5 1.5"], False),
        ("0.5 1.5", "0.5", ["0.5 1.5"], False),
    ],
)
def test_numbers_may_differ_as_far_as_repeats_do(expected, actual, moved, is_alike):
    assert is_printed_alike(expected, actual, moved) is is_alike
    assert is_printed_alike(expected, actual, None) is (expected == actual)


@pytest.mark.parametrize(
    ("expected", "other", "differs"),
    [
        ("cost 2.5 steps 12", "cost 2.6 steps 12", False),
        ("cost 2.5 steps 12", "cost 2.5 steps 13", True),
        ("[ 9 10]", "[11  7]", True),
        ("[0.5 1. ]", "[0.5   1.25]", False),
        ("yes 1.0", "no 1.0", True),
        ("1.0", "1.0 2.0", True),
    ],
)
def test_words_and_whole_numbers_are_told_from_sizes(expected, other, differs):
    assert prints_otherwise(expected, other) is differs
