"""Loops of a compiled function as functions of what they change: ``rt.fori_loop``, ``rt.for_each``, ``rt.while_loop``.

Works on the rewritten body, where every update of an array is the rebinding of a name. Only the names decide here
whether a loop has that form; whether its values keep their dtypes and shapes is seen when it is traced. Loops without
that form are unrolled into the graph: ``for x in rt.unrolled(...)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from np2tnp.analysis.syntax.liveness import (
    NONE,
    Names,
    assigned,
    live_at_loop,
    live_before,
    parameters,
    reads,
    surely_assigned,
    targets,
)
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.rewrite import effects_within, growing, iterating, leaving
from np2tnp.rewrite.conditions import condition
from np2tnp.rewrite.reads import through_runtime, without_builtins
from np2tnp.rewrite.returning import without_return

#: Statements that a function of a loop's body cannot hold, or that would do their work at another time in it.
_FOREIGN = (
    *(cst.Return, cst.Global, cst.Nonlocal, cst.Del, cst.Import, cst.ImportFrom, cst.FunctionDef, cst.ClassDef),
    *(cst.With, cst.Try, cst.TryStar, cst.Match, cst.Raise, cst.Assert, cst.Yield, cst.Await, cst.NamedExpr),
)
#: Calls whose answer depends on what a value is: a number that a staged loop changes is no number while tracing.
_ASK = frozenset(("isinstance", "type", "hasattr", "getattr", "callable", "id", "print", "next", "iter", "setattr"))


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a block stands. live: names needed after it. known: names that have a value. varying: names that the
    enclosing staged loops change; None outside of them. bound: names that are bound, perhaps to ``rt.unassigned``.
    maybe: names that may be bound, and must not be bound anew. lists: names of lists that nobody looked at yet.
    """

    live: Names
    known: Names
    varying: Names | None = None
    bound: Names = NONE
    maybe: Names = NONE
    lists: Names = NONE


def stage(function: cst.FunctionDef, runtime: str, shadowed: Names) -> cst.FunctionDef:
    """`function` with its loops staged. `shadowed`: names that are not Python's own in its module."""
    if not isinstance(function.body, cst.IndentedBlock):
        return function
    own = frozenset(parameter.name.value for parameter in parameters(function.params))
    taken = shadowed | own | frozenset(assigned(function.body))
    plain = without_builtins(function.body, runtime, taken)
    stager = _Stager(runtime, taken, reads(function) | own, _closures(plain), growing.given_back(plain))
    stager.lists = growing.made_in(function.body)
    stager.changing = effects_within.changing_functions(function.body, stager.modules)
    body = stager.block(plain.body, _Scope(NONE, own, bound=own))
    return function.with_changes(body=function.body.with_changes(body=body))


