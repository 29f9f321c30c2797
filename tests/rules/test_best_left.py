"""What nobody can do much about decides a function's fate, and is counted, not told."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Finding, RegionState

_HEAD = "import numpy as np\n\n\n"


def report_of(body: str) -> FileReport:
    return analyze(Source("m.py", _HEAD + textwrap.dedent(body)), Config(rewrite=True))


def deciding(body: str, name: str = "f") -> Finding:
    (told,) = (it for it in report_of(body).findings if it.decides and it.region == name)
    return told


# --- loops over parts of arrays

PIXELS = """
def f(gamma):
    p = len(gamma)
    n = np.prod(gamma[0].shape)
    flat = [gamma[i].flatten() for i in range(len(gamma))]
    phi = np.empty((p, n))
    for i in range(n):
        g = np.hstack([[1.0], [flat[k][i] for k in range(len(flat))]])
        rows = []
        for k in range(p):
            rows.append(np.roll(g[:-1], k))
        try:
            found = np.linalg.solve(np.array(rows), g[1:].flatten())
        except np.linalg.LinAlgError:
            found = np.ones(p) * np.nan
        phi[:, i] = found
    return phi
"""


def test_what_is_stored_into_a_part_is_no_larger_than_that() -> None:
    told = deciding(PIXELS)
    assert (told.code, told.left) == ("TNP704", "loops")
    assert "stores into phi part by part" in told.message


STEPS = """
def f(u, n):
    m = len(u)
    for i in range(n):
        v = np.ones(m) * 3
        u = np.sin(u) * v + u
    return u
"""


def test_steps_on_whole_arrays_pay() -> None:
    assert [it.state for it in report_of(STEPS).regions if it.qualname == "f"] == [RegionState.CONVERTIBLE]


OBJECTS = """
def f(networks, x):
    z = np.exp(x)
    y = np.empty_like(z)
    for i, network in enumerate(networks):
        y[i, 1:] = z[i, 1:] / {}
    return y
"""


@pytest.mark.parametrize(("item", "left"), [("network.z0", "loops"), ("network", "")])
def test_objects_with_an_array_each_are_no_array_as_a_whole(item: str, left: str) -> None:
    told = deciding(OBJECTS.format(item))
    assert (told.code, told.left) == ("TNP704", left)


COLUMNS = """
def f(x, b, found):
    z = np.exp(x)
    out = np.zeros_like(z)
    for i in range(3, z.shape[1]):
        out[1:, i] = np.sqrt(z[1:, {}]) * b
    return out
"""


@pytest.mark.parametrize(("index", "left"), [("i", ""), ("found[0][i]", "loops")])
def test_an_item_of_a_list_of_lists_may_be_any_number_of_indices(index: str, left: str) -> None:
    told = deciding(COLUMNS.format(index))
    assert (told.code, told.left) == ("TNP704", left)


IN_PLACE = """
def f(x, b, d):
    out = x
    a = b + d
    for i in range(x.shape[1]):
        step = (b[:, i] - x @ a[:, i]) / a[i, i] + x[:, i]
        out[:, i] = step / max(np.linalg.norm(step, 2), 1)
    return out
"""


def test_what_is_stored_under_another_name_is_read_by_the_next_round() -> None:
    told = deciding(IN_PLACE)
    assert (told.code, told.left) == ("TNP704", "loops")


BESIDE = """
def f(x, limits):
    z = np.exp(x)
    d = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            d[i, j] = np.dot(z[i], z[j])
    {}
    return z, d
"""


def test_a_loop_that_stays_decides_for_single_elements_beside_it() -> None:
    stays = "y = z.copy()\n    for j in range(3, len(z)):\n        if z[j, 1] > 0:\n            y[j, 1:] = z[j, 1:] * 2"
    assert deciding(BESIDE.format("y = z")).left == ""
    assert deciding(BESIDE.format(stays)).left == "loops"


SETS = """
def f(x, options):
    y = np.exp(x) * 2
    {}
    if unknown:
        raise ValueError(f"{{sorted(unknown)}}")
    return np.sqrt(y) + np.sin(y)
"""


@pytest.mark.parametrize(
    "made",
    ["unknown = set(options) - {'a'}", "unknown = frozenset(options)", "unknown = {it for it in options} | {'c'}"],
)
def test_a_set_is_no_array(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    report = report_of(SETS.format(made))
    assert report.new_text is not None
    for text in (_HEAD + SETS.format(made), report.new_text):
        space: dict[str, Any] = {"__name__": "m"}
        exec(compile(text, "m.py", "exec"), space)
        with pytest.raises(ValueError, match="b"):
            space["f"](np.ones(9), ["b"])
    assert "@rt.migrated" in report.new_text


# --- masked arrays and handlers

MASKED = """
def f(x, show):
    y = np.ma.masked_invalid(np.exp(x))
    {}
