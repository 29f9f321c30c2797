"""What shows to be complex gets in at a door that would be for real arrays otherwise."""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

POWER = "def power({0}):\n    return np.sum(np.abs(field) ** 2)\n\n\n"
CALLERS = {
    "an FFT": "def run(x):\n    f = np.fft.fft(x)\n    return power(f)\n",
    "a number": "def run(x):\n    f = np.exp(-1j * x)\n    return power(f[1:])\n",
    "a dtype": "def run(n):\n    f = np.zeros(n, dtype=complex)\n    return power(f)\n",
    "a cast": "def run(x):\n    return power(x.astype(np.complex128))\n",
    "a function": "def turned(x):\n    return x * 1j\n\n\ndef run(x):\n    return power(turned(x) + 1)\n",
    "an attribute": (
        "class Beam:\n    def __init__(self, x):\n        self.f = np.fft.fft2(x)\n\n"
        "    def power(self):\n        return power(self.f)\n"
    ),
    "in place": "def run(x, y):\n    x = np.copy(x)\n    x *= np.exp(1j * y)\n    return power(x)\n",
    "two steps": "def half(f):\n    return power(f / 2)\n\n\ndef run(x):\n    return half(np.fft.ifft(x))\n",
}
OTHERS = {
    "real parts": "def run(x):\n    f = np.fft.fft(x)\n    return power(f.real)\n",
    "magnitudes": "def run(x):\n    return power(np.abs(np.fft.fft(x)))\n",
    "real FFT": "def run(x):\n    return power(np.fft.irfft(x))\n",
    "nobody": "",
}
HEADS = {
    "field: npt.NDArray[np.complex128]": "inexact",
    "field: np.ndarray[Any, np.dtype[np.complex64]]": "inexact",
    "field: npt.NDArray[np.float64]": "reals",
    "field": "reals",
}


def door(text: str, function: str = "power") -> str:
    source = Source("m.py", f"import numpy as np\nimport numpy.typing as npt\n\n\n{text}")
    report = analyze(source, Config(rewrite=True))
    assert report.new_text is not None
    lines = report.new_text.splitlines()
    return next(lines[i - 1] for i, line in enumerate(lines) if line.startswith(f"def {function}("))


#: None of them keeps complex arrays out.
WIDE = ("@rt.migrated", '@rt.migrated(no_lists="field")', '@rt.migrated(inexact="field")')


@pytest.mark.parametrize("text", CALLERS.values(), ids=CALLERS)
def test_what_a_module_hands_over_as_complex_is_let_in(text: str) -> None:
    assert door(POWER.format("field") + text) in WIDE


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_it_hands_over_as_real_leaves_the_door_as_it_is(text: str) -> None:
    assert door(POWER.format("field") + text) == '@rt.migrated(reals="field")'


@pytest.mark.parametrize(("head", "kind"), HEADS.items(), ids=HEADS)
def test_annotations_say_what_is_complex(head: str, kind: str) -> None:
    found = door(POWER.format(head))
    assert found in WIDE if kind == "inexact" else found == f'@rt.migrated({kind}="field")'


def test_a_docstring_says_what_is_complex() -> None:
    text = '"""Power of a field.\n\n    Parameters\n    ----------\n    field : ndarray of complex\n    """\n'
    assert door(f"def power(field):\n    {text}    return np.sum(np.abs(field) ** 2)\n") in WIDE


def test_a_docstring_that_speaks_of_complexity_says_nothing() -> None:
    text = '"""Power of a field.\n\n    Parameters\n    ----------\n    field : array, of low complexity\n    """\n'
    head = f"def power(field):\n    {text}    return np.sum(np.abs(field) ** 2)\n"
    assert door(head) == '@rt.migrated(reals="field")'


ASKED = (
    "np.abs(field.conj() @ field)",
    "np.conj(field).sum()",
    "np.sum(field.imag ** 2)",
    "np.max(np.angle(field[1:]) * 2)",
    "np.sum(np.conj(field.T) @ field)",
)


@pytest.mark.parametrize("use", ASKED)
def test_what_is_asked_for_as_only_of_complex_arrays(use: str) -> None:
    kind = door(f"def power(field):\n    return {use} * np.sum(field ** 2)\n")
    assert "reals" not in kind
    assert "floats" not in kind


def test_what_is_complex_by_then_was_not_given_so() -> None:
    text = "    field = other * 2\n    return np.sum(np.conj(field) * field) * np.sum(other ** 2)\n"
    assert "inexact" not in door(f"def power(field, other):\n{text}")


def test_what_is_stored_into_a_complex_array_of_the_function() -> None:
    text = "    s = np.zeros(t.shape, dtype=complex)\n    s[:, 0] = t[:, 1] - t[:, 0].dot(t)\n    return s * k\n"
    assert door(f"def power(t, k):\n{text}").partition('="t"')[0].endswith(("inexact", "arrays", "migrated"))
