"""What ``profile`` shows while it measures: the table so far, a bar, and the time left. On terminals only."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from np2tnp.report.to_profile import COLOURS, times

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.progress import Progress
    from rich.table import Table

    from np2tnp.profiling.measured import Measured, Trial

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
