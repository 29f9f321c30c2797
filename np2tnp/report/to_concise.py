"""One line a finding: ``path:line:column: CODE message``, as editors and grep like it."""

from __future__ import annotations

from collections.abc import Iterator

from np2tnp.config import Config
from np2tnp.model import Run
from np2tnp.report.style import Style, visible
from np2tnp.report.totals import count, is_clear, shown


def render(run: Run, config: Config, colour: bool = False) -> Iterator[str]:
    """The lines, and (without ``quiet``) one that counts them and what could not be resolved."""
    style = Style(colour)
    findings = shown(run, config.verbose)
    for item in findings:
        place = f"{style(visible(item.path), 'bold')}:{item.span.line}:{item.span.column}"
        yield f"{place}: {style(item.code, 'red')} {visible(item.message)}\n"
    if not config.quiet:
        summary = run.summary
        rest = f", {count(summary.unresolved, 'place')} unresolved" if summary.unresolved else ""
        rest += f", {count(summary.errors, 'error')}" if summary.errors else ""
        yield from (visible(note) + "\n" for note in run.notes)
        yield "All clear.\n" if is_clear(run) else f"{count(len(findings), 'finding')}{rest}.\n"
