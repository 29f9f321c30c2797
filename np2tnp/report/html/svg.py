"""Charts as inline SVG: no library, no network, and colours that follow the page's light or dark theme."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from np2tnp.report.html.markup import Markup, element, join

_WIDTH, _HEIGHT = 640.0, 360.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 608.0, 14.0, 310.0
_ROW = 34.0  #: height of a row in a dot chart
_CHARACTER = 6.6  #: width of most characters in a label


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: points by x, and how sure each is as (low, high)."""

    label: str
    colour: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float], ...] = ()
    dashes: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on a chart that deserves a ring and a word, such as a crossover."""

    x: float
    y: float
    colour: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a dot chart: dots with their names, joined by a line."""

    label: str
    dots: tuple[tuple[str, float, str], ...]  #: (name, value, colour)


@dataclass(frozen=True, slots=True)
class Axis:
    """Where the values of one dimension lie, and which of them get a word."""

    low: float
    high: float
    ticks: tuple[float, ...]
    linear: bool = False

    def place(self, value: float, start: float, end: float) -> float:
        """The coordinate of ``value`` between ``start`` (lowest) and ``end`` (highest)."""
        at = (value - self.low) / (self.high - self.low) if self.linear else _part(value, self.low, self.high)
        return start + (end - start) * min(max(at, 0.0), 1.0)


def _part(value: float, low: float, high: float) -> float:
    return (math.log10(max(value, low)) - math.log10(low)) / (math.log10(high) - math.log10(low))


