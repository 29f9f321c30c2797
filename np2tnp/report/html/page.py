"""One HTML page that needs nothing else: no network, no library; styles, script and charts are in it."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from np2tnp import __version__
from np2tnp.config import Config
from np2tnp.model import Run
from np2tnp.report.html.html_measured import environment_table, measured_sections
from np2tnp.report.html.html_sections import (
    codes_found,
    files_section,
    functions_section,
    hindrance_section,
    hot_section,
    readiness_section,
    verified_section,
)
from np2tnp.report.html.markup import Markup, element, join, prose
from np2tnp.report.readiness import rows

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
