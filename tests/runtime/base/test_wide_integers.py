"""Operators of tensors beside Python integers that their dtype does not hold raise what NumPy raises."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from np2tnp.edits.targets import REFUSING
from np2tnp.runtime import migrated
from np2tnp.runtime.base import lazy_tensorflow

INTEGERS = (-1, 127, 128, -129, 255, 256, 40000, -40000, 70000, 2**31, -(2**31) - 1, 2**32, -(2**40), 2**63 - 1, 2**63)


def _outcome(function: Any, *operands: Any) -> Any:
    try:
        return function(*operands)
    except (OverflowError, ValueError) as error:
        return error


@pytest.mark.parametrize("name", sorted(REFUSING))
@pytest.mark.parametrize("char", "bhilBHIL")
@pytest.mark.parametrize("swapped", [False, True], ids=["array-first", "number-first"])
def test_operator_refuses_what_numpy_refuses(name: str, char: str, swapped: bool) -> None:
    lazy_tensorflow.begin()
    function = getattr(operator, name)
    array = np.array([1, 2, 3], char)
    for number in INTEGERS:
        operands = [(number, x) if swapped else (x, number) for x in (array, tf.constant(array))]
        expected, actual = (_outcome(function, *pair) for pair in operands)
        if isinstance(expected, OverflowError):
            # of int64, TensorFlow raises its own ValueError: the boundary has NumPy's original raise
            assert isinstance(actual, OverflowError if char != "l" else (OverflowError, ValueError)), number
        else:
            assert actual.dtype.as_numpy_dtype == expected.dtype, number
            np.testing.assert_array_equal(actual.numpy(), expected)


@pytest.mark.parametrize("name", sorted(REFUSING))
@pytest.mark.parametrize("char", "bhilBHIL")
@pytest.mark.parametrize("swapped", [False, True], ids=["array-first", "number-first"])
def test_a_graph_with_such_a_number_is_not_made(name: str, char: str, swapped: bool) -> None:
    """The call is done eagerly, where the operator raises."""
    function = getattr(operator, name)
    array = np.array([1, 2, 3], char)
    for number in INTEGERS:

        def body(x: Any, number: int = number) -> Any:
            return function(number, x) if swapped else function(x, number)

        expected, actual = _outcome(body, array), _outcome(migrated(compile="graph")(body), array)
        if isinstance(expected, OverflowError):
            assert isinstance(actual, OverflowError if char != "l" else (OverflowError, ValueError)), number
        else:
            assert actual.dtype == expected.dtype, number
            np.testing.assert_array_equal(actual, expected)
