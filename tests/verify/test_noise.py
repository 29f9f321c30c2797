"""Noise where a program rounds: it moves last bits and nothing else."""

from __future__ import annotations

import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest

from np2tnp.verify.inputs import shake
from np2tnp.verify.judge import judge
from np2tnp.verify.noise import Noise, disturbed
from np2tnp.verify.observe import Observation, UndefinedWarning, observe
from np2tnp.verify.specs import Pickled, make


def load(text: str, noisy: bool = True) -> types.ModuleType:
    module = types.ModuleType("program")
    vars(module).update(Noise(np.random.default_rng(0)).names if noisy else {})
    exec(compile(disturbed(text) if noisy else text, "program.py", "exec"), vars(module))
    return module


X = np.random.default_rng(1).standard_normal(1000)


@pytest.mark.parametrize(
    "expression",
    ["x.sum()", "np.exp(x)", "x @ x", "x[:4] ** 1.5", "np.linalg.norm(x)", "np.fft.rfft(x)", "sin(x)", "np.mean(x, 0)"],
)
def test_what_rounds_is_disturbed_a_little(expression: str) -> None:
    text = f"import numpy as np\nfrom numpy import sin\ndef f(x):\n    return {expression}\n"
    x = np.abs(X)
    exact, noisy = load(text, noisy=False).f(x), load(text).f(x)
    assert type(exact) is type(noisy)
    assert np.any(exact != noisy)
    np.testing.assert_allclose(noisy, exact, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "expression",
    ["x + x * x / 3 - np.sqrt(x)", "np.sort(x)", "np.arange(9).sum()", "np.ones((3, 3)) @ np.ones(3)", "Own().sum(x)",
     "int(x.sum() * 0) + 2**3", "np.maximum(x, 0.5)", "x.astype('f4')"],
)  # fmt: skip
def test_what_is_exact_stays(expression: str) -> None:
    text = (
        "import numpy as np\nclass Own:\n    def sum(self, x):\n        return x * 0.1\n"
        f"def f(x):\n    return {expression}\n"
    )
    x = np.abs(X)
    np.testing.assert_array_equal(load(text).f(x), load(text, noisy=False).f(x))


@pytest.mark.parametrize(
    ("statement", "moves"),
    [("y **= 1.5", True), ("y[2:] **= np.full(998, 11.0)", True), ("y **= 2", True), ("y += 2", False)],
)
def test_powers_in_place_are_disturbed_where_they_are(statement: str, moves: bool) -> None:
    text = f"import numpy as np\ndef f(x):\n    y = x.copy()\n    z = y\n    {statement}\n    return z\n"
    exact, noisy = load(text, noisy=False).f(np.abs(X)), load(text).f(np.abs(X))
    assert np.any(exact != noisy) == moves
    np.testing.assert_allclose(noisy, exact, rtol=1e-12)


def test_terms_that_are_added_in_place_are_disturbed() -> None:
    module = load("import numpy as np\ndef f(how, i, v):\n    x = np.zeros(2)\n    how.at(x, i, v)\n    return x\n")
    i, v = np.array([0, 0, 1]), np.array([1e4 / 3, -1e4 / 3, 0.1])
    sums = {module.f(np.add, i, v)[0] for _ in range(20)}
    assert len(sums) > 1  # the terms cancel: their rounding is the result
    assert max(map(abs, sums)) < 1e-11
    assert {module.f(np.maximum, i, v)[0] for _ in range(20)} == {v[0]}


