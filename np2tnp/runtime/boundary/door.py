"""The door of a migrated function: what ``@rt.migrated`` puts in the function's place.

It is all that importing a rewritten module needs, so it imports nothing but NumPy and small modules of Python's: no
TensorFlow, and none of the runtime's other parts until TensorFlow has work. Where that is surely not the case, on a
machine without a GPU in a program without TensorFlow, a call goes straight to the original.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np

from np2tnp.runtime import EXACT_OPERATORS
from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.hardware import may_have_gpu

__all__ = [
    "NEVER",
    "migrated",
    "original",
]


# --- Wrappers with the very parameters of what they wrap
#
# Libraries count a callback's parameters, or choose what they pass, by ``f.__code__``, which ``functools.wraps`` does
# not
# copy: of a wrapper that takes ``*args`` they would see no parameter, and leave out arguments without a word.

_VARARGS, _VARKEYWORDS, _ONLY_AST = 0x4, 0x8, 0x400

#: What such a wrapper does. Its names are the function's own, so it has no variables but these.
_TEXT = """
def make({own}):
    def shaped({taken}):
        if {own}.is_running:
            return {own}.deeper({given})
        {own}.is_running = True
        try:
            if {own}.waits and "tensorflow" not in {own}.modules:
                return {own}.original({given})
            return {own}.call({given})
        finally:
            {own}.is_running = False
    return shaped
"""


def with_parameters_of(function: Callable[..., Any], door: Any) -> Callable[..., Any]:
    """A function with the parameters, defaults and place of `function` that asks `door` (see ``door.py``)."""
    code = getattr(function, "__code__", None)
    own = code if isinstance(code, CodeType) else _anything.__code__
    namespace: dict[str, Any] = {}
    exec(_factory(own), namespace)
    shaped: Any = namespace["make"](door)
    if own is not code:
        return shaped  # type: ignore[no-any-return]
    places = {"co_filename": code.co_filename, "co_firstlineno": code.co_firstlineno, "co_name": code.co_name}
    if hasattr(code, "co_qualname"):
        places["co_qualname"] = code.co_qualname
    parts = function.__globals__, function.__name__, function.__defaults__, shaped.__closure__
    constants = (*shaped.__code__.co_consts, _MARK)
    shaped = FunctionType(shaped.__code__.replace(co_consts=constants, **places), *parts)
    shaped.__kwdefaults__ = function.__kwdefaults__
    return shaped  # type: ignore[no-any-return]


#: The last constant of a wrapper: by its place and its names it is the function that it wraps.
_MARK = "a wrapper of np2tnp"


def is_between(frame: FrameType) -> bool:
    """Whether the frame is none of the program's: the runtime's, or a wrapper's."""
    constants = frame.f_code.co_consts
    if constants and type(constants[-1]) is str and constants[-1] == _MARK:
        return True
    return str(frame.f_globals.get("__name__")).startswith(_RUNTIME)


_RUNTIME = f"{own_package}."


def _anything(*args: Any, **kwargs: Any) -> None: ...


def _factory(code: CodeType) -> CodeType:
    """Code that defines ``make(door)``, which gives a function with the parameters of `code`."""
    names = code.co_varnames
    positional = names[: code.co_argcount]
    end = code.co_argcount + code.co_kwonlyargcount
    named = names[code.co_argcount : end]
    rest = list(names[end:])
    star = rest.pop(0) if code.co_flags & _VARARGS else ""
    stars = rest.pop(0) if code.co_flags & _VARKEYWORDS else ""
    return _compiled(positional, code.co_posonlyargcount, star, named, stars)


@functools.lru_cache(maxsize=256)
def _compiled(positional: tuple[str, ...], first: int, star: str, named: tuple[str, ...], stars: str) -> CodeType:
    """`first`: how many of `positional` are so only."""
    own = "door"
    while own in (*positional, *named, star, stars):
        own += "_"
    given = list(positional)
    taken = [*given[:first], *(["/"] if first else []), *given[first:]]
    if star or named:
        taken.append(f"*{star}")
    taken += named
    given += [f"*{star}"] * bool(star) + [f"{name}={name}" for name in named]
    if stars:
        taken.append(f"**{stars}")
        given.append(f"**{stars}")
    text = _TEXT.format(own=own, taken=", ".join(taken), given=", ".join(given))
    return compile(_on_one_line(compile(text, "<np2tnp>", "exec", _ONLY_AST)), "<np2tnp>", "exec")


