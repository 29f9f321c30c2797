"""Where a program spends its time, by looking at its stacks now and then. Runs inside the user's program.

A thread that the ``threading`` module does not know of wakes every few milliseconds, reads what every other thread is
executing, and charges to it the CPU time that the thread has used since the last look. No call is intercepted: those
events would cost more than many NumPy calls do. A call that holds the interpreter's lock is seen at its end, still on
its own line, and is charged all it used. The result is a JSON file a process in the folder given, written now and then
and at exit.
"""

from __future__ import annotations

import _thread
import atexit
import json
import os
import sys
import time
from typing import Any

_INTERVAL = 0.004  #: seconds between two looks, at first
_LONGEST = 0.05  #: and at most
_SHARE = 0.02  #: of the program's CPU time that looking may take; beyond that it happens less often
_DEPTH = 200  #: frames of a stack that are looked at
#: Seconds that a looking thread waits for the interpreter's lock before it asks for it. The interpreter's own 5 ms are
#: longer than most calls that hold the lock: the look would always fall on a call that gives it up by itself.
_PATIENCE = 0.00002
_PATIENCE_AMONG_THREADS = 0.001  #: the program's own threads wait as long for each other: each change costs them time


class Sampler:
    """The counters of this process, and the thread that fills them."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._cwd = os.getcwd()
        self._begin()

    def _begin(self) -> None:
        self._own: dict[tuple[str, int, str, int], list[float]] = {}
        self._inclusive: dict[tuple[str, int, str], float] = {}
        self._clocks: dict[int, float] = {}
        self._started = time.perf_counter()
        self._cost = 0.0
        self._samples = 0
        self._is_over = False
        self._path = os.path.join(self._folder, f"{os.getpid()}-{time.time_ns()}.json")
        self._main = _thread.get_ident()
        self._patience = 0.0
        _thread.start_new_thread(self._run, ())

    def begin_again(self) -> None:
        """In a forked child, where no thread but the forking one lives on: count anew."""
        self._begin()

    def finish(self) -> None:
        """Write the last state."""
        self._is_over = True
        self._write()

    def _run(self) -> None:
        interval = _INTERVAL
        last = time.perf_counter()
        next_write, pause = last + 0.5, 0.5
        state = os.getpid()
        while not self._is_over:
            state = (state * 1103515245 + 12345) % 2**31  # own numbers: the program's random state is not ours to touch
            time.sleep(interval * (0.5 + state / 2**31))  # no fixed rhythm that a loop could be in step with
            now = time.perf_counter()
            self._look_around(now - last)
            last = now
            self._samples += 1
            if now > next_write:
                pause = min(5.0, pause * 1.5)
                next_write = now + pause
                self._write()
            self._cost = time.thread_time()
            interval = min(_LONGEST, (interval + max(_INTERVAL, self._affordable(now))) / 2)

    def _look_around(self, elapsed: float) -> None:
        """Look at every thread; no frame, which keeps its arrays alive, is held when it is over."""
        me = _thread.get_ident()
        threads = 0
        try:
            for thread, frame in sys._current_frames().items():
                if thread != me:
                    threads += 1
                    self._look(frame, self._used(thread, elapsed))
        except RuntimeError:  # a dictionary of another thread changed size
            pass
        self._be_patient(_PATIENCE if threads == 1 else _PATIENCE_AMONG_THREADS)

    def _be_patient(self, seconds: float) -> None:
        """Wait that long for the lock from now on, unless the program has chosen a time of its own."""
        if seconds != self._patience and self._patience in (0.0, sys.getswitchinterval()):
            sys.setswitchinterval(seconds)
            self._patience = sys.getswitchinterval() if seconds else 0.0

    def _affordable(self, now: float) -> float:
        """Seconds between two looks at which they take their share of what the program itself gets of the machine."""
        own = max(time.process_time() - self._cost, 0.0)
        return self._cost / self._samples / _SHARE * (now - self._started) / max(own, 1e-3)

    def _used(self, thread: int, elapsed: float) -> float:
        """Seconds of CPU time that a thread used since the last look; where no clock tells, the time that passed."""
        tid = None
        if sys.platform == "linux":
            threading = sys.modules.get("threading")
            if thread == self._main:
                tid = os.getpid()
            elif threading is not None:
                known = getattr(threading, "_active", {}).get(thread)
                tid = getattr(known, "native_id", None)
        if tid is None:
            return elapsed
        try:
            clock = time.clock_gettime((~tid << 3) | 6)  # Linux's clock of one thread; a dead one is an error
        except OSError:
            return 0.0
        used = clock - self._clocks.get(thread, 0.0 if thread == self._main and not self._samples else clock)
        self._clocks[thread] = clock
        return used

    def _look(self, frame: Any, seconds: float) -> None:
        """Charge `seconds` to the innermost function outside of NumPy, and (inclusive) to all that called it."""
        if seconds <= 0:
            return
        in_numpy = False
        found = False
        seen = set()
        for _ in range(_DEPTH):
            if frame is None:
                return
            code = frame.f_code
            if not found and _is_numpy(code.co_filename):
                in_numpy = True
            else:
                key = (code.co_filename, code.co_firstlineno, code.co_name)
                if not found:
                    found = True
                    cell = self._own.setdefault((*key, frame.f_lineno or 0), [0.0, 0.0])
                    cell[in_numpy] += seconds
                if key not in seen:
                    seen.add(key)
                    self._inclusive[key] = self._inclusive.get(key, 0.0) + seconds
            frame = frame.f_back

    def _write(self) -> None:
        document = {
            "pid": os.getpid(),
            "argv": list(getattr(sys, "argv", [])),
            "cwd": self._cwd,
            "stdlib": os.path.dirname(os.path.abspath(os.__file__)),
            "seconds": time.perf_counter() - self._started,
            "cpu": time.process_time(),
            "cost": self._cost,
            "samples": self._samples,
            "own": [[*key, *cell] for key, cell in list(self._own.items())],
            "inclusive": [[*key, seconds] for key, seconds in list(self._inclusive.items())],
        }
        try:
            with open(self._path + ".part", "w", encoding="utf-8") as file:
                json.dump(document, file)
            os.replace(self._path + ".part", self._path)
        except OSError:
            pass  # the folder is gone: nobody waits for the result any more


_NUMPY: dict[str, bool] = {}


def _is_numpy(path: str) -> bool:
    known = _NUMPY.get(path)
    if known is None:
        parts = path.replace("\\", "/").split("/")
        known = _NUMPY[path] = "numpy" in parts[:-1] and ("site-packages" in parts or "dist-packages" in parts)
        if not known:
            numpy = sys.modules.get("numpy")
            folder = os.path.dirname(getattr(numpy, "__file__", None) or "")
            known = _NUMPY[path] = bool(folder) and path.startswith(folder + os.sep)
    return known


def start(folder: str) -> None:
    """Sample this process, and those forked from it, until they end."""
    sampler = Sampler(folder)
    atexit.register(sampler.finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=sampler.begin_again)
