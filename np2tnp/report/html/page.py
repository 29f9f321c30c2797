"""One HTML page that needs nothing else: no network, no library; styles, script and charts are in it."""

from __future__ import annotations

import datetime
import platform
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from np2tnp import __version__
from np2tnp.config import Config
from np2tnp.model import FileReport, Finding, Region, RegionState, Run, Safety, Verdict
from np2tnp.report.excerpt import excerpt, lines_of
from np2tnp.report.html.html_measured import environment_table, measured_sections
from np2tnp.report.html.markup import Markup, element, join, prose, table
from np2tnp.report.html.svg import stacked_bar
from np2tnp.report.readiness import rows, worst_first
from np2tnp.report.to_profile import seconds
from np2tnp.report.totals import clear_words, count, function_states, is_clear, needed, share, told, unresolved_places

# --- How ready a tree is, and what stands in the way file by file, as the sections of a page

_WIDEST = 240  #: longer source lines are not shown
_OPEN = 3  #: files unfolded from the start, where there are no more
_STATES = (
    (RegionState.MIGRATED, "migrated"),
    (RegionState.CONVERTIBLE, "can be migrated"),
    (RegionState.KEPT, "kept in NumPy"),
    (RegionState.BLOCKED, "blocked"),
)


def readiness_section(run: Run) -> Markup:
    """The totals: how many calls and functions can be migrated, and what the run could not say."""
    summary = run.summary
    states = {state.value: number for state, number in function_states(run).items()}
    regions = sum(states.get(state.value, 0) for state, _ in _STATES)
    tiles = [
        _tile(share(summary.calls_convertible, summary.calls), "of NumPy's work can be migrated", _calls_bar(run)),
        _tile(
            share(sum(states.get(state.value, 0) for state, _ in _STATES[:2]), regions),
            "of functions are migrated, or can be" if states.get("migrated") else "of functions can be migrated",
            _states_bar(states),
        ),
        _tile(f"{summary.files_with_numpy:,}", f"of {count(summary.files, 'file')} use NumPy", Markup()),
        _tile(f"{sum(summary.findings.values()):,}", _findings_words(summary.findings), _findings_bar(run)),
    ]
    legend = [
        element("span", element("i", class_=f"s-{state.value}"), f"{states.get(state.value, 0):,} {name}")
        for state, name in _STATES
    ]
    parts = [element("div", *tiles, class_="tiles"), element("p", *legend, class_="legend")]
    if summary.unresolved:
        words = f"{count(summary.unresolved, 'line')} may use NumPy in a way that could not be resolved"
        words += f": {unresolved_places(run)}."
        parts.append(element("p", words, class_="muted"))
    if summary.errors:
        parts.append(element("p", f"{count(summary.errors, 'file')} could not be worked on.", class_="warn"))
    parts += [element("p", note, class_="muted") for note in (*run.notes, *run.skipped)]
    if is_clear(run):
        parts.append(element("p", clear_words(run), class_="headline"))
    return join(*parts)


def functions_section(run: Run) -> Markup:
    """What becomes of each function, those that take most first."""
    table_rows: list[list[str]] = [
        [
            join(element("code", row.function), " ", element("small", f"{row.file}:{row.line}")),
            row.state,
            join(_code(row.code), f" line {row.code_line} ", prose(row.why)) if row.code else prose(row.why),
            row.effort,
        ]
        for row in worst_first(run)
    ]
    return table(["function", "state", "first in the way", "effort"], table_rows)


def hindrance_section(run: Run, summaries: Mapping[str, str]) -> Markup:
    """The codes found, those that block most functions first."""
    findings: Counter[str] = Counter()
    worst: dict[str, Verdict] = {}
    regions: dict[str, set[tuple[str, str]]] = {}
    for finding in (finding for report in run.reports for finding in report.findings):
        findings[finding.code] += 1
        worst[finding.code] = max(worst.get(finding.code, finding.verdict), finding.verdict, key=_WEIGHTS.index)
        if finding.verdict is Verdict.BLOCK:
            regions.setdefault(finding.code, set()).add((finding.path, finding.region))
    order = sorted(findings, key=lambda code: (-len(regions.get(code, ())), -findings[code], code))
    rows: list[list[str]] = [
        [
            _code(code),
            prose(summaries.get(code, "")),
            _verdict(worst[code]),
            f"{len(regions.get(code, ())):,}",
            f"{findings[code]:,}",
        ]
        for code in order
    ]
    return table(["code", "what it finds", "verdict", "functions it blocks", "findings"], rows, numeric=(3, 4))


