"""Arrays of other kinds in helpers: what NumPy makes of them where that is an ordinary array or number, or a refusal.

NumPy asks a subclass of ndarray, or an object such as a DataFrame, what a function is to do with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402


class Series:
    """Like pandas': missing values are left out of sums, and what is calculated from one is one again."""

    values = np.array([1.0, np.nan, 3.0])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values.astype(dtype or float)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        made = Series()
        made.values = getattr(ufunc, method)(*(getattr(item, "values", item) for item in inputs), **kwargs)
        return made

    def sum(self, axis: Any = None, **kwargs: Any) -> Any:
        return np.nansum(self.values)

    def __add__(self, other: Any) -> Any:
        return np.add(self, other)


class Decibels:
    """A sequence of numbers that NumPy's ufuncs are asked to leave to it; it does not turn into an array."""

    def __init__(self, levels: Any) -> None:
        self.levels = levels

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, place: Any) -> Any:
        return self.levels[place]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        given = [10 ** (it.levels / 10) if isinstance(it, Decibels) else it for it in inputs]
        return Decibels(10 * np.log10(np.abs(getattr(ufunc, method)(*given, **kwargs)) + 1))


class Shares(Decibels):
    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return np.float32(len(self))


class Percent(float):
    """A number that means something else beside arrays, and only where it stands on their left."""

    def __mul__(self, other: Any) -> Any:
        return other * (float(self) / 100)

    def __rmul__(self, other: Any) -> Any:
        raise NotImplementedError


MASKED = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[True, False, False])
X = np.array([4.0, 5.0, 6.0])
SERIES = Series()
LEVELS = Decibels(X)
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
    "a sum of missing values": (lambda: rt.sum(rt.tensor(SERIES)), lambda: np.sum(SERIES)),
    "exp of an object": (lambda: rt.exp(SERIES), lambda: np.exp(SERIES)),
    "array + object": (lambda: rt.op_add(rt.tensor(X), SERIES), lambda: X + SERIES),
    "object + array": (lambda: rt.op_add(SERIES, rt.tensor(X)), lambda: SERIES + X),
    "concatenate an object": (lambda: rt.concatenate([rt.tensor(X), SERIES]), lambda: np.concatenate([X, SERIES])),
    "exp of levels": (lambda: rt.exp(LEVELS), lambda: np.exp(LEVELS)),
    "sum of levels": (lambda: rt.sum(Shares(X)), lambda: np.sum(Shares(X))),
    "larger of levels": (lambda: rt.maximum(rt.tensor(X), LEVELS), lambda: np.maximum(X, LEVELS)),
    "array * levels": (lambda: rt.op_mul(rt.tensor(X), LEVELS), lambda: X * LEVELS),
    "number * array": (lambda: rt.op_mul(Percent(5), rt.tensor(X)), lambda: Percent(5) * X),
    "number * scalar": (lambda: rt.op_mul(Percent(5), rt.tensor(X[0])), lambda: Percent(5) * X[0]),
    "array * number": (lambda: rt.op_mul(rt.tensor(X), Percent(5)), lambda: X * Percent(5)),
    "trace of a matrix": (lambda: rt.trace(np.matrix([[1.0, 2.0], [3.0, 4.0]])), lambda: np.float64(5.0)),
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
    assert np.array_equal(np.asarray(found), np.asarray(expected), equal_nan=True)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", ["a sum of missing values", "concatenate an object", "trace of a matrix", "where"])
def test_what_numpy_makes_an_ordinary_array_of_is_not_refused(name: str) -> None:
    ours, numpys = CALLS[name]
    assert type(rt.host(ours())) is type(numpys())


def test_array_and_asarray_take_the_numbers_of_a_subclass() -> None:
    for made in (rt.array(MASKED), rt.asarray(MASKED)):
        assert type(made) is not np.ndarray
        assert np.array_equal(rt.host(made), MASKED.data)
    for other in (X.astype(">f8"), X.astype("g")):
        with pytest.raises(rt.UnverifiedError):
            rt.asarray(other.view(np.recarray))
