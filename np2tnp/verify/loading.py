"""A program's text as a module, in a child process: with its own name, its siblings importable, `__main__` not run."""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from np2tnp.verify.hints import Function, Parameter, parameters_of
from np2tnp.verify.program_classes import Likeness, by_annotation, classes_elsewhere, classes_of, find, has_fields
from np2tnp.verify.round_numbers import quantises
from np2tnp.verify.specs import Case, Pickled, make, make_call

if TYPE_CHECKING:
    import numpy as np

_LIKE = 40.0  #: how much a parameter that is used like an object of a class is taken for one; an annotation says 60


@dataclass(frozen=True)
class Target:
    """A function or method to call."""

    name: str  #: ``f`` or ``Class.method``
    parameters: tuple[Parameter, ...]
    class_name: str = ""
    method: str = ""
    plain: bool = True  #: called on an instance (or the module); False for static and class methods
    is_coroutine: bool = False


def place_of(path: Path) -> tuple[Path, str]:
    """The folder that must be importable for the file, and the file's dotted module name there."""
    folder, names = path.resolve().parent, [path.stem] if path.stem != "__init__" else []
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(names) or path.stem


def load(
    path: str, text: str, tree: ast.Module | None = None, names: Mapping[str, Any] | None = None
) -> types.ModuleType:
    """The module that `text` makes when it is executed as the file `path`. Raises whatever its top level raises.

    `tree` is executed instead of the text where it is given; `names` are known in the module from the start.
    """
    root, name = place_of(Path(path))
    for entry in (str(Path(path).resolve().parent), str(root)):
        if entry not in sys.path:
            sys.path.insert(0, entry)
    if "." in name:
        __import__(name.rpartition(".")[0])
    module = types.ModuleType(name)
    module.__file__ = str(Path(path).resolve())
    module.__package__ = name.rpartition(".")[0]
    sys.modules[name] = module
    sys.argv = [path]
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    vars(module).update(names or {})
    exec(compile(text if tree is None else tree, path, "exec", dont_inherit=True), vars(module))
    return module


def load_noisy(path: str, text: str, rng: np.random.Generator) -> types.ModuleType | None:
    """The module with noise where it rounds (see noise.py); None where its top level raises then.

    The module that is already loaded from the file stays the one that others import.
    """
    from np2tnp.verify.noise import Noise, disturbed

    name = place_of(Path(path))[1]
    real = sys.modules.get(name)
    try:
        return load(path, text, disturbed(text), Noise(rng).names)
    except Exception:
        return None
    finally:
        if real is not None:
            sys.modules[name] = real


