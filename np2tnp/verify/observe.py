"""What one call does, written down as plain data that travels between processes and can be compared.

Runs in the child processes. NumPy is imported; TensorFlow only where the code under observation imports it.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from np2tnp.verify.module_state import Globals


# --- What a call does outside of its process, as Python's audit events tell: files it writes, programs it starts
#
# Seen, or refused before it happens. Runs in the child processes. An audit hook stays for good; this one does nothing
# while nobody looks.

_EVENTS = {
    "os.system": "starts programs",
    "subprocess.Popen": "starts programs",
    "os.posix_spawn": "starts programs",
    "os.fork": "starts processes",
    "socket.connect": "opens connections",
    "os.remove": "removes files",
    "os.rename": "renames files",
    "os.mkdir": "makes folders",
    "os.rmdir": "removes folders",
    "shutil.rmtree": "removes folders",
}
#: What is refused besides: none of it is something that a function under test does unnoticed.
_REFUSED = (
    "builtins.input", "ftplib.", "os.chmod", "os.chown", "os.exec", "os.forkpty", "os.kill", "os.link", "os.spawn",
    "os.startfile", "os.symlink", "os.truncate", "pty.spawn", "shutil.", "signal.pthread_kill", "smtplib.", "socket.",
    "sqlite3.connect", "urllib.Request", "webbrowser.open",
)  # fmt: skip
_seen: list[str] | None = None
_refuses = False
_is_installed = False


@contextlib.contextmanager
def watch_outside() -> Iterator[list[str]]:
    """A list that fills with what happens meanwhile, each once: ``writes out.txt``, ``starts programs``."""
    global _seen
    _install()
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None


@contextlib.contextmanager
def refuse_outside() -> Iterator[None]:
    """PermissionError for whatever would be seen outside of the process: nothing of that kind happens meanwhile."""
    global _refuses
    _install()
    stdin, sys.stdin, _refuses = sys.stdin, io.StringIO(), True
    try:
        yield
    finally:
        sys.stdin, _refuses = stdin, False


def _install() -> None:
    global _is_installed
    if not _is_installed:
        sys.addaudithook(_hook)
        _is_installed = True


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _seen is None and not _refuses:
        return
    said = _EVENTS.get(event, "")
    if event == "open" and isinstance(args[0], (str, bytes)) and _is_for_writing(args[1], args[2]):
        name = os.path.basename(os.fsdecode(args[0]))
        said = "" if name.endswith(".pyc") or args[0] == os.devnull else f"writes {name}"
    if _refuses and (said or event.startswith(_REFUSED)):
        raise PermissionError(f"refused while arguments are looked for: {said or event}")
    if said and _seen is not None and said not in _seen:
        _seen.append(said)


def _is_for_writing(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_ITEMS = 1000  #: how much of a generator is read
_latest = 0  #: the number of the call that was observed last


@dataclass(frozen=True)
class Frozen:
    """Stands for an object that is no array, number, string or container: its class and what it holds."""

    kind: str
    content: Any = None


@dataclass(frozen=True)
class Observation:
    """One call from outside: what it returned or raised, printed, and left behind."""

    status: str  #: ``returned`` ``raised`` ``refused``
    value: Any = None
    error: str = ""
    bases: tuple[str, ...] = ()
    message: str = ""
    after: dict[str, Any] = field(default_factory=dict)  #: arguments, ``self`` and changed globals afterwards
    printed: str = ""
    operations: int = 0  #: TensorFlow operations executed
    draws: bool = False  #: whether some of them drew random numbers
    shares: tuple[str, ...] = ()  #: "result is x", "result shares memory with x"
    changed: bool = False  #: whether any argument or global differs from before
    outside: tuple[str, ...] = ()  #: what it did outside of its process: "writes out.txt"
    single: bool = False  #: whether it worked in float32 where NumPy works in float64 (``--float32``)
    casts: bool = False  #: whether NumPy warned that an integer type cannot hold a number, which has no defined result
    undefined: str = ""  #: what had no defined result, as a noisy program (noise.py) tells
    underflows: bool = False  #: whether NumPy had a number with fewer bits than a normal one has, or 0 in its place

    @property
    def returned(self) -> bool:
        return self.status == "returned"


class UndefinedWarning(RuntimeWarning):
    """Given by a noisy program where NumPy promises nothing about the result."""


class TimeIsUp(BaseException):
    """The time for one call is over."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeIsUp in the main thread after `seconds`, as far as Python code runs (the parent kills the rest)."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TimeIsUp

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def freeze(value: Any, seen: frozenset[int] = frozenset()) -> Any:
    """A copy of `value` as plain data: arrays, numbers, strings, containers, and Frozen for everything else."""
    if type(value) in _PLAIN or isinstance(value, np.generic):
        return value
    if type(value) is np.ndarray:
        if value.dtype.kind == "O":
            return Frozen("ndarray of objects", [value.shape, [freeze(item, seen) for item in value.ravel().tolist()]])
        return np.array(value, order="C")
    if id(value) in seen or len(seen) > 20:
        return Frozen(f"cycle to {_name(value)}")
    inside = seen | {id(value)}
    if type(value) in (list, tuple):
        return type(value)(freeze(item, inside) for item in value)
    if type(value) is dict:
        return {_freeze_key(key): freeze(item, inside) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return Frozen(_name(value), sorted(repr(item) for item in value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Frozen(_name(value), [freeze(item, inside) for item in value])
    return _freeze_object(value, inside)


def _freeze_object(value: Any, inside: frozenset[int]) -> Any:
    if isinstance(value, np.ndarray):
        content = [np.array(value, subok=False), getattr(value, "mask", None)]
        return Frozen(
            _name(value), [freeze(part, inside) for part in content] if value.dtype.kind != "O" else repr(value)
        )
    if isinstance(value, np.dtype):
        return Frozen("dtype", str(value))
    if isinstance(value, types.GeneratorType) or type(value) in (map, filter, zip, range):
        return Frozen(type(value).__name__, [freeze(item, inside) for item in itertools.islice(value, _ITEMS)])
    if isinstance(value, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, np.ufunc)):
        return Frozen("callable", getattr(value, "__qualname__", getattr(value, "__name__", "")))
    if isinstance(value, types.ModuleType):
        return Frozen("module", value.__name__)
    if isinstance(value, np.random.Generator):
        return Frozen("Generator", repr(value.bit_generator.state))
    if isinstance(value, np.random.RandomState):
        return Frozen("RandomState", repr(value.get_state()))
    if type(value).__module__.partition(".")[0] == "tensorflow":
        return Frozen("tensor")
    if hasattr(value, "_fields") and isinstance(value, tuple):
        return Frozen(_name(value), [freeze(item, inside) for item in value])
    state = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                state[name] = getattr(value, name)
    if isinstance(value, (list, dict, tuple)):
        state["items"] = list(value.items()) if isinstance(value, dict) else list(value)
    state = _without_tensors(state)
    return Frozen(_name(value), {str(key): freeze(item, inside) for key, item in state.items()})


def _without_tensors(state: dict[str, Any]) -> dict[str, Any]:
    """What an object holds, with arrays for the tensors that it may hold (``--state tensor``)."""
    names = frozenset[str]().union(*(module.all_names() for module in _runtimes("object_state")))
    return {key: _array(item) if key in names else item for key, item in state.items()} if names else state


def _array(value: Any) -> Any:
    if type(value).__module__.partition(".")[0] != "tensorflow" or not hasattr(value, "numpy"):
        return value
    array = np.array(value.numpy())
    return array if array.ndim else array[()]


def _freeze_key(key: Any) -> Any:
    return key if isinstance(key, (str, int, float, bool, tuple, type(None))) else repr(key)


def _name(value: Any) -> str:
    return type(value).__qualname__


def flatten(value: Any, path: str = "result") -> dict[str, Any]:
    """Every leaf of frozen data under the name a person would give it; containers leave a mark of type and size."""
    if isinstance(value, Frozen):
        return {f"type of {path}": value.kind, **flatten(value.content, path)}
    if type(value) in (list, tuple):
        flat: dict[str, Any] = {f"type of {path}": (type(value).__name__, len(value))}
        for i, item in enumerate(value):
            flat.update(flatten(item, f"{path}[{i}]"))
        return flat
    if type(value) is dict:
        flat = {f"type of {path}": ("dict", tuple(value))}
        for key, item in value.items():
            flat.update(flatten(item, f"{path}[{key!r}]"))
        return flat
    return {path: value}


def is_same(one: Any, other: Any) -> bool:
    """Whether two frozen values have the same leaves, bit for bit."""
    a, b = flatten(one), flatten(other)
    return a.keys() == b.keys() and all(_is_same_leaf(a[key], b[key]) for key in a)


def _is_same_leaf(a: Any, b: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic)) and isinstance(b, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and bool(a == b or (a != a and b != b))


def calls_observed() -> int:
    """How many calls were observed, the present one included: what happens while it stays the same is of one call."""
    return _latest


def _watch(seen: list[str]) -> Callable[[str, int], None]:
    """What NumPy tells of underflow, which `seen` takes. Migrated functions need not tell."""

    def watch(what: str, _: int) -> None:
        seen.append(what)

    watch.only_watches = True  # type: ignore[attr-defined]
    return watch


def observe(
    call: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
    owner: Any = None,
    state: Globals | None = None,
    counter: Callable[[], Any] | None = None,
    names: tuple[str, ...] = (),
) -> Observation:
    """Call and write down everything a caller could see.

    Parameters
    ----------
    owner : the object whose method is called; its attributes afterwards are part of the observation.
    counter : gives a context manager whose value has ``work``: TensorFlow operations executed inside.
    names : of the arguments, for people.
    """
    global _latest
    _latest += 1
    held = [*args, *kwargs.values()]
    labels = [*names[: len(args)], *(f"argument {i + 1}" for i in range(len(names), len(args))), *kwargs]
    before = [freeze(item) for item in held]
    printed = io.StringIO()
    seed_all()
    single = _single_calls()
    counted: Any = None
    result: Any = None
    error: Exception | None = None
    small: list[str] = []
    with contextlib.ExitStack() as stack:
        warned = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", "invalid value encountered in cast")
        warnings.filterwarnings("always", category=UndefinedWarning)
        stack.enter_context(np.errstate(under="call", call=_watch(small)))
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        counted = stack.enter_context(counter()) if counter else None
        outside = stack.enter_context(watch_outside())
        try:
            result = call(*args, **kwargs)
            value = freeze(result)
        except SystemExit as stop:
            error = RuntimeError(f"SystemExit({stop.code!r})")
        except Exception as caught:
            error = caught
    after = {label: freeze(item) for label, item in zip(labels, held, strict=True)}
    changed = any(not is_same(now, then) for now, then in zip(after.values(), before, strict=True))
    if owner is not None:
        after["self"] = freeze(owner)
    if state is not None:
        after.update({f"global {name}": item for name, item in state.changed().items()})
    common: dict[str, Any] = {
        "after": after,
        "printed": printed.getvalue(),
        "operations": counted.work if counted is not None else 0,
        "draws": counted is not None and any(name.startswith("StatelessRandom") for name in counted.ops),
        "single": _single_calls() > single,
        "changed": changed,
        "casts": any(it.category is not UndefinedWarning for it in warned),
        "undefined": next((str(it.message) for it in warned if it.category is UndefinedWarning), ""),
        "underflows": bool(small),
        "outside": tuple(outside),
    }
    if error is not None:
        bases = tuple(base.__name__ for base in type(error).__mro__)
        status = "refused" if "UnverifiedError" in bases else "raised"
        return Observation(status, error=bases[0], bases=bases, message=str(error)[:500], **common)
    return Observation(
        "returned", value, shares=_sharing(result, dict(zip(labels, held, strict=True)), owner), **common
    )


def _single_calls() -> int:
    """How many calls worked in float32 so far, by whichever copy of the runtime."""
    return sum(int(module.RUNS["float32"]) for module in _runtimes("precision"))


def _runtimes(name: str) -> list[Any]:
    """The runtime's module of that name, once for each copy of the runtime, in whichever of its folders it stands."""
    paths = _paths_of(name, len(sys.modules), next(reversed(sys.modules), ""))
    return [sys.modules[path] for path in paths if path in sys.modules]


@lru_cache(maxsize=8)
def _paths_of(name: str, count: int, latest: str) -> list[str]:
    """How such modules are called. What is imported is the latest: the thousands are looked through when there are new.

    A call takes a tenth of the time of one look through TensorFlow's modules, and each is observed.
    """
    ending = f".{name}"
    return [path for path in list(sys.modules) if path.endswith(ending) and "runtime." in path]


def seed_all() -> None:
    """Set the global random streams of Python and NumPy to where every observed call finds them."""
    np.random.seed(0)
    random.seed(0)


def _sharing(result: Any, arguments: dict[str, Any], owner: Any) -> tuple[str, ...]:
    """Which arrays of the result and of the owner are, or share memory with, an argument or each other.

    Those without dimensions are left out: they count as scalars.
    """
    held = getattr(owner, "__dict__", {}) if owner is not None else {}
    arrays = (*_arrays(result, "result"), *_arrays(held, "self"))
    made = {label: part for label, part in arrays if part.size and part.ndim}
    given = {label: part for name, value in arguments.items() for label, part in _arrays(value, name)}
    found = []
    for label, part in made.items():
        for name, other in given.items():
            if part is other:
                found.append(f"{label} is {name}")
            elif _shares(part, other):
                found.append(f"{label} shares memory with {name}")
    for (one, part), (two, other) in itertools.combinations(made.items(), 2):
        if _shares(part, other):
            found.append(f"{one} shares memory with {two}")
    return tuple(found)


def _arrays(value: Any, label: str, depth: int = 3) -> Iterator[tuple[str, Any]]:
    """Every ndarray in nested containers, under the name a person would give it."""
    if type(value) is np.ndarray:
        yield label, value
    elif type(value) in (list, tuple) and depth:
        for i, item in enumerate(value[:20]):
            yield from _arrays(item, f"{label}[{i}]", depth - 1)
    elif type(value) is dict and depth:
        for key, item in itertools.islice(value.items(), 20):
            yield from _arrays(item, f"{label}[{key!r}]", depth - 1)


def _shares(one: Any, other: Any) -> bool:
    try:
        return bool(np.shares_memory(one, other, max_work=1000))  # type: ignore[arg-type] # any number, whatever the stubs say
    except np.exceptions.TooHardError:
        return bool(np.may_share_memory(one, other))
