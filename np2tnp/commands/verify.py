"""``np2tnp verify``: which functions to compare, with which arguments, and telling what came of it."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from np2tnp.config import Config
from np2tnp.report.progress import Stages
from np2tnp.terminal import say
from np2tnp.verify.program import TOP_LEVEL, FunctionResult, FunctionVerdict, Limits, require, verify_all
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions, check_inputs, find_pair, is_top_level_changed

if TYPE_CHECKING:
    from rich.console import Console

    from np2tnp.verify.program import FunctionResult
    from np2tnp.verify.two_texts import Pair


_MEBIBYTES = 64  #: of recorded arguments that are kept a call
_SECONDS = 60.0  #: that a program is expected to run; it is ended after about ten times as many


def run(args: argparse.Namespace, config: Config) -> int:
    """The command. Exit status 0 all equal, 1 different or untested (or nothing to compare), 2 error."""
    try:
        require("numpy", "tensorflow")
        check_inputs(args.inputs)
        with Stages(config.quiet or args.json) as stage, contextlib.ExitStack() as stack:
            stage(f"rewriting {args.file} in memory")
            pair = find_pair(args.file, args.original, config)
            changed, unchanged = changed_functions(pair)
            unknown = [name for name in args.functions if name not in changed and name not in unchanged]
            if unknown:
                raise CannotVerify(f"{args.file} has no function {', '.join(unknown)} in both versions")
            names = [name for name in args.functions if name in changed] if args.functions else changed
            if is_top_level_changed(pair) and not args.functions:
                if config.top_level:
                    names = [*names, TOP_LEVEL]
                else:
                    say(f"{args.file}: the top level changed, too: --top-level runs the script and compares its output")
            limits = Limits(args.count, args.seed, args.timeout, args.budget, args.memory, inputs=args.inputs)

            def tell(result: FunctionResult) -> None:
                stage.clear()
                if not args.json:
                    print_result(result)

            if args.program:
                stage("running the program, to record what its functions are called with")
                recorded = stack.enter_context(_recorded(args.program, pair, names, say=not args.json))
                limits = replace(limits, recorded=recorded, main=Path(pair.path).stem)
            stage.begin()
            results = verify_all(pair, names, limits, tell, stage)
    except CannotVerify as error:
        print(f"np2tnp verify: {error}", file=sys.stderr)
        return 2
    asked_unchanged = [name for name in args.functions or unchanged if name in unchanged]
    status = 0 if results and all(it.verdict is FunctionVerdict.EQUAL for it in results) else 1
    if args.functions and asked_unchanged:
        status = 1
    if args.json:
        import json

        functions = [it.as_dict() for it in results]
        print(
            json.dumps(
                {"path": pair.path, "original": pair.source, "functions": functions, "not_rewritten": asked_unchanged},
                indent=2,
            )
        )
        return status
    print_unchanged(asked_unchanged if args.functions or not results else [])
    print_summary(pair, results)
    return status


@contextlib.contextmanager
def _recorded(program: list[str], pair: Pair, names: list[str], say: bool) -> Iterator[dict[str, tuple[str, ...]]]:
    """Run the program, and give for each function the files with arguments that it was called with."""
    from np2tnp.profiling.hot import first_lines
    from np2tnp.profiling.record import Wanted, record

    if not pair.in_memory:
        raise CannotVerify(f"{pair.path} is rewritten already: a program can only be recorded before that")
    lines = first_lines(pair.original)
    wanted = [Wanted(pair.path, name, lines[name]) for name in names if name in lines]
    with tempfile.TemporaryDirectory(prefix="np2tnp-verify-") as folder:
        recorded, ended = record(program, wanted, Path(folder), _SECONDS, _MEBIBYTES)
        if ended.interrupted:
            raise KeyboardInterrupt
        found = {it.wanted.name: tuple(one.payload for one in it.signatures if one.payload) for it in recorded}
        if say:
            calls = sum(it.calls for it in recorded)
            print(f"the program called them {calls} times; {sum(map(len, found.values()))} calls are inputs, too")
        yield found


# --- The results of ``verify`` as text for people

_COLOURS = {"EQUAL": "green", "DIFFERENT": "bold red", "UNTESTED": "yellow"}
NO_ARGUMENTS = "no arguments found"  #: begins the reason of functions for which the search found none
_WORDS = {"raised": "raising alike", "refused": "refused", "unstable": "too sensitive to rounding to compare"}


def print_result(result: FunctionResult) -> None:
    """One function: its verdict, what it rests on, and for a difference the code that shows it."""
    from rich.text import Text

    console = _console()
    verdict = result.verdict.value
    line = Text.assemble((f"{verdict:<9}", _COLOURS[verdict]), " ", (result.name, "bold"), "  ", _evidence(result))
    console.print(line)
    if result.difference:
        console.print(Text(f"    {result.difference}{f' ({result.reason})' if result.reason else ''}"))
    elif result.reason:
        console.print(Text(f"    {result.reason}"))
    for warning in result.warnings[:3]:
        console.print(Text(f"    warning: {warning}", "yellow"))
    if result.code:
        console.print(Text("    to see it:"))
        for code_line in result.code.splitlines():
            console.print(Text(f"        {code_line}"))


def print_unchanged(names: list[str]) -> None:
    """Functions that are the same in both versions, about which nothing was learnt."""
    for name in names:
        _console().print(f"not rewritten  {name}", highlight=False, markup=False)


def print_summary(pair: Pair, results: list[FunctionResult]) -> None:
    """The last line."""
    counts = Counter(result.verdict.value for result in results)
    if not results:
        _console().print(
            f"{pair.path}: nothing to compare: no function was rewritten (original: {pair.source})",
            highlight=False,
            markup=False,
        )
        return
    said = ", ".join(f"{counts[name]} {name}" for name in _COLOURS if counts[name])
    _console().print(f"{pair.path}: {said} (original: {pair.source})", highlight=False, markup=False)
    if any(result.reason.startswith(NO_ARGUMENTS) for result in results):
        hint = "arguments that no search finds come from --inputs FILE.npz, or from a run: verify FILE -- PROGRAM"
        _console().print(hint, highlight=False, markup=False)


def _evidence(result: FunctionResult) -> str:
    parts = [f"{result.counts['equal']} inputs equal"] if result.counts["equal"] else []
    for kind, count in sorted(result.counts.items()):
        if kind != "equal" and count:
            parts.append(f"{count} {_WORDS.get(kind, kind)}")
    if result.operations:
        parts.append(f"{result.operations} TensorFlow operations")
    return ", ".join(parts)


def _console() -> Console:
    from rich.console import Console

    return Console(soft_wrap=True)
