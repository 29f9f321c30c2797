"""The analysis' dtype inference against NumPy: what NumPy returned must be among the dtypes that the analysis
expects.
"""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from np2tnp.analysis.domain.promotion_rules import item_dtypes, result_dtypes, with_variadic  # noqa: E402
from np2tnp.analysis.domain.values import Array, Const, Sequence, Unknown, Value  # noqa: E402
from np2tnp.catalog import load  # noqa: E402
from np2tnp.probe import behaviour  # noqa: E402
from np2tnp.probe.cases.all_cases import DTYPES, all_cases, fresh_arguments, operands  # noqa: E402

CATALOG = load()
WITH_RULES = sorted(api for api in all_cases() if (fact := CATALOG.get(api)) is not None and fact.result is not None)
PAIRS = (
    "?",
    "b",
    "B",
    "i",
    "l",
    "L",
    "e",
    "f",
    "d",
    "F",
    "D",
    "??",
    "bB",
    "lf",
    "Bf",
    "ld",
    "fd",
    "fF",
    "dF",
    "?f",
    "iL",
    "he",
    "?b",
    "lB",
)


def abstract(value: object) -> Value:
    """What the analysis would know of `value`."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Array(dtypes=frozenset(value.dtype.char), rank=value.ndim) if value.dtype.kind in "biufc" else Unknown()
    if isinstance(value, (list, tuple)):
        items = tuple(abstract(item) for item in value)
        return Sequence("list", items[0] if items else Const.of(0.0), items)
    return Const.of(value) if isinstance(value, (bool, int, float, complex, str, type(None))) else Unknown()


@pytest.mark.parametrize("api", WITH_RULES)
def test_numpy_returns_a_dtype_that_the_analysis_expects(api: str) -> None:
    fact = CATALOG.get(api)
    assert fact is not None
    for case in all_cases()[api]:
        if "2**63" in case.call:  # a Python int too large for int64: known only to those who count
            continue
        for chars in PAIRS:
            if len(chars) == 2 and len(operands(case.call)) < 2:
                continue
            if "L" in chars and "_list" in case.call:  # its largest numbers, too
                continue
            for trace in behaviour._trace(case, list(fact.parameters), fresh_arguments(case.call, *chars)):
                if {"out", "casting", "signature"} & trace.used.keys():
                    continue
                bound = with_variadic({name: abstract(value) for name, value in trace.values.items()})
                if isinstance(trace.values.get("dtype"), (type, np.dtype)):
                    continue  # names of dtypes are the interpreter's business
                if isinstance(trace.result, (tuple, list)) and "::" in (fact.result or ""):
                    each = item_dtypes(fact.result, bound)
                    several = [*each, *each[-1:] * len(trace.result)]
                    if fact.parameters[0].startswith("*"):  # of several arguments a trace knows the first
                        several = several[:1]
                    for item, dtypes in zip(trace.result, several, strict=False):
                        assert behaviour._char(item) in (None, *dtypes), (case.call, chars, item, dtypes)
                    continue
                expected = result_dtypes(fact.result, bound)
                char = behaviour._char(trace.result) or "none"
                assert expected is None or char not in DTYPES or char in expected, (case.call, chars, char, expected)
