"""Where migrated code meets everybody else: ndarrays come in, tensors work, ndarrays go out.

Behind the door of a migrated function (``door.py``) a wrapper keeps the callers' world. The body's updates of an
argument reach the caller's own object when the body has succeeded. If it raises, nothing is written, where NumPy would
have done part of the work.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import numpy as np

from np2tnp.runtime.base import lazy_tensorflow, precision
from np2tnp.runtime.base.dispatch import host, is_tensor, shown, to_ndarray
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.exceptions import MISTAKES, require_no_demands, translate
from np2tnp.runtime.base.looking import is_of, is_plain_tuple, tuple_like
from np2tnp.runtime.base.precision import working
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.base.updated import Undecided, updated
from np2tnp.runtime.boundary import threads
from np2tnp.runtime.boundary.contract import Call, Plan, is_immutable
from np2tnp.runtime.boundary.door import EAGERLY, Options, allow, is_threshold_set, withdraw
from np2tnp.runtime.boundary.fallback import Fallback, count
from np2tnp.runtime.boundary.object_state import lift, remember
from np2tnp.runtime.boundary.refusals import explained, replaced
from np2tnp.runtime.boundary.sizes import (
    FEW,
    MANY,
    SmallCalls,
    by_size,
    core_by_size,
    small_calls,
    tell_of_small_calls,
    threshold,
)
from np2tnp.runtime.boundary.startup import place
from np2tnp.runtime.boundary.unknown_calls import call_plain
from np2tnp.runtime.compile.compiled import Compiled, NotCompiled
from np2tnp.runtime.compile.pace import Hot
from np2tnp.runtime.compile.signatures import State
from np2tnp.runtime.symbols.carried_values import Unassigned
from np2tnp.runtime.symbols.float32 import crossed, kept_where_same, takes

__all__ = [
    "updated",
]


# --- What a body gives, as its caller gets it: fresh ndarrays, and the caller's own objects where it gives those back


def keep(kept: dict[int, Any], final: Any, original: Any) -> None:
    """Where `final`, or an item of that container, is in the result, the caller's own object comes back."""
    if final is not original and is_of(original, np.ndarray) and (is_tensor(final) or type(final) is np.ndarray):
        kept.setdefault(id(final), (original, final))
    elif type(final) is type(original) is dict:
        for key in final.keys() & original.keys():
            keep(kept, final[key], original[key])
        if final.keys() == original.keys():
            _keep_container(kept, final, original, final.values(), (original[key] for key in final))
    elif type(final) is type(original) and (type(final) is list or is_plain_tuple(final)):
        for item, own in zip(final, original, strict=False):
            keep(kept, item, own)
        if len(final) == len(original):
            _keep_container(kept, final, original, final, original)


def _keep_container(kept: dict[int, Any], final: Any, original: Any, items: Iterable[Any], own: Iterable[Any]) -> None:
    """The container itself comes back where all that it holds does."""
    if all(item is mine or kept.get(id(item), (None,))[0] is mine for item, mine in zip(items, own, strict=True)):
        kept.setdefault(id(final), (original, final))


def leave(value: Any, kept: dict[int, Any], zero_d: str) -> Any:
    """`value` with each tensor as a fresh ndarray; `kept` maps identities to (what they became, the object itself).

    One object of the body, array or container, becomes one object for the caller. Holding the object in `kept` keeps
    its identity from being reused.
    """
    if is_tensor(value):
        known = kept.get(id(value))
        if known is None:
            array = to_ndarray(value)
            if not array.ndim and zero_d != "array":
                if zero_d == "unverified":
                    raise UnverifiedError(
                        "the result is 0-d, and whether NumPy gives a scalar or an array here is not known"
                    )
                array = array[()]
            known = kept[id(value)] = (array, value)
        return known[0]
    kind = type(value)
    if kind is np.ndarray:  # what a core got as a copy on the host may stand for the caller's own
        return kept[id(value)][0] if id(value) in kept else value
    if kind is not list and kind is not dict and not is_of(value, tuple):
        return value.refuse() if kind is Unassigned else value
    known = kept.get(id(value))
    if known is None:
        known = kept[id(value)] = (_container(value, kept, zero_d), value)
    return known[0]


