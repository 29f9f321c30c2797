"""Functions that are called without being named at the call: by operators, by Python itself, by texts.

What ``--boundary tensor`` must know: who calls these goes on in NumPy, and would get tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    Bound,
    Class,
    Function,
    Instance,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    home_of,
)
from np2tnp.analysis.module.contents import ModuleInfo
from np2tnp.analysis.syntax.python_tables import AUGMENTED
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk

CALL = "__call__"
#: Operators whose methods are used where they stand in the text. What other special methods give, Python itself works
#: on (``__array__``, ``__float__``, ``__iter__``), or any library (``__eq__``, ``__getitem__``).
_ARITHMETIC = frozenset(
    "add sub mul truediv floordiv mod divmod pow matmul and_ or_ xor lshift rshift neg pos invert abs".split()
)
_METHODS = frozenset(
    f"__{prefix}{op.rstrip('_')}__"
    for op in _ARITHMETIC
    for prefix in (("",) if op in ("neg", "pos", "invert", "abs") else ("", "r", "i"))
)
#: Functions and modules that apply operators to what they get.
_OPERATING = {
    "sum": frozenset(("__add__", "__radd__", "__iadd__")),
    **{name: frozenset(f"__{prefix}{name}__" for prefix in ("", "r")) for name in ("abs", "divmod", "pow")},
    **dict.fromkeys(("reduce", "accumulate", "operator"), _METHODS),
}
#: Builtins that call what they get.
_CALLING = frozenset(f"builtins.{name}" for name in "map filter iter sorted min max".split())
#: Builtins and modules of Python's that look names up in texts.
_LOOKING_UP = frozenset(
    "eval exec globals locals vars __dict__ __import__ import_module attrgetter methodcaller".split()
)


def is_special(name: str) -> bool:
    """Whether Python itself calls methods of this name."""
    return name.startswith("__") and name.endswith("__")


def by_text(nodes: Iterable[cst.CSTNode]) -> tuple[frozenset[str], bool]:
    """Names that `nodes` look up in literal texts (``getattr(x, "step")``), and whether they look up any others."""
    found: set[str] = set()
    anything = False
    for root in nodes:
        for node in walk(root):
            if isinstance(node, (cst.Name, cst.Attribute)):
                anything |= (node.value if isinstance(node, cst.Name) else node.attr.value) in _LOOKING_UP
            if not (isinstance(node, cst.Call) and dotted(node.func) == "getattr" and len(node.args) > 1):
                continue
            name = node.args[1].value
            value = name.evaluated_value if isinstance(name, cst.SimpleString) else None
            anything |= not isinstance(value, str)
            found.add(value if isinstance(value, str) else "")
    return frozenset(found), anything


def used_methods(facts: ev.RegionFacts, migrates: bool, module: ModuleInfo) -> Iterator[str]:
    """The special methods of :func:`may_wait` that a region may call as code that works on ndarrays.

    In a region that migrates, an operator beside a tensor works with whatever it gives (:meth:`Evaluate.operate`).
    """
    assumed = NO_NAMES if migrates else facts.assumed_arrays  # nobody checks that in code that stays
    for op in facts.extra.get("object operators", ()):
        yield from _methods_of(op)
    for event in facts.events:
        if isinstance(event, ev.Operator) and _may_be_object(event.operands, assumed):
            if not migrates or home_of(event.result) == HOST:
                yield from _methods_of(event.op.rpartition(" ")[2])
        elif isinstance(event, (ev.Store, ev.AttributeStore)) and isinstance(event.node, cst.AugAssign):
            if isinstance(event.base, Sequence) or _may_be_object((event.base, event.value), assumed):
                yield from _methods_of(f"i{AUGMENTED[type(event.node.operator)]}")
        elif isinstance(event, ev.Call) and _may_call_object(event, module):
            yield CALL
    for node in walk(facts.node):
        if isinstance(node, cst.Name):
            yield from _OPERATING.get(node.value, ())


def may_wait(name: str) -> bool:
    """Whether the special method `name` is used only where the text says so."""
    return name == CALL or name in _METHODS


def assigned_names(tree: cst.CSTNode) -> frozenset[str]:
    """Names of methods that the bodies of classes hand on: ``__call__ = step``, ``STEPS = {"a": step}``."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, cst.ClassDef):
            for statement in node.body.body:
                small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
                for part in small:
                    value = part.value if isinstance(part, (cst.Assign, cst.AnnAssign)) else None
                    if isinstance(value, cst.CSTNode):
                        found.update(name.value for name in walk(value) if isinstance(name, cst.Name))
    return frozenset(found)


def decorating_classes(module: ModuleInfo) -> bool:
    """Whether an object of a class of the module stands in the place of a function: its ``__call__`` is called."""
    heads = {name.partition(".")[0] for info in module.functions.values() for name in info.decorators}
    return not heads.isdisjoint(name.partition(".")[0] for name in module.classes)


def _methods_of(op: str) -> Iterator[str]:
    name = op.rstrip("_")
    yield from (f"__{name}__", f"__r{name}__", f"__i{name}__")
    if name[:1] == "i":  # ``iadd`` may be an ``add``
        yield from (f"__{name[1:]}__", f"__r{name[1:]}__")


def _may_be_object(values: Iterable[Value], assumed: frozenset[str] = NO_NAMES) -> bool:
    return any(
        isinstance(value, (Unknown, Instance, Class)) or not assumed.isdisjoint(deps_of(value)) for value in values
    )


def _may_call_object(event: ev.Call, module: ModuleInfo) -> bool:
    callee = event.callee
    if isinstance(callee, Symbol):
        known = callee.name.startswith(("numpy.", "math.", "builtins.")) and callee.name not in _CALLING
        return not known and _may_be_object(argument.value for argument in event.arguments)
    if isinstance(callee, (Function, Class)) or event.api is not None:
        return False
    if isinstance(callee, Bound):  # a method, unless the program gives objects such an attribute
        return _may_be_object((callee.receiver,)) and module.gives(callee.name)
    return True
