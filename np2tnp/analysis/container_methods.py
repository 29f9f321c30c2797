"""Methods of Python's own containers: what they put in, take out and show."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis import events as ev
from np2tnp.analysis.containers import put_into
from np2tnp.analysis.env import Env
from np2tnp.analysis.lending import Lending
from np2tnp.analysis.tables import KEEPING_METHODS
from np2tnp.analysis.values import NONE, Scalar, Sequence, Value, held, join, refs_of, with_refs

#: Methods that put the items of what they get into the container.
_FILLING = frozenset(("extend", "extendleft", "update"))


class ContainerMethods(Lending):
    """Evaluates calls of methods of lists, dicts, sets and iterators made in the region."""

    def container_method(
        self, where: cst.BaseExpression, receiver: Sequence, name: str, arguments: tuple[ev.Argument, ...], env: Env
    ) -> Value:
        values = [argument.value for argument in arguments]
        shown = held(receiver.element, receiver)
        if name in KEEPING_METHODS and values:
            given = [self.as_item(receiver, argument.node.value, argument.value) for argument in arguments]
            if name in _FILLING:
                pairs = zip(arguments, given, strict=True)
                kept = [value if argument.name else self.element_of(value) for argument, value in pairs]
            else:
                kept = given[-1:]
            for added in kept:
                put_into(where, added, env)
                self.keep(refs_of(receiver), added, env)
            return NONE if name != "setdefault" else join(shown, kept[0])
        if name in ("items", "enumerate"):
            return Sequence("iterator", self.sequence("tuple", [Scalar("object"), shown]), None, receiver.refs)
        if name == "keys":
            return Sequence("iterator", Scalar("object"))
        if name == "copy":
            return receiver
        if name == "values":
            return Sequence("iterator", receiver.element, None, receiver.refs)
        if (
            name in ("get", "pop", "setdefault", "remove", "discard", "add", "index", "count")
            and arguments
            and receiver.type in ("dict", "set")
        ):
            self.escape(arguments[0].node.value, values[0], "is looked up by its hash")
        if name == "get":
            return join(shown, values[1]) if len(values) > 1 else shown
        if name in ("pop", "popleft"):  # taken out of this container, but not out of its copies
            own = {where.value} if isinstance(where, cst.Name) else set()
            taken = with_refs(shown, refs_of(shown) - own)
            return join(taken, values[1]) if len(values) > 1 else taken
        return Scalar("int" if name in ("count", "index") else "object")
