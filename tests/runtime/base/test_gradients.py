"""Gradients through the exact helpers: ``tf.GradientTape`` against central differences of NumPy's own function.

Each row is a call of NumPy's with ``xp`` for the module and ``x`` for a 3 x 4 array of float64 between 0.2 and 0.9
without ties, where all these functions are smooth. ``q`` is a symmetric matrix made of ``x`` that is positive
definite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from np2tnp import runtime as rt
from np2tnp.runtime.base.lazy_tensorflow import configure, tf

pytestmark = pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")

UNARY = (
    "absolute fabs negative positive square sqrt cbrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin"
    " arccos arctan sinh cosh tanh arcsinh arctanh deg2rad rad2deg degrees radians sinc nan_to_num real conjugate"
    " ravel transpose sum prod mean std var max min amax amin ptp median nansum nanprod nanmean nanstd nanvar nanmax"
    " nanmin nanmedian cumsum cumprod nancumsum nancumprod average sort squeeze copy flip fliplr flipud rot90 diff"
    " ediff1d tril triu diagonal trace diagflat atleast_2d unwrap asarray array ascontiguousarray"
    " i0 real_if_close cov corrcoef trapezoid"
).split()
BINARY = (
    "add subtract multiply divide power float_power maximum minimum fmax fmin hypot arctan2 logaddexp logaddexp2"
    " remainder fmod copysign outer inner kron vdot"
).split()

CALLS = [
    *(f"xp.{name}(x)" for name in UNARY),
    *(f"xp.{name}(x, x[::-1] * 0.7 + 0.1)" for name in BINARY),
    "xp.arccosh(x + 1)", "xp.vander(x[0], 3)", "xp.tensordot(x, x, 2)", "xp.tensordot(x, x, ([1], [1]))",
    "xp.sum(x, axis=0)", "xp.sum(x, axis=1, keepdims=True)", "xp.sum(x, where=M)", "xp.sum(x, initial=2.0)",
    "xp.prod(x, axis=1)", "xp.mean(x, axis=0)", "xp.mean(x, where=M)", "xp.std(x, axis=0, ddof=1)", "xp.var(x, axis=1)",
    "xp.max(x, axis=0)", "xp.min(x, axis=1)", "xp.median(x, axis=0)", "xp.percentile(x, 30)",
    "xp.percentile(x, [20, 70], axis=1)", "xp.quantile(x, 0.3, axis=0)", "xp.nanpercentile(x, 40)",
    "xp.nanquantile(x, 0.4)", "xp.nanmax(x, axis=0, initial=0.5)",
    "xp.nanmin(x, initial=3.0, where=M)",
    "xp.cumsum(x, axis=0)", "xp.cumprod(x, axis=1)", "xp.average(x, axis=0, weights=W)",
    "xp.average(x, axis=1, weights=x[0])", "xp.ptp(x, axis=0)", "xp.sort(x, axis=0)", "xp.partition(x, 2)",
    "xp.reshape(x, (2, 6))", "xp.reshape(x, -1, order='F')", "xp.swapaxes(x, 0, 1)", "xp.moveaxis(x, 0, 1)",
    "xp.rollaxis(x, 1)", "xp.roll(x, 2)", "xp.roll(x, 1, axis=0)", "xp.repeat(x, 2)", "xp.repeat(x, [1, 2, 0], axis=0)",
    "xp.tile(x, (2, 1))", "xp.expand_dims(x, 1)", "xp.broadcast_to(x, (2, 3, 4))", "xp.concatenate([x, x])",
    "xp.concatenate([x, x * 2], axis=1)", "xp.stack([x, x])", "xp.vstack([x, x])", "xp.hstack([x, x])",
    "xp.dstack([x, x])", "xp.column_stack([x, x])", "xp.block([[x, x]])", "xp.split(x, 2, axis=1)[1]",
    "xp.array_split(x, 3)[1]", "xp.append(x, x)", "xp.insert(x, 1, 0.0, axis=0)", "xp.delete(x, 1, axis=0)",
    "xp.pad(x, 1)", "xp.pad(x, 1, mode='edge')", "xp.pad(x, 1, mode='reflect')", "xp.pad(x, 2, mode='wrap')",
    "xp.resize(x, (5, 3))", "xp.diag(x[0])", "xp.diag(x)", "xp.take(x, [0, 5])", "xp.take(x, [-1, 0], axis=1)",
    "xp.take_along_axis(x, I, axis=1)", "xp.compress([True, False, True], x, axis=0)", "xp.extract(M, x)",
    "xp.where(M, x, 2 * x)", "xp.clip(x, 0.3, 0.6)", "xp.diff(x, n=2)", "xp.diff(x, axis=0)", "xp.gradient(x)[0]",
    "xp.gradient(x[0])", "xp.gradient(x, 0.5, axis=1)", "xp.convolve(x[0], x[1])", "xp.convolve(x[0], x[1], 'same')",
    "xp.correlate(x[0], x[1], 'full')", "xp.interp(x[0], P, x[1])", "xp.interp(x[0], P, Y)", "xp.trapezoid(x, axis=0)",
    "xp.cross(x[:, :3], x[::-1, :3])", "xp.dot(x, x.T)", "xp.dot(x[0], x[1])", "xp.matmul(x, x.T)", "xp.inner(x, x)",
    "xp.vecdot(x, x)", "xp.einsum('ij,kj->ik', x, x)", "xp.einsum('ij->j', x)", "xp.cov(x, rowvar=False)",
    "xp.polyval([1.0, 2.0, 3.0], x)", "xp.polyval(x[0], 0.7)", "xp.polyadd(x[0], x[1])", "xp.polymul(x[0], x[1])",
    "xp.polyder(x[0])", "xp.polyint(x[0])", "xp.tril(x, 1)", "xp.trace(x, 1)",
    "xp.select([M], [x], 0.5)", "xp.choose(I % 2, [x, 2 * x])", "xp.nan_to_num(x, nan=1.0)", "xp.ldexp(x, 2)",
    "xp.meshgrid(x[0], x[1])[0]", "xp.broadcast_arrays(x, x[0])[1]", "xp.fill_diagonal_of(x)", "xp.modf(x)[0]",
    "xp.linalg.inv(q)", "xp.linalg.det(q)", "xp.linalg.slogdet(q)[1]", "xp.linalg.solve(q, x)", "xp.linalg.cholesky(q)",
    "xp.linalg.norm(x)", "xp.linalg.norm(x, axis=1)", "xp.linalg.norm(x, 1)", "xp.linalg.norm(x[0], 3)",
    "xp.linalg.eigvalsh(q)", "xp.linalg.svdvals(x)", "xp.linalg.matrix_power(q, 3)", "xp.linalg.multi_dot([x, x.T, x])",
    "xp.linalg.pinv(x)", "xp.linalg.vector_norm(x)", "xp.linalg.matrix_norm(x)", "xp.linalg.trace(q)",
    "xp.fft.fft(x)", "xp.fft.ifft(x)", "xp.fft.rfft(x)", "xp.fft.irfft(xp.fft.rfft(x))", "xp.fft.fft2(x)",
    "xp.fft.rfft2(x)", "xp.fft.fftn(x)", "xp.fft.rfft(x, n=6)", "xp.fft.fft(x, axis=0, norm='ortho')",
    "xp.fft.fftshift(x)", "xp.fft.hfft(x[0])", "xp.angle(x + 1j * x[::-1])", "xp.absolute(x + 1j * x[::-1])",
    "xp.imag((x + 1j) ** 2)", "xp.imag(xp.divide(x, 1j))",
    "xp.real(xp.divide(1j * x, [2j, 1, 0.5 - 1j, -3]))", "xp.ufunc_add_reduce(x)",
    "xp.remainder(-x, x[0] * 0.7)", "xp.fmod(x[0], -0.3 * x)", "xp.remainder(x, 0.15)", "xp.r_[x[0], 1, x[1]]",
    "xp.c_[x, x[:, 0]]", "xp.ufunc_multiply_accumulate(x)", "xp.ufunc_add_outer(x[0], x[1])",
    # NumPy computes the values of these on the host
    "xp.pad(x, 2, mode='linear_ramp')", "xp.pad(x, (1, 2), mode='linear_ramp', end_values=3.0)",
    "xp.pad(x, 2, mode='mean')", "xp.pad(x, ((1, 0), (0, 3)), mode='mean', stat_length=2)",
    "xp.pad(x, 1, mode='maximum', stat_length=((1, 2), (3, 1)))", "xp.pad(x, (0, 2), mode='median')",
    "xp.linalg.qr(x)[0]", "xp.linalg.qr(x.T)[1]", "xp.linalg.qr(x.T, 'r')", "xp.linalg.qr(xp.stack([q, q + 1]))[0]",
    "xp.linalg.qr(x, 'complete')[0]", "xp.linalg.eigh(q)[0]", "xp.linalg.eigh(q, 'U')[1]",
    "xp.linalg.svd(x, False)[0]", "xp.linalg.svd(x.T, False)[2]", "xp.linalg.svd(xp.stack([q, x[:, :3]]))[0]",
    "xp.linalg.svd(q)[1]", "xp.poly(x[0])", "xp.poly(x[0] * (1 + 2j))", "xp.geomspace(x[0, 1], x[1, 2], 6)",
    "xp.geomspace(x[0], x[1], 4, False)", "xp.logspace(x[0, 1], x[1, 2], 6)",
    "xp.logspace(x[0], 2.0, 4, base=x[1, 1] + 2)", "xp.arange(x[0, 0], 3.0, x[1, 1])",
    "xp.linspace(0.0, x[0, 0], 5, endpoint=False)", "xp.interp(x[0], xp.sort(x[1]), x[2])",
    "xp.histogram(x, 3)[1]", "xp.histogram(x[0], 3, weights=x[1])[0]", "xp.histogram(x, [0.0, 0.5, 1.0], weights=x)[0]",
    "xp.ufunc_reduceat('add', x, [0, 2, 1], 1)", "xp.ufunc_reduceat('multiply', x, [0, 2])",
    "xp.ufunc_reduceat('maximum', x, [1, 3, 0], axis=1)", "xp.nanquantile(xp.where(M, x, np.nan), 0.3, axis=1)",
    "xp.nanquantile(xp.where(M, x, np.nan), [0.3, 0.9], axis=0, keepdims=True)",
    "xp.nanpercentile(xp.where(M, x, np.nan), [[20, 60]])", "xp.nanmedian(xp.where(M, x, np.nan), axis=1)",
    "xp.nanpercentile(xp.where(M, x, np.nan), 60, axis=1, method='lower')",
    "xp.pad(x, ((1, 2), (0, 3)), mode='symmetric', reflect_type='odd')",
    "xp.pad(x, 4, mode='reflect', reflect_type='odd')",
    "xp.pad(x, ((1, 2), (0, 3)), constant_values=((x[0, 0], x[0, 1]), (2.0, x[1, 1])))",
    "xp.pad(x, 1, constant_values=x[0, 0])",
    "xp.pad(x, 2, mode='linear_ramp', end_values=((x[0, 0], 1), (2, x[1, 1])))",
    "xp.polydiv(x[0], x[1, :2])[0]", "xp.polydiv(x[0], x[1, :2])[1]", "xp.polydiv(x[0], x[1, 0])[0]",
    "xp.polydiv(x[0, :2], x[1])[1]", "xp.poly(q)", "xp.poly(x[:, :3])", "xp.roots(x[0])",
    "xp.roots(x[0] * xp.asarray([1, -8, 3, 1.0]))", "xp.roots(x[0] * (1 + 1j))",
    "xp.linspace(x[0, 0], x[1, 1], 5, retstep=True)[0]", "xp.linspace(x[0, 0], x[1, 1], 5, retstep=True)[1]",
    "xp.linspace(x[0], x[1], 4, axis=1)", "xp.geomspace(x[0], x[1], 4, axis=-1)",
    "xp.logspace(x[0], x[1], 4, base=x[2] + 2, axis=1)", "xp.cov(x, aweights=x[0])",
    "xp.cov(x, x[::-1], aweights=x[0], fweights=[1, 2, 3, 1])", "xp.cov(x, aweights=x[:, 0], rowvar=False, ddof=0)",
    "xp.cov(x[0], aweights=x[1], bias=True)", "xp.cov(x, fweights=[1, 2, 3, 1])",
    "xp.sort_complex(x)", "xp.sort_complex(x + 1j * x[::-1])", "xp.histogram(x, 3, density=True)[0]",
    "xp.histogram(x[0], 3, density=True, weights=x[1])[0]", "xp.histogramdd(x, 2)[1][3]",
    "xp.histogramdd(x[:, :2], (2, [0, 0.5, 1]), density=True)[0]", "xp.histogram2d(x[0], x[1], 2)[2]",
    "xp.histogram2d(x[0], x[1], [0, 0.5, 1], weights=x[2])[0]",
    "xp.histogram2d(x[0], x[1], 3, density=True, weights=x[2])[0]",
    *(f"xp.ufunc_reduceat('{name}', x, [0, 2, 1], 1)" for name in "subtract divide hypot logaddexp fmax fmod".split()),
    "xp.ufunc_reduce('subtract', x)", "xp.ufunc_reduce('divide', x, axis=1, keepdims=True)",
    "xp.ufunc_accumulate('float_power', x, 1)", "xp.ufunc_accumulate('hypot', x)",
    "xp.linalg.eigvals(x[:, :3])", "xp.linalg.eigvals(x[:, :3] - x[:, 1:])",
    "xp.linalg.eigvals(xp.stack([q, x[:, :3]]))",
    "xp.linalg.eig(q)[1]", "xp.linalg.eig(x[:, :3])[0]", "xp.linalg.eig(x[:, :3] - x[:, 1:])[1]",
    "xp.linalg.eig(x[:, :3] * (1 + 2j) + 1j * q)[1]", "xp.linalg.svd(x)[0]", "xp.linalg.svd(x)[1]",
    "xp.linalg.svd(x.T)[2]", "xp.quantile(x, x[0, 0])", "xp.quantile(x, x[:2, 0], axis=1, keepdims=True)",
    "xp.percentile(x, x[0, 1] * 100, axis=0)", "xp.gradient(x[0], xp.sort(x[1]))",
    "xp.gradient(x, x[0, 0], x[1, 1], edge_order=2)[1]",
    "xp.gradient(x, xp.sort(x[:, 0]), xp.sort(x[1]), edge_order=2)[0]", "xp.frexp(x * 9)[0]",
]  # fmt: skip

#: NumPy 2.5 knows no cross products of two components any more.
CALLS += [
    "xp.cross(x[:, :2], x[::-1, :2])", "xp.cross(x[:, :2], x[::-1, :3], axisc=0)",
    "xp.cross(x[:2].T, x[1:].T, axis=-1)",
] * (np.lib.NumpyVersion(np.__version__) < "2.5.0")  # fmt: skip

#: Calls that a tape refuses to differentiate, and why.
WITHOUT = {
    "xp.apply_along_axis(xp.sum, 0, x)": "NumPy on the host calls the function, row by row",
    "xp.apply_over_axes(xp.sum, x, [0, 1])": "the same",
    "xp.ufunc_reduceat('power', x, [0, 1], 1)": "NumPy does not take one element after the other",
    "xp.roots(x[0] * xp.asarray([1.0, 2.0, 3.0, 0.0]))": "a root that is zero because a coefficient is",
    "xp.linalg.qr(x.T, 'complete')[1]": "vectors of the null space are not unique",
    "xp.linalg.svd(x)[2]": "the same",
    "xp.linalg.eigvals(xp.asarray([[1.0, 1.0], [0.0, 1.0]]) * x[0, 0])": "vectors that span no space",
    "xp.quantile(x, x[0, 0], method='hazen')": "a method whose place is read on the host",
    "xp.kaiser(4, x[0, 0])": "its parameter is read on the host",
    "xp.vectorize(lambda value: value**2)(x)": "Python for each element",
}


class NumPy:
    """NumPy under the names of the table."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    ufunc_add_reduce = staticmethod(np.add.reduce)
    ufunc_multiply_accumulate = staticmethod(np.multiply.accumulate)
    ufunc_add_outer = staticmethod(np.add.outer)

    @staticmethod
    def ufunc_reduce(name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(np, name).reduce(*args, **keywords)

    @staticmethod
    def ufunc_accumulate(name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(np, name).accumulate(*args, **keywords)

    @staticmethod
    def ufunc_reduceat(name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(np, name).reduceat(*args, **keywords)

    @staticmethod
    def fill_diagonal_of(x: Any) -> Any:
        changed = np.array(x)
        np.fill_diagonal(changed, 0.0)
        return changed


class Runtime:
    """The exact helpers under the names of the table."""

    def __getattr__(self, name: str) -> Any:
        return getattr(rt, name)

    @staticmethod
    def ufunc_add_reduce(x: Any) -> Any:
        return rt.add_reduce(x)

    @staticmethod
    def ufunc_multiply_accumulate(x: Any) -> Any:
        return rt.multiply_accumulate(x)

    @staticmethod
    def ufunc_add_outer(x: Any, y: Any) -> Any:
        return rt.add_outer(x, y)

    @staticmethod
    def ufunc_reduceat(name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(rt, f"{name}_reduceat")(*args, **keywords)

    @staticmethod
    def ufunc_reduce(name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(rt, f"{name}_reduce")(*args, **keywords)

    @staticmethod
    def ufunc_accumulate(name: str, *args: Any, **keywords: Any) -> Any:
        return getattr(rt, f"{name}_accumulate")(*args, **keywords)

    @staticmethod
    def fill_diagonal_of(x: Any) -> Any:
        return rt.fill_diagonal(x, 0.0)


X = np.random.RandomState(5).permutation(np.linspace(0.21, 0.89, 12)).reshape(3, 4)
NAMES = {
    "np": np,
    "M": np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]]),
    "W": np.array([0.5, 1.5, 2.0]),
    "I": np.array([[0, 3], [1, 1], [2, 0]]),
    "P": np.array([0.0, 0.37, 0.55, 1.0]),
    "Y": np.array([0.3, 1.0, -2.0, 4.0]),
}


def call(text: str, xp: Any, x: Any) -> Any:
    names = {**NAMES, "xp": xp, "x": x}
    if "q" in text:
        names["q"] = xp.matmul(x, x.T if xp is NUMPY else rt.transpose(x)) + 2 * np.eye(3)
    if "choose" in text:
        names["I"] = np.arange(12).reshape(3, 4)
    return eval(text, names)


NUMPY, RUNTIME = NumPy(), Runtime()


def weights(shape: tuple[int, ...], seed: int) -> Any:
    return np.random.RandomState(seed).uniform(0.5, 1.5, shape)


def loss(value: Any, real: Any, imag: Any, total: Any) -> Any:
    """A number that depends on every element in its own way."""
    return total(weights(tuple(value.shape), 1) * real(value) + weights(tuple(value.shape), 2) * imag(value))


def numpy_loss(text: str, x: Any) -> float:
    value = np.asarray(call(text, NUMPY, x))
    return float(loss(value, np.real, np.imag, np.sum))


def by_differences(text: str) -> Any:
    """The gradient of the loss by central differences of NumPy's function."""
    found = np.zeros_like(X)
    for place in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[place] = 1e-5
        found[place] = (numpy_loss(text, X + step) - numpy_loss(text, X - step)) / 2e-5
    return found


def by_tape(text: str) -> Any:
    """The gradient of the loss by TensorFlow's tape."""
    configure()
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = call(text, RUNTIME, x)
        if isinstance(value, np.ndarray) or not tf.is_tensor(value):
            pytest.fail(f"{type(value).__name__} instead of a tensor")
        number = (
            loss(value, tf.math.real, tf.math.imag, tf.reduce_sum)
            if value.dtype.is_complex
            else tf.reduce_sum(weights(tuple(value.shape), 1) * value)
        )
    return tape.gradient(number, x)


@pytest.mark.parametrize("text", CALLS)
def test_gradients_flow_through_helpers(text: str) -> None:
    gradient = by_tape(text)
    assert gradient is not None
    np.testing.assert_allclose(tf.convert_to_tensor(gradient).numpy(), by_differences(text), rtol=2e-5, atol=2e-7)


@pytest.mark.parametrize("text", WITHOUT)
def test_what_has_no_gradient_is_an_error_and_no_constant(text: str) -> None:
    with pytest.raises(LookupError, match=r"no gradient for |not unique"):
        by_tape(text)


def test_variables_are_followed() -> None:
    configure()
    variable = tf.Variable(X)
    with tf.GradientTape() as tape:
        value = rt.linalg.qr(variable)[1]
    assert tape.gradient(value, variable) is not None
    with tf.GradientTape() as tape, pytest.raises(LookupError, match="no gradient for kaiser"):
        tape.gradient(rt.kaiser(4, tf.convert_to_tensor(variable)[0, 0]), variable)
