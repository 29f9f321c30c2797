"""What ``profile`` measured, as the sections of a page: verdicts, crossovers and charts of each function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from np2tnp.profiling.size_grid import named
from np2tnp.report.html.markup import Markup, element, join
from np2tnp.report.html.svg import Curve, Mark, Row, dot_chart, line_chart, share_axis, short
from np2tnp.report.to_profile import seconds, times

# --- How the variants that ``profile`` times are named and coloured, the same in every chart

#: Okabe and Ito's palette, which people with colour-blindness can tell apart.
COLOURS = {
    "numpy": "#000000",
    "numpy-alone": "#888888",
    "eager-ndarray": "#D55E00",
    "eager-tensor": "#E69F00",
    "graph": "#0072B2",
    "xla": "#009E73",
    "graph-ndarray": "#56B4E9",
    "xla-ndarray": "#CC79A7",
}
LABELS = {
    "numpy": "NumPy",
    "numpy-alone": "NumPy on one thread",
    "eager-ndarray": "eager, ndarrays in and out",
    "eager-tensor": "eager, tensors",
    "graph": "tf.function, tensors",
    "xla": "tf.function + XLA, tensors",
    "graph-ndarray": "tf.function, ndarrays in and out",
    "xla-ndarray": "tf.function + XLA, ndarrays in and out",
}
_OTHER = "#777777"
#: Of lines, as SVG has it, by the device's number: CPUs broken, GPUs whole or nearly so.
_DASHES: dict[bool, tuple[str, ...]] = {
    False: ("6 4", "8 3 2 3", "2 3", "10 3 2 3 2 3"),
    True: ("", "14 3", "14 3 3 3", "10 2 2 2"),
}


def colour(variant: str) -> str:
    """The colour of a variant; grey for one that is not known here."""
    return COLOURS.get(variant, _OTHER)


def dash(device: str) -> str:
    """The dashes of a device's lines (``CPU:1``); empty for a whole line."""
    number = device.rpartition(":")[2]
    dashes = _DASHES[device.startswith("GPU")]
    return dashes[int(number) % len(dashes)] if number.isdigit() else dashes[0]


def label(variant: str) -> str:
    """What people call a variant."""
    return LABELS.get(variant, variant)


#: A result file as ``profile`` wrote it (docs/profile-schema.md), and one function or trial of it.
Result = dict[str, Any]
_Curves = dict[tuple[str, str], list[Result]]

_Key = tuple[str, str, str]  #: label, colour, dashes
_NUMPY: _Key = ("NumPy", "currentColor", "")
_ALONE: _Key = (label("numpy-alone"), colour("numpy-alone"), "6 4")
_FIRST, _STEADY = "#999999", "#0072B2"  #: of first and later calls


def measured_sections(document: Result) -> Markup:
    """Every function of a result file. Raises KeyError, TypeError or ValueError for one that is not as it should be."""
    parts = [_state(document)]
    functions = document["functions"]
    for function in functions:
        name = str(function["function"])
        tools = element("h3", element("code", name), join(" ", element("small", str(function["path"]))))
        parts.append(element("section", tools, *_function(function), class_="function"))
    if not functions:
        parts.append(element("p", "No function was measured.", class_="muted"))
    return join(*parts)


def headlines(function: Result) -> list[str]:
    """The verdicts of a function in a few words: where it wins."""
    crossovers = [f"{label(it['variant'])} on {it['device']}: {it['text']}" for it in function.get("crossovers", ())]
    if crossovers:
        return crossovers
    verdicts = {trial["verdict"] for trial in function["trials"]}
    for verdict, words in (
        ("FASTER", "Faster than NumPy at some sizes."),
        ("UNSURE", "No variant was surely faster than NumPy."),
    ):
        if verdict in verdicts:
            return [words]
    if not verdicts - {None}:
        return ["Nothing could be timed."]
    return ["No variant was faster than NumPy at the sizes measured."]


def environment_table(document: Result) -> Markup:
    """Where the numbers are from."""
    it = document["environment"]
    gpus = "; ".join(_card(gpu) for gpu in it.get("gpus", ())) or "none"
    words = {"GPUs": gpus, **{key: value for key, value in it.items() if key != "gpus"}}
    words["measured"] = document["created"]
    rows = [[element("th", str(key).replace("_", " ")), element("td", _plain(value))] for key, value in words.items()]
    body = join(*(element("tr", *row) for row in rows if row[1] != element("td", "")))
    return element("div", element("table", body, class_="facts"), class_="scroll")


