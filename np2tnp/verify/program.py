"""``np2tnp verify``: the original and the rewritten functions of a program, on the same inputs, in child processes.

A verdict says what was seen and no more: EQUAL needs enough inputs on which the original returned, the rewritten
function gave the same, and TensorFlow did work; one difference makes DIFFERENT; all else is UNTESTED, with the reason.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from np2tnp.verify.channel import Child, ChildDied, ChildTimeout
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions

_WORKER = "np2tnp.verify.verify_worker"
_TRIAL = 2.0  #: seconds for one call while inputs are looked for, at most
_DEATHS = 6  #: kinds of calls that the child may not survive, in the search for one function's inputs
_START = 180.0  #: seconds for a child to import the program, TensorFlow included
_SEARCHING = 0.3  #: the share of a function's time after which its inputs are there

#: Is told what is being done, and the share of all that is over.
Stage = Callable[[str, float], None]


class FunctionVerdict(str, Enum):
    """What the inputs showed of one function."""

    EQUAL = "EQUAL"
    DIFFERENT = "DIFFERENT"
    UNTESTED = "UNTESTED"


@dataclass
class FunctionResult:
    """The verdict of one function and the evidence for it."""

    name: str
    verdict: FunctionVerdict = FunctionVerdict.UNTESTED
    reason: str = ""
    counts: Counter[str] = field(
        default_factory=Counter
    )  #: inputs by outcome: equal, raised, refused, unstable, random, ...
    operations: int = 0  #: TensorFlow operations executed over all inputs that agreed
    warnings: list[str] = field(default_factory=list)
    difference: str = ""
    code: str = ""  #: reproduces the difference
    is_cut: bool = False  #: its time was over before all inputs were tried

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "inputs": dict(sorted(self.counts.items())),
            "operations": self.operations,
            "warnings": self.warnings,
            "difference": self.difference,
            "code": self.code,
        }


@dataclass(frozen=True)
class Limits:
    """How much is tried."""

    count: int = 5  #: inputs that EQUAL needs
    seed: int = 0
    seconds: float = 10.0  #: for one call
    budget: float = 60.0  #: seconds for one function's calls, after which what was seen decides
    memory: int = 4096  #: MiB on top of what a child takes at its start
    search: float = 5.0  #: seconds for finding inputs of one function
    inputs: str | None = None  #: an npz file with arguments
    recorded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  #: by function: files with recorded arguments
    main: str = ""  #: the module's name, where it was the program that was recorded
    shrink: float = 10.0  #: seconds for finding a smaller input once a difference is found


class Verifier:
    """Two children, one a version, and the questions put to them. Use as a context manager."""

    def __init__(self, pair: Pair, limits: Limits, stage: Stage = lambda what, share: None) -> None:
        self._pair = pair
        self._stage = stage  #: its shares are those of one function
        self._limits = limits
        # the original's child must not see a GPU: it only runs NumPy, and the memory limit would break CUDA
        self._old = Child(_WORKER, {"CUDA_VISIBLE_DEVICES": "-1"})
        self._new = Child(_WORKER)
        self._note = tempfile.NamedTemporaryFile(prefix="np2tnp-trial-")  # noqa: SIM115 - closed by __exit__
        self._broken: str | None = None

    def __enter__(self) -> Verifier:
        return self

    def __exit__(self, *_: object) -> None:
        self._old.close()
        self._new.close()
        self._note.close()

    def verify(self, name: str) -> FunctionResult:
        """Compare one function. Raises CannotVerify when the original program cannot even be loaded."""
        result = FunctionResult(name)
        self._stage(f"{name}: loading the original program", 0.0)
        self._start_old()
        try:
            self._stage(f"{name}: starting TensorFlow and loading the rewritten program", 0.0)
            self._start_new()
        except CannotVerify as error:
            result.verdict, result.difference = FunctionVerdict.DIFFERENT, str(error)
            return result
        try:
            self._stage(f"{name}: looking for inputs on which the original returns", 0.0)
            found = self._search(name)
        except (ChildTimeout, ChildDied, RuntimeError) as error:
            result.reason = f"while looking for inputs with the original: {error}"
            return result
        if not found["cases"]:
            result.reason = found["why"]
            return result
        end = time.monotonic() + self._limits.budget
        for number, note in enumerate(found["cases"]):
            share = _SEARCHING + (1 - _SEARCHING) * number / len(found["cases"])
            self._stage(f"{name}: input {number + 1} of {len(found['cases'])}", share)
            if not self._try(number, note, found["parameters"], result):
                break
            if time.monotonic() > end:
                result.is_cut = number + 1 < len(found["cases"])
                break
        self._conclude(result, takes_arguments=bool(found["parameters"]) or "." in name)
        return result

    def _search(self, name: str) -> dict[str, Any]:
        """The inputs that the original's child finds; what ends it is not tried again. Raises what `ask` raises."""
        avoided: list[str] = []
        while True:
            self._start_old()
            try:
                found: dict[str, Any] = self._old.ask(
                    "search",
                    60 + 20 * self._limits.search,
                    name=name,
                    limit=max(24, 5 * self._limits.count),
                    recorded=self._limits.recorded.get(name, ()),
                    main=self._limits.main,
                    avoided=tuple(avoided),
                )
                return found
            except ChildDied:
                noted = Path(self._note.name).read_text(encoding="utf-8")
                if not noted or noted in avoided or len(avoided) >= _DEATHS:
                    raise
                avoided.append(noted)

    def _start_old(self) -> None:
        if self._old.is_running:
            return
        it = self._limits
        try:
            self._old.ask(
                "load",
                _START,
                path=self._pair.path,
                text=self._pair.original,
                seed=it.seed,
                seconds=it.search,
                inputs=it.inputs,
                allowed=tuple(changed_functions(self._pair)[0]),
                trial=min(_TRIAL, it.seconds / 5),
                note=self._note.name,
            )
            self._old.ask("limit_memory", 10, mebibytes=it.memory)
        except (ChildDied, ChildTimeout, RuntimeError) as error:
            self._old.close()
            raise CannotVerify(f"the original program cannot be loaded: {error}") from None

    def _start_new(self) -> None:
        if self._new.is_running:
            return
        if self._broken:
            raise CannotVerify(self._broken)
        try:
            gpus = self._new.ask("warm", _START)["gpus"]
            self._new.ask("load", _START, path=self._pair.path, text=self._pair.rewritten)
            if not gpus:
                self._new.ask("limit_memory", 10, mebibytes=self._limits.memory)
        except (ChildDied, ChildTimeout, RuntimeError) as error:
            self._new.close()
            self._broken = f"the rewritten program cannot be loaded, the original can: {error}"
            raise CannotVerify(self._broken) from None

    def _try(self, number: int, note: str, parameters: tuple[str, ...], result: FunctionResult) -> bool:
        """One input. False when there is no point in going on."""
        seconds = self._limits.seconds
        try:
            case = self._old.ask("case", 30, number=number)
            ran = self._old.ask("run", seconds, case=case, parameters=parameters, number=number)
        except ChildTimeout:
            result.reason = f"the original takes longer than {seconds:g} s (--timeout)"
            return False
        except ChildDied as error:
            result.reason = f"the original ended its process: {error}"
            return False
        except RuntimeError as error:
            result.counts["not comparable"] += 1
            result.reason = f"what the original did cannot be written down: {error}"
            return True
        _warn(result, [f"it {what}: so it did on every input, in both versions" for what in ran["outside"]])
        judged = self._judge(number, case, parameters, result)
        if judged is None:
            return self._old.is_running and result.counts["too slow"] < 2
        kind = judged["kind"]
        if kind == "different":
            result.verdict, result.difference = FunctionVerdict.DIFFERENT, judged["detail"]
            self._explain(number, note, parameters, result, shrink=self._new.is_running)
            return False
        if kind == "equal" and not judged["weight"]:
            kind = "equal, but of one element at most"
        elif kind == "equal" and not judged["operations"]:
            kind = "equal without TensorFlow"
        result.counts[kind] += 1
        result.operations += judged["operations"]
        _warn(result, judged["warnings"])
        if kind in ("random", "refused"):
            result.reason = judged["detail"]
        return not (kind == "random" and result.counts["random"] > 5 and not result.counts["equal"])

    def _judge(
        self, number: int, case: bytes, parameters: tuple[str, ...], result: FunctionResult
    ) -> dict[str, Any] | None:
        """What one input showed; None when the rewritten function took too long."""
        self._start_new()
        try:
            seen = self._new.ask("run", 3 * self._limits.seconds, case=case, parameters=parameters, count=True)
        except ChildTimeout:
            result.counts["too slow"] += 1
            return None
        except RuntimeError as error:
            result.counts["not comparable"] += 1
            result.reason = f"what the rewritten function did cannot be written down: {error}"
            return None
        except ChildDied as error:
            return {
                "kind": "different",
                "detail": f"{error}; the original returns",
                "warnings": (),
                "operations": 0,
                "weight": 1,
            }
        try:
            judged: dict[str, Any] = self._old.ask(
                "judge", 60 + 6 * self._limits.seconds, number=number, observation=seen["observation"]
            )
        except (ChildTimeout, ChildDied, RuntimeError) as error:
            result.counts["not comparable"] += 1
            result.reason = f"while comparing: {error}"
            return None
        return {**judged, "operations": seen["operations"]}

    def _explain(
        self, number: int, note: str, parameters: tuple[str, ...], result: FunctionResult, shrink: bool
    ) -> None:
        """Shrink input `number` (unless it killed the process) and write down the code that shows the difference."""
        end = time.monotonic() + self._limits.shrink
        module = Path(self._pair.path).stem
        try:
            result.code = self._old.ask("program", 30, number=number, module=module)
            simpler = shrink
            while simpler and time.monotonic() < end:
                simpler = False
                for candidate in self._old.ask("smaller", 30, number=number):
                    if time.monotonic() > end:
                        break
                    case = self._old.ask("case", 30, number=candidate)
                    ran = self._old.ask("run", self._limits.seconds, case=case, parameters=parameters, number=candidate)
                    if ran["status"] != "returned":
                        continue
                    judged = self._judge(candidate, case, parameters, result)
                    if judged is not None and judged["kind"] == "different":
                        number, note, result.difference, simpler = candidate, "", judged["detail"], True
                        result.code = self._old.ask("program", 30, number=number, module=module)
                        break
        except (ChildDied, ChildTimeout, RuntimeError, CannotVerify):
            pass  # the difference stands; only a smaller input was not found
        if note:
            result.reason = f"on an input with {note}"

    def _conclude(self, result: FunctionResult, takes_arguments: bool) -> None:
        if result.verdict is FunctionVerdict.DIFFERENT:
            return
        counts = result.counts
        needed = self._limits.count if takes_arguments else 1
        if counts["equal"] >= needed:
            result.verdict, result.reason = FunctionVerdict.EQUAL, ""
        elif result.reason and not counts["equal"]:
            pass
        elif counts["random"]:
            result.reason = result.reason or "the original itself gives different results from call to call"
        elif counts["equal without TensorFlow"] and not counts["equal"]:
            result.reason = "TensorFlow did no work on any input"
        elif counts["too slow"]:
            result.reason = f"the rewritten function takes longer than {3 * self._limits.seconds:g} s (--timeout)"
        elif counts["unstable"] and not counts["equal"]:
            result.reason = "a change in the last bit decides about what the original gives: nothing can be compared"
        else:
            result.reason = f"only {counts['equal']} of the {needed} inputs that EQUAL needs"
        if result.is_cut and result.verdict is FunctionVerdict.UNTESTED:
            result.reason += f", within {self._limits.budget:g} s (--budget)"


