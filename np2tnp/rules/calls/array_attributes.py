"""TNP008: attributes that tensors lack or answer differently."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import bind
from np2tnp.analysis.domain.values import HOST, Array, Unknown, home_of
from np2tnp.edits import build
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.decisions import decide
from np2tnp.rules.views.memory_attributes import has_no_form

#: Attributes that an object which may be anything is asked for by the runtime.
_ASKED = frozenset("T mT real imag shape ndim size dtype nbytes itemsize flat base data ctypes device".split())


@register
class ArrayAttribute(Rule):
    doc = Doc(
        code="TNP008",
        name="array-attribute",
        summary=(
            "An attribute of arrays that tensors lack or answer differently: .size, .dtype, .T, .real, .nbytes..."
        ),
        why="A tensor's .size is a tensor, its .dtype is no NumPy dtype, and 53 members of ndarrays are missing.",
        does="Asks the runtime: rt.size(x), rt.dtype(x), rt.shape(x). Edits only; there is nothing to report.",
        bad="""
            def mean(x):
                return np.sum(x) / x.size
        """,
        good="""
            @rt.migrated(no_lists="x")
            def mean(x):
                return tnp.sum(x) / rt.size(x)
        """,
    )
    on = (ev.AttributeRead,)

    def check(self, event: ev.Event, context: Context) -> tuple[Hit, ...]:
        assert isinstance(event, ev.AttributeRead)
        if not context.in_region:
            return ()
        base, name = event.base, event.name
        if home_of(base) == HOST:
            if (
                isinstance(base, Array)
                and name in ("T", "mT", "real", "imag", "flat")
                and home_of(event.result) != HOST
            ):
                context.edits.wrap_tensor(event.node.value)
                self._function(event, context)
            return ()
        if isinstance(base, Unknown):
            if name in _ASKED:
                self._maybe(event, context)
            return ()
        if has_no_form(name):
            return ()  # TNP204
        if name == "ndim" or (name == "shape" and _shape_may_stay(event, context)):
            return ()
        if self._may_stay(event, context):
            context.edits.tensors_own.add(id(event.node))
            return ()
        self._function(event, context)
        return ()

    def _may_stay(self, event: ev.AttributeRead, context: Context) -> bool:
        """Whether it is given to a function that takes it as the tensor has it.

        But under float32 a tensor's own dtype is not what NumPy has there.
        """
        if context.compile != "none" or (context.float32 and event.name == "dtype"):
            return False
        return _makers(context).get(id(event.node)) == event.name

    def _maybe(self, event: ev.AttributeRead, context: Context) -> None:
        """The object may be a tensor or anything else: the runtime looks."""

        def change(updated: cst.Attribute) -> cst.BaseExpression:
            return build.call(
                f"{context.rt}.get_attribute", build.argument(updated.value), build.argument(build.string(event.name))
            )

        context.edits.replace[id(event.node)] = change

    def _function(self, event: ev.AttributeRead, context: Context) -> None:
        named = context.tnp if context.boundary == "numpy" else context.rt  # where tnp has the exact helpers
        function = {"T": f"{context.tnp}.transpose", "real": f"{named}.real", "imag": f"{named}.imag",
                    "mT": f"{context.rt}.matrix_transpose"}.get(event.name, f"{context.rt}.{event.name}")  # fmt: skip
        if event.name == "T" and not isinstance(event.result, Array):
            return

        def change(updated: cst.Attribute) -> cst.BaseExpression:
            return build.call(function, updated.value)

        context.edits.replace[id(event.node)] = change


#: Functions that take a tensor's shape, and its dtype, as NumPy's take those of arrays; and which of both.
_MAKERS = {
    **dict.fromkeys("zeros ones empty full".split(), ("shape", "dtype")),
    **dict.fromkeys("reshape broadcast_to".split(), ("shape",)),
    **dict.fromkeys("array asarray arange eye zeros_like ones_like full_like astype".split(), ("dtype",)),
}


def _makers(context: Context) -> dict[int, str]:
    """The arguments, by id, that are shapes and dtypes of functions which become tnp's or the runtime's."""
    if context.makers is None:
        context.makers = {}
        for call in context.calls.values():
            function = (call.api or "").removeprefix("numpy.").removeprefix("ndarray.")
            fact = context.catalog.get(call.api or "") if function in _MAKERS else None
            decision = decide(call, context) if fact is not None else None
            if fact is None or decision is None or decision.module not in ("tnp", "rt"):
                continue
            bound = bind(fact, call.arguments) or {}
            context.makers.update((id(bound[it].node.value), it) for it in _MAKERS[function] if it in bound)
    return context.makers


def _shape_may_stay(event: ev.AttributeRead, context: Context) -> bool:
    """``n, m = x.shape`` and ``x.shape[0]`` work on a tensor's shape as well."""
    if id(event.node) in context.facts.seen.plain_shapes:
        return True
    statement = event.place.statement
    unpacked = isinstance(statement, cst.Assign) and isinstance(statement.targets[0].target, (cst.Tuple, cst.List))
    return unpacked and event.place.root