def _on_one_line(tree: Any) -> Any:
    """The syntax tree with all its code in one line: the first of the function, which tracebacks show."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
        for name in node._fields:
            value = getattr(node, name, None)
            todo += [part for part in (value if isinstance(value, list) else [value]) if hasattr(part, "_fields")]
    return tree


# --- Python's limit of recursion, without the frames that the runtime puts between the program's own

_lock = threading.RLock()
_late = 0  #: frames of which the limit could not be rid yet


def allow(frames: int) -> None:
    """Let the stack grow by so many frames more. It must hold at least as many of the runtime's."""
    with _lock:
        sys.setrecursionlimit(sys.getrecursionlimit() + frames)


def withdraw(frames: int) -> None:
    """Take back what :func:`allow` allowed."""
    global _late
    with _lock:
        try:
            sys.setrecursionlimit(sys.getrecursionlimit() - frames - _late)
            _late = 0
        except RecursionError:  # the stack is as deep as that
            _late += frames


if int(np.__version__.partition(".")[0]) < 2:
    raise ImportError(f"np2tnp's runtime needs NumPy 2, whose promotion it reproduces: this is {np.__version__}")


F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")

#: More elements than any array has: the public function is the original.
NEVER = 2**63 - 1

#: Values of `compile` with which the size of arrays decides as it does for eager functions.
EAGERLY = ("none", "auto")

Elements = int | Callable[..., int]

#: Names as in ``"x, w"``; an earlier release wrote ``("x", "w")``.
Names = str | Iterable[str]

#: Frames of ours between a function of the program and the original that it calls: the function's own, and `deeper`.
_FRAMES = 2

#: Flags of code objects, as ``inspect`` calls them: it takes longer to import than all of this.
_COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR, _GENERATOR, _FAST_LOCALS = 0x80, 0x100, 0x200, 0x20, 0x1


class Options(NamedTuple):
    """What the decorator says, see :func:`migrated`."""

    mutates: tuple[str, ...]
    returns: tuple[str, ...]
    arrays: tuple[str, ...]
    refuses: dict[str, str]
    scalars: tuple[str, ...]
    hosted: tuple[str, ...]
    updates: tuple[str, ...]
    methods: tuple[str, ...]
    zero_d: str
    compile: str
    original: Callable[..., Any] | None
    on_unverified: str
    pure: bool
    above: int | None
    elements: Elements
    rows: tuple[str, ...]
    device: str
    float32: bool
    state: tuple[str, ...] | None
    tensors: tuple[str, ...]
    work: int | str
    door: dict[str, tuple[str, ...]]  #: word of ``admission.WORDS`` -> the parameters that it is said of
    objects: dict[str, str]  #: parameter -> the name of its class


class _Decorator(Protocol[P]):
    """A decorator that is used with arguments, those of `P`, or bare."""

    @overload
    def __call__(self, function: F, /) -> F: ...
    @overload
    def __call__(self, *args: P.args, **words: P.kwargs) -> Callable[[F], F]: ...


def _or_bare(decorator: Callable[P, Callable[[F], F]]) -> _Decorator[P]:
    """`decorator`, which may be used bare as well. Its arguments are declared where it is defined, and nowhere else."""

    @functools.wraps(decorator)
    def either(function: Any = None, /, **words: Any) -> Any:
        decorate: Callable[[Any], Any] = decorator(**words)  # type: ignore[call-arg]
        return decorate if function is None else decorate(function)

    return cast(_Decorator[P], either)


