"""Large arrays of round numbers, for functions that tell neighbours apart: by int(), floor, //, a comparison, bins.

A helper that is off by one unit in the last place at one point in thousands gives another bin there, and small arrays
of random fractions never meet it. Such points are the round ones, where NumPy's result is exact: hypot(20, 99) is 101,
cbrt(343) is 7, log2(1024) is 10.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from np2tnp.verify.hints import Function
from np2tnp.verify.inputs import ARRAY_KINDS, Draw, Profile, draw
from np2tnp.verify.specs import Array, Call, Case

#: Sizes of arrays that have one axis, of others, and of those by which it is seen whether larger ones can be had.
LARGE, LARGE_PLANES, PROBED, PROBED_PLANES = (50_000, 50_000, 3), (150, 140, 3), (1000, 1000, 3), (32, 30, 3)
#: Kinds of arrays that have one axis, or a second one of a few items.
_LINES = frozenset("vector other couple triple points places integers mask complex pairs triples".split())

_TESTS = (ast.If, ast.While, ast.Assert, ast.IfExp)
_LONGEST = 8000  #: leg of a triangle

_FUNCTIONS = frozenset(
    "astype floor ceil rint round around trunc fix floor_divide digitize histogram histogram2d histogramdd bincount"
    " searchsorted unique sign sort argsort lexsort argmax argmin where nonzero mod fmod remainder modf equal not_equal"
    " greater less greater_equal less_equal int".split()
)


def quantises(function: Function, others: Mapping[str, Function]) -> bool:
    """Whether a function, or one of `others` that it calls by name, tells numbers apart that are next to each other."""
    seen: set[str] = set()
    waiting = [function]
    while waiting:
        node = waiting.pop()
        tests = {
            id(part.test) for part in ast.walk(node) if isinstance(part, (ast.If, ast.While, ast.Assert, ast.IfExp))
        }
        for part in ast.walk(node):
            if _is_step(part) and id(part) not in tests:
                return True
            name = part.func.id if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) else ""
            if name in others and name not in seen:
                seen.add(name)
                waiting.append(others[name])
    return False


def _is_step(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.FloorDiv, ast.Mod)) and not isinstance(node.left, ast.Constant)
    if isinstance(node, ast.Compare):
        return not any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops)
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _FUNCTIONS


def with_equal_kinds(found: list[tuple[Profile, Case]]) -> Iterator[tuple[Profile, Case]]:
    """Combinations that work, and such with several arrays first with all of them vectors, then all matrices."""
    for kind in ("vector", "matrix"):
        for profile, case in found:
            if sum(each in ARRAY_KINDS for _, each in profile) > 1:
                yield tuple((parameter, kind if each in ARRAY_KINDS else each) for parameter, each in profile), case
    yield from found


def sizes_for(profile: Profile, large: bool) -> tuple[int, int, int]:
    """The sizes of large arrays, or of those that are tried before, for arguments of these kinds."""
    kinds = {kind for _, kind in profile} & ARRAY_KINDS
    if kinds <= _LINES:
        return LARGE if large else PROBED
    return LARGE_PLANES if large else PROBED_PLANES


def with_round_numbers(
    call: Call, profile: Profile, sizes: tuple[int, int, int], rng: np.random.Generator, part: float
) -> Call | None:
    """`call` with arrays of these sizes, floats among them multiples of `part`; None where it has no arrays of its own.

    In two arrays, the legs of right-angled triangles stand at the same places.
    """
    given = [(parameter, kind) for parameter, kind in profile if kind != "default"]
    items = call.items()
    place = 0
    for index, (parameter, kind) in enumerate(given):
        if kind not in ARRAY_KINDS or not isinstance(items[index], Array) or len(items) != len(given):
            continue
        drawn = draw(kind, parameter, Draw(rng, sizes))
        values = drawn.values
        if values.dtype.kind in "fc":
            values = (_round_numbers(values.size, place, rng) * part).reshape(values.shape).astype(values.dtype)
            place += 1
        items[index] = Array(values)
    return call.with_items(items) if place else None


def _round_numbers(count: int, place: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """For the array number `place` of a call: whole numbers, squares, cubes, powers of 2 and 10, legs of triangles."""
    half, few = count // 2, count // 8
    legs = _legs()
    pairs = np.resize(np.concatenate([legs[:300], np.random.default_rng(0).permutation(legs[300:])]), (half, 2))
    # none so large that rounding at the scale of the whole array hides a difference of one
    powers = [*(2.0 ** np.arange(30)), *(10.0 ** np.arange(10)), *(np.arange(1, few) ** 3.0)]
    groups = (
        pairs[:, place % 2],
        rng.integers(-120, 121, few),
        np.resize(powers, few),
        np.arange(1, few + 1) ** 2.0,
    )
    line = np.arange(count - sum(map(len, groups)))
    return np.concatenate([*groups, line - len(line) // 2 if place % 2 else line]).astype(np.float64)


@functools.cache
def _legs() -> np.ndarray[Any, Any]:
    """The legs of right-angled triangles whose sides are whole numbers, the shortest first."""
    found = []
    for m, n in itertools.combinations(range(1, 90), 2):
        legs = np.array([n * n - m * m, 2 * m * n])
        times = np.arange(1, _LONGEST // legs.max() + 1)[:, None]
        found += [times * legs, times * legs[::-1]]
    pairs = np.unique(np.concatenate(found), axis=0)
    return pairs[np.argsort(pairs.sum(axis=1), kind="stable")]
