"""What is in nobody's way is not asked for: the function migrates as it is, or what is in its way is named."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from advised import deciding, gives_the_same, load, report_of, states

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


FORTRAN = """
def asks(a):
    return a.strides[0] * np.sum(a)


def f(x: np.ndarray):
    a = {}
    return asks({})
"""
WORK = """
def work(x: np.ndarray):
    return np.exp(x) * np.sin(x) @ np.cos(x).T


"""
_PRODUCT = "np.exp(x) * np.sin(x) @ np.cos(x).T"


@pytest.mark.parametrize(
    "words",
    [
        ("np.asfortranarray({})", "a"),
        ("{}", "np.asfortranarray(a)"),
        ("{}", 'np.array(a, order="F")'),
        ('np.array({}, order="F")', "a"),
    ],
)
def test_what_is_made_in_fortran_order_is_not_asked_to_be_made_in_c_order(
    words: tuple[str, str], tmp_path: Path
) -> None:
    texts = [
        f"{_HEAD}{WORK.lstrip()}{FORTRAN.lstrip()}".format(words[0].format(it), words[1])
        for it in (_PRODUCT, "work(x)")
    ]
    told = deciding(texts[0])
    assert told is not None
    assert told.code == "TNP206"
    assert "is made in Fortran order, for which what gets it asks" in told.message
    assert "contiguous" not in told.message
    followed = deciding(texts[1])
    assert followed is None or followed.left == "little"
    gives_the_same(tmp_path, texts, lambda it: it.f(np.arange(6.0).reshape(2, 3)))


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


SPREAD = """
def f(a: np.ndarray, b: np.ndarray, **options):
    near = np.exp(a) + np.sin(b) - np.sin(b)
    return np.{}
"""


@pytest.mark.parametrize(
    "call", ["allclose(near, np.exp(a), **options)", "array_equal(*[near, b], **options)", "shape(*[near], **options)"]
)
def test_an_answer_of_pythons_is_no_view_whatever_a_star_hides(call: str, tmp_path: Path) -> None:
    text = _HEAD + SPREAD.lstrip().format(call)
    assert deciding(text) is None
    given = np.arange(3.0), np.ones(3)
    gives_the_same(tmp_path, [text], lambda it: it.f(*given), on_unverified="raise")
    told = deciding(text.replace(call, "ravel(near, **options), near"))
    assert told is not None


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


# --- loops over lists, and what is best left behind them (TNP704, TNP705)

LISTED = """
def f(x: np.ndarray, keep):
    places = list(range(x.ndim))
    for k, n in zip(keep, range(x.ndim, x.ndim + len(keep))):
        places[k] = n
    return np.einsum(np.sin(x), list(range(x.ndim)), np.exp(x), places, [*places, *range(x.ndim)][: x.ndim])
"""


def test_a_loop_over_a_list_is_no_loop_over_parts_of_an_array() -> None:
    told = deciding(_HEAD + LISTED.lstrip())
    assert told is None or told.code != "TNP704"
    array = (
        "def f(x, n):\n    y = np.exp(x)\n    for k in range(n):\n        y[k] = np.cumsum(y[k])[::-1]\n    return y\n"
    )
    told = deciding(_HEAD + array)
    assert told is not None
    assert (told.code, told.left) == ("TNP704", "loops")


OF_INTS = """
def f(x: np.ndarray, keep):
    places = list(range(x.ndim))
    new = list(range(x.ndim, x.ndim + len(keep)))
    for k, n in zip(keep, new):
        places[k] = {}
    return np.einsum(np.sin(x), list(range(x.ndim)), np.exp(x), places)
"""


@pytest.mark.parametrize(("stored", "told"), [("n", False), ("np.exp(n) + np.sin(k)", True), ("x[k].sum()", True)])
def test_a_loop_that_fills_a_list_with_whole_numbers_works_on_no_array(stored: str, told: bool) -> None:
    found = deciding(_HEAD + OF_INTS.lstrip().format(stored))
    assert (found is not None and found.code == "TNP704") is told


PICKED = """
def f(x: np.ndarray, w: np.ndarray, draw, n):
    y = np.exp(x) * w
    if len(set(y)) == 1:
        return np.sin(y)
{}    return np.cos(y)
"""
_FEW = """    for _ in range(n):
        p = np.array([draw(), draw()])
        if p[0] > draw():
            draw(np.sqrt(p) * np.exp(p))