@_or_bare
def migrated(
    *,
    mutates: Names = (),
    returns: Names = (),
    arrays: Names = (),
    no_lists: str = "",
    refuses: Mapping[str, str] | None = None,
    scalars: Names = (),
    hosted: Names = (),
    updates: Names = (),
    methods: Names = (),
    zero_d: str = "scalar",
    compile: str = "none",
    original: Callable[..., Any] | None = None,
    on_unverified: str = "raise",
    pure: bool = False,
    above: int | None = None,
    elements: Elements = 0,
    rows: Names = (),
    device: str = "",
    float32: bool = False,
    state: Names | None = None,
    tensors: Names = (),
    work: int | str = 0,
    floats: str = "",
    reals: str = "",
    inexact: str = "",
    numbers: str = "",
    floats_or_numbers: str = "",
    reals_or_numbers: str = "",
    inexact_or_numbers: str = "",
    arrays_or_numbers: str = "",
    counts: str = "",
    sizes: str = "",
    axes: str = "",
    generators: str = "",
    objects: str = "",
    changes: Names = (),
) -> Callable[[F], F]:
    """Make a function, whose body works on tensors, keep its NumPy contract: bare, or with arguments.

    Parameters
    ----------
    updates : parameters, as in ``updates="x, w"``, that the body may update; it then returns ``rt.updated(result,
        name=final, ...)``. The final values are copied into the caller's ndarrays. Where it is no text but a tuple, as
        an earlier release wrote, it means what `changes` means.
    mutates : as an earlier release wrote: what `updates` names today.
    returns : parameters that the result may *be*; where it is, the caller's own object is returned.
    floats : parameters, as in ``floats="x, w"``, that are ndarrays of float32 or float64 with at least one element and
        one axis.
    reals : the same of int32 and int64, too.
    inexact : the same of float32, float64, complex64 and complex128.
    arrays : the same of any dtype of numbers, and of bool. Where it is no text but a tuple of names, as an earlier
        release wrote: what `no_lists` says.
    no_lists : parameters that must be exact ndarrays or numbers, or None: no lists, nor objects of other classes.
    numbers : parameters that are real numbers: Python's, or NumPy's of 32 and 64 bits; no bool. In ``.core`` tensors
        count as arrays, and those without dimensions as numbers.
    floats_or_numbers, reals_or_numbers, inexact_or_numbers, arrays_or_numbers : parameters that are such arrays, or
        numbers: of NumPy's those of the same dtypes, of Python's the complex ones only where these are among them. An
        earlier release wrote the parameter under both words.
    counts : parameters that are Python's own integers, of at most 64 bits.
    sizes : parameters that are integers, of Python's or of NumPy's with 32 or 64 bits, or tuples or lists of such.
    axes : parameters that are such integers, tuples of them, or None.
    generators : parameters that are objects of ``np.random.Generator`` or ``RandomState``.
    objects : parameters, as in ``objects="net: Network"``, that are objects of just this class of the module, which has
        the methods that it was written with. The body calls their cores.
    scalars : parameters that must not be arrays: the body treats them as plain Python values.
    hosted : parameters that reach the body as they are: the caller's own ndarrays and containers.
    changes : globals (``"TABLE"``), attributes of any object (``".w"``) and hosted parameters (``"@p"``) whose arrays
        the body, or what it calls, changes in place; an argument that shares memory with one is refused.
    methods : of the object, those that the body calls: an object with others, which a subclass in another module, or
        the object itself, has in their place, is refused.
    refuses : parameter -> dtype characters that were not verified for it.
    zero_d : whether a 0-d result is a NumPy ``"scalar"`` or an ``"array"``; ``"unverified"`` refuses one.
    compile : ``"graph"`` or ``"xla"`` runs the body as one graph, traced once for each combination of dtypes, shapes
        and values of other arguments; calls that cannot be traced run eagerly, and the logger ``np2tnp`` says why.
        ``"auto"`` runs the body eagerly; where there is a GPU, a signature whose calls took about a second is compiled
        by XLA, and stays so if that is faster. ``NP2TNP_COMPILE=0`` compiles nothing, ``1`` all at the first call, and
        ``hot`` what took a second on a CPU, too.
    original : the function as it was before the migration; it shares the decorated function's defaults. Where it stands
        below instead, :func:`original` decorates it.
    on_unverified : what the public function does with a call that it would refuse: ``"raise"`` UnverifiedError,
        ``"numpy"`` calls `original`, ``"warn"`` does so with one UnverifiedWarning a function.
    pure : the body changes nothing but what it returns, and of ``self`` it only reads attributes, so `original` may be
        called after a refusal inside it, too.
    above : the public function calls `original` when nothing that it is given, no attribute of ``self`` and nothing
        that `elements` tells of has this many elements: NumPy is faster there. ``NEVER``: always; only ``.core`` works
        with TensorFlow. None: 100,000 where there is a GPU and always where there is none (unless `device` names one),
        but 0 with `float32`, and with `compile` unless that is "auto". 0: TensorFlow does all work. ``NP2TNP_ABOVE`` in
        the environment takes its place.
    elements : how many the largest array has that the function makes itself, where the text tells: a number, or a
        function of parameters, by their names.
    rows : parameters of which the body takes one item along the first axis at a time: such an array has as many
        elements as one of its items.
    device : where TensorFlow works, such as ``"/GPU:0"``; RuntimeError where there is no such device.
    float32 : the body works in float32 and complex64 where NumPy works in float64 and complex128. Callers see NumPy's
        dtypes, but values that are right to about seven digits. A call with arrays of float32, complex64 or float16
        among its arguments runs as it would without.
    state : of a method that `compile` compiles: the attributes of its object that may be arrays. It only reads its
        object, and these only through the runtime. Their values at each call are further inputs of the graph.
    tensors : of a method: the attributes of its object that it takes as tensors where it finds tensors. ndarrays that
        nobody but the object holds become tensors before it runs (``rewrite --state tensor``).

    work : what the body does with its arrays, where that is little, or more than their sizes say: so many operations
        on each element, or ``"matmul"`` (products of matrices) or ``"solve"`` (factorisations). Where `above` and the
        environment decide nothing, TensorFlow then works only where it wins more than moving the arrays takes, by the
        machine's figures. Without: many operations, so that the number of elements decides alone.

    A generator function is looked at when it is called, and works step by step. It can neither update parameters for
    its caller, nor be compiled, nor work in float32; TypeError where it should.

    The decorated function has ``.core``: tensors in, tensors out, for calls between migrated functions. On a method
    it is called with the instance: ``obj.method.core(obj, x)``. ndarrays given to it are converted, except for
    `mutates` parameters, which the body then updates in place.

    Raises
    ------
    UnverifiedError
        When called with something for which equality with NumPy was not verified (see docs/dev/reference).
        Refused before the body runs, which is what `refuses`, `arrays` and the classes of arguments decide, it leaves
        all arguments as they were. Inside of it, no argument in `mutates` is written back, but what NumPy's part of the
        body, or a function that it called, has updated by then stays so.
    RuntimeError
        In a process forked after TensorFlow ran, without an original to call.
    """
    if zero_d not in ("scalar", "array", "unverified"):
        raise ValueError(f"zero_d must be 'scalar', 'array' or 'unverified', not {zero_d!r}")
    if on_unverified not in ("raise", "warn", "numpy"):
        raise ValueError(f"on_unverified must be 'raise', 'warn' or 'numpy', not {on_unverified!r}")
    if on_unverified != "raise" and original is None:
        raise ValueError(f"on_unverified={on_unverified!r} needs the original")
    if above and original is None:
        raise ValueError(f"above={above!r} needs the original")
    _check_work(work)
    if compile not in ("none", "auto", "graph", "xla"):
        raise ValueError(f"compile must be 'none', 'auto', 'graph' or 'xla', not {compile!r}")

    if isinstance(updates, str):
        mutates, updates = names_in(updates), ()
    options = Options(
        names_in(mutates),
        names_in(returns),
        names_in(no_lists) if isinstance(arrays, str) else (*arrays, *names_in(no_lists)),
        dict(refuses or {}),
        names_in(scalars),
        names_in(hosted),
        (*names_in(updates), *names_in(changes)),
        names_in(methods),
        zero_d,
        compile,
        original,
        on_unverified,
        pure,
        above,
        elements,
        names_in(rows),
        device,
        float32,
        None if state is None else names_in(state),
        names_in(tensors),
        work,
        _door(
            floats=(floats, floats_or_numbers),
            reals=(reals, reals_or_numbers),
            inexact=(inexact, inexact_or_numbers),
            arrays=(arrays, arrays_or_numbers),
            numbers=(numbers, floats_or_numbers, reals_or_numbers, inexact_or_numbers, arrays_or_numbers),
            counts=(counts,),
            sizes=(sizes,),
            axes=(axes,),
            generators=(generators,),
        ),
        {name: of.strip() for name, _, of in (pair.partition(":") for pair in names_in(objects))},
    )

    def decorate(body: F) -> F:
        _check_kind(body, options)
        if original is not None:
            _settle_original(original, body, sys._getframe(1))
        return cast(F, _Door(body, options).public)

    return decorate


