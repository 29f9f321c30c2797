"""``--boundary tensor``: code that stays NumPy gets no tensors from what it calls without a name."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from side_by_side import rewrite

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.lazy_tensorflow import tf

#: Each defines main(), whose result is made of plain Python. What it calls writes into results, as into ndarrays.
PROGRAMS = {
    "objects that are called": """
class Layer:
    def __init__(self, w):
        self.w = w
    def __call__(self, x):
        return np.exp(x) @ self.w
def rows(layer, xs):
    for x in xs:
        y = layer(x)
        y[0] = 0
        yield y
def last(layer, x):
    y = layer(np.sin(x))
    y[0] = 5
    return y
def main():
    layer = Layer(np.eye(2) * 2)
    return [y.tolist() for y in rows(layer, np.ones((2, 2)))], last(layer, np.ones(2)).tolist()
""",
    "an object in an attribute, and one in a parameter": """
class Kernel:
    def __call__(self, x):
        return np.exp(-x)
class Model:
    def __init__(self, kernel):
        self.kernel = kernel
    def run(self, x):
        y = self.kernel(x)
        y[0] = 0
        return np.sum(y)
def main():
    return float(Model(Kernel()).run(np.ones(3)))
""",
    "operators in code that stays": """
class Op:
    def __matmul__(self, x):
        return np.exp(x)
    def __rmul__(self, x):
        return np.exp(x)
    def __neg__(self):
        return np.exp(np.ones(2))
    def __lt__(self, other):
        return np.exp(np.ones(2)) < 2
    def __abs__(self):
        return np.exp(np.ones(2))
    def __radd__(self, x):
        return np.exp(np.ones(2)) + x
def results(op, x):
    yield from (op @ x, x * op, -op, op < 3, abs(op), sum([op]))
def main():
    found = list(results(Op(), np.ones(2)))
    for y in found:
        y[0] = 0
    return [y.tolist() for y in found]
""",
    "operators of a known object in code that migrates": """
class Op:
    def __init__(self, a):
        self.a = a
    def __matmul__(self, x):
        return self.a @ x
    def __getitem__(self, i):
        return np.exp(self.a)[i]
    def __iadd__(self, x):
        return self.a + np.exp(x)
def both(x):
    op = Op(np.eye(2))
    y, z = op @ np.sin(x), op[0]
    y[0] = z[0] = 0
    op += x
    op[0] = 1
    return y + z, op
def main():
    return [v.tolist() for v in both(np.ones(2))]
""",
    "an operator of what was taken for an array": """
class Op:
    def __mul__(self, x):
        return np.exp(x)
def product(op, x, log):
    log.append(x)
    x += 1
    y = op * x
    y[0] = log[0][0]
    return y.tolist()
def main():
    return product(Op(), np.ones(2), [])
""",
    "what Python asks objects for": """
class Box:
    def __init__(self, x):
        self.x = x
    def __getitem__(self, i):
        return np.exp(self.x[i])
    def __enter__(self):
        return np.exp(self.x)
    def __exit__(self, *error):
        self.x = np.log(self.x)
    def __array__(self, dtype=None, copy=None):
        return np.exp(self.x)
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return np.exp(self.x)
def results(box):
    yield from box
    with box as y:
        yield y
    yield np.asarray(box)
    yield box.anything
def main():
    found = list(results(Box(np.ones((2, 2)))))
    for y in found:
        y[0] = 0
    return [y.tolist() for y in found]
""",
    "a constructor that updates its argument": """
class Box:
    def __init__(self, x):
        x *= 2
        self.s = float(np.sum(np.exp(x)))
def main():
    x = np.ones(2)
    return Box(x).s, x.tolist()
""",
    "names in texts": """
class P:
    @property
    def double(self):
        return np.exp(np.ones(2))
    def triple(self, x):
        return np.exp(x) * 3
def squared(x):
    return np.exp(x) ** 2
def results(p, names):
    for name in names:
        y = getattr(p, name)
        yield y(np.ones(2)) if callable(y) else y
    yield globals()["squared"](np.ones(2))
