"""``np2tnp rewrite``: plan, leave out what is not wanted or found wanting, then print or write."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from np2tnp import pipeline
from np2tnp.config import EAGERLY, FEW, Config, ConfigError
from np2tnp.files.writing import Writer
from np2tnp.migration import journal, transaction
from np2tnp.migration.transaction import Reverted
from np2tnp.migration.user_tests import keep_what_passes
from np2tnp.model import Change, Run, place_in
from np2tnp.report import to_diff
from np2tnp.report.progress import Progress, Stages
from np2tnp.report.style import visible, visible_lines, wants_colour
from np2tnp.report.totals import blocked_regions, count, states_said
from np2tnp.terminal import CLEAN, ERROR, FOUND, print_bytes, print_exactly, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only ``rewrite`` understands."""
    add = parser.add_argument
    add("--apply", action="store_true", help="write the changes (default: print them as diffs)")
    add("--diff", action="store_true", help="print the changes as diffs, as it does without --apply")
    add("--check", action="store_true", help="exit 1 if anything would change")
    add(
        "--confirmed",
        metavar="RESULT.json",
        action="append",
        help="rewrite only what np2tnp profile measured equal and faster (its result file; may be repeated)",
    )
    add(
        "--dispatch",
        action="store_true",
        help="with --confirmed: where only large arrays win, rewrite with a size test that keeps NumPy for the others",
    )
    add("--verify", action="store_true", help="run each function beside its original; leave out those that differ")
    add("--strict", action="store_true", help="with --verify: leave out what could not be tested, too")
    add("--test", metavar="CMD", help="keep only the functions under which this command succeeds")
    add(
        "--test-timeout",
        type=float,
        metavar="SECONDS",
        help="for one run of it (default: from its run without changes)",
    )
    add("--interactive", action="store_true", help="show the change of each function and ask")
    add("--backup", action="store_true", help="keep the original of each changed file beside it")
    add("--backup-suffix", metavar="TEXT", default=".orig", help="how backups are called (default .orig)")
    add("--recover", action="store_true", help="put back what a run that was killed left changed, and end")


def run(parsed: argparse.Namespace, config: Config, paths: list[str], stdin: tuple[str, bytes] | None) -> int:
    """The command. Returns its exit status; raises ConfigError for what cannot be followed."""
    _require_sense(parsed, stdin)
    if parsed.recover:
        return _recover(config)
    if left := journal.state_left(config.root):
        raise ConfigError(left)
    tell = (lambda _: None) if config.quiet else say
    backup = partial(back_up, suffix=parsed.backup_suffix if parsed.backup else None)
    state = "no file was changed"
    try:
        planned = _planned(parsed, config, paths, stdin, tell)
        if planned is None:
            say("nothing was written")
            return CLEAN
        made, config, reverted = planned
        done = made.run
        if parsed.test:
            made, failing = keep_what_passes(made, config, parsed.test, parsed.test_timeout, tell, backup)
            reverted += failing
            done, state = made.run, "what was found to pass stays rewritten"
        elif parsed.apply:
            with transaction.uninterrupted():  # a moment only: all files are written, or none
                done, state = write_plan(made, config, backup), "all files were rewritten"
        if parsed.apply and stdin is not None:
            print_bytes(made.new.get(*stdin))
        _print(parsed, config, done, stdin, reverted)
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(*(error.args or ([state] if parsed.apply else []))) from None
    if done.summary.errors:
        return ERROR
    return FOUND if parsed.check and done.changes else CLEAN


def _planned(
    parsed: argparse.Namespace,
    config: Config,
    paths: list[str],
    stdin: tuple[str, bytes] | None,
    tell: Callable[[str], None],
) -> tuple[pipeline.Plan, Config, list[Reverted]] | None:
    """What is to be written, with the options that it was made with, and what was left out; None if the user quits."""
    with Progress(config.quiet) as progress:
        made = pipeline.plan(pipeline.read(paths, config, stdin), config, progress)
    reverted: list[Reverted] = []
    if parsed.confirmed:
        from np2tnp.migration.confirmed import leave_out_what_did_not_win

        made, config, reverted = leave_out_what_did_not_win(made, config, parsed.confirmed, parsed.dispatch)
    if parsed.interactive:
        try:
            made = choose(made, config, input, print_exactly, wants_colour(sys.stdout))
        except Quit:
            return None
    if parsed.verify:
        made, differing = _verify(made, config, parsed.strict, tell)
        reverted += differing
    return made, config, reverted


