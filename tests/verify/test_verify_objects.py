"""Objects that ``verify`` makes for functions that take them, and for methods of classes that make none."""

from __future__ import annotations

import subprocess
import sys

import pytest
from verify_texts import HEAD, LIMITS, NEW_HEAD

from np2tnp.verify.loading import Program
from np2tnp.verify.program import FunctionVerdict, verify_pair
from np2tnp.verify.two_texts import Pair

pytestmark = pytest.mark.usefixtures("forked_children")

PROGRAM = """
import abc

class Kernel(abc.ABC):
    def __init__(self, scale):
        self.scale = scale

    @abc.abstractmethod
    def distance(self, x): ...

    {migrated}
    def weights(self, x):
        return {np}.exp(-self.distance(x) / self.scale)

class Overriding(Kernel):
    def distance(self, x):
        return x

    def weights(self, x):
        return x

class Gauss(Kernel):
    def distance(self, x):
        return x * x

class Base:
    def forward(self, x):
        raise NotImplementedError

    {migrated}
    def loss(self, x):
        return {np}.sum(self.forward(x))

class Linear(Base):
    def forward(self, x):
        return 2.0 * x

class Model:
    def __init__(self, kernel, noise=0.1):
        self.kernel = kernel
        self.noise = noise

    {migrated}
    def covariance(self, x):
        return {np}.tanh(self.kernel.distance(x) + self.noise)

class Tree:
    def __init__(self, threshold):
        self.threshold = threshold
        self.leaf_value = 2.0

class Grid:
    def __init__(self, n):
        self.values = np.linspace(0.0, 1.0, n)

    {migrated}
    def energy(self):
        return {np}.sum({np}.tanh(self.values))

{migrated}
def predict(tree, x):
    return {np}.tanh(x + tree.threshold) * tree.leaf_value

{migrated}
def energy(kernel: Kernel, x):
    return {np}.sum(kernel.distance(x))

{migrated}
def forest(trees, x):
    total = {np}.zeros(3)
    for tree in trees:
        total = total + {np}.tanh(tree.threshold) * tree.leaf_value
    return total

{migrated}
def mixed(kernels: list[Kernel], x):
    return {np}.sum({np}.stack([{np}.exp(it.distance(x)) for it in kernels]))
"""
NAMES = ["Kernel.weights", "Base.loss", "Model.covariance", "predict", "energy", "forest", "mixed", "Grid.energy"]


def verified(tmp_path, new: str, names: list[str]):
    path = tmp_path / "old.py"
    old = HEAD + PROGRAM.format(migrated="", np="np")
    path.write_text(old)
    return {it.name: it for it in verify_pair(Pair(str(path), old, new, "test"), names, LIMITS)}


def test_objects_are_made_of_subclasses_and_by_what_is_read_of_them(tmp_path):
    new = NEW_HEAD + PROGRAM.format(migrated="@rt.migrated", np="rt")
    found = verified(tmp_path, new, NAMES)
    assert {name: it.verdict for name, it in found.items()} == dict.fromkeys(NAMES, FunctionVerdict.EQUAL)


def test_a_difference_in_a_method_of_an_abstract_class_is_shown_by_code_that_runs(tmp_path):
    right = PROGRAM.format(migrated="@rt.migrated", np="rt")
    new = NEW_HEAD + right.replace("rt.exp(-self", "rt.exp(self")
    it = verified(tmp_path, new, ["Kernel.weights"])["Kernel.weights"]
    assert it.verdict is FunctionVerdict.DIFFERENT
    assert "it = Gauss(" in it.code, "a subclass that overrides the method would show nothing"
    done = subprocess.run([sys.executable, "-c", it.code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("parameter", "used", "like"),
    [
        ("tree", "tree.threshold", "Tree"),
        ("tree", "tree.threshold + tree.seen", "Tree"),  # inherits one
        ("tree", "tree.seen", "Root"),
        ("tree", "tree.shape", None),  # may be an array
        ("tree", "tree.threshold + tree.nobody", None),
        ("tree: int", "tree.threshold", None),  # its annotation says
    ],
)
def test_a_parameter_is_taken_for_an_object_of_the_class_that_has_all_that_is_read(parameter, used, like):
    text = f"""
class Root:
    seen = 1

class Tree(Root):
    def __init__(self):
        self.threshold = self.shape = 1

def f({parameter}):
    return {used}
"""
    assert Program(text).target("f").parameters[0].instance == like


@pytest.mark.parametrize(
    ("parameter", "used", "like"),
    [
        ("trees", "[it.threshold for it in trees]", "Tree"),
        ("trees", "{i: it.threshold for i, it in enumerate(trees)}", "Tree"),
        ("trees", "trees[0].threshold", "Tree"),
        ("trees: list[Tree]", "len(trees)", "Tree"),
        ("trees: 'Sequence[Tree]'", "len(trees)", "Tree"),
        ("trees: tuple[Tree, ...]", "len(trees)", "Tree"),
        ("trees: dict[Tree, int]", "len(trees)", None),
        ("trees: list[float]", "[it.threshold for it in trees]", None),
        ("trees", "[it.shape for it in trees]", None),  # may be arrays
        ("trees", "[it.threshold for it in other(trees)]", None),
    ],
)
def test_a_parameter_is_taken_for_a_list_of_such_objects(parameter, used, like):
    text = f"""
class Tree:
    def __init__(self):
        self.threshold = self.shape = 1

def f({parameter}):
    return {used}
"""
    it = Program(text).target("f").parameters[0]
    assert it.instance == like
    assert ("instances" in it.kinds) is (like is not None)
