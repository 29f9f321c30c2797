"""The sampler inside of a program: whom it charges which time, and that it leaves the program as it was."""

from __future__ import annotations

import json

import pytest
from sampled_programs import sampled, seconds_by_function

#: A sample falls by chance, and the more so the busier the machine: a fault fails each time, chance does not.
pytestmark = pytest.mark.flaky(reruns=4)


def test_calls_that_hold_the_interpreters_lock_are_charged_their_time(tmp_path):
    """A call of a millisecond that gives the lock up nowhere must not be charged to one that does."""
    samples, _, path = sampled(
        tmp_path,
        """
        import json, pathlib, sys, time
        import numpy as np

        def held(x):
            y = sum(x)
            return y

        def released(x):
            for _ in range(10):
                y = np.sqrt(x)
            return y.size

        used = dict.fromkeys(("held", "released"), 0.0)
        numbers, long = [1.5] * 100_000, np.ones(30_000)
        while sum(used.values()) < 1.5:
            for function, x in ((held, numbers), (released, long)):
                before = time.thread_time()
                function(x)
                used[function.__name__] += time.thread_time() - before
        pathlib.Path(sys.argv[1]).write_text(json.dumps(used))
        """,
        str(tmp_path / "used.json"),
    )
    used = json.loads((tmp_path / "used.json").read_text())
    seen = seconds_by_function(samples, path)
    share = used["held"] / sum(used.values())
    assert 0.1 < share < 0.95
    assert seen["held"] / (seen["held"] + seen["released"]) == pytest.approx(share, abs=0.2)


def test_the_programs_own_switch_interval_is_left_alone(tmp_path):
    _, ended, _ = sampled(
        tmp_path,
        """
        import sys, time
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
        sys.setswitchinterval(0.0625)
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass
        sys.exit(int(sys.getswitchinterval() == 0.0625))
        """,
    )
    assert ended.status == 1


def test_looking_keeps_no_arrays_alive(tmp_path):
    """A frame that the sampler held on to would hold a function's arrays beyond its end: memory and page faults."""
    _, ended, _ = sampled(
        tmp_path,
        """
        import sys, time, weakref

        class Array: pass

        def work():
            array = Array()
            end = time.thread_time() + 0.01
            while time.thread_time() < end:
                pass
            return weakref.ref(array)

        sys.exit(sum(work()() is not None for _ in range(50)))
        """,
    )
    assert ended.status < 10


def test_threads_and_forked_children_are_sampled_and_counted_once(tmp_path):
    samples, ended, path = sampled(
        tmp_path,
        """
        import multiprocessing, threading, time

        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        def in_thread(): burn(0.4)
        def in_child(): burn(0.9)

        if __name__ == "__main__":
            assert threading.active_count() == 1
            thread = threading.Thread(target=in_thread)
            thread.start()
            thread.join()
            child = multiprocessing.get_context("fork").Process(target=in_child)
            child.start()
            child.join()
            print("done")
        """,
    )
    assert ended.status == 0
    assert samples.processes == 2
    seconds = seconds_by_function(samples, path)
    assert 0.6 < seconds["burn"] < 1.6  # of 1.3: the child's last moments may be lost


def test_threads_that_end_before_they_are_looked_at_twice_are_charged(tmp_path):
    """Each of the threads is shorter than the time between two looks: the first one charged nothing."""
    samples, _, path = sampled(
        tmp_path,
        """
        import threading, time

        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        def in_thread(): burn(0.002)

        for _ in range(500):
            thread = threading.Thread(target=in_thread)
            thread.start()
            thread.join()
        """,
    )
    assert 0.5 < seconds_by_function(samples, path)["burn"] < 1.5  # of 1.0


def test_time_is_charged_to_where_a_thread_works_not_to_where_it_waits(tmp_path):
    samples, _, path = sampled(
        tmp_path,
        """
        import time

        def work():
            end = time.thread_time() + 0.1
            while time.thread_time() < end:
                pass

        def wait():
            time.sleep(0.25)

        for _ in range(12):
            work()
            wait()
        """,
    )
    seen = seconds_by_function(samples, path)
    assert seen["work"] > 3 * seen.get("wait", 0.0)


def test_idle_threads_do_not_hide_short_calls_that_hold_the_lock(tmp_path):
    """With threads that may want the lock the sampler waits longer for it: until a call gives it up by itself."""
    samples, _, path = sampled(
        tmp_path,
        """
        import threading, time
        import numpy as np

        def held(x):
            return sum(x)

        def released(x):
            return np.sqrt(x)

        done = threading.Event()
        for _ in range(20):
            threading.Thread(target=done.wait).start()
        used = dict.fromkeys(("held", "released"), 0.0)
        numbers, long = [1.5] * 50_000, np.ones(300_000)
        while sum(used.values()) < 2.0:
            for function, x in ((held, numbers), (released, long)):
                before = time.thread_time()
                function(x)
                used[function.__name__] += time.thread_time() - before
        done.set()
        import json, sys
        json.dump(used, open(sys.argv[1], "w"))
        """,
        str(tmp_path / "used.json"),
    )
    used, seen = json.loads((tmp_path / "used.json").read_text()), seconds_by_function(samples, path)
    share = used["held"] / sum(used.values())
    assert 0.1 < share < 0.9
    assert seen["held"] / (seen["held"] + seen["released"]) == pytest.approx(share, abs=0.3)


def test_threads_without_a_clock_share_what_the_process_used(tmp_path):
    """Of threads that only `_thread` knows no clock tells; one that sleeps was charged all the time that passed."""
    samples, _, path = sampled(
        tmp_path,
        """
        import _thread, time

        def asleep():
            while True:
                time.sleep(0.05)

        def burn():
            end = time.thread_time() + 0.8
            while time.thread_time() < end:
                pass

        _thread.start_new_thread(asleep, ())
        burn()
        time.sleep(0.8)
        """,
    )
    seen = seconds_by_function(samples, path)
    assert seen["burn"] > 0.6
    assert seen.get("asleep", 0.0) < 0.3


def test_workers_that_a_pool_ends_by_a_signal_have_told_what_they_did(tmp_path):
    samples, _, path = sampled(
        tmp_path,
        """
        import multiprocessing, time

        def burn(seconds):
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass

        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(1) as pool:
                pool.map(burn, [0.1] * 20, chunksize=1)
        """,
    )
    assert samples.processes == 2
    assert seconds_by_function(samples, path)["burn"] > 1.4  # of 2.0
