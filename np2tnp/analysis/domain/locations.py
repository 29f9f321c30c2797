"""Where arrays may be held: the locations that values share memory with, and how they are spelt.

A location is a text, since sets of them are hashed and joined a million times a run: a name of the region alone, or

* ``@x``: what the caller gave for the parameter `x`;
* ``.w``: the attribute `w` of any object;
* ``global:m.py:W``: the name `W` of the module `m.py`;
* ``kept by f as x``: what the callee or object `f` holds, where known under which name;
* ``seen by f``: what code that nobody knows may hold.

Marks, such as :data:`np2tnp.analysis.domain.values.COPIED`, stand among them in the sets: sentences that no name is.
Only this module spells them.
"""

from __future__ import annotations

_PARAMETER, _ATTRIBUTE, _GLOBAL, _KEPT, _SEEN = "@", ".", "global:", "kept by ", "seen by "
_STATE = (_ATTRIBUTE, _GLOBAL)
_OUTSIDE = (_PARAMETER, *_STATE)
_HELD = (_KEPT, _SEEN)
_HOLDERS = (*_STATE, *_HELD)

# --- Made


def of_parameter(name: str) -> str:
    """What the caller gave for a parameter."""
    return f"{_PARAMETER}{name}"


def of_attribute(name: str) -> str:
    """An attribute of any object."""
    return f"{_ATTRIBUTE}{name}"


def of_global(module: str, name: str) -> str:
    """A name of the module at the path `module`."""
    return f"{_GLOBAL}{module}:{name}"


def kept_by(holder: str, name: str = "") -> str:
    """What `holder` goes on holding; `name`: of its parameter."""
    return f"{_KEPT}{holder} as {name}" if name else f"{_KEPT}{holder}"


def seen_by(callee: str) -> str:
    """What code that nobody knows may hold."""
    return f"{_SEEN}{callee}"


# --- Asked


def is_parameter(location: str) -> bool:
    """Whether it is the caller's array."""
    return location.startswith(_PARAMETER)


def is_attribute(location: str) -> bool:
    """Whether it is an attribute of an object."""
    return location.startswith(_ATTRIBUTE)


def is_global(location: str) -> bool:
    """Whether it is a name of a module."""
    return location.startswith(_GLOBAL)


def is_state(location: str) -> bool:
    """Whether it is an attribute or a global."""
    return location.startswith(_STATE)


def is_outside_location(location: str) -> bool:
    """Whether others than the region see it by a name: the caller's array, an attribute, a global."""
    return location.startswith(_OUTSIDE)


def is_kept(location: str) -> bool:
    """Whether a callee or an object holds it."""
    return location.startswith(_KEPT)


def is_seen(location: str) -> bool:
    """Whether code that nobody knows may hold it."""
    return location.startswith(_SEEN)


def is_held(location: str) -> bool:
    """Whether something holds it, or may do so."""
    return location.startswith(_HELD)


def is_holder(location: str) -> bool:
    """Whether it is where an object, a module or a callee holds on to arrays, or may do so."""
    return location.startswith(_HOLDERS)


# --- Read


def bare(location: str) -> str:
    """The name of the parameter, the attribute or the callee; another location as it is."""
    for prefix in (_PARAMETER, _ATTRIBUTE, _SEEN):
        if location.startswith(prefix):
            return location[len(prefix) :]
    return location


def global_of(location: str) -> tuple[str, str]:
    """The module and the name, of a global."""
    module, _, name = location.removeprefix(_GLOBAL).rpartition(":")
    return module, name


def told(location: str) -> str:
    """The location as messages name it: a global by its name alone, who holds it where something does."""
    return location.rpartition(":")[2].removeprefix(_KEPT)


def holder_of(location: str) -> str:
    """Who holds it, of what is kept or seen."""
    return location.removeprefix(_SEEN).removeprefix(_KEPT).partition(" as ")[0]
