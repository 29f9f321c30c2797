"""Complex numbers with infinite and NaN parts: every mode gives what NumPy gives."""

from __future__ import annotations

import logging
import operator
import types
from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp import runtime as rt  # noqa: E402
from np2tnp.runtime.compile.compiled import RUNS  # noqa: E402

PARTS = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5])
GRID = np.empty((7, 7), complex)
GRID.real, GRID.imag = PARTS[:, None], PARTS
SPECIALS = GRID.ravel()
FINITE = np.array([1 + 2j, -0.5j, 0.25, -3 + 0.125j])

UNARY = (
    "sqrt exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh"
    " absolute reciprocal square negative conjugate isnan isinf isfinite"
).split()  # fmt: skip
BINARY = "add subtract multiply divide equal not_equal less isclose maximum fmin".split()


def same(found: Any, expected: Any) -> bool:
    """Equal within a few ULP of the larger part; NaN and infinite parts in the same places."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if expected.dtype.kind == "b":
        return bool((found == expected).all())
    size = np.where(np.isfinite(expected), np.abs(expected), 1.0)
    for part in (np.real, np.imag):
        one, other = part(found), part(expected)
        with np.errstate(invalid="ignore"):
            close = np.abs(one - other) <= 64 * np.finfo(found.dtype).eps * size
        if not ((np.isnan(one) & np.isnan(other)) | (one == other) | close).all():
            return False
    return True


def compiled(text: str, mode: str) -> Callable[..., Any]:
    """A migrated function that returns the expression `text` of x (and y)."""
    module = types.ModuleType("compiled_specials")
    vars(module).update(rt=rt)
    exec(f"def core(x, y=None):\n    return {text}\n", vars(module))
    result: Callable[..., Any] = rt.migrated(vars(module)["core"], compile=mode)
    return result


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("name", UNARY)
def test_unary_functions(name: str, dtype: Any) -> None:
    with np.errstate(all="ignore"):
        values = SPECIALS.astype(dtype)
        expected = getattr(np, name)(values)
    assert same(rt.host(getattr(rt, name)(rt.tensor(values))), expected)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two(name: str) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(SPECIALS[:, None], SPECIALS)
    assert same(rt.host(getattr(rt, name)(rt.tensor(SPECIALS[:, None]), rt.tensor(SPECIALS))), expected)


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.filterwarnings("ignore")
def test_compiled_functions(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    names = ("sqrt", "exp", "sin", "cosh", "tanh", "arctan", "arctanh", "log", "absolute", "reciprocal", "square")
    texts = {f"rt.{name}(x)": getattr(np, name) for name in names}
    texts |= {"rt.op_pow(x, 0.5)": lambda x: x**0.5, "rt.op_pow(x, 3)": lambda x: x**3}
    caplog.set_level(logging.CRITICAL, logger="np2tnp")
    bad = []
    compiled_calls = RUNS["compiled"]
    for text, function in texts.items():
        core = compiled(text, mode)
        for values in (FINITE, SPECIALS):
            with np.errstate(all="ignore"):
                expected = function(values)
            if not same(core(values), expected):
                bad.append((text, values is SPECIALS))
    assert not bad
    assert RUNS["compiled"] >= compiled_calls + len(texts)  # at least those of finite numbers


@pytest.mark.parametrize("mode", ["graph", "xla"])
@pytest.mark.parametrize("name", ["mul", "truediv", "add", "eq"])
def test_compiled_operators(mode: str, name: str) -> None:
    with np.errstate(all="ignore"):
        expected = getattr(operator, name)(SPECIALS[:, None], SPECIALS)
    assert same(compiled(f"rt.op_{name}(x, y)", mode)(SPECIALS[:, None].copy(), SPECIALS), expected)


@pytest.mark.parametrize("char", ["F", "D"])
@pytest.mark.parametrize("exponent", [2.5, -0.3, 1 / 3, 4.0, 5.0, 7, 0, 0.0, 1j, 0.1 - 3j, 100, 101.5, 3 + 0j])
def test_powers_of_complex_numbers_are_traced(char: str, exponent: complex) -> None:
    import tensorflow as tf

    rng = np.random.default_rng(5)
    base = np.concatenate([rng.normal(size=40) + 1j * rng.normal(size=40), FINITE, [0, -1, 1j, 5, complex(-0.0, -0.0)]])
    if abs(exponent) >= 100:
        base = base[np.abs(base) > 0.5]  # no subnormal results: TensorFlow flushes them to zero
    array = base.astype(char)
    with np.errstate(all="ignore"):
        expected = array**exponent
    found = tf.function(lambda x: rt.op_pow(x, exponent), autograph=False)(tf.constant(array))
    assert same(found.numpy(), expected)
    assert same(rt.host(rt.op_pow(rt.tensor(array), exponent)), expected)


@pytest.mark.parametrize("exponent", [-2, -0.5, 0.5 + 0j])
def test_powers_that_a_graph_computes_otherwise(exponent: complex) -> None:
    import tensorflow as tf

    with pytest.raises(rt.UnverifiedError):
        tf.function(lambda x: rt.op_pow(x, exponent), autograph=False)(tf.constant(FINITE))
