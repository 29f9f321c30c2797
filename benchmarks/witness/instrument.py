"""Puts an observer's calls around the places of a program, without changing what it computes. Standard library only.

The values themselves stay what they are. (A subclass of ndarray that watches would change the program: ``np.asarray``
drops it, ``type(x) is np.ndarray`` sees it, compiled code looks past it; and it knows a line, not which of the calls
there.)
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterable, Sequence
from types import CodeType, ModuleType
from typing import Any

from witness.places import Place

#: The name by which instrumented code knows its observer; put into builtins.
OBSERVER = "__witness__"
#: What looks at its caller's frame would find the observer's.
_FRAME_READERS = frozenset(
    "super locals globals vars dir eval exec __import__ namedtuple NamedTuple TypedDict TypeVar NewType ParamSpec Enum"
    " IntEnum warn _getframe currentframe stack".split()
)
_KINDS: dict[type, str] = {ast.Name: "name", ast.Attribute: "attribute", ast.Subscript: "subscript", ast.Call: "call"}
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare)


class Instrument(ast.NodeTransformer):
    """Rewrites one module's tree; ``places`` lists what each number in its calls of the observer stands for.

    ``regions`` says for each of them which outermost function it belongs to.
    """

    def __init__(self, text: str, places: list[Place], regions: list[int]) -> None:
        self.lines = text.splitlines(keepends=True) or [""]
        self.places = places
        self.regions = regions
        self.region = len(places)  # any number that nothing else has
        self.depth = 0

    # --- expressions ---

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._watched("read", node, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        number = self._number(node, "assign")
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            return self._watched("read", node, node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._call("assign", number, node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        number = self._number(node, "store")
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            return self._watched("see", node, node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._call("store", number, node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        number = self._number(node, "call")
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(item) for item in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if name in _FRAME_READERS:
            return node
        arguments: list[ast.expr] = [ast.Constant(number), node.func, *node.args]
        return self._at(node, ast.Call(self._method("call"), arguments, node.keywords))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self._operation(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return self._operation(node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        return self._operation(node)

    def _operation(self, node: ast.expr) -> ast.expr:
        self.generic_visit(node)
        return self._watched("see", node, node)

    # --- statements ---

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        number = self._number(node.target, "inplace")
        node.value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            before = ast.Expr(self._call("inplace", number, ast.Name(target.id, ast.Load())))
            return [ast.fix_missing_locations(ast.copy_location(before, node)), node]
        target.value = self._call("inside", number, self.visit(target.value))
        if isinstance(target, ast.Attribute):
            target.value = self._call("inplace_attribute", number, target.value, ast.Constant(target.attr))
        else:
            target.slice = self.visit(target.slice)
            if not any(isinstance(item, (ast.Slice, ast.Starred)) for item in ast.walk(target.slice)):
                target.slice = self._call("key", number, target.slice)
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is not None:
            number = self._number(node.value, "result")
            node.value = self._call("leave", number, self.visit(node.value))
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        number = self._number(node.iter, "iterated")
        self.generic_visit(node)
        node.iter = self._call("see", number, node.iter)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return self._function(node)

    def _function(self, node: Any) -> ast.stmt:
        arguments = node.args
        names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        names += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        arguments.defaults = [self.visit(item) for item in arguments.defaults]
        arguments.kw_defaults = [item and self.visit(item) for item in arguments.kw_defaults]
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        outside = self.region
        if self.depth == 0:
            self.region = len(self.places)
        self.depth += 1
        node.body = [new for item in node.body for new in self._as_list(self.visit(item))]
        self.depth -= 1
        self.region = outside
        if self.depth == 0:
            got = ast.Tuple([ast.Name(item.arg, ast.Load()) for item in names], ast.Load())
            enter = ast.Expr(self._call("enter", 0, got))
            after = 1 if ast.get_docstring(node, clean=False) is not None else 0
            node.body.insert(after, ast.fix_missing_locations(ast.copy_location(enter, node.body[0])))
        return node  # type: ignore[no-any-return]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_match_case(self, node: Any) -> Any:
        node.guard = node.guard and self.visit(node.guard)
        node.body = [new for item in node.body for new in self._as_list(self.visit(item))]
        return node

    # --- building ---

    @staticmethod
    def _as_list(item: Any) -> Sequence[ast.stmt]:
        return item if isinstance(item, list) else [item]

    def _number(self, node: ast.expr, kind: str) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._column(node.lineno, node.col_offset)
        end = self._column(node.end_lineno, node.end_col_offset)
        self.places.append(Place(kind, node.lineno, start, node.end_lineno, end))
        self.regions.append(self.region)
        return len(self.places) - 1

    def _column(self, line: int, offset: int) -> int:
        return len(self.lines[line - 1].encode()[:offset].decode(errors="replace")) + 1

    def _watched(self, method: str, place: ast.expr, node: ast.expr) -> ast.expr:
        return self._call(method, self._number(place, _KINDS.get(type(place), "operation")), node)

    def _call(self, method: str, number: int, *values: ast.expr) -> ast.expr:
        return self._at(values[0], ast.Call(self._method(method), [ast.Constant(number), *values], []))

    @staticmethod
    def _method(name: str) -> ast.expr:
        return ast.Attribute(ast.Name(OBSERVER, ast.Load()), name, ast.Load())

    @staticmethod
    def _at(place: ast.AST, node: ast.expr) -> ast.expr:
        return ast.fix_missing_locations(ast.copy_location(node, place))


class Texts:
    """The texts under observation: where each one's places lie in the one list of all."""

    def __init__(self) -> None:
        #: number 0 is no place
        self.places: list[Place] = [Place("", 0, 0, 0, 0)]
        self.regions: list[int] = [-1]  #: of each place: the outermost function, by a number
        self.ranges: dict[str, range] = {}

    def compile(self, path: str, data: bytes | str) -> CodeType:
        """The code of one file with its places watched. Raises SyntaxError."""
        tree = ast.parse(data, path)
        text = data if isinstance(data, str) else importlib.util.decode_source(data)
        first = len(self.places)
        tree = Instrument(text, self.places, self.regions).visit(tree)
        self.ranges[path] = range(first, len(self.places))
        return compile(tree, path, "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    texts: Texts

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.texts.compile(path, self.get_data(path))


class Finder(importlib.abc.MetaPathFinder):
    """Loads the chosen modules instrumented; in front of all other finders."""

    def __init__(self, texts: Texts, paths: Iterable[str]) -> None:
        self.texts = texts
        self.paths = frozenset(paths)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if (
            spec is None
            or spec.origin not in self.paths
            or type(spec.loader) is not importlib.machinery.SourceFileLoader
        ):
            return None
        loader = _Loader(fullname, spec.origin)
        loader.texts = self.texts
        spec.loader = loader
        return spec


def install(texts: Texts, paths: Iterable[str]) -> None:
    sys.meta_path.insert(0, Finder(texts, paths))
