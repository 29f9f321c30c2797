"""The boundary around a migrated function: its decorator, and what its returns hand back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.locations import of_parameter
from np2tnp.analysis.domain.result_aliases import kinds_of_parts, zero_d
from np2tnp.analysis.domain.summaries import form
from np2tnp.config import NEVER
from np2tnp.edits import build, layout
from np2tnp.edits.edit import Edits
from np2tnp.rewrite import buffer_swap_names
from np2tnp.rewrite.buffer_swap_names import NO_MARKS, Marks

#: What a decorator may say that parameters are; see ``migrated`` in np2tnp/runtime/boundary/door.py.
DOOR_WORDS = (
    "floats", "reals", "inexact", "arrays",
    "floats_or_numbers", "reals_or_numbers", "inexact_or_numbers", "arrays_or_numbers",
    "numbers", "counts", "sizes", "axes", "generators",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kept:
    """How the wrapper calls the original, which stands beside the function, or at the module's end."""

    name: str
    on_unverified: str
    pure: bool = False
    above: int | None = None  #: None: what the runtime takes
    elements: cst.BaseExpression | None = None  #: of the largest array that the function makes itself
    rows: tuple[str, ...] = ()  #: parameters whose rows are worked on one by one
    work: int | str | None = None  #: what is done with the arrays; None: much
    is_apart: bool = False  #: whether it stands at the end, with all that a reader of the function need not know


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What else is known of a function that gets its decorator."""

    zero_d: str = "scalar"
    compile_as: str = "none"
    device: str = ""
    float32: bool = False
    state: tuple[str, ...] | None = None
    tensors: tuple[str, ...] = ()
    is_hot: bool = False  #: nobody asked for `compile_as`: it is a matter of the runtime's alone


def decorator(facts: ev.RegionFacts, runtime: str, known: Wrapped, kept: Kept | None = None) -> cst.Decorator:
    """``@rt.migrated(...)`` with what a reader wants to know, and what no original says (see :func:`below`)."""
    arguments = _stated(facts, known)
    if kept is None or not kept.is_apart:
        arguments += _technical(facts, runtime, known, kept)
    if kept is not None and not kept.is_apart:
        arguments.append(build.argument(cst.Name(kept.name), "original"))
        if kept.on_unverified != "raise":
            arguments.append(build.argument(build.string(kept.on_unverified), "on_unverified"))
            if kept.pure:
                arguments.append(build.argument(cst.Name("True"), "pure"))
    target: cst.BaseExpression = build.name(f"{runtime}.migrated")
    return cst.Decorator(build.call(target, *arguments) if arguments else target)


def of_original(facts: ev.RegionFacts, runtime: str, known: Wrapped, kept: Kept) -> cst.Decorator:
    """``@rt.original("name", ...)`` of an original that stands apart from the function."""
    arguments = [build.argument(build.string(facts.qualname))]
    if kept.on_unverified != "numpy":
        arguments.append(build.argument(build.string(kept.on_unverified), "on_unverified"))
    if not kept.pure:
        arguments.append(build.argument(cst.Name("True"), "effects"))
    return cst.Decorator(build.call(f"{runtime}.original", *arguments, *_technical(facts, runtime, known, kept)))


def _listed(keyword: str, names: Iterable[str]) -> list[cst.Arg]:
    text = ", ".join(names)
    return [build.argument(build.string(text), keyword)] if text else []


def _stated(facts: ev.RegionFacts, known: Wrapped) -> list[cst.Arg]:
    """What the function takes and does, in words for its reader."""
    order = facts.parameters
    door = {name: admitted.word for name, admitted in facts.door.items()}
    old = [name for name in order if name in facts.assumed_arrays and name not in door]
    arguments: list[cst.Arg] = []
    attributes = sorted(name for name in door if "." in name or "[" in name)
    for word in DOOR_WORDS:
        arguments += _listed(word, (name for name in (*order, *attributes) if door.get(name) == word))
    arguments += _listed(
        "objects", (f"{name}: {facts.classes[name].qualname}" for name in order if name in facts.classes)
    )
    arguments += _listed("updates", facts.mutated)
    arguments += _listed("no_lists", old)
    if known.compile_as != "none" and not known.is_hot:
        arguments.append(build.argument(build.string(known.compile_as), "compile"))
    arguments += _listed("tensors", known.tensors)
    if known.float32:
        arguments.append(build.argument(cst.Name("True"), "float32"))
    if known.device:
        arguments.append(build.argument(build.string(known.device), "device"))
    return arguments


def _technical(facts: ev.RegionFacts, runtime: str, known: Wrapped, kept: Kept | None) -> list[cst.Arg]:
    """What the wrapper must know besides."""
    order = facts.parameters
    door = facts.door
    # a number that a graph gets as one of its inputs is no number of Python's
    said = {name for name, it in door.items() if known.compile_as == "none" and it.word == "counts"}
    arguments = _listed("returns", (name for name in order if name in facts.returned))
    arguments += _listed("scalars", (name for name in order if name in facts.assumed_scalars and name not in said))
    arguments += _listed("hosted", (name for name in order if name in facts.host_parameters))
    if any(name not in facts.host_parameters | facts.assumed_scalars | {"self", "cls"} for name in order):
        reached = facts.changeable | (facts.host_parameters & facts.seen.writes)
        places = [ref.rpartition(":")[2] for ref in facts.updates]
        arguments += _listed(
            "changes", sorted([*places, *(of_parameter(name) for name in reached - facts.mutated.keys())])
        )
    arguments += _listed("methods", sorted(facts.seen.relies))
    if known.zero_d != "scalar":
        arguments.append(build.argument(build.string(known.zero_d), "zero_d"))
    if known.state or (known.state is not None and not known.is_hot):
        arguments.append(build.argument(build.string(", ".join(known.state)), "state"))
    if kept is not None and kept.above is not None:
        never = build.name(f"{runtime}.NEVER")
        arguments.append(build.argument(never if kept.above == NEVER else cst.Integer(f"{kept.above:_}"), "above"))
    if kept is not None and kept.elements is not None:
        arguments.append(build.argument(kept.elements, "elements"))
    if kept is not None and kept.work is not None:
        work: cst.BaseExpression
        work = cst.Integer(str(kept.work)) if isinstance(kept.work, int) else build.string(kept.work)
        arguments.append(build.argument(work, "work"))
    arguments += _listed("rows", kept.rows if kept is not None else ())
    if known.is_hot:
        arguments.append(build.argument(build.string(known.compile_as), "compile"))
    return arguments


def settle_zero_d(facts: ev.RegionFacts, edits: Edits, runtime: str) -> str:
    """The decorator's ``zero_d``. Where results differ in kind but each is known, arrays are marked when returned."""
    kind = zero_d(facts)
    if kind != "unverified":
        return kind
    marked: list[tuple[cst.BaseExpression, str]] = []
    for event in facts.events:
        if not isinstance(event, ev.Return) or event.node is None or event.node.value is None:
            continue
        for node, _, kinds in kinds_of_parts(event, facts):
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
            own = buffer_swap_names.at_return(facts, marks, event.node)
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
    placed = buffer_swap_names.placed(facts, marks)
    given = [build.argument(cst.Name(name), name) for name in facts.mutated if name not in placed]
    given += buffer_swap_names.finals(facts, marks, runtime)
    return cst.Return(build.call(f"{runtime}.updated", result, *given))


def wrap_function(
    node: cst.FunctionDef,
    facts: ev.RegionFacts,
    runtime: str,
    known: Wrapped,
    kept: Kept | None = None,
    indent: int = 0,
    width: int = 88,
    marks: Marks = NO_MARKS,
) -> cst.FunctionDef:
    """The function with its decorator innermost and, where its end can be reached, a last return of what it updates."""
    node = buffer_swap_names.with_marks(with_last_return(node, facts, runtime, marks), facts, marks)
    made = decorator(facts, runtime, known, kept)
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