"""


@pytest.mark.parametrize(
    ("end", "left"),
    [
        ("return y", "masked"),
        ("show(y)\n    return 0", "masked"),
        ("np.ma.set_fill_value(y, 0)\n    show(y)\n    return y.filled() * 2", ""),
        ("y[0] = 2\n    return np.sum(y)", ""),
    ],
)
def test_a_masked_array_that_somebody_wants_stays_one(end: str, left: str) -> None:
    told = deciding(MASKED.format(end))
    assert (told.code, told.left) == ("TNP307", left)


CAUGHT = """
def f(x, log):
    try:
        y = np.linalg.inv(x) * np.exp(x)
    except {} as error:
        log(str(error))
        y = x
    return np.sin(y) + np.cos(y)
"""


@pytest.mark.parametrize(("caught", "left"), [("Exception", "caught"), ("ValueError", "")])
def test_nobody_tests_before_for_all_that_may_be_wrong(caught: str, left: str) -> None:
    told = deciding(CAUGHT.format(caught))
    assert (told.code, told.left) == ("TNP401", left)


NAMED = """
class Net:
    def f(self, x, path):
        try:
            self.name = path.stem
            y = np.exp(x) * np.sin(x)
        except AttributeError:
            self.name = "none"
            y = np.exp(x) * np.sin(x)
        return np.sqrt(y) + 1
"""


def test_an_attribute_that_is_assigned_is_not_asked_for() -> None:
    assert not any("have the attribute" in it.message for it in report_of(NAMED).findings)
    read = NAMED.replace("self.name = path.stem", "x.name")
    assert any("have the attribute" in it.message for it in report_of(read).findings)


# --- what may be no array

CONTAINER = """
def f(x, scale, show):
    show(1)
    y = np.exp(x)
    y = y.squeeze() if scale else y.sum()
    found = [y]
    {}
    return {}
"""


@pytest.mark.parametrize(("last", "given", "left"), [("pass", "found", "unseen"), ("pass", "y", "")])
def test_an_item_of_a_dict_is_not_what_is_returned(last: str, given: str, left: str) -> None:
    told = deciding(CONTAINER.format(last, given))
    assert (told.code, told.left) == ("TNP511", left)
    assert ("or an item of it" in told.message) is bool(left)
    assert ("np.asarray" in told.message) is not bool(left)


KEPT = """
class Model:
    def set(self, value):
        {}
        self.total = np.sum(np.exp(value) * np.sin(value) + np.cos(value))
        self._value = value
"""


@pytest.mark.parametrize(
    ("first", "left", "words"),
    [
        ("value = np.asarray(value) if self.whole else np.abs(value)[1:]", "", ": keep a copy (np.array(...))"),
        ("value = np.radians(value) if self.degrees else value[0]", "unseen", ": if it is an array, keep a copy"),
    ],
)
def test_a_copy_is_asked_of_arrays_alone(first: str, left: str, words: str) -> None:
    (told,) = (it for it in report_of(KEPT.format(first)).findings if "is kept as ._value" in it.message)
    assert told.left == left
    assert words in told.message


def test_what_takes_a_value_by_assignment_is_as_small_as_a_constructor() -> None:
    setter = KEPT.replace("    def set", "    @value.setter\n    def value").replace(
        "class Model:", "class Model:\n    value = property()\n"
    )
    assert (
        deciding(setter.format("value = np.asarray(value) if self.whole else np.abs(value)[1:]"), "Model.value").left
        == "little"
    )


LISTED = """
def ensure(parts):
    for i, part in enumerate(parts):
        parts[i] = np.asarray(part)
    return parts


class Model:
    def fit(self, parts, limit):
        {}
        self.done = True
        y = np.exp(parts[0]) * 2
        if np.any(y > limit):
            raise ValueError("limit")
        return np.sin(y) + np.cos(y)
"""


@pytest.mark.parametrize(("first", "left"), [("parts[0] = 3", ""), ("parts = ensure(parts)", "unseen")])
def test_what_a_callee_updates_may_be_a_list(first: str, left: str) -> None:
    found = [it for it in report_of(LISTED.format(first)).findings if it.code == "TNP109"]
    assert {it.left for it in found} <= {left}
    assert found or left


DECORATED = """
from numba import {0}

