"""Functions are written for what their door lets in: plain code behind it, the original for all else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402
from np2tnp.runtime import UnverifiedError, refusals  # noqa: E402

FUNCTIONS = """
import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def step(x, v, dt):
    return x + v * dt


def loss(w, x, y):
    p = sigmoid(x @ w)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def smooth(field, steps):
    for _ in range(steps):
        field[1:-1] = (field[:-2] + field[2:]) / 2
    return field.sum()


def amplitude(x, k):
    s = np.linalg.svd(x - x.mean(0), compute_uv=False)
    return s[:k] / np.sqrt(len(x))


def first_of(pair):
    return np.exp(-pair[0]) / pair[1]


def to_probability(p):
    p /= p.sum()
    return p


def standardised(x):
    x = x - x.mean()
    x /= x.std()
    return x


def attenuated(signal, alpha, distance, order):
    '''Beer and Lambert.

    Parameters
    ----------
    signal, alpha : ndarray of float64, shape (n,)
    distance : float
    order : int
    '''
    return np.exp(-alpha * distance) * signal**order


def mixed(a, b, w=0.5):
    '''Mix.

    Args:
        a (np.ndarray): one
        b (int or float): another
    '''
    return np.sqrt(w * a + (1 - w) * b)


def reduced(x, axis):
    return np.sum(np.sqrt(x), axis=axis) + np.zeros(2)


def tiled(n, shape):
    return np.tile(np.eye(n), shape) + 1


def sized(x):
    return np.ones((x[0], 2)) + x.sum()


def lengths(v, scale):
    return scale * np.sqrt(v.max() + np.arange(4.0))


def remainder(v, b):
    return b - lengths(v, 2)


def spread(v, b):
    return np.sqrt(np.mean(remainder(v, b) ** 2))


def layer(params, x):
    h = np.tanh(x @ (2 * params["w"]) + params["b"])
    return np.sqrt(h * h).max(axis=0)


def walk(rng, n):
    steps = rng.normal(size=(n, 3)) / np.sqrt(n)
    return np.exp(steps) * np.arange(n)[:, None]


class Filter:
    def __init__(self, matrix, state, noise):
        self.matrix, self.state, self.noise = matrix, state, noise

    def predict(self):
        self.state = self.matrix @ self.state
        return np.exp(self.noise) @ self.matrix.T / self.noise

    def scaled(self, x):
        return x / self.norm

    @property
    def norm(self):
        return abs(self.matrix).sum()

    def beside(self, x):
        return np.exp(x) / self.noise + OTHER.noise / 2

    def exponent(self):
        return np.sin(self.noise) * 2

    def peak(self):
        y = self.exponent()
        return np.sqrt(y[0] + 1) + y.max()

    def remember(self, x):
        self.x = x
        return np.maximum(0, x @ self.matrix + self.noise)

    def correct(self, gain):
        change = gain * (self.x @ self.matrix > 0)
        self.matrix -= 0.5 * (self.x.T @ change)
        return change @ self.matrix.T

    def rebind(self):
        self.noise = self.noise.astype(complex)

    def after_rebinding(self, x):
        self.rebind()
        return x / self.noise[0, 0] + np.sqrt(x)


OTHER = Filter(None, None, np.arange(3, dtype=np.int8))
"""


@pytest.fixture(scope="module")
def text() -> str:
    new = analyze(Source("doors.py", FUNCTIONS), Config(rewrite=True, slow="convert")).new_text
    assert new is not None
    return new


@pytest.fixture(scope="module")
def modules(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    spaces: list[dict[str, Any]] = [{"__name__": "old"}, {"__name__": "new"}]
    exec(FUNCTIONS, spaces[0])
    exec(text, spaces[1])
    monkeypatch.undo()
    return spaces[0], spaces[1]


def body(text: str, name: str) -> str:
    """The migrated function's text after its decorator."""
    found = re.search(
        rf"@rt\.migrated[^@]*?def {name}\(.*?(?=\n\n|\n    @|\Z)", text.partition("# NumPy originals")[0], re.DOTALL
    )
    assert found is not None, name
    return found.group(0)


