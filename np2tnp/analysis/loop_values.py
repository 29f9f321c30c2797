"""What an expression in a loop over elements is: uniform, a Python number of each iteration, or an array's element."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import Array, Scalar, Symbol, Unknown, Value, is_python_number
from np2tnp.analysis.loop_indices import NoForm
from np2tnp.analysis.syntax.python_tables import BINARY, COMPARISONS

#: Functions of one element, or of two, that helpers compute for arrays as for numbers.
_UFUNCS = frozenset(
    "absolute abs add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil conj conjugate copysign cos cosh"
    " deg2rad degrees divide equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod greater"
    " greater_equal heaviside hypot isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and"
    " logical_not logical_or logical_xor maximum minimum mod multiply negative not_equal power rad2deg radians"
    " remainder rint sign sin sinh sqrt square subtract tan tanh true_divide trunc".split()
)


class Kind(IntEnum):
    """Greater ones win where two meet."""

    UNIFORM = 0  #: the same in all iterations
    NUMBER = 1  #: a Python number that depends on the counter
    ARRAY = 2  #: a NumPy number of each iteration


class Reader:
    """Reads expressions, and notes what changes in them and what has to be checked.

    kinds: of names that have a value in the iteration. folded: names that collect from all iterations. read: names
    of the outside that the loop has read. lost: names that had a value in the inner loop only, with its counter.
    """

    def __init__(
        self,
        calls: dict[int, ev.Call],
        operators: dict[int, ev.Operator],
        symbols: dict[int, str],
        bound: frozenset[str],
        element: Callable[[cst.Subscript], Kind],
    ) -> None:
        self.calls = calls
        self.operators = operators
        self.symbols = symbols
        self.bound = bound
        self.element = element
        self.branches = 0  #: how many branches are around
        self.kinds: dict[str, Kind] = {}
        self.after: dict[str, Kind] = {}
        self.folded: set[str] = set()
        self.read: set[str] = set()
        self.lost: dict[str, str] = {}
        self.numbers: dict[str, cst.BaseExpression] = {}
        self.exact: dict[int, tuple[cst.BaseExpression, str]] = {}  #: operators on numbers of the iterations
        self.ufuncs: dict[int, tuple[cst.Call, str]] = {}

    def kind(self, node: cst.BaseExpression, value: Value | None = None) -> Kind:
        """What `node` is. `value`: what is known of it. Raises NoForm."""
        if isinstance(node, (cst.Integer, cst.Float, cst.Imaginary)):
            return Kind.UNIFORM
        if isinstance(node, cst.Name):
            return self._name(node, value)
        if isinstance(node, cst.Subscript):
            if _is_shape(node):
                return Kind.UNIFORM
            return self.element(node)
        if isinstance(node, cst.Attribute):
            return self._attribute(node, value)
        if isinstance(node, cst.UnaryOperation):
            return self._unary(node)
        if isinstance(node, cst.BinaryOperation):
            op = BINARY[type(node.operator)]
            if op == "matmul":
                raise NoForm("it has a matrix product")
            return self._binary(node, op.rstrip("_"), [node.left, node.right])
        if isinstance(node, cst.Comparison):
            target = node.comparisons[0]
            if len(node.comparisons) > 1 or type(target.operator) not in COMPARISONS:
                raise NoForm("it has a comparison that is no operator of arrays")
            kind = self._binary(node, COMPARISONS[type(target.operator)], [node.left, target.comparator])
            if kind is Kind.NUMBER:
                raise NoForm("it compares numbers of Python")
            return kind
        if isinstance(node, cst.Call):
            return self._call(node)
        if isinstance(node, cst.IfExp):
            raise NoForm("it has a branch")
        raise NoForm(f"it has an expression of another kind ({type(node).__name__})")

    def number(self, node: cst.BaseExpression, value: Value | None) -> None:
        """`node` must be a number: known, or checked when the loop begins."""
        if value is not None and (is_python_number(value) or (isinstance(value, Array) and value.rank == 0)):
            return
        if value is not None and not isinstance(value, (Array, Unknown, Scalar)):
            raise NoForm("an operand is neither a number nor an array")
        if isinstance(value, Array) and value.rank:
            raise NoForm("a whole array is used in each iteration")
        self.numbers.setdefault(_text(node), node)

    def _name(self, node: cst.Name, value: Value | None) -> Kind:
        name = node.value
        if name in self.kinds:
            if name in self.folded:
                kind = self.after.get(name)
                if kind is None:
                    raise NoForm(f"an iteration needs the {name} of the one before")
                return kind
            return self.kinds[name]
        if name in self.lost:
            raise NoForm(f"{name} is needed after the loop over {self.lost[name]}")
        if name in self.bound:
            raise NoForm(f"an iteration needs the {name} of the one before")
        self.read.add(name)
        if name not in ("True", "False"):
            self.number(node, value)
        return Kind.UNIFORM

    def _attribute(self, node: cst.Attribute, value: Value | None) -> Kind:
        if id(node) in self.symbols or isinstance(value, Symbol):
            return Kind.UNIFORM
        first: cst.BaseExpression = node
        while isinstance(first, cst.Attribute):
            first = first.value
        if not isinstance(first, cst.Name) or first.value in self.bound:
            raise NoForm("it reads an attribute of something that the loop changes")
        if node.attr.value == "size" and node.value is first:
            return Kind.UNIFORM
        self.read.add(first.value)
        self.number(node, value)
        return Kind.UNIFORM

    def _unary(self, node: cst.UnaryOperation) -> Kind:
        if isinstance(node.operator, cst.Not):
            raise NoForm("it asks for a truth value")
        event = self.operators.get(id(node))
        kind = self.kind(node.expression, event.operands[0] if event is not None else None)
        if kind is Kind.NUMBER and isinstance(node.operator, cst.BitInvert):
            raise NoForm("it takes the bits of the counter")
        return kind

    def _binary(self, node: cst.BaseExpression, op: str, sides: list[cst.BaseExpression]) -> Kind:
        event = self.operators.get(id(node))
        values: list[Value | None] = [None, None] if event is None else list(event.operands)
        kinds = [self.kind(side, value) for side, value in zip(sides, values, strict=True)]
        if self.branches and max(kinds) is not Kind.UNIFORM:
            self._must_not_raise(op, sides, kinds)
        if Kind.NUMBER in kinds:
            if op in ("and", "or", "xor", "lshift", "rshift"):
                raise NoForm("it takes the bits of the counter")
            if kinds[0] is not Kind.NUMBER and not _is_python(sides[0], values[0]):
                self.exact[id(node)] = node, op  # the array's own operator comes first, and knows no such numbers
        return max(kinds)

    def test(self, node: cst.BaseExpression) -> Kind:
        """What the test of a branch is; Python's numbers may be compared there."""
        if isinstance(node, cst.BooleanOperation):
            raise NoForm("a test has `and` or `or`: write one branch in the other")
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
            target = node.comparisons[0]
            if type(target.operator) in COMPARISONS:
                return self._binary(node, COMPARISONS[type(target.operator)], [node.left, target.comparator])
        return self.kind(node)

    def _must_not_raise(self, op: str, sides: list[cst.BaseExpression], kinds: list[Kind]) -> None:
        """A branch is evaluated for all iterations: what it computes in those that do not take it must not matter."""
        if op == "pow" and not isinstance(sides[1], (cst.Integer, cst.Float)):
            raise NoForm("a power in a branch may raise in the other one")
        known = isinstance(sides[1], (cst.Integer, cst.Float)) and sides[1].value.strip("0._eE") != ""
        if op in ("truediv", "floordiv", "mod", "pow") and Kind.ARRAY not in kinds and not known:
            raise NoForm("a division in a branch may raise in the other one")

    def _call(self, node: cst.Call) -> Kind:
        event = self.calls.get(id(node))
        if event is None or any(argument.keyword or argument.star for argument in node.args):
            raise NoForm("it calls a function with more than numbers")
        values = [argument.value for argument in event.arguments]
        name = event.callee.name if isinstance(event.callee, Symbol) else ""
        if name == "builtins.len":
            return Kind.UNIFORM
        short = name.rpartition(".")[2]
        is_ufunc = name.startswith("numpy.") and name.count(".") == 1 and short in _UFUNCS
        if not is_ufunc and name != "builtins.abs":
            raise NoForm(_why_not(name, node))
        kinds = [self.kind(argument.value, value) for argument, value in zip(node.args, values, strict=True)]
        if max(kinds) is Kind.UNIFORM:
            return Kind.UNIFORM
        if name == "builtins.abs":
            return kinds[0]
        self.ufuncs[id(node)] = node, short
        return Kind.ARRAY


def _why_not(name: str, node: cst.Call) -> str:
    if name.startswith("math."):
        return f"{name} takes one number: np.{name[5:]} takes arrays"
    if name in ("builtins.min", "builtins.max"):
        return f"{name[9:]} takes numbers: np.{name[9:]}imum takes arrays"
    if not name and isinstance(node.func, cst.Attribute):
        return f"it calls the method {node.func.attr.value}"
    return f"it calls {name}" if name else "it calls a function that is not NumPy's"


def _is_python(node: cst.BaseExpression, value: Value | None) -> bool:
    return isinstance(node, (cst.Integer, cst.Float)) or (value is not None and is_python_number(value))


def _is_shape(node: cst.Subscript) -> bool:
    base = node.value
    return isinstance(base, cst.Attribute) and base.attr.value == "shape" and isinstance(base.value, cst.Name)


def _text(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_text(node.value)}.{node.attr.value}"
    assert isinstance(node, cst.Name)
    return node.value


__all__ = ["Kind", "Reader"]
