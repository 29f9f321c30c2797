"""Generates catalog/facts.json: NumPy's surface, NumPy's behaviour, and how far TensorFlow agrees.

``np2tnp probe [--only numpy.sum] [--diff]``. The calls are made in child processes, since some of TensorFlow's crash:
a crash, and a call that hangs, is a result like any other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from np2tnp.catalog import load
from np2tnp.options import OF_COMMANDS
from np2tnp.probe import agreement, behaviour, domains, facts_file, python_syntax, surface
from np2tnp.probe import agreement as stage_facts
from np2tnp.probe.cases.all_cases import all_cases, name_below, name_helper
from np2tnp.probe.probed_calls import STAND_INS

# --- Ends a child process that says nothing any more: by its CPU time, since a busy machine makes all slow


class Watch:
    """Kills `process` when it used `patience` seconds of CPU time, or `waiting` times as many by the clock.

    Where the system does not tell CPU times, the clock decides alone.
    """

    def __init__(self, process: subprocess.Popen[str], patience: float, waiting: float) -> None:
        self.expired = False  #: whether it was killed
        self._process = process
        self._waiting = waiting
        self._stopped = threading.Event()
        self.reset(patience)
        threading.Thread(target=self._run, daemon=True).start()

    def reset(self, patience: float) -> None:
        """Begin to count anew."""
        self._since = time.monotonic(), cpu_seconds(self._process.pid)
        self._patience = patience

    def stop(self) -> None:
        """Let the process live."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(min(1.0, self._patience / 4)):
            (begun, used), patience = self._since, self._patience
            now = cpu_seconds(self._process.pid)
            spent = time.monotonic() - begun
            if now is None or used is None:
                is_over = spent > patience
            else:
                is_over = now - used > patience or spent > patience * self._waiting
            if is_over:
                self.expired = True
                self._process.kill()
                return


def cpu_seconds(pid: int) -> float | None:
    """The CPU time that a running process used so far; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


#: CPU seconds without a word from a child after which the case it announced counts as crashed.
PATIENCE = 60.0

#: The same before its first word: it imports TensorFlow.
START = 300.0

#: How much longer it may take by the clock, since other programs may have the processor.
WAITING = 20.0


def describe_numpy(names: set[str] | None = None) -> dict[str, dict[str, Any]]:
    """Facts about NumPy alone: kind, parameters and measured behaviour of each name (or of `names`)."""
    facts = surface.list_surface()
    for name, fact in facts.items():
        if "alias_of" in fact or (names is not None and name not in names):
            continue
        measured = behaviour.measure(name, fact.get("parameters", []))
        if measured is None:
            continue
        fact.update(effect=measured.effect, zero_d=measured.zero_d, result=measured.result, returns=measured.returns)
        if measured.mutates:
            fact["mutates"] = measured.mutates
        fact["numpy_calls"] = measured.calls
    return {name: {k: v for k, v in fact.items() if v is not None} for name, fact in facts.items()}


def observe(
    part: str,
    apis: Iterable[str],
    workers: int,
    saved: Path | None = None,
    facts: dict[str, Any] | None = None,
    device: str | None = None,
) -> dict[str, dict[str, Any]]:
    """What the children saw, by API and target; appended to the file `saved` as it comes in.

    Parameters
    ----------
    part : ``eager``, or ``staged`` for what `facts` say to be equal in eager mode.
    device : on which eager calls are made in the staged part; by default the first GPU, where there is one.
    """
    todo = list(apis)
    results: dict[str, dict[str, Any]] = {}
    job = {"part": part, "facts": facts or {}, "device": device}
    threads = [threading.Thread(target=_drive, args=(job, todo[i::workers], results, saved)) for i in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    missing = [api for api in todo if api not in results]
    if missing:
        raise RuntimeError(f"nothing was observed of {missing[0]}: run the probe for it alone to see why")
    return results


def _drive(job: dict[str, Any], apis: list[str], results: dict[str, dict[str, Any]], saved: Path | None) -> None:
    skip: list[list[str]] = []
    while apis:
        known = {api: job["facts"][api] for api in apis if api in job["facts"]}
        last = _run_child({**job, "facts": known, "apis": apis, "skip": skip}, results, saved)
        left = [api for api in apis if api not in results]
        if last is not None:
            print(f"crashed: {last}", file=sys.stderr)
            skip.append(last)
        elif left == apis:  # neither a result nor a culprit
            return
        apis = left


def _run_child(job: dict[str, Any], results: dict[str, dict[str, Any]], saved: Path | None) -> list[str] | None:
    """Run one child to its end. The case that killed it, or None."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0"}
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "np2tnp.probe.child"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("NP2TNP_PROBE_LOG") else subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(job))
    process.stdin.close()
    last: list[str] | None = None
    watch = Watch(process, START, WAITING)
    for line in process.stdout:
        watch.reset(PATIENCE)
        word, *rest = json.loads(line)
        if word == "start":
            last = rest
        elif word == "done":
            results[rest[0]] = rest[1]
            last = None
            if saved is not None:
                with saved.open("a", encoding="utf-8") as stream:
                    stream.write("\n" + json.dumps([job["part"], *rest, _measured_on()]) + "\n")
    watch.stop()
    process.wait()
    is_single = job["part"] == "eager"  # a graph that takes too long is made again call by call
    return [*last[:2], "*", "*"] if last is not None and watch.expired and is_single else last


