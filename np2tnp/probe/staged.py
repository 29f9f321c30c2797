"""The probe's staged part: the calls that are equal in eager mode, made in ``tf.function``, under XLA, and on a GPU.

Many calls go into one graph, which is traced, run and compiled once: that is a hundred times cheaper than one graph a
call. A call that raises while it is traced is caught there; a graph that raises when it runs, or that XLA refuses, is
halved until the culprit stands alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from np2tnp.probe import behaviour
from np2tnp.probe.cases.all_cases import CLASSES, Case, all_cases, names_in, used_parameters
from np2tnp.probe.cases.cases_inputs import is_other
from np2tnp.probe.domains import is_outside
from np2tnp.probe.facts_file import STAGES
from np2tnp.probe.probed_calls import call_on_numpy, find_targets, label, target_arguments
from np2tnp.probe.surface import call_parameters
from np2tnp.verify.compare import Outcome

#: Calls in one graph: XLA's time grows faster than the graph.
GROUP = 120

#: Arrays with NaN, infinities, zeros of both signs and the extremes of integers.
_AWKWARD = {"s", "S", "U"}

_INDEXING = ("operator.getitem", "operator.setitem")

Announce = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a target: its arguments with :class:`_Slot` in place of arrays, and what NumPy made of it."""

    case: Case
    chars: str
    function: Callable[..., Any]
    arguments: tuple[tuple[Any, ...], dict[str, Any]]
    inputs: tuple[Any, ...]  #: the arrays, as ndarrays
    expected: Outcome
    numpy_arguments: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.case.call} {self.chars}"


@dataclass(frozen=True, slots=True)
class _Slot:
    """Stands for a tensor in a structure."""

    index: int


def observe(
    api: str, plan: dict[str, list[Call]], skip: set[tuple[str, ...]], announce: Announce, device: str = ""
) -> dict[str, Any]:
    """Labels per target, stage, case and dtype: ``{"rt": {"traced": [[call, {char: label}], ...], ...}}``.

    Parameters
    ----------
    plan : the calls of each target.
    skip : what crashed so far, as announced: graphs whose calls are then made one by one, and single calls.
    device : where the stage ``gpu`` runs; empty where there is none, and nothing is said of it.
    """
    results: dict[str, Any] = {}
    for target, calls in plan.items():
        for stage in STAGES if device else STAGES[:2]:
            labels: dict[str, dict[str, str]] = {}
            for call, word in measure(calls, stage, (api, target), skip, announce, device):
                labels.setdefault(call.case.call, {})[call.chars] = word
            results.setdefault(target, {})[stage] = [[text, labels[text]] for text in sorted(labels)]
    return results


def plan_calls(api: str, known: dict[str, Any]) -> dict[str, list[Call]]:
    """For each target of `api`, the calls that the eager facts in `known` promise to be equal."""
    texts = call_parameters(api, known)
    return {
        target: list(make_calls(api, function, known[target], texts))
        for target, function in find_targets(api).items()
        if known.get(target, {}).get("dtypes")
    }


def make_calls(api: str, function: Callable[..., Any], entry: dict[str, Any], texts: list[str]) -> Iterator[Call]:
    """Calls of one target that its eager facts in `entry` promise to be equal.

    Of each set of parameters one case with ordinary values, one with awkward ones and one for which NumPy raises, for
    one dtype of each class; all dtypes with the plainest case. Of indexing every case for one dtype: forms of index
    are alike in their parameters only.
    """
    sets: dict[frozenset[str], list[Case]] = {}
    for case in all_cases().get(api, ()):
        if is_other(case.call, case.dtypes):
            continue  # constants of a graph, or a call that would stand for a plainer one
        used = frozenset(used_parameters(case.call, texts))
        if used <= set(entry["accepted"]) and not all(is_outside(case.call, c, texts, entry) for c in case.dtypes):
            sets.setdefault(used, []).append(case)
    plainest = min(sets, key=len, default=None)
    for used, cases in sets.items():
        for case in _choose(cases, entry["dtypes"]):
            every = used == plainest and case is cases[0]
            chosen = entry["dtypes"] if every else representatives(entry["dtypes"])
            for char in (c for c in case.dtypes if c in chosen) if _varies(case) else "d":
                if is_outside(case.call, char, texts, entry):
                    continue
                if char in entry["dtypes"] and (call := make_call(case, char, function)) is not None:
                    yield call
        if api in _INDEXING and "d" in entry["dtypes"]:
            rest = (make_call(case, "d", function) for case in cases if case not in _choose(cases, entry["dtypes"]))
            yield from (call for call in rest if call is not None and call.expected.error is None)


