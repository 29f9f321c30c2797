"""From observations to facts: with which parameters and dtypes a target counts as equal to NumPy."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from np2tnp.probe import surface
from np2tnp.probe.cases import cases_inputs
from np2tnp.probe.cases.all_cases import CLASSES, DTYPES, used_parameters
from np2tnp.probe.facts_file import STAGES, TARGETS, without_stages
from np2tnp.probe.surface import parameter_names

#: What a case of NumPy's that raises says: nothing about equality, but the target must raise too.
_RAISES = "raises"
#: A parameter that is not equal for one of these is refused for all.
_MOST_USED = "fd"


def summarize(
    observed: list[Any], parameters: list[str], target: str, plainest: frozenset[str] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ``tnp`` or ``rt`` entry of a fact and its ``agreement``.

    Parameters
    ----------
    observed : pairs of a call's text and its labels by dtype character.
    parameters : NumPy's, as in the catalog.
    target : name of the function, such as ``tnp.sum``.
    plainest : the parameters of the plainest calls, where the conditions of a domain are looked for, too (see
    domains.py). A parameter may be accepted then that is not equal for some of the dtypes: ``partly`` in the entry says
    for which, by the condition ``with NAME``.

    A dtype is accepted when all calls with the required parameters agree; another parameter is accepted when all
    calls with it
    agree for every accepted dtype. Parameters that no case uses are never accepted.
    """
    made = {call: len(labels) for call, labels in observed}
    calls = [(call, set(used_parameters(call, parameters)), of_classes(labels)) for call, labels in observed]
    partly = plainest is not None
    accepted, dtypes = _find_base(calls, parameters, plainest)
    bad_pairs = _bad_pairs(calls)
    if not partly:
        dtypes = _without_pairs(dtypes, bad_pairs)
    refused: dict[str, str] = {}
    in_part: dict[str, dict[str, str]] = {}
    for name in in_order(calls, parameters):
        if name in accepted or not dtypes:
            continue
        concerned = [c for c in calls if name in c[1] and c[1] <= accepted | {name}]
        bad = _first_failure(concerned, dtypes)
        failing = _failures(concerned, dtypes) if partly else {}
        if failing and not failing.keys() & set(_MOST_USED):
            in_part[f"with {name}"] = failing
            bad = None
            concerned = [(c[0], c[1], {char: w for char, w in c[2].items() if char not in failing}) for c in concerned]
        if bad is None and any(_label(c[2], char) not in (None, _RAISES) for c in concerned for char in dtypes):
            accepted.add(name)
        elif bad is not None:
            refused[name] = bad
    for condition, chars in in_part.items():
        name = condition.rpartition(" ")[2]
        calls = [
            (call, used, {c: _RAISES if name in used and c in chars else w for c, w in labels.items()})
            for call, used, labels in calls
        ]
    together = _first_failure([c for c in calls if c[1] <= accepted], dtypes)
    if together is not None:  # two accepted parameters that fail when given together
        refused["together"] = together
        accepted &= set(required(calls, parameters))
    entry: dict[str, Any] = {"target": target, "accepted": sorted(accepted) if dtypes else [], "dtypes": dtypes}
    if partly:
        entry["partly"] = in_part
        if pairs := [pair for pair in _bad_pairs([c for c in calls if c[1] <= accepted]) if set(pair) <= set(dtypes)]:
            entry["pairs_bad"] = pairs
    inside = [c for c in calls if c[1] <= accepted]
    if target.startswith("rt."):
        tabled = [c for c, (_, labels) in zip(calls, observed, strict=True) if not cases_inputs.is_other(c[0], labels)]
        entry |= _on_host(tabled or calls, accepted, dtypes)
    agreement: dict[str, Any] = {"cases": sum(made[call] for call, _, _ in inside), **_groups(calls, accepted)}
    if refused:
        agreement["refused"] = refused
    if bad_pairs and dtypes and not partly:
        agreement["pairs_bad"] = f"{len(bad_pairs)} pairs of dtypes, such as {bad_pairs[0]}"
    return entry, agreement


