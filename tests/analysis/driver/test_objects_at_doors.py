"""Drivers of objects: behind a door that asks for the class, the methods' cores are called with tensors.

Each program is used by code outside of it that looks at the objects, replaces what they have, and changes it.
"""

from __future__ import annotations

import copy
import functools
import pickle
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from side_by_side import rewrite

from np2tnp import runtime as rt

LAYERS = """
import numpy as np


class Network:
    def __init__(self, inputs, hidden, outputs):
        rng = np.random.default_rng(0)
        self.w1 = rng.normal(size=(inputs, hidden)) * 0.1
        self.b1 = np.zeros(hidden)
        self.w2 = rng.normal(size=(hidden, outputs)) * 0.1
        self.b2 = np.zeros(outputs)

    def forward(self, x):
        self.h = np.tanh(x @ self.w1 + self.b1)
        return self.h @ self.w2 + self.b2

    def backward(self, x, error, rate):
        grad_h = (error @ self.w2.T) * (1.0 - self.h**2)
        self.w2 -= rate * (self.h.T @ error)
        self.b2 -= rate * np.sum(error, axis=0)
        self.w1 -= rate * (x.T @ grad_h)
        self.b1 -= rate * np.sum(grad_h, axis=0)


def loss_of(error):
    return np.mean(error**2)


def train(network, x, y, epochs, rate):
    losses = []
    for _ in range(epochs):
        error = network.forward(x) - y
        losses.append(loss_of(error))
        network.backward(x, error / len(x), rate)
    return losses
"""
X, Y = np.linspace(-1, 1, 24).reshape(8, 3), np.linspace(0, 1, 16).reshape(8, 2)


def held(thing: Any) -> dict[str, Any]:
    """What an object holds, each with its type."""
    found = getattr(thing, "__dict__", None) or {name: getattr(thing, name) for name in type(thing).__slots__}
    return {name: (type(value).__name__, value) for name, value in sorted(found.items())}


def trained(m: Any, **changed: Any) -> list[Any]:
    network = m.Network(3, 4, 2)
    vars(network).update(changed)
    return [m.train(network, X.copy(), Y.copy(), 3, 0.1), held(network)]


def held_outside(m: Any) -> list[Any]:
    """Who holds an array of the object's sees its updates."""
    network = m.Network(3, 4, 2)
    weights, row = network.w1, network.w2[0]
    before = weights.copy()
    losses = m.train(network, X.copy(), Y.copy(), 3, 0.1)
    return [losses, weights is network.w1, np.any(weights != before), weights, row, row.base is network.w2]


def shares_memory(m: Any) -> list[Any]:
    """An argument shows the memory of what the methods update."""
    network = m.Network(3, 4, 2)
    network.w1 = X.copy()[:3, :]
    network.b1, network.w2 = np.zeros(3), np.ones((3, 2))
    losses = m.train(network, network.w1, Y[:3].copy(), 3, 0.1)
    return [losses, held(network)]


def of_a_subclass(m: Any) -> list[Any]:
    class Louder(m.Network):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            x *= 0.5
            return super().forward(x) * 2.0

    network, x = Louder(3, 4, 2), X.copy()
    return [m.train(network, x, Y.copy(), 3, 0.1), held(network), x]


def with_another_method(m: Any) -> list[Any]:
    seen: list[Any] = []
    network = m.Network(3, 4, 2)

    def forward(x: Any) -> Any:
        seen.append(x)
        x += 0.25
        return type(network).forward(network, x)

    network.forward = forward
    x = X.copy()
    losses = m.train(network, x, Y.copy(), 3, 0.1)
    del network.forward
    return [losses, held(network), x, [one is x for one in seen]]


