"""What ``profile`` shows people: while it measures, what it measured, and what it found and decided of a program."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from np2tnp.profiling.evidence import saved, summarize
from np2tnp.profiling.measured import at
from np2tnp.profiling.size_grid import named
from np2tnp.report.totals import count

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.progress import Progress
    from rich.table import Table

    from np2tnp.profiling.hot import Hot
    from np2tnp.profiling.measured import Measured, Trial
    from np2tnp.profiling.profiled_program import Findings

COLOURS = {"FASTER": "green", "SLOWER": "red", "SAME": "cyan", "UNSURE": "yellow"}


_WIDE = 112  #: columns a terminal needs for the whole table


def render(measured: Measured, width: int = _WIDE) -> list[RenderableType]:
    """A table a device (narrow terminals get fewer columns), then the crossovers, and what could not be timed."""
    from rich.text import Text

    parts: list[RenderableType] = [
        _table(measured, device, width >= _WIDE)
        for device in measured.devices
        if any(trial.variant_time for trial in measured.trials if trial.device == device)
    ]
    parts += [Text(line) for line in summarize(measured)]
    if measured.single:
        single = ", ".join(f"{seconds(it.median)} ({size:,})" for (size, _), it in sorted(measured.single.items()))
        parts.append(Text(f"NumPy on one thread: {single}"))
    parts += [Text(note) for note in measured.notes]
    reasons: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for which, sizes in _not_timed(measured).items():
        reasons.setdefault((which[2], tuple(sizes)), []).append(f"{which[0]} on {which[1]}")
    for (reason, places), variants in list(reasons.items())[:12]:
        shown = ", ".join(f"{size:,}" for size in places[:6])
        where = (
            f" at {named(measured.plan.size_name, shown)}" if any(places) else ""
        )  # 0: the arguments were never made
        every = len(variants) == len(measured.devices) * len(measured.plan.variants)
        tried = "" if every else f" ({', '.join(variants)})"
        parts.append(Text(f"not timed{where}: {reason}{tried}", "yellow"))
    return parts


def _not_timed(measured: Measured) -> dict[tuple[str, str, str], list[int]]:
    """The sizes at which trials failed, by variant, device and reason."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for trial in measured.trials:
        if trial.reason:
            found.setdefault((trial.variant, trial.device, trial.reason), []).append(trial.size)
    return found


def seconds(value: float) -> str:
    """A time with three digits and its unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.9995 * scale:
            return f"{three(value / scale)} {unit}"
    return f"{three(value / 1e-9)} ns"


def three(value: float) -> str:
    """A number with three digits and without an exponent; whole where it is larger."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times(value: float, low: float | None = None, high: float | None = None) -> str:
    """How many times faster something is, as people say it: ``77 (70 - 80) slower`` for 0.013."""
    slower = 0 < value < 1
    numbers = [number if number is None or not slower or not number else 1 / number for number in (value, low, high)]
    first, *ends = numbers if not slower else [numbers[0], numbers[2], numbers[1]]
    between = f" ({three(ends[0])} - {three(ends[1])})" if ends[0] is not None and ends[1] is not None else ""
    return f"{three(first or 0.0)}{between} {'slower' if slower else 'faster'}"


def _table(measured: Measured, device: str, wide: bool) -> Table:
    from rich import box
    from rich.table import Table

    plan = measured.plan
    title = f"{plan.function}: NumPy against TensorFlow on {device}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (
        plan.size_name,
        "variant",
        "NumPy",
        "here",
        "verdict",
        "than NumPy",
        "quartiles",
        "first call",
        "in / out",
    ):
        if wide or heading not in ("quartiles", "in / out"):
            left = heading in ("variant", "verdict")
            table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    rows = sorted(
        (t for t in measured.trials if t.device == device), key=lambda t: (t.size, plan.variants.index(t.variant))
    )
    for i, trial in enumerate(rows):
        last = i + 1 == len(rows) or rows[i + 1].size != trial.size
        table.add_row(*_row(trial, wide), end_section=last)
    return table


