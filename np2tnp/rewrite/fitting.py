"""Lines of rewritten code that are wider than the file's own are broken, as Black would break them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import libcst as cst

from np2tnp.edits.layout import comments, without_breaks

#: Widths between which a file's own may lie; below the least, Black's is taken.
_WIDEST, _BLACK, _NARROW, _LEAST = 120, 88, 79, 70
_CODE = cst.Module([])
_STEP = 4
Node = TypeVar("Node", bound=cst.CSTNode)
Head = TypeVar("Head", cst.If, cst.While, cst.For)


def width_of(text: str) -> int:
    """The width that the lines of a file keep to: that of its widest one, within reason."""
    widest = max(map(len, text.splitlines()), default=0)
    if _LEAST <= widest <= _NARROW:
        return _NARROW
    return min(max(widest, _BLACK), _WIDEST)


def fitted(node: Node, before: str, indent: int, width: int) -> Node:
    """`node`, which begins at the column `indent`, with statements broken that are wider than `width`.

    Lines that stand in `before` stay as they are, and so does a statement with comments in it.
    """
    old = set(map(str.strip, before.splitlines()))
    fitter = _Fitter(width, old, indent)
    return node.visit(fitter) if fitter.is_rough(_CODE.code_for_node(node)) else node  # type: ignore[return-value]


class _Fitter(cst.CSTTransformer):
    def __init__(self, width: int, old: set[str], indent: int) -> None:
        super().__init__()
        self.width = width
        self.old = old
        self.indent = indent

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:  # noqa: N802 - the name is libcst's
        self.indent += len(node.indent) if node.indent is not None else _STEP

    def leave_IndentedBlock(  # noqa: N802 - the name is libcst's
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        self.indent -= len(original_node.indent) if original_node.indent is not None else _STEP
        return updated_node

    def leave_SimpleStatementLine(  # noqa: N802 - the name is libcst's
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        if len(updated_node.body) != 1 or not self.is_rough(_CODE.code_for_node(updated_node.body[0]), self.indent):
            return updated_node
        return updated_node.with_changes(body=[self._statement(updated_node.body[0])])

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:  # noqa: N802
        return self._head(updated_node, "test", "if ")

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:  # noqa: N802
        return self._head(updated_node, "test", "while ")

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:  # noqa: N802
        return self._head(updated_node, "iter", f"for {_CODE.code_for_node(updated_node.target)} in ")

    def is_rough(self, code: str, indent: int = 0) -> bool:
        """Whether a line that was made is too wide, or several were made of an operation over several lines."""
        new = [line for line in code.splitlines() if line.strip() not in self.old]
        return any(indent + len(line) > self.width or (".op_" in line and "\n" in code) for line in new)

    def _statement(self, node: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
        part = "value" if isinstance(node, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Return, cst.Expr)) else ""
        if not part or getattr(node, part) is None or comments(node):
            return node
        flat = without_breaks(node)
        if "\n" in _CODE.code_for_node(flat):  # a string over several lines
            return node
        column = self.indent + len(_CODE.code_for_node(flat)) - _length(getattr(flat, part))
        value = getattr(flat, part)
        if not isinstance(flat, cst.Return) or flat.whitespace_after_return.value:
            value = _bare(value, getattr(node, part))
        value = self._value(value, column, 0, inside=False)
        return flat.with_changes(**{part: value})

    def _head(self, node: Head, part: str, words: str) -> Head:
        code = f"{words}{_CODE.code_for_node(getattr(node, part))}:"
        if not self.is_rough(code, self.indent) or comments(getattr(node, part)):
            return node
        flat = without_breaks(getattr(node, part))
        if "\n" in _CODE.code_for_node(flat):
            return node
        if getattr(node, _SPACE[type(node)]).value:
            flat = _bare(flat, getattr(node, part))
        return node.with_changes(**{part: self._value(flat, self.indent + len(words), 1, inside=False)})

    def _value(self, node: Any, column: int, rest: int, inside: bool, depth: int = 0) -> Any:
        """`node`, which begins at `column` and has `rest` characters behind it, on lines that fit, where they can.

        `inside`: whether it stands in brackets already, so that it may have line breaks anywhere. `depth`: columns
        that its line is indented by, beyond the statement.
        """
        if column + _length(node) + rest <= self.width:
            return node
        if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation, cst.Comparison)):
            return self._operation(node, column, rest, inside, depth)
        if isinstance(node, (cst.Tuple, cst.List, cst.Set, cst.Dict)) and node.elements:
            return self._display(node if _brackets(node) else _in_parentheses(node), depth)
        if isinstance(node, (cst.Call, cst.Attribute, cst.Subscript)):
            return self._chain(node, column, rest, depth)
        if isinstance(node, cst.UnaryOperation):
            start = column + _length(node) - _length(node.expression)
            operand = self._value(node.expression, start, rest, inside, depth)
            return node.with_changes(expression=operand)
        if isinstance(node, cst.IfExp):
            return self._choice(node, column, rest, inside, depth)
        if isinstance(node, cst.BaseComp):
            return self._comprehension(node, depth) if _brackets(node) else self._parts(node, column, depth)
        return node

    def _chain(self, node: Any, column: int, rest: int, depth: int) -> Any:
        """``a.b(...)[...].c(...)``: the last call with arguments worth a line takes the break."""
        if isinstance(node, cst.Call) and any(_length(item) > 1 for item in node.args):
            head = _length(node.func)
            if column + head < self.width or not isinstance(node.func, (cst.Attribute, cst.Subscript, cst.Call)):
                return self._arguments(node, depth)
        field = "func" if isinstance(node, cst.Call) else "value"
        inner = getattr(node, field)
        if isinstance(node, cst.Subscript) and _length(node.slice) > _length(inner):
            return self._item(node, depth)
        if isinstance(inner, (cst.Call, cst.Attribute, cst.Subscript)):
            behind = _length(node) - _length(inner)
            return node.with_changes(**{field: self._chain(inner, column, behind + rest, depth)})
        return node

    def _arguments(self, node: cst.Call, depth: int) -> cst.Call:
        outer, inner, column = self._levels(depth)
        one_line = sum(map(_length, node.args))
        if column + one_line <= self.width and len(node.args) > 1:
            last = node.args[-1].with_changes(whitespace_after_arg=outer)
            return node.with_changes(whitespace_before_args=inner, args=[*node.args[:-1], last])
        args = []
        for number, item in enumerate(node.args):
            before = _length(item.with_changes(comma=cst.MaybeSentinel.DEFAULT)) - _length(item.value)
            comma = cst.Comma(whitespace_after=inner if number < len(node.args) - 1 else outer)
            value = self._value(item.value, column + before, int(len(node.args) > 1), True, depth + _STEP)
            args.append(item.with_changes(value=value, comma=comma))
        if len(args) == 1:  # without a comma: what is called takes one argument
            args = [args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=outer)]
        return node.with_changes(whitespace_before_args=inner, args=args)

    def _display(self, node: Any, depth: int) -> Any:
        outer, inner, column = self._levels(depth)
        elements = []
        fits = column + sum(map(_length, node.elements)) <= self.width and len(node.elements) > 1
        fits = fits and not isinstance(node, cst.Dict)
        for number, item in enumerate(node.elements):
            last = number == len(node.elements) - 1
            if fits:
                elements.append(item)
                continue
            comma = cst.Comma(whitespace_after=outer if last else inner)
            before = _length(item.with_changes(comma=cst.MaybeSentinel.DEFAULT)) - _length(item.value)
            value = self._value(item.value, column + before, 1, True, depth + _STEP)
            elements.append(item.with_changes(value=value, comma=comma))
        return _bracketed(node.with_changes(elements=elements), inner, outer if fits else None)

    def _item(self, node: cst.Subscript, depth: int) -> cst.Subscript:
        """``a[...]``, whose key is what is long: a line for it, or one for each of its elements."""
        outer, inner, column = self._levels(depth)
        keys = list(node.slice)
        if column + sum(map(_length, keys)) > self.width:
            if len(keys) == 1 and isinstance(keys[0].slice, cst.Index):
                value = self._value(keys[0].slice.value, column, 0, inside=True, depth=depth + _STEP)
                keys = [keys[0].with_changes(slice=keys[0].slice.with_changes(value=value))]
            else:
                comma = cst.Comma(whitespace_after=inner)
                keys = [*(key.with_changes(comma=comma) for key in keys[:-1]), keys[-1]]
        return node.with_changes(
            lbracket=cst.LeftSquareBracket(whitespace_after=inner),
            slice=keys,
            rbracket=cst.RightSquareBracket(whitespace_before=outer),
        )

    def _choice(self, node: cst.IfExp, column: int, rest: int, inside: bool, depth: int) -> cst.IfExp:
        """``a if b else c`` on three lines."""
        if inside and not node.lpar:
            _, inner, _ = self._levels(depth - _STEP)
            return node.with_changes(
                body=self._value(node.body, column, 0, True, depth),
                whitespace_before_if=inner,
                test=self._value(node.test, column + 3, 0, True, depth),
                whitespace_before_else=inner,
                orelse=self._value(node.orelse, column + 5, rest, True, depth),
            )
        if len(node.lpar) > 1:
            return node
        outer, inner, start = self._levels(depth)
        bare = node.with_changes(lpar=(), rpar=())
        if start + _length(bare) > self.width:
            bare = self._choice(bare, start, 0, True, depth + _STEP)
        return bare.with_changes(
            lpar=[cst.LeftParen(whitespace_after=inner)], rpar=[cst.RightParen(whitespace_before=outer)]
        )

    def _comprehension(self, node: Any, depth: int) -> Any:
        outer, inner, column = self._levels(depth)
        if column + _length(node) - 2 > self.width:
            node = self._parts(node, column, depth + _STEP)
        return _bracketed(node, inner, outer)

    def _parts(self, node: Any, column: int, depth: int) -> Any:
        """The parts of a comprehension that begins at `column`, each on a line."""
        _, inner, _ = self._levels(depth - _STEP)
        for_in = _broken_before(node.for_in, inner)
        if isinstance(node, cst.DictComp):
            return node.with_changes(for_in=for_in)
        elt = self._value(node.elt, column, 0, inside=True, depth=depth)
        return node.with_changes(elt=elt, for_in=for_in)

    def _operation(self, node: Any, column: int, rest: int, inside: bool, depth: int) -> Any:
        """One operand of the weakest operators a line, in parentheses."""
        if _brackets(node):
            bare = node.with_changes(lpar=node.lpar[1:], rpar=node.rpar[:-1])
            if _brackets(bare):
                return node
        else:
            bare = node
            last = node.comparisons[-1].comparator if isinstance(node, cst.Comparison) else node.right
            if not inside and _count(node) == 2 and isinstance(last, (cst.Call, cst.Subscript)):
                start = column + _length(node) - _length(last)
                broken = self._value(last, start, rest, inside=True, depth=depth)
                if broken is not last and start < self.width * 2 // 3:
                    return _with_last(node, broken)
        if inside and bare is node:
            _, inner, _ = self._levels(depth - _STEP)
            return self._operands(bare, inner, column, depth, rest)
        outer, inner, start = self._levels(depth)
        if start + _length(bare) > self.width:
            bare = self._operands(bare, inner, start, depth + _STEP, 0)
        return bare.with_changes(
            lpar=[cst.LeftParen(whitespace_after=inner), *bare.lpar],
            rpar=[*bare.rpar, cst.RightParen(whitespace_before=outer)],
        )

    def _operands(self, node: Any, inner: Any, column: int, depth: int, rest: int) -> Any:
        """`node` with a line break before each of its weakest operators."""
        kind = _kind(node)
        if isinstance(node, cst.Comparison):
            left = self._value(node.left, column, 0, inside=True, depth=depth)
            targets = []
            for item in node.comparisons:
                sign = item.operator.with_changes(whitespace_before=inner)
                start = column + _length(item.operator) - 1
                value = self._value(item.comparator, start, rest, inside=True, depth=depth)
                targets.append(item.with_changes(operator=sign, comparator=value))
            return node.with_changes(left=left, comparisons=targets)
        left = node.left
        if type(left) is type(node) and _kind(left) == kind and not _brackets(left):
            left = self._operands(left, inner, column, depth, 0)
        else:
            left = self._value(left, column, 0, inside=True, depth=depth)
        start = column + _length(node.operator) - 1
        right = self._value(node.right, start, rest, inside=True, depth=depth)
        sign = node.operator.with_changes(whitespace_before=inner)
        return node.with_changes(left=left, operator=sign, right=right)

    def _levels(self, depth: int) -> tuple[Any, Any, int]:
        """Line breaks to the indentation `depth`, and to the next one, and that one's column."""
        outer, inner = (
            cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(" " * columns))
            for columns in (depth, depth + _STEP)
        )
        return outer, inner, self.indent + depth + _STEP