def log_axis(values: Sequence[float], most: int = 8) -> Axis:
    """A logarithmic axis around positive values: whole decades, or steps of 1, 2 and 5 where there are few."""
    positive = [value for value in values if value > 0] or [1.0]
    low, high = min(positive), max(positive)
    if high < low * 1.5:
        low, high = low / 1.5, high * 1.5
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 2 else (1,)
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    start = max((tick for tick in ticks if tick <= low), default=ticks[0])
    end = min((tick for tick in ticks if tick >= high), default=ticks[-1])
    inside = [tick for tick in ticks if start <= tick <= end]
    return Axis(start, end, tuple(inside[:: -(-len(inside) // most)]))


def share_axis() -> Axis:
    """A linear axis from none to all."""
    return Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), linear=True)


def line_chart(
    curves: Sequence[Curve],
    x_label: str,
    y_label: str,
    y_text: Callable[[float], str],
    *,
    y_axis: Axis | None = None,
    level: float | None = None,
    marks: Sequence[Mark] = (),
) -> Markup:
    """Curves over a logarithmic x, with a horizontal line at ``level`` and rings at ``marks``."""
    x = log_axis([at for curve in curves for at, _ in curve.points])
    heights = [value for curve in curves for _, value in curve.points] + ([level] if level else [])
    y = y_axis or log_axis(heights)

    def spot(at: float, value: float) -> tuple[float, float]:
        return x.place(at, _LEFT, _RIGHT), y.place(value, _BOTTOM, _TOP)

    parts = [_grid(x, y, x_label, y_label, y_text)]
    if level is not None:
        height = y.place(level, _BOTTOM, _TOP)
        parts.append(element("line", x1=_LEFT, x2=_RIGHT, y1=height, y2=height, class_="level"))
    for curve in curves:
        places = [spot(*point) for point in curve.points]
        if curve.band:
            xs = [at for at, _ in places]
            edges = [[y.place(ends[side], _BOTTOM, _TOP) for ends in curve.band] for side in (0, 1)]
            outline = [*zip(xs, edges[1], strict=True), *reversed(list(zip(xs, edges[0], strict=True)))]
            parts.append(element("polygon", points=_path(outline), fill=curve.colour, class_="band"))
        parts.append(
            element(
                "polyline",
                points=_path(places),
                stroke=curve.colour,
                stroke_dasharray=curve.dashes or None,
                class_="curve",
            )
        )
        for (at, value), (across, down) in zip(curve.points, places, strict=True):
            words = f"{curve.label}\n{x_label} = {at:,g}: {y_text(value)}"
            parts.append(element("circle", element("title", words), cx=across, cy=down, r=3.5, fill=curve.colour))
    for mark in marks:
        across, down = spot(mark.x, mark.y)
        title = element("title", mark.text)
        parts.append(element("circle", title, cx=across, cy=down, r=8.0, stroke=mark.colour, class_="ring"))
    return _svg(_HEIGHT, f"{y_label} by {x_label}", parts)


def dot_chart(rows: Sequence[Row], x_label: str, x_text: Callable[[float], str]) -> Markup:
    """One row a thing, its values as dots on a common logarithmic axis."""
    left, height = 24 + _CHARACTER * max(len(row.label) for row in rows), 20 + _ROW * len(rows)
    axis = log_axis([value for row in rows for _, value, _ in row.dots], most=6)
    parts = []
    for tick in axis.ticks:
        across = axis.place(tick, left, _RIGHT)
        parts.append(element("line", x1=across, x2=across, y1=8.0, y2=height, class_="grid"))
        parts.append(element("text", x_text(tick), x=across, y=height + 18, text_anchor="middle"))
    for at, row in enumerate(rows):
        down = 8 + _ROW * (at + 0.5)
        places = [axis.place(value, left, _RIGHT) for _, value, _ in row.dots]
        parts.append(element("text", row.label, x=left - 12, y=down + 4, text_anchor="end"))
        parts.append(element("line", x1=min(places), x2=max(places), y1=down, y2=down, class_="level"))
        for (name, value, colour), across in zip(row.dots, places, strict=True):
            title = element("title", f"{row.label}\n{name}: {x_text(value)}")
            parts.append(element("circle", title, cx=across, cy=down, r=6.0, fill=colour))
    return _svg(height + 28, x_label, parts, "chart dots")


def stacked_bar(parts: Sequence[tuple[str, int, str]], what: str) -> Markup:
    """Shares of a whole as one bar: (name, number, class); nothing where all are zero."""
    whole = sum(number for _, number, _ in parts)
    if not whole:
        return Markup()
    pieces, start = [], 0.0
    for name, number, class_ in parts:
        if number:
            width = 100 * number / whole
            title = element("title", f"{name}: {number:,} of {whole:,} {what}")
            pieces.append(element("rect", title, x=start, y=0.0, width=width, height=10.0, class_=class_))
            start += width
    label = ", ".join(f"{name} {number:,}" for name, number, _ in parts)
    return element(
        *("svg", *pieces), viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=label, class_="bar"
    )


def _grid(x: Axis, y: Axis, x_label: str, y_label: str, y_text: Callable[[float], str]) -> Markup:
    parts = []
    for tick in x.ticks:
        across = x.place(tick, _LEFT, _RIGHT)
        parts.append(element("line", x1=across, x2=across, y1=_TOP, y2=_BOTTOM, class_="grid"))
        parts.append(element("text", short(tick), x=across, y=_BOTTOM + 18, text_anchor="middle"))
    for tick in y.ticks:
        down = y.place(tick, _BOTTOM, _TOP)
        parts.append(element("line", x1=_LEFT, x2=_RIGHT, y1=down, y2=down, class_="grid"))
        parts.append(element("text", y_text(tick), x=_LEFT - 8, y=down + 4, text_anchor="end"))
    parts.append(element("text", x_label, x=(_LEFT + _RIGHT) / 2, y=_BOTTOM + 40, text_anchor="middle"))
    middle = (_TOP + _BOTTOM) / 2
    parts.append(element("text", y_label, transform=f"translate(14 {middle:g}) rotate(-90)", text_anchor="middle"))
    return join(*parts)


def short(value: float) -> str:
    """A number as people write it on an axis: 1, 200, 5k, 1M, 1G, 1T."""
    for letter, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{value / scale:g}{letter}"
    return f"{value:g}"


def _path(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{across:.1f},{down:.1f}" for across, down in places)


def _svg(height: float, label: str, parts: Sequence[Markup], kind: str = "chart") -> Markup:
    return element("svg", *parts, viewBox=f"0 0 {_WIDTH:g} {height:g}", role="img", aria_label=label, class_=kind)
