"""The `tnp` of rewritten code: the names and parameters of TensorFlow's tnp, and NumPy's answers to whatever comes."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

np = pytest.importorskip("numpy")
tf = pytest.importorskip("tensorflow")

import tensorflow.experimental.numpy as tensorflows  # noqa: E402

from np2tnp import runtime as rt  # noqa: E402
from np2tnp.catalog import load  # noqa: E402
from np2tnp.runtime import tnp  # noqa: E402
from np2tnp.runtime.base.dispatch import FALLBACKS  # noqa: E402

PARAMETERS = load().tnp_parameters
STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_the_catalog_has_the_parameters_of_tensorflows_functions(name: str) -> None:
    parameters = inspect.signature(getattr(tensorflows, name)).parameters.values()
    assert PARAMETERS[name] == tuple(f"{STARS.get(it.kind, '')}{it.name}" for it in parameters)


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_the_exact_helper_answers_by_each_name(name: str) -> None:
    assert getattr(tnp, name) is getattr(rt, name)
    assert getattr(tnp, name) is not getattr(tensorflows, name)


def test_what_has_no_helper_is_tensorflows_own() -> None:
    assert tnp.iscomplexobj is tensorflows.iscomplexobj
    assert tnp.newaxis is None
    assert tnp.pi == np.pi


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
ARGUMENTS = {
    "reshape": [(-1,), ((-1, 1),), ((-1, 0),)], "round": [(), (1,)], "max": [(), (0,)], "mean": [(), (0,)],
    "argmax": [(), (0,)], "clip": [(0, 1), (None, 2)], "roll": [(1,), (1, 0)], "repeat": [(2,)], "tile": [((2, 1),)],
    "dot": [(2,)], "maximum": [(1,), (0.5,)], "stack": [(0,)], "concatenate": [(0,)],
}  # fmt: skip
#: Functions of one array, and some of more, that programs call most.
CALLED = sorted(
    """
    absolute all amax amin any argmax argmin argsort atleast_1d ceil clip concatenate copy cos cosh cumprod cumsum diag
    diff dot exp exp2 expm1 fabs flip floor isfinite isnan log log1p max maximum mean min negative nonzero ptp ravel
    repeat reshape roll round sign sin sort sqrt square squeeze stack std sum tan tanh tile transpose var zeros_like
    """.split()
)


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
    if isinstance(old, (tuple, list)) and isinstance(new, (tuple, list)):
        return type(old) is type(new) and len(old) == len(new) and all(map(agree, old, new))
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
@pytest.mark.parametrize("name", CALLED)
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
@pytest.mark.parametrize("name", CALLED)
def test_what_is_no_array_of_numbers(name: str, kind: str) -> None:
    value = OTHERS[kind]
    more = ARGUMENTS.get(name, [()])[0]
    old, new = outcome(getattr(np, name), value, *more), outcome(getattr(tnp, name), value, *more)
    assert agree(old, new), (old, new)


@pytest.mark.parametrize("name", ["empty", "ones", "zeros"])
def test_shapes(name: str) -> None:
    shapes = [3, (2, 3), [2, 2], (), 0, -1, 2.0, 2.5, (2, 1.5), True, (2, True), np.int64(2), np.float64(2), "2", None]
    for shape in [*shapes, (np.int8(2), 3), np.array([2, 3]), np.array(2.0), tf.constant(3), (tf.constant(3), 2)]:
        plain = tuple(rt.host(it) for it in shape) if isinstance(shape, tuple) else rt.host(shape)
        old, new = outcome(getattr(np, name), plain), outcome(getattr(tnp, name), shape)
        if name == "empty" and isinstance(old, np.ndarray):
            old, new = np.zeros_like(old), np.zeros_like(new)
        assert agree(old, new), (shape, old, new)


@pytest.mark.parametrize("char", list("?bHilefdFD"))
def test_a_tensors_own_shape_and_dtype_are_taken(char: str) -> None:
    x, array = tf.constant(np.ones((2, 3), char)), np.ones((2, 3), char)
    asked = {
        "zeros": lambda f, it: f(it.shape, it.dtype), "ones": lambda f, it: f(it.shape, dtype=it.dtype),
        "full": lambda f, it: f(it.shape, 2, it.dtype), "reshape": lambda f, it: f(it, it.shape),
        "broadcast_to": lambda f, it: f(it[0], it.shape), "array": lambda f, it: f([1, 0], it.dtype),
        "asarray": lambda f, it: f(it, dtype=it.dtype), "eye": lambda f, it: f(3, dtype=it.dtype),
        "arange": lambda f, it: f(2, dtype=it.dtype), "full_like": lambda f, it: f(it, 1, dtype=it.dtype),
    }  # fmt: skip
    before = dict(FALLBACKS)
    for name, call in asked.items():
        np.testing.assert_array_equal(rt.host(call(getattr(tnp, name), x)), call(getattr(np, name), array), strict=True)
    assert before == FALLBACKS  # no copy of anything went to the host


def test_numpy_gets_them_as_its_own() -> None:
    x = tf.constant(np.ones((2, 3), np.float32))
    made = tnp.full(x.shape, None, dtype=x.dtype)  # which NumPy decides about
    np.testing.assert_array_equal(rt.host(made), np.full((2, 3), None, np.float32), strict=True)
