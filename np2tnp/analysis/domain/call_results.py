"""What a call of NumPy gives apart from its dtype: how many dimensions, a scalar or an array, an argument itself; and
its arguments by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    NO_NAMES,
    NONE,
    SHARED,
    Array,
    Const,
    Scalar,
    Sequence,
    Unknown,
    Value,
    has_axes,
    has_elements,
    is_python_number,
    replace,
    scalar_type,
)
from np2tnp.analysis.syntax.python_tables import NEVER_0D, REDUCTIONS
from np2tnp.catalog.catalog import Catalog
from np2tnp.catalog.facts import ApiFact, GivenBack, positional

# --- How many dimensions the result of a NumPy call has; None where its arguments do not tell

_FALSE = Const.of(False)
#: What keeps the dimensions of its first argument, whatever else it gets.
_OF_FIRST = frozenset(
    "copy round around flip roll astype fliplr flipud rot90 fft ifft fft2 ifft2 rfft2 fftn ifftn rfftn rfft irfft hfft"
    " ihfft fftshift ifftshift nan_to_num real imag angle pad swapaxes moveaxis rollaxis inv pinv cholesky"
    " matrix_power transpose conj conjugate fix sinc i0 isreal iscomplex isposinf isneginf unwrap".split()
)
#: The same, but for a shape that is given.
_LIKE = frozenset("zeros_like ones_like empty_like full_like".split())
#: The same, but that all elements lie in a row without an axis: by the default of that axis.
_ALONG = {
    **dict.fromkeys("cumsum cumprod nancumsum nancumprod repeat delete insert append".split(), NONE),
    **dict.fromkeys("sort argsort partition argpartition".split(), Const.of(-1)),
}
_BY_SHAPE = frozenset("zeros ones empty full broadcast_to".split())
_GRIDS: dict[str, tuple[str, ...]] = {"linspace": ("start", "stop"), "geomspace": ("start", "stop")}
_GRIDS["logspace"] = (*_GRIDS["linspace"], "base")
_FIXED = {
    **dict.fromkeys("flatnonzero nonzero bincount histogram histogram_bin_edges convolve correlate ravel".split(), 1),
    **dict.fromkeys("flatten ediff1d fftfreq rfftfreq hanning hamming blackman bartlett kaiser roots poly".split(), 1),
    **dict.fromkeys(
        "triu_indices tril_indices diag_indices fromiter union1d intersect1d setdiff1d in1d arange".split(), 1
    ),
    **dict.fromkeys("eye identity outer argwhere vander tri".split(), 2),
    "vdot": 0,
}
#: Parameters that are no operands of an elementwise function.
_ASIDE = frozenset("dtype casting order subok signature extobj decimals".split())
#: Elementwise functions that the catalog calls plain functions.
_ELEMENTWISE = frozenset("clip isclose where abs absolute".split())
#: Where the functions are that these names mean: not ufuncs' methods, nor functions on other objects.
_SPACES = frozenset(("numpy", "numpy.linalg", "numpy.fft", "ndarray"))
#: Ufuncs that work on whole rows.
_BY_ROWS = frozenset("matmul vecdot matvec vecmat".split())


def sequence_rank(value: Sequence) -> int | None:
    """Of the array that NumPy makes of a list or tuple."""
    if value.items == ():
        return 1
    inner = rank_of(value.element)
    return None if inner is None else inner + 1


def rank_of(value: Value | None) -> int | None:
    """Of an argument, as NumPy takes it."""
    if isinstance(value, Array):
        return value.rank
    if isinstance(value, Sequence):
        return sequence_rank(value)
    return 0 if value is not None and is_python_number(value) else None


def shape_rank(shape: Value | None) -> int | None:
    """Of an array of that shape."""
    if isinstance(shape, Sequence):
        return None if shape.items is None else len(shape.items)
    return 1 if shape is not None and scalar_type(shape) == "int" else None


def result_rank(name: str, fact: ApiFact, values: Mapping[str, Value], first: Value | None) -> int | None:
    """Of what NumPy's function or method `name` gives; `values`: its arguments by parameter, `first`: the first one."""
    space, out = fact.name.rpartition(".")[0], values.get("out", NONE)
    if space not in _SPACES:
        return None
    if out != NONE:
        return rank_of(out) if isinstance(out, Array) else None
    if name in _SPECIAL:
        return _SPECIAL[name](values, first)
    if name in REDUCTIONS:
        return _of_reduction(name, values, first)
    if name in _FIXED:
        return _FIXED[name]
    if name in _OF_FIRST:
        return rank_of(first)
    if name in _ALONG:
        axis = values.get("axis", _ALONG[name])
        return 1 if axis == NONE else max(1, rank_of(first) or 0) if rank_of(first) and _is_axis(axis) else None
    if name in _LIKE:
        return rank_of(first) if values.get("shape", NONE) == NONE else shape_rank(values["shape"])
    if name in _BY_SHAPE:
        return shape_rank(values.get("shape", values.get("size")))
    if name in _GRIDS:
        return _plus_one(_most(values[key] for key in _GRIDS[name] if key in values))
    if name in _BY_ROWS:
        return _of_product(values, first) if name == "matmul" and "axes" not in values else None
    if fact.kind == "ufunc" or name in _ELEMENTWISE:
        operands = [value for key, value in values.items() if key not in _ASIDE]
        return _most([first, *operands] if first is not None else operands)
    return None


