"""The boundary around a migrated function: its decorator, and what its returns hand back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.result_aliases import kinds_of_parts, zero_d
from np2tnp.analysis.domain.summaries import form
from np2tnp.config import NEVER
from np2tnp.edits import build, layout
from np2tnp.edits.edit import Edits
from np2tnp.rewrite import exchanged
from np2tnp.rewrite.exchanged import NO_MARKS, Marks


@dataclass(frozen=True, slots=True)
class Kept:
    """How the wrapper calls the original that is kept under `name`."""

    name: str
    on_unverified: str
    pure: bool = False
    above: int | None = None  #: None: what the runtime takes
    elements: cst.BaseExpression | None = None  #: of the largest array that the function makes itself
    rows: tuple[str, ...] = ()  #: parameters whose rows are worked on one by one


def decorator(
    facts: ev.RegionFacts,
    runtime: str,
    kind: str,
    kept: Kept | None = None,
    compile_as: str = "none",
    device: str = "",
    float32: bool = False,
    state: tuple[str, ...] | None = None,
    tensors: tuple[str, ...] = (),
) -> cst.Decorator:
    """``@rt.migrated(...)`` with what the wrapper must know."""
    arguments: list[cst.Arg] = []

    def names(keyword: str, values: tuple[str, ...]) -> None:
        if values:
            arguments.append(build.argument(build.strings_tuple(values), keyword))

    order = facts.parameters
    mutates = tuple(facts.mutated)
    names("mutates", mutates)
    names("returns", tuple(name for name in order if name in facts.returned))
    names("arrays", tuple(name for name in order if name in facts.assumed_arrays))
    names("scalars", tuple(name for name in order if name in facts.assumed_scalars))
    names("hosted", tuple(name for name in order if name in facts.host_parameters))
    if any(name not in facts.host_parameters | facts.assumed_scalars | {"self", "cls"} for name in order):
        reached = facts.changeable | (facts.host_parameters & facts.extra.get("writes", set()))
        places = [ref.rpartition(":")[2] for ref in facts.updates]
        names("updates", tuple(sorted([*places, *(f"@{name}" for name in reached - facts.mutated.keys())])))
    names("methods", tuple(sorted(facts.extra.get("relies", ()))))
    if kind != "scalar":
        arguments.append(build.argument(build.string(kind), "zero_d"))
    if compile_as != "none":
        arguments.append(build.argument(build.string(compile_as), "compile"))
    if state is not None:
        arguments.append(build.argument(build.strings_tuple(state), "state"))
    names("tensors", tensors)
    if float32:
        arguments.append(build.argument(cst.Name("True"), "float32"))
    if device:
        arguments.append(build.argument(build.string(device), "device"))
    if kept is not None:
        arguments.append(build.argument(cst.Name(kept.name), "original"))
        if kept.on_unverified != "raise":
            arguments.append(build.argument(build.string(kept.on_unverified), "on_unverified"))
            if kept.pure:
                arguments.append(build.argument(cst.Name("True"), "pure"))
        if kept.above is not None:
            never = build.name(f"{runtime}.NEVER")
            arguments.append(build.argument(never if kept.above == NEVER else cst.Integer(f"{kept.above:_}"), "above"))
        if kept.elements is not None:
            arguments.append(build.argument(kept.elements, "elements"))
        names("rows", kept.rows)
    target: cst.BaseExpression = build.name(f"{runtime}.migrated")
    return cst.Decorator(build.call(target, *arguments) if arguments else target)


def settle_zero_d(facts: ev.RegionFacts, edits: Edits, runtime: str) -> str:
    """The decorator's ``zero_d``. Where results differ in kind but each is known, arrays are marked when returned."""
    kind = zero_d(facts)
    if kind != "unverified":
        return kind
    marked: list[tuple[cst.BaseExpression, str]] = []
    for event in facts.events:
        if not isinstance(event, ev.Return) or event.node is None or event.node.value is None:
            continue
        for node, kinds in kinds_of_parts(event, facts):
            if kinds == {"array"}:
                marked.append((node, "zero_d_array"))
            elif not kinds <= {"scalar"}:
                marked.append((node, "not_zero_d"))
    for node, function in marked:
        inner = edits.replace.get(id(node))

        def mark(updated: cst.BaseExpression, inner: Any = inner, function: str = function) -> cst.BaseExpression:
            return build.call(f"{runtime}.{function}", inner(updated) if inner is not None else updated)

        edits.replace[id(node)] = mark
    return "scalar"


def add_returns(facts: ev.RegionFacts, edits: Edits, runtime: str | None, marks: Marks = NO_MARKS) -> None:
    """Every return of a function that updates parameters hands their final values back.

    `runtime`: the runtime's name; None where there is no wrapper to take them. `marks`: of names that change places.
    """
    if not facts.mutated:
        return
    for event in facts.events:
        if isinstance(event, ev.Return) and event.node is not None:
            own = exchanged.at_return(facts, marks, event.node)
            edits.statement(event.node).change.append(
                lambda updated, own=own: _updated_return(facts, updated.value, runtime, own)  # type: ignore[misc]
            )


def _updated_return(facts: ev.RegionFacts, value: Any, runtime: str | None, marks: Marks = NO_MARKS) -> cst.Return:
    result = value if value is not None else cst.Name("None")
    if runtime is None:
        names: list[cst.BaseExpression] = [cst.Name(name) for name in facts.mutated]
        kind = form(tuple(facts.mutated), facts.result)
        if kind == "same":
            return cst.Return(result)
        parts = names if kind == "updated" else [result, *names]
        if len(parts) == 1:
            return cst.Return(parts[0])
        return cst.Return(build.tuple_of([build.argument(part) for part in parts]).with_changes(lpar=(), rpar=()))
    placed = exchanged.placed(facts, marks)
    given = [build.argument(cst.Name(name), name) for name in facts.mutated if name not in placed]
    given += exchanged.finals(facts, marks, runtime)
    return cst.Return(build.call(f"{runtime}.updated", result, *given))


def wrap_function(
    node: cst.FunctionDef,
    facts: ev.RegionFacts,
    runtime: str,
    kind: str,
    kept: Kept | None = None,
    compile_as: str = "none",
    device: str = "",
    float32: bool = False,
    state: tuple[str, ...] | None = None,
    indent: int = 0,
    width: int = 88,
    marks: Marks = NO_MARKS,
    tensors: tuple[str, ...] = (),
) -> cst.FunctionDef:
    """The function with its decorator innermost and, where its end can be reached, a last return of what it updates."""
    node = exchanged.with_marks(with_last_return(node, facts, runtime, marks), facts, marks)
    made = decorator(facts, runtime, kind, kept, compile_as, device, float32, state, tensors)
    return node.with_changes(decorators=[*node.decorators, layout.broken(made, indent, width)])


def with_last_return(
    node: cst.FunctionDef, facts: ev.RegionFacts, runtime: str | None, marks: Marks = NO_MARKS
) -> cst.FunctionDef:
    """The function with a last return of what it updates, where its end can be reached."""
    if facts.mutated and any(isinstance(event, ev.Return) and event.node is None for event in facts.events):
        last = cst.SimpleStatementLine([_updated_return(facts, None, runtime, marks)])
        body = node.body
        if isinstance(body, cst.IndentedBlock):
            node = node.with_changes(body=body.with_changes(body=[*body.body, last]))
        else:
            assert isinstance(body, cst.SimpleStatementSuite)
            lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in body.body]
            node = node.with_changes(body=cst.IndentedBlock([*lines, last]))
    return node
