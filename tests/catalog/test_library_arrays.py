"""What callees.toml says of functions of SciPy that give arrays holds, whatever they are called with.

Each is called with arrays, and with all else that people have instead: lists, numbers, masked arrays, matrices, tables,
sparse matrices, arrays of objects. What it gives is an ndarray of NumPy's own class with axes, or a NumPy scalar; or it
raises.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.analysis.domain.values import Array
from np2tnp.catalog import catalog as catalog_module
from np2tnp.catalog.catalog import load, tomllib
from np2tnp.config import Config
from np2tnp.files.source import Source
from np2tnp.project import Project

pytest.importorskip("scipy")
pandas = pytest.importorskip("pandas")

_ROWS = tomllib.loads(Path(catalog_module.__file__).with_name("callees.toml").read_text(encoding="utf-8"))
TABLE, VECTORS = _ROWS["arrays"], _ROWS["vectors"]
M = np.array([[4.0, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]])
V = np.array([1.0, 2, 3])
#: How they are called: with a matrix (m), a vector (v), or numbers. Those of a module alike, but for some.
MODULES = {"scipy.linalg": "m", "scipy.signal": "v", "scipy.signal.windows": "5", "scipy.fft": "v"}
CALLS = {
    "scipy.fft.fft2": "m", "scipy.fft.ifft2": "m", "scipy.fft.rfft2": "m", "scipy.fft.irfft2": "m",
    "scipy.fft.fftfreq": "5, 0.1", "scipy.fft.rfftfreq": "5, 0.1",
    "scipy.linalg.solve": "m, v", "scipy.linalg.solve_triangular": "m, v", "scipy.linalg.solve_toeplitz": "v, v",
    "scipy.linalg.solve_continuous_lyapunov": "m, m", "scipy.linalg.solve_discrete_lyapunov": "m / 9, m",
    "scipy.linalg.fractional_matrix_power": "m, 0.5", "scipy.linalg.solve_sylvester": "m, m, m",
    "scipy.linalg.solve_continuous_are": "m, m, m, m", "scipy.linalg.solve_discrete_are": "m, m, m, m",
    "scipy.signal.chirp": "v, 1.0, 2.0, 3.0", "scipy.signal.convolve2d": "m, m", "scipy.signal.correlate2d": "m, m",
    "scipy.signal.fftconvolve": "v, v", "scipy.signal.oaconvolve": "v, v", "scipy.signal.lfilter": "v, v, v",
    "scipy.signal.medfilt2d": "m", "scipy.signal.order_filter": "v, v, 1", "scipy.signal.resample": "v, 5",
    "scipy.signal.resample_poly": "v, 2, 1", "scipy.signal.savgol_filter": "v, 3, 1", "scipy.signal.unit_impulse": "5",
    "scipy.signal.upfirdn": "v, v", "scipy.signal.windows.gaussian": "5, 1.0", "scipy.signal.windows.kaiser": "5, 1.0",
    "scipy.spatial.distance.cdist": "m, m", "scipy.spatial.distance.pdist": "m",
}  # fmt: skip
SHAPES = {"t": 1, "chi2": 1, "f": 2, "gamma": 1, "beta": 2, "lognorm": 1, "pareto": 1, "weibull_min": 1}


class Own(np.ndarray):
    """A subclass of a program's."""


def _names() -> Iterator[str]:
    for count in filter(str.isdigit, TABLE):
        for line in TABLE[count]:
            module, _, names = line.partition(":")
            yield from (f"{module}.{name}" for name in names.split())
    for distribution in TABLE["distributions"].split():
        yield from (f"scipy.stats.{distribution}.{method}" for method in TABLE["methods"].split())


NAMES = sorted(_names())


def _call_of(name: str) -> str:
    module, _, method = name.rpartition(".")
    if module.startswith("scipy.stats."):
        first = "v / 4" if method in ("ppf", "isf") else "v"
        return ", ".join([first, *["2.0"] * SHAPES.get(module.rpartition(".")[2], 0)])
    return CALLS.get(name) or MODULES[module]


