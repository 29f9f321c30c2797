"""``rewrite --apply --interactive``: show each region's change and ask whether it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.model import Change
from np2tnp.report.to_diff import render

_HELP = """\
y  rewrite this function
n  leave it as it is
a  rewrite this one and all that follow
d  leave this one and all that follow
q  leave everything as it was, and end
"""


class Quit(Exception):  # noqa: N818 # the user's wish, no error
    """Nothing at all is to be written."""


def choose(
    made: pipeline.Plan, config: Config, ask: Callable[[str], str], show: Callable[[str], None], colour: bool
) -> pipeline.Plan:
    """The part of the plan that the user wants.

    Each diff is what accepting the region changes in the file as accepted so far: a function whose callee was accepted
    before shows the call in its new form, and one that needs others is shown once these were accepted. `ask` gives one
    line for a prompt, or raises EOFError, which counts as ``q``.
    """
    total = len(made.regions)
    accepted: frozenset[tuple[str, str]] = frozenset()
    current = _plan(made, config, accepted)
    left = list(enumerate(made.regions, 1))
    waiting: list[tuple[int, tuple[str, str]]] = []
    while left:
        waiting = []
        before = accepted
        for place, (number, (path, name)) in enumerate(left):
            attempt = _plan(made, config, accepted | {(path, name)})
            if (path, name) not in attempt.regions:
                waiting.append((number, (path, name)))  # others that it needs may be accepted yet
                continue
            old, new = _text(current, path), _text(attempt, path)
            encoding = next(change.encoding for change in attempt.run.changes if change.path == path)
            show(render(Change(path, old, new, encoding), colour))
            answer = _answer(f"rewrite {path}::{name} ({number} of {total})? [y,n,a,d,q,?] ", ask, show)
            if answer == "d":
                return current
            if answer == "a":
                rest = [region for _, region in (*waiting, *left[place:])]
                return _plan(made, config, accepted.union(rest))
            if answer == "y":
                accepted, current = accepted | {(path, name)}, attempt
        left = waiting if accepted != before else []
    for _, (path, name) in waiting:
        show(f"{path}::{name} cannot be rewritten without the functions that were left\n")
    return current


def _plan(made: pipeline.Plan, config: Config, regions: frozenset[tuple[str, str]]) -> pipeline.Plan:
    return pipeline.plan(made.files, replace(config, chosen_regions=regions))


def _text(made: pipeline.Plan, path: str) -> str:
    for change in made.run.changes:
        if change.path == path:
            return change.new_text
    from np2tnp.files.source import decode

    return decode(path, made.files.contents[path]).text


def _answer(prompt: str, ask: Callable[[str], str], show: Callable[[str], None]) -> str:
    while True:
        try:
            answer = ask(prompt).strip().lower()[:1]
        except EOFError:
            raise Quit from None
        if answer == "q":
            raise Quit
        if answer in ("y", "n", "a", "d"):
            return answer
        show(_HELP)
