"""The trials of ``profile`` in their child processes: agreement, arguments, devices, and what goes wrong."""

from __future__ import annotations

import collections
import contextlib
import pickle
import threading
import types
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.profiling.emitted import compiled_forms, variants_of
from np2tnp.profiling.evidence import Speed
from np2tnp.profiling.measured import AS_GIVEN, Measured, Plan
from np2tnp.profiling.measurement import Session, measure
from np2tnp.profiling.recorded_calls import copied
from np2tnp.verify.two_texts import CannotVerify, Pair, find_pair

pytestmark = pytest.mark.usefixtures("forked_children")

ORIGINAL = """
import os
import numpy as np

def relax(field, steps):
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()

def sigmoid(x):
    return 1 / (1 + np.exp(-x))

def wrong(x):
    return np.sin(x)

def untraceable(x):
    return x * 2.0

def deadly(x):
    return x + 1.0

def ends_its_process(x):
    if len(x) > 100:
        os._exit(3)
    return x + 1.0

def logged(x):
    with open(os.devnull, "a"), open("written.log", "a") as file:
        file.write(f"{np.random.random()}")
    return np.sin(x) + np.random.standard_normal(x.shape)

def drawn(x, rng):
    return x[rng.choice(len(x), 5)] + np.tanh(x[:5])

class Average:
    def __init__(self, shape, rate=0.5):
        self.state = np.random.standard_normal(shape)
        self.rate = rate

    def push(self, x):
        assert type(self) is Average
        self.state += self.rate * (x - self.state)
        return self.state.sum()

    @classmethod
    def scaled(cls, x):
        return np.tanh(x)
"""

REWRITTEN = """
import os
import numpy as np
import tensorflow.experimental.numpy as tnp
from np2tnp import runtime as rt

@rt.migrated(mutates=("field",))
def relax(field, steps):
    for _ in range(steps):
        field = tnp.concatenate([field[:1], 0.5 * (field[:-2] + field[2:]), field[-1:]])
    return rt.updated(tnp.sum(field), field=field)

@rt.migrated
def sigmoid(x):
    return 1 / (1 + tnp.exp(-x))

@rt.migrated
def wrong(x):
    return tnp.cos(x)

@rt.migrated
def untraceable(x):
    return rt.tensor(rt.host(x) * 2.0)

@rt.migrated
def deadly(x):
    if len(x) > 100:
        os._exit(7)
    return x + 1.0

@rt.migrated
def ends_its_process(x):
    return x + 1.0

@rt.migrated
def logged(x):
    with open(os.devnull, "a"), open("written.log", "a") as file:
        file.write(f"{np.random.random()}")
    return tnp.sin(x) + rt.tensor(np.random.standard_normal(rt.shape(x)))

@rt.migrated
def drawn(x, rng):
    return rt.take(x, rng.choice(len(x), 5)) + tnp.tanh(x[:5])

class Average:
    def __init__(self, shape, rate=0.5):
        self.state = np.random.standard_normal(shape)
        self.rate = rate

    @rt.migrated
    def push(self, x):
        assert type(self) is Average
        self.state += rt.host(self.rate * (x - rt.tensor(self.state)))
        return tnp.sum(rt.tensor(self.state))

    @classmethod
    @rt.migrated
    def scaled(cls, x):
        return tnp.tanh(x)
"""


def plan_for(function: str, sizes: tuple[int, ...], *expressions: tuple[str, str], **options) -> Plan:
    pair = Pair("program_under_test.py", ORIGINAL, REWRITTEN, "test")
    options = {"variants": ("eager-ndarray", "eager-tensor", "graph", "xla"), **options}
    return Plan(pair, function, "n", sizes, expressions, repeats=5, budget=0.05, refine=0, **options)


