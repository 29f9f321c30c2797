"""Which target a call of NumPy gets. Decided once a call; one rule a case acts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import asked_dtypes, bind, ufunc_method
from np2tnp.analysis.domain.doors import as_floats, as_wider
from np2tnp.analysis.domain.promotion_rules import foreign_dtype
from np2tnp.analysis.domain.untensored import is_untensored
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    GENERATORS,
    HOST,
    NONE,
    Array,
    Scalar,
    Sequence,
    Unknown,
    Value,
    may_be_array,
    may_hold_tensor,
    refs_of,
    replace,
)
from np2tnp.analysis.interpreter.numpy_results import asks_for_fortran_order, makes_from_numbers
from np2tnp.analysis.module.subclasses import may_mask
from np2tnp.analysis.syntax.python_tables import ONE_ARRAY
from np2tnp.analysis.syntax.walk import names_in, nodes_of
from np2tnp.catalog.facts import ApiFact
from np2tnp.edits.call_domain import arrays_in
from np2tnp.edits.edit import convert_arguments, is_plain_ndarray, needs_tensor, retarget
from np2tnp.edits.targets import WHOLE, Choice, choose, name_in_tnp
from np2tnp.model import Verdict
from np2tnp.rules.base import HOOKS, Context, Decision, Hit
from np2tnp.rules.words_and_edits import holds_array, makes_tensor, short_name

_STRIDED = ("numpy.lib.stride_tricks.", "numpy.nditer", "numpy.ndenumerate", "numpy.nested_iters")

#: Exact helpers that give an ndarray for an ndarray: what the object's own method gives.
NEED_TENSORS = frozenset(("compressed", "getfield", "to_device", "view"))

#: What gives a plain ndarray of whatever it gets, subclasses of the project included; so do the helpers.
_OF_ANY_CLASS = ("numpy.array", "numpy.asarray")


#: Keywords that say how a function works, and hold none of the data it works on.
_NO_DATA = frozenset(("axis", "axes", "keepdims", "dtype", "shape", "k", "n", "mode", "method", "ord", "norm", "order"))


def decide(event: ev.Call, context: Context) -> Decision | None:
    """What becomes of a call of NumPy; None for other calls, those that change arrays, and plain Python work."""
    key = id(event.node)
    if key not in context.decisions:
        context.decisions[key] = _decide(event, context)
    return context.decisions[key]


def _decide(event: ev.Call, context: Context) -> Decision | None:
    if event.api is None or id(event.node) in context.stores:
        return None
    api = event.api
    random = api.startswith("numpy.random.")
    if event.callee in GENERATORS or event.result in GENERATORS:
        return Decision("TNP601")
    if made_kind(event, context) is not None or may_mask(api) or (not random and _is_plain_python(event)):
        return None
    if event.receiver is None and any(is_untensored(argument.value) for argument in event.arguments):
        return Decision("TNP004", "no tensor can stand for one of its arguments")
    method_of = ufunc_method(context.catalog, api)
    if method_of is not None:
        owner, name = method_of
        function = f"{owner.rpartition('.')[2]}_{name}"
        return Decision(
            "TNP002", f"tnp ufuncs have no .{name}; the exact helper does it", "rt", function, True, is_helper=True
        )
    fact = context.catalog.get(api)
    if fact is None:
        suggestion = context.catalog.suggest(api)
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        return Decision("TNP009", f"{short_name(api)} is not in the catalog{hint}")
    if context.in_region and _holds_array(event.result) and not makes_tensor(event.result):
        if random:
            return Decision("TNP601", "random numbers are those of NumPy's own stream")
        if asked_order(fact, event):
            return Decision("TNP004", "it leaves the function in the memory order that was asked for")
        if makes_from_numbers(api, event.arguments):
            return Decision("TNP004", "an object keeps its result, which is made faster than copied")
        if api.rpartition(".")[2] in ONE_ARRAY:
            return Decision("TNP004", "the items of its result are one array: an update of one is one of all")
        return Decision("TNP004", "its result is a view of memory that others hold, too")
    for hooks in HOOKS:
        if hooks.target is not None and (found := hooks.target(event, context)) is not None:
            return found
    if random:
        return Decision("TNP601", "random numbers are those of NumPy's own stream")
    choice = _chosen(fact, event, context)
    if choice.kind == "host":
        if api.startswith(_STRIDED):
            return Decision("TNP205", "tensors have no strides, and are not iterated by memory")
        return Decision("TNP004", choice.why)
    if choice.kind == "tnp":
        exact = _helper_for_ndarrays(fact, event, context)
        if choice.wrap and fact.rt is not None and _is_bound(choice.wrap, context):
            why = f"{choice.wrap} is another name here"
            exact = _helper("TNP002", why, fact.rt.name.removeprefix("rt."), event, context)
        return exact or Decision("TNP001", "", choice.module, choice.function, wrap=choice.wrap)
    function = "array" if choice.function == "astype" and _casts_tensor(event) else choice.function
    return _helper("TNP003" if choice.differs else "TNP002", choice.why, function, event, context)


def _casts_tensor(event: ev.Call) -> bool:
    """Whether a method that casts is ``np.array(x, dtype)``: where `x` is a tensor, no array of another class."""
    is_tensor = isinstance(event.receiver, Array) and not event.receiver.weak and not needs_tensor(event.receiver)
    return is_tensor and [argument.name for argument in event.arguments] == [None]


_FLOATS = frozenset("fd")


def _helper(code: str, why: str, function: str, event: ev.Call, context: Context) -> Decision:
    """The exact helper, by tnp's name where tnp can say the call: the ``tnp`` of rewritten code has the helpers.

    Where tnp's own would do for floats, and any may come, nothing is said of what else there may be.
    """
    differs = code == "TNP003"
    if context.boundary != "numpy" or not name_in_tnp(function, event, context.catalog):
        return Decision(code, f"{why}; the exact helper is used", "rt", function, is_helper=True, differs=differs)
    arrays = arrays_in([event.receiver or NONE, *(argument.value for argument in event.arguments)])
    plain = differs and all(it.dtypes >= _FLOATS for it in arrays)
    plain = plain and _is_plain_for(as_floats, event, context)
    why = "" if plain else f"{why}; the exact helper answers by this name"
    return Decision("TNP001" if plain else code, why, "tnp", function, is_helper=True, differs=differs)


def _holds_array(value: Value) -> bool:
    """Whether `value` is an array, or one of records, perhaps, in memory of others: ``np.asarray(x, self.dtype)``."""
    return holds_array(value) or (isinstance(value, Unknown) and bool(refs_of(value)))


def _chosen(fact: ApiFact, event: ev.Call, context: Context) -> Choice:
    """The target of a call, of the form of it that is plain where one is."""
    choice = choose(fact, event, context.compile, context.float32)
    other = context.catalog.get(_other_form(event)) if choice.kind == "rt" else None
    if other is not None:
        found = choose(other, event, context.compile, context.float32)
        if found.kind == "tnp":
            return found
    return choice


def _is_surely_array(value: Value) -> bool:
    """Whether it is an array of numbers, or a scalar of NumPy's, and no number of Python's."""
    return isinstance(value, Array) and not value.weak and (value.home != HOST or value.dtypes != ALL_DTYPES)


def _other_form(event: ev.Call) -> str:
    """The API of which a call is another form: ``np.where(mask)`` is ``np.nonzero(mask)``.

    ``np.array([a, b])`` of arrays of one shape is ``np.stack([a, b])``, and of others raises, too.
    """
    (only,) = event.arguments if len(event.arguments) == 1 else (None,)
    if only is None or only.name is not None or only.star:
        return ""
    if event.api == "numpy.array" and isinstance(only.value, Sequence) and only.value.items:
        is_stack = only.value.type in ("list", "tuple") and all(map(_is_surely_array, only.value.items))
        return "numpy.stack" if is_stack else ""
    return "numpy.nonzero" if event.api == "numpy.where" else ""


def _helper_for_ndarrays(fact: ApiFact, event: ev.Call, context: Context) -> Decision | None:
    """The exact helper, where it takes an argument as it is that tnp's function needs converted."""
    values = [argument.value for argument in event.arguments]
    if fact.rt is None or fact.prefer == "numpy" or not any(map(needs_tensor, [*values, event.receiver])):
        return None
    if _takes_plain_ndarrays(event, context):
        return None
    why = "it takes what may be an ndarray as it is"
    helper = _helper("TNP002", why, fact.rt.name.removeprefix("rt."), event, context)
    return helper if _takes_ndarrays(helper, context) else None


