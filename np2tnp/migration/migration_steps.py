"""The steps of ``np2tnp migrate``: each asks a part that exists, and takes what an earlier run found of it.

Who follows here: the program is run and its calls are recorded (``profiling``), the functions that took its time are
run beside their originals on these calls (``verification``), timed (``profiling``), and those that were equal and
faster are planned (``confirmed``).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections import UserDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from np2tnp import pipeline
from np2tnp.config import Config, ConfigError
from np2tnp.migration.confirmed import leave_out_what_did_not_win
from np2tnp.migration.kept_steps import KeptSteps
from np2tnp.migration.transaction import Reverted
from np2tnp.migration.verification import Key, Verified, leave_out_what_differs
from np2tnp.profiling.environment import describe_host
from np2tnp.profiling.profiled_program import (
    Findings,
    Place,
    callers_of,
    find,
    measure_all,
    record_arguments,
    with_companions,
)
from np2tnp.profiling.results import now, write_json
from np2tnp.report.progress import Stages
from np2tnp.report.to_profile import Display
from np2tnp.report.totals import count
from np2tnp.verify.program import FunctionVerdict, Limits

_RUN, _VERIFIED = "run", "verified"  #: the names of what is kept
TIMES = "np2tnp-profile.json"  #: in the folder of what is kept


@dataclass(frozen=True)
class Journey:
    """What all steps work on."""

    files: pipeline.Files
    config: Config
    command: list[str]  #: the program
    kept: KeptSteps
    settings: argparse.Namespace  #: the options of ``profile``
    say: Callable[[str], None]
    quiet: bool

    def place_of(self, key: Key) -> tuple[str, str]:
        """A function, whatever its file is called."""
        return os.path.realpath(key[0]), key[1]


def run_program(journey: Journey) -> Findings:
    """The program's hot functions, with the arguments that it calls them with. Raises ConfigError, CannotVerify."""
    kept, say = journey.kept, journey.say
    found: Findings | None = kept.load(_RUN)
    if found is not None:
        say(f"taken from the run of {kept.when(_RUN)} (--fresh runs it again)")
        return found
    shown = shlex.join(journey.command)
    say("it runs at its own speed under a sampler; its output follows")
    found = find(journey.command, journey.config, kept.empty("arguments"), journey.settings.top, aside=True)
    if found.ended.interrupted:
        raise KeyboardInterrupt
    if found.ended.status:
        ended = f"{shown} ended with status {found.ended.status}"
        raise ConfigError(f"{ended}: migrate needs a run that succeeds; no file was changed")
    ours = {os.path.realpath(path) for path in journey.files.contents}
    elsewhere = [hot for hot in found.candidates() if os.path.realpath(hot.path) not in ours]
    for hot in elsewhere:
        say(f"{hot.path}::{hot.name} took {hot.share:.0%} of the time, and is in none of the files named: it stays")
    found.allowed = frozenset((hot.path, hot.name) for hot in found.candidates() if hot not in elsewhere)
    if found.candidates():
        seconds = found.ended.seconds
        with Stages(journey.quiet) as stage:
            stage("running it again to record arguments (its output is not shown)", expected=1.2 * seconds)
            lines = record_arguments(found, kept.folder / "arguments", journey.settings.record_limit)
        for line in lines:
            say(line)
    kept.save(_RUN, found)
    return found


def restrict(journey: Journey, found: Findings) -> tuple[pipeline.Plan, set[Place]]:
    """The plan that migrates the hot functions of the files named and what moves with them, and the hot ones of it."""
    ours = {os.path.realpath(path) for path in journey.files.contents}
    found.allowed = frozenset(place for place in found.recorded if os.path.realpath(place[0]) in ours)
    hot = {(it.path, it.name) for it in found.candidates()} - found.obstacles.keys()
    wanted = with_companions(hot, callers_of(found))
    return pipeline.plan(journey.files, _choosing(journey.config, wanted)), hot


class _Kept(UserDict[tuple[str, str, frozenset[str]], object]):
    """Results that are kept as they come."""

    def __init__(self, kept: KeptSteps) -> None:
        super().__init__()
        self.data = kept.load(_VERIFIED) or {}
        self._kept = kept

    def __setitem__(self, key: tuple[str, str, frozenset[str]], item: object) -> None:
        super().__setitem__(key, item)
        self._kept.save(_VERIFIED, self.data)


