"""The results of ``verify`` as text for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from np2tnp.verify.program import FunctionResult
    from np2tnp.verify.two_texts import Pair

_COLOURS = {"EQUAL": "green", "DIFFERENT": "bold red", "UNTESTED": "yellow"}
NO_ARGUMENTS = "no arguments found"  #: begins the reason of functions for which the search found none
_WORDS = {"raised": "raising alike", "refused": "refused", "unstable": "too sensitive to rounding to compare"}


def print_result(result: FunctionResult) -> None:
    """One function: its verdict, what it rests on, and for a difference the code that shows it."""
    from rich.text import Text

    console = _console()
    verdict = result.verdict.value
    line = Text.assemble((f"{verdict:<9}", _COLOURS[verdict]), " ", (result.name, "bold"), "  ", _evidence(result))
    console.print(line)
    if result.difference:
        console.print(Text(f"    {result.difference}{f' ({result.reason})' if result.reason else ''}"))
    elif result.reason:
        console.print(Text(f"    {result.reason}"))
    for warning in result.warnings[:3]:
        console.print(Text(f"    warning: {warning}", "yellow"))
    if result.code:
        console.print(Text("    to see it:"))
        for code_line in result.code.splitlines():
            console.print(Text(f"        {code_line}"))


def print_unchanged(names: list[str]) -> None:
    """Functions that are the same in both versions, about which nothing was learnt."""
    for name in names:
        _console().print(f"not rewritten  {name}", highlight=False, markup=False)


def print_summary(pair: Pair, results: list[FunctionResult]) -> None:
    """The last line."""
    counts = Counter(result.verdict.value for result in results)
    if not results:
        _console().print(
            f"{pair.path}: nothing to compare: no function was rewritten (original: {pair.source})",
            highlight=False,
            markup=False,
        )
        return
    said = ", ".join(f"{counts[name]} {name}" for name in _COLOURS if counts[name])
    _console().print(f"{pair.path}: {said} (original: {pair.source})", highlight=False, markup=False)
    if any(result.reason.startswith(NO_ARGUMENTS) for result in results):
        hint = "arguments that no search finds come from --inputs FILE.npz, or from a run: verify FILE -- PROGRAM"
        _console().print(hint, highlight=False, markup=False)


def _evidence(result: FunctionResult) -> str:
    parts = [f"{result.counts['equal']} inputs equal"] if result.counts["equal"] else []
    for kind, count in sorted(result.counts.items()):
        if kind != "equal" and count:
            parts.append(f"{count} {_WORDS.get(kind, kind)}")
    if result.operations:
        parts.append(f"{result.operations} TensorFlow operations")
    return ", ".join(parts)


def _console() -> Console:
    from rich.console import Console

    return Console(soft_wrap=True)
