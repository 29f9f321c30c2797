"""Syntax and control flow that stand in the way of a migration."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.module import dotted
from np2tnp.analysis.tables import TRANSPARENT_DECORATORS
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register

#: Exceptions that NumPy raises and TensorFlow raises as others.
_TRANSLATED = frozenset(
    "IndexError ValueError TypeError LinAlgError AxisError FloatingPointError ZeroDivisionError ArithmeticError OverflowError RuntimeWarning"
    " AttributeError LookupError KeyError MemoryError RuntimeError Warning".split()
)

_BLOCKING = {
    "yield": ("TNP402", "a generator hands out arrays while it runs; tensors would reach its caller"),
    "async": ("TNP403", "an async function is not migrated"),
    "match": ("TNP407", "match on an array looks at its class"),
    "local class": ("TNP408", "a class defined inside the function"),
    "raise after mutation": (
        "TNP109",
        "an exception is raised after an argument was updated in place: the caller would not see the update",
    ),
    "global from unpacking": ("TNP404", "a global is assigned by unpacking: assign it by itself"),
}


@register
class Control(Rule):
    code = "TNP401"
    name = "control-flow"
    summary = (
        "Control flow that depends on how NumPy behaves: handlers of its exceptions, generators, closures that store"
    )
    why = "TensorFlow raises other exceptions, and tensors must not leave a function half way."
    does = "Leaves the whole function in NumPy."
    bad = "try:\n    y = x[i]\nexcept IndexError:\n    y = 0.0"
    good = "y = x[i] if i < len(x) else 0.0"
    on = (ev.Construct,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region:
            return
        kind, detail = event.kind, event.detail
        if kind in _BLOCKING:
            code, message = _BLOCKING[kind]
            yield Hit(code, event.node, message, Verdict.BLOCK)
        elif kind == "nonlocal":
            yield Hit(
                "TNP404",
                event.node,
                f"nonlocal {detail}: a nested function rebinds a name of the enclosing one",
                Verdict.BLOCK,
            )
        elif kind == "closure store":
            yield Hit(
                "TNP404",
                event.node,
                f"a nested function updates {detail} of the enclosing function in place",
                Verdict.BLOCK,
            )
        elif kind == "store in tuple":
            yield Hit(
                "TNP107",
                event.node,
                "a store into an element inside an unpacking: NumPy may see one store through the other's view",
                Verdict.BLOCK,
            )
        elif kind == "try":
            caught = sorted(set(detail.split(",")) & _TRANSLATED)
            if caught:
                yield self.hit(
                    event.node,
                    f"a handler of {', '.join(caught)} around array work: TensorFlow raises other exceptions",
                    Verdict.BLOCK,
                )
        elif kind == "decorator":
            if detail not in TRANSPARENT_DECORATORS and not detail.endswith((".setter", ".getter", ".deleter")):
                yield Hit(
                    "TNP405",
                    event.node,
                    f"the decorator {detail or 'here'} may look at the function's arguments or result",
                    Verdict.BLOCK,
                )
        elif kind == "nested decorator":
            if detail not in ("staticmethod", "functools.wraps"):
                yield Hit(
                    "TNP405",
                    event.node,
                    f"the decorator {detail or 'here'} of a nested function may look at arrays",
                    Verdict.BLOCK,
                )
        elif kind == "with":
            yield from self._with(event)

    def _with(self, event: ev.Construct) -> Iterator[Hit]:
        item = event.node
        assert isinstance(item, cst.WithItem)
        if event.detail.rpartition(".")[2] == "errstate" and isinstance(item.item, cst.Call):
            for arg in item.item.args:
                text = arg.value.value.strip("'\"") if isinstance(arg.value, cst.SimpleString) else ""
                if text not in ("ignore", "warn"):
                    yield Hit(
                        "TNP406", item, "np.errstate other than ignore has no effect on TensorFlow", Verdict.BLOCK
                    )
                    return


@register
class WarningsAsErrors(Rule):
    code = "TNP406"
    name = "floating-point-errors"
    summary = "Floating-point errors turned into exceptions or callbacks"
    why = "TensorFlow never warns: np.errstate(all='raise'), np.seterr and warnings as errors have no effect on it."
    does = "Leaves the whole function in NumPy."
    bad = "with np.errstate(all='raise'):\n    y = 1 / x"
    good = "if np.any(x == 0):\n    raise ZeroDivisionError\ny = 1 / x"
    on = (ev.Call,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        if not context.in_region:
            return
        text = dotted(event.node.func).rpartition(".")[2]
        if text in ("simplefilter", "filterwarnings") and any(
            isinstance(arg.value, cst.SimpleString) and arg.value.value.strip("'\"") == "error"
            for arg in event.node.args
        ):
            yield self.hit(event.node, "warnings as errors: TensorFlow emits no RuntimeWarning", Verdict.BLOCK)
        elif text in ("seterr", "seterrcall", "pytest.warns"):
            yield self.hit(event.node, f"{text} has no effect on TensorFlow", Verdict.BLOCK)