@pytest.mark.parametrize("name", ["sigmoid", "step", "loss", "standardised"])
def test_behind_a_door_the_body_is_plain(text: str, name: str) -> None:
    assert not re.findall(r"rt\.(?!migrated|host|core|tensor)\w+", body(text, name))


def test_an_operator_in_place_is_written_out_behind_a_door(text: str) -> None:
    assert "    p = p / tnp.sum(p)\n" in body(text, "to_probability")


def test_docstrings_tell_what_is_an_array_or_a_count(text: str) -> None:
    door = body(text, "attenuated").partition("\n")[0]
    assert door == '@rt.migrated(reals="signal, alpha", reals_or_numbers="distance", counts="order")'
    assert body(text, "mixed").startswith('@rt.migrated(reals="a", reals_or_numbers="b, w")')


@pytest.mark.parametrize("order", [2, -1, 0.5, True, np.int64(2), np.float32(2), np.array([1, 2, 3])])
@pytest.mark.parametrize("char", list("?lfdD"))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_docstrings_that_are_not_true(modules: Any, char: str, order: Any) -> None:
    x = np.arange(1, 4).astype(char)
    found = [[result(m["attenuated"], x, x, 2, order)[0], result(m["mixed"], 2.0, x, order)[0]] for m in modules]
    assert agree(*found), found


WHOLE: dict[str, Any] = {
    "int": 1, "int64": np.int64(1), "int32": np.int32(1), "int8": np.int8(1), "negative": -1, "wide": 2**70,
    "float": 1.0, "fraction": 1.9, "float64": np.float64(1), "bool": True, "bool_": np.True_, "complex": 1 + 0j,
    "0-d": np.array(1), "0-d float": np.array(1.0), "array": np.array([1]), "floats": np.array([1.0]),
    "text": "1", "None": None, "tuple": (0, 1), "list": [0, 1], "floats in one": (0, 1.0), "arrays": (np.array(1),),
}  # fmt: skip


def test_a_door_names_axes_and_sizes(text: str) -> None:
    assert 'axes="axis"' in body(text, "reduced")
    assert body(text, "tiled").startswith('@rt.migrated(sizes="n, shape")')


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_numbers_that_are_no_axes_and_no_sizes_raise_as_in_numpy(modules: Any, kind: str) -> None:
    value = WHOLE[kind]
    for name, arguments in (("reduced", (np.ones((2, 2)), value)), ("tiled", (value, 2)), ("tiled", (2, value))):
        old, new = (result(module[name], *arguments)[0] for module in modules)
        assert agree(old, new), (name, old, new)
    if isinstance(value, (int, float, np.generic)) and kind != "wide":
        old, new = (result(module["sized"], np.array([value, 2]))[0] for module in modules)
        assert agree(old, new), (old, new)


def test_a_door_names_attributes(text: str) -> None:
    assert re.search(r'(floats|reals|arrays)="self\.matrix, self\.state', body(text, "predict"))


def test_an_attribute_that_other_code_rebinds_is_none_of_the_doors(text: str) -> None:
    assert "self.noise" not in body(text, "after_rebinding").partition("def ")[0]


VALUES: dict[str, Callable[[str], Any]] = {
    "vector": lambda char: np.arange(1, 7).astype(char),
    "strided": lambda char: np.arange(12).astype(char)[::2],
    "empty": lambda char: np.zeros(0, char),
    "zero-dimensional": lambda char: np.array(2, char),
    "scalar": lambda char: np.dtype(char).type(2),
    "list": lambda char: np.arange(1, 7).astype(char).tolist(),
    "masked": lambda char: np.ma.masked_less(np.arange(1, 7).astype(char), 3),
    "read-only": lambda char: np.broadcast_to(np.dtype(char).type(3), (4,)),
}


