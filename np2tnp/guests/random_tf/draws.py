"""Which draws the device makes, and how they are written: ``rt.random.normal(...)``."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.edits import build
from np2tnp.edits.edit import convert_arguments, retarget
from np2tnp.guests.random_tf import DRAWS
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Decision, Hit, Hooks
from np2tnp.rules.words_and_edits import short_name

#: Canonical names of the methods of NumPy's generators.
METHODS = ("numpy.random.Generator.", "numpy.random.RandomState.")


def _target(event: ev.Call, context: Context) -> Decision | None:
    api = event.api or ""
    if context.guests.random != "tf" or not api.startswith("numpy.random.") or api.rpartition(".")[2] not in DRAWS:
        return None
    why, function = "drawn on the device, from another stream", f"random.{api.rpartition('.')[2]}"
    return Decision("TNP601", why, "rt", function, is_helper=True, write=_write)


def _write(event: ev.Call, decision: Decision, context: Context) -> Hit:
    rt = context.rt
    api = event.api or ""
    if api.startswith(METHODS):

        def change(updated: cst.Call) -> cst.BaseExpression:
            assert isinstance(updated.func, cst.Attribute)
            stream = build.call(f"{rt}.random.stream", updated.func.value)
            return updated.with_changes(func=updated.func.with_changes(value=stream))

        context.edits.replace[id(event.node)] = change
    else:
        retarget(event, context.edits, f"{rt}.{decision.function}", False)
    convert_arguments(event, context.edits, "tensor")
    context.edits.total += 1
    context.edits.converted += 1
    return Hit(decision.code, event.node, f"{short_name(api)}: {decision.why}", Verdict.ADAPT)


HOOKS = Hooks(target=_target)
