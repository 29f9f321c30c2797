"""Loops of a compiled function as functions of what they change: ``rt.fori_loop``, ``rt.for_each``, ``rt.while_loop``.

Works on the rewritten body, where every update of an array is the rebinding of a name. Only the names decide here
whether a loop has that form; whether its values keep their dtypes and shapes is seen when it is traced. Loops without
that form are unrolled into the graph: ``for x in rt.unrolled(...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
from np2tnp.edits import build
from np2tnp.rewrite.staging import early_exits, growing_lists
from np2tnp.rewrite.staging.early_exits import without_return
from np2tnp.rewrite.staging.symbol_reads import without_builtins

# --- Conditions of staged loops: ``not``, ``and``, ``or`` ask for a truth value, which a symbol of a trace has not


def condition(test: cst.BaseExpression, runtime: str, varying: Names) -> cst.BaseExpression:
    """`test`, used for its truth only, with ``rt.negation``, ``rt.both`` and ``rt.either`` for what is `varying`."""
    if not reads(test) & varying:
        return test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return build.call(f"{runtime}.negation", build.bare(condition(test.expression, runtime, varying)))
    if isinstance(test, cst.BooleanOperation):
        function = "both" if isinstance(test.operator, cst.And) else "either"
        left = build.argument(condition(test.left, runtime, varying))
        right = build.argument(cst.Lambda(cst.Parameters(), build.bare(condition(test.right, runtime, varying))))
        return build.call(f"{runtime}.{function}", left, right)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 2 and _is_plain(test.comparisons[0].comparator):
        first, second = test.comparisons
        halves = [cst.Comparison(test.left, [first]), cst.Comparison(first.comparator, [second])]
        right = build.argument(cst.Lambda(cst.Parameters(), halves[1]))
        return build.call(f"{runtime}.both", build.argument(halves[0]), right)
    return test


def _is_plain(node: cst.BaseExpression) -> bool:
    """Whether evaluating `node` twice is the same as once."""
    return isinstance(node, (cst.Name, cst.Integer, cst.Float))


# --- Functions within a function that change what lives longer than their call: no loop that calls them is staged
#
# A staged loop runs its body once, while it is traced: a list that a nested function appends to would get one item.

#: Methods of containers and iterators that change them, and give something.
_CHANGING = frozenset(
    "add append appendleft clear discard extend insert pop popitem popleft remove reverse rotate send setdefault sort"
    " update write __next__ __setitem__".split()
)
_FOREIGN_CODE = (cst.Global, cst.Nonlocal, cst.Del, cst.Yield, cst.Await)


def is_changing(call: cst.Call, apart: Names) -> bool:
    """Whether `call` is that of a method that changes its object. apart: modules, and objects that do not matter."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in _CHANGING:
        return False
    return _base(call.func.value) not in apart


def _changes(node: cst.CSTNode, apart: Names) -> bool:
    return any(isinstance(part, cst.Call) and is_changing(part, apart) for part in walk(node))


def changing_functions(body: cst.CSTNode, modules: Names) -> Names:
    """The names in `body` of functions made there that change something, and what else may hold one of them."""
    parts = list(walk(body))
    found = {
        part.name.value
        for part in parts
        if isinstance(part, cst.FunctionDef) and part is not body and _has_effects(part, modules)
    }
    before = -1
    while before != len(found):
        before = len(found)
        for part in parts:
            if isinstance(part, cst.Assign) and (
                _hands_on(part.value, found)
                or any(isinstance(it, cst.Lambda) and (_changes(it, modules) or _reads(it, found)) for it in walk(part))
            ):
                found.update(assigned(cst.SimpleStatementLine([part])))
            elif isinstance(part, cst.FunctionDef) and part is not body and _reads(part.body, found):
                found.add(part.name.value)
    return frozenset(found)