# --- Whether the result certainly has elements

#: What has elements where its first argument has some, whatever else it gets that NumPy takes.
_FILLED_BY_FIRST = frozenset(
    "reshape ravel flatten squeeze expand_dims T mT matrix_transpose array asarray asanyarray ascontiguousarray"
    " asfortranarray insert append tril triu diagflat cov corrcoef interp atleast_1d atleast_2d atleast_3d"
    " svd eig eigh eigvals eigvalsh qr slogdet svdvals sort argsort partition argpartition cumsum cumprod nancumsum"
    " nancumprod cumulative_sum cumulative_prod unique".split()
)
#: The same of all their arguments.
_FILLED_BY_ALL = frozenset(
    "dot matmul outer kron inner vdot vecdot matvec vecmat tensordot cross solve einsum meshgrid"
    " broadcast_arrays".split()
)
#: The same where one of a list of arrays has elements.
_FILLED_BY_ITEMS = frozenset("stack concatenate vstack hstack dstack column_stack block concat".split())
#: Parameters that are a shape, or a count of elements.
_SIZES = ("shape", "N", "n", "M")


def result_has_elements(name: str, fact: ApiFact, values: Mapping[str, Value], first: Value | None) -> bool:
    """Whether what NumPy's function or method `name` gives certainly has elements; arguments as of `result_rank`."""
    if fact.name.rpartition(".")[0] not in _SPACES or first is None or "out" in values:
        return False
    if name in _BY_SHAPE or name in ("eye", "identity", "tri"):
        return all(is_positive(values[key]) for key in _SIZES if key in values)
    if name in _LIKE:
        return has_elements(first) if values.get("shape", NONE) == NONE else is_positive(values["shape"])
    if name == "arange":
        return len(values) == 1 and is_positive(first)
    if name in _GRIDS:
        return is_positive(values.get("num", Const.of(1))) and all(
            has_elements(values[key]) for key in _GRIDS[name] if key in values
        )
    if name in _FILLED_BY_ALL:
        arrays = [v for key, v in values.items() if isinstance(v, (Array, Sequence)) and key not in ("axes", "axis")]
        return bool(arrays) and all(map(has_elements, arrays)) and not _has_unknown(values)
    if name in _FILLED_BY_ITEMS:
        items = first.items if isinstance(first, Sequence) and first.type in ("list", "tuple") else None
        return any(map(has_elements, items)) if items is not None else has_elements(_element(first))
    if name == "diag":
        return has_elements(first) and "k" not in values
    if name in _FILLED_BY_FIRST or name in _OF_FIRST or name in REDUCTIONS:
        return has_elements(first) and has_elements(values.get("q", first)) and not _has_unknown(values)
    if fact.kind == "ufunc" or name in _ELEMENTWISE:
        operands = [value for key, value in values.items() if key not in _ASIDE and value != NONE]
        return (name != "where" or len(operands) == 3) and all(map(has_elements, [first, *operands]))
    return False


