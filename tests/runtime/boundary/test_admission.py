"""The door's words: what ``@rt.migrated(floats="x")`` and its like take, and NumPy's own answer for all else."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

WORDS = ("floats", "reals", "inexact", "arrays", "numbers")
#: Words of one parameter; that it stands under two an earlier release wrote.
DOORS = (*WORDS, *(f"{word}_or_numbers" for word in WORDS[:-1]), *(f"{word} numbers" for word in WORDS[:-1]), "counts")


def takes(door: str, admitted: str) -> bool:
    """Whether `door` takes what `admitted` tells the words of; those of a number are beside ``numbers``."""
    if door == "counts":
        return "counts" in admitted.split()
    words = set(door.replace("_or_", " ").split())
    if admitted.startswith("number: "):
        return "numbers" in words and bool((words - {"numbers"} or {"alone"}) & set(admitted.split()))
    return bool(words & set(admitted.split()))


_ALONE = ("float32", "float64", "int32", "int64")


class Frame:
    """As a DataFrame: an object that turns into an array."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


class Sub(np.ndarray):
    pass


def _read_only() -> Any:
    x = np.array([1.0, 2.0])
    x.flags.writeable = False
    return x


#: what comes -> the words that admit it, see `takes`
VALUES: dict[str, tuple[Callable[[], Any], str]] = {
    "float64": (lambda: np.array([1.0, 2.0]), "floats reals inexact arrays"),
    "float32": (lambda: np.array([1.0, 2.0], np.float32), "floats reals inexact arrays"),
    "read-only": (_read_only, "floats reals inexact arrays"),
    "strided": (lambda: np.arange(8.0)[::-2], "floats reals inexact arrays"),
    "int64": (lambda: np.array([1, 2]), "reals arrays"),
    "int32": (lambda: np.array([1, 2], np.int32), "reals arrays"),
    "complex": (lambda: np.array([1j, 2]), "inexact arrays"),
    "complex64": (lambda: np.array([1j, 2], np.complex64), "inexact arrays"),
    "bool": (lambda: np.array([True, False]), "arrays"),
    "float16": (lambda: np.array([1, 2], np.float16), "arrays"),
    "uint8": (lambda: np.array([1, 2], np.uint8), "arrays"),
    "empty": (lambda: np.zeros(0), ""),
    "empty rows": (lambda: np.zeros((0, 3)), ""),
    "0-d": (lambda: np.array(2.0), ""),
    "big-endian": (lambda: np.array([1.0, 2.0], ">f8"), ""),
    "longdouble": (lambda: np.array([1.0, 2.0], np.longdouble), ""),
    "objects": (lambda: np.array([1.0, 2], object), ""),
    "list": (lambda: [1.0, 2.0], ""),
    "tuple": (lambda: (1.0, 2.0), ""),
    "masked": (lambda: np.ma.array([1.0, 2.0], mask=[False, True]), ""),
    "matrix": (lambda: np.matrix([[1.0, 2.0]]), ""),
    "subclass": (lambda: np.array([1.0, 2.0]).view(Sub), ""),
    "frame": (lambda: Frame([1.0, 2.0]), ""),
    "number": (lambda: 2.5, "number: floats reals inexact arrays alone"),
    "integer": (lambda: 2, "number: floats reals inexact arrays alone counts"),
    "float64 scalar": (lambda: np.float64(2.5), "number: floats reals inexact arrays alone"),
    "float32 scalar": (lambda: np.float32(2.5), "number: floats reals inexact arrays alone"),
    "int64 scalar": (lambda: np.int64(2), "number: reals arrays alone"),
    "wide integer": (lambda: 10**30, ""),
    "bool number": (lambda: True, ""),
    "bool scalar": (lambda: np.bool_(True), ""),
    "complex number": (lambda: 2j, "number: inexact arrays"),
    "complex scalar": (lambda: np.complex128(2j), "number: inexact arrays"),
    "float16 scalar": (lambda: np.float16(2), "number: arrays"),
    "uint8 scalar": (lambda: np.uint8(2), "number: arrays"),
    "None": (lambda: None, ""),
    "text": (lambda: "ab", ""),
}


def total(x: Any) -> Any:
    """Differs from NumPy's where `x` is no array or empty: the door must not let that in."""
    return np.sum(x) + np.max(x)


