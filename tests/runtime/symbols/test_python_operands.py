"""Python's numbers and lists beside arrays: as weak as in NumPy, and refused where NumPy takes arrays only."""

from __future__ import annotations

import numpy as np
import pytest

from np2tnp import runtime


@pytest.mark.parametrize(
    "call",
    [
        "union1d(v, 3)", "union1d(3.5, v)", "choose([0, 1], [v, 7])", "choose([0, 1], [v, 7.5])", "union1d(v, True)",
        "concatenate((v, 3), axis=None)", "concatenate((v, 2.5, v), None)", "append(v, 3)", "convolve(v, 3)",
        "inner(v, 3)", "kron(v, 3)", "setxor1d(v, 3)", "concatenate((v, 300), axis=None)", "clip(3, v, v)",
        "concatenate((v, 3), axis=None, casting='safe')", "concatenate((v, 3), axis=None, dtype='f4')",
    ],
)  # fmt: skip
@pytest.mark.parametrize("char", "Bbef")
def test_a_python_number_beside_an_array_is_as_weak_as_in_numpy(call: str, char: str) -> None:
    v = np.array([1, 2], char)
    try:
        wanted = eval(f"np.{call}", {"np": np, "v": v})
    except (OverflowError, TypeError) as error:
        with pytest.raises(type(error)):
            eval(f"runtime.{call}", {"runtime": runtime, "v": runtime.tensor(v)})
        return
    found = np.asarray(runtime.host(eval(f"runtime.{call}", {"runtime": runtime, "v": runtime.tensor(v)})))
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("take_along_axis([1, 2], np.array([0]), 0)", AttributeError), ("tril_indices_from([[1, 2]])", AttributeError),
        ("take_along_axis(np.ones(2), [0], 0)", AttributeError), ("triu_indices_from([[1, 2]])", AttributeError),
        ("diag_indices_from([[1]])", AttributeError), ("linalg.tensorinv(2.5, 1)", TypeError),
    ],
)  # fmt: skip
def test_where_numpy_takes_arrays_only_lists_and_numbers_raise(call: str, error: type[Exception]) -> None:
    for module in (np, runtime):
        with pytest.raises(error):
            eval(f"module.{call}", {"module": module, "np": np})


@pytest.mark.skipif(not hasattr(np, "astype"), reason="np.astype came with NumPy 2.1")
def test_astype_takes_no_list() -> None:
    for module in (np, runtime):
        with pytest.raises(TypeError):
            module.astype([1, 2], float)
