"""What ``profile`` measured, as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from np2tnp.profiling.evidence import summarize
from np2tnp.profiling.size_grid import named

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from np2tnp.profiling.measured import Measured, Trial

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