def made(door: str) -> tuple[Any, list[Any]]:
    """A migrated function with this door, and what its body got."""
    got: list[Any] = []

    @rt.migrated(**dict.fromkeys(door.split(), "x"), original=total, on_unverified="numpy", pure=True, above=0)  # type: ignore[arg-type]
    def migrated(x: Any) -> Any:
        got.append(x)
        return rt.sum(x) + rt.max(x)

    return migrated, got


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        result = function(*args)
    except Exception as error:  # NumPy's own is what counts
        return type(error), str(error)
    return type(result), getattr(result, "dtype", None), result


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", VALUES)
def test_what_comes_gives_numpys_answer_and_only_what_is_admitted_reaches_the_body(name: str, door: str) -> None:
    value, admitted = VALUES[name]
    migrated, got = made(door)
    with np.errstate(all="ignore"):
        expected, result = outcome(total, value()), outcome(migrated, value())
    assert bool(got) == takes(door, admitted)
    if expected[0] is result[0] and expected[0] is not TypeError:
        assert expected[1] == result[1]
        np.testing.assert_array_equal(expected[2:], result[2:])
    else:
        assert expected[0] is result[0] or (not is_tensor(got[0]) and got)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([1, 2]), "it got an int64 array"),
        (np.zeros((0, 2)), "it got an empty array of float64"),
        (np.array(1.0), "it got a 0-d array of float64"),
        ([1.0], "it got a list"),
        (True, "it got a bool"),
        (2.5, "it got a float"),
        (1j, "it got a complex"),
        (None, "it got None"),
        (2, "it got an int"),
        (np.ma.array([1.0]), "it got a numpy.ma.MaskedArray of dtype float64"),
        (np.array([1.0], ">f8"), "it got a >f8 array"),
        (Frame([1.0]), f"it got a {__name__}.Frame"),
    ],
)
def test_the_reason_names_function_argument_what_came_and_what_is_taken(value: Any, words: str) -> None:
    @rt.migrated(floats="z")
    def softmax(z: Any) -> Any:
        return z

    expected = "softmax takes z as a non-empty array of float32 or float64: " + words
    with pytest.raises(rt.UnverifiedError) as caught:
        softmax(value)
    assert str(caught.value).endswith(expected)


def test_several_names_and_words_and_all_kinds_of_parameters() -> None:
    calls: list[str] = []

    def original(x: Any, w: Any, /, n: Any, *more: Any, dt: Any = 0.5, **rest: Any) -> str:
        return "original"

    @rt.migrated(floats="x, w, more, rest", numbers="w, more, n, dt", original=original, on_unverified="numpy", above=0)
    def f(x: Any, w: Any, /, n: Any, *more: Any, dt: Any = 0.5, **rest: Any) -> str:
        calls.append("body")
        return "body"

    one, whole = np.ones(2), np.arange(2)
    assert f(one, 2.0, 3) == "body"
    assert f(2.0, one, 3) == f(one, 10**30, 3) == "original"
    assert f(one, one, 3, one, 1.0, dt=1, rest=one) == "body"
    for bad in [
        lambda: f(whole, one, 3),
        lambda: f(one, whole, 3),
        lambda: f(one, one, one),
        lambda: f(one, one, n=one),
        lambda: f(one, one, 3, whole),
        lambda: f(one, one, 3, dt=one),
        lambda: f(one, one, 3, other=whole),
        lambda: f.core(rt.tensor(one), whole, 3),
    ]:
        assert bad() == "original"
    assert len(calls) == 2


def test_a_default_counts_as_what_comes() -> None:
    @rt.migrated(floats="x, w", numbers="w", original=lambda x, w=None: "original", on_unverified="numpy", above=0)
    def f(x: Any, w: Any = None) -> str:
        return "body"

    assert f(np.ones(2)) == f.core(np.ones(2)) == "original"
    assert f(np.ones(2), 1.0) == f.core(np.ones(2), w=1.0) == "body"


def test_a_name_that_is_no_parameter_is_an_error() -> None:
    with pytest.raises(TypeError, match="no parameter 'y'"):
        rt.migrated(floats="x, y")(lambda x: x).core(1.0)


@pytest.mark.parametrize("door", DOORS)
def test_in_cores_tensors_are_arrays_and_those_without_dimensions_numbers(door: str) -> None:
    migrated, got = made(door)
    for dtype in ("float32", "float64", "int32", "int64", "complex64", "complex128", "bool", "float16", "uint8"):
        arrays = VALUES[{"complex128": "complex"}.get(dtype, dtype)][1]
        number = "number: " + arrays * (dtype != "bool") + " alone" * (dtype in _ALONE)
        for shape in ((), (2,), (0, 2)):
            expected = takes(door, arrays if shape == (2,) else number if shape == () else "")
            before = len(got)
            try:
                migrated.core(tf.zeros(shape, dtype))
            except (TypeError, ValueError):  # NumPy's, of what is not admitted
                assert not expected
            assert (len(got) > before) == expected, (dtype, shape)
            if expected and door == "numbers":
                assert type(got[-1]) is np.dtype(dtype).type  # as NumPy's caller would pass it


