"""Mutation: stores, in-place operators, in-place methods, out=, and calls that update their arguments."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.calls import bind
from np2tnp.analysis.module import dotted
from np2tnp.analysis.values import (
    HOST,
    NONE,
    Array,
    Bound,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Unknown,
    Value,
    home_of,
    is_python_number,
    may_be_array,
    may_hold_tensor,
)
from np2tnp.edits import build
from np2tnp.edits.calls import convert_arguments, needs_tensor
from np2tnp.edits.mutation import is_storable, rebind, store
from np2tnp.edits.targets import operator_differs
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Hit, Rule, register
from np2tnp.rules.calls import makes_tensor, use_core


@register
class Store(Rule):
    code = "TNP101"
    name = "array-store"
    summary = "A store into an element, slice or mask of an array, or an in-place operator on it"
    why = "tnp arrays are immutable: `x[i] = v` raises, and `x += v` makes a new array that nobody else sees."
    does = "Rebinds the name to an updated array; arguments are written back for the caller."
    bad = "x[1:-1] += y"
    good = "x = rt.at(x)[1:-1].add(y)"
    on = (ev.Store,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Store)
        if isinstance(event.node, cst.Call):
            return  # CallStore below
        base = event.base
        in_place = event.keys is None
        code = "TNP102" if in_place else "TNP101"
        words = f"`{dotted(event.target) or 'element'} {_sign(event.op)}= ...`" if event.op else "a store into an array"
        if not may_be_array(base) and not (in_place and isinstance(base, (Const, Scalar))):
            self._container(event, context)
            return
        if not context.in_region:
            if may_be_array(base) and isinstance(base, Array):
                yield Hit(code, event.node, f"{words} changes an ndarray in place", Verdict.HOST)
            return
        if home_of(base) == HOST and may_be_array(base):
            yield from self._host(event, code, words, context)
            return
        if in_place and _immutable(base):
            self._rebinding(event, context)
            return
        outside = sorted(event.conflicts)
        if outside:
            yield Hit(
                "TNP202",
                event.node,
                f"{words} may also change {_where(outside)}, which shares its memory",
                Verdict.BLOCK,
            )
            return
        if isinstance(event.node, cst.Assign) and len(event.node.targets) > 1:
            yield Hit(
                "TNP107",
                event.node,
                "a store inside a chained assignment cannot be turned into a rebinding",
                Verdict.BLOCK,
            )
            return
        if not isinstance(event.node, (cst.Assign, cst.AugAssign, cst.AnnAssign)):
            yield Hit(
                "TNP107", event.node, "a store into an array as the target of a loop or of unpacking", Verdict.BLOCK
            )
            return
        if event.root is None or not is_storable(event.target):
            yield Hit("TNP202", event.node, f"{words}: no single name holds the array that is written", Verdict.BLOCK)
            return
        if event.place.nested and event.root is not None:
            yield from ()
        if isinstance(event.target, cst.Subscript) and _advanced_inside(event.target.value):
            yield Hit("TNP202", event.node, f"{words}: what is written may be a copy made by an index", Verdict.BLOCK)
            return

        def change(updated: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
            target = updated.targets[0].target if isinstance(updated, cst.Assign) else updated.target  # type: ignore[attr-defined]
            return store(target, updated.value, event.op, context.rt, context.tnp)  # type: ignore[attr-defined]

        context.edits.statement(event.node).change.append(change)
        context.edits.needs.update(("rt", "tnp") if ".T" in dotted(event.target) else ("rt",))
        if isinstance(base, Array):
            context.edits.total += 1
            context.edits.converted += 1
        yield Hit(code, event.node, f"{words} becomes the rebinding of {event.root} to an updated array", Verdict.ADAPT)

    def _container(self, event: ev.Store, context: Context) -> None:
        """A list or dict made in the region: tensors may be stored in it; its keys must be Python's."""
        if isinstance(event.target, cst.Subscript) and isinstance(event.base, Sequence) and event.base.type == "dict":
            for element in event.target.slice:
                if isinstance(element.slice, cst.Index) and any(map(may_hold_tensor, event.keys or ())):
                    context.edits.wrap_host(element.slice.value)

    def _host(self, event: ev.Store, code: str, words: str, context: Context) -> Iterator[Hit]:
        node = event.node
        if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)) and node.value is not None:
            if may_hold_tensor(event.value):
                context.edits.wrap_host(node.value)
        elif may_hold_tensor(event.value):
            yield Hit("TNP107", node, "a store into an object as the target of a loop or of unpacking", Verdict.BLOCK)
            return
        if isinstance(event.target, cst.Subscript):
            for element in event.target.slice:
                if isinstance(element.slice, cst.Index) and any(map(may_hold_tensor, event.keys or ())):
                    context.edits.wrap_host(element.slice.value)
        if isinstance(event.base, Array):
            context.edits.total += 1
        yield Hit(
            "TNP506",
            node,
            f"{words}: the array belongs to an object outside; NumPy updates it in place with host values",
            Verdict.HOST,
        )

    def _rebinding(self, event: ev.Store, context: Context) -> None:
        """``s += v`` on a number: Python rebinds, as tensors do; only an operator that differs is replaced."""
        if not operator_differs(context.catalog, event.op, (event.base, event.value)):
            return

        def change(updated: cst.AugAssign) -> cst.BaseSmallStatement:
            return build.assign(
                updated.target, build.call(f"{context.rt}.op_{event.op.rstrip('_')}", updated.target, updated.value)
            )  # type: ignore[arg-type]

        context.edits.statement(event.node).change.append(change)
        context.edits.needs.add("rt")


