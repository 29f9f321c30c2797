"""``rt.migrated(original=..., above=n)``: small arrays stay with NumPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from np2tnp import runtime as rt
from np2tnp.runtime.boundary import sizes
from np2tnp.runtime.boundary.costs import Figures, Seen, pays

pytestmark = pytest.mark.usefixtures("as_delivered")

calls: list[str] = []


def original(x, more=()):
    calls.append("numpy")
    x += 1
    return x.sum()


def body(x, more=()):
    """What it does."""
    calls.append("tensorflow")
    x = rt.iadd(x, 1)
    return rt.updated(rt.sum(x), x=x)


@pytest.fixture
def migrated(monkeypatch):
    made = rt.migrated(mutates=("x",), original=original, above=10)(body)
    monkeypatch.setitem(globals(), "body", made)  # so that it pickles by name
    return made


@pytest.mark.parametrize(
    ("x", "more", "who"),
    [
        (np.zeros(9), (), "numpy"),
        (np.zeros(10), (), "tensorflow"),
        (np.zeros((2, 5)), (), "tensorflow"),
        (np.zeros(2), [{"deep": np.zeros(10)}], "tensorflow"),
        (np.zeros(2), [np.zeros(9), np.zeros(9)], "numpy"),
        (np.zeros(2), np.zeros(10), "tensorflow"),
        (np.zeros(9), 12, "numpy"),
        (np.zeros(2), rt.tensor(np.zeros(2)), "tensorflow"),
    ],
)
def test_the_largest_array_decides(x, more, who, migrated):
    calls.clear()
    result = migrated(x, more)
    assert calls == [who]
    assert result == x.size
    assert type(result) is np.float64
    assert (x == 1).all()


@pytest.mark.parametrize(("text", "who"), [("0", "tensorflow"), ("5", "tensorflow"), ("7", "numpy"), ("", "numpy")])
def test_the_environment_sets_another_size(text, who, monkeypatch):
    monkeypatch.setenv("NP2TNP_ABOVE", text)
    chosen = []

    def body(x):
        chosen.append("tensorflow")
        return rt.sum(x)

    rt.migrated(body, original=lambda x: chosen.append("numpy"), above=10)(np.zeros(6))
    assert chosen == [who]


def test_never_leaves_all_but_the_core_to_numpy(monkeypatch):
    monkeypatch.delenv("NP2TNP_ABOVE", raising=False)
    chosen = []

    def body(x=1.0, y=None):
        chosen.append("tensorflow")
        return rt.sum(x)

    never = rt.migrated(body, original=lambda x=1.0, y=None: chosen.append("numpy"), above=rt.NEVER)
    for arguments in ((np.zeros(1000),), (2.0,), ([1.0], {}), (object(),), ()):
        never(*arguments)
    assert chosen == ["numpy"] * 5
    never(np.zeros(2), rt.tensor(np.zeros(2)))
    never.core(rt.tensor(np.zeros(2)))
    assert chosen[5:] == ["tensorflow"] * 2


@pytest.mark.parametrize(
    ("arguments", "who"),
    [
        ((3,), "numpy"),
        ((2.5, "text", None), "numpy"),
        (([1.0] * 9,), "numpy"),
        (([1.0] * 10,), "tensorflow"),
        (([[1.0] * 5] * 2,), "tensorflow"),
        (([np.zeros(9)] * 20,), "numpy"),
        ((), "numpy"),
        ((np.ma.zeros(9),), "numpy"),
    ],
)
def test_numbers_and_lists_of_them_are_small_work(arguments, who):
    chosen = []
    made = rt.migrated(original=lambda *args: chosen.append("numpy"), above=10)(
        lambda *args: chosen.append("tensorflow")
    )
    made(*arguments)
    assert chosen == [who]


@pytest.mark.parametrize(
    ("elements", "arguments", "who"),
    [
        (9, (1,), "numpy"),
        (10, (1,), "tensorflow"),
        (lambda n: n * n, (3,), "numpy"),
        (lambda n: n * n, (4,), "tensorflow"),
        (lambda n: n * n, (np.int8(127),), "tensorflow"),
        (lambda n, k: n * k, (4, 2), "numpy"),
        (lambda k, n: n * k, (4, 3), "tensorflow"),
        (lambda n, k: n // k, (40, 0), "numpy"),
        (lambda k: k, (2,), "numpy"),
        (lambda n: n, ("text",), "numpy"),
        (lambda n: n, ((3, 3),), "numpy"),
        (lambda n: n, ((2, np.int64(5)),), "tensorflow"),
        (lambda n: n, (np.zeros(10),), "tensorflow"),
    ],
)
def test_the_decorator_tells_what_the_function_makes(elements, arguments, who):
    chosen = []

    @rt.migrated(original=lambda n, k=5: chosen.append("numpy"), above=10, elements=elements)
    def made(n, k=5):
        chosen.append("tensorflow")

    made(*arguments)
    assert chosen == [who]


def test_keywords_after_stars_are_found_by_name():
    chosen = []

    @rt.migrated(original=lambda *xs, n=5: chosen.append("numpy"), above=10, elements=lambda n: n)
    def made(*xs, n=5):
        chosen.append("tensorflow")

    made(20, 20)
    made(1, n=20)
    assert chosen == ["numpy", "tensorflow"]


class Held:
    """An object with attributes."""

    kept = np.zeros(50)

    def __init__(self, **parts):
        self.__dict__.update(parts)


class Slotted:
    __slots__ = ("unset", "w")

    def __init__(self, w):
        self.w = w


class Sly(Held):
    def __getattribute__(self, name):
        assert name in ("__dict__", "__class__"), name
        return super().__getattribute__(name)


@pytest.mark.parametrize(
    ("make", "who"),
    [
        (lambda: Held(), "numpy"),
        (lambda: Held(w=np.zeros(9), n=3), "numpy"),
        (lambda: Held(w=np.zeros(10)), "tensorflow"),
        (lambda: Held(layers=[np.zeros(3), np.zeros(10)]), "tensorflow"),
        (lambda: Held(table={"w": np.zeros(10)}), "tensorflow"),
        (lambda: Held(inner=Held(w=np.zeros(10))), "numpy"),
        (lambda: Slotted(np.zeros(9)), "numpy"),
        (lambda: Slotted(np.zeros(10)), "tensorflow"),
        (lambda: Sly(w=np.zeros(10)), "tensorflow"),
    ],
)
def test_attributes_of_the_object_count(make, who):
    step = rt.migrated(original=lambda self, x: "numpy", above=10)(lambda self, x: "tensorflow")
    assert step(make(), np.zeros(2)) == who


def test_a_function_without_a_number_has_the_default():
    chosen = []

    def count(x):
        chosen.append("tensorflow")
        return rt.sum(x)

    def take(x):
        chosen.append("numpy")

    delivered = rt.migrated(original=take)(count)
    for size in (sizes.FEW - 1, sizes.FEW):
        delivered(np.zeros(size))
    assert chosen == ["numpy", "tensorflow"]
    for options in ({"above": 0}, {"compile": "graph"}, {"float32": True}):
        chosen.clear()
        rt.migrated(original=take, **options)(count)(np.zeros(3))
        assert chosen == ["tensorflow"], options


def test_the_original_is_not_called_while_a_graph_is_made():
    import tensorflow as tf

    calls.clear()
    made = rt.migrated(mutates=("x",), original=original, above=10)(body)
    with pytest.raises(rt.UnverifiedError, match="core"):
        tf.function(lambda: made(np.zeros(3)), autograph=False)()
    assert calls == []


def test_tensors_never_reach_the_original(migrated):
    import tensorflow as tf

    calls.clear()
    with pytest.raises(rt.UnverifiedError):
        migrated(tf.zeros(3))
    assert calls == []
    assert rt.host(migrated.core(tf.zeros(3)).result) == 3.0


def test_the_wrapper_keeps_the_functions_name_and_signature(migrated):
    import inspect
    import pickle

    assert migrated.__doc__ == "What it does."
    assert list(inspect.signature(migrated).parameters) == ["x", "more"]
    assert pickle.loads(pickle.dumps(migrated)) is migrated


def test_a_size_needs_an_original():
    with pytest.raises(ValueError, match="needs the original"):
        rt.migrated(lambda x: x, above=5)


def test_small_arrays_do_not_even_import_tensorflow():
    program = """
