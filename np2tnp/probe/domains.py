"""The domain of agreement: under which conditions a tnp function is equal to NumPy's.

A call is equal where its parameters are among the accepted ones, its arrays have one of the dtypes, each argument is
of a kind that was tried, and nothing that lies *outside* applies: a condition that some of the calls that differ have
in common, in the words of :func:`conditions`. So an odd form of a call (an empty array, a bare array in place of a
list of arrays, a shift of ``np.int8``) is left out by itself, and takes no dtype away from all others. What no
condition explains does. See docs/dev/reference/catalog-format.md for the vocabulary.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from np2tnp.catalog.facts import positional as positions
from np2tnp.probe import agreement
from np2tnp.probe.cases import cases_inputs
from np2tnp.probe.cases.all_cases import DTYPES, compile_call, fresh_arguments, used_parameters

#: Kinds of argument for which a call with one of another kind is the common form.
NUMBERS = ("int", "float", "complex", "bool")
#: What explains a difference by itself, though most calls with it may be equal: they are rare, and alike in this.
_STRONG = (
    "small int", "negative", "empty", "no items", "list", "ints", "mixed", "array", "arrays", "scalar", *NUMBERS,
    "none", "str", "other",
)  # fmt: skip
#: What is said of an argument's values, and explains a difference together with others, too: ``empty a & zero shape``.
_OF_VALUES = ("empty", "negative", "zero")
#: What explains a difference for special values, too, which are no reason for one otherwise.
_EXACT = ("small int", "negative", "=")
#: The narrower condition explains a difference, where two explain it equally often.
_ORDER = (
    "keyword", "small int", "no items", "empty", "mixed", "list", "ints", *NUMBERS, "=", "none", "array", "arrays",
    "str", "other", "without", "scalar", "",
)  # fmt: skip


def summarize(observed: list[Any], parameters: list[str], target: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ``tnp`` entry of a fact and its ``agreement``, as :func:`agreement.summarize`, with the domain's conditions.

    ``kinds``: by parameter, the kinds of argument that were tried, or for ``dtype`` the dtype characters. ``outside``:
    by condition, for which dtypes a call under it is not equal, with an example.
    """
    calls = [_call(text, labels, parameters) for text, labels in observed]
    # no tensor is stored into, and what stands beyond the signature has no name
    calls = [call for call in calls if "out" not in call.used and not any(name.startswith("#") for name in call.used)]
    if not calls:
        return agreement.summarize(observed, parameters, target)
    outside, needed = _explain(calls, parameters)
    inside = [[call.text, _left(call, outside)] for call in calls]
    entry, notes = agreement.summarize(inside, parameters, target, needed)
    if not entry["dtypes"]:
        return agreement.summarize(observed, parameters, target)
    accepted, dtypes = set(entry["accepted"]), entry["dtypes"]
    for condition, chars in entry.pop("partly").items():
        outside.setdefault(condition, {}).update(chars)
    left: dict[str, list[str]] = {}
    for condition, examples in sorted(outside.items()):
        chars = "".join(char for char in DTYPES if char in examples and char in dtypes)
        names = set(map(parameter_of, condition.split(" & ")))
        if chars and (names <= accepted or condition.startswith("without ")):
            left[condition] = [chars, examples[chars[0]]]
    entry["kinds"] = _kinds(calls, outside, accepted, dtypes, parameters)
    if left:
        entry["outside"] = left
    return entry, notes


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it was observed."""

    text: str
    used: frozenset[str]  #: its parameters
    labels: dict[str, str]
    conditions: dict[str, frozenset[str]]  #: what may be said of it, by dtype character


def _call(text: str, labels: dict[str, str], parameters: list[str]) -> Call:
    filled = agreement.of_classes(labels)
    found = {char: conditions(text, char, parameters) for char in filled if len(char) == 1}
    return Call(text, frozenset(used_parameters(text, parameters)), filled, found)


#: By condition, the dtypes for which a call under it differs, each with an example.
Outside = dict[str, dict[str, str]]


def of_method(entry: dict[str, Any], first: str) -> dict[str, Any]:
    """The function's entry for the method of its name: the array, which is `first` there, is called ``self``."""
    kinds = {("self" if name == first else name): words for name, words in entry["kinds"].items()}
    outside = {
        " & ".join(_of_self(part, first) for part in condition.split(" & ")): row
        for condition, row in entry.get("outside", {}).items()
    }
    return {**entry, "kinds": kinds} | ({"outside": outside} if outside else {})


