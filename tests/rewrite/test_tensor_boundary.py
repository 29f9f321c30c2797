"""``--boundary tensor``: what is migrated takes and gives tensors, and can be built on."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked_python import python

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite

from np2tnp.config import ConfigError, load
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "tensor_boundary"


def rewritten(name: str) -> str:
    text = (FIXTURES / f"{name}.py").read_text(encoding="utf-8")
    new = rewrite(text, boundary="tensor").new_text
    assert new is not None
    assert "migrated" not in new
    return new


def loaded(text: str, name: str) -> Any:
    module = types.ModuleType(name)
    exec(compile(text, f"{name}.py", "exec", dont_inherit=True), vars(module))
    return module


@pytest.fixture(scope="module", params=["kernels"])
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    name = request.param
    return loaded((FIXTURES / f"{name}.py").read_text(encoding="utf-8"), name), loaded(rewritten(name), name)


@pytest.fixture(scope="module")
def networks() -> tuple[Any, Any]:
    old = loaded((FIXTURES / "network.py").read_text(encoding="utf-8"), "network")
    new = loaded(rewritten("network"), "network")
    return old.Network(3, 4), new.Network(3, 4)


def test_functions_that_update_arguments_return_them() -> None:
    text = rewritten("kernels")
    for part in (
        "    return tnp.sum(field), field\n",
        "    x = rt.at(x)[1:].multiply(0.5)\n    return x\n",
        "    return x, y\n",
        "    total, v = relax(v, 3)\n    v = smooth(v)\n    v = fix_ends(v)\n    v, u = shift(v, u)\n",
        "    z = y = fix_ends(y)\n",
    ):
        assert part in text


def test_updating_calls_inside_of_expressions() -> None:
    text = """
import numpy as np


def half(a):
    a[1:] *= 0.5
    return a.sum()


def total(x):
    y = np.exp(x)
    z = half(y) * 2
    return half(np.exp(x)) + sum(half(x + i) for i in range(2)) + z + last(y)


def last(y):
    y = y + 1
    return half(y)
