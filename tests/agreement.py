"""One helper call against NumPy's: values, dtypes, shapes, containers, exceptions, and who did the work."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.runtime.base import dispatch

#: Dtypes that every helper claims to compute in TensorFlow, unless a test says otherwise.
CLAIMED = "fdl"


def find(path: str, root: Any) -> Any:
    for part in path.split("."):
        root = getattr(root, part)
    return root


def check(
    name: str, *args: Any, claimed: bool = True, factor: float = 0.0, reference: Any = None, **kwargs: Any
) -> None:
    """Assert that ``rt.<name>`` equals ``np.<name>`` on tensors and on ndarrays.

    `claimed`: TensorFlow must do the work (no question to NumPy). `factor`: allowed error as a multiple of eps times
    the largest finite magnitude of the expected array; 0 means equal bits, up to the sign of zero and NaN payloads.
    """
    function = reference or find(name, np)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = function(*args, **kwargs)
        except Exception as error:
            check_raises(name, type(error), args, kwargs)
            return
        for convert in (rt.tensor, lambda value: value):
            before = sum(dispatch.FALLBACKS.values())
            result = find(name, rt)(*convert(args), **convert(kwargs))
            if claimed:
                asked = sum(dispatch.FALLBACKS.values()) - before
                assert asked == 0, f"{name} asked NumPy on the host: {why(name, convert(args), convert(kwargs))}"
            same(result, expected, factor)


def check_in_graph(
    name: str, *args: Any, factor: float = 0.0, compiled: bool = False, reference: Any = None, **kwargs: Any
) -> None:
    """Assert that ``rt.<name>`` in a ``tf.function`` equals ``np.<name>``, for known and for unknown shapes.

    Arrays among the arguments are the graph's inputs. Where NumPy raises, making or running the graph must raise.
    `compiled`: under XLA, for known shapes only.
    """
    function = reference or find(name, np)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = function(*args, **kwargs)
        except Exception:
            expected = None
        for unknown in (False,) if compiled else (False, True):
            if expected is None:
                with pytest.raises(Exception):  # noqa: B017, PT011 - TensorFlow's own classes, and refusals
                    in_graph(find(name, rt), args, kwargs, unknown, compiled)
            else:
                same(in_graph(find(name, rt), args, kwargs, unknown, compiled), expected, factor)


#: The last graphs that know the ranks of their inputs alone: the next array may have the same.
_GRAPHS: dict[Any, Any] = {}


def kept(key: Any, make: Callable[[], Any]) -> Any:
    """The graph of that key; None stands for none but this once."""
    if key is None:
        return make()
    if key not in _GRAPHS:
        while len(_GRAPHS) > 20:
            del _GRAPHS[next(iter(_GRAPHS))]
        _GRAPHS[key] = make()
    return _GRAPHS[key]


def key_of(function: Any, args: Any, kwargs: Any) -> Any:
    """What a graph depends on if of arrays only ranks and dtypes are known; None where that is not simply told."""
    leaves: list[Any] = []
    for name, leaf in (*enumerate(args), *kwargs.items()):
        if isinstance(leaf, np.ndarray):
            leaves.append((name, leaf.ndim, leaf.dtype.str))
        elif leaf is None or type(leaf) in (bool, int, float, str, type):
            leaves.append((name, type(leaf), repr(leaf)))
        else:
            return None
    return (function, *leaves)


def in_graph(function: Any, args: Any, kwargs: Any, unknown: bool, compiled: bool = False) -> Any:
    """What `function` returns in a ``tf.function`` whose inputs are the arrays among the arguments.

    `unknown`: of their shapes only the ranks are known while it is traced.
    """
    import tensorflow as tf

    arrays = [leaf for leaf in (*args, *kwargs.values()) if isinstance(leaf, np.ndarray)]

    def body(*tensors: Any) -> Any:
        left = iter(tensors)
        filled = [next(left) if isinstance(leaf, np.ndarray) else leaf for leaf in args]
        return function(
            *filled, **{key: next(left) if isinstance(leaf, np.ndarray) else leaf for key, leaf in kwargs.items()}
        )

    def make() -> Any:
        shapes = [[None] * array.ndim if unknown else array.shape for array in arrays]
        signature = [tf.TensorSpec(shape, array.dtype) for shape, array in zip(shapes, arrays, strict=True)]
        return tf.function(body, input_signature=signature, autograph=False, jit_compile=compiled)

    graph = kept(key_of(function, args, kwargs) if unknown and not compiled else None, make)
    return graph(*rt.tensor(arrays))


def why(name: str, args: Any, kwargs: Any) -> str:
    """What the helper raised before NumPy was asked."""
    try:
        find(name, rt).__wrapped__(*args, **kwargs)
    except Exception as error:
        return repr(error)
    return "it did not raise when called again"


def check_raises(name: str, kind: type[Exception], args: Any, kwargs: Any) -> None:
    """Assert that the helper raises NumPy's very class."""
    with pytest.raises(kind) as caught:
        find(name, rt)(*rt.tensor(args), **rt.tensor(kwargs))
    assert caught.type is kind


def same(result: Any, expected: Any, factor: float = 0.0) -> None:
    """Assert that a result of the runtime is NumPy's, containers included."""
    if isinstance(expected, (tuple, list)):
        assert type(result) is type(expected), f"{type(result)} instead of {type(expected)}"
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other, factor)
        return
    if not isinstance(expected, (np.ndarray, np.generic)):
        assert (type(result), result) == (type(expected), expected)
        return
    assert dispatch.is_tensor(result), f"{type(result)} instead of a tensor"
    found, wanted = result.numpy(), np.asarray(expected)
    assert found.dtype == wanted.dtype, f"dtype {found.dtype} instead of {wanted.dtype}"
    assert found.shape == wanted.shape, f"shape {found.shape} instead of {wanted.shape}"
    if factor and wanted.dtype.kind in "fc" and wanted.size:
        close(np.asarray(found), wanted, factor)
    else:
        np.testing.assert_array_equal(found, wanted)


def close(found: np.ndarray, wanted: np.ndarray, factor: float) -> None:
    if wanted.dtype.kind == "c":
        scale = np.abs(wanted)[np.isfinite(wanted)].max(initial=0)
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(np.isfinite(found), finite)
        np.testing.assert_allclose(
            found[finite], wanted[finite], rtol=0, atol=factor * np.finfo(wanted.dtype).eps * scale
        )
        return
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~finite], wanted[~finite])
    scale = np.abs(wanted[finite]).max(initial=0)
    atol = factor * float(np.finfo(wanted.dtype).eps) * float(scale)
    np.testing.assert_allclose(found[finite].astype(float), wanted[finite].astype(float), rtol=0, atol=atol)


def sample(shape: Any, char: str = "d", seed: int = 0) -> np.ndarray:
    """Values of any numeric dtype that exercise signs and repeats, without special values."""
    rng = np.random.default_rng([seed, *np.atleast_1d(shape)])
    dtype = np.dtype(char)
    if char == "?":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 9, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def compiled_as_eager(function: Any, *args: Any) -> tuple[Any, Any]:
    """What `function` gives compiled by XLA and eagerly, which tests of their own hold to NumPy: the same."""
    from np2tnp.runtime.compile.compiled import RUNS

    expected = rt.migrated(function)(*args)
    RUNS.clear()
    actual = rt.migrated(compile="xla")(function)(*args)
    assert RUNS == {"compiled": 1}
    for one, other in zip(actual, expected, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)
    return actual, expected