def _warn(result: FunctionResult, texts: Iterable[str]) -> None:
    result.warnings += [text for text in texts if text not in result.warnings]


def verify_pair(
    pair: Pair,
    names: list[str],
    limits: Limits,
    progress: Any = None,
    stage: Stage = lambda what, share: None,
) -> list[FunctionResult]:
    """Compare the functions called `names`.

    `progress` is called with each result as it comes, `stage` with what is being done, and how far that is.
    """
    results: list[FunctionResult] = []
    many = "1 function" if len(names) == 1 else f"{len(names)} functions"

    def tell(what: str, share: float) -> None:
        stage(f"{len(results) + 1} of {many}, {what}", (len(results) + share) / len(names))

    with Verifier(pair, limits, tell) as verifier:
        for name in names:
            result = verifier.verify(name)
            results.append(result)
            if progress is not None:
                progress(result)
    return results


def require(*modules: str) -> None:
    """Raise CannotVerify, saying what to install, when a module is missing."""
    import importlib.util

    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise CannotVerify(f"needs {' and '.join(missing)}: pip install 'np2tnp[tf]'")


# --- ``verify --top-level``: a script in both versions, run as a program each, and what they print

#: What the top level of a module is called among its functions.
TOP_LEVEL = "<module>"
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
#: Relative difference of printed numbers that rounding explains; besides, the last digit shown may differ by one.
_ROUNDING = 1e-10
_START_SCRIPT = 60.0  #: seconds for starting TensorFlow
_CALLS = 20  #: a script may take as long as so many calls of functions