def agree(old: Any, new: Any) -> bool:
    """Whether two results are of one type, dtype and shape, with values that are equal to rounding."""
    if type(old) is not type(new):
        return False
    if isinstance(old, (tuple, list)):
        return len(old) == len(new) and all(map(agree, old, new))
    if isinstance(old, (np.ndarray, np.generic)):
        close = 1e-2 if old.dtype.char == "e" else 1e-5 if old.dtype.char in "fF" else 1e-12
        if old.dtype != new.dtype or old.shape != new.shape:
            return False
        seen, also = ~np.ma.getmaskarray(old), ~np.ma.getmaskarray(new)
        left, right = np.ma.getdata(old)[seen].astype(complex), np.ma.getdata(new)[also].astype(complex)
        return np.array_equal(seen, also) and np.allclose(left, right, rtol=close, atol=close, equal_nan=True)
    return isinstance(old, type) or old == new


def result(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    try:
        return function(*arguments), arguments
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:  # AxisError is a ValueError
        return type(error), arguments


@pytest.mark.parametrize("char", list("?bilBeFfdD"))
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize(
    "name", ["sigmoid", "step", "loss", "smooth", "amplitude", "first_of", "spread", "to_probability", "standardised"]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_whatever_comes_gets_numpys_answer(modules: Any, name: str, kind: str, char: str) -> None:
    make = VALUES[kind]
    more = {"step": (make(char), 0.5), "loss": (np.ones((6, 6), char), make(char)), "smooth": (2,), "amplitude": (2,)}
    more["spread"] = (make(char)[:4],) if np.ndim(make(char)) else (2,)
    found = [result(module[name], make(char), *more.get(name, ())) for module in modules]
    (old, before), (new, after) = found
    assert agree(old, new), (old, new)
    assert agree(before, after), (before, after)


def test_numbers_that_are_no_arrays(modules: Any) -> None:
    x = np.linspace(0, 1, 5)
    for dt in (1, 0.5, True, 1j, np.float32(0.5), np.float64(0.5), np.int64(2), np.array(0.5), [0.5] * 5):
        old, new = (module["step"](x, x, dt) for module in modules)
        assert agree(old, new), dt


def test_calls_that_a_door_does_not_let_in_are_counted(modules: Any) -> None:
    before = sum(refusals().get("new.sigmoid", {}).values())
    modules[1]["sigmoid"](np.array([1j, 2]))
    assert sum(refusals()["new.sigmoid"].values()) == before + 1


def test_a_door_asks_for_what_the_doors_of_callees_let_in(text: str) -> None:
    """Else nobody knew what dtypes they give."""
    first = body(text, "spread")
    assert re.search(r'(floats|reals)="v", (floats|reals)_or_numbers="b"', first)
    assert not re.findall(r"rt\.(?!migrated|core)\w+", first)


def test_a_door_names_items_counts_and_generators(text: str) -> None:
    assert "params[w]" in body(text, "layer").partition("def ")[0]
    assert "tnp.tanh(x @ (2 * params[" in body(text, "layer")
    assert 'counts="n", generators="rng"' in body(text, "walk")
    assert "tnp.maximum(0, tnp.matmul(x, self.matrix) + self.noise)" in body(text, "remember")
    assert "tnp.matmul(self.x, self.matrix)" in body(text, "correct")


class Defaults(dict):  # type: ignore[type-arg]
    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key) * 3


PARAMETERS: dict[str, Callable[[], Any]] = {
    "floats": lambda: {"w": np.eye(3), "b": np.ones(3)},
    "float32": lambda: {"w": np.eye(3, dtype="f"), "b": np.ones(3, "f")},
    "mixed": lambda: {"w": np.eye(3, dtype="f"), "b": np.arange(3)},
    "number": lambda: {"w": np.eye(3), "b": 0.5},
    "complex": lambda: {"w": np.eye(3) * 1j, "b": 0},
    "bool": lambda: {"w": np.eye(3, dtype=bool), "b": True},
    "list": lambda: {"w": np.eye(3).tolist(), "b": [1, 2, 3]},
    "empty": lambda: {"w": np.zeros((3, 0)), "b": 1.0},
    "missing": lambda: {"w": np.eye(3)},
    "subclass": lambda: Defaults(w=np.eye(3), b=np.ones(3)),
    "scalar": lambda: {"w": np.eye(3, dtype="f"), "b": np.float64(0.1)},
    "structured": lambda: np.zeros(1, [("w", "f8", (3, 3)), ("b", "f8")])[0],
}


@pytest.mark.parametrize("kind", PARAMETERS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_whatever_a_dict_holds(modules: Any, kind: str) -> None:
    for x in (np.arange(6.0).reshape(2, 3), np.ones((2, 3), "f"), np.ones((2, 3), bool), [[1.0, 2, 3]]):
        old, new = (result(module["layer"], PARAMETERS[kind](), x)[0] for module in modules)
        assert agree(old, new), (old, new)


@pytest.mark.parametrize("n", [3, 0, np.int64(3), np.int32(3), 3.0, True, np.array(3)])
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, lambda seed: np.random])
def test_whatever_counts_and_draws(modules: Any, make: Any, n: Any) -> None:
    found = []
    for module in modules:
        np.random.seed(0)
        found.append(result(module["walk"], make(0), n)[0])
    assert agree(*found), found


