"""TNP401: handlers of exceptions that NumPy raises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    NO_NAMES,
    Array,
    Bound,
    Class,
    Function,
    Instance,
    Sequence,
    Symbol,
    is_python_number,
    may_hold_tensor,
    refs_of,
    scalar_type,
    zero_d_of,
)
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.words_and_edits import makes_tensor, mixes_homes

# --- Handlers that are shown NumPy's exceptions: ``except rt.raised(IndexError):``, and where that is not enough

#: Exceptions that NumPy raises and TensorFlow raises as others.
TRANSLATED = frozenset({
    "IndexError", "ValueError", "TypeError", "LinAlgError", "AxisError", "FloatingPointError", "ZeroDivisionError",
    "ArithmeticError", "OverflowError", "RuntimeWarning", "AttributeError", "LookupError", "KeyError", "MemoryError",
    "RuntimeError", "Warning",
})  # fmt: skip

#: What NumPy makes of floating-point errors where it is told to: TensorFlow never does, in no function.
FLOATING = frozenset(("FloatingPointError", "RuntimeWarning", "Warning"))

EVERYTHING = frozenset(("Exception", "BaseException"))

#: What tensors have and ndarrays have not: asking for it raises nothing.
_OF_TENSORS = frozenset(
    "backing_device consumers cpu eval experimental_ref get_shape gpu graph is_packed name numpy op ref set_shape"
    " value_index".split()
)
_READ = "it reads the exception, whose text would be another one: test what may be wrong before"
MOVE = "move what is tried into a function that gives back new arrays"


def why_not_shown(node: cst.CSTNode, caught: list[str], context: Context) -> str:
    """Why seeing NumPy's exceptions would not make the handlers of `node` do what they do in NumPy; empty if it does.

    What is tried must have done the same until it raises, and must raise where NumPy does.
    """
    if FLOATING.intersection(caught):
        return "none of them for floating-point errors: test values instead"
    if context.boundary == "tensor" or isinstance(node, cst.TryStar):
        return MOVE
    assert isinstance(node, cst.Try)
    if any(_is_read(handler) for handler in node.handlers):
        return _READ
    inside = {id(part) for part in walk(node.body)}
    for event in context.facts.events:
        # A core that raises hands no updates over, and loops that became whole-array operations have no iterations.
        if not isinstance(event, ev.Call) or id(event.node) not in inside:
            continue
        if id(event.node) in context.stores and _is_of_project(event):
            return "a function that is tried updates its arguments: let it give back new arrays"
    loops = [part.body for part in walk(node.body) if isinstance(part, (cst.For, cst.While))]
    looped = {id(part) for body in loops for part in walk(body)}
    if any(isinstance(event, ev.Store) and id(event.node) in looped for event in context.facts.events):
        return "a loop that is tried stores items: " + MOVE
    assigned = {id(part.target) for part in walk(node.body) if isinstance(part, cst.AssignTarget)}
    asked = {part.attr.value for part in walk(node.body) if type(part) is cst.Attribute and id(part) not in assigned}
    if ("AttributeError" in caught or EVERYTHING.intersection(caught)) and _OF_TENSORS & asked:
        return "tensors have the attribute that is asked for: ask isinstance(x, np.ndarray)"
    return ""


def show_numpys(node: cst.CSTNode, context: Context) -> None:
    """The edits of the handlers of `node`."""
    assert isinstance(node, cst.Try)
    runtime = f"{context.rt}.raised"
    for handler in node.handlers:
        if handler.type is None:
            context.edits.blocks[id(handler)] = _bare(runtime)
        elif (TRANSLATED | EVERYTHING).intersection(names_of(handler)) or held_classes(handler):
            context.edits.replace[id(handler.type)] = _typed(runtime)


def names_of(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> set[str]:
    """The last parts of the names of the classes that are handled."""
    if handler.type is None:
        return {"BaseException"}
    nodes = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    return {dotted(node).rpartition(".")[2] for node in nodes}


def held_classes(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> set[str]:
    """Names that are no class's, as those of tuples of classes are: ``except errors:``."""
    names = {name for name in names_of(handler) if not name[:1].isupper() or name.isupper()}
    return {name for name in names if not name.lower().endswith(("error", "timeout"))}


def _typed(runtime: str) -> Any:
    return lambda updated: build.call(runtime, updated)


