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

from np2tnp import config, pipeline
from np2tnp.model import RegionState
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
    "what a method of another object gave is added to an ndarray": """
class Node:
    def __init__(self, w, kids=()):
        self.w, self.kids, self.out = w, list(kids), None
    def forward(self, x):
        self.out = np.tanh(self.w @ x)
        for kid in self.kids:
            self.out = self.out + kid.forward(x)
        return self.out
def losses(net, xs):
    for x in xs:
        y = net.forward(x)
        g = y - x
        yield float(0.5 * (g ** 2).sum())
def main():
    net = Node(np.ones((2, 2)), [Node(np.eye(2))])
    return [round(loss, 12) for loss in losses(net, [np.array([1.0, 0.5])])]
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


def test_objects_get_no_tensor_that_an_argument_made() -> None:
    """What is added is what an object of the caller's made of the caller's tensor."""
    text = f"import numpy as np\n{PROGRAMS['what a method of another object gave is added to an ndarray']}"
    new = rewrite(text, boundary="tensor").new_text
    assert new is not None
    net = load(new).Node(np.ones((2, 2)), [types.SimpleNamespace(forward=tf.exp)])
    net.forward(tf.constant([1.0, 0.5], tf.float64))
    assert type(net.out) is np.ndarray


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


#: Others of the project use these: what updates its arguments would give them back to code that expects no such thing.
OPS = """
import numpy as np

def scale(x, k):
    x *= k
    return np.tanh(x) + x

def zero(x):
    x[:] = 0

class Net:
    def __init__(self, w):
        self.w = w
    def step(self, x):
        x *= 2
        return np.exp(x) * self.w
    def __call__(self, x):
        x += 1
        return np.exp(x)

def energy(x):
    return np.sum(np.exp(x) ** 2)
