"""Programs under the sampler, and what it charged to which function."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from np2tnp.profiling.hot import first_lines, read_samples, run_inside


def sampled(folder: Path, program: str, *arguments: str):
    """What the sampler saw of a program, and how it ended."""
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program))
    place = folder / "samples"
    place.mkdir()
    ended = run_inside([sys.executable, str(path), *arguments], "sampler", place)
    return read_samples(place), ended, path


def seconds_by_function(samples, path: Path) -> dict[str, float]:
    firsts = sorted((line, name) for name, line in first_lines(path.read_text()).items())
    found: dict[str, float] = {}
    for (file, line), cell in samples.own.items():
        if file == str(path.resolve()):
            name = max((item for item in firsts if item[0] <= line), default=(0, "<module>"))[1]
            found[name] = found.get(name, 0.0) + sum(cell)
    return found
