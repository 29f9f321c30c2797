"""Migrated generators: each step runs as the body of a migrated function does; what is handed out is NumPy's."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator
from typing import Any

from np2tnp.runtime.base import lazy_tensorflow, precision
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import require_no_demands, translate
from np2tnp.runtime.base.precision import working
from np2tnp.runtime.boundary.contract import Plan
from np2tnp.runtime.boundary.fallback import Fallback, count
from np2tnp.runtime.boundary.refusals import explained, replaced
from np2tnp.runtime.boundary.startup import place


def wrap(body: Callable[..., Any], plan: Plan, fallback: Fallback | None, device: str) -> Callable[..., Any]:
    """The public form of the generator function `body`, which yields NumPy's values.

    Arguments are looked at when it is called. The body works on the caller's own objects, as late as NumPy's would.
    """

    @functools.wraps(body)
    def public(*args: Any, **kwargs: Any) -> Any:
        if not lazy_tensorflow.ready:
            lazy_tensorflow.begin()
        if not lazy_tensorflow.tf.executing_eagerly():
            raise UnverifiedError(f"{plan.name} works on ndarrays: it cannot run inside tf.function")
        try:
            call = plan.prepare(args, kwargs, public=True)
            require_no_demands()
        except UnverifiedError as refusal:
            count(plan, refusal)
            if fallback is None or not fallback.takes(args, kwargs):
                raise
            return fallback(refusal, args, kwargs)
        return _steps(body(*call.args, **call.kwargs), body, lambda: plan.slots(args, kwargs), device)

    return public


def _steps(
    work: Generator[Any, Any, Any], body: Callable[..., Any], slots: Callable[[], Any], device: str
) -> Generator[Any, Any, Any]:
    resume: Callable[[Any], Any] = work.send
    given: Any = None
    while True:
        handled = sys.exc_info()[1]
        try:
            with place(device):
                if precision.active:
                    with working(False):
                        item = resume(given)
                else:
                    item = resume(given)
        except StopIteration as end:
            return end.value
        except Exception as error:
            first = replaced(error, handled)
            translated = translate(first) or (first if first is not error else None)
            refused = translated or error
            if isinstance(refused, UnverifiedError):
                translated = explained(refused, first, body, slots())
            if translated is None:
                raise
            raise translated from error
        resume = work.send
        try:
            given = yield item
        except GeneratorExit:
            work.close()
            raise
        except BaseException as error:
            resume, given = work.throw, error
