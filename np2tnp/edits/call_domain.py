"""Whether a call lies within the domain of agreement of a tnp function, as far as its arguments are known.

The conditions are those of probe/domains.py, which knows the arguments themselves; here they are abstract values. What
an argument may be counts as if it were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from np2tnp.analysis.domain.promotion_rules import CANONICAL, dtype_char, operand_dtypes
from np2tnp.analysis.domain.values import (
    NAMED_FLOATS,
    NONE,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    has_axes,
)
from np2tnp.catalog.facts import Target

Given = Mapping[str, "tuple[Value, ...]"]  #: arguments by parameter; several of a variadic one

_NUMBERS = frozenset(("int", "float", "complex", "bool"))
#: Anything: no call was tried with all of these.
_ANY = frozenset(("array", "scalar", "list", "ints", "arrays", "mixed", "none", "str", "other", *_NUMBERS))
_COUNT = frozenset(("int",))
_SHAPE = frozenset(("int", "ints"))
#: What parameters are taken to be that nobody knows: other things NumPy refuses, and the door keeps arrays out.
ASSUMED: Mapping[str, frozenset[str]] = {
    "axis": frozenset(("int", "none", "ints")), "keepdims": frozenset(("bool",)), "axes": frozenset(("ints",)),
    **dict.fromkeys(("shape", "newshape", "reps"), _SHAPE),
    **dict.fromkeys(
        ("n", "k", "num", "N", "M", "offset", "decimals", "repeats", "shift", "axis1", "axis2", "ndmin"), _COUNT
    ),
}  # fmt: skip
#: dtype characters of integers that NumPy keeps where Python's are of 64 bits.
_SMALL = frozenset("bhiBHIL")


def find_problem(
    target: Target, given: Given, keywords: Iterable[str], dtypes: frozenset[str], own: frozenset[str] = frozenset()
) -> str | None:
    """Why the call may lie outside; None where it certainly is inside.

    Parameters
    ----------
    given : the arguments; that of a method's array is called ``self``.
    keywords : names of the arguments that are given by keyword.
    dtypes : dtype characters that the arrays may have; empty where there are none.
    own : parameters that certainly get a number of Python's own: others may be NumPy's scalars.
    """
    by_keyword = frozenset(keywords)
    for name, values in given.items():
        if name in target.accepted and (word := _untried(target.kinds.get(name, frozenset()), name, values)):
            return f"{target.name} was not measured with {word}"
    for condition, (chars, why) in target.outside.items():
        if (not dtypes or dtypes & set(chars)) and _may_hold(condition, given, by_keyword, own):
            return f"{target.name} {describe(why)} of {describe_condition(condition)}"
    return None


def _untried(tried: frozenset[str], name: str, values: tuple[Value, ...]) -> str | None:
    """What was not tried that one of the values may be, in words."""
    for value in values:
        if name == "dtype":
            char = dtype_char(value)
            if value != NONE and char is not None and char not in tried:
                return f"this {name}"
            continue
        if isinstance(value, Const) and value.type == "str" and any(word.startswith("'") for word in tried):
            if repr(value.value) not in tried:
                return f"{name}={value.value!r}"
            continue
        missing = kinds_of(value, name) - tried
        if missing > _NUMBERS:
            return f"whatever {name} may be"
        if missing:
            return f"{_KIND_WORDS[min(missing)]} for {name}"
    return None


def kinds_of(value: Value, name: str = "") -> frozenset[str]:
    """The kinds of argument that `value` may be, given for the parameter `name`."""
    if isinstance(value, Array):
        found = set(operand_dtypes(value)[1]) if value.weak and name != "self" else set()
        if value.weak and name in ASSUMED:
            return ASSUMED[name]
        if value.rank != 0:
            found.add("array")
        if value.rank == 0 or not has_axes(value):
            found.add("scalar")
        return frozenset(found)
    if isinstance(value, Const):
        return frozenset(("none" if value.value is None else value.type if value.type in _KIND_WORDS else "other",))
    if isinstance(value, Scalar):
        if value.type == "number":
            return ASSUMED[name] & _NUMBERS if name in ASSUMED else _NUMBERS
        if value.type in ("object", "nothing"):
            return ASSUMED.get(name, _ANY)
        return frozenset((value.type if value.type in _KIND_WORDS else "other",))
    if isinstance(value, Sequence):
        return _kinds_of_sequence(value, name) if value.type in ("list", "tuple") else frozenset(("other",))
    if isinstance(value, Unknown):
        return ASSUMED.get(name, _ANY)
    if isinstance(value, Symbol) and value.name in NAMED_FLOATS:
        return frozenset(("float",))
    return frozenset(("other",))


def _kinds_of_sequence(value: Sequence, name: str) -> frozenset[str]:
    leaves = list(_leaves(value))
    if name in ASSUMED:  # items of an axis or a shape that nobody knows are numbers, as it is itself
        leaves = [Scalar("int") if isinstance(leaf, Unknown) or _is_weak(leaf) else leaf for leaf in leaves]
    kinds = [kinds_of(leaf) for leaf in leaves]
    every = frozenset().union(*kinds)
    if not every <= {"array", "scalar", *_NUMBERS}:
        return _ANY if every > _NUMBERS else frozenset(("other",))
    found = set()
    if kinds and all("int" in options for options in kinds):
        found.add("ints")
    if all(options & _NUMBERS for options in kinds) and every & _NUMBERS != {"int"}:
        found.add("list")
    if all(options - _NUMBERS for options in kinds) and kinds:
        found.add("arrays")
    if every & _NUMBERS and every - _NUMBERS:
        found.add("mixed")
    return frozenset(found)


def _is_weak(value: Value) -> bool:
    return isinstance(value, Array) and bool(value.weak)


def _leaves(value: Value) -> Iterator[Value]:
    """What lies in a list, and in the lists in it."""
    if isinstance(value, Sequence):
        for item in value.items if value.items is not None else (value.element,):
            yield from _leaves(item)
    else:
        yield value


def arrays_in(values: Iterable[Value]) -> Iterator[Array]:
    """The arrays among `values`, and in lists of them: of lists of any length two stand for all."""
    for value in values:
        found = [leaf for leaf in _leaves(value) if isinstance(leaf, Array)]
        yield from found
        if isinstance(value, Sequence) and not _has_known_items(value):
            yield from found


def _has_known_items(value: Value) -> bool:
    if not isinstance(value, Sequence):
        return True
    return value.items is not None and all(map(_has_known_items, value.items))


def _may_hold(condition: str, given: Given, by_keyword: frozenset[str], own: frozenset[str]) -> bool:
    """Whether `condition` may hold of the arguments."""
    if " & " in condition:
        return all(_may_hold(part, given, by_keyword, own) for part in condition.split(" & "))
    if "=" in condition:
        name, _, text = condition.partition("=")
        return any(_may_equal(value, name, text) for value in given.get(name, ()))
    word, _, name = condition.rpartition(" ")
    if word == "without":
        return name not in given
    if word == "with":
        return name in given
    if word == "keyword":
        return name in by_keyword
    if (
        word in ("scalar", "small int")
        and name not in own | ASSUMED.keys()
        and any(map(_is_number, given.get(name, ())))
    ):
        return True
    return any(_may_be(word, value, name) for value in given.get(name, ()))


def _is_number(value: Value) -> bool:
    """Whether `value` is a number that is no literal: Python's, or a scalar of NumPy's that came in its place."""
    return isinstance(value, Scalar) and value.type in ("int", "float", "complex", "number")


def _may_equal(value: Value, name: str, text: str) -> bool:
    if name == "dtype":
        char = dtype_char(value)
        return value != NONE and (char is None or char == text)
    if isinstance(value, Const):
        return repr(value.value) == text
    kind = "str" if text.startswith("'") else "bool"
    return kind in kinds_of(value, name)


def _may_be(word: str, value: Value, name: str) -> bool:
    if word == "empty":
        return _may_be_empty(value)
    if word == "no items":
        return isinstance(value, Unknown) or (isinstance(value, Sequence) and not value.items)
    if word == "small int":
        return isinstance(value, Array) and not value.weak and not has_axes(value) and bool(value.dtypes & _SMALL)
    if word in ("negative", "zero"):
        return any(_may_be_number(word, leaf) for leaf in _leaves(value))
    return word in kinds_of(value, name)


def _may_be_number(word: str, value: Value) -> bool:
    if isinstance(value, Const):
        return value.type == "int" and (value.value < 0 if word == "negative" else value.value == 0)
    return not isinstance(value, Array) or bool(value.weak)


def _may_be_empty(value: Value) -> bool:
    if isinstance(value, Array):
        return value.rank != 0 and not value.nonempty
    if isinstance(value, Sequence):
        return any(map(_may_be_empty, value.items if value.items is not None else (value.element,)))
    return isinstance(value, Unknown)


# --- Words for people

_KIND_WORDS = {
    "array": "an array", "scalar": "a 0-d array or NumPy scalar", "list": "a list", "ints": "a list of integers",
    "arrays": "a list of arrays", "mixed": "a list of arrays and numbers", "none": "None", "str": "a word",
    "other": "such an object", "int": "a Python int", "float": "a Python float", "complex": "a Python complex",
    "bool": "a Python bool",
}  # fmt: skip
_CONDITION_WORDS = {
    **_KIND_WORDS, "empty": "what may be empty", "no items": "an empty list", "negative": "a negative number",
    "small int": "a NumPy integer that is no int64", "zero": "zero",
}  # fmt: skip


def describe_kinds(kinds: frozenset[str]) -> str:
    """Kinds of argument in words."""
    return ", ".join([words for kind, words in _KIND_WORDS.items() if kind in kinds] + sorted(kinds - _ANY))


def describe_condition(condition: str) -> str:
    """A condition in words: ``empty a`` as ``what may be empty for a``."""
    if " & " in condition:
        return " and ".join(map(describe_condition, condition.split(" & ")))
    if "=" in condition:
        name, _, text = condition.partition("=")
        return f"a call with {name}={CANONICAL.get(text, text).rstrip('_') if name == 'dtype' else text}"
    word, _, name = condition.rpartition(" ")
    if word == "without":
        return f"a call without {name}"
    if word == "with":
        return f"a call with {name}"
    if word == "keyword":
        return f"{name}= by keyword"
    return f"{_CONDITION_WORDS[word]} for {name}"


_LABELS = {
    "value": "gives other values", "dtype": "gives another dtype", "shape": "gives another shape",
    "type": "gives another type", "structure": "gives another structure", "itself": "gives the argument itself",
    "no error": "returns where NumPy raises", "crash": "crashes", "hang": "hangs",
}  # fmt: skip


def describe(label: str) -> str:
    """What came of a call, as ``value: (v, 2)`` says, in words."""
    word = label.partition(":")[0]
    return _LABELS.get(word, f"raises {word.removeprefix('error ')}")