"""
_ITS_OWN = """    for k in range(n):
        p = np.sqrt(np.array([k, k + 1])) * 2
        if p[0] > 2:
            break
        draw(p + 1)
"""


@pytest.mark.parametrize("loop", [_FEW, _ITS_OWN])
def test_what_is_in_the_way_before_a_loop_that_stays_is_counted(loop: str) -> None:
    text = _HEAD + PICKED.lstrip()
    told = [deciding(text.format(it)) for it in ("", loop)]
    assert [(it.code, it.left) for it in told if it is not None] == [("TNP705", ""), ("TNP705", "loops")]
    behind = deciding(text.format(loop).replace("set(y)", "set(y.tolist())"))
    assert behind is not None
    assert behind.left == "loops"


def test_both_functions_of_a_line_are_told(tmp_path: Path) -> None:
    text = f"{_HEAD}def f(x: np.ndarray, y: np.ndarray):\n    return np.exp(x) * any(x > sum(y))\n"
    told = deciding(text)
    assert told is not None
    assert told.code == "TNP705"
    assert told.then == "TNP705 in line 5"
    followed = text.replace("any(x > sum(y))", "np.any(x > np.sum(y, axis=0))")
    assert deciding(followed) is None
    given = np.arange(3.0), np.array([0.25, 0.5])
    gives_the_same(tmp_path, [text, followed], lambda it: it.f(*given))


TESTED = {
    "an expression": ("    m = max(n) if isinstance(n, list) else n\n", True),
    "a name for it": ("    if isinstance(n, (list, tuple)):\n        k = n\n        n = max(k)\n    m = n\n", True),
    "the other branch": ("    m = n if isinstance(n, list) else max(n)\n", False),
    "another class": ("    m = max(n) if isinstance(n, np.ndarray) else n\n", False),
    "made otherwise": ("    if isinstance(n, list):\n        n = np.exp(n)\n        n = max(n)\n    m = n\n", False),
}


@pytest.mark.parametrize("case", TESTED)
def test_what_is_tested_to_be_a_list_is_no_array(case: str, tmp_path: Path) -> None:
    lines, is_list = TESTED[case]
    text = f"{_HEAD}def f(x: np.ndarray, n):\n{lines}    return np.exp(x) * np.sin(x) + np.cos(x) * m\n"
    assert ("TNP705" in {it.code for it in report_of(text).findings}) is not is_list
    if is_list:
        gives_the_same(tmp_path, [text], lambda it: [it.f(np.arange(3.0), n) for n in ([1, 2], 3)])


# --- values with units

UNITS = {
    "annotated": "def f(stamps: pq.Quantity, end):\n    return np.exp(stamps) * any(np.diff(stamps) < end)\n",
    "asked": "def f(stamps, end):\n    y = np.exp(stamps).to('1/s')\n    return y * any(np.diff(y) < end)\n",
    "documented": (
        'def f(stamps, end):\n    """Of all.\n\n    stamps : `pint.Quantity`\n        Times.\n    """\n'
        "    return np.exp(stamps) * any(np.diff(stamps) < end)\n"
    ),
}


@pytest.mark.parametrize("kind", UNITS)
def test_values_with_units_are_best_left(kind: str) -> None:
    told = deciding(f"import quantities as pq\n{_HEAD}{UNITS[kind]}")
    assert told is not None
    assert (told.code, told.left) == ("TNP705", "units")
    plain = UNITS[kind].replace("pq.Quantity", "np.ndarray").replace("pint.Quantity", "array").replace("1/s", "cuda:0")
    told = deciding(f"{_HEAD}{plain}")
    assert told is not None
    assert told.left == ""


@pytest.mark.parametrize("kind", UNITS)
def test_a_quantity_goes_to_the_original_of_a_function_that_migrates(kind: str, tmp_path: Path) -> None:
    """So it may count as one that migrates: of a plain array its core takes care, of a quantity nobody loses a unit."""
    text = f"class pq:\n    Quantity = object\n\n\n{_HEAD}{UNITS[kind]}".replace("any(np.diff", "np.any(np.diff")
    text = text.replace(".to('1/s')", "")
    assert states(text)["f"] == "convertible"

    class Quantity(np.ndarray):
        pass

    given = np.arange(3.0)
    for stamps in (given, given.view(Quantity)):
        gives_the_same(tmp_path, [text], lambda it, stamps=stamps: it.f(stamps, 5.0))


NAMED_ONLY = (
    "See Also\n    --------\n    pint.Quantity : what has units.",
    "Examples\n    --------\n    >>> f(pint.Quantity(2, 's'), 3)",
    "Returns\n    -------\n    found : pint.Quantity",
)


@pytest.mark.parametrize("words", NAMED_ONLY)
def test_a_class_that_a_docstring_names_is_no_type_of_a_parameter(words: str) -> None:
    text = UNITS["documented"].replace("stamps : `pint.Quantity`\n        Times.", words)
    told = deciding(f"{_HEAD}{text}")
    assert told is not None
    assert (told.code, told.left) == ("TNP705", "")


FLAGGED = """
def f(x: np.ndarray):
    y = np.exp(x)
    y.flags.{} = False
    return y
