"""Change real programs at random, rewrite what still runs, compare both versions: aliases in code that people write.

    python benchmarks/mutated_programs.py [PROGRAM.py ...] [--snippets] [--rounds 3] [--seed 0] [--jobs 1] [--out FILE]

In each round every program (of ``fixtures/programs``, or snippet of ``fixtures/semantics``) gets changes in some of
its functions (``mutations.py``); those that make one of its examples raise are taken back. The rest is rewritten and
all examples are called in both versions, some with other layouts or with one array for two arguments. Prints how many
calls are equal, refused, different..., and each difference with the smallest set of changes that shows it. Exit status
1 if any is.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import os
import random
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Batch, conclude
from mutations import HEAD, functions, mutate

Change = tuple[int, int]  #: number of the function, seed of what is changed in it
Options = dict[str, Any]
ROOT = Path(__file__).resolve().parents[1]
_SECONDS = 10  #: for one call


def mutant(text: str, changes: Sequence[Change]) -> str:
    """The program with these changes."""
    tree = ast.parse(text)
    found = functions(tree)
    for number, seed in changes:
        rng = random.Random(seed)
        for _ in range(8):
            if mutate(found[number], rng):
                break
    tree = ast.fix_missing_locations(tree)
    return _with_head(ast.unparse(tree))


def _with_head(text: str) -> str:
    tree = ast.parse(text)
    start = 1 if ast.get_docstring(tree) is not None else 0
    while start < len(tree.body) and isinstance(tree.body[start], ast.ImportFrom):
        if tree.body[start].module != "__future__":  # type: ignore[attr-defined]
            break
        start += 1
    tree.body[start:start] = ast.parse(HEAD).body
    return ast.unparse(tree) + "\n"


def snippets() -> dict[Path, str]:
    """Texts of the snippets of fixtures/semantics, with their calls as examples."""
    sys.path.insert(0, str(ROOT / "tests"))
    from snippets import read_all

    found = {}
    for number, snippet in enumerate(read_all()):
        calls = [ast.parse(call, mode="eval").body for call in snippet.calls]
        examples = [
            f"({call.func.id!r}, lambda np, rng: [{', '.join(map(ast.unparse, call.args))}], "
            f"dict({', '.join(map(ast.unparse, call.keywords))}))"
            for call in calls
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        ]
        if examples:
            found[Path(f"snippet{number}.py")] = f"{snippet.text}\nEXAMPLES = [{', '.join(examples)}]\n"
    return found


def run(path: Path, text: str, seeds: range, options: Options) -> Batch:
    """Mutants of one program, in this process."""
    batch = Batch()
    for seed in seeds:
        rng = random.Random(f"{path.stem} {seed}")
        numbers = range(len(functions(ast.parse(text))))
        changes = [(number, rng.randrange(10**9)) for number in numbers for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changes = _that_run(path, text, changes, seed)
            if changes:
                _try(path, text, changes, seed, batch, options)
    return batch


def _that_run(path: Path, text: str, changes: list[Change], seed: int) -> list[Change]:
    """The changes without those that make examples raise: by the functions that the tracebacks name."""
    for _ in range(6):
        bad = _raising(path, mutant(text, changes), seed)
        if not bad:
            return changes
        tree = ast.parse(text)
        names = [node.name for node in functions(tree)]
        left = [change for change in changes if names[change[0]] not in bad]
        if len(left) == len(changes):
            left = left[: len(left) // 2]
        changes = left
    return []


def _raising(path: Path, text: str, seed: int) -> set[str]:
    """Functions in which examples raise; ``<module>`` where the text does not even load."""
    from side_by_side import load

    from np2tnp.verify.observe import TimeIsUp, time_limit

    bad: set[str] = set()
    try:
        with time_limit(_SECONDS):
            module, state = load({path.stem: text})
    except (Exception, TimeIsUp):
        return {"<module>"}
    for name, args, kwargs in _calls(vars(module)["EXAMPLES"], seed):
        state.restore()
        try:
            with contextlib.redirect_stdout(None), time_limit(_SECONDS / 4):
                getattr(module, name)(*args(), **kwargs)
        except (Exception, TimeIsUp) as error:
            frames = traceback.extract_tb(error.__traceback__)
            bad.update(frame.name for frame in frames if frame.filename == path.name)
            bad.add("<call>")
    return bad


def _calls(examples: Sequence[Any], seed: int) -> list[Any]:
    """Each example once, as the function's name, what makes its arguments, and its keywords."""
    import numpy as np
    from programs_run import VARIATIONS, _changed

    found = []
    for number, (name, build, *rest) in enumerate(examples):
        rng = random.Random(f"{name} {number} {seed}")
        change = rng.choice(("strided", "fortran", "same", "overlap")) if rng.random() < 0.4 else ""

        def arguments(build: Any = build, change: str = change) -> list[Any]:
            args = list(build(np, np.random.default_rng(seed)))
            if change in VARIATIONS:
                with contextlib.suppress(Exception):
                    args = [_changed(item, VARIATIONS[change]) for item in args]
                return args
            for i, one in enumerate(args):
                for j, two in enumerate(args[:i]):
                    if type(one) is type(two) is np.ndarray and (one.shape, one.dtype) == (two.shape, two.dtype):
                        if change == "same":
                            args[i] = two
                        elif one.ndim and len(one):
                            both = np.concatenate([one, two[-1:]])
                            args[i], args[j] = both[:-1], both[1:]
            return args

        found.append((name, arguments, rest[0] if rest else {}))
    return found