def test_a_graph_takes_a_tensor_of_known_extent_only() -> None:
    @rt.migrated(floats="x")
    def twice(x: Any) -> Any:
        return x + x

    def given(x: Any) -> Any:
        return twice.core(x)

    assert float(tf.function(given, autograph=False)(tf.ones(3))[0]) == 2.0
    unknown = tf.TensorSpec((None,), tf.float64)
    with pytest.raises(rt.UnverifiedError, match="twice takes x"):
        tf.function(given, autograph=False).get_concrete_function(unknown)


def test_refusals_are_counted_by_function_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    @rt.migrated(floats="x", original=total, on_unverified="numpy", pure=True, above=0)
    def counted(x: Any) -> Any:
        return rt.sum(x) + rt.max(x)

    with caplog.at_level(logging.WARNING, "np2tnp"):
        for value in ([1.0], [2.0], np.arange(2), np.ones(2)):
            counted(value)
    found = next(reasons for name, reasons in rt.refusals().items() if name.endswith(".counted"))
    told = {reason.partition("it got ")[2]: number for reason, number in found.items()}
    assert told == {"a list": 2, "an int64 array": 1}
    assert len([it for it in caplog.messages if "calls its NumPy original: " in it]) == 2
    rt.refusals().clear()
    assert rt.refusals()  # what is given is a copy


def test_a_generators_refusals_are_counted_too() -> None:
    @rt.migrated(floats="x")
    def stepped(x: Any) -> Any:
        yield x

    with pytest.raises(rt.UnverifiedError, match="stepped takes x"):
        stepped([1.0])
    assert any(name.endswith(".stepped") for name in rt.refusals())


def test_a_tuple_of_names_means_what_it_meant() -> None:
    @rt.migrated(arrays=("x",))
    def f(x: Any) -> Any:
        return x

    assert f(None) is None
    assert f(np.zeros(0)).shape == (0,)
    with pytest.raises(rt.UnverifiedError, match="must be an ndarray or a number"):
        f([1.0])


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "i", "l", "Q", "e", "f", "d", "F", "D"])
def test_arrays_enter_as_copies_of_the_same_bits(dtype: str) -> None:
    @rt.migrated(arrays="x", original=total, on_unverified="numpy", pure=True, above=0)
    def same(x: Any) -> Any:
        tensors.append(x)
        return x

    tensors: list[Any] = []
    whole = np.array([[-0.0, 1, 2], [3, 4, 5]]).astype(dtype)
    for array in (whole, whole.T, whole[:, ::-1], np.broadcast_to(whole, (2, 2, 3))):
        given = same(array)
        assert (given.dtype, given.shape) == (array.dtype, array.shape)
        assert given.tobytes() == array.tobytes() == tf.constant(array).numpy().tobytes()
        assert given.flags.writeable
        assert not np.shares_memory(given, array)
    whole[...] = 0
    assert tensors[0].numpy().any()


def test_one_array_is_one_tensor_and_other_threads_are_looked_at() -> None:
    @rt.migrated(floats="x, y", original=lambda x, y, n=1: None, on_unverified="numpy", pure=True, above=0)
    def pair(x: Any, y: Any, n: Any = 1) -> Any:
        return x is y, type(n)

    x = np.ones((10, 10))
    assert [pair(x, x), pair(x, np.ones(2), n=np.float32(1))] == [(True, int), (False, np.float32)]
    event = threading.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    try:
        assert pair(x, x) == (True, int)
    finally:
        event.set()
        thread.join()


def test_what_the_door_says_nothing_of_is_looked_at_as_ever() -> None:
    @rt.migrated(floats="x", original=lambda x, y: "original", on_unverified="numpy", pure=True, above=0)
    def f(x: Any, y: Any) -> Any:
        return is_tensor(y)

    assert f(np.ones(2), np.ones(2)) is True
    assert f(np.ones(2), np.ma.ones(2)) == "original"
    with np.errstate(all="raise"):
        assert f(np.ones(2), 1) == "original"


@pytest.mark.parametrize("words", [{"no_lists": "x"}, {"arrays": ("x",)}, {"arrays": ("x",), "no_lists": "y"}])
def test_lists_are_refused_where_the_decorator_says_so(words: dict[str, Any]) -> None:
    @rt.migrated(**words)
    def twice(x: Any, y: Any = None) -> Any:
        return x + x

    assert twice(np.arange(3)).tolist() == [0, 2, 4]
    with pytest.raises(rt.UnverifiedError):
        twice([1, 2])
