"""Subclasses of ndarray in helpers: what NumPy makes of them as plain arrays, or a refusal; never a lost mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402

MASKED = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[True, False, False])
X = np.array([4.0, 5.0, 6.0])
CALLS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "asarray": (lambda: rt.asarray(MASKED, np.float32), lambda: np.asarray(MASKED, np.float32)),
    "asanyarray": (lambda: rt.asanyarray(MASKED, np.float32), lambda: np.asanyarray(MASKED, np.float32)),
    "array": (lambda: rt.array([MASKED, X], np.float64), lambda: np.array([MASKED, X], np.float64)),
    "array of one": (lambda: rt.array(MASKED, ndmin=2), lambda: np.array(MASKED, ndmin=2)),
    "array, subok": (lambda: rt.array(MASKED, subok=True), lambda: np.array(MASKED, subok=True)),
    "concatenate": (lambda: rt.concatenate([MASKED, X]), lambda: np.concatenate([MASKED, X])),
    "concatenate tensor": (lambda: rt.concatenate([rt.tensor(X), MASKED]), lambda: np.concatenate([X, MASKED])),
    "stack": (lambda: rt.stack([X, MASKED]), lambda: np.stack([X, MASKED])),
    "where": (lambda: rt.where(X > 4, MASKED, X), lambda: np.where(X > 4, MASKED, X)),
    "sum": (lambda: rt.sum([MASKED, X], axis=0), lambda: np.sum([MASKED, X], axis=0)),
    "store": (lambda: rt.at(rt.tensor(X))[:].set(MASKED), lambda: np.array(MASKED.data)),
    "assign": (lambda: rt.assign(rt.tensor(X), MASKED), lambda: np.array(MASKED.data)),
    "add": (lambda: rt.add(MASKED, X), lambda: np.add(MASKED, X)),
    "matrix": (lambda: rt.matmul(np.matrix([[1.0, 2.0]]), X[:2]), lambda: np.matmul(np.matrix([[1.0, 2.0]]), X[:2])),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", CALLS)
def test_a_subclass_is_refused_or_exact(name: str) -> None:
    ours, numpys = CALLS[name]
    expected = numpys()
    try:
        found = rt.host(ours())
    except rt.UnverifiedError:
        return
    assert type(found) is type(expected)
    assert np.array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(expected))
    assert np.array_equal(np.asarray(found), np.asarray(expected))


def test_array_and_asarray_take_the_numbers_of_a_subclass() -> None:
    for made in (rt.array(MASKED), rt.asarray(MASKED)):
        assert type(made) is not np.ndarray
        assert np.array_equal(rt.host(made), MASKED.data)
    for other in (X.astype(">f8"), X.astype("g")):
        with pytest.raises(rt.UnverifiedError):
            rt.asarray(other.view(np.recarray))