@pytest.mark.parametrize("char", list("?BlefdFD"))
def test_what_an_object_holds_is_not_known_of_methods_that_ask_another(modules: Any, char: str) -> None:
    found = []
    for module in modules:
        made = module["Filter"](None, None, np.arange(1, 4).astype(char))
        found.append([result(made.exponent)[0], result(made.peak)[0]])
    assert agree(*found), found


@pytest.mark.parametrize("char", list("?BlfdD"))
@pytest.mark.parametrize("held", list("lfdD"))
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_what_an_object_keeps_is_computed_with_as_it_is(modules: Any, held: str, char: str) -> None:
    found = []
    for module in modules:
        made = module["Filter"](np.eye(3).astype(held), None, np.ones(3, held))
        x = np.arange(6).reshape(2, 3).astype(char)
        first, second = result(made.remember, x)[0], result(made.correct, np.ones((2, 3), char))[0]
        assert made.x is x
        found.append((first, second, made.matrix))
    assert agree(*found), found


@pytest.mark.parametrize("char", list("?lfdD"))
def test_attributes_of_any_dtype(modules: Any, char: str) -> None:
    found = []
    for module in modules:
        made = module["Filter"](np.eye(3).astype(char) * 2, np.arange(3).astype(char), np.ones((3, 3), char))
        found.append((result(made.predict)[0], made.state, result(made.scaled, np.ones(3))[0]))
        found[-1] += (result(made.beside, np.ones(3))[0],)
        found[-1] += (result(made.after_rebinding, np.ones(3))[0], made.noise)
    assert agree(*found)


def test_an_attribute_of_another_object_of_the_class_is_none_of_the_doors(text: str) -> None:
    assert "noise" not in body(text, "beside").partition("def ")[0]


