"""What ``profile -- PROGRAM`` found and decided, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from np2tnp.profiling.evidence import saved
from np2tnp.profiling.measured import at
from np2tnp.report.to_profile import seconds
from np2tnp.report.totals import count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from np2tnp.profiling.hot import Hot
    from np2tnp.profiling.profiled_program import Findings

_STATES = {
    "convertible": "[green]can migrate[/]",
    "migrated": "[green]migrated[/]",
    "kept": "[yellow]stays NumPy[/]",
    "blocked": "[red]cannot migrate[/]",
}


def render_ranking(found: Findings, width: int) -> list[RenderableType]:
    """The hot functions by time, where the rest went, what the sampling cost, and the work list."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    samples, ranking = found.samples, found.ranking
    parts: list[RenderableType] = []
    if found.ended.status:
        parts.append(Text(f"the program ended with status {found.ended.status}", "yellow"))
        if not samples.samples:
            return [*parts, Text("it ended too soon: nothing was seen of it", "yellow")]
    table = Table(title="Time in NumPy by function", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, justify in (("function", "left"), ("time", "right"), ("share", "right"), ("with callees", "right")):
        table.add_column(heading, justify="left" if justify == "left" else "right", overflow="fold")
    table.add_column("fate")
    for hot in ranking.functions[: found.top]:
        place = f"{hot.path}:{hot.region.span.line} {hot.name}"
        row = (place, seconds(hot.seconds), f"{hot.share:.0%}", seconds(hot.inclusive), _STATES[hot.region.state.value])
        table.add_row(*row)
    if ranking.functions:
        parts.append(table)
    else:
        parts.append(Text("no function of the user's own code spends 1 % of the time with NumPy", "yellow"))
    rest = ", ".join(f"{name} {share:.0%}" for name, share in ranking.elsewhere[:6])
    if rest:
        parts.append(Text(f"elsewhere: {rest}"))
    cost = samples.cost / max(samples.cpu - samples.cost, 1e-9)
    processes = f" in {samples.processes} processes" if samples.processes > 1 else ""
    parts.append(
        Text(
            f"{samples.samples:,} samples{processes} in {seconds(samples.total)}; sampling took {cost:.1%} of the "
            "program's CPU time"
        )
    )
    parts += [Text(problem, "yellow") for problem in ranking.problems]
    parts += _work_list([hot for hot in ranking.functions[: found.top] if not hot.is_convertible])
    return parts


def _work_list(blocked: list[Hot]) -> list[RenderableType]:
    from rich.text import Text

    if not blocked:
        return []
    parts: list[RenderableType] = [Text("What stands in the way, by the time that could be won:", "bold")]
    for hot in blocked:
        parts.append(Text(f"  {seconds(hot.seconds)}  {hot.name} ({hot.path}:{hot.region.span.line})"))
        parts += [Text(f"      {reason}") for reason in hot.region.reasons[:3] or ("no NumPy call in it converts",)]
        if len(hot.region.reasons) > 3:
            parts.append(Text(f"      and {len(hot.region.reasons) - 3} more (np2tnp check {hot.path})"))
    return parts


def render_decisions(found: Findings, width: int) -> list[RenderableType]:
    """The trials of every measured function, and what became of each."""
    from rich.text import Text

    from np2tnp.report.to_profile import render

    parts: list[RenderableType] = []
    confirmed = 0
    for hot in found.candidates():
        place = hot.path, hot.name
        measured = found.measured.get(place)
        if measured is not None:
            parts += render(measured, width)
            for signature in measured.plan.recorded:
                size = at(signature.elements).removeprefix("at ")
                parts.append(Text(f"{size}, {count(signature.calls, 'call')}: {signature.text}"[:300]))
            decision = measured.decision()
            if decision.confirmed:
                confirmed += 1
                parts.append(Text(f"{hot.name}: confirmed: {decision.reason}", "green"))
                continue
            more = f"; --dispatch would rewrite it for {decision.above:,} elements and more" if decision.above else ""
            parts.append(Text(f"{hot.name}: not confirmed: {decision.reason}{more}", "yellow"))
        elif obstacle := found.obstacles.get(place):
            parts.append(Text(f"{hot.name}: not timed: {obstacle}", "yellow"))
    if found.companions:
        names = ", ".join(name for _, name in sorted(found.companions))
        parts.append(Text(f"called only by confirmed functions, so rewritten with them: {names}"))
    if found.measured:
        parts.append(Text(f"{confirmed} of {len(found.candidates())} hot functions confirmed"))
    if confirmed:
        less = sum(saved(measured) for measured in found.measured.values())
        first = next(iter(found.measured.values())).environment.get("import_seconds", 0.0)
        would = (
            f"would take about {seconds(less)} less" if less > 0 else "would not be faster: first calls cost too much"
        )
        parts.append(
            Text(
                f"a run like this ({seconds(found.ended.seconds)}) {would}; "
                f"importing TensorFlow takes {seconds(first)}, once a process"
            )
        )
    return parts
