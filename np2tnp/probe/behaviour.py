"""How NumPy's functions behave apart from their values, measured by calling them.

For each API with cases: whether the result shares memory with an argument, which arguments are changed in place,
whether a 0-d
result is a scalar or an array, the dtype of the result as a rule over the dtypes of the arguments, and the type of
the result.
"""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from np2tnp.probe import python_syntax, surface
from np2tnp.probe.cases import cases_inputs
from np2tnp.probe.cases.all_cases import (
    DTYPES,
    Case,
    all_cases,
    compile_call,
    fresh_arguments,
    names_in,
    operands,
    used_parameters,
)
from np2tnp.probe.cases.cases_inputs import OUTPUTS

#: Values of these parameters decide the dtype or the owner of the result: such calls say nothing about the rule.
_DTYPE_PARAMETERS = {"dtype", "out", "casting", "signature"}


@dataclass(slots=True)
class Trace:
    """One call of NumPy's that returned."""

    case: Case
    used: dict[str, str]
    values: dict[str, Any]  #: parameter → value
    inputs: dict[str, Any]  #: the same for parameters that are an array of the case
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
    pairs = [case for case in cases if len(operands(case.call)) > 1][:3]
    mixed = [trace for case in pairs for trace in _run_mixed(case, parameters)]
    # a list's dtype is that of the array it makes, a number's may be weak; neither shares memory with a result
    traces = [trace for trace in traces if not cases_inputs.has_lists(names_in(trace.case.call))] or traces
    rule = fit_rule(traces + mixed, parameters)
    traces = [trace for trace in traces if "number" not in names_in(trace.case.call)] or traces
    mutates = sorted({name for trace in traces for name in trace.mutated}, key=lambda n: (n != "self", n))
    return Behaviour(
        effect=_effect(traces), mutates=mutates, zero_d=_zero_d(traces), result=rule,
        returns=_returns(traces), calls=len(traces) + len(mixed),
    )  # fmt: skip


def call_numpy(api: str) -> Callable[..., Any]:
    """A function of the call's arguments for any API: attributes take the array, operators two operands."""
    if python_syntax.is_syntax(api):
        return python_syntax.call_numpy(api)
    owner, _, name = api.rpartition(".")
    if owner == "numpy.random.Generator":
        return getattr(np.random.default_rng(0), name)  # type: ignore[no-any-return]
    if owner == "numpy.random.RandomState":
        return getattr(np.random.RandomState(0), name)  # type: ignore[no-any-return]
    found = surface.resolve(api)
    if surface.is_indexed(found):
        return found.__getitem__  # type: ignore[no-any-return]
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
    is_member = case.api.startswith("ndarray.") and not python_syntax.is_syntax(case.api)
    before = {name: value.copy() for name, value in names.items() if isinstance(value, np.ndarray)}
    function = call_numpy(case.api)
    try:
        with quiet():
            result = eval(compile_call(case.call), {**names, "f": function})
    except Exception:
        return
    texts = ["self", *parameters] if is_member else parameters
    if isinstance(result, (tuple, list)) and not len(result):
        return  # nothing, of a 0-d or an empty array, says nothing of its kind
    used = used_parameters(case.call, texts)
    values = {p: names[text] if text in names else _evaluate(text, names) for p, text in used.items()}
    inputs = {p: names[text] for p, text in used.items() if isinstance(names.get(text), np.ndarray)}
    mutated = tuple(  # apart from out, for which it goes without saying, and from an operand that is out as well
        parameter for parameter, text in used.items()
        if text in before and text not in OUTPUTS and text != used.get("out")
        and not np.array_equal(before[text].tobytes(), names[text].tobytes())
    )  # fmt: skip
    yield Trace(case, used, values, inputs, result, _shares(result, names, before), mutated)


def _evaluate(text: str, names: dict[str, Any]) -> Any:
    return eval(_compile(text), names)


@functools.cache
def _compile(text: str) -> Any:
    return compile(text.removeprefix("*"), "<argument>", "eval")


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
        return (
            "none"
            if all(
                isinstance(leaf, (int, float, complex, str, bytes, type(None), bool, np.dtype, type)) for leaf in leaves
            )
            else "may-view"
        )
    judged = [
        t
        for t in traces
        if "out" not in t.used and isinstance(t.result, (np.ndarray, tuple, list)) and _has_elements(t)
    ]
    if not any(t.shares for t in judged):
        return "fresh"
    in_place = any(t.case.api.startswith("operator.i") for t in judged)
    certain = all(t.shares for t in judged) and (in_place or not any(_is_argument(t) for t in judged))
    return "view" if certain else "may-view"


def _is_argument(trace: Trace) -> bool:
    """Whether the result is the very argument, not a view of it: such a result must stay the caller's object."""
    leaves = trace.result if isinstance(trace.result, (tuple, list)) else (trace.result,)
    return any(leaf is array for leaf in leaves for array in trace.inputs.values())


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
    return None if not kinds else kinds.pop() if len(kinds) == 1 else "either"