def main():
    found = list(results(P(), ["double", "triple"]))
    for y in found:
        y[0] = 0
    return [y.tolist() for y in found]
""",
    "methods under other names": """
class Base:
    def kernel(self, x):
        return np.exp(x)
    __call__ = kernel
    TABLE = {"exp": kernel}
def results(base):
    yield base(np.ones(2))
    yield base.TABLE["exp"](base, np.ones(2))
def main():
    found = list(results(Base()))
    for y in found:
        y[0] = 0
    return [y.tolist() for y in found]
""",
    "what is handed on is stored into": """
class Layer:
    def apply(self, x):
        return np.exp(x)
class Model:
    def __init__(self):
        self.layer = Layer()
    def forward(self, x):
        h = self.layer.apply(x)
        return self.layer.apply(h)
def cleared(model, x):
    y = model.forward(x)
    y[0] = 0
    return y.tolist()
def main():
    return cleared(Model(), np.ones(2))
""",
    "what is handed on has another name that shows the update": """
class Layer:
    def apply(self, x):
        return np.exp(x)
def forward(layer, x):
    return layer.apply(x)
def twice(layer, x):
    y = forward(layer, x)
    kept = y
    y += 1
    return np.sum(kept) + np.sum(np.sin(x))
def main():
    return float(twice(Layer(), np.ones(2)))
""",
    "an update that is handed on": """
def scale(x):
    x *= 2
    x[x > 3] = 0
def twice(x):
    scale(x)
    return scale(x)
def main():
    x = np.array([1.0, 2.0])
    twice(x)
    return x.tolist()
""",
    "a view that is handed on": """
class Box:
    def __init__(self):
        self.w = np.ones(3)
    def part(self, x):
        return self.w[1:] if x is None else np.exp(x)
def handed(box, x):
    return box.part(x)
def main():
    box = Box()
    handed(box, None)[0] = 7
    return box.w.tolist()
""",
    "what is printed, formatted and kept by who hands it on": """
class Layer:
    def apply(self, x):
        return np.exp(x)
LOG = []
def told(layer, x):
    y = layer.apply(x)
    LOG.append(y)
    return f"{y}"
def shown(layer, x):
    return repr(layer.apply(x))
def main():
    told(Layer(), np.ones(2))
    LOG[0][0] = 3
    return told(Layer(), np.ones(2)), shown(Layer(), np.zeros(2)), LOG[0].tolist()
""",
    "another class has a method of that name": """
class Layer:
    def apply(self, x):
        return np.exp(x)
class Clearing:
    def apply(self, x):
        x[0] = 0
        HELD.append(x)
        return x
HELD = []
def forward(layers, x):
    for layer in layers:
        x = layer.apply(x)
    return x
def main():
    return forward([Layer(), Clearing()], np.ones(2)).tolist(), [x.tolist() for x in HELD]
""",
    "an exception of NumPy's is handled where it is handed on": """
class Layer:
    def __init__(self, w):
        self.w = w
    def apply(self, x):
        return np.dot(x, self.w)
def forward(layer, x):
    try:
        return layer.apply(x)
    except ValueError:
        return None
def main():
    return forward(Layer(np.ones((3, 2))), np.ones((2, 2)))
""",
}


def load(text: str) -> Any:
    module = types.ModuleType("program")
    exec(compile(text, "program.py", "exec", dont_inherit=True), vars(module))
    return module


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_numpy_code_goes_on_with_ndarrays(text: str) -> None:
    text = f"import numpy as np\n{text}"
    new = rewrite(text, boundary="tensor").new_text
    found = load(new or text).main()
    assert str(found) == str(load(text).main())


#: ``matrix.diagonal()`` and ``matrix.shape`` tell of an array where no class of the program has such members.
MEMBERS = """
import numpy as np


class Matrix:
    def __init__(self, values):
        self.values, self.shape = values, (len(values), len(values))

    def diagonal(self):
        return np.exp(self.values)


class Scaled:
    def __init__(self, matrix):
        self.inverse = 1.0 / matrix.diagonal()


def main():
    matrix = Matrix(np.ones(3))
    rows, _ = matrix.shape
    return rows, Scaled(matrix).inverse.tolist()
