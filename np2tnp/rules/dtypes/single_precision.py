"""TNP310 and TNP311: functions that work in float32 because of ``--float32``, and those that do not."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.promotion_rules import CANONICAL, DTYPE_NAMES, dtype_char
from np2tnp.analysis.domain.values import Array, Const, Unknown, Value, scalar_type
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

CODE, STAYS = "TNP310", "TNP311"
#: Said of every function that works in float32.
WORDS = "works in float32 (--float32): its results are right to about seven digits, and no longer NumPy's"

_SMALL = frozenset("efF")
_LARGEST, _SMALLEST = 3.4028234663852886e38, 1.1754943508222875e-38
#: Below it a comparison of numbers near 1 may tell nothing: eight units in float32's last place.
_RESOLUTION = 1e-6
#: A function's values at two points that lie nearer have no more than three digits of their difference left.
_STEP = 1e-4
_WHOLE = frozenset("?bhilqBHILQ")
_CLOSE = frozenset(("numpy.isclose", "numpy.allclose"))
_DEFAULT_TOLERANCE = 1e-8
_COMPARISONS = frozenset(("lt", "le", "gt", "ge"))


@register
class SinglePrecision(Rule):
    doc = Doc(
        code=CODE,
        name="single-precision",
        summary="With --float32: a function that works in float32 where NumPy works in float64.",
        why=(
            "GPUs compute many times faster in float32. But values are right to seven digits instead of sixteen,"
            " numbers beyond 3.4e38 do not exist, and comparisons, sorts and roundings may decide otherwise near a"
            " tie."
        ),
        does=(
            "Migrates the function with float32=True: float32 stands for float64 inside, complex64 for complex128."
            " Arguments, results, attributes and what other functions get keep NumPy's dtypes. Reports each such"
            " function."
        ),
        bad="""
            def scaled(x, factor):
                return np.exp(x) * factor
        """,
        good="""
            @rt.migrated(no_lists="factor", float32=True)
            def scaled(x, factor):
                return rt.op_mul(tnp.exp(x), factor)
        """,
        severity=Severity.SILENT,
        float32=True,
        safety="Changes values, which is what the option asks for; dtypes, shapes and integers stay NumPy's.",
    )
    also = (
        Doc(
            code=STAYS,
            name="not-single-precision",
            summary="With --float32: something for which a function stays in NumPy's own precision.",
            why=(
                "Where float32 stands for float64, an array that is of float32 for NumPy, too, could not be told from"
                " the others, and its results would get another dtype. Numbers such as 1e-300 do not exist in float32,"
                " and a loop that waits for an error below 1e-10 might never end."
            ),
            does="Migrates the function as without --float32. Where a tolerance of 1e-6 is enough, write that.",
            bad="""
                def packed(x):
                    return np.sqrt(x).astype(np.float32)
            """,
            good="""
                @rt.migrated
                def packed(x):
                    return tnp.array(tnp.sqrt(x), np.float32)
            """,
            severity=Severity.STYLE,
            float32=True,
        ),
    )
    on = (ev.Call, ev.Operator, ev.NameRead)
    only_with = "float32"

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        values: tuple[Value, ...] = ()
        if isinstance(event, ev.Call):
            values = (event.callee, event.result, *(argument.value for argument in event.arguments))
        elif isinstance(event, ev.Operator):
            values = (event.result, *event.operands)
        assert isinstance(event, (ev.Call, ev.Operator, ev.NameRead))
        found = [_of_name(event), *map(_against, values), _of_tolerance(event, context), _of_loop(event, context)]
        for words in filter(None, found):
            yield Hit(STAYS, event.node, f"stays in float64: {words}", Verdict.NOTE)
            return


def _of_tolerance(event: ev.Call | ev.Operator | ev.NameRead, context: Context) -> str:
    """Whether something is compared with less than float32 resolves near 1."""
    numbers: list[float] = []
    if isinstance(event, ev.Operator) and event.op.removeprefix("chained ") in _COMPARISONS:
        numbers = [*map(_number, event.operands), *_defaults(event.node, context.facts.node)]
    elif isinstance(event, ev.Call) and event.api in _CLOSE:
        numbers = [_number(argument.value) for argument in event.arguments]
        if len(event.arguments) < 4 and not any(argument.name == "atol" for argument in event.arguments):
            numbers.append(_DEFAULT_TOLERANCE)
    small = next((number for number in numbers if 0 < abs(number) < _RESOLUTION), None)
    return f"float32 has seven digits: a difference may never get below {small:g}" if small is not None else ""


def of_draws(module: ModuleInfo, node: cst.CSTNode) -> Iterator[Hit]:
    """Of a function in a module that draws with probabilities: NumPy looks whether they sum to 1 in float64."""
    if module.by_probabilities is None:
        module.by_probabilities = any(map(_takes_probabilities, walk(module.node)))
    if module.by_probabilities:
        words = "probabilities that the module draws with would not sum to 1 as exactly as NumPy asks"
        yield Hit(STAYS, node, f"stays in float64: {words}", Verdict.NOTE)


def of_waiting(module: ModuleInfo, facts: ev.RegionFacts) -> Iterator[Hit]:
    """Of a function that others call, or get, which wait for an error that float32 does not resolve."""
    if module.waited_for is None:
        module.waited_for = _waited_for(module)
    if facts.qualname.rpartition(".")[2] in module.waited_for:
        words = "a function that calls it waits for, or divides by, a difference that float32 may not resolve"
        yield Hit(STAYS, facts.node, f"stays in float64: {words}", Verdict.NOTE)


def of_unseen(context: Context) -> Iterator[Hit]:
    """Of a function that computes with what no door sees, and whose call cannot begin again if that is of float32."""
    for event in context.facts.events:
        if isinstance(event, ev.Call) and event.api is not None:
            values = [argument.value for argument in event.arguments]
        elif isinstance(event, ev.Operator):
            values = list(event.operands)
        else:
            continue
        if any(isinstance(it, Unknown) and it.exact is None and it.refs for it in values):
            if context.facts.objects - {"self"} or not context.begins_again():
                words = "what it gets from other code may be of float32 already, and a call of it cannot begin again"
                yield Hit(STAYS, event.node, f"stays in float64: {words}", Verdict.NOTE)
            return


def _waited_for(module: ModuleInfo) -> frozenset[str]:
    """The names in functions that compare with a small tolerance, or divide by a small step, in calls, and beyond."""
    bodies: dict[str, set[str]] = {}
    waiting: set[str] = set()
    for qualname, info in module.functions.items():
        name = qualname.rpartition(".")[2]
        bodies.setdefault(name, set()).update(_names(info.node.body))
        if any(
            _is_small_comparison(node, info.node) or _is_small_step(node, info.node) for node in walk(info.node.body)
        ):
            waiting.add(name)
    found = set().union(*(bodies[name] for name in waiting))
    for node in walk(module.node) if waiting else ():
        if isinstance(node, cst.Call) and dotted(node.func).rpartition(".")[2] in waiting:
            found.update(name for argument in node.args for name in _names(argument.value))
    more = found
    while more := set().union(*(bodies.get(name, ()) for name in more)) - found:
        found |= more
    return frozenset(found & bodies.keys())


def _names(node: cst.CSTNode) -> set[str]:
    names = {part.value for part in walk(node) if isinstance(part, cst.Name)}
    return names | {part.attr.value for part in walk(node) if isinstance(part, cst.Attribute)}


def _is_small_comparison(node: cst.CSTNode, function: cst.FunctionDef) -> bool:
    if not isinstance(node, cst.Comparison):
        return False
    if not any(isinstance(it.operator, (cst.LessThan, cst.LessThanEqual, cst.GreaterThan)) for it in node.comparisons):
        return False
    parts = (node.left, *(item.comparator for item in node.comparisons))
    written = [float(part.value) for part in parts if isinstance(part, cst.Float)]
    return any(0 < number < _RESOLUTION for number in (*written, *_defaults(node, function)))


def _is_small_step(node: cst.CSTNode, function: cst.FunctionDef) -> bool:
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Divide):
        return False
    return min(_steps(node.right, function), default=1.0) <= _STEP


def _takes_probabilities(node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    name, words = node.func.attr.value, {item.keyword.value for item in node.args if item.keyword is not None}
    if name == "multinomial":
        return True
    return name == "choice" and (
        bool(words & {"p", "kwargs"}) or len(node.args) > 3 or any(it.star for it in node.args)
    )


def _of_loop(event: ev.Event, context: Context) -> str:
    """Whether a ``while`` ends by a comparison whose border is not known, or something is divided by a small step."""
    if not isinstance(event, ev.Operator):
        return ""
    if event.op.rstrip("_") == "truediv" and isinstance(event.node, cst.BinaryOperation):
        step = min(_steps(event.node.right, context.facts.node), default=1.0)
        return f"float32 cannot take a step of {step:g}" if step <= _STEP else ""
    if event.op.removeprefix("chained ") not in _COMPARISONS or all(map(_is_whole, event.operands)):
        return ""
    if any(isinstance(value, Const) for value in event.operands):
        return ""
    if not any(part is event.node for test in _ends(context.facts.node) for part in walk(test)):
        return ""
    return "a loop goes on until a difference is small enough, which float32 may never resolve"


def _ends(function: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """What decides how long ``while`` loops run: their conditions, and those of branches in them."""
    for loop in walk(function):
        if isinstance(loop, cst.While):
            yield loop.test
            yield from (part.test for part in walk(loop.body) if isinstance(part, cst.If))


def _is_whole(value: Value) -> bool:
    """Whether `value` surely is a whole number, or holds such."""
    if isinstance(value, Array):
        return bool(value.dtypes) and value.dtypes <= _WHOLE
    return scalar_type(value) in ("int", "bool")


def _steps(divisor: cst.BaseExpression, function: cst.CSTNode) -> Iterator[float]:
    """The small numbers that a divisor is a product of, defaults of parameters included."""
    if isinstance(divisor, cst.BinaryOperation) and isinstance(divisor.operator, cst.Multiply):
        yield from _steps(divisor.left, function)
        yield from _steps(divisor.right, function)
    elif isinstance(divisor, cst.Float) and float(divisor.value):
        yield float(divisor.value)
    elif isinstance(divisor, cst.Name) and (default := _small_defaults(function).get(divisor.value)):
        yield default


def _small_defaults(function: cst.CSTNode) -> dict[str, float]:
    if not isinstance(function, cst.FunctionDef):
        return {}
    parameters = (*function.params.params, *function.params.kwonly_params)
    numbers = {it.name.value: float(it.default.value) for it in parameters if isinstance(it.default, cst.Float)}
    return {name: number for name, number in numbers.items() if 0 < number <= _STEP}


def _number(value: Value) -> float:
    return value.value if isinstance(value, Const) and type(value.value) is float else 0.0


def _defaults(node: cst.BaseExpression, function: cst.CSTNode) -> Iterator[float]:
    """The defaults of the parameters among the operands of a comparison."""
    if not isinstance(node, cst.Comparison) or not isinstance(function, cst.FunctionDef):
        return
    parts = (node.left, *(item.comparator for item in node.comparisons))
    names = {part.value for part in parts if isinstance(part, cst.Name)}
    for parameter in (*function.params.params, *function.params.kwonly_params):
        if parameter.name.value in names and isinstance(parameter.default, cst.Float):
            yield float(parameter.default.value)


def _of_name(event: ev.Event) -> str:
    char = DTYPE_NAMES.get(event.api) if isinstance(event, ev.NameRead) else None
    return f"{CANONICAL[char]} is named" if char in _SMALL and char is not None else ""


def _against(value: Value) -> str:
    """Why float32 cannot stand for float64 where `value` is; empty where nothing is known against it."""
    char = dtype_char(value) if not isinstance(value, Const) or len(str(value.value)) > 1 else None
    if char in _SMALL and char is not None:
        return f"{CANONICAL[char]} is named"
    if isinstance(value, Array) and value.dtypes and value.dtypes <= _SMALL:
        return "an array is of a smaller dtype already"
    if isinstance(value, Const) and type(value.value) is float:
        size = abs(value.value)
        if 0 < size < _SMALLEST or _LARGEST < size < float("inf"):
            return f"float32 cannot hold {value.value!r}"
    return ""