def _door(**words: tuple[Any, ...]) -> dict[str, tuple[str, ...]]:
    found = {
        word: [it for text in texts if isinstance(text, str) for it in names_in(text)] for word, texts in words.items()
    }
    return {word: tuple(names) for word, names in found.items() if names}


def names_in(text: Names) -> tuple[str, ...]:
    """The names in ``"x, w"``, or in a tuple."""
    return tuple(part.strip() for part in text.split(",") if part) if isinstance(text, str) else tuple(text)


def original(
    name: str,
    *,
    effects: bool = False,
    on_unverified: str = "numpy",
    **more: Any,
) -> Callable[[Callable[..., Any]], None]:
    """Make the decorated function the original of the migrated function `name` of its module, or ``"Class.name"``.

    It is what answers the calls that the migrated function does not take. Nothing is bound to its own name.

    Parameters
    ----------
    effects : whether the body does more than give its result and update parameters, so that a call that was refused
        half-way must not begin again.
    on_unverified, above, elements, rows, work, returns, scalars, hosted, changes, methods, zero_d, state, compile : see
        :func:`migrated`, whose decorator says what a reader wants to know, and this one the rest.
    """
    if on_unverified not in ("raise", "warn", "numpy"):
        raise ValueError(f"on_unverified must be 'raise', 'warn' or 'numpy', not {on_unverified!r}")
    facts: dict[str, Any] = {"on_unverified": on_unverified, "pure": not effects}
    for word, value in more.items():
        if word not in _OF_ORIGINALS:
            raise TypeError(f"rt.original() takes no argument {word!r}")
        if word == "work":
            _check_work(value)
        facts["updates" if word == "changes" else word] = names_in(value) if word in _LISTS else value

    def attach(function: Callable[..., Any]) -> None:
        door = _waiting.pop((id(getattr(function, "__globals__", None)), name), None)
        if door is not None:  # else nobody can call it any more
            door.attach(function, facts)

    return attach