"""
UPDATERS = {"scale", "zero", "Net.step", "Net.__call__"}
USES = {
    "by its name": ({"main.py": "from pkg.ops import scale\ndef use(x):\n    return scale(x, 3)\n"}, "scale"),
    "another name": ({"main.py": "from pkg.ops import scale as s\ndef use(x):\n    return s(x, 3)\n"}, "scale"),
    "the update": ({"main.py": "from pkg.ops import zero\ndef use(x):\n    zero(x)\n"}, "zero"),
    "by its module": ({"main.py": "import pkg.ops\ndef use(x):\n    return pkg.ops.scale(x, 3)\n"}, "scale"),
    "by its module's other name": (
        {"main.py": "import pkg.ops as o\ndef use(x):\n    return o.scale(x, 3)\n"},
        "scale",
    ),
    "by its module, as a value": ({"main.py": "from pkg import ops\nF = list(map(ops.zero, []))\n"}, "zero"),
    "by a relative import": ({"pkg/main.py": "from .ops import scale\nstep = scale\n"}, "scale"),
    "by a star import": ({"main.py": "from pkg.ops import *\ndef use(x):\n    return scale(x, 3)\n"}, "scale"),
    "by a re-export": (
        {"pkg/__init__.py": "from .ops import scale\n", "main.py": "from pkg import scale\ny = scale([], 3)\n"},
        "scale",
    ),
    "by a re-export of all": (
        {"pkg/__init__.py": "from .ops import *\n", "main.py": "import pkg\ny = pkg.scale([], 3)\n"},
        "scale",
    ),
    "by a re-export with another name": (
        {"pkg/__init__.py": "from .ops import scale as s\n", "main.py": "from pkg import s\ny = s([], 3)\n"},
        "scale",
    ),
    "by a module that is a parameter": (
        {"run.py": "import main, pkg.ops\nmain.use(pkg.ops, [])\n", "main.py": "def use(o, x): return o.scale(x, 3)\n"},
        "scale",
    ),
    "by its name in a text": ({"main.py": "from pkg import ops\ny = getattr(ops, 'scale')\n"}, "scale"),
    "in a test": ({"tests/test_ops.py": "from pkg.ops import scale\ndef test():\n    scale([], 3)\n"}, "scale"),
    "in a notebook": (
        {"try.ipynb": '{"cells": [{"source": ["from pkg.ops import scale\\n", "scale(x, 3)"]}]}'},
        "scale",
    ),
    "where its folder is added at run time": ({"run/main.py": "import ops\ny = ops.scale([], 3)\n"}, "scale"),
    "a method": ({"main.py": "from pkg.ops import Net\ndef use(x):\n    return Net(1.0).step(x)\n"}, "Net.step"),
    "a method, where the class is not named": (
        {"main.py": "import pkg.ops, train\ntrain.use(pkg.ops.Net(1), [])\n", "train.py": "def use(n, x): n.step(x)\n"},
        "Net.step",
    ),
    "a method that a subclass has, too": (
        {"main.py": "from pkg.ops import Net\nclass Sub(Net):\n    def step(self, x):\n        return 2\n"},
        "Net.step",
    ),
}


def states(folder: Path, texts: dict[str, str]) -> tuple[set[str], list[str]]:
    """What of ``OPS`` migrates, and why the rest does not."""
    (folder / "pyproject.toml").write_text("")
    for name, text in {"pkg/__init__.py": "", "pkg/ops.py": OPS, **texts}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    settings = config.load([str(folder)], {"boundary": "tensor", "slow": "convert", "cache": False, "jobs": 1})
    reports = pipeline.rewrite([str(folder)], settings).reports
    regions = next(report.regions for report in reports if report.path.endswith("ops.py"))
    migrating = {region.qualname for region in regions if region.state is RegionState.CONVERTIBLE}
    return migrating, [reason for region in regions for reason in region.reasons]


@pytest.mark.parametrize(("texts", "name"), USES.values(), ids=USES)
def test_what_another_file_uses_stays(texts: dict[str, str], name: str, tmp_path: Path) -> None:
    found, reasons = states(tmp_path, texts)
    assert name not in found
    assert "energy" in found
    where = next(path for path in reversed(texts) if path != "pkg/__init__.py" or "another" in str(texts))
    assert any(where in reason or "pkg/__init__.py" in reason for reason in reasons)


def test_names_that_are_computed_and_special_methods(tmp_path: Path) -> None:
    found, _ = states(
        tmp_path, {"main.py": "from pkg import ops\ndef use(name, x):\n    return getattr(ops, name)(x)\n"}
    )
    assert not found & UPDATERS
    (tmp_path / "main.py").write_text("from pkg import ops\n")
    assert states(tmp_path, {})[0] & UPDATERS == UPDATERS - {"Net.__call__"}


@pytest.mark.parametrize("here", [".", "pkg"])
def test_a_caller_of_no_project_beside_the_package(here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command names the file of the package alone, which then is the top of what it looks at."""
    states(tmp_path, {"main.py": "from pkg.ops import scale\ny = scale([], 3)\n"})
    (tmp_path / "pyproject.toml").unlink()
    monkeypatch.chdir(tmp_path / here)
    path = "pkg/ops.py" if here == "." else "ops.py"
    settings = config.load([path], {"boundary": "tensor", "slow": "convert", "cache": False})
    (report,) = pipeline.rewrite([path], settings).reports
    assert {r.qualname for r in report.regions if r.state is RegionState.CONVERTIBLE} & UPDATERS == {"zero", "Net.step"}


OTHERS = """
import numpy as np
from pkg.others import scale
from pkg import zero
from pkg.ops import energy

class Box:
    def __init__(self, scale):
        self.scale = scale

def use(x, box):
    np.step = 3
    return scale(x, 3) * self.scale, zero, energy(x)
"""


def test_what_nobody_uses_gives_back_the_updated_arrays(tmp_path: Path) -> None:
    """Another function of the name is no use, nor is an import, nor code that was written for tensors."""
    texts = {
        "pkg/__init__.py": "from .ops import scale\nfrom .others import zero\n__all__ = ['scale', 'zero']\n",
        "pkg/others.py": "def scale(x, k):\n    return x\ndef zero(x):\n    return x\n",
        "main.py": OTHERS,
        "grad.py": "from pkg import ops\nprint(ops.scale(3.0, 3).numpy())\n",
    }
    assert states(tmp_path, texts)[0] & UPDATERS == {"scale", "zero", "Net.step"}