def _element(value: Value) -> Value:
    return value.element if isinstance(value, Sequence) and value.type in ("list", "tuple") else NONE


def _has_unknown(values: Mapping[str, Value]) -> bool:
    """Whether one of the arguments may be an array that nobody knows, which may take elements away."""
    return any(isinstance(value, Unknown) for key, value in values.items() if key not in ("axis", "keepdims", "shape"))


def is_positive(value: Value) -> bool:
    """Whether a size or a shape, in each of its dimensions, certainly is more than zero."""
    if isinstance(value, Sequence):
        return value.type in ("list", "tuple") and value.items is not None and all(map(is_positive, value.items))
    return isinstance(value, Const) and value.type == "int" and value.value > 0


def _is_axis(value: Value) -> bool:
    return scalar_type(value) == "int"


def _plus_one(rank: int | None) -> int | None:
    return None if rank is None else rank + 1


def _most(values: Iterable[Value]) -> int | None:
    """Of what is broadcast from `values`."""
    ranks = [0 if value in (NONE, Const.of(True)) else rank_of(value) for value in values]
    return None if None in ranks or not ranks else max(rank for rank in ranks if rank is not None)


def _of_reduction(name: str, values: Mapping[str, Value], first: Value | None) -> int | None:
    whole, axis, kept = rank_of(first), values.get("axis", NONE), values.get("keepdims", _FALSE)
    if name in ("trace", "det"):  # of each matrix of a stack
        return None if whole is None or whole < 2 else whole - 2
    more = rank_of(values["q"]) if "q" in values else 0
    if isinstance(values.get("ord"), (Array, Sequence)):
        return None
    if more is None or not isinstance(kept, Const):
        return None
    if kept != _FALSE:
        return None if whole is None else whole + more
    if axis == NONE:
        return more
    return whole - 1 + more if whole and _is_axis(axis) else None


def _of_product(values: Mapping[str, Value], first: Value | None) -> int | None:
    """``a @ b``."""
    ranks = rank_of(first), rank_of(values.get("x2"))
    return {(1, 1): 0, (2, 1): 1, (1, 2): 1, (2, 2): 2}.get(ranks)  # type: ignore[arg-type]


def _dot(values: Mapping[str, Value], first: Value | None) -> int | None:
    one, other = rank_of(first), rank_of(values.get("b", values.get("other")))
    if one is None or other is None:
        return None
    return one + other if 0 in (one, other) else one + other - 2


def _array(values: Mapping[str, Value], first: Value | None) -> int | None:
    return rank_of(first) if "ndmin" not in values else None


def _at_least(dimensions: int) -> Callable[[Mapping[str, Value], Value | None], int | None]:
    def known(values: Mapping[str, Value], first: Value | None) -> int | None:
        rank = rank_of(first)
        return None if rank is None or len(values) > 1 else max(rank, dimensions)

    return known


def _joined(dimensions: int) -> Callable[[Mapping[str, Value], Value | None], int | None]:
    """``vstack`` and its like: of a list of arrays that have at least so many dimensions then."""

    def known(values: Mapping[str, Value], first: Value | None) -> int | None:
        inner = rank_of(first.element) if isinstance(first, Sequence) and first.items != () else None
        return None if inner is None else max(inner, dimensions)

    return known


def _concatenate(values: Mapping[str, Value], first: Value | None) -> int | None:
    axis = values.get("axis", Const.of(0))
    if axis == NONE:
        return 1
    return _joined(1)(values, first) if _is_axis(axis) else None