import sys
import numpy as np
from np2tnp import runtime as rt

@rt.migrated(original=np.sin, above=100)
def f(x):
    return rt.sin(x)

f(np.zeros(5))
sys.exit("tensorflow" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def many_calls(argument, caplog, count=sizes.MANY, times=1):
    functions = [rt.migrated(lambda x: 0) for _ in range(times)]
    with caplog.at_level("WARNING", logger="np2tnp"):
        for function in functions:
            for _ in range(count):
                function(argument)
    return [record.getMessage() for record in caplog.records]


def test_many_calls_with_small_arrays_are_told_once(monkeypatch, caplog):
    monkeypatch.setattr(sizes, "_told_of_small_calls", False)
    monkeypatch.delenv("NP2TNP_ABOVE", raising=False)
    (message,) = many_calls([np.zeros(3), np.zeros((2, 6))], caplog, times=2)
    assert "was called 1000 times, now with arrays of at most 12 elements" in message


@pytest.mark.parametrize(
    ("argument", "count", "above"),
    [(np.zeros(1000), 1000, ""), (3.5, 1000, ""), (np.zeros(3), 999, ""), (np.zeros(3), 1000, "0")],
)
def test_other_calls_say_nothing(argument, count, above, monkeypatch, caplog):
    monkeypatch.setattr(sizes, "_told_of_small_calls", False)
    monkeypatch.setenv("NP2TNP_ABOVE", above)
    assert many_calls(argument, caplog, count) == []


def by_rows(table, weights, *more):
    """What takes one row of the table at a time."""
    calls.append("tensorflow")
    return [np.float64(rt.sum(row * weights)) for row in table]


def by_rows_in_numpy(table, weights, *more):
    calls.append("numpy")
    return [np.sum(row * weights) for row in table]


@pytest.mark.parametrize(
    ("table", "weights", "who"),
    [
        (np.ones((50, 9)), np.ones(9), "numpy"),
        (np.ones((2, 10)), np.ones(10), "tensorflow"),
        (np.ones((50, 1)), np.ones(10), "tensorflow"),
        (np.ones((0, 10)), np.ones(2), "numpy"),
        ([np.ones(9)] * 50, np.ones(9), "numpy"),
        ([np.ones(10)] * 2, np.ones(10), "tensorflow"),
        (rt.tensor(np.ones((2, 3))), np.ones(3), "tensorflow"),
    ],
)
def test_what_is_worked_on_by_rows_counts_for_one_of_them(table, weights, who):
    made = rt.migrated(original=by_rows_in_numpy, above=10, rows=("table",))(by_rows)
    expected = [float(weights.sum())] * len(table)
    for given, named in (((table, weights), {}), ((), {"weights": weights, "table": table})):
        calls.clear()
        assert list(map(float, made(*given, **named))) == expected
        assert calls == [who]


@pytest.mark.parametrize(
    ("table", "weights", "who"),
    [
        (np.ones((50, 9)), np.ones(9), "numpy"),
        (np.ones((50, 1)), np.ones(9), "numpy"),
        (np.ones((50, 10)), np.ones(10), "tensorflow"),
        (np.ones((50, 1)), np.ones(10), "tensorflow"),
    ],
)
def test_a_core_fetches_an_array_rather_than_to_take_its_small_rows(table, weights, who):
    made = rt.migrated(original=by_rows_in_numpy, above=10, rows=("table",))(by_rows)
    calls.clear()
    found = made.core(rt.tensor(table), weights=rt.tensor(weights))
    assert list(map(float, found)) == [float(weights.sum())] * len(table)
    assert calls == [who]


def test_a_core_whose_derivative_is_wanted_stays_with_tensorflow():
    made = rt.migrated(original=by_rows_in_numpy, above=10, rows=("table",))(by_rows)
    table = rt.tensor(np.ones((3, 2)))
    calls.clear()
    with tf.GradientTape() as tape:
        tape.watch(table)
        made.core(table, np.ones(2))
    assert calls == ["tensorflow"]


def test_a_migrated_caller_reaches_the_original_of_a_scan_of_rows():
    scan = rt.migrated(original=by_rows_in_numpy, above=10, rows=("table",))(by_rows)

    @rt.migrated
    def caller(table):
        return rt.sum(rt.array(scan.core(table * 2.0, np.arange(2.0))))

    calls.clear()
    assert caller(np.ones((6, 2))) == 12.0
    assert calls == ["numpy"]


# --- ``work=``: what a call does decides whether its arrays cross to the device


def who(work, *args, **options):
    """Who answers a call with these arguments: the body, or the original."""
    made = rt.migrated(original=lambda *given: "numpy", work=work, **options)(lambda *given: "tensorflow")
    return made(*args)


class Layer:
    def __init__(self, w):
        self.w = w


@pytest.mark.parametrize("size", [10, sizes.FEW, 1_000_000, 20_000_000])
@pytest.mark.parametrize("work", [1, 3])
def test_little_work_never_crosses(work, size):
    assert who(work, np.zeros(size, np.int8)) == "numpy"
    assert who(work, np.broadcast_to(np.zeros(1), size)) == "numpy"


@pytest.mark.parametrize(
    ("work", "args", "expected"),
    [
        (0, (np.zeros(sizes.FEW),), "tensorflow"),  # what an earlier release wrote
        (0, (np.zeros(sizes.FEW - 1),), "numpy"),
        (15, (np.zeros(1_000_000),), "tensorflow"),
        (15, (np.zeros(sizes.FEW - 1),), "numpy"),
        (15, (np.zeros(1_000_000), *[np.zeros(1_000_000)] * 12), "numpy"),  # they would all have to cross
        (15, ([np.zeros(1_000_000)] * 13,), "numpy"),
        (15, (Layer([np.zeros(1_000_000)] * 13),), "numpy"),
        (15, ({"x": np.zeros(1_000_000)},), "tensorflow"),
        ("matmul", (np.zeros((300, 300)), np.zeros((300, 300))), "tensorflow"),
        ("matmul", (np.zeros((100, 100)), np.zeros((100, 100))), "numpy"),
        ("matmul", (np.zeros((90, 90)), np.zeros((90, 90))), "numpy"),
        ("matmul", (np.zeros((3000, 3000)), np.zeros(3000)), "numpy"),  # each element is used once
        ("matmul", (np.zeros((1_000_000, 3)), np.zeros((3, 3))), "numpy"),
        ("matmul", (np.zeros((1000, 1000)), np.zeros((1000, 1000)), np.zeros(1000)), "tensorflow"),
        ("matmul", (Layer(np.zeros((1000, 1000))), np.zeros((1000, 1000))), "tensorflow"),
        ("matmul", (np.zeros((1000, 1000)),), "tensorflow"),
        ("matmul", (np.zeros(10_000_000), np.zeros(10_000_000)), "numpy"),
        ("solve", (np.zeros((2000, 2000)), np.zeros(2000)), "tensorflow"),
        ("solve", (np.zeros((50, 50)), np.zeros(50)), "numpy"),
    ],
)
def test_work_is_weighed_against_moving_the_data(work, args, expected):
    assert who(work, *args) == expected


def test_what_is_on_the_device_costs_no_way_there():
    tensor = rt.tensor(np.zeros(3))
    for args in ((tensor,), (np.zeros(1_000_000), tensor), ([tensor, np.zeros(1_000_000)],)):
        assert who(1, *args) == "tensorflow"
        assert who("matmul", *args) == "tensorflow"
    migrated = rt.migrated(original=lambda x: "numpy", work=1)(lambda x: rt.op_add(x, 1))
    assert (migrated.core(tensor) == tf.ones(3, tf.float64)).numpy().all()


@pytest.mark.parametrize("work", [1, "matmul"])
def test_an_explicit_number_wins(work, monkeypatch):
    assert who(work, np.zeros(10), above=10) == "tensorflow"
    assert who(work, np.zeros(9), above=10) == "numpy"
    for text, size, expected in (("0", 1, "tensorflow"), ("50", 50, "tensorflow"), ("50", 49, "numpy")):
        monkeypatch.setenv("NP2TNP_ABOVE", text)
        assert who(work, np.zeros(size)) == expected


def test_a_device_that_is_named_is_taken():
    assert who(1, np.zeros(sizes.FEW), device="/CPU:0") == "tensorflow"


def test_arrays_that_the_function_makes_come_back_only():
    def made(n, work):
        return rt.migrated(original=lambda n: "numpy", work=work, elements=lambda n: n)(lambda n: "tensorflow")(n)

    assert made(10_000_000, 4) == "tensorflow"
    assert who(4, np.broadcast_to(np.zeros(1), 10_000_000)) == "numpy"
    assert made(10_000_000, 1) == "numpy"
    assert made(500, 4) == "numpy"


def test_without_a_gpu_the_original_answers(monkeypatch):
    from np2tnp.runtime.base import hardware

    monkeypatch.setattr(hardware, "_found", False)
    assert who("matmul", np.zeros((1000, 1000)), np.zeros((1000, 1000))) == "numpy"


def test_the_machines_figures_decide():
    seen = Seen()
    seen.add(np.broadcast_to(np.zeros(1), 10_000_000))
    usual = Figures()
    assert not pays(1, seen, 0, usual)
    assert pays(1, seen, 0, usual._replace(up=400e9, down=400e9))  # a device that shares the host's memory
    assert pays(7, seen, 0, usual)
    assert not pays(7, seen, 0, usual._replace(up=1e9))
    assert not pays(7, seen, 0, usual._replace(down=1e9))
    assert not pays(7, seen, 0, usual._replace(host_elements=20e9))
    assert not pays(7, seen, 0, usual._replace(launch=1e-2))


@pytest.mark.parametrize("work", ["sort", -1, 2.5, None])
def test_other_words_are_refused(work):
    with pytest.raises(ValueError, match="work must be"):
        rt.migrated(lambda x: x, original=lambda x: x, work=work)
    with pytest.raises(ValueError, match="work must be"):
        rt.original("f", work=work)


def test_the_word_may_stand_beside_the_original():
    def apart(x):
        return "tensorflow"

    apart.__qualname__ = "apart"
    made = rt.migrated(apart)

    @rt.original("apart", work=1)
    def _(x):
        return "numpy"

    assert made(np.zeros(1_000_000)) == "numpy"