def _bare(runtime: str) -> Any:
    def build_it(updated: Any) -> Any:
        kind = build.call(runtime, cst.Name("BaseException"))
        return updated.with_changes(type=kind, whitespace_after_except=cst.SimpleWhitespace(" "))

    return build_it


def _is_read(handler: cst.ExceptHandler) -> bool:
    """Whether the exception is looked at, and not only given on: ``raise ValueError(x) from error``."""
    if handler.name is None or not isinstance(handler.name.name, cst.Name):
        return handler.name is not None
    name = handler.name.name.value
    given = {
        id(part.cause.item) for part in walk(handler.body) if isinstance(part, cst.Raise) and part.cause is not None
    }
    return any(
        isinstance(part, cst.Name) and part.value == name and id(part) not in given for part in walk(handler.body)
    )


def _is_of_project(call: ev.Call) -> bool:
    callee = call.callee
    return (isinstance(callee, Bound) and isinstance(callee.receiver, Instance)) or isinstance(callee, Function)


#: What looking something up raises; a refusal of the runtime is none of them.
_LOOKUPS = frozenset(("KeyError", "IndexError", "LookupError", "AttributeError"))

#: Functions outside of numpy.linalg that solve systems or find eigenvalues.
_LINEAR_BESIDE = ("numpy.poly", "numpy.roots")

#: Operators that have a result for every array of floats and every number.
_ALWAYS = frozenset(("add", "sub", "mul", "truediv", "neg", "pos"))

#: Conversions that tensors leave to the ndarrays of their values: these raise what NumPy raises.
_CONVERSIONS = tuple(Symbol(f"builtins.{name}") for name in ("int", "float", "bool"))

_WORDS = "a handler of {} around array work, where TensorFlow raises other exceptions"


