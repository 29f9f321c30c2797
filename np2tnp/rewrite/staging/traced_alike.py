"""Functions whose default text is, word for word, what a trace may take: the runtime compiles what of them is hot.

So the default stays plain code of tnp's. What has to be written otherwise for a graph stays eager: loops that values
end, numbers that are made of arrays, attributes that become inputs. A trace unrolls other loops, as far as it may.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Bound, Function
from np2tnp.analysis.syntax.liveness import Names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.rewrite.staging.symbol_reads import without_conversions

_EMPTY = cst.Module([])


def reads_alike(plain: cst.FunctionDef, compiled: cst.FunctionDef, runtime: str, shadowed: Names) -> bool:
    """Whether the bodies are one text, and a trace can run through it."""
    if any(isinstance(part, cst.While) for part in walk(compiled.body)):
        return False
    made = without_conversions(compiled.body, runtime, shadowed)
    return _EMPTY.code_for_node(plain.body) == _EMPTY.code_for_node(made)


def held_arrays(facts: ev.RegionFacts) -> Names:
    """The attributes of ``self`` that the door of the function lets in as arrays."""
    doors = ((name, it.word) for name, it in facts.door.items() if name.startswith("self."))
    return frozenset(name.removeprefix("self.") for name, word in doors if word not in ("numbers", "counts"))


def closed(found: dict[str, ev.RegionFacts], migrated: Collection[str], module: str) -> frozenset[str]:
    """Of the functions `found` those that call no migrated function that is not among them, nor another module's.

    What calls one that stays eager stays so, too: a trace cannot hold it.
    """
    kept = set(found)
    while True:
        others = {name for name in migrated if name not in kept}
        methods = {name.rpartition(".")[2] for name in others if "." in name}
        left = {name for name in kept if any(it in others | {""} for it in _called(found[name], methods, module))}
        if not left:
            return frozenset(kept)
        kept -= left


def _called(facts: ev.RegionFacts, methods: set[str], module: str) -> Iterator[str]:
    """What functions the region calls, by their names; "" for one that may be out of sight, or one of `methods`."""
    for event in facts.events:
        callee = event.callee if isinstance(event, ev.Call) else None
        if isinstance(callee, Function) and not callee.nested:
            yield callee.qualname if callee.module in ("", module) else ""
        elif isinstance(callee, Bound) and callee.name in methods:
            yield ""
