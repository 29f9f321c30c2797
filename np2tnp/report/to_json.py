"""For scripts: one JSON object."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from np2tnp import __version__
from np2tnp.config import Config
from np2tnp.model import FileReport, Finding, Run


def render(run: Run, config: Config, colour: bool = False) -> str:
    """``findings``, ``files``, ``summary``, ``notes`` and ``version``; all findings, whatever ``-v`` says."""
    document = {
        "version": __version__,
        "summary": asdict(run.summary),
        "notes": list(run.notes),
        "files": [_file(report) for report in run.reports],
        "findings": [_finding(finding) for report in run.reports for finding in report.findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "path": finding.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "code": finding.code,
        "message": finding.message,
        "verdict": finding.verdict.value,
        "safety": finding.safety.value,
        "region": finding.region,
        "fixable": finding.fixable,
    }


def _file(report: FileReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "uses_numpy": report.uses_numpy,
        "unresolved": report.unresolved,
        "error": report.error,
        "regions": [
            {
                "qualname": region.qualname,
                "line": region.span.line,
                "column": region.span.column,
                "end_line": region.span.end_line,
                "end_column": region.span.end_column,
                "state": region.state.value,
                "reasons": list(region.reasons),
                "calls": region.calls,
                "converted": region.converted,
            }
            for region in report.regions
        ],
    }
