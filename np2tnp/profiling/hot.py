"""Which functions of a program spend its time in NumPy: runs it once under a sampler, and asks the analysis of them."""

from __future__ import annotations

import ast
import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from np2tnp.config import Config
from np2tnp.model import FileReport, Region, RegionState
from np2tnp.verify.two_texts import CannotVerify, read_text

_INSIDE = Path(__file__).parent / "inside"
_LOOKING = 0.5  #: seconds between two looks whether Ctrl-C came to us alone
LEAST = 0.01  #: share of the program's time below which a function is not hot


def command_line(words: Sequence[str]) -> list[str]:
    """What to execute for the words after ``--``: a program, or what one would give to Python. Raises CannotVerify."""
    if not words:
        raise CannotVerify("name the program after --, as in: np2tnp profile -- python train.py")
    first = words[0]
    if first.startswith("-") or first.endswith((".py", ".pyz")):
        return [sys.executable, *words]
    found = shutil.which(first)
    if found is None and first in ("python", "python3"):
        found = sys.executable
    if found is None:
        raise CannotVerify(f"{first}: no such program")
    return [found, *words[1:]]


@dataclass(frozen=True)
class Ended:
    """How a run of the user's program ended."""

    status: int  #: as a shell would give it: 128 + n for signal n
    seconds: float
    interrupted: bool = False
    overdue: bool = False  #: it was ended because its time was over


