"""Objects of the program's classes that Python asks by special methods: operators, iteration, ``with``, builtins."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.env import Env
from np2tnp.analysis.state import State
from np2tnp.analysis.values import HOST, Instance, Unknown, Value

_ITERATION = ("__iter__", "__next__", "__getitem__", "__len__")
_TEXT = ("__str__", "__repr__", "__format__")
_NUMBER = ("__float__", "__int__", "__index__", "__complex__", "__trunc__")
#: Builtins that look at the class of an object, or at nothing of it.
_LOOKING = frozenset("callable id isinstance issubclass super type".split())
#: Builtins that give a text or a number of an object, and by which of its methods.
_ASKING: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ascii", "format", "print", "repr", "str"), _TEXT),
    **dict.fromkeys(("complex", "float", "int", "round"), (*_NUMBER, "__round__")),
    "abs": ("__abs__",),
    "bool": ("__bool__", "__len__"),
    "hasattr": ("__getattr__", "__getattribute__"),
    "hash": ("__hash__", "__eq__"),
    "len": ("__len__",),
}


class AskedObjects(State):
    """What an object holds may be changed by its special methods, and shown by others."""

    def object_asked(self, node: cst.CSTNode, value: Value, env: Env, *names: str) -> None:
        """Python calls those of the special methods `names` that an object has; they may change what it holds."""
        if not isinstance(value, Instance):
            return
        known = self.services.class_of(value)
        methods = [it for name in names if (it := known.methods.get(name)) is not None] if known is not None else []
        summaries = [self.services.summary(function) for function, _ in methods]
        if known is None or any(it is None or it.updates or it.mutates or not it.quiet for it in summaries):
            self.object_works(node, value, env)

    def object_compared(self, node: cst.CSTNode, value: Value, env: Env, op: str) -> None:
        """An operator, by its name in ``operator``, on an object."""
        name = op.strip("_")
        more = {"mod": _TEXT, "contains": ("__iter__",), "ne": ("__eq__",)}.get(name, ())
        self.object_asked(node, value, env, f"__{name}__", f"__r{name}__", *more)

    def object_tested(self, node: cst.CSTNode, value: Value, env: Env) -> None:
        """Whether an object is true."""
        self.object_asked(node, value, env, "__bool__", "__len__")

    def object_iterated(self, node: cst.CSTNode, value: Value, env: Env) -> Value:
        """`value`, or what iterating over an object may give: anything that some object holds."""
        if not isinstance(value, Instance):
            return value
        self.object_asked(node, value, env, *_ITERATION)
        return self._shown(env)

    def object_entered(self, node: cst.CSTNode, value: Value, env: Env) -> Value:
        """What a ``with`` statement that begins, and ends, with an object gives."""
        if not isinstance(value, Instance):
            return value
        self.object_asked(node, value, env, "__enter__", "__exit__")
        method = self.method_of(value, "__enter__")
        summary = self.services.summary(method[0]) if method is not None else None
        return value if summary is not None and isinstance(summary.result, Instance) else self._shown(env)

    def object_given(self, node: cst.CSTNode, value: Value, env: Env, builtin: str) -> Value:
        """`value`, or what the function `builtin` of Python's may get out of an object."""
        if not isinstance(value, Instance) or builtin in _LOOKING:
            return value
        names = _ASKING.get(builtin)
        if names is not None:
            self.object_asked(node, value, env, *names)
            return value
        self.object_asked(node, value, env, *_ITERATION, "__lt__", "__gt__", "__eq__", "__add__", "__getattr__")
        return self._shown(env)

    def _shown(self, env: Env) -> Value:
        return Unknown(HOST, env.held_outside(), view="view")
