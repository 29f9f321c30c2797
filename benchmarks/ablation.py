"""What each mechanism is good for: one is switched off at a time, and what is then lost is counted.

Run as ``python benchmarks/ablation.py [--cache DIR] [--only NAME...]``: it rewrites fixtures/ and three packages
(those of benchmarks/golden.py) in memory, with the default options and with ``--compile xla``. A row a mechanism: how
many functions that migrate stay then, and how many that stay migrate (a mechanism may keep some); how many texts
differ; the lines of its files. TensorFlow is not needed.

What gains less than one function in 500 and has more than 150 lines needs another reason to be there. What makes a
rewrite right is not switched off here: aliases, effects, escapes, checks at the door.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # the checkout that this file is in, whatever is installed

from golden import download  # noqa: E402

from np2tnp import pipeline  # noqa: E402
from np2tnp.config import Config  # noqa: E402
from np2tnp.model import RegionState  # noqa: E402

SETS = {"default": Config(rewrite=True), "xla": Config(rewrite=True, compile="xla")}


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: the name through which it is called, what stands there without it, and the files that it fills."""

    entry: str
    without: Callable[[Any], Any]  #: gets what stands there
    files: tuple[str, ...]


def _gives(value: Any) -> Callable[[Any], Any]:
    return lambda entry: lambda *args, **kwargs: value


def _no_exchanges(entry: Any) -> Any:
    kind = importlib.import_module("np2tnp.analysis.module.buffer_exchanges").Exchanges
    return lambda function: kind()


def _no_form(entry: Any) -> Any:
    kind = importlib.import_module("np2tnp.analysis.loops.loop_parts").NoForm

    def whole_array_form(*args: Any) -> Any:
        raise kind("it is switched off")

    return whole_array_form


MECHANISMS = {
    "buffers that change places": Mechanism(
        "np2tnp.analysis.driver.regions.exchanges_of",
        _no_exchanges,
        ("analysis/module/buffer_exchanges.py", "runtime/boundary/buffer_swaps.py"),
    ),
    "whole-array loops": Mechanism(
        "np2tnp.rules.cost.whole_array_loops.whole_array_form",
        _no_form,
        (
            "analysis/loops/whole_array_form.py",
            "analysis/loops/loop_parts.py",
            "rules/cost/whole_array_loops.py",
            "runtime/loops/vectorized_loops.py",
            "runtime/indexing/loop_steps.py",
        ),
    ),
    "doors": Mechanism(
        "np2tnp.analysis.driver.regions.widest_plain_door",
        lambda entry: lambda function, before, *others: before,
        ("analysis/driver/narrowing.py", "analysis/driver/shown_parameters.py", "analysis/domain/doors.py"),
    ),
    "texts that come as they are": Mechanism("np2tnp.analysis.driver.regions.handed_texts", _gives(frozenset()), ()),
    "arrays by what callers give": Mechanism(
        "np2tnp.analysis.driver.regions.arrays_given", _gives({}), ("analysis/module/parameter_kinds.py",)
    ),
    "complex arrays by what callers give": Mechanism(
        "np2tnp.analysis.driver.regions.complex_given", _gives(defaultdict(frozenset)), ()
    ),
    "staged loops": Mechanism(
        "np2tnp.engine.stage",
        lambda entry: lambda function, runtime, shadowed: function,
        tuple(f"rewrite/staging/{name}.py" for name in ("staged_functions", "early_exits", "growing_lists")),
    ),
}


@dataclass(frozen=True)
class Found:
    """What became of the sources: the functions that migrate, those with a loop of the runtime's, and the texts."""

    migrating: frozenset[tuple[str, str]]
    texts: dict[str, str]


def owner_of(entry: str) -> tuple[Any, str]:
    """The module, and the name in it through which a mechanism is called."""
    module, _, name = entry.rpartition(".")
    return importlib.import_module(module), name


def measure(name: str | None, options: str, folders: Sequence[Path]) -> Found:
    """What np2tnp makes of the `folders` without the mechanism of that name."""
    if name is not None:
        owner, entry = owner_of(MECHANISMS[name].entry)
        setattr(owner, entry, MECHANISMS[name].without(getattr(owner, entry)))
    migrating: set[tuple[str, str]] = set()
    texts: dict[str, str] = {}
    for folder in folders:
        os.chdir(folder.parent)
        config = replace(SETS[options], root=str(folder), cache=False, jobs=1, respect_gitignore=False)
        run = pipeline.rewrite([folder.name], config)
        texts |= {change.path: change.new_text for change in run.changes}
        migrating |= {
            (report.path, region.qualname)
            for report in run.reports
            for region in report.regions
            if region.state is RegionState.CONVERTIBLE
        }
    return Found(frozenset(migrating), texts)


def row(name: str, found: Found, whole: Found) -> str:
    """A line of the table."""
    lost, more = whole.migrating - found.migrating, found.migrating - whole.migrating
    paths = whole.texts.keys() | found.texts.keys()
    changed = sum(whole.texts.get(path) != found.texts.get(path) for path in paths)
    lines = sum(len((ROOT / "np2tnp" / file).read_bytes().splitlines()) for file in MECHANISMS[name].files)
    share = 500 * len(lost) / max(len(whole.migrating), 1)
    return f"| {name} | {len(lost)} | {len(more)} | {share:.1f} | {changed} of {len(paths)} | {lines or '-'} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "np2tnp-golden"
    parser.add_argument("--cache", type=Path, default=usual, help="where the packages are, outside of the repository")
    parser.add_argument("--only", nargs="+", choices=[*MECHANISMS], help="these mechanisms alone")
    parser.add_argument("--sets", nargs="+", choices=[*SETS], default=[*SETS], help="these options alone")
    parsed = parser.parse_args(arguments)
    folders = [ROOT / "fixtures", *download(parsed.cache)]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:  # each begins with all of them
        for options in parsed.sets:
            whole = pool.apply(measure, (None, options, folders))
            print(f"{options}: {len(whole.migrating)} functions migrate, {len(whole.texts)} files change\n")
            print("| without | functions lost | gained | lost of 500 | texts that differ | lines |")
            print("| --- | ---: | ---: | ---: | ---: | ---: |")
            for name in parsed.only or MECHANISMS:
                print(row(name, pool.apply(measure, (name, options, folders)), whole), flush=True)
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
