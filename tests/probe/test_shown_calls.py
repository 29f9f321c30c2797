"""Inputs that a program shows: in functions that are not under test, run where they can do nothing to the outside."""

from __future__ import annotations

import io
import logging
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.verify.loading import Program, load
from np2tnp.verify.module_state import Globals
from np2tnp.verify.observe import refuse_outside
from np2tnp.verify.recorded import around, has_numbers
from np2tnp.verify.search import Search, kind_of
from np2tnp.verify.specs import Array, Call, Case

READER = """
import io
import logging
import sys
import numpy as np

class Table:
    made = 0
    kinds = ["a"]

    def __init__(self, values, names):
        if not all(name in ("north", "south") for name in names):
            raise ValueError("no such place")
        self.values, self.names = np.asarray(values), names
        Table.made += 1
        Table.kinds.append("b")

    def total(self):
        return self.values.sum() * Table.made

def read(text):
    rows, columns = map(int, text.splitlines()[0].split())
    values = [[float(it) for it in line.split(";")] for line in text.splitlines()[1:]]
    return np.array(values).reshape(rows, columns) * 2.0

def blocks(stream):
    while True:
        line = stream.readline()
        if not line.strip():
            return
        yield np.array([float(it) for it in line.split(";")]).sum()
"""
MAIN = """
def main():
    print(read("2 3\\n1.5;2.5;3.5\\n4.5;5.5;6.5"))
    print(Table(np.arange(3.0), ["north", "south", "north"]).total())
    print(list(blocks(io.StringIO("1.5;2.5\\n3.5;4.5\\n"))))
    open({path!r}, "w").write("done")
    read("1 1\\n7.25")
"""


def searched(folder: Path, text: str, *names: str) -> dict[str, list[Case]]:
    path = folder / "shown.py"
    path.write_text(textwrap.dedent(text))
    program, module = Program(path.read_text()), load(str(path), path.read_text())
    search = Search(program, module, Globals(module), 0, {}, 1.0)
    return {name: search.cases(program.target(name), 24) for name in names}


def texts(cases: list[Case]) -> list[Any]:
    return [case.call.items()[0] for case in cases if isinstance(case.call.items()[0], str)]


@pytest.mark.parametrize(
    ("ending", "note"),
    [
        (MAIN, "the arguments that main passes"),
        (MAIN.replace("def main():", "if __name__ == '__main__':"), "the arguments that the script passes"),
    ],
)
def test_what_a_program_begins_with_shows_arguments_and_writes_nothing(tmp_path, ending, note):
    out = tmp_path / "out.txt"
    found = searched(tmp_path, READER + ending.format(path=str(out)), "read", "Table.total", "blocks")
    assert not out.exists()
    assert note in {case.note for case in found["read"]}
    assert "2 3\n1.5;2.5;3.5\n4.5;5.5;6.5" in texts(found["read"])
    assert "1 1\n7.25" not in texts(found["read"]), "it ends where it would write"
    assert len(set(texts(found["read"]))) > 3, "with other numbers, too"
    assert found["Table.total"]
    assert found["blocks"], "a generator does nothing until it is asked"
    assert all(case.note for case in found["blocks"])


@pytest.mark.parametrize("line", ["import decimal_of_mine", "from . import other", "import ctypes"])
def test_nothing_runs_where_effects_might_go_unnoticed(tmp_path, line):
    text = f"try:\n    {line}\nexcept ImportError:\n    pass\n{READER}{MAIN.format(path=str(tmp_path / 'out.txt'))}"
    assert not searched(tmp_path, text, "read")["read"]


def test_functions_that_need_arguments_are_not_begun_with(tmp_path):
    text = READER + MAIN.format(path=str(tmp_path / "out.txt")).replace("def main():", "def main(seed):")
    assert not searched(tmp_path, text, "read")["read"]


