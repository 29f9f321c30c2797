"""What the decorator of a migrated function says, and what it leaves unsaid."""

from __future__ import annotations

from typing import Any

import libcst as cst

from np2tnp.analysis.domain.doors import Admitted
from np2tnp.analysis.domain.events import RegionFacts
from np2tnp.rewrite.boundaries import Kept, Wrapped, decorator, of_original

FLOATS = Admitted("floats")


def test_the_door_is_written_by_its_words_and_nothing_twice() -> None:
    node = cst.ensure_type(cst.parse_statement("def f(x, w, m, n): pass"), cst.FunctionDef)
    facts = RegionFacts("f", node, parameters=("x", "w", "m", "n"))
    facts.assumed_arrays, facts.assumed_scalars = frozenset("xw"), frozenset("n")
    facts.door = {"n": Admitted("counts"), "w": FLOATS, "x": FLOATS, "m": Admitted("inexact", numbers=True)}

    def written(**known: Any) -> str:
        return text_of(decorator(facts, "rt", Wrapped(**known)))

    assert written() == '@rt.migrated(floats="x, w", inexact_or_numbers="m", counts="n")'
    assert written(compile_as="graph").endswith('counts="n", compile="graph", scalars="n")')
    facts.door = {"x": FLOATS}
    assert written() == '@rt.migrated(floats="x", no_lists="w", scalars="n")'
    facts.door = {"x": Admitted("arrays")}
    assert written() == '@rt.migrated(arrays="x", no_lists="w", scalars="n")'


def test_what_a_reader_need_not_know_stands_with_the_original() -> None:
    node = cst.ensure_type(cst.parse_statement("def f(x, k): pass"), cst.FunctionDef)
    facts = RegionFacts("A.f", node, parameters=("x", "k"))
    facts.assumed_scalars, facts.returned, facts.mutated = frozenset("k"), {"x"}, {"x": None}
    known, apart = Wrapped(zero_d="array", float32=True), Kept("_", "numpy", above=5, rows=("x",), is_apart=True)
    assert text_of(decorator(facts, "rt", known, apart)) == '@rt.migrated(updates="x", float32=True)'
    technical = 'returns="x", scalars="k", zero_d="array", above=5, rows="x")'
    assert text_of(of_original(facts, "rt", known, apart)) == f'@rt.original("A.f", effects=True, {technical}'
    beside = Kept("_f_numpy", "numpy", pure=True)
    assert text_of(decorator(facts, "rt", Wrapped(), beside)) == (
        '@rt.migrated(updates="x", returns="x", scalars="k", original=_f_numpy, on_unverified="numpy", pure=True)'
    )


def text_of(node: cst.Decorator) -> str:
    return cst.Module([]).code_for_node(node).strip()
