"""``map`` over items, in this process or over worker processes, where a worker that dies or hangs costs one item.

``concurrent.futures`` gives up the whole pool when a worker dies, so the workers are kept by hand: each has one pipe
and one item at a time.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

A = TypeVar("A")
B = TypeVar("B")

#: Fewer items than this per worker do not pay for its start (0.3 s).
_ITEMS_PER_WORKER = 25
_MOST_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Lost:
    """In place of a result: the worker died or ran out of time over this item."""

    reason: str


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
    function: Callable[[A], B], items: Sequence[A], workers: int, timeout: float
) -> Iterator[tuple[int, B | Lost]]:
    """(index, result) for each item as it gets done; Lost for one whose worker died or took over ``timeout`` seconds.

    ``function`` and the items must pickle. Workers are spawned, never forked: a child that is forked from a process
    with threads can hang.
    """
    from multiprocessing.connection import wait

    pool: list[_Worker[A, B]] = []
    waiting = deque(enumerate(items))
    try:
        pool = [_Worker(function) for _ in range(min(workers, len(items)))]
        for worker in pool:
            worker.give(*waiting.popleft())
        busy = {worker.pipe: worker for worker in pool}
        while busy:
            now = time.monotonic()
            patience = min(worker.started for worker in busy.values()) + timeout - now
            ready = wait(list(busy), timeout=max(patience, 0.0))
            for pipe in ready:
                worker = busy[pipe]  # type: ignore[index]
                yield worker.index, worker.take()
                _go_on(worker, waiting, busy)
            if not ready:
                now = time.monotonic()
                for worker in [one for one in busy.values() if now - one.started >= timeout]:
                    yield worker.index, Lost(f"took more than {timeout:.0f} seconds")
                    worker.stop()
                    _go_on(worker, waiting, busy)
    finally:
        for worker in pool:
            worker.stop()


def _go_on(worker: _Worker[A, B], waiting: deque[tuple[int, A]], busy: dict[Connection, _Worker[A, B]]) -> None:
    """Gives the worker its next item, or its leave; one that died is replaced first."""
    busy.pop(worker.pipe, None)
    if not waiting:
        worker.stop()
        return
    if worker.is_stopped:
        worker.restart()
    worker.give(*waiting.popleft())
    busy[worker.pipe] = worker


class _Worker(Generic[A, B]):
    """One process and this end of its pipe."""

    def __init__(self, function: Callable[[A], B]) -> None:
        self._function = function
        self.index = -1
        self.started = 0.0
        self.restart()

    def restart(self) -> None:
        import multiprocessing  # 15 ms that a run in one process does not pay

        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._function), daemon=True)
        self._process.start()
        theirs.close()
        self.is_stopped = False

    def give(self, index: int, item: A) -> None:
        self.index = index
        self.started = time.monotonic()
        # A worker that died while idle shows when its answer is awaited.
        try:
            self.pipe.send(item)
        except OSError:
            return

    def take(self) -> B | Lost:
        try:
            kind, value = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join(5)
            status = self._process.exitcode
            self.stop()
            return Lost(f"the worker process died (exit status {status})")
        if kind == "error":
            raise value
        result: B = value
        return result

    def stop(self) -> None:
        if self.is_stopped:
            return
        self.is_stopped = True
        self.pipe.close()
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business: it stops the workers
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[str, Any] = ("result", function(item))
        except Exception as error:  # handed on: the function is expected to have none
            answer = ("error", error)
        pipe.send(answer)
