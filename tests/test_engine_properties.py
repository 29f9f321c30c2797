"""Over any text the engine never raises, changes nothing twice, and keeps what it does not migrate."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from np2tnp.analysis.domain.env import iterated_name, shown
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport
from np2tnp.pipeline import analyse_bytes

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PROGRAMS = sorted(
    path for pattern in ("programs/*.py", "projects/**/*.py", "rules/*/*.py") for path in FIXTURES.glob(pattern)
)


def rewrite(text: str) -> FileReport:
    return analyze(Source("program.py", text), Config(rewrite=True))


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda path: str(path.relative_to(FIXTURES)))
def program(request: pytest.FixtureRequest) -> tuple[str, FileReport]:
    """A text and its report. What asks for one program runs one after the other: it is rewritten once."""
    text = request.param.read_text(encoding="utf-8")
    return text, rewrite(text)


def test_a_second_run_changes_nothing(program: tuple[str, FileReport]) -> None:
    new = program[1].new_text
    if new is not None:
        assert rewrite(new).new_text in (None, new)


def test_lines_outside_of_migrated_regions_stay(program: tuple[str, FileReport]) -> None:
    text, report = program
    if report.new_text is None:
        return
    lines = text.splitlines()
    for region in report.regions:
        if region.state.value == "convertible":
            lines[region.span.line - 1 : region.span.end_line] = [""] * (region.span.end_line - region.span.line + 1)
    kept = iter(report.new_text.splitlines())
    for line in filter(str.strip, lines):
        assert any(line == other for other in kept), line


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("import numpy as np\n()[]{}:=+-*/.,'\"# 01xdefé\\@\t"), max_size=200))
def test_any_text_gives_a_report(text: str) -> None:
    data = b"import numpy as np\n" + text.encode()
    report = analyse_bytes(Config(rewrite=True), ("any.py", data))
    assert report.error is None or any(finding.code.startswith("TNP90") for finding in report.findings)
    assert not any(finding.code in ("TNP906", "TNP907") for finding in report.findings)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PROGRAMS), st.integers(0, 10**6))
def test_programs_with_lines_exchanged_give_reports(path: Path, seed: int) -> None:
    """Statements in a wrong order, names before their binding, blocks cut in two: the engine must not fail."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    chance = random.Random(seed)
    for _ in range(4):
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    report = analyse_bytes(Config(rewrite=True), ("any.py", "".join(lines).encode()))
    assert not any(finding.code in ("TNP906", "TNP907") for finding in report.findings)


def test_warnings_of_the_compiler_about_the_text_are_not_repeated() -> None:
    text = "import numpy as np\n\n\ndef f(x, k):\n    return np.exp(x) if k is 'a' else np.sin(x)\n"
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert "tnp.exp" in (rewrite(text).new_text or "")
    assert not found


def test_messages_name_what_people_wrote() -> None:
    """What a loop iterates over has a name in the analysis alone, with a number in it that differs from run to run."""
    assert shown([iterated_name(3)]) == "what this loop iterates over"
    assert shown([iterated_name(3), "weights"]) == "weights"
    for name in ("130_layers", "31_classes", "113_lattice_boltzmann"):
        text = (FIXTURES / "programs" / f"{name}.py").read_text(encoding="utf-8")
        report = analyze(Source("program.py", text), Config(rewrite=True, boundary="tensor"))
        words = [finding.message for finding in report.findings]
        words += [reason for region in report.regions for reason in region.reasons]
        assert words
        assert not [word for word in words if "_iterated_" in word]
