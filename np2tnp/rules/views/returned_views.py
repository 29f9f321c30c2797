"""TNP207: results that show memory which somebody else holds."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.locations import bare, is_parameter, is_seen
from np2tnp.analysis.domain.values import Array, Sequence, Symbol, Value, refs_of
from np2tnp.analysis.module.parameter_kinds import shown_otherwise
from np2tnp.analysis.syntax.scopes import sketch, target_names
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.model import Safety, Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import location_words


@register
class ReturnedView(Rule):
    doc = Doc(
        code="TNP207",
        name="returned-view",
        summary="A result that is a view of memory which another result, an argument or an object shows as well.",
        why=(
            "Results are arrays of their own after the migration: who writes to one would not change the other any"
            " more. Plain views go on being made by NumPy; this is about those that tensors cannot tell from copies."
        ),
        does=(
            "Leaves the whole function in NumPy. Where only code that cannot be seen might hold the memory, `--unsafe`"
            " takes it not to."
        ),
        bad="""
            def spectrum(x):
                y = np.exp(x)
                return y, y.ravel()
        """,
        good="""
            def spectrum(x):
                y = np.exp(x)
                return y, y.flatten()
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Kind.RETURNED_VIEW,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region:
            return
        which, copy = _copy_of_one(event, context)
        words = f"{which} may share memory: {copy or _APART}"
        left = "" if copy else "unseen"
        if event.detail:
            shown, value, made_by = _returned(event, context)
            words = _words(event.detail, shown, value, made_by, context)
            is_clear = isinstance(value, Array) and not _may_be_number(value)
            left = "" if is_clear or (made_by and not made_by.startswith("numpy.")) else "unseen"
        if is_seen(event.detail):  # by code that cannot be seen itself
            verdict = Verdict.HOST if context.trusts else Verdict.BLOCK
            yield Hit(self.code, event.node, words, verdict, Safety.UNSAFE, left="unseen")
        else:
            yield Hit(self.code, event.node, words, Verdict.BLOCK, left=left)


def _words(location: str, shown: str, value: Value | None, made_by: str, context: Context) -> str:
    """That `shown`, which is returned, may be a view of what lies at `location`, and what to return in its place."""
    name = location[1:]
    if is_seen(location):
        fear = f"may show what {bare(location)} got or gave, and may have kept"
    elif is_parameter(location) and name in shown_otherwise(context.facts.node):
        fear = f"may be a view of an array that {name} holds or gives"
    elif is_parameter(location):
        fear = f"may be a view of {name}" if name != shown else "may be the caller's own, or a view of it"
    else:
        fear = f"may be a view of {location_words(frozenset((location,)))}"
    if made_by.startswith("itertools."):
        what = f"{shown or 'what is returned'} is an iterator ({made_by})"
        return f"{what}, and its items {fear}: return [np.array(item) for item in {shown or '...'}]"
    if made_by.startswith("numpy."):
        what = f"{made_by.replace('numpy', 'np', 1)}() gives a tuple, whose items"
        return f"{what} {fear.replace('a view', 'views', 1)}: return tuple(np.array(item) for item in {shown or '...'})"
    if made_by:
        return f"{made_by}() keeps what {fear}: {_APART}"
    copy = f"return np.array({shown or '...'}), unless a view is meant"
    if isinstance(value, Array) and _may_be_number(value):  # np.array() of one is no number any more
        return f"{shown or 'the result'} {fear}, or a number: where it is always an array, {copy}"
    if isinstance(value, Array):
        return f"{shown or 'the result'} {fear}: {copy}"
    return f"if {shown or 'what is returned'} is an array, it {fear}: {copy}; else {_APART}"


_APART = "move the work on arrays into a function of its own"
#: What gives no array, but may hold some.
_HOLDING = ("itertools.", "functools.partial", "scipy.sparse.", "pandas.", "collections.")


def _may_be_number(value: Array) -> bool:
    """Whether NumPy may give a number in its place: ``np.einsum(subscripts, x)``."""
    return value.rank is None and value.exact is None and value.zero_d in ("scalar", "either")


def _returned(event: ev.Construct, context: Context) -> tuple[str, Value | None, str]:
    """What is returned that shows the location, in a few words; its value; what makes no array.

    The words are empty where there are none.
    """
    node = event.node.value if isinstance(event.node, cst.Return) else None
    found = (it for it in context.facts.events if isinstance(it, ev.Return) and it.node is event.node)
    returned = next(found, None)
    value = returned.value if returned is not None else None
    if isinstance(node, cst.Tuple) and isinstance(value, Sequence) and value.items is not None:
        pairs = zip(node.elements, value.items, strict=False)
        shows = ((part.value, item) for part, item in pairs if event.detail in refs_of(item))
        node, value = next(shows, (None, None))
    if node is None or value is None:
        return "", None, ""
    words = sketch(node)
    call = context.calls.get(id(_source(node, context)))
    name = call.callee.name if call is not None and isinstance(call.callee, Symbol) else ""
    fact = context.catalog.get(call.api) if call is not None and call.api is not None else None
    if fact is not None and fact.returns == "tuple" and fact.name.startswith("numpy."):
        made_by = fact.name
    else:
        made_by = name if name.startswith(_HOLDING) else ""
    clear = words.strip(".") and " ..." not in words and "... " not in words
    return words if clear else "", value, made_by


def _copy_of_one(event: ev.Construct, context: Context) -> tuple[str, str]:
    """Which results may share memory, and that a copy be returned of what surely is an array, beside another result.

    The latter is empty where nothing surely is one. A copy by its method keeps a mask, and the class of the array.
    """
    some = "two results, or parts of one,"
    node = event.node.value if isinstance(event.node, cst.Return) else None
    value = next((it.value for it in context.facts.events if isinstance(it, ev.Return) and it.node is event.node), None)
    if not isinstance(node, (cst.Tuple, cst.List)) or not isinstance(value, Sequence) or value.items is None:
        are_arrays = isinstance(value, Sequence) and isinstance(value.element, Array)
        return some, "return np.array(...) of one, or the base alone" if are_arrays else ""
    items = [(sketch(part.value), item) for part, item in zip(node.elements, value.items, strict=False)]
    pairs = [
        (one, other) for one in items for other in items if one is not other and refs_of(one[1]) & refs_of(other[1])
    ]
    for (words, item), (second, _) in pairs:
        if isinstance(item, Array) and "..." not in words:
            both = [it for it, _ in items if it in (words, second)]
            which = " and ".join(both) if "..." not in second and words != second else some
            return which, f"return {words}.copy(), unless that is meant"
    named = (f"{words} and {second}" for (words, _), (second, _) in pairs if "..." not in words + second)
    return next(named, some), ""


def _source(node: cst.BaseExpression, context: Context) -> cst.BaseExpression:
    """The expression that a name was bound to where that is only one, or the expression itself."""
    if not isinstance(node, cst.Name):
        return node
    parts = (part for part in nodes_of(context.facts.node) if isinstance(part, cst.Assign))
    values = [part.value for part in parts if any(node.value in target_names(item.target) for item in part.targets)]
    return values[0] if len(values) == 1 else node
