"""``np2tnp migrate``: the whole journey for one program, from the check to the report page."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from functools import partial

from np2tnp import pipeline
from np2tnp.commands import report as reporting
from np2tnp.commands import rewrite as rewriting
from np2tnp.config import Config, ConfigError
from np2tnp.files.notebooks import is_notebook
from np2tnp.migration import journal, migration_steps, transaction
from np2tnp.migration.confirmed import read_result
from np2tnp.migration.kept_steps import KeptSteps, key_of
from np2tnp.migration.migration_steps import Chosen, Journey
from np2tnp.migration.user_tests import Outcome, keep_what_passes, run_unchanged
from np2tnp.migration.verification import Verified
from np2tnp.options import EMITTED, add_profile
from np2tnp.profiling.hot import command_line
from np2tnp.profiling.profiled_program import Findings
from np2tnp.report import to_diff
from np2tnp.report.progress import Progress
from np2tnp.report.style import visible, visible_lines, wants_colour
from np2tnp.report.totals import count, states_said
from np2tnp.terminal import CLEAN, print_exactly, say
from np2tnp.verify.program import require
from np2tnp.verify.two_texts import NO_NOTEBOOKS, CannotVerify

_STEPS = ("check", "run", "verify", "time", "rewrite", "test", "report")


def run(parsed: argparse.Namespace, config: Config) -> int:
    """The command. Exit status 0 done, 2 error; raises ConfigError and KeyboardInterrupt."""
    state = "no file was changed"
    try:
        require("numpy", "tensorflow")
        if left := journal.state_left(config.root):
            raise ConfigError(left)
        journey = _begin(parsed, config)
        if journey is None:
            return CLEAN
        passed = run_unchanged(parsed.test, parsed.test_timeout, say) if parsed.test else None
        _step("run", shlex.join(parsed.program))
        found = migration_steps.run_program(journey)
        if not config.quiet:
            _show(found)
        made, hot = migration_steps.restrict(journey, found)
        for (path, name), obstacle in sorted(found.obstacles.items()):
            say(f"{path}::{name}: {obstacle}")
        many = count(len(made.regions), "function")
        _step("verify", f"{many}, each at most a minute or so" if hot else "no hot function can be migrated")
        verified = migration_steps.verify(journey, found, made, hot)
        times, chosen = _choose(parsed, journey, found, verified)
        state = _write(parsed, journey, chosen, passed)
        pages = argparse.Namespace(
            paths=parsed.paths,
            profiles=times,
            verifications=migration_steps.write_verdicts(journey, verified),
            output=parsed.output,
            title=None,
        )
        _step("report", f"wrote {reporting.write_report(pages, config)}")
        _tell_the_rest(parsed, found, is_changed=parsed.apply and bool(chosen.plan.new))
        if parsed.apply and chosen.plan.new:
            journey.kept.drop()  # of texts that are no more
        else:
            say(f"what was found is kept for the next run of this command in {journey.kept.folder}")
    except CannotVerify as error:
        raise ConfigError(f"{error}; {state}") from None
    except KeyboardInterrupt as error:
        words = error.args[0] if error.args else state
        raise KeyboardInterrupt(f"{words}; the same command goes on with what is finished") from None
    return CLEAN


def _begin(parsed: argparse.Namespace, config: Config) -> Journey | None:
    """The first step: what there is to migrate. None where that is nothing."""
    command = command_line(parsed.program)
    for path in parsed.paths:
        if not os.path.exists(path):
            raise ConfigError(f"{path}: no such file or directory")
    for name in parsed.confirmed or ():
        read_result(name)  # before anything runs
    runs = "the program twice, and its functions many times in processes of their own"
    say(f"this runs your code: {runs}{', and your tests' if parsed.test else ''}")
    _step("check", ", ".join(parsed.paths))
    with Progress(config.quiet) as progress:
        files = pipeline.read(parsed.paths, config)
        if files.contents and all(map(is_notebook, files.contents)):
            raise ConfigError(f"{', '.join(files.contents)}: {NO_NOTEBOOKS}")
        planned = pipeline.plan(files, config, progress)
    say(f"{count(len(files.contents), 'file')}; functions that use NumPy: {states_said(planned.run)}")
    if errors := planned.run.summary.errors:
        say(f"{count(errors, 'file')} could not be worked on (np2tnp check says why)")
    if not planned.regions:
        say(f"nothing can be migrated: `np2tnp check {shlex.join(parsed.paths)}` says why")
        return None
    settings = argparse.ArgumentParser()
    add_profile(settings)
    options = settings.parse_args(["--top", str(parsed.top)])
    kept = KeptSteps(config.root, command, key_of(files, config, command, parsed.top), parsed.fresh)
    return Journey(files, config, command, kept, options, say, config.quiet)


def _choose(
    parsed: argparse.Namespace, journey: Journey, found: Findings, verified: Verified
) -> tuple[list[str], Chosen]:
    """The result files with the times, and what they confirm."""
    if said := migration_steps.summarize(verified):
        say(said)
    for item in verified.reverted:
        if not item.evidence and (item.path, item.qualname) in verified.told:
            continue  # its verdict said why
        say(f"{item.path}::{item.qualname} stays as it is: {item.reason}")
        if item.evidence:
            print(visible_lines(item.evidence), file=sys.stderr)
    if parsed.confirmed:
        _step("time", f"taken from {', '.join(parsed.confirmed)}")
        times = list(parsed.confirmed)
    elif found.candidates():
        _step("time", f"{count(len(found.candidates()), 'function')} on this machine")
        times = [str(migration_steps.time_functions(journey, found))]
    else:
        _step("time", "nothing to time")
        return [], migration_steps.nothing(journey)
    if not parsed.confirmed and not found.measured:
        for (path, name), obstacle in sorted(found.obstacles.items()):
            say(f"{path}::{name} could not be timed: {obstacle}")
        return times, migration_steps.nothing(journey)
    chosen = migration_steps.choose(journey, verified, times)
    for line in migration_steps.wins(found) if not parsed.confirmed else ():
        say(line)
    for item in chosen.left:
        say(f"{item.path}::{item.qualname} stays as it is: {item.reason}")
    return times, chosen


def _write(parsed: argparse.Namespace, journey: Journey, chosen: Chosen, passed: Outcome | None) -> str:
    """The rewrite and the tests. What became of the files, for who interrupts."""
    made, config = chosen.plan, chosen.config
    backup = partial(rewriting.back_up, suffix=None)
    names = ", ".join(name for _, name in made.regions)
    _step("rewrite", names or "nothing: no function was found equal and faster")
    if not parsed.apply:
        for change in made.run.changes:
            print_exactly(to_diff.render(change, wants_colour(sys.stdout)), change.encoding)
        if made.new:
            say(f"{count(len(made.new), 'file')} would be rewritten: --apply does it")
        _step("test", f"{parsed.test}: with --apply" if parsed.test else "no --test was given")
        return "no file was changed"
    _step("test", parsed.test or "no --test was given")
    if parsed.test:
        made, failing = keep_what_passes(made, config, parsed.test, parsed.test_timeout, say, backup, passed)
        for item in failing:
            say(f"{item.path}::{item.qualname} was left as it is: {item.reason}")
            print(visible_lines(item.evidence), file=sys.stderr)
    else:
        with transaction.uninterrupted():
            rewriting.write_plan(made, config, backup)
    for path in made.new:
        print_exactly(f"rewrote {visible(path)}\n")
    return "the files stay rewritten" if made.new else "no file was changed"


def _tell_the_rest(parsed: argparse.Namespace, found: Findings, is_changed: bool) -> None:
    """What was not confirmed because this machine has no GPU, and how one that has does it."""
    missing = [] if parsed.confirmed else migration_steps.not_confirmed(found)
    if not missing:
        return
    say(f"no GPU here (np2tnp doctor says what is missing); on one these may be faster: {', '.join(missing)}")
    program = shlex.join(parsed.program)
    options = _given(parsed)
    measured = "np2tnp-gpu.json"
    before = " as they were before this run" if is_changed else ""
    say(f"to find out, on a machine with a GPU, in a copy of these files{before}:")
    say(f"    np2tnp profile{options} --top {parsed.top} --output {measured} -- {program}")
    say(f"then here, with that file{' and the files as they were' if is_changed else ''}:")
    more = f" --test {shlex.quote(parsed.test)}" if parsed.test else ""
    paths = shlex.join(parsed.paths)
    say(f"    np2tnp migrate{options} --confirmed {measured}{more} --apply {paths} -- {program}")


def _given(parsed: argparse.Namespace) -> str:
    """The options of this run that decide what is written."""
    words = []
    for item in parsed.config:
        words += ["--config", item]
    for name in EMITTED:
        if getattr(parsed, name) is not None:
            words += [f"--{name.replace('_', '-')}", str(getattr(parsed, name))]
    words += [f"--{name}" for name in ("isolated", "unsafe", "float32") if getattr(parsed, name)]
    return "".join(f" {word}" for word in map(shlex.quote, words))


def _show(found: Findings) -> None:
    """The hot functions as ``profile`` shows them, on standard error."""
    from rich.console import Console

    from np2tnp.report.to_profile import render_ranking

    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=150)
    for part in render_ranking(found, console.width):
        console.print(part, highlight=False)


def _step(name: str, what: str) -> None:
    say(f"[{_STEPS.index(name) + 1}/{len(_STEPS)}] {name}: {what}")
