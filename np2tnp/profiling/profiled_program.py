"""``np2tnp profile -- PROGRAM``: finds the hot functions of a real run, records their arguments, and times those."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from np2tnp.config import Config
from np2tnp.profiling.emitted import compiled_forms, eager, emission_options, variants_of
from np2tnp.profiling.environment import describe_host
from np2tnp.profiling.evidence import EMITTED
from np2tnp.profiling.hot import Ended, Hot, Ranking, Samples, command_line, rank, read_samples, run_inside
from np2tnp.profiling.measured import Measured, Plan, settings_of
from np2tnp.profiling.measurement import measure
from np2tnp.profiling.record import Recorded, Wanted, record
from np2tnp.profiling.results import missing_gpu, now, require_writable, write_json
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions, is_migrated, read_text, rewrite_in_memory

if TYPE_CHECKING:
    from rich.console import Console

    from np2tnp.report.to_profile import Display

_ROUNDS = 3  #: of measuring, while functions drop out that others were measured together with

Place = tuple[str, str]  #: a function: (path, qualified name)


@dataclass
class Findings:
    """Everything that is known after the runs and the trials; becomes the result file."""

    command: list[str]
    ended: Ended
    samples: Samples
    ranking: Ranking
    top: int
    recorded: dict[Place, Recorded] = field(default_factory=dict)
    measured: dict[Place, Measured] = field(default_factory=dict)
    obstacles: dict[Place, str] = field(default_factory=dict)  #: why a convertible function has no times
    companions: set[Place] = field(default_factory=set)
    second: Ended | None = None
    allowed: frozenset[Place] | None = None  #: what may be migrated at all; None: whatever can be
    done: set[Place] = field(default_factory=set)  #: measured to the end

    def candidates(self) -> list[Hot]:
        """The convertible ones among the hottest."""
        return [
            hot
            for hot in self.ranking.functions[: self.top]
            if hot.is_convertible and (self.allowed is None or (hot.path, hot.name) in self.allowed)
        ]

    def as_dict(self, host: dict[str, Any], created: str, complete: bool) -> dict[str, Any]:
        """For JSON: see docs/profile-schema.md."""
        first = next(iter(self.measured.values()), None)
        finding = {
            "status": self.ended.status,
            "seconds": self.ended.seconds,
            "processes": self.samples.processes,
            "samples": self.samples.samples,
            "overhead": overhead(self.samples),
            "elsewhere": [list(item) for item in self.ranking.elsewhere],
        }
        functions = []
        for place, measured in self.measured.items():
            functions.append({**measured.as_dict(), "calls": self.recorded[place].calls})
        return {
            "schema": 1,
            "kind": "program",
            "created": created,
            "complete": complete,
            "command": self.command,
            "finding": finding,
            "hot": [
                {**hot.as_dict(), "obstacle": self.obstacles.get((hot.path, hot.name), "")}
                for hot in self.ranking.functions
            ],
            "companions": [{"path": path, "function": name} for path, name in sorted(self.companions)],
            "environment": {**host, **(first.environment if first else {})},
            "devices": first.devices if first else [],
            "functions": functions,
        }


def overhead(samples: Samples) -> float:
    """The share of the program's CPU time that the samplers took."""
    return samples.cost / max(samples.cpu - samples.cost, 1e-9)


def run_program(args: argparse.Namespace, config: Config) -> int:
    """The command. Exit status: the program's own if that is not 0, else 0; 2 error. Raises CannotVerify."""
    from rich.console import Console

    from np2tnp.report.to_profile import live_display

    command = command_line(args.program)
    console = Console(stderr=False)
    if not console.is_terminal:
        console = Console(width=150)
    output = Path(args.output or "np2tnp-profile.json")
    require_writable(output)
    host, created = describe_host(), now()
    with tempfile.TemporaryDirectory(prefix="np2tnp-profile-") as folder:
        found = find(command, config, Path(folder), args.top)

        def save(complete: bool) -> None:
            write_json(output, found.as_dict(host, created, complete))

        save(complete=False)
        _show_ranking(found, console)
        try:
            if found.ended.interrupted:
                raise KeyboardInterrupt
            if not args.find_only and found.candidates():
                console.print("running it again to record arguments (its output is not shown) ...", highlight=False)
                for line in record_arguments(found, Path(folder), args.record_limit):
                    console.print(line, highlight=False)
                with live_display() as display:
                    measure_all(found, args, config, save, display)
        except KeyboardInterrupt:
            print(f"np2tnp profile: interrupted; what was found so far is in {output}", file=sys.stderr)
            return 130
        save(complete=True)
    _show_decisions(found, console)
    first = next(iter(found.measured.values()), None)
    if first is not None and (said := missing_gpu(first.devices)):
        console.print(said, highlight=False)
    console.print(f"wrote {output}", highlight=False, soft_wrap=True, markup=False)
    return found.ended.status


def find(command: list[str], config: Config, folder: Path, top: int, aside: bool = False) -> Findings:
    """Run the program under the sampler and rank its functions. Raises CannotVerify."""
    place = folder / "samples"
    place.mkdir()
    ended = run_inside(command, "sampler", place, aside=aside)
    samples = read_samples(place)
    if not samples.processes:
        raise CannotVerify(
            f"{shlex.join(command)} ended with status {ended.status} and loaded no sampler: is it Python, "
            "and run without -I, -E and -S?"
        )
    return Findings(command, ended, samples, rank(samples, config), top)


