"""Is what `check` says true? Runs programs under observation and compares what happened with the findings.

    PYTHONPATH=. python benchmarks/oracle.py [--only NAME ...] [--show N] [--output FOLDER]

Programs: fixtures/programs, fixtures/projects, the snippets of fixtures/semantics, and modules of installed packages
with their doctests or tests (`witness/subjects.py` lists them; what is not installed is left out). Each task runs in a
child process without network, with every place of its text observed (`witness/instrument.py`). What the words mean is
told in docs/dev/decisions (the oracle).

Prints, by state of the region, how many events happened and how many of them were told (recall); by code, how many
flagged places were executed and at how many of them it happened (precision); and the misses. The snippets, which are
aliases and other traps on purpose, are counted apart. Exit status 1 if an event in a convertible region was not told,
fewer than 99 % elsewhere, or less than 95 % of the flagged places of programs and packages are true.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from witness.compare import UNKNOWN, Tally, compare  # noqa: E402
from witness.places import Sight  # noqa: E402
from witness.subjects import Task, find_tasks  # noqa: E402

from np2tnp import pipeline  # noqa: E402
from np2tnp.config import Config  # noqa: E402

#: Nothing is wanted of the top level: it stays NumPy by decision.
TOP_LEVEL = "top level"
#: The task whose programs are traps: that few of its aliases are real says nothing about programs.
TRAPS = "semantics"


def observe(task: Task, folder: Path, seconds: int, limit: int) -> tuple[dict[str, list[Sight]], list[str]]:
    """What was seen in each file of a task, by path; and what went wrong, one line each."""
    told, out = folder / f"{task.name}.task.json", folder / f"{task.name}.json"
    subjects = [str(path) for path in task.subjects]
    told.write_text(json.dumps({"subjects": subjects, "steps": task.steps, "seconds": seconds}), encoding="utf-8")
    paths = os.pathsep.join(filter(None, [str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg", "HOME": str(folder)}
    command = [sys.executable, "-W", "ignore", "-m", "witness.child", str(told), str(out)]
    problems = []
    try:
        subprocess.run(command, env=environment, cwd=folder, timeout=limit, stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        problems.append(f"stopped after {limit} s: what ran until then counts")
    if not out.exists():
        return {}, [*problems, "the process died"]
    record = json.loads(out.read_text(encoding="utf-8"))
    return {path: list(map(Sight.load, rows)) for path, rows in record["files"].items()}, [
        *problems,
        *record["problems"],
    ]


def judge(seen: dict[str, list[Sight]]) -> Tally:
    """What `check` says of the files beside what was seen in them."""
    tally = Tally()
    files = [path for path, sights in seen.items() if sights]
    run = pipeline.check(files, Config(root=str(ROOT), slow="convert", cache=False, exclude=()))
    for report in run.reports:
        if report.error is not None:
            raise SystemExit(f"{report.path}: {report.error}")
        text = Path(report.path).read_text(encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the programs' own syntax
            tally.add(compare(report, seen[report.path], text))
    return tally


def figures(tally: Tally) -> dict[str, Any]:
    """The figures that count, and the tables behind them."""
    missed = Counter((event.state, event.kind) for event, _ in tally.missed)
    false = Counter(finding.code for finding in tally.false)

    def recall(*states: str) -> float:
        happened = sum(count for (state, _), count in tally.happened.items() if state in states)
        return 1 - sum(count for (state, _), count in missed.items() if state in states) / max(happened, 1)

    claims = [code for code in tally.executed if code != UNKNOWN]
    executed = sum(tally.executed[code] for code in claims)
    return {
        "recall_convertible": recall("convertible"),
        "recall_elsewhere": recall("blocked", "kept", "plain"),
        "precision": 1 - sum(false[code] for code in claims) / max(executed, 1),
        "recall": [
            {"state": state, "kind": kind, "happened": count, "missed": missed[state, kind]}
            for (state, kind), count in sorted(tally.happened.items())
        ],
        "precision_by_code": [
            {"code": code, "executed": tally.executed[code], "false": false[code]} for code in sorted(tally.executed)
        ],
    }


def lines(tally: Tally) -> Iterator[str]:
    """The misses, then the false alarms: ``path:line code``, and what it is."""
    for event, path in tally.missed:
        if event.state != TOP_LEVEL:
            place = event.place
            what = f"{event.kind} ({event.words}), {event.state} region"
            yield f"MISSED {_short(path)}:{place.line}:{place.column} {what}"
    for finding in tally.false:
        place = f"{_short(finding.path)}:{finding.span.line}:{finding.span.column}"
        yield f"FALSE  {place} {finding.code} {finding.message}"


def show(found: dict[str, Any]) -> None:
    print(f"\n{'region':<14}{'what happened':<16}{'times':>8}{'not told':>10}{'recall':>9}")
    for row in found["recall"]:
        share = 1 - row["missed"] / row["happened"]
        wanted = f"{share:>9.2%}" if row["state"] != TOP_LEVEL else "        -"
        print(f"{row['state']:<14}{row['kind']:<16}{row['happened']:>8}{row['missed']:>10}{wanted}")
    print(f"\n{'code':<10}{'executed':>9}{'false':>7}{'true':>9}")
    for row in found["precision_by_code"]:
        print(f"{row['code']:<10}{row['executed']:>9}{row['false']:>7}{1 - row['false'] / row['executed']:>9.2%}")
    print(
        f"\nrecall in convertible regions {found['recall_convertible']:.2%},"
        f" elsewhere {found['recall_elsewhere']:.2%}; "
        f"{found['precision']:.2%} of the flagged and executed places are true"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="tasks, such as programs or scipy")
    parser.add_argument("--seconds", type=int, default=90, help="for one program or the doctests of one module")
    parser.add_argument("--limit", type=int, default=1500, help="seconds for one task")
    parser.add_argument("--show", type=int, default=40, help="how many misses and false alarms to print")
    parser.add_argument("--output", type=Path, help="write figures.json and places.txt into this folder")
    options = parser.parse_args()
    total, traps = Tally(), Tally()
    by_task = {}
    with tempfile.TemporaryDirectory() as scratch:
        tasks = find_tasks(Path(scratch))
        unknown = set(options.only) - {task.name for task in tasks}
        if unknown:
            parser.error(f"no such task, or not installed: {', '.join(sorted(unknown))}")
        for task in tasks:
            if options.only and task.name not in options.only:
                continue
            seen, problems = observe(task, Path(scratch), options.seconds, options.limit)
            tally = judge(seen)
            (traps if task.name == TRAPS else total).add(tally)
            found = figures(tally)
            executed = sum(map(bool, seen.values()))
            by_task[task.name] = {"modules": len(task.subjects), "executed": executed, **found}
            events = sum(tally.happened.values())
            print(
                f"{task.name:<17}{executed:>4} modules, {events:>6} events; recall"
                f" {found['recall_convertible']:.2%} and {found['recall_elsewhere']:.2%},"
                f" true {found['precision']:.2%}",
                flush=True,
            )
            for problem in problems:
                print(f"    {problem}")
        places = [line.replace(f"{scratch}/", "semantics/") for tally in (total, traps) for line in lines(tally)]
    found, trapped = figures(total), figures(traps)
    show(found)
    print(*places[: options.show], sep="\n")
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        document = json.dumps({**found, "tasks": by_task}, indent=1) + "\n"
        (options.output / "figures.json").write_text(document, encoding="utf-8")
        (options.output / "places.txt").write_text("".join(f"{line}\n" for line in places), encoding="utf-8")
    enough = found["recall_convertible"] == 1 and found["recall_elsewhere"] >= 0.99 and found["precision"] >= 0.95
    return 0 if enough and trapped["recall_convertible"] == 1 else 1


def _short(path: str) -> str:
    for part in ("site-packages/", f"{ROOT}/"):
        if part in path:
            return path.rpartition(part)[2]
    return path


if __name__ == "__main__":
    sys.exit(main())
