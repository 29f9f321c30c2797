"""packbits and unpackbits, spacing, and numbers as their bytes, eagerly and in ``tf.function``; all are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check, check_in_graph, in_graph, sample

from np2tnp import runtime as rt


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("char", "?bBlL")
def test_packbits(char: str, bitorder: str) -> None:
    for shape in (8, 13, 0, 1, (3, 9), (2, 0), (0, 3), (2, 3, 17)):
        array = sample(shape, char)
        for axis in (None, *range(-array.ndim, array.ndim)):
            check("packbits", array, axis, bitorder)
        check_in_graph("packbits", array, axis=-1, bitorder=bitorder)
        check_in_graph("packbits", array, bitorder=bitorder)
    check("packbits", np.array(3, char), bitorder=bitorder)
    check("packbits", np.array(3, char), 0, bitorder)


@pytest.mark.parametrize("bitorder", ["big", "little"])
@pytest.mark.parametrize("count", [None, 5, 8, 20, -3, -8, 1000, -1000])
def test_unpackbits(count: Any, bitorder: str) -> None:
    for shape in (1, 3, (2, 3), (2, 3, 2)):
        array = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
        for axis in (None, *range(-array.ndim, array.ndim)):
            check("unpackbits", array, axis, count, bitorder)
        check_in_graph("unpackbits", array, axis=0, count=count, bitorder=bitorder)
        check_in_graph("unpackbits", array, count=count, bitorder=bitorder)
    check("unpackbits", np.array(5, np.uint8), None, count, bitorder)


def test_what_numpy_refuses_to_pack() -> None:
    check("packbits", sample(4))
    check("packbits", sample(4, "?"), bitorder="x")
    check("packbits", sample(4, "?"), 1)
    check("unpackbits", sample(4, "l"))
    check("unpackbits", sample(4, "B"), 1)
    check("packbits", [1, 0, 1])
    check("unpackbits", np.zeros((2, 0), np.uint8), 0)


def test_packing_under_xla() -> None:
    check_in_graph("packbits", sample((3, 9), "?"), axis=1, compiled=True)
    check_in_graph("unpackbits", sample((3, 9), "B"), axis=0, count=5, compiled=True)


def test_spacing() -> None:
    rng = np.random.default_rng(0)
    arrays = [
        np.arange(2**16, dtype=np.uint16).view("e"),
        rng.integers(0, 2**32, 10_000, dtype=np.uint32).view("f"),
        rng.integers(0, 2**63, 10_000).view("d"),
        -rng.integers(0, 2**63, 10_000).view("d"),
        np.ldexp(1.0, np.arange(-1074, 1024)),
        np.ldexp(np.float32(1), np.arange(-149, 128)).astype("f"),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1.7976931348623157e308]),
        np.arange(-5, 5),
    ]
    for array in arrays:
        check("spacing", array)
        check_in_graph("spacing", array)
    for array in arrays[-2:]:
        check_in_graph("spacing", array, compiled=True)


@pytest.mark.parametrize("char", "?bhilBHILefdFD")
def test_bytes_in_a_graph(char: str) -> None:
    for array in (sample((3, 4), char), np.asarray(sample((), char)), sample(0, char)):
        check_in_graph("byteswap", array, reference=lambda a: a.byteswap())
        check_in_graph("getfield", array, char, reference=lambda a, *rest: a.getfield(*rest))
        check_in_graph("setfield", array, 1, char, reference=written)
        if array.dtype.itemsize > 1:
            check_in_graph("getfield", array, "B", 1, reference=lambda a, *rest: a.getfield(*rest))
            check_in_graph("setfield", array, 7, "b", 1, reference=written)
            half = f"u{array.dtype.itemsize // 2}"
            if array.dtype.itemsize < 16:
                values = sample(array.shape, half)
                check_in_graph("setfield", array, values, half, array.dtype.itemsize // 2, reference=written)


def written(array: np.ndarray, *args: Any) -> np.ndarray:
    changed = array.copy()
    changed.setfield(*args)
    return changed


def test_what_bytes_no_graph_reads() -> None:
    for unknown in (False, True):
        with pytest.raises(rt.UnverifiedError):
            in_graph(rt.getfield, (sample(3, "l"), bool), {}, unknown)
        with pytest.raises(rt.UnverifiedError):
            in_graph(rt.setfield, (sample(3, "l"), sample(3), "i"), {}, unknown)
        with pytest.raises(ValueError, match=r"offset|itemsize"):
            in_graph(rt.getfield, (sample(3, "l"), "d", 4), {}, unknown)
