"""TNP406: floating-point errors as exceptions or callbacks."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register

#: What is looked for among all calls, by the last name.
_CALLED = frozenset(("simplefilter", "filterwarnings", "catch_warnings", "seterr", "seterrcall", "warns"))


@register
class FloatingPointErrors(Rule):
    doc = Doc(
        code="TNP406",
        name="floating-point-errors",
        summary=(
            "Floating-point errors turned into exceptions or callbacks: np.errstate(all='raise'), np.seterr,"
            " warnings as errors."
        ),
        why="TensorFlow never warns, and none of these has an effect on it: the error would pass unseen.",
        does="Leaves the whole function in NumPy. np.errstate that only ignores or warns is no obstacle, nor"
        " are recorded warnings that nobody reads, or only to find those of other packages.",
        bad="""
            def inverse(x):
                with np.errstate(all='raise'):
                    return np.divide(1, np.exp(x))
        """,
        good="""
            def inverse(x):
                y = np.exp(x)
                if np.any(y == 0):
                    raise ZeroDivisionError
                return np.divide(1, y)
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Call, ev.Kind.WITH)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.Construct):
            yield from self._with(event)
            return
        assert isinstance(event, ev.Call)
        func = event.node.func
        text = func.attr.value if type(func) is cst.Attribute else func.value if type(func) is cst.Name else ""
        if text not in _CALLED or not dotted(func):
            return
        if text in ("simplefilter", "filterwarnings") and any(
            isinstance(arg.value, cst.SimpleString) and arg.value.value.strip("'\"") == "error"
            for arg in event.node.args
        ):
            words = "warnings as errors: TensorFlow emits no RuntimeWarning; test values instead"
            if other := _other_category(text, event.node):
                words = (
                    f"a filter makes errors of {other}: move the `with`, and the calls in it that may warn so, into"
                    " a function of its own"
                )
            yield self.hit(event.node, words, Verdict.BLOCK)
        elif text == "catch_warnings" and event.node.args and not _is_unread(event.node, context):
            yield self.hit(
                event.node, "recorded warnings: TensorFlow emits no RuntimeWarning; test values instead", Verdict.BLOCK
            )
        elif text == "warns":
            words = (
                "warns() may wait for a warning of NumPy's, which TensorFlow does not emit: keep array work out of it"
            )
            yield self.hit(event.node, words, Verdict.BLOCK)
        elif text in ("seterr", "seterrcall"):
            yield self.hit(
                event.node,
                f"{text}() has no effect on TensorFlow, which emits no floating-point warnings: to ignore some, use"
                " `with np.errstate(...)`; to raise, test values",
                Verdict.BLOCK,
            )

    def _with(self, event: ev.Construct) -> Iterator[Hit]:
        item = event.node
        assert isinstance(item, cst.WithItem)
        if event.detail.rpartition(".")[2] == "errstate" and isinstance(item.item, cst.Call):
            for arg in item.item.args:
                text = arg.value.value.strip("'\"") if isinstance(arg.value, cst.SimpleString) else ""
                if text not in ("ignore", "warn"):
                    words = "np.errstate other than ignore has no effect on TensorFlow; test values instead"
                    yield self.hit(item, words, Verdict.BLOCK)
                    return


def _is_unread(node: cst.Call, context: Context) -> bool:
    """Whether nobody reads what ``catch_warnings(record=True)`` records, or asks it for warnings of others alone."""
    if not all(arg.keyword is not None and arg.keyword.value == "record" for arg in node.args):
        return False
    parts = nodes_of(context.facts.node)
    item = next((part for part in parts if type(part) is cst.WithItem and part.item is node), None)
    if item is None:
        return False
    if item.asname is None:
        return True
    name = item.asname.name
    if type(name) is not cst.Name:
        return False
    names = [part for part in parts if type(part) is cst.Name and part.value == name.value]
    asked = {id(part.for_in.iter) for part in parts if type(part) is cst.GeneratorExp and _asks_for_others(part)}
    return all(part is name or id(part) in asked for part in names)


def _asks_for_others(node: cst.GeneratorExp) -> bool:
    """Whether it is ``issubclass(w.category, C) for w in record``, where `C` is no class of NumPy's warnings."""
    test, each = node.elt, dotted(node.for_in.target)
    if type(test) is not cst.Call or dotted(test.func) != "issubclass" or len(test.args) != 2:
        return False
    kind = dotted(test.args[1].value).rpartition(".")[2]
    plain = not node.for_in.ifs and node.for_in.inner_for_in is None
    return (
        plain
        and dotted(test.args[0].value) == f"{each}.category"
        and not (kind in _OF_NUMPY or hasattr(builtins, kind))
    )


#: Classes of the warnings that NumPy emits where it calculates, and their bases.
_OF_NUMPY = frozenset(("RuntimeWarning", "Warning", "ComplexWarning", "RankWarning", "VisibleDeprecationWarning", ""))


def _other_category(function: str, node: cst.Call) -> str:
    """The class of the warnings that a filter is for, where it is none of NumPy's; empty where it may be one."""
    place = 1 if function == "simplefilter" else 2
    plain = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
    named = [arg.value for arg in node.args if arg.keyword is not None and arg.keyword.value == "category"]
    found = dotted((named or plain[place : place + 1] or [node])[0])
    return found if found.rpartition(".")[2] not in _OF_NUMPY else ""
