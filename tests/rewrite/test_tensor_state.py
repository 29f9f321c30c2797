"""``--state tensor``: what objects hold from call to call, who sees it, and what stays as it was."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import random_objects
from side_by_side import Call, Pair, compare_text, reasons, rewrite
from snippets import Snippet, find_state, read_all

from np2tnp import runtime as rt
from np2tnp.cli import main
from np2tnp.config import EMISSION, Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.boundary.object_state import lift

#: Who reads attributes in the call itself is no code of the module: it sees tensors.
SNIPPETS = [one for one in read_all() if "self." in one.text and not any("(lambda" in call for call in one.calls)]
OWN = [one for one in SNIPPETS if one.file == "tensor_state.txt"]

NET = """
import numpy as np


def relu(x):
    return np.maximum(x, 0)


class Net:
    def __init__(self, n, m, seed=0):
        rng = np.random.default_rng(seed)
        self.w = rng.normal(size=(n, m)) * 0.1
        self.b = np.zeros(m)
        self.speed = np.zeros((n, m))
        self.steps = 0

    def forward(self, x):
        w = self.w
        return relu(np.tanh(x @ w + self.b))

    def loss(self, x, y):
        return np.mean((self.forward(x) - y) ** 2)

    def step(self, x, y, rate):
        error = self.forward(x) - y
        self.speed = 0.9 * self.speed - rate * (x.T @ error)
        self.w += self.speed
        self.b -= rate * np.sum(error, axis=0)
        self.w[0] *= 0.5
        self.steps += 1
        return np.sum(error * error)

    def weights(self):
        return self.w

    def smooth(self):
        for i in range(1, len(self.b)):
            self.b[i] = 0.5 * (self.b[i] + self.b[i - 1])

    def __repr__(self):
        return f"Net({self.w.shape}, {self.b.sum():.6f})"


def train(n, m, x, y):
    net = Net(n, m)
    losses = [net.step(x, y, 0.1) for _ in range(3)]
    net.smooth()
    kept = net.weights()
    losses.append(net.step(x, y, 0.1))
    return losses, kept, kept is net.w, net, repr(net)