#: Each method binds the attribute anew by a function that Python or NumPy calls, or a function that it calls itself.
REBINDING = """
import numpy as np
from itertools import starmap


class Model:
    def __init__(self, w):
        self.w = w

    def narrow(self, value):
        self.w = np.arange(1, 5, dtype="i1")
        return value

    def steady(self, x):
        return np.exp(self.w) * x

    def by_key(self, x):
        sorted([2, 1], key=self.narrow)
        return np.exp(self.w) * x

    def by_map(self, x):
        first = np.exp(self.w)
        list(map(self.narrow, [1]))
        return np.exp(self.w) * first

    def by_rows(self, x):
        return np.apply_along_axis(self.narrow, 0, x) + np.exp(self.w)

    def by_name(self, x):
        rank = self.narrow
        [2, 1].sort(key=rank)
        return np.exp(self.w) * x

    def by_list(self, x):
        return np.piecewise(x, [x > 1], [self.narrow, 1]) + np.exp(self.w)

    def by_class(self, x):
        list(map(Narrowed, [self]))
        return np.exp(self.w) * x

    def by_callee(self, x):
        ranked(self)
        return np.exp(self.w) * x

    def by_function(self, x):
        list(starmap(narrow, [(self,)]))
        return np.exp(self.w) * x


class Narrowed:
    def __init__(self, model):
        model.w = np.arange(1, 5, dtype="i1")


def ranked(model):
    return sorted([2, 1], key=model.narrow)


def narrow(model):
    return model.narrow(0)


TABLE = {"w": np.ones(4)}


def replace(value):
    TABLE["w"] = np.arange(1, 5, dtype="i1")
    return value


def of_table(table, x):
    sorted([2, 1], key=replace)
    return np.exp(table["w"]) * x
"""


def test_no_door_for_what_a_function_may_rebind_that_others_call(monkeypatch: pytest.MonkeyPatch) -> None:
    text = analyze(Source("rebinding.py", REBINDING), Config(rewrite=True, slow="convert")).new_text
    assert text is not None
    assert "self.w" in body(text, "steady").partition("def ")[0]
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    spaces: list[dict[str, Any]] = [{"__name__": "old"}, {"__name__": "new"}]
    exec(REBINDING, spaces[0])
    exec(text, spaces[1])
    methods = [name for name in vars(spaces[0]["Model"]) if name.startswith("by_")]
    assert len(methods) == 8
    for name in methods:
        old, new = (result(getattr(space["Model"](np.ones(4)), name), np.ones(4))[0] for space in spaces)
        assert agree(old, new), (name, old, new)
    old, new = (result(space["of_table"], space["TABLE"], np.ones(4))[0] for space in spaces)
    assert agree(old, new), (old, new)


CAPPED = """
import numpy as np


def capped(x, n):
    '''Cap.

    Parameters
    ----------
    x : ndarray
    n : int
    '''
    return np.minimum(x, n) + np.maximum(n, x)


def below(x, top=2**40):
    return np.minimum(np.abs(x[1:]), top)


class Cap:
    def __init__(self, top):
        self.top = top

    def below(self, x):
        return np.minimum(np.abs(x[1:]), self.top)
"""


@pytest.mark.parametrize("n", [3, -200, 2**31, -(2**40), 2**62, 2**63])
@pytest.mark.parametrize("char", list("bBilLfd"))
def test_integers_that_an_array_beside_them_cannot_hold(monkeypatch: pytest.MonkeyPatch, char: str, n: int) -> None:
    text = analyze(Source("capped.py", CAPPED), Config(rewrite=True, slow="convert")).new_text
    assert text is not None
    assert "tnp.minimum(x, n)" in text
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    spaces: list[dict[str, Any]] = [{"__name__": "old"}, {"__name__": "new"}]
    exec(CAPPED, spaces[0])
    exec(text, spaces[1])
    found = []
    for space in spaces:
        x = np.arange(4).astype(char)
        calls = (space["capped"], x, n), (space["below"], x), (space["below"], x, n), (space["Cap"](n).below, x)
        found.append([result(*call)[0] for call in calls])
    assert agree(*found), found


