"""TNP506: arrays in objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Array, Sequence, home_of, may_hold_tensor, zero_d_of
from np2tnp.analysis.syntax.python_tables import AUGMENTED
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.edits import build
from np2tnp.edits.edit import convert_arguments
from np2tnp.edits.mutation import store
from np2tnp.model import Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import CallCase, StoreCase, call_case, stays_ndarray, store_case, store_words
from np2tnp.rules.words_and_edits import change_part, is_part, makes_tensor, wrap_keys


@register
class ObjectState(Rule):
    doc = Doc(
        code="TNP506",
        name="object-state",
        summary=(
            "An array that belongs to an object (self, a global, a container of the caller's) is assigned or changed."
        ),
        why="Objects are seen by code that expects ndarrays, at any time.",
        does="Lets NumPy do it, in place where it was in place, with host values.",
        bad="""
            class Layer:
                def step(self, gradient):
                    self.w -= 0.1 * np.tanh(gradient)
        """,
        good="""
            class Layer:
                def change(self, gradient):
                    return self.w - 0.1 * np.tanh(gradient)
        """,
        safety="Safe: no tensor is ever seen in an object. Each store copies from the device.",
        severity=Severity.SLOWER,
    )
    on = (ev.AttributeStore, ev.Store, Calls.UPDATING)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.AttributeStore):
            yield from self._attribute(event, context)
        elif isinstance(event, ev.Store):
            if store_case(event, context).kind is StoreCase.STATE:
                yield from self._store(event, context)
        elif isinstance(event, ev.Call):
            case = call_case(event, context)
            if case is not None and case.kind is CallCase.STATE:
                yield from self._call(event, case.stores, context)

    def _attribute(self, event: ev.AttributeStore, context: Context) -> Iterator[Hit]:
        if is_array_attribute(event):
            return
        if id(event.target) in context.facts.direct_updates and isinstance(event.node, cst.AugAssign):
            yield self._update(event, AUGMENTED[type(event.node.operator)], context)
            return
        if context.keeps_tensor(event):
            if may_hold_tensor(event.value):
                is_array = isinstance(event.value, Array) and not event.value.rank and zero_d_of(event.value) == "array"
                if is_array and event.value_node is not None:
                    context.edits.kept.add(id(event.value_node))
                yield self.hit(event.node, f".{event.name} keeps a tensor", Verdict.ADAPT)
            return
        in_place = isinstance(event.node, cst.AugAssign) and isinstance(event.base, Array)
        if not may_hold_tensor(event.value):
            if in_place:
                yield self.hit(event.node, f".{event.name} is updated in place by NumPy", Verdict.HOST)
            return
        if event.value_node is None and is_part(event):

            def change(updated: Any) -> cst.BaseSmallStatement:
                return build.assign(updated.targets[0].target, build.call(f"{context.rt}.host", updated.value))

            change_part(event, change, context)
            yield self.hit(event.node, f".{event.name} keeps a host copy", Verdict.HOST)
            return
        if event.value_node is None:
            words = "an attribute is assigned by unpacking or a loop: assign it by itself"
            yield self.hit(event.node, words, Verdict.BLOCK)
            return
        context.edits.wrap_host(event.value_node, event.value)
        yield self.hit(event.node, f".{event.name} keeps a host copy", Verdict.HOST)

    def _update(self, event: ev.AttributeStore | ev.Store, op: str, context: Context) -> Hit:
        """What an attribute holds is updated as a tensor, which takes the place of the old one."""

        def change(updated: Any) -> cst.BaseSmallStatement:
            target = updated.targets[0].target if isinstance(updated, cst.Assign) else updated.target
            return store(target, updated.value, op, context.rt, context.tnp)

        context.edits.statement(event.node).change.append(change)
        if isinstance(event.base, Array):
            context.edits.total += 1
            context.edits.converted += 1
        target = event.target.value if isinstance(event.target, cst.Subscript) else event.target
        return self.hit(event.node, f"{dotted(target)} is updated as a tensor", Verdict.ADAPT)

    def _store(self, event: ev.Store, context: Context) -> Iterator[Hit]:
        node = event.node
        if isinstance(event.target, cst.Subscript) and id(event.target.value) in context.facts.direct_updates:
            yield self._update(event, event.op, context)
            return
        if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)) and may_hold_tensor(event.value):
            assert node.value is not None
            items = isinstance(event.value, Sequence) and event.value.type in ("iterator", "map")
            context.edits.wrap_host(_stored(node, event.target), event.value if items else None)
        if isinstance(event.target, cst.Subscript):
            wrap_keys(event.target, event.keys, context)
        if isinstance(event.base, Array):
            context.edits.total += 1
        if stays_ndarray(event, context):
            return  # TNP202 says it
        words = (
            f"{store_words(event)}: the array belongs to an object outside; NumPy updates it in place with host values"
        )
        yield self.hit(node, words, Verdict.HOST)

    def _call(self, event: ev.Call, stores: tuple[ev.Store, ...], context: Context) -> Iterator[Hit]:
        convert_arguments(event, context.edits, "host")
        func = event.node.func
        if event.receiver is not None and may_hold_tensor(event.receiver) and isinstance(func, cst.Attribute):
            context.edits.wrap_host(func.value)
        if makes_tensor(event.result) and stores[0].op == "call":
            context.edits.wrap_tensor(event.node)
        words = "this call changes an array that belongs to an object outside; NumPy does it"
        yield self.hit(event.node, words, Verdict.HOST)


def is_array_attribute(event: ev.AttributeStore) -> bool:
    """Whether an attribute of a local array is assigned (TNP105), not one of an object."""
    return isinstance(event.node, cst.Assign) and isinstance(event.base, Array) and home_of(event.base) != HOST


def _stored(node: cst.Assign | cst.AugAssign | cst.AnnAssign, target: cst.BaseExpression) -> cst.BaseExpression:
    """What `node` stores into `target`: where it unpacks a display into as many targets, one item of that."""
    assert node.value is not None
    targets = node.targets[0].target if isinstance(node, cst.Assign) and len(node.targets) == 1 else None
    if isinstance(targets, (cst.Tuple, cst.List)) and isinstance(node.value, (cst.Tuple, cst.List)):
        for element, source in zip(targets.elements, node.value.elements, strict=False):
            if element.value is target and len(targets.elements) == len(node.value.elements):
                return source.value
    return node.value
