"""TNP307: masked arrays, matrices and other subclasses of ndarray."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

_CLASSES = frozenset(
    ("numpy.matrix", "numpy.asmatrix", "numpy.mat", "numpy.bmat", "numpy.memmap", "numpy.recarray", "numpy.chararray")
)
#: Functions of np.ma that give no masked array.
_QUESTIONS = frozenset(("is_masked", "isMaskedArray", "isMA", "isarray", "count", "count_masked", "is_mask"))


@register
class ArraySubclass(Rule):
    doc = Doc(
        code="TNP307",
        name="array-subclass",
        summary="A masked array, a matrix, a memory map or a record array is made.",
        why=(
            "A conversion to a tensor keeps the numbers and loses the rest: masks, `*` as matrix product, files,"
            " fields."
        ),
        does="Leaves the whole function in NumPy; the boundary of a migrated function refuses such arguments.",
        bad="""
            def mean(x, bad):
                return np.ma.masked_where(bad, np.exp(x)).mean()
        """,
        good="""
            def mean(x, bad):
                return np.mean(np.exp(x)[~bad])
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Call,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        api = event.api
        if api is None or not context.in_region:
            return
        owner, _, name = api.rpartition(".")
        if (
            api in _CLASSES
            or api.startswith("numpy.rec.")
            or (f"{owner}.".startswith("numpy.ma.") and name not in _QUESTIONS)
        ):
            words = f"{api.replace('numpy.', 'np.', 1)} makes a subclass of ndarray, which no tensor can stand for"
            yield self.hit(event.node, words, Verdict.BLOCK)
