"""``np2tnp profile``: times NumPy against what ``rewrite`` emits, and says what was seen."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from np2tnp.config import Config
from np2tnp.profiling.emitted import compiled_forms, eager, emission_options, variants_of
from np2tnp.profiling.environment import describe_host
from np2tnp.profiling.measured import AS_GIVEN, VARIANTS, Measured, Plan, settings_of
from np2tnp.profiling.measurement import measure
from np2tnp.profiling.results import SCHEMA, draw, missing_gpu, now, require_writable, write_json
from np2tnp.profiling.size_grid import SizeError, parse_sizes
from np2tnp.verify.program import require
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions, check_inputs, find_pair, functions_of


def run(args: argparse.Namespace, config: Config) -> int:
    """The command. Exit status 0 measured, 2 error."""
    try:
        if getattr(args, "program", None) is not None:
            from np2tnp.profiling.profiled_program import run_program

            if args.target:
                raise CannotVerify(f"{args.target}: name either FILE:FUNCTION or, after --, a program")
            if not args.find_only:
                require("numpy", "tensorflow")
            return run_program(args, config)
        require("numpy", "tensorflow")
        if args.suite:
            from np2tnp.profiling.basics import run_basics

            return run_basics(args, config)
        plan = make_plan(args, config)
        return _run_function(args, plan)
    except (CannotVerify, SizeError) as error:
        print(f"np2tnp profile: {error}", file=sys.stderr)
        return 2


def make_plan(args: argparse.Namespace, config: Config) -> Plan:
    """What the command line asks for. Raises CannotVerify, SizeError."""
    if not args.target or ":" not in args.target:
        raise CannotVerify("name what to time as FILE:FUNCTION, or give --suite basics")
    check_inputs(args.inputs)
    path, _, function = args.target.rpartition(":")
    name, sizes = parse_sizes(args.size) if args.size else ("elements", [AS_GIVEN])
    pair, slow, notes = _rewritten_pair(path, function, args.original, eager(config))
    plan = Plan(
        pair,
        function,
        name,
        tuple(sizes),
        tuple(_expression(text) for text in args.arg),
        inputs=args.inputs,
        variants=variants_of(VARIANTS, config),
        compiled=compiled_forms(pair, replace(config, slow=slow)),
        options=emission_options(config),
        migrated=tuple(changed_functions(pair)[0]),
        **settings_of(args),
    )
    for note in notes:
        print(note, file=sys.stderr)
    return plan


def _rewritten_pair(path: str, function: str, original: str | None, config: Config) -> tuple[Pair, str, list[str]]:
    """Both versions of the program, under which ``--slow``, and what to tell of it.

    Where `rewrite` keeps the function as too slow, it is what ``--slow convert`` makes.
    """
    pair = find_pair(path, original, config)
    if function not in functions_of(pair.original):
        raise CannotVerify(f"{path} has no function {function}")
    if function in changed_functions(pair)[0]:
        return pair, config.slow, []
    if pair.in_memory and config.slow == "keep":
        forced = find_pair(path, original, replace(config, slow="convert"))
        if function in changed_functions(forced)[0]:
            words = f"rewrite keeps {function} in NumPy as slower by far: measuring what --slow convert makes of it"
            return forced, "convert", [words]
    raise CannotVerify(
        f"rewrite does not change {function}: there is nothing to compare (np2tnp check {path} says why)"
    )


def _expression(text: str) -> tuple[str, str]:
    name, equals, expression = text.partition("=")
    if not equals or not name.strip().isidentifier() or not expression.strip():
        raise CannotVerify(f"--arg {text}: write it as NAME=EXPRESSION")
    try:
        compile(expression.strip(), "--arg", "eval")
    except SyntaxError as error:
        raise CannotVerify(f"--arg {text}: {error.msg}") from None
    return name.strip(), expression.strip()


def _run_function(args: argparse.Namespace, plan: Plan) -> int:
    from rich.console import Console

    from np2tnp.report.to_profile import live_display, render

    output = Path(args.output or "np2tnp-profile.json")
    require_writable(output)
    host = describe_host()
    created = now()
    partial: list[Measured] = []

    console = Console()
    if not console.is_terminal:
        console = Console(width=150)  # a file or a pipe has room
    try:
        with live_display() as display:

            def keep(measured: Measured) -> None:
                partial[:] = [measured]
                write_json(output, _document(measured, host, created, complete=False))
                display.show(measured)

            measured = measure(plan, display.progress, keep)
    except KeyboardInterrupt:
        where = f"what was measured so far is in {output}" if partial else "nothing was measured"
        print(f"np2tnp profile: interrupted; {where}", file=sys.stderr)
        return 130
    write_json(output, _document(measured, host, created, complete=True))
    reasons = {trial.reason for trial in measured.trials}
    if len(reasons) == 1 and "" not in reasons:
        print(f"np2tnp profile: nothing could be timed: {reasons.pop()}", file=sys.stderr)
        return 2
    for part in render(measured, console.width):
        console.print(part, highlight=False)
    if not any(trial.variant_time for trial in measured.trials):
        print("np2tnp profile: nothing could be timed", file=sys.stderr)
        return 2
    if said := missing_gpu(measured.devices):
        console.print(said, highlight=False)
    said = f"wrote {output}"
    if not args.no_charts:
        said += draw(["function", str(output), str(output.with_suffix(""))])
    console.print(said, highlight=False, soft_wrap=True, markup=False)
    return 0


def _document(measured: Measured, host: dict[str, Any], created: str, complete: bool) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kind": "function",
        "created": created,
        "complete": complete,
        "environment": {**host, **measured.environment},
        "devices": measured.devices,
        "functions": [measured.as_dict()],
    }
