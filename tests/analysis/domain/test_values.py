"""The laws of the lattice: loops end, and the order in which branches are looked at does not matter."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from np2tnp.analysis.domain.env import join
from np2tnp.analysis.domain.values import (
    EITHER,
    HOST,
    NONE,
    NOTHING,
    TENSOR,
    Array,
    Bound,
    Class,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    may_be_array,
    may_hold_tensor,
    refs_of,
    replace,
)

HOMES = st.sampled_from([TENSOR, HOST, EITHER])
NAMES = st.frozensets(st.sampled_from(["x", "@x", ".w", "global:g"]), max_size=2)
VIEWS = st.sampled_from(["", "piece", "view"])
EXACT = st.sampled_from([None, "x", "y"])
ARRAYS = st.builds(
    Array, HOMES, st.frozensets(st.sampled_from("?ldD"), min_size=1), st.sampled_from([None, 0, 1, 2]), NAMES, EXACT,
    NAMES, st.booleans(), st.sampled_from(["scalar", "array", "either", "never"]), VIEWS,
    st.booleans(),
)  # fmt: skip
LEAVES = st.one_of(
    st.builds(Unknown, HOMES, NAMES, EXACT, NAMES, VIEWS, st.sampled_from(["", "array", "never"])),
    ARRAYS,
    st.builds(Symbol, st.sampled_from(["numpy", "numpy.sum", "math"])),
    st.sampled_from([None, True, 1, 1.0, 2, "s", b"b", Ellipsis]).map(Const.of),
    st.builds(Scalar, st.sampled_from(["int", "float", "bool", "complex", "str", "number", "object", "nothing"])),
    st.builds(Function, st.sampled_from(["f", "g"]), st.booleans()),
    st.builds(Class, st.just("C")),
    st.builds(Instance, st.just("C")),
)  # fmt: skip


def _sequences(items: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.builds(lambda kind, parts, refs: _display(kind, parts, refs), st.sampled_from(["tuple", "list"]),
                  st.lists(items, max_size=2), NAMES),
        st.builds(Sequence, st.sampled_from(["tuple", "list", "dict"]), items, st.none(), NAMES),
        st.builds(Bound, items, st.just("sum")),
    )  # fmt: skip


def _display(kind: str, items: list[Value], refs: frozenset[str]) -> Sequence:
    element: Value = NOTHING
    for item in items:
        element = join(element, item)
    return Sequence(kind, element, tuple(items), refs)


VALUES: st.SearchStrategy[Value] = st.recursive(LEAVES, _sequences, max_leaves=3)
#: Arrays meet arrays and numbers more often than chance would have it: most special cases are there.
NUMBERS = st.sampled_from([True, 1, 1.0, 2j]).map(Const.of)
CLOSE = st.one_of(ARRAYS, ARRAYS, NUMBERS)
PAIRS = st.one_of(st.tuples(CLOSE, CLOSE), st.tuples(VALUES, VALUES))
TRIPLES = st.one_of(st.tuples(CLOSE, CLOSE, CLOSE), st.tuples(VALUES, VALUES, VALUES))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES)
def test_join_is_idempotent(a: Value) -> None:
    assert join(a, a) == a


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PAIRS)
def test_join_is_commutative(pair: tuple[Value, Value]) -> None:
    a, b = pair
    assert join(a, b) == join(b, a)


@settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TRIPLES)
def test_join_is_associative(triple: tuple[Value, Value, Value]) -> None:
    a, b, c = triple
    assert _any_number(join(join(a, b), c)) == _any_number(join(a, join(b, c)))


def _any_number(value: Value) -> Value:
    """`value`, with numbers for real numbers: an int or a float, before an array joins them, is any number."""
    if isinstance(value, Array):
        return replace(value, weak=bool(value.weak))
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map(_any_number, value.items))
        return Sequence(value.type, _any_number(value.element), items, value.refs)
    return value


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PAIRS)
def test_join_covers_both(pair: tuple[Value, Value]) -> None:
    a, b = pair
    both = join(a, b)
    for one in (a, b):
        assert join(both, one) == both
        assert refs_of(one) <= refs_of(both) or isinstance(one, Bound)
        assert may_hold_tensor(both) or not may_hold_tensor(one)
        assert may_be_array(both) or not may_be_array(one)


@given(VALUES)
def test_nothing_is_the_least(a: Value) -> None:
    assert join(a, NOTHING) == a == join(NOTHING, a)


@given(VALUES, st.sets(HOMES))
def test_unknown_of_any_home_is_the_greatest(a: Value, homes: set[str]) -> None:
    places = frozenset(("x", "@x", ".w", "global:g"))
    top = Unknown(EITHER, places, None, places, "view", "either", True)
    assert join(a, top) == top


def test_a_missing_module_does_not_hide_the_one_that_is_there() -> None:
    assert join(Symbol("numpy"), NONE) == Symbol("numpy")


def test_an_array_or_a_number_is_a_weak_array() -> None:
    joined = join(Array(TENSOR), Const.of(1.0))
    assert isinstance(joined, Array)
    assert joined.weak
    assert joined.home == EITHER
