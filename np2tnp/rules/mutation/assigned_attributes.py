"""TNP105: assignments to attributes of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.syntax.python_tables import MEMBERS
from np2tnp.edits import build
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register
from np2tnp.rules.cases import chained_form
from np2tnp.rules.host.arrays_in_objects import is_array_attribute
from np2tnp.rules.words_and_edits import change_part, keep_value

#: What may be written instead.
_INSTEAD = {
    "real": "make the array anew (`x = new + 1j * x.imag`)",
    "imag": "make the array anew (`x = x.real + 1j * new`)",
    "shape": "reshape a name of its own (`x = x.reshape(shape)`)",
    "dtype": "use .view(dtype)",
    "flat": "assign to x[...]",
}


@register
class AssignedAttribute(Rule):
    doc = Doc(
        code="TNP105",
        name="assigned-attribute",
        summary="An assignment to an attribute of an array: x.shape = ..., x.dtype = ..., x.real = ...",
        why="It changes the array in place; a tensor's attributes cannot be assigned.",
        does="x.shape = s becomes x = rt.reshape(x, s). Any other attribute leaves the function in NumPy.",
        bad="""
            def grid(n):
                x = np.arange(n * n)
                x.shape = (n, n)
                return np.tanh(x)
        """,
        good="""
            def grid(n):
                return np.tanh(np.arange(n * n).reshape(n, n))
        """,
    )
    on = (ev.AttributeStore,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.AttributeStore)
        if not context.in_region or not is_array_attribute(event):
            return
        node = event.node
        assert isinstance(node, cst.Assign)
        chained = len(node.targets) > 1
        whole = chained_form(event) is not None if chained else event.target is node.targets[0].target
        if event.name != "shape" or not isinstance(event.target.value, cst.Name) or not whole:
            words = f"assigning .{event.name} of an array: {_INSTEAD.get(event.name, '')}"
            if event.name not in _INSTEAD:
                words = (
                    f"tensors have no .{event.name} to assign to: move that into a function of its own, to which the"
                )
                words += " result is given as an array"
            left = "" if event.name in _INSTEAD or event.name in MEMBERS else "objects"  # such as a data frame
            yield Hit(self.code, node, words, Verdict.BLOCK, left=left)
            return

        def reshape(updated: cst.Assign) -> cst.BaseSmallStatement:
            target = updated.targets[0].target
            assert isinstance(target, cst.Attribute)
            return build.assign(target.value, build.call(f"{context.rt}.reshape", target.value, updated.value))

        if chained:
            change_part(event, reshape, context)
            keep_value(event, context)
        else:
            context.edits.statement(node).change.append(reshape)
        yield self.hit(node, "assigning .shape becomes a reshape", Verdict.ADAPT)
