"""The boundary around a migrated function: its decorator, and what its returns hand back."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.result_aliases import kinds_of_parts, zero_d
from np2tnp.analysis.domain.summaries import form
from np2tnp.config import NEVER
from np2tnp.edits import build, layout
from np2tnp.edits.edit import Edits
from np2tnp.rewrite import buffer_swap_names
from np2tnp.rewrite.buffer_swap_names import NO_MARKS, Marks

#: What a decorator may say that parameters are; see ``migrated`` in np2tnp/runtime/boundary/door.py.
DOOR_WORDS = ("floats", "reals", "inexact", "arrays", "numbers")


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

    def listed(keyword: str, values: list[str]) -> None:
        if values:
            arguments.append(build.argument(build.string(", ".join(values)), keyword))

    order = facts.parameters
    door = {name: words_of(admitted) for name, admitted in (facts.extra.get("door") or {}).items()}
    old = [name for name in order if name in facts.assumed_arrays and name not in door]
    if any("arrays" in words for words in door.values()):  # one keyword has one form
        door, old = {**door, **dict.fromkeys(old, ("arrays", "numbers"))}, []
    for word in DOOR_WORDS:
        listed(word, [name for name in order if word in door.get(name, ())])
    mutates = tuple(facts.mutated)
    names("mutates", mutates)
    names("returns", tuple(name for name in order if name in facts.returned))
    names("arrays", tuple(old))
    # a number that a graph gets as one of its inputs is no number of Python's
    known = {name for name, words in door.items() if compile_as == "none" or words != ("numbers",)}
    names("scalars", tuple(name for name in order if name in facts.assumed_scalars and name not in known))
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


def words_of(admitted: Any) -> tuple[str, ...]:
    """The decorator's words for what a parameter takes (analysis/domain/doors.py)."""
    return (admitted,) if isinstance(admitted, str) else tuple(admitted.words)


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
    node = buffer_swap_names.with_marks(with_last_return(node, facts, runtime, marks), facts, marks)
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


# --- The kept original of a migrated function, beside it under a private name: for what the migrated one refuses


def original_name(name: str, words: Container[str], taken: set[str]) -> str:
    """A free private name for the original of the function `name`, added to `taken`.

    `words`: every identifier in the file. `taken`: names of originals in the same scope (a name may be defined twice).
    """
    candidate = f"_{name.strip('_') or 'function'}_numpy"
    while candidate in words or candidate in taken:
        candidate += "_"
    taken.add(candidate)
    return candidate


def is_protocol(node: cst.ClassDef) -> bool:
    """Whether the class is a protocol: every name in it, an original's too, is asked of those who implement it."""
    for base in node.bases:
        value = base.value.value if isinstance(base.value, cst.Subscript) else base.value
        name = value.attr if isinstance(value, cst.Attribute) else value
        if isinstance(name, cst.Name) and name.value == "Protocol":
            return True
    return False


def kept_original(node: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """`node` under the name `name`, without decorators and docstring.

    The runtime gives it the migrated function's default objects, so that each is made once: only literals stay.
    """
    body = node.body
    if isinstance(body, cst.IndentedBlock) and node.get_docstring() is not None and len(body.body) > 1:
        first = body.body[1]
        lines = getattr(first, "leading_lines", ())
        above = next((n for n, line in enumerate(lines) if line.comment is not None), len(lines))
        if above:  # blank lines that stood below the docstring
            first = first.with_changes(leading_lines=lines[above:])
        body = body.with_changes(body=[first, *body.body[2:]])
    return node.with_changes(
        name=cst.Name(name),
        decorators=(),
        lines_after_decorators=(),
        leading_lines=_heading(node) or _blank(node),
        params=node.params.visit(_Literals()),
        body=body,
    )


def below_original(node: cst.FunctionDef) -> cst.FunctionDef:
    """The migrated function with the blank lines that the original above it asks for, also at a block's beginning.

    A heading, comments that a blank line parts from the function, stands above both.
    """
    blank = _blank(node)
    heading = _heading(node)
    if blank and not heading:
        return node
    lines = node.leading_lines[len(heading) :]
    return node.with_changes(leading_lines=[*(blank or [cst.EmptyLine(indent=False)]), *lines])


def _heading(node: cst.FunctionDef) -> list[cst.EmptyLine]:
    lines = list(node.leading_lines)
    while lines and lines[-1].comment is not None:
        lines.pop()
    return lines if any(line.comment is not None for line in lines) else []


def _blank(node: cst.FunctionDef) -> list[cst.EmptyLine]:
    lines: list[cst.EmptyLine] = []
    for line in node.leading_lines:
        if line.comment is not None:
            break
        lines.append(line)
    return lines


class _Literals(cst.CSTTransformer):
    """Replaces the defaults that are not literals by ``...``."""

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:  # noqa: N802
        default: Any = original_node.default
        if default is None or isinstance(default, (cst.Integer, cst.Float, cst.SimpleString)):
            return updated_node
        if isinstance(default, cst.Name) and default.value in ("None", "True", "False"):
            return updated_node
        return updated_node.with_changes(default=cst.Ellipsis())
