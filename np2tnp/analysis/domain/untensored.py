"""Arrays that no tensor can stand for: of text, objects, dates and fields.

They stay NumPy's, and so does what is calculated from them: the reference `UNTENSORED` goes from the operands to the
result.
"""

from __future__ import annotations

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.promotion_rules import dtype_char
from np2tnp.analysis.domain.values import (
    FOREIGN,
    HOST,
    SUBCLASS,
    UNTENSORED,
    Array,
    Sequence,
    Unknown,
    Value,
    refs_of,
    scalar_type,
    with_refs,
)
from np2tnp.analysis.syntax.python_tables import COMPARISONS

#: What makes numbers of text, where they are asked for.
TO_NUMBERS = frozenset(("astype", "array", "asarray", "fromiter"))
_MARK = frozenset((UNTENSORED,))
#: What gives back what it gets, or puts it into an array of objects.
HOLDERS = frozenset(("array", "asarray", "asanyarray", "full", "full_like"))
_COMPARING = frozenset(COMPARISONS.values())
#: What gives the items that it gets: of texts, texts.
OF_ITEMS = frozenset(
    f"numpy.{name}"
    for name in "array asarray asanyarray unique unique_values sort flip append concatenate concat union1d intersect1d"
    " setdiff1d repeat tile".split()
)
#: What NumPy keeps.
KEPT = Unknown(HOST, _MARK)


def is_untensored(value: Value) -> bool:
    """Whether `value` may be an array that no tensor can stand for, or calculated from one."""
    refs = refs_of(value)
    return bool(refs) and UNTENSORED in refs


def calculated(value: Value, given: frozenset[str], home: str = "") -> Value:
    """`value`, calculated from what no tensor can stand for and lies at `given`: arrays of objects share their items.

    home: where it is, if that is not `value`'s.
    """
    if isinstance(value, (Array, Unknown)):
        home = home or value.home
        refs = (value.refs | given) - {FOREIGN} if home == HOST else value.refs | given  # NumPy's own is no copy
        return Unknown(home, refs, value.exact, value.deps, value.view)
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(calculated(item, given, home) for item in value.items)
        return Sequence(value.type, calculated(value.element, given, home), items, value.refs | given)
    return value


def of_operator(op: str, operands: list[Value]) -> Value | None:
    """What NumPy's own operator gives where an operand is untensored; None where there is none."""
    for value in operands:
        if value.refs and UNTENSORED in value.refs:  # such arrays compare to an ordinary one of bools
            subclass = value.refs & {SUBCLASS}
            return with_refs(KEPT, _MARK | subclass) if subclass else Unknown(HOST) if op in _COMPARING else KEPT
    return None


def is_to_numbers(arguments: tuple[ev.Argument, ...], method: bool) -> bool:
    """Whether a dtype of numbers is asked for: ``texts.astype(float)``, ``np.asarray(texts, dtype=float)``."""
    for item in arguments:
        if item.name == "dtype" or (method and item.name is None):
            return dtype_char(item.value) is not None
    return False


def holds_text(value: Value) -> bool:
    """Whether `value` is known to be text, or a list of which an item is, at any depth."""
    if isinstance(value, Sequence):
        items = value.items if value.items is not None else (value.element,)
        return value.type in ("list", "tuple") and any(map(holds_text, items))
    return scalar_type(value) == "str"
