"""Arrays under names that change places: which value is whose in the end."""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.tracing import current
from np2tnp.runtime.symbols.python_number import Weak

__all__ = ["whose"]


def whose(*others: tuple[Any, Any], **given: tuple[Any, Any]) -> dict[str, Any]:
    """What holds the arrays of the parameters in the end: ``rt.whose(a=(a, a_of), b=(b, b_of))``.

    The numbers 0, 1, ... stand for the arrays of the parameters `given`, in order. Each is looked for among the values
    of all pairs, of which `others` are those of local names.

    Where a graph exchanged them, the numbers are its own: one of the values is chosen when it runs. A result that is
    one of them is given back as the caller's own array all the same (``Trace.others``).

    Raises
    ------
    Unsupported
        While tracing, where the values have different dtypes or shapes.
    """
    pairs = (*given.values(), *others)
    return {name: _found(number, pairs) for number, name in enumerate(given)}


def _found(number: int, pairs: tuple[tuple[Any, Any], ...]) -> Any:
    undecided: list[tuple[Any, Any]] = []
    for value, mark in pairs:
        known = tf.get_static_value(mark.tensor) if isinstance(mark, Weak) else mark
        if known is None:
            undecided.append((value, mark))
        elif known == number:
            return value
    if len(undecided) == 1:
        return undecided[0][0]
    trace = current()
    kinds = {(value.dtype, tuple(value.shape)) if is_tensor(value) else None for value, _ in undecided}
    if trace is None or len(kinds) != 1 or None in kinds:
        raise Unsupported("arrays of different dtypes or shapes that change places")
    places = [tf.equal(mark.tensor, tf.constant(number, mark.tensor.dtype)) for _, mark in undecided]
    chosen = undecided[-1][0]
    for (value, _), holds in list(zip(undecided, places, strict=True))[-2::-1]:
        chosen = tf.where(holds, value, chosen)
    for (value, _), holds in zip(undecided, places, strict=True):
        trace.note_same(value, [(holds, chosen)])
    return chosen
