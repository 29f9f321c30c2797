"""Learn by trying what arguments a function takes: those on which the original returns.

Nothing about a function is known for certain but what it does. So candidate arguments are drawn, most likely first
(hints.py), the original is called with them in its child process, and the combinations of kinds on which it returned
are kept.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import pickle
import time
import types
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from np2tnp.differential import harvest
from np2tnp.differential.entries import entries
from np2tnp.differential.hints import Parameter
from np2tnp.differential.inputs import SIZES, Draw, Profile, another, call_of, edges
from np2tnp.differential.lessons import Lessons
from np2tnp.differential.loading import Program, Target, bind
from np2tnp.differential.module_state import Globals
from np2tnp.differential.neighbours import EDGED, FEW, around
from np2tnp.differential.observe import TimeIsUp, time_limit
from np2tnp.differential.outside import refuse_outside
from np2tnp.differential.ranking import VARIANTS, best, plausibility
from np2tnp.differential.specs import Call, Case, Instance
from np2tnp.differential.trials import Trials

_FLAVOURS = ("normal", "unit", "whole", "normal", "sorted")
_PROFILES = 8  #: how many combinations of kinds are kept
_SLOW_ENOUGH = 3  #: trials that took longer, while none returned, say that every call does
_PATIENCE = 4  #: times the seconds for one function, in which callers of it are looked at, too
_STUCK = 5.0  #: times the seconds of a trial, after which no signal will end it any more
_ENDED = "it ends the process, or never comes back from native code"
_HEIRS = 3  #: subclasses whose objects stand for those of a class
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
        return list(self._grow(found, limit, end + self._seconds)) if found else self._untried(target)

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
                result = self._call(case)
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

    def _grow(self, found: list[tuple[Profile, Case]], limit: int, end: float) -> Iterator[Case]:
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
        for _, case in found[:EDGED]:
            for note, call in edges(case.call, rng):
                edge = replace(case, call=call, note=note)
                if is_new(edge):
                    yield edge
