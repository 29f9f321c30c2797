"""Names that change places: a number beside each says whose array it holds (see
analysis/module/buffer_exchanges.py)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.edits.edit import Edits

#: By name, the name of the number that says whose array it holds.
Marks = Mapping[str, str]
NO_MARKS: Marks = MappingProxyType({})


def follow(facts: ev.RegionFacts, edits: Edits, words: Container[str]) -> Marks:
    """Exchange the numbers with the names, and give the names of the numbers. `words`: names that are taken."""
    marks: dict[str, str] = {}
    for exchange in facts.exchanges:
        marks.update((name, _unused(f"{name}_of", words)) for name in exchange.names)
    swaps = {key: swap for exchange in facts.exchanges for key, swap in exchange.swaps.items()}
    for node in walk(facts.node) if swaps else ():
        if id(node) in swaps:
            left, right = ([marks[name] for name in names] for names in swaps[id(node)])
            edits.statement(node).after.append(
                lambda left=left, right=right: build.assign(build.names_tuple(left), build.names_tuple(right))  # type: ignore[misc]
            )
    return marks


def _unused(name: str, words: Container[str]) -> str:
    while name in words:
        name += "_"
    return name


def with_marks(node: cst.FunctionDef, facts: ev.RegionFacts, marks: Marks) -> cst.FunctionDef:
    """The function with the first numbers, below its docstring."""
    if not marks:
        return node
    assert isinstance(node.body, cst.IndentedBlock)
    names = [marks[name] for exchange in facts.exchanges for name in exchange.names]
    numbers = [cst.Integer(str(place)) for exchange in facts.exchanges for place, _ in enumerate(exchange.names)]
    values = build.tuple_of([build.argument(number) for number in numbers]).with_changes(lpar=(), rpar=())
    line = cst.SimpleStatementLine([build.assign(build.names_tuple(names), values)])
    lines = node.body.body
    start = 1 if node.get_docstring(clean=False) is not None else 0
    return node.with_changes(body=node.body.with_changes(body=[*lines[:start], line, *lines[start:]]))


def at_return(facts: ev.RegionFacts, marks: Marks, node: cst.Return) -> Marks:
    """The numbers that decide at one of the returns: before an exchange, the parameters hold their own arrays."""
    early = [exchange for exchange in facts.exchanges if id(node) in exchange.early]
    return {name: mark for name, mark in marks.items() if not any(name in exchange.names for exchange in early)}


def placed(facts: ev.RegionFacts, marks: Marks) -> frozenset[str]:
    """The parameters whose arrays are found by their numbers in the end."""
    return frozenset(name for exchange in facts.exchanges for name in exchange.given if name in marks)


def finals(facts: ev.RegionFacts, marks: Marks, runtime: str) -> list[cst.Arg]:
    """What their arrays are in the end, as keyword arguments: ``**rt.whose(a=(a, a_of), b=(b, b_of))``."""
    found: list[cst.Arg] = []
    for exchange in facts.exchanges:
        if marks.keys().isdisjoint(exchange.names):
            continue
        pairs = [(name, build.names_tuple([name, marks[name]])) for name in exchange.names]
        keywords = [build.argument(pair, name) for name, pair in pairs if name in exchange.given]
        others = [build.argument(pair) for name, pair in pairs if name not in exchange.given]
        found.append(cst.Arg(build.call(f"{runtime}.whose", *others, *keywords), star="**"))
    return found