def _stack(values: Mapping[str, Value], first: Value | None) -> int | None:
    return sequence_rank(first) if isinstance(first, Sequence) and first.items != () else None


def _diag(values: Mapping[str, Value], first: Value | None) -> int | None:
    return {1: 2, 2: 1}.get(rank_of(first) or 0)


def _triangle(values: Mapping[str, Value], first: Value | None) -> int | None:
    rank = rank_of(first)
    return max(rank, 2) if rank else None


def _less(how_many: int) -> Callable[[Mapping[str, Value], Value | None], int | None]:
    def known(values: Mapping[str, Value], first: Value | None) -> int | None:
        rank = rank_of(first)
        return rank - how_many if rank is not None and rank >= 2 else None

    return known


def _unique(values: Mapping[str, Value], first: Value | None) -> int | None:
    # the inverse has the shape of what was given, in some versions of NumPy
    return 1 if values.get("axis", NONE) == NONE and values.get("return_inverse", _FALSE) == _FALSE else None


def _where(values: Mapping[str, Value], first: Value | None) -> int | None:
    return _most(values.values()) if "x" in values else 1


def _take(values: Mapping[str, Value], first: Value | None) -> int | None:
    return rank_of(values.get("indices")) if values.get("axis", NONE) == NONE else None


def _reshaped(values: Mapping[str, Value], first: Value | None) -> int | None:
    """``x.reshape(4, -1)``, ``x.reshape((4, n))``; what a star hides is not counted."""
    sizes = {key: value for key, value in values.items() if key == "shape" or key.startswith("shape[")}
    if not sizes or values.keys() - sizes.keys() - {"self", "a", "x", "order"}:
        return None
    first = next(iter(sizes.values()))
    return (len(sizes) if len(sizes) > 1 else shape_rank(first)) or None


def _diff(values: Mapping[str, Value], first: Value | None) -> int | None:
    return rank_of(first) or None


def _of(name: str) -> Callable[[Mapping[str, Value], Value | None], int | None]:
    return lambda values, first: rank_of(values.get(name))


def _expanded(values: Mapping[str, Value], first: Value | None) -> int | None:
    return _plus_one(rank_of(first)) if _is_axis(values.get("axis", NONE)) else None


_SPECIAL: dict[str, Callable[[Mapping[str, Value], Value | None], int | None]] = {
    **dict.fromkeys(("array", "asarray", "asanyarray"), _array),
    **{f"atleast_{n}d": _at_least(n) for n in (1, 2, 3)},
    "ascontiguousarray": _at_least(1),
    "hstack": _joined(1),
    "vstack": _joined(2),
    "row_stack": _joined(2),
    "column_stack": _joined(2),
    "dstack": _joined(3),
    "concatenate": _concatenate,
    "stack": _stack,
    "reshape": _reshaped,
    "diag": _diag,
    "tril": _triangle,
    "triu": _triangle,
    "diagonal": _less(1),
    "eigvals": _less(1),
    "eigvalsh": _less(1),
    "unique": _unique,
    "where": _where,
    "take": _take,
    "diff": _diff,
    "digitize": _of("x"),
    "interp": _of("x"),
    "searchsorted": _of("v"),
    "dot": _dot,
    "expand_dims": _expanded,
}


# --- What a call of NumPy gives where its result has no dimension: a scalar, or a 0-d array; or that it always has
# one

#: What gives as many dimensions as its argument has; of a 0-d one, or a number, a 0-d array.
_KEEPING = frozenset(("pad", "tile", "fftn", "ifftn", "unique_all", "unique_inverse"))
#: What does so only with a parameter: ``np.diff(x, n=0)`` is its argument.
_KEEPING_WITH = {"unique": "return_inverse", "diff": "n"}
#: Functions that are no ufuncs' reductions: with ``keepdims=True`` they give an array of a 0-d one.
_ARRAYS_IF_KEPT = frozenset("median nanmedian percentile nanpercentile quantile nanquantile".split())


