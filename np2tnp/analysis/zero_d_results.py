"""What a call of NumPy gives where its result has no dimension: a scalar, or a 0-d array; or that it always has one."""

from __future__ import annotations

from collections.abc import Mapping

from np2tnp.analysis.syntax.python_tables import NEVER_0D
from np2tnp.analysis.values import NONE, Const, Sequence, Value, has_axes, is_python_number
from np2tnp.catalog.facts import ApiFact

#: What gives as many dimensions as its argument has; of a 0-d one, or a number, a 0-d array.
_KEEPING = frozenset(("pad", "tile", "fftn", "ifftn", "unique_all", "unique_inverse"))
#: What does so only with a parameter: ``np.diff(x, n=0)`` is its argument.
_KEEPING_WITH = {"unique": "return_inverse", "diff": "n"}
#: Functions that are no ufuncs' reductions: with ``keepdims=True`` they give an array of a 0-d one.
_ARRAYS_IF_KEPT = frozenset("median nanmedian percentile nanpercentile quantile nanquantile".split())


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
