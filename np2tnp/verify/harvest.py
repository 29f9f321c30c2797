"""What a module itself shows of how its functions are called: by its other functions, and in its docstrings."""

from __future__ import annotations

import ast
import doctest
import inspect
import pickle
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

from np2tnp.verify.loading import Target
from np2tnp.verify.recorded import spec_of
from np2tnp.verify.specs import Call, Case, Pickled

_KEPT = 6  #: calls of one function that are kept
_BYTES = 2_000_000  #: of one call's arguments
_SECONDS = 0.5  #: that writing arguments down may take in all
#: What examples show to people, and what takes long to import.
_SHOWN = ("plt.", "matplotlib", "pyplot", "show(", "input(")


class Seen:
    """The calls of one function that happen while it listens; use as a context manager."""

    def __init__(self, code: types.CodeType, target: Target, is_static: bool) -> None:
        self._code = code
        self._target = target
        self._has_owner = bool(target.class_name) and not is_static
        self._calls: dict[bytes, None] = {}
        self._left = _SECONDS

    def __enter__(self) -> Seen:
        self._before = sys.getprofile()
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._before)

    def cases(self, note: str) -> list[Case]:
        """The calls as inputs."""
        return [self._case(call, note) for call in self._calls]

    def _case(self, data: bytes, note: str) -> Case:
        args, kwargs = pickle.loads(data)
        owner = args.pop(0) if self._has_owner else None
        is_object = self._target.plain and self._target.method != "__init__"
        made = Pickled(pickle.dumps(owner)) if self._has_owner and is_object else None
        call = Call(tuple(map(spec_of, args)), {name: spec_of(item) for name, item in kwargs.items()})
        return Case(self._target.name, call, made, note=note)

    def _look(self, frame: types.FrameType, event: str, _: object) -> None:
        if event != "call" or not self._is_wanted(frame.f_code) or len(self._calls) >= _KEPT or self._left < 0:
            return
        start = time.monotonic()
        try:
            data = pickle.dumps(_arguments(frame, self._has_owner and self._target.method == "__init__"))
        except Exception:  # a lambda, a lock: such a call cannot be repeated elsewhere
            return
        finally:
            self._left -= time.monotonic() - start
        if len(data) <= _BYTES:
            self._calls[data] = None

    def _is_wanted(self, code: types.CodeType) -> bool:
        mine = self._code
        return code.co_name == mine.co_name and (code.co_filename, code.co_firstlineno) == (
            mine.co_filename,
            mine.co_firstlineno,
        )


def _arguments(frame: types.FrameType, unmade: bool) -> tuple[list[Any], dict[str, Any]]:
    """Of a call that is about to run; `unmade`: the first is an object without attributes yet."""
    it = inspect.getargvalues(frame)
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount]
    args = [None if unmade and name == names[0] else it.locals[name] for name in names]
    args += list(it.locals[it.varargs] if it.varargs else ())
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    kwargs = {name: it.locals[name] for name in only}
    return args, {**kwargs, **(it.locals[it.keywords] if it.keywords else {})}


def code_of_target(module: types.ModuleType, name: str) -> types.CodeType | None:
    """The code of ``f`` or ``Class.method`` as the module's text defines it, below its decorators."""
    found: Any = module
    for part in name.split("."):
        found = inspect.getattr_static(found, part, None)
    if isinstance(found, property):
        found = found.fget
    found = getattr(found, "__func__", found)
    return getattr(inspect.unwrap(found), "__code__", None) if callable(found) else None


def examples(module: types.ModuleType, name: str) -> Iterator[Callable[[], None]]:
    """The examples in the docstring of a function and of its class, each as something to run."""
    class_name, _, method = name.rpartition(".")
    owner = getattr(module, class_name, None) if class_name else None
    for place in (getattr(owner or module, method, None), owner):
        text = getattr(place, "__doc__", None)
        if isinstance(text, str) and ">>>" in text and not any(word in text for word in _SHOWN):
            yield lambda text=text: _run_examples(text, module)  # type: ignore[misc]


def _run_examples(text: str, module: types.ModuleType) -> None:
    """Statement after statement, up to the first that raises: what comes after it needs it."""
    scope: dict[str, Any] = {**vars(module), "__name__": "__examples__"}
    for example in doctest.DocTestParser().get_examples(text):
        exec(compile(example.source, "<example>", "single"), scope)


def callers(tree: ast.Module, name: str) -> list[str]:
    """Functions and methods of the module that mention the target `name`, then those that mention these, and so on.

    Those without parameters come first, whose arguments need no search of their own; among the others the nearest, and
    among those equally near the ones with the fewest parameters.
    """
    functions: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(function, ast.FunctionDef):
                functions[f"{node.name}.{function.name}" if isinstance(node, ast.ClassDef) else function.name] = (
                    function
                )
    mentioned = {full: _mentioned(function) for full, function in functions.items()}
    found: list[str] = []
    near = {name.rpartition(".")[2]}
    while near:
        new = [
            full for full in functions if full not in found and full != name and not near.isdisjoint(mentioned[full])
        ]
        found += sorted(new, key=lambda full: len(functions[full].args.args))
        near = {full.rpartition(".")[2] for full in new}
    return sorted(found, key=lambda full: bool(functions[full].args.args))


def _mentioned(function: ast.FunctionDef) -> set[str]:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}


# --- Where a program begins: what may be run to see how its functions are called, though it is not under test itself

#: Imports beside Python's own whose effects outside of the process Python's audit events tell (observe.py).
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