def _container(value: Any, kept: dict[int, Any], zero_d: str) -> Any:
    if type(value) is dict:
        pairs = {key: leave(item, kept, zero_d) for key, item in value.items()}
        return value if all(pairs[key] is item for key, item in value.items()) else pairs
    if is_of(value, tuple) and not is_plain_tuple(value):
        return value
    kept[id(value)] = (value, value)  # a container that holds itself stays as it is
    items = [leave(item, kept, zero_d) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    if type(value) is list:
        return items
    return tuple_like(value, items)


#: Frames of ours, at least, between a body and that of a function that it calls: see ``door.py``.
_FRAMES = 4


def wrap(body: Callable[..., Any], options: Options) -> Any:
    """What a call of the migrated `body` does, which has it as its ``core`` for calls from others."""
    original, above = options.original, options.above
    compile_as, float32, device = options.compile, options.float32, options.device
    remember(getattr(body, "__globals__", {}), options.tensors)
    plan = Plan(
        body,
        options.mutates,
        options.returns,
        options.arrays,
        options.refuses,
        options.scalars,
        options.hosted,
        options.updates,
        checks_hosted=options.on_unverified != "raise" and not options.pure,
        has_original=original is not None and options.on_unverified != "raise",
        methods=options.methods,
        pure=options.pure,
        door=options.door,
        objects=options.objects,
    )
    fallback = None
    if original is not None and options.on_unverified != "raise":
        method = getattr(body, "__code__", None) if plan.receiver else None
        warns = options.on_unverified == "warn"
        fallback = Fallback(original, plan.name, warns=warns, pure=options.pure, method=method)
    least = 0
    if original is not None:
        least = threshold(above, FEW if compile_as in EAGERLY and not float32 else 0)
    gpu_only = above is None and not device and not is_threshold_set()
    compiled: Compiled | None = None
    eager = None
    if compile_as != "none":
        reads = options.state is not None or (compile_as == "auto" and plan.receiver == "self")
        kept = State(body, options.state or ()) if reads else None
        gives_back = bool(plan.returns)
        if compile_as == "auto":
            compiled = Hot(body, device, kept, plan.plain, gives_back)
        else:
            compiled = Compiled(body, compile_as, kept, plan.plain, gives_back)
        if original is not None and gpu_only and not float32 and compile_as != "auto":
            eager = SmallCalls(original, small_calls(body, FEW, options.elements, gpu_only, options.rows, options.work))
    if inspect.isgeneratorfunction(body):
        public = wrap_generator(body, plan, fallback, device)
    else:
        tells = above is None and not least
        public = _wrap(body, plan, options.zero_d, fallback, compiled, device, float32, tells, options.tensors, eager)
    if original is None or not least:
        return public
    if options.rows and not options.mutates and compile_as in EAGERLY and hasattr(public, "core"):
        public.core = core_by_size(public.core, original, least, options.rows)
    return by_size(public, original, least, options.elements, gpu_only, options.rows, options.work)


def _wrap(
    body: Callable[..., Any],
    plan: Plan,
    zero_d: str,
    fallback: Fallback | None,
    compiled: Compiled | None,
    device: str,
    float32: bool,
    tells: bool,
    lifted: tuple[str, ...],
    eager: SmallCalls | None,
) -> Callable[..., Any]:
    """`eager`: which calls of a compiled function are left to its original where they would run eagerly."""

    def has_objects(call: Call) -> bool:
        """Whether the body updates something in place: a trace would do that once."""
        return not all(is_tensor(value) or is_immutable(value) for value in map(call.converted.get, plan.mutates))

    def work(call: Call, to_numpy: bool) -> Any:
        args, kwargs = call.args, call.kwargs
        trace = current()
        if trace is not None:  # another function is being compiled: the body becomes part of it
            if compiled is None:
                raise Unsupported(f"{plan.name}, which is not compiled, is called")
            compiled.enter(trace, args)
            with trace.calling(body):
                return body(*args, **kwargs)
        if lifted and args:
            lift(args[0], lifted)
        is_on = compiled is not None and compiled.is_on and not has_objects(call)
        if compiled is not None and is_on and lazy_tensorflow.tf.executing_eagerly():
            return compiled(args, kwargs, to_numpy)
        if to_numpy:
            raise NotCompiled
        return body(*args, **kwargs)

    run = _guarded(work, plan)

    @functools.wraps(body)
    def core(*args: Any, **kwargs: Any) -> Any:
        if not lazy_tensorflow.ready:
            lazy_tensorflow.begin()
        if float32 or precision.active:
            return crossed(within, plan, float32, args, kwargs)
        return within(args, kwargs)

    def within(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with place(device):
            try:
                call = plan.prepare(args, kwargs, public=False)
            except UnverifiedError as refusal:
                count(plan, refusal)
                if fallback is None or not lazy_tensorflow.tf.executing_eagerly():
                    raise
                fallback.tell(str(refusal))
                return call_plain(fallback.original, plan.mutates, *args, **kwargs)
            result = run(call)
        if not plan.mutates:
            return result
        return _with_numbers(_ordered(result, plan), {it: call.originals[it] for it in plan.mutates}, plan.name)

    def answer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        handled = sys.exc_info()[1]
        try:
            call = plan.short(args) if plan.may_be_short and not kwargs else None
            if call is None:
                begins_again = fallback is None or not fallback.pure or fallback.repeats(args, kwargs)
                call = plan.prepare(args, kwargs, public=True, begins_again=begins_again)
            require_no_demands()
        except UnverifiedError as refusal:
            count(plan, refusal)
            if fallback is None or not fallback.takes(args, kwargs):
                raise
            return fallback(refusal, args, kwargs)
        has_run = False
        try:
            result = run(call, eager is not None and eager.has(args, kwargs))
            has_run = True
            return _finished(result, call, plan, zero_d)
        except NotCompiled:
            raise
        except Exception as error:
            reason, translated, is_mistake = _told(error, handled, body, lambda: plan.slots(args, kwargs))
            again = fallback if isinstance(reason, UnverifiedError) or (is_mistake and not has_run) else None
            if (
                again is None
                or not again.repeats(args, kwargs, (call.originals[name] for name in plan.mutates))
                or not again.takes(args, kwargs)
            ):
                if translated is None:
                    raise
                raise translated from error
        # nothing is updated yet: the original raises what it does, and changes first what it does
        return again(reason, args, kwargs)

    calls = 0

    @functools.wraps(body)
    def public(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        if not lazy_tensorflow.ready:
            if fallback is not None and lazy_tensorflow.is_forked():
                return fallback(UnverifiedError(lazy_tensorflow.FORKED), args, kwargs)
            lazy_tensorflow.begin()
        calls += 1
        if tells and not calls % MANY:
            tell_of_small_calls(plan.name, calls, args, kwargs)
        if not lazy_tensorflow.tf.executing_eagerly():
            raise UnverifiedError(f"{plan.name} takes and gives ndarrays; inside tf.function call {plan.name}.core")
        try:
            with place(device):
                if float32 or precision.active:
                    with working(float32 and takes(plan, args, kwargs)):
                        return answer(args, kwargs)
                return answer(args, kwargs)
        except NotCompiled:
            assert eager is not None
        return eager.original(*args, **kwargs)

    public.core = core  # type: ignore[attr-defined]
    return public


def _guarded(work: Callable[[Call, bool], Any], plan: Plan) -> Callable[..., Any]:
    """`work` that leaves the watched arguments alone, and may recur as deeply as NumPy's function may."""
    is_running = False

    def run(call: Call, to_numpy: bool = False) -> Any:
        nonlocal is_running
        if is_running:
            allow(_FRAMES)
            try:
                result = work(call, to_numpy)
            finally:
                withdraw(_FRAMES)
        else:
            is_running = True
            try:
                result = work(call, to_numpy)
            finally:
                is_running = False
        for argument in call.watched:
            argument.require_unchanged(plan.name)
        return result

    return run


def _told(
    error: Exception, handled: BaseException | None, body: Callable[..., Any], slots: Callable[[], Any]
) -> tuple[BaseException, BaseException | None, bool]:
    """What ended a call, in NumPy's words; what is raised instead of `error`, if anything; whether NumPy would raise.

    handled: what was being handled when the call began. slots: gives the arguments by their names.
    """
    first = replaced(error, handled)
    mistake = translate(first)
    translated = mistake or (first if first is not error else None)
    reason = translated or error
    if isinstance(reason, UnverifiedError):
        reason = translated = explained(reason, first, body, slots())
    return reason, translated, mistake is not None or isinstance(reason, MISTAKES)


def _finished(result: Any, call: Call, plan: Plan, zero_d: str) -> Any:
    """The caller's result; its arrays are updated when nothing can be refused any more."""
    kept: dict[int, Any] = {}
    finals: dict[str, Any] = {}
    if plan.mutates:
        pair = _ordered(result, plan)
        result, finals = pair.result, pair.arrays
    for name in plan.returns:
        if name in call.originals:
            if name in finals:
                keep(kept, finals[name], call.originals[name])
            keep(kept, call.converted[name], call.originals[name])
    left = leave(result, kept, zero_d)
    if finals:
        _write_back(call, finals, plan)
    return left


def _ordered(value: Any, plan: Plan) -> updated:
    """The body's `updated` value with its arrays in the decorator's order."""
    if not isinstance(value, updated) or value.arrays.keys() != plan.mutates_set:
        expected = ", ".join(f"{name}={name}" for name in plan.mutates)
        raise RuntimeError(f"{plan.name} must return rt.updated(result, {expected})")
    if tuple(value.arrays) != plan.mutates:
        value.arrays = {name: value.arrays[name] for name in plan.mutates}
    return value


def _with_numbers(pair: updated, given: Mapping[str, Any], name: str) -> updated:
    """`pair` with the caller's own numbers: to such a one ``v += x`` in a callee does nothing."""
    for parameter, value in given.items():
        is_variable = hasattr(value, "assign")
        if is_immutable(value):
            pair.arrays[parameter] = value
        elif is_tensor(value) and not is_variable and value.shape.rank == 0 and pair.arrays[parameter] is not value:
            pair.arrays[parameter] = Undecided(name)
    return pair


def _final_value(final: Any, size: int) -> Any:
    """The values of an update as NumPy's, to be copied at once: so large ones are not copied before."""
    if not is_tensor(final):
        return final
    return shown(final) if size >= lazy_tensorflow.LARGE else to_ndarray(final)


def _write_back(call: Call, finals: dict[str, Any], plan: Plan) -> None:
    """Copy each final value into the caller's object. Checks everything before it changes anything."""
    writes: list[tuple[Any, Any, Any]] = []
    beside = call.beside or threads.are_others()  # those of the beginning may have written, and ended
    for name, original in call.originals.items():
        final = finals.get(name, original)
        if name not in plan.mutates_set or final is original:
            continue
        if is_of(original, np.ndarray):
            value = _final_value(final, original.nbytes)
            if isinstance(value, np.generic):  # a 0-d array counts as a scalar inside
                value = np.asarray(value)
            if not isinstance(value, np.ndarray) or value.dtype != original.dtype or value.shape != original.shape:
                raise UnverifiedError(
                    f"{plan.name}: the update of {name!r} changed its dtype or shape; nothing was written"
                )
            if not beside and precision.active and precision.is_single():
                value = kept_where_same(original, value)
            writes.append((original, value, call.converted[name]))
        elif is_tensor(original):
            writes.append((original, final, None))
    for original, value, before in writes:
        if is_of(original, np.ndarray):
            if beside:
                threads.write_what_changed(original, host(before), value)
            else:
                np.copyto(original, value)
        else:
            original.assign(value)


# --- Migrated generators: each step runs as the body of a migrated function does; what is handed out is NumPy's


def wrap_generator(body: Callable[..., Any], plan: Plan, fallback: Fallback | None, device: str) -> Callable[..., Any]:
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
