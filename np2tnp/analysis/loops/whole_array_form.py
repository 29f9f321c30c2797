"""Loops over elements that are operations on whole arrays: what has to hold, and what then changes.

The body is taken apart statement by statement. What it computes from the counters is one value an iteration; it becomes
an array of all of them. That is the same where no iteration needs what another one did (`loop_indices`), or where what
it needs is a running sum. Branches on such values are taken in turn, each by the iterations that take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import partial
from weakref import proxy

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    TENSOR,
    Array,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    home_of,
    is_python_number,
    refs_of,
)
from np2tnp.analysis.loops.loop_parts import (
    Events,
    Form,
    Head,
    Linear,
    NoForm,
    Order,
    Touch,
    direction,
    flat,
    header,
    is_docstring,
    linear,
    small,
)
from np2tnp.analysis.syntax.liveness import (
    NONE,
    Names,
    assigned,
    known_before,
    live_after,
    live_before,
    parameters,
    reads,
)
from np2tnp.analysis.syntax.python_tables import AUGMENTED, BINARY, COMPARISONS
from np2tnp.analysis.syntax.walk import walk

__all__ = [
    "Kind",
    "Reader",
]


# --- What an expression in a loop over elements is: uniform, a Python number of each iteration, or an array's element

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
        raise NoForm(f"it has {_shown_kind(node)}")

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
            raise NoForm("it hands more than numbers to a function")
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


#: Parts of a loop that no whole-array form has, by the names that people know.
_KINDS = {
    "Expr": "a call that stands alone", "Assign": "an assignment to several names or attributes", "While": "a `while`",
    "With": "a `with`", "Try": "a `try`", "AnnAssign": "an annotated assignment", "Lambda": "a lambda",
    "ListComp": "a list comprehension", "GeneratorExp": "a generator expression", "FunctionDef": "a nested function",
    "FormattedString": "an f-string", "Attribute": "an attribute", "Tuple": "a tuple", "List": "a list",
    "Dict": "a dict", "NamedExpr": "a `:=`",
}  # fmt: skip


def _shown_kind(node: cst.CSTNode) -> str:
    kind = type(node).__name__
    return _KINDS.get(kind, f"a `{kind.lower()}`")


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


#: In-place operators of a number that have a form for all iterations.
_FOLDS = {"add": "add", "sub": "subtract", "mul": "multiply"}
#: What a body may consist of.
_STATEMENTS = frozenset((cst.Assign, cst.AugAssign, cst.If, cst.For, cst.Pass))
_SUMS = {cst.Add: "add", cst.Subtract: "subtract", cst.Multiply: "multiply"}


def whole_array_form(node: cst.For, function: cst.FunctionDef, events: Events) -> Form:
    """The form of a loop. Raises NoForm with the reason where it has none, or none is known."""
    header(node, events)
    for statement in _inner(node.body):  # most loops end here: what follows costs more
        if type(statement) not in _STATEMENTS and not is_docstring(statement):
            raise NoForm(f"it has {_shown_kind(statement)}")
    nest = _Nest(node, events, events.words(function))
    form = nest.form()
    live = live_after(function.body.body, node, NONE)
    if live is None:
        raise NoForm("it stands in a try or with statement")
    for name in nest.mine:
        if name in live:
            raise NoForm(f"{name} is needed after the loop")
    _check_scopes(node, function)
    own = frozenset(parameter.name.value for parameter in parameters(function.params))
    unknown = form.heads[0].names() & frozenset(assigned(function.body)) - own
    if unknown - known_before(function.body.body, node, own):
        raise NoForm("something may have no value yet where the loop begins")
    return form


def _inner(body: cst.BaseSuite) -> Iterator[cst.CSTNode]:
    """The statements of a block, those of inner blocks included."""
    for statement in small(body):
        yield statement
        if isinstance(statement, cst.For):
            yield from _inner(statement.body)
        branch = statement
        while isinstance(branch, cst.If):
            yield from _inner(branch.body)
            if isinstance(branch.orelse, cst.Else):
                yield from _inner(branch.orelse.body)
            branch = branch.orelse  # type: ignore[assignment]


def _check_scopes(node: cst.For, function: cst.FunctionDef) -> None:
    """Nobody else sees what the loop assigns."""
    bound = set(assigned(node))
    for part in walk(function):
        if isinstance(part, (cst.Global, cst.Nonlocal)) and bound & {item.name.value for item in part.names}:
            raise NoForm("it assigns a global name")
        if isinstance(part, (cst.FunctionDef, cst.Lambda)) and part is not function and reads(part) & bound:
            raise NoForm("a nested function reads what it assigns")


class _Nest:
    """Takes one loop, or two of which one holds the other, apart."""

    def __init__(self, node: cst.For, events: Events, words: Names) -> None:
        self.node = node
        self.events = events
        self.words = words  #: that are taken
        self.values: dict[int, Value] = {}  #: what is known of the arrays of touches that the text does not have
        self.found = Form()
        self.counters: dict[str, int] = {}
        self.signs: dict[str, int] = {}
        self.bound = frozenset(assigned(node))  #: all that the loop assigns
        # a bound method would close a circle around the tree
        element = partial(_Nest._element, proxy(self))
        self.reader = Reader(events.calls, events.operators, events.symbols, self.bound, element)
        self.mine: set[str] = set()  #: names that nobody may need after the loop
        self.order = 0
        self.depth = 1
        self.mask = 0  #: in how many branches on values of the iteration
        self.temporary: dict[str, int] = {}  #: names of the iteration -> the depth of the loop that has them

    def form(self) -> Form:
        self._loop(self.node, 0, NONE)
        if not self.found.touches or not self.found.results:
            raise NoForm("it does nothing with elements")
        self._aliases()
        heads = self.found.heads
        order = Order(self.counters, self.signs, heads[0].least, {})
        order.prove(self._plain_touches())
        for head in heads:
            head.low = order.low.get(head.counter, 0)
            head.depth = len(heads)
        for touch in self.found.touches:
            self._rank(touch)
        heads[0].numbers = self.reader.numbers
        self.found.operators, self.found.calls = self.reader.exact, self.reader.ufuncs
        return self.found

    # ---- statements

    def _loop(self, node: cst.For, depth: int, live: Names) -> None:
        """`live`: names that the loop around needs afterwards."""
        if depth > 1:
            raise NoForm("more than two loops are nested")
        head = header(node, self.events, self.words | self.counters.keys())
        counter = head.counter
        for name in (counter, *head.elements):
            if name in live or name in self.counters or name in self.temporary:
                raise NoForm(f"{name} is needed after the loop")
        checked = dict(self.reader.numbers)
        if not head.elements:
            assert isinstance(node.iter, cst.Call)
            for argument in node.iter.args:
                if depth and self.reader.kind(argument.value) is not Kind.UNIFORM:
                    raise NoForm("the inner range depends on the outer counter")
        self.reader.numbers = checked  # range sees to its arguments itself
        self.counters[counter] = depth
        self.signs[counter] = 1 if head.elements else direction(node.iter)  # type: ignore[arg-type]
        self.reader.kinds[counter] = Kind.NUMBER
        head.within = self.found.heads[-1].counter if depth else ""
        self.found.heads.append(head)
        self.depth = depth + 1
        for name, array in head.elements.items():
            self._iterated(head, name, array, depth)
        self._block(node.body, depth + 1, live)
        self.mine |= {counter, *head.elements}
        for name in [name for name, at in self.temporary.items() if at == depth + 1]:
            if name in live:
                raise NoForm(f"{name} is needed after the loop")
            self.mine.add(name)
            self.reader.kinds.pop(name, None)
            self.reader.lost[name] = counter
        if depth:  # what collected from all iterations of this loop is a number of the outer one's iteration
            self.reader.after.update(dict.fromkeys(self.reader.folded, Kind.ARRAY))
        del self.reader.kinds[counter]

    def _block(self, body: cst.BaseSuite, depth: int, live: Names) -> None:
        lines = list(small(body))
        for number, statement in enumerate(lines):
            self.order += 1
            if isinstance(statement, cst.For):
                if self.mask or any(isinstance(item, cst.For) for item in lines[number + 1 :]):
                    raise NoForm("two loops stand in it, or one in a branch")
                self._loop(statement, depth, live_before(lines[number + 1 :], live))  # type: ignore[arg-type]
            elif isinstance(statement, cst.If):
                self._branch(statement, depth)
            else:
                self._statement(statement, depth)

    def _iterated(self, head: Head, name: str, array: str, depth: int) -> None:
        """``for i, v in enumerate(x)`` reads ``v = x[i]`` first."""
        if array in self.temporary or array in self.counters or array in self.reader.bound:
            raise NoForm(f"{array} is assigned in the loop")
        node = cst.Subscript(cst.Name(array), [cst.SubscriptElement(cst.Index(cst.Name(head.counter)))])
        index = Linear(((head.counter, 1),), -head.start)
        part = cst.Name(head.counter)
        self.found.touches.append(Touch(array, node, (part,), (index,), False, self.order, depth + 1))
        place = list(head.elements).index(name)
        if place < len(head.values):
            self.values[id(node)] = head.values[place]
        self.temporary[name] = depth + 1
        self.reader.kinds[name] = Kind.ARRAY

    def _branch(self, node: cst.If, depth: int) -> None:
        """``if``: on a value of the iteration, each side is done by the iterations that take it."""
        self.depth = depth
        if any(isinstance(part, cst.For) for part in walk(node)):
            raise NoForm("a loop stands in a branch")
        test = node.test
        self._note(test)
        kind = Kind.UNIFORM
        if reads(test) & self.bound or any(isinstance(part, (cst.Subscript, cst.Call)) for part in walk(test)):
            kind = self.reader.test(test)
        if kind is not Kind.UNIFORM:
            self.found.branches[id(node)] = node, self.mask, self.found.heads[depth - 1].counter
            self.mask += 1
        outer = dict(self.reader.kinds)
        other = node.orelse
        self.reader.branches += 1
        for body in (node.body, None if other is None else other.body if isinstance(other, cst.Else) else other):
            if isinstance(body, cst.If):
                self.order += 1
                self._branch(body, depth)
            elif body is not None:
                self._block(body, depth, NONE)
            for name in self.reader.kinds.keys() - outer.keys():
                self.reader.lost[name] = "the branch"
            self.reader.kinds = dict(outer)
        self.reader.branches -= 1
        if kind is not Kind.UNIFORM:
            self.mask -= 1

    def _note(self, node: cst.CSTNode) -> None:
        """What `node` does is done by the iterations that take the branch."""
        if self.mask:
            self.found.masks.update((id(part), self.mask) for part in walk(node))

    def _statement(self, node: cst.CSTNode, depth: int) -> None:
        if isinstance(node, cst.Pass) or is_docstring(node):
            return
        self.found.statements.append(node)
        self.depth = depth
        self._note(node)
        if isinstance(node, cst.Assign) and len(node.targets) == 1:
            target = node.targets[0].target
            if isinstance(target, cst.Name):
                if target.value in self.counters:
                    raise NoForm(f"it assigns its counter {target.value}")
                if self.reader.branches and target.value in self.reader.kinds:
                    raise NoForm(f"{target.value} is assigned in a branch, and outside of it")
                self.reader.kinds[target.value] = self.reader.kind(node.value)
                if self.temporary.setdefault(target.value, depth) != depth:
                    raise NoForm(f"{target.value} is assigned in both loops")
                return
            if isinstance(target, cst.Subscript):
                if not self._is_running(node, target):
                    self.reader.kind(node.value)
                    self._store(node, target, "")
                return
        elif isinstance(node, cst.AugAssign):
            op = AUGMENTED[type(node.operator)]
            if isinstance(node.target, cst.Subscript) and op != "matmul":
                self.reader.kind(node.value)
                self._element(node.target, False)
                self._store(node, node.target, op)
                return
            if isinstance(node.target, cst.Name):
                self._fold(node, node.target.value, op, depth)
                return
        raise NoForm(f"it has {_shown_kind(node)}")

    def _fold(self, node: cst.AugAssign, name: str, op: str, depth: int) -> None:
        if name in self.counters:
            raise NoForm(f"it assigns its counter {name}")
        kind = self.reader.kind(node.value)
        at = self.temporary.get(name)
        if at == depth and op != "matmul":
            if self.reader.branches:
                raise NoForm(f"{name} is updated in a branch")
            self.reader.kinds[name] = max(kind, self.reader.kinds[name])
            self.found.updates[id(node)] = node, op
            return
        if op not in _FOLDS:
            raise NoForm(f"{name} is updated from one iteration to the next")
        if depth == 2 and at is None:
            raise NoForm(f"{name} goes through both loops")
        if name in self.reader.folded or name in self.reader.read:
            raise NoForm(f"an iteration needs the {name} of the one before")
        self.reader.folded.add(name)
        if at is None:
            event = self.events.stores.get(id(node))  # none where both are numbers of Python
            if isinstance(event, ev.Store) and isinstance(event.base, (Array, Unknown)) and event.base.home == HOST:
                raise NoForm(f"{name} stays an ndarray")
            self.reader.number(cst.Name(name), event.base if event is not None else None)
        self.found.folds[id(node)] = node, _FOLDS[op], self.found.heads[depth - 1].counter

    def _is_running(self, node: cst.Assign, target: cst.Subscript) -> bool:
        """Whether it is ``c[i] = c[i - 1] + v``; notes it then."""
        value = node.value
        if (
            not isinstance(value, cst.BinaryOperation)
            or type(value.operator) not in _SUMS
            or len(self.counters) > 1
            or self.mask
        ):
            return False
        ((counter, _),) = self.counters.items()
        sign = self.signs[counter]
        base, parts = flat(target)
        here = linear(parts[0]) if len(parts) == 1 else None
        if base is None or here is None or here.terms != ((counter, 1),) or not sign:
            return False
        sides = [(value.left, value.right)]
        if not isinstance(value.operator, cst.Subtract):
            sides.append((value.right, value.left))
        for old, new in sides:
            if not isinstance(old, cst.Subscript):
                continue
            name, index = flat(old)
            before = linear(index[0]) if len(index) == 1 else None
            if name is None or name.value != base.value or before != Linear(here.terms, here.offset - sign):
                continue
            if base.value in {n.value for n in walk(new) if isinstance(n, cst.Name)}:
                raise NoForm(f"an iteration needs more of {base.value} than what the one before stored")
            self.reader.kind(new)
            self._store(node, target, "")
            self._element(old, False)
            self.found.running[id(node)] = node, _SUMS[type(value.operator)], new, -sign
            return True
        return False

    # ---- elements

    def _element(self, node: cst.Subscript, stores: bool = False) -> Kind:
        """``x[i]``, read or stored."""
        base, parts = flat(node)
        if base is None:
            raise NoForm("an element of something that is no name is read")
        name = base.value
        if name in self.temporary or name in self.counters:
            raise NoForm(f"{name} is assigned in the loop")
        if any(isinstance(part, (cst.Slice, cst.Tuple, cst.List)) for part in parts) or len(parts) > 2:
            raise NoForm(f"{name} is indexed by more than single numbers")
        indices: list[Linear | None] = []
        event = self.events.reads.get(id(node)) or self.events.targets.get(id(node))
        keys = event.keys if event is not None and event.keys is not None else ()
        for place, part in enumerate(parts):
            self.reader.kind(part, keys[place] if len(keys) == len(parts) else None)
            found = linear(part)
            if found is not None and any(term in self.bound and term not in self.counters for term, _ in found.terms):
                found = None
            indices.append(found)
        self.found.touches.append(Touch(name, node, tuple(parts), tuple(indices), stores, self.order, self.depth))
        return Kind.ARRAY

    def _store(self, node: cst.Assign | cst.AugAssign, target: cst.Subscript, op: str) -> None:
        self._element(target, True)
        self.found.stores[id(node)] = node, op

    def _plain_touches(self) -> list[Touch]:
        """All but what a running sum reads of the element before."""
        known = {id(part) for node, *_ in self.found.running.values() for part in (node.value.left, node.value.right)}  # type: ignore[attr-defined]
        running = {id(node.targets[0].target) for node, *_ in self.found.running.values()}  # type: ignore[attr-defined]
        names = [touch.array for touch in self.found.touches if id(touch.node) in running]
        for name in names:
            others = [t for t in self.found.touches if t.array == name and id(t.node) not in known | running]
            if others or len(names) != len(set(names)):
                raise NoForm(f"{name} is read besides what its running sum needs")
        return [touch for touch in self.found.touches if id(touch.node) not in known or touch.array not in names]

    def _value(self, touch: Touch) -> Value | None:
        """What is known of the array."""
        first = touch.node
        while isinstance(first.value, cst.Subscript):
            first = first.value
        read = self.events.reads.get(id(first))
        if read is not None:
            return read.base
        if id(first) in self.values:
            return self.values[id(first)]
        store = self.events.targets.get(id(touch.node))
        return store.held if store is not None else None

    def _rank(self, touch: Touch) -> None:
        """Its rank is known, or a check when the loop begins."""
        count, base = len(touch.parts), self._value(touch)
        if isinstance(base, Sequence):
            raise NoForm(f"{touch.array} is a {base.type}")
        if base is not None and home_of(base) == HOST:
            raise NoForm(f"{touch.array} stays an ndarray")
        if isinstance(base, Array) and base.rank is not None:
            if base.rank != count:
                words = f"{touch.array} has {base.rank} dimensions and is indexed by {count}"
                raise NoForm(f"{words}: rows are no elements")
            if base.home == TENSOR:
                return
        elif isinstance(touch.node.value, cst.Subscript) and not isinstance(base, Array):
            raise NoForm(f"{touch.array}, which is indexed twice, may be a list of lists")
        head = self.found.heads[0]
        (head.vectors if count == 1 else head.matrices)[touch.array] = None

    def _aliases(self) -> None:
        """No array that is stored into shares memory with another one that the loop touches."""
        values = [(touch.array, self._value(touch)) for touch in self.found.touches]
        bases = [(name, refs_of(value)) for name, value in values if value is not None]
        for touch in self.found.touches:
            if not touch.stores:
                continue
            mine = frozenset[str]().union(*(refs for name, refs in bases if name == touch.array))
            for name, refs in bases:
                if name != touch.array and (name in mine or touch.array in refs):
                    raise NoForm(f"{touch.array} and {name} may share memory")
