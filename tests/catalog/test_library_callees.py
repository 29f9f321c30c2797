"""What np2tnp/catalog/callees.toml says of functions of other libraries holds when they are called.

Each is called with arrays as tests/library_cases.py does; then is looked at which arrays changed, which memory
the result shows, and whether anything else keeps an array. Cases of libraries that are not installed are skipped.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import io
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from library_cases import CALLS, arrays_in

from np2tnp.catalog import catalog as catalog_module
from np2tnp.catalog.catalog import load, tomllib

TABLE = tomllib.loads(Path(catalog_module.__file__).with_name("callees.toml").read_text(encoding="utf-8"))
USED = (
    "scipy.cluster.hierarchy scipy.cluster.vq scipy.interpolate scipy.linalg.lapack scipy.io.wavfile scipy.ndimage"
    " scipy.optimize scipy.sparse.csgraph scipy.sparse.linalg scipy.spatial.transform pandas sklearn matplotlib.lines"
    " matplotlib.patches"
).split()


def _called(name: str) -> Callable[..., Any]:
    """The function, which may be a method of a class."""
    parts = name.split(".")
    pytest.importorskip(parts[0])
    first = next((number for number, part in enumerate(parts) if part[0].isupper()), len(parts) - 1)
    found: Any = importlib.import_module(".".join(parts[:first]))
    for part in parts[first:]:
        found = getattr(found, part)
    function: Callable[..., Any] = found
    return function


def _arguments(text: str) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, np.ndarray]]:
    """Positional and named arguments, and the arrays among them, by name."""
    t = np.linspace(0.0, 1.0, 5)
    m = np.eye(5) * 3 + np.outer(t, t)
    arrays = {
        "x": np.array([1.0, -2.0, 3.0, 0.5, 4.0]),
        "t": t,
        "i": np.array([0, 1, 2, 1, 0]),
        "m": m,
        "p": np.array([[0.0, 0], [1, 0.2], [0.3, 1], [2, 2.5], [3, 0.7]]),
        "im": np.sin(np.arange(30.0)).reshape(6, 5),
        "y": np.full((6, 5), 77.0),
        "b": np.arange(30).reshape(6, 5) % 2 == 0,
        "n": np.full((6, 5), 99, np.int32),
    }
    names: dict[str, Any] = {"np": np, "io": io, **arrays}
    for module in USED:
        library = module.partition(".")[0]
        if f"{library}." in text or (library == "scipy" and re.search(r"\bs\b", text)):
            importlib.import_module(module)
            names[library] = sys.modules[library]
    if re.search(r"\bs\b", text) and "scipy" in names:  # a sparse matrix
        names["s"] = names["scipy"].sparse.csc_array(np.where(m > 0.3, m, 0))
        arrays["s"] = names["s"].data
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({text})", names)
    return args, kwargs, arrays


def _given(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], parameters: tuple[str, ...]) -> list[Any]:
    """The arguments for some parameters, as the row orders them."""
    known = load().callee(name)
    assert known is not None
    by_name = {**dict(zip(known.parameters, args, strict=False)), **kwargs}
    return [by_name[parameter] for parameter in parameters if parameter in by_name]


def test_each_row_has_a_case_and_each_case_a_row() -> None:
    rows = {*catalog_module._names([*TABLE["pure"], *TABLE["shows"]]), *TABLE["callee"]}
    assert rows == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_function_does_what_its_row_says(name: str) -> None:
    catalog, function = load(), _called(name)
    args, kwargs, arrays = _arguments(CALLS[name])
    before = {key: array.copy() for key, array in arrays.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*args, **kwargs)
    changed = [array for key, array in arrays.items() if not np.array_equal(array, before[key])]
    known = catalog.callee(name)
    may_change = _given(name, args, kwargs, known.changes) if known is not None and not known.asked_by else []
    assert all(any(array is item for item in may_change) for array in changed), "it changes more than its row says"
    assert not may_change or changed, "it does not change what its row says"
    held = [array for array in arrays_in(result) if array.dtype != object]
    given = list(arrays_in((args, kwargs)))
    shown = [array for array in given if any(np.shares_memory(array, item) for item in held)]
    if known is None:
        assert catalog.is_pure(name)
        itself = any(result is argument for argument in args if not isinstance(argument, (int, float, str)))
        assert catalog.gives_back(name) or not (shown or itself), "it gives back what it got, or holds it"
    elif not known.asked_by:
        may_give = list(arrays_in(_given(name, args, kwargs, known.gives)))
        assert all(any(np.shares_memory(array, item) for item in may_give) for array in shown)


@pytest.mark.parametrize("name", CALLS)
def test_a_function_keeps_nothing_but_in_its_result(name: str) -> None:
    function = _called(name)
    gc.freeze()  # whole libraries are not to be looked through for each call

    def references(call: bool) -> dict[str, int]:
        args, kwargs, arrays = _arguments(CALLS[name])
        if call:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = function(*args, **kwargs)
            del result
        del args, kwargs
        gc.collect()
        return {key: sys.getrefcount(arrays[key]) for key in arrays}

    references(True)  # what a library makes once, such as its caches
    assert references(True) == references(False)


@pytest.mark.parametrize("name", [name for name, row in TABLE["callee"].items()])
def test_parameters_stand_in_the_order_of_the_installed_library(name: str) -> None:
    known = load().callee(name)
    assert known is not None
    try:
        signature = inspect.signature(_called(name))
    except ValueError:
        pytest.skip("compiled without a signature")
    own = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert [word for word in known.parameters if word in own] == own[: len(known.parameters)]
    assert {*known.changes, *known.gives, *known.keeps, *filter(None, [known.asked_by])} <= {*known.parameters}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sklearn.preprocessing.scale", "m, copy=False"),
        ("sklearn.preprocessing.normalize", "m, copy=False"),
        ("scipy.sparse.csgraph.floyd_warshall", "m, overwrite=True"),
    ],
)
def test_what_is_asked_to_change_its_argument_is_said_to(name: str, text: str) -> None:
    args, kwargs, arrays = _arguments(text)
    before = arrays["m"].copy()
    _called(name)(*args, **kwargs)
    known = load().callee(name)
    assert known is not None
    assert known.changes == known.parameters[:1]
    assert known.asked_by in kwargs
    assert not np.array_equal(arrays["m"], before)


def test_names_of_users_count_where_they_are_called_and_nowhere_else() -> None:
    from np2tnp.model import Callee

    made = load().with_callees([Callee("pkg.sub.fast.solve")])
    assert load().callee("pkg.sub.fast.solve") is None
    assert made.callee("pkg.sub.fast.solve") is not None
    assert made.callee(".fast.solve", "/any/pkg/sub/work.py") is not None
    assert made.callee("..sub.fast.solve", "/any/pkg/other/work.py") is not None
    assert made.callee(".fast.solve", "/any/pkg/other/work.py") is None
    assert made.callee(".fast.solve", "fast.py") is None