#: Functions that give an array with an axis for a list, whatever it holds.
_OF_ITEMS = frozenset(("array", "asarray", "asanyarray", "ascontiguousarray"))


def zero_d_result(name: str, fact: ApiFact, values: Mapping[str, Value], first: Value | None) -> str:
    """ "scalar", "array", "either" or "never", for the function or method `name` with the arguments `values`."""
    asked = _KEEPING_WITH.get(name)
    if name in _KEEPING or asked in values:
        return "never" if _has_axes(first) or _spreads(name, values) else "array"
    if name in _ARRAYS_IF_KEPT and "keepdims" in values and not _has_axes(first):
        kept = values["keepdims"]
        if not isinstance(kept, Const):
            return "either"
        return "array" if kept.value else fact.zero_d
    if name in _OF_ITEMS and isinstance(first, Sequence) and first.type in ("list", "tuple"):
        return "never"
    if name == "einsum" and values.get("optimize", Const.of(False)) != Const.of(False):
        return "never" if _has_output(first) else "either"  # which way of contraction NumPy chooses decides
    if name in NEVER_0D:
        return "never"
    return "never" if fact.returns == "mixed" and gives_tuple(name, values) else fact.zero_d


def _has_axes(value: Value | None) -> bool:
    return value is not None and (has_axes(value) or (isinstance(value, Sequence) and value.items != ()))


def _has_output(subscripts: Value | None) -> bool:
    """Whether the text of an ``einsum`` names axes of its result."""
    text = subscripts.value if isinstance(subscripts, Const) else None
    return isinstance(text, str) and text.partition("->")[2].strip(". ") != ""


def _spreads(name: str, values: Mapping[str, Value]) -> bool:
    """Whether an argument says that the result has axes, or the call raises."""
    if name == "tile":
        reps = values.get("reps")
        return reps is not None and (is_python_number(reps) or _has_axes(reps))
    axes = values.get("axes", values.get("axis", NONE))
    return axes != NONE and (isinstance(axes, Sequence) and bool(axes.items))


def gives_tuple(name: str, values: Mapping[str, Value]) -> bool:
    """Whether a function that gives an array or several, as its arguments say, gives several here: with axes, each."""
    if name == "where":
        return "x" not in values
    if name == "svd":
        return "compute_uv" not in values
    if name == "qr":
        return values.get("mode", Const.of("reduced")) in (Const.of("reduced"), Const.of("complete"))
    flags = (value for key, value in values.items() if name in ("unique", "intersect1d") and key.startswith("return_"))
    return any(value == Const.of(True) for value in flags)


# --- Calls of NumPy whose result, or some of its items, may be an argument itself: ``np.histogram(x, edges)[1]``

_SHARED = frozenset((SHARED,))


def given_back(back: GivenBack, values: Mapping[str, Value]) -> bool | None:
    """Whether the argument is given back for certain if it is an array; None where it certainly is not."""
    lender = values.get(back.argument)
    if lender is None or is_python_number(lender) or isinstance(lender, (Const, Scalar)):
        return None
    certain = not back.may_hold
    for name, wanted in back.when.items():
        known = _known(values.get(name, Const.of(None)))
        if known is None:
            certain = False
        elif known != (wanted,):
            return None
    return certain


def _known(value: Value) -> tuple[object] | None:
    """The Python value of an argument, in a tuple; None where it is not known."""
    if isinstance(value, Const):
        return (value.value,)
    if isinstance(value, Sequence) and value.items is not None:
        return (tuple(_known(item) for item in value.items),)
    return None


