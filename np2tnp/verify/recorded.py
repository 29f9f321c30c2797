"""Arguments that a program's recorder pickled, for the original or for the rewritten version of the program."""

from __future__ import annotations

import contextlib
import io
import math
import pickle
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from np2tnp.verify import specs
from np2tnp.verify.inputs import edges, shuffled
from np2tnp.verify.specs import Array, Call, Case, Pickled

_DIGITS = 4  #: fewer than these in a text: a name


def unpickled(path: str, module: types.ModuleType, main: str) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments of one call, with objects of the classes of `module` (one of the two versions).

    `main` is the module's name if it ran as the program's main file, else empty. Raises what unpickling raises.
    """
    names = {module.__name__, *(["__main__"] if main else [])}
    args, kwargs = specs.unpickled(Path(path).read_bytes(), vars(module), names)
    return list(args), dict(kwargs)


def recorded_case(target: str, bound: bool, path: str, module: types.ModuleType, main: str) -> Case:
    """The recorded call as an input; `bound`: its first argument is the object whose method was called."""
    args, kwargs = unpickled(path, module, main)
    owner = Pickled(pickle.dumps(args.pop(0))) if bound else None
    call = Call(tuple(spec_of(item) for item in args), {name: spec_of(item) for name, item in kwargs.items()})
    return Case(target, call, owner, note="a program's arguments")


def varied(case: Case, module: types.ModuleType, rng: np.random.Generator) -> Case:
    """The case with the elements of each array that its objects hold in another order, and other numbers in texts.

    Raises what pickling raises."""

    def vary(spec: Any) -> Any:
        if type(spec) is str:
            return _with_other_digits(spec, rng)
        if isinstance(spec, Pickled):
            value = specs.make(spec, vars(module))
            _reorder(value, rng, set())
            return Pickled(pickle.dumps(value))
        return type(spec)(map(vary, spec)) if type(spec) in (list, tuple) else spec

    call = case.call.with_items([vary(item) for item in case.call.items()])
    return replace(case, call=call, construct=vary(case.construct), note=f"{case.note}, varied")


def has_numbers(case: Case) -> bool:
    """Whether a text among its arguments holds numbers, which may be others as well."""
    return any(map(_holds_numbers, case.call.items()))


def _holds_numbers(spec: Any) -> bool:
    if type(spec) is str:
        return sum(map(str.isdigit, spec)) >= _DIGITS
    if isinstance(spec, Pickled):
        value = pickle.loads(spec.data) if b"StringIO" in spec.data else None
        return isinstance(value, io.StringIO) and _holds_numbers(value.getvalue())
    return type(spec) in (list, tuple) and any(map(_holds_numbers, spec))


def _with_other_digits(text: str, rng: np.random.Generator) -> str:
    """`text` with other digits from some place on: what stands at the front of files tells of sizes."""
    places = [place for place, letter in enumerate(text) if letter in "123456789"]
    if len(places) < _DIGITS:
        return text
    first = places[int(rng.integers(0, len(places)))]
    return text[:first] + "".join(str(rng.integers(1, 10)) if it in "123456789" else it for it in text[first:])


def has_objects(case: Case) -> bool:
    """Whether objects of the program are among its arguments, or have the method."""
    return any(map(_holds_object, (case.construct, *case.call.items())))


def _holds_object(spec: Any) -> bool:
    return isinstance(spec, Pickled) or (type(spec) in (list, tuple) and any(map(_holds_object, spec)))


def _reorder(value: Any, rng: np.random.Generator, seen: set[int]) -> None:
    if id(value) in seen or isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return
    seen.add(id(value))
    if isinstance(value, io.StringIO):
        place, text = value.tell(), _with_other_digits(value.getvalue(), rng)
        value.seek(0)
        value.write(text)
        value.seek(place)
        return
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biufc" and value.flags.writeable:
            value[...] = rng.permutation(value.ravel()).reshape(value.shape)
        return
    held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for item in (*held, *getattr(value, "__dict__", {}).values()):
        _reorder(item, rng, seen)


def spec_of(value: Any) -> Any:
    """A spec: plain values as they are, arrays with their layout, objects pickled (each version unpickles its own)."""
    if type(value) is np.ndarray and value.dtype.kind in "biufc":
        return Array(value, _layout(value))
    if type(value) in (list, tuple):
        return type(value)(spec_of(item) for item in value)
    if type(value) is dict:
        return {key: spec_of(item) for key, item in value.items()}
    if value is None or type(value) in (bool, int, float, complex, str, bytes) or isinstance(value, np.generic):
        return value
    return Pickled(pickle.dumps(value))


def _layout(value: Any) -> str:
    if not value.flags.writeable:
        return "readonly"
    return "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"


# --- Calls like those that a program made: with the values of arrays in another order, texts with other digits, edges

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
