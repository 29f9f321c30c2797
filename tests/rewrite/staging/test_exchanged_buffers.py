"""Arrays that change places under their names: whose value is whose, and which object is given back."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.compile import compiled
from np2tnp.runtime.compile.compiled import RUNS

CONFIG = Config(rewrite=True, slow="convert", compile="graph", on_unverified="raise")
TEXT = (Path(__file__).resolve().parents[3] / "fixtures" / "staging" / "buffers.py").read_text(encoding="utf-8")

JACOBI = '''
import numpy as np

def relax(a, b, n):
    """Half of the neighbours."""
    for _ in range(n):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a, b = b, a  # the newer one
    return a
'''
RELAXED = '''
import numpy as np
from np2tnp import runtime as rt

@rt.migrated(updates="b, a", no_lists="a, b", returns="a, b", scalars="n")
def relax(a, b, n):
    """Half of the neighbours."""
    a_of, b_of = 0, 1
    for _ in range(n):
        b = rt.at(b)[1:-1].set(0.5 * (a[:-2] + a[2:]))
        a, b = b, a
        a_of, b_of = b_of, a_of  # the newer one
    return rt.updated(a, **rt.whose(a=(a, a_of), b=(b, b_of)))
'''


def module(text: str) -> types.ModuleType:
    made = types.ModuleType("program")
    exec(compile(text, "program.py", "exec"), made.__dict__)
    return made


def rewritten(text: str, config: Config = CONFIG) -> str:
    new = analyze(Source("program.py", text), config).new_text
    assert new is not None
    return new


def test_a_number_goes_along_with_each_name() -> None:
    assert rewritten(JACOBI, Config(rewrite=True, slow="convert", on_unverified="raise")) == RELAXED


ORIGINAL = module(TEXT)


@pytest.fixture(scope="module")
def versions() -> dict[str, types.ModuleType]:
    new = rewritten(TEXT)
    return {mode: module(new.replace('compile="graph"', f'compile="{mode}"')) for mode in ("none", "graph", "xla")}


@pytest.fixture(autouse=True)
def _many_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_TRACES", 100)


@pytest.mark.parametrize(
    ("name", "build", "is_compiled"), ORIGINAL.EXAMPLES, ids=[name for name, *_ in ORIGINAL.EXAMPLES]
)
def test_callers_get_their_own_arrays_with_numpys_values(
    versions: dict[str, types.ModuleType], name: str, build: Callable[[], Any], is_compiled: bool
) -> None:
    expected, given = outcome(attrgetter(name)(ORIGINAL), build())
    for mode, version in versions.items():
        RUNS.clear()
        actual, changed = outcome(attrgetter(name)(version), build())
        assert shown(actual, changed) == shown(expected, given), mode
        for one, other in zip(leaves((actual, changed)), leaves((expected, given)), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=mode)
        if mode != "none":
            assert bool(RUNS["compiled"]) == is_compiled, (mode, RUNS)


def outcome(function: Any, arguments: Any) -> tuple[Any, Any]:
    """The result, or the class of what was raised; and the arguments afterwards, where it raised nothing."""
    try:
        return function(*arguments), arguments
    except IndexError as error:
        return str(type(error)), ()


def shown(result: Any, arguments: Any) -> list[Any]:
    """Type, dtype and shape of each part of the result, and the number of the argument that it is."""
    parts = result if isinstance(result, tuple) else (result,)
    return [
        (
            type(part),
            getattr(part, "dtype", part),
            getattr(part, "shape", None),
            [place for place, argument in enumerate(arguments) if argument is part and isinstance(part, np.ndarray)],
        )
        for part in parts
    ]


def leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value] if isinstance(value, (np.ndarray, np.generic, int, float)) else []


def test_what_may_have_two_names_stays_with_numpy() -> None:
    lines = rewritten(TEXT).splitlines()
    heads = {name: number for number, line in enumerate(lines) for name in ORIGINAL.HOSTED if f"def {name}(" in line}
    assert heads.keys() == set(ORIGINAL.HOSTED)
    for name, number in heads.items():
        body = "\n".join(lines[number : number + 12]).partition("\n\n\n")[0]
        assert "whose" not in body, name
    changed = [name for name, value in vars(ORIGINAL).items() if inspect.isfunction(value) and name != "some"]
    assert len(changed) > 2 * len(heads)


def test_one_trace_serves_odd_and_even_numbers_of_exchanges(versions: dict[str, types.ModuleType]) -> None:
    for n in range(2, 8):
        RUNS.clear()
        (expected, given), (actual, changed) = (
            outcome(function.jacobi, (*ORIGINAL.some("a", "b"), n)) for function in (ORIGINAL, versions["graph"])
        )
        assert shown(actual, changed) == shown(expected, given)
        np.testing.assert_allclose(changed[:2], given[:2], rtol=1e-12)
        assert RUNS["compiled"] == 1


def test_whose_finds_the_value_beside_each_number() -> None:
    a, b, c = (np.full(2, float(value)) for value in range(3))
    swapped = rt.whose(a=(b, 1), b=(a, 0))
    assert list(swapped) == ["a", "b"]
    assert swapped["a"] is a
    assert swapped["b"] is b
    with_another = rt.whose((a, 0), a=(b, 2), b=(c, 1))
    assert with_another["a"] is a
    assert with_another["b"] is c
