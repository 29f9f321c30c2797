"""``map`` over items, in this process or over worker processes, where a worker that dies or hangs costs one item.

``concurrent.futures`` gives up the whole pool when a worker dies, so the workers are kept by hand: each has one pipe
and one item at a time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from queue import SimpleQueue

A = TypeVar("A")
B = TypeVar("B")

#: Fewer items than this per worker do not pay for its start (0.3 s).
_ITEMS_PER_WORKER = 25
_MOST_WORKERS = 8
#: So many times as long as a file may take in processor time it may take on a machine that does other things, too.
_PATIENCE = 30
_FOREVER = 1e8


@dataclass(frozen=True, slots=True)
class Lost:
    """In place of a result: the worker died or ran out of time over this item."""

    reason: str
    is_late: bool = False


def worker_count(items: int, jobs: int) -> int:
    """How many processes to use; 1 means: none but this one. ``jobs`` 0 leaves the choice."""
    if jobs:
        return max(1, min(jobs, items))
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cpus, _MOST_WORKERS, items // _ITEMS_PER_WORKER))


def map_serially(
    function: Callable[[A], B], items: Sequence[A], wanted: Callable[[], Iterable[int]] = tuple
) -> Iterator[tuple[int, B]]:
    """(index, result) for each item, in order; but of those that are left, the first that `wanted` gives goes first."""
    left = dict.fromkeys(range(len(items)))
    while left:
        index = next((index for index in wanted() if index in left), next(iter(left)))
        del left[index]
        yield index, function(items[index])


def map_in_processes(
    function: Callable[[A], B], items: Sequence[A], workers: int, timeout: float, path: Sequence[str]
) -> Iterator[tuple[int, B | Lost]]:
    """(index, result) for each item as it gets done; Lost for one whose worker died or took too long.

    timeout: seconds of processor time, 0 for any. ``function`` is expected to end by itself before: a worker that does
    not is killed. ``function`` and the items must pickle; ``path``: the directories that workers import from. They are
    programs of their own, never forked: a child that is forked from a process with threads can hang.
    """
    import queue

    # the last resort: a worker that waits for something takes no processor time
    limit = _PATIENCE * timeout if timeout else _FOREVER
    answers: SimpleQueue[_Answer] = queue.SimpleQueue()
    pool: list[_Worker[A]] = []
    waiting = deque(enumerate(items))
    try:
        pool = [_Worker(function, timeout, path, answers) for _ in range(min(workers, len(items)))]
        busy = set(pool)
        for worker in pool:
            worker.give(*waiting.popleft())
        while busy:
            patience = min(worker.started for worker in busy) + limit - time.monotonic()
            try:
                answer = answers.get(timeout=max(patience, 0.0))
            except queue.Empty:
                late = [one for one in busy if time.monotonic() - one.started >= limit]
                done = [(one, Lost(f"took more than {limit:.0f} seconds", True)) for one in late]
            else:
                if not answer.worker.is_current(answer):
                    continue
                done = [(answer.worker, answer.value)]
            for worker, result in done:
                yield worker.index, result
                if isinstance(result, Lost):
                    worker.stop()
                if not waiting:
                    worker.stop()
                    busy.discard(worker)
                else:
                    worker.give(*waiting.popleft())
    finally:
        for worker in pool:
            worker.stop()


@dataclass(frozen=True, slots=True)
class _Answer:
    worker: _Worker[Any]
    process: Any  #: which of the worker's processes gave it
    value: Any  #: Lost where it died instead


class _Worker(Generic[A]):
    """One process that works on one item at a time, and a thread that waits for its answers."""

    def __init__(
        self, function: Callable[[A], Any], timeout: float, path: Sequence[str], answers: SimpleQueue[_Answer]
    ) -> None:
        self._function = function
        self._timeout = timeout
        self._path = path
        self._answers = answers
        self._process: Any = None
        self.index = -1
        self.started = 0.0

    def give(self, index: int, item: A) -> None:
        self.index = index
        self.started = time.monotonic()
        if self._process is None:
            try:
                self._process = self._start()
            except OSError as error:
                self._answers.put(_Answer(self, None, Lost(f"no process could be started: {error.strerror or error}")))
                return
            self._send((self._function, self._timeout))
        self._send(item)

    def _send(self, value: object) -> None:
        # A worker that died while idle shows when its answer is awaited.
        with contextlib.suppress(OSError):
            _send(self._process.stdin, value)

    def is_current(self, answer: _Answer) -> bool:
        """Whether it is no last word of a process that was stopped."""
        return answer.process is self._process

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):  # what it did not read any more
            process.stdin.close()

    def _start(self) -> Any:
        import subprocess
        import threading

        package = os.path.dirname(os.path.abspath(__file__))
        # -S: what is installed may run code when Python starts, and PYTHONPATH is what the project is on
        command = [sys.executable, "-S", os.path.join(package, "worker.py"), package, *self._path]
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_WORKERS}
        environment["PYTHONUTF8"] = str(sys.flags.utf8_mode)
        if sys.dont_write_bytecode:
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return process

    def _listen(self, process: Any) -> None:
        import pickle

        with process.stdout:
            while True:
                try:
                    value = pickle.load(process.stdout)
                except Exception:  # it ended, maybe in the middle of a word
                    break
                self._answers.put(_Answer(self, process, value))
        status = process.wait()
        lost = Lost(f"the worker process died (exit status {status})")
        if hasattr(signal, "SIGPROF") and status == -signal.SIGPROF:
            lost = Lost(f"took more than {self._timeout:g} seconds of processor time", True)
        self._answers.put(_Answer(self, process, lost))


#: What makes Python import, or wait for, something else than it is told to.
_NOT_FOR_WORKERS = frozenset(("PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT"))


def _send(stream: IO[bytes], value: object) -> None:
    import pickle

    stream.write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    stream.flush()


def serve() -> None:
    """What a worker does: for each item that comes in, the answer goes out."""
    import pickle

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business: it stops the workers
    questions = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is printed is no answer
    with contextlib.suppress(EOFError, OSError):  # the parent has ended
        function, timeout = pickle.load(questions)
        while True:
            item = pickle.load(questions)
            _end_after(timeout)
            _send(answers, function(item))


def _end_after(seconds: float) -> None:
    """Let the system end this process where `seconds` of processor time do not suffice to interrupt what it does."""
    if seconds and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, 1.5 * seconds)