"""


@pytest.mark.parametrize("flag", ["writeable", "writeable[...]"])
def test_who_sets_a_flag_is_not_said_to_show_memory(flag: str) -> None:
    text = f"{_HEAD}{FLAGGED.lstrip()}".format("writeable").replace(
        ".writeable", '["WRITEABLE"]' if "[" in flag else ".writeable"
    )
    told = deciding(text)
    assert told is not None
    assert told.code == "TNP204"
    assert told.message.startswith("the array is made read-only, or writable again, by its flags")


def test_an_int_whose_default_is_no_int_is_no_count() -> None:
    text = (
        f'{_HEAD}def f(x: np.ndarray, alpha):\n    """Of all.\n\n    alpha : int{{}}\n        Share.\n    """\n'
        "    return np.exp(x) / alpha + np.sin(x)\n"
    )
    for default, word in (("", 'counts="alpha"'), (", default = 0.5", "alpha"), (", default: 1e-3", "alpha")):
        written = report_of(text.format(default)).new_text or ""
        assert word in written
        assert ("counts=" in written) is (not default)


# --- arrays that are made by a length

LENGTHS = """
class Box:
    def __init__(self, data):
        self.data = data


def f(box: Box, other: np.ndarray, more: bool):
    n, m = box.data.shape[0], 2
    z = np.zeros({})
    if more:
        z = np.sin(z) + np.cos(z) * np.exp(z)
    print("made")
    return z
"""


@pytest.mark.parametrize("length", ["box.data.size", "n", "2 * n - m", "max(n, m)", "len(box.data) - box.k"])
def test_a_length_that_nobody_knows_to_be_one_is_asked_for(length: str, tmp_path: Path) -> None:
    text = _HEAD + LENGTHS.lstrip().replace("self.data = data", "self.data, self.k = data, 1")
    told = deciding(text.format(length))
    assert told is not None
    assert told.code == "TNP511"
    assert "for all that is known of the length that np.zeros(...) gets" in told.message
    assert "write int(...) for that length" in told.message
    texts = [text.format(length), text.format(f"int({length})")]
    assert deciding(texts[1]) is None

    def called(module: object) -> list[object]:
        box = module.Box(np.arange(4.0))  # type: ignore[attr-defined]
        return [module.f(box, np.ones((2, 3)), more) for more in (False, True)]  # type: ignore[attr-defined]

    gives_the_same(tmp_path, texts, called)


@pytest.mark.parametrize("length", ["len(other) - 1", "other.size", "round(len(other) / 2)", "other[0].size"])
def test_a_length_of_an_array_is_one_number(length: str) -> None:
    assert deciding(_HEAD + LENGTHS.lstrip().format(length)) is None


LOOKED_UP = """
import elsewhere