class _Stager:
    def __init__(
        self, runtime: str, shadowed: Names, words: Names, closures: list[cst.CSTNode], given_back: Names
    ) -> None:
        self.runtime = runtime
        self.shadowed = shadowed
        self.closures = closures
        self.given_back = given_back
        self.lists: Names = NONE  #: names of lists for certain
        self.changing: Names = NONE  #: names of functions that change more than their own names
        self.modules = frozenset((runtime, "tnp", "np", "tf"))
        self.taken = set(words | shadowed)

    # ---- blocks

    def block(self, statements: Sequence[cst.BaseStatement], scope: _Scope) -> list[cst.BaseStatement]:
        """The statements of one block, with their loops (and, in a staged loop, their branches) staged."""
        result: list[cst.BaseStatement] = []
        known: Names | None = scope.known
        bound: Names | None = scope.bound
        maybe, lists = scope.maybe, scope.lists
        for number, statement in enumerate(statements):
            live = live_before(statements[number + 1 :], scope.live)
            inner = replace(scope, live=live, known=known or scope.known, bound=bound or scope.bound)
            inner = replace(inner, maybe=maybe, lists=lists)
            returning = self._returning(statement, statements[number + 1 :], inner)
            if returning is not None:
                return [*result, *returning]
            made = self._statement(statement, inner)
            result.extend(made)
            known = surely_assigned([statement], known) if known is not None else None
            bound = surely_assigned(made, bound) if bound is not None else None
            maybe |= frozenset(assigned(statement))
            lists = growing.lists_after(statement, lists)
        return result

    def _statement(self, node: cst.BaseStatement, scope: _Scope) -> list[cst.BaseStatement]:
        if isinstance(node, (cst.For, cst.While)):
            staged = self._loop(node, scope)
            return staged if staged is not None else [self._unrolled(node, scope)]
        if isinstance(node, cst.If):
            if scope.varying is not None and reads(node.test) & scope.varying:
                branch = self._branch(node, scope)
                if branch is not None:
                    return branch
            return [self._inside_if(node, scope)]
        return [node]

    def _inside_if(self, node: cst.If, scope: _Scope) -> cst.If:
        orelse: cst.If | cst.Else | None = node.orelse
        if isinstance(orelse, cst.If):
            orelse = self._inside_if(orelse, scope)
        elif orelse is not None:
            orelse = orelse.with_changes(body=self._suite(orelse.body, scope))
        return node.with_changes(body=self._suite(node.body, scope), orelse=orelse)

    def _suite(self, body: cst.BaseSuite, scope: _Scope) -> cst.BaseSuite:
        if not isinstance(body, cst.IndentedBlock):
            return body
        return body.with_changes(body=self.block(body.body, scope))

    # ---- loops

    def _returning(
        self, node: cst.BaseStatement, rest: Sequence[cst.BaseStatement], scope: _Scope
    ) -> list[cst.BaseStatement] | None:
        """A loop that returns, and what follows it; None where it has not that form, or cannot be staged."""
        if not isinstance(node, (cst.For, cst.While)) or scope.varying is not None or growing.grown(node):
            return None
        changed = without_return(node, rest, self.runtime, self._fresh("returned"))
        if changed is None:
            return None
        flags = frozenset((changed.flag,)) if changed.flag is not None else NONE
        after = live_before([changed.after], NONE)
        staged = self._loop(
            changed.loop, replace(scope, live=after, known=scope.known | flags, bound=scope.bound | flags)
        )
        if staged is None:
            return None
        before = [_line(build.assign(cst.Name(flag), cst.Name("False"))) for flag in flags]
        return [*before, *staged, changed.after]

    def _unrolled(self, node: cst.For | cst.While, scope: _Scope) -> cst.BaseStatement:
        """The loop as it is, but counted when it is traced."""
        bound = frozenset(targets(node.target)) if isinstance(node, cst.For) else NONE
        inner = replace(
            scope,
            live=scope.live | live_at_loop(node, scope.live),
            known=scope.known | bound,
            bound=scope.bound | bound,
            maybe=scope.maybe | frozenset(assigned(node.body)),
            lists=growing.within(node, scope.lists),
        )
        node = node.with_changes(body=self._suite(node.body, inner))
        if isinstance(node, cst.For):
            node = node.with_changes(iter=build.call(f"{self.runtime}.unrolled", node.iter))
        return node

    def _loop(self, node: cst.For | cst.While, scope: _Scope) -> list[cst.BaseStatement] | None:
        """The loop as a function and its call; None where it has not that form."""
        if node.orelse is not None:
            return None
        turned = self._turned(node.iter) if isinstance(node, cst.For) else None
        bounds = self._range(turned or node.iter) if isinstance(node, cst.For) else []
        counter = _counter(node)
        iterated = self._iterated(node) if isinstance(node, cst.For) and bounds is None else None
        if (bounds is None and iterated is None) or not self._is_pure(node.body):
            return None
        if isinstance(node, cst.While) and not self._is_pure(node.test):
            return None
        stop: str | None = None
        statements = leaving.lines(node.body)
        if counter is None:  # an item with several names
            if not isinstance(node, cst.For) or iterated is None:
                return None
            counter = self._fresh("item")
            parts = iterating.unpacked(node.target, counter, self.runtime, self._fresh, iterated)
            if parts is None:
                return None
            statements = [*parts, *statements]
        elif counter in scope.live:  # then it is a variable like others, which no iteration may have assigned
            count = self._fresh("count" if iterated is None else "item")
            statements = [_line(build.assign(cst.Name(counter), cst.Name(count))), *statements]
            counter = count
        if leaving.leaves(statements):
            stop = self._fresh("stop")
            changed = leaving.without_leaving(statements, stop, self._truth)
            if changed is None:
                return None
            statements = changed
        names = assigned(statements)
        appended = growing.grown(node)
        grown = appended - frozenset(names)
        if not appended - grown <= growing.made_in(node):  # it may be somebody else's list
            return None
        if grown and (isinstance(node, cst.While) or not grown <= growing.within(node, scope.lists)):
            return None
        if grown and stop and not self._may_be_left(statements, grown, scope):
            return None
        names |= dict.fromkeys(sorted(grown))
        test = reads(node.test) if isinstance(node, cst.While) else NONE
        head = self._head(statements, scope.live | test, counter)
        carried = [name for name in names if name in head and name != stop]
        if not carried or any(name in carried for name in appended - grown):
            return None
        unset = [name for name in carried if name not in scope.bound]
        if not scope.maybe.isdisjoint(unset):  # no value can be given to what has one on some ways only
            return None
        bound = frozenset(names) | {counter}
        if bound & self._captured(node):  # a function made outside would not see what the loop changes
            return None
        live = scope.live | head | ({stop} if stop else NONE)
        known = (scope.known - bound) | frozenset(carried) | {counter}
        inner = _Scope(live, known, (scope.varying or NONE) | bound, known, lists=grown)
        before: list[cst.BaseStatement] = []
        before.extend(_line(build.assign(cst.Name(name), build.name(f"{self.runtime}.unassigned"))) for name in unset)
        name = self._fresh("loop_body")
        body = self.block(statements, inner)
        body = [through_runtime(statement, self.runtime, inner.varying or NONE) for statement in body]
        outputs = [*carried, stop] if stop else carried
        if isinstance(node, cst.For):
            function = _function(name, [counter, *carried], body, outputs)
            call, steps = "for_each", []
            arguments = [build.argument(iterated)] if iterated is not None else []
            if bounds is not None:
                call, arguments, steps = "fori_loop", [build.argument(value) for value in bounds[:2]], bounds[2:]
        else:
            test_name = self._fresh("condition")
            value = condition(node.test, self.runtime, inner.varying or NONE)
            value = through_runtime(value, self.runtime, inner.varying or NONE)
            before.append(_function(test_name, carried, [_line(cst.Return(build.bare(value)))], []))
            function = _function(name, carried, body, outputs)
            arguments = [build.argument(cst.Name(test_name))]
            call, steps = "while_loop", []
        arguments += [build.argument(cst.Name(word)) for word in (name, *carried)]
        arguments += [build.argument(step, "step") for step in steps]
        if turned is not None and bounds is not None:
            arguments.append(build.argument(cst.Name("True"), "backwards"))
        if stop:
            arguments.append(build.argument(cst.Name("True"), "until"))
        result = build.call(f"{self.runtime}.{call}", *arguments)
        statement = _line(build.assign(_target(carried), result))
        made: list[cst.BaseStatement] = [*before, function, statement]
        made[0] = made[0].with_changes(leading_lines=node.leading_lines)
        return made

    def _may_be_left(self, statements: Sequence[cst.BaseStatement], grown: Names, scope: _Scope) -> bool:
        """Whether a loop that only the graph knows the iterations of may append to the lists `grown`."""
        always = all(growing.always_grown(statements, name) for name in grown)
        return always and grown <= self.given_back and scope.varying is None

    def _truth(self, test: cst.BaseExpression) -> cst.BaseExpression:
        return condition(test, self.runtime, reads(test))

    def _head(self, statements: Sequence[cst.BaseStatement], after: Names, counter: str) -> Names:
        head = after
        while True:
            wider = head | (live_before(statements, head) - {counter})
            if wider == head:
                return head
            head = wider

    def _range(self, iterable: cst.BaseExpression) -> list[cst.BaseExpression] | None:
        """start, stop and perhaps step of a call of Python's range; None for anything else."""
        if not isinstance(iterable, cst.Call) or not isinstance(iterable.func, cst.Name):
            return None
        if (
            iterable.func.value != "range"
            or "range" in self.shadowed
            or any(arg.star or arg.keyword is not None for arg in iterable.args)
        ):
            return None
        values = [arg.value for arg in iterable.args]
        if not 1 <= len(values) <= 3:
            return None
        return [cst.Integer("0"), *values] if len(values) == 1 else values

    def _turned(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """What Python's ``reversed`` is called with; None where `node` is no such call."""
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or len(node.args) != 1:
            return None
        if node.func.value != "reversed" or "reversed" in self.shadowed or node.args[0].star:
            return None
        return node.args[0].value

    def _iterated(self, node: cst.For) -> cst.BaseExpression | None:
        return iterating.source(node.iter, self.runtime, self.shadowed, self.lists)

    def _captured(self, loop: cst.For | cst.While) -> Names:
        """What functions read, wherever they are called, that are not made anew in each iteration."""
        within = {id(part) for part in walk(loop.body) if isinstance(part, cst.FunctionDef)}
        return frozenset(name for part in self.closures if id(part) not in within for name in reads(part))

    def _is_pure(self, node: cst.CSTNode) -> bool:
        """Whether `node` only computes and binds names, as far as its syntax says."""
        parts = list(walk(node))
        appends = {id(part.value) for part in parts if isinstance(part, cst.Expr) and growing.is_append(part)}
        made = [part for part in parts if isinstance(part, cst.FunctionDef)]
        if any(part.decorators or part.asynchronous is not None for part in made):
            return False
        made_within = {
            id(part) for function in made for part in (function, *walk(function.body))
        }  # see changing_functions
        for part in parts:
            if isinstance(part, cst.Name) and part.value in self.changing:
                return False
            if id(part) in made_within:
                continue
            if isinstance(part, _FOREIGN):
                return False
            text = isinstance(part, cst.Expr) and isinstance(part.value, cst.SimpleString)
            if isinstance(part, cst.Expr) and not text and not growing.is_append(part):
                return False
            if isinstance(part, (cst.AssignTarget, cst.AugAssign)) and not _binds_names(part.target):
                return False
            if isinstance(part, cst.Call) and isinstance(part.func, cst.Name) and part.func.value in _ASK:
                return False
            if (
                isinstance(part, cst.Call)
                and id(part) not in appends
                and effects_within.is_changing(part, self.modules)
            ):
                return False
        return True

    # ---- branches

    def _branch(self, node: cst.If, scope: _Scope) -> list[cst.BaseStatement] | None:
        """An ``if`` on a value that the loop changes, as ``rt.cond``; None where it has not that form."""
        orelse = node.orelse
        other: list[cst.BaseStatement] = []
        if isinstance(orelse, cst.Else):
            other = leaving.lines(orelse.body)
        elif orelse is not None:
            other = [orelse]
        if leaving.leaves([node]) or growing.grown(node):
            return None
        then = leaving.lines(node.body)
        names = assigned([*then, *other])
        outputs = [name for name in names if name in scope.live]
        if not outputs:
            return None
        known = frozenset(outputs) & scope.known
        sides = [surely_assigned(side, known) for side in (then, other)]
        if any(side is None or not side >= frozenset(outputs) for side in sides):
            return None
        functions: list[cst.BaseStatement] = []
        arguments = [build.argument(condition(node.test, self.runtime, scope.varying or NONE))]
        for word, side in (("then", then), ("otherwise", other)):
            if not side:
                arguments.append(build.argument(cst.Name("None")))
                continue
            name = self._fresh(word)
            inner = replace(scope, live=scope.live | frozenset(outputs), bound=scope.known, maybe=NONE)
            functions.append(_function(name, outputs, self.block(side, inner), outputs))
            arguments.append(build.argument(cst.Name(name)))
        for name in outputs:
            arguments.append(build.argument(cst.Name(name if name in scope.known else "None")))
        call = build.call(f"{self.runtime}.cond", *arguments)
        made = [*functions, _line(build.assign(_target(outputs), call))]
        made[0] = made[0].with_changes(leading_lines=node.leading_lines)
        return made

    def _fresh(self, word: str) -> str:
        name, number = word, 1
        while name in self.taken:
            number += 1
            name = f"{word}{number}"
        self.taken.add(name)
        return name


def _closures(body: cst.BaseSuite) -> list[cst.CSTNode]:
    """Functions and generators made in `body` that may read names later than where they stand."""
    parts = list(walk(body))
    consumed = {id(part.args[0].value) for part in parts if isinstance(part, cst.Call) and part.args}
    return [
        part
        for part in parts
        if isinstance(part, (cst.Lambda, cst.FunctionDef))
        or (isinstance(part, cst.GeneratorExp) and id(part) not in consumed)
    ]


def _counter(node: cst.For | cst.While) -> str | None:
    if isinstance(node, cst.While):
        return ""
    return node.target.value if isinstance(node.target, cst.Name) else None


def _binds_names(target: cst.BaseExpression) -> bool:
    if isinstance(target, (cst.Tuple, cst.List)):
        return all(_binds_names(element.value) for element in target.elements)
    return isinstance(target, cst.Name)


def _line(statement: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([statement])


def _target(names: Sequence[str]) -> cst.BaseExpression:
    return cst.Name(names[0]) if len(names) == 1 else build.names_tuple(names)


def _function(
    name: str, arguments: Sequence[str], body: Sequence[cst.BaseStatement], outputs: Sequence[str]
) -> cst.FunctionDef:
    """``def name(arguments): body; return outputs``."""
    lines = [*body, _line(cst.Return(_target(outputs)))] if outputs else list(body)
    return cst.FunctionDef(
        cst.Name(name), cst.Parameters([cst.Param(cst.Name(word)) for word in arguments]), cst.IndentedBlock(lines)
    )