def files_section(run: Run, config: Config) -> Markup:
    """Every file with something to say, folded; the findings with their source lines."""
    wanted = {
        id(finding)
        for report in run.reports
        for finding in report.findings
        if config.verbose or finding.verdict is not Verdict.CONVERT
    }
    blocks = []
    for report in run.reports:
        findings = [finding for finding in report.findings if id(finding) in wanted]
        if findings or any(region.reasons for region in report.regions):
            blocks.append((report, findings))
    is_open = len(blocks) <= _OPEN
    parts = [_file(report, findings, run, is_open) for report, findings in blocks]
    hidden = sum(len(report.findings) for report in run.reports) - len(wanted)
    if hidden:
        words = f"{hidden:,} findings that only say “the same call exists” are left out; -v shows them."
        parts.append(element("p", words, class_="muted"))
    return join(*parts)


def codes_found(run: Run) -> list[str]:
    """All codes that the page mentions, in order."""
    reasons = (reason for report in run.reports for region in report.regions for reason in region.reasons)
    named = {reason.partition(" ")[0] for reason in reasons}
    return sorted({finding.code for report in run.reports for finding in report.findings} | named)


def _tile(figure: str, words: str, bar: Markup) -> Markup:
    return element("div", element("b", figure), element("span", words), bar, class_="tile")


def _states_bar(states: Mapping[str, int]) -> Markup:
    parts = [(name, states.get(state.value, 0), f"s-{state.value}") for state, name in _STATES]
    return stacked_bar(parts, "functions")


def _calls_bar(run: Run) -> Markup:
    convertible, calls = run.summary.calls_convertible, run.summary.calls
    parts = [("can be migrated", convertible, "s-convertible"), ("stay", calls - convertible, "s-kept")]
    return stacked_bar(parts, "calls")


def _findings_bar(run: Run) -> Markup:
    counts = run.summary.findings
    return stacked_bar([(it.value, counts.get(it.value, 0), f"v-{it.value}") for it in Verdict], "findings")


def _findings_words(counts: Mapping[str, int]) -> str:
    """What the colours of the findings' bar mean, which are those of the verdicts further down."""
    parts = [f"{counts[it.value]:,} {it.value}" for it in Verdict if counts.get(it.value)]
    return f"findings: {', '.join(parts)}" if parts else "findings"


def _file(report: FileReport, findings: list[Finding], run: Run, is_open: bool) -> Markup:
    bar = _states_bar(Counter(region.state.value for region in report.regions))
    words = count(len(findings), "finding") + (" · not read" if report.error else "")
    summary = element(
        "summary",
        element("span", report.path, class_="path"),
        element("span", bar),
        element("span", words, class_="muted"),
    )
    left = [region for region in report.regions if region.reasons]
    lines = lines_of(report.path, run)
    body = [_regions(left)] if left else []
    body += [_finding(finding, lines) for finding in findings]
    return element("details", summary, element("div", *body, class_="body"), open=is_open, class_="file")


def _regions(regions: list[Region]) -> Markup:
    rows: list[list[str]] = [
        [
            element("code", region.qualname),
            str(region.line) if region.cell is None else f"cell {region.cell.number}:{region.line}",
            region.state.value,
            _reason(region),
        ]
        for region in regions
    ]
    return table(["left in NumPy", "line", "fate", "because"], rows, numeric=(1,))


def _reason(region: Region) -> Markup:
    code, _, rest = region.reasons[0].partition(" ")
    more = f" (and {len(region.reasons) - 1} more)" if len(region.reasons) > 1 else ""
    return join(_code(code), " ", prose(rest), more)


def _finding(finding: Finding, lines: list[str] | None) -> Markup:
    unsafe = element("em", needed(finding)) if finding.safety is Safety.UNSAFE else None
    place = element("span", finding.place, class_="place")
    head = element("p", place, _code(finding.code), _verdict(finding.verdict), " ", prose(told(finding)), unsafe)
    return element("div", head, _snippet(finding, lines), class_=f"finding is-{finding.verdict.value}")


def _snippet(finding: Finding, lines: list[str] | None) -> Markup | None:
    """The source line with the finding's place marked; None where there is none to show."""
    line = excerpt(finding.span, lines, _WIDEST)
    return None if line is None else element("pre", line.before, element("mark", line.marked), line.after)


def _code(code: str) -> Markup:
    return element("a", code, href=f"#{code}", class_="code")


def _verdict(verdict: Verdict) -> Markup:
    return element("span", verdict.value, class_=f"verdict v-{verdict.value}")


_WEIGHTS = (Verdict.NOTE, Verdict.CONVERT, Verdict.ADAPT, Verdict.HOST, Verdict.BLOCK)


# --- Where a program spends its time, as a section of a page: the hot functions, and what stands in their way

