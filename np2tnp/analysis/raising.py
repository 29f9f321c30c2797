"""Statements that raise exceptions, handle them or are told of them."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env, Gathered, join_all
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.values import UNKNOWN, Array, Symbol
from np2tnp.analysis.nesting import Nesting
from np2tnp.analysis.syntax.python_tables import INDIFFERENT
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

#: What an exception was made of may be changed by whoever handles it.
_EXCEPTION = frozenset(("kept by an exception as args",))


class Raising(Nesting):
    """Interprets ``raise``, ``assert``, ``try`` and ``with``.

    An exception may come from any statement, so whoever handles it may find what holds before or after each of them.
    """

    #: what holds after a ``with`` whose body does not reach its end, if its manager swallows an exception
    swallowed: Env | None = None

    def may_raise(self, env: Env) -> None:
        """Here the statements that are tried may end."""
        if self.tried:
            self.tried[-1].add(env)

    def raise_(self, node: cst.Raise, env: Env) -> None:
        if node.exc is not None:
            value = self.evaluate(node.exc, env)
            self.escape(node.exc, value, "is raised")
            call = self.recorded.get((ev.Call, id(node.exc)))
            for argument in call.arguments if isinstance(call, ev.Call) else ():
                self.keep(_EXCEPTION, argument.value, env)
        if any(name.startswith("!") for name in env.values) and self.own_returns:
            self.construct(node, "raise after mutation")

    def assert_(self, node: cst.Assert, env: Env) -> None:
        self.object_tested(node, self.evaluate(node.test, env), env)
        if node.msg is not None:
            value = self.evaluate(node.msg, env)
            self.escape(node.msg, value, "is shown by assert")
            failed = env.copy()  # where it holds, nothing is made of the message
            self.keep(_EXCEPTION, value, failed)
            self.may_raise(failed)

    def try_(self, node: cst.Try | cst.TryStar, env: Env) -> Env | None:
        self.construct(node, "try", ",".join(_caught(handler) for handler in node.handlers))
        start = env.copy()
        end, tried = self._trying(lambda: self.run(node.body, env))
        start = join_all([start, tried, end]) or start

        def handle() -> Env | None:
            results: list[Env | None] = []
            for handler in node.handlers:
                branch = start.copy()
                if handler.name is not None and type(handler.name.name) is cst.Name:
                    branch.bind(handler.name.name.value, UNKNOWN)
                results.append(self.run(handler.body, branch))
            done = self.run(node.orelse.body, end) if node.orelse is not None and end is not None else end
            return join_all([done, *results])

        out, handled = self._trying(handle)
        self.may_raise(start)
        if handled is not None:
            self.may_raise(handled)
        if node.finalbody is not None:
            outer, self.updated = self.updated, []
            final = self.run(node.finalbody.body, join_all([out, start, handled]) or start)
            returns = any(type(part) is cst.Return for part in walk(node))
            if any(returns or any(ref.startswith("@") for ref in refs) for refs in self.updated):
                self.construct(node, "update in finally")
            self.updated = outer + self.updated
            return final if out is not None else None
        return out

    def _trying(self, run: Callable[[], Env | None]) -> tuple[Env | None, Env | None]:
        """What holds after `run`, and what may hold where an exception leaves it."""
        self.tried.append(Gathered())
        end = run()
        return end, self.tried.pop().env

    def with_(self, node: cst.With, env: Env) -> Env | None:
        swallows = False
        entered = []
        for item in node.items:
            self.statement, self.root = node, None
            entered.append(self.evaluate(item.item, env))
            value = self.object_entered(item, entered[-1], env)
            call = self.recorded.get((ev.Call, id(item.item)))
            callee = call.callee if isinstance(call, ev.Call) else None
            swallows = swallows or not (isinstance(callee, Symbol) and callee.name in INDIFFERENT)
            self.construct(item, "with", dotted(item.item.func) if type(item.item) is cst.Call else "")
            if item.asname is not None:
                self.assign(node, item.asname.name, value if not isinstance(value, Array) else UNKNOWN, env, None)
        if node.asynchronous is not None:
            self.construct(node, "async")
        end, tried = self._trying(lambda: self.run(node.body, env))
        if tried is not None:
            self.may_raise(tried)
        for left in (end, tried):
            if left is not None:
                self.ask(node, left, entered, asked_by(node), deep=False)
        if swallows and end is None:
            self.swallowed = tried  # what follows is there to be reached
        return join_all([end, tried]) if swallows and end is not None else end


def _caught(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> str:
    if handler.type is None:
        return "BaseException"
    nodes = [e.value for e in handler.type.elements] if type(handler.type) is cst.Tuple else [handler.type]
    return ",".join(dotted(node).rpartition(".")[2] for node in nodes)
