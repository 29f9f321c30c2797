"""TNP409: what keeps a function out of the graphs of ``--compile``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    home_of,
)
from np2tnp.analysis.syntax.python_tables import HARMLESS_METHODS, KEEPING_METHODS
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import StoreCase, store_case
from np2tnp.rules.decisions import decide
from np2tnp.rules.host.host_calls import AMBIGUOUS
from np2tnp.rules.words_and_edits import callee_words, short_name

CODE = "TNP409"

#: Builtins that only compute. Exceptions are made only where the trace ends.
_PURE_BUILTINS = frozenset(
    "abs all any bool complex dict divmod enumerate filter float frozenset int isinstance issubclass len list map max"
    " min pow range repr reversed round set slice sorted str sum tuple type zip callable hasattr".split()
)
#: Functions of NumPy that do something besides computing.
_IMPURE = (
    *("numpy.set_", "numpy.seterr", "numpy.setbufsize", "numpy.save", "numpy.load", "numpy.show", "numpy.test"),
    *("numpy.info", "numpy.fromfile"),
)
_WORDS = {
    ev.Kind.TRY: "a try statement: tracing raises other exceptions than running does",
    ev.Kind.NONLOCAL: "a nested function that rebinds a name outside of it",
    ev.Kind.LOCAL_CLASS: "a class made inside the function",
    ev.Kind.MATCH: "a match statement",
}


@register
class CompiledRegion(Rule):
    doc = Doc(
        code=CODE,
        name="not-compiled",
        summary="With --compile: something that happens once, when the function is traced, and not at every call.",
        why=(
            "A graph is made by running the function once with symbols for arrays. What it prints, draws at random,"
            " reads from files or stores in objects would happen in that run only."
        ),
        does=(
            "Migrates the function without compiling it. Calls of it from compiled functions keep those eager, too."
            " What only a trace can see (a value that decides about a Python `if`) is found at run time: the call"
            " runs eagerly, and the logger np2tnp says why."
        ),
        bad="""
            def smooth(x):
                print("smoothing", len(x))
                return np.convolve(x, np.ones(3) / 3)
        """,
        good="""
            @rt.migrated
            def smooth(x):
                print("smoothing", len(x))
                return rt.convolve(x, tnp.ones(3) / 3)
        """,
        severity=Severity.SILENT,
        compile="xla",
        safety="Safe: what runs eagerly gives the same results.",
    )
    on = (ev.Call, ev.AttributeStore, ev.Store, ev.Escape, ev.Kind.WITH, *_WORDS)
    only_with = "compile"

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        why = ""
        if isinstance(event, ev.Call):
            why = _call(event, context)
        elif isinstance(event, ev.Construct):
            why = _WORDS.get(event.kind, "")
            if event.kind == ev.Kind.WITH and event.detail.rpartition(".")[2] != "errstate":
                why = "a with statement"
        elif isinstance(event, ev.AttributeStore):
            why = f"the attribute .{event.name} is assigned"
        elif isinstance(event, ev.Store):
            if store_case(event, context).kind is StoreCase.STATE:
                why = "an array that belongs to an object outside is changed"
        elif isinstance(event, ev.Escape) and isinstance(event.value, Array):
            why = f"an array {event.reason}, which needs its values"
        if why and event.node is not None:
            yield self.hit(event.node, f"not compiled: {why}", Verdict.NOTE)


def _call(event: ev.Call, context: Context) -> str:
    """What stands against tracing a call; empty where nothing does."""
    if event.api is not None:
        decision = decide(event, context)
        if decision is not None and not decision.converts:
            return f"{short_name(event.api)} stays in NumPy"
        if event.api.startswith("numpy.random."):
            return f"{short_name(event.api)} draws at random: a graph has a stream of its own, which no seed reaches"
        return f"{short_name(event.api)} does more than compute" if event.api.startswith(_IMPURE) else ""
    callee = event.callee
    if isinstance(callee, Symbol):
        package, _, name = callee.name.partition(".")
        pure = package in ("math", "cmath", "operator") or (
            package == "builtins" and (name in _PURE_BUILTINS or name.endswith(("Error", "Exception")))
        )
        return "" if pure else f"{callee_words(event)} may do more than compute"
    if isinstance(callee, Function):
        summary = None if callee.nested else context.summary(callee)
        if callee.nested or (summary is not None and summary.migrated) or context.is_pure(callee):
            return ""
        return f"{callee_words(event)} is not migrated, and may do more than compute"
    if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
        method = context.method(callee.receiver, callee.name)
        summary = context.summary(method) if method is not None and _is_own(event.node.func) else None
        if summary is not None and summary.migrated:
            return ""
    elif isinstance(callee, Bound):
        receiver = callee.receiver
        if isinstance(receiver, (Sequence, Const, Scalar)):
            return "" if callee.name in HARMLESS_METHODS | KEEPING_METHODS else f".{callee.name}()"
        if home_of(receiver) != HOST and callee.name in AMBIGUOUS and not context.module.has_method(callee.name):
            return ""
    return f"{callee_words(event, 'a call')} may do more than compute"


def is_traceable(node: cst.CSTNode) -> bool:
    """Whether a function that stays as it is may get symbols for numbers: nothing in it handles the errors, or asks for
    the very class, of what it gets.
    """
    for part in walk(node):
        if type(part) in (cst.Try, cst.TryStar) or (type(part) is cst.Name and part.value == "type"):
            return False
    return True


def needs_state(facts: ev.RegionFacts) -> str:
    """Why no call of the region can be compiled, whatever is in it; empty where that is not so."""
    if facts.generator:
        return "a generator runs step by step"
    if facts.seen.compares_identities:
        return "it asks with `is` whether two names are one array: what a staged loop gives is a new one"
    if facts.host_parameters:
        name = min(facts.host_parameters)
        words = f"{name} stays the caller's object: other code gets it, or another name may update it"
        return f"{words} (an annotation says if it is a number)"
    if facts.parameters[:1] == ("cls",):
        return "a method of a class: what that holds may be another at the next call"
    if facts.parameters[:1] == ("self",) and not _only_reads(facts.node):
        return "self itself is used, or something of it deleted: a graph can only read its attributes"
    return ""


def _is_own(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self"


def _only_reads(node: cst.CSTNode) -> bool:
    """Whether ``self`` only stands in ``self.name``, and none of these is deleted; stores are seen as events."""
    allowed = {id(part.value) for part in walk(node) if isinstance(part, cst.Attribute) and _is_own(part)}
    allowed |= {id(part.name) for part in walk(node) if isinstance(part, cst.Param)}
    names = (part for part in walk(node) if isinstance(part, cst.Name) and part.value == "self")
    return all(id(name) in allowed for name in names) and not any(isinstance(part, cst.Del) for part in walk(node))