_FATES = {
    "convertible": "can be migrated",
    "migrated": "migrated",
    "kept": "stays NumPy",
    "blocked": "blocked",
    "plain": "no NumPy",
}
_CODE = re.compile(r"(TNP\d{3}) ")


def hot_section(document: dict[str, Any]) -> Markup:
    """The ranking of ``profile -- PROGRAM``. Raises KeyError, TypeError or ValueError for another file."""
    found = document["finding"]
    command = " ".join(map(str, document["command"]))
    decisions = {(it["path"], it["function"]): it.get("decision") for it in document["functions"]}
    rows: list[list[str]] = [
        [
            join(element("code", str(hot["function"])), " ", element("small", f"{hot['path']}:{hot['line']}")),
            seconds(hot["seconds"]),
            _share(hot["share"]),
            seconds(hot["inclusive"]),
            element("span", _FATES[hot["state"]], class_=f"verdict f-{hot['state']}"),
            _remark(hot, decisions.get((hot["path"], hot["function"]))),
        ]
        for hot in document["hot"]
    ]
    parts = [element("h3", element("code", command))]
    if found["status"]:
        parts.append(element("p", f"The program ended with status {found['status']}.", class_="warn"))
    if rows:
        head = ["function", "time with NumPy", "share", "with callees", "fate", ""]
        parts.append(table(head, rows, numeric=(1, 2, 3)))
    else:
        parts.append(element("p", "No function of the program spends 1 % of the time with NumPy.", class_="muted"))
    elsewhere = ", ".join(f"{name} {_share(share)}" for name, share in found["elsewhere"][:6])
    words = (
        f"{found['samples']:,} samples; the run took {seconds(found['seconds'])},"
        f" sampling {_share(found['overhead'])} of its CPU time."
    )
    parts.append(element("p", f"{words} Elsewhere: {elsewhere}." if elsewhere else words, class_="muted"))
    return join(*parts)


def _remark(hot: dict[str, Any], decision: dict[str, Any] | None) -> Markup:
    """What was decided after measuring; else what stands in the way, each finding with a link to its code."""
    if decision:
        word = "confirmed" if decision["confirmed"] else "not confirmed"
        return join(element("b", word), f": {decision['reason']}" if decision["reason"] else "")
    if hot["state"] == "convertible":
        return join(str(hot["obstacle"]))
    return join(*(element("div", _linked(str(reason))) for reason in hot["reasons"][:3]))


def _linked(reason: str) -> Markup:
    match = _CODE.match(reason)
    if match is None:
        return prose(reason)
    return join(element("span", match[1], class_="code"), " ", prose(reason[match.end() :]))


def _share(part: float) -> str:
    percent = 100 * float(part)
    return f"{percent:.0f}\N{NO-BREAK SPACE}%" if percent >= 10 or not percent else f"{percent:.2g}\N{NO-BREAK SPACE}%"


# --- What ``verify --json`` found, as a section of a page: the differences first

_ORDER = ("DIFFERENT", "UNTESTED", "EQUAL")


def verified_section(document: dict[str, Any]) -> Markup:
    """One file's functions. Raises KeyError, TypeError or ValueError for what ``verify`` did not write."""
    functions = sorted(document["functions"], key=lambda it: _ORDER.index(it["verdict"]))
    rows: list[list[str]] = [
        [
            element("span", it["verdict"], class_=f"verdict {it['verdict'].lower()}"),
            element("code", str(it["name"])),
            ", ".join(f"{number} {kind}" for kind, number in it["inputs"].items()),
            str(it["reason"] or it["difference"]),
        ]
        for it in functions
    ]
    parts = [element("h3", str(document["path"])), element("p", f"Against {document['original']}.", class_="muted")]
    if rows:
        parts.append(table(["verdict", "function", "inputs", "why"], rows))
    else:
        parts.append(element("p", "No function was compared.", class_="muted"))
    parts += [_difference(it) for it in functions if it["verdict"] == "DIFFERENT"]
    if document["not_rewritten"]:
        names = ", ".join(map(str, document["not_rewritten"]))
        parts.append(element("p", f"Not rewritten, so nothing to compare: {names}.", class_="muted"))
    return join(*parts)


def _difference(function: dict[str, Any]) -> Markup:
    title = element("summary", element("code", str(function["name"])), f": {function['difference']}")
    shows = element("p", "This shows it:") if function["code"] else None
    code = element("pre", str(function["code"]), class_="program") if function["code"] else None
    return element("details", title, shows, code, open=True, class_="difference")


# --- The page

if TYPE_CHECKING:
    from np2tnp.rules import Doc


