"""Objects of unknown classes beside arrays: the runtime runs nothing of theirs, wherever it looks into them."""

from __future__ import annotations

import collections
from collections import abc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt

#: What ran, of any object of this file.
RAN: list[str] = []


def _noted(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any) -> Any:
        RAN.append(name)
        raise IndexError(name)

    return method


_SPECIAL = (
    "__getattr__ __len__ __iter__ __next__ __getitem__ __setitem__ __contains__ __bool__ __eq__ __ne__ __hash__ "
    "__call__ __float__ __int__ __index__ __complex__ __array_ufunc__ __array_function__ __repr__ __str__ __reduce__"
    " __dir__ __reduce_ex__ __copy__ __deepcopy__ __enter__ __exit__ __add__ __radd__ __lt__ keys values items get copy"
    " dtype shape ndim size flags fget __func__ __wrapped__ core mutates public"
).split()
_METHODS = {name: _noted(name) for name in _SPECIAL}
_PROPERTIES = {
    name: property(_noted(name))
    for name in "__class__ dtype shape ndim size numpy core fget __func__ __wrapped__ value T _fields".split()
}


class _Asked(type):
    """The class of a class that notes what is asked of it."""

    def __getattr__(cls, name: str) -> Any:
        RAN.append(f"class.{name}")
        raise AttributeError(name)

    def __instancecheck__(cls, instance: Any) -> bool:
        RAN.append("__instancecheck__")
        return False


class _Descriptor:
    def __get__(self, instance: Any, owner: Any) -> Any:
        RAN.append("descriptor")
        raise IndexError("descriptor")


def _tripwire(*bases: type, kind: Any = type, **more: Any) -> Any:
    namespace = {**_METHODS, **_PROPERTIES, **more}
    return kind("Tripwire", bases, {name: value for name, value in namespace.items() if value is not None})


def _plain(*bases: type, **more: Any) -> Any:
    made = _tripwire(*bases, **more)
    return made.__new__(made)


def _filled_list() -> Any:
    made = _plain(list)
    list.extend(made, [np.ones(2), 3])
    return made


def _filled_dict() -> Any:
    made = _plain(dict)
    dict.__setitem__(made, "k", np.ones(2))
    return made


def _with_attributes() -> Any:
    made = _plain()
    object.__getattribute__(made, "__dict__")["held"] = np.ones(2)
    return made


def _read_by_attribute() -> Any:
    def noting(self: Any, name: str) -> Any:
        RAN.append(f"getattribute.{name}")
        return object.__getattribute__(self, name)

    return _plain(__getattribute__=noting)


OBJECTS: dict[str, Callable[[], Any]] = {
    "object": _plain,
    "with attributes": _with_attributes,
    "mapping": lambda: _plain(abc.Mapping),
    "mutable mapping": lambda: _plain(abc.MutableMapping, __delitem__=_noted("del")),
    "sequence": lambda: _plain(abc.Sequence),
    "set": lambda: _plain(abc.Set),
    "iterator": lambda: _plain(abc.Iterator),
    "list": _filled_list,
    "dict": _filled_dict,
    "ordered": lambda: _plain(collections.OrderedDict),
    "tuple": lambda: tuple.__new__(_tripwire(tuple, _fields=None), (np.ones(2), 1)),
    "deque": lambda: _plain(collections.deque),
    "map": lambda: _tripwire(map).__new__(_tripwire(map), abs, [1]),
    "all attributes": _read_by_attribute,
    "descriptor": lambda: _plain(thing=_Descriptor(), read=_Descriptor()),
    "class of a class": lambda: _plain(kind=_Asked),
    "slots": lambda: _plain(__slots__=("held", "other")),
    "no module": lambda: _plain(__module__=None),
}


@rt.migrated
def takes(x: Any, thing: Any) -> Any:
    return rt.add(x, 1.0)


@rt.migrated(mutates=("x",))
def updates(x: Any, thing: Any) -> Any:
    x = rt.at(x)[0].set(5.0)
    return rt.updated(rt.sum(x), x=x)


@rt.migrated(mutates=("x",), returns=("x", "thing"), hosted=("thing",))
def gives_back(x: Any, thing: Any) -> Any:
    x = rt.imul(x, 2.0)
    return rt.updated((x, thing), x=x)


def _original(x: Any, thing: Any) -> Any:
    return x + 1.0