def asked_order(fact: ApiFact, event: ev.Call) -> bool:
    """Whether an array in Fortran order is asked for."""
    bound = bind(fact, event.arguments) or {}
    return asks_for_fortran_order(
        fact.name.rpartition(".")[2], {name: argument.value for name, argument in bound.items()}
    )


def _is_plain_python(event: ev.Call) -> bool:
    """Calls that give Python objects or work on Python numbers alone: nothing to migrate."""
    values = [argument.value for argument in event.arguments]
    if event.receiver is not None:
        values.append(event.receiver)
    return not any(map(may_hold_tensor, values)) and not makes_tensor(event.result)


def made_kind(event: ev.Call, context: Context) -> str | None:
    """The kind of data without tensor form that the call makes: "object", "string"...; None for numbers."""
    api = event.api or ""
    if api.endswith((".dtype", ".finfo", ".iinfo", ".issubdtype", ".can_cast", ".result_type", ".promote_types")):
        return None
    return next(filter(None, map(foreign_dtype, asked_dtypes(context.catalog.get(api), event.arguments))), None)


def _is_one_object(event: ev.Call) -> bool:
    """Whether the first argument is no container whose items have to become tensors."""
    return bool(event.arguments) and may_be_array(event.arguments[0].value)


def _note_whole_numbers(event: ev.Call, context: Context) -> None:
    """Names that are axes or sizes as they are: of other numbers NumPy raises, and tnp takes their whole part."""
    fact = context.catalog.get(event.api or "")
    for name, argument in ((bind(fact, event.arguments) if fact is not None else None) or {}).items():
        if name in WHOLE and isinstance(argument.node.value, cst.Name):
            context.edits.whole[argument.node.value.value] = WHOLE[name]


