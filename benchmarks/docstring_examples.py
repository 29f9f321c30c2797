"""Runs the examples in the docstrings of packages before and after a rewrite, and compares their values.

    python benchmarks/docstring_examples.py FOLDER [--only GLOB...] [--slow keep] [--compile none] [--work DIR]
        [--seconds 60] [--show 40]

``FOLDER`` is an installed package (``.../site-packages/scipy``); it is copied, and the files that ``--only`` names (all
but tests by default) are rewritten in the copy. Each module's examples run in a process of its own: twice with the
originals, whose examples that differ from themselves are left out, and once rewritten, where TensorFlow works whatever
the size and whatever the machine (``NP2TNP_ABOVE=0``). What doctest compares is text, which rounds, and which most
packages let differ; here the value of each expression is compared: numbers, dtypes, shapes, types, exceptions.

Prints a row a module (examples, equal, different, raising, TensorFlow operations) and each difference. Exit status 1 if
anything differs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import fnmatch
import importlib
import io
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from np2tnp.verify.compare import Outcome, Tolerance, compare_outcomes

CHECKOUT = Path(__file__).resolve().parents[1]

#: Where an example stands: the docstring's object, and the number of the example in it.
Place = tuple[str, int, str]
#: Examples are whole computations, whose roundings add up; what is off by more is looked at by people.
TOLERANCE = Tolerance(ulp=1024, slack=1e-8)
SECONDS_A_DOCSTRING = 20


class OutOfTime(BaseException):
    """An example ran too long. No Exception: the code that runs must not catch it."""


def outcomes(module: str) -> Iterator[tuple[Place, bytes]]:
    """For each example of a module its place and what it gave (a pickled Outcome)."""
    import numpy as np

    default_rng = np.random.default_rng
    np.random.default_rng = lambda seed=0: default_rng(0 if seed is None else seed)
    signal.signal(signal.SIGALRM, _stop)
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module), extraglobs={"np": np}):
        np.random.seed(0)
        signal.alarm(SECONDS_A_DOCSTRING)
        try:
            for number, example in enumerate(test.examples):
                if not example.options.get(doctest.SKIP):
                    yield (test.name, number, example.source.strip()), frozen(outcome(example.source, test.globs))
        except OutOfTime:
            continue
        finally:
            signal.alarm(0)


def _stop(*_: Any) -> None:
    raise OutOfTime


def outcome(source: str, names: dict[str, Any]) -> Outcome:
    """What the statements of an example give: the value of the last one, if it is an expression."""
    try:
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, "<example>", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "<example>", "eval"), names) if last else None
    except Exception as error:
        return Outcome.of_error(error)
    return Outcome(value)


def frozen(result: Outcome) -> bytes:
    """The outcome as it is now. Of values that cannot be kept only the type counts."""
    if callable(result.value) or (result.error is None and "matplotlib" in type(result.value).__module__):
        return pickle.dumps(Outcome(f"<{type(result.value).__qualname__}>"))
    try:
        data = pickle.dumps(result)
        pickle.loads(data)
    except Exception:
        return pickle.dumps(Outcome(f"<{type(result.value).__qualname__}>"))
    return data


def child(module: str, output: str) -> None:
    """Runs the examples of a module and writes what they gave, and how many TensorFlow operations there were."""
    warnings.simplefilter("ignore")
    results: dict[Place, bytes] = {}
    operations = 0
    if os.environ.get("NP2TNP_ABOVE"):
        from np2tnp.runtime.boundary.counting import count_ops

        with count_ops() as counted:
            results.update(outcomes(module))
        operations = counted.total
    else:
        results.update(outcomes(module))
    Path(output).write_bytes(pickle.dumps((results, operations)))


def run(module: str, root: Path, rewritten: bool, seconds: int) -> tuple[dict[Place, Outcome], int] | str:
    """What the examples of a module gave in a process of their own; a text where it failed."""
    paths = [str(root), str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MPLBACKEND": "agg", "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("NP2TNP_ABOVE", None)
    if rewritten:
        environment["NP2TNP_ABOVE"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "results")
        command = [sys.executable, __file__, "--child", module, output]
        try:
            done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return "out of time"
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        results, operations = pickle.loads(Path(output).read_bytes())
    kept = {}
    for place, data in results.items():
        with contextlib.suppress(Exception):  # of a class that cannot be imported here
            kept[place] = pickle.loads(data)
    return kept, operations


def rewrite(target: Path, root: Path, options: argparse.Namespace) -> list[Path]:
    """Rewrites the chosen files of the copy; gives those that changed."""
    from np2tnp import pipeline
    from np2tnp.config import Config

    files = [
        str(path)
        for path in sorted(target.rglob("*.py"))
        if "tests" not in path.parts and not path.name.startswith("test_") and _is_wanted(path, target, options.only)
    ]
    config = Config(root=str(root), slow=options.slow, compile=options.compile, cache=False, quiet=True, jobs=1)
    return [Path(change.path) for change in pipeline.rewrite(files, config, apply=True).changes]


def _is_wanted(path: Path, target: Path, only: list[str]) -> bool:
    return not only or any(fnmatch.fnmatch(str(path.relative_to(target)), pattern) for pattern in only)


def compare_module(module: str, before: Path, after: Path, seconds: int) -> tuple[Counter[str], list[str]]:
    """Counts of a module's examples by what came of them, and the differences as texts."""
    runs = [run(module, root, root is after, seconds) for root in (before, before, after)]
    failed = next((item for item in runs if isinstance(item, str)), None)
    if failed is not None:
        return Counter(unfinished=1), [f"{failed} ({'rewritten' if runs[2] == failed else 'original'})"]
    (first, _), (again, _), (rewritten, operations) = runs  # type: ignore[misc]
    counts: Counter[str] = Counter(operations=operations)
    differences = []
    for place, expected in first.items():
        if place not in again or not compare_outcomes(expected, again[place], TOLERANCE):
            counts["unstable"] += 1
        elif place not in rewritten:
            counts["unfinished"] += 1
        elif agreement := compare_outcomes(expected, rewritten[place], TOLERANCE):
            counts["equal"] += 1
        else:
            counts["different"] += 1
            differences.append(f"{place[0]}: >>> {place[2].splitlines()[0]}\n    {agreement.kind}: {agreement.detail}")
    return counts, differences


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:4])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="GLOB", help="files to rewrite, relative to FOLDER")
    parser.add_argument("--slow", choices=("keep", "convert"), default="convert")
    parser.add_argument("--compile", choices=("none", "graph", "xla"), default="none")
    parser.add_argument("--work", type=Path, help="where the copy is made and left (default: a temporary directory)")
    parser.add_argument("--seconds", type=int, default=120, help="for the examples of one module")
    parser.add_argument("--show", type=int, default=40, help="how many differences to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = (options.work or Path(folder)).resolve()
        target = root / options.folder.name
        shutil.copytree(options.folder, target)
        libraries = options.folder.with_name(f"{options.folder.name}.libs")  # which wheels load by relative paths
        if libraries.is_dir():
            shutil.copytree(libraries, root / libraries.name)
        changed = rewrite(target, root, options)
        print(f"{'module':48} {'equal':>6} {'different':>9} {'unstable':>8} {'unfinished':>10} {'operations':>10}")
        total: Counter[str] = Counter()
        for path in changed:
            if b">>>" not in path.read_bytes():
                continue
            module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            counts, differences = compare_module(module, options.folder.resolve().parent, root, options.seconds)
            total += counts
            print_row(module, counts)
            for text in differences[: max(0, options.show)]:
                print(f"  {text}", flush=True)
        print_row(f"{options.folder.name}: {len(changed)} files", total)
    return int(total["different"] > 0)


def print_row(name: str, counts: Counter[str]) -> None:
    print(
        f"{name:48} {counts['equal']:6} {counts['different']:9} {counts['unstable']:8} {counts['unfinished']:10} "
        f"{counts['operations']:10}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