def _card(gpu: dict[str, str]) -> str:
    driver = f"driver {gpu['driver_version']}" if "driver_version" in gpu else ""
    return ", ".join(filter(None, [gpu.get("name", "?"), gpu.get("memory.total", ""), driver]))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_plain(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    if isinstance(value, float):
        return f"{value:.3g}"
    return {True: "yes", False: "no", None: ""}.get(value, str(value)) if isinstance(value, bool | None) else str(value)


def _state(document: Result) -> Markup:
    if document["complete"]:
        return Markup()
    return element("p", "The measurement was interrupted: what follows is what was measured until then.", class_="warn")


def _function(function: Result) -> list[Markup]:
    curves = _timed(function["trials"])
    parts = [element("p", text, class_="headline") for text in headlines(function)]
    decision = function.get("decision")
    if decision:
        words = "Confirmed" if decision["confirmed"] else "Not confirmed"
        more = f" --dispatch rewrites it for {decision['above']:,} elements and more." if decision.get("above") else ""
        said = f"{words}: {decision['reason']}." if decision["reason"] else f"{words}."
        parts.append(element("p", said + more))
    parts += [
        element("p", f"{it['calls']:,} calls with {it['signature']}", class_="muted") for it in function.get("seen", ())
    ]
    if curves:
        alone = one_thread(function)
        figures = [
            _figure(
                "run time of one call", _time_chart(function, curves), curves, [_NUMPY, *([_ALONE] if alone else [])]
            ),
            _figure("elements per second", _rate_chart(function, curves), curves, [_NUMPY]),
            _figure("speed relative to NumPy; a ring marks a crossover", _ratio_chart(function, curves), curves),
        ]
        if any(trial["transfer"] for trials in curves.values() for trial in trials):
            moved = {key: trials for key, trials in curves.items() if trials[0]["transfer"]}
            figures.append(_figure("share of transfers in one call", _transfer_chart(function, moved), moved))
        figures.append(_first_call_figure(function, curves))
        table = _times_table(function, curves)
        figures.append(element("figure", element("figcaption", "all times"), table, class_="wide"))
        parts.append(element("div", *figures, class_="figures"))
    parts += [element("p", str(note), class_="muted") for note in function.get("notes", ())]
    parts += [element("p", text, class_="warn") for text in _untimed(function)]
    return parts


def _timed(trials: list[Result]) -> _Curves:
    """Timed trials by (device, variant), by size."""
    curves: _Curves = {}
    for trial in sorted(trials, key=lambda it: it["size"]):
        if trial["seconds"] is not None:
            curves.setdefault((trial["device"], trial["variant"]), []).append(trial)
    return curves


def _numpy(curves: _Curves) -> dict[int, tuple[float, int]]:
    """NumPy's seconds (the median of its medians beside each variant) and the elements, by size."""
    found: dict[int, list[float]] = {}
    elements: dict[int, int] = {}
    for trial in (trial for trials in curves.values() for trial in trials):
        found.setdefault(trial["size"], []).append(trial["numpy"]["median"])
        elements[trial["size"]] = trial["elements"]
    return {size: (sorted(found[size])[len(found[size]) // 2], elements[size]) for size in sorted(found)}


def one_thread(function: Result) -> dict[int, float]:
    """NumPy's seconds in a process where it has one thread, by size."""
    return {it["size"]: it["median"] for it in sorted(function.get("numpy_one_thread", ()), key=lambda it: it["size"])}


def _name(device: str, variant: str) -> str:
    return f"{device}: {label(variant)}"


def _curve(key: tuple[str, str], points: list[tuple[float, float]], band: list[tuple[float, float]]) -> Curve:
    return Curve(_name(*key), colour(key[1]), tuple(points), tuple(band), dash(key[0]))


def _time_chart(function: Result, curves: _Curves) -> Markup:
    reference = tuple((float(size), time) for size, (time, _) in _numpy(curves).items())
    lines = [Curve("NumPy", "currentColor", reference)]
    if alone := one_thread(function):
        lines.append(
            Curve(_ALONE[0], _ALONE[1], tuple((float(n), time) for n, time in alone.items()), dashes=_ALONE[2])
        )
    for key, trials in curves.items():
        points = [(trial["size"], trial["seconds"]["median"]) for trial in trials]
        lines.append(_curve(key, points, [(trial["seconds"]["q1"], trial["seconds"]["q3"]) for trial in trials]))
    return line_chart(lines, _size_label(function), "time of one call", seconds)


def _rate_chart(function: Result, curves: _Curves) -> Markup:
    reference = tuple((float(size), count / time) for size, (time, count) in _numpy(curves).items())
    lines = [Curve("NumPy", "currentColor", reference)]
    for key, trials in curves.items():
        lines.append(_curve(key, [(it["size"], it["elements"] / it["seconds"]["median"]) for it in trials], []))
    return line_chart(lines, _size_label(function), "elements per second", lambda value: short(float(f"{value:.3g}")))


def _ratio_chart(function: Result, curves: _Curves) -> Markup:
    lines = [
        _curve(
            key,
            [(trial["size"], trial["ratio"]["value"]) for trial in trials],
            [(trial["ratio"]["low"], trial["ratio"]["high"]) for trial in trials],
        )
        for key, trials in curves.items()
    ]
    marks = [
        Mark(it["size"], 1.0, colour(it["variant"]), f"{_name(it['device'], it['variant'])}: {it['text']}")
        for it in function.get("crossovers", ())
    ]
    return line_chart(lines, _size_label(function), "times faster than NumPy", _times, level=1.0, marks=marks)


def _transfer_chart(function: Result, curves: _Curves) -> Markup:
    lines = [_curve(key, [(it["size"], _transfer_share(it)) for it in trials], []) for key, trials in curves.items()]
    axis = share_axis()
    return line_chart(lines, _size_label(function), "transfers", lambda value: f"{100 * value:.3g} %", y_axis=axis)


def _transfer_share(trial: Result) -> float:
    """Of a call with its arguments moved there and its result moved back, the part that is moving."""
    moving = float(trial["transfer"]["to_device"] + trial["transfer"]["to_host"])
    return moving / (moving + float(trial["seconds"]["median"]))


def _first_call_figure(function: Result, curves: _Curves) -> Markup:
    """First call against a later one, at the largest size; and after how many calls the first has paid."""
    largest = max(trial["size"] for trials in curves.values() for trial in trials)
    reference = _numpy(curves)[largest][0]
    rows, paid = [Row("NumPy", (("every call", reference, "currentColor"),))], []
    for key, trials in curves.items():
        last = trials[-1]
        if last["size"] == largest and last["first_call"]:
            steady = last["seconds"]["median"]
            rows.append(Row(_name(*key), (("first call", last["first_call"], _FIRST), ("later call", steady, _STEADY))))
            if calls := last["pays_after"]:
                paid.append(f"{_name(*key)} pays after {calls:,} call{'s' if calls > 1 else ''}.")
    chart = dot_chart(rows, "time of one call", seconds)
    words = f"first call (grey) against later calls (blue) at {named(function['size_name'], f'{largest:,}')}"
    return element("figure", element("figcaption", words), chart, *(element("p", text) for text in paid))


def _figure(title: str, chart: Markup, curves: _Curves, others: Sequence[_Key] = ()) -> Markup:
    keys = [_key(*other) for other in others]
    keys += [_key(_name(*key), colour(key[1]), dash(key[0])) for key in curves]
    return element("figure", element("figcaption", title), chart, element("div", *keys, class_="keys"))


def _key(name: str, shade: str, dashes: str) -> Markup:
    line = element("line", x1=0.0, x2=26.0, y1=5.0, y2=5.0, stroke=shade, stroke_dasharray=dashes or None)
    sample = element("svg", line, viewBox="0 0 26 10", width=26.0, height=10.0, aria_hidden="true", class_="key")
    return element("span", sample, name)


def _times_table(function: Result, curves: _Curves) -> Markup:
    """Sizes down, variants across, coloured by verdict."""
    alone = one_thread(function)
    head = [str(function["size_name"]), "NumPy", *([_ALONE[0]] if alone else []), *(_name(*key) for key in curves)]
    rows = []
    for size, (reference, _) in _numpy(curves).items():
        cells: list[Markup] = [element("th", f"{size:,}"), element("td", seconds(reference))]
        if alone:
            cells.append(element("td", seconds(alone[size]) if size in alone else ""))
        for trials in curves.values():
            trial = next((it for it in trials if it["size"] == size), None)
            cells.append(_time_cell(trial))
        rows.append(element("tr", *cells))
    heading = element("tr", *(element("th", text) for text in head))
    whole = element("table", element("thead", heading), element("tbody", *rows), class_="times")
    return element("div", whole, class_="scroll")


def _time_cell(trial: Result | None) -> Markup:
    if trial is None:
        return element("td", "")
    verdict, ratio = trial["verdict"] or "", trial["ratio"]
    first = f", first call {seconds(trial['first_call'])}" if trial["first_call"] else ""
    title = f"{verdict}: {times(ratio['value'], ratio['low'], ratio['high'])} than NumPy{first}"
    small = element("small", verdict.lower())
    return element("td", seconds(trial["seconds"]["median"]), " ", small, title=title, class_=verdict.lower())


def _untimed(function: Result) -> list[str]:
    """What was not timed, and why: one text a reason."""
    reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}  # the names and the sizes, each once, in order
    for trial in function["trials"]:
        if trial["seconds"] is None and trial["reason"]:
            names, sizes = reasons.setdefault(trial["reason"], ({}, {}))
            names[_name(trial["device"], trial["variant"])] = sizes[f"{trial['size']:,}"] = None
    return [
        f"not timed: {reason} ({'; '.join(names)}"
        + (")" if [*sizes] == ["0"] else f"; {function['size_name']} = {', '.join([*sizes][:6])})")
        for reason, (names, sizes) in reasons.items()
    ]


def _size_label(function: Result) -> str:
    return str(function.get("size_label") or function["size_name"])


def _times(value: float) -> str:
    return f"{value:g}×" if value >= 1 else f"1/{1 / value:g}×"