def of_classes(labels: dict[str, str]) -> dict[str, str]:
    """`labels`, and what those dtypes of a class that were tried get wrong for those that were not."""
    filled = dict(labels)
    for group in CLASSES:
        tried = {char for char in group if char in labels}
        if tried and tried == set(group) & set(cases_inputs.CLASSES):
            wrong = next(
                (labels[char] for char in group if char in tried and not agrees(labels[char].rstrip("@"))), None
            )
            if wrong is not None:
                filled.update(dict.fromkeys(set(group) - tried, wrong))
    return filled


def summarize_stage(observed: list[Any], parameters: list[str], entry: dict[str, Any]) -> Any:
    """What a stage (traced, compiled) keeps of the target's eager promise `entry`: ``"ok"`` for all of it.

    Otherwise a dict. ``dtypes`` and ``accepted``, where they are fewer: a call that gives something else takes its
    dtypes or parameters away, and so does one that raises, if none with them succeeds. ``differs`` and ``fails`` give
    examples. ``unchecked``: a call that returns where NumPy raises, such as an index out of range under XLA.
    """
    silent = [[call, {c: _neutral(label) for c, label in labels.items()}] for call, labels in _inherited(observed)]
    kept, _ = summarize(silent, parameters, "")
    found: dict[str, Any] = {}
    if set(entry["dtypes"]) - set(kept["dtypes"]):
        found["dtypes"] = "".join(char for char in entry["dtypes"] if char in kept["dtypes"])
    if set(entry["accepted"]) - set(kept["accepted"]):
        found["accepted"] = kept["accepted"]
    for word, is_such in (("differs", _is_silent), ("fails", _is_loud)):
        examples = _examples(observed, is_such)
        if examples:
            found[word] = examples
    unchecked = next((f"({call})" for call, labels in observed if "no error" in labels.values()), None)
    if unchecked is not None:
        found["unchecked"] = unchecked
    return found or "ok"


def _inherited(observed: list[Any]) -> list[Any]:
    """The labels with those of the class's representative where a dtype was not tried.

    Of a representative that raises elsewhere than the dtype itself, only what is silently wrong is taken over.
    """
    filled = [[call, dict(labels)] for call, labels in observed]
    counts = Counter(char for _, labels in observed for char in labels)
    for group in CLASSES:
        tried = [char for char in group if counts[char]]
        chosen = max(tried, key=lambda char: counts[char], default="")
        for char in tried:
            both = [labels for _, labels in observed if char in labels and chosen in labels]
            alike = all(_is_loud(labels[char]) == _is_loud(labels[chosen]) for labels in both)
            for _, labels in filled:
                if char not in labels and chosen in labels and (alike or _is_silent(labels[chosen])):
                    labels[char] = labels[chosen]
    return filled


def summarize_operator(observed: list[Any]) -> Any:
    """The same for an operator: ``"ok"``, or the operands that are not equal in addition to the eager ones."""
    found: dict[str, Any] = {}
    for call, labels in observed:
        number = re.search(r"(?:^|, )(-?\d+\.\d+|-?\d+j|-?\d+|True)(?:,|$)", call)
        bad = {chars: label for chars, label in labels.items() if not agrees(label)}
        if number:  # eager facts, too, keep only what is silently different of Python numbers
            bad = {chars: label for chars, label in bad.items() if not _is_loud(label)}
        if bad:
            key = f"weak_{_number_kind(number[1])}_bad" if number else "pairs_bad"
            found[key] = sorted({*found.get(key, ()), *bad})
            found.setdefault("example", f"{next(iter(bad.values()))}: ({call}) for {next(iter(bad))}")
    return {k: "".join(v) if k.startswith("weak") else v for k, v in found.items()} or "ok"


def _number_kind(text: str) -> str:
    return {"bool": "bool", "int": "int", "float": "float", "complex": "complex"}[type(ast.literal_eval(text)).__name__]


def _neutral(label: str) -> str:
    """`label` as far as it tells right from silently wrong: a call that raises is neither."""
    return _RAISES if _is_loud(label) or label == "no error" else label


def _is_loud(label: str) -> bool:
    return label.startswith("error ")


def _is_silent(label: str) -> bool:
    return not agrees(label) and not _is_loud(label) and label != "no error"


def _examples(observed: list[Any], is_such: Callable[[str], bool]) -> dict[str, str]:
    """dtype characters -> how often one label occurs for them, with an example."""
    words: dict[str, list[str]] = {}
    for char in DTYPES:
        labels = [(labels[char], call) for call, labels in observed if char in labels]
        bad = [(label, call) for label, call in labels if is_such(label)]
        if bad:
            words.setdefault(f"{bad[0][0]} in {len(bad)} of {len(labels)}: ({bad[0][1]})", []).append(char)
    return {"".join(chars): word for word, chars in words.items()}