@dataclass(frozen=True)
class Ended:
    """How one run of a script ended."""

    printed: str
    status: int = 0
    error: str = ""  #: the exception's class, where one ended it
    operations: int = 0


def verify_all(
    pair: Pair,
    names: list[str],
    limits: Limits,
    progress: Callable[[FunctionResult], None] | None = None,
    stage: Stage = lambda what, share: None,
) -> list[FunctionResult]:
    """As :func:`verify_pair`; a name may be that of the script's top level."""
    results = verify_pair(pair, [name for name in names if name != TOP_LEVEL], limits, progress, stage)
    if TOP_LEVEL in names:
        stage("running the original and the rewritten script", 0.0)
        results.append(verify_script(pair, _START_SCRIPT + _CALLS * limits.seconds))
        if progress is not None:
            progress(results[-1])
    return results


def verify_script(pair: Pair, seconds: float) -> FunctionResult:
    """Run the original and the rewritten script; EQUAL where they print the same and end alike.

    They run in the current directory, one after the other, without input, and without windows of matplotlib.
    """
    result = FunctionResult(TOP_LEVEL)
    with tempfile.TemporaryDirectory(prefix="np2tnp-script-") as folder:
        try:
            old = _run(pair.path, pair.original, Path(folder), seconds, count=False)
        except subprocess.TimeoutExpired:
            result.reason = f"the original script takes longer than {seconds:g} s (--timeout)"
            return result
        try:
            new = _run(pair.path, pair.rewritten, Path(folder), seconds, count=True)
        except subprocess.TimeoutExpired:
            result.counts["too slow"] += 1
            result.reason = f"the rewritten script takes longer than {seconds:g} s (--timeout)"
            return result
        found, rounded = difference(old, new)
        if found:
            again = _run(pair.path, pair.original, Path(folder), seconds, count=False)
            if difference(old, again)[0]:
                result.counts["random"] += 1
                result.reason = "the original script itself prints something else each time"
                return result
            result.verdict, result.difference = FunctionVerdict.DIFFERENT, found
            return result
    result.operations = new.operations
    if old.status:
        result.reason = f"the original script ends with status {old.status}{f' ({old.error})' if old.error else ''}"
    elif not new.operations:
        result.reason = "it printed the same, but TensorFlow did no work"
    elif not old.printed:
        result.reason = "it prints nothing that could be compared"
    else:
        result.verdict = FunctionVerdict.EQUAL
    if rounded:
        result.warnings.append(f"printed numbers that differ in their last digits: {rounded}")
    result.counts["equal"] += 1
    return result


