"""``rewrite --verify``: run every region to be migrated beside its original, and leave out what differs."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field, replace

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.files.notebooks import is_notebook
from np2tnp.files.problems import Problem
from np2tnp.files.source import decode
from np2tnp.migration.transaction import Reverted
from np2tnp.verify.program import TOP_LEVEL, FunctionResult, FunctionVerdict, Limits, Stage, verify_all
from np2tnp.verify.two_texts import NO_NOTEBOOKS, CannotVerify, Pair, functions_of

Key = tuple[str, str]
#: What was found of a function: by path, name, and all code that its behaviour can depend on.
Known = MutableMapping[tuple[str, str, frozenset[str]], FunctionResult]
_NAME = re.compile(r"'(\w+)'")  #: names and attributes in a dump of code


@dataclass(slots=True)
class Verified:
    """The plan that is left, and what the verification said."""

    plan: pipeline.Plan
    reverted: list[Reverted] = field(default_factory=list)
    untested: list[Reverted] = field(default_factory=list)  #: still in the plan, with the reason why nothing is known
    results: dict[Key, FunctionResult] = field(default_factory=dict)
    told: set[Key] = field(default_factory=set)  #: whose verdict was found, and so said, in this run


def leave_out_what_differs(
    made: pipeline.Plan,
    config: Config,
    limits: Callable[[str], Limits],
    strict: Callable[[Key], bool],
    say: Callable[[str], None],
    *,
    stage: Stage = lambda what, share: None,
    known: Known | None = None,
) -> Verified:
    """The part of the plan whose regions are not DIFFERENT, and EQUAL where `strict` says so of one.

    A region that differs is left out; one that differs only because it calls such a one is tried again without that.
    `limits` are those of a file; what is `known` already is not tried again, and what is found is known then.
    """
    checker = _Checker(config, limits, say, stage, {} if known is None else known)
    results = checker.check(made, made.regions)
    wrong = [key for key in made.regions if results[key].verdict is FunctionVerdict.DIFFERENT]
    kept = made
    if wrong:
        kept = checker.plan_without(made, set(wrong))
        for key in wrong:
            attempt = checker.plan_with(kept, key)
            again = checker.check(attempt, [key])[key]
            if again.verdict is FunctionVerdict.DIFFERENT:
                results[key] = again
            else:
                kept, results[key] = attempt, again
        results.update(checker.check(kept, kept.regions))
    while True:
        unwanted = {key for key in kept.regions if _is_unwanted(results[key], strict(key))}
        if not unwanted:
            break
        kept = checker.plan_without(kept, unwanted)
        results.update(checker.check(kept, kept.regions))
    left = set(kept.regions)
    reverted = [Reverted(*key, *_explain(results[key])) for key in made.regions if key not in left]
    untested = [
        Reverted(*key, results[key].reason) for key in kept.regions if results[key].verdict is FunctionVerdict.UNTESTED
    ]
    return Verified(kept, reverted, untested, results, checker.told)


class _Checker:
    """Verifies regions of plans, and remembers what it found for the same pair of texts."""

    def __init__(
        self,
        config: Config,
        limits: Callable[[str], Limits],
        say: Callable[[str], None],
        stage: Stage,
        known: Known,
    ) -> None:
        self._config = config
        self._limits = limits
        self._say = say
        self._stage = stage
        self._known = known
        self.told: set[Key] = set()

    def plan_without(self, made: pipeline.Plan, left_out: set[Key]) -> pipeline.Plan:
        return self._plan(made, frozenset(made.regions) - left_out)

    def plan_with(self, made: pipeline.Plan, key: Key) -> pipeline.Plan:
        return self._plan(made, frozenset(made.regions) | {key})

    def _plan(self, made: pipeline.Plan, regions: frozenset[Key]) -> pipeline.Plan:
        return pipeline.plan(made.files, replace(self._config, chosen_regions=regions))

    def check(self, made: pipeline.Plan, keys: tuple[Key, ...] | list[Key]) -> dict[Key, FunctionResult]:
        results: dict[Key, FunctionResult] = {}
        for path in dict.fromkeys(path for path, _ in keys):
            if is_notebook(path):
                results.update({key: FunctionResult(key[1], reason=NO_NOTEBOOKS) for key in keys if key[0] == path})
                continue
            new = _text(path, made.new[path])
            codes = {name: (path, name, _code_reached(name, new)) for where, name in keys if where == path}
            unknown = [name for name, code in codes.items() if code not in self._known]
            if unknown:
                pair = Pair(path, _text(path, made.files.contents[path]), new, "memory", in_memory=True)
                self._verify(pair, unknown, codes, len(results) / len(keys), len(unknown) / len(keys))
            results.update({(path, name): self._known[code] for name, code in codes.items()})
        return results

    def _verify(
        self,
        pair: Pair,
        names: list[str],
        codes: dict[str, tuple[str, str, frozenset[str]]],
        before: float,
        part: float,
    ) -> None:
        """`before` and `part` are the shares of all functions that come before, and that these are."""

        def tell(result: FunctionResult) -> None:
            self._known[codes[result.name]] = result
            self._tell(pair.path, result)

        def stage(what: str, share: float) -> None:
            self._stage(f"{pair.path}: {what}", before + part * share)

        try:
            verify_all(pair, names, self._limits(pair.path), tell, stage)
        except CannotVerify as error:
            for name in names:
                self._known.setdefault(codes[name], FunctionResult(name, reason=str(error)))

    def _tell(self, path: str, result: FunctionResult) -> None:
        self.told.add((path, result.name))
        said = result.difference or result.reason
        self._say(f"{result.verdict.value:<9} {path}::{result.name}{f': {said}' if said else ''}")


def _code_reached(name: str, text: str) -> frozenset[str]:
    """The code of a function and of all those of its file that it mentions: what its behaviour can depend on."""
    if name == TOP_LEVEL:
        return frozenset((text,))
    codes = functions_of(text)
    names: dict[str, set[str]] = {}
    for other in codes:
        names.setdefault(other.rpartition(".")[2], set()).add(other)
    reached: set[str] = set()
    left = {name} & codes.keys()
    while left:
        reached |= left
        words = {word for item in left for word in _NAME.findall(codes[item])}
        left = {other for word in words & names.keys() for other in names[word]} - reached
    return frozenset(codes[item] for item in reached)


def _is_unwanted(result: FunctionResult, strict: bool) -> bool:
    if strict:
        return result.verdict is not FunctionVerdict.EQUAL
    return result.verdict is FunctionVerdict.DIFFERENT


def _explain(result: FunctionResult) -> tuple[str, str]:
    if result.verdict is FunctionVerdict.UNTESTED:
        return f"could not be verified: {result.reason}", ""
    code = "\n".join(f"    {line}" for line in result.code.splitlines())
    return f"its rewrite differs: {result.difference}", code


def _text(path: str, data: bytes) -> str:
    try:
        return decode(path, data).text
    except Problem as problem:
        raise CannotVerify(f"{path}: {problem}") from None
