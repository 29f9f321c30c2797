"""``rewrite --apply --test CMD``: keep the largest set of regions under which the user's own tests pass."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from np2tnp import pipeline
from np2tnp.config import Config, ConfigError
from np2tnp.files.problems import Problem
from np2tnp.files.writing import Writer
from np2tnp.migration.transaction import Reverted, Transaction
from np2tnp.report.totals import count

# --- Delta debugging: the largest part of something under which a test still passes

Item = TypeVar("Item", bound=Hashable)


def largest_passing(items: Sequence[Item], passes: Callable[[frozenset[Item]], bool]) -> frozenset[Item]:
    """A subset of `items` for which `passes`, and no longer does with any single item more.

    `passes` is known to hold for the empty set; it is asked once about any other. One culprit among n costs about
    2 log2(n) questions. Put the suspects last: the others are then accepted in few questions.
    """
    answers: dict[frozenset[Item], bool] = {}

    def ask(subset: frozenset[Item]) -> bool:
        if subset not in answers:
            answers[subset] = passes(subset)
        return answers[subset]

    kept: frozenset[Item] = frozenset()
    left = list(items)
    while True:
        more, left = _grow(kept, left, ask)
        if not left or more == kept:
            return more
        kept = more  # what was rejected before something else was added may pass with it


def _grow(
    kept: frozenset[Item], items: list[Item], passes: Callable[[frozenset[Item]], bool]
) -> tuple[frozenset[Item], list[Item]]:
    """`kept` with as many of `items` as can be added, half by half, and those that cannot."""
    if not items:
        return kept, []
    if passes(kept | set(items)):
        return kept | set(items), []
    if len(items) == 1:
        return kept, items
    middle = len(items) // 2
    kept, first = _grow(kept, items[:middle], passes)
    kept, second = _grow(kept, items[middle:], passes)
    return kept, first + second


_LINES = 12  #: of a failure that are shown
_NOT_INSTALLED = re.compile(r"No module named '(np2tnp|tensorflow)\b")
#: A frame of a traceback as Python prints it, and as pytest does: file and, mostly, function.
_FRAME = re.compile(r'(?:File "|^)([^"\n:]+\.py)(?:", line |:)\d+(?:, in |: in )?(\w+)?', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of the test command."""

    passed: bool
    output: str  #: both streams
    seconds: float
    how: str  #: ``exit status 1``, ``took longer than 300 s``

    @property
    def tail(self) -> str:
        lines = self.output.rstrip().splitlines()[-_LINES:]
        return "\n".join(f"    {line}" for line in lines) or "    (no output)"


def run_command(command: str, timeout: float | None) -> Outcome:
    """Run a shell command with its output in a file; it and all its children end after `timeout` seconds."""
    # Python compares compiled files by second and size: trial versions come faster than that
    # and tests work on small arrays: with --above they would try nothing but NumPy
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NP2TNP_ABOVE": "0"}
    start = time.monotonic()
    with tempfile.TemporaryFile() as stream:
        process = subprocess.Popen(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=os.name == "posix",
        )
        how = ""
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            how = f"took longer than {timeout:.0f} s"
        finally:
            _end(process)
        stream.seek(0)
        output = stream.read().decode("utf-8", "replace")
    how = how or f"exit status {process.returncode}"
    return Outcome(how == "exit status 0", output, time.monotonic() - start, how)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()


def run_unchanged(command: str, timeout: float | None, say: Callable[[str], None]) -> Outcome:
    """Run the tests before any change. Raises ConfigError where they fail."""
    baseline = run_command(command, timeout)
    if not baseline.passed:
        raise ConfigError(f"the tests fail before any change ({baseline.how}):\n{baseline.tail}")
    say(f"the tests pass before the rewrite ({baseline.seconds:.1f} s)")
    return baseline


def keep_what_passes(
    made: pipeline.Plan,
    config: Config,
    command: str,
    timeout: float | None,
    say: Callable[[str], None],
    before_keeping: Callable[[pipeline.Plan, Writer], None],
    baseline: Outcome | None = None,
) -> tuple[pipeline.Plan, list[Reverted]]:
    """Apply the plan, or the largest part of it under which `command` succeeds, and say what was reverted and why.

    `before_keeping` is called with the part once it is found; `baseline` is the run without any change, where that was
    made. Raises ConfigError when the command fails already without any change. When anything else is raised, Ctrl-C
    included, all files are as they were.
    """
    baseline = baseline or run_unchanged(command, timeout, say)
    if not made.new:
        return made, []
    limit = timeout or 20 * baseline.seconds + 300
    everything = frozenset(made.regions)
    plans = {everything: made}
    failures: dict[frozenset[tuple[str, str]], Outcome] = {}

    def plan_of(regions: frozenset[tuple[str, str]]) -> pipeline.Plan:
        if regions not in plans:
            transaction.show({})  # imports are followed on disk: what is planned starts from the originals
            plans[regions] = pipeline.plan(made.files, replace(config, chosen_regions=regions))
        return plans[regions]

    def passes(regions: frozenset[tuple[str, str]]) -> bool:
        if regions in failures:
            return False
        transaction.show(plan_of(regions).new)
        outcome = run_command(command, limit)
        word = "pass" if outcome.passed else "fail"
        say(f"the tests {word} with {len(regions)} of {count(len(everything), 'function')}")
        if not outcome.passed:
            failures[regions] = outcome
            missing = _NOT_INSTALLED.search(outcome.output)
            if missing:
                raise ConfigError(f"the tests' Python has no {missing[1]}: install it there first")
        return outcome.passed

    transaction = Transaction(config.root, {path: made.files.contents[path] for path in made.new})
    try:
        with transaction:
            for folder in pipeline.runtime_folders(made, config):
                transaction.make(folder, _copy_runtime)
            kept = everything
            if not passes(everything):
                kept = largest_passing(_suspects_last(made.regions, failures[everything].output), passes)
                transaction.show(plan_of(kept).new)
            before_keeping(plan_of(kept), transaction.journal)
            transaction.keep(pipeline.runtime_folders(plan_of(kept), config))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(transaction.state) from None
    for note in transaction.journal.notes:
        say(note)
    done = plan_of(kept)
    return done, [_describe(region, kept, failures) for region in made.regions if region not in done.regions]


def _copy_runtime(folder: str, writer: Writer) -> None:
    from np2tnp.rewrite.vendoring import copy_runtime

    try:
        copy_runtime(folder, writer)
    except Problem as problem:
        raise ConfigError(str(problem)) from None


def _suspects_last(regions: tuple[tuple[str, str], ...], output: str) -> list[tuple[str, str]]:
    """The regions with those that the failure's tracebacks name at the end."""
    named = {(os.path.basename(file), name) for file, name in _FRAME.findall(output)}

    def is_suspect(region: tuple[str, str]) -> bool:
        file = os.path.basename(region[0])
        return (file, region[1].rpartition(".")[2]) in named or (file, "") in named

    return sorted(regions, key=is_suspect)


def _describe(
    region: tuple[str, str], kept: frozenset[tuple[str, str]], failures: dict[frozenset[tuple[str, str]], Outcome]
) -> Reverted:
    """With the failure that was seen last with it in: that is when it alone was added to what passes."""
    if region in kept:
        return Reverted(*region, "it cannot be rewritten without others that are left as they are")
    outcome = [outcome for subset, outcome in failures.items() if region in subset][-1]
    return Reverted(*region, f"the tests fail with it ({outcome.how})", outcome.tail)
