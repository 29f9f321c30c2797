"""``np2tnp profile --suite basics``: sort, matmul, tanh, FFT and sigmoid over sizes from 1 to 10 million."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from np2tnp.config import Config
from np2tnp.profiling.emitted import compiled_forms, eager
from np2tnp.profiling.environment import describe_host
from np2tnp.profiling.measured import Measured, Plan, settings_of
from np2tnp.profiling.measurement import measure
from np2tnp.profiling.results import SCHEMA, draw, missing_gpu, now, require_writable, write_json
from np2tnp.profiling.size_grid import grid, parse_sizes
from np2tnp.verify.two_texts import CannotVerify, Pair, changed_functions, rewrite_in_memory

VARIANTS = ("eager-ndarray", "eager-tensor", "graph-ndarray", "graph", "xla")

#: The five as people write them in NumPy: rewritten like any other program, so that what is timed is what users get.
PROGRAM = """\
import numpy as np


def sort(x):
    'x sorted.'
    return np.sort(x)


def matmul(a, b):
    'The product of two matrices.'
    return np.matmul(a, b)


def tanh(x):
    'The hyperbolic tangent of each element.'
    return np.tanh(x)


def fft(x):
    'The discrete Fourier transform of x.'
    return np.fft.fft(x)


def sigmoid(x):
    '1 / (1 + exp(-x)) of each element.'
    return 1 / (1 + np.exp(-x))
"""

_LARGEST = 10_000_000
_EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)  #: of square matrices on a CPU
_GPU_EDGE = 5000  #: and one more where a GPU is


@dataclass(frozen=True)
class Operation:
    """One of the five."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    size_label: str = "elements (n)"


def operations(dtype: str) -> tuple[Operation, ...]:
    """The five operations on standard normal data of `dtype`."""
    line = (("x", f"rng.standard_normal(n, dtype={dtype!r})"),)
    square = tuple((name, f"rng.standard_normal((n, n), dtype={dtype!r})") for name in "ab")
    return (
        Operation("sort", line),
        Operation("tanh", line),
        Operation("sigmoid", line),
        Operation("fft", line),
        Operation("matmul", square, "edge of the square matrices (n)"),
    )


def run_basics(args: argparse.Namespace, config: Config) -> int:
    """Measure and draw all five. Exit status 0 measured, 2 error. Raises CannotVerify."""
    from rich.console import Console

    from np2tnp.report.to_profile import Display, live_display, render

    pair = _standard_pair(config)
    folder = Path(args.output or "np2tnp-basics")
    result = folder / "np2tnp-profile.json"
    require_writable(result)
    host, created = describe_host(), now()
    done: list[tuple[Operation, Measured]] = []
    console = Console()
    if not console.is_terminal:
        console = Console(width=150)

    def save(current: tuple[Operation, Measured] | None, complete: bool) -> None:
        write_json(result, _document([*done, *([current] if current else [])], host, created, args.dtype, complete))

    try:
        for operation in operations(args.dtype):
            sizes = _sizes(args.size, operation, done)
            plan = _plan(args, pair, operation, sizes)

            with live_display() as display:

                def keep(measured: Measured, operation: Operation = operation, display: Display = display) -> None:
                    save((operation, measured), complete=False)
                    display.show(measured)

                measured = measure(plan, display.progress, keep)
            done.append((operation, measured))
            for part in render(measured, console.width):
                console.print(part, highlight=False)
    except KeyboardInterrupt:
        if done:
            save(None, complete=False)
        print(f"np2tnp profile: interrupted; what was measured so far is in {folder}", file=sys.stderr)
        return 130
    save(None, complete=True)
    if said := missing_gpu(done[0][1].devices):
        console.print(said, highlight=False)
    said = f"wrote {result}, {_write_page(result, config)}"
    if not args.no_charts:
        said += draw(["basics", str(result), str(folder)])
    console.print(said, highlight=False, soft_wrap=True, markup=False)
    return 0


def _write_page(result: Path, config: Config) -> Path:
    """An HTML page of the result file, beside it."""
    from np2tnp.report.html.page import Contents, render

    document = json.loads(result.read_text(encoding="utf-8"))
    page = result.with_name("index.html")
    page.write_text(render(Contents("np2tnp: the basics suite", profiles={str(result): document}), config), "utf-8")
    return page


def _standard_pair(config: Config) -> Pair:
    """The program before and after rewriting, whatever the user's options keep in NumPy."""
    rewritten = rewrite_in_memory("basics.py", PROGRAM, eager(replace(config, slow="convert")))
    pair = Pair("basics.py", PROGRAM, rewritten, "the basics suite", in_memory=True)
    missing = {operation.name for operation in operations("float32")} - set(changed_functions(pair)[0])
    if missing:
        raise CannotVerify(f"this version does not rewrite {', '.join(sorted(missing))}")
    return pair


def _plan(args: argparse.Namespace, pair: Pair, operation: Operation, sizes: tuple[int, ...]) -> Plan:
    return Plan(
        pair,
        operation.name,
        "n",
        sizes,
        operation.arguments,
        refine=0,
        variants=VARIANTS,
        compiled=compiled_forms(pair, Config(slow="convert")),
        **settings_of(args),
    )


def _sizes(text: str | None, operation: Operation, done: list[tuple[Operation, Measured]]) -> tuple[int, ...]:
    """One a decade; for matrices (whose cost grows with the cube) edges, larger ones only where a GPU is.

    What the user says counts elements: a matrix of a million has an edge of a thousand.
    """
    if text:
        sizes = parse_sizes(text)[1]
        edges = dict.fromkeys(max(1, round(size**0.5)) for size in sizes)
        return tuple(edges if operation.name == "matmul" else sizes)
    if operation.name != "matmul":
        return tuple(grid(1, _LARGEST, 8))
    has_gpu = any(name.startswith("GPU") for name in done[-1][1].devices) if done else False
    return (*_EDGES, _GPU_EDGE) if has_gpu else _EDGES


def _document(
    done: list[tuple[Operation, Measured]], host: dict[str, Any], created: str, dtype: str, complete: bool
) -> dict[str, Any]:
    first = done[0][1]
    functions = [{**measured.as_dict(), "size_label": operation.size_label} for operation, measured in done]
    return {
        "schema": SCHEMA,
        "kind": "basics",
        "created": created,
        "complete": complete,
        "dtype": dtype,
        "environment": {**host, **first.environment},
        "devices": first.devices,
        "functions": functions,
    }