def _immutable(base: Value) -> bool:
    if isinstance(base, (Const, Scalar)):
        return True
    return isinstance(base, Array) and base.rank == 0 and base.zero_d == "scalar" and base.exact is None


def _advanced_inside(node: cst.BaseExpression) -> bool:
    """Whether a chained store goes through an index that may copy: only literal integers and slices are surely views."""
    while isinstance(node, (cst.Subscript, cst.Attribute)):
        if isinstance(node, cst.Subscript):
            for element in node.slice:
                if isinstance(element.slice, cst.Index) and not isinstance(
                    element.slice.value, (cst.Integer, cst.UnaryOperation, cst.Ellipsis, cst.Name)
                ):
                    return True
        node = node.value
    return False


def _sign(op: str) -> str:
    return {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and_": "&",
            "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}.get(op, op)  # fmt: skip


def _where(outside: list[str]) -> str:
    first = outside[0]
    if first.startswith("@"):
        return f"the caller's array {first[1:]}"
    if first.startswith("."):
        return f"the attribute {first}"
    if first.startswith("global:"):
        return f"the module's {first[7:]}"
    return first if first.startswith("kept") else f"what {first} holds"


#: NumPy's mutating functions with a functional form in the runtime that returns the changed array.
_FUNCTIONAL = {
    "numpy.copyto": "copyto", "numpy.put": "put", "numpy.place": "place", "numpy.putmask": "putmask",
    "numpy.fill_diagonal": "fill_diagonal", "numpy.put_along_axis": "put_along_axis",
    "ndarray.sort": "sort", "ndarray.fill": "assign", "ndarray.put": "put", "ndarray.partition": "partition",
}  # fmt: skip


@register
class CallStore(Rule):
    code = "TNP103"
    name = "in-place-call"
    summary = "A call that changes an array in place: x.sort(), np.copyto(x, y), np.add.at(x, i, v), out=x, or a function of yours"
    why = "There is nothing in place on tensors."
    does = "Takes the changed array from the call and rebinds the name."
    bad = "x.sort()"
    good = "x = rt.sort(x)"
    on = (ev.Call,)

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        assert isinstance(event, ev.Call)
        stores = context.stores.get(id(event.node))
        if not stores:
            return
        hosts = all(home_of(item.base) == HOST or not may_be_array(item.base) for item in stores)
        if not context.in_region or hosts:
            yield from self._host(event, stores, context)
            return
        for item in stores:
            if item.conflicts:
                yield Hit(
                    "TNP202", event.node, f"this call may also change {_where(sorted(item.conflicts))}", Verdict.BLOCK
                )
                return
            if not is_storable(item.target) and item.op != "call":
                yield Hit("TNP202", event.node, "no single name holds the array that is changed", Verdict.BLOCK)
                return
        if not event.place.root or not isinstance(event.place.statement, (cst.Expr, cst.Assign, cst.Return)):
            yield Hit(
                "TNP103",
                event.node,
                "a call that changes an array inside a larger expression: give it a statement of its own",
                Verdict.BLOCK,
            )
            return
        kind = stores[0].op
        if kind == "call":
            yield from self._project(event, stores, context)
        elif kind == "out=":
            yield from self._out(event, stores[0], context)
        elif kind.endswith(".at"):
            yield from self._functional(event, stores[0], f"{kind.rpartition('.')[0].rpartition('.')[2]}_at", context)
        elif kind in _FUNCTIONAL:
            yield from self._functional(event, stores[0], _FUNCTIONAL[kind], context)
        elif kind.startswith("numpy."):
            yield from read_back(event, stores, context)
        else:
            yield Hit(
                "TNP103",
                event.node,
                f"{kind.replace('ndarray', 'array')}() changes an ndarray in a way tensors have no form for",
                Verdict.BLOCK,
            )

    def _host(self, event: ev.Call, stores: list[ev.Store], context: Context) -> Iterator[Hit]:
        convert_arguments(event, context.edits, "host")
        if context.in_region:
            if makes_tensor(event.result) and stores[0].op == "call":
                context.edits.wrap_tensor(event.node)
            yield Hit(
                "TNP506",
                event.node,
                "this call changes an array that belongs to an object outside; NumPy does it",
                Verdict.HOST,
            )
        else:
            yield Hit("TNP103", event.node, "this call changes an ndarray in place", Verdict.HOST)

    def _functional(self, event: ev.Call, item: ev.Store, function: str, context: Context) -> Iterator[Hit]:
        if not isinstance(event.place.statement, cst.Expr):
            yield Hit("TNP103", event.node, "the None that this call returns is used", Verdict.BLOCK)
            return
        method = event.receiver is not None
        for argument in event.arguments:
            if argument.node.value is not item.target and needs_tensor(argument.value):
                context.edits.wrap_tensor(argument.node.value)

        def change(updated: cst.Expr) -> cst.BaseSmallStatement:
            call = updated.value
            assert isinstance(call, cst.Call)
            if method:
                assert isinstance(call.func, cst.Attribute)
                target, rest = call.func.value, list(call.args)
            else:
                target, rest = call.args[0].value, list(call.args[1:])

            def value(base: cst.BaseExpression) -> cst.BaseExpression:
                return build.call(f"{context.rt}.{function}", build.argument(base), *rest)

            return rebind(target, value, context.rt, context.tnp)

        context.edits.statement(event.place.statement).change.append(change)
        context.edits.needs.add("rt")
        context.edits.total += 1
        context.edits.converted += 1
        yield self.hit(
            event.node, f"rt.{function} gives the changed array, and {item.root} is bound to it", Verdict.ADAPT
        )

    def _out(self, event: ev.Call, item: ev.Store, context: Context) -> Iterator[Hit]:
        statement = event.place.statement
        name = dotted(item.target)
        if isinstance(statement, cst.Assign):
            targets = [dotted(target.target) for target in statement.targets]
            if targets != [name] or not name:
                yield Hit(
                    "TNP104",
                    event.node,
                    "out= together with an assignment of the result: use one of them",
                    Verdict.BLOCK,
                )
                return
        elif not isinstance(statement, cst.Expr):
            yield Hit("TNP104", event.node, "out= inside a return: store first, then return", Verdict.BLOCK)
            return
        fact = context.catalog.get(event.api or "")
        bound = bind(fact, event.arguments) if fact is not None else None
        where = bound.get("where") if bound is not None else None
        index = next((i for i, arg in enumerate(event.arguments) if arg.node.value is item.target), -1)
        if bound is None or index < 0 or event.arguments[index].name is None and event.receiver is not None:
            yield Hit("TNP104", event.node, "out= whose place is not known", Verdict.BLOCK)
            return
        drop = {index}
        if where is not None:
            drop |= {i for i, arg in enumerate(event.arguments) if arg is where}
        function = event.api.rpartition(".")[2] if event.api else ""
        helper = fact is not None and fact.rt is not None
        if not helper and (fact is None or fact.kind != "ufunc"):
            yield Hit("TNP104", event.node, f"out= of {function}, for which there is no exact target", Verdict.BLOCK)
            return
        rt_name = fact.rt.name[3:] if fact is not None and fact.rt is not None else function
        rest = [argument for i, argument in enumerate(event.arguments) if i not in drop]
        for argument in rest:
            if needs_tensor(argument.value):
                context.edits.wrap_tensor(argument.node.value)

        def change(updated: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
            call = updated.value  # type: ignore[attr-defined]
            target = call.args[index].value
            arguments = [arg for i, arg in enumerate(call.args) if i not in drop]
            if event.receiver is not None:
                arguments.insert(0, build.argument(call.func.value))
            if arguments:
                arguments[-1] = arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            computed = build.call(f"{context.rt}.{rt_name}", *arguments)
            extra = [build.argument(build.string("same_kind"), "casting")]
            if where is not None:
                extra.append(
                    next(arg for i, arg in enumerate(call.args) if i in drop and i != index).with_changes(
                        comma=cst.MaybeSentinel.DEFAULT
                    )
                )
            return rebind(
                target,
                lambda base: build.call(f"{context.rt}.assign", build.argument(base), build.argument(computed), *extra),
                context.rt,
                context.tnp,
            )

        context.edits.statement(statement).change.append(change)
        context.edits.needs.add("rt")
        context.edits.total += 1
        context.edits.converted += 1
        yield Hit("TNP104", event.node, f"out=: {item.root} is bound to the result, cast as NumPy would", Verdict.ADAPT)

    def _project(self, event: ev.Call, stores: list[ev.Store], context: Context) -> Iterator[Hit]:
        callee = event.callee
        summary = context.summary(callee.qualname) if isinstance(callee, Function) else None
        if isinstance(callee, Bound) and isinstance(callee.receiver, Instance):
            summary = None
        if summary is None or not summary.migrated or any(home_of(item.base) == HOST for item in stores):
            yield from read_back(event, stores, context)
            return
        use_core(event, context, summary.hosted, summary.parameters, False)
        by_name = _targets_by_parameter(summary.parameters, event)
        targets = [by_name.get(name) for name in summary.mutates]
        statement = event.place.statement
        context.edits.needs.add("rt")
        context.edits.total += 1
        context.edits.converted += 1
        complex_targets = [t for t in targets if t is not None and not isinstance(t, cst.Name) and is_storable(t)]
        names = [t.value if isinstance(t, cst.Name) else "_" for t in targets]
        edit = context.edits.statement(statement)  # type: ignore[arg-type]
        if complex_targets:
            if len(targets) > 1 or not isinstance(statement, cst.Expr):
                yield Hit(
                    "TNP106",
                    event.node,
                    "a call that updates several arrays, one of them part of another: use plain names",
                    Verdict.BLOCK,
                )
                return
            target = complex_targets[0]

            def whole(updated: cst.Expr) -> cst.BaseSmallStatement:
                changed = cst.Subscript(
                    cst.Call(build.name("tuple"), [build.argument(updated.value)]),
                    [cst.SubscriptElement(cst.Index(cst.Integer("1")))],
                )
                return rebind(target, lambda base: changed, context.rt, context.tnp)

            edit.change.append(whole)
        elif isinstance(statement, cst.Return):
            result = _unused("result", context)
            edit.before.append(lambda: build.assign(build.names_tuple([result, *names]), _placeholder(event)))
            context.plans[id(event.node)] = result
            _hoist(event, context, result)
        else:
            first: cst.BaseExpression = cst.Name("_")
            if isinstance(statement, cst.Assign):
                first = statement.targets[0].target
                if len(statement.targets) > 1 or not _only_names(first):
                    yield Hit(
                        "TNP106",
                        event.node,
                        "the result of a call that updates its arguments goes to more than plain names",
                        Verdict.BLOCK,
                    )
                    return

            def change(updated: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
                return build.assign(build.targets_tuple(first, names), updated.value)  # type: ignore[attr-defined]

            edit.change.append(change)
        yield Hit(
            "TNP106",
            event.node,
            f"{dotted(event.node.func)}() updates its arguments: its core gives the new arrays back",
            Verdict.ADAPT,
        )


def _only_names(target: cst.BaseExpression) -> bool:
    if isinstance(target, (cst.Tuple, cst.List)):
        return all(_only_names(element.value) for element in target.elements)
    return isinstance(target, cst.Name)


def _placeholder(event: ev.Call) -> cst.BaseExpression:
    return event.node


def _hoist(event: ev.Call, context: Context, result: str) -> None:
    """The call moves to a statement before; what stood in its place reads the result."""
    edits = context.edits
    change = edits.replace.pop(id(event.node))
    statement = edits.statement(event.place.statement)  # type: ignore[arg-type]
    made: list[cst.BaseExpression] = []

    def replace(updated: cst.BaseExpression) -> cst.BaseExpression:
        made.append(change(updated))
        return cst.Name(result)

    edits.replace[id(event.node)] = replace
    first = statement.before.pop()

    def before() -> cst.BaseSmallStatement:
        assign = first()
        assert isinstance(assign, cst.Assign)
        return assign.with_changes(value=made[-1])

    statement.before.append(before)


def _targets_by_parameter(parameters: tuple[str, ...], event: ev.Call) -> dict[str, cst.BaseExpression]:
    return {
        argument.name or (parameters[index] if index < len(parameters) else ""): argument.node.value
        for index, argument in enumerate(event.arguments)
    }


def read_back(event: ev.Call, stores: list[ev.Store], context: Context) -> Iterator[Hit]:
    """A callee on the host changes local arrays: give it host copies, and read them back after the statement."""
    statement = event.place.statement
    if not isinstance(statement, (cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign)):
        yield Hit(
            "TNP503",
            event.node,
            "a call that may change its array arguments needs a statement of its own",
            Verdict.BLOCK,
        )
        return
    edit = context.edits.statement(statement)
    done = set()
    for item in stores:
        target = item.target
        if home_of(item.base) == HOST:
            continue  # NumPy changes the very object
        if not isinstance(target, cst.Name):
            yield Hit(
                "TNP503",
                event.node,
                "a call on the host may change part of an array: pass the whole array",
                Verdict.BLOCK,
            )
            return
        if target.value in done:
            continue
        done.add(target.value)
        _read_back_name(target, edit, context)
    convert_arguments(event, context.edits, "host")
    for item in stores:
        context.edits.host.discard(id(item.target))
    if makes_tensor(event.result):
        context.edits.wrap_tensor(event.node)
    context.edits.total += 1
    yield Hit(
        "TNP503",
        event.node,
        f"{dotted(event.node.func) or 'the callee'}() may change {', '.join(sorted(done))} on the host: read back after the call",
        Verdict.HOST,
    )


def _read_back_name(target: cst.Name, edit: object, context: Context) -> None:
    name = target.value
    copy = _unused(f"{name}_host", context)
    rt = context.rt
    edit.before.append(lambda: build.assign(cst.Name(copy), build.call(f"{rt}.host", cst.Name(name))))  # type: ignore[attr-defined]
    edit.after.append(lambda: build.assign(cst.Name(name), build.call(f"{rt}.tensor", cst.Name(copy))))  # type: ignore[attr-defined]
    context.edits.replace[id(target)] = lambda updated: cst.Name(copy)
    context.edits.needs.add("rt")


def _unused(name: str, context: Context) -> str:
    info = context.module.functions.get(context.facts.qualname)
    taken = info.locals if info is not None else frozenset()
    candidate, number = name, 1
    while candidate in taken or candidate in context.module.values:
        number += 1
        candidate = f"{name}{number}"
    return candidate


__all__ = ["NONE", "CallStore", "Store", "Unknown", "is_python_number", "read_back"]
