"""TNP504: native code that gets at the memory of arrays."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.values import HOST, Bound, Symbol, home_of, may_hold_tensor
from np2tnp.model import Verdict
from np2tnp.rules.base import Context, Doc, Hit, Rule, register

#: Packages that compile Python, or hand memory to C.
NATIVE = frozenset(("numba", "cython", "Cython", "ctypes", "cffi", "pythran", "pyximport", "taichi", "cupy"))
#: Attributes through which native code finds an array's memory.
POINTERS = frozenset(("ctypes", "__array_interface__", "__array_struct__", "__cuda_array_interface__", "__dlpack__"))
_LEAVE = "best left as it is"
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
            " array's pointer, in NumPy. What numba and the like compile is best left as it is: it is counted, and"
            " shown with -v. Calls of such packages get host copies of their array arguments."
        ),
        bad="""
            import hashlib


            def digest(x):
                y = np.exp(x)
                return hashlib.sha256(memoryview(y)).hexdigest()
        """,
        good="""
            import hashlib


            def digest(x):
                y = np.exp(x)
                return hashlib.sha256(y.tobytes()).hexdigest()
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
        words = f"{words}, and numba may compile it then: if nothing does, give a function of the same parameters"
        words = f"{words} in its place, which only calls {name}"  # a lambda of *args would show other parameters
        # only what the module imports may hand it on to a compiler, or whoever calls what is picked here
        far = context.module.near_compiler != "own" or event.detail not in context.module.functions
        return Hit(self.code, event.node, words, Verdict.BLOCK, left="unseen" if far else "")


def is_native(name: str) -> bool:
    """Whether a dotted name belongs to one of the packages above."""
    return name.partition(".")[0] in NATIVE or name.startswith("numpy.ctypeslib")
