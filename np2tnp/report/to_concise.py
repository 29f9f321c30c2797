"""One line a finding: ``path:line:column: CODE message``, as editors and grep like it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from np2tnp.config import Config
from np2tnp.model import Run
from np2tnp.report.style import Style, visible
from np2tnp.report.totals import UNKNOWN, clear_words, count, is_clear, shown, told, undecided_places, unresolved_places


def render(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """The lines, and (without ``quiet``) one that counts them and what could not be resolved."""
    style = Style(colour)
    for item in shown(run, config):
        place = f"{style(visible(item.path), 'bold')}:{item.place}"
        yield f"{place}: {style(item.code, 'red')} {visible(told(item))}\n"
    yield from _ending(run, config)


def render_by_file(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """The same under a heading for each file, without it in the lines."""
    style = Style(colour)
    for path, findings in groupby(shown(run, config), key=lambda item: item.path):
        yield f"{style(visible(path), 'bold')}:\n"
        for item in findings:
            yield f"  {item.place:<8} {style(item.code, 'red')} {visible(told(item))}\n"
        yield "\n"
    yield from _ending(run, config)


def _ending(run: Run, config: Config) -> Iterator[str]:
    if config.quiet:
        return
    summary = run.summary
    unresolved = f"{count(summary.unresolved, 'line')} unresolved ({unresolved_places(run)})"
    rest = f", {visible(unresolved)}" if summary.unresolved else ""
    undecided = len(undecided_places(run))
    rest += f", {count(undecided, 'function')} undecided ({UNKNOWN})" if undecided else ""
    hidden = summary.hidden - summary.known
    rest += f", {hidden} hidden by options or comments" if hidden else ""
    rest += f", {count(summary.errors, 'error')}" if summary.errors else ""
    yield from (visible(note) + "\n" for note in (*run.notes, *run.skipped))
    yield f"{clear_words(run)}\n" if is_clear(run) else f"{count(len(shown(run, config)), 'finding')}{rest}.\n"
