"""The forms that stand for what tnp gets silently wrong, on wide random numbers and at the edges of each dtype.

Magnitudes are drawn over the whole range of normal numbers (of subnormal ones the bits are not promised), mixed with
NaN, infinities, both zeros, ties of rounding and the extremes of integers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import check
from arrays import edge_values

SIZE = 400
#: Functions whose results or remainders are smaller than their arguments: of all magnitudes these would be subnormal.
SHRINKING = ("divide", "divmod", "floor_divide", "fmod", "remainder")


def wide(char: str, rng: np.random.Generator, share: int = 1) -> Any:
    """`SIZE` numbers of all magnitudes, edge values among them, in random order (of 1 / share of the exponents)."""
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return rng.random(SIZE) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        bits = rng.integers(0, info.bits, SIZE, dtype=np.uint64)
        drawn = (rng.integers(0, 2**64, SIZE, dtype=np.uint64, endpoint=False) >> bits).astype(dtype)
    elif dtype.kind == "c":
        part = "f" if char == "F" else "d"
        return (wide(part, rng) + 1j * rng.permutation(wide(part, rng)[:SIZE])).astype(dtype)
    else:
        info = np.finfo(dtype)
        exponents = rng.integers(info.minexp // share, info.maxexp // share, SIZE) + (share - 1)
        drawn = np.ldexp(rng.uniform(1, 2, SIZE) * rng.choice([-1, 1], SIZE), exponents).astype(dtype)
        drawn[: SIZE // 4] = np.round(rng.uniform(-100, 100, SIZE // 4), 1)
    edges = edge_values(char)
    drawn[-len(edges) :] = edges
    drawn[-2 * len(edges) : -len(edges)] = edges
    return rng.permutation(drawn)


REAL, INTEGERS, FLOATS = "bhilBHILefd", "bhilBHIL", "efd"
#: Name, dtypes, arguments made of two arrays, and the allowed error in eps.
FORMS: list[tuple[str, str, Callable[[Any, Any], tuple[Any, ...]], float]] = [
    ("floor_divide", REAL, lambda x, y: (x, y), 0),
    ("remainder", REAL, lambda x, y: (x, y), 0),
    ("divmod", REAL, lambda x, y: (x, y), 0),
    ("fmod", REAL, lambda x, y: (x, y), 0),
    ("divide", REAL, lambda x, y: (x, y), 0),
    ("heaviside", FLOATS, lambda x, y: (x, y), 0),
    ("signbit", REAL, lambda x, y: (x,), 0),
    ("copysign", FLOATS, lambda x, y: (x, y), 0),
    ("isclose", REAL + "FD", lambda x, y: (x, np.where(np.arange(SIZE) % 3, x, y)), 0),
    ("isinf", "?" + REAL + "FD", lambda x, y: (x,), 0),
    ("argmax", "?" + REAL + "FD", lambda x, y: (x.reshape(20, 20), 1), 0),
    ("argmin", "?" + REAL + "FD", lambda x, y: (x.reshape(20, 20), 0), 0),
    ("sort", "?" + REAL, lambda x, y: (x,), 0),
    ("argsort", "?" + REAL, lambda x, y: (x, -1, "stable"), 0),
    ("clip", REAL, lambda x, y: (x, y, np.roll(y, 1)), 0),
    ("round", INTEGERS + FLOATS, lambda x, y: (x,), 0),
    ("round", INTEGERS, lambda x, y: (x, -1), 0),
    ("round", "d", lambda x, y: (x, 2), 0),
    ("round", "d", lambda x, y: (x, -2), 0),
    ("floor", "?" + REAL, lambda x, y: (x,), 0),
    ("ceil", "?" + REAL, lambda x, y: (x,), 0),
    ("trunc", "?" + REAL, lambda x, y: (x,), 0),
    ("rint", "?" + REAL, lambda x, y: (x,), 0),
    ("fabs", "?" + REAL, lambda x, y: (x,), 0),
    ("all", "?" + REAL + "FD", lambda x, y: (x.reshape(100, 4), 1), 0),
    ("any", "?" + REAL + "FD", lambda x, y: (x.reshape(100, 4), 1), 0),
    ("logical_and", "?" + REAL + "FD", lambda x, y: (x, y), 0),
    ("logical_not", "?" + REAL + "FD", lambda x, y: (x,), 0),
    ("cumsum", INTEGERS, lambda x, y: (x,), 0),
    ("cumprod", INTEGERS, lambda x, y: (x,), 0),
    ("max", REAL, lambda x, y: (x.reshape(20, 20), 1), 0),
    ("ptp", INTEGERS, lambda x, y: (x.reshape(20, 20), 1), 0),
    ("take", REAL, lambda x, y: (x, np.arange(-SIZE, SIZE)), 0),
    ("float_power", "bhil", lambda x, y: (x, 2), 4),
    ("angle", REAL + "FD", lambda x, y: (x,), 4),
    ("log2", REAL, lambda x, y: (x,), 4),
    ("log10", REAL, lambda x, y: (x,), 4),
    ("logaddexp2", "fd", lambda x, y: (x, y), 4),
    ("hypot", FLOATS, lambda x, y: (x, y), 4),
    ("nan_to_num", FLOATS, lambda x, y: (x,), 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "chars", "arguments", "factor"), FORMS, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(FORMS)]
)
def test_a_safe_form_equals_numpy_on_wide_random_numbers(
    name: str, chars: str, arguments: Callable[[Any, Any], tuple[Any, ...]], factor: float
) -> None:
    for char in chars:
        rng = np.random.default_rng(zlib.crc32(f"{name} {char}".encode()))
        with np.errstate(all="ignore"):
            x, y = (wide(char, rng, 1 + (name in SHRINKING)) for _ in range(2))
        check(name, *arguments(x, y), claimed=False, factor=factor)


@pytest.mark.parametrize("dtype", [None, np.float64, np.int64])
def test_ranges_of_random_ends_and_steps(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    for _ in range(150):
        start, step = rng.uniform(-10, 10), rng.choice([0.1, 0.3, 1 / 3, 0.7, -0.1, 2.5])
        stop = start + step * rng.integers(-3, 40) + rng.choice([0.0, 0.5, 1e-9]) * step
        check("arange", start, stop, step, dtype=dtype, claimed=False)
        number = int(rng.integers(0, 40))
        check("linspace", start, stop, number, dtype=dtype, claimed=False, factor=2)