def _row(trial: Trial, wide: bool) -> list[str]:
    if trial.variant_time is None or trial.reference is None or trial.ratio is None or trial.speed is None:
        # without an explicit size it is known once a trial has its arguments
        return [f"{trial.size:,}" if trial.size else "", trial.variant, "", "", "[yellow]not timed[/]"]
    here, transfer = trial.variant_time, trial.transfer
    row = [
        f"{trial.size:,}",
        trial.variant,
        seconds(trial.reference.median),
        seconds(here.median),
        f"[{COLOURS[trial.speed.value]}]{trial.speed.value}[/]",
        times(trial.ratio.value, trial.ratio.low, trial.ratio.high),
    ]
    if wide:
        row.append(f"{seconds(here.low)} - {seconds(here.high)}")
    row.append(seconds(trial.first_call) if trial.first_call else "")
    if wide:
        row.append(f"{seconds(transfer['to_device'])} / {seconds(transfer['to_host'])}" if transfer else "in the call")
    return row


# --- What ``profile -- PROGRAM`` found and decided

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


# --- While it measures: the table so far, a bar, and the time left. On terminals only

_AROUND = 8  #: lines of a terminal that are not rows of the table


class Display:
    """The table and the bar. Without a live display both calls do nothing."""

    def __init__(self, live: Live | None, bar: Progress | None, rows: int) -> None:
        self._live = live
        self._bar = bar
        self._rows = rows
        self._task = bar.add_task("starting TensorFlow", total=None) if bar is not None else None

    def turn_to(self, function: str, number: int, total: int) -> None:
        """`number` of `total` functions are done; the next is `function`."""

    def progress(self, what: str, done: int, total: int) -> None:
        """``done`` of ``total`` trials are over; the next is ``what``."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=what, completed=done, total=total)

    def show(self, measured: Measured) -> None:
        """The trials so far."""
        if self._live is not None and self._bar is not None:
            from rich.console import Group

            self._live.update(Group(so_far(measured, self._rows), self._bar))


@contextlib.contextmanager
def live_display(console: Console | None = None) -> Iterator[Display]:
    """A display on stderr that is gone when the work is done."""
    from rich.console import Console
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield Display(None, None, 0)
        return
    left = TimeRemainingColumn(compact=True, elapsed_when_finished=True)
    bar = Progress(
        *(BarColumn(bar_width=30), MofNCompleteColumn(), left, TextColumn("left:"), TextColumn("{task.description}")),
        console=console,
    )
    with Live(bar, console=console, transient=True, refresh_per_second=4) as live:
        yield Display(live, bar, max(console.height - _AROUND, 3))


def so_far(measured: Measured, rows: int) -> Table:
    """A row a size, a column a device and variant: how many times faster than NumPy. The last ``rows`` sizes."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    plan = measured.plan
    table = Table(
        title=f"{plan.function}: how many times faster or slower than NumPy", title_justify="left", box=box.SIMPLE_HEAD
    )
    table.add_column(plan.size_name, justify="right")
    columns = [(device, variant) for device in measured.devices for variant in plan.variants]
    for device, variant in columns:
        table.add_column(f"{device}\n{variant}", justify="right")
    trials = {(trial.size, trial.device, trial.variant): trial for trial in measured.trials}
    for size in sorted({trial.size for trial in measured.trials})[-rows:]:
        cells = (trials.get((size, *column)) for column in columns)
        table.add_row(f"{size:,}", *(Text(*_cell(trial)) for trial in cells))
    return table


def _cell(trial: Trial | None) -> tuple[str, str]:
    if trial is None:
        return "", ""
    if trial.ratio is None or trial.speed is None:
        return "not timed", "yellow"
    return times(trial.ratio.value), COLOURS[trial.speed.value]
