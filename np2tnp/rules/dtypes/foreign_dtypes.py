"""TNP301-TNP305: dtypes that no tensor of numbers can hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.promotion_rules import FOREIGN, foreign_dtype
from np2tnp.analysis.domain.untensored import OF_ITEMS, holds_text
from np2tnp.analysis.domain.values import HOST, Array, Const, Sequence, Value
from np2tnp.analysis.syntax.scopes import sketch
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.decisions import made_kind
from np2tnp.rules.words_and_edits import keep_in_numpy, short_name

_CODES = {"object": "TNP301", "string": "TNP302", "structured": "TNP303", "datetime": "TNP304", "longdouble": "TNP305"}
_CODES["byte-swapped"] = "TNP305"
_DOES = (
    "Leaves such arrays, and what is calculated from them, to NumPy (functions that make arrays of extended precision,"
    " as a whole), and refuses them at the boundary of a migrated function."
)


@register
class ForeignDtype(Rule):
    doc = Doc(
        code="TNP301",
        name="object-dtype",
        summary="Arrays of Python objects.",
        why="A tensor holds numbers; tnp refuses objects, or makes byte strings of them.",
        does=_DOES,
        bad="""
            def box(parts, x):
                return np.array(parts, dtype=object), np.exp(x)
        """,
        good="""
            def box(parts, x):
                return list(parts), np.exp(x)
        """,
    )
    also = (
        Doc(
            code="TNP302",
            name="string-dtype",
            summary="Arrays of strings.",
            why="tnp makes byte strings of them, without an error: `'é'` becomes two bytes, and comparisons change.",
            does=_DOES,
            bad="""
                def name(x):
                    return np.zeros(3, dtype=str), np.exp(x)
            """,
            good="""
                def name(x):
                    return [''] * 3, np.exp(x)
            """,
            severity=Severity.SILENT,
        ),
        Doc(
            code="TNP303",
            name="structured-dtype",
            summary="Structured arrays and records: np.void and dtypes with fields.",
            why="Tensors have one dtype and no fields.",
            does=_DOES,
            bad="""
                def table(x):
                    return np.zeros(3, dtype=[('t', float), ('n', int)]), np.exp(x)
            """,
            good="""
                def table(x):
                    return np.zeros(3, dtype=np.float64), np.zeros(3, dtype=np.int64), np.exp(x)
            """,
        ),
        Doc(
            code="TNP304",
            name="datetime-dtype",
            summary="Arrays of dates, times and durations.",
            why="Tensors have no dates: units and NaT would be lost.",
            does=_DOES,
            bad="""
                def days(t, x):
                    return t.astype(np.datetime64), np.exp(x)
            """,
            good="""
                def days(t, x):
                    return t.astype(np.int64), np.exp(x)
            """,
        ),
        Doc(
            code="TNP305",
            name="extended-precision",
            summary="Arrays of extended precision, np.longdouble and np.clongdouble, or of another byte order, '>f8'.",
            why="TensorFlow computes with 64 bits at most, in the machine's order of bytes: these would be lost.",
            does=_DOES,
            bad="""
                def total(x):
                    return np.exp(x).sum(dtype=np.longdouble)
            """,
            good="""
                def total(x):
                    return np.exp(x).sum(dtype=np.float64)
            """,
            severity=Severity.SILENT,
        ),
    )
    on = (ev.NameRead, ev.Read, ev.Store, Calls.NUMPY)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, (ev.Read, ev.Store)):
            if context.in_region and _reads_field(event.base, event.keys):
                words = (
                    f"{_indexed(event)} is indexed by a name, as DataFrames and structured arrays are: take the columns"
                    " as arrays before (x['name'].to_numpy()), and move the work on them into a function of its own"
                )
                yield Hit("TNP303", event.node, words, Verdict.BLOCK)
            return
        if isinstance(event, ev.NameRead):
            kind = FOREIGN.get(event.api)
            if kind is not None:
                name = event.api.replace("numpy.", "np.")
                yield Hit(_CODES[kind], event.node, f"{name}: {kind} data has no tensor form", Verdict.HOST)
            return
        assert isinstance(event, ev.Call)
        if event.api is None:
            return
        kind = made_kind(event, context)
        if kind is not None:
            # extended precision looks like numbers, and would be handed to TensorFlow
            kept = not context.in_region or kind != "longdouble"
            if kept and context.in_region:
                keep_in_numpy(event, context, _CODES[kind], "")
            else:
                context.edits.total += 1
            words = f"{short_name(event.api)} makes {kind} data, which no tensor can hold"
            words += "" if kept else ": use float64, or move it into a function of its own"
            yield Hit(_CODES[kind], event.node, words, Verdict.HOST if kept else Verdict.BLOCK)
            return
        kind = FOREIGN.get(event.api) or ("string" if _is_of_texts(event) else None)
        if kind is not None:  # NumPy keeps it, and TensorFlow refuses it
            words = f"{short_name(event.api)} makes {kind} data, which no tensor can hold"
            yield Hit(_CODES[kind], event.node, words, Verdict.HOST)
            return
        for argument in event.arguments:
            if argument.name == "dtype" and (kind := foreign_dtype(argument.value)):
                yield Hit(_CODES[kind], argument.node, f"{kind} arrays have no tensor form", Verdict.HOST)


def _is_of_texts(event: ev.Call) -> bool:
    """Whether an array is made of what is known to be text."""
    return event.api in OF_ITEMS and bool(event.arguments) and holds_text(event.arguments[0].value)


def _indexed(event: ev.Read | ev.Store) -> str:
    node = event.node if isinstance(event, ev.Read) else event.target
    words = sketch(node.value) if isinstance(node, cst.Subscript) else ""
    return words if words.strip(".") else "an array"


def _reads_field(base: Value, keys: Collection[Value] | None) -> bool:
    """Whether what surely is an array of NumPy's would be a tensor, and has fields by name."""
    if not isinstance(base, Array) or base.home == HOST or keys is None or len(keys) != 1:
        return False
    (key,) = keys
    names = key.items if isinstance(key, Sequence) and key.type == "list" else (key,)
    return bool(names) and all(isinstance(name, Const) and name.type == "str" for name in names or ())
