"""Calls like those that a program made: with the values of arrays in another order, texts with other digits, edges."""

from __future__ import annotations

import contextlib
import math
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from np2tnp.differential.inputs import edges, shuffled
from np2tnp.differential.recorded import has_numbers, has_objects, varied
from np2tnp.differential.specs import Array, Case

FEW = 8  #: fewer inputs than this: look how the module itself calls the function
EDGED = 3  #: around how many of them edges are tried
_TRIES = 4  #: for each variation of a text: with a wrong number of lines, say, the original does not return
_QUICK, _MANY = 0.3, 100_000  #: seconds and elements that a recorded call may take to be varied


def around(
    cases: list[Case], returns: Callable[[Case], bool], module: types.ModuleType, rng: np.random.Generator
) -> Iterator[Case]:
    """Variations of `cases`; `returns` says of one whether the original of `module` returns."""
    edged = 0
    for case in cases:
        arrays = [item for item in case.call.items() if isinstance(item, Array)]
        objects, texts = has_objects(case), has_numbers(case)
        if not (arrays or objects or texts) or sum(item.values.size for item in arrays) > _MANY:
            continue
        start = time.monotonic()
        if not returns(case) or time.monotonic() - start > _QUICK:
            continue
        wanted = math.ceil(FEW / len(cases)) if objects or texts else 0
        for _ in range(wanted * (_TRIES if texts else 1)):
            with contextlib.suppress(Exception):  # an object that cannot be pickled again
                new = varied(case, module, rng)
                if wanted and (not texts or returns(new)):
                    wanted -= 1
                    yield new
        if not arrays:
            continue
        yield replace(case, call=shuffled(case.call, rng), note=f"{case.note}, shuffled")
        edged += 1
        if edged <= EDGED:
            for note, call in edges(case.call, rng):
                yield replace(case, call=call, note=f"{case.note}, {note}")
