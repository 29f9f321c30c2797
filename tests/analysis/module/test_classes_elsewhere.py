"""Objects of classes that other files of a project define, for the functions that `verify` looks at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from np2tnp.verify.loading import Program, load, place_of
from np2tnp.verify.module_state import Globals
from np2tnp.verify.program_classes import classes_elsewhere, find
from np2tnp.verify.search import Search
from np2tnp.verify.specs import Call, Case, Instance, program_of

BODIES = '''
"""Things that move."""
from __future__ import annotations
import numpy as np

class Named:
    def __init__(self, name: str = "ball"):
        self.name = name

class Body(Named):
    def __init__(self, mass: float, place, speed):
        super().__init__()
        if mass <= 0:
            raise ValueError("mass")
        self.mass, self.place, self.speed = mass, np.asarray(place, float), np.asarray(speed, float)
'''
ENERGY = """
from __future__ import annotations
from typing import TYPE_CHECKING
import numpy as np
if TYPE_CHECKING:
    from {place} import Body

def kinetic(bodies):
    return sum(b.mass * np.sum(b.speed * b.speed) for b in bodies)

def distance(a: Body, b: "Body"):
    return np.sqrt(np.sum((a.place[0] - b.place[0]) ** 2))

def centre(bodies: list[Body]):
    return sum(b.mass for b in bodies)

def unknown(it):
    return it.nobody_has_this
"""


def written(folder: Path, bodies: str = BODIES, package: str = "") -> Path:
    if package:
        folder /= package
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    name = f"bodies_{folder.name}"  # modules stay imported from one test to the next
    (folder / f"{name}.py").write_text(bodies)
    path = folder / "energy.py"
    path.write_text(ENERGY.format(place=f"{package}.{name}" if package else name))
    return path


@pytest.mark.parametrize("package", ["", "physics"])
def test_objects_of_a_class_beside_the_file_are_made(tmp_path, monkeypatch, package):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = written(tmp_path, package=package)
    program, module = Program(path.read_text(), str(path)), load(str(path), path.read_text())
    search = Search(program, module, Globals(module), 0, {}, 2.0)
    dotted = f"physics.bodies_{path.parent.name}" if package else f"bodies_{path.parent.name}"
    for name in ("kinetic", "distance", "centre"):
        found = search.cases(program.target(name), 24)
        made = found[0].call.args[0]
        made = made[0] if isinstance(made, list) else made
        assert isinstance(made, Instance), name
        assert made.name == f"{dotted}:Body"
    assert not search.cases(program.target("unknown"), 24)
    for module_name in [it for it in sys.modules if it.startswith(("physics", "bodies_"))]:
        del sys.modules[module_name]


def test_an_own_class_of_the_name_is_meant(tmp_path):
    path = written(tmp_path)
    path.write_text(
        path.read_text() + "\nclass Body:\n    def __init__(self, place: float):\n        self.place = place\n"
    )
    parameters = Program(path.read_text(), str(path)).target("distance").parameters
    assert {it.instance for it in parameters} == {"Body"}


@pytest.mark.parametrize("line", ["print('started')", "for k in range(3): pass", "open('x.txt', 'w')", "def broken(:"])
def test_files_that_do_something_when_imported_are_left_alone(tmp_path, line):
    path = written(tmp_path, f"{BODIES}\n{line}\n")
    assert not classes_elsewhere(path, place_of(path))


def test_bases_are_found_in_their_own_module(tmp_path):
    path = written(tmp_path)
    path.write_text("class Named:\n    other = 1\ndef f(body):\n    return body.name + body.mass + body.place\n")
    program = Program(path.read_text(), str(path))
    dotted = f"bodies_{path.parent.name}"
    assert program.target("f").parameters[0].instance == f"{dotted}:Body"
    assert program.heirs(f"{dotted}:Named") == [f"{dotted}:Body"]
    assert program.heirs("Named") == []


def test_the_code_of_a_difference_imports_what_it_makes(tmp_path):
    case = Case("near", Call((Instance("physics.bodies:Body", Call((1.0,))), [Instance("Pair", Call(()))])))
    text = program_of(case, "energy", ("a", "b"))
    assert "from physics.bodies import Body\n" in text
    assert "from energy import Pair\n" in text
    assert "from energy import near\n" in text
    assert "a = Body(1.0)" in text


def test_names_without_a_module_are_the_programs_own():
    assert find({"Body": int}, "Body") is int
    assert find({}, "collections:OrderedDict").__name__ == "OrderedDict"
    with pytest.raises(KeyError):
        find({}, "Body")


@pytest.mark.parametrize(
    "definition",
    [
        'Reading = namedtuple("Reading", "time level, weight")',
        'Reading = collections.namedtuple("Reading", ["time", "level", "weight"])',
        'Reading = typing.NamedTuple("Reading", [("time", float), ("level", float), ("weight", float)])',
        "class Reading(NamedTuple):\n    time: float\n    level: float\n    weight: float = 1.0",
    ],
)
def test_named_tuples_are_made(tmp_path, definition):
    head = "import collections, typing\nfrom collections import namedtuple\nfrom typing import NamedTuple\n"
    path = tmp_path / "readings.py"
    path.write_text(
        f"{head}import numpy as np\n{definition}\n\n"
        "def total(readings):\n    return sum(np.exp(-r.time) * r.level * r.weight for r in readings)\n"
    )
    program, module = Program(path.read_text(), str(path)), load(str(path), path.read_text())
    assert program.target("total").parameters[0].instance == "Reading"
    found = Search(program, module, Globals(module), 0, {}, 2.0).cases(program.target("total"), 24)
    assert isinstance(found[0].call.args[0][0], Instance)


def test_other_calls_define_no_class(tmp_path):
    text = "A = namedtuple(name, 'x')\nB = namedtuple('B', names)\nC = tuple('C', 'x y')\nD = namedtuple('D', 'x 2y')\n"
    assert Program(f"{text}def f(it):\n    return it.x\n").target("f").parameters[0].instance is None
