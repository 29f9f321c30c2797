"""dtypes that no tensor of numbers can hold."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.analysis.results import FOREIGN, foreign_dtype
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register

_CODES = {"object": "TNP301", "string": "TNP302", "structured": "TNP303", "datetime": "TNP304", "longdouble": "TNP305"}


@register
class ForeignDtype(Rule):
    code = "TNP301"
    name = "foreign-dtype"
    summary = "object, string, structured, datetime and longdouble arrays"
    why = "tnp makes byte strings of them, or drops precision, without an error."
    does = "Leaves such arrays in NumPy, and refuses them at the boundary."
    bad = "names = np.array(['a', 'b'])"
    good = "names = ['a', 'b']"
    on = (ev.NameRead, ev.Call)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.NameRead):
            kind = FOREIGN.get(event.api)
            if kind is not None:
                yield Hit(
                    _CODES[kind],
                    event.node,
                    f"{event.api.replace('numpy.', 'np.')}: {kind} data has no tensor form",
                    Verdict.HOST,
                )
            return
        assert isinstance(event, ev.Call)
        if event.api is None:
            return
        for argument in event.arguments:
            if argument.name == "dtype" and (kind := foreign_dtype(argument.value)) and not argument.value == event.api:
                yield Hit(_CODES[kind], argument.node, f"{kind} arrays have no tensor form", Verdict.HOST)