def replaced_in_the_class(m: Any, wraps: bool) -> list[Any]:
    seen: list[Any] = []
    original = m.Network.forward

    def forward(self: Any, x: Any) -> Any:
        seen.append(x)
        return original(self, x) + 1.0

    network, x = m.Network(3, 4, 2), X.copy()
    first = m.train(network, x, Y.copy(), 1, 0.1)
    m.Network.forward = functools.wraps(original)(forward) if wraps else forward
    try:
        losses = m.train(network, x, Y.copy(), 3, 0.1)
    finally:
        m.Network.forward = original
    again = m.train(network, x, Y.copy(), 1, 0.1)
    return [first, losses, again, held(network), [one is x for one in seen]]


def raising(m: Any) -> list[Any]:
    """The second epoch raises half-way: what was done by then is done."""
    network = m.Network(3, 4, 2)
    m.train(network, X.copy(), Y.copy(), 1, 0.1)
    network.b1 = np.zeros(5)
    with pytest.raises(ValueError, match="broadcast"):
        m.train(network, X.copy(), Y.copy(), 2, 0.1)
    first = held(network)
    network.b1, network.w1 = np.zeros(4), np.ones((3, 4), int)
    with pytest.raises(TypeError):
        m.train(network, X.copy(), Y.copy(), 2, 0.1)
    return [first, held(network)]


def copied(m: Any) -> list[Any]:
    network = m.Network(3, 4, 2)
    m.train(network, X.copy(), Y.copy(), 2, 0.1)
    twins = [copy.copy(network), copy.deepcopy(network), pickle.loads(pickle.dumps(network))]
    losses = m.train(network, X.copy(), Y.copy(), 2, 0.1)
    return [losses, held(network), *map(held, twins), twins[0].w1 is network.w1]


def beside_a_thread(m: Any) -> list[Any]:
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        return trained(m)
    finally:
        done.set()
        other.join()


def of_another_class(m: Any) -> list[Any]:
    calls: list[Any] = []
    network = types.SimpleNamespace(
        forward=lambda x: x[:, :2] * 2.0, backward=lambda x, error, rate: calls.append((x is given, error, rate))
    )
    given = X.copy()
    return [m.train(network, given, Y.copy(), 2, 0.1), calls]


#: uses of the network: what each gives, and whether the door lets it in
OF_LAYERS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "as it is": (trained, True),
    "held outside": (held_outside, True),
    "sharing memory": (shares_memory, False),
    "of a subclass": (of_a_subclass, False),
    "with another method": (with_another_method, False),
    "replaced in the class": (lambda m: replaced_in_the_class(m, False), False),
    "wrapped in the class": (lambda m: replaced_in_the_class(m, True), False),
    "with another attribute": (lambda m: trained(m, w2=np.ones((4, 2), np.float32) * 0.5, extra=[1]), True),
    "raising": (raising, True),
    "copied": (copied, True),
    "beside a thread": (beside_a_thread, True),
    "of another class": (of_another_class, False),
}

KALMAN = """
import numpy as np


class Filter:
    def __init__(self, f, h, q, r):
        self.f, self.h = f, h
        self.q = q * np.eye(2)
        self.r = r * np.eye(1)
        self.mean = np.zeros(2)
        self.cov = np.eye(2)

    def predict(self):
        self.mean = self.f @ self.mean
        self.cov = self.f @ self.cov @ self.f.T + self.q

    def update(self, z):
        gain = self.cov @ self.h.T @ np.linalg.inv(self.h @ self.cov @ self.h.T + self.r)
        self.mean = self.mean + gain @ (z - self.h @ self.mean)
        self.cov = self.cov - gain @ self.h @ self.cov
        return self.mean

    @property
    def spread(self):
        return np.trace(self.cov)


def filtered(tracker: "Filter", measured):
    track = np.zeros((len(measured), 2))
    for i in range(len(measured)):
        tracker.predict()
        track[i] = tracker.update(measured[i])
    return track, tracker.spread
"""