def _find_base(calls: list[Any], parameters: list[str], plainest: frozenset[str] | None = None) -> tuple[set[str], str]:
    needed = set(plainest or required(calls, parameters))
    base = [c for c in calls if c[1] <= needed]
    if not base:
        needed = set(_least(calls))
        base = [c for c in calls if c[1] <= needed]
    varied = any(len(labels) > 1 for _, _, labels in calls)
    chars = DTYPES if varied else "d"
    good = "".join(char for char in chars if _holds(base, char))
    if not varied and good:  # calls without arrays, such as zeros(3): the dtype under test does not occur
        good = DTYPES
    return needed, good


def _bad_pairs(calls: list[Any]) -> list[str]:
    """Mixed pairs of dtypes for which some call differs."""
    return sorted(
        {pair for c in calls for pair, label in c[2].items() if len(pair) == 2 and not agrees(label.rstrip("@"))}
    )


def _without_pairs(dtypes: str, bad: list[str]) -> str:
    """The largest part of `dtypes`, greedily, within which no mixed pair is bad: operands may come in any mixture
    of them.
    """
    while True:
        counts = Counter(char for pair in bad if set(pair) <= set(dtypes) for char in pair)
        if not counts:
            return dtypes
        worst = max(counts, key=lambda char: (counts[char], "ldfDFi?bhBHILe".index(char)))
        dtypes = dtypes.replace(worst, "")


def required(calls: list[Any], parameters: list[str]) -> list[str]:
    """The parameters without which there is no call, or those of the smallest call."""
    names = [t for t in parameters if t not in ("/", "*") and "=" not in t and not t.startswith("*")]
    names += [t[1:] for t in parameters if t.startswith("*") and not t.startswith("**") and t != "*"]
    return names or _least(calls)


def _least(calls: list[Any]) -> list[str]:
    """The smallest set of parameters that a call uses."""
    return min((sorted(c[1]) for c in calls), key=len)


def in_order(calls: list[Any], parameters: list[str]) -> list[str]:
    """The parameters that calls use, in the order of the signature."""
    used = {name for c in calls for name in c[1]}
    known = [name for name in parameter_names(parameters) if name in used]
    return known + sorted(used - set(known))


def _holds(calls: list[Any], char: str) -> bool:
    labels = [_label(c[2], char) for c in calls]
    return all(agrees(label) for label in labels if label is not None) and any(
        label not in (None, _RAISES) for label in labels
    )


def _label(labels: dict[str, str], char: str) -> str | None:
    found = labels.get(char) or (labels["d"] if list(labels) == ["d"] else None)
    return found.rstrip("@") if found is not None else None


def agrees(label: str) -> bool:
    """Whether a label says that a call was equal, or raised as NumPy's does."""
    label = label.rstrip("@")
    return label in ("equal", _RAISES) or label.startswith("ulp:")


def _first_failure(calls: list[Any], dtypes: str) -> str | None:
    for call, _, labels in calls:
        bad = {char: label for char in dtypes if (label := _label(labels, char)) is not None and not agrees(label)}
        if bad:
            char = next(iter(bad))
            return f"{bad[char]}: ({call}) for {''.join(bad)}"
    return None


def _failures(calls: list[Any], dtypes: str) -> dict[str, str]:
    """The dtypes among `dtypes` for which some call is not equal, each with an example."""
    found: dict[str, str] = {}
    for call, _, labels in calls:
        for char in dtypes:
            label = _label(labels, char)
            if label is not None and not agrees(label):
                found.setdefault(char, f"{label}: ({call})")
    return found