@dataclass(frozen=True, slots=True)
class Contents:
    """What a page shows; what is not there has no section."""

    title: str
    run: Run | None = None
    profiles: Mapping[str, dict[str, Any]] = field(default_factory=dict)  #: by file; see docs/profile-schema.md
    verifications: Mapping[str, dict[str, Any]] = field(default_factory=dict)  #: by file: what `verify --json` printed


class ResultError(ValueError):
    """A result file is not what np2tnp wrote. The text is one line for the user."""


def render(contents: Contents, config: Config) -> str:
    """The page. Raises ResultError."""
    run = contents.run
    sections: list[tuple[str, str, Markup]] = []
    if run is not None:
        summaries = {code: doc.summary for code, doc in _docs().items()}
        sections.append(("readiness", "Readiness", readiness_section(run)))
        if any(rows(run)):
            sections.append(("functions", "Functions", functions_section(run)))
        if any(report.findings for report in run.reports):
            sections += [
                ("hindrances", "What was found", hindrance_section(run, summaries)),
                ("files", "Findings by file", join(_controls(), files_section(run, config))),
            ]
    hot = [_guarded(path, hot_section, it) for path, it in contents.profiles.items() if "hot" in it]
    if hot:
        sections.append(("hot", "Hot functions", join(*hot)))
    measured = [_guarded(path, measured_sections, it) for path, it in contents.profiles.items()]
    if measured:
        sections.append(("measured", "Measured", join(*measured)))
    verified = [_guarded(path, verified_section, it) for path, it in contents.verifications.items()]
    if verified:
        sections.append(("verified", "Verified", join(*verified)))
    sections.append(("environment", "Environment", _environment(contents)))
    if run is not None and (codes := codes_found(run)):
        sections.append(("codes", "Codes", join(*map(_page, codes))))
    return _whole(contents.title, sections)


def _whole(title: str, sections: Sequence[tuple[str, str, Markup]]) -> str:
    links = [element("a", heading, href=f"#{name}") for name, heading, _ in sections]
    body = [element("section", element("h2", heading), content, id=name) for name, heading, content in sections]
    page = _template("page.html")
    places = {
        "title": element("span", title),
        "style": Markup(_template("style.css")),
        "script": Markup(_template("script.js")),
        "links": join(*links),
        "body": join(*body),
        "created": element("span", f"np2tnp {__version__}, {_now()}"),
    }
    for name, text in places.items():
        before, _, after = page.partition(f"<!--{name}-->")
        page = before + text + after
    return page


def _guarded(path: str, show: Any, document: dict[str, Any]) -> Markup:
    try:
        shown: Markup = show(document)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        raise ResultError(f"{path}: not a result file of np2tnp ({type(error).__name__}: {error})") from None
    return shown


def _environment(contents: Contents) -> Markup:
    parts = [_guarded(path, environment_table, it) for path, it in contents.profiles.items()]
    if not parts:
        words = f"Checked with Python {platform.python_version()} on {platform.platform()}; nothing was run."
        parts.append(element("p", words))
    return join(*parts)


def _controls() -> Markup:
    """Which verdicts are shown (by style alone), and what the script adds: a filter, and folding of all files."""
    boxes = [
        element("label", element("input", type="checkbox", checked=True, id=f"show-{name}"), f" {name}")
        for name in ("adapt", "host", "block", "note")
    ]
    field_ = element("input", type="search", id="filter", placeholder="path, code or word", aria_label="filter")
    buttons = [element("button", words, type="button", id=name) for name, words in _BUTTONS]
    return element("div", *boxes, element("span", field_, *buttons, class_="scripted"), class_="controls")


_BUTTONS = (("unfold", "unfold all"), ("fold", "fold all"))


def _docs() -> dict[str, Doc]:
    from np2tnp.rules import DOCS

    return DOCS


def _page(code: str) -> Markup:
    doc = _docs().get(code)
    if doc is None:
        return Markup()
    summary = element("summary", element("b", code), f" {doc.name}: ", prose(doc.summary))
    parts: list[str | None] = [element("p", prose(doc.why)), element("p", element("b", "np2tnp: "), prose(doc.does))]
    if doc.bad:
        parts.append(element("pre", doc.bad, class_="program"))
    if doc.good:
        parts.append(element("p", "becomes" if "rt." in doc.good or "tnp." in doc.good else "instead"))
        parts.append(element("pre", doc.good, class_="program"))
    parts.append(element("p", element("b", "Fix safety: "), prose(doc.safety)))
    return element("details", summary, *parts, id=code, class_="doc")


def _template(name: str) -> str:
    return resources.files("np2tnp.report").joinpath("templates").joinpath(name).read_text(encoding="utf-8")


def _now() -> str:
    return datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