#: Doors whose originals may come: by the globals of their functions, and the qualified names in them.
_waiting: weakref.WeakValueDictionary[tuple[int, str], _Door] = weakref.WeakValueDictionary()
_LISTS = ("rows", "returns", "scalars", "hosted", "changes", "methods", "state")
_OF_ORIGINALS = (*_LISTS, "above", "elements", "zero_d", "work", "compile")


def is_threshold_set() -> bool:
    """Whether the environment says how large arrays must be for TensorFlow."""
    return os.environ.get("NP2TNP_ABOVE", "").isdecimal()


class _Door:
    """A migrated function. What it does when TensorFlow has work is made when that is first so."""

    def __init__(self, body: Callable[..., Any], options: Options) -> None:
        self.body, self.options = body, options
        note_rewritten(getattr(body, "__code__", None))
        self.original: Any = None
        self.modules = sys.modules
        self.is_running = False
        self.call = self._first
        self._whole: Any = None
        self._lock = threading.RLock()
        self.waits = False
        self.public = functools.update_wrapper(with_parameters_of(body, self), body)
        if isinstance(body, FunctionType):
            del self.public.__wrapped__  # who unwraps functions must not call the body
        if not _flags(body) & _GENERATOR:
            self._has_core(self._core())
        self._settle(options)
        if options.original is None:
            _waiting[id(getattr(body, "__globals__", None)), body.__qualname__] = self

    def attach(self, original: Callable[..., Any], facts: dict[str, Any]) -> None:
        """Have the original and what is said beside it."""
        _take_place(original, self.body)
        with self._lock:
            self._whole, self.call = None, self._first
            self._settle(self.options._replace(original=original, **facts))

    def _settle(self, options: Options) -> None:
        self.options, self.original = options, options.original
        self.waits = "tensorflow" not in sys.modules and _is_for_a_gpu(options) and not may_have_gpu()
        if "tensorflow" in sys.modules:
            self._made()

    def deeper(self, *args: Any, **kwargs: Any) -> Any:
        """The result of a call while one is running: our frames must not use up the program's limit of recursion."""
        allow(_FRAMES)
        try:
            if self.waits and "tensorflow" not in self.modules:
                return self.original(*args, **kwargs)
            return self.call(*args, **kwargs)
        finally:
            withdraw(_FRAMES)

    def _first(self, *args: Any, **kwargs: Any) -> Any:
        return self._made()(*args, **kwargs)

    def _made(self) -> Any:
        with self._lock:
            if self._whole is None:
                # It needs all of the runtime, and decorating must stay cheap.
                wrapper = importlib.import_module(f"{own_package}.boundary.wrapper")
                self._whole = self.call = wrapper.wrap(self.body, self.options)
                if hasattr(self._whole, "core"):
                    self._has_core(self._whole.core)
        return self._whole

    def _core(self) -> Any:
        @functools.wraps(self.body)
        def core(*args: Any, **kwargs: Any) -> Any:
            return self._made().core(*args, **kwargs)

        return core

    def _has_core(self, core: Any) -> None:
        core.__qualname__ = f"{self.body.__qualname__}.core"  # so that it pickles by name too
        core.mutates, core.float32 = self.options.mutates, self.options.float32
        core.public = self.public
        self.public.core = core  # type: ignore[attr-defined]


