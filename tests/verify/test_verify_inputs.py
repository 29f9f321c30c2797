"""What ``verify`` calls functions with: what the text says of them, who calls them, and the calls of a program."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from verify_texts import HEAD, LIMITS, NEW_HEAD

from np2tnp.profiling.record import Wanted, record
from np2tnp.verify.harvest import callers
from np2tnp.verify.hints import parameters_of
from np2tnp.verify.inputs import edges
from np2tnp.verify.module_state import Globals
from np2tnp.verify.program import FunctionVerdict, verify_pair
from np2tnp.verify.search import Lessons
from np2tnp.verify.specs import Array, Call, make_call
from np2tnp.verify.two_texts import Pair

pytestmark = pytest.mark.usefixtures("forked_children")

ROOT = Path(__file__).parents[2]


def test_hints_read_the_text():
    import ast

    function = ast.parse(
        "def f(img, n_iter=3, mode='wrap', rng=None):\n"
        "    h, w = img.shape\n"
        "    if mode == 'clip': pass\n"
        "    return rng.normal(size=(h, w)) + img[0, 0]"
    ).body[0]
    found = {it.name: it for it in parameters_of(function)}
    assert max(found["img"].kinds, key=found["img"].kinds.get) in ("matrix", "image")
    assert max(found["n_iter"].kinds, key=found["n_iter"].kinds.get) == "int"
    assert found["mode"].strings == ("wrap", "clip")
    assert max(found["rng"].kinds, key=found["rng"].kinds.get) == "rng"


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("a.shape != (3,)", "triple"),
        ("(2,) != a.shape", "couple"),
        ("a.shape != (len(b), 3)", "points"),
        ("a.shape == (4, 4)", "square"),
        ("a.shape[1:] != (2,)", "places"),
        ("a.shape[-1] == 3", "points"),
        ("a.shape[0] != 3", "triple"),
        ("len(a) != 2", "couple"),
        ("a.ndim != 2", "matrix"),
        ("a.ndim == 3", "cube"),
    ],
)
def test_conditions_on_shapes_are_read(condition, kind):
    function = ast.parse(f"def f(a, b):\n    if {condition}:\n        raise ValueError").body[0]
    found = {it.name: it for it in parameters_of(function)}
    assert max(found["a"].kinds, key=found["a"].kinds.get) == kind


def test_lists_of_plain_data_are_restored_and_registries_stay_what_they_are():
    module = types.ModuleType("program")
    exec(
        "import numpy as np\nclass Law: seen = 0\ntable = [np.zeros(2), {'a': [1]}]\nlaws = [Law()]\n"
        "def call():\n    table[0][0] = 5.0\n    table[1]['a'].append(2)\n    laws[0].seen += 1\n    new.append(3)\n"
        "new = []\n",
        vars(module),
    )
    state, law = Globals(module), module.laws[0]
    module.call()
    assert sorted(state.changed()) == ["new", "table"]
    state.restore()
    assert state.changed() == {}
    assert (module.table[0].tolist(), module.table[1], module.new) == ([0.0, 0.0], {"a": [1]}, [])
    assert module.laws == [law], "the object itself, and no description of it"


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_edges_can_be_made_of_arrays_of_any_rank(shape):
    call = Call((Array(np.ones(shape)), 2.0), {"b": Array(np.full((), 0.5))})
    found = dict(edges(call, np.random.default_rng(0)))
    assert {"NaN", "readonly layout", "a list"} <= found.keys()
    assert ("empty" in found) == ("strided layout" in found) == bool(shape)
    for name, edge in found.items():
        args, kwargs = make_call(edge, {})
        assert len(args) == 2, name
        assert np.ndim(kwargs["b"]) == 0, name


def test_callers_are_found_through_others_and_circles():
    import ast

    text = "def a(): b(1)\ndef b(x): return c(x)\ndef c(x): return c(x - 1)\nclass K:\n    def m(self, y): return a()\n"
    assert callers(ast.parse(text), "c") == ["a", "b", "K.m"]
    assert callers(ast.parse(text), "K.m") == []


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("incompatible dimensions for cross product\n(dimension must be 2 or 3)", "triple"),
        ("operands could not be broadcast together with shapes (6,) (3,)", "triple"),
        ("could not broadcast input array from shape (6,) into shape (2,)", "couple"),
    ],
)
def test_exceptions_tell_how_many_numbers_a_point_has(message, kind):
    lessons = Lessons()
    lessons.learn(message)
    assert {it for it in ("couple", "triple", "vector", "int") if lessons.weight(it) > 1} == {kind}


def test_hints_read_unpackings_and_docstrings():
    import ast

    function = ast.parse(
        "def f(a, b, c, d, e):\n"
        "    '''Title.\n\n    Parameters\n    ----------\n    d, e : ndarray of shape (N, M)\n"
        "    c : {'same', 'valid'}, optional\n\n    Returns\n    -------\n    a : int\n    '''\n"
        "    p, q, r = a\n"
        "    for x, y in b: pass\n"
    ).body[0]
    found = {it.name: it for it in parameters_of(function)}
    likeliest = {name: max(it.kinds, key=it.kinds.get) for name, it in found.items()}
    assert likeliest["a"] == "triple"
    assert likeliest["b"] == "places"
    assert likeliest["d"] == likeliest["e"] == "matrix"
    assert found["c"].strings == ("same", "valid")


PROGRAM = """
import numpy as np


