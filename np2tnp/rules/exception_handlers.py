"""TNP401: handlers of exceptions that NumPy raises."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis import events as ev
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

#: Exceptions that NumPy raises and TensorFlow raises as others.
_TRANSLATED = frozenset({
    "IndexError", "ValueError", "TypeError", "LinAlgError", "AxisError", "FloatingPointError", "ZeroDivisionError",
    "ArithmeticError", "OverflowError", "RuntimeWarning", "AttributeError", "LookupError", "KeyError", "MemoryError",
    "RuntimeError", "Warning",
})  # fmt: skip


@register
class ExceptionHandler(Rule):
    doc = Doc(
        code="TNP401",
        name="exception-handler",
        summary="A handler of exceptions that NumPy raises, around array work.",
        why=(
            "TensorFlow raises InvalidArgumentError for most of them, which no such handler catches, or raises nothing."
        ),
        does="Leaves the whole function in NumPy.",
        bad="""
            def pick(x, i):
                try:
                    y = np.exp(x)[i]
                except IndexError:
                    y = 0.0
                return y
        """,
        good="""
            def pick(x, i):
                return np.exp(x)[i] if i < len(x) else 0.0
        """,
        severity=Severity.SILENT,
    )
    on = ("try",)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Construct)
        if not context.in_region:
            return
        caught = sorted(set(event.detail.split(",")) & _TRANSLATED)
        if caught:
            names = ", ".join(caught)
            words = f"a handler of {names} around array work: TensorFlow raises others; handle them in the caller"
            yield self.hit(event.node, words, Verdict.BLOCK)
