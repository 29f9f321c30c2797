"""Which elements of arrays the iterations of a loop touch, and whether their order matters.

An index is linear: whole multiples of names, plus a number. Two indices that differ by a number mean elements whose
distance in iterations is known, as long as no index is negative (NumPy counts those from the end).
"""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst


class NoForm(Exception):  # noqa: N818 - an answer: the reason, for people
    """The loop has no whole-array form."""


@dataclass(frozen=True, slots=True)
class Linear:
    """``sum(factor * name) + offset``; atoms are names, and ``len(x)`` or ``x.shape[0]`` as text."""

    terms: tuple[tuple[str, int], ...]
    offset: int

    def factors(self, counters: dict[str, int]) -> dict[str, int]:
        """The counters in it, with their factors."""
        return {name: factor for name, factor in self.terms if name in counters}


@dataclass(frozen=True, slots=True)
class Touch:
    """One place of a loop's body that reads or stores an element. order: the number of its statement."""

    array: str
    node: cst.Subscript
    parts: tuple[cst.BaseExpression, ...]  #: the index, a part a dimension
    indices: tuple[Linear | None, ...]  #: the same as linear forms; None for a part that has none
    stores: bool
    order: int
    depth: int  #: how many loops of the nest are around it


def linear(node: cst.BaseExpression) -> Linear | None:
    """An index as a linear form, where it is one."""
    found = _linear(node)
    if found is None:
        return None
    terms, offset = found
    return Linear(tuple(sorted((name, factor) for name, factor in terms.items() if factor)), offset)


def _linear(node: cst.BaseExpression) -> tuple[dict[str, int], int] | None:
    if isinstance(node, cst.Integer):
        return {}, int(node.value, 0)
    atom = _atom(node)
    if atom:
        return {atom: 1}, 0
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return _scaled(_linear(node.expression), -1)
    if not isinstance(node, cst.BinaryOperation):
        return None
    left, right = _linear(node.left), _linear(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.operator, cst.Multiply):
        if not left[0]:
            return _scaled(right, left[1])
        return _scaled(left, right[1]) if not right[0] else None
    if not isinstance(node.operator, (cst.Add, cst.Subtract)):
        return None
    sign = 1 if isinstance(node.operator, cst.Add) else -1
    terms = dict(left[0])
    for name, factor in right[0].items():
        terms[name] = terms.get(name, 0) + sign * factor
    return terms, left[1] + sign * right[1]


def _scaled(found: tuple[dict[str, int], int] | None, factor: int) -> tuple[dict[str, int], int] | None:
    if found is None:
        return None
    return {name: factor * old for name, old in found[0].items()}, factor * found[1]


def _atom(node: cst.BaseExpression) -> str:
    """A name, ``len(x)``, ``x.size`` or ``x.shape[0]``, as text; "" for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Call) and len(node.args) == 1 and isinstance(node.args[0].value, cst.Name):
        return (
            f"len({node.args[0].value.value})" if isinstance(node.func, cst.Name) and node.func.value == "len" else ""
        )
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.attr.value == "size":
        return f"{node.value.value}.size"
    if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Attribute) and len(node.slice) == 1:
        part, base = node.slice[0].slice, node.value
        if isinstance(part, cst.Index) and isinstance(part.value, cst.Integer) and base.attr.value == "shape":
            return f"{base.value.value}.shape[{part.value.value}]" if isinstance(base.value, cst.Name) else ""
    return ""


@dataclass(slots=True)
class Order:
    """What was proved of the touches of one loop nest, and what has to be checked when it runs.

    least: indices that must not be negative. low: so much is added to the outermost counter at least.
    """

    counters: dict[str, int]  #: name -> its place in the nest
    signs: dict[str, int]  #: name -> 1 where it counts upwards, -1 downwards, 0 where that is not known
    least: list[cst.BaseExpression]
    low: dict[str, int]

    def prove(self, touches: list[Touch]) -> None:
        """Raises NoForm where an iteration may see what another one stored."""
        stores = [touch for touch in touches if touch.stores]
        for store in stores:
            self._prove_places(store)
            for other in touches:
                if other.array == store.array and other is not store:
                    self._compare(store, other)

    def _prove_places(self, store: Touch) -> None:
        """Each iteration stores an element of its own."""
        used: dict[str, int] = {}
        for index in store.indices:
            if index is None:
                raise NoForm(f"where it stores into {store.array} is no sum of the counter and a number")
            factors = index.factors(self.counters)
            if len(factors) > 1:
                raise NoForm(f"an index of {store.array} has two counters in it")
            used.update(factors)
            for name, factor in factors.items():
                if factor == 1 and len(index.terms) == 1:
                    self.low[name] = min(self.low.get(name, 0), index.offset)
        missing = [name for name, place in self.counters.items() if place < store.depth and name not in used]
        if missing:
            raise NoForm(f"every {missing[0]} stores into the same element of {store.array}")

    def _compare(self, store: Touch, other: Touch) -> None:
        array = store.array
        if len(store.indices) != len(other.indices):
            raise NoForm(f"{array} is indexed in two ways")
        distances: dict[str, int] = {}
        unknown = ""
        for place, (mine, its) in enumerate(zip(store.indices, other.indices, strict=True)):
            if mine is None or its is None or mine.terms != its.terms:
                unknown = unknown or f"it stores some elements of {array} and reads others"
                continue
            factors = mine.factors(self.counters)
            difference = its.offset - mine.offset
            if not factors:
                if difference:  # never the same element
                    self._must_not_wrap(store.parts[place] if difference > 0 else other.parts[place])
                    return
                continue
            ((name, factor),) = factors.items()
            if difference and (factor != 1 or len(mine.terms) > 1):
                unknown = unknown or f"an index of {array} is not a counter and a number"
                continue
            self._lower(name, mine.offset, its.offset)
            if distances.setdefault(name, difference) != difference:
                unknown = unknown or f"{array} is indexed twice by {name}"
        if unknown:
            raise NoForm(unknown)
        if not any(distances.values()):
            return
        if other.stores:
            raise NoForm(f"it stores into {array} at two places")
        if len(self.counters) > 1:  # the inner loop may run step by step, with all steps of the outer one in each
            raise NoForm(f"{array} is read and stored at different places in nested loops")
        name = min((name for name, distance in distances.items() if distance), key=self.counters.__getitem__)
        direction = distances[name] * self.signs[name]
        if not direction:
            raise NoForm(f"the direction of {name} is not known")
        if direction > 0 and other.order > store.order:
            raise NoForm(f"{array} is read ahead after it was stored")
        if direction < 0 and other.order <= store.order:
            raise NoForm(f"an iteration needs what the one before stored in {array}")

    def _lower(self, name: str, *offsets: int) -> None:
        self.low[name] = min(self.low.get(name, 0), *offsets)

    def _must_not_wrap(self, node: cst.BaseExpression) -> None:
        if isinstance(node, cst.Integer):
            return
        if isinstance(node, cst.UnaryOperation):
            raise NoForm("negative indices count from the end")
        if linear(node) not in map(linear, self.least):
            self.least.append(node)
