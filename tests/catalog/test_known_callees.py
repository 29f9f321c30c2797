"""What the catalog says of callables outside of NumPy ([external] in overlay.toml) holds when they are run.

Each case calls one with arrays, or with containers of arrays, and looks at three things: whether an argument was
changed, whether the result is, holds or shows the memory of an argument, and whether something else keeps one.
Cases of libraries that are not installed are skipped.
"""

from __future__ import annotations

import copy
import gc
import importlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from library_cases import arrays_in

from np2tnp.catalog.catalog import load

#: Callables, and expressions of their arguments: x is a vector, m a positive definite matrix, i small integers, rows a
#: list of vectors, t increasing points.
CASES = {
    "bisect.bisect_left": "list(t), 0.5",
    "bisect.bisect_right": "t, 0.5",
    "collections.Counter": "list(i)",
    "dataclasses.is_dataclass": "x",
    "fnmatch.fnmatch": "'a', 'b'",
    "heapq.nlargest": "2, list(x)",
    "heapq.nsmallest": "2, rows, (lambda row: row[0])",
    "inspect.signature": "(lambda q: q)",
    "io.BytesIO": "x.tobytes()",
    "json.loads": "'[1, 2]'",
    "os.getenv": "'HOME'",
    "pathlib.Path": "'a'",
    "random.choice": "rows",
    "random.choices": "list(x), list(np.abs(x))",
    "random.gauss": "0.0, 1.0",
    "random.randint": "0, 3",
    "random.random": "",
    "random.sample": "rows, 2",
    "random.uniform": "x[0], x[1]",
    "re.sub": "'a', 'b', 'abc'",
    "textwrap.dedent": "' a'",
    "tqdm.tqdm": "rows",
    "tqdm.auto.tqdm": "rows",
    "tqdm.trange": "3",
    "typing.cast": "object, x",
    "pandas.DataFrame": "{'a': x}",
    "pandas.Index": "i",
    "pandas.Series": "x",
    "pandas.Categorical": "i",
    "pandas.concat": "[pandas.Series(x), pandas.Series(t)]",
    "pandas.cut": "x, 3",
    "pandas.date_range": "'2020-01-01', periods=3",
    "pandas.factorize": "i",
    "pandas.get_dummies": "pandas.Series(i)",
    "pandas.isna": "x",
    "pandas.isnull": "x",
    "pandas.notna": "x",
    "pandas.notnull": "x",
    "pandas.qcut": "x, 2",
    "pandas.to_datetime": "i",
    "pandas.to_numeric": "x",
    "pandas.unique": "i",
    "pandas.Timedelta": "1, 's'",
    "pandas.Timestamp": "'2020-01-01'",
    "scipy.cluster.hierarchy.linkage": "m",
    "scipy.cluster.vq.kmeans2": "m, m[:2].copy(), minit='matrix'",
    "scipy.cluster.vq.whiten": "m",
    "scipy.integrate.romb": "np.r_[x, x[:1]][:5]",
    "scipy.interpolate.CubicSpline": "t, x",
    "scipy.interpolate.PchipInterpolator": "t, x",
    "scipy.interpolate.RegularGridInterpolator": "(t, t), np.outer(x, x)",
    "scipy.interpolate.UnivariateSpline": "t, x",
    "scipy.interpolate.interp1d": "t, x",
    "scipy.interpolate.interpn": "(t, t), np.outer(x, x), np.array([[0.5, 0.5]])",
    "scipy.interpolate.splev": "t, scipy.interpolate.splrep(t, x)",
    "scipy.interpolate.splrep": "t, x",
    "scipy.optimize.linear_sum_assignment": "m",
    "scipy.optimize.nnls": "m, x",
    "scipy.sparse.block_diag": "[m, m]",
    "scipy.sparse.coo_matrix": "(x, (i, i))",
    "scipy.sparse.csc_matrix": "m",
    "scipy.sparse.csr_array": "(x, (i, i))",
    "scipy.sparse.csr_matrix": "m",
    "scipy.sparse.dia_matrix": "(np.array([x]), [0]), shape=(5, 5)",
    "scipy.sparse.eye": "3",
    "scipy.sparse.issparse": "m",
    "scipy.sparse.isspmatrix": "m",
    "scipy.sparse.kron": "m, m",
    "scipy.sparse.lil_matrix": "m",
    "scipy.sparse.spdiags": "x, 0, 5, 5",
    "scipy.sparse.linalg.norm": "scipy.sparse.csr_matrix(m)",
    "scipy.spatial.ConvexHull": "m[:, :2].copy()",
    "scipy.spatial.Delaunay": "m[:, :2].copy()",
    "scipy.spatial.KDTree": "m",
    "scipy.spatial.cKDTree": "m",
    "sklearn.base.clone": "sklearn.cluster.KMeans(init=m)",
    "sklearn.metrics.accuracy_score": "i, i",
    "sklearn.metrics.mean_squared_error": "x, t",
    "sklearn.metrics.pairwise.euclidean_distances": "m",
    "sklearn.metrics.pairwise_distances": "m",
    "sklearn.model_selection.train_test_split": "m, x, shuffle=False",
    "sklearn.utils.check_X_y": "m, x",
    "sklearn.utils.check_array": "m",
    "sklearn.utils.check_consistent_length": "m, x",
    "sklearn.utils.check_random_state": "np.random.RandomState(0)",
    "sklearn.utils.column_or_1d": "x",
    "sklearn.utils.validation.check_is_fitted": "sklearn.cluster.KMeans(n_clusters=2, n_init=1).fit(m)",
    "sklearn.utils.validation.check_random_state": "0",
}


