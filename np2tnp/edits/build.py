"""Small constructors of libcst nodes: the only place where code is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst


def name(dotted: str) -> cst.BaseExpression:
    """``a.b.c`` as a node."""
    first, *rest = dotted.split(".")
    node: cst.BaseExpression = cst.Name(first)
    for part in rest:
        node = cst.Attribute(node, cst.Name(part))
    return node


def bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """`node` as an argument: without outer parentheses of its own, except for a tuple, which needs them there."""
    if isinstance(node, cst.Tuple) and not node.lpar:
        return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    if not getattr(node, "lpar", None) or isinstance(node, (cst.Tuple, cst.GeneratorExp, cst.Yield, cst.NamedExpr)):
        return node
    return node.with_changes(lpar=(), rpar=())


def argument(node: cst.BaseExpression, keyword: str | None = None) -> cst.Arg:
    if keyword is None:
        return cst.Arg(bare(node))
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(bare(node), cst.Name(keyword), equal=tight)


def call(function: str | cst.BaseExpression, *arguments: cst.Arg | cst.BaseExpression) -> cst.Call:
    """``function(arguments...)``."""
    target = name(function) if isinstance(function, str) else function
    if len(arguments) == 1 and isinstance(arguments[0], cst.BaseExpression):
        return _parenthesised(target, arguments[0])
    items = [item if isinstance(item, cst.Arg) else argument(item) for item in arguments]
    return cst.Call(target, separated(items))


def _parenthesised(function: cst.BaseExpression, node: cst.BaseExpression) -> cst.Call:
    """``function(node)`` where the parentheses of the call take over the line breaks of `node`'s own."""
    inside = bare(node)
    if inside is node or not node.lpar:
        return cst.Call(function, [cst.Arg(inside)])
    return cst.Call(
        function,
        [cst.Arg(inside, whitespace_after_arg=node.rpar[-1].whitespace_before)],
        whitespace_before_args=node.lpar[0].whitespace_after,
    )


def separated(items: Iterable[cst.Arg]) -> list[cst.Arg]:
    """`items` with a comma between each two; commas that are there keep their white space."""
    result = list(items)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    for index, item in enumerate(result[:-1]):
        if item.comma is cst.MaybeSentinel.DEFAULT:
            result[index] = item.with_changes(comma=comma)
    return result


def primary(node: cst.BaseExpression) -> cst.BaseExpression:
    """`node` fit to stand left of a dot or bracket: parenthesised unless it binds tightly by itself."""
    tight = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set, cst.SimpleString)
    if isinstance(node, tight) or getattr(node, "lpar", None):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def at(
    runtime: str,
    base: cst.BaseExpression,
    key: Sequence[cst.SubscriptElement],
    method: str,
    *values: cst.BaseExpression,
) -> cst.Call:
    """``rt.at(base)[key].method(values)``."""
    subscript = cst.Subscript(call(f"{runtime}.at", base), list(key))
    return call(cst.Attribute(subscript, cst.Name(method)), *values)  # one value: keeps its line breaks


def target(node: cst.BaseExpression) -> cst.BaseAssignTargetExpression:
    """`node`, which can be assigned to."""
    assert isinstance(node, cst.BaseAssignTargetExpression)
    return node


def assign(left: cst.BaseExpression, value: cst.BaseExpression) -> cst.Assign:
    """``left = value``."""
    return cst.Assign([cst.AssignTarget(target(left))], value)


def names_tuple(names: Iterable[str]) -> cst.Tuple:
    """``a, b, c`` without parentheses."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    elements = [cst.Element(cst.Name(item), comma) for item in names]
    elements[-1] = elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return cst.Tuple(elements, lpar=(), rpar=())


def tuple_of(arguments: Sequence[cst.Arg]) -> cst.Tuple:
    """Positional arguments as one tuple: ``(a, *b)``."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    elements: list[cst.BaseElement] = [
        cst.StarredElement(argument.value, comma) if argument.star else cst.Element(argument.value, comma)
        for argument in arguments
    ]
    last = cst.Comma() if len(elements) == 1 else cst.MaybeSentinel.DEFAULT
    elements[-1] = elements[-1].with_changes(comma=last)
    return cst.Tuple(elements)


def targets_tuple(first: cst.BaseExpression, names: Iterable[str]) -> cst.Tuple:
    """``first, a, b`` as the target of an assignment; a tuple as `first` gets its parentheses."""
    if isinstance(first, cst.Tuple) and not first.lpar:
        first = first.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    rest = names_tuple(["_", *names])
    return rest.with_changes(elements=[rest.elements[0].with_changes(value=first), *rest.elements[1:]])


def string(text: str) -> cst.SimpleString:
    return cst.SimpleString('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')


def strings_tuple(items: Sequence[str]) -> cst.Tuple:
    """``("a", "b")`` with the comma that a one-element tuple needs."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    elements = [cst.Element(string(item), comma) for item in items]
    if elements:
        last = cst.Comma() if len(items) == 1 else cst.MaybeSentinel.DEFAULT
        elements[-1] = elements[-1].with_changes(comma=last)
    return cst.Tuple(elements)
