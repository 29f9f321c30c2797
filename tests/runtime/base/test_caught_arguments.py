"""The `tnp` of rewritten code: tnp's functions for what they were measured equal for, exact helpers for the rest."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

np = pytest.importorskip("numpy")
tf = pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402
from np2tnp.catalog import load  # noqa: E402
from np2tnp.catalog.facts import Target  # noqa: E402
from np2tnp.runtime import tnp  # noqa: E402
from np2tnp.runtime.base import tracing  # noqa: E402


def targets(name: str) -> list[Target]:
    facts = [load().get(f"{owner}.{name}") for owner in ("numpy", "ndarray")]
    return [fact.tnp for fact in facts if fact is not None and fact.tnp is not None]


def test_the_catalog_knows_them() -> None:
    known = {name.rpartition(".")[2] for name in load().names() if (f := load().get(name)) and f.tnp and f.tnp.caught}
    aliases = {name for name in known if (f := load().get(f"numpy.{name}")) is not None and f.alias_of}
    assert known - aliases == tracing.CAUGHT


@pytest.mark.parametrize("name", sorted(tracing.CAUGHT))
def test_they_are_told_apart_as_the_catalog_says(name: str) -> None:
    assert hasattr(rt, name)
    assert targets(name)
    for target in targets(name):
        assert target.name == f"tnp.{name}"
        if name in tracing._MEASURED:
            assert set(tracing._MEASURED[name]) <= set(target.dtypes)
            about = [it for it in target.outside if target.caught in it.split() and "=" not in it]
            assert all(it.startswith(f"empty {target.caught}") for it in about)
            assert (name in tracing._NOT_EMPTY) == bool(about)


VALUES: dict[str, Any] = {
    "array": lambda char: np.arange(6).reshape(2, 3).astype(char),
    "vector": lambda char: (np.arange(4) - 1).astype(char),
    "empty": lambda char: np.zeros(0, char),
    "empty rows": lambda char: np.zeros((0, 3), char),
    "zero_d": lambda char: np.array(2, char),
    "scalar": lambda char: np.dtype(char).type(3),
    "list": lambda char: np.arange(3).astype(char).tolist(),
    "number": lambda char: np.arange(3).astype(char)[2].item(),
    "swapped": lambda char: np.arange(3).astype(np.dtype(char).newbyteorder()),
    "masked": lambda char: np.ma.masked_less(np.arange(4).astype(char), 2),
}
OTHERS = {"none": None, "objects": np.array([1, None]), "nested": [[1], [2.5]]}
ARGUMENTS = {"reshape": [(-1,), ((-1, 1),), ((-1, 0),)], "round": [(), (1,)], "max": [(), (0,)], "mean": [(), (0,)]}


def outcome(function: Any, *args: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return rt.host(function(*args))
    except tf.errors.InvalidArgumentError:
        return ValueError  # which a boundary makes of it
    except (ValueError, TypeError, IndexError, rt.UnverifiedError) as error:
        return type(error)


def agree(old: Any, new: Any) -> bool:
    if isinstance(old, type) or old is None:
        return old is new or (
            isinstance(old, type) and isinstance(new, type) and (issubclass(old, new) or new is ValueError)
        )
    if np.shape(old) != np.shape(new) or getattr(old, "dtype", None) != getattr(new, "dtype", None):
        return False
    if getattr(getattr(old, "dtype", None), "char", "") == "O":
        return list(np.ravel(old)) == list(np.ravel(new))
    left, right = np.ma.filled(old, 0), np.ma.filled(new, 0)
    close = 5e-3 if np.asarray(left).dtype == np.float16 else 1e-6
    return bool(np.allclose(left, right, rtol=close, atol=close, equal_nan=True))


@pytest.mark.parametrize("char", list("?bIlLefdD"))
@pytest.mark.parametrize("name", sorted(tracing._MEASURED))
def test_whatever_comes_numpys_answer(name: str, char: str) -> None:
    for kind, make in VALUES.items():
        value = make(char)
        forms = [value]
        if type(value) is np.ndarray and value.dtype.isnative:
            forms.append(tf.constant(value))
        for form in forms:
            for more in ARGUMENTS.get(name, [()]):
                old, new = outcome(getattr(np, name), value, *more), outcome(getattr(tnp, name), form, *more)
                if kind in ("masked", "swapped") and new is rt.UnverifiedError:
                    continue  # the helpers refuse such
                assert agree(old, new), (kind, type(form), more, old, new)


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("name", sorted(tracing._MEASURED))
def test_what_is_no_array_of_numbers(name: str, kind: str) -> None:
    value = OTHERS[kind]
    more = ARGUMENTS.get(name, [()])[0]
    old, new = outcome(getattr(np, name), value, *more), outcome(getattr(tnp, name), value, *more)
    assert agree(old, new), (old, new)


@pytest.mark.parametrize("name", sorted(tracing._OF_SHAPES))
def test_shapes(name: str) -> None:
    shapes = [3, (2, 3), [2, 2], (), 0, -1, 2.0, 2.5, (2, 1.5), True, (2, True), np.int64(2), np.float64(2), "2", None]
    for shape in [*shapes, (np.int8(2), 3), np.array([2, 3]), np.array(2.0), tf.constant(3), (tf.constant(3), 2)]:
        plain = tuple(rt.host(it) for it in shape) if isinstance(shape, tuple) else rt.host(shape)
        old, new = outcome(getattr(np, name), plain), outcome(getattr(tnp, name), shape)
        if name == "empty" and isinstance(old, np.ndarray):
            old, new = np.zeros_like(old), np.zeros_like(new)
        assert agree(old, new), (shape, old, new)
