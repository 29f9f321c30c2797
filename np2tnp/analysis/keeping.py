"""Who holds on to arrays: objects, globals, containers and callees that others see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import filterfalse

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import HOLDERS, Env, join
from np2tnp.analysis.domain.result_aliases import COPIED_OUTSIDE, copied_outside, copy_marks, has_shared_items
from np2tnp.analysis.domain.values import (
    EITHER,
    FILLED,
    FOREIGN,
    FORTRAN,
    HOST,
    LENT,
    NO_NAMES,
    SHARED,
    SUBCLASS,
    TENSOR,
    Array,
    Function,
    Sequence,
    Unknown,
    Value,
    may_hold_tensor,
    outside_of,
    parameters_in,
    reads_later,
    refs_of,
)
from np2tnp.analysis.module.kept_functions import names_captured
from np2tnp.analysis.numpy_results import NumpyResults
from np2tnp.analysis.state import NESTED
from np2tnp.analysis.syntax.scopes import parameters_of

#: References of what is a copy of others' arrays here, or holds two: of an array or object without them, nothing is.
_COPIES = frozenset((COPIED_OUTSIDE, FOREIGN, FORTRAN, SHARED))


def _is_seen(place: str) -> bool:
    """Whether others see what is at the location `place`."""
    return place.startswith(HOLDERS)


@lru_cache(maxsize=4096)
def _places(holders: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Those of `holders` that are places, which SHARED is not (it is said of a container), and those without a name."""
    places = holders - {SHARED}
    return places, tuple(sorted(filterfalse(str.isidentifier, places)))


class Keeping(NumpyResults):
    """Records what others hold from here on."""

    def keep(self, holders: frozenset[str], value: Value, env: Env) -> None:
        """What `holders` denote now holds on to `value`: a later in-place write to it is seen there."""
        self.laid_out_here(holders, value)
        refs = refs_of(value)
        if not refs:
            return
        places, outside = _places(holders)
        for holder in places:
            env.link(holder, refs)
        if not outside:
            return
        if self.depth:
            self.puts_made += [(holder, value) for holder in outside]
        if not refs.isdisjoint(NESTED) and any(map(_is_seen, outside)):
            self.nested_keeps = True
            self.facts.extra.setdefault("keeps", set()).update(self.facts.parameters)
        # an object outside holds the caller's own array: it must get that very object
        given = parameters_in(refs if len(outside) > 1 else refs.difference(outside))
        if not given <= self.facts.host_parameters:
            self.facts.host_parameters |= given
        self.keeps_copies(outside, value)
        if may_hold_tensor(value):  # and what NumPy makes of what others hold, which may be the same again
            shown = outside_of(refs) | {FOREIGN} if FOREIGN in refs else outside_of(refs)
            if not shown <= self.facts.viewed:
                self.facts.viewed |= shown

    def keeps_captured(self, argument: ev.Argument, env: Env) -> None:
        """Whoever gets `argument` keeps it: a nested function holds what it reads of the functions around it."""
        value, node = argument.value, argument.node.value
        if isinstance(value, Function) and value.nested:
            self.keep_names(self.nested_reads.get(value.qualname, NO_NAMES), env)
        elif value is LENT:
            self.keep_names(self.captured_by(node) if isinstance(node, cst.Lambda) else self.lent_reads, env)

    def is_nested(self, argument: ev.Argument) -> bool:
        """Whether `argument` is a function of the region."""
        return argument.value is LENT or (isinstance(argument.value, Function) and argument.value.nested)

    def captured_by(self, node: cst.Lambda | cst.FunctionDef) -> set[str]:
        """Names that the nested function `node` reads from around it."""
        own = {parameter.name.value for parameter in parameters_of(node.params)}
        return names_captured(node, own | self.module.scopes[id(node)].bound if id(node) in self.module.scopes else own)

    def keep_names(self, names: Iterable[str], env: Env) -> None:
        """A nested function that somebody may call later reads `names` of the region, as they are by then."""
        for name in sorted(frozenset(names) - self.kept_names):
            self.kept_names.add(name)
            value = env.load(name)
            if isinstance(value, Function) and value.nested:
                self.keep_names(self.nested_reads.get(value.qualname, NO_NAMES), env)
            elif value is LENT:
                self.keep_names(self.lent_reads, env)
            elif value is not None:
                self.keep(frozenset(("kept by a nested function",)), value, env)
                if reads_later(value) or name in self.lent_iterators:
                    self.keep_names(self.read_by_iterators, env)

    def keeps_copies(self, places: Iterable[str], value: Value) -> None:
        """Whoever is there would hold copies of what others have: NumPy must make them, or the region stays."""
        if self.made == HOST:
            return
        if isinstance(value, (Array, Unknown)) and value.home != TENSOR and value.refs.isdisjoint(_COPIES):
            return
        copies = copied_outside(value)
        parts = has_shared_items(value)  # of one array, as two
        for where in places if copies or parts else ():
            if copies or not where.startswith("seen by"):
                self.facts.viewed |= copies | (refs_of(value) & {FOREIGN})
                self.construct(
                    self.statement or self.facts.node, "kept twice", where.rpartition(":")[2].removeprefix("kept by ")
                )

    def puts(self, container: Value, values: Iterable[Value]) -> None:
        """`container`, perhaps a list or dict of the caller's, may hold `values` from here on: callers are told."""
        holders = parameters_in(refs_of(container))
        given = NO_NAMES.union(*[parameters_in(refs_of(value)) for value in values]) if holders else NO_NAMES
        if given:
            self.facts.extra.setdefault("fills", set()).update((holder, name) for holder in holders for name in given)

    def _fill_containers(
        self, arguments: Mapping[str, ev.Argument], env: Env, fills: frozenset[tuple[str, str]] | None = None
    ) -> None:
        """A callee may have put something new into lists and dicts among its arguments, or arguments as `fills` says.

        Where that is None, any argument.
        """
        for name, argument in arguments.items():
            kind = argument.value.type if isinstance(argument.value, Sequence) else ""
            is_container = kind in FILLED
            if not is_container and not parameters_in(refs_of(argument.value)):
                continue
            given = [item.value for key, item in arguments.items() if fills is None or (name, key) in fills]
            self.puts(argument.value, given)
            if not is_container:
                continue
            refs = NO_NAMES.union(*map(refs_of, given))
            marks = NO_NAMES.union(*(copy_marks(refs_of(value)) for value in given if may_hold_tensor(value)))
            held = any(may_hold_tensor(item.value) for item in arguments.values())
            if held and kind == "deque":  # nobody would convert what it holds
                self.construct(argument.node, "queue of tensors")
            added = Unknown(EITHER if held else HOST, refs | marks)
            for place in refs_of(argument.value):
                container = env.values.get(place)
                if isinstance(container, Sequence) and container.type in FILLED:
                    env.values[place] = Sequence(container.type, join(container.element, added))
                    env.link(place, refs - {place} | {SHARED} if refs & refs_of(argument.value) else refs - {place})

    def _given_back(self, arguments: tuple[ev.Argument, ...]) -> frozenset[str]:
        """What a function on the host may return: one of its arguments, or our copy of one."""
        refs: frozenset[str] = NO_NAMES
        for argument in arguments:
            refs |= refs_of(argument.value)
            if may_hold_tensor(argument.value) and refs_of(argument.value):
                refs |= copy_marks(refs_of(argument.value))
        return refs - {SUBCLASS} if self.met_subclass else refs  # it may be anything, as what others give is
