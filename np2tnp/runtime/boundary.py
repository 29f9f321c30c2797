"""Where migrated code meets everybody else: ndarrays come in, tensors work, ndarrays go out.

``rt.migrated`` replaces a function by a wrapper that keeps the callers' world. The body's updates of an argument reach
the caller's own object when the body has succeeded. If it raises, nothing is written, where NumPy would have done
part of the work.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

import numpy as np

from np2tnp.runtime import generators, lazy, precision, threads
from np2tnp.runtime.arguments import Call, Plan, is_immutable
from np2tnp.runtime.compiled import MODES, Compiled, NotCompiled
from np2tnp.runtime.compiled_state import State
from np2tnp.runtime.core_results import Undecided, updated
from np2tnp.runtime.dispatch import host, is_tensor, to_ndarray
from np2tnp.runtime.errors import Unsupported, UnverifiedError
from np2tnp.runtime.exceptions import MISTAKES, translate
from np2tnp.runtime.fallback import Fallback, share_defaults
from np2tnp.runtime.looking import is_of
from np2tnp.runtime.narrowing import crossed, kept_where_same, takes
from np2tnp.runtime.object_state import lift, remember
from np2tnp.runtime.parameters import with_parameters_of
from np2tnp.runtime.plain_calls import call_plain
from np2tnp.runtime.precision import working
from np2tnp.runtime.refusals import explained, replaced
from np2tnp.runtime.results import keep, leave
from np2tnp.runtime.sizes import (
    FEW,
    MANY,
    NEVER,
    Elements,
    SmallCalls,
    by_size,
    is_threshold_set,
    small_calls,
    tell_of_small_calls,
    threshold,
)
from np2tnp.runtime.startup import place
from np2tnp.runtime.tracing import current

__all__ = ["NEVER", "migrated", "updated"]

F = TypeVar("F", bound=Callable[..., Any])


@overload
def migrated(function: F, /) -> F: ...
@overload
def migrated(
    *,
    mutates: Iterable[str] = (),
    returns: Iterable[str] = (),
    arrays: Iterable[str] = (),
    refuses: Mapping[str, str] | None = None,
    scalars: Iterable[str] = (),
    hosted: Iterable[str] = (),
    updates: Iterable[str] = (),
    methods: Iterable[str] = (),
    zero_d: str = "scalar",
    compile: str = "none",
    original: Callable[..., Any] | None = None,
    on_unverified: str = "raise",
    pure: bool = False,
    above: int | None = None,
    elements: Elements = 0,
    rows: Iterable[str] = (),
    device: str = "",
    float32: bool = False,
    state: Iterable[str] | None = None,
    tensors: Iterable[str] = (),
) -> Callable[[F], F]: ...
def migrated(
    function: Any = None,
    /,
    *,
    mutates: Iterable[str] = (),
    returns: Iterable[str] = (),
    arrays: Iterable[str] = (),
    refuses: Mapping[str, str] | None = None,
    scalars: Iterable[str] = (),
    hosted: Iterable[str] = (),
    updates: Iterable[str] = (),
    methods: Iterable[str] = (),
    zero_d: str = "scalar",
    compile: str = "none",
    original: Callable[..., Any] | None = None,
    on_unverified: str = "raise",
    pure: bool = False,
    above: int | None = None,
    elements: Elements = 0,
    rows: Iterable[str] = (),
    device: str = "",
    float32: bool = False,
    state: Iterable[str] | None = None,
    tensors: Iterable[str] = (),
) -> Any:
    """Make `function`, whose body works on tensors, keep its NumPy contract.

    Parameters
    ----------
    mutates : parameters that the body may update; it then returns ``rt.updated(result, name=final, ...)``. The final
        values are copied into the caller's ndarrays.
    returns : parameters that the result may *be*; where it is, the caller's own object is returned.
    arrays : parameters that must be exact ndarrays or numbers.
    scalars : parameters that must not be arrays: the body treats them as plain Python values.
    hosted : parameters that reach the body as they are: the caller's own ndarrays and containers.
    updates : globals (``"TABLE"``), attributes of any object (``".w"``) and hosted parameters (``"@p"``) whose arrays
        the body, or what it calls, changes in place; an argument that shares memory with one is refused.
    methods : of the object, those that the body calls: an object with others, which a subclass in another module, or
        the object itself, has in their place, is refused.
    refuses : parameter -> dtype characters that were not verified for it.
    zero_d : whether a 0-d result is a NumPy ``"scalar"`` or an ``"array"``; ``"unverified"`` refuses one.
    compile : ``"graph"`` or ``"xla"`` runs the body as one graph, traced once for each combination of dtypes, shapes
        and values of other arguments; calls that cannot be traced run eagerly, and the logger ``np2tnp`` says why.
    original : the function as it was before the migration; it shares the decorated function's defaults.
    on_unverified : what the public function does with a call that it would refuse: ``"raise"`` UnverifiedError,
        ``"numpy"`` calls `original`, ``"warn"`` does so with one UnverifiedWarning a function.
    pure : the body changes nothing but what it returns, and of ``self`` it only reads attributes, so `original` may be
        called after a refusal inside it, too.
    above : the public function calls `original` when nothing that it is given, no attribute of ``self`` and nothing
        that `elements` tells of has this many elements: NumPy is faster there. ``NEVER``: always; only ``.core`` works
        with TensorFlow. None: 100,000 where there is a GPU and always where there is none (unless `device` names one),
        but 0 with `compile` and `float32`. 0: TensorFlow does all work. ``NP2TNP_ABOVE`` in the environment takes its
        place.
    elements : how many the largest array has that the function makes itself, where the text tells: a number, or a
        function of parameters, by their names.
    rows : parameters of which the body takes one item along the first axis at a time: such an array has as many
        elements as one of its items.
    device : where TensorFlow works, such as ``"/GPU:0"``; RuntimeError where there is no such device.
    float32 : the body works in float32 and complex64 where NumPy works in float64 and complex128. Callers see NumPy's
        dtypes, but values that are right to about seven digits. A call with arrays of float32, complex64 or float16
        among its arguments runs as it would without.
    state : of a method that `compile` compiles: the attributes of its object that may be arrays. It only reads its
        object, and these only through the runtime. Their values at each call are further inputs of the graph.
    tensors : of a method: the attributes of its object that it takes as tensors where it finds tensors. ndarrays that
        nobody but the object holds become tensors before it runs (``rewrite --state tensor``).

    A generator function is looked at when it is called, and works step by step. It can neither update parameters for
    its caller, nor be compiled, nor work in float32; TypeError where it should.

    The decorated function has ``.core``: tensors in, tensors out, for calls between migrated functions. On a method
    it is called with the instance: ``obj.method.core(obj, x)``. ndarrays given to it are converted, except for
    `mutates` parameters, which the body then updates in place.

    Raises
    ------
    UnverifiedError
        When called with something for which equality with NumPy was not verified (see docs/architecture.md).
        Refused before the body runs, which is what `refuses`, `arrays` and the classes of arguments decide, it leaves
        all arguments as they were. Inside of it, no argument in `mutates` is written back, but what NumPy's part of the
        body, or a function that it called, has updated by then stays so.
    RuntimeError
        In a process forked after TensorFlow ran, without an original to call.
    """
    if zero_d not in ("scalar", "array", "unverified"):
        raise ValueError(f"zero_d must be 'scalar', 'array' or 'unverified', not {zero_d!r}")
    if on_unverified not in ("raise", "warn", "numpy"):
        raise ValueError(f"on_unverified must be 'raise', 'warn' or 'numpy', not {on_unverified!r}")
    if on_unverified != "raise" and original is None:
        raise ValueError(f"on_unverified={on_unverified!r} needs the original")
    if above and original is None:
        raise ValueError(f"above={above!r} needs the original")
    if compile not in ("none", *MODES):
        raise ValueError(f"compile must be 'none', 'graph' or 'xla', not {compile!r}")

    def decorate(body: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(body) or inspect.isasyncgenfunction(body):
            raise TypeError(f"{body.__qualname__}: coroutines run between calls and cannot be migrated")
        is_generator = inspect.isgeneratorfunction(body)
        if is_generator and (tuple(mutates) or compile != "none" or float32):
            raise TypeError(f"{body.__qualname__}: a generator works step by step, on its caller's own objects")
        lifted, by_row = tuple(tensors), tuple(rows)
        remember(getattr(body, "__globals__", {}), lifted)
        plan = Plan(
            body,
            tuple(mutates),
            tuple(returns),
            tuple(arrays),
            dict(refuses or {}),
            tuple(scalars),
            tuple(hosted),
            tuple(updates),
            checks_hosted=on_unverified != "raise" and not pure,
            has_original=original is not None and on_unverified != "raise",
            methods=tuple(methods),
            pure=pure,
        )
        if original is not None:
            share_defaults(body, original)
        fallback = None
        if original is not None and on_unverified != "raise":
            method = getattr(body, "__code__", None) if plan.receiver else None
            fallback = Fallback(original, plan.name, warns=on_unverified == "warn", pure=pure, method=method)
        least = 0
        if original is not None:
            least = threshold(above, FEW if compile == "none" and not float32 else 0)
        gpu_only = above is None and not device and not is_threshold_set()
        if is_generator:
            steps = generators.wrap(body, plan, fallback, device)
            if original is not None and least:
                steps = by_size(steps, original, least, elements, gpu_only, by_row)
            return with_parameters_of(body, steps)
        compiled = None
        if compile != "none":
            kept = None if state is None else State(body, state)
            compiled = Compiled(body, compile, kept, plan.plain, gives_back=bool(plan.returns))
        eager = None
        if compiled is not None and original is not None and gpu_only and not float32:
            eager = SmallCalls(original, small_calls(body, FEW, elements, gpu_only, by_row))
        tells = above is None and not least
        public = _wrap(body, plan, zero_d, fallback, compiled, device, float32, tells, lifted, eager)
        chosen = (
            public if original is None or not least else by_size(public, original, least, elements, gpu_only, by_row)
        )
        chosen = with_parameters_of(body, chosen)
        chosen.core.public = chosen  # type: ignore[attr-defined]
        return chosen

    return decorate if function is None else decorate(function)


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

    def run(call: Call, to_numpy: bool = False) -> Any:
        result = work(call, to_numpy)
        for argument in call.watched:
            argument.require_unchanged(plan.name)
        return result

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
        if compiled is not None and not has_objects(call) and lazy.tf.executing_eagerly():
            return compiled(args, kwargs, to_numpy)
        if to_numpy:
            raise NotCompiled
        return body(*args, **kwargs)

    @functools.wraps(body)
    def core(*args: Any, **kwargs: Any) -> Any:
        if not lazy.ready:
            lazy.begin()
        if float32 or precision.active:
            return crossed(within, plan, float32, args, kwargs)
        return within(args, kwargs)

    def within(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with place(device):
            try:
                call = plan.prepare(args, kwargs, public=False)
            except UnverifiedError as refusal:
                if fallback is None or not lazy.tf.executing_eagerly():
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
            call = plan.prepare(args, kwargs, public=True)
        except UnverifiedError as refusal:
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
            first = replaced(error, handled)
            mistake = translate(first)
            translated = mistake or (first if first is not error else None)
            refused = translated or error
            if isinstance(refused, UnverifiedError):
                refused = translated = explained(refused, first, body, plan.slots(args, kwargs))
            may_repeat = not has_run and (mistake is not None or isinstance(refused, MISTAKES))
            again = fallback if isinstance(refused, UnverifiedError) or may_repeat else None
            if (
                again is None
                or not again.repeats(args, kwargs, (call.originals[name] for name in plan.mutates))
                or not again.takes(args, kwargs)
            ):
                if translated is None:
                    raise
                raise translated from error
            reason = refused
        # nothing is updated yet: the original raises what it does, and changes first what it does
        return again(reason, args, kwargs)

    calls = 0

    @functools.wraps(body)
    def public(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        if not lazy.ready:
            if fallback is not None and lazy.is_forked():
                return fallback(UnverifiedError(lazy.FORKED), args, kwargs)
            lazy.begin()
        calls += 1
        if tells and not calls % MANY:
            tell_of_small_calls(plan.name, calls, args, kwargs)
        if not lazy.tf.executing_eagerly():
            raise UnverifiedError(f"{plan.name} takes and gives ndarrays; inside tf.function call {plan.name}.core")
        try:
            with place(device):
                if float32 or precision.active:
                    with working(float32 and takes(args, kwargs)):
                        return answer(args, kwargs)
                return answer(args, kwargs)
        except NotCompiled:
            assert eager is not None
        return eager.original(*args, **kwargs)

    core.__qualname__ = f"{body.__qualname__}.core"  # so that it pickles by name too
    core.mutates = plan.mutates  # type: ignore[attr-defined]
    core.float32 = float32  # type: ignore[attr-defined]
    public.core = core  # type: ignore[attr-defined]
    return public


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


def _write_back(call: Call, finals: dict[str, Any], plan: Plan) -> None:
    """Copy each final value into the caller's object. Checks everything before it changes anything."""
    writes: list[tuple[Any, Any, Any]] = []
    beside = call.beside or threads.are_others()  # those of the beginning may have written, and ended
    for name, original in call.originals.items():
        final = finals.get(name, original)
        if name not in plan.mutates_set or final is original:
            continue
        if is_of(original, np.ndarray):
            value = to_ndarray(final) if is_tensor(final) else final
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
