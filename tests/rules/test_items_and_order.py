"""TNP207, and reads that come late: two items of an array share nothing; what may share memory or change is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import deciding, gives_the_same, load, report_of, states

_HEAD = "import numpy as np\n\n\n"


ITEMS = """
def f(y: np.ndarray, k, z: np.ndarray):
    b = np.squeeze(np.linalg.solve(np.exp(y), np.sin(y)))
    {}
    return np.linalg.solve(np.exp(y), {}), {}
"""


def _results(module: Any) -> Any:
    return module.f(np.linspace(0, 1, 9).reshape(3, 3) ** 2, 1, np.ones(3))


@pytest.mark.parametrize(
    ("then", "items"),
    [
        ("", ("b[0]", "b[1]")),
        ("", ("b[:, 1]", "b[:, 0]")),
        ("b = np.transpose(np.exp(b))", ("b[:, 2, None]", "b[:, 0]")),
    ],
)
def test_two_items_of_an_array_share_nothing(then: str, items: tuple[str, str], tmp_path: Path) -> None:
    text = _HEAD + ITEMS.lstrip().format(then, "b", ", ".join(items))
    assert deciding(text) is None
    report = report_of(text)
    assert "rt.host" not in (report.new_text or "").partition("# NumPy originals")[0]
    gives_the_same(tmp_path, [text, text], _results)
    _, one, other = _results(load("followed", report.new_text or "", tmp_path))
    assert not np.shares_memory(one, other)


@pytest.mark.parametrize(
    ("then", "items"),
    [
        ("", ("b[1]", "b[:, 0]")),
        ("", ("b[0]", "b[0]")),
        ("", ("b[-1]", "b[2]")),
        ("", ("b[0]", "b")),
        ("", ("b[0]", "b.T[1]")),
        ("a, b = b[1], b[1:]", ("a", "b[0]")),
        ("a = b[0] if k else b[1]", ("a[1:]", "b[0]")),
        ("b = np.broadcast_to(b[0], (3, 3))", ("b[0]", "b[1]")),
        ("b = np.reshape(np.broadcast_to(np.exp(z), (3, 3)), (3, 3))", ("b[0]", "b[1]")),
        ("a = [b[i] for i in range(2)]", ("a[0]", "b[0]")),
    ],
)
def test_views_that_may_be_one_memory_stay_numpys(then: str, items: tuple[str, str], tmp_path: Path) -> None:
    text = _HEAD + ITEMS.lstrip().format(then, "y", ", ".join(items))
    if states(text)["f"] == "blocked":
        return
    made = (report_of(text).new_text or "").partition("# NumPy originals")[0]
    _, one, other = _results(load("numpys", text, tmp_path))
    assert np.shares_memory(one, other)
    _, one, other = _results(load("ours", report_of(text).new_text or "", tmp_path))
    assert np.shares_memory(one, other), made


LATE = """
class Model:
    def __init__(self, data: np.ndarray):
        self.data = np.exp(data)

    def update(self, k):
        self.data[0] = k
        return self.data.sum(axis=0)

    def f(self, x: np.ndarray):
        y = np.exp(x) @ np.sin(x)
        {}return np.dot(self.data, {}) + y
"""


def test_a_call_that_may_update_what_was_read_is_named(tmp_path: Path) -> None:
    text = _HEAD + LATE.lstrip().format("", "self.update(3)")
    told = deciding(text, "Model.f")
    assert told is not None
    assert told.message == (
        "self.update(...) may update .data, which is read before it in the same expression:"
        " give that call a statement of its own"
    )
    followed = _HEAD + LATE.lstrip().format("new = self.update(3)\n        ", "new")
    assert deciding(followed, "Model.f") is None
    x = np.linspace(0, 1, 9).reshape(3, 3)
    gives_the_same(tmp_path, [text, followed], lambda it: [it.Model(x).f(x)])


ORDERED = """
def f(x: np.ndarray, w: np.ndarray):
    y = np.exp(x) @ np.sin(w)
    return np.linalg.solve(w, y), {}
"""


@pytest.mark.parametrize("read", ["y.ravel(order={!r})", "y.flatten({!r})", "np.reshape(y, (1, -1), order={!r})"])
def test_another_order_is_advised_where_the_one_in_memory_is_read(read: str, tmp_path: Path) -> None:
    text = _HEAD + ORDERED.lstrip().format(read.format("K"))
    if "reshape" in read:
        text = text.replace("'K'", "'A'")
    told = deciding(text)
    assert told is not None
    assert told.code == "TNP203"
    assert "say order='C', which is the same of an array in C order, or order='F' of one in Fortran" in told.message
    followed = _HEAD + ORDERED.lstrip().format(
        read.format("C").replace("y.ravel(order='C')", "y.copy().ravel(order='C')")
    )
    assert deciding(followed) is None
    x = np.linspace(1, 2, 9).reshape(3, 3) ** 3
    gives_the_same(tmp_path, [text, followed], lambda it: it.f(x, x + np.eye(3)))
