"""Hypothesis strategies for arrays, every form of NumPy index, and values to store."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

DTYPES = "?bhilBHILefdFD"


@st.composite
def arrays(draw: Any, shape: tuple[int, ...] | None = None, dtypes: str = DTYPES, max_rank: int = 3) -> Any:
    """An array of small numbers; floats are halves, so that sums and products of a few are exact."""
    if shape is None:
        shape = tuple(draw(st.lists(st.integers(0, 4), max_size=max_rank)))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return np.asarray(_numbers(rng, shape, dtype))  # 0-d arithmetic gives scalars


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    if dtype.kind in "iu":
        return np.asarray(rng.integers(0 if dtype.kind == "u" else -100, 100, shape)).astype(dtype)
    halves = np.asarray(rng.integers(-40, 40, shape) / 2)
    return (halves + 1j * rng.integers(-4, 4, shape)).astype(dtype) if dtype.kind == "c" else halves.astype(dtype)


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> Any:
    """An index for an array of `shape`; now and then one that NumPy refuses."""
    parts: list[Any] = []
    axis = 0
    while axis < len(shape) and draw(st.integers(0, 9)) > 1:
        n = shape[axis]
        kind = draw(
            st.sampled_from(["int", "slice", "slice", "none", "ellipsis", "mask", "array", "list", "bool", "numpy"])
        )
        if kind in ("int", "numpy"):
            number = draw(st.integers(-n - 1, n))
            parts.append(np.int64(number) if kind == "numpy" else number)
            axis += 1
        elif kind == "slice":
            bound = st.none() | st.integers(-n - 2, n + 2)
            parts.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, 3, -1, -2]))))
            axis += 1
        elif kind == "none":
            parts.append(None)
        elif kind == "ellipsis" and not any(part is Ellipsis for part in parts):
            parts.append(Ellipsis)
            axis += draw(st.integers(0, len(shape) - axis))
        elif kind == "mask":
            rank = draw(st.integers(1, len(shape) - axis))
            parts.append(draw(arrays(shape[axis : axis + rank], "?")))
            axis += rank
        elif kind in ("array", "list"):
            wanted = draw(st.sampled_from([(), (0,), (1,), (2,), (3,), (2, 2)])) if n else (0,)
            low = draw(st.sampled_from([-n, -n, -n, -n - 1])) if n else 0
            rng = np.random.default_rng(draw(st.integers(0, 2**32)))
            index = np.asarray(rng.integers(low, max(n, 1), wanted)).astype(draw(st.sampled_from("lih")))
            parts.append(index.tolist() if kind == "list" else index)
            axis += 1
        elif kind == "bool":
            parts.append(draw(st.booleans()))
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


@st.composite
def values(draw: Any, target: tuple[int, ...], dtype: str) -> Any:
    """Something to store where `target` is selected: often of that shape, broadcast, or of another dtype."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([3, 2.5, True, -1, 300, 1 + 2j, np.float32(1.5), np.int8(-3), 70000]))
    shape = tuple(1 if draw(st.integers(0, 4)) == 0 else n for n in target)
    shape = shape[draw(st.sampled_from([0, 0, 0, 1])) :]
    if draw(st.integers(0, 9)) == 0:
        shape = (1, *shape)
    if shape and draw(st.integers(0, 11)) == 0:
        shape = (*shape[:-1], shape[-1] + 1)
    value = draw(arrays(shape, dtype if draw(st.booleans()) else DTYPES))
    return value.tolist() if draw(st.integers(0, 9)) == 0 else value


def selected(shape: tuple[int, ...], key: Any) -> tuple[int, ...]:
    """The shape of ``x[key]``, or ``()`` where NumPy refuses the key."""
    try:
        return np.shape(np.broadcast_to(np.zeros(()), shape)[key])
    except (IndexError, ValueError):
        return ()


def as_tensors(key: Any, make: Any) -> Any:
    """`key` with its arrays and ints replaced by ``make(part)``."""
    if type(key) is tuple:
        return tuple(as_tensors(part, make) for part in key)
    return make(key) if isinstance(key, np.ndarray) or type(key) is int else key
