"""PNG and SVG charts of a result file.

Run as a child: ``python -m np2tnp.profiling.charts function|basics RESULT PREFIX``.

Prints the path of each file it wrote, a line each.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from np2tnp.profiling.size_grid import named
from np2tnp.report.html.html_measured import colour, dash, label, one_thread
from np2tnp.report.to_profile import seconds

_MARKERS = {
    "numpy": "o",
    "numpy-alone": "x",
    "eager-ndarray": "s",
    "eager-tensor": "D",
    "graph": "^",
    "xla": "v",
    "graph-ndarray": "<",
    "xla-ndarray": ">",
}
_STYLE = {
    "figure.dpi": 110,
    "savefig.dpi": 150,
    "font.size": 10,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handlelength": 3.2,
}

_LONGEST_NAME = 44  #: in a title: matplotlib widens the picture to fit it


def draw_function(function: dict[str, Any], subtitle: str, prefix: str) -> Iterator[str]:
    """Six charts, each as PNG and as SVG; a path a file.

    Run time, elements per second, speed relative to NumPy with the crossovers, where the time goes at the largest size,
    the share of transfers (where any were timed), and first calls against later ones.
    """
    curves = _curves(function["trials"])
    if not curves:
        return
    for name, draw in (
        ("time", _draw_time),
        ("rate", _draw_rate),
        ("relative", _draw_relative),
        ("parts", _draw_parts),
        ("transfer", _draw_transfers),
        ("first-call", _draw_first_calls),
    ):
        if name == "transfer" and not _moved(curves):
            continue
        figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
        draw(axes, function, curves)
        figure.suptitle(subtitle, fontsize=8, color="#555555", x=0.01, y=-0.02, ha="left", va="top")
        for kind in ("png", "svg"):
            path = f"{prefix}-{name}.{kind}"
            figure.savefig(path, bbox_inches="tight")
            yield path
        plt.close(figure)


Curves = dict[tuple[str, str], list[dict[str, Any]]]


def _curves(trials: list[dict[str, Any]]) -> Curves:
    """Timed trials by (device, variant), by size."""
    curves: Curves = {}
    for trial in sorted(trials, key=lambda it: it["size"]):
        if trial["seconds"] is not None:
            curves.setdefault((trial["device"], trial["variant"]), []).append(trial)
    return curves


def _numpy_curve(curves: Curves) -> list[tuple[int, float, int]]:
    """NumPy's median seconds a size (the median over all trials it was sampled with): (size, seconds, elements)."""
    found: dict[int, list[float]] = {}
    elements: dict[int, int] = {}
    for trials in curves.values():
        for trial in trials:
            found.setdefault(trial["size"], []).append(trial["numpy"]["median"])
            elements[trial["size"]] = trial["elements"]
    return [(size, sorted(values)[len(values) // 2], elements[size]) for size, values in sorted(found.items())]


def _look(device: str, variant: str) -> dict[str, Any]:
    gpu = device.startswith("GPU")
    dashes = tuple(float(part) / 2 for part in dash(device).split()) if variant != "numpy" else ()
    return {
        "color": colour(variant),
        "marker": _MARKERS.get(variant, "o"),
        "markersize": 5,
        "linewidth": 1.8,
        "linestyle": (0, dashes) if dashes else "-",
        "markerfacecolor": colour(variant) if gpu or variant == "numpy" else "white",
        "label": label(variant) if variant.startswith("numpy") else f"{device}: {label(variant)}",
    }


def _draw_time(axes: Any, function: dict[str, Any], curves: Curves) -> None:
    axes.plot(*zip(*[(size, s) for size, s, _ in _numpy_curve(curves)], strict=True), **_look("CPU", "numpy"))
    if alone := one_thread(function):
        axes.plot([*alone], [*alone.values()], **_look("CPU", "numpy-alone"))
    for (device, variant), trials in curves.items():
        sizes = [trial["size"] for trial in trials]
        axes.plot(sizes, [trial["seconds"]["median"] for trial in trials], **_look(device, variant))
        low, high = ([trial["seconds"][end] for trial in trials] for end in ("q1", "q3"))
        axes.fill_between(sizes, low, high, color=colour(variant), alpha=0.15, linewidth=0)
    _finish(axes, function, "run time", "time of one call")
    axes.yaxis.set_major_formatter(_seconds)


def _draw_rate(axes: Any, function: dict[str, Any], curves: Curves) -> None:
    axes.plot(*zip(*[(size, e / s) for size, s, e in _numpy_curve(curves)], strict=True), **_look("CPU", "numpy"))
    for (device, variant), trials in curves.items():
        rates = [trial["elements"] / trial["seconds"]["median"] for trial in trials]
        axes.plot([trial["size"] for trial in trials], rates, **_look(device, variant))
    _finish(axes, function, "speed", "elements per second")


def _draw_relative(axes: Any, function: dict[str, Any], curves: Curves) -> None:
    axes.axhline(1, color="black", linewidth=1)
    for (device, variant), trials in curves.items():
        sizes = [trial["size"] for trial in trials]
        axes.plot(sizes, [trial["ratio"]["value"] for trial in trials], **_look(device, variant))
        low, high = ([trial["ratio"][end] for trial in trials] for end in ("low", "high"))
        axes.fill_between(sizes, low, high, color=colour(variant), alpha=0.15, linewidth=0)
    for crossover in function.get("crossovers", []):
        ring = colour(crossover["variant"])
        axes.plot([crossover["size"]], [1], marker="o", markersize=10, color=ring, fillstyle="none", markeredgewidth=2)
    _finish(axes, function, "speed relative to NumPy", "times faster than NumPy")
    axes.yaxis.set_major_formatter(_times)
    axes.text(0.005, 1.02, "above the line: faster", transform=axes.get_yaxis_transform(), fontsize=8, va="bottom")


def _draw_parts(axes: Any, function: dict[str, Any], curves: Curves) -> None:
    """At the largest size: first call, steady call and transfers side by side."""
    numpy_curve = _numpy_curve(curves)
    largest = numpy_curve[-1][0]
    parts = (("first call", "#BBBBBB"), ("steady call", "#0072B2"), ("to device", "#E69F00"), ("to host", "#009E73"))
    labels, rows = ["NumPy"], [(None, numpy_curve[-1][1], None, None)]
    for (device, variant), trials in curves.items():
        last = trials[-1]
        if last["size"] == largest:
            labels.append(f"{device}: {label(variant)}")
            transfer = last["transfer"] or {}
            rows.append(
                (last["first_call"], last["seconds"]["median"], transfer.get("to_device"), transfer.get("to_host"))
            )
    height = 0.2
    for k, (name, shade) in enumerate(parts):
        places = [i + (k - 1.5) * height for i, row in enumerate(rows) if row[k]]
        axes.barh(places, [row[k] for row in rows if row[k]], height, label=name, color=shade)
    axes.figure.set_size_inches(8, max(4, 0.5 * len(rows) + 1.5))
    axes.set_yticks(range(len(labels)), labels, fontsize=8.5)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(_seconds)
    axes.set_title(f"{_title(function)}: where the time goes at {named(function['size_name'], f'{largest:,}')}")
    axes.grid(visible=False, axis="y")
    axes.legend(ncols=4, loc="upper left", bbox_to_anchor=(0, -0.5 / len(labels)))


def _moved(curves: Curves) -> Curves:
    """The curves whose transfers were timed apart."""
    return {key: trials for key, trials in curves.items() if all(trial["transfer"] for trial in trials)}


def _draw_transfers(axes: Any, function: dict[str, Any], curves: Curves) -> None:
    for (device, variant), trials in _moved(curves).items():
        shares = []
        for trial in trials:
            moving = trial["transfer"]["to_device"] + trial["transfer"]["to_host"]
            shares.append(100 * moving / (moving + trial["seconds"]["median"]))
        axes.plot([trial["size"] for trial in trials], shares, **_look(device, variant))
    _finish(axes, function, "share of transfers in one call", "transfers in percent")
    axes.set_yscale("linear")
    axes.set_ylim(0, 100)


def _draw_first_calls(axes: Any, function: dict[str, Any], curves: Curves) -> None:
    """First calls (tracing, compiling, choosing kernels) dotted, later ones as in the other charts."""
    for (device, variant), trials in curves.items():
        sizes = [trial["size"] for trial in trials]
        axes.plot(sizes, [trial["seconds"]["median"] for trial in trials], **_look(device, variant))
        first = {**_look(device, variant), "linestyle": ":", "linewidth": 1.2, "label": None}
        axes.plot(sizes, [trial["first_call"] or float("nan") for trial in trials], **first)
    _finish(axes, function, "first call (dotted) and later calls", "time of one call")
    axes.yaxis.set_major_formatter(_seconds)


def _finish(axes: Any, function: dict[str, Any], title: str, ylabel: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    _name_sizes(axes, sorted({trial["size"] for trial in function["trials"]}))
    axes.set_title(f"{_title(function)}: {title}")
    axes.set_xlabel(function.get("size_label") or f"size ({function['size_name']})")
    axes.set_ylabel(ylabel)
    axes.legend(loc="upper left", bbox_to_anchor=(0, -0.13), ncols=2)


def _title(function: dict[str, Any]) -> str:
    """The function's name, at most as long as a chart is wide."""
    name = str(function["function"])
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME // 2]}…{name[1 - _LONGEST_NAME // 2 :]}"


def _name_sizes(axes: Any, sizes: list[int]) -> None:
    """Ticks at the sizes that were measured, as far as their names have room."""
    ends = math.log(max(sizes[0], 1)), math.log(max(sizes[-1], 2))
    named: list[int] = []
    for size in sizes:
        room = 0.012 * (len(f"{size:,}") + 2) * (ends[1] - ends[0])
        if size > 0 and (not named or math.log(size) - math.log(named[-1]) >= room):
            named.append(size)
    axes.set_xticks(named, [f"{size:,}" for size in named])
    axes.set_xticks([], minor=True)


def _seconds(value: float, _: object = None) -> str:
    return seconds(value)


def _times(value: float, _: object = None) -> str:
    return f"{value:g}×" if value >= 1 else f"1/{1 / value:g}×"


def draw_table(function: dict[str, Any], subtitle: str, path: str) -> str:
    """The times as a table, each coloured by how it compares with NumPy."""
    curves = _curves(function["trials"])
    numpy_times = {size: seconds for size, seconds, _ in _numpy_curve(curves)}
    columns = list(curves)
    alone = one_thread(function)
    header = [function["size_name"], "NumPy", "NumPy on\none thread"] + [
        f"{d}\n{label(v)}".replace(", ", ",\n") for d, v in columns
    ]
    rows, colours = [], []
    for size in sorted(numpy_times):
        row, shades = [f"{size:,}", seconds(numpy_times[size])], ["#F2F2F2", "white", "white"]
        row.append(seconds(alone[size]) if size in alone else "")
        for key in columns:
            trial = next((t for t in curves[key] if t["size"] == size), None)
            row.append(seconds(trial["seconds"]["median"]) if trial else "")
            shades.append(_shade(trial["verdict"]) if trial else "white")
        rows.append(row)
        colours.append(shades)
    figure, axes = plt.subplots(figsize=(1.35 * len(header) + 0.5, 0.32 * len(rows) + 1.5), layout="constrained")
    axes.axis("off")
    axes.set_title(f"{_title(function)}: time of one call")
    table = axes.table(rows, cellColours=colours, colLabels=header, loc="center", cellLoc="right")
    table.auto_set_font_size(False)
    table.set_fontsize(8.5)
    for (row, _), cell in table.get_celld().items():
        cell.set_edgecolor("#DDDDDD")
        cell.set_height((0.9 if row else 2.4) / (len(rows) + 2.5))
        if row == 0:
            cell.set_text_props(ha="center", weight="bold", fontsize=7.5)
    figure.suptitle(
        f"green: faster than NumPy, red: slower, blue: same.  {subtitle}",
        fontsize=8,
        x=0.01,
        y=-0.02,
        ha="left",
        va="top",
    )
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)
    return path


def _shade(verdict: str) -> str:
    return {"FASTER": "#CDEBD5", "SLOWER": "#F9D5CC", "SAME": "#D6E6F5"}.get(verdict, "white")


def describe(document: dict[str, Any]) -> str:
    """One line on what was measured where."""
    it = document["environment"]
    gpus = ", ".join(gpu["name"] for gpu in it.get("gpus", []))
    parts = [it["cpu"] + f" ({it['cores']} cores)", gpus, f"TensorFlow {it['tensorflow']}", f"NumPy {it['numpy']}"]
    parts += [
        document.get("dtype", ""),
        f"TF32 {'on' if it['tf32'] else 'off'}" if gpus else "",
        document["created"][:10],
    ]
    return " · ".join(part for part in parts if part)


def main(arguments: list[str]) -> None:
    """Draw the charts that the arguments ask for."""
    kind, result, prefix = arguments
    document = json.loads(Path(result).read_text(encoding="utf-8"))
    subtitle = describe(document)
    with mpl.rc_context(_STYLE):
        for function in document["functions"]:
            start = f"{prefix}/{function['function']}" if kind == "basics" else prefix
            for path in draw_function(function, subtitle, start):
                print(path)
            if kind == "basics" and _curves(function["trials"]):
                print(draw_table(function, subtitle, f"{start}-table.png"))


if __name__ == "__main__":
    main(sys.argv[1:])
