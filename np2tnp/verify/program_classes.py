"""Classes of a program as kinds of arguments: which class a parameter takes, where it is defined, named tuples."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from np2tnp.verify.hints import COMMON_MEMBERS, Function

# --- Which class of a program a parameter takes, where only the attributes that are read of it tell

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


# --- Named tuples as classes whose constructor takes the fields


def classes_of(statements: list[ast.stmt]) -> dict[str, ast.ClassDef]:
    """The classes that the statements define, ``P = namedtuple("P", "x y")`` among them, by name."""
    found: dict[str, ast.ClassDef] = {}
    for node in statements:
        if isinstance(node, ast.ClassDef):
            found[node.name] = node
        elif (
            isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Name)
        ):
            fields = list(_fields(node.value))
            if fields and all(map(str.isidentifier, fields)):
                found[target.id] = _class(target.id, fields)
    return found


def has_fields(node: ast.ClassDef) -> bool:
    """Whether annotations in its body are what its constructor takes: a decorator's or a named tuple's class."""
    return bool(node.decorator_list) or any(_is_called(base, "NamedTuple") for base in node.bases)


def _fields(value: ast.expr) -> Iterator[str]:
    match value:
        case ast.Call(func, [ast.Constant(str()), ast.Constant(str(names)), *_]) if _is_called(func, "namedtuple"):
            yield from names.replace(",", " ").split()
        case ast.Call(func, [ast.Constant(str()), ast.List(items) | ast.Tuple(items), *_]) if _is_called(
            func, "namedtuple", "NamedTuple"
        ):
            for item in items:
                item = item.elts[0] if isinstance(item, ast.Tuple) and item.elts else item
                yield item.value if isinstance(item, ast.Constant) and isinstance(item.value, str) else ""


def _is_called(function: ast.expr, *names: str) -> bool:
    own = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return own in names


def _class(name: str, fields: list[str]) -> ast.ClassDef:
    body = "; ".join(f"self.{field} = {field}" for field in fields)
    found = ast.parse(f"class {name}:\n    def __init__(self, {', '.join(fields)}): {body}").body[0]
    assert isinstance(found, ast.ClassDef)
    return found


# --- Classes that other files of a project define: parameters are often objects of those
#
# A class of another module is called ``package.module:Class``. Only the texts are read here; `find` imports the
# module, in a child process, when an object is wanted.

_FILES, _BYTES = 40, 300_000  #: how many neighbours are read, and how large they may be
#: What a module may do when it is imported for its classes alone.
_HARMLESS = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign, ast.Assign),
    ast.Pass,
)


def find(namespace: Mapping[str, Any], name: str) -> Any:
    """The class called `name`, as the functions here call it. Raises what importing its module raises."""
    module, _, own = name.rpartition(":")
    return getattr(importlib.import_module(module), own) if module else namespace[name]


def classes_elsewhere(path: Path, place: tuple[Path, str]) -> dict[str, ast.ClassDef]:
    """The classes of the files beside `path` that can be imported without anything happening, by what they are called.

    `place` is the folder from which the file's modules are imported, and the file's own dotted name.
    """
    package = place[1].rpartition(".")[0]
    found: dict[str, ast.ClassDef] = {}
    for file in sorted(path.resolve().parent.glob("*.py"))[:_FILES]:
        if file == path.resolve() or file.stem.startswith(("__", "test_", "conftest")) or not file.stem.isidentifier():
            continue
        try:
            tree = ast.parse(file.read_text(encoding="utf-8")) if file.stat().st_size <= _BYTES else None
        except (OSError, SyntaxError, ValueError):
            continue
        if tree is not None and all(map(_is_harmless, tree.body)):
            found.update(_classes_of(tree, f"{package}.{file.stem}" if package else file.stem))
    return found


def by_annotation(own: Mapping[str, ast.ClassDef], others: Mapping[str, ast.ClassDef]) -> dict[str, str]:
    """What annotations call each class, where only one can be meant."""
    said: dict[str, list[str]] = {}
    for key in others:
        module, _, name = key.rpartition(":")
        for text in (name, f"{module}.{name}", f"{module.rpartition('.')[2]}.{name}"):
            said.setdefault(text, []).append(key)
    found = {text: keys[0] for text, keys in said.items() if len(set(keys)) == 1}
    return {**found, **{name: name for name in own}}


def _classes_of(tree: ast.Module, module: str) -> dict[str, ast.ClassDef]:
    """By what they are called here; so are those among their bases that the module defines."""
    classes = classes_of(tree.body)
    for node in classes.values():
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                base.id = f"{module}:{base.id}"
    return {f"{module}:{name}": node for name, node in classes.items() if not name.startswith("_")}


def _is_harmless(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.If):  # TYPE_CHECKING, a script
        return isinstance(statement.test, (ast.Name, ast.Attribute)) or "__name__" in ast.unparse(statement.test)
    return isinstance(statement, _HARMLESS)