"""
CALL = "train(3, 2, np.linspace(-1, 1, 12).reshape(4, 3), np.ones((4, 2)))"


def rewritten(text: str = NET, **options: Any) -> str:
    made = rewrite(text, state="tensor", **{"slow": "keep", **options}).new_text
    assert made is not None
    return made


def module(text: str) -> types.ModuleType:
    made = sys.modules["held"] = types.ModuleType("held")
    exec(compile(text, "held.py", "exec"), made.__dict__)
    return made


def is_tensor(value: object) -> bool:
    return type(value).__module__.startswith("tensorflow")


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    made = module(rewritten(on_unverified="numpy")).Net(3, 2)
    for _ in range(2):
        made.step(np.linspace(-1, 1, 12).reshape(4, 3), np.ones((4, 2)), 0.1)
    return made


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda one: f"{Path(one.file).stem}-{one.name}")
def test_nobody_can_tell_by_a_value(snippet: Snippet) -> None:
    _, wrong = find_state(snippet, state="tensor")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("snippet", OWN, ids=lambda one: str(one.name))
def test_nor_with_originals_kept(snippet: Snippet) -> None:
    _, wrong = find_state(snippet, state="tensor", on_unverified="numpy")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("options", [{}, {"on_unverified": "numpy", "slow": "keep"}], ids=str)
def test_random_classes_do_what_they_did(options: dict[str, Any]) -> None:
    counts, problems = random_objects.run(range(12), state="tensor", **options)
    assert not problems, "\n\n".join(problems)
    assert counts["equal"] > 6
    assert counts["on tensors of objects"] > 24


@pytest.mark.parametrize("options", [{}, {"on_unverified": "numpy"}, {"slow": "convert"}, {"compile": "xla"}], ids=str)
def test_a_small_network(options: dict[str, Any]) -> None:
    report, (judgement,) = compare_text(NET, [CALL], state="tensor", **{"slow": "keep", **options})
    assert judgement.kind == "equal", judgement
    assert report.new_text is not None
    assert "self.w = rt.iadd(self.w, self.speed)" in report.new_text
    assert "self.w = rt.at(self.w)[0].multiply(0.5)" in report.new_text
    again = analyze(Source("net.py", report.new_text), Config(rewrite=True, state="tensor", **options))
    assert again.new_text in (None, report.new_text)


def test_objects_hold_tensors_from_call_to_call(net: Any) -> None:
    assert is_tensor(net.w)
    assert is_tensor(net.b)
    assert is_tensor(net.speed)
    assert net.steps == 2
    held = net.b
    net.loss(np.ones((4, 3)), np.ones((4, 2)))
    assert net.b is held, "a method that reads copies nothing"


def test_what_others_do_with_such_objects_works(net: Any) -> None:
    expected = np.asarray(net.w)
    assert expected.shape == (3, 2)
    assert str(expected) in str(net.w)
    assert repr(net).startswith("Net((3, 2), ")
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        np.testing.assert_array_equal(np.asarray(other.w), expected)
        other.step(np.ones((4, 3)), np.zeros((4, 2)), 0.1)
        assert np.any(np.asarray(other.w) != expected)
    np.testing.assert_array_equal(np.asarray(net.w), expected)


def test_what_is_given_out_is_the_array_that_the_object_holds(net: Any) -> None:
    weights = net.weights()
    assert type(weights) is np.ndarray
    assert net.w is weights
    before = weights.copy()
    net.step(np.ones((4, 3)), np.ones((4, 2)), 0.1)
    assert net.w is weights, "somebody else holds it: it is updated in place"
    assert np.any(weights != before)
    del weights
    net.step(np.ones((4, 3)), np.ones((4, 2)), 0.1)
    assert is_tensor(net.w), "nobody else does any more"


def test_arrays_that_others_put_there_are_updated_in_place(net: Any) -> None:
    mine = np.ones((3, 2))
    view = mine[0]
    net.w = mine
    net.step(np.ones((4, 3)), np.ones((4, 2)), 0.1)
    assert net.w is mine
    assert np.all(view != 1)


def test_originals_see_ndarrays(net: Any) -> None:
    x = np.ones((4, 3), dtype=np.longdouble)  # what the migrated function refuses
    assert isinstance(net.loss(x, np.ones((4, 2))), np.longdouble)
    assert type(net.w) is np.ndarray
    assert type(net.b) is np.ndarray
    net.forward(np.ones((4, 3)))
    assert is_tensor(net.w)


def test_small_calls_of_such_objects_stay_in_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NP2TNP_ABOVE", raising=False)
    loaded = module(rewritten(on_unverified="numpy", above=1000))
    net = loaded.Net(3, 2)
    large, small = np.ones((1000, 3)), np.ones((4, 3))
    net.forward(large)
    assert is_tensor(net.w)
    net.forward(small)
    assert type(net.w) is np.ndarray


def test_with_other_threads_updates_are_steps_of_numpys(net: Any) -> None:
    import threading

    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        net.step(np.ones((4, 3)), np.ones((4, 2)), 0.1)
        assert type(net.w) is np.ndarray
    finally:
        done.set()
        other.join()


class Held:
    """An object with arrays."""

    def __init__(self, **arrays: Any) -> None:
        self.__dict__.update(arrays)


def test_only_arrays_that_nobody_else_shows_become_tensors() -> None:
    shared, based = np.ones(3), np.ones((3, 2))
    read_only, columns = np.ones(3), np.ones((3, 2), order="F")
    read_only.flags.writeable = False
    held = Held(alone=np.ones(3), shared=shared, view=based[0], number=1.0, zero_d=np.array(1.0), text=np.array(["a"]))
    held.read_only, held.columns = read_only, columns
    del read_only, columns
    lift(held, ("alone", "shared", "view", "number", "zero_d", "text", "read_only", "columns", "absent"))
    assert [name for name, value in vars(held).items() if is_tensor(value)] == ["alone"]
    held.seen = np.ones(3)
    part = held.seen[:1]
    lift(held, ("seen",))
    assert type(held.seen) is np.ndarray
    del part
    lift(held, ("seen",))
    assert is_tensor(held.seen)


def test_settled_leaves_everything_but_tensors() -> None:
    import tensorflow as tf

    class Slotted:
        __slots__ = ("w",)

    slotted, array, variable = Slotted(), np.ones(2), tf.Variable([1.0])
    assert rt.settled(slotted, "w") is slotted
    slotted.w = tf.constant([1.0, 2.0], tf.float32)
    assert rt.settled(slotted, "w").w.dtype == np.float32
    held = Held(a=array, v=variable, s=tf.constant(2, tf.int32))
    assert rt.settled(held, "a", "v", "s", "absent") is held
    assert held.a is array
    assert held.v is variable
    assert type(held.s) is np.int32
    assert rt.settled(None, "w") is None
    assert type(rt.kept(tf.constant(2.0))) is np.ndarray
    assert is_tensor(rt.kept(tf.constant([2.0])))


def test_gradients_reach_what_the_constructor_made() -> None:
    import tensorflow as tf

    loaded = module(rewritten(NET.partition("def train")[0], boundary="tensor"))
    net = loaded.Net(3, 2)
    assert is_tensor(net.w)
    x, y = tf.constant(np.linspace(-1, 1, 12).reshape(4, 3)), tf.ones((4, 2), tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([net.w, net.b])
        loss = net.loss(x, y)
    gradients = tape.gradient(loss, [net.w, net.b])
    original = module(NET).Net(3, 2)
    for name, gradient in zip(("w", "b"), gradients, strict=True):
        array = getattr(original, name)
        for index in np.ndindex(array.shape):
            array[index] += 1e-6
            above = original.loss(x.numpy(), y.numpy())
            array[index] -= 2e-6
            below = original.loss(x.numpy(), y.numpy())
            array[index] += 1e-6
            assert gradient.numpy()[index] == pytest.approx((above - below) / 2e-6, abs=1e-6)
    net.step(x, y, 0.1)
    original.step(x.numpy(), y.numpy(), 0.1)
    np.testing.assert_allclose(np.asarray(net.w), original.w)
    assert is_tensor(net.w)


@pytest.mark.parametrize("mode", ["graph", "xla"])
def test_compiled_methods_take_tensors_of_the_object(mode: str) -> None:
    from np2tnp.runtime.compile.compiled import RUNS

    RUNS.clear()
    text = """