SWARM = """
import numpy as np


class Swarm:
    __slots__ = ("best", "positions", "speeds", "values")

    def __init__(self, positions):
        self.positions = positions.copy()
        self.speeds = np.zeros_like(positions)
        self.best = positions.copy()
        self.values = np.sum(positions**2, axis=1)

    def move(self, pull, inertia):
        self.speeds = inertia * self.speeds + pull * (self.best - self.positions)
        self.positions += self.speeds

    def judge(self):
        values = np.sum(self.positions**2, axis=1)
        better = values < self.values
        self.best[better] = self.positions[better]
        self.values = np.minimum(values, self.values)
        return self.values.min()


def search(swarm, steps, leader):
    history = []
    for _ in range(steps):
        swarm.move(0.3, 0.6)
        swarm.best = np.where(leader > 0, swarm.best, leader)
        history.append(swarm.judge())
    return history
"""

HEAT = """
import numpy as np


class Plate:
    count = 0

    def __init__(self, u: np.ndarray, callback=None):
        self.u = u
        self.callback = callback

    def step(self, source: np.ndarray):
        Plate.count += 1
        new = np.copy(self.u)
        new[1:-1] += 0.2 * (self.u[:-2] + self.u[2:] - 2.0 * self.u[1:-1]) + source[1:-1]
        self.u = new


class Hot(Plate):
    def step(self, source: np.ndarray):
        super().step(source + 1.0)


def run(plate: Plate, source: np.ndarray, steps, watch):
    for number in range(steps):
        plate.step(source)
        source = source * 0.5
        watch(plate, number)
    return plate.u


def quiet(plate: Plate, source: np.ndarray, steps):
    for number in range(steps):
        plate.step(source)
        source = source * 0.5
    return source


def twins(one: Plate, other: Plate, source: np.ndarray):
    one.step(source)
    other.step(source)
    one.u[2] = 7.0
    return other.u + source
"""

MOMENTUM = """
import numpy as np
from dataclasses import dataclass, field


@dataclass
class Momentum:
    rate: float
    decay: float = 0.9
    speed: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def step(self, weights, gradient):
        self.speed *= self.decay
        self.speed += gradient
        weights -= self.rate * self.speed


def descend(optimizer: Momentum, weights, target, steps):
    for _ in range(steps):
        optimizer.step(weights, 2.0 * (weights - target))
    return np.sum((weights - target) ** 2)
"""


def filtered(m: Any) -> list[Any]:
    f, h = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    tracker = m.Filter(f, h, 0.01, 0.1)
    found = m.filtered(tracker, np.sin(np.linspace(0, 1, 12)).reshape(12, 1))
    return [found, held(tracker), tracker.f is f]


def searched(m: Any) -> list[Any]:
    positions = np.linspace(-2, 2, 12).reshape(6, 2)
    swarm = m.Swarm(positions)
    mine = swarm.best
    return [m.search(swarm, 4, np.linspace(-1, 1, 2)), held(swarm), mine, positions]


def watched(m: Any) -> list[Any]:
    seen: list[Any] = []

    def watch(plate: Any, number: int) -> None:
        seen.append((type(plate.u).__name__, plate.u.copy()))
        if number == 1:
            plate.u[3] = 9.0
            plate.step = lambda source: seen.append(type(source).__name__)
        elif number == 2:
            del plate.step

    plate = m.Plate(np.linspace(0, 1, 8) ** 2)
    result = m.run(plate, np.ones(8), 4, watch)
    return [result, result is plate.u, seen, held(plate), m.Plate.count]


def plates(m: Any) -> list[Any]:
    first, plate, hot = np.linspace(0, 1, 8) ** 2, m.Plate(np.ones(8)), m.Hot(np.ones(8))
    plate.u = first
    found = [m.quiet(plate, np.ones(8), 3), m.quiet(hot, np.ones(8), 3), held(plate), held(hot), first, m.Plate.count]
    found += [m.twins(plate, plate, np.ones(8)), held(plate), m.twins(plate, m.Plate(first), np.ones(8)), first]
    return [*found, m.quiet(m.Plate(np.ones(8)), [1.0] * 8, 0)]