"""
    new = rewrite(text, boundary="tensor").new_text
    assert new is not None
    x = np.arange(3.0)
    assert loaded(new, "new").total(x).numpy() == pytest.approx(loaded(text, "old").total(x.copy()))


def test_results_and_updates_are_numpys(pair: tuple[Any, Any]) -> None:
    old, new = pair
    start = np.linspace(0.0, 1.0, 6)
    expected = start.copy()
    total = old.run(expected)
    found, updated = new.run(tf.constant(start))
    assert is_tensor(found)
    np.testing.assert_allclose(found, total, rtol=1e-14)
    np.testing.assert_allclose(updated, expected, rtol=1e-14)
    np.testing.assert_allclose(new.fixed(tf.constant(start)), old.fixed(start), rtol=1e-14)
    np.testing.assert_allclose(new.energy(tf.constant(start), 3.0), old.energy(start, 3.0), rtol=1e-14)


def test_programs_print_the_same() -> None:
    text = rewritten("kernels")
    programs = ((FIXTURES / "kernels.py").read_text(encoding="utf-8"), text)
    runs = [python("-c", code, cwd=ROOT) for code in programs]
    assert [run.returncode for run in runs] == [0, 0], runs
    assert runs[0].stdout == runs[1].stdout != ""


def test_gradients_and_jacobians(pair: tuple[Any, Any]) -> None:
    _, new = pair
    x = tf.constant([0.3, -1.2, 2.0], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        energy = new.energy(x, 3.0)
        field = new.field(x)
    np.testing.assert_allclose(tape.gradient(energy, x), 3.0 * x - np.sin(x), rtol=1e-12)
    a, b, _ = x.numpy()
    np.testing.assert_allclose(tape.jacobian(field, x), [[b, a, 0], [np.cos(a), 0, 0], [0, 2 * b, 0]], rtol=1e-12)


def test_gradients_flow_through_updates(pair: tuple[Any, Any]) -> None:
    old, new = pair
    start = np.linspace(0.0, 1.0, 6)
    x = tf.Variable(start)
    with tf.GradientTape() as tape:
        total, _ = new.relax(x, 2)
    step = 1e-6
    moved = [[old.relax(start + sign * step * row, 2) for row in np.eye(6)] for sign in (1, -1)]
    np.testing.assert_allclose(tape.gradient(total, x), np.subtract(*moved) / (2 * step), rtol=1e-8)
    np.testing.assert_array_equal(x, start)


def test_vectorized_map_and_graphs(pair: tuple[Any, Any]) -> None:
    old, new = pair
    rows = np.arange(12.0).reshape(3, 4) ** 2
    expected = np.stack([old.normalised(row) for row in rows])
    np.testing.assert_allclose(tf.vectorized_map(new.normalised, tf.constant(rows)), expected, rtol=1e-12)
    np.testing.assert_allclose(tf.function(new.normalised)(tf.constant(rows[1])), expected[1], rtol=1e-12)


def test_tensorflow_and_matplotlib_take_the_results(pair: tuple[Any, Any]) -> None:
    pyplot = pytest.importorskip("matplotlib.figure")
    _, new = pair
    result = new.normalised(tf.constant(np.arange(5.0)))
    assert abs(float(tf.reduce_sum(tf.nn.relu(result)) - tf.reduce_sum(tf.nn.relu(-result)))) < 1e-12
    axes = pyplot.Figure().subplots()
    (line,) = axes.plot(result)
    np.testing.assert_array_equal(line.get_ydata(), result.numpy())


def test_a_network_learns_by_its_gradients(networks: tuple[Any, Any]) -> None:
    old, new = networks
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    np.testing.assert_allclose(new.loss(tf.constant(x), tf.constant(y)), old.loss(x, y), rtol=1e-12)
    weights = [tf.Variable(getattr(new, name)) for name in ("w1", "b1", "w2")]
    new.w1, new.b1, new.w2 = weights
    losses = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = new.loss(tf.constant(x), tf.constant(y))
        gradients = tape.gradient(loss, weights)
        for name, weight, gradient in zip(("w1", "b1", "w2"), weights, gradients, strict=True):
            if not losses:
                index = (0,) * getattr(old, name).ndim
                assert gradient[index].numpy() == pytest.approx(slope(old, name, index, x, y), rel=1e-5)
            weight.assign_sub(0.1 * gradient)
        losses.append(float(loss))
    assert losses[-1] < 0.9 * losses[0]


def test_the_model_of_the_guide() -> None:
    """Gradients of its loss in all weights, a jacobian for each row, vectorized_map and compiled graphs."""
    old, new = loaded((FIXTURES / "guide.py").read_text(encoding="utf-8"), "guide"), loaded(rewritten("guide"), "guide")
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4, 8)).astype("f"), np.ones((4, 2), "f")
    expected, model = old.Model(), new.Model()
    np.random.seed(3)
    first = old.run_inference(expected, x)
    np.random.seed(3)
    np.testing.assert_allclose(new.run_inference(model, tf.constant(x)), first, rtol=1e-4, atol=1e-6)
    assert all(type(w) is np.ndarray for w in model.weights)
    model.weights = tuple(map(tf.Variable, model.weights))
    with tf.GradientTape() as tape:
        loss = new.loss(model, tf.constant(x), tf.constant(y))
    assert float(loss) == pytest.approx(float(old.loss(expected, x, y)), rel=1e-5)
    w1, bias, w2 = expected.weights
    hidden = np.maximum(x @ w1 + bias, 0)
    back = 2 * (first - y) / first.size
    inner = (back @ w2.T) * (hidden > 0)
    for gradient, exact in zip(
        tape.gradient(loss, model.weights), (x.T @ inner, inner.sum(0), hidden.T @ back), strict=True
    ):
        np.testing.assert_allclose(gradient, exact, rtol=1e-3, atol=1e-6)
    with tf.GradientTape() as tape:
        inputs = tf.constant(x)
        tape.watch(inputs)
        results = new.run_inference(model, inputs)
    rows = [(w1 * (row > 0)) @ w2 for row in hidden]
    np.testing.assert_allclose(tape.batch_jacobian(results, inputs), np.swapaxes(rows, 1, 2), rtol=1e-3, atol=1e-6)
    mapped = tf.vectorized_map(lambda row: model.predict(row[None])[0], inputs)
    np.testing.assert_allclose(mapped, first, rtol=1e-4, atol=1e-6)
    compiled = tf.function(lambda x: new.run_inference(model, x), jit_compile=True)
    np.testing.assert_allclose(compiled(inputs), first, rtol=1e-4, atol=1e-6)


def slope(network: Any, name: str, index: tuple[int, ...], x: np.ndarray, y: np.ndarray) -> float:
    """The central difference of the loss in one weight."""
    weight, step = getattr(network, name), 1e-6
    start = weight[index]
    losses = []
    for value in (start + step, start - step):
        weight[index] = value
        losses.append(network.loss(x, y))
    weight[index] = start
    return (losses[0] - losses[1]) / (2 * step)


def test_what_numpy_code_of_the_module_uses_stays_numpy() -> None:
    text = (
        "import numpy as np\n\n\ndef squared(x):\n    return np.square(np.exp(x))\n\n\n"
        "def free(x):\n    return np.exp(x)\n\n\ndef above(x):\n    return squared(np.exp(x))\n\n\n"
        "def rows(x):\n    for row in np.exp(x):\n        yield squared(row)\n\n\n"
        "class Model:\n    def apply(self, x):\n        return np.exp(x)\n\n\nTABLE = Model().apply(np.ones(3))\n"
    )
    report = rewrite(text, boundary="tensor")
    assert report.new_text is not None
    blocked = {region.qualname: region.reasons[0] for region in report.regions if region.state.value == "blocked"}
    assert set(blocked) == {"squared", "rows", "Model.apply"}
    assert "--boundary tensor" in blocked["squared"]
    assert "rt.tensor(squared(rt.host(rt.exp(x))))" in report.new_text or "squared(rt.host(" in report.new_text


def test_a_second_run_changes_nothing() -> None:
    for name in ("kernels", "network"):
        assert rewrite(rewritten(name), boundary="tensor").new_text is None
        assert rewrite(rewritten(name)).new_text is None


def test_options_that_need_a_wrapper_are_refused() -> None:
    for option in ({"on_unverified": "numpy"},):
        with pytest.raises(ConfigError, match="needs a boundary"):
            load([], {"boundary": "tensor", **option}, isolated=True)


HANDED_OVER = """
import numpy as np