class Going:
    """Processes for one test after the other: each takes seconds to import TensorFlow."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._sessions: tuple[Session, Session] | None = None

    def measure(self, plan: Plan) -> Measured:
        if self._sessions is None:
            self._sessions = Session(plan), Session(plan, single=True)
            for session in self._sessions:
                self._stack.enter_context(session)
        return measure(plan, going_on=self._sessions)


@pytest.fixture(scope="module")
def going() -> Iterator[Going]:
    with contextlib.ExitStack() as stack:
        yield Going(stack)


def test_all_variants_run_on_every_logical_device():
    plan = plan_for("relax", (64,), ("field", "rng.standard_normal(n)"), ("steps", "3"), logical_cpus=2, devices="cpu")
    measured = measure(plan)
    assert measured.devices == ["CPU:0", "CPU:1"]
    assert {(t.device, t.variant) for t in measured.trials} == {(d, v) for d in measured.devices for v in plan.variants}
    for trial in measured.trials:
        assert trial.agreed, trial
        assert trial.speed in Speed
        assert trial.variant_time.low <= trial.variant_time.median <= trial.variant_time.high
        assert trial.first_call > 0
        assert (trial.transfer == {}) == trial.variant.endswith("ndarray")
    assert measured.environment["tf32"] is False
    assert measured.single[64, ""].median > 0


def test_no_time_without_agreement(going):
    measured = going.measure(plan_for("wrong", (50,), ("x", "rng.standard_normal(n)"), devices="CPU:0"))
    assert len(measured.trials) == 4
    for trial in measured.trials:
        assert not trial.agreed
        assert trial.variant_time is None
        assert "expected" in trial.reason


def test_a_variant_that_fails_is_reported_beside_the_others(going):
    measured = going.measure(plan_for("untraceable", (50,), ("x", "rng.standard_normal(n)"), devices="CPU:0"))
    timed = {trial.variant: trial.variant_time is not None for trial in measured.trials}
    assert timed == {"eager-ndarray": True, "eager-tensor": True, "graph": False, "xla": False}
    assert all(trial.reason for trial in measured.trials if trial.variant in ("graph", "xla"))


def test_compiled_variants_are_what_rewrite_emits(tmp_path, going):
    body = "    for _ in range(steps):\n        x = np.cos(x) * 2.0\n    return x\n"
    (tmp_path / "program.py").write_text(f"import numpy as np\n\n\ndef f(x, steps):\n{body}")
    pair = find_pair(str(tmp_path / "program.py"), None, Config())
    texts = compiled_forms(pair, Config())
    assert [it.mode for it in texts if f'compile="{it.mode}"' in it.text] == ["graph", "xla"]
    plan = plan_for("f", (50,), ("x", "rng.standard_normal(n)"), ("steps", "3"), devices="CPU:0")
    variants = ("eager-ndarray", "graph-ndarray", "graph")
    measured = going.measure(replace(plan, pair=pair, compiled=texts, variants=variants))
    assert [trial.reason for trial in measured.trials] == ["", "", ""]
    assert all(trial.agreed for trial in measured.trials)
    first = {trial.variant: trial.first_call for trial in measured.trials}
    assert first["graph"] == first["graph-ndarray"]  # traced once for both
    assert variants_of(measured.plan.variants, Config(compile="xla")) == ("eager-ndarray",)


def test_every_size_is_compiled_however_many_there_are(tmp_path, going):
    (tmp_path / "program.py").write_text("import numpy as np\n\n\ndef f(x):\n    return np.cos(x) * 2.0\n")
    pair = find_pair(str(tmp_path / "program.py"), None, Config())
    sizes = tuple(range(2, 12))  # the runtime traces a function for eight shapes
    plan = replace(plan_for("f", sizes, ("x", "rng.standard_normal(n)"), devices="CPU:0"), pair=pair)
    compiled = tuple(form for form in compiled_forms(pair, Config()) if form.mode == "graph")
    measured = going.measure(replace(plan, variants=("graph",), compiled=compiled))
    assert [(trial.size, trial.reason) for trial in measured.trials] == [(size, "") for size in sizes]


def test_every_variant_says_why_it_is_not_compiled(tmp_path, going):
    text = "import numpy as np\n\nINNER = {1, -1}\n\n\ndef f(x):\n    return np.cos(x[min(INNER)])\n"
    (tmp_path / "program.py").write_text(text)
    pair = find_pair(str(tmp_path / "program.py"), None, Config())
    plan = replace(plan_for("f", (5, 6), ("x", "rng.standard_normal(n)"), devices="CPU:0"), pair=pair)
    compiled = tuple(form for form in compiled_forms(pair, Config()) if form.mode == "graph")
    measured = going.measure(replace(plan, variants=("graph-ndarray", "graph"), compiled=compiled))
    assert len(measured.trials) == 4
    assert all("reads the global INNER" in trial.reason for trial in measured.trials), measured.trials


def test_a_dead_child_ends_only_its_own_trials():
    plan = plan_for(
        "deadly", (50, 200, 300), ("x", "np.ones(n)"), devices="CPU:0", variants=("eager-ndarray", "eager-tensor")
    )
    measured = measure(plan)
    by_size = {size: [t for t in measured.trials if t.size == size] for size in plan.sizes}
    assert all(trial.agreed for trial in by_size[50])
    assert all("exit status 7" in trial.reason for trial in by_size[200] + by_size[300])
    assert not any("cuda" in trial.reason for trial in measured.trials)  # what TensorFlow logged is not the reason


def test_an_original_that_ends_its_process_is_tried_once():
    plan = plan_for("ends_its_process", (50, 200, 300), ("x", "np.ones(n)"), devices="CPU:0")
    measured = measure(replace(plan, variants=("eager-ndarray", "eager-tensor")))
    reasons = {size: {trial.reason for trial in measured.trials if trial.size == size} for size in plan.sizes}
    said = "in the original: the child process ended (exit status 3)"
    assert reasons == {50: {""}, 200: {said}, 300: {f"not tried: at n=200 {said}"}}


def test_random_numbers_agree_and_what_is_written_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    measured = measure(
        plan_for("logged", (50,), ("x", "np.ones(n)"), devices="CPU:0", variants=("eager-ndarray", "eager-tensor"))
    )
    assert [(trial.reason, trial.agreed) for trial in measured.trials] == [("", True)] * 2
    told = [note for note in measured.notes if "is the machine busy?" not in note]
    assert told[:1] == ["logged writes written.log: so it did in every sample"]


def test_each_call_gets_the_stream_as_it_was_given(going):
    given = (("x", "np.linspace(0.0, 1.0, n)"), ("rng", "np.random.default_rng(3)"))
    measured = going.measure(plan_for("drawn", (50,), *given, devices="CPU:0", variants=("eager-ndarray",)))
    assert [(trial.reason, trial.agreed) for trial in measured.trials] == [("", True)]


class Slotted:
    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (np.random.default_rng(1), lambda it: it.random()),
        (np.random.RandomState(1), lambda it: it.rand()),
        (collections.deque([1, 2]), lambda it: it.append(3)),
        ({1, 2}, lambda it: it.add(3)),
        (Slotted([1]), lambda it: it.items.append(2)),
    ],
    ids=lambda it: type(it).__name__,
)
def test_copies_share_no_state(value, change):
    before = pickle.dumps(value)
    change(copied(value))
    assert pickle.dumps(value) == before


def test_what_cannot_be_copied_is_passed_on():
    lock = threading.Lock()
    assert copied(lock) is lock


@pytest.mark.parametrize(
    ("function", "expressions", "said"),
    [
        ("sigmoid", (), "needs arguments nobody gave: x"),
        ("sigmoid", (("x", "np.ones(n)"), ("z", "1")), "no parameter z"),
        ("Average.push", (("x", "np.ones(n)"),), "needs an object.* or what Average is made from: shape"),
    ],
)
def test_arguments_must_fit(function, expressions, said, going):
    with pytest.raises(CannotVerify, match=said):
        going.measure(plan_for(function, (10,), *expressions))


@pytest.mark.parametrize(
    ("function", "expressions"),
    [
        ("Average.push", (("self", "Average((n, n), rate=0.25)"), ("x", "rng.standard_normal(n)"))),
        ("Average.push", (("shape", "n"), ("x", "rng.standard_normal(n)"))),
        ("Average.scaled", (("x", "rng.standard_normal(n)"),)),
    ],
)
def test_methods_are_timed_on_objects_of_their_own_version(function, expressions, going):
    measured = going.measure(
        plan_for(function, (9,), *expressions, devices="CPU:0", variants=("eager-ndarray", "eager-tensor"))
    )
    assert [(trial.reason, trial.agreed) for trial in measured.trials] == [("", True)] * 2


def test_versions_share_what_is_not_of_their_own():
    np = pytest.importorskip("numpy")
    from np2tnp.profiling.trial import evaluate

    one, other = (types.ModuleType("m") for _ in range(2))
    for module in (one, other):
        exec("import numpy as np\nclass Box:\n    def __init__(self, x):\n        self.x = x", vars(module))
    wanted = [
        ("x", "rng.random(n) + given"),
        ("box", "Box(x + rng.random() + np.random.random())"),
        ("y", "box.x * rng.random()"),
    ]
    first, second = evaluate(wanted, (one, other), {"n": 3, "given": 1.0}, np.random.default_rng(0))
    assert first["x"] is second["x"]
    assert (type(first["box"]), type(second["box"])) == (one.Box, other.Box)
    assert np.array_equal(first["box"].x, second["box"].x)
    assert np.array_equal(first["y"], second["y"])


def test_inputs_from_a_file(tmp_path, going):
    np = pytest.importorskip("numpy")
    np.savez(tmp_path / "in.npz", x=np.linspace(-1, 1, 300))
    plan = plan_for("sigmoid", (1,), devices="CPU:0", variants=("eager-ndarray",), inputs=str(tmp_path / "in.npz"))
    trial = going.measure(plan).trials[0]
    assert trial.agreed
    assert trial.elements == 300
    whole = going.measure(replace(plan, sizes=(AS_GIVEN,), size_name="elements"))
    assert [trial.size for trial in whole.trials] == [300]
    assert set(whole.single) == {(300, "")}
    np.savez(tmp_path / "in.npz", x=np.ones(3), z=np.ones(3))
    with pytest.raises(CannotVerify, match="no parameter z"):
        going.measure(plan)


@pytest.mark.usefixtures("new_children")
def test_numpy_on_one_thread_works_beside_the_same_libraries():
    """TensorFlow changes what the allocator does (NumPy is up to four times as fast then): only threads may differ."""
    plan = plan_for("sigmoid", (30,), ("x", "rng.standard_normal(n)"))
    with Session(plan, single=True) as alone:
        assert alone.reference(30) is not None
        assert alone.environment["tensorflow"]


@pytest.mark.usefixtures("new_children")
def test_a_child_goes_on_with_another_function():
    plan = plan_for("sigmoid", (30,), ("x", "rng.standard_normal(n)"), variants=("eager-ndarray",))
    with Session(plan) as session:
        assert session.trial("eager-ndarray", "CPU:0", 30).agreed
        session.go_on_with(replace(plan, function="wrong"))
        assert "not equal" in session.trial("eager-ndarray", "CPU:0", 30).reason
        with pytest.raises(CannotVerify, match="cannot be loaded"):
            session.go_on_with(replace(plan, function="missing"))


@pytest.mark.gpu
def test_a_gpu_is_measured_and_agrees():
    plan = plan_for("sigmoid", (100_000,), ("x", "rng.standard_normal(n, dtype='f4')"))
    try:
        measured = measure(replace(plan, devices="gpu"))
    except CannotVerify:
        pytest.skip("no GPU that TensorFlow can use")
    assert all(trial.agreed for trial in measured.trials)