def _returns(traces: list[Trace]) -> str:
    words = {_returned(t.result) for t in traces}
    return (
        words.pop() if len(words) == 1 else "array" if "array" in words and not words & {"tuple", "list"} else "mixed"
    )


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
    arrays = [t for t in traces if isinstance(t.result, (np.ndarray, np.generic, tuple, list))]
    if not arrays:
        return "python"
    if len(judged) < sum(not _DTYPE_PARAMETERS & t.used.keys() for t in arrays):
        return None  # several dtypes in one result
    found = {char for _, char in judged}
    varied = {v.dtype.char for t, _ in judged for v in t.inputs.values()}
    if any(p.startswith("dtype=") for p in parameters) and not varied and len(found) == 1:
        return f"dtype(dtype)[{found.pop()}]"
    if len(found) == 1 and not any(operands(t.case.call) for t, _ in judged):
        return {"?": "bool", "l": "intp"}.get(constant := found.pop(), f"dtype[{constant}]")
    if found == {"?"} and varied != {"?"}:
        return "bool"
    if found == {"l"} and (len(varied) > 1 or not varied):
        return "intp"
    names = list(dict.fromkeys(name for t, _ in judged for name in t.values if _is_operand(t.values[name])))
    groups = [[name] for name in names] + [[a, b] for i, a in enumerate(names) for b in names[i + 1 :]]
    if len(names) > 2:
        groups.append(names)
    for rule, function in RULES:
        for group in groups:
            if _holds(function, group, judged):
                name = _SINGLE.get(rule, rule) if len(group) == 1 and not _takes_list(group[0], judged) else rule
                return f"{name}({','.join(group)})"
    return f"dtype[{found.pop()}]" if len(found) == 1 and (len(varied) > 1 or not varied) else None


def _takes_list(name: str, judged: list[tuple[Trace, str]]) -> bool:
    return any(isinstance(t.values.get(name), (list, tuple)) for t, _ in judged)


def _is_operand(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_operand(item) for item in value)
    return isinstance(value, (np.ndarray, np.generic, int, float, complex)) and not (
        isinstance(value, np.ndarray) and value.dtype.kind not in "biufc"
    )


def _holds(function: Callable[[list[Any]], str | None], names: list[str], judged: list[tuple[Trace, str]]) -> bool:
    seen = 0
    for trace, char in judged:
        operands = [trace.values[name] for name in names if name in trace.values and trace.values[name] is not None]
        if not operands:
            continue
        if function(operands) != char:
            return False
        seen += 1
    return seen * 2 > len(judged)


def _promote(operands: list[Any]) -> str | None:
    """The dtype character of `operands` promoted: Python numbers weak, lists as the arrays they make."""
    strong = [_list_dtype(o) if isinstance(o, (list, tuple)) else o for o in operands]
    if any(not isinstance(o, (np.ndarray, np.generic, np.dtype, int, float, complex)) for o in strong):
        return None
    try:
        return _plain(np.result_type(*strong).char)
    except (TypeError, OverflowError):
        return None


def _list_dtype(items: Any) -> Any:
    """The dtype that an array of `items` gets: numbers in lists are strong."""
    dtypes = [_list_dtype(i) if isinstance(i, (list, tuple)) else np.asarray(i).dtype for i in items]
    return np.result_type(*dtypes) if dtypes else np.dtype("d")


def _char(result: Any) -> str | None:
    if isinstance(result, (tuple, list)):
        chars = {_char(item) for item in result}
        return chars.pop() if len(chars) == 1 else None
    return (
        np.dtype(result.dtype).char.replace("q", "l").replace("Q", "L")
        if isinstance(result, (np.ndarray, np.generic))
        else None
    )


def _plain(char: str) -> str:
    return char.replace("q", "l").replace("Q", "L")


def _float(char: str) -> str:
    return char if char in "efdFD" else str(np.sin(np.ones(1, char)).dtype.char)


def _sum(char: str) -> str:
    return str(np.sum(np.ones(1, char)).dtype.char)


def _mean(char: str) -> str:
    return char if char in "efdFD" else "d"


def _no_bool(char: str) -> str:
    return "b" if char == "?" else char


#: What a rule is called when it has one array operand.
_SINGLE = {"promote": "same", "float_promote": "float", "true_divide": "mean"}


def _after(change: Callable[[str], str]) -> Callable[[list[Any]], str | None]:
    """A rule that promotes the operands, then changes the dtype."""

    def rule(operands: list[Any]) -> str | None:
        promoted = _promote(operands)
        return None if promoted is None else change(promoted)

    return rule


def _strong(operands: list[Any]) -> str | None:
    return _promote([operands])


def _each(change: Callable[[str], str]) -> Callable[[list[Any]], str | None]:
    """A rule that changes the dtype of each operand, then promotes; Python numbers take part after promotion."""

    def rule(operands: list[Any]) -> str | None:
        strong = [o for o in operands if isinstance(o, (np.ndarray, np.generic, list, tuple))]
        arrays = [_list_dtype(o) if isinstance(o, (list, tuple)) else o.dtype for o in strong]
        if any(dtype.kind not in "biufc" for dtype in arrays):
            return None
        changed = [np.dtype(change(_plain(dtype.char))) for dtype in arrays]
        if len(arrays) < len(operands):
            promoted = _promote(operands)
            changed += [np.dtype(change(promoted))] if promoted is not None else []
        return _promote(changed) if changed else None

    return rule


#: Named rules over the operands, in the order they are tried.
RULES: tuple[tuple[str, Callable[[list[Any]], str | None]], ...] = (
    ("promote", _after(lambda c: c)),
    ("strong", _strong),
    ("real", _after(lambda c: {"F": "f", "D": "d"}.get(c, c))),
    ("float_promote", _after(_float)),
    ("float_each", _each(_float)),
    ("sum", _after(_sum)),
    ("true_divide", _after(_mean)),
    ("mean_each", _each(_mean)),
    ("float_real", _after(lambda c: {"F": "f", "D": "d"}.get(c, _float(c)))),
    ("mean_real", _after(lambda c: {"F": "f", "D": "d"}.get(c, _mean(c)))),
    ("complex", _after(lambda c: c if c in "FD" else "F" if c in "ef" else "D")),
    ("no_bool", _after(_no_bool)),
    ("round", _after(lambda c: "e" if c == "?" else c)),
)