#: The space between a word and the expression behind it.
_SPACE = {cst.If: "whitespace_before_test", cst.While: "whitespace_after_while", cst.For: "whitespace_after_in"}

#: Operators by how strongly they bind, as far as operands that may be joined without parentheses go.
_LEVELS: Sequence[tuple[type, ...]] = (
    (cst.Add, cst.Subtract),
    (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.MatrixMultiply),
)


def _kind(node: Any) -> object:
    if isinstance(node, cst.Comparison):
        return cst.Comparison
    for level in _LEVELS:
        if isinstance(node.operator, level):
            return level
    return type(node.operator)


def _count(node: Any) -> int:
    """How many operands the weakest operators of `node` have."""
    if isinstance(node, cst.Comparison):
        return 1 + len(node.comparisons)
    left = node.left
    joined = type(left) is type(node) and _kind(left) == _kind(node) and not _brackets(left)
    return 1 + (_count(left) if joined else 1)


def _broken_before(node: cst.CompFor, inner: Any) -> cst.CompFor:
    """``for x in y if z`` with a line for each of its words."""
    ifs = [item.with_changes(whitespace_before=inner) for item in node.ifs]
    deeper = _broken_before(node.inner_for_in, inner) if node.inner_for_in is not None else None
    return node.with_changes(whitespace_before=inner, ifs=ifs, inner_for_in=deeper)