def _verify(
    made: pipeline.Plan, config: Config, strict: bool, tell: Callable[[str], None]
) -> tuple[pipeline.Plan, list[Reverted]]:
    from np2tnp.migration.verification import leave_out_what_differs
    from np2tnp.verify.program import Limits, require
    from np2tnp.verify.two_texts import CannotVerify

    try:
        require("numpy", "tensorflow")
        with Stages(config.quiet) as stage:

            def say_of_it(line: str) -> None:
                stage.clear()
                tell(line)

            verified = leave_out_what_differs(
                made, config, lambda path: Limits(), lambda key: strict, say_of_it, stage=stage
            )
    except CannotVerify as error:
        raise ConfigError(f"--verify: {error}") from None
    if verified.untested:
        many = count(len(verified.untested), "region")
        tell(f"{many} could not be tested and will be rewritten all the same (--strict leaves them out)")
    return verified.plan, verified.reverted


def _require_sense(parsed: argparse.Namespace, stdin: tuple[str, bytes] | None) -> None:
    for name in ("select", "extend_select", "ignore"):
        if getattr(parsed, name) is not None:
            option = f"--{name.replace('_', '-')}"
            words = "is for check: a function changes whole or not at all (--only and --skip choose functions)"
            raise ConfigError(f"{option} {words}")
    for name in ("check", "diff"):
        if parsed.apply and getattr(parsed, name):
            raise ConfigError(f"--apply and --{name} exclude each other")
    if parsed.dispatch and not parsed.confirmed:
        raise ConfigError("--dispatch belongs to --confirmed")
    if parsed.strict and not parsed.verify:
        raise ConfigError("--strict belongs to --verify")
    for name in ("test", "interactive", "backup"):
        if getattr(parsed, name) and not parsed.apply:
            raise ConfigError(f"--{name} needs --apply")
        if getattr(parsed, name) and stdin is not None:
            raise ConfigError(f"--{name} does not work on standard input")
    if parsed.verify and stdin is not None:
        raise ConfigError("--verify does not work on standard input")
    if parsed.test_timeout is not None and not parsed.test:
        raise ConfigError("--test-timeout belongs to --test")
    if not parsed.backup_suffix.strip("./\\"):
        raise ConfigError("--backup-suffix: expected a text such as .orig")


def _recover(config: Config) -> int:
    lines = journal.recover(config.root)
    if lines is None:
        say(f"there is nothing to recover in {config.root}")
        return CLEAN
    for line in lines:
        say(line)
    return CLEAN


def write_plan(made: pipeline.Plan, config: Config, backup: Callable[[pipeline.Plan, Writer], None]) -> Run:
    """Write the plan. Until all is written the originals are kept elsewhere, too: the process may be killed."""
    originals = {path: made.files.contents[path] for path in made.new if path != made.files.stdin}
    if not originals:
        return pipeline.write(made, config)
    writer = journal.Journal(config.root)
    writer.begin(originals)
    try:
        backup(made, writer)
    except ConfigError:
        writer.end("restored")
        raise
    done = pipeline.write(made, config, writer)
    writer.end("kept")
    return done


def back_up(made: pipeline.Plan, writer: Writer, suffix: str | None) -> None:
    """Write the backups of a plan's files, where they are wanted. Raises ConfigError before anything is changed."""
    for path in made.new if suffix is not None else ():
        try:
            journal.save_copy(path, made.files.contents[path], suffix or "", writer)
        except OSError as error:
            raise ConfigError(f"{path}{suffix}: cannot be written: {error.strerror or error}") from None


def _print(
    parsed: argparse.Namespace,
    config: Config,
    done: Run,
    stdin: tuple[str, bytes] | None,
    reverted: list[Reverted],
) -> None:
    changed = {change.path for change in done.changes}
    for change in done.changes:
        if not parsed.apply:
            print_exactly(to_diff.render(change, wants_colour(sys.stdout)), change.encoding)
        elif stdin is None and not config.quiet:  # else standard output is the new text
            print_exactly(f"rewrote {visible(change.path)}\n")
    for report in done.reports:
        for finding in report.findings:
            if finding.code.startswith("TNP90"):
                say(f"{finding.path}:{finding.place}: {finding.code} {finding.message}")
    for item in reverted:
        say(f"{item.path}::{item.qualname} was left as it is: {item.reason}")
        if item.evidence:
            print(visible_lines(item.evidence), file=sys.stderr)
    if config.quiet:
        return
    for note in (*done.notes, *done.skipped):
        say(note)
    for path, region in blocked_regions(done):
        if config.verbose and region.reasons:
            where = place_in(region.cell, region.span.line)
            say(f"{path}:{where}: {region.qualname} is {region.state.value}: {region.reasons[0]}")
    ends = "rewritten" if parsed.apply else "would be rewritten"
    say(f"{count(len(changed), 'file')} {ends}, {count(done.summary.files - len(changed), 'file')} left as they are")
    say(f"functions: {states_said(done).replace('can be migrated', 'migrated', 1)}")
    single = sum(region.float32 for report in done.reports if report.path in changed for region in report.regions)
    if single:
        say(f"{count(single, 'function')} in float32: values change, from the seventh digit on")
    if changed and not parsed.confirmed:
        for line in _told_of_sizes(config):
            say(line)