def _on_host(calls: list[Any], accepted: set[str], dtypes: str) -> dict[str, Any]:
    """dtypes whose plain calls ask NumPy on the host, and parameters that make a call do so."""
    plain = [c for c in calls if c[1] <= accepted]
    least = min((len(c[1]) for c in plain), default=0)
    simple = [c for c in plain if len(c[1]) == least]

    def falls_back(call: Any, char: str) -> bool:
        label: str = call[2].get(char, "")
        return label.endswith("@") and not label.startswith(_RAISES)

    host = "".join(char for char in dtypes if simple and sum(falls_back(c, char) for c in simple) * 2 > len(simple))
    rest = [char for char in dtypes if char not in host]
    slow = {name for c in plain if rest and all(falls_back(c, char) for char in rest if char in c[2]) for name in c[1]}
    fast = {name for c in plain for name in c[1] if any(char in c[2] and not falls_back(c, char) for char in rest)}
    entry: dict[str, Any] = {}
    if host:
        entry["host_dtypes"] = host
    if slow - fast:
        entry["host_parameters"] = sorted(slow - fast)
    return entry


def _groups(calls: list[Any], accepted: set[str]) -> dict[str, str]:
    """What to say of each group of dtypes: ``equal``, ``ulp:3``, a crash, or the commonest difference."""
    words: dict[str, list[str]] = {}
    judged = [c for c in calls if c[1] <= accepted] or calls
    for char in DTYPES:
        labels = [(label, call) for call, _, ls in judged if char in ls and (label := _label(ls, char)) is not None]
        if not labels:
            continue
        bad = [(label, call) for label, call in labels if not agrees(label)]
        if bad:
            counts = Counter(label for label, _ in bad)
            word, count = max(counts.items(), key=lambda item: (item[0] == "crash", item[1]))
            example = next(call for label, call in bad if label == word)
            words.setdefault(f"{word} in {count} of {len(labels)}: ({example})", []).append(char)
        elif all(label == _RAISES for label, _ in labels):
            words.setdefault(_RAISES, []).append(char)
        else:
            largest = max((int(label[4:]) for label, _ in labels if label.startswith("ulp:")), default=0)
            words.setdefault(f"ulp:{largest}" if largest else "equal", []).append(char)
    return {"".join(chars): word for word, chars in words.items()}


# --- The facts about calls inside ``tf.function`` (``traced``) and under XLA (``compiled``), beside the eager ones
#
# They are part of a target's entry, and mean nothing without it: a stage holds for no more than the eager promise.


def has_targets(fact: dict[str, Any]) -> bool:
    """Whether there is anything to stage."""
    return any(target in fact for target in TARGETS)


def add(facts: dict[str, Any], observed: dict[str, Any]) -> None:
    """Put what the observations show into the targets' entries, and into those of methods that share them."""
    for api, targets in observed.items():
        fact = facts[api]
        parameters = surface.call_parameters(api, fact)
        for target, by_stage in targets.items():
            for stage, labels in by_stage.items():
                if not labels:
                    continue
                if fact[target]["target"] == "operator":
                    found = summarize_operator(labels)
                else:
                    found = summarize_stage(labels, parameters, fact[target])
                fact[target] = {**fact[target], stage: found}
    for name, fact in facts.items():
        function = facts.get(f"numpy.{name[8:]}", {}) if name.startswith("ndarray.") else {}
        function = facts.get(function.get("alias_of", ""), function)
        for target in TARGETS:
            if target in fact and target in function and target not in fact.get("agreement", {}):
                shared = {stage: function[target][stage] for stage in STAGES if stage in function[target]}
                fact[target] = without_stages(fact[target]) | shared


def keep(facts: dict[str, Any], old: dict[str, Any]) -> None:
    """Take over the stages of the old facts, for as much of the eager promise as they were measured for."""
    for name, fact in facts.items():
        for target in TARGETS:
            before = old.get(name, {}).get(target)
            if target not in fact or before is None or fact[target]["target"] != before["target"]:
                continue
            if not fact[target].get("dtypes", True):  # equal for nothing: there is nothing to stage
                continue
            stages = {stage: _restricted(before, before[stage], fact[target]) for stage in STAGES if stage in before}
            fact[target] = without_stages(fact[target]) | stages


def _restricted(before: dict[str, Any], stage: Any, entry: dict[str, Any]) -> Any:
    """What `stage`, measured for the eager promise `before`, says of the eager promise `entry`."""
    found = {} if stage == "ok" else dict(stage)
    for key in sorted({"dtypes", "accepted"} & entry.keys() & before.keys()):  # operators have pairs of dtypes instead
        measured = found.pop(key, before[key])
        if set(entry[key]) - set(measured):
            left = [item for item in entry[key] if item in measured]
            found[key] = "".join(left) if key == "dtypes" else left
    return found or "ok"