def _choose(cases: list[Case], dtypes: str) -> list[Case]:
    """The first of the cases, the first after it with awkward values, and the first for which NumPy raises."""
    char = next((char for char in representatives(dtypes)[::-1] if char in cases[0].dtypes), "d")
    awkward = [case for case in cases[1:] if names_in(case.call) & _AWKWARD] or cases[1:]
    raising = (case for case in cases if (call := make_call(case, char, id)) is None or call.expected.error is not None)
    return list(dict.fromkeys([cases[0], *awkward[:1], *itertools.islice(raising, 1)]))


def _varies(case: Case) -> bool:
    """Whether the dtype under test occurs in the case."""
    return bool(names_in(case.call) - {"np"})


def representatives(dtypes: str) -> str:
    """One dtype character of each class that occurs in `dtypes`."""
    return "".join(next((char for char in group if char in dtypes), "") for group in CLASSES)


def make_call(case: Case, chars: str, function: Callable[..., Any]) -> Call | None:
    """The call, or None where its text means nothing for the dtype."""
    from np2tnp.runtime.base.dispatch import map_structure

    try:
        expected, numpy_arguments = call_on_numpy(case, chars)
    except TypeError:  # such as -v for booleans
        return None
    inputs: list[Any] = []

    def take(leaf: Any) -> Any:
        if not (type(leaf) is np.ndarray and leaf.dtype.kind in "biufc"):
            return leaf
        inputs.append(leaf)
        return _Slot(len(inputs) - 1)

    arguments = map_structure(take, target_arguments(case, chars))
    return Call(case, chars, function, arguments, tuple(inputs), expected, numpy_arguments)


def measure(
    calls: list[Call],
    stage: str,
    where: tuple[str, str],
    skip: set[tuple[str, ...]],
    announce: Announce,
    device: str = "",
) -> Iterator[tuple[Call, str]]:
    """The label of each call in one stage."""
    for number, group in enumerate(_groups(calls, stage)):
        name = f"{stage} {number}"
        announce("start", *where, name, "*")
        if (*where, name, "*") not in skip:
            outcomes: list[Outcome | None] = [*make_outcomes(group, stage, device)]
        else:
            outcomes = [_alone(call, stage, where, skip, announce, device) for call in group]
        for call, outcome in zip(group, outcomes, strict=True):
            yield call, _label(call, outcome) if outcome is not None else "crash"


def _groups(calls: list[Call], stage: str) -> Iterator[list[Call]]:
    """Calls to be made in one graph: of like dtypes, and those for which NumPy raises apart from the others.

    The latter end a graph when it runs, but not under XLA, which drops assertions.
    """
    for raises, size in ((False, GROUP), (True, 1 if stage == "traced" else GROUP)):
        alike = sorted((c for c in calls if (c.expected.error is not None) is raises), key=lambda call: call.chars)
        yield from (alike[start : start + size] for start in range(0, len(alike), size))


def _alone(
    call: Call, stage: str, where: tuple[str, str], skip: set[tuple[str, ...]], announce: Announce, device: str
) -> Outcome | None:
    """The outcome of a call in a graph of its own, or None where that crashed the process."""
    announce("start", *where, stage, str(call))
    return None if (*where, stage, str(call)) in skip else make_outcomes([call], stage, device)[0]


