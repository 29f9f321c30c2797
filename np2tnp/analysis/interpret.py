"""Statements: control flow with joins and loops to a fixpoint, bindings, and every kind of store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.calls import Calls
from np2tnp.analysis.env import Env, Stale, join_all
from np2tnp.analysis.evaluate import none_test
from np2tnp.analysis.imports import import_bindings
from np2tnp.analysis.module import dotted, parameters_of, statements_of
from np2tnp.analysis.tables import AUGMENTED
from np2tnp.analysis.values import (
    HOST,
    NO_NAMES,
    NONE,
    TENSOR,
    UNKNOWN,
    Array,
    Class,
    Const,
    Function,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    exact_of,
    home_of,
    is_python_number,
    join,
    may_be_array,
    may_hold_tensor,
    refs_of,
    scalar_type,
)
from np2tnp.analysis.walk import walk

#: A loop whose state has not settled after so many rounds is widened: what still changes becomes unknown.
ROUNDS = 5


class Interpreter(Calls):
    """Interprets the body of one region, or a module's top level."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.breaks: list[list[Env]] = []
        self.continues: list[list[Env]] = []
        self.heads: dict[int, Env] = {}
        self.own_returns = True

    # ---- blocks

    def run(self, body: object, env: Env) -> Env | None:
        """Interpret a suite; None when its end is not reached."""
        if isinstance(body, cst.SimpleStatementSuite):
            return self._small(body.body, env)
        current: Env | None = env
        for statement in statements_of(body):
            if current is None:
                return None
            current = self.statement_(statement, current)
        return current

    def statement_(self, node: cst.CSTNode, env: Env) -> Env | None:
        if type(node) is cst.SimpleStatementLine:
            return self._small(node.body, env)
        handler = _COMPOUND.get(type(node))
        if handler is None:
            return env
        return handler(self, node, env)

    def _small(self, statements: Any, env: Env) -> Env | None:
        for node in statements:
            self.statement, self.root = node, None
            handler = _SIMPLE.get(type(node))
            if handler is not None:
                handler(self, node, env)
                if handler in _LEAVING:
                    return None
            elif type(node) is cst.Break:
                if self.breaks:
                    self.breaks[-1].append(env)
                return None
            elif type(node) is cst.Continue:
                if self.continues:
                    self.continues[-1].append(env)
                return None
        return env

    # ---- simple statements

    def _expr(self, node: cst.Expr, env: Env) -> None:
        self.root = node.value
        self.evaluate(node.value, env)

    def _assign(self, node: cst.Assign, env: Env) -> None:
        self.root = node.value
        value = self.evaluate(node.value, env)
        for target in node.targets:
            self.assign(node, target.target, value, env, node.value)
        if len(node.targets) > 1:
            names = [t.target.value for t in node.targets if isinstance(t.target, cst.Name)]
            for name in names[1:]:
                env.link(names[0], frozenset((name,)))

    def _annotated(self, node: cst.AnnAssign, env: Env) -> None:
        if node.value is not None:
            self.root = node.value
            self.assign(node, node.target, self.evaluate(node.value, env), env, node.value)

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        """``target = value``."""
        if isinstance(target, cst.Name):
            if target.value in self.global_names:
                self.store_global(target, value, env, source)
            else:
                if f"?{target.value}" in env.values and isinstance(value, (Array, Unknown)) and not refs_of(value):
                    value = replace(value, exact=target.value)
                    env.values.pop(f"?{target.value}")
                env.bind(target.value, value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            self._unpack(node, target, value, env, source)
        elif isinstance(target, cst.Attribute):
            self._store_attribute(node, target, value, env, source)
        elif isinstance(target, cst.Subscript):
            base = self._store_base(target, env)
            keys = self.keys(target, env)
            self.write(node, target, base, value, env, keys=keys)
            if isinstance(node, (cst.Assign, cst.AnnAssign)) and source is not None and may_hold_tensor(base):
                if self._has_effect(target) and self._has_effect(source):
                    self.construct(node, "evaluation order")
        elif isinstance(target, cst.StarredElement):
            self.assign(node, target.value, Sequence("list", self.element_of(value), None, refs_of(value)), env, None)

    def _unpack(
        self, node: cst.CSTNode, target: cst.Tuple | cst.List, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        elements = target.elements
        starred = any(isinstance(element, cst.StarredElement) for element in elements)
        items: list[Value]
        if (
            isinstance(value, Sequence)
            and value.items is not None
            and len(value.items) == len(elements)
            and not starred
        ):
            items = list(value.items)
        else:
            element = self.element_of(value)
            rest = Sequence("list", element, None, refs_of(value))
            items = [rest if isinstance(e, cst.StarredElement) else element for e in elements]
        if all(
            isinstance(element.value, cst.Name) and element.value.value not in self.global_names for element in elements
        ):
            env.bind_all([(element.value.value, item) for element, item in zip(elements, items, strict=True)])  # type: ignore[attr-defined]
            return
        sources: list[cst.BaseExpression | None] = [None] * len(elements)
        if isinstance(source, (cst.Tuple, cst.List)) and len(source.elements) == len(elements):
            sources = [element.value for element in source.elements]
        for element, item, part in zip(elements, items, sources, strict=True):
            if isinstance(element.value, (cst.Subscript, cst.Attribute)):
                self.construct(element.value, "store in tuple")
            self.assign(node, element.value, item, env, part)

    def store_global(self, target: cst.Name, value: Value, env: Env, source: cst.BaseExpression | None) -> None:
        if source is not None:
            self.escape(source, value, f"is assigned to the global {target.value}")
        else:
            self.construct(target, "global from unpacking")
        location = f"global:{target.value}"
        env.forget(location)
        env.bind(location, Unknown(HOST, refs_of(value)))
        if target.value not in self.module.rebound:
            self.construct(target, "nonlocal", target.value)

    def _store_attribute(
        self, node: cst.CSTNode, target: cst.Attribute, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        base = self.evaluate(target.value, env)
        name = target.attr.value
        if may_hold_tensor(value) and any(
            ref.startswith((".", "global:", "kept by")) for ref in refs_of(value) - {f".{name}"}
        ):
            self.construct(node, "kept twice", name)
        if may_hold_tensor(value) and any(ref.startswith("@") for ref in refs_of(value)) and exact_of(value) is None:
            self.construct(node, "argument kept through a view", name)
        if not may_hold_tensor(base):
            self.keep(frozenset((f".{name}",)), value, env)
        if (
            isinstance(base, Unknown)
            and may_hold_tensor(base)
            and name in ("flat", "real", "imag", "shape", "dtype", "strides", "data")
        ):
            self.construct(node, "attribute of an unknown", name)
        self.emit(ev.AttributeStore(node, target, self.place(target), base, name, value, source))
        if not (isinstance(base, Array) or may_hold_tensor(base)):
            env.bind(f".{name}", Unknown(HOST, refs_of(value)))
        self.attribute_stored(base, name, value)

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        """A hook for collecting what classes assign to their attributes."""

    def _augmented(self, node: cst.AugAssign, env: Env) -> None:
        value = self.evaluate(node.value, env)
        op = AUGMENTED[type(node.operator)]
        target = node.target
        if isinstance(target, cst.Subscript):
            base = self._store_base(target, env)
            keys = self.keys(target, env)
            item = self.read(base, keys) if isinstance(base, Sequence) else None
            if item is not None and may_be_array(item) and not _is_number(item):
                self.write(node, target, item, value, env, op=op, keys=None)
            else:
                self.write(node, target, base, value, env, op=op, keys=keys)
            return
        old = self.evaluate(target, env)
        if isinstance(target, cst.Attribute):
            self.emit(ev.AttributeStore(node, target, self.place(target), old, target.attr.value, value, node.value))
            self._mark_shared(refs_of(old), f"{dotted(target)}", node, env, skip=None)
            self.attribute_stored(
                self.evaluate(target.value, env), target.attr.value, self.operator_result(op, [old, value])
            )
            return
        if not isinstance(target, cst.Name):
            return
        if isinstance(old, Sequence) and op == "add":
            element = value.element if isinstance(value, Sequence) else self.element_of(value)
            env.values[target.value] = Sequence(old.type, join(old.element, element))
            self.keep(frozenset((target.value,)), value, env)
            return
        immutable = _is_number(old)
        if may_be_array(old) and not immutable:
            self.write(node, target, old, value, env, op=op)
            if isinstance(old, Array) and old.weak or isinstance(old, Unknown):
                result = self.operator_result(op, [old, value])
                kept = (
                    replace(old, rank=None)
                    if isinstance(old, Array) and isinstance(result, Array) and result.rank != old.rank
                    else old
                )
                if target.value in env.values:
                    env.values[target.value] = (
                        replace(kept, refs=NO_NAMES) if isinstance(kept, (Array, Unknown)) else kept
                    )
            return
        result = self.operator_result(op, [old, value])
        if may_be_array(value) or may_be_array(old):
            self.emit(ev.Store(node, target, self.place(node), old, value, op, None, target.value))
        if target.value in self.global_names:
            self.store_global(target, result, env, node.value)
        else:
            env.bind(target.value, result)

    def _has_effect(self, node: cst.CSTNode) -> bool:
        """Whether a call in `node` may change something: an assignment evaluates its value before its index, a rebinding after."""
        for part in walk(node):
            event = self.recorded.get((ev.Call, id(part)))
            if isinstance(event, ev.Call) and not (event.api or "").startswith(("numpy", "ndarray")):
                callee = event.callee
                if not (
                    isinstance(callee, Symbol)
                    and callee.name in ("builtins.len", "builtins.int", "builtins.range", "builtins.slice")
                ):
                    return True
            elif isinstance(event, ev.Call) and (event.api or "").startswith("numpy.random"):
                return True
        return False

    def _store_base(self, target: cst.Subscript, env: Env) -> Value:
        """What is stored into. The reads on the way there are part of the store: no rule may replace them."""
        base = self.evaluate(target.value, env)
        self._forget_reads(target.value, env)
        return base

    def _forget_reads(self, inner: cst.BaseExpression, env: Env) -> None:
        while isinstance(inner, (cst.Subscript, cst.Attribute)):
            if isinstance(inner, cst.Subscript):
                read = self.recorded.pop((ev.Read, id(inner)), None)
                if isinstance(read, ev.Read) and isinstance(read.base, (Array, Unknown)) and home_of(read.base) != HOST:
                    if not all(_is_basic(key) for key in read.keys):
                        self.construct(inner, "store through an index")
                root = inner.value
                if isinstance(root, cst.Name):
                    held = env.values.get(root.value)
                    if isinstance(held, Sequence) and held.type not in ("list", "dict") and may_hold_tensor(held):
                        self.construct(inner, "store into an item", held.type)
            elif inner.attr.value not in ("flags", "ctypes"):
                self.recorded.pop((ev.AttributeRead, id(inner)), None)
            inner = inner.value

    def write(
        self,
        node: cst.CSTNode,
        target: cst.BaseExpression,
        base: Value,
        value: Value,
        env: Env,
        op: str = "",
        keys: tuple[Value, ...] | None = None,
    ) -> None:
        """The memory of `base` is written through the expression `target`; `op` says how."""
        place = self.place(node)
        root = self._root(target)
        if isinstance(node, cst.Call):
            self._forget_reads(target, env)
        if isinstance(base, (Sequence, Const, Scalar)) and not (op and keys is None):
            if isinstance(base, Sequence):
                self._write_container(target, base, value, env, root)
                self.emit(ev.Store(node, target, place, base, value, op, keys, root))
            return
        if not may_be_array(base):
            self.escape_value(target, value, node)
            return
        if isinstance(base, Unknown) and base.deps and keys and (len(keys) > 1 or scalar_type(keys[0]) == "slice"):
            self.facts.assumed_arrays |= base.deps if exact_of(base) is None else frozenset((exact_of(base) or "",))
        self.facts.extra.setdefault("writes", set()).update(ref[1:] for ref in refs_of(base) if ref.startswith("@"))
        conflicts = self._mark_shared(refs_of(base), dotted(target) or "an element", node, env, skip=root, base=base)
        if root is not None and root not in self.locals and root not in env.values:
            root = None
        exact = exact_of(env.values[root]) if root is not None and root in env.values else None
        if exact is not None:
            conflicts -= {f"@{exact}"}
            env.values[f"!{exact}"] = Const.of(True)
            self.facts.mutated.setdefault(exact, True)
        if root is not None and self.depth and root in self.captured(env):
            self.construct(node, "closure store", root)
        if home_of(base) == HOST:
            self.keep(refs_of(base) - frozenset((root or "",)), value, env)
        self.emit(ev.Store(node, target, place, base, value, op, keys, root, frozenset(conflicts)))
        if (
            keys is not None
            and all(scalar_type(key) == "int" and not isinstance(key, Const) for key in keys)
            and self.loops
        ):
            rank = base.rank if isinstance(base, Array) else None
            if keys and rank in (None, len(keys)):
                self.emit(ev.ElementLoop(node, place, root or "an array"))

    def escape_value(self, target: cst.BaseExpression, value: Value, node: cst.CSTNode) -> None:
        source = node.value if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign)) else None
        if source is not None:
            self.escape(source, value, "is stored in a Python object")

    def captured(self, env: Env) -> frozenset[str]:
        """Names of the region that the nested function being interpreted does not bind itself."""
        return self.capturable[-1] if self.capturable else NO_NAMES

    capturable: list[frozenset[str]] = []  # noqa: RUF012 - replaced by an instance list when the first nested function is met

    def _root(self, target: cst.BaseExpression) -> str | None:
        """The name whose rebinding makes a store through `target` seen."""
        while isinstance(target, (cst.Subscript, cst.Attribute)):
            if isinstance(target, cst.Attribute) and target.attr.value not in ("T", "flat", "real", "imag"):
                return None
            target = target.value
        return target.value if isinstance(target, cst.Name) else None

    def _mark_shared(
        self, refs: frozenset[str], via: str, node: cst.CSTNode, env: Env, skip: str | None, base: Value = UNKNOWN
    ) -> set[str]:
        """Every other name that may show the written memory is stale from here; gives the outside locations among them."""
        conflicts: set[str] = set()
        host = home_of(base) == HOST
        for ref in refs:
            if ref == skip:
                continue
            if not ref.isidentifier():
                conflicts.add(ref)
                continue
            held = env.values.get(ref)
            if held is not None and may_hold_tensor(held):
                env.stale[ref] = Stale(via, id(node))
        return set() if host else conflicts

    def _write_container(
        self, target: cst.BaseExpression, base: Sequence, value: Value, env: Env, root: str | None
    ) -> None:
        inner = target.value if isinstance(target, cst.Subscript) else target
        if isinstance(inner, cst.Name) and inner.value in env.values:
            env.values[inner.value] = Sequence(base.type, join(base.element, value))
        self.keep(base.refs | ({root} if root else NO_NAMES), value, env)

    def _return(self, node: cst.Return, env: Env) -> None:
        self.root = node.value
        value = self.evaluate(node.value, env) if node.value is not None else NONE
        self.leave(node, value, env)

    def leave(self, node: cst.Return | None, value: Value, env: Env) -> None:
        """The region's own function is left with `value`."""
        if not self.own_returns:
            self.nested_returns.append(value)
            return
        facts = self.facts
        self.emit(ev.Return(node, self.place(node or facts.node), value))
        facts.result = value if facts.result is None else join(facts.result, value)
        for name in facts.parameters:
            held = env.values.get(name)
            if name in facts.mutated or f"!{name}" in env.values:
                ok = held is not None and exact_of(held) == name and name not in env.stale
                facts.mutated[name] = facts.mutated.get(name, True) and ok
            if f"@{name}" in env.stale or name in env.stale and f"@{name}" in env.aliases(name):
                facts.mutated[name] = False
            shared = env.aliases(f"@{name}")
            if any(not ref.isidentifier() and not ref.startswith("@") for ref in shared):
                facts.extra.setdefault("keeps", set()).add(name)
        facts.returned |= frozenset(ref[1:] for ref in refs_of(value) if ref.startswith("@") and not _is_view(value))

    nested_returns: list[Value]

    def _raise(self, node: cst.Raise, env: Env) -> None:
        if node.exc is not None:
            value = self.evaluate(node.exc, env)
            self.escape(node.exc, value, "is raised")
        if any(name.startswith("!") for name in env.values) and self.own_returns:
            self.construct(node, "raise after mutation")

    def _assert(self, node: cst.Assert, env: Env) -> None:
        self.evaluate(node.test, env)
        if node.msg is not None:
            self.escape(node.msg, self.evaluate(node.msg, env), "is shown by assert")

    def _delete(self, node: cst.Del, env: Env) -> None:
        targets = (
            [e.value for e in node.target.elements] if isinstance(node.target, (cst.Tuple, cst.List)) else [node.target]
        )
        for target in targets:
            if isinstance(target, cst.Name):
                env.forget(target.value)
            elif isinstance(target, cst.Subscript):
                self.evaluate(target.value, env)
                self.keys(target, env)

    def _import(self, node: cst.Import | cst.ImportFrom, env: Env) -> None:
        for name, value in import_bindings(node, self.catalog):
            env.bind(name, value)

    def _nonlocal(self, node: cst.Nonlocal, env: Env) -> None:
        self.construct(node, "nonlocal", ", ".join(item.name.value for item in node.names))

    # ---- compound statements

    def _if(self, node: cst.If, env: Env) -> Env | None:
        self.statement, self.root = node, None
        self.evaluate(node.test, env)
        then, other = env.copy(), env
        missing = none_test(node.test)
        if missing is not None:
            self._assume_none(missing[0], then if missing[1] else other)
        end = self.run(node.body, then)
        if isinstance(node.orelse, cst.If):
            return join_all([end, self._if(node.orelse, other)])
        if node.orelse is not None:
            return join_all([end, self.run(node.orelse.body, other)])
        return join_all([end, other])

    def _assume_none(self, name: str, env: Env) -> None:
        """On this branch the parameter `name` was not given: what is bound to its name now stands in for it."""
        held = env.values.get(name)
        if held is not None and exact_of(held) == name:
            env.values[f"?{name}"] = NONE

    def _loop(self, node: cst.For | cst.While, env: Env, step: Callable[[Env], None]) -> Env | None:
        """Interpret a loop until its head no longer changes; `step` evaluates the test or binds the target."""
        head = self.heads[id(node)].join(env) if id(node) in self.heads else env
        self.loops += 1
        broken: list[Env] = []
        for number in range(ROUNDS):
            current = head.copy()
            self.statement, self.root = node, None
            step(current)
            self.breaks.append([])
            self.continues.append([])
            end = self.run(node.body, current)
            broken = self.breaks.pop()
            again = join_all([end, *self.continues.pop()])
            new = head if again is None else head.join(again)
            if new == head:
                break
            head = _widen(head, new) if number >= ROUNDS - 2 else new
        self.heads[id(node)] = head
        self.loops -= 1
        out: Env | None = head.copy()
        self.statement, self.root = node, None
        if isinstance(node, cst.While):
            step(out)  # type: ignore[arg-type]
            if isinstance(node.test, cst.Name) and node.test.value == "True":
                out = None
        if node.orelse is not None and out is not None:
            out = self.run(node.orelse.body, out)
        return join_all([out, *broken])

    def _for(self, node: cst.For, env: Env) -> Env | None:
        self.statement, self.root = node, node.iter
        if node.asynchronous is not None:
            self.construct(node, "async")
        iterated = self.evaluate(node.iter, env)
        element = self.element_of(iterated)

        def step(current: Env) -> None:
            self.bind_target(node.target, element, current)

        return self._loop(node, env, step)

    def bind_target(self, target: cst.BaseExpression, value: Value, env: Env) -> None:
        self.assign(target, target, value, env, None)

    def _while(self, node: cst.While, env: Env) -> Env | None:
        def step(current: Env) -> None:
            self.evaluate(node.test, current)

        return self._loop(node, env, step)

    def _try(self, node: cst.Try | cst.TryStar, env: Env) -> Env | None:
        start = env.copy()
        self.construct(node, "try", ",".join(_caught(handler) for handler in node.handlers))
        before = set(self.recorded)
        end = self.run(node.body, env)
        inside = [self.recorded[key] for key in self.recorded if key not in before]
        if any(isinstance(event, (ev.Store, ev.Call)) for event in inside) or end is not None:
            start = join_all([start, end]) or start
        results: list[Env | None] = []
        for handler in node.handlers:
            branch = start.copy()
            if handler.name is not None and isinstance(handler.name.name, cst.Name):
                branch.bind(handler.name.name.value, UNKNOWN)
            results.append(self.run(handler.body, branch))
        if node.orelse is not None and end is not None:
            end = self.run(node.orelse.body, end)
        out = join_all([end, *results])
        if node.finalbody is not None:
            final = self.run(node.finalbody.body, out if out is not None else start)
            return final if out is not None else None
        return out

    def _with(self, node: cst.With, env: Env) -> Env | None:
        for item in node.items:
            self.statement, self.root = node, None
            value = self.evaluate(item.item, env)
            self.construct(item, "with", dotted(item.item.func) if isinstance(item.item, cst.Call) else "")
            if item.asname is not None:
                self.assign(node, item.asname.name, value if not isinstance(value, Array) else UNKNOWN, env, None)
        if node.asynchronous is not None:
            self.construct(node, "async")
        return self.run(node.body, env)

    def _match(self, node: cst.Match, env: Env) -> Env | None:
        self.statement, self.root = node, None
        subject = self.evaluate(node.subject, env)
        if may_hold_tensor(subject):
            self.construct(node, "match")
        branches: list[Env | None] = [env]
        for case in node.cases:
            branch = env.copy()
            for part in walk(case.pattern):
                if isinstance(part, (cst.MatchAs, cst.MatchStar)) and part.name is not None:
                    branch.bind(part.name.value, self.element_of(subject))
            if case.guard is not None:
                self.evaluate(case.guard, branch)
            branches.append(self.run(case.body, branch))
        return join_all(branches)

    def _function(self, node: cst.FunctionDef, env: Env) -> Env | None:
        """A function nested in the region (or, at top level, one of the module's regions)."""
        self.statement, self.root = node, None
        for decorator in node.decorators:
            self.evaluate(decorator.decorator, env)
        for parameter in parameters_of(node.params):
            if parameter.default is not None:
                self.evaluate(parameter.default, env)
        qualname = self.module.name_of.get(id(node))
        if qualname is not None:
            env.bind(node.name.value, Function(qualname))
            return env
        if self.made == HOST:
            env.bind(node.name.value, UNKNOWN)
            return env
        env.bind(node.name.value, self._nested_function(node, env))
        return env

    def _nested_function(self, node: cst.FunctionDef, env: Env) -> Function:
        saved = (self.breaks, self.continues, self.loops, self.own_returns, self.locals, self.capturable)
        bound = self.module.scopes[id(node)].bound
        name = f"<{node.name.value} {id(node)}>"
        self.breaks, self.continues, self.own_returns = [], [], False
        self.capturable = [*self.capturable, frozenset(env.values) - bound]
        self.locals = self.locals | bound
        outer_returns = getattr(self, "nested_returns", [])
        self.nested_returns = []
        self.depth += 1
        inner = self.nested_env(node.params, env)
        for local in bound - {parameter.name.value for parameter in parameters_of(node.params)}:
            inner.forget(local)
        end = self.run(node.body, inner)
        self.depth -= 1
        result: Value | None = NONE if end is not None or not self.nested_returns else None
        for value in self.nested_returns:
            result = value if result is None else join(result, value)
        self.nested_returns = outer_returns
        self.breaks, self.continues, self.loops, self.own_returns, self.locals, self.capturable = saved
        if node.asynchronous is not None:
            self.construct(node, "async")
        for decorator in node.decorators:
            self.construct(decorator, "nested decorator", dotted(decorator.decorator))
        self.nested_results[name] = result if result is not None else NONE
        return Function(name, nested=True)

    def _class(self, node: cst.ClassDef, env: Env) -> Env | None:
        qualname = self.module.name_of.get(id(node))
        if qualname is None:
            self.construct(node, "local class", node.name.value)
            env.bind(node.name.value, UNKNOWN)
            return env
        for base in node.bases:
            self.evaluate(base.value, env)
        self.run(node.body, env.copy())
        env.bind(node.name.value, Class(qualname))
        return env


def _is_number(value: Value) -> bool:
    """Whether `value` is a NumPy scalar rather than an array: immutable."""
    return isinstance(value, Array) and value.rank == 0 and value.zero_d == "scalar" and exact_of(value) is None


def _is_view(value: Value) -> bool:
    return isinstance(value, Array) and value.view


def _is_basic(key: Value) -> bool:
    """Whether indexing with `key` surely gives a view."""
    if isinstance(key, Const):
        return key.value is None or key.value is Ellipsis or key.type == "int"
    if isinstance(key, Array):
        return key.rank == 0 and key.dtypes <= frozenset("bhilBHIL")
    return scalar_type(key) in ("int", "slice")


def _caught(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> str:
    if handler.type is None:
        return "BaseException"
    nodes = [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    return ",".join(dotted(node).rpartition(".")[2] for node in nodes)


def _widen(old: Env, new: Env) -> Env:
    """Where the state still changes, forget what kind of value it is."""
    for name, value in new.values.items():
        before = old.values.get(name)
        if before is not None and before != value and before != new.values[name]:
            home = home_of(value) if may_be_array(value) else "either" if may_hold_tensor(value) else HOST
            new.values[name] = Unknown(home)
    return new


_SIMPLE: dict[type, Callable[..., None]] = {
    cst.Expr: Interpreter._expr,
    cst.Assign: Interpreter._assign,
    cst.AnnAssign: Interpreter._annotated,
    cst.AugAssign: Interpreter._augmented,
    cst.Return: Interpreter._return,
    cst.Raise: Interpreter._raise,
    cst.Assert: Interpreter._assert,
    cst.Del: Interpreter._delete,
    cst.Import: Interpreter._import,
    cst.ImportFrom: Interpreter._import,
    cst.Nonlocal: Interpreter._nonlocal,
}
_LEAVING = (Interpreter._return, Interpreter._raise)
_COMPOUND: dict[type, Callable[..., "Env | None"]] = {
    cst.If: Interpreter._if,
    cst.For: Interpreter._for,
    cst.While: Interpreter._while,
    cst.Try: Interpreter._try,
    cst.TryStar: Interpreter._try,
    cst.With: Interpreter._with,
    cst.Match: Interpreter._match,
    cst.FunctionDef: Interpreter._function,
    cst.ClassDef: Interpreter._class,
}
__all__ = ["TENSOR", "Interpreter"]