def _instead_of(array: np.ndarray) -> Iterator[Any]:
    """What people may have where `array` is meant."""
    yield array
    yield array.tolist()
    yield np.ma.masked_array(array, mask=np.arange(array.size).reshape(array.shape) == 1)
    yield array.view(Own)
    yield from (array.astype(dtype) for dtype in (object, int, complex, np.float32))
    yield from (np.array(array.flat[0]), float(array.flat[0]), np.float64(array.flat[0]), array[:0])
    if array.ndim == 1:
        yield from (pandas.Series(array), pandas.Index(array))
    else:
        sparse = importlib.import_module("scipy.sparse")
        yield from (np.matrix(array), pandas.DataFrame(array), sparse.csr_matrix(array), sparse.csr_array(array))


def _function(name: str) -> Any:
    found: Any = importlib.import_module("scipy")
    for part in name.split(".")[1:]:
        found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_an_array_or_a_scalar_of_numpys(name: str) -> None:
    text, found = _call_of(name), set()
    for matrix, vector in [(it, V) for it in _instead_of(M)] + [(M, it) for it in _instead_of(V)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = _function(name)(*eval(f"({text},)", {"m": matrix, "v": vector}))
            except Exception:  # it refuses that
                continue
        is_scalar = isinstance(result, np.generic) and result.dtype.kind in "biufc"
        is_array = type(result) is np.ndarray and result.ndim > 0 and result.dtype.kind in "biufc"
        found.add("" if is_scalar or is_array else f"{type(result).__name__} of {type(matrix)}, {type(vector)}")
    assert found == {""}


@pytest.mark.parametrize("name", VECTORS)
def test_it_gives_a_tuple_of_vectors(name: str) -> None:
    for matrix in _instead_of(M):
        try:
            result = _function(name)(matrix)
        except Exception:  # it refuses that
            continue
        assert type(result) is tuple
        for kind, vector in zip(VECTORS[name], result, strict=True):
            assert (type(vector), vector.ndim) == (np.ndarray, 1)
            assert vector.dtype.kind in ("i" if kind == "i" else "biufc")


def test_what_an_index_of_vectors_gives_is_no_view() -> None:
    text = "import numpy as np\nfrom scipy.sparse import find\n\n\n"
    text += "def f(self, x):\n    _, at, _ = find(self.table)\n    y = np.exp(x)\n    return y[at]\n"
    session, _ = Project(Config(rewrite=True)).analyze(Source("m.py", text), True)
    result = session.analysis.facts["f"].result
    assert isinstance(result, Array)
    assert (result.view, result.refs) == ("", frozenset())


@pytest.mark.parametrize(
    ("call", "gives"),
    [
        ("linalg.solve(a, b)", True),
        ("linalg.solve(a, b, assume_a='pos')", True),
        ("linalg.solve(*a)", False),
        ("linalg.det(a)", False),
        ("signal.resample(a, 9)", True),
        ("signal.resample(a, 9, b)", False),
        ("signal.lfilter(a, a, b, zi=b)", False),
        ("stats.norm.ppf(a, 1.0, 2.0)", True),
        ("stats.norm.fit(a)", False),
        ("linalg.logm(a, False)", False),
        ("linalg.expm(a)", True),
    ],
)
def test_what_the_interpreter_makes_of_a_call(call: str, gives: bool) -> None:
    text = f"import numpy as np\nfrom scipy import linalg, signal, stats\n\n\ndef f(a, b):\n    return {call}\n"
    session, _ = Project(Config(rewrite=True)).analyze(Source("m.py", text), True)
    result = session.analysis.facts["f"].result
    assert isinstance(result, Array) is gives


def test_other_keywords_and_more_arguments_tell_nothing() -> None:
    catalog = load()
    assert catalog.gives_array("scipy.linalg.solve", 2, ["lower"])
    assert not catalog.gives_array("scipy.linalg.solve", 3, [])
    assert not catalog.gives_array("scipy.signal.resample", 1, ["num", "t"])
    assert not catalog.gives_array("scipy.linalg.nothing", 0, [])