def _label(call: Call, outcome: Outcome) -> str:
    if call.expected.error is not None:  # which class does not matter: whoever stages it runs it eagerly then
        return "raises" if outcome.error is not None else "no error"
    if type(call.expected.value) is bool and outcome.error is None:
        outcome = Outcome(_as_python(outcome.value))
    return label(call.case, call.expected, outcome, call.numpy_arguments)


def _as_python(value: Any) -> Any:
    """What a graph gives for a bool of Python's, which it cannot give itself: a 0-d tensor."""
    from np2tnp.runtime.base.dispatch import is_tensor

    return bool(value.numpy()) if is_tensor(value) and value.shape.rank == 0 and value.dtype == "bool" else value


def make_outcomes(calls: list[Call], stage: str, device: str = "") -> list[Outcome]:
    """What each call gave, all made in one graph; where that fails, in graphs of one dtype each, and then in halves.

    On a device (the stage ``gpu``) each call is made eagerly.
    """
    if stage == "gpu":
        return [_on_device(call, device) for call in calls]
    try:
        with behaviour.quiet():
            failed, results = _run(calls, stage)
    except Exception as error:
        if len(calls) == 1:
            return [_of_error(error)]
        alike = [list(group) for _, group in itertools.groupby(calls, key=lambda call: call.chars)]
        parts = alike if len(alike) > 1 else [calls[: len(calls) // 2], calls[len(calls) // 2 :]]
        return [outcome for part in parts for outcome in make_outcomes(part, stage)]
    return [failed.get(index) or Outcome(results[index]) for index in range(len(calls))]


def _on_device(call: Call, device: str) -> Outcome:
    """The outcome of an eager call with its tensors on `device`."""
    from np2tnp.runtime.base.dispatch import FALLBACKS, to_tensor
    from np2tnp.runtime.base.lazy_tensorflow import tf

    before = sum(FALLBACKS.values())
    try:
        with behaviour.quiet(), tf.device(device):
            args, kwargs = _fill(call.arguments, [tf.identity(to_tensor(array)) for array in call.inputs])
            outcome = Outcome(call.function(*args, **kwargs))
    except Exception as error:
        return _of_error(error)
    if sum(FALLBACKS.values()) > before:  # right, but NumPy's work: nothing is known of the device
        return Outcome(error="UnverifiedError", bases=("UnverifiedError",))
    return outcome


def _run(calls: list[Call], stage: str) -> tuple[dict[int, Outcome], dict[int, Any]]:
    """Outcomes of the calls that raised while they were traced, and results of the others, by position."""
    from np2tnp.runtime.base.dispatch import is_tensor, map_structure, to_tensor
    from np2tnp.runtime.base.lazy_tensorflow import tf

    failed: dict[int, Outcome] = {}
    structures: dict[int, Any] = {}

    def body(*tensors: Any) -> list[Any]:
        failed.clear()
        outputs: list[Any] = []

        def give(leaf: Any) -> Any:
            if not is_tensor(leaf):
                return leaf
            outputs.append(leaf)
            return _Slot(len(outputs) - 1)

        left = iter(tensors)
        for index, call in enumerate(calls):
            mine = list(itertools.islice(left, len(call.inputs)))
            args, kwargs = _fill(call.arguments, mine)
            try:
                structures[index] = map_structure(give, call.function(*args, **kwargs))
            except Exception as error:
                failed[index] = _of_error(error)
        return outputs

    flat = [to_tensor(array) for call in calls for array in call.inputs]
    function = tf.function(body, autograph=False, jit_compile=stage == "compiled")
    results = function(*flat)
    return failed, {index: _fill(s, results) for index, s in structures.items() if index not in failed}


def _fill(structure: Any, values: Any) -> Any:
    from np2tnp.runtime.base.dispatch import map_structure

    return map_structure(lambda leaf: values[leaf.index] if isinstance(leaf, _Slot) else leaf, structure)


def _of_error(error: BaseException) -> Outcome:
    from np2tnp.runtime.base.exceptions import translate

    return Outcome.of_error(translate(error) or error)
