"""Summaries of functions, lambdas and generators, out of what was found in their bodies."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.result_aliases import without_copies
from np2tnp.analysis.domain.summaries import Summary, hosted, joined
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NO_NAMES,
    NONE,
    UNKNOWN,
    Array,
    Sequence,
    Unknown,
    Value,
    is_numpy_number,
    refs_of,
    replace,
)
from np2tnp.analysis.interpreter.statements import Interpreter
from np2tnp.analysis.module.contents import FunctionInfo, signature_names
from np2tnp.analysis.module.parameter_kinds import handed_texts

#: What a function has in it that may do anything with what it gets: it runs text, or code that is not looked at.
_LOSING = frozenset(("own names", "local class", "lent", "nested keeps", "object operator", "iterator handed out"))


def summarize(function: FunctionInfo, facts: ev.RegionFacts, migrated: bool, defaults: Mapping[str, str]) -> Summary:
    """A function or method. `defaults`: by parameter, where the array lies that it has by default."""
    written = facts.extra.get("writes", set()) - set(facts.mutated)
    # of tensors a core returns those that are mutated, and updates no others
    written &= facts.host_parameters if migrated else written
    changed = [defaults[name] for name in defaults.keys() & (written | facts.mutated.keys() | facts.changeable)]
    result = facts.result if facts.result is not None else NONE
    result = result if migrated else without_copies(result)  # else a recursion would never lose the mark
    lost = _unfollowed(facts, migrated)
    if lost and not migrated:
        result = _may_show(result, frozenset(f"@{name}" for name in lost))
    return Summary(
        parameters=signature_names(function.node.params),
        migrated=migrated,
        mutates=(*facts.mutated, *sorted(written - facts.host_parameters)),
        keeps=lost.union(facts.extra.get("keeps", ())),
        result=result,
        method=function.is_method,
        hosted=facts.host_parameters,
        changeable=facts.changeable | (written & facts.host_parameters) | lost,
        updates=facts.updates.union(place for place in changed if place.startswith("global:")),
        tells_apart="tells apart" in facts.extra,
        fills=frozenset(facts.extra.get("fills", ())),
        by_layout=frozenset(facts.extra.get("by layout", ())),
        joins=frozenset(() if migrated else joined(facts.events)),
        shows_defaults=frozenset(item for item in defaults.items() if f"@{item[0]}" in refs_of(result)),
        relies=frozenset(facts.extra.get("relies", ())),
        looks_up=facts.extra.get("looks up", 0),
        falls_back=frozenset(facts.extra.get("unfollowed", ()) if migrated else ()) - lost,
        works=bool(lost) or "runs others" in facts.extra,
        quiet=not (
            lost or facts.updates or "runs others" in facts.extra or function.node.decorators or function.is_method
        ),
    )


def _unfollowed(facts: ev.RegionFacts, migrated: bool) -> frozenset[str]:
    """Parameters that the function may change, keep and give back in ways that nobody follows."""
    lost = frozenset(facts.extra.get("unfollowed", ()))
    if migrated:  # of tensors nobody has the memory
        return lost & facts.host_parameters
    if any(isinstance(event, ev.Construct) and event.kind in _LOSING for event in facts.events):
        return frozenset(facts.parameters)
    return lost


def _may_show(value: Value, refs: frozenset[str]) -> Value:
    """`value`, of which all that may be an array may lie at `refs`, too."""
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(_may_show(item, refs) for item in value.items)
        return Sequence(value.type, _may_show(value.element, refs), items, value.refs | refs)
    if isinstance(value, (Array, Unknown)) and not is_numpy_number(value):
        return replace(value, refs=value.refs | refs, exact=None, view="view")
    return value


def summarize_lambda(node: cst.Lambda, interpreter: Interpreter) -> Summary | None:
    """A function that the top level makes by ``lambda``: it stays NumPy's. None where too little is known of it."""
    if isinstance(node.params.star_arg, cst.Param) or node.params.star_kwarg is not None:
        return None
    facts = interpreter.facts
    names = facts.parameters
    interpreter.locals = frozenset(names)
    env = Env()
    for name in names:
        env.bind(name, Unknown(EITHER, frozenset((f"@{name}",)), name, frozenset((name,))))
    interpreter.leave(None, interpreter.evaluate(node.body, env), env)
    facts.events = list(interpreter.recorded.values())
    if _may_change_unseen(facts):
        return None
    return Summary(
        parameters=names,
        migrated=False,
        mutates=tuple(sorted(facts.extra.get("writes", ()))),
        keeps=frozenset(facts.extra.get("keeps", ())),
        result=hosted(facts.result) if facts.result is not None else UNKNOWN,
        changeable=facts.host_parameters,
        updates=facts.updates,
        fills=frozenset(facts.extra.get("fills", ())),
        by_layout=frozenset(facts.extra.get("by layout", ())),
        works="runs others" in facts.extra,
    )


def summarize_generator(facts: ev.RegionFacts, function: FunctionInfo) -> Summary | None:
    """A generator function; None where it does more than to read its arguments: what it does happens later."""
    extra = facts.extra
    given = facts.host_parameters - handed_texts(function)
    changes = facts.mutated or given or facts.updates or extra.get("writes") or extra.get("keeps")
    if changes or extra.get("receives") or _may_change_unseen(facts):
        return None
    refs = frozenset(f"@{name}" for name in facts.parameters) | frozenset(extra.get("yielded", ()))
    return Summary(
        parameters=signature_names(function.node.params),
        migrated=False,
        mutates=(),
        keeps=NO_NAMES,
        result=Sequence("iterator", Unknown(HOST, refs, view="view"), None, refs),
        method=function.is_method,
        works="runs others" in extra,
        relies=frozenset(extra.get("relies", ())),
    )


def _may_change_unseen(facts: ev.RegionFacts) -> bool:
    """Whether an object that nobody knows is changed by a method of its own, such as ``x.fill(0)``."""
    kinds = {event.kind for event in facts.events if isinstance(event, ev.Construct)}
    return bool(_unfollowed(facts, False)) or "unknown in-place method" in kinds