def descended(m: Any) -> list[Any]:
    optimizer, weights = m.Momentum(0.1), np.array([1.0, 2.0, 3.0])
    speed, view = optimizer.speed, weights[1:]
    loss = m.descend(optimizer, weights, np.zeros(3), 4)
    return [loss, held(optimizer), speed is optimizer.speed, weights, view, repr(optimizer)]


HOLDING = """
import numpy as np


class Store:
    def __init__(self, data, scale):
        self.data = data
        self.scale = scale * np.ones(3)
        self.rows = []

    def total(self, x: np.ndarray):
        return np.sum(self.data * x)

    def keep(self, x: np.ndarray):
        self.rows.append(x)
        return x * self.scale

    def moved(self, x: np.ndarray):
        if np.sum(x) > 0.0:
            x = np.sin(self.data) + x
            self.data = x
        return x

    def grow(self, x: np.ndarray):
        self.scale *= 2.0
        return np.sum(self.scale * x)


def halved(store: Store, x: np.ndarray):
    x *= 0.5
    return store.total(np.cos(x)), store.total(x)


def stepped(*numbers, store: Store, x: np.ndarray):
    scale = store.scale
    first = store.grow(np.sin(x))
    return store.grow(x + scale) - first, scale


def kept(store: Store, x: np.ndarray):
    y = np.sin(x)
    z = store.keep(y)
    y += 1.0
    return y + z, store.rows[0] is y


def handed_out(store: Store, x: np.ndarray):
    store.grow(np.cos(x))
    for _ in range(3):
        x = np.sin(store.data) + x
        store.data = x
    return x


def again(store: Store, x: np.ndarray, depth):
    if depth == 0:
        return store.total(x)
    return again(store, np.tanh(x), depth - 1) + store.grow(x)
"""


def holding(m: Any) -> list[Any]:
    class Other(m.Store):  # type: ignore[misc,name-defined]
        def grow(self, x: Any) -> Any:
            x += 1.0
            return super().grow(x)

    x = np.linspace(0, 1, 3)
    store, other = m.Store(x, 2.0), Other(np.ones(3), 1.0)
    found = [m.halved(store, x), x, m.halved(m.Store(x[::-1], 1.0), x), x, m.halved(m.Store(np.ones(3), 1.0), x), x]
    found += [m.stepped(store=store, x=x.copy()), held(store), m.stepped(store, store, store=other, x=x.copy())]
    found += [m.kept(store, x.copy()), store.rows, m.again(store, x.copy(), 3), m.again(other, x, 3), x]
    given = store.moved(np.ones(3))
    given += 1.0
    found += [given is store.data, given, store.data]
    given = m.handed_out(store, x.copy())
    given *= 2.0
    found += [given is store.data, given, store.data]
    store.data, store.scale = [1.0, 2.0, 3.0], 3.0
    return [*found, m.stepped(store=store, x=x.copy()), m.halved(store, x.copy()), m.again(store, x, 1)]


PROGRAMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **{f"layers {name}": (LAYERS, use) for name, (use, _) in OF_LAYERS.items()},
    "filter": (KALMAN, filtered),
    "swarm": (SWARM, searched),
    "heat, watched": (HEAT, watched),
    "heat": (HEAT, plates),
    "momentum": (MOMENTUM, descended),
    "holding": (HOLDING, holding),
}


@functools.cache
def rewritten(text: str, state: str) -> str:
    made = rewrite(text, state=state, on_unverified="numpy").new_text
    assert made is not None
    return made


def module(text: str) -> types.ModuleType:
    made = sys.modules["driven"] = types.ModuleType("driven")
    exec(compile(text, "driven.py", "exec"), made.__dict__)
    return made


def agree(one: Any, other: Any, where: str = "") -> None:
    if isinstance(one, (list, tuple, dict)):
        assert type(one) is type(other), where
        assert len(one) == len(other), where
        pairs = one.items() if isinstance(one, dict) else enumerate(one)
        for key, value in pairs:
            agree(value, other[key], f"{where}[{key!r}]")
    elif isinstance(one, (np.ndarray, np.generic)):
        assert type(one) is type(other), f"{where}: {type(one)} {type(other)}"
        assert one.dtype == other.dtype, where
        np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-14, err_msg=where)
    elif not callable(one):
        assert one == other, where


