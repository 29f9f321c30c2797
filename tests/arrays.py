"""Arrays that find mistakes: every dtype, with the values at which implementations differ, and awkward shapes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from agreement import check_raises, find, same, why

from np2tnp import runtime as rt
from np2tnp.runtime.base import dispatch

#: All dtype characters that a tensor can hold and NumPy computes with.
NUMERIC = "?bhilBHILefdFD"

_SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 7.25, -7.75, 100.0, np.nan, np.inf, -np.inf]


def edge_values(char: str) -> Any:
    """A 1-D array of that dtype with its extremes, zeros of both signs, NaN, infinities and ties of rounding."""
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return np.array([False, True, True, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = [v for v in (0, 1, 2, 3, 7, 100, -1, -2, -7) if v >= info.min]
        return np.array([*small, info.max, info.min, info.max - 1], dtype)
    values = np.array(_SPECIAL)
    if dtype.kind == "c":
        values = values[np.isfinite(values)]
        return (values + 1j * np.roll(values, 3)).astype(dtype)
    return values.astype(dtype)


def shapes(char: str, *wanted: tuple[int, ...]) -> Iterator[Any]:
    """Random arrays of the wanted shapes, and for floats the same with a NaN and both infinities."""
    rng = np.random.default_rng(7)
    for shape in wanted or ((), (0,), (1,), (6,), (3, 4), (2, 3, 4), (2, 0, 3)):
        values = np.asarray(rng.standard_normal(shape) * 4)
        if np.dtype(char).kind == "c":
            values = values + 1j * rng.standard_normal(shape)
        if np.dtype(char).kind == "u":
            values = np.abs(values)
        array = np.asarray(values).astype(char)
        yield array
        if np.dtype(char).kind == "f" and array.size > 3:
            marked = array.copy()
            marked.flat[1], marked.flat[2], marked.flat[3] = np.nan, np.inf, -np.inf
            yield marked


def agree(name: str, *args: Any, claimed: bool = True, ulps: float = 0, **kwargs: Any) -> None:
    """Assert that ``rt.<name>`` is ``np.<name>`` element by element, within `ulps`; special values and signs exactly.

    `claimed`: TensorFlow must do the work. Numbers below the normal range count as zero: TensorFlow flushes them.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = find(name, np)(*args, **kwargs)
        except Exception as error:
            check_raises(name, type(error), args, kwargs)
            return
        before = sum(dispatch.FALLBACKS.values())
        result = find(name, rt)(*rt.tensor(args), **rt.tensor(kwargs))
        asked = sum(dispatch.FALLBACKS.values()) - before
    assert not (claimed and asked), f"{name} asked NumPy: {why(name, rt.tensor(args), rt.tensor(kwargs))}"
    wanted = expected if isinstance(expected, tuple) else (expected,)
    found = result if isinstance(result, tuple) else (result,)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        _near(one, np.asarray(other), ulps)


def _near(result: Any, wanted: Any, ulps: float) -> None:
    if not ulps or wanted.dtype.kind not in "fc":
        same(result, wanted[()])
        if wanted.dtype.kind == "f":
            number = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(result.numpy())[number], np.signbit(wanted)[number])
        return
    found = np.asarray(result.numpy())
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    if wanted.dtype.kind == "f":
        np.testing.assert_array_equal(found[~finite], wanted[~finite])
    info = np.finfo(wanted.dtype)
    error = np.abs(found[finite].astype(complex) - wanted[finite].astype(complex))
    allowed = ulps * float(info.eps) * np.abs(wanted[finite]).astype(float) + float(info.tiny)
    assert (error <= allowed).all(), f"{found[finite][error > allowed][:4]}, not {wanted[finite][error > allowed][:4]}"
