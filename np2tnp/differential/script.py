"""``verify --top-level``: a script in both versions, run as a program each, and what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from np2tnp.differential.originals import Pair
from np2tnp.differential.program import FunctionResult, FunctionVerdict, Limits, verify_pair

#: What the top level of a module is called among its functions.
TOP_LEVEL = "<module>"
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
#: Relative difference of printed numbers that rounding explains; besides, the last digit shown may differ by one.
_ROUNDING = 1e-10
_START = 60.0  #: seconds for starting TensorFlow
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
    stage: Callable[[str], None] = lambda what: None,
) -> list[FunctionResult]:
    """As :func:`verify_pair`; a name may be that of the script's top level."""
    results = verify_pair(pair, [name for name in names if name != TOP_LEVEL], limits, progress, stage)
    if TOP_LEVEL in names:
        stage("running the original and the rewritten script")
        results.append(verify_script(pair, _START + _CALLS * limits.seconds))
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
    command = [sys.executable, "-m", "np2tnp.differential.script_runner", path, str(folder / "text.py")]
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