def show(x, i, width, callback):
    callback(x)
    return np.sin(x[0, :, i]), np.exp(x // width), 0.0 * -x
"""


def test_arguments_that_others_get_too_are_tensors_as_well() -> None:
    text = rewrite(HANDED_OVER, boundary="tensor").new_text
    assert text is not None
    old, new = loaded(HANDED_OVER, "old"), loaded(text, "new")
    x, seen = np.linspace(-1.0, 1.0, 24).reshape(2, 3, 4), []
    for key in (1, np.array([0, 2, 2])):
        expected = old.show(x, key, 0.1, seen.append)
        found = new.show(tf.constant(x), key if isinstance(key, int) else tf.constant(key), 0.1, seen.append)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-15)
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other))
    assert is_tensor(seen[-1])


ZEROS = """
import numpy as np
from np2tnp import runtime as rt

rt.start()
x = rt.tensor(np.ones(1))
x * -0.0
print(np.signbit(x * 0.0))
"""


def test_zeros_keep_their_sign_from_the_start() -> None:
    done = python("-c", ZEROS)
    assert done.stdout == "[False]\n"


UPDATES_OF_WHAT_STAYS = {
    "an item of an object of unknown kind": """
class Rows:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, i):
        return self.x[i]


def f(x):
    for row in Rows(x):
        row += np.exp(1.0)
    return np.sum(x)
""",
    "an attribute": """
class Box:
    def __init__(self, v):
        self.v = v


def f(x):
    box = Box(x)
    box.v += np.sqrt(x)
    return np.exp(x)
""",
    "what a context manager gives": """
import contextlib


@contextlib.contextmanager
def doubled(x):
    x *= 2.0
    yield x
    x /= 2.0


def f(x):
    with doubled(x) as y:
        y += np.sqrt(y)
        return np.sum(x)
