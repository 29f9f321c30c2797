"""Histograms, binning, differences, covariance, convolution against NumPy: counts exact, sums within rounding."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check, same, sample

from np2tnp import runtime as rt
from np2tnp.runtime.base.dispatch import FALLBACKS

K = 64.0
DATA = [
    sample(200),
    sample(200, "f"),
    sample((10, 20), "l"),
    sample(50, "B"),
    np.round(sample(300), 1),
    np.array([1.0, 1.0]),
    np.zeros(0),
    np.array([5]),
    np.array([0.0, np.nan, 1.0]),
    np.array([0.0, np.inf, 1.0]),
]


@pytest.mark.parametrize("number", range(len(DATA)))
@pytest.mark.parametrize("limits", [None, (-1, 1), (0.5, 0.1), (0, 0), (0.1, 0.7), (-np.inf, 1)])
def test_histogram(number: int, limits: object) -> None:
    data = DATA[number]
    for bins in (10, 1, 7, [0, 1, 2.5], [-3, -1, 0, 0, 4], np.array([0.0]), 0, -1, [2, 1], np.linspace(-2, 2, 41)):
        claimed = np.size(bins) != 1 or np.ndim(bins) == 0
        for density in (None, True):
            check("histogram", data, bins, limits, density, factor=K, claimed=claimed)
        check("histogram_bin_edges", data, bins, limits, claimed=claimed)


def test_histogram_places_every_value_as_numpy() -> None:
    grid = np.arange(-40, 41) / 10
    for bins in (8, 16, 80, 3, 7, 33):
        for dtype in "df":
            check("histogram", grid.astype(dtype), bins)
            check("histogram", grid.astype(dtype), bins, (-1, 1))
            check("histogram", grid.astype(dtype), np.linspace(-1, 1, bins))


def test_histogram_weights() -> None:
    data = sample(100)
    for char in "dfliFD":
        for bins in (5, [-2, 0, 1, 3.0]):
            check("histogram", data, bins, weights=sample(100, char, 1), factor=K)
            # the result is double, its precision that of the weights
            factor = 2.0**36 if char in "fF" else 16 * K
            check("histogram", data, bins, weights=sample(100, char, 1), density=True, factor=factor)
    check("histogram", data, 5, weights=sample(50))
    check("histogram", data, "auto", claimed=False)
    check("histogram", data > 0, 5, claimed=False)
    check("histogram", sample(9, "D"), 5, claimed=False)


@pytest.mark.parametrize("bins", [5, [4, 3], [np.array([-1.0, 0, 1]), 4], [[-2, 0, 2], [-1, 1]], 0])
def test_histograms_of_several_dimensions(bins: object) -> None:
    x, y = sample(100), sample(100, seed=1)
    for limits in (None, [(-1, 1), (0, 2)], [[-1, 1], None]):
        for density in (None, True):
            for weights in (None, sample(100, seed=2)):
                ranged = {} if limits is not None and limits[1] is None else {"range": limits}
                check("histogram2d", x, y, bins, density=density, weights=weights, factor=K, **ranged)
                check("histogramdd", np.stack([x, y], 1), bins, limits, density, weights, factor=K)
    check("histogramdd", [x, y.astype("f")], bins, factor=K)
    check("histogramdd", sample((50, 3), "f"), 3, factor=K)
    check("histogram2d", x.astype("f"), y.astype("f"), bins, factor=K)
    check("histogram2d", x, y, np.linspace(-2, 2, 6), factor=K)
    check("histogram2d", np.where(x > 1, np.nan, x), y, [[-1, 0, 1], [-1, 0, 1]])
    check("histogram2d", x, y[:50], 4)


def test_bincount() -> None:
    for char in "bhilBHI?":
        check("bincount", np.abs(sample(20, char)))
    check("bincount", [0, 1, 1, 5], minlength=3)
    check("bincount", [0, 1, 1, 5], minlength=10)
    check("bincount", [0, 1, 1, 5], [0.5, 1, 2, 3])
    check("bincount", [0, 1], sample(2, "l"))
    check("bincount", [0, 1], sample(2, "f"))
    check("bincount", [0, 1], sample(2, "D"))
    check("bincount", [0, 1], [1.0])
    check("bincount", [-1, 1])
    check("bincount", [1.5], claimed=False)
    check("bincount", [[1]])
    check("bincount", np.zeros(0, int))
    check("bincount", np.zeros(0, int), minlength=4)
    check("bincount", [1], minlength=-1)
    check("bincount", np.array([1, 2], np.uint64), claimed=False)


@pytest.mark.parametrize("right", [False, True])
def test_digitize(right: bool) -> None:
    x = np.array([[0.2, 6.4, 3.0, 1.6], [np.nan, -np.inf, np.inf, 4.0]])
    for bins in ([0.0, 1.0, 2.5, 4.0, 10.0], [10, 4, 2.5, 1, 0], [1.0], [1.0, 1.0], [3, 1, 2], []):
        claimed = len(bins) > 0
        check("digitize", x, bins, right, claimed=claimed)
        check("digitize", np.arange(12), bins, right, claimed=claimed)
        check("digitize", 2.5, bins, right, claimed=claimed)
        check("digitize", sample(9, "f"), np.array(bins, "f"), right, claimed=claimed)
    check("digitize", sample(4, "D"), [1.0, 2.0])


@pytest.mark.parametrize("char", "?bhilBHILefdFD")
def test_differences(char: str) -> None:
    array = sample((4, 6), char)
    for n in (0, 1, 2, 7, -1):
        for axis in (-1, 0, 2):
            check("diff", array, n, axis)
    check("diff", array, prepend=array[:, :1], append=0)
    check("diff", array, prepend=1.5)
    check("diff", array, axis=0, append=array[:2])
    check("diff", array[0, 0])
    check("ediff1d", array)
    check("ediff1d", array, to_end=array[0], to_begin=array[0, :1])
    check("ediff1d", array, to_end=1.5, claimed=char in "efdFD")
    check("ediff1d", array[:0])


@pytest.mark.parametrize("edge_order", [1, 2, 3])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), (1, 0), 2, (0, 0)])
def test_gradient(axis: object, edge_order: int) -> None:
    x, y = np.array([0.0, 1, 1.5, 3, 5]), np.arange(6) * 0.5
    spacings: list = [(), (2.0,), (np.float64(0.1),), (2,), (np.float32(0.3),), (x, y), (0.5, y), (y,), (x,), (1, 2, 3)]
    for char in "dflFBe":
        for spacing in spacings:
            check("gradient", sample((5, 6), char), *spacing, axis=axis, edge_order=edge_order, factor=K)
    check("gradient", sample(7), axis=None, edge_order=edge_order, factor=K)
    check("gradient", sample(2), edge_order=edge_order)
    check("gradient", sample(1), edge_order=edge_order)
    check("gradient", sample(5, "l"), np.arange(5) ** 2, edge_order=edge_order, factor=K)


def test_interp() -> None:
    xp, fp = np.array([0.0, 1, 2, 4]), np.array([1.0, 3, 2, -1])
    x = np.array([-1.0, 0, 0.5, 1, 2, 3.3, 4, 9, np.nan, np.inf, -np.inf])
    check("interp", x, xp, fp)
    check("interp", x.reshape(1, -1), xp, fp, -7, 8.5)
    check("interp", 1.5, xp, fp)
    check("interp", [0, 1, 2], [0, 1, 2], [3, 4, 5])
    check("interp", x.astype("f"), xp.astype("f"), fp.astype("f"))
    check("interp", x[:8], xp, fp + 1j, factor=K)
    check("interp", x, np.array([0.0, 1, 1, 2]), fp)
    check("interp", x, xp, np.array([np.inf, 1, np.nan, np.inf]))
    check("interp", x, [1.0], [2.0])
    check("interp", x, [], [])
    check("interp", x, xp, fp[:2])
    check("interp", x, xp[::-1].copy(), fp, claimed=False)
    check("interp", x[:8], xp, fp, period=5, claimed=False)
    check("interp", sample(1000), np.sort(sample(50, seed=1)), sample(50, seed=2), factor=K)


def test_unwrap() -> None:
    phase = np.cumsum(np.abs(sample((3, 40)) * 2), axis=1) % (2 * np.pi)
    for char in "df":
        for axis in (-1, 0):
            check("unwrap", phase.astype(char), axis=axis, factor=K)
    check("unwrap", phase, 4.0, factor=K)
    check("unwrap", phase, period=3.0, factor=K)
    check("unwrap", np.array([0.0, np.pi, 0.0, -np.pi]), factor=K)
    check("unwrap", np.array([0, 3, 6, 1]), period=4, claimed=False)
    check("unwrap", np.array([0.0, np.nan, 9.0]), factor=K)


@pytest.mark.parametrize("char", "?bilBfdFD")
def test_covariance(char: str) -> None:
    m, other = sample((3, 20), char), sample((3, 20), char, 1)
    claimed = True
    for name in ("cov", "corrcoef"):
        check(f"{name}", m, factor=K, claimed=claimed)
        check(f"{name}", m, other, factor=K, claimed=claimed)
        check(f"{name}", m, rowvar=False, factor=K, claimed=claimed)
        check(f"{name}", m[0], other[1], factor=K, claimed=claimed)
        check(f"{name}", m[0], factor=K, claimed=claimed)
        check(f"{name}", m[0], other[1], rowvar=False, factor=K)
        check(f"{name}", m[:1], other[:1], rowvar=False, factor=K, claimed=False)
    check("cov", m, bias=True, factor=K)
    check("cov", m, ddof=2, factor=K)
    check("cov", m, ddof=25, claimed=False)
    check("cov", m, fweights=np.arange(20), claimed=False)
    check("cov", m, dtype=np.float32, factor=K, claimed=char not in "FD")


def test_correlation_of_a_constant_is_nan() -> None:
    check("corrcoef", np.array([[1.0, 1, 1], [1, 2, 3]]))
    check("corrcoef", np.array([[1.0, np.nan, 1], [1, 2, 3]]))
    check("cov", np.zeros((0, 3)), claimed=False)
    check("cov", np.array([[1.0], [2.0]]), claimed=False)


@pytest.mark.parametrize("mode", ["full", "same", "valid", "other", 1])
@pytest.mark.parametrize(
    "sizes", [(7, 3), (3, 7), (6, 6), (1, 1), (5, 1), (4, 2), (2, 4), (60, 20), (20, 61), (300, 33), (0, 3)]
)
def test_convolution(mode: object, sizes: tuple) -> None:
    for char in "dflFDbB?e":
        a, v = sample(sizes[0], char), sample(sizes[1], char, 1)
        factor = K if char in "dfFDe" else 0
        claimed = isinstance(mode, str)
        check("convolve", a, v, mode, factor=factor, claimed=claimed)
        check("correlate", a, v, mode, factor=factor, claimed=claimed)


@pytest.mark.parametrize(("length", "width", "asks"), [(20_000, 120, 0), (20_000, 3_000, 1), (3_000, 3_000, 1)])
def test_numpy_convolves_with_kernels_whose_band_matrix_is_large(length: int, width: int, asks: int) -> None:
    signal, kernel = sample(length), sample(width, seed=1)
    before = FALLBACKS["numpy.correlate"]
    found = rt.correlate(rt.tensor(signal), rt.tensor(kernel), "same")
    assert FALLBACKS["numpy.correlate"] == before + asks
    np.testing.assert_allclose(found, np.correlate(signal, kernel, "same"), rtol=1e-9, atol=1e-9)


def test_convolution_of_special_values_and_mixed_dtypes() -> None:
    a = sample(50)
    a[7], a[30] = np.nan, np.inf
    for width in (3, 40):
        check("convolve", a, sample(width, seed=1), factor=K)
        check("convolve", sample(50), np.where(np.arange(width) == 1, np.inf, 1.0), factor=K)
    check("convolve", sample(9, "f"), sample(3, "d"), factor=K)
    check("convolve", sample(9, "f"), [1, 2], factor=K)
    check("convolve", 2.0, [1, 2])
    check("convolve", [1, 2, 3], [0, 1, 0.5])
    check("convolve", sample((2, 2)), sample(3))
    check("correlate", 2.0, [1, 2], claimed=False)


@pytest.mark.parametrize("char", "?bilBLfdFD")
def test_cross(char: str) -> None:
    a, b = sample((4, 3), char), sample((4, 3), char, 1)
    check("cross", a, b, factor=K)
    check("cross", a, b[0], factor=K)
    check("cross", a.T.copy(), b, axisa=0, factor=K)
    check("cross", a, b, axisc=0, factor=K)
    check("cross", a.T.copy(), b.T.copy(), axis=0, factor=K)
    check("cross", a[:, :2], b[:, :2], claimed=False, factor=K)
    check("cross", sample((2, 4), char), sample((2, 4), char))


def test_inside_a_traced_function() -> None:
    import tensorflow as tf

    x = sample(40)
    for name, args in (("diff", ()), ("gradient", ()), ("convolve", ([1.0, 2.0],)), ("cov", ()), ("unwrap", ())):
        same(tf.function(getattr(rt, name))(rt.tensor(x), *args), getattr(np, name)(x, *args), K)
    counts = tf.function(lambda v: rt.histogram(v, 5, (-1, 1)))(rt.tensor(x))
    same(counts, np.histogram(x, 5, (-1, 1)))
    with pytest.raises(rt.UnverifiedError):  # how many bins depends on the values
        tf.function(lambda v: rt.histogram(v, "auto"), autograph=False)(rt.tensor(x))


@pytest.mark.parametrize("axis", [None, 0, 2, (0, 1), (1, 2)])
@pytest.mark.parametrize("name", ["percentile", "quantile", "nanpercentile"])
def test_quantiles_of_nothing(name, axis):
    check(name, np.zeros((2, 3, 0)), 0.4, axis=axis, claimed=False)