def _of_self(condition: str, first: str) -> str:
    return f"{word_of(condition)} self" if "=" not in condition and parameter_of(condition) == first else condition


def conditions(call: str, char: str, parameters: list[str]) -> frozenset[str]:
    """What may be said of a call that is made with arrays of the dtype `char`."""
    args, kwargs = eval(compile_call(call), {**fresh_arguments(call, char), "f": lambda *a, **k: (a, k)})
    given: dict[str, list[Any]] = defaultdict(list)
    by_keyword = [f"keyword {name}" for name in kwargs if name in positions(parameters)]
    names = list(used_parameters(call, parameters))
    positional = [name for name in names if name not in kwargs]
    for index, value in enumerate(args):
        given[positional[min(index, len(positional) - 1)]].append(value)
    for name, value in kwargs.items():
        given[name].append(value)
    found = (condition for name, values in given.items() for condition in _of_argument(name, values))
    return frozenset((*by_keyword, *found))


def _of_argument(name: str, values: list[Any]) -> Iterator[str]:
    yield f"with {name}"
    for value in values:
        kind = kind_of(value)
        if name == "dtype" and value is not None:
            try:
                yield f"dtype={np.dtype(value).char}"
            except TypeError:
                yield "other dtype"
            continue
        yield f"{kind} {name}"
        if kind in ("str", "bool"):
            yield f"{name}={value!r}"
        if kind == "scalar" and np.asarray(value).dtype.char in "bhiBHIL":
            yield f"small int {name}"
        arrays = [leaf for leaf in _leaves(value) if isinstance(leaf, np.ndarray)]
        if kind in ("array", "arrays", "mixed") and not all(array.size for array in arrays):
            yield f"empty {name}"
        if type(value) in (list, tuple) and not list(_leaves(value)):
            yield f"no items {name}"
        numbers = [leaf for leaf in _leaves(value) if type(leaf) is int] if kind in ("int", "ints", "list") else []
        if any(number < 0 for number in numbers):
            yield f"negative {name}"
        if 0 in numbers:
            yield f"zero {name}"


def kind_of(value: Any) -> str:
    """The kind of an argument: array, scalar, int, float, complex, bool, none, str, list, ints, arrays, mixed or other.

    A scalar is NumPy's, or a 0-d array; a list holds Python's numbers alone, ints are a list of integers; arrays are a
    list of arrays and scalars.
    """
    if isinstance(value, np.ndarray):
        return "array" if value.ndim else "scalar"
    if isinstance(value, np.generic):
        return "scalar"
    if value is None:
        return "none"
    if type(value) in (int, float, complex, bool, str):
        return type(value).__name__
    if type(value) not in (list, tuple):
        return "other"
    kinds = {kind_of(leaf) for leaf in _leaves(value)}
    if kinds <= set(NUMBERS):
        return "ints" if kinds <= {"int"} else "list"
    return "arrays" if kinds <= {"array", "scalar"} else "mixed" if kinds <= {"array", "scalar", *NUMBERS} else "other"


