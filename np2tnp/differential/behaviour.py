"""How NumPy's functions behave apart from their values, measured by calling them.

For each API with cases: whether the result shares memory with an argument, which arguments are changed in place, whether a 0-d
result is a scalar or an array, the dtype of the result as a rule over the dtypes of the arguments, and the type of the result.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from np2tnp.differential import surface
from np2tnp.differential.cases import DTYPES, Case, all_cases, compile_call, fresh_arguments, names_in, used_parameters

#: Values of these parameters decide the dtype or the owner of the result: such calls say nothing about the rule.
_DTYPE_PARAMETERS = {"dtype", "out", "casting", "signature"}


@dataclass(slots=True)
class Trace:
    """One call of NumPy's that returned."""

    case: Case
    used: dict[str, str]
    inputs: dict[str, Any]  #: parameter → value, for parameters that are a plain name of the case
    result: Any
    shares: bool
    mutated: tuple[str, ...]


@dataclass(slots=True)
class Behaviour:
    """What the catalog keeps of an API's traces."""

    effect: str = "may-view"
    mutates: list[str] = field(default_factory=list)
    zero_d: str | None = None
    result: str | None = None
    returns: str = "array"
    calls: int = 0


def measure(api: str, parameters: list[str]) -> Behaviour | None:
    """Call NumPy for all cases of `api`, all dtypes and, for dtype rules, mixed pairs. None when no call returned."""
    cases = all_cases().get(api, ())
    traces = [trace for case in cases for trace in _run(case, parameters)]
    if not traces:
        return None
    mixed = [t for case in cases if {"v", "w"} <= names_in(case.call) for t in _run_mixed(case, parameters)]
    mutates = sorted({name for trace in traces for name in trace.mutated}, key=lambda n: (n != "self", n))
    return Behaviour(
        effect=_effect(traces), mutates=mutates, zero_d=_zero_d(traces), result=fit_rule(traces + mixed, parameters),
        returns=_returns(traces), calls=len(traces) + len(mixed),
    )  # fmt: skip


def call_numpy(api: str) -> Callable[..., Any]:
    """A function of the call's arguments for any API: attributes take the array, operators two operands."""
    if api.startswith("operator."):
        import operator

        function: Callable[..., Any] = getattr(operator, api.partition(".")[2])
        return function
    found = surface.resolve(api)
    if callable(found):
        return found  # type: ignore[no-any-return]
    return lambda array: getattr(array, api.rpartition(".")[2])


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings, no printing: NumPy's complaints about awkward values are expected."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def _run(case: Case, parameters: list[str]) -> Iterator[Trace]:
    varies = bool(names_in(case.call) - {"np"})
    for char in case.dtypes if varies else "d":
        yield from _trace(case, parameters, fresh_arguments(case.call, char))


def _run_mixed(case: Case, parameters: list[str]) -> Iterator[Trace]:
    for first in DTYPES:
        for second in DTYPES:
            if first != second:
                yield from _trace(case, parameters, fresh_arguments(case.call, first, second))


def _trace(case: Case, parameters: list[str], names: dict[str, Any]) -> Iterator[Trace]:
    is_member = case.api.startswith("ndarray.")
    before = {name: value.copy() for name, value in names.items() if isinstance(value, np.ndarray)}
    function = call_numpy(case.api)
    try:
        with quiet():
            result = eval(compile_call(case.call), {**names, "f": function})
    except Exception:
        return
    texts = ["self", *parameters] if is_member else parameters
    used = used_parameters(case.call, texts)
    inputs = {parameter: names[text] for parameter, text in used.items() if isinstance(names.get(text), np.ndarray)}
    mutated = tuple(
        parameter for parameter, text in used.items()
        if text in before and not np.array_equal(before[text].tobytes(), names[text].tobytes())
    )  # fmt: skip
    yield Trace(case, used, inputs, result, _shares(result, names, before), mutated)


def _shares(result: Any, names: dict[str, Any], used: dict[str, Any]) -> bool:
    leaves = result if isinstance(result, (tuple, list)) else (result,)
    return any(
        isinstance(leaf, np.ndarray) and (leaf is names[name] or np.shares_memory(leaf, names[name]))
        for leaf in leaves
        for name in used
    )


def _effect(traces: list[Trace]) -> str:
    leaves = [leaf for t in traces for leaf in (t.result if isinstance(t.result, (tuple, list)) else (t.result,))]
    if not any(isinstance(leaf, (np.ndarray, np.generic)) for leaf in leaves):
        return "none" if all(isinstance(leaf, (int, float, complex, str, bytes, type(None), bool, np.dtype, type)) for leaf in leaves) else "may-view"
    judged = [t for t in traces if "out" not in t.used and isinstance(t.result, (np.ndarray, tuple, list)) and _has_elements(t)]
    if not any(t.shares for t in judged):
        return "fresh"
    return "view" if all(t.shares for t in judged) else "may-view"


def _has_elements(trace: Trace) -> bool:
    leaves = trace.result if isinstance(trace.result, (tuple, list)) else (trace.result,)
    return any(isinstance(leaf, np.ndarray) and leaf.size for leaf in leaves)