def record_arguments(found: Findings, folder: Path, mebibytes: int) -> list[str]:
    """The second run: arguments of the hottest functions, and who calls the others that could move with them.

    Gives what the user should know of it. Raises KeyboardInterrupt.
    """
    place = folder / "arguments"
    place.mkdir()
    hot = found.candidates()
    wanted = [Wanted(item.path, item.name, item.first_line) for item in hot]
    known = {(item.path, item.name) for item in wanted}
    for path in dict.fromkeys(item.path for item in hot):
        regions = found.ranking.convertible.get(path, {})
        wanted += [Wanted(path, name, line, False) for name, line in regions.items() if (path, name) not in known]
    recorded, found.second = record(found.command, wanted, place, found.ended.seconds, mebibytes)
    found.recorded = {(item.wanted.path, item.wanted.name): item for item in recorded}
    if found.second.interrupted:
        raise KeyboardInterrupt
    for item in hot:
        if obstacle := found.recorded[item.path, item.name].obstacle():
            found.obstacles[item.path, item.name] = obstacle
    if found.second.status == found.ended.status:
        return []
    how = "was ended: its time was over" if found.second.overdue else f"ended with status {found.second.status}"
    return [f"the second run {how}, the first with {found.ended.status}"]


def measure_all(
    found: Findings, args: argparse.Namespace, config: Config, save: Callable[[bool], None], display: Display
) -> None:
    """Time every candidate with what else would be rewritten with it; again when some of that is not worth it."""
    callers = callers_of(found)
    todo = [(hot.path, hot.name) for hot in found.candidates() if (hot.path, hot.name) not in found.obstacles]
    chosen = with_companions(todo, callers)
    for _ in range(_ROUNDS):
        for number, place in enumerate(todo):
            display.turn_to(place[1], number, len(todo))
            _measure_one(found, place, chosen, args, config, display, save)
        confirmed = {place for place, it in found.measured.items() if it.decision().confirmed and place in chosen}
        left = with_companions(confirmed, callers)
        dropped = chosen - left
        found.companions = left - confirmed
        todo = sorted(place for place in confirmed if reaches(place, dropped, callers))
        if not todo:
            return
        chosen = left
    for place in todo:
        found.measured[place].veto = "what it was measured with is not worth rewriting"


def _measure_one(
    found: Findings,
    place: Place,
    chosen: set[Place],
    args: argparse.Namespace,
    config: Config,
    display: Display,
    save: Callable[[bool], None],
) -> None:
    def keep(measured: Measured) -> None:
        found.measured[place] = measured
        save(False)
        display.show(measured)

    try:
        plan = _plan(found.recorded[place], chosen, args, config)
        if place in found.done and found.measured[place].plan == plan:
            return
        found.done.discard(place)
        measured = measure(plan, display.progress, keep)
        found.done.add(place)
    except CannotVerify as error:
        found.obstacles[place] = str(error)
        found.measured.pop(place, None)
        return
    if not any(trial.variant_time for trial in measured.trials):
        found.obstacles[place] = next((trial.reason for trial in measured.trials if trial.reason), "no trial ended")
    save(False)


def _plan(recorded: Recorded, chosen: set[Place], args: argparse.Namespace, config: Config) -> Plan:
    path, name = recorded.wanted.path, recorded.wanted.name
    text = read_text(path)
    if is_migrated(text):
        raise CannotVerify(f"{path} is migrated already: profile the original")
    config = replace(config, chosen_regions=frozenset(chosen))
    rewritten = rewrite_in_memory(path, text, eager(config))
    pair = Pair(path, text, rewritten, "the file itself, rewritten in memory", in_memory=True)
    if name not in changed_functions(pair)[0]:
        raise CannotVerify("rewrite does not change it without the functions that call it")
    return Plan(
        pair,
        name,
        "elements",
        (),
        (),
        refine=0,
        variants=variants_of(tuple(EMITTED), config),
        compiled=compiled_forms(pair, config),
        recorded=tuple(recorded.chosen(args.signatures)),
        main=recorded.main,
        places=recorded.places,
        options=emission_options(config),
        migrated=tuple(sorted(other if where == path else f"{where}::{other}" for where, other in chosen)),
        **settings_of(args),
    )


# --- what is rewritten together


def callers_of(found: Findings) -> dict[Place, set[Place]]:
    """Who called each recorded function: other recorded ones; anybody else counts as ("", "")."""
    known = {(str(Path(place[0]).resolve()), place[1]): place for place in found.recorded}
    callers: dict[Place, set[Place]] = {}
    for place, recorded in found.recorded.items():
        if not recorded.calls or (found.allowed is not None and place not in found.allowed):
            continue
        callers[place] = {
            known.get((path, found.ranking.region_at(path, line)), ("", "")) for path, line in recorded.callers
        }
    return callers


def with_companions(chosen: Iterable[Place], callers: dict[Place, set[Place]]) -> set[Place]:
    """`chosen` and every function that the program only called from these: it moves with its callers."""
    found = set(chosen)
    while more := {place for place, by in callers.items() if place not in found and by <= found | {place}}:
        found |= more
    return found


def reaches(place: Place, targets: set[Place], callers: dict[Place, set[Place]]) -> bool:
    """Whether the function calls one of `targets`, directly or through others."""
    seen: set[Place] = set()
    stack = list(targets)
    while stack:
        for caller in callers.get(stack.pop(), ()):
            if caller == place:
                return True
            if caller not in seen:
                seen.add(caller)
                stack.append(caller)
    return False


# --- for people


def _show_ranking(found: Findings, console: Console) -> None:
    from np2tnp.report.to_profile import render_ranking

    for part in render_ranking(found, console.width):
        console.print(part, highlight=False)


def _show_decisions(found: Findings, console: Console) -> None:
    from np2tnp.report.to_profile import render_decisions

    for part in render_decisions(found, console.width):
        console.print(part, highlight=False)