class Model:
    def __init__(self, secret):
        if secret != "open sesame":
            raise ValueError("nobody finds arguments for this")
        self.weights = np.linspace(0.0, 1.0, 4)

    def score(self, x, key):
        if key != ("a", 3, b"z"):
            raise KeyError(key)
        return np.exp(x @ self.weights)


def shout(x: np.ndarray):
    return np.sqrt(x * x)


if __name__ == "__main__":
    import sys
    model = Model(sys.argv[1])
    for n in (3, 5, 7, 9, 11, 13):
        model.score(np.ones((n, 4)) / n, ("a", 3, b"z"))
"""


def test_the_calls_of_a_program_are_inputs(tmp_path):
    (tmp_path / "model.py").write_text(PROGRAM)
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "np2tnp", "verify", "model.py", "Model.score"]

    def run(*more: str) -> dict[str, object]:
        done = subprocess.run(
            [*command, "--json", *more], cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
        )
        return json.loads(done.stdout)["functions"][0]

    assert run()["verdict"] == "UNTESTED"
    found = run("--", sys.executable, "model.py", "open sesame")
    assert found["verdict"] == "EQUAL", found
    assert found["inputs"]["equal"] >= 5


def test_the_calls_of_a_program_are_varied(tmp_path):
    """Nobody would guess these arguments, and with those of the program the wrong rewrite is right."""
    body = "def f(a, b, c, d, e):\n    return {}.{}(e * a['x'] + len(b['y']) + c['z'])\n"
    call = "f({'x': 2.0}, {'y': 'yes'}, {'z': 1}, 'no', np.arange(4.0))"
    old = f"import numpy as np\n{body.format('np', 'max')}\nif __name__ == '__main__':\n    {call}\n"
    new = NEW_HEAD + "@rt.migrated\n" + body.format("rt", "nanmax")
    path = tmp_path / "old.py"
    path.write_text(old)
    (tmp_path / "kept").mkdir()
    recorded, _ = record([sys.executable, str(path)], [Wanted(str(path), "f", 2)], tmp_path / "kept", 5.0, 8)
    files = {"f": tuple(item.payload for item in recorded[0].signatures)}
    pair = Pair(str(path), old, new, "test")
    result = verify_pair(pair, ["f"], replace(LIMITS, recorded=files, main="old", shrink=0.0))[0]
    assert result.verdict is FunctionVerdict.DIFFERENT
    assert result.reason == "on an input with a program's arguments, NaN"
    assert result.counts["equal"] >= 2


def test_calls_that_cannot_be_made_again_are_said_so(tmp_path):
    """Classes of the program's main file, which is not the file under test, are nowhere to be found."""
    text = "import numpy as np\n\ndef f(g, x):\n    return np.sin(g.of(x))\n"
    (tmp_path / "old.py").write_text(text)
    main = "import old, numpy as np\nclass G:\n    def of(self, x):\n        return x\nold.f(G(), np.arange(4.0))\n"
    (tmp_path / "main.py").write_text(main)
    path = str(tmp_path / "old.py")
    (tmp_path / "kept").mkdir()
    recorded, _ = record([sys.executable, str(tmp_path / "main.py")], [Wanted(path, "f", 3)], tmp_path / "kept", 5.0, 8)
    files = {"f": tuple(item.payload for item in recorded[0].signatures)}
    assert files["f"]
    new = NEW_HEAD + "@rt.migrated\ndef f(g, x):\n    return tnp.sin(g.of(x))\n"
    result = verify_pair(Pair(path, text, new, "test"), ["f"], replace(LIMITS, recorded=files))[0]
    assert result.verdict is FunctionVerdict.UNTESTED
    assert "; the program's own calls cannot be made again: G is defined in the program's main file" in result.reason


def test_a_rewritten_program_cannot_be_recorded(tmp_path):
    (tmp_path / "old.py").write_text(HEAD + "def f(x):\n    return np.sin(x)\n")
    (tmp_path / "new.py").write_text(NEW_HEAD + "@rt.migrated\ndef f(x):\n    return tnp.sin(x)\n")
    done = subprocess.run(
        [sys.executable, "-m", "np2tnp", "verify", "new.py", "--original", "old.py", "--", sys.executable, "new.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 2
    assert "can only be recorded before that" in done.stderr
