"""The forms for machines with a GPU, run on a CPU: they take no kernel to its edges, so they hold there, too."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from agreement import check
from arrays import edge_values
from test_safe_forms import FLOATS, FORMS, INTEGERS, SHRINKING, wide

from np2tnp import runtime as rt
from np2tnp.runtime.base import hardware


@pytest.fixture(autouse=True)
def with_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the runtime asks before it takes a form, in a process that TensorFlow gives CPUs alone."""
    monkeypatch.setattr(hardware, "_found", True)


@pytest.mark.parametrize(
    ("name", "chars", "arguments", "factor"), FORMS, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(FORMS)]
)
def test_a_form_equals_numpy_on_wide_random_numbers(
    name: str, chars: str, arguments: Callable[[Any, Any], tuple[Any, ...]], factor: float
) -> None:
    for char in chars:
        rng = np.random.default_rng(zlib.crc32(f"{name} {char} device".encode()))
        with np.errstate(all="ignore"):
            x, y = (wide(char, rng, 1 + (name in SHRINKING)) for _ in range(2))
        check(name, *arguments(x, y), claimed=False, factor=factor)


EDGED = [(name, char) for name in ("maximum", "minimum", "fmax", "fmin", "absolute", "sqrt") for char in FLOATS + "FD"]


@pytest.mark.parametrize(("name", "char"), [*EDGED, *(("sign", char) for char in FLOATS)])
def test_extremes_and_signs_at_the_edges(name: str, char: str) -> None:
    edges = edge_values(char)
    x, y = (part.ravel() for part in np.meshgrid(edges, edges))
    check(name, *((x, y) if name[1:] in ("aximum", "inimum", "max", "min") else (x,)), claimed=False, factor=4)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", INTEGERS)
def test_casts_of_numbers_that_do_not_fit(source: str, target: str) -> None:
    """As this machine's NumPy converts them, but where C leaves it to the compiler: narrow floats to uint64."""
    whole = np.iinfo(target)
    ends = [float(whole.min), float(whole.max), whole.max / 2, 2.0**31, 2.0**63, 1e18, 300.7, -300.7, -0.5, 0.0, -1.0]
    with np.errstate(all="ignore"):
        x = np.array([*ends, *(-end for end in ends)], source)
        expected = x.astype(target)
    wide_x = x.astype(np.float64)
    fits = (wide_x > float(whole.min) - 1) & (wide_x < float(whole.max) + 1)
    found = rt.host(rt.astype(rt.tensor(x), np.dtype(target)))
    assert found.dtype == expected.dtype
    assert (found == expected)[fits].all()


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", ["i", "l", "b", "H"])
def test_casts_of_nan_and_infinity_are_those_of_a_cpu(source: str, target: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 2.5], source)
    plain = tf.raw_ops.Cast(x=tf.constant(x), DstT=tf.int64 if target == "l" else tf.int32).numpy().astype(target)
    found = rt.host(rt.astype(rt.tensor(x), np.dtype(target)))
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("char", INTEGERS)
def test_whole_powers_use_all_bits_of_the_exponent(char: str) -> None:
    x = np.array([-47, 3, 2, 1, 0, 7], np.int64).astype(char)
    for exponents in ([66, 64, 63, 100, 0, 1], [0] * 6):
        y = np.array(exponents).astype(char)
        if char == "L":
            continue
        check("power", x, y, claimed=False)
    with rt.count_ops() as count:
        rt.power(rt.tensor(np.arange(5)), 66)
    assert "Pow" not in count.ops


def test_fmod_leaves_the_kernel_that_gpus_lack() -> None:
    x = np.array([5.5, -5.5, 0.0, -0.0, np.inf, 1.0, -1.0, np.nan, 1e300])
    y = np.array([2.0, 2.0, np.inf, np.inf, 2.0, np.inf, -np.inf, 1.0, 1e-5])
    for name in ("fmod", "remainder", "floor_divide"):
        check(name, x, y, claimed=False)
    with rt.count_ops() as count:
        rt.fmod(rt.tensor(x), rt.tensor(y))
    assert "TruncateMod" not in count.ops


def test_argsort_takes_zeros_of_both_signs_for_equal() -> None:
    check("argsort", np.array([0.0, -0.0, 1.0, -0.0, 0.0, np.nan]), -1, "stable", claimed=False)
