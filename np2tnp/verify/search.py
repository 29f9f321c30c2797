"""Learn by trying what arguments a function takes: those on which the original returns.

Nothing about a function is known for certain but what it does. So candidate arguments are drawn, most likely first
(hints.py), the original is called with them in its child process, and the combinations of kinds on which it returned
are kept.
"""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import io
import itertools
import os
import pickle
import re
import time
import tracemalloc
import types
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from np2tnp.verify import harvest
from np2tnp.verify.harvest import entries
from np2tnp.verify.hints import Parameter
from np2tnp.verify.inputs import ARRAY_KINDS, SIZES, Draw, Profile, another, call_of, edges
from np2tnp.verify.loading import Program, Target, bind
from np2tnp.verify.module_state import Globals
from np2tnp.verify.observe import TimeIsUp, refuse_outside, time_limit
from np2tnp.verify.recorded import EDGED, FEW, around
from np2tnp.verify.round_numbers import sizes_for, with_equal_kinds, with_round_numbers
from np2tnp.verify.specs import Array, Call, Case, Instance

# --- Trials that a process may not survive: which one it was, for the process that comes after it
#
# A call can kill its process, or stay in native code for good (LAPACK does, on some infinite numbers), where no
# signal of Python's reaches it. So each trial is noted in a file before it begins, and a process in which one hangs
# ends.


class Trials:
    """Notes in the file `path` (empty: nowhere) what kind of call is tried; what `avoided` names is not tried again."""

    def __init__(self, path: str, seconds: float) -> None:
        self.avoided: frozenset[str] = frozenset()
        self._path = path
        self._seconds = seconds
        self._silence = open(os.devnull, "w") if path else None  # noqa: SIM115 - for as long as the process lives

    @contextlib.contextmanager
    def trial(self, case: Case) -> Iterator[bool]:
        """Whether `case` may be tried, which ends the process when it takes too long."""
        if self._silence is None:
            yield True
            return
        name = kind_of(case)
        if name in self.avoided:
            yield False
            return
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(name)
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._silence)
        try:
            yield True
        finally:
            faulthandler.cancel_dump_traceback_later()
            os.truncate(self._path, 0)


def kind_of(case: Case) -> str:
    """What calls have in common that mostly end alike: the target, and for each argument its type, rank and range."""
    calls = [*([case.construct] if isinstance(case.construct, Call) else []), case.call]
    return f"{case.target}({', '.join(_kind(item) for call in calls for item in call.items())})"


def _kind(item: Any) -> str:
    values = item.values if isinstance(item, Array) else item
    if not isinstance(values, (np.ndarray, np.generic, int, float, complex)):
        return type(item).__name__
    array = np.asarray(values)
    words = [type(item).__name__, array.dtype.kind, str(array.ndim), "" if array.size else "empty"]
    if array.dtype.kind in "fc":
        words.append("" if np.isfinite(array).all() else "not finite")
    if array.dtype.kind in "if":
        words.append("negative" if (array < 0).any() else "")
    return " ".join(filter(None, words))


# --- What the exceptions of the original say about its arguments

#: What an exception of the original teaches: kinds to try more, kinds to try less.
_LESSONS = tuple(
    (re.compile(pattern), frozenset(more.split()), frozenset(less.split()))
    for pattern, more, less in (
        (r"used as indices must be of integer|indices must be integers|valid indices", "integers int", ""),
        (r"cannot be interpreted as an integer|expected an integer|slice indices must be", "int", ""),
        (r"Cannot cast (array data|ufunc).* to dtype\('(u?int|bool)", "", "integers image mask grid colour int"),
        (r"Cannot cast (array data|ufunc).* from dtype\('float", "integers", ""),
        (
            r"no len\(\)|has no attribute '(shape|ndim|size|T|dtype|astype|sum|mean|copy)'|is not subscriptable",
            "vector matrix",
            "",
        ),
        (
            r"too many indices|not enough values to unpack|axis 1 is out of bounds|must be (square|two|2)",
            "matrix square points",
            "",
        ),
        (r"too many values to unpack \(expected 2", "couple places", "cube colour"),
        (r"too many values to unpack \(expected 3", "triple points", "colour"),
        (r"too many values to unpack \(expected 4", "four", "cube colour"),
        (r"enough values to unpack \(expected 3|subscripts string contains too many", "cube", ""),
        (r"enough values to unpack \(expected 4", "batch kernels", ""),
        (r"too many values to unpack", "vector matrix", "cube colour"),
        (r"cross product|shapes? .*\(3,\)", "triple points", ""),
        (r"shapes? .*\(2,\)", "couple places", ""),
        (r"is not callable", "callable", ""),
        (
            r"can only convert an array of size 1|only (length-1|0-dimensional) arrays|truth value of an array",
            "int float",
            "",
        ),
        (r"'NoneType'", "", "none default"),
    )
)

