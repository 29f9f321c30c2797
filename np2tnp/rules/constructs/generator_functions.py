"""TNP402: generators."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.module.kept_functions import names_captured
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import nodes_of, walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register


@register
class Generator(Rule):
    doc = Doc(
        code="TNP402",
        name="generator",
        summary="A generator that gets arrays by send(), returns one, or is nested in another function.",
        why=(
            "It runs while its caller waits: tensors would reach the caller, and nobody knows what the caller does with"
            " what it sent."
        ),
        does=(
            "Leaves the whole function in NumPy. Other generators migrate: they work on their caller's own objects, so"
            " that they see its updates as late as before, and what they yield are ndarrays."
        ),
        bad="""
            def means():
                total, n = 0.0, 0
                while True:
                    x = yield total / max(n, 1)
                    total, n = total + np.exp(x), n + 1
        """,
        good="""
            def means(xs):
                total = 0.0
                for n, x in enumerate(xs, 1):
                    total = total + np.exp(x)
                    yield total / n
        """,
    )
    on = (ev.Kind.YIELD,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region or (context.facts.generator and not event.detail):
            return
        words = (
            "a generator that is nested or gets values by send(): move its work on arrays into a function of its own"
        )
        if context.boundary == "tensor":
            words = "a generator runs while its caller waits, which only the wrapper of --boundary numpy can serve"
        elif event.detail == "returned":
            words = "a generator returns an array: yield it"
        elif name := _that_does_nothing(event.node, context):
            words = f"a generator is nested, and {name}() does nothing: use contextlib.nullcontext()"
        elif name := _that_reads_nothing(event.node, context):
            words = f"a generator is nested: define {name}() outside of the function, of which it reads nothing"
        yield self.hit(event.node, words, Verdict.BLOCK)


def _that_reads_nothing(node: cst.CSTNode, context: Context) -> str:
    """The name of the nested function that yields at `node` and reads no name that the region binds; else empty."""
    scope = context.module.scopes.get(id(context.facts.node))
    for part in nodes_of(context.facts.node):
        if type(part) is cst.FunctionDef and part is not context.facts.node and any(it is node for it in walk(part)):
            read = names_captured(part, set(context.module.scopes[id(part)].bound))
            return part.name.value if scope is not None and not read & scope.bound else ""
    return ""


def _that_does_nothing(node: cst.CSTNode, context: Context) -> str:
    """The name of the nested function that is this ``yield`` alone; empty where it is more."""
    for part in nodes_of(context.facts.node):
        if type(part) is cst.FunctionDef and part is not context.facts.node and part.decorators:
            managed = dotted(part.decorators[0].decorator).rpartition(".")[2] == "contextmanager"
            inside = [below for below in walk(part.body) if isinstance(below, cst.BaseExpression)]
            if managed and inside == [node]:
                return part.name.value
    return ""