class Program:
    """The targets of a text: its functions and methods with what is known of their parameters."""

    def __init__(self, text: str, path: str = "") -> None:
        """With `path`, objects may be of classes of the files beside it, too."""
        self.tree = ast.parse(text)
        own = classes_of(_top_level(self.tree))
        others = classes_elsewhere(Path(path), place_of(Path(path))) if path else {}
        self._classes = {**own, **others}
        self._named = by_annotation(own, others)
        self._functions = {
            node.name: node
            for node in _top_level(self.tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        self._likeness = Likeness(self._classes, self._named)

    def target(self, name: str) -> Target | None:
        """The target called `name` (``f`` or ``Class.method``), if the text has it at its top level."""
        class_name, _, method = name.rpartition(".")
        if not class_name:
            node = self._functions.get(name)
            if node is None:
                return None
            return Target(name, self._parameters(node), is_coroutine=isinstance(node, ast.AsyncFunctionDef))
        found = self._method(class_name, method)
        if found is None:
            return None
        decorators = {ast.unparse(d) for d in found.decorator_list}
        static = "staticmethod" in decorators
        parameters = self._parameters(found, "" if static else class_name)
        plain = not static and "classmethod" not in decorators
        return Target(name, parameters, class_name, method, plain, isinstance(found, ast.AsyncFunctionDef))

    def quantises(self, target: Target) -> bool:
        """Whether the function, or one of the text that it calls, tells numbers apart that are next to each other."""
        found = (
            self._method(target.class_name, target.method) if target.class_name else self._functions.get(target.name)
        )
        return found is not None and quantises(found, self._functions)

    def constructor(self, class_name: str) -> Target:
        """How the class `class_name` is made: its (inherited) ``__init__``, or a dataclass's fields."""
        found = self._method(class_name, "__init__")
        if found is None:
            found = self._fields(class_name)
        parameters = self._parameters(found, class_name)
        return Target(f"{class_name}.__init__", parameters, class_name, "__init__")

    def _parameters(self, function: Function, class_name: str = "") -> tuple[Parameter, ...]:
        """Those of a function, or of a method of the class."""
        like = {name: (of, "instances") for name, of in self._likeness.lists(function).items()}
        single = self._likeness.instances(function, self._classes.get(class_name))
        like.update({name: (of, "instance") for name, of in single.items()})
        found = parameters_of(function, self._named, method=bool(class_name))
        return tuple(
            replace(it, instance=like[it.name][0], kinds={**it.kinds, like[it.name][1]: _LIKE})
            if it.name in like
            else it
            for it in found
        )

    def heirs(self, class_name: str, method: str = "") -> list[str]:
        """The classes below it that have its `method` as it is."""
        own = self._method(class_name, method)
        return [name for name in self._likeness.subclasses(class_name) if self._method(name, method) is own]

    def methods(self, class_name: str) -> list[str]:
        """Names of the methods of a class that a caller may call to bring its object into another state."""
        names = []
        for node in self._classes[class_name].body if class_name in self._classes else []:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.decorator_list:
                names.append(node.name)
        return names

    def _method(self, class_name: str, method: str) -> Function | None:
        node = self._classes.get(class_name)
        if node is None:
            return None
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name == method:
                return item
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id != class_name and (found := self._method(base.id, method)):
                return found
        return None

    def _fields(self, class_name: str) -> ast.FunctionDef:
        node = self._classes.get(class_name)
        fields = []
        for item in node.body if node is not None and has_fields(node) else []:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                default = "=None" if item.value is not None else ""
                fields.append(f"{item.target.id}: {ast.unparse(item.annotation)}{default}")
        function = ast.parse(f"def __init__(self, {', '.join(fields)}): pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        return function


def _top_level(tree: ast.Module) -> list[ast.stmt]:
    """Statements of the module's top level, those under ``if`` and ``try`` too."""
    found: list[ast.stmt] = []
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node, (ast.If, ast.Try)):
            inner = [*node.body, *node.orelse]
            stack.extend(reversed(inner))
    return found


def bind(case: Case, module: types.ModuleType) -> tuple[Any, list[Any], dict[str, Any], Any]:
    """What to call for `case`: (callable, args, kwargs, the object it belongs to or None). Makes the object first."""
    namespace = vars(module)
    args, kwargs = make_call(case.call, namespace)
    class_name, _, method = case.target.rpartition(".")
    if not class_name:
        return namespace[method], args, kwargs, None
    cls = find(namespace, class_name)
    if method == "__init__":
        return cls, args, kwargs, None
    if case.construct is None:
        return getattr(cls, method), args, kwargs, None
    if isinstance(case.construct, Pickled):
        owner = make(case.construct, namespace)
    else:
        made_args, made_kwargs = make_call(case.construct, namespace)
        owner = (find(namespace, case.made_as) if case.made_as else cls)(*made_args, **made_kwargs)
    for name, call in case.before:
        before_args, before_kwargs = make_call(call, namespace)
        getattr(owner, name)(*before_args, **before_kwargs)
    if isinstance(getattr(cls, method, None), property) or not callable(getattr(cls, method, None)):
        return (lambda: getattr(owner, method)), [], {}, owner
    return getattr(owner, method), args, kwargs, owner