def several(n, m, x, y):
    net = Net(n, m)
    return [(net.loss(x, y), net.step(x, y, 0.1)) for _ in range(3)], net.forward(x)
"""
    pair = Pair(NET + text, rewritten(NET + text, compile=mode))
    call = Call.parse("several(3, 2, np.linspace(-1, 1, 12).reshape(4, 3), np.ones((4, 2)))")
    (judgement,) = pair.compare([call])
    assert judgement.kind == "equal", judgement
    assert set(RUNS) == {"compiled"}


REASONS = {
    "class A:\n    w = None\n": "the class itself has something of that name",
    "class A:\n    def w_of(self):\n        return getattr(self, 'w' + '')\n": "reads attributes by getattr()",
    "class A:\n    def all(self):\n        return self.__dict__\n": "reads attributes by .__dict__",
    "class A:\n    def __getattr__(self, name):\n        return 0\n": "defines __getattr__",
    "from elsewhere import Base\n\nclass A(Base):\n": "class that is not all the module's own",
    "def keep(cls):\n    return cls\n\n@keep\nclass A:\n": "class that is not all the module's own",
    "import copy\n\nclass A:\n    def twin(self):\n        return copy.copy(self)\n": "copy.copy() makes two objects",
    'class A:\n    def text(self):\n        return "{0.w}".format(self)\n': "a text that is formatted",
    'class A:\n    def text(self):\n        """>>> A(2).w\n        [0]\n        """\n': "a doctest",
    "class A:\n    def f(self, x):\n        match x:\n            case A(w=w):\n                return w\n": "pattern",
}
BODY = """
    def __init__(self, n):
        self.w = np.sqrt(np.ones(n))

    def step(self, g):
        self.w = self.w + np.tanh(g)
        return np.sum(self.w)