def items_given_back(
    back: GivenBack, made: Array, values: Mapping[str, Value], each: tuple[frozenset[str], ...]
) -> Sequence:
    """The tuple that a call gives: `made` where an item may be the argument, new arrays elsewhere; `each`: dtypes."""
    new = replace(made, refs=NO_NAMES, exact=None, view="")
    lender = values.get(back.argument)
    if back.may_hold and given_back(back, values) is not None and not _is_pair(lender):
        made = replace(made, refs=made.refs | _SHARED)  # one array for all axes
    shown: Value = Sequence("list", made, None, made.refs) if back.in_list else made
    items = [shown if place in back.items else new for place in range(max(back.items) + 1)]
    for place, dtypes in enumerate(each[: len(items)]):
        if isinstance(item := items[place], Array):
            items[place] = replace(item, dtypes=dtypes)
    return Sequence("tuple", made, tuple(items), made.refs)


def _is_pair(value: Value | None) -> bool:
    """Whether a container has so many items that each stands for an axis of two."""
    return isinstance(value, Sequence) and value.items is not None and len(value.items) == 2


# --- Arguments by NumPy's parameter names


def bind(fact: ApiFact, arguments: tuple[ev.Argument, ...], skip: int = 0) -> dict[str, ev.Argument] | None:
    """Arguments by NumPy's parameter name, or None where a ``*`` or ``**`` hides them.

    skip: parameters already taken.
    """
    bound: dict[str, ev.Argument] = {}
    positional, variadic = _positions(fact.parameters)
    positional = positional[skip:]
    for index, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.name is not None:
            bound[argument.name] = argument
        elif index < len(positional):
            bound[positional[index]] = argument
        elif variadic is not None:
            bound[f"{variadic}[{index - len(positional)}]"] = argument
        else:
            bound[f"?{index}"] = argument
    return bound


def asked_dtypes(fact: ApiFact | None, arguments: tuple[ev.Argument, ...]) -> list[Value]:
    """What stands for a dtype in a call, by its name or by its place."""
    bound = bind(fact, arguments) if fact is not None else None
    if bound is not None:
        return [bound["dtype"].value] if "dtype" in bound else []
    return [argument.value for argument in arguments if argument.name == "dtype"]


@lru_cache(maxsize=4096)
def _positions(parameters: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
    """The parameters that may be given by position, and the one that takes what is left."""
    variadic = next((text[1:] for text in parameters if text.startswith("*") and text[1:2] not in ("", "*")), None)
    return positional(parameters), variadic


def ufunc_method(catalog: Catalog, api: str) -> tuple[str, str] | None:
    """("numpy.add", "reduce") for ``numpy.add.reduce``; None for what is not a method of a ufunc."""
    owner, _, method = api.rpartition(".")
    if method not in ("at", "reduce", "accumulate", "outer", "reduceat"):
        return None
    fact = catalog.get(owner)
    return (owner, method) if fact is not None and fact.kind == "ufunc" else None


#: Where the methods of ufuncs take ``out`` by position.
_OUTPUTS = {"reduce": 3, "accumulate": 3, "reduceat": 4}


def ufunc_output(method: str, arguments: tuple[ev.Argument, ...]) -> ev.Argument | None:
    """The argument ``out`` of a method of a ufunc, as far as no ``*`` hides it."""
    for index, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.name == "out" or (argument.name is None and index == _OUTPUTS.get(method)):
            return argument
    return None


#: Parameters that make some functions work in place: nothing happens while they have these values.
_SWITCHES = {"overwrite_input=False": False, "inplace=False": False, "copy=True": True}


def is_in_place(fact: ApiFact, bound: Mapping[str, ev.Argument]) -> bool:
    """Whether a call of a function that may change an argument may do so with these arguments."""
    for parameter, harmless in _SWITCHES.items():
        if parameter in fact.parameters:
            given = bound.get(parameter.partition("=")[0])
            return given is not None and given.value != Const.of(harmless)
    return True


def asks_for_update(argument: ev.Argument) -> bool:
    """Whether the argument tells a function of another library to change an array in place."""
    return argument.name in ("out", "output") or (argument.name or "").startswith("overwrite")