def _told_of_sizes(config: Config) -> list[str]:
    """What calls with small arrays do."""
    measures = "`np2tnp profile` measures from which size on a function pays"
    tests = config.slow == "keep" and config.on_unverified != "raise" and config.boundary == "numpy"
    eager = config.compile in EAGERLY and not config.float32
    least = FEW if config.above is None and tests and eager else config.above
    if least:
        is_weighed = config.above is None and not config.device
        little = ", or with too little work for a GPU," if is_weighed else ""
        gpu = ["where there is no GPU, all calls stay in NumPy (--above 0: none)"] if is_weighed else []
        said = f"calls with fewer than {least:,} elements{little} stay in NumPy (--above sets another number)"
        return [said, *gpu, measures]
    more = "--above N keeps NumPy for arguments of fewer than N elements"
    return [f"small arrays are slower in TensorFlow: {more}", measures]


# --- ``--interactive``: show each region's change and ask whether it is wanted

_HELP = """\
y  rewrite this function
n  leave it as it is
a  rewrite this one and all that follow
d  leave this one and all that follow
q  leave everything as it was, and end
"""


class Quit(Exception):  # noqa: N818 # the user's wish, no error
    """Nothing at all is to be written."""


def choose(
    made: pipeline.Plan, config: Config, ask: Callable[[str], str], show: Callable[[str], None], colour: bool
) -> pipeline.Plan:
    """The part of the plan that the user wants.

    Each diff is what accepting the region changes in the file as accepted so far: a function whose callee was accepted
    before shows the call in its new form, and one that needs others is shown once these were accepted. `ask` gives one
    line for a prompt, or raises EOFError, which counts as ``q``.
    """
    total = len(made.regions)
    accepted: frozenset[tuple[str, str]] = frozenset()
    current = _plan(made, config, accepted)
    left = list(enumerate(made.regions, 1))
    waiting: list[tuple[int, tuple[str, str]]] = []
    while left:
        waiting = []
        before = accepted
        for place, (number, (path, name)) in enumerate(left):
            attempt = _plan(made, config, accepted | {(path, name)})
            if (path, name) not in attempt.regions:
                waiting.append((number, (path, name)))  # others that it needs may be accepted yet
                continue
            old, new = _text(current, path), _text(attempt, path)
            encoding = next(change.encoding for change in attempt.run.changes if change.path == path)
            show(to_diff.render(Change(path, old, new, encoding), colour))
            answer = _answer(f"rewrite {path}::{name} ({number} of {total})? [y,n,a,d,q,?] ", ask, show)
            if answer == "d":
                return current
            if answer == "a":
                rest = [region for _, region in (*waiting, *left[place:])]
                return _plan(made, config, accepted.union(rest))
            if answer == "y":
                accepted, current = accepted | {(path, name)}, attempt
        left = waiting if accepted != before else []
    for _, (path, name) in waiting:
        show(f"{path}::{name} cannot be rewritten without the functions that were left\n")
    return current


def _plan(made: pipeline.Plan, config: Config, regions: frozenset[tuple[str, str]]) -> pipeline.Plan:
    return pipeline.plan(made.files, replace(config, chosen_regions=regions))


def _text(made: pipeline.Plan, path: str) -> str:
    for change in made.run.changes:
        if change.path == path:
            return change.new_text
    from np2tnp.files.source import decode

    return decode(path, made.files.contents[path]).text


def _answer(prompt: str, ask: Callable[[str], str], show: Callable[[str], None]) -> str:
    while True:
        try:
            answer = ask(prompt).strip().lower()[:1]
        except EOFError:
            raise Quit from None
        if answer == "q":
            raise Quit
        if answer in ("y", "n", "a", "d"):
            return answer
        show(_HELP)
