"""TNP007: index forms that tensors do not know, or read differently."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    TENSOR,
    Array,
    Const,
    Sequence,
    Symbol,
    Unknown,
    Value,
    home_of,
    is_array,
    may_hold_tensor,
    scalar_type,
)
from np2tnp.analysis.syntax.python_tables import JOINERS
from np2tnp.edits import build
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.words_and_edits import wrap_keys


@register
class IndexForm(Rule):
    doc = Doc(
        code="TNP007",
        name="index-form",
        summary="np.r_, np.c_, np.mgrid and np.ogrid, and indices of what only tensors without a boundary read.",
        why=(
            "Those four take arrays in brackets, and know no tensors. Indices of tensors are NumPy's in rewritten code:"
            " masks, arrays, lists, numbers out of range. Without a boundary they are TensorFlow's: there"
            " `t[0, :, [1, 3]]` has another shape, and indices out of range give zeros on a GPU."
        ),
        does=(
            "Those four become the runtime's. Where there is no boundary, or what is indexed may be no array and the"
            " index a tensor, rt.at(x)[index].get() reads. All other indices stay as they are."
        ),
        bad="""
            def closed(x):
                return np.r_[np.sqrt(x), 0.0]
        """,
        good="""
            @rt.migrated
            def closed(x):
                return rt.r_[tnp.sqrt(x), 0.0]
        """,
        severity=Severity.SILENT,
    )
    on = (ev.Read,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Read)
        if not context.in_region:
            return
        base = event.base
        if isinstance(base, Symbol) and base.name in JOINERS and may_hold_tensor(event.result):
            yield from self._joiner(event, base.name, context)
            return
        asked = isinstance(base, Unknown) and any(is_array(key) and context.may_be_tensor(key) for key in event.keys)
        if not context.may_be_tensor(base) and not asked:
            # Lists and texts take a tensor for an index (its __index__); what looks a key up by its hash does not.
            if not isinstance(base, Const) and not (isinstance(base, Sequence) and base.type != "dict"):
                wrap_keys(event.node, event.keys, context)
            return
        if not isinstance(base, (Array, Unknown)) or _is_plain(event.keys):
            return
        if isinstance(base, Unknown) and _are_texts(event.keys):  # of a dict, a table or a structured array
            return
        is_tensor = home_of(base) == TENSOR or isinstance(base, Array)
        if context.checked and (is_tensor or not any(map(may_hold_tensor, event.keys))):
            return  # tensors answer as ndarrays do in rewritten code, and no other object gets a tensor

        def change(updated: cst.Subscript) -> cst.BaseExpression:
            return build.at(context.rt, updated.value, updated.slice, "get")

        context.edits.replace[id(event.node)] = change
        if isinstance(base, Array):
            yield self.hit(
                event.node, "this index form is read through the exact indexing of the runtime", Verdict.ADAPT
            )

    def _joiner(self, event: ev.Read, name: str, context: Context) -> Iterator[Hit]:
        short = name.removeprefix("numpy.")
        context.edits.replace[id(event.node.value)] = lambda _: build.name(f"{context.rt}.{short}")
        context.edits.converted += 1
        yield self.hit(event.node, f"np.{short} becomes rt.{short}, which takes and gives tensors", Verdict.ADAPT)


def _is_plain(keys: tuple[Value, ...]) -> bool:
    """Whether tensors take the index as ndarrays do: ints, slices, None, Ellipsis."""
    for key in keys:
        if isinstance(key, Const) and (key.value is None or key.value is Ellipsis or key.type == "int"):
            continue
        if scalar_type(key) in ("slice", "int"):
            continue
        return False
    return True


def _are_texts(keys: tuple[Value, ...]) -> bool:
    """Whether the index is a text or a list of texts, which no tensor takes: ``d["a"]``, ``table[["a", "b"]]``."""
    if len(keys) != 1:
        return False
    items = keys[0].items if isinstance(keys[0], Sequence) and keys[0].type == "list" else (keys[0],)
    return bool(items) and all(isinstance(item, Const) and item.type == "str" for item in items or ())