@pytest.mark.parametrize(
    "deed",
    [
        "open(place, 'w')",
        "os.remove(place)",
        "os.open(place, os.O_CREAT | os.O_WRONLY)",
        "subprocess.run(['true'])",
        "shutil.copy(__file__, place)",
        "os.kill(0, 0)",
        "os.fork()",
        "input()",
        "np.save(place, np.ones(3))",
    ],
)
def test_deeds_outside_of_the_process_are_refused(tmp_path, deed):
    place = str(tmp_path / "x.npy")
    scope: dict[str, Any] = {"place": place, "__file__": __file__}
    exec("import os, shutil, subprocess\nimport numpy as np", scope)
    with refuse_outside(), pytest.raises(PermissionError, match="refused"):
        exec(deed, scope)
    assert not Path(place).exists()
    Path(place).write_text("afterwards")


def test_what_classes_keep_is_restored(tmp_path):
    path = tmp_path / "shown.py"
    module = load(str(path), READER)
    state = Globals(module)
    module.Table([1.0], ["north"])
    module.Table.more = 3
    assert sorted(state.changed()) == ["Table.kinds", "Table.made", "Table.more"]
    state.restore()
    assert state.changed() == {}
    assert (module.Table.made, module.Table.kinds, hasattr(module.Table, "more")) == (0, ["a"], False)


def test_only_texts_that_the_original_takes_are_varied_into(tmp_path):
    module = load(str(tmp_path / "shown.py"), READER)
    case = Case("read", Call(("2 2\n1.5;2.5\n3.5;4.5",)), note="shown")
    assert has_numbers(case)
    assert not has_numbers(Case("read", Call(("mode 2",))))

    def returns(one: Case) -> bool:
        try:
            module.read(one.call.args[0])
        except ValueError:
            return False
        return True

    found = list(around([case], returns, module, np.random.default_rng(0)))
    assert found
    assert all(one.call.args[0].startswith("2 2\n") for one in found)
    assert {one.note for one in found} == {"shown, varied"}


def test_each_call_configures_its_own_logging(tmp_path, monkeypatch):
    monkeypatch.setattr(logging.root, "handlers", [])  # pytest has some
    text = (
        "import logging, sys\ndef call(stream):\n    logging.basicConfig(stream=stream)\n    logging.warning('here')\n"
    )
    module = load(str(tmp_path / "shown.py"), text)
    state = Globals(module)
    for _ in range(2):
        state.restore()
        stream = io.StringIO()
        module.call(stream)
        assert stream.getvalue()
    state.restore()


def test_streams_of_random_numbers_begin_anew(tmp_path):
    text = """
    import random
    import numpy as np
    rng, old, own = np.random.default_rng(3), np.random.RandomState(3), random.Random(3)
    def call():
        return rng.random(), old.rand(), own.random()
    def replace():
        global rng
        rng = np.random.default_rng(5)
    """
    module = load(str(tmp_path / "shown.py"), textwrap.dedent(text))
    state = Globals(module)
    first = module.call()
    assert {"rng", "old"} <= state.changed().keys(), "the other version must draw as many"
    state.restore()
    assert not state.changed()
    assert module.call() == first
    module.replace()
    state.restore()
    assert module.call() == first


def test_the_kind_of_a_call_tells_what_may_end_a_process_from_what_may_not():
    def kind(*items):
        return kind_of(Case("f", Call(items)))

    one = kind(Array(np.array([1.0, 2.0])), 3)
    assert one == kind(Array(np.array([4.0, 5.0, 6.0])), 7)
    others = [np.array([-1.0]), np.array([np.inf]), np.array([]), np.ones((2, 2)), np.array([1, 2]), np.array([1j])]
    kinds = [kind(Array(values), 3) for values in others]
    assert len({one, *kinds, kind(Array(np.ones(2)), -3), kind([1.0], 3), kind(Array(np.ones(2)), "a")}) == 10
    assert kind_of(Case("T.f", Call(), Call((-1.0,)))) != kind_of(Case("T.f", Call(), Call((1.0,))))


def test_remembered_results_are_forgotten(tmp_path):
    text = """
    import functools
    @functools.lru_cache(maxsize=None)
    def call(x):
        return [x]
    class Law:
        @staticmethod
        def other():
            return 1
        @functools.cache
        def method(self):
            return [1]
    law = Law()
    """
    module = load(str(tmp_path / "shown.py"), textwrap.dedent(text))
    state = Globals(module)
    first, second = module.call(1), module.law.method()
    assert module.call(1) is first
    state.restore()
    assert module.call(1) is not first
    assert module.law.method() is not second
