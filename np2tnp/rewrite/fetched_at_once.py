"""Calls of NumPy that would be made on a device and fetched from there at once: ``rt.host(rt.arange(n))``.

Where such a call is given nothing but numbers, NumPy's own makes the same with less work, and reads as it did.
"""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.values import HOST, Const, Scalar, Sequence, Symbol, Unknown, Value
from np2tnp.analysis.walk import walk
from np2tnp.edits.edit import Edits
from np2tnp.model import Verdict
from np2tnp.rules.base import Hit
from np2tnp.rules.host_calls import HostCall

#: Functions that read no elements: what lives on the host may be a length there.
_CREATIONS = frozenset(f"numpy.{name}" for name in "arange zeros ones empty eye identity linspace tri indices".split())


def leave(facts: ev.RegionFacts, edits: Edits, hits: list[Hit]) -> list[Hit]:
    """Leave these calls to NumPy, unless the region has nothing else to convert; `hits` with what is said of that."""
    calls = [event for event in facts.events if isinstance(event, ev.Call) and _is_fetched(event, edits)]
    if len(calls) >= edits.converted:
        return hits
    for event in calls:
        key = id(event.node)
        del edits.replace[key]
        edits.unwrap(event.node)
        edits.converted -= 1
    left = {id(event.node) for event in calls}
    others = [hit for hit in hits if id(hit.node) not in left or hit.verdict is Verdict.NOTE]
    return [*others, *(Hit(HostCall.doc.code, event.node, _words(event), Verdict.HOST) for event in calls)]


def _words(event: ev.Call) -> str:
    return f"np.{(event.api or '').removeprefix('numpy.')}() of numbers stays in NumPy: what it makes is read there"


def _is_fetched(event: ev.Call, edits: Edits) -> bool:
    key, api = id(event.node), event.api or ""
    if not (key in edits.replace and (key in edits.host or key in edits.zero_d)) or key in edits.tensor:
        return False
    if not api.startswith("numpy.") or api.startswith("numpy.random") or event.receiver is not None:
        return False
    reads_none = api in _CREATIONS
    return all(_is_number(item.value, reads_none) and not _changes(item.node, edits) for item in event.arguments)


def _is_number(value: Value, or_host: bool) -> bool:
    if isinstance(value, Sequence):
        return value.items is not None and all(_is_number(item, or_host) for item in value.items)
    if isinstance(value, Symbol):
        return value.name.startswith(("numpy.", "math.", "builtins."))
    return isinstance(value, (Const, Scalar)) or (or_host and isinstance(value, Unknown) and value.home == HOST)


def _changes(argument: cst.Arg, edits: Edits) -> bool:
    """Whether an argument is edited itself: what it is for TensorFlow need not be what NumPy takes."""
    places = (edits.replace, edits.host, edits.host_items, edits.tensor, edits.zero_d)
    return any(id(part) in place for part in walk(argument.value) for place in places)