def verify(journey: Journey, found: Findings, made: pipeline.Plan, hot: set[Place]) -> Verified:
    """What of the plan is equal on the recorded calls; of what only moves with it, what is not different."""
    recorded = {journey.place_of(place): it for place, it in found.recorded.items()}
    must = {journey.place_of(place) for place in hot}
    known = _Kept(journey.kept)
    if known:
        journey.say(f"taken from the run of {journey.kept.when(_VERIFIED)}: {count(len(known), 'verdict')}")

    def limits(path: str) -> Limits:
        calls = {
            name: tuple(one.payload for one in it.signatures if one.payload)
            for (where, name), it in recorded.items()
            if where == os.path.realpath(path)
        }
        is_main = any(it.main for (where, _), it in recorded.items() if where == os.path.realpath(path))
        return Limits(recorded=calls, main=Path(path).stem if is_main else "")

    with Stages(journey.quiet) as stage:

        def say(line: str) -> None:
            stage.clear()
            journey.say(line)

        verified = leave_out_what_differs(
            made,
            journey.config,
            limits,
            lambda key: journey.place_of(key) in must,
            say,
            stage=stage,
            known=known,  # type: ignore[arg-type]
        )
    kept = {journey.place_of(key) for key in verified.plan.regions}
    found.allowed = frozenset(place for place in found.recorded if journey.place_of(place) in kept)
    return verified


class _Told(Display):
    """The measuring as a line that says how much is left."""

    def __init__(self, stage: Stages) -> None:
        super().__init__(None, None, 0)
        self._stage = stage
        self._number, self._total = 0, 1

    def turn_to(self, function: str, number: int, total: int) -> None:
        self._number, self._total = number, total

    def progress(self, what: str, done: int, total: int) -> None:
        share = (self._number + done / max(total, 1)) / self._total
        self._stage(f"{self._number + 1} of {count(self._total, 'function')}, {what}", share)


def time_functions(journey: Journey, found: Findings) -> Path:
    """Time what is allowed on this machine's devices; the result file. Raises CannotVerify."""
    kept, file = journey.kept, journey.kept.folder / TIMES
    host, created = describe_host(), now()
    for place in sorted(found.done & {(hot.path, hot.name) for hot in found.candidates()}):
        journey.say(f"taken from before: the times of {place[1]}")
    with Stages(journey.quiet) as stage:

        def save(complete: bool) -> None:
            kept.save(_RUN, found)

        measure_all(found, journey.settings, journey.config, save, _Told(stage))
    write_json(file, found.as_dict(host, created, complete=True))
    return file


@dataclass(frozen=True)
class Chosen:
    """What is to be rewritten, with the options that it is made with, and what was left out."""

    plan: pipeline.Plan
    config: Config
    left: list[Reverted]


def choose(journey: Journey, verified: Verified, times: Sequence[str]) -> Chosen:
    """What of the verified plan the result files confirm. Raises ConfigError."""
    equal = {journey.place_of(key) for key in verified.plan.regions}
    why = {journey.place_of((it.path, it.qualname)): it.reason for it in verified.reverted}

    def refused(place: Key) -> str:
        if journey.place_of(place) in equal:
            return ""
        return why.get(journey.place_of(place), "it was not verified: it is not among the hot functions of this run")

    chosen, config, left = leave_out_what_did_not_win(
        verified.plan, journey.config, times, dispatch=True, refused=refused
    )
    return Chosen(chosen, config, left)


def nothing(journey: Journey) -> Chosen:
    """Nothing is to be rewritten."""
    config = _choosing(journey.config, set())
    return Chosen(pipeline.plan(journey.files, config), config, [])


def write_verdicts(journey: Journey, verified: Verified) -> list[str]:
    """What was verified, a file for each source file, as ``verify --json`` prints it."""
    documents: dict[str, list[dict[str, object]]] = {}
    for (path, _), result in verified.results.items():
        documents.setdefault(path, []).append(result.as_dict())
    names = []
    for number, (path, functions) in enumerate(documents.items()):
        name = journey.kept.folder / f"verified-{number}.json"
        document = {"path": path, "original": "the file itself", "functions": functions, "not_rewritten": []}
        name.write_text(json.dumps(document), encoding="utf-8")
        names.append(str(name))
    return names


def wins(found: Findings) -> list[str]:
    """Of the functions that were timed and confirmed, wholly or for large arrays: what the times were."""
    decisions = [(place, it.decision()) for place, it in found.measured.items()]
    return [f"{place[0]}::{place[1]}: {it.reason}" for place, it in decisions if it.confirmed or it.above]


def not_confirmed(found: Findings) -> list[str]:
    """The functions that were timed and not confirmed on a machine without a GPU."""
    return [
        place[1]
        for place, it in found.measured.items()
        if not it.decision().confirmed and not any("GPU" in device for device in it.devices)
    ]


def summarize(verified: Verified) -> str:
    """How many functions were equal."""
    counts = dict.fromkeys(FunctionVerdict, 0)
    for result in verified.results.values():
        counts[result.verdict] += 1
    return ", ".join(f"{number} {verdict.value}" for verdict, number in counts.items() if number)


def _choosing(config: Config, places: set[Place]) -> Config:
    return replace(config, chosen_regions=frozenset(places))