@rt.migrated(original=_original, on_unverified="numpy", hosted=("thing",), updates=(".held", "GLOBAL"))
def has_original(x: Any, thing: Any) -> Any:
    return rt.add(x, 1.0)


@rt.migrated(original=_original, on_unverified="numpy", pure=True, above=0)
def is_pure(x: Any, thing: Any) -> Any:
    raise rt.UnverifiedError("refused in the middle")


@rt.migrated(compile="graph")
def compiled(x: Any, thing: Any) -> Any:
    return rt.add(x, 1.0)


@rt.migrated(float32=True)
def single(x: Any, thing: Any) -> Any:
    return rt.add(x, 1.0)


@rt.migrated(original=_original, above=1)
def small(x: Any, thing: Any) -> Any:
    return rt.add(x, 1.0)


@rt.migrated
def steps(x: Any, thing: Any) -> Any:
    yield rt.host(rt.add(x, 1.0))


def all_steps(x: Any, thing: Any) -> Any:
    return list(steps(x, thing))


@rt.migrated
def calls_out(x: Any, thing: Any) -> Any:
    rt.call_method([], "append", thing)
    return rt.core(_ignores)(rt.add(x, 1.0), thing)


def _ignores(x: Any, thing: Any) -> Any:
    return rt.host(x) + 0.0


class Owner:
    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.array = np.zeros(3)

    @rt.migrated(mutates=("x",), methods=("other",))
    def step(self, x: Any) -> Any:
        x = rt.at(x)[0].set(1.0)
        self.other()
        return rt.updated(rt.sum(x), x=x)

    def other(self) -> None:
        pass

    @rt.migrated(compile="graph", state=("array",))
    def compiled(self, x: Any) -> Any:
        return rt.add(x, rt.tensor(self.array))


def of_owner(x: Any, thing: Any) -> Any:
    return Owner(thing).step(x), Owner(thing).compiled(np.ones(3))


def by_closure(x: Any, thing: Any) -> Any:
    return updates(x, lambda: thing)


def bound(x: Any, thing: Any) -> Any:
    return updates(x, Owner(thing).other)


def in_containers(x: Any, thing: Any) -> Any:
    return gives_back(x, [(thing, x * 2), {"k": thing}])


GLOBAL: Any = None


@rt.migrated(mutates=("x",), updates=("GLOBAL",))
def reads_a_global(x: Any) -> Any:
    x = rt.imul(x, 2.0)
    return rt.updated((rt.sum(x), GLOBAL is None), x=x)


def by_global(x: Any, thing: Any) -> Any:
    global GLOBAL
    GLOBAL = thing
    try:
        return reads_a_global(x)
    finally:
        GLOBAL = None


WAYS = (takes, updates, gives_back, has_original, compiled, single, small, all_steps, calls_out, of_owner, by_closure)
WAYS += (bound, in_containers, by_global)


@pytest.mark.parametrize("of", OBJECTS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_of_an_unknown_object_runs(way: Callable[..., Any], of: str) -> None:
    thing = OBJECTS[of]()
    RAN.clear()
    way(np.arange(3.0), thing)
    assert not RAN


@pytest.mark.parametrize("of", OBJECTS)
def test_nor_where_a_body_is_refused(of: str) -> None:
    thing = OBJECTS[of]()
    RAN.clear()
    with pytest.raises(rt.UnverifiedError, match="refused in the middle"):
        is_pure(np.arange(3.0), thing)
    assert not RAN


class Polar(collections.namedtuple("Polar", "x y")):
    """Made of a radius and an angle, which is not what it holds."""

    made = 0

    def __new__(cls, radius: Any, angle: Any) -> Any:
        cls.made += 1
        return super().__new__(cls, radius * np.cos(angle), radius * np.sin(angle))


def around(point: Any, x: Any) -> Any:
    return point, rt.add(point.x, x)


@pytest.mark.parametrize(
    "way", [rt.migrated(around, returns=("point",)), rt.migrated(compile="graph")(around)], ids=["eager", "graph"]
)
def test_a_named_tuple_is_not_made_by_its_own_way(way: Any) -> None:
    point = Polar(np.array([2.0, 3.0]), np.array([0.5, 1.0]))
    point.note = "kept"
    before = Polar.made
    given, total = way(point, np.ones(2))
    assert Polar.made == before
    assert type(given) is Polar
    assert np.array_equal(given.x, point.x)
    assert given.note == "kept"
    assert np.array_equal(total, point.x + 1.0)