@register
class ExceptionHandler(Rule):
    doc = Doc(
        code="TNP401",
        name="exception-handler",
        summary="A handler of exceptions that NumPy raises, around array work; `finally` that ends them.",
        why=(
            "TensorFlow raises InvalidArgumentError for most of them, which no such handler catches, or raises nothing."
            " A handler of everything that does not raise again would take the runtime's refusals, too, as does a"
            " `finally` that returns, breaks or continues."
        ),
        does=(
            "Shows the handler NumPy's exceptions, and no refusals: `except rt.raised(IndexError):`. Where TensorFlow"
            " does not tell which of several classes NumPy would raise, that is a refusal, too. Leaves the whole"
            " function in NumPy where floating-point errors are handled, where the handler reads the exception, where"
            " a loop that is tried stores items, and where a function that is tried updates its arguments. Handlers"
            " stay as they are where only functions of the project that give new arrays are called inside `try`, with"
            " names, numbers and displays of them: these are called by their public names instead of their cores. So"
            " do handlers of LinAlgError alone, of KeyError alone, which arrays never raise, around conversions such"
            " as `n = int(n)`, of IndexError and its like around lookups alone, such as `k = options['k']`, and of"
            " IndexError around stores alone, such as `x[i] += 1`."
        ),
        bad="""
            def pick(x, i):
                try:
                    y = np.exp(x)[i]
                except IndexError:
                    y = 0.0
                return y
        """,
        good="""
            @rt.migrated
            def pick(x, i):
                try:
                    y = tnp.exp(x)[i]
                except rt.raised(IndexError):
                    y = 0.0
                return y
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.TRY,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region:
            return
        assert isinstance(event.node, (cst.Try, cst.TryStar))
        if event.node.finalbody is not None and _ends_exceptions(event.node.finalbody):
            words = "`finally` that returns, breaks or continues around array work hides exceptions"
            yield self.hit(event.node, f"{words}; do it after the `try`", Verdict.BLOCK)
        caught = sorted({*TRANSLATED.intersection(event.detail.split(",")), *_swallowed(event.node)})
        if _converts_numbers_only(event.node, context) or (
            _LOOKUPS.issuperset(caught) and _looks_up_only(event, context)
        ):
            return
        if caught == ["IndexError"] and stores_items_only(event.node.body, context):
            return
        if caught == ["KeyError"] and self._updates_nothing(event.node, context):
            return
        if caught == ["LinAlgError"] and self._raises_it_alike(event.node, context):
            return
        if caught and (FLOATING.intersection(caught) or not self._calls_functions_only(event.node, caught, context)):
            names = ", ".join(caught)
            why = why_not_shown(event.node, caught, context)
            if why:  # what tests for everything that may be wrong there is, is this
                left = "caught" if why == _READ and EVERYTHING.intersection(caught) else ""
                yield Hit(self.code, event.node, f"{_WORDS.format(names)}; {why}", Verdict.BLOCK, left=left)
                return
            show_numpys(event.node, context)
            words = f"a handler of {names} around array work: it gets the exceptions that NumPy would raise"
            yield self.hit(event.node, words, Verdict.ADAPT)

    def _updates_nothing(self, node: cst.Try | cst.TryStar, context: Context) -> bool:
        """Whether no function of the project is called that updates what it gets.

        Neither NumPy's functions nor TensorFlow's raise KeyError for arrays of numbers, nor is a refusal one. What is
        called may raise one in either version: then NumPy has done a part of the updates.
        """
        calls = (context.calls[id(part)] for part in walk(node.body) if id(part) in context.calls)
        ours = (call for call in calls if _is_own(call) or isinstance(call.callee, Function))
        return not {id(call.node) for call in ours} & context.stores.keys()

    def _raises_it_alike(self, node: cst.Try | cst.TryStar, context: Context) -> bool:
        """Whether LinAlgError can only come from functions whose exact forms raise it as NumPy's do, or from others."""
        calls = [context.calls[id(part)] for part in walk(node.body) if id(part) in context.calls]
        own = _called_by_public_names(calls, context)
        if own is None:
            return False
        if any((call.api or "").startswith(_LINEAR_BESIDE) for call in calls):
            return False
        context.tried |= own
        return True

    def _calls_functions_only(self, node: cst.CSTNode, caught: list[str], context: Context) -> bool:
        """Whether the body only calls functions of the project, whose public names raise what NumPy raises.

        Other code may run beside them on what is Python's or NumPy's own.
        """
        assert isinstance(node, (cst.Try, cst.TryStar))
        inside = {id(part) for part in walk(node.body)}
        tried = [event for event in context.facts.events if id(event.node) in inside]
        calls = [event for event in tried if isinstance(event, ev.Call)]
        own = _called_by_public_names(calls, context)
        if own is None:
            return False
        others = (call for call in calls if id(call.node) not in own)
        if not all(_cannot_fail(call) or _is_hosts(call) for call in others):
            return False
        if any(
            isinstance(event, (ev.Store, ev.AttributeStore))
            or (isinstance(event, (ev.Operator, ev.Read)) and not (_is_hosts(event) or _is_sure(event, caught)))
            for event in tried
        ):
            return False
        if not own and not (calls and _has_simple_statements(node)):
            return False
        context.tried |= own
        return True


def _called_by_public_names(calls: list[ev.Call], context: Context) -> set[int] | None:
    """The calls, by id, of functions of the project among `calls`; None where one needs its core."""
    own = [call for call in calls if _is_own(call)]
    ids = {id(call.node) for call in own}
    if context.boundary == "tensor" or ids & context.stores.keys() or any(map(_hands_through, own)):
        return None
    return ids


def _hands_through(call: ev.Call) -> bool:
    """Whether a result that counts as a tensor may show an argument, or stand beside an ndarray.

    What a public function gives becomes new tensors as a whole.
    """
    given = NO_NAMES.union(*(refs_of(argument.value) for argument in call.arguments))
    return makes_tensor(call.result) and (not given.isdisjoint(refs_of(call.result)) or mixes_homes(call.result))


def stores_items_only(body: cst.BaseSuite, context: Context) -> bool:
    """Whether all that is tried is ``x[i] = v`` or ``x[i] += v``: the exact store raises NumPy's IndexError itself."""
    parts = list(walk(body))
    inside = {id(part) for part in parts}
    statements = [part for part in parts if isinstance(part, (cst.BaseSmallStatement, cst.BaseCompoundStatement))]
    tried = [event for event in context.facts.events if id(event.node) in inside]
    stores = [event for event in tried if isinstance(event, ev.Store)]
    return (
        context.boundary != "tensor"
        and all(isinstance(part, (cst.Assign, cst.AugAssign, cst.Pass)) for part in statements)
        and all(store.keys is not None and isinstance(store.target, cst.Subscript) for store in stores)
        and all(type(store.target.value) is cst.Name for store in stores if isinstance(store.target, cst.Subscript))
        and all(zero_d_of(store.base) != "scalar" for store in stores)  # a number raises a TypeError
        and len(stores) == sum(isinstance(part, (cst.Assign, cst.AugAssign)) for part in statements)
        and all(isinstance(event, (ev.Store, ev.NameRead)) or _is_harmless(event) for event in tried)
    )


def _is_harmless(event: ev.Event) -> bool:
    return isinstance(event, (ev.Operator, ev.Read)) and _is_hosts(event)


def _converts_numbers_only(node: cst.Try | cst.TryStar, context: Context) -> bool:
    """Whether all that is tried is ``n = int(n)`` or alike: a tensor leaves that to the ndarray of its value."""
    whole = list(walk(node.body))
    statements = [part for part in whole if isinstance(part, (cst.BaseSmallStatement, cst.BaseCompoundStatement))]
    parts = [part for part in whole if isinstance(part, cst.BaseExpression)]
    calls = [context.calls.get(id(part)) for part in parts if isinstance(part, cst.Call)]
    converted = all(call is not None and (call.callee in _CONVERSIONS or _cannot_fail(call)) for call in calls)
    plain = all(isinstance(part, (cst.Call, cst.Name, cst.BaseNumber)) for part in parts)
    return converted and plain and all(isinstance(part, (cst.Assign, cst.Return, cst.Expr)) for part in statements)


def _looks_up_only(event: ev.Construct, context: Context) -> bool:
    """Whether all that is tried is ``v = d["key"]`` or alike: Python's own objects raise what they raise.

    A string is no index of an array: an array of numbers raises IndexError there, as does the exact form.
    """
    assert isinstance(event.node, (cst.Try, cst.TryStar))
    whole = list(walk(event.node.body))
    inside = {id(part) for part in whole}
    targets = [target.target for part in whole if isinstance(part, cst.Assign) for target in part.targets]
    return (
        all(isinstance(part, _LOOKING) for part in whole if isinstance(part, _MEANING))
        and all(isinstance(target, cst.Name) for target in targets)
        and all(_is_lookup(tried) for tried in context.facts.events if id(tried.node) in inside)
    )


_MEANING = (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseCompoundStatement)
_LOOKING = (cst.Name, cst.Attribute, cst.Subscript, cst.SimpleString, cst.BaseNumber, cst.Assign, cst.Return, cst.Expr)


def _is_lookup(event: ev.Event) -> bool:
    """Whether what happens raises the same with tensors."""
    if isinstance(event, ev.Read):
        return not may_hold_tensor(event.base) or all(scalar_type(key) == "str" for key in event.keys)
    if isinstance(event, ev.AttributeRead):
        return not may_hold_tensor(event.base)
    return isinstance(event, (ev.NameRead, ev.Return))


def _is_own(call: ev.Call) -> bool:
    callee = call.callee
    if isinstance(callee, Bound):
        return isinstance(callee.receiver, Instance)
    return isinstance(callee, Class) or (isinstance(callee, Function) and not callee.nested)


def _cannot_fail(call: ev.Call) -> bool:
    """Whether a call raises nothing, or the same with tensors: it makes an array of numbers, or is Python's."""
    if call.api is None:
        held = any(may_hold_tensor(argument.value) for argument in call.arguments)
        return call.callee == Symbol("builtins.print") or (isinstance(call.callee, Symbol) and not held)
    made = call.api in ("numpy.arange", "numpy.zeros", "numpy.ones", "numpy.eye", "numpy.linspace", "numpy.array")
    return (
        made
        and all(isinstance(part, _PLAIN) for argument in call.arguments for part in walk(argument.node.value))
        and all(_has_one_shape(argument.node.value) for argument in call.arguments)
    )


#: What displays of numbers are made of.
_PLAIN = (
    cst.Integer, cst.Float, cst.UnaryOperation, cst.Minus, cst.Tuple, cst.List, cst.Element, cst.Comma,
    cst.SimpleWhitespace, cst.LeftSquareBracket, cst.RightSquareBracket, cst.LeftParen, cst.RightParen,
)  # fmt: skip


def _has_one_shape(node: cst.BaseExpression) -> bool:
    """Whether a display of numbers is flat, or holds flat ones of one length: NumPy refuses others."""
    if not isinstance(node, (cst.List, cst.Tuple)):
        return True
    inner = [item.value for item in node.elements if isinstance(item.value, (cst.List, cst.Tuple))]
    flat = all(not isinstance(part.value, (cst.List, cst.Tuple)) for item in inner for part in item.elements)
    return not inner or (flat and len(inner) == len(node.elements) and len({len(item.elements) for item in inner}) == 1)


def _is_hosts(event: ev.Call | ev.Operator | ev.Read) -> bool:
    """Whether no tensor takes part, so that what is raised comes from Python or NumPy, or through a public name.

    Arguments are converted before code that nobody knows is called: that raises nothing.
    """
    if isinstance(event, ev.Operator):  # a method of the program's own gets what stands beside its object as NumPy's
        own = any(isinstance(value, Instance) for value in event.operands)
        return own or not any(map(may_hold_tensor, event.operands))
    if isinstance(event, ev.Read):
        return not may_hold_tensor(event.base)  # a key goes to it as NumPy's
    callee = event.callee
    known = isinstance(callee, Function) or (isinstance(callee, Bound) and may_hold_tensor(callee.receiver))
    return event.api is None and not known


def _has_simple_statements(node: cst.Try | cst.TryStar) -> bool:
    """Whether nothing is tried but expressions, some of which get names."""
    whole = list(walk(node.body))
    targets = [target.target for part in whole if isinstance(part, cst.Assign) for target in part.targets]
    simple = (cst.Assign, cst.Return, cst.Expr)
    statements = [part for part in whole if isinstance(part, (cst.BaseSmallStatement, cst.BaseCompoundStatement))]
    return all(isinstance(part, simple) for part in statements) and all(isinstance(it, cst.Name) for it in targets)


def _is_sure(event: ev.Operator | ev.Read, caught: list[str]) -> bool:
    """Whether a number is beside an array of floats, or a part of an array is read that is there in any case.

    ``x[:3]``, where x has as many axes; if it has not, that is an IndexError in either case. So is a string, and
    a list or dict raises what it raises.
    """
    if isinstance(event, ev.Operator):
        arrays = [value for value in event.operands if not is_python_number(value)]
        floats = all(isinstance(value, Array) and value.dtypes <= frozenset("fdFD") for value in arrays)
        return len(arrays) == 1 and floats and event.op in _ALWAYS
    if isinstance(event.base, Sequence) or all(scalar_type(key) == "str" for key in event.keys):
        return True
    parts = [element.slice for element in event.node.slice]
    plain = all(
        isinstance(part, cst.Slice)
        and all(isinstance(bound, (cst.Integer, type(None))) for bound in (part.lower, part.upper))
        and part.step is None
        for part in parts
    )
    enough = not {"IndexError", "LookupError", "Exception", "BaseException"}.intersection(caught)
    return plain and isinstance(event.base, Array) and (enough or (event.base.rank or 0) >= len(parts))


def _swallowed(node: cst.Try | cst.TryStar) -> set[str]:
    """Handlers of everything that end without raising it again: they would take the runtime's refusal, too."""
    names: set[str] = set()
    for handler in node.handlers:
        names |= held_classes(handler)
        kind = "Exception" if handler.type is None else dotted(handler.type).rpartition(".")[2]
        last = handler.body.body[-1] if handler.body.body else None
        statement = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
        again = isinstance(statement, cst.Raise) and statement.exc is None
        if kind in ("Exception", "BaseException") and not again:
            names.add(kind)
    return names


def _ends_exceptions(final: cst.Finally) -> bool:
    """Whether a ``finally`` may be left by a return, a break or a continue: any exception then is forgotten."""
    parts = list(walk(final.body))
    functions = [part for part in parts if isinstance(part, (cst.FunctionDef, cst.ClassDef))]
    loops = [part.body for part in parts if isinstance(part, (cst.For, cst.While))]
    inside = {id(part) for function in functions for part in walk(function)}
    looped = {id(part) for loop in loops for part in walk(loop)}
    return any(
        isinstance(part, cst.Return) or (isinstance(part, (cst.Break, cst.Continue)) and id(part) not in looped)
        for part in parts
        if id(part) not in inside
    )
