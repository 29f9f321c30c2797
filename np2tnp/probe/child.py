"""The probe's child process: calls NumPy and a target for each case, compares, prints a JSON line an observation group.

Runs alone in a process because TensorFlow can crash it. Reads one job from standard input, ``{"part": "eager", "apis":
[...], "skip": [...]}`` (part ``staged``: with their ``facts``, too). Prints ``["start", api, target, call]`` before the
calls of one case, so that the parent knows what crashed, and ``["done", api, {target: [[call, {char: label}], ...]}]``
after an API. The labels are those of probed_calls.py; ``@`` at the end: the helper asked NumPy on the host.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from np2tnp.probe import operator_pairs, staged
from np2tnp.probe.cases.all_cases import DTYPES, Case, all_cases, name_below, names_in, operands
from np2tnp.probe.probed_calls import call_on_numpy, call_on_target, find_targets, import_runtime, is_itself, label

#: dtype characters that crash alike: after one crashed, the others of its group count as crashed unseen.
_GROUPS = ("?", "bhil", "BHIL", "efd", "FD")
#: What the interpreter notices of a call that returned a value with an exception set, if it does not crash.
_BROKEN = "error SystemError"
#: MiB after which a child ends, for the next one to go on: compiled graphs are never given back.
MEMORY = 2000
#: NumPy's words for a keyword that came with a later version: such a call says nothing.
_UNKNOWN_KEYWORD = re.compile(r"(unexpected|invalid) keyword|missing \d+ required")


def observe(api: str, skip: set[tuple[str, ...]], announce: Callable[..., None]) -> dict[str, list[Any]]:
    """Labels per target, case and dtype for one API."""
    results: dict[str, list[Any]] = {}
    for target, function in find_targets(api).items():
        for case in all_cases().get(api, ()):
            labels: dict[str, str] = {}
            for chars in _variants(case, target):
                group = next(g for g in _GROUPS if chars[0] in g)
                announce("start", api, target, case.call, group)
                if (api, target, "*", "*") in skip:  # one call of it never returned: waiting for each is hours
                    labels[chars] = "hang"
                elif (api, target, case.call, group) in skip:
                    labels[chars] = "crash"
                elif (word := _observe_one(case, chars, target, function)) is not None:
                    labels[chars] = word
            _settle(labels)
            results.setdefault(target, []).append([case.call, labels])
    return results


def _settle(labels: dict[str, str]) -> None:
    """Say "crash" of a group as soon as one of its calls breaks the interpreter's rules.

    A result with an exception set is noticed (SystemError), or ends the process, as chance has it.
    """
    broken = {group for chars, label in labels.items() if label == _BROKEN for group in _GROUPS if chars[0] in group}
    for chars in labels:
        if any(chars[0] in group for group in broken):
            labels[chars] = "crash"


def _variants(case: Case, target: str) -> list[str]:
    """dtype characters to try; for tnp functions of two arrays mixed pairs too (helpers promote by NumPy's own
    table).
    """
    names = names_in(case.call)
    if not names - {"np"}:
        return ["d"]
    variants = list(case.dtypes)
    if target == "tnp" and case.call in _mixed_calls(case.api):
        variants += [a + b for a in DTYPES for b in DTYPES if a != b]
    return variants


@functools.cache
def _mixed_calls(api: str) -> frozenset[str]:
    """The calls to try with mixed dtypes: the first one with two operands, and the one with special values."""
    pairs = [case.call for case in all_cases()[api] if len(operands(case.call)) > 1]
    return frozenset([*pairs[:1], *(call for call in pairs if call == "S, U")])


def _observe_one(case: Case, chars: str, target: str, function: Callable[..., Any]) -> str | None:
    """The label of one call, or None where the text of the call means nothing for the dtype."""
    from np2tnp.runtime.base.dispatch import FALLBACKS

    try:
        expected, arguments = call_on_numpy(case, chars)
    except TypeError:  # such as -v for booleans
        return None
    if expected.error == "TypeError" and _UNKNOWN_KEYWORD.search(expected.message):
        return None
    before = sum(FALLBACKS.values())
    given: list[Any] = []
    actual = call_on_target(case, chars, function, given)
    if is_itself(expected, arguments, actual, given):
        return "itself"
    on_host = sum(FALLBACKS.values()) > before
    return label(case, expected, actual, arguments) + ("@" if on_host else "")


def find_gpu() -> str:
    """The name of the first GPU, empty where there is none."""
    import tensorflow as tf

    return next((device.name for device in tf.config.list_logical_devices("GPU")), "")


def attempt(api: str) -> str:
    """What comes of using the name on a tensor, or of looking it up in tnp: for names without a target, as evidence."""
    import tensorflow as tf
    import tensorflow.experimental.numpy as tnp

    is_member = api.startswith("ndarray.")
    found: Any = tf.constant([1.0, 2.5]) if is_member else tnp
    text = "tensor" if is_member else "tnp"
    for part in name_below(api).split("."):
        text += f".{part}"
        try:
            found = getattr(found, part)
        except Exception as error:
            return f"{text}: {type(error).__name__}"
    return f"{text} is a {type(found).__name__}: it was not measured equal"


def main() -> int:
    job = json.load(sys.stdin)
    stream = os.fdopen(os.dup(1), "w", buffering=1)  # the line protocol; what TensorFlow prints goes to stderr
    os.dup2(2, 1)

    def announce(*words: Any) -> None:
        stream.write(json.dumps(words) + "\n")

    import_runtime()
    announce("ready")
    skip = {tuple(item) for item in job["skip"]}
    device = job.get("device") or find_gpu()
    observed: dict[str, Any]
    for api in job["apis"]:
        if job["part"] == "attempts":
            announce("start", api, "tnp", "attempt", "*")
            announce("done", api, "crash" if (api, "tnp", "attempt", "*") in skip else attempt(api))
            continue
        if job["part"] == "staged":
            known = job["facts"][api]
            plan = {**staged.plan_calls(api, known), **operator_pairs.plan_calls(api, known)}
            observed = staged.observe(api, plan, skip, announce, device)
        else:
            observed = dict(observe(api, skip, announce))
            if operator_pairs.has_pairs(api):
                observed["tnp"] = operator_pairs.observe(api, announce, skip)
        announce("done", api, observed)
        if _memory() > MEMORY:
            break
    return 0


def _memory() -> int:
    """The most memory that this process had, in MiB (0 where the system does not say)."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak >> (20 if sys.platform == "darwin" else 10)


if __name__ == "__main__":
    sys.exit(main())
