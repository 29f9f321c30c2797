"""Handlers that are shown NumPy's exceptions: ``except rt.raised(IndexError):``, and where that is not enough."""

from __future__ import annotations

from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Bound, Function, Instance
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.rules.base import Context

#: Exceptions that NumPy raises and TensorFlow raises as others.
TRANSLATED = frozenset({
    "IndexError", "ValueError", "TypeError", "LinAlgError", "AxisError", "FloatingPointError", "ZeroDivisionError",
    "ArithmeticError", "OverflowError", "RuntimeWarning", "AttributeError", "LookupError", "KeyError", "MemoryError",
    "RuntimeError", "Warning",
})  # fmt: skip

#: What NumPy makes of floating-point errors where it is told to: TensorFlow never does, in no function.
FLOATING = frozenset(("FloatingPointError", "RuntimeWarning", "Warning"))

EVERYTHING = frozenset(("Exception", "BaseException"))

#: What tensors have and ndarrays have not: asking for it raises nothing.
_OF_TENSORS = frozenset(
    "backing_device consumers cpu eval experimental_ref get_shape gpu graph is_packed name numpy op ref set_shape"
    " value_index".split()
)
MOVE = "move what is tried into a function"


def why_not_shown(node: cst.CSTNode, caught: list[str], context: Context) -> str:
    """Why seeing NumPy's exceptions would not make the handlers of `node` do what they do in NumPy; empty if it does.

    What is tried must have done the same until it raises, and must raise where NumPy does.
    """
    if context.boundary == "tensor" or isinstance(node, cst.TryStar) or FLOATING.intersection(caught):
        return MOVE
    assert isinstance(node, cst.Try)
    if any(_is_read(handler) for handler in node.handlers):
        return "the handler reads the exception, whose text is another one"
    inside = {id(part) for part in walk(node.body)}
    for event in context.facts.events:
        # A core that raises hands no updates over, and loops that became whole-array operations have no iterations.
        if not isinstance(event, ev.Call) or id(event.node) not in inside:
            continue
        if id(event.node) in context.stores and _is_of_project(event):
            return "a function that is tried updates its arguments: " + MOVE
    loops = [part.body for part in walk(node.body) if isinstance(part, (cst.For, cst.While))]
    looped = {id(part) for body in loops for part in walk(body)}
    if any(isinstance(event, ev.Store) and id(event.node) in looped for event in context.facts.events):
        return "a loop that is tried stores items: " + MOVE
    asked = {part.attr.value for part in walk(node.body) if isinstance(part, cst.Attribute)}
    if ("AttributeError" in caught or EVERYTHING.intersection(caught)) and _OF_TENSORS & asked:
        return "tensors have an attribute that is asked for"
    return ""


def show_numpys(node: cst.CSTNode, context: Context) -> None:
    """The edits of the handlers of `node`."""
    assert isinstance(node, cst.Try)
    runtime = f"{context.rt}.raised"
    for handler in node.handlers:
        if handler.type is None:
            context.edits.blocks[id(handler)] = _bare(runtime)
        elif (TRANSLATED | EVERYTHING).intersection(names_of(handler)) or held_classes(handler):
            context.edits.replace[id(handler.type)] = _typed(runtime)


def names_of(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> set[str]:
    """The last parts of the names of the classes that are handled."""
    if handler.type is None:
        return {"BaseException"}
    nodes = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    return {dotted(node).rpartition(".")[2] for node in nodes}


def held_classes(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> set[str]:
    """Names that are no class's, as those of tuples of classes are: ``except errors:``."""
    names = {name for name in names_of(handler) if not name[:1].isupper() or name.isupper()}
    return {name for name in names if not name.lower().endswith(("error", "timeout"))}


def _typed(runtime: str) -> Any:
    return lambda updated: build.call(runtime, updated)


def _bare(runtime: str) -> Any:
    def build_it(updated: Any) -> Any:
        kind = build.call(runtime, cst.Name("BaseException"))
        return updated.with_changes(type=kind, whitespace_after_except=cst.SimpleWhitespace(" "))

    return build_it


def _is_read(handler: cst.ExceptHandler) -> bool:
    """Whether the exception is looked at, and not only given on: ``raise ValueError(x) from error``."""
    if handler.name is None or not isinstance(handler.name.name, cst.Name):
        return handler.name is not None
    name = handler.name.name.value
    given = {
        id(part.cause.item) for part in walk(handler.body) if isinstance(part, cst.Raise) and part.cause is not None
    }
    return any(
        isinstance(part, cst.Name) and part.value == name and id(part) not in given for part in walk(handler.body)
    )


def _is_of_project(call: ev.Call) -> bool:
    callee = call.callee
    return (isinstance(callee, Bound) and isinstance(callee.receiver, Instance)) or isinstance(callee, Function)
