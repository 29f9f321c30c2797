"""Other threads that write into an argument while a migrated function runs."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from forked_python import python

from np2tnp import runtime as rt
from np2tnp.runtime.boundary.threads import waits, write_what_changed

GATE = threading.Lock()


@pytest.fixture
def other_thread() -> Iterator[None]:
    """There is another thread, which does nothing."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield
    done.set()
    thread.join()


class Meanwhile:
    """What another thread does, at a known time."""

    def __init__(self, out: np.ndarray, value: float) -> None:
        self.steps = steps = ["begin"]

        def write() -> None:
            while steps[-1] != "write":
                time.sleep(0.001)
            out[4:6] = value
            steps.append("end")

        threading.Thread(target=write, daemon=True).start()

    def __call__(self) -> None:
        self.steps.append("write")
        while self.steps[-1] != "end":
            time.sleep(0.001)


@pytest.mark.usefixtures("other_thread")
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "?", "c16", "c8"])
def test_what_another_thread_wrote_elsewhere_stays(dtype: str) -> None:
    @rt.migrated(mutates=("out",))
    def fill(x: Any, out: Any, meanwhile: Any) -> Any:
        out = rt.at(out)[:2].set(rt.sqrt(x))
        meanwhile()
        return rt.updated(None, out=out)

    out = np.zeros((6, 2), dtype)[:, 1]
    fill(np.ones(2), out, Meanwhile(out, 7))
    np.testing.assert_array_equal(out, np.array([1, 1, 0, 0, 7, 7]).astype(dtype))


ENDED = """
import threading
import time
import numpy as np
from np2tnp import runtime as rt

@rt.migrated(mutates=("out",))
def fill(x, out, meanwhile):
    out = rt.at(out)[:2].set(rt.sqrt(x))
    meanwhile()
    return rt.updated(None, out=out)

def write():
    while not begun:
        time.sleep(0.001)
    out[4:] = 7

def end():
    begun.append(True)
    while threading.active_count() > 1:
        time.sleep(0.001)

out, begun, thread = np.zeros(6), [], threading.Thread(target=write, daemon=True)
thread.start()
fill(np.ones(2), out, end)
print(*out.astype(int))
"""


def test_what_another_thread_wrote_that_has_ended_stays() -> None:
    """In a process of its own: pytest may have threads."""
    done = python("-c", ENDED)
    assert done.stdout == "1 1 0 0 7 7\n", done.stderr[-2000:]


@pytest.mark.usefixtures("other_thread")
def test_in_single_precision_too() -> None:
    @rt.migrated(mutates=("out",), float32=True)
    def fill(x: Any, out: Any, meanwhile: Any) -> Any:
        out = rt.at(out)[:2].set(rt.sqrt(x))
        meanwhile()
        return rt.updated(None, out=out)

    out = np.full(6, 0.1)
    fill(np.ones(2), out, Meanwhile(out, 0.7))
    assert out.tolist() == [1, 1, 0.1, 0.1, 0.7, 0.7]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "?", "u1", "i8"])
def test_only_changed_elements_are_written(dtype: str) -> None:
    before = np.array([0, 1, 1, 0], dtype)
    after = before.copy()
    after[1] = 0
    if np.dtype(dtype).kind in "fc":
        before[2] = after[2] = np.nan
        after[3] = -0.0
    target = np.full(4, 1, dtype)
    write_what_changed(target, before, after)
    assert target.tobytes() == np.array([1, 0, 1, after[3] if np.signbit(after[3].real) else 1], dtype).tobytes()


def test_arrays_without_elements_or_axes_are_written() -> None:
    number, nothing = np.array(1.0), np.empty((0, 3))
    write_what_changed(number, np.float64(1.0), np.array(2.0))
    write_what_changed(nothing, nothing, nothing)
    assert number == 2.0


class Holder:
    def __init__(self) -> None:
        self.lock = threading.RLock()


@pytest.mark.parametrize(
    "value",
    [threading.Lock(), threading.Condition(), queue.Queue(), Holder(), [threading.Event()]],
    ids=lambda it: type(it).__name__,
)
@pytest.mark.usefixtures("other_thread")
def test_functions_that_may_wait_are_refused(value: Any) -> None:
    @rt.migrated
    def root(x: Any, guard: Any) -> Any:
        return rt.sqrt(x)

    assert root(np.ones(2), None).tolist() == [1, 1]
    with pytest.raises(rt.UnverifiedError, match="may wait for other threads"):
        root(np.ones(2), value)
    assert root(4.0, GATE) == 2.0  # no array that could change


@pytest.mark.usefixtures("other_thread")
def test_a_global_lock_is_seen() -> None:
    @rt.migrated
    def root(x: Any) -> Any:
        with GATE:
            return rt.sqrt(x)

    with pytest.raises(rt.UnverifiedError, match="may wait for other threads"):
        root(np.ones(2))


def deposit(x: Any) -> Any:
    with GATE:
        return rt.sqrt(x)


class Account:
    def keep(self, x: Any) -> Any:
        return deposit(x)


@pytest.mark.usefixtures("other_thread")
def test_a_lock_of_a_callee_is_seen() -> None:
    @rt.migrated
    def paid(x: Any) -> Any:
        return deposit(x)

    @rt.migrated
    def kept(self: Any, x: Any) -> Any:
        return self.keep(x)

    for function, arguments in ((paid, ()), (kept, (Account(),))):
        with pytest.raises(rt.UnverifiedError, match="may wait for other threads"):
            function(*arguments, np.ones(2))


def test_what_is_shared_by_everybody_is_no_reason() -> None:
    assert waits([threading, np, threading.Lock, threading.local(), 1, "text", [2]]) is None
