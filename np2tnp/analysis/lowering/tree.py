"""Python's own syntax tree as libcst's nodes, with nothing but meaning in them.

libcst's parser keeps every blank and comment, which only ``rewrite`` needs, and costs twelve times Python's own. Here
the nodes that the analysis and the rules read (``walk.PARTS``) are built from `ast`; white space, commas and
parentheses stay unset, so that whoever reads one of them by mistake gets an AttributeError instead of a wrong answer.
The tree is equal to libcst's in every field with meaning and in every place that is asked for, which test_lowering.py
compares, so ``check`` and ``rewrite`` see the same code. Where that cannot be had, libcst has to read the file.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import libcst as cst

from np2tnp.analysis.lowering.lowered_expressions import ASYNCHRONOUS, Expressions, make_annotation, make_from
from np2tnp.analysis.lowering.nodes import DecoratorPlace, Unsupported, WithItemPlace, maker, own_parentheses
from np2tnp.files.syntax import Trees
from np2tnp.model import Span

# --- Statements of Python's own tree as libcst's nodes

# --- Patterns of ``case`` as libcst's nodes

_value = maker(cst.MatchValue, "value")
_singleton = maker(cst.MatchSingleton, "value")
_list = maker(cst.MatchList, "patterns")
_tuple = maker(cst.MatchTuple, "patterns")
_element = maker(cst.MatchSequenceElement, "value")
_star = maker(cst.MatchStar, "name")
_mapping = maker(cst.MatchMapping, "elements", "rest")
_mapping_element = maker(cst.MatchMappingElement, "key", "pattern")
_class_pattern = maker(cst.MatchClass, "cls", "patterns", "kwds")
_keyword = maker(cst.MatchKeywordElement, "key", "pattern")
_as = maker(cst.MatchAs, "pattern", "name")
_or = maker(cst.MatchOr, "patterns")
_or_element = maker(cst.MatchOrElement, "pattern", "separator")
_OR = cst.BitOr()


class Patterns(Expressions):
    """Lowers the patterns of one text."""

    def pattern(self, node: ast.pattern) -> Any:
        return _PATTERNS[type(node)](self, node)

    def _optional_name(self, name: str | None) -> Any:
        return None if name is None else self.name(name)

    def _elements(self, nodes: Sequence[ast.pattern]) -> list[Any]:
        return [self.pattern(item) if type(item) is ast.MatchStar else _element(self.pattern(item)) for item in nodes]

    def _value(self, node: ast.MatchValue) -> Any:
        return _value(self.expression(node.value))

    def _singleton(self, node: ast.MatchSingleton) -> Any:
        return _singleton(self.name(repr(node.value)))

    def _sequence(self, node: ast.MatchSequence) -> Any:
        make = _tuple if own_parentheses(self.places, node, node.patterns) else _list
        return make(self._elements(node.patterns))

    def _star(self, node: ast.MatchStar) -> Any:
        return _star(self._optional_name(node.name))

    def _mapping(self, node: ast.MatchMapping) -> Any:
        pairs = zip(map(self.expression, node.keys), map(self.pattern, node.patterns), strict=True)
        return _mapping([_mapping_element(*pair) for pair in pairs], self._optional_name(node.rest))

    def _class_pattern(self, node: ast.MatchClass) -> Any:
        keywords = zip(map(self.name, node.kwd_attrs), map(self.pattern, node.kwd_patterns), strict=True)
        return _class_pattern(
            self.expression(node.cls), self._elements(node.patterns), [_keyword(*pair) for pair in keywords]
        )

    def _as(self, node: ast.MatchAs) -> Any:
        return _as(None if node.pattern is None else self.pattern(node.pattern), self._optional_name(node.name))

    def _or(self, node: ast.MatchOr) -> Any:
        *before, last = map(self.pattern, node.patterns)
        return _or([*(_or_element(item, _OR) for item in before), _or_element(last, cst.MaybeSentinel.DEFAULT)])


_PATTERNS: dict[type, Callable[[Patterns, Any], Any]] = {
    ast.MatchValue: Patterns._value,
    ast.MatchSingleton: Patterns._singleton,
    ast.MatchSequence: Patterns._sequence,
    ast.MatchStar: Patterns._star,
    ast.MatchMapping: Patterns._mapping,
    ast.MatchClass: Patterns._class_pattern,
    ast.MatchAs: Patterns._as,
    ast.MatchOr: Patterns._or,
}


_line = maker(cst.SimpleStatementLine, "body")
_suite = maker(cst.SimpleStatementSuite, "body")
_block = maker(cst.IndentedBlock, "body")
_expr = maker(cst.Expr, "value")
_assign = maker(cst.Assign, "targets", "value")
_target = maker(cst.AssignTarget, "target")
_annotated = maker(cst.AnnAssign, "target", "annotation", "value")
_augmented = maker(cst.AugAssign, "target", "operator", "value")
_return = maker(cst.Return, "value")
_raise = maker(cst.Raise, "exc", "cause")
_assert = maker(cst.Assert, "test", "msg")
_delete = maker(cst.Del, "target")
_global = maker(cst.Global, "names")
_nonlocal = maker(cst.Nonlocal, "names")
_name_item = maker(cst.NameItem, "name")
_import = maker(cst.Import, "names")
_import_from = maker(cst.ImportFrom, "module", "names", "relative")
_alias = maker(cst.ImportAlias, "name", "asname")
_as_name = maker(cst.AsName, "name")
_if = maker(cst.If, "test", "body", "orelse")
_else = maker(cst.Else, "body")
_for = maker(cst.For, "target", "iter", "body", "orelse", "asynchronous")
_while = maker(cst.While, "test", "body", "orelse")
_finally = maker(cst.Finally, "body")
_with = maker(cst.With, "items", "body", "asynchronous")
_with_item = maker(cst.WithItem, "item", "asname")
_function = maker(cst.FunctionDef, "name", "params", "body", "decorators", "returns", "asynchronous", "type_parameters")
_class = maker(cst.ClassDef, "name", "body", "bases", "keywords", "decorators", "type_parameters")
_decorator = maker(cst.Decorator, "decorator")
_match = maker(cst.Match, "subject", "cases")
_case = maker(cst.MatchCase, "pattern", "body", "guard")
_try = maker(cst.Try, "body", "handlers", "orelse", "finalbody")
_try_star = maker(cst.TryStar, "body", "handlers", "orelse", "finalbody")
_handler = maker(cst.ExceptHandler, "body", "type", "name")
_star_handler = maker(cst.ExceptStarHandler, "body", "type", "name")

_AUGMENTED: dict[type, cst.BaseAugOp] = {
    ast.Add: cst.AddAssign(), ast.Sub: cst.SubtractAssign(), ast.Mult: cst.MultiplyAssign(),
    ast.MatMult: cst.MatrixMultiplyAssign(), ast.Div: cst.DivideAssign(), ast.Mod: cst.ModuloAssign(),
    ast.Pow: cst.PowerAssign(), ast.LShift: cst.LeftShiftAssign(), ast.RShift: cst.RightShiftAssign(),
    ast.BitOr: cst.BitOrAssign(), ast.BitXor: cst.BitXorAssign(), ast.BitAnd: cst.BitAndAssign(),
    ast.FloorDiv: cst.FloorDivideAssign(),
}  # fmt: skip
_pass = maker(cst.Pass)
_break = maker(cst.Break)
_continue = maker(cst.Continue)


class Statements(Patterns):
    """Lowers the statements of one text."""

    def statements(self, nodes: Sequence[ast.stmt]) -> list[Any]:
        """The statements of a block; those that semicolons join share a line."""
        made: list[Any] = []
        last = 0  # line on which the last small statement ended, when more may follow on it
        for node in nodes:
            kind = type(node)
            compound = _COMPOUND.get(kind)
            if compound is not None:
                made.append(compound(self, node))
                last = 0
                continue
            small = self._small(node)
            if node.lineno == last:
                made[-1].body.append(small)
            else:
                made.append(_line([small]))
            last = node.end_lineno or 0
        return made

    def _small(self, node: ast.stmt) -> Any:
        method = _SIMPLE.get(type(node))
        if method is None:
            raise Unsupported(type(node).__name__)
        made = method(self, node)
        self.at[id(made)] = node
        return made

    def _body(self, nodes: Sequence[ast.stmt]) -> Any:
        """A suite: an indented block, or small statements behind the colon."""
        first = nodes[0]
        if self.places.is_first_on_line(first):
            return _block(self.statements(nodes))
        return _suite([self._small(node) for node in nodes])

    def _optional_else(self, nodes: Sequence[ast.stmt]) -> Any:
        return _else(self._body(nodes)) if nodes else None

    # ---- small statements

    def _expr(self, node: ast.Expr) -> Any:
        return _expr(self.expression(node.value))

    def _assign(self, node: ast.Assign) -> Any:
        return _assign([_target(self.expression(target)) for target in node.targets], self.expression(node.value))

    def _annotated(self, node: ast.AnnAssign) -> Any:
        if (node.lineno, node.col_offset) != (node.target.lineno, node.target.col_offset):
            raise Unsupported("(x): int")  # which libcst cannot parse
        annotation = make_annotation(self.expression(node.annotation))
        return _annotated(self.expression(node.target), annotation, self.optional(node.value))

    def _augmented(self, node: ast.AugAssign) -> Any:
        return _augmented(self.expression(node.target), _AUGMENTED[type(node.op)], self.expression(node.value))

    def _return(self, node: ast.Return) -> Any:
        return _return(self.optional(node.value))

    def _raise(self, node: ast.Raise) -> Any:
        return _raise(self.optional(node.exc), None if node.cause is None else make_from(self.expression(node.cause)))

    def _assert(self, node: ast.Assert) -> Any:
        return _assert(self.expression(node.test), self.optional(node.msg))

    def _delete(self, node: ast.Delete) -> Any:
        return _delete(self.targets(node.targets))

    def _pass(self, node: ast.Pass) -> Any:
        return _pass()

    def _break(self, node: ast.Break) -> Any:
        return _break()

    def _continue(self, node: ast.Continue) -> Any:
        return _continue()

    def _global(self, node: ast.Global) -> Any:
        return _global([_name_item(self.name(name)) for name in node.names])

    def _nonlocal(self, node: ast.Nonlocal) -> Any:
        return _nonlocal([_name_item(self.name(name)) for name in node.names])

    def _import(self, node: ast.Import) -> Any:
        return _import([self._import_alias(alias) for alias in node.names])

    def _import_from(self, node: ast.ImportFrom) -> Any:
        names: Any = (
            cst.ImportStar()
            if [alias.name for alias in node.names] == ["*"]
            else [self._import_alias(alias) for alias in node.names]
        )
        return _import_from(self.dotted(node.module) if node.module else None, names, [cst.Dot()] * node.level)

    def _import_alias(self, alias: ast.alias) -> Any:
        return _alias(self.dotted(alias.name), None if alias.asname is None else _as_name(self.name(alias.asname)))

    # ---- compound statements

    def _if(self, node: ast.If) -> Any:
        orelse: Any = None
        if (
            len(node.orelse) == 1
            and type(node.orelse[0]) is ast.If
            and self.places.starts_with(node.orelse[0], b"elif")
        ):
            orelse = self._if(node.orelse[0])
        elif node.orelse:
            orelse = _else(self._body(node.orelse))
        made = _if(self.expression(node.test), self._body(node.body), orelse)
        self.at[id(made)] = node
        return made

    def _for(self, node: ast.For | ast.AsyncFor) -> Any:
        made = _for(
            self.expression(node.target),
            self.expression(node.iter),
            self._body(node.body),
            self._optional_else(node.orelse),
            ASYNCHRONOUS if type(node) is ast.AsyncFor else None,
        )
        self.at[id(made)] = node
        return made

    def _while(self, node: ast.While) -> Any:
        made = _while(self.expression(node.test), self._body(node.body), self._optional_else(node.orelse))
        self.at[id(made)] = node
        return made

    def _match(self, node: ast.Match) -> Any:
        cases = [
            _case(self.pattern(case.pattern), self._body(case.body), self.optional(case.guard)) for case in node.cases
        ]
        made = _match(self.expression(node.subject), cases)
        self.at[id(made)] = node
        return made

    def _try(self, node: Any) -> Any:
        star = type(node) is not ast.Try
        make_handler = _star_handler if star else _handler
        handlers = [
            make_handler(
                self._body(handler.body),
                self.optional(handler.type),
                None if handler.name is None else _as_name(self.name(handler.name)),
            )
            for handler in node.handlers
        ]
        made = (_try_star if star else _try)(
            self._body(node.body),
            handlers,
            self._optional_else(node.orelse),
            _finally(self._body(node.finalbody)) if node.finalbody else None,
        )
        self.at[id(made)] = node
        return made

    def _with(self, node: ast.With | ast.AsyncWith) -> Any:
        items = []
        for item in node.items:
            names = None if item.optional_vars is None else _as_name(self.expression(item.optional_vars))
            made = _with_item(self.expression(item.context_expr), names)
            self.at[id(made)] = WithItemPlace(item)
            items.append(made)
        made = _with(items, self._body(node.body), ASYNCHRONOUS if type(node) is ast.AsyncWith else None)
        self.at[id(made)] = node
        return made

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        _refuse_type_parameters(node)
        made = _function(
            self.name(node.name),
            self.parameters(node.args),
            self._body(node.body),
            self._decorators(node.decorator_list),
            None if node.returns is None else make_annotation(self.expression(node.returns)),
            ASYNCHRONOUS if type(node) is ast.AsyncFunctionDef else None,
            None,
        )
        self.at[id(made)] = node
        return made

    def _class(self, node: ast.ClassDef) -> Any:
        _refuse_type_parameters(node)
        arguments = self.arguments(node, node.bases, node.keywords)
        made = _class(
            self.name(node.name),
            self._body(node.body),
            [item for item in arguments if item.keyword is None and item.star != "**"],
            [item for item in arguments if item.keyword is not None or item.star == "**"],
            self._decorators(node.decorator_list),
            None,
        )
        self.at[id(made)] = node
        return made

    def _decorators(self, nodes: Sequence[ast.expr]) -> list[Any]:
        made = []
        for node in nodes:
            item = _decorator(self.expression(node))
            self.at[id(item)] = DecoratorPlace(node)
            made.append(item)
        return made


def _refuse_type_parameters(node: ast.AST) -> None:
    if getattr(node, "type_params", None):
        raise Unsupported("type parameters")


_SIMPLE: dict[type, Callable[[Statements, Any], Any]] = {
    ast.Expr: Statements._expr,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Return: Statements._return,
    ast.Raise: Statements._raise,
    ast.Assert: Statements._assert,
    ast.Delete: Statements._delete,
    ast.Pass: Statements._pass,
    ast.Break: Statements._break,
    ast.Continue: Statements._continue,
    ast.Global: Statements._global,
    ast.Nonlocal: Statements._nonlocal,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
}
_COMPOUND: dict[type, Callable[[Statements, Any], Any]] = {
    ast.If: Statements._if,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.Match: Statements._match,
    ast.Try: Statements._try,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.FunctionDef: Statements._function,
    ast.AsyncFunctionDef: Statements._function,
    ast.ClassDef: Statements._class,
}
if hasattr(ast, "TryStar"):  # Python 3.11
    _COMPOUND[ast.TryStar] = Statements._try


# --- The module

#: A lone carriage return or form feed, on which the two parsers disagree, and a backslash behind a colon or semicolon:
#: then a line does not show where a statement begins.
_STRANGE = re.compile(r"\r(?!\n)|\f|[;:][ \t]*\\\r?\n")
#: White space that libcst does not keep, so that it cannot rewrite the file. (As one pattern they are slow.)
_LOST = (re.compile(r"except\b[^:\n]{0,2000}[ \t]:"), re.compile(r"![rsa][ \t]+[}:]"))
_WIDE_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*")

_NAME_FIELDS = frozenset(("id", "attr", "arg", "name", "asname", "module", "names"))

_module = maker(cst.Module, "body")


class LoweredTree:
    """A module lowered from Python's own tree."""

    def __init__(self, text: str, trees: Trees) -> None:
        """Raises Unsupported for text that Python cannot parse or that libcst must read."""
        if _STRANGE.search(text) is not None or any(pattern.search(text) for pattern in _LOST):
            raise Unsupported("white space")
        try:
            tree = trees.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            raise Unsupported(type(error).__name__) from None
        if not unicodedata.is_normalized("NFKC", text):
            _check_names(text, tree)
        lowering = Statements(text)
        self._places = lowering.places
        self.module: cst.Module = _module(lowering.statements(tree.body))

    def spans(self, nodes: Iterable[cst.CSTNode]) -> dict[int, Span]:
        """The spans of `nodes` by id, as `positions` gives them for libcst's tree. Raises Unsupported."""
        return self._places.spans(nodes)


def _check_names(text: str, tree: ast.Module) -> None:
    """Raises Unsupported for names that Python changes: it makes one of ``µ`` and ``μ``, libcst does not."""
    forms = {word: unicodedata.normalize("NFKC", word) for word in _WIDE_WORD.findall(text)}
    folded = {form for word, form in forms.items() if form != word}
    if folded and not folded.isdisjoint(_names_in(tree)):
        raise Unsupported("names")


def _names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if field in _NAME_FIELDS:
                for item in value if isinstance(value, list) else [value]:
                    if isinstance(item, str):
                        yield from item.split(".")