"""


@pytest.mark.parametrize("head", REASONS, ids=REASONS.values())
def test_an_attribute_stays_an_ndarray_where_not_all_is_known(head: str) -> None:
    text = f"import numpy as np\n\n{head}{BODY}"
    plain = rewrite(text)
    report = rewrite(text, state="tensor")
    assert report.new_text == plain.new_text
    assert reasons(report) == reasons(plain)
    found = {finding.message for finding in report.findings if finding.code == "TNP510"}
    assert len(found) == 1
    assert REASONS[head] in found.pop()


def test_one_attribute_does_not_keep_the_others() -> None:
    text = f"import numpy as np\n\nclass A:{BODY}\n        self.v = np.sqrt(g)\n\n\nV = A(2).v\n".replace(
        "        return np.sum(self.w)\n\n", ""
    )
    made = rewritten(text)
    assert "self.w = self.w + tnp.tanh(g)" in made
    assert "self.v = rt.host(tnp.sqrt(g))" in made


def test_functions_that_stay_read_ndarrays_and_change_in_nothing_else() -> None:
    made = rewritten(on_unverified="numpy", above=1000)
    assert '    def weights(self):\n        rt.settled(self, "w")\n        return self.w\n' in made
    assert '    def smooth(self):\n        rt.settled(self, "b")\n        for i in range(1, len(self.b)):\n' in made


def test_functions_that_are_not_to_change_keep_what_they_read_as_it_was() -> None:
    made = rewritten(skip_regions=("Net.weights",))
    assert "    def weights(self):\n        return self.w\n" in made
    assert "self.w += rt.host(" in made or "self.w += self.speed" in made
    assert "self.b = rt.isub(self.b, " in made


def test_a_new_method_finds_what_an_earlier_run_left() -> None:
    made = (
        rewritten()
        + "\n\nclass Other(Net):\n    def norm(self, x):\n        return np.sqrt(np.sum(self.w * x)), self.w\n"
    )
    again = rewrite(made, state="tensor")
    assert again.new_text is None or 'rt.settled(self, "w").w' in again.new_text


def test_without_the_option_nothing_of_it_is_written() -> None:
    plain = rewrite(NET).new_text
    assert plain is not None
    assert "settled" not in plain
    assert "tensors=" not in plain


def test_float32_keeps_ndarrays() -> None:
    assert rewritten(float32=True) == rewrite(NET, float32=True, slow="keep").new_text


def test_it_is_an_option_of_the_command_line_and_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.py"
    path.write_text(NET, encoding="utf-8")
    assert main(["rewrite", "--state", "tensor", str(path)]) == 0
    by_option = capsys.readouterr().out
    assert "+        self.w = rt.iadd(self.w, self.speed)" in by_option
    assert main(["rewrite", str(path)]) == 0, "another option is another report"
    assert "rt.iadd(self.w" not in capsys.readouterr().out
    (tmp_path / "np2tnp.toml").write_text('state = "tensor"\n', encoding="utf-8")
    assert main(["rewrite", str(path)]) == 0
    assert capsys.readouterr().out == by_option
    assert main(["rewrite", "--state", "tensors", str(path)]) == 2
    assert "numpy, tensor" in capsys.readouterr().err
    assert "state" in EMISSION, "what was measured with it is only rewritten with it"


def test_verify_compares_objects_by_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.py"
    path.write_text(NET, encoding="utf-8")
    assert main(["verify", "--state", "tensor", "--json", str(path), "Net.loss", "Net.step"]) == 0
    verdicts = {one["name"]: one["verdict"] for one in json.loads(capsys.readouterr().out)["functions"]}
    assert verdicts == {"Net.loss": "EQUAL", "Net.step": "EQUAL"}
