"""Calls of NumPy: which target they get."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.analysis.calls import ufunc_method
from np2tnp.analysis.results import foreign_dtype
from np2tnp.analysis.values import (
    GENERATORS,
    HOST,
    TENSOR,
    Array,
    Bound,
    Function,
    Instance,
    Sequence,
    Symbol,
    Unknown,
    Value,
    home_of,
    is_python_number,
    may_hold_tensor,
)
from np2tnp.edits import build
from np2tnp.edits.calls import convert_arguments, needs_tensor, plain_dtypes, retarget
from np2tnp.edits.targets import choose
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register

_TARGETS = {"tnp": "TNP001", "rt": "TNP002", "host": "TNP004"}


def is_random(api: str) -> bool:
    return api.startswith("numpy.random.")


@register
class NumpyCall(Rule):
    code = "TNP001"
    name = "numpy-call"
    summary = "A NumPy function or method that becomes the tnp function of the same name"
    why = "tnp gives the same values, dtypes and shapes for these arguments: it was measured."
    does = "Calls the tnp function; a method becomes a function of its receiver."
    bad = "y = x.sum(axis=0)"
    good = "y = tnp.sum(x, axis=0)"
    on = (ev.Call,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        if event.api is None or id(event.node) in context.stores:
            return
        api = event.api
        fact = context.catalog.get(api)
        if event.callee in GENERATORS or event.result in GENERATORS:
            convert_arguments(event, context.edits, "host")
            return
        if _stays(event) and not is_random(api):
            return
        if foreign := self._foreign(event):
            yield from self._stay(event, context, f"{foreign} arrays have no tensor form", "TNP301")
            return
        method_of = ufunc_method(context.catalog, api)
        if method_of is not None:
            owner, name = method_of
            retarget(event, context.edits, f"{context.rt}.{owner.rpartition('.')[2]}_{name}", False, "rt")
            convert_arguments(event, context.edits, "tensor")
            yield self._hit(
                "TNP002",
                event,
                f"{_short(api)}: tnp ufuncs have no .{name}; the exact helper does it",
                Verdict.ADAPT,
                context,
            )
            return
        if fact is None:
            suggestion = context.catalog.suggest(api)
            hint = f"; did you mean {suggestion}?" if suggestion else ""
            yield from self._stay(event, context, f"{_short(api)} is not in the catalog{hint}", "TNP009")
            return
        if is_random(api) and context.random == "numpy":
            yield from self._stay(event, context, f"{_short(api)} keeps NumPy's random stream", "TNP601")
            return
        choice = choose(fact, event)
        if choice.kind == "host" or not context.in_region and choice.kind == "host":
            yield from self._stay(event, context, choice.why, "TNP004")
            return
        method = event.receiver is not None
        prefix = context.tnp if choice.kind == "tnp" else context.rt
        retarget(event, context.edits, f"{prefix}.{choice.function}", method, choice.kind)
        convert_arguments(event, context.edits, "tensor")
        if method and isinstance(event.receiver, Array) and needs_tensor(event.receiver):
            context.edits.wrap_tensor(event.node.func.value)  # type: ignore[attr-defined]
        for argument in plain_dtypes(event, context.edits, context.numpy):
            yield Hit(
                "TNP306", argument.node, "a Python type as dtype means 64 bits in NumPy and 32 in tnp", Verdict.ADAPT
            )
        if choice.kind == "tnp":
            yield self._hit("TNP001", event, f"{_short(api)} becomes tnp.{choice.function}", Verdict.CONVERT, context)
        elif choice.differs:
            yield self._hit(
                "TNP003", event, f"{_short(api)}: {choice.why}; the exact helper is used", Verdict.ADAPT, context
            )
        else:
            yield self._hit(
                "TNP002", event, f"{_short(api)}: {choice.why}; the exact helper is used", Verdict.ADAPT, context
            )

    def _hit(self, code: str, event: ev.Call, message: str, verdict: Verdict, context: Context) -> Hit:
        context.edits.total += 1
        context.edits.converted += 1
        return Hit(code, event.node, message, verdict)

    def _foreign(self, event: ev.Call) -> str | None:
        for argument in event.arguments:
            if argument.name in ("dtype", None) and (argument.name == "dtype" or event.api in ("ndarray.astype",)):
                found = foreign_dtype(argument.value)
                if found:
                    return found
        return None

    def _stay(self, event: ev.Call, context: Context, why: str, code: str) -> Iterator[Hit]:
        """The call stays NumPy: arguments to the host, result back to TensorFlow where the analysis counts on a tensor."""
        convert_arguments(event, context.edits, "host")
        func = event.node.func
        if event.receiver is not None and may_hold_tensor(event.receiver):
            context.edits.wrap_host(func.value)  # type: ignore[attr-defined]
        if makes_tensor(event.result) and context.in_region:
            context.edits.wrap_tensor(event.node)
        context.edits.total += 1
        yield Hit(code, event.node, f"{_short(event.api or '')} stays in NumPy: {why}", Verdict.HOST)


def _stays(event: ev.Call) -> bool:
    """Calls that give Python objects or work on Python numbers alone: nothing to migrate."""
    values = [argument.value for argument in event.arguments]
    if event.receiver is not None:
        values.append(event.receiver)
    if any(may_hold_tensor(value) for value in values):
        return False
    return not makes_tensor(event.result)


def makes_tensor(value: Value) -> bool:
    """Whether the analysis counts on tensors in `value`."""
    if isinstance(value, (Array, Unknown)):
        return value.home != HOST
    if isinstance(value, Sequence):
        return makes_tensor(value.element) if value.items is None else any(map(makes_tensor, value.items))
    return False


def _short(api: str) -> str:
    return api.replace("numpy.", "np.", 1) if api.startswith("numpy.") else f"array method {api.rpartition('.')[2]}"


@register
class OtherCall(Rule):
    code = "TNP501"
    name = "host-call"
    summary = "A call of Python or another library: arrays are copied to the host for it"
    why = "The callee expects ndarrays; each call copies its array arguments from the device."
    does = "Wraps the arguments into rt.host(...)."
    bad = "plt.plot(x)"
    good = "plt.plot(rt.host(x))"
    on = (ev.Call,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        if event.api is not None or id(event.node) in context.stores and isinstance(event.callee, Function):
            return
        callee = event.callee
        if isinstance(callee, Function) and callee.nested:
            return
        if isinstance(callee, Symbol) and callee.name.startswith("builtins."):
            return  # Escape events say what reaches Python
        if isinstance(callee, Function) or isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
            yield from self._project(event, context)
            return
        if isinstance(callee, Bound):
            yield from self._method(event, callee, context)
            return
        held = [argument for argument in event.arguments if may_hold_tensor(argument.value)]
        if held:
            convert_arguments(event, context.edits, "host")
            yield Hit("TNP501", event.node, f"{_callee(event)} gets host copies of its array arguments", Verdict.HOST)

    def _project(self, event: ev.Call, context: Context) -> Iterator[Hit]:
        callee = event.callee
        if isinstance(callee, Function):
            qualname: str | None = callee.qualname
        else:
            assert isinstance(callee, Bound) and isinstance(callee.receiver, Instance)
            qualname = context.module.classes[callee.receiver.qualname].methods.get(callee.name)
        summary = context.summary(qualname) if qualname else None
        if summary is not None and summary.migrated and not summary.mutates:
            use_core(event, context, summary.hosted, summary.parameters, isinstance(callee, Bound))
            return
        if any(may_hold_tensor(argument.value) for argument in event.arguments):
            convert_arguments(event, context.edits, "host")
            yield Hit(
                "TNP501",
                event.node,
                f"{_callee(event)} stays in NumPy and gets host copies of its array arguments",
                Verdict.HOST,
            )

    def _method(self, event: ev.Call, callee: Bound, context: Context) -> Iterator[Hit]:
        receiver = callee.receiver
        if isinstance(receiver, Sequence):
            return  # a container made in the region: tensors may stay in it
        if isinstance(receiver, (Unknown, Array)) and home_of(receiver) != HOST and callee.name in AMBIGUOUS:
            edits = context.edits

            def change(updated: object) -> object:
                func = updated.func  # type: ignore[attr-defined]
                arguments = [build.argument(func.value), build.argument(build.string(callee.name)), *updated.args]  # type: ignore[attr-defined]
                return updated.with_changes(
                    func=build.name(f"{context.rt}.call_method"), args=build.separated(arguments)
                )  # type: ignore[attr-defined]

            edits.replace[id(event.node)] = change  # type: ignore[assignment]
            edits.needs.add("rt")
            return
        held = [argument for argument in event.arguments if may_hold_tensor(argument.value)]
        if held:
            convert_arguments(event, context.edits, "host")
            yield Hit("TNP501", event.node, f"{_callee(event)} gets host copies of its array arguments", Verdict.HOST)


#: Methods that arrays share with lists and other containers: on an unknown receiver the runtime decides.
AMBIGUOUS = frozenset(
    "copy item conj conjugate sum mean std var prod min max any all argmax argmin argsort cumsum cumprod dot reshape ravel flatten astype"
    " transpose clip nonzero squeeze swapaxes trace diagonal repeat take tolist round".split()
)


def use_core(
    event: ev.Call, context: Context, hosted: frozenset[str], parameters: tuple[str, ...], method: bool
) -> None:
    """Call the functional core of a migrated function: tensors in, tensors out."""
    names = parameters[1:] if method else parameters
    for index, argument in enumerate(event.arguments):
        name = argument.name or (names[index] if index < len(names) else None)
        if name in hosted and may_hold_tensor(argument.value):
            context.edits.wrap_host(argument.node.value)

    def change(updated: object) -> object:
        func = updated.func  # type: ignore[attr-defined]
        core = build.call(f"{context.rt}.core", func) if method else build.cst.Attribute(func, build.cst.Name("core"))
        return updated.with_changes(func=core)  # type: ignore[attr-defined]

    context.edits.replace[id(event.node)] = change  # type: ignore[assignment]
    if method:
        context.edits.needs.add("rt")


def _callee(event: ev.Call) -> str:
    from np2tnp.analysis.module import dotted

    text = dotted(event.node.func)
    return f"{text}()" if text else "this call"


__all__ = ["TENSOR", "NumpyCall", "OtherCall", "is_python_number", "makes_tensor", "use_core"]