_STEP, _MOST, _LEAST = 1.15, 8.0, 0.1


class Lessons:
    """How much more, or less, likely a kind of argument has become by what was raised so far."""

    def __init__(self) -> None:
        self._weights: dict[str, float] = {}

    def weight(self, kind: str) -> float:
        """The factor for `kind`; 1 where nothing was learnt."""
        return self._weights.get(kind, 1.0)

    def learn(self, message: str) -> None:
        """Take an exception's text into account."""
        for pattern, more, less in _LESSONS:
            if pattern.search(message):
                for kind in more:
                    self._weights[kind] = min(_MOST, self.weight(kind) * _STEP)
                for kind in less:
                    self._weights[kind] = max(_LEAST, self.weight(kind) / _STEP)


# --- Which combinations of kinds of arguments look most like what people pass

#: Kinds tried in the place of others of the same look, because only trying tells a (n, m) from an (m, k).
VARIANTS = {"matrix": ("turned", "inner", "masks", "grid"), "vector": ("other",), "integers": ("mask",)}


def _weight(parameter: Parameter, kind: str) -> float:
    for general, variants in VARIANTS.items():
        if kind in variants:
            return 0.7 * parameter.kinds.get(general, 0.0)
    return parameter.kinds.get(kind, 100.0)


def plausibility(profile: Profile) -> float:
    """How much `profile` looks like what people pass: 1 where every kind is its parameter's likeliest."""
    shares = [
        _weight(parameter, kind) / max(parameter.kinds.values()) for parameter, kind in profile if kind != "default"
    ]
    return min([1.0, *shares])


def best(found: list[tuple[float, Profile, Case]], enough: int) -> list[tuple[Profile, Case]]:
    """The plausible ones, with arrays first: a string where numbers belong proves nothing even if it returns."""
    plausible = [item for item in found if item[0] >= 0.1] or found

    def rank(item: tuple[float, Profile, Case]) -> tuple[bool, bool, float]:
        has_arrays = any(kind in ARRAY_KINDS or kind == "given" for _, kind in item[1])
        return (item[0] < 0.4, not has_arrays, -item[0])

    return [(profile, case) for _, profile, case in sorted(plausible, key=rank)[:enough]]


_FLAVOURS = ("normal", "unit", "whole", "normal", "sorted")
_PROFILES = 8  #: how many combinations of kinds are kept
_SLOW_ENOUGH = 3  #: trials that took longer, while none returned, say that every call does
_PATIENCE = 4  #: times the seconds for one function, in which callers of it are looked at, too
_STUCK = 5.0  #: times the seconds of a trial, after which no signal will end it any more
_ENDED = "it ends the process, or never comes back from native code"
_HEIRS = 3  #: subclasses whose objects stand for those of a class
#: What large arrays of round numbers hold.
_PARTS = {1.0: "whole numbers", 0.5: "halves"}
#: A call with a thousand elements that needs more memory, or more times the seconds of one with a few, is a loop over
#: them, or works on all pairs.
_ROUND = 2  #: combinations of kinds that get such arrays
_LIGHT_BYTES, _LIGHT_TIMES = 2 << 20, 12.0
_ITEMS = 20  #: of a generator that are asked for
_HELD = 3  #: objects in a list of them

_NOBODY: contextlib.AbstractContextManager[None] = contextlib.nullcontext()  #: watches what is run