def f(x: np.ndarray):
    y = np.exp(x)
    z = np.zeros(x.shape[0])
    elsewhere.inline("z(0) = y(0);", arg_names=["{}", "z"])
    return z + np.sin(y)
"""


@pytest.mark.parametrize("name", ["y", "w"])
def test_who_is_told_names_of_the_function_looks_them_up(name: str) -> None:
    told = deciding(_HEAD + LOOKED_UP.lstrip().format(name))
    assert told is not None
    assert told.code == "TNP206"
    assert told.message.startswith("elsewhere.inline() looks up names of the function")
    assert deciding(_HEAD + LOOKED_UP.lstrip().format(name).replace("arg_names", "names")) is None


# --- results that may share memory (TNP207)

LONLATS = """
def raveled(area):
    lons, lats = area.lonlats()
    return np.ravel(lons), np.ravel(lats)


def f(area):
    lons, lats = raveled(area)
    return np.invert(np.exp(np.sin(lons)) > 0), {}, lats
"""


def test_results_that_may_share_memory_are_named_and_a_copy_keeps_a_mask(tmp_path: Path) -> None:
    class Area:
        def __init__(self, lons: np.ndarray) -> None:
            self.lons = lons

        def lonlats(self) -> tuple[np.ndarray, np.ndarray]:
            return self.lons, np.arange(6.0)

    text = _HEAD + LONLATS.lstrip().format("lons")
    told = deciding(text)
    assert told is not None
    assert told.message == "lons and lats may share memory: return lons.copy(), unless that is meant"
    followed = text.replace(", lons, lats", ", lons.copy(), lats")
    assert deciding(followed) is None
    gives_the_same(tmp_path, [text, followed], lambda it: it.f(Area(np.arange(-3.0, 3))))
    _, lons, _ = load("followed", followed, tmp_path).f(Area(np.ma.masked_greater(np.arange(-3.0, 3), 1)))
    assert np.ma.is_masked(lons)
    told = deciding(_HEAD + "def f(x: np.ndarray):\n    y = np.exp(x)\n    return y, y.ravel()\n")
    assert told is not None
    assert told.message.startswith("y and y.ravel() may share memory: return y.copy()")


# --- decorators that only remember results (TNP405)

LAZY = """
from astropy.utils import lazyproperty


class Stats:
    def __init__(self, data):
        self.data = np.array(data)

    @lazyproperty
    def total(self):
        return np.exp(self.data).sum(axis=0) + np.sin(self.data).sum(axis=0)

    def f(self):
        return np.exp(self.total) / 2 + np.sin(self.total)
"""


class Lazy(property):
    """As astropy's: a property that keeps what it gave in the object, and may be assigned to."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        assert self.fget is not None
        return instance.__dict__.setdefault(self.fget.__name__, self.fget(instance))

    def __set__(self, instance: Any, value: Any) -> None:
        assert self.fget is not None
        instance.__dict__[self.fget.__name__] = value


def test_a_property_that_is_computed_once_is_a_cached_property(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _HEAD + LAZY.lstrip()
    assert states(text)["Stats.total"] == states(text)["Stats.f"] == "convertible"
    utils = types.ModuleType("astropy.utils")
    utils.lazyproperty = Lazy  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "astropy", types.ModuleType("astropy"))
    monkeypatch.setitem(sys.modules, "astropy.utils", utils)
    made = [np.arange(6.0).reshape(2, 3), np.arange(3), np.ma.masked_greater(np.arange(3.0), 1)]
    gives_the_same(tmp_path, [text], lambda it: [(it.Stats(x).total, it.Stats(x).f()) for x in made])
    assert deciding(text.replace("from astropy.utils", "from elsewhere"), "Stats.total") is not None
