"""What would be made on a device, or sent there, to be fetched at once.

``rt.host(rt.arange(n))``: where such a call is given nothing but numbers, NumPy's own makes the same with less work,
and reads as it did. Parameters of which every use is ``rt.host(p)``: they may as well come as they are.
"""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Const, Scalar, Sequence, Symbol, Unknown, Value
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits.edit import Edits
from np2tnp.model import Verdict
from np2tnp.rules.base import Hit
from np2tnp.rules.host.host_calls import HostCall

#: Functions that read no elements: what lives on the host may be a length there.
_CREATIONS = frozenset(f"numpy.{name}" for name in "arange zeros ones empty eye identity linspace tri indices".split())


def leave(facts: ev.RegionFacts, edits: Edits, hits: list[Hit], wrapped: bool) -> list[Hit]:
    """Leave these calls to NumPy; `hits` with what is said of that. A region with nothing else stays as it is.

    But where functions are not `wrapped` it does not: it may be what hands on the tensors of others.
    """
    calls = [event for event in facts.events if isinstance(event, ev.Call) and _is_fetched(event, edits)]
    for event in calls:
        key = id(event.node)
        del edits.replace[key]
        edits.unwrap(event.node)
        edits.converted -= wrapped
    left = {id(event.node) for event in calls}
    others = [hit for hit in hits if id(hit.node) not in left or hit.verdict is Verdict.NOTE]
    return [*others, *(Hit(HostCall.doc.code, event.node, _words(event), Verdict.HOST) for event in calls)]


def parameters(facts: ev.RegionFacts, edits: Edits) -> frozenset[str]:
    """Parameters that are fetched wherever they are used, so that nothing but copies comes of sending them.

    What is read of an object by a name that no array has (``trellis.states``) sends nothing.
    """
    names = frozenset(facts.parameters) - facts.host_parameters - facts.mutated.keys() - facts.assumed_scalars
    skipped: set[int] = set()
    fetched: set[str] = set()
    others: set[str] = set()
    for node in walk(facts.node.body) if isinstance(facts.node, cst.FunctionDef) else ():
        if type(node) is cst.Attribute:
            skipped.add(id(node.attr))
            if node.attr.value not in MEMBERS:
                skipped.add(id(node.value))
        elif type(node) is cst.Name and node.value in names and id(node) not in skipped:
            is_fetched = id(node) in edits.host and id(node) not in edits.replace
            (fetched if is_fetched else others).add(node.value)
    return frozenset(fetched - others)


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
