"""Local arrays that stay ndarrays, because code that nobody knows may change them: a tensor would not show it."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.effects import hosted
from np2tnp.analysis.stores import Stores
from np2tnp.analysis.values import (
    COPIED,
    FOREIGN,
    NO_NAMES,
    Array,
    Sequence,
    Unknown,
    Value,
    is_outside_location,
    may_hold_tensor,
    refs_of,
    with_refs,
)


class Hosting(Stores):
    """Binds the names in `host_locals` to ndarrays."""

    host_locals: frozenset[str] = NO_NAMES

    def kept_on_host(self, targets: Iterable[cst.BaseExpression], source: cst.BaseExpression, value: Value) -> Value:
        """`value` as it is assigned to `targets`: converted at `source` where one of them stays an ndarray."""
        if not self.host_locals:
            return value
        for target in targets:
            if isinstance(target, cst.Name) and target.value in self.host_locals:
                if isinstance(value, (Array, Unknown)):
                    return self._converted(source, value, target.value)
            elif isinstance(target, (cst.Tuple, cst.List)):
                names = [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
                chosen = [name for name in names if name in self.host_locals]
                if chosen and isinstance(source, cst.Tuple) and isinstance(value, Sequence):
                    return self._converted_items(target, source, value)
                if chosen:
                    return self._converted(source, value, chosen[0])
        return value

    def _converted_items(self, target: cst.Tuple | cst.List, source: cst.Tuple, value: Sequence) -> Value:
        """``a, b = x, y``: only what is bound to a name that stays an ndarray is converted."""
        if value.items is None or not len(value.items) == len(target.elements) == len(source.elements):
            return value
        items = tuple(
            self.kept_on_host([element.value], part.value, item)
            for element, part, item in zip(target.elements, source.elements, value.items, strict=True)
        )
        return self.sequence(value.type, list(items))

    def _converted(self, source: cst.BaseExpression, value: Value, name: str) -> Value:
        if not may_hold_tensor(value):
            return value
        self.escape(source, value, f"stays an ndarray as {name}, which other code may change")
        # what shows an array of others must be NumPy's own view of it
        self.facts.viewed |= {ref for ref in refs_of(value) if is_outside_location(ref) or ref == FOREIGN}
        kept = hosted(value)
        return with_refs(kept, refs_of(kept) | {COPIED}) if refs_of(kept) else kept


def changed_elsewhere(facts: ev.RegionFacts) -> frozenset[str]:
    """Local names that are read after code which nobody knows may have changed their arrays, and their aliases."""
    reads = [e for e in facts.events if isinstance(e, ev.StaleRead) and e.stale.kind != "store"]
    return frozenset(name for event in reads for name in {event.name, *event.shared} if name.isidentifier())