def add_targets(facts: dict[str, dict[str, Any]], observed: dict[str, dict[str, Any]]) -> None:
    """Put the targets that the observations allow into the facts, the methods' and operators' included."""
    for api, targets in observed.items():
        fact = facts.get(api)
        if fact is None:  # a name that the installed NumPy does not have yet
            continue
        for target, calls in targets.items():
            if isinstance(calls, dict):  # a tensor's operator, by pairs of dtypes
                fact[target] = {"target": "operator", **calls}
                continue
            stand_in, wrap = STAND_INS.get(api, ("", "")) if target == "tnp" else ("", "")
            name = (
                stand_in
                or python_syntax.name_targets(api).get(target)
                or f"{target}.{name_helper(api) if target == 'rt' else name_below(api)}"
            )
            entry, notes = (agreement if name.startswith("rt.") else domains).summarize(
                calls, surface.call_parameters(api, fact), name
            )
            if wrap:
                entry["wrap"] = wrap
            if target == "tnp" or entry["dtypes"]:  # a helper that is right for nothing is no helper: the host is
                fact[target] = entry
            fact.setdefault("agreement", {})[target] = notes
    for name, fact in facts.items():
        if name.startswith("ndarray.") and fact.get("kind") in ("method", "attribute") and not fact.get("mutates"):
            _share_with_method(fact, facts.get(f"numpy.{name[8:]}", {}), facts)


def _share_with_method(method: dict[str, Any], function: dict[str, Any], facts: dict[str, dict[str, Any]]) -> None:
    """A method that is a function of the same name takes the function's targets, as far as its own parameters go."""
    function = facts.get(function.get("alias_of", ""), function)
    names = surface.parameter_names(function.get("parameters", []))
    if not names:
        return
    own = {"*", names[0], *surface.parameter_names(method["parameters"])}
    variadic = any(
        t.startswith("*") and t != "*" for t in method["parameters"]
    )  # reshape(2, 3): np2tnp passes one tuple
    for target in ("tnp", "rt"):
        if target in function and target not in method and target not in method.get("agreement", {}):
            entry = dict(function[target])
            entry["accepted"] = [n for n in entry["accepted"] if variadic or n in own]
            if "kinds" in entry:
                entry = domains.of_method(entry, names[0])
            method[target] = entry


def probed_apis(names: set[str] | None) -> list[str]:
    """The APIs to call: those with cases, operators first because they take longest. Random streams are NumPy's
    alone.
    """
    known = surface.list_surface()
    apis = [
        api
        for api in all_cases()
        if not api.startswith("numpy.random.")
        and (names is None or api in names)
        and "alias_of" not in known.get(api, {})
    ]
    return sorted(apis, key=lambda api: not api.startswith("operator."))


def _measured_on() -> str:
    """The versions of which an observation tells: a file of them serves no other ones."""
    return ", ".join(f"{name} {version}" for name, version in sorted(facts_file.installed_versions().items()))


def _rows(text: str) -> Iterator[list[Any]]:
    """The observations in a file, without what a run that was killed had written of its last one."""
    for line in text.splitlines():
        try:
            row = json.loads(line or "null")
        except json.JSONDecodeError:
            continue
        if isinstance(row, list) and len(row) == 4:
            yield row


