"""TNP408: functions and classes defined inside a region that go outside."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Bound, Function, Sequence, Symbol
from np2tnp.analysis.syntax.scopes import parameters_of
from np2tnp.analysis.syntax.walk import names_in, nodes_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register


@register
class Callback(Rule):
    doc = Doc(
        code="TNP408",
        name="callback",
        summary="A nested function is returned or handed to others and reads what comes later, or a class is nested.",
        why="It would be called with ndarrays, and would give tensors back to code that does not expect them.",
        does=(
            "Leaves the whole function in NumPy. A nested function that is returned, kept or handed over without a call"
            " stays NumPy by itself, where what it reads is assigned before it; arrays among that stay ndarrays."
        ),
        bad="""
            def scaled(x):
                y = np.exp(x)
                f = lambda k: k * y / total
                total = np.sum(y)
                return f
        """,
        good="""
            def scaled(x):
                y = np.exp(x)
                total = np.sum(y)
                return lambda k: k * y / total
        """,
    )
    on = (ev.Call, ev.Return, ev.Kind.LOCAL_CLASS, ev.Kind.KEPT_FUNCTION)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.Construct):
            words = "a class defined inside the function: its methods would see tensors; define it at the top level"
            if event.kind == ev.Kind.KEPT_FUNCTION:
                why = _why(id(event.node), context) or "assign what it reads before it, without nonlocal"
                words = f"a nested function is returned or kept and would see tensors: {why}"
            yield self.hit(event.node, words, Verdict.BLOCK)
            return
        if isinstance(event, ev.Return):
            if isinstance(event.value, Function) and event.value.nested and event.node is not None:
                yield self.hit(
                    event.node, "a nested function is returned: its callers would see tensors", Verdict.BLOCK
                )
            return
        assert isinstance(event, ev.Call)
        callee = event.callee
        if (isinstance(callee, Function) and callee.nested) or (
            isinstance(callee, Symbol) and callee.name.startswith("builtins.")
        ):
            return
        if isinstance(callee, Bound) and isinstance(callee.receiver, Sequence) and callee.name == "sort":
            return  # as sorted()
        for argument in event.arguments:
            if isinstance(argument.value, Function) and argument.value.nested:
                where = callee.name if isinstance(callee, (Symbol, Bound)) else "another function"
                where = f"{callee.qualname}()" if isinstance(callee, Function) else where
                why = _why(argument.value.qualname.rpartition(" ")[2].rstrip(">"), context)
                alone = isinstance(argument.node.value, cst.Lambda) and _reads_nothing(argument.node.value, context)
                why = why or _named_twice(argument.node.value, context)
                why = why or (_OUTSIDE if alone else "assign what it reads once, before it, and without nonlocal")
                words = f"a nested function is handed to {where}: {why}"
                yield self.hit(argument.node, words, Verdict.BLOCK)


_OUTSIDE = "define it outside of the function, of which it reads nothing"


def _named_twice(node: cst.BaseExpression, context: Context) -> str:
    """What to do where several nested functions have the name that is handed over."""
    defined = [it.name.value for it in nodes_of(context.facts.node) if type(it) is cst.FunctionDef]
    if type(node) is not cst.Name or defined.count(node.value) < 2:
        return ""
    return f"{node.value} is defined more than once; give each of these functions a name of its own"


def _reads_nothing(node: cst.Lambda, context: Context) -> bool:
    """Whether a lambda reads no name that the function binds."""
    scope = context.module.scopes.get(id(context.facts.node))
    own = {parameter.name.value for parameter in parameters_of(node.params)}
    return scope is not None and not (names_in(node.body) - own) & scope.bound


def _why(node: int | str, context: Context) -> str:
    """Why the nested function with this id could not stay NumPy's (analysis/interpreter/closures.py), where
    that is known."""
    return context.facts.seen.not_lent.get(str(node), "")