def run_inside(
    command: Sequence[str],
    name: str,
    folder: Path,
    *,
    quiet: bool = False,
    aside: bool = False,
    limit: float = 0.0,
) -> Ended:
    """Run the user's program with one of the files of ``inside/`` in it (and in every Python that it starts).

    Its input, output and working directory are ours, and Ctrl-C reaches it; with `quiet` it reads and prints nothing,
    with `aside` it prints to standard error.
    After `limit` seconds (0: none) it is interrupted, then killed. Raises CannotVerify when it cannot be started.
    """
    paths = [str(_INSIDE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    environment |= {"NP2TNP_INSIDE": name, "NP2TNP_INSIDE_FOLDER": str(folder)}
    stream = subprocess.DEVNULL if quiet else None
    printed = sys.stderr.fileno() if aside and not quiet else stream
    sys.stdout.flush()
    start = time.perf_counter()
    with _ctrl_c_is_for_the_child() as presses:
        try:
            process = subprocess.Popen(command, env=environment, stdin=stream, stdout=printed, stderr=stream)
        except OSError as error:
            raise CannotVerify(f"{command[0]}: {error.strerror or error}") from None
        overdue = not _wait(process, limit, presses)
        if overdue:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()
        interrupted = bool(presses)
    status = process.returncode
    return Ended(128 - status if status < 0 else status, time.perf_counter() - start, interrupted, overdue)


def _wait(process: subprocess.Popen[bytes], limit: float, presses: list[int]) -> bool:
    """Whether the program ended within `limit` seconds (0: any). An interrupt that came to us alone is passed on."""
    end = time.monotonic() + limit if limit else math.inf
    passed_on = _has_terminal()
    while time.monotonic() < end:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(min(_LOOKING, end - time.monotonic()))
            return True
        if presses and not passed_on:
            process.send_signal(signal.SIGINT)
            passed_on = True
    return process.poll() is not None


def _has_terminal() -> bool:
    """Whether Ctrl-C at a terminal comes to us, and then to all processes of our group."""
    try:
        return os.tcgetpgrp(sys.__stderr__.fileno()) == os.getpgrp() if sys.__stderr__ is not None else False
    except (OSError, ValueError, AttributeError):
        return False


@contextlib.contextmanager
def _ctrl_c_is_for_the_child() -> Iterator[list[int]]:
    """The terminal sends Ctrl-C to both processes: the program decides what it means, and we wait for it to end."""
    presses: list[int] = []
    try:
        previous = signal.signal(signal.SIGINT, lambda *_: presses.append(1))
    except ValueError:  # not in the main thread
        yield presses
        return
    try:
        yield presses
    finally:
        signal.signal(signal.SIGINT, previous)


@dataclass
class Samples:
    """What the samplers of all processes of one run saw."""

    processes: int = 0
    samples: int = 0
    cpu: float = 0.0  #: seconds of CPU time of all processes, NumPy's own threads included
    cost: float = 0.0  #: how many of them the samplers used
    total: float = 0.0  #: seconds charged to Python threads
    own: dict[tuple[str, int], list[float]] = field(default_factory=dict)  #: (file, line) → own, in NumPy's Python
    inclusive: dict[tuple[str, int], float] = field(default_factory=dict)  #: (file, first line) → seconds with callees
    stdlib: set[str] = field(default_factory=set)


def read_samples(folder: Path) -> Samples:
    """Add up the files that the samplers left in `folder`."""
    found = Samples()
    own: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    inclusive: dict[tuple[str, int], float] = defaultdict(float)
    for file in sorted(folder.glob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        found.processes += 1
        found.samples += document["samples"]
        found.cpu += document["cpu"]
        found.cost += document["cost"]
        found.stdlib.add(document["stdlib"])
        for path, _, _, line, outside, inside in document["own"]:
            cell = own[_absolute(path, document["cwd"]), line]
            cell[0] += outside
            cell[1] += inside
            found.total += outside + inside
        for path, first, _, seconds in document["inclusive"]:
            inclusive[_absolute(path, document["cwd"]), first] += seconds
    found.own, found.inclusive = dict(own), dict(inclusive)
    return found


def _absolute(path: str, cwd: str) -> str:
    return path if path.startswith("<") else os.path.normpath(os.path.join(cwd, path))


@dataclass(frozen=True)
class Hot:
    """One function of the user's code that the program spent time in."""

    path: str
    region: Region
    seconds: float  #: its own lines and the NumPy they call
    share: float  #: of the time of all Python threads
    inclusive: float  #: with everything else it calls
    first_line: int = 0  #: as in its code object: the first decorator's

    @property
    def name(self) -> str:
        return self.region.qualname

    @property
    def is_convertible(self) -> bool:
        return self.region.state is RegionState.CONVERTIBLE

    def as_dict(self) -> dict[str, Any]:
        """For JSON: see docs/profile-schema.md."""
        return {
            "path": self.path,
            "function": self.name,
            "line": self.region.span.line,
            "seconds": self.seconds,
            "share": self.share,
            "inclusive": self.inclusive,
            "state": self.region.state.value,
            "reasons": list(self.region.reasons),
        }


@dataclass(frozen=True)
class Ranking:
    """The functions by time, and where the rest of it went."""

    functions: tuple[Hot, ...]
    elsewhere: tuple[tuple[str, float], ...]  #: (library or "the standard library" ..., share), the largest first
    problems: tuple[str, ...] = ()  #: files that could not be analysed, a line each
    regions: dict[str, tuple[Region, ...]] = field(
        default_factory=dict
    )  #: by absolute path, of the files with hot ones
    convertible: dict[str, dict[str, int]] = field(default_factory=dict)  #: path → name → first line

    def region_at(self, path: str, line: int) -> str:
        """The qualified name of the region that holds a line of an absolute path; empty where that is unknown."""
        return _region_at(self.regions[path], line) if path in self.regions else ""


def rank(samples: Samples, config: Config, least: float = LEAST) -> Ranking:
    """Charge the seconds to functions with NumPy work in them, the hottest first."""
    total = samples.total or 1.0
    by_file: dict[str, dict[int, float]] = defaultdict(dict)
    elsewhere: dict[str, float] = defaultdict(float)
    for (path, line), cell in samples.own.items():
        library = _library(path, samples.stdlib)
        if library:
            elsewhere[library] += sum(cell)
        else:
            by_file[path][line] = sum(cell)
    functions: list[Hot] = []
    problems: list[str] = []
    regions: dict[str, tuple[Region, ...]] = {}
    convertible: dict[str, dict[str, int]] = {}
    for path, lines in by_file.items():
        if sum(lines.values()) < least * total:
            elsewhere["other files"] += sum(lines.values())
            continue
        shown = _shown(path)
        try:
            report, firsts = _analyse(shown, config)
        except CannotVerify as error:
            problems.append(str(error))
            continue
        seconds: dict[str, float] = defaultdict(float)
        for line, value in lines.items():
            seconds[_region_at(report.regions, line)] += value
        regions[path] = report.regions
        convertible[shown] = {
            region.qualname: firsts[region.qualname]
            for region in report.regions
            if region.state is RegionState.CONVERTIBLE and region.qualname in firsts
        }
        for region in report.regions:
            if seconds[region.qualname] < least * total:
                continue
            if region.state is RegionState.PLAIN:
                elsewhere[f"{region.qualname} ({shown}, no NumPy calls)"] += seconds[region.qualname]
                continue
            first = firsts.get(region.qualname, 0)  # the module's top level has none
            inclusive = max(
                (s for (p, line), s in samples.inclusive.items() if p == path and line == first), default=0.0
            )
            own = seconds[region.qualname]
            functions.append(Hot(shown, region, own, own / total, max(own, inclusive), first))
    functions.sort(key=lambda hot: -hot.seconds)
    rest = sorted(((name, value / total) for name, value in elsewhere.items()), key=lambda item: -item[1])
    shown_rest = tuple(item for item in rest if item[1] >= least)
    return Ranking(tuple(functions), shown_rest, tuple(problems), regions, convertible)


def _library(path: str, stdlib: set[str]) -> str:
    """Whose code the file is, when it is not the user's."""
    parts = path.replace("\\", "/").split("/")
    for folder in ("site-packages", "dist-packages"):
        if folder in parts[:-1]:
            return parts[parts.index(folder) + 1].removesuffix(".py")
    if path.startswith("<frozen"):
        return "imports"
    if path.startswith("<"):
        return "generated code"
    if any(path.startswith(folder + os.sep) for folder in stdlib):
        return "the standard library"
    return ""


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _analyse(path: str, config: Config) -> tuple[FileReport, dict[str, int]]:
    """The file's report, and the first line of the code object of each function. Raises CannotVerify."""
    from np2tnp.engine import analyze
    from np2tnp.files.source import from_text

    text = read_text(path)
    try:
        report = analyze(from_text(path, text), config.of_file(path))
        return report, first_lines(text)
    except Exception as error:  # one bad file is a message, not a traceback
        said = str(error).partition("\n")[0]
        raise CannotVerify(f"{path}: {type(error).__name__}: {said}") from None


def first_lines(text: str) -> dict[str, int]:
    """Where each top-level function and method begins, its decorators included, by qualified name."""
    found: dict[str, int] = {}
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(text).body]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[prefix + node.name] = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        elif isinstance(node, ast.ClassDef):
            stack.extend((f"{prefix}{node.name}.", item) for item in node.body)
        else:
            inner = [*getattr(node, "body", ()), *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
            stack.extend((prefix, item) for item in inner if isinstance(item, ast.stmt))
    return found


def _region_at(regions: Sequence[Region], line: int) -> str:
    """The region that holds the line; regions do not overlap but for the module's, which is all of the file."""
    inside = [r for r in regions if r.span.line <= line <= r.span.end_line]
    return min(inside, key=lambda r: r.span.end_line - r.span.line).qualname if inside else "<module>"
