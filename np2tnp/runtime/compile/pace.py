"""``compile="auto"``: what is called so much that compiling it must pay runs as what was measured to be faster.

Compiling costs seconds, and XLA's code is slower than eager operations for a few functions (FFTs in steps, solves of
small systems). So a signature runs eagerly until it has spent about what its compilation costs; then it is compiled,
and both are compared by what calls really took. Who stops calling just then has lost what was spent once more, and
nobody loses more than one compilation a signature.
"""

from __future__ import annotations

import functools
import importlib
import logging
import statistics
import time
from collections.abc import Callable
from typing import Any

from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.hardware import when_compiled
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.compile.compiled import Call, Compiled
from np2tnp.runtime.compile.signatures import State

#: Seconds that calls of one signature spend before it is compiled: a trace of some tens of operations and XLA's work on
#: them take 0.2 to 2 s.
WORTH = 1.0

#: A function that has not spent this share of WORTH is not looked at more closely: taking arguments apart costs.
_LOOKED_AT = 0.1

#: So many calls of either form are compared, by their median.
SAMPLES = 5

#: Operations of a graph, at most: to trace and compile one takes two milliseconds and more, and nobody asked for it.
MOST_OPERATIONS = 1000

#: What tells the time.
clock = time.perf_counter

_log = logging.getLogger("np2tnp")


class Pace:
    """What the calls of one signature took, in seconds, and how the next one runs."""

    def __init__(self) -> None:
        self.is_decided = self.is_compiled = False
        self.cost: float | None = None  #: of the first call as a graph, its compilation included
        self.eager: list[float] = []
        self.compiled: list[float] = []
        self._spent = 0.0
        self._is_warm = False

    def took(self, seconds: float) -> None:
        """An eager call did. The first one is left out: it loads kernels and libraries."""
        if self._is_warm:
            self._spent += seconds
            self.eager = [*self.eager[1 - SAMPLES :], seconds]
        self._is_warm = True

    def is_hot(self, worth: float) -> bool:
        """Whether a graph is to be tried."""
        return self._spent >= worth

    def took_compiled(self, seconds: float) -> None:
        """A call as a graph did."""
        if self.cost is None:
            self.cost = seconds
            return
        self.compiled.append(seconds)
        if len(self.compiled) >= SAMPLES:
            self.decide(statistics.median(self.compiled) < statistics.median(self.eager))

    def decide(self, is_compiled: bool) -> None:
        """No call is timed any more."""
        self.is_decided, self.is_compiled = True, is_compiled


class Hot(Compiled):
    """The body of one migrated function, compiled where and when that pays.

    device : where the function works; empty: where TensorFlow likes.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        device: str,
        state: State | None = None,
        plain: frozenset[str] = frozenset(),
        gives_back: bool = False,
    ) -> None:
        super().__init__(body, "xla", state, plain, gives_back)
        self.is_asked_for = False
        self.most_operations = MOST_OPERATIONS
        self._device = device
        self._paces: dict[Any, Pace] = {}
        self._spent = 0.0  #: by the function, before its signatures are told apart
        self._is_warm = False
        self._worth = WORTH
        self._repeats = 0
        self._is_off = False  #: it stays eager

    @functools.cached_property
    def _when(self) -> str:
        when = when_compiled(self._device)
        if when == "hot":
            self._is_off = is_deterministic()
        return when

    @property
    def is_on(self) -> bool:
        return self._when != "never" and not self._is_off

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool = False) -> Any:
        if self._when == "always":
            return super().__call__(args, kwargs, leaves)
        if self._spent < _LOOKED_AT * WORTH:
            return self._before_a_look(args, kwargs)
        try:
            call = self._taken_apart(args, kwargs, False)
        except (Unsupported, UnverifiedError):
            return self._eagerly(args, kwargs, False)
        pace = self._paces.setdefault(self._which(call), Pace())
        if pace.is_decided:
            return self._run(call, args, kwargs) if pace.is_compiled else self._eagerly(args, kwargs, False)
        return self._timed(pace, call, args, kwargs)

    def _before_a_look(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        began = clock()
        result = self._eagerly(args, kwargs, False)
        seconds = clock() - began
        self._spent += seconds if self._is_warm else 0.0
        self._is_warm = True
        return result

    def _which(self, call: Call) -> Any:
        """What is measured as one: the numbers of calls may become inputs, if no trace said that they cannot."""
        return call.key() if call.family.reason else call.form

    def _timed(self, pace: Pace, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with a watch: what it starts on the device is waited for, and what was started before it, too."""
        is_hot = pace.is_hot(self._worth)
        tf.test.experimental.sync_devices()
        began = clock()
        result = self._run(call, args, kwargs) if is_hot else self._eagerly(args, kwargs, False)
        tf.test.experimental.sync_devices()
        seconds = clock() - began
        if not is_hot:
            pace.took(seconds)
            return result
        if pace.cost is None:
            call = self._taken_apart(args, kwargs, False)  # the trace may have seen more of the object, or of numbers
            self._paces[self._which(call)] = pace
            if not self._has_graph(call):
                self._stay_eager(pace)
                return result
            self._worth = max(self._worth, seconds)
        pace.took_compiled(seconds)
        if pace.is_decided and not pace.is_compiled:
            self._tell_of_times(pace)
        return result

    def _stay_eager(self, pace: Pace) -> None:
        """There is no graph: of other signatures none is to be expected, where there was none so far."""
        pace.decide(False)
        self._is_off = not any(other.cost is not None for other in self._paces.values())

    def _eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: bool, how: str = "eager") -> Any:
        if how == "repeated" and self._when == "hot":
            self._repeats += 1
            self._is_off = self._repeats >= SAMPLES  # its checks fail again and again: each call is made twice
        return super()._eagerly(args, kwargs, leaves, how)

    def _tell_of_times(self, pace: Pace) -> None:
        before, after = (statistics.median(times) * 1e3 for times in (pace.eager, pace.compiled))
        _log.info(
            "%s stays eager for some arguments: compiled, a call takes %.3g ms, not %.3g",
            self._body.__qualname__,
            after,
            before,
        )


def is_deterministic() -> bool:
    """Whether the program asked TensorFlow for the same results in each run: what the time decides would differ."""
    config = importlib.import_module("tensorflow.python.framework.config")
    return bool(config.is_op_determinism_enabled())