@{0}
def f(x, y):
    z = np.exp(x) * 2
    y[0] = z[0] + np.sum(z)
"""


@pytest.mark.parametrize("decorator", ["njit", "guvectorize"])
def test_what_another_compiler_runs_is_left_to_it(decorator: str) -> None:
    told = deciding(DECORATED.format(decorator))
    assert (told.code, told.left) == ("TNP504", "native")


COUNTED = """
def f(order, n):
    levels = np.zeros(n)
    k = 0
    for ell in range(0, order + 1, 2):
        for _ in range(-ell, ell + 1):
            levels[k] = (ell * (ell + 1)) ** 2
            k += 1
    return np.diag(levels)
"""


RECURRENT = """
def f(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + x[i]
    return y
"""


def test_a_name_that_only_counts_asks_for_no_graph() -> None:
    assert "--compile" in deciding(RECURRENT).message
    told = deciding(COUNTED)
    assert "--compile" not in told.message
    assert told.left == "loops"


def test_objects_around_arrays_have_data_too() -> None:
    body = "def f(x, g):\n    y = np.exp(x) * np.sin(x) + 1\n    return g(y.{}) + np.cos(y)\n"
    assert [deciding(body.format(name)).left for name in ("data", "strides")] == ["objects", ""]


# --- which of several reasons decides

SEVERAL = """
class Model:
    def f(self, x, value):
        z = np.exp(x) * 1j
        z.imag = np.sin(x) + np.cos(x)
        value = np.radians(value) if self.degrees else value[0]
        {}
        return z
"""


@pytest.mark.parametrize(("kept", "left"), [("self._value = value", "unseen"), ("pass", "")])
def test_what_cannot_be_mended_decides(kept: str, left: str) -> None:
    told = deciding(SEVERAL.format(kept), "Model.f")
    assert (told.code, told.left) == (("TNP206" if left else "TNP105"), left)


# --- what is read item by item, and labels

SORTED = """
def f(hz: np.ndarray, w):
    hz = sorted(np.exp(hz))
    out = []
    {}
    return np.array(out) * np.log(w).sum()
"""


@pytest.mark.parametrize(
    "loop", ["for i in range(1, len(hz)):\n        out.append(hz[i] - hz[i - 1])", "out = [h * h for h in hz]"]
)
def test_what_a_loop_reads_item_by_item_is_not_to_be_sorted_by_numpy(loop: str) -> None:
    for text in (SORTED, SORTED.replace("sorted(np.exp(hz))", "np.array(sorted(np.exp(hz)))")):
        told = deciding(text.format(loop))
        assert told.left
        assert "np.sort" not in told.message


GOES_THROUGH = """
def f(table, times):
    out = {}
    for t in sorted(times):
        part = table.copy()
        part["x"] = np.minimum(part["x"], t)
        out[t] = np.exp(part["x"]).sum()
    return out
"""


def test_nor_what_a_loop_goes_through() -> None:
    told = deciding(GOES_THROUGH)
    assert (told.code, told.left) == ("TNP705", "loops")


FRAME = """
def f(table, x: np.ndarray):
    frame = np.exp(-table.hazard)
    frame.{} = x
    return frame, x @ x
"""


@pytest.mark.parametrize(("name", "left"), [("columns", "objects"), ("real", "")])
def test_what_has_attributes_of_its_own_is_an_object(name: str, left: str) -> None:
    told = deciding(FRAME.format(name))
    assert (told.code, told.left) == ("TNP105", left)


def test_what_no_loop_reads_may_be() -> None:
    told = deciding(SORTED.format("out = np.log(hz[1:])"))
    assert (told.code, told.left) == ("TNP705", "")
    assert "np.sort" in told.message


LABELS = """
def f(y: np.ndarray, x: np.ndarray):
    names{} = np.{}
    return np.exp(x @ x) * len(set(names))
"""


@pytest.mark.parametrize(("more", "made"), [("", "unique(y)"), (", n", "unique(y, return_counts=True)")])
def test_a_set_of_labels_is_no_work(more: str, made: str) -> None:
    assert deciding(LABELS.format(more, made)).left


def test_a_set_of_numbers_is() -> None:
    assert not deciding(LABELS.format("", "sort(y)")).left


# --- next to nothing

LITTLE = {
    "a file's numbers": """
        def f(path):
            d = np.genfromtxt(path)
            n = eval("1")
            d[:, 0] *= 1e3
            return d / n, d * 2, d + 1, d - 1
    """,
    "a file's places": """
        def f(file, rows, cols, offset, width):
            n = eval("1")
            places = np.zeros(3)
            for i in rows:
                for j in cols:
                    file.seek(offset + i * width + j * n, 0)
                    places[:] = np.fromfile(file, count=3) * 2
            return places / n
    """,
    "texts": """
        def f(x: np.ndarray, how):
            n = eval("1")
            if how == "a" or how == "b" or how == "c" or how != "d":
                return x[::n] + 1
            return x
    """,
    "items of objects": """
        def f(parts, z0: np.ndarray):
            n = eval("1")
            return [part for part in parts if np.any(part.z0 != z0)], [part.x * 2 for part in parts], n
    """,
    "labels": """
        def f(x: np.ndarray, y: np.ndarray):
            n = eval("1")
            return [x[y == label] for label in np.unique(y)], n
    """,
}
MUCH = {
    "a file's product": """
        def f(path):
            d = np.genfromtxt(path)
            return d @ d.T * eval("1")
    """,
    "steps": """
        def f(u: np.ndarray, v: np.ndarray):
            for i in range(eval("1")):
                u = u + v * 0.1
            return u
    """,
    "items of much work": """
        def f(x: np.ndarray):
            n = eval("1")
            return [np.exp(x[k]) * n for k in range(len(x))]
    """,
}


@pytest.mark.parametrize("body", LITTLE.values(), ids=LITTLE)
def test_what_would_gain_nothing_is_counted(body: str) -> None:
    assert deciding(body).left == "little"


def test_a_loop_over_columns_of_an_ndarray_is_counted_as_a_loop() -> None:
    body = """
        def read_table(path) -> tuple[str, np.ndarray]:
            return path, np.genfromtxt(path, skip_header=1)


        def f(path):
            header, d = read_table(path)
            out = eval("[]")
            for k in range(d.shape[1] // 2):
                out.append(np.exp(np.sin(d[:, 2 * k]) + 1j * np.cos(d[:, 2 * k + 1])))
                out.append(np.exp(np.sin(d[:, 2 * k]) - 1j * np.cos(d[:, 2 * k + 1])))
            return out
    """
    assert deciding(body).left == "loops"


@pytest.mark.parametrize("body", MUCH.values(), ids=MUCH)
def test_what_would_gain_is_shown(body: str) -> None:
    told = deciding(body)
    assert (told.code, told.left) == ("TNP206", "")


# --- each turn of the loop goes once over all the data, and raises it to a power of its own

POWERS = """
def f(x: np.ndarray, y: np.ndarray, powers):
    out = np.empty({})
    for k, (i, j) in enumerate(powers):
        {}
    return out
"""


@pytest.mark.parametrize(
    ("made", "stored", "stays"),
    [
        ("(x.size, len(powers))", "out[:, k] = x**i * y**j", True),
        ("(x.size, len(powers))", "out[:, k] = np.power(x, k + 1) * y", True),
        ("(len(powers), x.size)", "out[k] = np.exp(y) * x**i", True),
        ("x.shape", "out[:, k] = x[:, k] ** 3 * k", False),
        ("x.shape", "out[:, k] = np.exp(x[:, k]) ** k", False),
        ("x.shape", "out[:, k] = np.exp(x[:, k]) * 1.5**k", False),
    ],
)
def test_a_loop_that_raises_all_to_a_power_of_each_turn_is_good_numpy(made: str, stored: str, stays: bool) -> None:
    told = deciding(POWERS.format(made, stored))
    assert (told.code, told.left) == ("TNP704", "loops" if stays else "")
    assert ("work on whole arrays" in told.message, "best left in NumPy" in told.message) == (not stays, stays)


# --- no whole array can be made of what the turns work on

UNEVEN = """
def f(position: np.ndarray, cost: np.ndarray, ends: np.ndarray, where: np.ndarray):
    near = [{} for i in range(len(position))]
    first = np.array([near[i][cost[{}].argmin()] for i in range(len(near))])
    return np.min(cost[first])
"""
SUMS = """
def f(parts: np.ndarray, labels: np.ndarray):
    parts = parts.T
    rows = [{} for k in np.unique(labels)]
    out = np.zeros((len(parts), len(rows)))
    for i, at in enumerate(rows):
        out[:, i] = parts[:, {}].sum(axis=1)
    return out.T
"""
NONES = """
class Names:
    def f(self):
        zeros = np.where(self.subtype == 0)[0]
        self.subtype = list(self.subtype)
        for i in zeros:
            self.subtype[i] = {}
        return np.exp(self.x)
"""


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        (UNEVEN.format("where[ends[i] : ends[i + 1]]", "near[i]"), True),
        (UNEVEN.format("where[i]", "near[i]"), False),
        (SUMS.format("np.where(labels == k)[0]", "at"), True),
        (NONES.format("None"), True),
        (NONES.format('"none"'), True),
        (NONES.format("3"), False),
    ],
)
def test_parts_that_differ_in_length_and_lists_of_nones_have_no_form(text: str, stays: bool) -> None:
    (told,) = (it for it in report_of(text).findings if it.decides)
    assert (told.code, told.left) == ("TNP704", "loops" if stays else "")


# --- what is little once it is done as it is advised

REST = """
def f(names, masks, table):
    indices = np.arange(len(names))
    rest = np.array(list(set(indices{0}).difference(set(np.concatenate(masks){0}))))
    return table(rest, np.sqrt(indices), np.cos(rest))
"""


def test_what_would_be_best_left_after_the_advice_is_so_before() -> None:
    for after in ("", ".tolist()"):
        told = deciding(REST.format(after))
        assert (told.code, told.left) == ("TNP707", "little")


LARGEST = """
def f(x: np.ndarray):
    y = np.exp(x) * np.sin(x)
    return y / {}(y)
"""


def test_what_migrates_after_the_advice_is_told() -> None:
    told = deciding(LARGEST.format("max"))
    assert (told.code, told.left) == ("TNP705", "")
    (region,) = (it for it in report_of(LARGEST.format("np.max")).regions if it.qualname == "f")
    assert region.state is RegionState.CONVERTIBLE


LAGS = """
class Results:
    def f(self, k):
        held = np.zeros(self.max_lag + 1)
        params = self.params[self.df - k - self.k_exog : self.df - self.k_exog]
        for i, lag in enumerate(self.lags):
            held[lag] = {}(params[i])
        return held
"""


def test_where_a_slice_ends_and_how_large_an_array_is_are_numbers() -> None:
    assert deciding(LAGS.format("-"), "Results.f").left == "little"
    assert deciding(LAGS.format("np.exp"), "Results.f").left == ""


SIZES = """
def {}(groups, info):
    sizes = np.array([len(x) for x in groups])
    info["least"] = f"{{min(sizes):.0f}}"
    info["mean"] = f"{{np.mean(sizes):.1f}} {{np.std(sizes):.2f}}"
    return info
"""


def test_a_summary_is_what_people_read() -> None:
    assert deciding(SIZES.format("summary"), "summary").left == "little"
    assert deciding(SIZES.format("sizes_of"), "sizes_of").left == ""


# --- loops over what is no part of an array

NO_PARTS = {
    "a dict of arrays": """
        def f(resp: np.ndarray, bad: dict):
            out = resp * 2
            for start, (local, inverse) in bad.items():
                rows = start + local
                out[rows] = np.einsum("kps,sk->kp", inverse, resp[:, rows])
            return out
        """,
    "dicts in a list": """
        def f(points: list):
            out = np.zeros((len(points[0]), len(points)))
            for i, key in enumerate(points[0].keys()):
                for j in range(len(points)):
                    out[i, j] = points[j][key]
            return np.linalg.eigh(np.cov(out))
        """,
    "slices that others make": """
        def f(terms, names, manager, effects: np.ndarray):
            arr = np.zeros((len(terms), len(names)))
            slices = [manager.get_slice(terms, name) for name in names]
            for i, part in enumerate(slices):
                arr[i, part] = 1
            return np.dot(arr, np.exp(effects) ** 2)
        """,
}


@pytest.mark.parametrize("kind", NO_PARTS)
def test_what_is_no_part_of_an_array_has_no_whole_array_form(kind: str) -> None:
    told = deciding(NO_PARTS[kind])
    assert (told.code in ("TNP701", "TNP704"), told.left) == (True, "loops")


def test_the_number_of_an_item_is_an_index_of_arrays() -> None:
    text = NO_PARTS["slices that others make"].replace("arr[i, part] = 1", "arr[i] = np.exp(effects) * part")
    assert deciding(text).left == ""


VERSIONS = """
def f(a: np.ndarray, version):
    if {}:
        n, m, k = a.shape
        signs, logs = np.zeros((n, m, k)), np.zeros((n, k, k))
        for i in range(n):
            signs[i], logs[i] = np.linalg.slogdet(a[i])
        return signs, logs
    return np.linalg.slogdet(a)
"""


def test_what_old_versions_need_is_best_left() -> None:
    told = [deciding(VERSIONS.format(test)) for test in ("version < (1, 22, 0)", "a.ndim == 3")]
    assert [it.left for it in told] == ["loops", ""]
