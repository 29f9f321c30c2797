"""Results without dimensions: NumPy's scalar, or its 0-d array."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import compare_text

#: What is asked of 0-d arrays `z` and `w`.
EXPRESSIONS = [
    "np.pad(z, 2)", "np.pad(w, 0) + 1", "np.tile(z, ())", "np.tile(z, 2)", "np.fft.fftn(z)", "np.fft.ifftn(w)",
    "np.fft.fftn(z, axes=())", "np.unique(z, return_inverse=True)[1]", "np.unique(z, return_inverse=True)",
    "np.unique(z)", "np.unique_inverse(z)[1]", "z.copy('F')", "np.copy(z, 'F')", "np.flip(z)", "np.kron(z, w)",
    "np.diff(z, n=0)", "np.kron(z, w) == 2", "np.flip(z) < 2", "z ** 2", "z ** 0.5", "z ** -1.0", "z ** x[1]",
    "x[0] ** 0.5", "(x[0] + 0j) ** 0.5", "(x[0] + 0j) ** -1", "(x[0] + 0j) ** 1", "np.array(True) ** 2",
    "np.array(-np.inf) ** 0.5", "np.array(-0.0) ** 0.5", "np.asarray(2) ** 3", "np.fft.fftshift(z)", "np.roll(z, 1)",
    "np.median(z, keepdims=True)", "np.median(z, keepdims=False)", "np.nanquantile(z, 0.5, keepdims=1)",
    "np.quantile(2.5, 0.5, keepdims=True)", "np.mean(z, keepdims=True)",
    "np.einsum('i,i', x, x, optimize=False)", "np.einsum('i,j->ij', x, x, optimize=True)",
]  # fmt: skip
ARRAYS = ["np.array([2.5, 3.5])", "np.array([-0.0, 0.5])", "np.array([-np.inf, 2])", "np.array([1.5, 2], np.float32)"]


def _compare(bodies: list[str], arguments: list[str]) -> list[str]:
    text = "import numpy as np\n" + "".join(f"def f{place}{body}\n" for place, body in enumerate(bodies))
    calls = [f"f{place}({given})" for place in range(len(bodies)) for given in arguments]
    report, judgements = compare_text(text, calls)
    assert report.new_text is not None
    return [
        f"{bodies[int(call.partition('(')[0][1:])]} {call}: {judgement.kind} {judgement.detail}"
        for call, judgement in zip(calls, judgements, strict=True)
        if judgement.kind not in ("equal", "raised")
    ]


def test_arrays_that_the_function_makes() -> None:
    bodies = [f"(x):\n    z, w = np.array(x[0]), np.where(True, x[0], 2.0)\n    return {it}" for it in EXPRESSIONS]
    wrong = _compare(bodies, ARRAYS)
    assert not wrong, "\n".join(wrong)


def test_arguments() -> None:
    bodies = [f"(z):\n    return {it}" for it in EXPRESSIONS if not any(part in it for part in ("w", "x[", "axes"))]
    wrong = _compare(bodies, ["np.array(2.5)", "np.float64(2.5)", "np.array(True)", "np.array([1.0, 4.0])"])
    assert not wrong, "\n".join(wrong)


def test_a_transform_over_no_axis_is_refused() -> None:
    _, judgements = compare_text(
        "import numpy as np\ndef f(x):\n    return np.fft.fftn(x, axes=())\n", ["f(np.ones(2))"]
    )
    assert [judgement.kind for judgement in judgements] == ["refused"]


@pytest.mark.parametrize("item", ["x.mean()", "(2, x.mean())", "[(x.sum(), 1)]"])
def test_a_scalar_in_a_list_with_arrays_is_refused(item: str) -> None:
    text = f"import numpy as np\ndef f(x: np.ndarray):\n    h = [x.copy()]\n    h.append({item})\n    return h\n"
    _, judgements = compare_text(text, ["f(np.ones(2))"])
    assert [judgement.kind for judgement in judgements] == ["refused"]


@pytest.mark.parametrize("coefficients", ["[]", "x[:0]"])
def test_polyval_without_coefficients_is_refused(coefficients: str) -> None:
    text = (
        f"import numpy as np\ndef f(x):\n    return np.polyval({coefficients}, x[0]), np.polyval({coefficients}, x)\n"
    )
    _, judgements = compare_text(text, ["f(np.ones(2))"])
    assert [judgement.kind for judgement in judgements] == ["refused"]
