"""Arguments of every kind, and the edges around inputs that are known to work.

A *profile* maps each parameter to a kind (``vector``, ``image``, ``int`` ...); :func:`draw` makes one argument of it.
Arrays of one input share their sizes (n, m, k), because real functions take arrays that belong together.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from np2tnp.verify.compare import eps, rounding_dtype
from np2tnp.verify.hints import Parameter
from np2tnp.verify.specs import Array, Call, Code, Instance, Overlap, Same

#: Sizes (n, m, k) in the order in which they are tried.
SIZES = (
    (6, 6, 6),
    (8, 8, 8),
    (6, 5, 4),
    (5, 5, 5),
    (16, 16, 16),
    (3, 4, 2),
    (9, 9, 9),
    (12, 3, 3),
    (2, 2, 2),
    (7, 10, 3),
)

#: A callable argument: tried in this order.
FUNCTIONS = ("lambda *a: a[-1] * 0.5", "np.sin", "lambda *a: a[0] + 1.0", "lambda *a: -a[-1]", "np.square")

_STEPS = ("steps", "iter", "epoch", "n_steps", "sweeps", "rounds")
_POSITIVE = (
    "n",
    "num",
    "size",
    "count",
    "bins",
    "rows",
    "cols",
    "width",
    "height",
    "window",
    "degree",
    "order",
    "rank",
    "length",
)


@dataclass(frozen=True)
class Draw:
    """What one input's arguments are drawn from."""

    rng: np.random.Generator
    sizes: tuple[int, int, int]
    flavour: str = (
        "normal"  #: normal, unit (0..1), whole (small whole numbers as floats), sorted, sized (ints are sizes)
    )
    float_type: str = "f8"

    def floats(self, *shape: int) -> Array:
        if self.flavour == "unit":
            values = self.rng.uniform(0.05, 1.0, shape)
        elif self.flavour == "whole":
            values = self.rng.integers(-3, 6, shape).astype(float)
        elif self.flavour == "sorted":
            values = np.sort(self.rng.uniform(0.1, 4.0, shape), axis=-1)
        else:
            values = self.rng.standard_normal(shape) * 1.5 + 0.25
        return Array(np.asarray(values, dtype=self.float_type))


def _spd(it: Draw) -> Array:
    n = it.sizes[0]
    half = it.rng.standard_normal((n, n))
    return Array((half @ half.T + n * np.eye(n)).astype(it.float_type))


def _complex(it: Draw) -> Array:
    n = it.sizes[0]
    return Array(
        (it.rng.standard_normal(n) + 1j * it.rng.standard_normal(n)).astype("c16" if it.float_type == "f8" else "c8")
    )


def _integers(it: Draw) -> Array:
    n = it.sizes[0]
    return Array(it.rng.integers(0, max(n, 1), n))


_ARRAYS: dict[str, Callable[[Draw], Any]] = {
    "vector": lambda it: it.floats(it.sizes[0]),
    "matrix": lambda it: it.floats(it.sizes[0], it.sizes[1]),
    "square": lambda it: it.floats(it.sizes[0], it.sizes[0]),
    "turned": lambda it: it.floats(it.sizes[1], it.sizes[0]),
    "inner": lambda it: it.floats(it.sizes[1], it.sizes[2]),
    "other": lambda it: it.floats(it.sizes[1]),
    "cube": lambda it: it.floats(*it.sizes),
    "points": lambda it: it.floats(it.sizes[0], 3),
    "places": lambda it: it.floats(it.sizes[0], 2),
    "batch": lambda it: it.floats(2, 3, 6, 6),
    "kernels": lambda it: it.floats(it.sizes[0], 3, 3, 3),
    "couple": lambda it: it.floats(2),
    "triple": lambda it: it.floats(3),
    "pairs": lambda it: Array(it.rng.integers(0, max(it.sizes[0], 1), (it.sizes[1], 2))),
    "triples": lambda it: Array(it.rng.integers(0, max(it.sizes[0], 1), (it.sizes[1], 3))),
    "integers": _integers,
    "mask": lambda it: Array(it.rng.random(it.sizes[0]) < 0.5),
    "masks": lambda it: Array(it.rng.random(it.sizes[:2]) < 0.5),
    "image": lambda it: Array(it.rng.integers(0, 256, it.sizes[:2]).astype(np.uint8)),
    "colour": lambda it: Array(it.rng.integers(0, 256, (*it.sizes[:2], 3)).astype(np.uint8)),
    "grid": lambda it: Array(it.rng.integers(0, 3, it.sizes[:2])),
    "complex": _complex,
    "spd": _spd,
}

#: Kinds that give ndarrays.
ARRAY_KINDS = frozenset(_ARRAYS)