def _try(path: Path, text: str, changes: list[Change], seed: int, batch: Batch, options: Options) -> None:
    counts = batch.counts
    new = mutant(text, changes)
    counts["changes"] += len(changes)
    counts["programs"] += 1
    for function, judgement in _judgements(path, new, seed, options, counts):
        kind = judgement.kind
        if judgement.detail.startswith("refused the input, but changed"):
            kind = "refused late"  # a migrated function called by one that stays NumPy
        counts[kind] += 1
        if kind != "different":
            continue
        small = _smallest(path, text, changes, seed, options, function)
        smaller = mutant(text, small)
        lines = difflib.unified_diff(
            mutant(text, []).splitlines(), smaller.splitlines(), "original", "mutant", n=4, lineterm=""
        )
        batch.problems.append(f"{path.name} seed {seed} {small} {function}: {judgement.detail}\n" + "\n".join(lines))


def _judgements(path: Path, text: str, seed: int, options: Options, counts: Counter[str] | None = None) -> list[Any]:
    import numpy as np
    from programs_run import _nudged
    from side_by_side import load, load_noisy, rewrite

    from np2tnp.verify.judge import Judgement, judge
    from np2tnp.verify.observe import TimeIsUp, observe, time_limit

    try:
        report = rewrite(text, path.name, **options)
    except Exception as error:
        return [("", Judgement("different", f"engine crashed: {type(error).__name__}: {error}"))]
    if report.error:
        return [("", Judgement("different", f"engine failed: {report.error}"))]
    if counts is not None:
        counts.update(f"regions {region.state.value}" for region in report.regions)
    if report.new_text is None:
        return []
    try:
        old, new = load({path.stem: text}), load({path.stem: report.new_text})
    except Exception as error:
        return [("", Judgement("different", f"cannot be loaded: {type(error).__name__}: {error}"))]
    noisy = None
    found = []
    for name, args, kwargs in _calls(vars(old[0])["EXAMPLES"], seed):

        def call(version: Any, moved: bool = False, name: str = name, args: Any = args, kwargs: Any = kwargs) -> Any:
            module, state = version
            state.restore()
            values = _nudged(args(), np.random.default_rng()) if moved else args()
            with time_limit(_SECONDS):
                return observe(getattr(module, name), values, dict(kwargs), None, state)

        def again(how: str, call: Any = call) -> Any:
            nonlocal noisy
            if how == "noisy" and noisy is None:
                noisy = load_noisy({path.stem: text})
            return call(noisy if how == "noisy" else old, how != "same")

        try:
            found.append((name, judge(call(old), call(new), again)))
        except TimeIsUp:
            found.append((name, Judgement("unstable", "takes too long")))
    return found


def _smallest(path: Path, text: str, changes: list[Change], seed: int, options: Options, function: str) -> list[Change]:
    """Fewer changes that still show a difference."""

    def shows(some: list[Change]) -> bool:
        return any(j.kind == "different" for _, j in _judgements(path, mutant(text, some), seed, options))

    for change in list(changes):
        fewer = [other for other in changes if other != change]
        if shows(fewer):
            changes = fewer
    return changes


def _run_task(task: tuple[Path, str, range, Options]) -> Batch:
    with open(os.devnull, "w") as quiet, contextlib.redirect_stderr(quiet):
        return run(*task)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("programs", nargs="*", type=Path)
    parser.add_argument("--snippets", action="store_true", help="those of fixtures/semantics instead of programs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the first round")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--compile", choices=("none", "graph", "xla"), default="none")
    parser.add_argument("--out", type=Path, help="write the problems there as they are found")
    options = parser.parse_args()
    paths = options.programs or sorted((ROOT / "fixtures" / "programs").glob("*.py"))
    programs = snippets() if options.snippets else {path: path.read_text(encoding="utf-8") for path in paths}
    rounds = range(options.seed, options.seed + options.rounds)
    rewriting = {"compile": options.compile}
    tasks = [(path, text, range(s, s + 1), rewriting) for s in rounds for path, text in programs.items()]
    with get_context("spawn").Pool(options.jobs, maxtasksperchild=200) as pool:
        return conclude(pool.imap(_run_task, tasks), len(tasks), options.out)


if __name__ == "__main__":
    sys.exit(main())