def _leaves(value: Any) -> Iterator[Any]:
    if type(value) in (list, tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def parameter_of(condition: str) -> str:
    """The parameter that a condition speaks of."""
    return condition.partition("=")[0] if "=" in condition else condition.rpartition(" ")[2]


def word_of(condition: str) -> str:
    """The condition without its parameter: ``empty``, ``small int``; ``=`` for a given value."""
    return "=" if "=" in condition else condition.rpartition(" ")[0]


def _explain(calls: list[Call], parameters: list[str]) -> tuple[Outside, frozenset[str]]:
    """What explains why calls differ, and the parameters of the plainest calls that do not.

    Those with the required parameters are looked at first, then those with one more, and so on.
    """
    odd = _odd(calls, parameters)
    needed = set(agreement.required([[c.text, c.used, c.labels] for c in calls], parameters))
    if not any(call.used <= needed for call in calls):
        smallest = min((call.used for call in calls), key=_size)
        needed = set(smallest)
    outside = _explained([call for call in calls if call.used <= needed], odd)
    if any(condition.startswith("without ") for condition in outside):  # one form is wrong: the next one is plainest
        left = [call.used for call in calls if not set(_left(call, outside).values()) <= {"raises"}]
        smallest = min(left, key=_size, default=frozenset(needed))
        needed = set(smallest)
    accepted = set(needed)
    outside = _explained([call for call in calls if call.used <= accepted], odd, outside)
    for name in agreement.in_order([[c.text, c.used, c.labels] for c in calls], parameters):
        if name in accepted:
            continue
        concerned = [call for call in calls if call.used <= accepted | {name}]
        found = _explained(concerned, odd, outside)
        others = [_left(call, found) for call in concerned if name in call.used]
        if any(_is_good([labels[char] for labels in others if char in labels]) for char in DTYPES):
            accepted.add(name)
            outside = found
    return outside, frozenset(needed)


def _is_good(labels: list[str]) -> bool:
    """Whether all calls agree, and one of them returns."""
    return all(map(agreement.agrees, labels)) and any(not label.startswith("raises") for label in labels)


def _size(names: frozenset[str]) -> tuple[int, list[str]]:
    return len(names), sorted(names)


def _explained(calls: list[Call], odd: set[str], known: Outside | None = None) -> Outside:
    """`known`, and the conditions that explain what else differs in `calls`."""
    having: dict[tuple[str, str], list[str]] = defaultdict(list)  #: labels by condition and dtype
    for call in calls:
        for char, named in call.conditions.items():
            for condition in _with_absent(named, odd):
                having[condition, char].append(call.labels[char])
    ratios = {key: sum(not agreement.agrees(label) for label in labels) / len(labels) for key, labels in having.items()}
    outside = {condition: dict(chars) for condition, chars in (known or {}).items()}
    for call in calls:
        left = _left(call, outside)
        for char, named in call.conditions.items():
            if agreement.agrees(left[char]):
                continue
            is_special = left[char] == "value" and cases_inputs.has_special(call.text)
            able = [
                c for c in _with_absent(named, odd)
                if c in odd
                and _explains(c, ratios[c, char], having[c, char], left[char])
                and not (is_special and ratios[c, char] < 0.5 and word_of(c) not in _EXACT)
            ]  # fmt: skip
            if able:
                best = min(able, key=lambda c: (-ratios[c, char], _ORDER.index(_rank(c)), c))
                if ratios[best, char] < 1 and word_of(best) in _OF_VALUES:
                    best = _with_companions(best, char, calls, odd)
                outside.setdefault(best, {}).setdefault(char, f"{left[char]}: ({call.text})")
    return outside


def _with_companions(condition: str, char: str, calls: list[Call], odd: set[str]) -> str:
    """The condition, with others of its kind that all calls have which differ under it, if those have all of them."""
    having = [call for call in calls if condition in call.conditions.get(char, ())]
    differing = [call for call in having if not agreement.agrees(call.labels[char])]
    shared = frozenset(odd).intersection(*(call.conditions[char] for call in differing))
    every = sorted({condition, *(other for other in shared if word_of(other) in _OF_VALUES)})
    return " & ".join(every) if sum(set(every) <= c.conditions[char] for c in having) == len(differing) else condition


def _rank(condition: str) -> str:
    word = word_of(condition)
    return word if word in _ORDER else ""


def _explains(condition: str, ratio: float, labels: list[str], label: str) -> bool:
    """Whether the difference `label` may be said to come of a condition: that of all calls under it, or a rare one."""
    word = word_of(condition)
    if word == "keyword":
        return label == "error TypeError"
    if word in _STRONG:
        return True
    return ratio >= 0.5 if word == "=" else ratio == 1 and len(labels) > 1


def _with_absent(named: frozenset[str], odd: Iterable[str]) -> Iterator[str]:
    yield from named
    for condition in odd:
        if condition.startswith("without ") and f"with {parameter_of(condition)}" not in named:
            yield condition


def _odd(calls: list[Call], parameters: list[str]) -> set[str]:
    """The conditions that are not the common form: fewer than half of the calls with the parameter have them."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts.update(next((call.conditions[char] for char in "dl" if char in call.conditions), ()))
    every = {c for call in calls for named in call.conditions.values() for c in named}
    odd = {
        c for c in every
        if word_of(c) != "with"
        and (word_of(c) == "=" or counts[c] * 2 < counts[f"with {parameter_of(c)}"])
    }  # fmt: skip
    optional = {parameter_of(c) for c in every} - {text for text in parameters if "=" not in text}
    return odd | {f"without {name}" for name in optional if counts[f"with {name}"] * 2 > len(calls)}


def _left(call: Call, outside: Outside) -> dict[str, str]:
    """The labels of a call; what a condition leaves out counts as raised by NumPy, which says nothing."""
    return {
        chars: "raises" if any(_is_outside(call.conditions.get(c, frozenset()), c, outside) for c in chars) else label
        for chars, label in call.labels.items()
    }


def is_outside(call: str, char: str, parameters: list[str], entry: dict[str, Any]) -> bool:
    """Whether a call in the dtype `char` lies outside the domain of a target's entry, by one of its conditions."""
    outside = {condition: dict.fromkeys(chars, why) for condition, (chars, why) in entry.get("outside", {}).items()}
    return bool(outside) and _is_outside(conditions(call, char, parameters), char, outside)


def _is_outside(named: frozenset[str], char: str, outside: Outside) -> bool:
    present = set(_with_absent(named, outside))
    return any(
        char in chars and (condition in present or (" & " in condition and present.issuperset(condition.split(" & "))))
        for condition, chars in outside.items()
    )


def _kinds(
    calls: list[Call], outside: Outside, accepted: set[str], dtypes: str, parameters: list[str]
) -> dict[str, str]:
    """By accepted parameter, the kinds of argument with which a call was equal; of ``dtype`` the dtype characters, and
    of options in words the words.
    """
    kinds: dict[str, set[str]] = defaultdict(set)
    literal = {text.partition("=")[0] for text in parameters if "=" in text}
    for call in calls:
        if not call.used <= accepted:
            continue
        labels = _left(call, outside)
        for char, named in call.conditions.items():
            if labels[char].startswith("raises") or not agreement.agrees(labels[char]) or char not in dtypes:
                continue
            for condition in named:
                name, word = parameter_of(condition), word_of(condition)
                if word == "=" and (name == "dtype" or (name in literal and condition.endswith("'"))):
                    kinds[name].add(condition.partition("=")[2])
                elif word == "str" and name in literal:
                    continue
                elif word in KINDS:
                    kinds[name].add(word)
    return {
        name: "".join(char for char in DTYPES if char in words) if name == "dtype" else " ".join(sorted(words))
        for name, words in sorted(kinds.items())
    }


KINDS = frozenset(("array", "scalar", "list", "ints", "arrays", "mixed", "none", "str", "other", *NUMBERS))