"""


@pytest.mark.parametrize("options", [{"boundary": "tensor"}, {"on_unverified": "raise"}], ids=["tensor", "raise"])
def test_members_that_objects_of_the_program_have_tell_of_no_array(options: dict[str, str]) -> None:
    new = rewrite(MEMBERS, **options).new_text
    assert new is not None
    assert str(load(new).main()) == str(load(MEMBERS).main())


STILL_MIGRATES = """
import numpy as np


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(x @ self.w)

    def __matmul__(self, x):
        return self.w @ np.exp(x)

    def __add__(self, other):
        return Layer(self.w + np.exp(other.w))


def applied(op, x):
    return op @ np.sin(x)


def size(x):
    return float(np.sqrt(np.sum(x**2)))


SIZES = sorted([np.ones(2), np.zeros(2)], key=size)
"""


def test_what_nobody_calls_from_numpy_code_takes_tensors() -> None:
    """No call of an object here; `size` gives no tensor to those who call it, nor does ``__add__``."""
    report = rewrite(STILL_MIGRATES, boundary="tensor")
    states = {region.qualname: region.state.value for region in report.regions}
    methods = [f"Layer.{name}" for name in ("__call__", "__matmul__", "__add__")]
    assert {states[name] for name in ("applied", "size", *methods)} == {"convertible"}
    assert report.new_text is not None
    module = load(report.new_text)
    layer, x = module.Layer(np.eye(2)), tf.constant([0.5, 1.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    assert is_tensor(y)
    np.testing.assert_allclose(tape.gradient(y, x), 1 - np.tanh(x) ** 2, rtol=1e-12)
    np.testing.assert_allclose(module.applied(layer, x), np.exp(np.sin(x)), rtol=1e-14)
    assert module.SIZES[0].tolist() == [0.0, 0.0]


LAYERS = """
import numpy as np


class Dense:
    def __init__(self, w):
        self.w = w

    def apply(self, x):
        return np.maximum(np.dot(x, self.w), 0)


class Model:
    def __init__(self, layers):
        self.layers = layers
        self.first = layers[0]

    def forward(self, x):
        for layer in self.layers:
            x = layer.apply(x)
        return x

    def both(self, x):
        h = self.first.apply(x)
        return h, self.forward(h)


def loss(model, x, y):
    return np.mean(np.square(model.forward(x) - y))
"""


def test_what_only_hands_results_on_is_no_obstacle() -> None:
    """Its text stays, and what it gives are tensors, through which gradients flow."""
    report = rewrite(LAYERS, boundary="tensor")
    states = {region.qualname: region.state.value for region in report.regions}
    assert states["Dense.apply"] == states["loss"] == "convertible"
    assert report.new_text is not None
    assert LAYERS[LAYERS.index("class Model") : LAYERS.index("def loss")] in report.new_text
    old, new = load(LAYERS), load(report.new_text)
    weights = [np.array([[1.0, -2.0], [0.5, 3.0]]), np.array([[2.0, 1.0], [-0.75, 0.5]])]
    x, y = np.array([[1.0, 2.0], [0.25, -1.0]]), np.ones((2, 2))
    variables = [tf.Variable(w) for w in weights]
    model = new.Model([new.Dense(w) for w in variables])
    with tf.GradientTape() as tape:
        value = new.loss(model, tf.constant(x), tf.constant(y))
    expected = old.Model([old.Dense(w) for w in weights])
    assert float(value) == pytest.approx(old.loss(expected, x, y), rel=1e-14)
    for gradient, weight in zip(tape.gradient(value, variables), weights, strict=True):
        weight[0, 1] += 1e-6
        up = old.loss(expected, x, y)
        weight[0, 1] -= 2e-6
        slope = (up - old.loss(expected, x, y)) / 2e-6
        weight[0, 1] += 1e-6
        assert float(gradient[0, 1]) == pytest.approx(slope, rel=1e-6, abs=1e-9)
    first, last = model.both(tf.constant(x))
    assert is_tensor(first)
    assert is_tensor(last)
