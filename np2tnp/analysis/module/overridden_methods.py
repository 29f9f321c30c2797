"""Which method ``self.f()`` runs: that of the object's own class, which may be a subclass that has another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.summaries import ClassSummary, Summary
from np2tnp.analysis.domain.values import Class, Function, Instance, Value
from np2tnp.analysis.module.contents import ClassInfo, ModuleInfo
from np2tnp.analysis.syntax.scopes import dotted

#: What callers count on, besides the result. A method that says the same may stand for another one.
_EFFECTS = (
    "parameters", "mutates", "keeps", "changeable", "fills", "tells_apart", "updates", "shows_defaults", "joins",
    "by_layout", "looks_up", "levels", "falls_back",
)  # fmt: skip


class Services(Protocol):
    """What is asked about functions and classes."""

    def summary(self, function: Function) -> Summary | None: ...
    def class_of(self, value: Class | Instance) -> ClassSummary | None: ...
    def attributes(self, value: Instance) -> Mapping[str, Value]: ...


def may_be_overridden(name: str, kind: str) -> bool:
    """Whether a subclass may have a method of that name in place of this one: private names are mangled."""
    return kind != "property" and (not name.startswith("__") or name.endswith("__"))


def is_certain(
    receiver: Instance, name: str, method: Function, module: ModuleInfo, services: Services, facts: ev.RegionFacts
) -> bool:
    """Whether what `method` says of itself holds of ``receiver.name()``.

    The class of the object that the region is a method of is not known: what its module defines of subclasses must do
    the same, and the region notes down what it relies on, for the boundary to look at the object. The class of other
    objects is known, but not what the methods that they inherit call.
    """
    own = receiver.module == module.path and receiver.qualname == facts.qualname.rpartition(".")[0]
    if own and name in facts.seen.relies:
        return True
    if own and method.module == module.path and is_abstract(module.functions[method.qualname].node):
        return False
    others = overriding(module, receiver.qualname, name) if own else ()
    owner = Class(method.qualname.rpartition(".")[0], method.module)
    inherited = (owner.qualname, owner.module) != (receiver.qualname, receiver.module)
    if not (own or inherited):
        return True
    summary = services.summary(method)
    if summary is None:
        return not others  # nothing is taken for granted then
    for other in others:
        found = services.summary(Function(other, module=module.path))
        if found is None or not does_the_same(summary, found):
            return False
    if inherited and summary.relies and not _has(receiver, owner, summary.relies, services):
        return False
    if own:
        facts.seen.relies.update({name}, summary.relies)
    return True


def _has(receiver: Instance, owner: Class, names: frozenset[str], services: Services) -> bool:
    """Whether the object has the methods `names` that `owner`, from which it inherits, was looked at with."""
    have, expected = services.class_of(receiver), services.class_of(owner)
    if have is None or expected is None or names & services.attributes(receiver).keys():
        return False
    for name in names:
        method, known = have.methods.get(name), expected.methods.get(name)
        if method is None or known is None:
            return False
        if method != known:  # those that subclasses in the owner's module have were looked at, too
            defined = Class(method[0].qualname.rpartition(".")[0], method[0].module)
            if defined.module != owner.module or not _inherits(defined, owner, services):
                return False
    return True


def _inherits(one: Class, other: Class, services: Services) -> bool:
    found = services.class_of(one)
    bases = found.bases if found is not None else ()
    return any(
        (base.qualname, base.module) == (other.qualname, other.module) or _inherits(base, other, services)
        for base in bases
    )


def overriding(module: ModuleInfo, owner: str, name: str) -> tuple[str, ...]:
    """The methods of that name which the subclasses of `owner` have, as far as the module defines them."""
    if module.subclasses is None:
        module.subclasses = _subclasses(module)
    return tuple(found for it in module.subclasses.get(owner, ()) if (found := it.methods.get(name)) is not None)


def is_abstract(node: cst.FunctionDef) -> bool:
    """Whether the body does nothing: it says what subclasses have, not what happens."""
    body = node.body.body
    lines = [small for line in body for small in (line.body if isinstance(line, cst.SimpleStatementLine) else [line])]
    return all(map(_does_nothing, lines))


def does_the_same(one: Summary, other: Summary) -> bool:
    """Whether what is said of `one` holds of `other`, too."""
    return one.result == other.result and all(getattr(one, name) == getattr(other, name) for name in _EFFECTS)


def _does_nothing(statement: cst.CSTNode) -> bool:
    if isinstance(statement, cst.Raise):
        raised = statement.exc.func if isinstance(statement.exc, cst.Call) else statement.exc
        return raised is not None and dotted(raised) == "NotImplementedError"
    if isinstance(statement, cst.Expr):
        return isinstance(statement.value, (cst.SimpleString, cst.ConcatenatedString, cst.Ellipsis))
    return isinstance(statement, cst.Pass)


def _subclasses(module: ModuleInfo) -> dict[str, tuple[ClassInfo, ...]]:
    """By class, those that inherit from it, by the last part of their bases' names."""
    named: dict[str, list[ClassInfo]] = {}
    for info in module.classes.values():
        for base in info.node.bases:
            named.setdefault(dotted(base.value).rpartition(".")[2], []).append(info)
    found = {}
    for qualname in module.classes if named else ():
        below: dict[str, ClassInfo] = {}
        waiting = [qualname]
        while waiting:
            for info in named.get(waiting.pop().rpartition(".")[2], ()):
                if info.qualname not in below:
                    below[info.qualname] = info
                    waiting.append(info.qualname)
        if below:
            found[qualname] = tuple(below.values())
    return found