""",
    "a callee that stays NumPy": """
def grow(a):
    a *= 2
    s = 0.0
    for i in range(len(a)):
        s += a[i] * s
    return s


def f(x):
    grow(x)
    return np.sqrt(x)
""",
    "a value of a dict": """
def f(x):
    d = {"k": x}
    d["k"] += np.sqrt(x)
    return x, d
""",
}


@pytest.mark.parametrize("text", UPDATES_OF_WHAT_STAYS.values(), ids=UPDATES_OF_WHAT_STAYS)
def test_a_tensor_is_no_array_that_others_update(text: str) -> None:
    report = rewrite("import numpy as np\n" + text, boundary="tensor", slow="keep")
    found = {region.qualname: region for region in report.regions}["f"]
    assert found.state.value == "blocked"
    assert found.reasons
    if report.new_text is not None:  # the others of the module
        x = np.array([1.0, 4.0])
        expected = loaded("import numpy as np\n" + text, "old").f(x.copy())
        np.testing.assert_allclose(loaded(report.new_text, "new").f(x.copy()), expected)


def test_builtins_that_are_operators_give_numpys_dtypes() -> None:
    text = """
import numpy as np


def f(a, b):
    return pow(a, 2), divmod(a, b), abs(a), pow(2, a), divmod(7, b), np.cos(a)


def g(a):
    return np.sqrt(abs(a)), pow(a, 2), abs(-3), pow(2, 5), divmod(7, 2)


def total(a):
    return abs(a).sum() + np.exp(0.0)
"""
    old, new = loaded(text, "old"), loaded(rewrite(text, boundary="tensor").new_text or "", "new")
    for dtype in "?bBhHiIlLfd":
        a, b = np.array([1, 0, 1]).astype(dtype), np.array([1, 1, 1]).astype(dtype)
        calls: list[tuple[str, tuple[Any, ...]]] = [("g", (a,)), ("total", (a,)), ("f", (a, b))]
        for name, arguments in calls:
            expected = _leaves(getattr(old, name)(*arguments))
            found = _leaves(getattr(new, name)(*map(tf.constant, arguments)))
            for one, other in zip(expected, map(np.asarray, found), strict=True):
                assert np.asarray(one).dtype == other.dtype, (dtype, name)
                np.testing.assert_allclose(one, other, rtol=1e-6)


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, (tuple, list)) else [value]


def test_no_tensor_stays_in_a_list_of_an_object_for_what_stays_numpy() -> None:
    """`x` is assigned again and must be an ndarray for the list; whoever calls `forward` may give a tensor."""
    text = (
        "import numpy as np\n\n\n"
        "class Net:\n    def __init__(self, weights):\n        self.weights = weights\n\n"
        "    def forward(self, x):\n        self.seen = [x]\n        for w in self.weights:\n"
        "            x = np.tanh(x @ w) + 1\n            self.seen.append(x)\n        return x\n\n"
        "    def backward(self, y):\n        d = self.seen[-1] - y\n        return [d.sum(axis=0), str(d)]\n"
    )
    report = rewrite(text, boundary="tensor")
    states = {region.qualname: region.state.value for region in report.regions}
    new = loaded(report.new_text or text, "nets").Net([np.ones((2, 2))])
    new.forward(np.ones((3, 2)))
    assert states["Net.forward"] == "blocked"
    assert [type(item) for item in new.seen] == [np.ndarray, np.ndarray]


def test_methods_of_what_operators_give_answer_for_tensors_too() -> None:
    text = """import numpy as np


class Node:
    def __init__(self, points, depth=0):
        self.child = None
        self.center = points.mean(axis=0)
        self.radius = np.sqrt(((points - self.center) ** 2).sum(axis=1)).max()
        if len(points) > 2 and depth < 3:
            self.child = Node(points[:2], depth + 1)
"""
    points = np.arange(8.0).reshape(4, 2)
    new = rewrite(text, boundary="tensor").new_text
    assert new is not None
    found, expected = (loaded(it, "nodes").Node(points) for it in (new, text))
    assert (found.radius, found.child.radius) == (expected.radius, expected.child.radius)
