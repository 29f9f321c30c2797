"""All of linalg with what it refuses or warns of: singular, infinite, NaN, empty, not square, stacked; in each mode.

XLA raises nothing, and decides otherwise near what cannot be solved. So the same exception class as NumPy's, or the
same value, must come out of every mode.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt

_REGULAR = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 2.0], [0.5, 2.0, 6.0]])
_SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def _with(value: float, *places: tuple[int, int]) -> np.ndarray:
    changed = _REGULAR.copy()
    for place in places:
        changed[place] = value
    return changed


MATRICES: dict[str, np.ndarray] = {
    "singular": _SINGULAR,
    "nearly singular": np.array([[1.0, 2.0], [2.0, 4.0 + 1e-15]]),
    "not definite": np.array([[1.0, 2.0], [2.0, 1.0]]),
    "inf in the corner": _with(np.inf, (0, 0)),
    "inf in the upper half": _with(np.inf, (0, 2)),
    "nan in the corner": _with(np.nan, (0, 0)),
    "nan last": _with(np.nan, (2, 2)),
    "all nan": np.full((2, 2), np.nan),
    "empty": np.zeros((0, 0)),
    "no rows": np.zeros((0, 3)),
    "tall": np.arange(6.0).reshape(3, 2),
    "stack with a singular one": np.stack([_REGULAR, np.zeros((3, 3))]),
    "stack with a nan": np.stack([_REGULAR, _with(np.nan, (1, 1))]),
    "half": _REGULAR.astype(np.float16),
}

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "cholesky": lambda xp, a: xp.linalg.cholesky(a),
    "cholesky upper": lambda xp, a: xp.linalg.cholesky(a, upper=True),
    "inv": lambda xp, a: xp.linalg.inv(a),
    "solve": lambda xp, a: xp.linalg.solve(a, xp.ones(a.shape[-1:])),
    "solve matrix": lambda xp, a: xp.linalg.solve(a, xp.ones((*a.shape[-1:], 2))),
    "det": lambda xp, a: xp.linalg.det(a),
    "slogdet": lambda xp, a: xp.linalg.slogdet(a),
    "qr": lambda xp, a: xp.linalg.qr(a),
    "svd": lambda xp, a: xp.linalg.svd(a),
    "singular values": lambda xp, a: xp.linalg.svd(a, compute_uv=False),
    "svdvals": lambda xp, a: xp.linalg.svdvals(a),
    "eigh": lambda xp, a: xp.linalg.eigh(a),
    "eigvalsh": lambda xp, a: xp.linalg.eigvalsh(a),
    "eigvalsh upper": lambda xp, a: xp.linalg.eigvalsh(a, "U"),
    "eig": lambda xp, a: xp.linalg.eig(a),
    "eigvals": lambda xp, a: xp.linalg.eigvals(a),
    "lstsq": lambda xp, a: xp.linalg.lstsq(a, xp.ones(a.shape[:1])),
    "pinv": lambda xp, a: xp.linalg.pinv(a),
    "matrix_rank": lambda xp, a: xp.linalg.matrix_rank(a),
    "matrix_power 3": lambda xp, a: xp.linalg.matrix_power(a, 3),
    "matrix_power 0": lambda xp, a: xp.linalg.matrix_power(a, 0),
    "matrix_power -1": lambda xp, a: xp.linalg.matrix_power(a, -1),
    "cond": lambda xp, a: xp.linalg.cond(a),
    "cond 1": lambda xp, a: xp.linalg.cond(a, 1),
    "cond -2": lambda xp, a: xp.linalg.cond(a, -2),
    "cond fro": lambda xp, a: xp.linalg.cond(a, "fro"),
    "norm": lambda xp, a: xp.linalg.norm(a),
    "norm 2": lambda xp, a: xp.linalg.norm(a, 2),
    "norm nuc": lambda xp, a: xp.linalg.norm(a, "nuc"),
    "norm inf": lambda xp, a: xp.linalg.norm(a, np.inf),
    "norm -1": lambda xp, a: xp.linalg.norm(a, -1),
    "norm of rows": lambda xp, a: xp.linalg.norm(a, axis=-1),
    "norm 3 of rows": lambda xp, a: xp.linalg.norm(a, 3, axis=-1),
    "matrix_norm": lambda xp, a: xp.linalg.matrix_norm(a),
    "vector_norm": lambda xp, a: xp.linalg.vector_norm(a),
    "tensorsolve": lambda xp, a: xp.linalg.tensorsolve(a, xp.ones(a.shape[:1])),
    "tensorinv": lambda xp, a: xp.linalg.tensorinv(a, ind=1),
    "multi_dot": lambda xp, a: xp.linalg.multi_dot([a, a, a]),
    "matmul": lambda xp, a: xp.linalg.matmul(a, a),
    "trace": lambda xp, a: xp.linalg.trace(a),
    "outer": lambda xp, a: xp.linalg.outer(a, a),
    "diagonal": lambda xp, a: xp.linalg.diagonal(a),
}


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except Exception as error:
            return error


def parts_of(value: Any) -> list[Any]:
    return [np.asarray(part) for part in value] if isinstance(value, tuple) else [np.asarray(value)]


def assert_alike(expected: Any, actual: Any, words: str) -> None:
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        assert isinstance(actual, type(expected)), f"{words}: {actual!r}, NumPy {expected!r}"
        return
    wanted, got = parts_of(expected), parts_of(actual)
    assert len(wanted) == len(got), words
    for one, other in zip(wanted, got, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), f"{words}: {other!r}, NumPy {one!r}"
        finite = one[np.isfinite(one)]
        scale = float(np.max(np.abs(finite), initial=0.0))
        rtol = 1e-4 if one.dtype.char in "fF" else 1e-9
        np.testing.assert_allclose(other, one, rtol=rtol, atol=rtol * max(scale, 1e-12), err_msg=words)


def in_mode(mode: str, name: str, matrix: np.ndarray) -> Any:
    function = FUNCTIONS[name]
    if mode == "eager":
        return outcome(rt.migrated(lambda a: function(rt, a)), matrix)
    text = inspect.getsource(function).partition("a:")[2].strip().rstrip(",").replace("xp.", "rt.")
    space: dict[str, Any] = {"rt": rt, "np": np}
    exec(f"def body(a):\n    return {text}", space)  # which reads no closure, so that it can be compiled
    return outcome(rt.migrated(compile=mode)(space["body"]), matrix)


#: What is tried in graphs, which take longer to make than all the rest, and under XLA, where it is seconds.
IN_GRAPHS = ("singular", "nan last", "stack with a nan")
UNDER_XLA = {
    "cholesky": ("singular", "inf in the corner", "nan in the corner", "not definite", "stack with a singular one"),
    "cholesky upper": ("singular", "inf in the corner"),
    "inv": ("singular", "nan last", "stack with a singular one"),
    "solve": ("singular", "nan last"),
    "slogdet": ("singular", "nan last"),
    "det": ("singular", "nan last"),
    "eigvalsh": ("nan last",),
    "singular values": ("nan last", "singular"),
    "matrix_power -1": ("singular",),
    "norm 2": ("inf in the corner",),
}
#: NumPy itself does not come back from these with an infinity in the corner (OpenBLAS's gesdd and gelsd, NumPy 2.4.6).
NEVER_ENDS = ("svd", "lstsq", "pinv")
CASES = [("graph", name, kind) for name in FUNCTIONS for kind in IN_GRAPHS]
CASES += [("xla", name, kind) for name, kinds in UNDER_XLA.items() for kind in kinds]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_numpy_raises_or_gives_eagerly(name: str) -> None:
    for kind, matrix in MATRICES.items():
        if name in NEVER_ENDS and kind == "inf in the corner":
            continue
        expected = outcome(FUNCTIONS[name], np, matrix)
        assert_alike(expected, in_mode("eager", name, matrix), f"{name} of {kind}")


@pytest.mark.parametrize(("mode", "name", "kind"), CASES)
def test_what_numpy_raises_or_gives_compiled(mode: str, name: str, kind: str) -> None:
    expected = outcome(FUNCTIONS[name], np, MATRICES[kind])
    assert_alike(expected, in_mode(mode, name, MATRICES[kind]), f"{name} of {kind}")
