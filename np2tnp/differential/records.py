"""Named tuples as classes whose constructor takes the fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator


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
