"""A door asks for attributes of the method's object: for those that have names of arrays' members, too, and for those
that are read before other code may assign to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from advised import told_apart  # noqa: E402

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402

TEXT = """
import numpy as np


class Track:
    def __init__(self, mean, cov, history):
        self.mean = mean
        self.cov = cov
        self.std = 2.0
        self.history = history

    def update(self, gain, x):
        innovation = x - self.mean
        self.mean = self.mean + gain @ innovation
        self.history.append(self.mean[0])
        return innovation @ self.cov

    def told_first(self, x):
        self.history.append(x[0])
        return self.mean + np.exp(x)

    def told_between(self, x):
        before = self.mean + np.exp(x)
        self.history.append(x[0])
        return before, self.mean + np.exp(x)

    def told_in_a_loop(self, x):
        total = np.zeros(len(x))
        for _ in range(2):
            total = total + self.mean * np.exp(x)
            self.history.append(x[0])
        return total

    def told_in_a_comprehension(self, x):
        return [self.mean + np.exp(x) * (self.history.append(x[0]) or 1) for _ in range(2)]

    def scaled(self, x):
        self.mean = (1 - self.std) * np.mean(x) + self.mean * self.std
        return self.mean


class Setter(list):
    def __init__(self, value):
        self.value = value
        self.owner = None

    def append(self, item):
        super().append(item)
        self.owner.mean = self.value
"""
METHODS = "update told_first told_between told_in_a_loop told_in_a_comprehension scaled".split()
MEANS: dict[str, Callable[[], Any]] = {
    "array": lambda: np.array([1.0, 2, 3]),
    "integers": lambda: np.arange(3),
    "number": lambda: 2.5,
    "scalar": lambda: np.float32(2),
    "list": lambda: [1.0, 2, 3],
}


def rewritten() -> str:
    report = analyze(Source("track.py", TEXT), Config(rewrite=True, above=0, slow="convert"))
    assert report.new_text is not None
    return report.new_text


@pytest.fixture(scope="module")
def spaces() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"__name__": "track_before"}, {"__name__": "track"}]
    exec(TEXT, found[0])
    exec(rewritten(), found[1])
    return found


def decorator_of(name: str, text: str) -> str:
    return text.partition(f"def {name}(")[0].rstrip().rpartition("\n")[2].strip()


def test_an_attribute_with_the_name_of_a_method_of_arrays_is_one() -> None:
    text = rewritten()
    assert "self.mean" in decorator_of("update", text)
    assert "self.mean + gain @ innovation" in text
    assert "self.mean" in decorator_of("scaled", text)


def test_an_attribute_is_known_until_other_code_may_assign_to_it() -> None:
    text = rewritten()
    between = text.partition("def told_between(")[2].partition("def told_in_a_loop")[0]
    assert "before = self.mean + tnp.exp(x)" in between
    assert "rt.op_add(self.mean, tnp.exp(x))" in between
    assert "rt.op_add(self.mean, tnp.exp(x))" in text.partition("def told_first(")[2].partition("def told_between")[0]
    assert "self.mean" not in decorator_of("told_first", text)
    for name in ("told_in_a_loop", "told_in_a_comprehension"):
        assert "self.mean" not in decorator_of(name, text)


def _outcome(space: dict[str, Any], method: str, mean: Any, later: Any) -> Any:
    history = space["Setter"](later) if later is not None else []
    track = space["Track"](mean, np.eye(3), history)
    if later is not None:
        history.owner = track
    x = np.array([0.1, 0.4, 0.9])
    try:
        given = (np.eye(3), x) if method == "update" else (x,)
        return told_apart((getattr(track, method)(*given), track.mean, list(history)))
    except (TypeError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("later", [None, *MEANS])
@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("method", METHODS)
def test_whatever_the_attribute_holds(method: str, mean: str, later: str | None, spaces: list[dict[str, Any]]) -> None:
    old, new = (
        _outcome(space, method, MEANS[mean](), MEANS[later]() if later is not None else None) for space in spaces
    )
    assert old == new


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("method", ["update", "scaled"])
def test_a_matrix_is_left_to_the_original(method: str, spaces: list[dict[str, Any]]) -> None:
    old, new = (_outcome(space, method, np.matrix([[1.0, 2, 3]]), None) for space in spaces)
    assert old == new


ESTIMATOR = """
import numpy as np
from {module} import Base


class Filters(Base):
    def fit(self, X):
        self.filters_ = []
        for x in X:
            self.filters_.append(np.linalg.pinv(x))
        self.filters_ = np.concatenate(self.filters_, axis=0)
        self.rows_ = []
        return self

    def transform(self, X):
        return self.filters_ @ X

    def count(self, X):
        return self.rows_ @ X
"""


@pytest.mark.parametrize(("module", "known"), [("sklearn.base", True), ("somewhere.base", False)])
def test_a_base_of_scikit_learn_has_no_descriptors(module: str, known: bool) -> None:
    text = ESTIMATOR.replace("{module}", module)
    report = analyze(Source("filters.py", text), Config(rewrite=True, above=0, slow="convert"))
    migrated = (report.new_text or "").partition("# NumPy originals")[0]
    assert ("return self.filters_ @ X" in migrated) is known


def test_what_is_only_a_list_is_no_array_at_a_door() -> None:
    text = ESTIMATOR.replace("{module}", "sklearn.base")
    report = analyze(Source("filters.py", text), Config(rewrite=True, above=0, slow="convert"))
    assert "self.rows_" not in decorator_of("count", report.new_text or "")