def _zero_d(traces: list[Trace]) -> str | None:
    kinds = set()
    for trace in traces:
        if "out" in trace.used:
            continue
        for leaf in trace.result if isinstance(trace.result, tuple) else (trace.result,):
            if isinstance(leaf, np.generic):
                kinds.add("scalar")
            elif isinstance(leaf, np.ndarray) and leaf.ndim == 0:
                kinds.add("array")
    return None if not kinds else kinds.pop() if len(kinds) == 1 else "mixed"


def _returns(traces: list[Trace]) -> str:
    words = {_returned(t.result) for t in traces}
    return words.pop() if len(words) == 1 else "array" if "array" in words and not words & {"tuple", "list"} else "mixed"


def _returned(result: Any) -> str:
    if result is None:
        return "none"
    if isinstance(result, (np.ndarray, np.generic)):
        return "array"
    if isinstance(result, tuple):
        return "tuple" if any(isinstance(leaf, (np.ndarray, np.generic)) for leaf in result) else "python"
    if isinstance(result, list):
        return "list" if any(isinstance(leaf, (np.ndarray, np.generic)) for leaf in result) else "python"
    return "python"


def fit_rule(traces: list[Trace], parameters: list[str]) -> str | None:
    """The first dtype rule that holds for all `traces`, as the catalog writes it, or None."""
    judged = [(t, c) for t in traces if not _DTYPE_PARAMETERS & t.used.keys() and (c := _char(t.result)) is not None]
    if not judged:
        return "python" if all(not isinstance(t.result, (np.ndarray, np.generic, tuple, list)) for t in traces) else None
    constant = {char for _, char in judged}
    varied = {v.dtype.char for t, _ in judged for v in t.inputs.values()}
    default = _plain_default(judged)
    if any(p.startswith("dtype=") for p in parameters) and not any(t.inputs for t, _ in judged) and default:
        return f"dtype(dtype)[{default}]"
    if constant == {"?"} and (len(varied) != 1 or varied != {"?"}):
        return "bool"
    if constant == {"l"} and len(varied) > 1:
        return "intp"
    names = list(dict.fromkeys(name for t, _ in judged for name in t.inputs))
    for rule, count, function in RULES:
        for picked in ([n] for n in names) if count == 1 else ([a, b] for a in names for b in names if a < b):
            if _holds(function, picked, judged):
                return f"{rule}({','.join(picked)})"
    if len(constant) == 1 and len(varied) > 1:
        return f"dtype[{constant.pop()}]"
    return None


def _holds(function: Callable[..., str | None], names: list[str], judged: list[tuple[Trace, str]]) -> bool:
    seen = 0
    for trace, char in judged:
        chars = [trace.inputs[name].dtype.char for name in names if name in trace.inputs]
        weak = len(chars) < len(names)
        if weak or any(text not in ("v", "w", "m", "n", "q", "p", "t", "t2", "s", "S", "U", "l", "l2", "z", "y", "e", "r", "r2", "c", "g", "d", "one", "em", "me", "Q")
                       for name, text in trace.used.items() if name in trace.inputs and name in names):  # fmt: skip
            if weak:
                continue
        if function(*chars) != char:
            return False
        seen += 1
    return seen > 0 and seen >= 0.2 * len(judged)


def _char(result: Any) -> str | None:
    if isinstance(result, (tuple, list)):
        chars = {_char(item) for item in result}
        return chars.pop() if len(chars) == 1 else None
    return np.dtype(result.dtype).char.replace("q", "l").replace("Q", "L") if isinstance(result, (np.ndarray, np.generic)) else None


def _plain_default(judged: list[tuple[Trace, str]]) -> str | None:
    chars = {char for _, char in judged}
    return chars.pop() if len(chars) == 1 else None


def _float(char: str) -> str:
    return char if char in "efdFD" else np.dtype(np.result_type(np.sin(np.ones(1, char)))).char


def _sum(char: str) -> str:
    return np.sum(np.ones(1, char)).dtype.char


def _mean(char: str) -> str:
    return np.mean(np.ones(1, char)).dtype.char


def _promote(a: str, b: str) -> str:
    return np.result_type(np.dtype(a), np.dtype(b)).char.replace("q", "l").replace("Q", "L")


def _true_divide(a: str, b: str) -> str:
    return (np.ones(1, a) / np.ones(1, b)).dtype.char


def _float_promote(a: str, b: str) -> str | None:
    return None if a in "FD" or b in "FD" else np.arctan2(np.ones(1, a), np.ones(1, b)).dtype.char


#: Named rules in the order they are tried: name, number of arguments, function of dtype characters.
RULES: tuple[tuple[str, int, Callable[..., str | None]], ...] = (
    ("same", 1, lambda c: c),
    ("promote", 2, _promote),
    ("real", 1, lambda c: np.dtype(c).type(0).real.dtype.char if c in "FD" else c),
    ("float", 1, _float),
    ("sum", 1, _sum),
    ("mean", 1, _mean),
    ("float_real", 1, lambda c: {"F": "f", "D": "d"}.get(c, _float(c))),
    ("mean_real", 1, lambda c: {"F": "f", "D": "d"}.get(c, _mean(c))),
    ("complex", 1, lambda c: c if c in "FD" else "F" if c in "ef" else "D"),
    ("true_divide", 2, _true_divide),
    ("float_promote", 2, _float_promote),
)
