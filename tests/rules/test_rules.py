"""Every code has one page, what the page shows is true, and every rule's golden pair is rewritten so and runs alike."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from np2tnp.commands.explain import explain, manual
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState, Verdict
from np2tnp.rules import DOCS, REGISTRY, Doc, Severity

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(DOCS.values(), key=lambda doc: doc.code)
CODES = [doc for doc in PAGES if doc.severity is not Severity.TOOL]
HEAD = "import numpy as np\n\n\n"


def report_of(text: str, doc: Doc) -> FileReport:
    options = {name: getattr(doc, name) for name in ("compile", "top_level", "float32", "state")}
    options["on_unverified"] = "raise"
    return analyze(Source("example.py", text), Config(str(ROOT / "docs"), rewrite=True, **options))


def without_imports(text: str) -> str:
    """What stands behind the imports that every example has, or gets from the rewrite."""
    added = ("import numpy as np", "from np2tnp import runtime as rt", "from np2tnp.runtime import tnp")
    return "\n".join(line for line in text.splitlines() if line not in added).strip("\n")


# --- pages


@pytest.mark.parametrize("doc", PAGES, ids=lambda doc: doc.code)
def test_page_is_complete(doc: Doc) -> None:
    assert re.fullmatch(r"TNP\d{3}", doc.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", doc.name)
    for text in (doc.summary, doc.why, doc.does, doc.safety):
        assert text.endswith((".", "...")), text
        assert "  " not in text
    if doc.severity is not Severity.TOOL:
        assert doc.bad
        assert doc.good


def test_names_are_unique() -> None:
    names = [doc.name for doc in PAGES]
    assert len(names) == len(set(names))


def test_every_rule_file_is_registered() -> None:
    """A rule that the package forgets to import would silently not run."""
    files = {path.stem for path in (ROOT / "np2tnp" / "rules").rglob("*.py")}
    used = {type(rule).__module__.rpartition(".")[2] for rule in REGISTRY}
    assert files - used == {
        "__init__",
        "base",
        "cases",
        "decisions",
        "loop_counts",
        "loop_work",
        "migrated_callees",
        "part_loops",
        "small_steps",
        "tool",
        "words_and_edits",
    }


def test_a_rule_has_a_file_of_its_own() -> None:
    modules = [type(rule).__module__ for rule in REGISTRY]
    assert len(modules) == len(set(modules))


def test_manual_is_current() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert written == manual(), "python -m np2tnp.commands.explain docs/rules"


def test_explain_prints_the_sections_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("tnp101") == 0
    titles = re.findall(r"^(\w[\w ]+)$", capsys.readouterr().out, re.MULTILINE)
    assert titles == ["What it finds", "Why it matters", "What np2tnp does", "Before", "After", "Fix safety"]
    assert explain("array-store") == 0
    assert "TNP101" in capsys.readouterr().out


def test_explain_lists_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("tnp7") == 0
    codes = re.findall(r"^ *(TNP\d\w\w) ", capsys.readouterr().out, re.MULTILINE)
    assert codes == ["TNP7xx", *(doc.code for doc in CODES if doc.code.startswith("TNP7"))]


def test_explain_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain("TNP112") == 2
    assert "did you mean `TNP" in capsys.readouterr().err


# --- examples


@pytest.mark.parametrize("doc", CODES, ids=lambda doc: doc.code)
def test_bad_example_is_flagged(doc: Doc) -> None:
    found = {finding.code for finding in report_of(HEAD + doc.bad, doc).findings}
    assert doc.code in found or doc.code in EDITS_ONLY


#: Codes whose edits are explained but reported nowhere: there would be too many of them.
EDITS_ONLY = {"TNP008"}


@pytest.mark.parametrize("doc", CODES, ids=lambda doc: doc.code)
def test_good_example_is_not_flagged(doc: Doc) -> None:
    found = {finding.code for finding in report_of(HEAD + doc.good, doc).findings}
    assert doc.code not in found


@pytest.mark.parametrize("doc", CODES, ids=lambda doc: doc.code)
def test_good_example_is_what_rewrite_makes(doc: Doc, update_golden: bool) -> None:
    report = report_of(HEAD + doc.bad, doc)
    blocked = any(finding.code == doc.code and finding.verdict is Verdict.BLOCK for finding in report.findings)
    assert not blocked or any(region.state is RegionState.BLOCKED for region in report.regions)
    shown = "@rt." in doc.good
    assert not (blocked and shown)
    if not shown:
        return
    assert report.new_text is not None
    made = without_imports(report.new_text)
    if update_golden:
        _replace_example(without_imports(doc.good), made)
    else:
        assert made == without_imports(doc.good), "if this is meant: pytest --update-golden tests/rules/test_rules.py"


def _replace_example(old: str, new: str) -> None:
    """Writes a new ``good`` into the rule's file."""
    old, new = (textwrap.indent(text, " " * 12) for text in (old, new))
    for path in (ROOT / "np2tnp" / "rules").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if f'good="""\n{old}\n' in text:
            path.write_text(text.replace(f'good="""\n{old}\n', f'good="""\n{new}\n'), encoding="utf-8")
