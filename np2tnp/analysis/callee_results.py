"""What a callee of the project returns, as its caller sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product

from np2tnp.analysis import events as ev
from np2tnp.analysis.frozen import replace
from np2tnp.analysis.returned import copy_marks
from np2tnp.analysis.summaries import Summary
from np2tnp.analysis.values import (
    HOST,
    NO_NAMES,
    SHARED,
    UNKNOWN,
    Array,
    Const,
    Function,
    Scalar,
    Sequence,
    Unknown,
    Value,
    deps_of,
    may_hold_tensor,
    parameters_in,
    refs_of,
    scalar_type,
    with_refs,
)


def hosted(value: Value) -> Value:
    """`value` as a public function hands it out."""
    if isinstance(value, Array):
        return replace(value, home=HOST)
    if isinstance(value, Unknown):
        return replace(value, home=HOST)
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map(hosted, value.items))
        return replace(value, items=items, element=hosted(value.element))
    return value


def from_host(value: Value) -> Value:
    """`value` after its tensors became ndarrays: where NumPy has others' arrays, these are copies."""
    given = hosted(value)
    return with_refs(given, refs_of(value) | copy_marks(refs_of(value))) if may_hold_tensor(value) else given


def translated(
    value: Value,
    refs: frozenset[str],
    exact: str | None,
    deps: frozenset[str],
    given: str,
    show: Callable[[frozenset[str]], frozenset[str]],
) -> Value:
    """`value`, which a callee has at `refs`, as the caller sees it.

    given: as which kind of view it passed what the callee may give back. show: where the caller sees locations of the
    callee's.
    """
    if isinstance(value, Function) and value.nested:
        return UNKNOWN
    if isinstance(value, (Array, Unknown)):
        shown = show(refs)
        view = "view" if value.view and given else value.view or (given if shown else "")
        return replace(value, refs=shown, exact=exact, deps=deps, view=view)
    if isinstance(value, Sequence):
        items = value.items
        if items is not None:
            kept = value.type == "tuple"  # another name of a list may have changed it
            own = [(refs_of(item) if kept else refs) if refs_of(item) else NO_NAMES for item in items]
            pairs = zip(items, _told(own), strict=True)
            items = tuple([translated(item, each, None, deps, given, show) for item, each in pairs])
        element = translated(value.element, refs, None, deps, given, show)
        return replace(value, refs=show(refs), items=items, element=element)
    return value


def deps_in(value: Value) -> frozenset[str]:
    """Parameters that arrays in `value` were computed from."""
    if isinstance(value, Sequence):
        return deps_in(value.element).union(*map(deps_in, value.items or ()))
    return deps_of(value)


def joined(events: Iterable[ev.Event]) -> Iterator[tuple[str, str, bool]]:
    """Pairs of parameters whose arrays an operator puts into one container, if they are containers.

    Empty: something else that may be one. True: the second one is a number that repeats the first.
    """
    for event in events:
        if isinstance(event, (ev.Operator, ev.Store)) and event.op in ("add", "or_", "mul"):
            both = event.operands if isinstance(event, ev.Operator) else (event.base, event.value)
            for one, other in permutations(both):
                if isinstance(one, Unknown) and (
                    _may_repeat(other) if event.op == "mul" else isinstance(other, Unknown)
                ):
                    yield from product(_named(one), _named(other), (event.op == "mul",))


def _named(value: Value) -> Iterable[str]:
    return parameters_in(refs_of(value)) or ("",)


def may_join(summary: Summary, arguments: tuple[ev.Argument, ...], skip: int) -> bool:
    """Whether the callee may join or repeat containers of our arrays: the new one would hold copies."""
    if not summary.joins:
        return False
    given = {name: argument.value for name, argument in (summary.match(arguments, skip) or {}).items()}
    lists = {name for name, value in given.items() if isinstance(value, (Unknown, Sequence))}
    ours = {name for name in lists if may_hold_tensor(given[name])}
    numbers = {name for name, value in given.items() if _may_repeat(value)}
    others = {"", *summary.parameters} - given.keys()
    return any(
        (p in ours or q in ours) and p in lists | others and q in (numbers if repeats else lists) | others
        for p, q, repeats in summary.joins
    )


def _may_repeat(value: Value) -> bool:
    """Whether it may be an int, which repeats lists."""
    number = isinstance(value, (Const, Scalar)) and scalar_type(value) in ("int", "bool", "number", "object")
    return number or isinstance(value, Unknown)


def _told(own: list[frozenset[str]]) -> Iterator[frozenset[str]]:
    """The locations of each item; those that share an array of the callee's, which has no name outside, say so."""
    for index, refs in enumerate(own):
        names = {ref for ref in refs if ref.isidentifier()}
        others = NO_NAMES.union(*own[:index], *own[index + 1 :])
        yield refs | {SHARED} if names & others else refs
