"""The arguments that ``profile -- PROGRAM`` records of a program's own calls."""

from __future__ import annotations

import pickle
import sys
import textwrap
import types
from pathlib import Path

import pytest

from np2tnp.profiling.hot import first_lines
from np2tnp.profiling.record import Wanted, record
from np2tnp.verify.loading import load
from np2tnp.verify.recorded import has_objects, spec_of, unpickled, varied
from np2tnp.verify.specs import Array, Call, Case, make

RECORDED = """
    import threading
    import numpy as np

    def update(x, *rest, scale=2.0, **more):
        inner = lambda: x.sum()
        x *= scale
        return inner()

    class Model:
        def __init__(self):
            self.w = np.arange(4.0)

        @classmethod
        def make(cls, n):
            return cls()

        def step(self, x):
            self.w += x
            return self.w

    def locked(x, lock):
        with lock:
            return x + 1

    def both(a, b):
        return a + b

    def generates(x):
        yield x

    def driver(model):
        for i in range(5):
            model.step(np.ones(4))

    x = np.arange(6.0)
    update(x, 1, np.zeros(2), k=3)
    update(np.arange(20.0)[::-2], scale=3.0)
    update(np.ones(1000), 1)
    driver(Model.make(1))
    locked(x, threading.Lock())
    both(x, x[1:])if False else both(x[:-1], x[1:])
    list(generates(x))
    t = threading.Thread(target=update, args=(np.ones(7),))
    t.start(); t.join()
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    path = folder / "program.py"
    path.write_text(textwrap.dedent(RECORDED))
    names = ("update", "Model.step", "Model.make", "locked", "both", "generates", "driver")
    lines = first_lines(path.read_text())
    wanted = [Wanted(str(path), name, lines[name], name != "driver") for name in names]
    place = folder / "arguments"
    place.mkdir()
    found, ended = record([sys.executable, str(path)], wanted, place, 1.0, 1)
    assert ended.status == 0
    return dict(zip(names, found, strict=True))


def payload(signature):
    with open(signature.payload, "rb") as file:
        return pickle.load(file)


def test_arguments_are_kept_as_they_were_before_the_call(recorded):
    np = pytest.importorskip("numpy")
    update = recorded["update"]
    assert update.calls == 4
    by_text = {signature.text: signature for signature in update.signatures}
    text = "x: float64[6], rest[0]: 1, rest[1]: float64[2], scale: float, k: int of 2 bits"
    args, kwargs = payload(by_text[text])
    assert args[0].tolist() == [0, 1, 2, 3, 4, 5]  # the call has multiplied them by two
    assert args[1] == 1
    assert args[2].shape == (2,)
    assert kwargs == {"scale": 2.0, "k": 3}
    strided = next(signature for name, signature in by_text.items() if "strided" in name)
    array = payload(strided)[0][0]
    assert array.strides == (-16,)
    assert np.array_equal(array, np.arange(20.0)[::-2])
    array[0] = 5.0  # own, writable memory


def test_objects_of_the_main_file_are_of_the_version_under_test(recorded):
    it = recorded["Model.step"]
    assert Path(it.main).samefile(it.wanted.path)
    version = types.ModuleType("program")
    version.Model = type("Model", (), {})
    args, _ = unpickled(it.signatures[0].payload, version, it.main)
    assert type(args[0]) is version.Model


def test_signatures_are_chosen_at_both_ends(recorded):
    assert [s.elements for s in recorded["update"].chosen(2)] == [6, 1000]
    assert len(recorded["update"].chosen(3)) == 3


def test_what_cannot_be_copied_is_named(recorded):
    assert "lock cannot be copied" in recorded["locked"].obstacle()
    assert "a and b share memory" in recorded["both"].obstacle()
    assert recorded["generates"].obstacle() == "it was not called in the second run"


def test_callers_are_known_to_the_line(recorded):
    step = recorded["Model.step"]
    assert step.calls == 5
    lines = first_lines(Path(step.wanted.path).read_text())
    assert {line for _, line in step.callers} == {lines["driver"] + 2}
    assert recorded["driver"].calls == 1
    assert recorded["driver"].signatures == []


def test_arguments_beyond_the_limit_are_counted_but_not_kept(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import numpy as np\ndef f(x):\n    return x\nf(np.ones(300_000)); f(np.ones(10))\n")
    found, _ = record([sys.executable, str(path)], [Wanted(str(path), "f", 2)], tmp_path, 1.0, 1)
    kept = {signature.elements: signature for signature in found[0].signatures}
    assert kept[10].payload
    assert not kept[300_000].payload
    assert "--record-limit" in kept[300_000].why


def test_objects_among_recorded_arguments_are_varied(tmp_path):
    import numpy as np

    text = "class Model:\n    def __init__(self):\n        self.w = [np.arange(40.0)]\n        self.rate = 0.5\n"
    module = load(str(tmp_path / "program.py"), "import numpy as np\n\n" + text)
    model = module.Model()
    case = Case("f", Call(([spec_of(model)], 2.0)), note="a program's arguments")
    assert has_objects(case)
    assert not has_objects(Case("f", Call((Array(np.ones(3)), [1.0]))))
    other = varied(case, module, np.random.default_rng(0))
    (made,), number = make(other.call.args[0], vars(module)), other.call.args[1]
    assert (number, made.rate, type(made)) == (2.0, 0.5, module.Model)
    assert made.w[0].tolist() != model.w[0].tolist()
    assert sorted(made.w[0]) == model.w[0].tolist()
    (same,) = make(case.call.args[0], vars(module))
    assert same.w[0].tolist() == model.w[0].tolist()
