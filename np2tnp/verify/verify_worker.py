"""The child process of ``verify``: holds one version of a program, calls it, and (the original's) judges.

Run as ``python -m np2tnp.verify.verify_worker``; requests come through the pipe of channel.py. Observations and cases
cross the parent as bytes that it does not open, so that the parent needs no NumPy.
"""

from __future__ import annotations

import pickle
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from np2tnp.verify.channel import serve
from np2tnp.verify.specs import Array, Call, Case


class Worker:
    """One loaded program and the inputs and results of the function under test."""

    def __init__(self) -> None:
        self._cases: list[Any] = []
        self._seen: dict[int, Any] = {}

    def load(
        self,
        path: str,
        text: str,
        seed: int = 0,
        seconds: float = 5.0,
        inputs: str | None = None,
        allowed: tuple[str, ...] = (),
        trial: float = 2.0,
        note: str = "",
    ) -> dict[str, Any]:
        """Execute the program's text. `allowed`: functions that the search may call to see how they call others;
        `trial`: seconds for each of its calls; `note`: the file in which it notes the call that is under way.

        Replies with the names of its targets' parameters being known later."""
        import numpy as np

        from np2tnp.verify.loading import Program, load
        from np2tnp.verify.module_state import Globals
        from np2tnp.verify.search import Search

        given = dict(np.load(inputs, allow_pickle=False)) if inputs else {}
        self._place = path, text
        self._noisy: Any = None
        self._program = Program(text, path)
        self._module = load(path, text)
        self._state = Globals(self._module)
        self._search = Search(
            self._program, self._module, self._state, seed, given, seconds, frozenset(allowed), trial, note
        )
        self._rng = np.random.default_rng(seed)
        return {"tensorflow": "tensorflow" in sys.modules}

    def warm(self) -> dict[str, Any]:
        """Import TensorFlow and run one operation, so that no call under test pays for it."""
        from np2tnp.runtime.base.lazy_tensorflow import tf

        float(tf.reduce_sum(tf.constant([1.0, 2.0])))
        return {"version": tf.version.VERSION, "gpus": len(tf.config.list_logical_devices("GPU"))}

    def limit_memory(self, mebibytes: int) -> bool:
        """Let this process take at most so much more address space. False where the system cannot."""
        return limit_memory(mebibytes)

    def search(
        self, name: str, limit: int, recorded: tuple[str, ...] = (), main: str = "", avoided: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Find at most `limit` inputs for the target `name`, and edges around some of them.

        Those come first that the files `recorded` hold, and variations of them; `main`: the module's name, if it was
        the program that ran. `avoided`: noted calls that the process before this one did not survive.
        """
        self._search.trials.avoided = frozenset(avoided)
        target = self._program.target(name)
        self._cases, self._seen = [], {}
        if target is None:
            return {"cases": [], "why": "it is not in the original", "parameters": ()}
        if target.is_coroutine:
            return {"cases": [], "why": "it is a coroutine", "parameters": ()}
        self._parameters = tuple(parameter.name for parameter in target.parameters)
        known, unmade = self._read_recorded(target, recorded, main)
        generated = self._search.cases(target, limit)
        self._cases = [*known, *self._search.around(known), *generated]
        failures = [text for text, _ in self._search.failures.most_common(2)]
        why = "no arguments found on which the original returns"
        return {
            "cases": [case.note for case in self._cases],
            "why": (f"{why} ({'; '.join(failures)})" if failures else why) + unmade,
            "parameters": self._parameters,
        }

    def _read_recorded(self, target: Any, paths: tuple[str, ...], main: str) -> tuple[list[Any], str]:
        """The calls that can be made again, and why none can."""
        from np2tnp.verify.recorded import recorded_case

        cases, why = [], ""
        bound = bool(target.class_name) and target.plain
        for path in paths:
            try:
                cases.append(recorded_case(target.name, bound, path, self._module, main))
            except Exception as error:  # a class that cannot be found any more, say
                missing = re.match(r"Can't get attribute '([\w.]+)' on <module", str(error))
                said = f"{type(error).__name__}: {error}"
                if missing and not main:
                    said = f"{missing[1]} is defined in the program's main file (move it into a module)"
                why = f"; the program's own calls cannot be made again: {said}"
        return cases, "" if cases else why

    def case(self, number: int) -> bytes:
        """One input, for the other child."""
        return pickle.dumps(self._cases[number])

    def run(self, case: bytes, parameters: tuple[str, ...], number: int = -1, count: bool = False) -> dict[str, Any]:
        """Call the target on `case`; keeps the observation under `number`."""
        seen = self._observe(pickle.loads(case), parameters, count)
        self._seen[number] = seen
        reply = {"status": seen.status, "operations": seen.operations, "outside": seen.outside}
        return {**reply, "observation": pickle.dumps(seen)}

    def judge(self, number: int, observation: bytes) -> dict[str, Any]:
        """Compare another program's observation on input `number` with this one's."""
        from np2tnp.verify.judge import judge

        case = self._cases[number]
        found = judge(self._seen[number], pickle.loads(observation), lambda how: self._repeat(case, how))
        return {"kind": found.kind, "detail": found.detail, "warnings": found.warnings, "weight": _weight(case)}

    def smaller(self, number: int) -> list[int]:
        """Numbers of new inputs, each a little simpler than input `number`."""
        first = len(self._cases)
        self._cases += smaller(self._cases[number])
        return list(range(first, len(self._cases)))

    def program(self, number: int, module: str) -> str:
        """Code that makes the call of input `number`."""
        from np2tnp.verify.specs import program_of

        return program_of(self._cases[number], module, self._parameters)

    def _observe(
        self, case: Any, parameters: tuple[str, ...], count: bool = False, noisy: bool = False, moved: bool = False
    ) -> Any:
        from np2tnp.verify.inputs import shake
        from np2tnp.verify.loading import bind
        from np2tnp.verify.observe import Observation, observe
        from np2tnp.verify.specs import Pickled

        module, state = self._noisy if noisy else (self._module, self._state)
        state.restore()
        try:
            call, args, kwargs, owner = bind(case, module)
        except Exception as error:
            names = tuple(base.__name__ for base in type(error).__mro__)
            status = "refused" if "UnverifiedError" in names else "raised"
            return Observation(status, error=names[0], bases=names, message=f"while making the object: {error}"[:500])
        if moved:  # an object that was written down whole has no arguments that were moved before it was made
            shake([it for it, spec in zip(args, case.call.args, strict=False) if isinstance(spec, Pickled)], self._rng)
            if isinstance(case.construct, Pickled):
                shake(owner, self._rng)
        if not count:
            return observe(call, args, kwargs, owner, state, None, parameters)
        before = _answered_by_originals(case.target)
        seen = observe(call, args, kwargs, owner, state, _count_ops, parameters)
        # TensorFlow began, and NumPy did it: that shows nothing of the rewritten body
        return seen if _answered_by_originals(case.target) == before else replace(seen, operations=0)

    def _repeat(self, case: Any, how: str) -> Any:
        """What the original does once more; None where that cannot be known."""
        from np2tnp.verify.inputs import perturbed
        from np2tnp.verify.specs import with_scalars

        if how == "noisy" and not self._load_noisy():
            return None
        if how == "scalars":
            call = with_scalars(case.call)
            return None if call is None else self._observe(replace(case, call=call), self._parameters)
        if how != "same":
            construct = perturbed(case.construct, self._rng) if case.construct is not None else None
            before = tuple((name, perturbed(call, self._rng)) for name, call in case.before)
            case = replace(case, call=perturbed(case.call, self._rng), construct=construct, before=before)
        return self._observe(case, self._parameters, noisy=how == "noisy", moved=how != "same")

    def _load_noisy(self) -> bool:
        """Load the program once more, with noise in what it rounds. False where it cannot be loaded so."""
        from np2tnp.verify.loading import load_noisy
        from np2tnp.verify.module_state import Globals

        if self._noisy is None:
            module = load_noisy(*self._place, self._rng)
            self._noisy = module is not None and (module, Globals(module))
        return bool(self._noisy)


def limit_memory(mebibytes: int) -> bool:
    """Let this process take at most so much more address space. False where the system cannot."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        limit = used + mebibytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return False
    return True


def _count_ops() -> Any:
    from np2tnp.runtime.boundary.counting import count_ops

    return count_ops()


def _answered_by_originals(name: str) -> int:
    """How often the kept original of the function has answered for it."""
    from np2tnp.runtime.boundary.fallback import answered

    return answered[name]


def _weight(case: Any) -> int:
    """How much one input says: 0 for those with only empty or one-element arrays."""
    from np2tnp.verify.specs import Array, Call

    if case.construct is not None and not isinstance(case.construct, Call):
        return 1
    calls = [case.call, *([case.construct] if case.construct is not None else [])]
    sizes = [item.values.size for call in calls for item in call.items() if isinstance(item, Array)]
    return int(not sizes or max(sizes) > 1)


# --- Simpler inputs from one that shows a difference, so that a person sees what matters

_MOST = 24  #: candidates a round


def smaller(case: Case) -> list[Case]:
    """Inputs a step simpler than `case`, boldest first. Nothing says that they are valid: the original decides."""
    found = [case.with_call(call) for call in _calls(case.call)]
    if case.before:
        found.append(replace(case, before=()))
    if isinstance(case.construct, Call):
        found += [replace(case, construct=call) for call in _calls(case.construct)]
    cost = _cost(case)
    return [it for it in found if _cost(it) < cost][
        :_MOST
    ]  # each step must be one down, or the search would go in circles


def _cost(case: Case) -> float:
    made = [case.construct] if isinstance(case.construct, Call) else []
    calls = [case.call, *made, *(call for _, call in case.before)]
    return 100.0 * len(case.before) + sum(_item_cost(item) for call in calls for item in call.items())


def _item_cost(item: Any) -> float:
    """How much there is to read in an argument."""
    if isinstance(item, Array):
        values = np.asarray(item.values)
        nonzero = int(np.count_nonzero(values))
        broken = int(np.count_nonzero(np.rint(values) != values)) if values.dtype.kind == "f" else 0
        long = int(np.count_nonzero(np.round(values, 1) != values)) if values.dtype.kind == "f" else 0
        return 20.0 * values.size + 2 * nonzero + 4 * broken + 8 * long + (item.layout != "C") + 1
    if type(item) in (list, tuple):
        return 1 + sum(_item_cost(part) for part in item)
    if isinstance(item, (int, float)):
        return 1 + min(abs(item), 50) / 50 + (item not in (0, 1))
    return 3.0


def _calls(call: Call) -> Iterator[Call]:
    items = call.items()
    for size in sorted(
        {n for item in items if isinstance(item, Array) for n in item.values.shape if n > 1}, reverse=True
    ):
        for begin, end in dict.fromkeys(((0, 1), (0, 2), (0, size // 2), (size // 2, size), (0, size - 1))):
            if 0 < end - begin < size:
                yield call.with_items([_cut(item, size, begin, end) for item in items])
    for name in list(call.kwargs):
        yield Call(call.args, {key: value for key, value in call.kwargs.items() if key != name})
    for i, item in enumerate(items):
        for simpler in _simpler(item):
            yield call.with_items([*items[:i], simpler, *items[i + 1 :]])


def _cut(item: Any, size: int, begin: int, end: int) -> Any:
    """`item` with what stands between two places of each length `size`: arrays that belong together are cut so."""
    if isinstance(item, Array):
        index = tuple(slice(begin, end) if n == size else slice(None) for n in item.values.shape)
        return Array(item.values[index], item.layout)
    if type(item) is int and item == size:
        return end - begin
    if type(item) is list and len(item) == size:
        return item[begin:end]
    return item


def _simpler(item: Any) -> Iterator[Any]:
    if isinstance(item, Array):
        values = item.values
        if item.layout != "C":
            yield Array(values)
        if values.dtype.kind == "f" and values.size:
            finite = np.where(np.isfinite(values), values, 0)
            for simple in (
                np.zeros_like(values),
                np.ones_like(values),
                np.rint(finite).astype(values.dtype),
                np.round(values, 1),
            ):
                if not np.array_equal(simple, values, equal_nan=True):
                    yield Array(simple, item.layout)
        elif values.dtype.kind in "iu" and values.any():
            yield Array(np.zeros_like(values), item.layout)
    elif type(item) is int and item > 1:
        yield 1
        yield item // 2
    elif type(item) is float and item not in (0.0, 1.0):
        yield 1.0
    elif type(item) is list and len(item) > 1:
        yield item[: len(item) // 2]


def main() -> None:
    """Serve requests until the pipe closes."""
    threading.stack_size(64 * 2**20)
    worker = Worker()
    names = ("load", "warm", "limit_memory", "search", "case", "run", "judge", "smaller", "program")
    serve({name: getattr(worker, name) for name in names})


if __name__ == "__main__":
    main()