def _with_last(node: Any, value: Any) -> Any:
    if isinstance(node, cst.Comparison):
        last = node.comparisons[-1].with_changes(comparator=value)
        return node.with_changes(comparisons=[*node.comparisons[:-1], last])
    return node.with_changes(right=value)


def _brackets(node: Any) -> bool:
    return bool(getattr(node, "lpar", ()) or getattr(node, "lbracket", None) or getattr(node, "lbrace", None))


def _bare(node: Any, before: Any) -> Any:
    """`node` without parentheses that were there for the line breaks of `before`."""
    own = (cst.Tuple, cst.GeneratorExp, cst.Yield, cst.NamedExpr)
    if len(getattr(node, "lpar", ())) != 1 or isinstance(node, own) or "\n" not in _CODE.code_for_node(before):
        return node
    return node.with_changes(lpar=(), rpar=())


def _in_parentheses(node: Any) -> Any:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _bracketed(node: Any, inner: Any, outer: Any) -> Any:
    """`node` with line breaks behind its first bracket and before its last one (None: a comma has that)."""
    if node.lpar:
        first, last = node.lpar[0], node.rpar[-1]
        left = [first.with_changes(whitespace_after=inner), *node.lpar[1:]]
        right = [*node.rpar[:-1], last if outer is None else last.with_changes(whitespace_before=outer)]
        return node.with_changes(lpar=left, rpar=right)
    for one, other in (("lbracket", "rbracket"), ("lbrace", "rbrace")):
        if hasattr(node, one):
            right = getattr(node, other)
            right = right if outer is None else right.with_changes(whitespace_before=outer)
            return node.with_changes(
                **{one: getattr(node, one).with_changes(whitespace_after=inner), other: right},
            )
    return node


def _length(node: cst.CSTNode | Iterable[Any]) -> int:
    return len(_CODE.code_for_node(node)) if isinstance(node, cst.CSTNode) else sum(map(_length, node))
