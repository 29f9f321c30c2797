"""Every call of the probe's tables, rewritten alone with default settings and compared with the original.

``python benchmarks/single_calls.py [NAME ...]`` makes ``def f(v): return np.<call>`` of each case, rewrites them,
calls original and rewritten with the same arguments in every dtype of the case, compares results (value, dtype,
shape, class, whether it is an argument itself), exceptions and what became of the arguments, and prints totals.

NumPy's calls run in child processes, many functions a module: a crash of the process is one case. With ``--compile``
the functions are compiled; how many calls really ran so is printed too (the others run as without it).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(os.environ.get("NP2TNP_ROOT", Path(__file__).resolve().parents[1]))
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from children import answers  # noqa: E402
from single_functions import Single, list_singles  # noqa: E402

from np2tnp.probe import behaviour  # noqa: E402
from np2tnp.probe.cases.all_cases import Case, fresh_arguments  # noqa: E402
from np2tnp.verify.compare import Outcome, compare  # noqa: E402

PER_MODULE = 60
#: Seconds without a word from a child after which the call that it announced counts as a crash.
PATIENCE = 120.0

#: Values without meaning: memory that nobody has written yet, addresses.
_SHAPE_ONLY = {"numpy.empty", "numpy.empty_like"}
_ADDRESSES = {"ndarray.ctypes", "ndarray.data"}


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one function and one dtype."""

    index: int
    char: str
    state: str  #: ``equal`` ``different`` ``raising`` ``refused`` ``crash``; or why the function stays: ``kept`` ...
    detail: str = ""


# --- in the child


def work(
    job: list[int], skip: set[tuple[int, str]], singles: list[Single], mode: str, say: Callable[..., None]
) -> None:
    """Rewrite and compare the functions `job` names, telling each result as it comes."""
    from np2tnp.probe.probed_calls import import_runtime
    from np2tnp.runtime.compile import compiled

    import_runtime()
    compiled.MOST_TRACES = 100  # one a dtype
    for start in range(0, len(job), PER_MODULE):
        chunk = job[start : start + PER_MODULE]
        texts = {index: singles[index].source(f"f{index}") for index in chunk}
        original, rewritten, states = migrate(texts, mode)
        for index in chunk:
            state, reason = states[f"f{index}"]
            if state != "convertible":
                say("result", index, "", state, reason)
                continue
            single = singles[index]
            for char in single.case.dtypes if single.parameters else "d":
                if (index, char) in skip:
                    say("result", index, char, "crash", "")
                    continue
                say("start", index, char)
                found = examine(single, char, original[f"f{index}"], rewritten[f"f{index}"])
                if found is not None:
                    say("result", index, char, *found)
            say("rewritten", index, _text_of(rewritten["__text__"], f"f{index}"))
            say("runs", index, dict(compiled.RUNS))
            compiled.RUNS.clear()


def migrate(
    texts: dict[int, str], mode: str = "none"
) -> tuple[dict[str, Any], dict[str, Any], dict[str, tuple[str, str]]]:
    """Namespaces of the original and the rewritten module, and per function its state and the first reason for it."""
    from np2tnp import engine
    from np2tnp.config import Config
    from np2tnp.files.source import from_text

    text = "import numpy as np\n\n\n" + "\n\n".join(texts.values())
    report = engine.analyze(from_text("singles.py", text), Config(rewrite=True, compile=mode, on_unverified="raise"))
    states = {region.qualname: (region.state.value, (region.reasons or ("",))[0]) for region in report.regions}
    original: dict[str, Any] = {"__name__": "original"}
    exec(compile(text, "original.py", "exec"), original)
    new_text = report.new_text or text
    rewritten: dict[str, Any] = {"__name__": "rewritten", "__text__": new_text}
    exec(compile(new_text, "rewritten.py", "exec"), rewritten)
    for name in (f"f{index}" for index in texts):  # a function in which there is nothing of NumPy's to convert
        states.setdefault(name, ("unused", ""))
    return original, rewritten, states


def _text_of(module: str, name: str) -> str:
    lines = module.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"def {name}("))
    first = at - 1 if lines[at - 1].startswith("@") else at
    last = next((i for i in range(at + 1, len(lines)) if lines[i][:1] in ("d", "@")), len(lines))
    return "\n".join(lines[first:last]).strip()