def _arguments(text: str) -> tuple[tuple[Any, ...], dict[str, Any], list[Any]]:
    x, t, i = np.array([1.0, -2.0, 3.0, 0.5, 4.0]), np.linspace(0.0, 1.0, 5), np.array([0, 1, 2, 1, 0])
    m = np.eye(5) * 3 + np.outer(t, t)
    rows = [np.array([1.0, 2.0]), np.array([0.5, 3.0]), np.array([4.0, 1.0])]
    names = {"np": np, "x": x, "t": t, "i": i, "m": m, "rows": rows}
    for library in ("scipy.sparse", "scipy.interpolate", "pandas", "sklearn.cluster"):
        if library.split(".")[0] in text:
            importlib.import_module(library)
            names[library.split(".")[0]] = sys.modules[library.split(".")[0]]
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({text})", names)
    return args, kwargs, [x, t, i, m, *rows]


def _callable(name: str) -> Callable[..., Any]:
    owner, _, last = name.rpartition(".")
    pytest.importorskip(name.partition(".")[0])
    return getattr(importlib.import_module(owner), last)


@pytest.mark.parametrize("name", CASES)
def test_callee_does_what_the_catalog_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = load()
    assert catalog.is_pure(name), "the table is about what the catalog knows"
    function = _callable(name)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    args, kwargs, arrays = _arguments(CASES[name])
    before = copy.deepcopy(arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*args, **kwargs)
        if isinstance(result, Iterator) or name.startswith("tqdm"):
            result = list(result)
    for array, was in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, was)
    held = [array for array in arrays_in(result) if array.dtype != object]
    shown = any(np.shares_memory(array, item) for array in arrays for item in held)
    is_argument = any(result is argument for argument in args if not isinstance(argument, (int, float, str)))
    assert catalog.gives_back(name) or not (shown or is_argument), "it gives back what it got, or holds it"


@pytest.mark.parametrize("name", CASES)
def test_callee_keeps_nothing_but_in_its_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = _callable(name)
    gc.freeze()  # whole libraries are not to be looked through for each call
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    def count() -> list[int]:
        args, kwargs, arrays = _arguments(CASES[name])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*args, **kwargs)
        del result, args, kwargs
        gc.collect()
        return [sys.getrefcount(array) for array in arrays]

    def untouched() -> list[int]:
        args, kwargs, arrays = _arguments(CASES[name])
        del args, kwargs
        gc.collect()
        return [sys.getrefcount(array) for array in arrays]

    assert count() == untouched()


def test_what_changes_or_keeps_its_arguments_is_not_said_to_be_harmless() -> None:
    catalog = load()
    harmful = (
        "random.shuffle bisect.insort heapq.heappush scipy.sparse.csgraph.reconstruct_path sklearn.cluster.KMeans"
        " operator.setitem scipy.optimize.minimize functools.partial"
    ).split()
    assert [name for name in harmful if catalog.is_pure(name)] == []
