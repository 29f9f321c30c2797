"""Look for programs whose rewrite does something else: random modules, rewritten, both versions called.

    python benchmarks/random_programs.py [--programs 20000] [--seed 0] [--compile xla]
        [--above 5] [--on-unverified numpy] [--set slow=keep] [--files] [--half] [--shrink] [--out FILE]

Every program is one function of a random module (``program_generator.py``). Prints what was found as counts: programs,
migrated, blocked, and calls that are equal, refused, different, or raise where the original returns. With ``--shrink``
each difference is cut down to the statements that it needs. Exit status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Batch, conclude
from program_generator import Module, generate

if TYPE_CHECKING:
    from np2tnp.model import FileReport

FUNCTIONS = 6  #: programs in a module
Options = dict[str, Any]  #: of np2tnp rewrite, as Config has them


def run(
    seeds: range, shrink: bool = False, functions: int = FUNCTIONS, options: Options | None = None, files: bool = False
) -> Batch:
    """Generate, rewrite (with `options`) and compare the modules of these seeds, in this process."""
    batch = Batch()
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tries expressions out on zeros, and on nothing
            module = generate(seed, functions, files)
        _run_module(f"seed {seed}", module, batch, shrink, options or {})
    return batch


def _run_module(label: str, module: Module, batch: Batch, shrink: bool, options: Options) -> None:
    from side_by_side import Call, Pair

    from np2tnp.model import RegionState

    counts = batch.counts
    try:
        reports = _rewrite(module, options)
    except Exception as error:
        counts["engine crashed"] += 1
        batch.problems.append(
            f"{label}: engine crashed: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-2)}"
        )
        return
    states = {region.qualname: region.state for report in reports for region in report.regions}
    names = {call.partition("(")[0] for call in module.calls}
    counts["programs"] += len(names)
    counts["migrated"] += sum(states.get(name) is RegionState.CONVERTIBLE for name in names)
    counts["blocked"] += sum(states.get(name) is RegionState.BLOCKED for name in names)
    for report in reports:
        if report.error:
            counts["engine failed"] += 1
            batch.problems.append(f"{label}: engine failed: {report.error}")
    if all(report.new_text is None for report in reports):
        return
    new, *beside = [report.new_text or old for report, old in zip(reports, (module.text, module.beside), strict=False)]
    try:
        others = {"helper": (module.beside, beside[0])} if beside else None
        judgements = Pair(module.text, new, beside=others).compare(Call.parse(call) for call in module.calls)
    except Exception as error:
        counts["cannot be loaded"] += 1
        batch.problems.append(f"{label}: cannot be loaded: {type(error).__name__}: {error}\n{new}")
        return
    shown: set[str] = set()  # one difference a program is enough
    for call, judgement in zip(module.calls, judgements, strict=True):
        if judgement.detail.startswith("refused the input, but changed"):
            counts["refused late"] += 1  # a migrated function called by one that stays NumPy
            continue
        kind = "newly raising" if _is_newly_raising(judgement.kind, judgement.detail) else judgement.kind
        counts[kind] += 1
        if judgement.kind == "different" and call.partition("(")[0] not in shown:
            shown.add(call.partition("(")[0])
            text = f"{label}: {call}: {kind}: {judgement.detail}"
            if shrink:
                small = smaller(Module(module.text, [call], module.beside), kind, options)
                after = "\n---\n".join(report.new_text or "" for report in _rewrite(small, options))
                text += f"\n{small.beside}\n{small.text}\n>>> {small.calls[0]}\n--- rewritten\n{after}"
            batch.problems.append(text)


def _rewrite(module: Module, options: Options) -> list[FileReport]:
    """np2tnp's reports on the module, and on the one beside it."""
    from side_by_side import rewrite, rewrite_files

    if not module.beside:
        return [rewrite(module.text, **options)]
    return list(rewrite_files({"snippet": module.text, "helper": module.beside}, **options).values())