def _has_effects(function: cst.FunctionDef, modules: Names) -> bool:
    given = {parameter.name.value for parameter in parameters(function.params)}
    own = frozenset(assigned(function.body)) - given
    for part in walk(function.body):
        if isinstance(part, _FOREIGN_CODE):
            return True
        if isinstance(part, (cst.AssignTarget, cst.AugAssign)):
            for target in _single(part.target):
                if not isinstance(target, cst.Name) and _base(target) not in own:
                    return True
        if isinstance(part, cst.Expr) and isinstance(part.value, cst.Call) and _base(part.value.func) not in own:
            return True
    return _changes(function.body, modules | own)


def _single(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, (cst.Tuple, cst.List)):
        return [item for element in target.elements for item in _single(element.value)]
    return [target]


def _base(node: cst.BaseExpression) -> str:
    """The name that an attribute, an item or a result is one of: ``rt`` of ``rt.at(x)[i].add``."""
    while isinstance(node, (cst.Attribute, cst.Subscript, cst.Call)):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node.value if isinstance(node, cst.Name) else ""


def _hands_on(value: cst.BaseExpression, names: set[str]) -> bool:
    """Whether one of `names` stands in `value`, but as what is called."""
    called = {id(part.func) for part in walk(value) if isinstance(part, cst.Call)}
    return any(isinstance(part, cst.Name) and part.value in names and id(part) not in called for part in walk(value))


def _reads(node: cst.CSTNode, names: set[str]) -> bool:
    return any(isinstance(part, cst.Name) and part.value in names for part in walk(node))


# --- Loops over what may be arrays: their heads as ``rt.for_each`` takes them

_RUNTIME = {"enumerate": "each_numbered", "zip": "each_of"}


def source(node: cst.BaseExpression, runtime: str, shadowed: Names, lists: Names) -> cst.BaseExpression | None:
    """What is iterated over, for the runtime; None where no array is. `lists`: names that certainly are none."""
    func = dotted(node.func) if isinstance(node, cst.Call) else ""
    if isinstance(node, cst.Call) and func == f"{runtime}.elements":
        return source(node.args[0].value, runtime, shadowed, lists)
    if isinstance(node, cst.Call) and func in _RUNTIME and func not in shadowed:
        if any(arg.star for arg in node.args) or any(arg.keyword is not None for arg in node.args[:1]):
            return None
        if any(arg.keyword is not None and (func == "zip" or arg.keyword.value != "start") for arg in node.args):
            return None
        count = 1 if func == "enumerate" else len(node.args)
        found = [source(arg.value, runtime, shadowed, lists) for arg in node.args[:count]]
        if not any(found):
            return None
        parts = [
            arg if value is None else arg.with_changes(value=build.bare(value))
            for arg, value in zip(node.args, found, strict=False)
        ]
        called = node.with_changes(args=[*parts, *node.args[count:]])
        return called.with_changes(func=build.name(f"{runtime}.{_RUNTIME[func]}"))
    if isinstance(node, cst.Name):
        return None if node.value in lists else node
    if isinstance(node, (cst.Subscript, cst.BinaryOperation, cst.Attribute)):
        return node
    is_read = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "get"
    return node if is_read or func.startswith((f"{runtime}.", "tnp.")) else None


def unpacked(
    target: cst.BaseExpression,
    item: str,
    runtime: str,
    fresh: Callable[[str], str],
    iterated: cst.BaseExpression | None,
) -> list[cst.BaseStatement] | None:
    """Statements that bind `target` to the item of that name; None where it binds more than names.

    iterated : what it is an item of.
    """
    if isinstance(target, cst.Name):
        return [cst.SimpleStatementLine([build.assign(target, cst.Name(item))])]
    if not isinstance(target, (cst.Tuple, cst.List)):
        return None
    names: list[str] = []
    inner: list[cst.BaseStatement] = []
    sources = _sources(iterated, runtime)
    for number, element in enumerate(target.elements):
        if isinstance(element, cst.StarredElement):
            return None
        if isinstance(element.value, cst.Name):
            names.append(element.value.value)
            continue
        name = fresh("part")
        statements = unpacked(element.value, name, runtime, fresh, sources[number] if number < len(sources) else None)
        if statements is None:
            return None
        names.append(name)
        inner += statements
    if len(names) < 2:
        return None
    value: cst.BaseExpression = cst.Name(item)
    if not sources:  # it may be an array
        value = build.call(f"{runtime}.elements", build.argument(value))
    return [cst.SimpleStatementLine([build.assign(build.names_tuple(names), value)]), *inner]