def note_rewritten(code: Any) -> None:
    """Operators of tensors are NumPy's in this code, and in what is defined in it."""
    if type(code) is CodeType:
        EXACT_OPERATORS[id(code)] = code  # kept, so that the id stays its own
        for constant in code.co_consts:
            note_rewritten(constant)


def _is_for_a_gpu(options: Options) -> bool:
    """Whether TensorFlow works only where there is a GPU, or a tensor among the arguments."""
    left = options.original is not None and options.above is None and options.compile in EAGERLY
    return left and not (options.device or options.float32 or options.tensors or is_threshold_set())


def _check_work(work: int | str) -> None:
    if work not in ("matmul", "solve") and not (isinstance(work, int) and work >= 0):
        raise ValueError(f"work must be 'matmul', 'solve' or a number of operations, not {work!r}")


def _check_kind(body: Callable[..., Any], options: Options) -> None:
    flags = _flags(body)
    if flags & (_COROUTINE | _ITERABLE_COROUTINE | _ASYNC_GENERATOR):
        raise TypeError(f"{body.__qualname__}: coroutines run between calls and cannot be migrated")
    if flags & _GENERATOR and (options.mutates or options.compile != "none" or options.float32):
        raise TypeError(f"{body.__qualname__}: a generator works step by step, on its caller's own objects")


def _flags(function: Callable[..., Any]) -> int:
    return getattr(getattr(function, "__code__", None), "co_flags", 0)


def _settle_original(original: Callable[..., Any], body: Callable[..., Any], frame: FrameType) -> None:
    """Make the kept original the function that it was: its name, its defaults, and nobody finds a second one.

    Who looks through a module or a class (a registry, a metaclass, pytest) must not take it for one of the program's.
    `frame`: of the module or class in which both are defined.
    """
    name = getattr(original, "__name__", "")
    is_ours = name.rstrip("_") == f"_{body.__name__.strip('_') or 'function'}_numpy"
    _take_place(original, body, is_ours)
    if is_ours and not frame.f_code.co_flags & _FAST_LOCALS and frame.f_locals.get(name) is original:
        del frame.f_locals[name]


def _take_place(original: Callable[..., Any], body: Callable[..., Any], is_renamed: bool = True) -> None:
    """Give the original the default objects of `body`, and its name."""
    for attribute in ("__defaults__", "__kwdefaults__"):  # what is changed in place must be one object
        if hasattr(original, attribute):
            setattr(original, attribute, getattr(body, attribute))
    if not is_renamed or not hasattr(original, "__code__"):
        return
    original.__code__ = _renamed(original.__code__, original.__qualname__, body.__qualname__)
    original.__name__, original.__qualname__ = body.__name__, body.__qualname__


def _renamed(code: CodeType, old: str, new: str) -> CodeType:
    """The code of a function `old`, and of what is defined in it, as that of a function `new`."""
    name = new.rpartition(".")[2] if code.co_name == old.rpartition(".")[2] else code.co_name
    inner = f"{old}.<locals>."
    constants = tuple(
        _renamed(constant, old, new)
        if isinstance(constant, CodeType)
        else new + constant.removeprefix(old)
        if isinstance(constant, str) and constant.startswith(inner)
        else constant
        for constant in code.co_consts
    )
    changes: dict[str, Any] = {"co_name": name, "co_consts": constants}
    full = getattr(code, "co_qualname", "")  # of Python 3.11
    if full == old or full.startswith(inner):
        changes["co_qualname"] = new + full.removeprefix(old)
    return code.replace(**changes)
