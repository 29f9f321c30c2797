"""fixtures/rules: each input is flagged where it says so, becomes its golden text, and both print the same.

A line of ``input.py`` that ends in ``# TNP101`` (or ``# TNP101,TNP003``) must have findings of these codes. No other
line may have a finding of the folder's own code, or one that blocks.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, Verdict
from np2tnp.rules import DOCS, Severity

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "rules"
CASES = sorted(path for path in FOLDER.iterdir() if path.is_dir())
#: Codes whose edits are explained but reported nowhere.
UNREPORTED = {"TNP008"}
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def report_of(case: Path) -> FileReport:
    doc = DOCS[case.name[:6]]
    special = {"compile": doc.compile, "float32": doc.float32, "top_level": doc.top_level, "state": doc.state}
    slow = "keep" if doc.severity is Severity.SLOWER else "convert"  # what is slow is no matter of the other codes
    config = Config(str(case), rewrite=True, on_unverified="raise", slow=slow, **special)
    return analyze(Source("input.py", (case / "input.py").read_text(encoding="utf-8")), config)


def marked(text: str) -> Iterator[tuple[int, str]]:
    """(line, code) for each mark in `text`."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"# (TNP\d{3}(?:,TNP\d{3})*)$", line)
        for code in found[1].split(",") if found else ():
            yield number, code


def test_every_code_has_a_fixture() -> None:
    reported = {doc.code for doc in DOCS.values() if doc.severity is not Severity.TOOL} - UNREPORTED
    assert {case.name for case in CASES} == {f"{code}-{DOCS[code].name}" for code in reported}


@each
def test_marked_lines_are_flagged_and_no_others(case: Path) -> None:
    own = case.name[:6]
    lines: defaultdict[int, set[str]] = defaultdict(set)
    for finding in report_of(case).findings:
        if finding.code == own or finding.verdict is Verdict.BLOCK:
            lines[finding.span.line].add(finding.code)
    expected = list(marked((case / "input.py").read_text(encoding="utf-8")))
    assert any(code == own for _, code in expected)
    found_anywhere = {(finding.span.line, finding.code) for finding in report_of(case).findings}
    assert set(expected) <= found_anywhere
    assert {(line, code) for line, codes in lines.items() for code in codes} <= set(expected)


@each
def test_rewritten_text_is_the_golden_one(case: Path, update_golden: bool) -> None:
    golden = case / "expected.py"
    made = report_of(case).new_text or (case / "input.py").read_text(encoding="utf-8")
    if update_golden:
        golden.write_text(made, encoding="utf-8")
    assert made == golden.read_text(encoding="utf-8"), "if this is meant: pytest --update-golden"


@each
def test_rewriting_again_changes_nothing(case: Path) -> None:
    text = report_of(case).new_text
    if text is not None:
        assert analyze(Source("expected.py", text), Config(rewrite=True)).new_text in (None, text)


@each
def test_both_print_the_same(case: Path) -> None:
    pytest.importorskip("tensorflow")
    printed = [printed_by(case / name) for name in ("input.py", "expected.py")]
    assert printed[0] == printed[1]
    assert printed[0].strip()


def printed_by(path: Path) -> str:
    """What the program's ``main()`` prints. An exception is a failure of the fixture."""
    module = ModuleType(f"{path.parent.name}.{path.stem}")
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        module.main()
    return stream.getvalue()
