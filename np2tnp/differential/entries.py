"""Where a program begins: what may be run to see how its functions are called, though it is not under test itself."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator

#: Imports beside Python's own whose effects outside of the process Python's audit events tell (outside.py).
_CONTAINED = {"numpy", "scipy", "matplotlib"}


def is_contained(tree: ast.Module) -> bool:
    """Whether all that the module imports is known to do nothing outside of the process unnoticed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""] if not node.level else [""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        if any((root := name.partition(".")[0]) not in sys.stdlib_module_names | _CONTAINED for name in names):
            return False
        if root == "ctypes":
            return False
    return True


def entries(
    tree: ast.Module, module: types.ModuleType, callers: list[str]
) -> Iterator[tuple[str, Callable[[], object]]]:
    """Those of the functions `callers` that can be called without arguments, and what runs as a script.

    Each with how people call it.
    """
    if not is_contained(tree):
        return
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in callers:
        node, function = functions.get(name), getattr(module, name, None)
        if node is not None and callable(function) and not node.decorator_list and not _required(node.args):
            yield name, function
    for statement in tree.body:
        if isinstance(statement, ast.If) and _asks_for_main(statement.test):
            yield "the script", lambda body=statement.body: _run(body, module)  # type: ignore[misc]


def _required(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return positional > 0 or any(default is None for default in arguments.kw_defaults)


def _asks_for_main(test: ast.expr) -> bool:
    match test:
        case ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]):
            return True
    return False


def _run(body: list[ast.stmt], module: types.ModuleType) -> None:
    code = compile(ast.Module(body, []), module.__file__ or "<script>", "exec", dont_inherit=True)
    exec(code, {**vars(module), "__name__": "__main__"})
