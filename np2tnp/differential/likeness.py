"""Which class of a program a parameter takes, where only the attributes that are read of it tell."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from np2tnp.differential.hints import COMMON_MEMBERS, Function

_LISTS = ("list", "List", "Sequence", "Iterable", "Collection", "tuple", "Tuple", "MutableSequence")


class Likeness:
    """The members of a text's classes, inherited ones included."""

    def __init__(self, classes: Mapping[str, ast.ClassDef], named: Mapping[str, str]) -> None:
        self._classes = classes
        self._named = named  #: which of them an annotation's text means
        self._members = {name: self._all_members(name, frozenset()) for name in classes}

    def instances(self, function: Function, owner: ast.ClassDef | None = None) -> dict[str, str]:
        """The class that each parameter of `function` looks like, by name, for those that look like one.

        In a constructor (the class `owner` is given) also by what all methods read of the attribute that keeps it.
        """
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        found = {}
        for argument in arguments[1 if owner is not None else 0 :]:
            read = _read_of(function, argument.arg)
            if owner is not None and function.name == "__init__":
                read |= _read_of_kept(function, owner, argument.arg)
            name = self._class_with(frozenset(read))
            if argument.annotation is None and name:
                found[argument.arg] = name
        return found

    def lists(self, function: Function) -> dict[str, str]:
        """The class that the items of each parameter are of, by its annotation or by what is read of them."""
        found = {}
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
            if argument.annotation is not None:
                name = self._named.get(_item_of(argument.annotation), "")
            else:
                name = self._class_with(frozenset(_read_of_items(function, argument.arg)))
            if name:
                found[argument.arg] = name
        return found

    def subclasses(self, name: str) -> list[str]:
        """The classes below `name`, nearest first."""
        found: list[str] = []
        above = {name}
        while above:
            above = {
                other
                for other, node in self._classes.items()
                if other not in found and other != name and any(base in above for base in _bases(node))
            }
            found += [other for other in self._classes if other in above]
        return found

    def _class_with(self, read: frozenset[str]) -> str:
        """The first class that has all these members; none where an array, a text or a list may be meant."""
        if not read - COMMON_MEMBERS:
            return ""
        return next((name for name, members in self._members.items() if read <= members), "")

    def _all_members(self, name: str, seen: frozenset[str]) -> frozenset[str]:
        node = self._classes.get(name)
        if node is None or name in seen:
            return frozenset()
        inherited = (self._all_members(base, seen | {name}) for base in _bases(node))
        return frozenset(_members(node)).union(*inherited)


def _bases(node: ast.ClassDef) -> list[str]:
    return [base.id for base in node.bases if isinstance(base, ast.Name)]


def _members(node: ast.ClassDef) -> set[str]:
    """What the class body defines, and the attributes that its methods give their first parameter."""
    found: set[str] = set()
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(item.name)
            first = item.args.args[0].arg if item.args.args else ""
            for inner in ast.walk(item):
                if (
                    isinstance(inner, ast.Attribute)
                    and isinstance(inner.ctx, ast.Store)
                    and _is_name(inner.value, first)
                ):
                    found.add(inner.attr)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found.add(item.target.id)
        elif isinstance(item, ast.Assign):
            found |= {target.id for target in item.targets if isinstance(target, ast.Name)}
    return found


def _read_of(function: Function, name: str) -> set[str]:
    return {
        node.attr
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and _is_name(node.value, name)
    }


def _read_of_kept(function: Function, owner: ast.ClassDef, name: str) -> set[str]:
    """What the methods of `owner` read of the attributes in which its constructor keeps the parameter."""
    kept = {
        target.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _is_name(node.value, name)
        for target in node.targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    }
    return {
        node.attr
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in kept
        and isinstance(node.value.value, ast.Name)
    }


def _read_of_items(function: Function, name: str) -> set[str]:
    """What is read of what loops over the parameter `name`, or an index into it, gives."""
    items = {it for node in ast.walk(function) for it in _names_of_items(node, name)}
    return {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and (
            (isinstance(node.value, ast.Name) and node.value.id in items)
            or (isinstance(node.value, ast.Subscript) and _is_name(node.value.value, name))
        )
    }


def _names_of_items(node: ast.AST, name: str) -> list[str]:
    """The name that a loop or comprehension over `name`, plain or with its numbers, gives its items."""
    if not isinstance(node, (ast.For, ast.comprehension)):
        return []
    target, iterated = node.target, node.iter
    if isinstance(iterated, ast.Call) and iterated.args and _is_name(iterated.func, "enumerate"):
        target = target.elts[-1] if isinstance(target, ast.Tuple) else target
        iterated = iterated.args[0]
    return [target.id] if isinstance(target, ast.Name) and _is_name(iterated, name) else []


def _item_of(annotation: ast.expr) -> str:
    """``Particle`` of ``list[Particle]``; empty for what is no list of one class."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return ""
    if not isinstance(annotation, ast.Subscript):
        return ""
    of = ast.unparse(annotation.value).rpartition(".")[2]
    inner = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
    return ast.unparse(inner).strip("'\"") if of in _LISTS else ""


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
