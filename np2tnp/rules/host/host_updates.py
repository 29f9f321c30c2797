"""TNP503: calls on the host that may change the arrays they get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import ITERATED, OBJECT_CODE, Stale
from np2tnp.analysis.domain.locations import bare, global_of, holder_of, is_attribute, is_global, is_holder, is_seen
from np2tnp.analysis.domain.values import LENT, Bound, Class, Function, Instance, Symbol
from np2tnp.analysis.syntax.scopes import absolute, sketch
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits.edit import convert_arguments
from np2tnp.model import Safety, Verdict
from np2tnp.rules.base import Calls, Context, Doc, Hit, Rule, Severity, register
from np2tnp.rules.cases import CallCase, call_case, is_outside, location_words
from np2tnp.rules.words_and_edits import callee_words, is_mentioned_beside, makes_tensor, read_back

#: How the advice begins that code out of sight, which has a name, be described.
CALLEES = "say in [tool.np2tnp.callees]"
#: What is said where nothing tells by which way a callee may get at an array.
_SOMEHOW = "what that got may be it, hold it or share its memory"
#: ... and where code that cannot be followed may have kept an array.
_KEPT = "got it, or shares memory with it, and may have kept that"


def _is_out_of_sight(call: ev.Call | None) -> bool:
    """Whether a call goes to code that nobody could read: no function and no class of the project."""
    if call is None or call.api is not None:
        return False
    callee = call.callee
    return not isinstance(callee, (Function, Class)) and not (
        isinstance(callee, Bound) and isinstance(callee.receiver, Instance)
    )


def _namespace(reasons: list[Stale], context: Context) -> str:
    """The name that all of the calls are made on, where it may stand for NumPy: several of its functions are called."""
    called: dict[str, set[str]] = {}
    for call in context.calls.values():
        func = call.node.func
        if call.api is None and isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name):
            called.setdefault(func.value.value, set()).add(func.attr.value)
    told = {each.via.partition(".")[0] for each in reasons}
    name = told.pop() if len(told) == 1 else ""
    known = {method for method in called.get(name, ()) if context.catalog.get(f"numpy.{method}") is not None}
    return name if len(known) > 1 else ""


def _words(name: str, callees: list[str], shared: frozenset[str], unseen: list[str] | None = None) -> str:
    """That one of the callees may have changed what `name` holds, how it may get at that, and what helps.

    unseen: the code out of sight that all of that goes on to, by its canonical names; None where other code does it.
    """
    told = ", ".join(callees if len(callees) < 4 else [*callees[:3], "others"])
    seen = sorted(bare(place) for place in shared if is_seen(place))
    if set(callees) & set(seen) or not shared:
        got = "which" if len(callees) == 1 else "one of which"
        words = f"{name} may have been changed by {told}, {got} got it, a view of it or an object that holds it"
        return f"{words}; {_said(unseen) or 'pass a copy, unless that is meant'}"
    start = f"{name} may have changed while {told} ran"
    kept = sorted(holder_of(place) for place in shared if " as " in place)
    if seen or kept:
        holder = [*seen, *kept][0]
        words = f"{start}: {holder} {_KEPT}"
        if name == ITERATED:
            return f"{words}; iterate over np.array(...) of it, unless that is meant"
        return f"{words}; if it is an array, go on with a copy ({name} = np.array({name})), unless that is meant"
    places = [place for place in sorted(shared) if is_holder(place) and place != name]
    if places:
        where = location_words(frozenset(places[:1]))
        return f"{start}: {where} may be it, or show its memory; work on np.array(...) of that, unless that is meant"
    return f"{start}: {_SOMEHOW}; {_said(unseen) or 'move the work on arrays before that into a function of its own'}"


def _twice(both: str, callees: list[str], unseen: list[str] | None) -> str:
    """That a callee gets two arrays which may be one."""
    first = both.partition(" and ")[0]
    words = f"{callees[0]} may change what it gets, and {both} may share memory, of which it would get two copies"
    return f"{words}: {_said(unseen) or f'give it np.array({first}), unless that is meant'}"


#: What helps beside that, where the callee gets a function that may change what it is called with.
_TOP_LEVEL = "define what it calls at the top level: a nested function may change what it gets"


def _get_nested_functions(reasons: list[Stale], context: Context) -> bool:
    """Whether one of the calls hands on a function that is nested here, of which nothing can be said in a table."""
    calls = (context.calls.get(each.line_node) for each in reasons)
    given = [argument.value for call in calls if call is not None for argument in call.arguments]
    return any(value is LENT or (isinstance(value, Function) and value.nested) for value in given)


def _changer(reasons: list[Stale], context: Context) -> str:
    """A function of the project, as the code has it, that one of the calls hands on and that may change what it gets.

    So nothing that is said of the code which gets it would help.
    """
    calls = (context.calls.get(each.line_node) for each in reasons)
    for argument in (argument for call in calls if call is not None for argument in call.arguments):
        value: object = argument.value
        if isinstance(value, Bound) and isinstance(value.receiver, Instance):
            value = context.method(value.receiver, value.name)
        if isinstance(value, Function) and not value.nested:
            summary = context.summary(value)
            if summary is None or summary.mutates or summary.changeable or summary.keeps:
                return sketch(argument.node.value)
    return ""


_CALLS = "it may call {0}, which may change what it gets: move the work on arrays before it into a function of its own"


def _said(unseen: list[str] | None) -> str:
    """How the user says what code out of sight does."""
    if not unseen:
        return ""
    entries = ", ".join(f'"{name}" = "pure"' for name in unseen)
    return f"{CALLEES} what is done with it ({entries} where it is only read)"


def _unseen(reasons: list[Stale], context: Context) -> list[str] | None:
    """The code out of sight, by canonical names, to which all of the calls hand arrays; None where some do not."""
    found = []
    for each in reasons:
        call = context.calls.get(each.line_node)
        callee = call.callee if call is not None and call.api is None else None
        name = ""
        if isinstance(callee, Symbol) and not callee.name.startswith("builtins."):
            name = absolute(callee.name, context.module.path)
        elif isinstance(callee, Function):
            summary = context.summary(callee)
            name = summary.unseen if summary is not None else ""
        if not name:
            return None
        found.append(name)
    return list(dict.fromkeys(found))


@register
class HostUpdate(Rule):
    doc = Doc(
        code="TNP503",
        name="host-update",
        summary="A call that stays on the host and may change an array which is used afterwards.",
        why="The callee changes a host copy; without reading it back the change would be lost.",
        does=(
            "Gives it a host copy by name and reads that back after the statement; where this is not possible,"
            " leaves the function in NumPy. Where the code of the callee cannot be seen, `--unsafe` takes it to change"
            " nothing."
        ),
        bad="""
            import random


            def mixed(x):
                y = np.exp(x)
                random.shuffle(y)
                return y.sum()
        """,
        good="""
            import random


            @rt.migrated
            def mixed(x):
                y = tnp.exp(x)
                y_host = rt.host(y)
                random.shuffle(y_host)
                y = rt.tensor(y_host)
                return tnp.sum(y)
        """,
        severity=Severity.SILENT,
    )
    on = (Calls.UPDATING, ev.StaleRead, ev.Kind.TRY)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if isinstance(event, ev.Construct):
            assert isinstance(event.node, (cst.Try, cst.TryStar))
            context.interruptible |= {id(part) for part in walk(event.node.body) if isinstance(part, cst.Call)}
            return
        if isinstance(event, ev.StaleRead):
            if context.in_region:
                for reason in event.stale.reasons:
                    yield from self._stale(event, reason, context)
                yield from self._views(event, context)
            return
        assert isinstance(event, ev.Call)
        case = call_case(event, context)
        if case is not None and case.kind is CallCase.ON_HOST:
            yield from self._call(event, case.stores, context)

    def _stale(self, event: ev.StaleRead, stale: Stale, context: Context) -> Iterator[Hit]:
        """A name is read after a call that may have changed what it holds."""
        if stale.kind == "call":
            call = context.calls.get(stale.line_node)
            done = context.rebinds.setdefault(stale.line_node, set())
            if event.name in done:
                return
            if call is not None:
                statement = call.place.statement
                given = next(
                    (
                        a
                        for a in call.arguments
                        if isinstance(a.node.value, cst.Name) and a.node.value.value == event.name
                    ),
                    None,
                )
                argument = None if given is None else given.node.value
                if (
                    given is not None
                    and isinstance(statement, (cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign))
                    and not call.place.nested
                ):
                    assert isinstance(argument, cst.Name)
                    if id(call.node) in context.interruptible:
                        words = f"{stale.via} may change {event.name} and raise: call it outside of try"
                        yield self.hit(call.node, words, Verdict.BLOCK)
                        return
                    if is_mentioned_beside(statement, argument):
                        yield self._beside(call.node, event.name)
                        return
                    done.add(event.name)
                    read_back(argument, given.value, context.edits.statement(statement), context)
                    yield self.hit(
                        call.node,
                        f"{stale.via} may change {event.name}: it is read back after the call",
                        Verdict.HOST,
                    )
                    return
            words = f"{event.name} may have been changed by {stale.via}: give that call a statement of its own"
            if call is not None and getattr(call.place.statement, "value", None) is call.node:  # it has one
                name = event.name if event.name.isidentifier() else "..."
                words = (
                    f"{event.name} may have been changed by {stale.via}: pass np.array({name}), unless that is meant"
                )
            yield self._changed(event.node, words, [stale], context)

    def _views(self, event: ev.StaleRead, context: Context) -> Iterator[Hit]:
        reasons = [each for each in event.stale.reasons if each.kind == "call on a view"]
        callees = list(dict.fromkeys(each.via for each in reasons))
        if callees:
            name = global_of(event.name)[1] if is_global(event.name) else bare(event.name)
            name = f".{name} of an object" if is_attribute(event.name) else name
            unseen = _unseen(reasons, context)
            words = _words(name, callees, event.shared, unseen)
            if unseen and CALLEES in words and (changer := _changer(reasons, context)):
                words = f"{words.partition(f'; {CALLEES}')[0]}; {_CALLS.format(changer)}"
            elif unseen and CALLEES in words and _get_nested_functions(reasons, context):
                said = all(context.catalog.callee(it, context.module.path) is not None for it in unseen)
                words = f"{words.partition(f'; {CALLEES}')[0]}; {_TOP_LEVEL}" if said else f"{words}, and {_TOP_LEVEL}"
            if namespace := _namespace(reasons, context):
                words = (
                    f'{words}; if {namespace} stands for NumPy, say so: numpy-names = ["{namespace}"] in [tool.np2tnp]'
                )
            hit = self._changed(event.node, words, reasons, context)
            yield replace(hit, left="unseen") if is_attribute(event.name) else hit  # of whatever object has it
        twice = [each for each in event.stale.reasons if each.kind == "two copies"]
        if twice:
            words = _twice(event.name, [each.via for each in twice], _unseen(twice, context))
            yield self._changed(event.node, words, twice, context)

    def _changed(self, node: cst.CSTNode, words: str, reasons: list[Stale], context: Context) -> Hit:
        """What blocks the region, but for callees out of sight where ``--unsafe`` trusts them."""
        calls = [context.calls.get(each.line_node) for each in reasons]
        own = [each.via.startswith(OBJECT_CODE) for each in reasons]
        unseen = [_is_out_of_sight(call) for call in calls]
        vague = _SOMEHOW in words or _KEPT in words
        vague = vague or any(each.via == "a callee" or each.kind == "two copies" for each in reasons)
        can_be_said = CALLEES in words and not vague
        left = "unseen" if not can_be_said and (vague or any(own) or any(unseen)) else ""
        verdict, safety = Verdict.BLOCK, Safety.SAFE
        if all(unseen):
            verdict, safety = Verdict.HOST if context.trusts else Verdict.BLOCK, Safety.UNSAFE
        return Hit(self.code, node, words, verdict, safety, left)

    def _beside(self, node: cst.CSTNode, name: str) -> Hit:
        message = f"{name} is changed by this call and used in the same statement: give the call a statement of its own"
        return self.hit(node, message, Verdict.BLOCK)

    def _call(self, event: ev.Call, stores: tuple[ev.Store, ...], context: Context) -> Iterator[Hit]:
        """A callee on the host changes local arrays: give it host copies, and read them back after the statement."""
        statement = event.place.statement
        if not isinstance(statement, (cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign)):
            yield self.hit(
                event.node,
                "a call that may change its array arguments needs a statement of its own",
                Verdict.BLOCK,
            )
            return
        if id(event.node) in context.interruptible and not all(is_outside(item.base) for item in stores):
            words = f"{callee_words(event, 'the callee')} may change an array and raise: call it outside of try"
            yield self.hit(event.node, words, Verdict.BLOCK)
            return
        convert_arguments(event, context.edits, "host")
        edit = context.edits.statement(statement)
        done = set()
        for item in stores:
            target = item.target
            if is_outside(item.base):
                continue  # NumPy changes the very object
            if not isinstance(target, cst.Name):
                yield self.hit(
                    event.node,
                    "a call on the host may change part of an array: pass the whole array",
                    Verdict.BLOCK,
                )
                return
            if target.value in done:
                continue
            if is_mentioned_beside(statement, target):
                yield self._beside(event.node, target.value)
                return
            done.add(target.value)
            read_back(target, item.base, edit, context)
        if makes_tensor(event.result):
            context.edits.wrap_tensor(event.node)
        context.edits.total += 1
        changed = ", ".join(sorted(done))
        words = f"{callee_words(event, 'the callee')} may change {changed} on the host: read back after the call"
        yield self.hit(event.node, words, Verdict.HOST)