def examine(single: Single, char: str, original: Any, rewritten: Any) -> tuple[str, str] | None:
    """State and detail, or None where the call means nothing for the dtype (such as ``-v`` for booleans)."""
    from np2tnp.probe.probed_calls import call_on_numpy

    expected, itself = call(original, single, char)
    actual, itself_too = call(rewritten, single, char)
    if actual.error == "UnverifiedError":
        return "refused", actual.message
    if expected.error is not None or actual.error is not None:
        if expected.error is None:
            return "raising", f"{actual.error}: {actual.message}"
        if actual.error is None:
            return "different", f"returns, where NumPy raises {expected.error}: {expected.message}"
        if expected.error not in actual.bases and actual.error not in expected.bases:
            return "different", f"raises {actual.error}, where NumPy raises {expected.error}: {actual.message}"
    else:
        arguments = call_on_numpy(single.case, char)[1]
        agreement = compare_results(single.case, expected.value, actual.value, arguments)
        if agreement:
            return "different", agreement
        if itself != itself_too:
            return "different", f"the result is the argument {itself_too or 'of none'}, in NumPy {itself or 'none'}"
    after = compare(dict(expected.arguments), dict(actual.arguments))
    if not after and actual.error is not None:  # NumPy may have done part of the work; nothing is written back
        fresh = fresh_arguments(single.case.call, char)
        after = compare({name: fresh[name] for name in actual.arguments}, dict(actual.arguments))
    return ("equal", "") if after else ("different", f"argument afterwards: {after.detail}")


def compare_results(case: Case, expected: Any, actual: Any, arguments: Any) -> str:
    """What differs, or nothing."""
    from np2tnp.probe.probed_calls import compare_value

    if case.api in _ADDRESSES:
        return "" if type(expected) is type(actual) else f"{type(actual)} instead of {type(expected)}"
    if isinstance(expected, np.flatiter) and isinstance(actual, np.flatiter):
        expected, actual = np.array(expected), np.array(actual)
    if case.api in _SHAPE_ONLY and isinstance(expected, np.ndarray) and isinstance(actual, np.ndarray):
        expected, actual = np.zeros_like(expected), np.zeros_like(actual)
    agreement = compare_value(case, expected, actual, arguments) if arguments else compare(expected, actual)
    return "" if agreement else agreement.detail or agreement.kind


def call(function: Any, single: Single, char: str) -> tuple[Outcome, str]:
    """What a call did, and the name of the argument that it returned, if it did."""
    # no name of an array is free in a function: what fresh_arguments lacks is bound by the call itself
    values = fresh_arguments(single.case.call, char)
    arguments = [values[name] for name in single.parameters]
    arrays = {n: v for n, v in zip(single.parameters, arguments, strict=True) if isinstance(v, np.ndarray)}
    np.random.seed(12345)
    try:
        with behaviour.quiet():
            value = function(*arguments)
    except Exception as error:
        return Outcome.of_error(error, arrays), ""
    itself = next((name for name, array in arrays.items() if value is array), "")
    return Outcome(value, arguments=arrays), itself


def serve() -> int:
    """The child: one job from standard input, one JSON line a word on standard output."""
    job = json.loads(sys.stdin.read())
    stream = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    skip = {(index, char) for index, char in job["skip"]}
    work(
        job["indices"],
        skip,
        list_singles(in_keywords=job["in_keywords"]),
        job["mode"],
        lambda *words: print(json.dumps(words, default=str), file=stream),
    )
    return 0


# --- in the parent


def run(
    singles: list[Single], indices: list[int], jobs: int, mode: str = "none", in_keywords: bool = False
) -> tuple[list[Result], dict[int, str], Counter[str]]:
    """Results of all functions `indices` names, the texts of those that were rewritten, and how compiled ones ran."""
    with ThreadPoolExecutor(jobs) as pool:
        parts = list(
            pool.map(lambda part: list(_drive(part, mode, in_keywords)), (indices[i::jobs] for i in range(jobs)))
        )
    words = [word for part in parts for word in part]
    results = [Result(*rest) for kind, *rest in words if kind == "result"]
    texts = {index: text for kind, index, text, *_ in words if kind == "rewritten"}
    runs: Counter[str] = Counter()
    for kind, *rest in words:
        if kind == "runs":
            runs.update(rest[1])
    return sorted(results, key=lambda result: (result.index, result.char)), texts, runs


