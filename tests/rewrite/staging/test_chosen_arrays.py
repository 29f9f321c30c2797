"""Compiled loops give back the caller's own arrays where NumPy does, and one array as one."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.compile.compiled import RUNS

TEXT = """
import numpy as np

def chosen(a, b, n):
    r = a
    for i in range(n):
        a = np.cos(a)
        if i == 1:
            r = b
    return r, a

def computed(a, b, n):
    for i in range(n):
        a = np.cos(a) + b
    return a

def previous(a, b, n):
    old = a
    for i in range(n):
        old = a
        if a.sum() > b.sum():
            a = a - b
    return old, a

def inner(a, b, n):
    r = a
    for i in range(n):
        for j in range(n - 1):
            if j == i:
                r = b
    return r, np.exp(a)

def waiting(a, b, n):
    r = a
    while r.sum() > n:
        n = n + 4
        if n > 8:
            r = b
    return [r, a]

def exchanged(a, b, n):
    t = a
    for i in range(n):
        b[1:-1] = a[:-2] + a[2:]
        t = a
        a = b
        b = t
    return t

def put_back(a, b, n):
    for i in range(5):
        t = a
        a = np.exp(a) * n
        a, t = t, a
    return a, b

def two_put_back(a, b, n):
    c = b
    for i in range(4):
        d = np.cos(a) + n
        a, b, d = d, a, b
        a, b = b, c
    return b, a

def after_another(a, b, n):
    for i in range(n):
        a = np.add(a, b)
    for i in range(n - 1):
        a = b
    return a

def through_a_core(a, b, n):
    b = np.abs(b)
    r = computed(a, b, n)
    for i in range(n):
        r, _ = chosen(r, b, i + 1)
    return r

def inner_exchange(a, b, n):
    for i in range(n):
        for j in range(i):
            a, b = b, a
            a[j] += 1
        b[i] = -5
    return a, b

def of_its_own(a, b, n):
    x, y, z = np.sin(a), np.sin(b), a * b
    for i in range(n):
        for j in range(2):
            x, y, z = y, z, x
        if i == 2:
            x = y
    return x, y, z

def one_from_outside(a, b, n):
    x, y = np.sin(a), np.sin(b)
    for i in range(n):
        x = y
    return [x, y, x]

def made_for_two(a, b, n):
    r = a
    for i in range(n):
        a = np.cos(a)
        r = a
    return r, a

def from_before(a, b, n):
    x = y = first = np.sin(a)
    for i in range(n):
        x, y = y, np.cos(x)
    return x, y, first
"""
#: A trace has other objects in the place of arrays and numbers than a run has.
ASKING = """
import numpy as np

def same(x, n):
    x = np.array(x)
    best = x
    for i in range(n):
        x = np.roll(x, 1) * (1.5 - i)
        if x[0] > best[0]:
            best = x
    return best is x

def kinds(x, n):
    t, x = 0, np.array(x)
    for i in range(n):
        t, x = i, x * 2
    u = [t + 1]
    return x, type(t), isinstance(u[0], int), hasattr(t, "__len__"), list(map(type, u)), t.__class__

def by_class(k):
    return 2.0 if isinstance(k, (int, np.integer)) and not isinstance(k, (bool, float)) else 3.0

def by_exact_class(k):
    return 23.0 if type(k) is int else 29.0

def by_error(k):
    try:
        return 31.0 * int(k)
    except TypeError:
        return 37.0

def with_arrays(k, x):
    return x * 41.0 if type(k) is int else x * 43.0

def in_loops(x, n):
    x = np.array(x)
    t = 0.5
    for i in range(n):
        x = np.cos(x) * by_class(i) + by_class(t)
        t = t * 2
    return x, by_class(n), by_class(t)

def in_a_loop_exactly(x, n):
    for i in range(n):
        x = np.cos(x) * by_exact_class(i)
    return (x,)

def in_a_loop_with_a_handler(x, n):
    for i in range(n):
        x = np.cos(x) * by_error(i)
    return (x,)

def rows_of_a_loop(x, n):
    a = np.exp(np.outer(x, x + 1))
    n = len(a)
    for i in range(n // 2):
        a[i], a[n - 1 - i] = a[n - 1 - i], a[i]
    return (a,)

def in_a_loop_beside_arrays(x, n):
    x = np.array(x)
    for i in range(n):
        x = with_arrays(i, np.cos(x))
    return (x,)
"""
NAMES = [line.split()[1].partition("(")[0] for line in TEXT.splitlines() if line.startswith("def ")]


def load(text: str) -> Any:
    made = types.ModuleType("program")
    exec(compile(text, "program.py", "exec"), made.__dict__)
    return made


@pytest.fixture(scope="module", params=["graph", "xla"])
def version(request: pytest.FixtureRequest) -> Any:
    config = Config(rewrite=True, slow="convert", on_unverified="raise", compile=request.param)
    text = analyze(Source("program.py", TEXT), config).new_text
    assert text is not None
    return load(text)


def outcome(function: Any, n: int) -> tuple[list[np.ndarray], list[list[str]]]:
    """The arrays of the result and the arguments, and under which of these names each of them is found."""
    given = {"a": np.arange(4.0), "b": np.ones(4)}
    result = function(given["a"], given["b"], n)
    found = {f"result {i}": part for i, part in enumerate(result if isinstance(result, (tuple, list)) else [result])}
    named = {**found, **given}
    return list(named.values()), [[name for name, other in named.items() if other is part] for part in named.values()]


@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_arrays_that_they_are_in_numpy(version: Any, name: str) -> None:
    RUNS.clear()
    for n in (3, 2, 1, 0, 4):  # from the second number on `n` is an input of the graph
        arrays, names = outcome(getattr(version, name), n)
        expected, expected_names = outcome(getattr(load(TEXT), name), n)
        assert names == expected_names, n
        np.testing.assert_allclose(arrays, expected, rtol=1e-12)
    assert RUNS["compiled"]


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_what_only_the_values_tell_is_asked_of_them(mode: str) -> None:
    new = analyze(Source("program.py", ASKING), Config(rewrite=True, slow="convert", compile=mode)).new_text
    assert new is not None
    old, made = load(ASKING), load(new)
    for n in (0, 1, 3, 4):
        assert made.same(np.arange(3.0), n) == old.same(np.arange(3.0), n)
        for name in (
            "kinds",
            "rows_of_a_loop",
            "in_loops",
            "in_a_loop_exactly",
            "in_a_loop_with_a_handler",
            "in_a_loop_beside_arrays",
        ):
            expected, result = getattr(old, name)(np.arange(3.0), n), getattr(made, name)(np.arange(3.0), n)
            assert result[1:] == expected[1:]
            np.testing.assert_allclose(result[0], expected[0], rtol=1e-12)
