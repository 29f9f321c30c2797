"""The arrays that the probe's calls name, of the dtype under test (see all_cases.py)."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from np2tnp.probe.cases import cases_inputs

#: Elements of the largest array that calls get as lists.
_FEW = 100


#: Arrays that calls store into: those of the dtype under test by their shapes, and what the others hold.
OUTPUTS: dict[str, Any] = {
    "o": (6,), "o2": (6,), "o4": (4,), "o3": (3,), "om": (3, 4), "oq": (3, 3), "oz": (),
    "od": np.full(6, 0.25), "oi": np.full(6, 77), "ob": np.ones(6, bool), "oc": np.full(6, 2 - 1j),
    "oc4": np.full(4, 2 - 1j), "oc33": np.full((3, 3), 2 - 1j), "od34": np.full((3, 4), 0.25),
    "od4": np.full(4, 0.25), "oi4": np.full(4, 77), "ob4": np.ones(4, bool),
}  # fmt: skip


@functools.cache
def make_arguments(char: str) -> dict[str, Any]:
    """The arrays that calls may name. Shared: see :func:`cases.fresh_arguments`.

    Parameters
    ----------
    char : dtype character of all arrays, except index arrays (``k*``, int64), masks (``b*``, bool) and NaN-free
    floats ``x*``.
    """
    rng = np.random.RandomState(7)
    names: dict[str, Any] = {"np": np}
    names |= _vectors(char, "v", "m", "t", rng) | _vectors(char, "w", "n", "t2", rng)
    names["v"], names["w"] = _cast([3.5, -1.25, 4, -1.25, 0.5, 9.75], char), _cast([2, 3.5, -1, 5, 1.5, -2], char)
    names["s"], names["S"], names["U"] = specials(char), specials(char)[:, None], specials(char)[None, :]
    names["z"], names["y"] = _cast(2.5, char), _cast(3.0, char)
    names["c"], names["r"], names["r2"] = names["m"][:, :1].copy(), names["m"][0].copy(), names["n"][1].copy()
    names["e"], names["em"], names["me"], names["e3"] = (np.zeros(s, char) for s in ((0,), (0, 3), (3, 0), (2, 0, 3)))
    names["q"] = _cast([[4, 1, 0.5], [1, 5, 2], [0.5, 2, 6]], char)  # symmetric, positive definite
    names["p"] = _cast([[2, -1, 0], [1, 3, 1], [0, 4, -2]], char)
    names["Q"] = (
        np.stack([names["q"], names["q"] + names["q"].dtype.type(1)]) if char != "?" else np.stack([names["q"]] * 2)
    )
    names["sing"] = _cast([[1, 2], [2, 4]], char)
    names["g"] = np.sort(names["v"])  # sorted
    names["d"] = _cast([2, 1, 2, 3, 1, 2, 2], char)  # duplicates
    names["one"] = np.ones(1, char)
    names["l"], names["l2"] = _long(char, rng), _long(char, rng)
    names["l3"] = rng.permutation(names["l"])[:257]
    names["big"] = np.ones(70_000, char)  # more than float16 can count
    names["a5"] = _cast(np.arange(2 * 1 * 3 * 1 * 2).reshape(2, 1, 3, 1, 2) - 4, char)
    names |= {
        "k": np.array([0, 2, 1, -1]), "k1": np.array([5, 3, 0, 0, 1, 2]), "kbad": np.array([0, 99]), "km":
        np.array([[0, 1], [2, 0]]),
        "kr": np.array([0, 2, 1]), "k0": np.array(2), "kn": np.array([1, 2, 0, 3, 1, 2]), "ke": np.array([],
        dtype=np.int64),
        "kc": np.array([[0, 1, 2, 0], [1, 1, 0, 2]]), "b": np.array([True, False, True, True, False, False]),
        "bm": np.arange(12).reshape(3, 4) % 3 == 0, "br": np.array([True, False, True]), "b0": np.zeros(6, bool),
        "js": _complex_specials(char),
        # true by its imaginary part alone
        "j": (np.array([0, 2j, 0, 0]) if char in "FD" else np.zeros(4)).astype(char),
        "x": np.array([0.0, 1.0, 2.5, 4.0, 7.0, 9.0]), "xi": np.array([2.6, -1.0, 8.9, np.nan, 2.5, 100.0]),
    }  # fmt: skip
    names["number"] = names["z"].item()
    for name, value in [*names.items()]:
        if isinstance(value, np.ndarray) and value.dtype.char == char and value.ndim and value.size <= _FEW:
            names |= cases_inputs.other_forms(name, value, names["s"])
    outputs = {name: np.ones(what, char) if isinstance(what, tuple) else what for name, what in OUTPUTS.items()}
    return names | outputs


def specials(char: str) -> Any:
    """A vector of the values of a dtype that implementations get wrong."""
    kind = np.dtype(char).kind
    if kind == "b":
        return np.array([True, False])
    if kind in "iu":
        info = np.iinfo(char)
        return np.array(
            sorted(
                {
                    info.min,
                    info.min + 1,
                    info.max - 1,
                    info.max,
                    0,
                    1,
                    2,
                    7,
                    100,
                    *((-1, -2, -7) if kind == "i" else ()),
                }
            ),
            char,
        )
    real = np.dtype(char.lower())
    info_f = np.finfo(real)
    values = [
        np.nan,
        np.inf,
        -np.inf,
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0.1,
        3,
        info_f.max,
        info_f.min,
        info_f.tiny,
        info_f.eps,
        1e-5,
        40.0,
        -200.0,
    ]
    column = np.array(values, real)
    if kind == "f":
        return column
    # Finite parts only: nobody agrees on what sums make of infinite ones. Elementwise functions are tried on `js`, too.
    parts = column[[3, 4, 5, 6, 7, 10, 11, 13]]
    return _complex_grid(parts, char)


def _complex_specials(char: str) -> Any:
    """Complex numbers with infinite, NaN and zero parts of both signs; of other dtypes their own special values."""
    if np.dtype(char).kind != "c":
        return specials(char)
    return _complex_grid(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5]), char)


def _complex_grid(parts: Any, char: str) -> Any:
    grid = np.empty((parts.size, parts.size), char)
    grid.real, grid.imag = parts[:, None], parts[None, :]
    return grid.ravel()


def _vectors(char: str, v: str, m: str, t: str, rng: Any) -> dict[str, Any]:
    return {
        v: _cast(rng.randint(-9, 10, 6) / 2, char),
        m: _cast(rng.randint(-9, 10, (3, 4)) / 2, char),
        t: _cast(rng.randint(-9, 10, (2, 3, 4)) / 2, char),
    }


def _cast(values: Any, char: str) -> Any:
    array = np.asarray(values, dtype=np.float64)
    if char == "?":
        return np.asarray(array > 0.75)
    if np.dtype(char).kind == "u":
        array = np.asarray(np.abs(array))
    if np.dtype(char).kind == "c":
        return np.asarray(array + 1j * np.flip(array * 0.5, axis=tuple(range(array.ndim)))).astype(char)
    return array.astype(char)


def _long(char: str, rng: Any) -> Any:
    kind = np.dtype(char).kind
    if kind == "b":
        return rng.rand(600) < 0.5
    if kind in "iu":
        info = np.iinfo(char)
        return rng.randint(max(info.min, -(2**31)), min(info.max, 2**31 - 1), 600).astype(char)
    values = rng.standard_normal(600) * np.where(rng.rand(600) < 0.2, 30, 1)
    return values.astype(char) if kind == "f" else (values + 1j * rng.standard_normal(600)).astype(char)