@pytest.fixture(autouse=True)
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")


@pytest.mark.parametrize("name", PROGRAMS)
def test_whoever_looks_sees_what_numpy_shows(name: str) -> None:
    text, use = PROGRAMS[name]
    has_door = "objects=" in rewritten(text, "numpy")
    assert has_door is not (name in ("momentum", "swarm")), "methods that change what they get, or get no array"
    agree(use(module(text)), use(module(rewritten(text, "numpy"))))


def test_what_goes_from_method_to_method_stays_on_the_device() -> None:
    loaded = module(rewritten(LAYERS, "tensor"))
    network = loaded.Network(3, 4, 2)
    with rt.count_ops() as counted:
        loaded.train(network, X.copy(), Y.copy(), 3, 0.1)
    assert counted.ops["MatMul"] == 3 * 5
    assert "rt.core(network.forward)(x) - y" in rewritten(LAYERS, "numpy")
    assert "rt.core(network.backward)(x, error / len(x), rate)" in rewritten(LAYERS, "numpy")


CALLERS = """

def fitted(network, x, y):
    losses = train(network, np.tanh(x), y, 3, 0.1)
    return np.mean(network.forward(np.tanh(x)) - y), losses


class Trainer:
    def __init__(self, network: Network):
        self.network = network

    def fit(self, network: Network, x: np.ndarray, y: np.ndarray):
        return train(network, np.tanh(x), y, 2, 0.1)

    def own(self, x: np.ndarray, y: np.ndarray):
        return train(self.network, np.tanh(x), y, 2, 0.1)


def anybodys(networks, x: np.ndarray, y: np.ndarray):
    return [train(network, np.tanh(x), y, 2, 0.1) for network in networks]
"""


def called(m: Any) -> list[Any]:
    network = m.Network(3, 4, 2)

    class Other(m.Network):  # type: ignore[misc,name-defined]
        def forward(self, x: Any) -> Any:
            return super().forward(x * 2.0)

    found = [m.fitted(network, X.copy(), Y.copy()), m.Trainer(network).fit(network, X.copy(), Y.copy())]
    found += [m.Trainer(network).own(X.copy(), Y.copy()), m.fitted(Other(3, 4, 2), X.copy(), Y.copy())]
    return [*found, m.anybodys([network, Other(3, 4, 2)], X.copy(), Y.copy()), np.asarray(network.w1)]


def test_a_caller_that_knows_no_class_is_told() -> None:
    words = [finding.message for finding in rewrite(LAYERS + CALLERS, on_unverified="numpy").findings]
    assert sum("whether network is a Network is not known here" in it for it in words) == 2, words


@pytest.mark.parametrize("state", ["numpy", "tensor"])
def test_callers_give_tensors_to_objects_of_the_class_alone(state: str) -> None:
    text = rewritten(LAYERS + CALLERS, state)
    assert "train.core(network, tnp.tanh(x), y, 3, 0.1)" in text, "its own door asks for the class, too"
    assert "train.core(network, tnp.tanh(x), y, 2, 0.1)" in text, "that of a method that nobody here calls"
    assert "[train(rt.host(network), rt.host(tnp.tanh(x)), y, 2, 0.1)" in text
    agree(called(module(LAYERS + CALLERS)), called(module(text)))


@pytest.mark.parametrize("name", OF_LAYERS)
def test_the_door_lets_in_objects_with_the_methods_of_the_text(name: str) -> None:
    use, is_let_in = OF_LAYERS[name]
    loaded = module(rewritten(LAYERS, "numpy"))
    before = rt.refusals().get("driven.train", {})
    use(loaded)
    refused = [reason for reason, times in rt.refusals().get("driven.train", {}).items() if times != before.get(reason)]
    assert bool(refused) is not is_let_in, refused
