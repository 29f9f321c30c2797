"""TNP511: results once a function has had effects, and what goes to the host, that may be scalars or 0-d arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.result_aliases import kinds_of_parts, zero_d
from np2tnp.analysis.domain.values import Array
from np2tnp.analysis.syntax.scopes import dotted, sketch
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register


@register
class UndecidedResult(Rule):
    doc = Doc(
        code="TNP511",
        name="undecided-result",
        summary="A function that may have effects returns what may be a scalar or a 0-d array.",
        why=(
            "A tensor without dimensions is one thing, NumPy's scalars and 0-d arrays are two: `float64` and `ndarray`."
            " Where the text does not tell which it is, such a result is refused, and the NumPy original answers. That"
            " is no way out for a function that has printed, drawn or stored something by then. Nor for what is handed"
            " to code that stays NumPy: where both surely meet under one name, the function stays NumPy, too."
        ),
        does=(
            "Leaves the whole function in NumPy. `float(...)` of what is returned"
            " says that it is a scalar, `np.asarray(...)` that it is an array."
        ),
        bad="""
            def total(x, squeeze):
                y = np.exp(x)
                print("summing")
                return y.squeeze() if squeeze else y.sum()
        """,
        good="""
            def total(x, squeeze):
                y = np.exp(x)
                print("summing")
                return float(y.squeeze() if squeeze else y.sum())
        """,
    )
    on = (ev.Return,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Return)
        if not context.in_region or context.boundary == "tensor" or zero_d(context.facts) != "unverified":
            return
        parts = [
            (node, value)
            for node, value, kinds in kinds_of_parts(event, context.facts)
            if not (kinds <= {"scalar"} or kinds == {"array"})
        ]
        if not parts or context.begins_again():
            return
        again = "to ask the original would run all of it a second time"
        doubted = f"this may be a scalar or a 0-d array; {again}, and {context.effect()}"
        names = ", ".join(dict.fromkeys(sketch(node) for node, _ in parts))
        if len(parts) > 1 and "..." not in names and all(isinstance(value, Array) for _, value in parts):
            doubt = doubted.replace("this", f"each of {names}", 1)
            yield self.hit(parts[0][0], f"{doubt}: {_advice(parts[0][0], 'each', context)}", Verdict.BLOCK)
            return
        for node, value in parts:
            made = _made_by_length(node, context)
            if made is not None:
                why = f"a scalar or a 0-d array, for all that is known of the length that {sketch(made)} gets;"
                doubt = doubted.replace("this", sketch(node), 1).replace("a scalar or a 0-d array;", why, 1)
                yield self.hit(node, f"{doubt}: write int(...) for that length, as of one dimension", Verdict.BLOCK)
                continue
            words = sketch(node)
            doubt = doubted if "..." in words else doubted.replace("this", words, 1)
            left = "" if isinstance(value, Array) or type(node) is cst.Call else "unseen"
            advice = f"say float(...) of a number where {words} gets it" if left else _advice(node, "", context)
            doubt = doubt if not left else doubt.replace(" may be", ", or an item of it, may be", 1)
            yield Hit(self.code, node, f"{doubt}: {advice}", Verdict.BLOCK, left=left)


def at_the_host(context: Context) -> Iterator[Hit]:
    """What goes to the host where a scalar and a 0-d array meet under one name: a tensor does not tell which it is."""
    if context.in_region:
        for node in (it for it in context.edits.doubted if id(it) in context.edits.host):
            words = (
                f"{sketch(node)} is now a scalar, now a 0-d array, and is handed to code that stays NumPy, which may"
                " tell them apart: make all of them arrays by np.asarray(...) or numbers by float(...)"
            )
            yield Hit(UndecidedResult.doc.code, node, words, Verdict.BLOCK)


_BY_SHAPE = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "full"))


def _made_by_length(node: cst.BaseExpression, context: Context) -> cst.Call | None:
    """What makes the array `node` by a length of which nobody knows that it is one number: ``np.zeros(box.size)``."""
    region = context.facts.node
    for value in _bound(node.value, region) if isinstance(node, cst.Name) else ():
        call = context.calls.get(id(value))
        if type(value) is cst.Call and call is not None and call.api in _BY_SHAPE and value.args:
            unknown = isinstance(call.result, Array) and call.result.rank is None
            if unknown and _is_length(value.args[0].value, region):
                return value
    return None


def _is_length(node: cst.BaseExpression, region: cst.CSTNode, depth: int = 4) -> bool:
    """Whether it reads as a number of elements: ``x.size``, ``len(x)``, ``x.shape[0]``, and what is computed of one."""
    if isinstance(node, cst.BinaryOperation):
        return _is_length(node.left, region, depth) or _is_length(node.right, region, depth)
    if isinstance(node, cst.Name):
        bound = _bound(node.value, region) if depth else []
        return bool(bound) and all(_is_length(value, region, depth - 1) for value in bound)
    if isinstance(node, cst.Call):
        name = dotted(node.func)
        return name == "len" or (
            name in ("min", "max") and any(_is_length(it.value, region, depth) for it in node.args)
        )
    if isinstance(node, cst.Subscript):
        of, index = node.value, node.slice[0].slice
        return isinstance(of, cst.Attribute) and of.attr.value == "shape" and type(index) is cst.Index
    return isinstance(node, cst.Attribute) and node.attr.value == "size"


def _bound(name: str, region: cst.CSTNode) -> list[cst.BaseExpression]:
    """The expressions that assignments bind `name` to, one by one or several at once."""
    found: list[cst.BaseExpression] = []
    for node in (part for part in nodes_of(region) if isinstance(part, cst.Assign)):
        for target in node.targets:
            if dotted(target.target) == name:
                found.append(node.value)
            elif isinstance(target.target, cst.Tuple) and isinstance(node.value, cst.Tuple):
                pairs = zip(target.target.elements, node.value.elements, strict=False)
                found += [right.value for left, right in pairs if dotted(left.value) == name]
    return found


def _advice(node: cst.BaseExpression, each: str = "", context: Context | None = None) -> str:
    """Only where one value is returned can that be said at the return: a call may give several.

    each: what stands for several of them.
    """
    calls = context.calls if context is not None else {}
    made = "np.asarray"  # which would take a subclass off
    if any(call.api == "numpy.asanyarray" for call in calls.values()):
        made = "np.asanyarray"
    call = calls.get(id(node))
    if type(node) is cst.Call and call is not None and call.api is not None and isinstance(call.result, Array):
        return f"return {made}(...) of an array, float(...) of a number"
    if type(node) is cst.Call:
        name = dotted(node.func) or "the callee"
        return f"of one value, return {made}(...) or float(...); of a tuple, say so where {name} makes it"
    words = each or sketch(node)
    return (
        f"return {made}({words}) of an array, float({words}) of a number; where it is now one and now the other,"
        " compute it in a function of its own, without the effects"
    )