def draw(kind: str, parameter: Parameter, it: Draw) -> Any:
    """One argument (a spec) of `kind` for `parameter`."""
    if kind in _ARRAYS:
        return _ARRAYS[kind](it)
    rng, (n, m, _) = it.rng, it.sizes
    if kind == "int":
        return _draw_int(parameter.name, it)
    if kind == "float":
        return _draw_float(parameter.name, it)
    if kind == "axis":
        return (0, -1, 1, None)[int(rng.integers(0, 4))]
    if kind == "npfloat":
        return np.float64(round(float(rng.uniform(0.1, 2.0)), 3))
    if kind == "complexnumber":
        return complex(round(float(rng.normal()), 3), round(float(rng.normal()), 3))
    if kind == "list":
        return [round(float(v), 3) for v in rng.standard_normal(n)]
    if kind == "rows":
        return [[round(float(v), 3) for v in row] for row in rng.standard_normal((n, m))]
    if kind == "four":
        return tuple(round(float(v), 3) for v in rng.uniform(-2.0, 2.0, 4))
    if kind == "shape":
        return (n, m)
    if kind == "none":
        return None
    if kind == "bool":
        return bool(rng.random() < 0.5)
    if kind == "string":
        options = parameter.strings or ("valid", "mean", "x")
        return options[int(rng.integers(0, len(options)))]
    if kind == "callable":
        return Code(FUNCTIONS[int(rng.integers(0, len(FUNCTIONS)))])
    if kind == "rng":
        return Code(f"np.random.default_rng({int(rng.integers(0, 100))})")
    if kind == "dict":
        return {key: it.floats(n) for key in parameter.keys or ("a", "b")}
    raise ValueError(f"no such kind: {kind}")


def _draw_int(name: str, it: Draw) -> int:
    lower = name.lower()
    if any(word in lower for word in _STEPS):
        return int(it.rng.integers(2, 7))
    if it.flavour == "sized" and lower != "seed":
        return it.sizes[0]
    if lower in ("n", "m", "size", "nx", "ny") or any(word in lower for word in _POSITIVE):
        return int(it.rng.choice((it.sizes[0], it.sizes[1], 4, 3, 2, 8)))
    if lower == "seed":
        return int(it.rng.integers(0, 1000))
    return int(it.rng.choice((1, 2, 3, 4, 0, it.sizes[0])))


def _draw_float(name: str, it: Draw) -> float:
    lower = name.lower()
    if "tol" in lower or "eps" in lower:
        return float(it.rng.choice((1e-6, 1e-3, 1e-8)))
    if lower in ("dt", "h", "lr", "learning_rate") or "rate" in lower:
        return float(it.rng.choice((0.01, 0.1, 0.05)))
    return round(float(it.rng.choice((0.5, 0.1, 1.5, 2.0, 0.25, 1.0)) * (1 + it.rng.integers(0, 3))), 6)


Profile = tuple[tuple[Parameter, str], ...]