UNSEEN = """
import numpy as np


def mapped(p, f):
    a = np.exp(p["w"])
    m = max(map(f, [1, 2]))
    return a * m + p["w"]


def keyed(p, f):
    a = np.exp(p["w"])
    m = sorted([2, 1], key=f)[0]
    return a * m + p["w"]


def drawn(p, f):
    a = np.exp(p["w"])
    for v in map(f, [1, 2]):
        a = a + v
    return a + p["w"]


def asked(p, f):
    a = np.exp(p["w"])
    for v in f.steps:
        a = a + v
    return a + p["w"]


def scaled(p, f):
    a = np.exp(p["w"])
    for i in range(len(a)):
        a = a + i
    return a + p["w"]
"""


@pytest.mark.parametrize("name", ["mapped", "keyed", "drawn", "asked"])
def test_items_of_a_dict_stand_in_no_door_where_a_callback_or_a_generator_may_change_them(name: str) -> None:
    report = analyze(Source("unseen.py", UNSEEN), Config(rewrite=True, slow="convert"))
    assert report.new_text is not None
    assert "p[w]" not in report.new_text.partition(f"def {name}(")[0].rpartition("\n\n")[2]
    assert "p[w]" in report.new_text.partition("def scaled(")[0].rpartition("\n\n")[2]


@pytest.mark.parametrize("name", ["mapped", "keyed", "drawn"])
def test_a_function_that_puts_other_items_into_a_dict_meanwhile_is_noticed(name: str) -> None:
    text = analyze(Source("unseen.py", UNSEEN), Config(rewrite=True, slow="convert")).new_text
    module: dict[str, Any] = {"__name__": "unseen"}
    exec(compile(text, "unseen.py", "exec"), module)
    held = {"w": np.array([0.1, 0.2, 0.3])}

    def replaces(_: int) -> int:
        held["w"] = np.zeros(3)
        return 1

    with pytest.raises(UnverifiedError, match="got other items meanwhile"):
        module[name](held, replaces)


def test_nothing_is_asked_of_a_seed() -> None:
    text = """
import numpy as np


def clusters(X, k, seed=0):
    rng = np.random.default_rng(seed)
    centers = X[rng.choice(len(X), k, replace=False)]
    for _ in range(3):
        nearest = np.linalg.norm(X[:, None] - centers[None], axis=2).argmin(axis=1)
        centers = np.array([X[nearest == j].mean(axis=0) for j in range(k)])
    return centers
"""
    new = analyze(Source("seeds.py", text), Config(rewrite=True)).new_text or ""
    assert '@rt.migrated(floats="X")\ndef clusters' in new