def _sources(iterated: cst.BaseExpression | None, runtime: str) -> list[cst.BaseExpression | None]:
    """What the parts of an item are items of, where it is a tuple of Python's; else nothing."""
    func = dotted(iterated.func) if isinstance(iterated, cst.Call) else ""
    if not isinstance(iterated, cst.Call) or func not in [f"{runtime}.{name}" for name in _RUNTIME.values()]:
        return []
    if func.endswith(".each_of"):
        return [argument.value for argument in iterated.args]
    return [None, iterated.args[0].value]


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
    stager = _Stager(runtime, taken, reads(function) | own, _closures(plain), growing_lists.given_back(plain))
    stager.lists = growing_lists.made_in(function.body)
    stager.changing = changing_functions(function.body, stager.modules)
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
            lists = growing_lists.lists_after(statement, lists)
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
        if not isinstance(node, (cst.For, cst.While)) or scope.varying is not None or growing_lists.grown(node):
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
            lists=growing_lists.within(node, scope.lists),
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
        statements = early_exits.lines(node.body)
        if counter is None:  # an item with several names
            if not isinstance(node, cst.For) or iterated is None:
                return None
            counter = self._fresh("item")
            parts = unpacked(node.target, counter, self.runtime, self._fresh, iterated)
            if parts is None:
                return None
            statements = [*parts, *statements]
        elif counter in scope.live:  # then it is a variable like others, which no iteration may have assigned
            count = self._fresh("count" if iterated is None else "item")
            statements = [_line(build.assign(cst.Name(counter), cst.Name(count))), *statements]
            counter = count
        if early_exits.leaves(statements):
            stop = self._fresh("stop")
            changed = early_exits.without_leaving(statements, stop, self._truth)
            if changed is None:
                return None
            statements = changed
        names = assigned(statements)
        appended = growing_lists.grown(node)
        grown = appended - frozenset(names)
        if not appended - grown <= growing_lists.made_in(node):  # it may be somebody else's list
            return None
        if grown and (isinstance(node, cst.While) or not grown <= growing_lists.within(node, scope.lists)):
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
        always = all(growing_lists.always_grown(statements, name) for name in grown)
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
        return source(node.iter, self.runtime, self.shadowed, self.lists)

    def _captured(self, loop: cst.For | cst.While) -> Names:
        """What functions read, wherever they are called, that are not made anew in each iteration."""
        within = {id(part) for part in walk(loop.body) if isinstance(part, cst.FunctionDef)}
        return frozenset(name for part in self.closures if id(part) not in within for name in reads(part))

    def _is_pure(self, node: cst.CSTNode) -> bool:
        """Whether `node` only computes and binds names, as far as its syntax says."""
        parts = list(walk(node))
        appends = {id(part.value) for part in parts if isinstance(part, cst.Expr) and growing_lists.is_append(part)}
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
            if isinstance(part, cst.Expr) and not text and not growing_lists.is_append(part):
                return False
            if isinstance(part, (cst.AssignTarget, cst.AugAssign)) and not _binds_names(part.target):
                return False
            if isinstance(part, cst.Call) and isinstance(part.func, cst.Name) and part.func.value in _ASK:
                return False
            if isinstance(part, cst.Call) and id(part) not in appends and is_changing(part, self.modules):
                return False
        return True

    # ---- branches

    def _branch(self, node: cst.If, scope: _Scope) -> list[cst.BaseStatement] | None:
        """An ``if`` on a value that the loop changes, as ``rt.cond``; None where it has not that form."""
        orelse = node.orelse
        other: list[cst.BaseStatement] = []
        if isinstance(orelse, cst.Else):
            other = early_exits.lines(orelse.body)
        elif orelse is not None:
            other = [orelse]
        if early_exits.leaves([node]) or growing_lists.grown(node):
            return None
        then = early_exits.lines(node.body)
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
