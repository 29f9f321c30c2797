"""One line a finding: ``path:line:column: CODE message``, as editors and grep like it."""

from __future__ import annotations

from np2tnp.config import Config
from np2tnp.model import Run
from np2tnp.report.style import Style
from np2tnp.report.totals import count, is_clear, shown


def render(run: Run, config: Config, colour: bool = False) -> str:
    """The lines, and (without ``quiet``) one that counts them and what could not be resolved."""
    style = Style(colour)
    findings = shown(run, config.verbose)
    lines = [
        f"{style(item.path, 'bold')}:{item.span.line}:{item.span.column}: {style(item.code, 'red')} {item.message}"
        for item in findings
    ]
    if not config.quiet:
        summary = run.summary
        rest = f", {count(summary.unresolved, 'place')} unresolved" if summary.unresolved else ""
        rest += f", {count(summary.errors, 'error')}" if summary.errors else ""
        lines += run.notes
        lines.append("All clear." if is_clear(run) else f"{count(len(findings), 'finding')}{rest}.")
    return "".join(line + "\n" for line in lines)
