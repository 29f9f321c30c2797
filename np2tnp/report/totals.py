"""The sentences that every report for people ends with."""

from __future__ import annotations

from collections import Counter

from np2tnp.model import Finding, Region, RegionState, Run, Verdict

_UNKNOWN = "TNP010"  #: what may be work on arrays, for all that is known


def shown(run: Run, verbose: bool) -> list[Finding]:
    """The findings to show: those that only say "the same call exists" need ``-v``."""
    return [
        finding
        for report in run.reports
        for finding in report.findings
        if verbose or finding.verdict is not Verdict.CONVERT
    ]


def share(part: int, whole: int) -> str:
    """A percentage that says 0 % and 100 % only when it means none and all."""
    if not whole:
        return "-"
    percent = round(100 * part / whole)
    if percent == 0 and part:
        return "<1 %"
    if percent == 100 and part < whole:
        return ">99 %"
    return f"{percent} %"


def totals(run: Run) -> list[str]:
    """What a run comes to, line by line; never "all clear" where something could not be resolved or read."""
    summary = run.summary
    lines = [f"{count(summary.files, 'file')}, {summary.files_with_numpy} using NumPy"]
    states = summary.regions
    migrated = states.get(RegionState.MIGRATED.value, 0)
    can = "are migrated, or can be" if migrated else "can be migrated"
    if summary.calls:
        lines.append(
            f"NumPy calls and operators: {summary.calls_convertible} of {summary.calls} {can}"
            f" ({share(summary.calls_convertible, summary.calls)})"
        )
    convertible, kept, blocked = (
        states.get(state.value, 0) for state in (RegionState.CONVERTIBLE, RegionState.KEPT, RegionState.BLOCKED)
    )
    regions = migrated + convertible + kept + blocked
    if regions:
        done = f"{migrated} of {regions} are migrated ({share(migrated, regions)}), {convertible} more can be,"
        ready = f"{convertible} of {regions} can be migrated ({share(convertible, regions)}),"
        lines.append(
            f"Regions: {done if migrated else ready}"
            f" {kept} kept in NumPy (nothing to migrate, or slower in TensorFlow), {blocked} blocked"
        )
    outside = sum(region.calls for report in run.reports for region in report.regions if _is_top_level(region))
    if outside:
        lines.append(f"Outside of functions: {outside} of these calls stay in NumPy (--top-level migrates scripts)")
    lines += _in_the_way(run)
    if summary.unresolved:
        lines.append(
            f"Unresolved: {count(summary.unresolved, 'place')} may use NumPy in ways that could not be resolved"
        )
    verdicts = summary.findings
    told = [f"{verdicts[verdict.value]} {verdict.value}" for verdict in Verdict if verdicts.get(verdict.value)]
    if told:
        lines.append(f"Findings: {', '.join(told)}")
    if summary.errors:
        lines.append(f"Errors: {count(summary.errors, 'file')} could not be worked on")
    lines += run.notes
    if is_clear(run):
        lines.append(clear_words(run))
    return lines


def _is_top_level(region: Region) -> bool:
    return region.qualname == "<module>" and region.state is RegionState.KEPT


def _in_the_way(run: Run) -> list[str]:
    """The codes that block most regions, if any: what to look at first."""
    regions = (r for report in run.reports for r in report.regions if r.state is RegionState.BLOCKED)
    codes = Counter(code for r in regions for code in {reason.partition(" ")[0] for reason in r.reasons})
    told = [f"{code} in {number}" for code, number in sorted(codes.items(), key=lambda item: (-item[1], item[0]))]
    if not told:
        return []
    rest = ", ..." if told[5:] else ""
    return [f"In the way (regions): {', '.join(told[:5])}{rest}; see np2tnp explain {told[0].partition(' ')[0]}"]


def is_clear(run: Run) -> bool:
    """Whether nothing at all is in the way, and nothing was left unread or unknown."""
    summary = run.summary
    unknown = any(finding.code == _UNKNOWN for report in run.reports for finding in report.findings)
    hindrances = sum(summary.findings.get(verdict.value, 0) for verdict in (Verdict.ADAPT, Verdict.HOST, Verdict.BLOCK))
    return not (
        summary.unresolved
        or unknown
        or summary.errors
        or hindrances
        or not summary.files
        or summary.regions.get(RegionState.BLOCKED.value)
        or summary.regions.get(RegionState.KEPT.value)
        or (summary.files_with_numpy and summary.calls_convertible < summary.calls)
    )


def clear_words(run: Run) -> str:
    """What a run says that ``is_clear``."""
    if not run.summary.calls:
        return "No calls of NumPy found."
    return "All clear: everything found here can be migrated as it stands."


def statistics(run: Run) -> list[tuple[str, int, str]]:
    """(code, how often, an example's message) for each code, most frequent first."""
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for report in run.reports:
        for finding in report.findings:
            counts[finding.code] = counts.get(finding.code, 0) + 1
            examples.setdefault(finding.code, finding.message)
    return sorted(
        ((code, number, examples[code]) for code, number in counts.items()), key=lambda row: (-row[1], row[0])
    )


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def blocked_regions(run: Run) -> list[tuple[str, Region]]:
    """(path, region) of all that ``rewrite`` leaves alone although there is NumPy in it."""
    return [
        (report.path, region)
        for report in run.reports
        for region in report.regions
        if region.state in (RegionState.BLOCKED, RegionState.KEPT)
    ]