def _is_newly_raising(kind: str, detail: str) -> bool:
    return kind == "different" and detail.startswith("raises") and detail.endswith("the original returns")


# ---- making a differing program smaller


def smaller(module: Module, kind: str, options: Options, rounds: int = 150) -> Module:
    """`module` without the statements that its difference does not need."""
    trees = [ast.parse(module.text), ast.parse(module.beside)]
    tried = 0

    def now() -> Module:
        main, beside = (ast.unparse(tree) + "\n" for tree in trees)
        return Module(main, module.calls, beside if module.beside else "")

    changed = True
    while changed and tried < rounds:
        changed = False
        for body, index in chain.from_iterable(map(_removable, trees)):
            if tried >= rounds or index >= len(body):
                continue
            removed = body.pop(index)
            empty = not body
            if empty:
                body.append(ast.Pass())
            tried += 1
            if _shows(now(), kind, options):
                changed = True
                continue
            if empty:
                body.pop()
            body.insert(index, removed)
            if isinstance(removed, (ast.For, ast.If, ast.While, ast.Try)) and tried < rounds:
                body[index : index + 1] = copy.deepcopy(removed.body)
                tried += 1
                if _shows(now(), kind, options):
                    changed = True
                    break  # the list of statements is another one now
                body[index : index + len(removed.body)] = [removed]
    return now()


def _removable(tree: ast.Module) -> Iterator[tuple[list[ast.stmt], int]]:
    bodies = [
        getattr(node, name)
        for node in ast.walk(tree)
        for name in ("body", "orelse", "finalbody")
        if isinstance(getattr(node, name, None), list)
    ]
    for body in bodies:
        for index in range(len(body) - 1, -1, -1):
            if index < len(body) and not isinstance(body[index], (ast.Import, ast.Pass)):
                yield body, index


def _shows(module: Module, kind: str, options: Options) -> bool:
    """Whether the module still differs in that way."""
    found = Batch()
    with contextlib.suppress(Exception):
        _run_module("", module, found, False, options)
    return bool(found.counts[kind])


# ---- the command


def _run_batch(task: tuple[int, int, bool, Options, bool]) -> Batch:
    with open(os.devnull, "w") as quiet, contextlib.redirect_stderr(quiet):
        return run(range(task[0], task[1]), task[2], options=task[3], files=task[4])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first module")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with a TensorFlow of its own")
    parser.add_argument("--compile", choices=("hot", "none", "auto", "graph", "xla"), default="hot")
    parser.add_argument("--above", type=int, default=0, help="as of np2tnp rewrite: the original is kept beside")
    parser.add_argument("--on-unverified", choices=("raise", "numpy"), default="raise", help="as of np2tnp rewrite")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="any option of np2tnp rewrite"
    )
    parser.add_argument("--half", action="store_true", help="leave some functions of each module as they are")
    parser.add_argument("--files", action="store_true", help="modules that import half of their functions")
    parser.add_argument("--shrink", action="store_true", help="cut differing programs down")
    parser.add_argument("--out", type=Path, help="write the problems there as they are found")
    options = parser.parse_args()
    rewriting = {"compile": options.compile, "above": options.above, "on_unverified": options.on_unverified}
    for text in options.set:
        name, _, value = text.partition("=")
        rewriting[name] = {"true": True, "false": False}.get(value, value)
    if options.half:
        rewriting["skip_regions"] = ("f[024]", "[m-s]*", "*.[m-s]*")
    modules = -(-options.programs // FUNCTIONS)
    step = 25
    tasks = [
        (start, min(start + step, options.seed + modules), options.shrink, rewriting, options.files)
        for start in range(options.seed, options.seed + modules, step)
    ]
    # not an executor: one with a limit of tasks a child can wait for ever (CPython issue 115634)
    with get_context("spawn").Pool(options.jobs, maxtasksperchild=8) as pool:
        return conclude(pool.imap(_run_batch, tasks), len(tasks), options.out)


if __name__ == "__main__":
    sys.exit(main())
