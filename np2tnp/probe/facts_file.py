"""The catalog's facts.json: all facts as measured on the newest TensorFlow, and what differs on older ones.

``{"schema": 1, "versions": {...}, "apis": {...}, "by_tensorflow": {"2.18": {"versions": {...}, "apis": {...}}}}``
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from np2tnp.probe.cases.all_cases import DTYPES

# --- What two runs of the probe on the same versions tell together
#
# The order in which threads add numbers up decides the last digits, as the processor does, and some of TensorFlow's
# kernels crash only sometimes: of two such observations the worse one is kept, so that repeated runs settle on the
# same facts, on all machines.

#: Of an operator's facts: dtypes for which Python integers out of range give something else than NumPy's.
_OVERFLOW = "weak_int_overflow"
#: ``dtype in 14 of 19: (v, w)``: what differs, in how many calls, of how many and in which for example.
_COUNTED = re.compile(r"(.+) in (\d+) (of \d+: .*)")


def keep_worst(before: dict[str, Any], after: dict[str, Any], targets: Iterable[str]) -> dict[str, Any]:
    """The facts `after`, with the larger rounding differences and the crashes that `before` tells of.

    Parameters
    ----------
    before, after : facts by API.
    targets : of which the agreement is looked at.
    """
    merged = {}
    for name, fact in after.items():
        old, new = before.get(name, {}).get("agreement"), fact.get("agreement")
        if old and new:
            notes = {t: _worse_notes(old[t], new[t]) for t in targets if t in old and t in new}
            fact = {**fact, "agreement": {**new, **notes}}
        overflows = [facts.get(name, {}).get("tnp", {}).get(_OVERFLOW) for facts in (before, after)]
        if None not in overflows:  # what C leaves to the processor
            fact = {**fact, "tnp": {**fact["tnp"], _OVERFLOW: _in_order("".join(overflows))}}
        merged[name] = fact
    return merged


def differ(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether two notes of agreement, by target, differ in what may decide anything.

    Rounding that counts as equal on both sides does not, nor does the way in which a kernel fails that is not equal on
    either side and fails in another way from run to run.
    """
    return before.keys() != after.keys() or any(_notes_differ(before[t], after[t]) for t in before)


def _notes_differ(before: dict[str, Any], after: dict[str, Any]) -> bool:
    old, new = _by_dtype(before), _by_dtype(after)
    others = ({key: value for key, value in notes.items() if not _is_group(key)} for notes in (before, after))
    return next(others) != next(others) or old.keys() != new.keys() or not all(_alike(old[c], new[c]) for c in old)


def _alike(old: str, new: str) -> bool:
    equal = [_ulps(label) is not None for label in (old, new)]
    return old == new or all(equal) or (not any(equal) and max(_instability(old), _instability(new)) > 0)


def _in_order(chars: str) -> str:
    return "".join(char for char in DTYPES if char in chars)


def _worse_notes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    before = _by_dtype(old)
    chars_of: dict[str, str] = {}
    for char, label in _by_dtype(new).items():
        worse = _worse(before.get(char, label), label)
        chars_of[worse] = chars_of.get(worse, "") + char
    others = {key: value for key, value in new.items() if not _is_group(key)}
    return {**{chars: label for label, chars in chars_of.items()}, **others}


def _is_group(key: str) -> bool:
    return set(key) <= set(DTYPES)


def _by_dtype(notes: dict[str, Any]) -> dict[str, str]:
    labels = {char: label for key, label in notes.items() if _is_group(key) for char in key}
    return {char: labels[char] for char in DTYPES if char in labels}


def _worse(old: str, new: str) -> str:
    differences = _ulps(old), _ulps(new)
    if None not in differences:
        return old if differences[0] > differences[1] else new  # type: ignore[operator]
    if differences[1] is None and (_instability(old), _how_often(old, new)) > (_instability(new), _how_often(new, old)):
        return old
    return new


def _how_often(label: str, other: str) -> int:
    """In how many calls the difference was seen, where `other` tells of the same one; else 0.

    Kernels that read memory which nobody wrote differ in one call more or less from run to run.
    """
    mine, theirs = _COUNTED.fullmatch(label), _COUNTED.fullmatch(other)
    same = mine is not None and theirs is not None and mine.group(1, 3) == theirs.group(1, 3)
    return int(mine[2]) if same and mine is not None else 0


def _instability(label: str) -> int:
    """How bad the worst is that a kernel does in some runs.

    It crashes, breaks the interpreter's own rules, or takes without a word what NumPy raises for.
    """
    ranks = {"crash": 3, "error SystemError": 2, "no error": 1}
    return next((rank for start, rank in ranks.items() if label.startswith(start)), 0)


def _ulps(label: str) -> int | None:
    """Units in the last place by which results differ at most; None if they differ otherwise."""
    if label == "equal":
        return 0
    return int(label[4:]) if label.startswith("ulp:") else None


TARGETS = ("tnp", "rt")
#: How else a call can be made, by the key in a target's entry: inside ``tf.function``, under XLA, eagerly on a GPU.
STAGES = ("traced", "compiled", "gpu")
FACTS = Path(__file__).parent.parent / "catalog" / "facts.json"


def read(path: Path = FACTS) -> dict[str, Any]:
    """The file, or an empty document where there is none yet."""
    empty = {"schema": 1, "versions": {}, "apis": {}, "by_tensorflow": {}}
    return {**empty, **json.loads(path.read_bytes())} if path.exists() else empty


def installed_versions() -> dict[str, str]:
    """Versions of what is measured in this process."""
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:2]))
    return {"numpy": version("numpy"), "tensorflow": _installed_tensorflow(), "python": python}