def test_objects_that_were_written_down_are_of_the_noisy_program(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import numpy as np\nclass Sum:\n    x = None\n    def f(self): return np.exp(self.x)\n"
    plain, noisy = load(text, noisy=False), load(text)
    monkeypatch.setitem(sys.modules, "program", plain)
    made = plain.Sum()
    made.x = X
    data = pickle.dumps(made)
    plain_object, noisy_object = (make(Pickled(data), vars(module)) for module in (plain, noisy))
    np.testing.assert_array_equal(plain_object.f(), np.exp(X))
    assert (noisy_object.f() != np.exp(X)).any()
    weights = noisy_object.x
    shake({"object": noisy_object, "list": [weights[:1], 0.5]}, np.random.default_rng(0))
    assert noisy_object.x is weights
    assert (weights != X).any()
    np.testing.assert_allclose(weights, X, rtol=1e-15)


def test_memory_that_nobody_wrote_is_spoilt() -> None:
    module = load(
        "import numpy as np\ndef f(x):\n    y = np.empty(3)\n    y[0] = 1.0\n    return y, np.empty_like(x)\n"
    )
    first, second = module.f(np.zeros(2, int))
    np.testing.assert_array_equal(first, [1.0, np.nan, np.nan])
    assert (second == np.iinfo(int).max).all()


def test_numbers_too_large_for_fractions_are_disturbed() -> None:
    module = load("import numpy as np\ndef f(x):\n    return x @ x\n")
    assert len({float(module.f(np.full(3, 1e20))) for _ in range(20)}) > 1
    assert len({float(module.f(np.full(3, 4.0))) for _ in range(20)}) == 1


def test_a_search_in_an_unsorted_table_hits_anything() -> None:
    module = load("import numpy as np\ndef f(x, v):\n    return np.searchsorted(x, v)\n")
    v = np.linspace(0.0, 3.0, 7)
    np.testing.assert_array_equal(module.f(np.arange(4.0), v), np.searchsorted(np.arange(4.0), v))
    with pytest.warns(UndefinedWarning, match="not sorted"):
        assert len({module.f(np.array([3.0, 0.0, 2.0, 1.0]), v).tobytes() for _ in range(9)}) > 1


def test_logarithms_of_fractions_are_rounded_where_they_are_whole() -> None:
    """``log10(1e-10)`` is -10, or its neighbour elsewhere; ``log10(1000)`` is 3."""
    level = load("import numpy as np\ndef f(x):\n    return np.log10(x)\n").f
    x = np.full(40, 1e-10)
    assert len(np.unique(level(x))) > 1
    assert type(level(np.float64(1e-10))) is np.float64
    assert type(level(1e-10)) is np.float64
    assert level(np.array([1000.0, 10.0])).tolist() == [3.0, 1.0]


def test_what_is_only_rounding_may_be_zero() -> None:
    module = load("def f(x):\n    return x.std()\n")
    constant = np.full(6, 0.1)
    assert 0 < constant.std() < 1e-16
    assert {module.f(constant) == 0.0 for _ in range(20)} == {True, False}
    assert all(module.f(np.array([1e-3, 2e-3])) > 0 for _ in range(20))


@pytest.mark.parametrize(
    "call", ["x.argsort()", "np.argsort(x, axis=0)", "np.argpartition(x, 2)", "x.argsort(-1)[::-1]"]
)
def test_equals_come_in_any_order(call: str) -> None:
    x = np.array([[3, 1, 1, 0, 1], [2, 2, 2, 2, 2], [2, 1, 1, 1, 1]])
    module = load(f"import numpy as np\ndef f(x):\n    return {call}\n")
    seen = {module.f(x).tobytes() for _ in range(20)}
    assert len(seen) > 1
    stable = load("def f(x):\n    return x.argsort(kind='stable')\n")
    np.testing.assert_array_equal(stable.f(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize(
    "body",
    ["return np.partition(x, 2, axis=0)", "y = x.copy(); y.partition((2, -3), 0); return y"],
    ids=["function", "method"],
)
def test_partition_orders_nothing_but_what_is_asked_for(body: str) -> None:
    x = np.random.default_rng(0).permutation(20).reshape(10, 2)
    program = load(f"import numpy as np\ndef f(x):\n    {body}\n")
    results = [program.f(x) for _ in range(8)]
    assert len({result.tobytes() for result in results}) > 1
    for result in results:
        np.testing.assert_array_equal(result[2], np.sort(x, axis=0)[2])
        np.testing.assert_array_equal(np.sort(result, axis=0), np.sort(x, axis=0))
        assert (result[:2] <= result[2]).all()
        assert (result[3:] >= result[2]).all()


def test_arrays_that_somebody_has_stay_the_same_objects() -> None:
    text = (
        "import numpy as np\ndef f(x, y):\n    z = y[:1]\n    np.exp(x, out=y)\n    np.exp(x, y)\n"
        "    return x.sum(out=z, keepdims=True) is z, y\n"
    )
    y = np.zeros_like(X)
    first, second = load(text).f(X, y)
    assert second is y
    assert first
    assert y[0] == X.sum()
    np.testing.assert_array_equal(y[1:], np.exp(X[1:]))


#: (function, input): their results are mostly rounding errors of what they come from
CANCELLING: list[tuple[str, Any]] = [
    ("def f(x):\n    return x - x.mean() - (x * T).sum() / (T * T).sum() * T", np.ones(6)),
    ("def f(x):\n    return 10 * np.log10(np.sum(np.exp(x))) - 10 * np.log10(6.0)", np.zeros(6)),
    ("def f(n):\n    r = np.random.default_rng(0).normal(1.2, 0.2, n)\n    return np.exp(np.log(r).mean()) - r", 6),
]


@pytest.mark.parametrize(("text", "argument"), CANCELLING)
def test_a_result_of_rounding_errors_may_differ_by_as_much(text: str, argument: object) -> None:
    text = f"import numpy as np\nT = np.linspace(-1.0, 1.0, 6)\n{text}\n"
    exact, noisy, other = load(text, noisy=False), load(text), load(text)

    def run(module: types.ModuleType) -> Observation:
        return observe(module.f, [argument], {})

    def again(how: str) -> Observation:
        return run(noisy if how == "noisy" else exact)

    expected = run(exact)
    actual = run(other)
    assert judge(expected, actual, again).kind == "equal"
    wrong = Observation("returned", actual.value + 1e-9, after=expected.after)
    assert judge(expected, wrong, again).kind == "different"


def test_equal_matrices_are_moved_alike_within_one_call() -> None:
    """A singular covariance that six components begin with: all six factorisations fail, or none."""
    text = (
        "import numpy as np\ndef f(a):\n    done = 0\n    for _ in range(6):\n        try:\n"
        "            np.linalg.cholesky(a.copy())\n            done += 1\n"
        "        except np.linalg.LinAlgError:\n            pass\n    return done\n"
    )
    f, a = load(text).f, np.cov(np.random.default_rng(2).standard_normal((6, 6)))
    assert {observe(f, [a], {}).value for _ in range(40)} == {0, 6}


def test_repeated_indices_of_a_table_are_written_in_any_order() -> None:
    text = "import numpy as np\ndef f(x, i, v):\n    x[i, 0] = v\n    x[1:, None] = 5.0\n    return x\n"
    x, i, v = np.zeros((2, 1)), np.zeros((2, 2), int), np.array([[1.0, 2.0], [3.0, 4.0]])
    module = load(text)
    assert {module.f(x, i, v)[0, 0] for _ in range(40)} == {1.0, 2.0, 3.0, 4.0}
    assert x[1, 0] == 5.0
    assert {module.f(x, i.ravel(), v.ravel())[0, 0] for _ in range(40)} == {
        4.0
    }  # the last of a row, as everybody expects


def test_values_that_numpy_does_not_repeat_are_spoilt() -> None:
    module = load("import numpy as np\ndef f(x, i, v):\n    np.add.at(x, i, v)\n    return x\n")
    found = [module.f(np.zeros(1), np.zeros((2, 2), int), np.array([1.0, 2.0]))[0] for _ in range(20)]
    assert {value for value in found if value == value} == {6.0}
    assert np.isnan(found).any()
    assert module.f(np.zeros(1), np.zeros((2, 2), int), 1.0)[0] == 4.0


def test_terms_that_overflow_may_be_infinite() -> None:
    module = load("def f(a, x):\n    return a @ x\n")
    a, x = np.array([[1e4, -1e4], [1.0, 1.0]]), np.array([1e305, 1e305])
    found = [module.f(a, x) for _ in range(40)]
    assert {bool(np.isfinite(one[0])) for one in found} == {False, True}
    assert all(np.isfinite(one[1]) for one in found)


def test_a_determinant_is_as_exact_as_its_logarithm() -> None:
    module = load("import numpy as np\ndef f(x):\n    return np.linalg.det(x)\n")
    x = 1e-100 * np.eye(2)
    changes = [abs(module.f(x) / 1e-200 - 1) for _ in range(20)]
    assert 1e-14 < max(changes) < 2e-13


@pytest.mark.parametrize(
    ("original", "rewritten", "argument", "kind"),
    [
        ("x.astype(np.uint32)", "x.astype(np.uint32) + np.uint32(1)", np.array([np.nan]), "unstable"),
        ("x.astype(np.uint32)", "x.astype(np.uint32) + np.uint32(1)", np.array([3.0]), "different"),
        ("repr(x)", "repr(np.float64(x))", np.array(2.0), "as a scalar"),
        ("[np.asarray(x)]", "[np.float64(x)]", np.array(2.0), "as a scalar"),
        ("repr(x)", "repr(np.float64(x) + 1)", np.array(2.0), "different"),
        ("x.searchsorted(x) * np.nan", "x.searchsorted(x) * 1.0", np.array([3.0, 0.0, 2.0]), "unstable"),
        ("x.searchsorted(x) * np.nan", "x.searchsorted(x) * 1.0", np.array([0.0, 2.0, 3.0]), "different"),
    ],
)
def test_what_has_no_defined_result_is_no_difference(original: str, rewritten: str, argument: Any, kind: str) -> None:
    text = "import numpy as np\ndef f(x):\n    return {}\n"
    one, other = load(text.format(original), noisy=False).f, load(text.format(rewritten), noisy=False).f

    def again(how: str) -> Observation | None:
        if how == "scalars":
            return observe(one, [argument[()]], {}) if argument.ndim == 0 else None
        return observe(load(text.format(original)).f if how == "noisy" else one, [argument.copy()], {})

    assert judge(observe(one, [argument.copy()], {}), observe(other, [argument.copy()], {}), again).kind == kind


@pytest.mark.parametrize("expression", ["x**y", "np.power(x, y)"])
def test_powers_are_not_exact_even_where_they_are_whole(expression: str) -> None:
    module = load(f"import numpy as np\ndef f(x, y):\n    return {expression}\n")
    three = np.float32([3.0])
    assert {float(module.f(three, np.float32([4.0]))[0]) for _ in range(9)} == {81.0 - 2.0**-17, 81.0 + 2.0**-17}
    assert module.f(three, 2) == 9.0


def shown(text: str) -> Observation:
    return observe(lambda: print(text), [], {})


@pytest.mark.parametrize(
    ("original", "rewritten", "kind"),
    [
        ("[0.25      0.9950548]", "[0.25       0.99505484]", "equal"),
        ("[0.25 0.5]", "[0.25  0.5]", "different"),
        ("[1 25]", "[ 1 26]", "different"),
        ("[0.9950548]", "[0.9950548 0.0]", "different"),
    ],
    ids=["other digits", "other room for the same", "other integers", "more numbers"],
)
def test_columns_are_as_wide_as_their_digits(original: str, rewritten: str, kind: str) -> None:
    expected = shown(original)
    found = judge(expected, shown(rewritten), lambda how: expected)
    assert found.kind == kind


def test_a_recursion_without_an_end_is_no_use_of_a_function() -> None:
    ends, deep = (
        Observation("raised", error=name, bases=(name,), message="") for name in ("OverflowError", "RecursionError")
    )
    assert judge(ends, deep, lambda how: None).kind == "misused"
    assert judge(Observation("returned", 1.0), deep, lambda how: Observation("returned", 1.0)).kind == "different"


def test_what_tensorflow_makes_zero_decides_nothing() -> None:
    text = "import numpy as np\ndef f(w):\n    w = w * w\n    return w / w.sum()\n"
    flushed = "import numpy as np\ndef f(w):\n    w = w * w\n    w[w < 2.3e-308] = 0.0\n    return w / w.sum()\n"
    tiny, plain = np.array([1e-155, 1e-154, 2e-154]), np.array([1.0, 2.0, 3.0])

    def kind(text: str, other: str, w: np.ndarray) -> str:
        one, two = load(text, noisy=False), load(other, noisy=False)
        return judge(observe(one.f, [w], {}), observe(two.f, [w], {}), lambda _: observe(one.f, [w], {})).kind

    assert kind(text, flushed, tiny) == "unstable"
    assert kind(text, flushed, plain) == "equal"
    assert kind(text, text.replace("w * w", "w * w * w"), plain) == "different"


def test_a_refusal_after_a_change_counts_only_where_the_original_returns():
    refused = Observation("refused", error="UnverifiedError", message="bool", changed=True)
    original = Observation("raised", error="TypeError", bases=("TypeError", "Exception"), message="no", changed=True)
    assert judge(original, refused, lambda how: original).kind == "refused"
    returned = Observation("returned", 1.0)
    assert judge(returned, refused, lambda how: returned).kind == "different"


def test_a_copy_of_the_runtime_is_seen_as_soon_as_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    copy = types.ModuleType("vendored.runtime.base.precision")
    copy.RUNS = {"float32": 0}  # type: ignore[attr-defined]

    def work() -> None:
        copy.RUNS["float32"] += 1

    def first_work() -> None:
        sys.modules[copy.__name__] = copy
        work()

    assert not observe(work, [], {}).single
    assert observe(first_work, [], {}).single
    assert observe(work, [], {}).single
    monkeypatch.delitem(sys.modules, copy.__name__)
    assert not observe(work, [], {}).single
