"""With which arguments a program calls its hot functions: runs it a second time, with the recorder in it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from np2tnp.profiling.hot import Ended, run_inside

_SECONDS = 20.0  #: that copying arguments may take in one process
_TIMES = 10.0  #: how much longer than the first run the second may take, and
_GRACE = 60.0  #: seconds on top of it


@dataclass(frozen=True)
class Wanted:
    """A function whose calls are recorded: all of it, or (without `values`) only how often and by whom it is called."""

    path: str
    name: str
    first_line: int
    values: bool = True


@dataclass(frozen=True)
class Signature:
    """One kind of arguments that a function was called with."""

    text: str  #: such as ``x: float64[1000,3], steps: int of 5 bits``
    calls: int
    seconds: float  #: of all those calls, callees included, slowed down by the recording
    elements: int  #: of the largest array, objects' attributes included
    payload: str = ""  #: the file with one call's arguments; empty where none were kept
    why: str = ""  #: why there is none

    def as_dict(self) -> dict[str, Any]:
        """For JSON: see docs/profile-schema.md."""
        return {
            "signature": self.text,
            "calls": self.calls,
            "seconds": self.seconds,
            "elements": self.elements,
            "kept": bool(self.payload),
            "why": self.why,
        }


@dataclass
class Recorded:
    """All calls of one function, in all processes."""

    wanted: Wanted
    calls: int = 0
    callers: dict[tuple[str, int], int] = field(default_factory=dict)  #: (file, line) → calls from there
    signatures: list[Signature] = field(default_factory=list)
    problem: str = ""
    main: str = ""  #: the program's main file where that is the function's file
    places: tuple[str, ...] = ()  #: the program's sys.path

    def chosen(self, count: int) -> list[Signature]:
        """The signatures to measure at: the smallest, the largest, then those that took most of the time."""
        kept = sorted((s for s in self.signatures if s.payload), key=lambda s: (s.elements, -s.seconds))
        found = [kept[0], kept[-1]] if len(kept) > 1 else kept
        for signature in sorted(kept, key=lambda s: -s.seconds):
            if len(found) < count and signature not in found:
                found.append(signature)
        return sorted(found[: max(count, 1)], key=lambda s: s.elements)

    def obstacle(self) -> str:
        """Why there is nothing to measure with; empty where there is."""
        if self.problem:
            return f"its arguments could not be recorded: {self.problem}"
        if not self.calls:
            return "it was not called in the second run"
        if not any(signature.payload for signature in self.signatures):
            why = next((signature.why for signature in self.signatures if signature.why), "none were kept")
            return f"its arguments could not be recorded: {why}"
        return ""


def record(
    command: Sequence[str], wanted: Sequence[Wanted], folder: Path, first_run: float, mebibytes: int
) -> tuple[list[Recorded], Ended]:
    """Run the program again and see its calls of `wanted`; its input is empty and its output goes nowhere.

    `folder` holds the arguments afterwards; `mebibytes` of them are kept a call, four times as many in all.
    Raises CannotVerify.
    """
    functions = [
        {
            "number": number,
            "path": str(Path(item.path).resolve()),
            "name": item.name,
            "first_line": item.first_line,
            "values": item.values,
        }
        for number, item in enumerate(wanted)
    ]
    limits = {"bytes_per_call": mebibytes * 2**20, "bytes": 4 * mebibytes * 2**20, "seconds": _SECONDS}
    document = {"functions": functions, "limits": limits}
    (folder / "wanted.json").write_text(json.dumps(document), encoding="utf-8")
    ended = run_inside(command, "recorder", folder, quiet=True, limit=_TIMES * first_run + _GRACE)
    return read_recorded(folder, wanted), ended


def read_recorded(folder: Path, wanted: Sequence[Wanted]) -> list[Recorded]:
    """Add up the files that the recorders left in `folder`."""
    found = [Recorded(item) for item in wanted]
    signatures: list[dict[str, Signature]] = [{} for _ in wanted]
    callers: list[dict[tuple[str, int], int]] = [defaultdict(int) for _ in wanted]
    for file in sorted(folder.glob("*.json")):
        if file.name == "wanted.json":
            continue
        document = json.loads(file.read_text(encoding="utf-8"))
        for seen in document["functions"]:
            number = seen["number"]
            it = found[number]
            it.calls += seen["calls"]
            it.problem = it.problem or seen["problem"]
            it.places = tuple(dict.fromkeys([*it.places, *document["path"]]))
            if Path(it.wanted.path).resolve() == Path(document["main"] or "/").resolve():
                it.main = document["main"]
            for place, calls in seen["callers"].items():
                path, _, line = place.rpartition(":")
                callers[number][path, int(line)] += calls
            for text, entry in seen["signatures"].items():
                payload = str(folder / entry["payload"]) if entry["payload"] else ""
                new = Signature(text, entry["calls"], entry["seconds"], entry["elements"], payload, entry["why"])
                signatures[number][text] = _added(signatures[number].get(text), new)
    for it, by_text, places in zip(found, signatures, callers, strict=True):
        it.signatures = sorted(by_text.values(), key=lambda s: -s.seconds)
        it.callers = dict(places)
    return found


def _added(one: Signature | None, other: Signature) -> Signature:
    if one is None:
        return other
    payload = one.payload or other.payload
    return replace(
        one,
        calls=one.calls + other.calls,
        seconds=one.seconds + other.seconds,
        payload=payload,
        why="" if payload else one.why or other.why,
    )
