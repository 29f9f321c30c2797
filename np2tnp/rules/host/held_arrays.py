"""TNP510: attributes that stay ndarrays under ``--state tensor``."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register


@register
class HeldArray(Rule):
    doc = Doc(
        code="TNP510",
        name="held-array",
        summary="With `--state tensor`: an attribute that is assigned an array here stays an ndarray.",
        why=(
            "An attribute may hold a tensor where all code of the module that reads it is known, and can be made to"
            " read an ndarray. What reads attributes by computed names, the class itself or the top level cannot."
        ),
        does="Leaves the attribute as it is without the option: each store copies from the device, each use to it.",
        bad="""
            class Layer:
                scale = np.ones(3)

                def fit(self, x):
                    self.scale = np.sqrt(np.mean(x * x, axis=0))
        """,
        good="""
            class Layer:
                def __init__(self):
                    self.scale = np.ones(3)

                def fit(self, x):
                    self.scale = np.sqrt(np.mean(x * x, axis=0))
        """,
        safety="A note: it changes nothing.",
        severity=Severity.SLOWER,
        state="tensor",
    )
    on = (ev.AttributeStore,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.AttributeStore)
        why = context.module.state.stays.get(event.name)
        if why is not None and context.in_region and isinstance(event.value, Array):
            yield self.hit(event.node, f".{event.name} stays an ndarray: {why}", Verdict.NOTE)
