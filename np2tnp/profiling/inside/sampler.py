"""Where a program spends its time, by looking at its stacks now and then. Runs inside the user's program.

A thread that the ``threading`` module does not know of wakes every few milliseconds, reads what every other thread is
executing, and charges to it the CPU time that the thread has used since the last look. No call is intercepted: those
events would cost more than many NumPy calls do. A call that holds the interpreter's lock is seen at its end, still on
its own line, and is charged all it used. Threads that begin and end between two looks are made up for by those that are
seen (``_share_out``). The result is a JSON file a process in the folder given, written now and then and at exit: a
worker of a pool is ended by a signal, and tells nothing any more.
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
_LONGEST = 0.05  #: and at most, of the program's CPU time,
_LONGEST_WAIT = 0.5  #: but of nobody's more than this
_SHARE = 0.02  #: of the program's CPU time that looking may take; beyond that it happens less often
_DEPTH = 200  #: frames of a stack that are looked at
_PAUSE = 0.1  #: seconds between two writes at least
_WRITING = 0.005  #: of the program's CPU time, which writing may take
_FIRST_WRITES = 0.01  #: CPU seconds that it may take besides: one write on a busy machine must not put off the next
#: Seconds that a looking thread waits for the interpreter's lock before it asks for it. The interpreter's own 5 ms are
#: longer than most calls that hold the lock: the look would always fall on a call that gives it up by itself.
_PATIENCE = 0.00002
_PATIENCE_AMONG_THREADS = 0.001  #: the program's own threads wait as long for each other: each change costs them time
_BUSY = 0.8  #: a thread that used less of the time since the last look is looked at again
_IDLE = 0.05  #: and one that used less than this takes the interpreter's lock from nobody
_WINDOW = 0.0002  #: seconds later: CPU time is not to be charged to where a thread waits, but to where it works

_LATE = 0.001  #: seconds: a look that comes so late had to wait for the lock, not only for a processor

_Line = tuple[str, int, str, int]  # file, first line of the function, its name, line
_Place = tuple[_Line, bool, set[tuple[str, int, str]]]  # a line, whether it is in NumPy's Python, who is on the stack
_Mark = tuple[tuple[int, int], "float | None", int]  # exactly where a thread is, its clock, the system's number


class Sampler:
    """The counters of this process, and the thread that fills them."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._cwd = os.getcwd()
        self._begin()

    def _begin(self) -> None:
        self._own: dict[tuple[str, int, str, int], list[float]] = {}
        self._inclusive: dict[tuple[str, int, str], float] = {}
        self._deferred: dict[int, tuple[float, _Place | None]] = {}  #: of a thread: CPU seconds, where it last worked
        self._clocks: dict[int, float] = {}  #: by the system's number of a thread; Python's is used again
        self._all_used = self._own_used = 0.0  #: CPU seconds of the process and of this thread at the last look
        self._started = time.perf_counter()
        self._cost = 0.0
        self._samples = 0
        self._is_over = False
        self._path = os.path.join(self._folder, f"{os.getpid()}-{time.time_ns()}.json")
        self._main = _thread.get_ident()
        self._writing = _thread.allocate_lock()  #: the end of the program may come while the thread writes
        self._patience = 0.0
        _thread.start_new_thread(self._run, ())

    def begin_again(self) -> None:
        """In a forked child, where no thread but the forking one lives on: count anew."""
        self._begin()

    def finish(self) -> None:
        """Write the last state."""
        self._is_over = True
        for seconds, place in list(self._deferred.values()):
            self._charge(place, seconds)
        self._deferred.clear()
        self._write()

    def _run(self) -> None:
        interval = _INTERVAL
        last = time.perf_counter()
        next_write = last + _PAUSE
        written = 0.0
        state = os.getpid()
        while not self._is_over:
            state = (state * 1103515245 + 12345) % 2**31  # own numbers: the program's random state is not ours to touch
            pause = interval * (0.5 + state / 2**31)  # no fixed rhythm that a loop could be in step with
            before = time.perf_counter()
            time.sleep(pause)
            now = time.perf_counter()
            self._look_around(now - last, now - before - pause)
            last = now
            self._samples += 1
            if now > next_write and written <= _FIRST_WRITES + _WRITING * time.process_time():
                before = time.thread_time()
                self._write()
                written += time.thread_time() - before
                next_write = now + _PAUSE
            self._cost = time.thread_time()
            longest = min(_LONGEST / self._share_of_time(now), _LONGEST_WAIT)
            interval = min(longest, (interval + max(_INTERVAL, self._affordable(now))) / 2)

    def _look_around(self, elapsed: float, delay: float) -> None:
        """Look at every thread; no frame, which keeps its arrays alive, is held when it is over."""
        try:
            frames = self._frames()
            marks = {thread: self._mark(thread, frame) for thread, frame in frames.items()}
            used = {thread: self._used(thread, mark[1]) for thread, mark in marks.items()}
            places = {thread: None if used[thread] == 0.0 else _place(frame) for thread, frame in frames.items()}
            frames.clear()
            doubtful = {t: marks[t] for t, seconds in used.items() if seconds is None or 0 < seconds < _BUSY * elapsed}
            if doubtful:
                places.update(self._look_again(doubtful, delay < _LATE))
        except RuntimeError:  # a dictionary of another thread changed size
            return
        self._share_out(elapsed, used, {thread for thread, place in places.items() if place is None})
        for thread, (_, clock, tid) in marks.items():
            if clock is not None:
                self._clocks[tid] = clock
            before, last = self._deferred.get(thread, (0.0, None))
            seconds, place = before + (used[thread] or 0.0), places[thread]
            if place is not None:
                self._charge(place, seconds)
                seconds = 0.0
            self._deferred[thread] = (seconds, place or last)
        for thread in [thread for thread in self._deferred if thread not in marks]:
            seconds, last = self._deferred.pop(thread)
            self._charge(last, seconds)
        busy = sum(1 for seconds in used.values() if seconds is None or seconds > _IDLE * elapsed)
        self._be_patient(_PATIENCE if busy <= 1 else _PATIENCE_AMONG_THREADS)

    def _look_again(self, marks: dict[int, _Mark], in_time: bool) -> dict[int, _Place | None]:
        """Where the threads work, as far as that is not where they were just seen; None for those that wait.

        A look `in_time` did not wait for the lock. Then what a thread has left since, it was leaving: it was waking up
        (timers end together), or it was in a call that was too short to matter. A late one saw the end of a call that
        held the lock.
        """
        found: dict[int, _Place | None] = {}
        for times in (1, 2, 4, 8):
            time.sleep(_WINDOW * times)
            is_decided = True
            for thread, frame in self._frames().items():
                if thread not in marks:
                    continue
                (before, began, tid), (where, clock, _) = marks[thread], self._mark(thread, frame)
                found.pop(thread, None)
                if where != before:
                    if in_time:
                        found[thread] = _place(frame)
                elif clock is None or began is None or clock - began < _WINDOW / 2:
                    if _is_runnable(tid):
                        is_decided = False  # it waits for a processor, which others have
                    else:
                        found[thread] = None
            frame = None
            if is_decided:
                break
        return found

    def _frames(self) -> dict[int, Any]:
        me = _thread.get_ident()
        return {thread: frame for thread, frame in sys._current_frames().items() if thread != me}

    def _mark(self, thread: int, frame: Any) -> _Mark:
        """Where exactly a thread is, its clock, and what the system calls it."""
        tid = self._system_number(thread)
        return (id(frame), frame.f_lasti), _clock(tid), tid

    def _used(self, thread: int, clock: float | None) -> float | None:
        """CPU seconds of a thread since the last look; None where it was not seen then, or no clock tells."""
        is_first = thread == self._main and not self._samples
        before = self._clocks.get(self._system_number(thread), 0.0 if is_first else None)
        return None if clock is None or before is None else max(clock - before, 0.0)

    def _share_out(self, elapsed: float, used: dict[int, float | None], waiting: set[int]) -> None:
        """Divide what the process used beyond the known threads among those that are new, or that no clock tells of.

        At most the time that passed, for each: on average that is the time of those that ended unseen, too.
        """
        total, own = time.process_time(), time.thread_time()
        rest = total - self._all_used - (own - self._own_used) - sum(filter(None, used.values()))
        self._all_used, self._own_used = total, own
        unknown = [thread for thread, seconds in used.items() if seconds is None]
        working = [thread for thread in unknown if thread not in waiting] or unknown
        for thread in working:
            used[thread] = min(max(rest, 0.0) / len(working), elapsed)

    def _be_patient(self, seconds: float) -> None:
        """Wait that long for the lock from now on, unless the program has chosen a time of its own."""
        if seconds != self._patience and self._patience in (0.0, sys.getswitchinterval()):
            sys.setswitchinterval(seconds)
            self._patience = sys.getswitchinterval() if seconds else 0.0

    def _affordable(self, now: float) -> float:
        """Seconds between two looks at which they take their share of what the program itself gets of the machine."""
        return self._cost / self._samples / _SHARE / self._share_of_time(now)

    def _share_of_time(self, now: float) -> float:
        """CPU seconds that the program itself gets in a second."""
        return max(time.process_time() - self._cost, 1e-3) / (now - self._started)

    def _system_number(self, thread: int) -> int:
        """What the system calls a thread; 0 where that is unknown."""
        if thread == self._main:
            return os.getpid()
        threading = sys.modules.get("threading")
        known = getattr(threading, "_active", {}).get(thread)
        return getattr(known, "native_id", None) or 0

    def _charge(self, place: _Place | None, seconds: float) -> None:
        """Charge `seconds` to the innermost function outside of NumPy, and (inclusive) to all that called it."""
        if place is None or seconds <= 0:
            return
        own, in_numpy, callers = place
        self._own.setdefault(own, [0.0, 0.0])[in_numpy] += seconds
        for key in callers:
            self._inclusive[key] = self._inclusive.get(key, 0.0) + seconds

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
            with self._writing, open(self._path + ".part", "w", encoding="utf-8") as file:
                json.dump(document, file)
                file.close()
                os.replace(self._path + ".part", self._path)
        except OSError:
            pass  # the folder is gone: nobody waits for the result any more


def _clock(tid: int) -> float | None:
    """CPU seconds that a thread has used; None where no clock tells."""
    if not tid or sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~tid << 3) | 6)  # Linux's clock of one thread; that of a dead one is an error
    except OSError:
        return None


def _is_runnable(tid: int) -> bool:
    """Whether a thread runs or waits for a processor, which others may keep from it."""
    if not tid or sys.platform != "linux":
        return False
    try:
        file = os.open(f"/proc/self/task/{tid}/stat", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.read(file, 256).rpartition(b")")[2][:2] == b" R"
    except OSError:
        return False
    finally:
        os.close(file)


def _place(frame: Any) -> _Place | None:
    """The line of the innermost function outside of NumPy, whether it is in NumPy's Python, and all on the stack."""
    own: _Line | None = None
    in_numpy = False
    seen = set()
    for _ in range(_DEPTH):
        if frame is None:
            break
        code = frame.f_code
        if own is None and _is_numpy(code.co_filename):
            in_numpy = True
        else:
            own = own or (code.co_filename, code.co_firstlineno, code.co_name, frame.f_lineno or 0)
            seen.add((code.co_filename, code.co_firstlineno, code.co_name))
        frame = frame.f_back
    return None if own is None else (own, in_numpy, seen)


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
