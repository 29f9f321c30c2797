"""What the decorator of a migrated function says, and what it leaves unsaid."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain.events import RegionFacts
from np2tnp.rewrite.boundaries import decorator


def test_the_door_is_written_by_its_words_and_nothing_twice() -> None:
    node = cst.ensure_type(cst.parse_statement("def f(x, w, m, n): pass"), cst.FunctionDef)
    facts = RegionFacts("f", node, parameters=("x", "w", "m", "n"))
    facts.assumed_arrays, facts.assumed_scalars = frozenset("xw"), frozenset("n")
    facts.extra["door"] = {"n": "numbers", "w": "floats", "x": "floats", "m": "inexact"}

    def written(compile_as: str = "none") -> str:
        return cst.Module([]).code_for_node(decorator(facts, "rt", "scalar", compile_as=compile_as)).strip()

    assert written() == '@rt.migrated(floats="x, w", inexact="m", numbers="n")'
    assert 'numbers="n", scalars=("n",), compile="graph"' in written("graph")
    facts.extra["door"] = {"x": "floats"}
    assert written() == '@rt.migrated(floats="x", arrays=("w",), scalars=("n",))'
    facts.extra["door"] = {"x": "arrays"}
    assert written() == '@rt.migrated(arrays="x, w", numbers="w", scalars=("n",))'
