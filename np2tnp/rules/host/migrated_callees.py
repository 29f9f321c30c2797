"""TNP507: callers of functions that an earlier run migrated."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain.values import Symbol
from np2tnp.analysis.module.contents import FunctionInfo, ModuleInfo
from np2tnp.analysis.module.scripts import outside
from np2tnp.analysis.syntax.scopes import dotted
from np2tnp.analysis.syntax.walk import walk
from np2tnp.model import Verdict
from np2tnp.rules.base import Doc, Hit, document

DOC = Doc(
    code="TNP507",
    name="migrated-callee",
    summary="A function that an earlier run left alone uses functions that it migrated.",
    why=(
        "What is known of migrated functions is less than what was known of them before: their code is the runtime's."
        " Whether their callers can migrate was decided together with them."
    ),
    does=(
        "Leaves it alone, so that a second run changes nothing. To migrate it, rewrite the originals of both together;"
        " callers may also be rewritten before what they call, in another module."
    ),
    bad="""
        from np2tnp import runtime as rt


        @rt.migrated
        def double(x):
            return rt.multiply(x, 2)


        def total(x):
            return np.sum(double(np.sqrt(x)))
    """,
    good="""
        def double(x):
            return np.multiply(x, 2)


        def total(x):
            return np.sum(double(np.sqrt(x)))
    """,
    safety="Nothing is changed.",
)
document(DOC)

_OURS = (Symbol("np2tnp.runtime"), Symbol("tensorflow.experimental.numpy"))
#: What is written at the top of modules whose top level stays NumPy.
_STARTS = ("start", "leave_numpy_behavior")


def kept_originals(module: ModuleInfo) -> frozenset[str]:
    """Functions of the module that are the originals of migrated ones."""
    beside = {original for name in _done(module) for original in _kept_original(module.functions[name], module)}
    decorators = {f"{name}.original" for name in _runtimes(module)}
    return frozenset(beside).union(_decorated(module, decorators))


def left_out(module: ModuleInfo) -> frozenset[str]:
    """Functions of the module that were not migrated and use, directly or through others, functions that were."""
    names = _runtimes(module)
    if not names:
        return frozenset()
    done = _done(module)
    originals = kept_originals(module)
    # written with --boundary tensor: no decorator, but the runtime's name
    unwrapped = {name for name, info in module.functions.items() if name not in done and names & _mentioned(info.node)}
    done |= unwrapped
    used = {name.rpartition(".")[2] for name in done}
    mentions = {name: _mentioned(info.node) for name, info in module.functions.items() if name not in done}
    # what a class's attributes hold was known from all its methods together
    classes = {module.functions[name].owner for name in done} - {None}
    found = {name for name, info in module.functions.items() if name not in done and info.owner in classes}
    found |= originals | unwrapped
    used |= {name.rpartition(".")[2] for name in found - originals}
    while more := {name for name, words in mentions.items() if name not in found and words & used}:
        found |= more
        used |= {name.rpartition(".")[2] for name in more}
    return frozenset(found)


def is_migrated_script(module: ModuleInfo) -> bool:
    """Whether the top level works with tensors already, or mentions functions that were migrated or left alone."""
    ours = {name for name, value in module.values.items() if value in _OURS}
    done = {name for name, info in module.functions.items() if info.is_migrated} | left_out(module)
    words = {name.partition(".")[0] for name in done}
    return any(
        node.value in words
        if isinstance(node, cst.Name)
        else isinstance(node, cst.Attribute) and dotted(node.value) in ours and node.attr.value not in _STARTS
        for node in outside(module.node)
    )


def _runtimes(module: ModuleInfo) -> set[str]:
    return {name for name, value in module.values.items() if value == Symbol("np2tnp.runtime")}


def _done(module: ModuleInfo) -> set[str]:
    """Functions with the decorator of migrated ones."""
    return _decorated(module, {f"{name}.migrated" for name in _runtimes(module)})


def _decorated(module: ModuleInfo, decorators: set[str]) -> set[str]:
    return {name for name, info in module.functions.items() if _is_decorated(info, decorators)} if decorators else set()


def _kept_original(info: FunctionInfo, module: ModuleInfo) -> set[str]:
    """The function that a migrated one has as its original, by its qualname."""
    prefix = info.qualname.rpartition(".")[0]
    names = {
        argument.value.value
        for item in info.node.decorators
        if isinstance(item.decorator, cst.Call)
        for argument in item.decorator.args
        if argument.keyword is not None
        and argument.keyword.value == "original"
        and isinstance(argument.value, cst.Name)
    }
    return {f"{prefix}.{name}" if prefix else name for name in names} & module.functions.keys()


def hit(node: cst.CSTNode) -> Hit:
    """The hit for the region `node`, which is one of those."""
    return Hit(
        DOC.code,
        node,
        "it uses functions that were migrated before, and stayed NumPy then: rewrite the originals again",
        Verdict.NOTE,
    )


def calls_of_runtime(info: FunctionInfo, module: ModuleInfo) -> int:
    """How many calls of tnp and of the runtime a migrated function consists of."""
    ours = {name for name, value in module.values.items() if value in _OURS}
    calls = (part for part in walk(info.node.body) if isinstance(part, cst.Call))
    return sum(dotted(call.func).partition(".")[0] in ours for call in calls)


def _is_decorated(info: FunctionInfo, decorators: set[str]) -> bool:
    for item in info.node.decorators:
        node = item.decorator.func if isinstance(item.decorator, cst.Call) else item.decorator
        if dotted(node) in decorators:
            return True
    return False


def _mentioned(node: cst.FunctionDef) -> set[str]:
    """Every name and attribute name in a function's body."""
    return {part.value for part in walk(node.body) if isinstance(part, cst.Name)}