ASKED_FOR = """
import numpy as np


def drawn(x, w, rng):
    noise = rng.uniform(0, 1, size=len(x))
    return np.exp(x) - noise * np.sqrt(w)


def masked(missing: BoolArray, y):
    return np.where(missing, y, 0).sum() + y[missing].mean(), np.any(missing)


def flagged(R, V, explicit):
    v = R[:, 0]
    if explicit:
        p = np.matmul(R.T, v)
    else:
        p = np.linalg.solve(R, v)
    out = np.zeros((V.shape[0] + 1, 2))
    out[1:, 0] = p
    return out
"""


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("drawn", lambda: (np.linspace(0, 1, 9), 2.0, np.random.default_rng(3))),
        ("drawn", lambda: (np.linspace(0, 1, 9), 2.0, np.random.RandomState(3))),
        ("masked", lambda: (np.arange(9) % 2 == 0, np.linspace(0, 1, 9))),
        ("flagged", lambda: (np.eye(3) + 0.1, np.eye(3), True)),
        ("flagged", lambda: (np.eye(3) + 0.1, np.eye(3), 0)),
    ],
)
def test_a_door_lets_in_what_the_text_says(
    name: str, given: Callable[[], tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    text = f"from __future__ import annotations\n{ASKED_FOR}"
    report = analyze(Source("asked.py", text), Config(rewrite=True, on_unverified="raise"))
    spaces: list[dict[str, Any]] = [{"__name__": "asked_before"}, {"__name__": "asked"}]
    exec(text, spaces[0])
    exec(report.new_text or "", spaces[1])
    old, new = (space[name](*given()) for space in spaces)
    assert f"def {name}" in (report.new_text or "").partition("@rt.original")[0]
    np.testing.assert_allclose(np.hstack(new), np.hstack(old), atol=1e-15)  # a zero that LAPACK rounds


HELD = """
import numpy as np


class Kernel:
    length: float = 1.0

    def __init__(self, variance=2.0):
        self.variance = variance
        self.calls = 0

    def covariance(self, a, b):
        d = np.sum((a[:, None] - b[None, :]) ** 2, axis=-1)
        return self.variance * np.exp(-0.5 * d / self.length**2)

    def told(self, a, hook):
        hook(self)
        return self.variance * np.exp(-a / self.length)

    def mean(self, a):
        self.calls += 1
        return np.sum(np.exp(a)) / self.calls


class Setter:
    def __init__(self, owner):
        self.owner = owner

    def __mul__(self, other):
        self.owner.length = 100.0
        return other

    __rmul__ = __mul__
"""


def held() -> tuple[dict[str, Any], dict[str, Any], str]:
    report = analyze(Source("held.py", HELD), Config(rewrite=True, above=0))
    assert report.new_text is not None
    spaces: list[dict[str, Any]] = [{"__name__": "held_before"}, {"__name__": "held"}]
    exec(HELD, spaces[0])
    exec(report.new_text, spaces[1])
    return spaces[0], spaces[1], report.new_text


def test_a_door_asks_for_numbers_where_the_class_assigns_numbers_alone() -> None:
    text = held()[2]
    assert 'numbers="self.length, self.variance"' in text
    assert "return self.variance * tnp.exp(-0.5 * d / self.length**2)" in text
    told = text[: text.index("def told")]
    assert "self." not in told[told.rindex("\n    @") :]  # the hook may assign to both


@pytest.mark.parametrize("kind", ["number", "array", "scalar", "setter", "list", "hook"])
def test_whatever_the_object_holds(kind: str) -> None:
    results = []
    for space in held()[:2]:
        kernel = space["Kernel"]()
        a, b = np.linspace(-1, 1, 8).reshape(4, 2), np.ones((3, 2))
        others = {
            "array": np.arange(3.0),
            "scalar": np.float32(3),
            "setter": space["Setter"](kernel),
            "list": [1.0, 2, 3],
        }
        kernel.variance = others.get(kind, 2.5)
        hook = (lambda it: setattr(it, "length", np.arange(1.0, 5)[:, None])) if kind == "hook" else id
        try:
            told = kernel.told(a, hook) if kind not in ("list", "array") else None
            results.append((kernel.covariance(a, b) if kind != "hook" else None, told, kernel.mean(a), kernel.length))
        except TypeError as error:
            results.append(str(error))
    for one, other in zip(*results, strict=True):
        assert type(one) is type(other)
        np.testing.assert_allclose(other, one, rtol=1e-14) if one is not None else None


#: `grid` could migrate as it stands; behind the doors that are tried it is best left in NumPy, and so it stays there.
SLOW_BEHIND_A_DOOR = """
import numpy as np


def grid(box, n):
    axes = [np.linspace(low, high, n) for low, high in zip(box.lo, box.hi)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def centroid(values, box):
    g = grid(box, values.shape[0])
    return (values[..., None] * g).sum(axis=(0, 1)) / values.sum()
"""


def test_a_door_that_is_not_taken_leaves_callers_and_callee_of_one_mind() -> None:
    text = analyze(Source("slow_behind.py", SLOW_BEHIND_A_DOOR), Config(rewrite=True)).new_text
    assert text is not None
    migrated = re.findall(r"@rt\.migrated.*\ndef (\w+)", text)
    assert set(re.findall(r"(\w+)\.core\(", text)) <= set(migrated)
    assert migrated == ["centroid"]