def measure(
    part: str,
    apis: list[str],
    jobs: int,
    saved: Path | None,
    facts: dict[str, Any] | None = None,
    device: str | None = None,
) -> dict[str, Any]:
    """The observations of one part.

    Parameters
    ----------
    saved : a file of observations from an earlier run, which is not repeated but completed, or None. What other
    versions of NumPy or TensorFlow did is measured again.
    """
    found: dict[str, Any] = {}
    if saved is not None and saved.exists():
        wanted, versions = set(apis), _measured_on()
        for kept, api, seen, on in _rows(saved.read_text(encoding="utf-8")):
            if kept == part and api in wanted and on == versions:
                found[api] = seen
    return found | observe(part, [api for api in apis if api not in found], jobs, saved, facts, device)


def run(arguments: argparse.Namespace, _config: object = None) -> int:
    """``np2tnp probe``. Facts measured on an older TensorFlow are added as what differs there."""
    names = set(arguments.only) if arguments.only else None
    known = surface.list_surface().keys() | all_cases().keys()
    for name in sorted((names or set()) - known):
        meant = load().suggest(name)
        print(f"np2tnp: nothing to measure of `{name}`{f'; did you mean `{meant}`?' if meant else ''}", file=sys.stderr)
        return 2
    path = arguments.facts or facts_file.FACTS
    document = facts_file.read(path)
    versions = facts_file.installed_versions()
    apis = probed_apis(names)
    part = arguments.part
    if names is not None and not facts_file.knows_stages(document, versions):
        if part == "staged":
            print("np2tnp: stages of an older TensorFlow are measured of all names at once", file=sys.stderr)
            return 2
        part = "eager"  # stages of a few names would count as those of all
    if part == "staged":
        facts = facts_file.seen_by(document, versions)
    else:
        facts = _measure_eager(document, names, apis, versions, arguments)
    if part == "eager":
        stage_facts.keep(facts, facts_file.seen_by(document, versions))
    else:
        staged = {api: facts[api] for api in apis if stage_facts.has_targets(facts.get(api, {}))}
        observed = measure("staged", list(staged), arguments.jobs, arguments.observations, staged, arguments.device)
        stage_facts.add(facts, observed)
    changed = facts_file.updated(document, facts, versions)
    if arguments.diff:
        facts_file.print_diff(facts_file.seen_by(document, versions), facts_file.seen_by(changed, versions))
    else:
        facts_file.write(changed, path)
    return 0


def _measure_eager(
    document: dict[str, Any], names: set[str] | None, apis: list[str], versions: dict[str, str],
    arguments: argparse.Namespace,
) -> dict[str, Any]:  # fmt: skip
    """NumPy's facts and the eager observations, made at the same time."""
    with ThreadPoolExecutor(1) as pool:
        watcher = pool.submit(measure, "eager", apis, arguments.jobs, arguments.observations)
        described = describe_numpy(names)
        observed = watcher.result()
    if facts_file.is_older(versions, document):  # its NumPy may not tell the signatures that the newest one tells
        for name in described.keys() & document["apis"].keys():
            described[name]["parameters"] = document["apis"][name].get("parameters", [])
    add_targets(described, observed)
    without = [name for name in described if (names is None or name in names) and _needs_attempt(described[name])]
    for name, seen in observe("attempts", without, 1).items():
        described[name]["attempt"] = seen
    return described if names is None else _patched(facts_file.seen_by(document, versions), described, names)


def _needs_attempt(fact: dict[str, Any]) -> bool:
    """Whether the name could be used on arrays, and nothing was found to stand for it."""
    targets = [fact[target] for target in facts_file.TARGETS if target in fact]
    is_used = fact.get("kind") in ("function", "ufunc", "method", "attribute", "class", "object")
    return is_used and not any(target["target"] == "operator" or target["dtypes"] for target in targets)


def _patched(old: dict[str, Any], new: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """The old facts with new ones for `names`, and for methods that take their targets from them."""
    taken = {n for n in new if n in names or (n.replace("ndarray.", "numpy.") in names and n not in old)}
    return {**old, **{name: new[name] for name in taken}}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="np2tnp probe", description="Measure NumPy against TensorFlow; write the catalog's facts."
    )
    OF_COMMANDS["probe"](parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