def _is_plain_for(as_other: Callable[[Value], Value], event: ev.Call, context: Context, now: bool = False) -> bool:
    """Whether tnp's function would do for other arrays. `now`: whether it does for these."""
    fact = context.catalog.get(event.api or "")
    receiver = event.receiver and as_other(event.receiver)
    arguments = tuple([ev.Argument(it.node, as_other(it.value), it.name, it.star) for it in event.arguments])
    if fact is None or (receiver == event.receiver and arguments == event.arguments):
        return now
    narrowed = replace(event, receiver=receiver, arguments=arguments)
    return _chosen(fact, narrowed, context).kind == "tnp"


def _takes_plain_ndarrays(event: ev.Call, context: Context) -> bool:
    """Whether tnp's function may be called with the ndarrays themselves: it makes tensors of them at once.

    What it gives shares no memory with them, and each is certainly of NumPy's own class, and of numbers.
    """
    fact = context.catalog.get(event.api or "")
    if fact is None or fact.effect != "fresh" or context.compile != "none" or context.float32:
        return False
    return all(is_plain_ndarray(it) for it in (event.receiver, *(a.value for a in event.arguments)) if needs_tensor(it))


def _takes_ndarrays(decision: Decision, context: Context) -> bool:
    """Whether the target makes tensors of ndarrays itself, as NumPy makes arrays of what it gets.

    Compiled code says by ``rt.tensor`` which attributes of an object are inputs of its graph, and float32's where
    numbers become narrower.
    """
    if not decision.is_helper or context.compile != "none" or context.float32:
        return False
    return decision.function not in NEED_TENSORS