def _drive(indices: list[int], mode: str, in_keywords: bool) -> Iterator[list[Any]]:
    """Run children until none dies."""
    skip: list[list[Any]] = []
    while indices:
        last: list[Any] | None = None
        done: set[int] = set()
        job = {"indices": indices, "skip": skip, "mode": mode, "in_keywords": in_keywords}
        for word in answers(__file__, job, PATIENCE * 3, PATIENCE):
            if word[0] == "start":
                last = word[1:]
                continue
            yield word
            last = None
            done.add(word[1])
        if last is None:
            if not indices or indices[-1] not in done:
                raise RuntimeError("a child ended before its work was done: run it with --jobs 1 --log")
            return
        skip.append(last)
        indices = indices[indices.index(last[0]) :]


def choose(singles: list[Single], count: int, seed: int = 0) -> list[int]:
    """A sample of the functions, the same for the same seed."""
    return sorted(random.Random(seed).sample(range(len(singles)), min(count, len(singles))))


def describe(results: list[Result], singles: list[Single]) -> Iterator[str]:
    """The totals, a line each."""
    states = Counter(result.state for result in results)
    compared = sum(states[state] for state in ("equal", "different", "raising", "refused", "crash"))
    functions = {result.index for result in results}
    converted = {r.index for r in results if r.state in ("equal", "different", "raising", "refused", "crash")}
    yield f"calls: {len(functions)}, converted: {len(converted)} ({len(converted) / max(len(functions), 1):.1%})"
    stay = Counter(r.state for r in results if r.index not in converted)
    yield "not converted: " + (", ".join(f"{count} {state}" for state, count in sorted(stay.items())) or "none")
    yield f"cases (a converted call in one dtype): {compared}"
    words = ("equal", "different", "raising", "crash", "refused")
    yield ", ".join(f"{word} {states[word]}" for word in words) + f" ({states['refused'] / max(compared, 1):.1%})"


def list_problems(results: list[Result], singles: list[Single], texts: dict[int, str]) -> Iterator[str]:
    """What is not equal, one line for all dtypes of a call that have the same state."""
    groups: dict[tuple[int, str], list[Result]] = {}
    for result in results:
        if result.state not in ("equal", "kept", "unused"):
            groups.setdefault((result.index, result.state), []).append(result)
    for (index, state), group in sorted(groups.items(), key=lambda item: (item[0][1], item[0][0])):
        chars = "".join(result.char for result in group)
        text = texts.get(index, "").replace("\n", " ; ")
        yield f"{state}: {singles[index].case} {chars} -> {group[0].detail}\n      {text}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only calls of these, such as sum or ndarray.sort")
    parser.add_argument("--sample", type=int, metavar="N", help="only N calls, chosen at random with a fixed seed")
    parser.add_argument("--problems", action="store_true", help="list everything that is not equal")
    parser.add_argument("--in-keywords", action="store_true", help="give each argument that has a name by its name")
    parser.add_argument("--compile", choices=("none", "graph", "xla"), default="none")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1), help="child processes")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.serve:
        return serve()
    singles = list_singles(in_keywords=arguments.in_keywords)
    named = (
        {single.case.api for single in list_singles(set(arguments.names), arguments.in_keywords)}
        if arguments.names
        else None
    )
    indices = [i for i, single in enumerate(singles) if named is None or single.case.api in named]
    if arguments.sample:
        indices = choose(singles, arguments.sample)
    results, texts, runs = run(singles, indices, arguments.jobs, arguments.compile, arguments.in_keywords)
    if arguments.problems:
        print("\n".join(list_problems(results, singles, texts)))
    print("\n".join(describe(results, singles)))
    if arguments.compile != "none":
        print("runs of compiled functions: " + ", ".join(f"{count} {how}" for how, count in sorted(runs.items())))
    return int(any(result.state in ("different", "raising", "crash") for result in results))


if __name__ == "__main__":
    sys.exit(main())