_PLANES = ("matrix", "square", "points", "places")
_COMMON = {"vector": 4.0, "matrix": 3.0, "square": 2.0, "float": 1.0, "points": 1.0, "cube": 0.5}


class Search:
    """Finds inputs for the targets of one loaded program."""

    def __init__(
        self,
        program: Program,
        module: types.ModuleType,
        state: Globals,
        seed: int,
        given: dict[str, Any],
        seconds: float,
        allowed: frozenset[str] = frozenset(),
        trial: float = 2.0,
        note: str = "",
    ) -> None:
        self._program = program
        self._module = module
        self._state = state
        self._seed = seed
        self._given = given
        self._seconds = seconds
        self._allowed = allowed  #: functions that may be called to see how they call others
        self._trial = trial  #: seconds that one trial may take
        self._too_long = f"took longer than {trial:g} s"
        self._known: dict[str, list[Case]] = {}
        self._constructors: dict[str, list[Call]] = {}
        self._made_by: dict[str, list[tuple[Profile, Case]]] = {}
        self._openings: dict[str, list[tuple[str, Call]]] = {}
        self._lessons = Lessons()
        self.trials = Trials(note, _STUCK * trial)
        self._slow: dict[str, list[tuple[Profile, Case]]] = {}  #: by target: calls that took too long for a trial
        self._until = 0.0
        self._took = 0.0  #: processor seconds of the last call that returned
        self.failures: Counter[str] = Counter()

    def cases(self, target: Target, limit: int) -> list[Case]:
        """At most `limit` different cases, the most telling first, and the edges around some. Empty: see `failures`.

        Where every call is slow, they are few, and nobody knows whether the original returns on them.
        """
        self._until = time.monotonic() + _PATIENCE * self._seconds
        return self._cases(target, limit)

    def _cases(self, target: Target, limit: int) -> list[Case]:
        self._known[target.name] = []  # functions that call each other end here
        drawn = self._drawn(target, limit)
        if len(drawn) < FEW:
            failures = self.failures
            seen = self._seen(target)
            drawn = [*seen, *self.around(seen), *drawn]
            self.failures = failures
        self._known[target.name] = drawn
        return drawn

    def _seen(self, target: Target) -> list[Case]:
        """How its docstring calls the function, else how others of the module do that are under test, too."""
        code = harvest.code_of_target(self._module, target.name)
        if code is None:
            return []
        is_static = isinstance(
            inspect.getattr_static(self._module.__dict__.get(target.class_name), target.method, None), staticmethod
        )
        found: list[Case] = []

        def listen(run: Callable[[], Any], note: str, watch: contextlib.AbstractContextManager[Any] = _NOBODY) -> None:
            self._state.restore()
            seen = harvest.Seen(code, target, is_static)
            with seen, contextlib.suppress(Exception, SystemExit, TimeIsUp), self._quietly(), watch:
                run()
            found.extend(case for case in seen.cases(note) if self._returns(case))

        for run in harvest.examples(self._module, target.name):
            listen(run, "the arguments of its docstring")
        callers = harvest.callers(self._program.tree, target.name) if not found else []
        for name in callers:
            caller = self._program.target(name) if name in self._allowed else None
            if caller is None or len(found) >= FEW or time.monotonic() > self._until:
                continue
            if name not in self._known:
                self._cases(caller, FEW)
            for case in self._known[name][:EDGED]:
                listen(partial(self._call, case), f"the arguments that {name} passes")
        others = [name for name in callers if name not in self._allowed]
        for name, begin in entries(self._program.tree, self._module, others) if callers or not found else ():
            if len(found) < FEW and time.monotonic() < self._until:
                listen(begin, f"the arguments that {name} passes", refuse_outside())
        return found

    def _call(self, case: Case) -> Any:
        call, args, kwargs, _ = bind(case, self._module)
        return call(*args, **kwargs)

    @contextlib.contextmanager
    def _quietly(self) -> Iterator[None]:
        """What a trial of the search runs in."""
        quiet = io.StringIO()
        with (
            time_limit(self._trial),
            warnings.catch_warnings(),
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
        ):
            warnings.simplefilter("ignore")
            yield

    def _drawn(self, target: Target, limit: int) -> list[Case]:
        self.failures = Counter()
        frames = self._frames(target)
        if not frames:
            return []
        found: list[tuple[Profile, Case]] = []
        end = time.monotonic() + self._seconds
        for number, frame in enumerate(frames):
            last = number == len(frames) - 1
            share = end if last else time.monotonic() + (end - time.monotonic()) / 2
            found += self._profiles(target, frame, share)
            if found and target.parameters:
                break
        return list(self._grow(target, found, limit, end + self._seconds)) if found else self._untried(target)

    def _untried(self, target: Target) -> list[Case]:
        """For a function whose every call took too long for a trial: those calls, and others like them."""
        rng = np.random.default_rng([self._seed, 3])
        slow = self._slow.get(target.name, [])[:FEW]
        drawn = [case for _, case in slow]
        for number in range(FEW - len(slow) if slow else 0):
            case = self._draw(*slow[number % len(slow)], rng, SIZES[0], _FLAVOURS[number % len(_FLAVOURS)])
            drawn += [case] if case is not None else []
        return drawn

    def around(self, cases: list[Case]) -> list[Case]:
        """Variations of calls that a program made."""
        return list(around(cases, self._returns, self._module, np.random.default_rng([self._seed, 2])))

    def _frames(self, target: Target) -> list[Case]:
        """Cases without arguments: for a method the objects to call it on, fresh ones first, then used ones."""
        empty = Case(target.name, Call())
        if not target.class_name or target.method == "__init__" or not target.plain:
            return [empty]
        made = self._construct(target.class_name)
        heirs = [Case(target.name, Call(), it.call, made_as=it.name) for it in self._heirs(target)]
        if not made and not heirs:
            self.failures = Counter(
                {f"no arguments found for {target.class_name}(...): {k}": v for k, v in self.failures.items()}
            )
            return []
        others = self._others(target.class_name) if made and not target.parameters else ()
        frames = [Case(target.name, Call(), construct) for construct in (*made[:3], *others)]
        for opening in self._open(target.class_name) if made else ():
            if opening[0] != target.method:
                frames.append(Case(target.name, Call(), made[0], (opening,)))
        return [*frames, *heirs]

    def _heirs(self, target: Target) -> Iterator[Instance]:
        """Objects of subclasses that have the method as it is: an abstract class makes none, or none that works."""
        for name in self._program.heirs(target.class_name, target.method)[:_HEIRS]:
            yield from (Instance(name, call) for call in self._construct(name)[:1])

    def _instances(self, class_name: str) -> list[Instance]:
        """Objects of a class, or else of its subclasses."""
        made = [Instance(class_name, call) for call in self._construct(class_name)]
        heirs = () if made else self._program.heirs(class_name)[:_HEIRS]
        return made + [Instance(name, call) for name in heirs for call in self._construct(name)]

    def _construct(self, class_name: str) -> list[Call]:
        if class_name not in self._constructors:
            self._constructors[class_name] = []  # a class whose arguments are instances of itself ends here
            target = self._program.constructor(class_name)
            found = self._profiles(target, Case(target.name, Call()), time.monotonic() + self._seconds)
            self._made_by[class_name] = found
            sized = [self._sized(profile, case) for profile, case in found[:2]]
            self._constructors[class_name] = [
                case.call for case in (*sized, *(case for _, case in found)) if case is not None
            ]
        return self._constructors[class_name]

    def _others(self, class_name: str) -> Iterator[Call]:
        """More ways to make objects: all that tells one call from another of a method without parameters."""
        rng = np.random.default_rng([self._seed, 4])
        found = self._made_by[class_name]
        for number in range(FEW):
            profile, case = found[number % len(found)]
            drawn = self._draw(profile, case, rng, SIZES[number % len(SIZES)], _FLAVOURS[number % 5])
            if drawn is not None and self._returns(drawn):
                yield drawn.call

    def _sized(self, profile: Profile, case: Case) -> Case | None:
        """`case` with whole numbers that are sizes, so that the arrays its methods get fit the object."""
        sized = self._draw(profile, case, np.random.default_rng(self._seed), SIZES[0], "sized")
        return sized if sized is not None and self._returns(sized) else None

    def _open(self, class_name: str) -> list[tuple[str, Call]]:
        """Calls of other methods that work on a fresh object: ``fit`` before ``predict``."""
        if class_name not in self._openings:
            self._openings[class_name] = []
            construct = self._constructors[class_name][0]
            kept = self.failures
            for method in self._program.methods(class_name):
                target = self._program.target(f"{class_name}.{method}")
                if target is None:
                    continue
                found = self._profiles(target, Case(target.name, Call(), construct), time.monotonic() + 1.0, enough=1)
                self._openings[class_name] += [(method, found[0][1].call)] if found else []
            self.failures = kept
        return self._openings[class_name]

    def _profiles(self, target: Target, frame: Case, end: float, enough: int = _PROFILES) -> list[tuple[Profile, Case]]:
        rng = np.random.default_rng([self._seed, len(target.name), sum(map(ord, target.name))])
        found: dict[tuple[str, ...], tuple[float, Profile, Case]] = {}
        since = 0
        slow = self._slow.setdefault(target.name, [])
        self._lessons = Lessons()
        tries = 1 if not target.parameters else 2000
        for number in range(tries):
            if time.monotonic() > end or (found and since > 80) or len(found) >= 4 * enough:
                break
            if not found and len(slow) >= _SLOW_ENOUGH:
                break
            profile = self._propose(target.parameters, rng, number, [item[1] for item in found.values()])
            key = tuple(kind for _, kind in profile)
            since += 1
            if key in found:
                continue
            flavour = "sized" if number % 3 == 2 else _FLAVOURS[number % 5]
            case = self._draw(profile, frame, rng, SIZES[number % 3], flavour)
            if case is None:
                continue
            took_long = self.failures[self._too_long]
            if self._returns(case):
                found[key] = (plausibility(profile), profile, case)
                since = 0
            elif self.failures[self._too_long] > took_long:
                slow.append((profile, case))
        return best(list(found.values()), enough)

    def _propose(
        self, parameters: tuple[Parameter, ...], rng: np.random.Generator, number: int, known: list[Profile]
    ) -> Profile:
        if known and rng.random() < 0.6:  # change one thing about a combination that works
            base = list(known[int(rng.integers(0, len(known)))])
            if base:
                place = int(rng.integers(0, len(base)))
                base[place] = (base[place][0], self._pick(base[place][0], rng))
            return tuple(self._fix(parameter, kind) for parameter, kind in base)
        common = self._pick(Parameter("", _COMMON), rng)
        plane = _PLANES[int(rng.integers(0, len(_PLANES)))]  # tables of one call mostly have one shape
        keep_defaults = number % 2 == 0
        profile = []
        for parameter in parameters:
            likely = max(parameter.kinds, key=lambda kind: parameter.kinds[kind])
            if number == 0:
                kind = "default" if parameter.default is not None else likely
            elif keep_defaults and parameter.default is not None:
                kind = "default"
            elif number % 4 >= 2 and parameter.kinds[likely] < 8 and common in parameter.kinds:
                kind = common
            else:
                kind = self._pick(parameter, rng)
            if number % 2 and kind in _PLANES:
                kind = plane
            profile.append(self._fix(parameter, kind))
        return tuple(profile)

    def _pick(self, parameter: Parameter, rng: np.random.Generator) -> str:
        kinds = list(parameter.kinds)
        weights = np.array([parameter.kinds[kind] * self._lessons.weight(kind) for kind in kinds]) ** 1.3
        kind = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]
        variants = VARIANTS.get(kind)
        if variants and rng.random() < 0.3:
            return variants[int(rng.integers(0, len(variants)))]
        return kind

    def _fix(self, parameter: Parameter, kind: str) -> tuple[Parameter, str]:
        return (parameter, "given") if parameter.name in self._given else (parameter, kind)

    def _draw(
        self,
        profile: Profile,
        frame: Case,
        rng: np.random.Generator,
        sizes: tuple[int, int, int],
        flavour: str,
        real: str = "f8",
    ) -> Case | None:
        instances = {}
        for parameter, kind in profile:
            if kind in ("instance", "instances") and parameter.instance:
                made = self._instances(parameter.instance)
                if not made:
                    return None
                first, *more = (made[int(rng.integers(0, len(made)))] for _ in range(_HELD))
                instances[parameter.instance] = [first, *(another(it, rng) for it in more)]
        return frame.with_call(call_of(profile, Draw(rng, sizes, flavour, real), self._given, instances))

    def _returns(self, case: Case) -> bool:
        """Whether the original returns on `case`."""
        self._state.restore()
        try:
            with self.trials.trial(case) as may_run, self._quietly():
                if not may_run:
                    self.failures[_ENDED] += 1
                    return False
                begin = time.process_time()
                result = self._call(case)
                self._took = time.process_time() - begin
                if isinstance(result, types.GeneratorType):  # it has not begun
                    deque(itertools.islice(result, _ITEMS), maxlen=0)
        except TimeIsUp:
            self.failures[self._too_long] += 1
            return False
        except (Exception, SystemExit) as error:
            self._lessons.learn(str(error))
            self.failures[f"{type(error).__name__}: {error}"[:160]] += 1
            return False
        return result is not NotImplemented

    def _round(self, target: Target, found: list[tuple[Profile, Case]]) -> Iterator[Case]:
        """Large arrays of round numbers, for a function that tells neighbours apart and goes through them at once."""
        if not self._program.quantises(target):
            return
        rng = np.random.default_rng([self._seed, 5])
        light = 0
        for profile, case in with_equal_kinds(found):
            tried = with_round_numbers(case.call, profile, sizes_for(profile, large=False), rng, 1.0)
            if light == _ROUND or tried is None or not self._is_light(case, case.with_call(tried)):
                continue
            light += 1
            for part, words in _PARTS.items():
                call = with_round_numbers(case.call, profile, sizes_for(profile, large=True), rng, part)
                large = replace(case, call=call, note=f"large arrays of {words}") if call is not None else case
                if call is not None and self._returns(large):
                    yield large

    def _is_light(self, small: Case, larger: Case) -> bool:
        """Whether the time and memory of calls do not grow as with a loop over elements, or over pairs of them."""
        seconds = []
        tracemalloc.start()
        try:
            for case in (small, larger) * 3:
                tracemalloc.reset_peak()
                if not self._returns(case):
                    return False
                seconds.append(self._took)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        return peak < _LIGHT_BYTES and min(seconds[1::2]) < _LIGHT_TIMES * max(min(seconds[::2]), 1e-5)

    def _grow(self, target: Target, found: list[tuple[Profile, Case]], limit: int, end: float) -> Iterator[Case]:
        """More cases from the combinations that work: other sizes, values and dtypes, then edges."""
        rng = np.random.default_rng([self._seed, 1])
        seen: set[bytes] = set()
        count = 0

        def is_new(case: Case) -> bool:
            key = pickle.dumps((case.call, case.construct, case.made_as, case.before))
            return not (key in seen or seen.add(key))  # type: ignore[func-returns-value]

        plain = [case for _, case in found]
        for number in range(12 * len(SIZES)):
            if number >= 3 * len(SIZES) and len(plain) >= FEW:  # the original returns on few draws: some more
                break
            profile, frame = found[number % len(found)]
            real = "f4" if number % 4 == 3 else "f8"
            plain_case = self._draw(profile, frame, rng, SIZES[number % len(SIZES)], _FLAVOURS[number % 5], real)
            if plain_case is not None and self._returns(plain_case):
                plain.append(plain_case)
            if time.monotonic() > end:
                break
        for case in plain:
            if count < limit and is_new(case):
                count += 1
                yield case
        for edge in self._round(target, found):
            if is_new(edge):
                yield edge
        for _, case in found[:EDGED]:
            for note, call in edges(case.call, rng):
                edge = replace(case, call=call, note=note)
                if is_new(edge):
                    yield edge
