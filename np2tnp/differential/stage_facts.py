"""The facts about calls inside ``tf.function`` (``traced``) and under XLA (``compiled``), beside the eager ones.

They are part of a target's entry, and mean nothing without it: a stage holds for no more than the eager promise.
"""

from __future__ import annotations

from typing import Any

from np2tnp.differential import agreement, surface
from np2tnp.differential.facts_file import STAGES, TARGETS, without_stages


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
                    found = agreement.summarize_operator(labels)
                else:
                    found = agreement.summarize_stage(labels, parameters, fact[target])
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