def call_of(profile: Profile, it: Draw, given: dict[str, Any], instances: dict[str, list[Instance]]) -> Call:
    """The arguments of one call. `given` holds arrays of the user's by name; `instances` some objects a class."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    skipped = False  # once a positional parameter keeps its default, those after it go by keyword
    for parameter, kind in profile:
        if kind == "default":
            skipped = True
            continue
        if kind == "given":
            value: Any = Array(given[parameter.name])
        elif kind == "instance":
            value = instances[parameter.instance or ""][0]
        elif kind == "instances":
            value = list(instances[parameter.instance or ""])
        else:
            value = draw(kind, parameter, it)
        if parameter.keyword_only or skipped:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return Call(tuple(args), kwargs)


def shuffled(call: Call, rng: np.random.Generator) -> Call:
    """The call with the elements of each array in another order: other arguments of the same signature."""
    return call.with_items(
        [
            Array(rng.permutation(item.values.ravel()).reshape(item.values.shape), item.layout)
            if isinstance(item, Array)
            else item
            for item in call.items()
        ]
    )


def another(it: Instance, rng: np.random.Generator) -> Instance:
    """An object made like `it`, but of other numbers: arrays in another order, fractions somewhat smaller."""
    call = shuffled(it.call, rng)
    items = [item * float(rng.uniform(0.5, 1.0)) if type(item) is float else item for item in call.items()]
    return replace(it, call=call.with_items(items))


def edges(call: Call, rng: np.random.Generator) -> Iterator[tuple[str, Call]]:
    """Variations of a call that is known to return, the most telling first: (what it tries, call)."""
    items = call.items()
    arrays = [i for i, item in enumerate(items) if isinstance(item, Array)]
    if not arrays:
        return

    def with_arrays(change: Callable[[Any], Any], which: list[int]) -> Call:
        new = list(items)
        for i in which:
            new[i] = change(items[i])
        return call.with_items(new)

    for i in arrays[1:]:
        if items[i].values.shape == items[arrays[0]].values.shape and items[i].values.ndim:
            yield "aliased arguments", with_arrays(lambda _: Same(arrays[0]), [i])
            yield "overlapping arguments", with_arrays(lambda _: Overlap(arrays[0]), [i])
    shaped = [i for i in arrays if items[i].values.ndim]
    if shaped:
        yield "empty", with_arrays(lambda a: Array(a.values[:0]), shaped)
        yield "one element", with_arrays(lambda a: Array(a.values[:1]), shaped)
    floats = [i for i in arrays if items[i].values.dtype.kind in "fc"]
    for name, change in _VALUES.items() if floats else ():
        yield name, with_arrays(partial(_changed, change=change, rng=rng), floats)
    for layout in ("F", "strided", "reversed") if shaped else ():
        yield f"{layout} layout", with_arrays(partial(_with_layout, layout=layout), shaped)
    yield "readonly layout", with_arrays(partial(_with_layout, layout="readonly"), arrays)
    yield "0-d", with_arrays(lambda a: Array(a.values.ravel()[0] if a.values.size else a.values), arrays)
    yield "a list", with_arrays(lambda a: a.values.tolist(), arrays)
    yield "a number", with_arrays(lambda a: a.values.ravel()[0].item() if a.values.size else 0, arrays)
    numbers = [i for i, item in enumerate(items) if type(item) in (int, float)]
    if numbers:
        yield "NumPy numbers", with_arrays(lambda item: np.asarray(item)[()], numbers)


def _changed(array: Array, change: Callable[[Any, np.random.Generator], Any], rng: np.random.Generator) -> Array:
    with np.errstate(all="ignore"):
        return Array(change(array.values, rng))


def _with_value(values: Any, rng: np.random.Generator, value: float) -> Any:
    copy = np.array(values)
    if copy.size:
        copy.flat[int(rng.integers(0, copy.size))] = value
    return copy


#: What else the floats of a call may be: name, new values from the old ones.
_VALUES: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "NaN": partial(_with_value, value=np.nan),
    "infinity": partial(_with_value, value=np.inf),
    "-infinity": partial(_with_value, value=-np.inf),
    "-0.0": partial(_with_value, value=-0.0),
    "float32": lambda values, _: values.astype(np.complex64 if values.dtype.kind == "c" else np.float32),
    "whole numbers": lambda values, _: np.rint(values.real).astype(np.int64),
    "equal values": lambda values, _: np.full_like(values, 1.5),
    "zeros": lambda values, _: np.zeros_like(values),
    "large values": lambda values, _: values * 1e3,
    "small values": lambda values, _: values * 1e-9,
    "complex": lambda values, rng: values + 1j * rng.standard_normal(values.shape),
    "bytes": lambda values, _: np.abs(10 * values.real).astype(np.uint8),
    "booleans": lambda values, _: values.real > 0.25,
}


def _with_layout(array: Array, layout: str) -> Array:
    return Array(array.values, layout)


def perturbed(spec: Any, rng: np.random.Generator) -> Any:
    """`spec` with its fractions moved to a neighbour: what a function makes of that is its own sensitivity to rounding.

    Whole numbers stay as they are: they are usually meant exactly (0 and 1, counts, thresholds).
    """
    if isinstance(spec, Array):
        return Array(moved(spec.values, rng), spec.layout)
    if isinstance(spec, Call):
        return spec.with_items([perturbed(item, rng) for item in spec.items()])
    if isinstance(spec, Instance):
        return Instance(spec.name, perturbed(spec.call, rng))
    if type(spec) in (list, tuple):
        return type(spec)(perturbed(item, rng) for item in spec)
    if type(spec) is dict:
        return {key: perturbed(item, rng) for key, item in spec.items()}
    if type(spec) is float:
        return float(moved(np.asarray(spec), rng))
    return moved(spec, rng) if isinstance(spec, np.inexact) else spec


def shake(value: Any, rng: np.random.Generator, seen: set[int] | None = None) -> None:
    """Move the fractions in every array that an object, list or dict holds, as ``moved`` does, where they are.

    In place, so that what shares memory still does; attributes that are plain numbers stay.
    """
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc" and value.flags.writeable:
            value[...] = moved(value, rng)
        return
    held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for item in (*held, *getattr(value, "__dict__", {}).values()):
        shake(item, rng, seen)


def moved(values: Any, rng: np.random.Generator, whole_too: bool = False) -> Any:
    """An array or NumPy number with each fraction in it moved by one unit in the last place, up or down.

    A number so large that it has no fraction any more counts as one; with `whole_too` all but 0 do.
    """
    if values.dtype.kind == "c":
        parts = (moved(part, rng, whole_too) for part in (values.real, values.imag))
        return (next(parts) + 1j * next(parts)).astype(values.dtype)
    if values.dtype.kind != "f":
        return values
    with np.errstate(all="ignore"):
        near = values.astype(rounding_dtype(values.dtype))
        towards = np.where(rng.random(values.shape) < 0.5, -np.inf, np.inf).astype(near.dtype)
        whole = (np.rint(values) == values) & (np.abs(values) < 1.0 / eps(values.dtype))
        if whole_too:
            whole = values == 0
        stays = ~np.isfinite(values) | whole
        found = np.where(stays, values, np.nextafter(near, towards)).astype(values.dtype)
    return found if isinstance(values, np.ndarray) else found[()]