def _installed_tensorflow() -> str:
    from importlib.metadata import PackageNotFoundError, version

    for name in ("tensorflow", "tensorflow-cpu"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    raise PackageNotFoundError("tensorflow")


def knows_stages(document: dict[str, Any], versions: dict[str, str]) -> bool:
    """Whether the stages of all names were measured on the TensorFlow of `versions`."""
    entry = document["by_tensorflow"].get(short_version(versions["tensorflow"]), {})
    return not is_older(versions, document) or bool(entry.get("staged"))


def updated(document: dict[str, Any], facts: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """`document` with newly measured facts: as its own, or, of an older TensorFlow, as differences from them."""
    minor = short_version(versions["tensorflow"])
    if not is_older(versions, document):
        if versions == document["versions"]:
            facts = keep_worst(document["apis"], facts, TARGETS)
        older = {name: entry for name, entry in document["by_tensorflow"].items() if name != minor}
        return {**document, "versions": versions, "apis": facts, "by_tensorflow": older}
    staged = any(stage in fact.get(t, {}) for fact in facts.values() for t in TARGETS for stage in STAGES)
    entry: dict[str, Any] = {"versions": versions, "apis": differences(document["apis"], facts, staged)}
    if staged:
        entry["staged"] = True
    return {**document, "by_tensorflow": {**document["by_tensorflow"], minor: entry}}


def is_older(versions: dict[str, str], document: dict[str, Any]) -> bool:
    """Whether the TensorFlow of `versions` is older than the one that the document's own facts were measured on."""
    measured = document["versions"].get("tensorflow", versions["tensorflow"])
    return _as_numbers(short_version(versions["tensorflow"])) < _as_numbers(short_version(measured))


def seen_by(document: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """The APIs' facts as they count for the TensorFlow of `versions`; without stages that were not measured on it."""
    entry = document["by_tensorflow"].get(short_version(versions["tensorflow"]))
    if entry is None:
        return {name: dict(fact) for name, fact in document["apis"].items()}
    facts = {name: {**fact, **entry["apis"].get(name, {})} for name, fact in document["apis"].items()}
    if not entry.get("staged"):
        for fact in facts.values():
            fact.update({target: without_stages(fact[target]) for target in TARGETS if fact.get(target)})
    return facts


def without_stages(entry: dict[str, Any]) -> dict[str, Any]:
    """A target's entry as far as eager calls go."""
    return {key: value for key, value in entry.items() if key not in STAGES}


def differences(base: dict[str, Any], facts: dict[str, Any], staged: bool = False) -> dict[str, Any]:
    """What the targets of `facts` are where they are not those of `base`; None for one that is missing.

    NumPy's own behaviour is not compared: the older version is measured with an older NumPy, the reference is the
    newest. Stages are compared if `staged`; else they were not measured.
    """
    changed: dict[str, Any] = {}
    for name in sorted(base.keys() & facts.keys()):
        for target in TARGETS:
            before, after = base[name].get(target), facts[name].get(target)
            if _promise(before, target, staged) != _promise(after, target, staged):
                changed.setdefault(name, {})[target] = after
                notes = facts[name].get("agreement", {}).get(target)
                if notes is not None:
                    all_notes = changed[name].setdefault("agreement", dict(base[name].get("agreement", {})))
                    all_notes[target] = notes
    return changed


def _promise(entry: dict[str, Any] | None, target: str, staged: bool) -> Any:
    """What of a target decides: all of tnp's entry; of a helper's the dtypes, since it asks NumPy for the rest."""
    if entry is None:
        return None
    stages = {stage: entry.get(stage) for stage in STAGES} if staged else {}
    if target == "rt":
        return sorted(entry["dtypes"]), stages
    return without_stages(entry), stages


def short_version(version: str) -> str:
    """``2.18`` of ``2.18.1``."""
    return ".".join(version.split(".")[:2])


def _as_numbers(minor: str) -> tuple[int, ...]:
    return tuple(int(part) for part in minor.split("."))


def write(document: dict[str, Any], path: Path = FACTS) -> None:
    """Write the file, sorted, one API a line so that diffs are readable."""
    head = json.dumps({"schema": document["schema"], "versions": document["versions"]}, sort_keys=True)[:-1]
    parts = []
    for version, entry in sorted(document["by_tensorflow"].items()):
        versions = json.dumps(entry["versions"], sort_keys=True)
        staged = '"staged": true, ' if entry.get("staged") else ""
        parts.append(
            f'{json.dumps(version)}: {{"versions": {versions}, {staged}"apis": {{\n{_lines(entry["apis"])}\n}}}}'
        )
    older = ",\n".join(parts)
    text = f'{head}, "apis": {{\n{_lines(document["apis"])}\n}}, "by_tensorflow": {{{older}}}}}\n'
    path.write_text(text, encoding="utf-8")


def _lines(apis: dict[str, Any]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(apis[name], sort_keys=True)}" for name in sorted(apis))


def print_diff(old: dict[str, Any], new: dict[str, Any]) -> None:
    """One line for each key of an API whose facts changed; how many differ in what decides nothing (`differ`)."""
    unsteady = 0
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, {}), new.get(name, {})
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) == after.get(key):
                continue
            if key == "agreement" and before.get(key) and after.get(key) and not differ(before[key], after[key]):
                unsteady += 1
            else:
                print(f"{name} {key}: {json.dumps(before.get(key))} -> {json.dumps(after.get(key))}")
    if unsteady:
        names = "1 name rounds, or fails," if unsteady == 1 else f"{unsteady} names round, or fail,"
        print(f"np2tnp probe: {names} otherwise in this run, in a way that decides nothing", file=sys.stderr)
