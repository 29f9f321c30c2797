"""TNP504: native code that gets at the memory of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Array, Bound, Symbol, Value, home_of, may_hold_tensor
from np2tnp.analysis.syntax.walk import nodes_of
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register

#: Packages that compile Python, or hand memory to C.
NATIVE = frozenset(("numba", "cython", "Cython", "ctypes", "cffi", "pythran", "pyximport", "taichi", "cupy"))
#: Attributes through which native code finds an array's memory.
POINTERS = frozenset(("ctypes", "__array_interface__", "__array_struct__", "__cuda_array_interface__", "__dlpack__"))
_LEAVE = "best left as it is"
_WHOLE = "it works on whole arrays, and would migrate without that, if no compiled code calls it"
#: What takes hold of the very ndarray, and why a copy in its place will not do.
_OF_THE_OBJECT = {
    "builtins.memoryview": "memoryview() gives the memory of an ndarray away; use the array, or x.tobytes()",
    "weakref.ref": "weakref.ref() refers to the ndarray itself: a host copy would be gone at once",
    "weakref.proxy": "weakref.proxy() refers to the ndarray itself: a host copy would be gone at once",
    "weakref.finalize": "weakref.finalize() waits for the end of the ndarray itself, not of a host copy",
}


@register
class NativeCode(Rule):
    doc = Doc(
        code="TNP504",
        name="native-code",
        summary="Native code works on arrays: numba, Cython, ctypes, cffi, or an array's pointer.",
        why=(
            "It reads and writes the memory of ndarrays directly. A tensor has no such memory, and a host copy"
            " gets no updates."
        ),
        does=(
            "Leaves functions with such decorators, that such packages may get to compile (`numba.njit(f)`), or with an"
            " array's pointer, in NumPy. Calls of such packages"
            " get host copies of their array arguments."
        ),
        bad="""
            import numba


            @numba.njit
            def norm(x):
                return np.sqrt((x * x).sum())
        """,
        good="""
            def norm(x):
                return np.sqrt((x * x).sum())
        """,
    )
    on = (
        ev.Call,
        ev.AttributeRead,
        ev.Kind.DECORATOR,
        ev.Kind.UNSEEN_DECORATOR,
        ev.Kind.NESTED_DECORATOR,
        ev.Kind.COMPILED_FUNCTION,
    )

    def check(self, event: ev.Event, context: Context) -> Iterator[Hit]:
        if not context.in_region:
            return
        if isinstance(event, ev.Construct):
            if event.kind == ev.Kind.COMPILED_FUNCTION:
                yield self._handed(event, context)
            elif is_native(event.detail):
                words = f"{event.detail} compiles the function to native code: {_LEAVE}"
                yield Hit(self.code, event.node, words, Verdict.BLOCK, left="native")
        elif isinstance(event, ev.AttributeRead):
            if event.name in POINTERS and home_of(event.base) != HOST:
                words = f".{event.name} is a pointer to the memory of an ndarray; a tensor has none to give: move"
                words += " what needs it into a function of its own"
                yield self.hit(event.node, words, Verdict.BLOCK)
        elif isinstance(event, ev.Call):
            callee = event.callee
            if isinstance(callee, Symbol) and callee.name in _OF_THE_OBJECT:
                if any(may_hold_tensor(argument.value) for argument in event.arguments):
                    yield self.hit(event.node, _OF_THE_OBJECT[callee.name], Verdict.BLOCK)
                return
            if isinstance(callee, Bound) and callee.name in POINTERS and home_of(callee.receiver) != HOST:
                yield self.hit(event.node, f".{callee.name}() gives the memory of an ndarray away", Verdict.BLOCK)
            elif not isinstance(callee, Symbol) or not is_native(callee.name):
                return
            elif any(may_hold_tensor(argument.value) for argument in event.arguments):
                words = f"{callee.name} is native code: it gets host copies of its array arguments"
                yield self.hit(event.node, words, Verdict.HOST)

    def _handed(self, event: ev.Construct, context: Context) -> Hit:
        """Somebody gets the function as a value: a compiler, or what may hand it on to one."""
        name = context.facts.qualname.rpartition(".")[2]
        if is_native(event.detail):
            words = f"{event.detail} gets {name}, and compiles it to native code: {_LEAVE}"
            return Hit(self.code, event.node, words, Verdict.BLOCK, left="native")
        words = f"{event.detail}() gets {name} here" if event.detail else f"{name} is used as a value here"
        passed = "*args, **kwargs"
        words = f"{words}, and numba may compile it then: if nothing does, write lambda {passed}: {name}({passed})"
        words = f"{words} in its place"
        # only what the module imports may hand it on to a compiler, or whoever calls what is picked here
        far = context.module.near_compiler != "own" or event.detail not in context.module.functions
        return Hit(self.code, event.node, words, Verdict.BLOCK, left="unseen" if far else "")


#: What runs a part of the function again and again, where TensorFlow would launch each operation.
_REPEATING = (cst.For, cst.While, cst.CompFor)


def judged(hits: list[Hit], context: Context) -> list[Hit]:
    """The findings; what a decorator compiles is worth a person's time where nothing but that is in its way.

    That is work on whole arrays, which has no loops.
    """
    node = context.facts.node
    ours = [hit for hit in hits if hit.code == NativeCode.doc.code and hit.left and isinstance(hit.node, cst.Decorator)]
    blocks = sum(hit.verdict is Verdict.BLOCK for hit in hits)
    if not ours or blocks > len(ours) or not context.edits.converted:
        return hits
    if any(isinstance(part, _REPEATING) for part in nodes_of(node)) or not any(
        _is_of_arrays(event, context) for event in context.facts.events
    ):
        return hits
    if _is_called_by_compiled(context) or any("guvectorize" in hit.message for hit in ours):
        return hits  # what such a compiler maps over arrays works on one part of them
    told = {id(hit): replace(hit, message=hit.message.replace(_LEAVE, _WHOLE), left="") for hit in ours}
    return [told.get(id(hit), hit) for hit in hits]


def _is_called_by_compiled(context: Context) -> bool:
    """Whether another function of the module that such a package compiles mentions the function."""
    name = context.facts.qualname.rpartition(".")[2]
    others = (
        it for it in context.module.functions.values() if it.node is not context.facts.node and it.node.decorators
    )
    return any(
        any(is_native(_canonical(decorator, context)) for decorator in other.decorators)
        and any(type(part) is cst.Name and part.value == name for part in nodes_of(other.node))
        for other in others
    )


def _canonical(name: str, context: Context) -> str:
    first, dot, rest = name.partition(".")
    value = context.module.values.get(first)
    return f"{value.name}{dot}{rest}" if isinstance(value, Symbol) else name


def _is_of_arrays(event: ev.Event, context: Context) -> bool:
    """Whether NumPy works on a whole array here, as far as is known."""
    if isinstance(event, ev.Operator):
        return any(_is_array(value) for value in event.operands)
    if not isinstance(event, ev.Call) or event.api is None:
        return False
    fact = context.catalog.get(event.api)
    given = [argument.value for argument in event.arguments]
    given += [event.receiver] if event.receiver is not None else []
    if fact is None or fact.kind == "ufunc":
        return any(map(_is_array, given))
    return any(_is_array(value) or may_hold_tensor(value) for value in given)


def _is_array(value: Value) -> bool:
    return isinstance(value, Array) and value.rank != 0


def is_native(name: str) -> bool:
    """Whether a dotted name belongs to one of the packages above."""
    return name.partition(".")[0] in NATIVE or name.startswith("numpy.ctypeslib")