def _run(path: str, text: str, folder: Path, seconds: float, count: bool) -> Ended:
    (folder / "text.py").write_text(text, encoding="utf-8")
    report = folder / "operations"
    report.unlink(missing_ok=True)
    here = str(Path(__file__).resolve().parents[2])
    found = os.pathsep.join(part for part in (os.environ.get("PYTHONPATH", ""), here) if part)
    environment = {**os.environ, "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0"}
    environment |= {"PYTHONPATH": found, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "np2tnp.verify.script_runner", path, str(folder / "text.py")]
    done = subprocess.run(
        [*command, str(report) if count else ""],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        timeout=seconds,
        check=False,
    )
    last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] if done.returncode else ""
    error = last.partition(":")[0].rpartition(".")[2]
    operations = int(report.read_text()) if report.exists() else 0
    return Ended(done.stdout.decode("utf-8", "replace"), done.returncode, error, operations)


def difference(old: Ended, new: Ended) -> tuple[str, int]:
    """What tells two runs apart, for people (empty: nothing), and how many printed numbers were rounded otherwise."""
    if old.status != new.status:
        ends = [f"status {it.status}{f' ({it.error})' if it.error else ''}" for it in (old, new)]
        return f"the original ends with {ends[0]}, the rewritten script with {ends[1]}", 0
    rounded = 0
    old_lines, new_lines = old.printed.splitlines(), new.printed.splitlines()
    for number, (before, after) in enumerate(zip(old_lines, new_lines, strict=False), 1):
        numbers = _rounded(before, after)
        if numbers is None:
            return f"line {number} of the output: {before[:100]!r} became {after[:100]!r}", 0
        rounded += numbers
    if len(old_lines) != len(new_lines):
        return f"the original prints {len(old_lines)} lines, the rewritten script {len(new_lines)}", 0
    return "", rounded


def _rounded(before: str, after: str) -> int | None:
    """How many numbers of a line were rounded otherwise; None where it is another line."""
    if before == after:
        return 0
    if _NUMBER.sub("#", before).split() != _NUMBER.sub("#", after).split():
        return None
    pairs = list(zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True))
    return sum(a != b for a, b in pairs) or None if all(_is_close(a, b) for a, b in pairs) else None


def _is_close(before: str, after: str) -> bool:
    if before == after:
        return True
    if not {".", "e", "E"} & set(before + after):
        return False  # whole numbers are exact
    a, b = float(before), float(after)
    return abs(a - b) <= _ROUNDING * max(abs(a), abs(b)) or abs(a - b) <= 1.01 * max(_unit(before), _unit(after))


def _unit(text: str) -> float:
    """What the last digit shown counts; nothing where all digits of a double are shown."""
    digits, _, exponent = text.lower().partition("e")
    decimals = digits.partition(".")[2]
    if len(digits.strip("+-0.").replace(".", "")) > 12:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(decimals)))
