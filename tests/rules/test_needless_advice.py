"""What is in nobody's way is not asked for: the function migrates as it is, or what is in its way is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from advised import deciding, gives_the_same, states

_HEAD = "import numpy as np\n\n\n"

# --- arrays that a callee lays out itself (TNP206)

LAID_OUT = """
def last(a):
    a = {}
    return np.lib.stride_tricks.as_strided(a, (2,), (a.strides[-1],)).sum()


def f(x: np.ndarray):
    return np.exp(last(np.sin(x.T))) + np.cos(x)
"""


@pytest.mark.parametrize(
    ("made", "asks"),
    [
        ("np.ascontiguousarray(a)", False),
        ('np.array(a, order="C")', False),
        ("a.copy()", False),
        ("np.ascontiguousarray(a) if a.ndim else a", True),
    ],
)
def test_who_makes_its_argument_contiguous_asks_for_no_order(made: str, asks: bool, tmp_path: Path) -> None:
    text = _HEAD + LAID_OUT.lstrip().format(made)
    told = deciding(text)
    assert (told is not None) is asks
    if told is None:
        x = np.arange(6.0).reshape(2, 3)
        gives_the_same(tmp_path, [text], lambda it: (it.f(x), it.f(x.T)), on_unverified="raise")
        used = text.replace("    a = ", "    s = a.strides\n    a = ").replace(".sum()", ".sum() + s[0]")
        told = deciding(used)
    assert told is not None
    assert "asks for the memory order of np.sin(...)" in told.message
    followed = text.replace("last(np.sin(x.T))", "last(np.ascontiguousarray(np.sin(x.T)))")
    assert deciding(followed) is None


ROWS = """
def hashable(data):
    rows = np.asanyarray(data)
    dtype = np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))
    result = np.ascontiguousarray(rows).view(dtype).reshape(-1)
    result.flags["WRITEABLE"] = False
    return result


def f(data: np.ndarray):
    data = {}
    found = hashable(data)
    return np.exp(data), found.argsort()
"""


@pytest.mark.parametrize("made", ["np.floor(data)", "np.ascontiguousarray(np.floor(data))"])
def test_who_makes_its_result_read_only_asks_for_no_order(made: str, tmp_path: Path) -> None:
    text = _HEAD + ROWS.lstrip().format(made)
    assert deciding(text) is None
    data = np.abs(np.random.default_rng(0).standard_normal((5, 2))) * 9
    gives_the_same(tmp_path, [text], lambda it: (it.f(data), it.f(data.T.copy().T)), on_unverified="raise")
    told = deciding(
        text.replace('["WRITEABLE"] = False', '["C_CONTIGUOUS"]').replace("ascontiguousarray(rows)", "asarray(rows)")
    )
    assert (told is not None) is (made == "np.floor(data)")


BEGINS = """
def asks(a):
    return a.strides[0] * np.sum(a)


def f(x: np.ndarray):
    x = {}
    return asks(x) * np.exp(x)
"""


def test_the_copy_that_is_asked_for_is_not_asked_for_again(tmp_path: Path) -> None:
    text = _HEAD + BEGINS.lstrip()
    texts = [text.format("np.exp(x)"), text.format("np.ascontiguousarray(np.exp(x))")]
    told = deciding(texts[0])
    assert told is not None
    assert "make it by np.ascontiguousarray(...) where it gets its name" in told.message
    assert deciding(texts[1]) is None
    assert deciding(text.format("np.ascontiguousarray(x)")) is None
    gives_the_same(tmp_path, texts, lambda it: it.f(np.arange(6.0).reshape(2, 3)), on_unverified="raise")


LAPACK = """
from scipy.linalg import lapack


def inverse(a):
    a = np.ascontiguousarray(a)
    factor, _ = lapack.dpotrf(a, lower=1{})
    found, _ = lapack.dpotri(factor, lower=1)
    i, j = np.triu_indices(found.shape[0], 1)
    found[i, j] = found[j, i]
    return found


def f(x: np.ndarray):
    a = x @ x.T + np.eye(2)
    return np.exp(inverse(a)) @ np.sin(a)
"""


@pytest.mark.parametrize("asked", ["", ", overwrite_a=1"])
def test_lapack_changes_nothing_unless_it_is_asked_to(asked: str, tmp_path: Path) -> None:
    text = f"import numpy as np{LAPACK.format(asked)}"
    if not asked:
        assert deciding(text) is None
    given = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    gives_the_same(tmp_path, [text], lambda it: it.f(given), on_unverified="raise")


# --- results that nobody else can have kept (TNP207)

FILLED = """
import _geometry


def f(traj, pairs: np.ndarray, times: np.ndarray):
    pairs = np.exp(pairs)
    out = np.empty((times.shape[0], pairs.shape[0]))
    _geometry.fill(traj.xyz, pairs, times, out)
    return {}
"""


def test_who_fills_an_array_may_have_kept_that_and_no_more() -> None:
    """It is no view of what else the filling code got."""
    told = deciding(f"import numpy as np{FILLED.format('out.reshape((times.shape[0], -1))')}")
    assert told is not None
    assert (told.code, told.left) == ("TNP207", "unseen")
    assert "may show what _geometry.fill got or gave, and may have kept" in told.message
    assert deciding(f"import numpy as np{FILLED.format('out')}") is None


DIAGONALS = """
from scipy import sparse


def f(grid, kernel):
    rows = kernel.grid.shape[0]
    if rows > 2:
        kernel = kernel.ravel()
    offsets = np.cumsum(np.exp2(np.arange(rows))).astype(int)
    return sparse.diags({}, {})
"""


def test_a_matrix_of_diagonals_holds_none_of_them(tmp_path: Path) -> None:
    text = f"import numpy as np{DIAGONALS.format('[kernel, kernel]', 'offsets')}"
    assert states(text)["f"] == "convertible"

    class Kernel(np.ndarray):
        grid = np.zeros(2)

    kernel = np.arange(4.0).view(Kernel)
    gives_the_same(tmp_path, [text], lambda it: it.f(None, kernel).toarray())


HELD = """
from scipy import sparse


def f(kernel, n: int):
    grid = kernel.grid
    kernel = kernel.ravel()
    return sparse.dia_matrix((np.exp(np.arange(n)), kernel))
"""


def test_what_is_named_is_what_is_given() -> None:
    told = deciding(f"import numpy as np{HELD}")
    assert told is not None
    assert told.code == "TNP207"
    assert "scipy.sparse.dia_matrix() keeps what may be a view of kernel" in told.message
