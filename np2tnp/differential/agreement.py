"""From observations to facts: with which parameters and dtypes a target counts as equal to NumPy."""

from __future__ import annotations

from collections import Counter
from typing import Any

from np2tnp.differential.cases import DTYPES, used_parameters
from np2tnp.differential.surface import parameter_names

#: What a case of NumPy's that raises says: nothing about equality, but the target must raise too.
_RAISES = "raises"


def summarize(observed: list[Any], parameters: list[str], target: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ``tnp`` or ``rt`` entry of a fact and its ``agreement``.

    Parameters
    ----------
    observed : pairs of a call's text and its labels by dtype character.
    parameters : NumPy's, as in the catalog.
    target : name of the function, such as ``tnp.sum``.

    A dtype is accepted when all calls with the required parameters agree; another parameter is accepted when all
    calls with it
    agree for every accepted dtype. Parameters that no case uses are never accepted.
    """
    calls = [(call, set(used_parameters(call, parameters)), labels) for call, labels in observed]
    accepted, dtypes = _find_base(calls, parameters)
    bad_pairs = _bad_pairs(calls)
    dtypes = _without_pairs(dtypes, bad_pairs)
    refused: dict[str, str] = {}
    for name in _in_order(calls, parameters):
        if name in accepted or not dtypes:
            continue
        concerned = [c for c in calls if name in c[1] and c[1] <= accepted | {name}]
        bad = _first_failure(concerned, dtypes)
        if bad is None and any(_label(c[2], char) not in (None, _RAISES) for c in concerned for char in dtypes):
            accepted.add(name)
        elif bad is not None:
            refused[name] = bad
    together = _first_failure([c for c in calls if c[1] <= accepted], dtypes)
    if together is not None:  # two accepted parameters that fail when given together
        refused["together"] = together
        accepted &= set(_required(calls, parameters))
    entry: dict[str, Any] = {"target": target, "accepted": sorted(accepted) if dtypes else [], "dtypes": dtypes}
    inside = [c for c in calls if c[1] <= accepted]
    if target.startswith("rt."):
        entry |= _on_host(calls, accepted, dtypes)
    agreement: dict[str, Any] = {"cases": sum(len(labels) for _, _, labels in inside), **_groups(calls, accepted)}
    if refused:
        agreement["refused"] = refused
    if bad_pairs and dtypes:
        agreement["pairs_bad"] = f"{len(bad_pairs)} pairs of dtypes, such as {bad_pairs[0]}"
    return entry, agreement


def _find_base(calls: list[Any], parameters: list[str]) -> tuple[set[str], str]:
    required = set(_required(calls, parameters))
    base = [c for c in calls if c[1] <= required]
    if not base:
        required = set(_least(calls))
        base = [c for c in calls if c[1] <= required]
    varied = any(len(labels) > 1 for _, _, labels in calls)
    chars = DTYPES if varied else "d"
    good = "".join(char for char in chars if _holds(base, char))
    if not varied and good:  # calls without arrays, such as zeros(3): the dtype under test does not occur
        good = DTYPES
    return required, good


def _bad_pairs(calls: list[Any]) -> list[str]:
    """Mixed pairs of dtypes for which some call differs."""
    return sorted(
        {pair for c in calls for pair, label in c[2].items() if len(pair) == 2 and not _agrees(label.rstrip("@"))}
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


def _required(calls: list[Any], parameters: list[str]) -> list[str]:
    names = [t for t in parameters if t not in ("/", "*") and "=" not in t and not t.startswith("*")]
    names += [t[1:] for t in parameters if t.startswith("*") and not t.startswith("**") and t != "*"]
    return names or _least(calls)


def _least(calls: list[Any]) -> list[str]:
    """The smallest set of parameters that a call uses."""
    return min((sorted(c[1]) for c in calls), key=len)


def _in_order(calls: list[Any], parameters: list[str]) -> list[str]:
    used = {name for c in calls for name in c[1]}
    known = [name for name in parameter_names(parameters) if name in used]
    return known + sorted(used - set(known))


def _holds(calls: list[Any], char: str) -> bool:
    labels = [_label(c[2], char) for c in calls]
    return all(_agrees(label) for label in labels if label is not None) and any(
        label not in (None, _RAISES) for label in labels
    )


def _label(labels: dict[str, str], char: str) -> str | None:
    found = labels.get(char) or (labels["d"] if list(labels) == ["d"] else None)
    return found.rstrip("@") if found is not None else None


def _agrees(label: str) -> bool:
    return label in ("equal", _RAISES) or label.startswith("ulp:")


def _first_failure(calls: list[Any], dtypes: str) -> str | None:
    for call, _, labels in calls:
        bad = {char: label for char in dtypes if (label := _label(labels, char)) is not None and not _agrees(label)}
        if bad:
            char = next(iter(bad))
            return f"{bad[char]}: ({call}) for {''.join(bad)}"
    return None


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
    """What to say of each group of dtypes: ``equal``, ``ulp:3``, or the commonest difference with an example."""
    words: dict[str, list[str]] = {}
    judged = [c for c in calls if c[1] <= accepted] or calls
    for char in DTYPES:
        labels = [(label, call) for call, _, ls in judged if char in ls and (label := _label(ls, char)) is not None]
        if not labels:
            continue
        bad = [(label, call) for label, call in labels if not _agrees(label)]
        if bad:
            word, count = Counter(label for label, _ in bad).most_common(1)[0]
            example = next(call for label, call in bad if label == word)
            words.setdefault(f"{word} in {count} of {len(labels)}: ({example})", []).append(char)
        elif all(label == _RAISES for label, _ in labels):
            words.setdefault(_RAISES, []).append(char)
        else:
            largest = max((int(label[4:]) for label, _ in labels if label.startswith("ulp:")), default=0)
            words.setdefault(f"ulp:{largest}" if largest else "equal", []).append(char)
    return {"".join(chars): word for word, chars in words.items()}