def _is_bound(name: str, context: Context) -> bool:
    """Whether `name`, of one of Python's own functions, may mean something else in the region."""
    module = context.module
    if module.unlisted or name in module.values or name in module.rebound:
        return True
    return any(isinstance(node, cst.Name) and node.value == name for node in nodes_of(context.facts.node))


def _taken_apart(context: Context) -> set[int]:
    """Calls, by id, of whose result the items are all that is asked: ``x, y = f(a)``, ``f(a)[0]``."""
    if context.taken_apart is None:
        context.taken_apart = set()
        for node in nodes_of(context.facts.node):
            context.taken_apart |= {id(part) for part in _asked_in_part(node)}
    return context.taken_apart


def _asked_in_part(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if type(node) is cst.Assign and all(isinstance(it.target, (cst.Tuple, cst.List)) for it in node.targets):
        yield node.value
    elif type(node) is cst.Subscript and len(node.slice) == 1:
        index = node.slice[0].slice
        if isinstance(index, cst.Index) and isinstance(index.value, cst.Integer):
            yield node.value


def _as_written(event: ev.Call, decision: Decision, context: Context) -> str:
    """The function by the name that the program has for it, where tnp has that, too: ``abs`` for ``absolute``."""
    called = event.node.func
    word = called.attr.value if isinstance(called, cst.Attribute) else ""
    fact = context.catalog.get(f"numpy.{word}") if decision.module == "tnp" and event.receiver is None else None
    known = fact is not None and fact.alias_of == f"numpy.{decision.function}"
    return word if known and word in context.catalog.tnp_parameters else decision.function


def convert(event: ev.Call, decision: Decision, context: Context) -> Hit:
    """Call the target that was decided for instead of NumPy."""
    method = event.receiver is not None and not decision.ufunc_method
    plain = not decision.is_helper
    prefix = {"tnp": context.tnp, "tf": context.tf}.get(decision.module, context.rt)
    wrap = "" if id(event.node) in _taken_apart(context) else decision.wrap
    function = _as_written(event, decision, context)
    retarget(event, context.edits, f"{prefix}.{function}", method, wrap)
    if not _takes_ndarrays(decision, context) and not (plain and _takes_plain_ndarrays(event, context)):
        as_it_is = not plain and event.api in _OF_ANY_CLASS and _is_one_object(event)
        convert_arguments(event, context.edits, "tensor", first=int(as_it_is))
        if method and isinstance(event.receiver, Array) and needs_tensor(event.receiver):
            assert isinstance(event.node.func, cst.Attribute)
            context.edits.wrap_tensor(event.node.func.value)
    context.edits.total += 1
    context.edits.converted += 1
    _note_whole_numbers(event, context)
    if decision.differs:  # a door under which it surely is tnp's own is better
        context.edits.blame(event.receiver, *(a.value for a in event.arguments if a.name not in _NO_DATA))
        numbers = [argument.node for argument in event.arguments if isinstance(argument.value, Scalar)]
        context.edits.blamed |= {name for node in numbers for name in names_in(node)}
        context.edits.plain_for_floats = context.edits.plain_for_floats or _is_plain_for(as_floats, event, context)
    elif plain and context.facts.door and not context.edits.plain_for_few:
        context.edits.plain_for_few = not _is_plain_for(as_wider, event, context, True)
    name = short_name(event.api or "")
    if decision.code == "TNP001":
        words = f"{name} becomes {decision.module}.{function}"
        return Hit(decision.code, event.node, words, Verdict.CONVERT)
    return Hit(decision.code, event.node, f"{name}: {decision.why}", Verdict.ADAPT)
