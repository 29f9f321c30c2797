"""rt.fft against numpy.fft: dtypes and shapes exact, values within a few eps of the largest."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check, same, sample

from np2tnp import runtime as rt

K = 64.0
NORMS = [None, "backward", "ortho", "forward", "other"]


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("char", "?bhilBHILefdFD")
def test_dtypes(name: str, char: str) -> None:
    claimed = char != "e"
    for shape in ((8,), (3, 7), (2, 3, 1), (5, 0), (0, 4), ()):
        check(f"fft.{name}", sample(shape, char), factor=K, claimed=claimed)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("norm", NORMS)
def test_lengths_axes_norms(name: str, norm: str | None) -> None:
    char = "d" if name in ("rfft", "ihfft") else "D"
    for n in (None, 1, 2, 5, 6, 13, 0, -3, 2.5):
        for axis in (-1, 0, 1, 2, 3):
            check(f"fft.{name}", sample((4, 5, 6), char), n, axis, norm, factor=K)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"])
@pytest.mark.parametrize("norm", NORMS)
def test_several_axes(name: str, norm: str | None) -> None:
    default = {"axes": (-2, -1)} if name.endswith("2") else {}
    for char in "df" if name.startswith("rfft") else "DFd":
        cube = sample((3, 4, 5), char)
        check(f"fft.{name}", cube, norm=norm, factor=K)
        check(f"fft.{name}", cube[0, 0], norm=norm, factor=K)
        for axes in ((0, 1), (1, 0), (2,), (0, 1, 2), (-1, 0), (0, 0), (7,)):
            check(f"fft.{name}", cube, axes=axes, norm=norm, factor=K)
            check(f"fft.{name}", cube, (4,) * len(axes), axes, norm, factor=K)
        check(f"fft.{name}", cube, (2, 7), norm=norm, factor=K, **default)
        check(f"fft.{name}", cube, (-1, 7), norm=norm, factor=K, axes=(0, 1))
        check(f"fft.{name}", cube, (2,), norm=norm, factor=K, axes=(0, 1))


def test_real_transforms_ignore_what_numpy_ignores() -> None:
    spectrum = sample(5, "D") + 1j
    for n in (None, 8, 9, 5):
        check("fft.irfft", spectrum, n, factor=K)
        check("fft.hfft", spectrum, n, factor=K)


def test_special_values() -> None:
    check("fft.fft", np.array([1.0, np.nan, 0.0, 2.0]))
    check("fft.rfft", [1, 2, 3], factor=K)
    check("fft.fft", sample(1009), factor=K)
    check("fft.fft", sample(1 << 14), factor=4 * K)


def test_a_scale_leaves_infinite_parts_and_negative_zeros_as_they_are() -> None:
    signal = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    with np.errstate(invalid="ignore"):
        wanted = np.fft.ihfft(signal)
    found = rt.fft.ihfft(signal).numpy()
    np.testing.assert_array_equal(found.imag, wanted.imag)
    assert np.array_equal(np.signbit(found.imag[0]), np.signbit(wanted.imag[0]))


def test_frequencies_and_shifts() -> None:
    for name in ("fftfreq", "rfftfreq"):
        for n in (1, 2, 7, 8, 0, 2.5):
            check(f"fft.{name}", n)
            check(f"fft.{name}", n, 0.1)
            check(f"fft.{name}", n, d=1 / 44100)
    for name in ("fftshift", "ifftshift"):
        for char in "dl?F":
            for axes in (None, 0, 1, (0, 1), -1, (0, 0), 4):
                check(f"fft.{name}", sample((4, 5), char), axes)
            check(f"fft.{name}", sample(7, char))


def test_inside_a_traced_function_with_gradients() -> None:
    import tensorflow as tf

    signal = sample(8)
    same(tf.function(rt.fft.rfft)(rt.tensor(signal)), np.fft.rfft(signal), K)
    x = tf.constant(signal)
    with tf.GradientTape() as tape:
        tape.watch(x)
        power = tf.reduce_sum(tf.abs(rt.fft.fft(x)) ** 2)
    np.testing.assert_allclose(tape.gradient(power, x), 2 * 8 * signal, rtol=1e-10)
