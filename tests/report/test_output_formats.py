"""Each output format of ``check``: as it was written down, by the rules of those who read it, and of hostile names."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from command_line import run
from format_schemas import GITLAB, JUNIT, RDJSON, SARIF

from np2tnp import __version__
from np2tnp.codes import CODES
from np2tnp.config import CHOICES, Config
from np2tnp.model import FileReport, Finding, Run, Span, Verdict
from np2tnp.report import to_services
from np2tnp.rules import DOCS

ROOT = Path(__file__).resolve().parents[2]
FORMS = CHOICES["output_format"]
GOLDEN = Path(__file__).parent / "formats"

#: ``first`` is blocked twice, ``second`` stays NumPy because it would be slower, ``third`` migrates.
STAYS = """\
import numpy as np


async def first(x, y):
    s = "é𐐀"; x.sort(); return np.sort(x).ctypes.data + y


def second(x, out):
    for i in range(1, len(x)):
        out[i] = out[i - 1] * 0.5 + np.exp(x[i])
    return out


def third(x):
    y = np.exp(x)
    y[0] = 2
    y[1] = 2
    return y
"""
BLOCKED = "import numpy as np\n\n\nasync def stuck(x):\n    return np.exp(x)\n"
#: What a terminal obeys, what markup and Markdown read, and what a command of GitHub's ends with.
HOSTILE = "a\x1b[31m<b>&\"'](x) ::%,é.py"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a folder, which is the current one."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "pkg"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "stays.py").write_text(STAYS, encoding="utf-8")
    (folder / "broken.py").write_text("import numpy as np\n\ndef f(:\n")
    if sys.platform != "win32":
        (folder / HOSTILE).write_text(BLOCKED)
    return folder


def written(capfd: pytest.CaptureFixture[str], form: str, *more: str) -> str:
    return run(capfd, "check", "--no-cache", "--output-format", form, *(more or (".",)))[1]


def sarif_run(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)["runs"][0]
    return found


# --- what was written down


@pytest.mark.skipif(sys.platform == "win32", reason="no such file names there")
@pytest.mark.parametrize("form", FORMS)
def test_formats_are_as_written_down(
    tree: Path, capfd: pytest.CaptureFixture[str], form: str, update_golden: bool
) -> None:
    text = written(capfd, form).replace(__version__, "VERSION")
    if form == "sarif":  # the pages of the rules are no matter of the format
        document = json.loads(text)
        driver = document["runs"][0]["tool"]["driver"]
        driver["rules"] = [rule["id"] for rule in driver["rules"]]
        text = json.dumps(document, indent=1) + "\n"
    golden = GOLDEN / f"{form}.txt"
    if update_golden:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8"), "if this is meant: pytest --update-golden tests/report"


def test_every_format_and_no_other_is_written_down() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_every_format_tells_what_blocks_by_code_and_line(
    tree: Path, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    text = written(capfd, form, "stays.py")
    assert "TNP403" in text
    assert re.search(r"\b4\b", text)


# --- schemas


def problems(document: object, schema: dict[str, Any]) -> list[str]:
    jsonschema.Draft202012Validator.check_schema(schema)
    return [
        f"{it.json_path}: {it.message[:200]}" for it in jsonschema.Draft202012Validator(schema).iter_errors(document)
    ]


@pytest.mark.parametrize(("form", "schema"), [("sarif", SARIF), ("gitlab", GITLAB), ("rdjson", RDJSON)])
@pytest.mark.parametrize("more", [(), ("-v",), ("--select", "portability")])
def test_reports_of_services_are_valid(
    tree: Path, capfd: pytest.CaptureFixture[str], form: str, schema: dict[str, Any], more: tuple[str, ...]
) -> None:
    document = json.loads(written(capfd, form, ".", *more))
    assert problems(document, schema) == []


def test_the_schemas_can_fail(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    issues = json.loads(written(capfd, "gitlab"))
    del issues[0]["fingerprint"]
    assert problems(issues, GITLAB)
    document = json.loads(written(capfd, "sarif"))
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "/etc/x.py"
    assert problems(document, SARIF)


def test_json_is_as_its_schema_says(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    schema = json.loads((ROOT / "docs" / "check-schema.json").read_text(encoding="utf-8"))
    document = json.loads(written(capfd, "json"))
    assert problems(document, closed(schema)) == []
    assert problems({**document, "more": 1}, closed(schema))
    lines = [json.loads(line) for line in written(capfd, "json-lines").splitlines()]
    assert lines == document["findings"]
    assert len(lines) > 5
    assert problems(lines[0], closed({**schema["$defs"]["finding"], "$defs": schema["$defs"]})) == []


def closed(part: Any) -> Any:
    """The schema without room for what it does not name."""
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    inner = {key: closed(value) for key, value in part.items()}
    return {"additionalProperties": False, **inner} if "properties" in part and "required" in part else inner


def test_junit_has_what_its_readers_take(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = ElementTree.fromstring(written(capfd, "junit"))
    for element in root.iter():
        attributes, inside = JUNIT[element.tag]
        assert set(element.attrib) == set(attributes.split()), element.tag
        assert {child.tag for child in element} <= set(inside.split())
    for tag, amount in (("testcase", "tests"), ("failure", "failures"), ("error", "errors")):
        assert sum(1 for _ in root.iter(tag)) == int(root.attrib[amount]), amount
        for suite in root:
            assert sum(1 for _ in suite.iter(tag)) == int(suite.attrib[amount]), amount


def test_junit_fails_for_what_fails_the_run(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def ends(*more: str) -> tuple[int, dict[str, str]]:
        status, out, _ = run(capfd, "check", "--no-cache", "--output-format", "junit", *more)
        cases = ElementTree.fromstring(out).iter("testcase")
        return status, {case.attrib["name"]: next((child.tag for child in case), "") for case in cases}

    assert ends("stays.py") == (1, {"first": "failure", "second": "skipped", "third": ""})
    assert ends("stays.py", "--fail-on", "none") == (0, {"first": "skipped", "second": "skipped", "third": ""})
    assert ends("stays.py", "-v")[1]["third"] == "system-out"
    assert ends("stays.py", "--select", "array-store")[1] == {"first": "", "second": "failure", "third": "failure"}
    assert ends("broken.py") == (2, {"<module>": "error"})


# --- SARIF


def test_sarif_says_what_each_finding_is_to_the_user(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = sarif_run(written(capfd, "sarif"))
    levels = {(it["ruleId"], it["level"]) for it in found["results"]}
    assert {("TNP403", "error"), ("TNP504", "warning"), ("TNP701", "note"), ("TNP101", "note")} <= levels
    assert ("TNP901", "error") in levels
    assert "TNP001" not in {code for code, _ in levels}, "calls that only become tnp's"
    assert not found["invocations"][0]["executionSuccessful"]
    assert sarif_run(written(capfd, "sarif", "stays.py"))["invocations"][0]["executionSuccessful"]
    asked = sarif_run(written(capfd, "sarif", "stays.py", "--select", "TNP001"))["results"]
    assert {(it["ruleId"], it["level"]) for it in asked} == {("TNP001", "warning")}


def test_rules_of_sarif_are_their_pages(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = sarif_run(written(capfd, "sarif"))
    rules = found["tool"]["driver"]["rules"]
    assert all(rules[it["ruleIndex"]]["id"] == it["ruleId"] for it in found["results"])
    assert {it["ruleId"] for it in found["results"]} == {rule["id"] for rule in rules}
    for rule in rules:
        page = DOCS[rule["id"]]
        assert (rule["name"], rule["shortDescription"]["text"]) == (page.name, page.summary)
        assert page.why in rule["help"]["text"]
        assert page.bad.rstrip() in rule["help"]["markdown"]


def test_fingerprints_outlive_moved_and_reformatted_code(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def known() -> Counter[str]:
        results = sarif_run(written(capfd, "sarif", "stays.py"))["results"]
        return Counter(it["partialFingerprints"]["np2tnp/v1"] for it in results)

    before = known()
    assert max(before.values()) == 1
    (tree / "stays.py").write_text("# moved\n\n" + STAYS.replace("range(1, len(x))", "range(1,  len( x ))"))
    assert known() == before
    (tree / "stays.py").write_text(STAYS.replace("def second", "def other"))
    assert known() != before


def test_no_two_issues_of_gitlab_are_the_same(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """GitLab drops issues with a fingerprint that it has seen: equal code in one file, and in two."""
    (tree / "copy.py").write_text(STAYS + STAYS.partition("\n")[2], encoding="utf-8")
    issues = json.loads(written(capfd, "gitlab", ".", "-v"))
    assert len(issues) > 20
    assert len({it["fingerprint"] for it in issues}) == len(issues)


def test_paths_start_at_the_top_of_the_repository(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for path in ("stays.py", "./stays.py", str(tree / "stays.py")):
        result = sarif_run(written(capfd, "sarif", path))["results"][0]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place == {"uri": "pkg/stays.py", "uriBaseId": "%SRCROOT%"}
        assert json.loads(written(capfd, "gitlab", path))[0]["location"]["path"] == "pkg/stays.py"
        assert json.loads(written(capfd, "rdjson", path))["diagnostics"][0]["location"]["path"] == "pkg/stays.py"


def test_a_file_outside_of_the_repository_has_its_whole_path(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path_factory.mktemp("other") / "m x.py"
    other.write_text(BLOCKED)
    results = sarif_run(written(capfd, "sarif", str(other)))["results"]
    places = [it["locations"][0]["physicalLocation"]["artifactLocation"] for it in results]
    assert places[0] == {"uri": Path(os.path.realpath(other)).as_uri()}


def test_the_repository_is_that_of_the_files_where_the_caller_is_in_none(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "m.py").write_text(BLOCKED)
    monkeypatch.chdir(elsewhere)
    issues = json.loads(written(capfd, "gitlab", str(tree / "stays.py"), "m.py"))
    assert {it["location"]["path"] for it in issues} == {"pkg/stays.py", "m.py"}


def test_standard_input_has_its_name_and_its_fingerprints(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = sarif_run(written(capfd, "sarif", "stays.py"))["results"]
    (tree / "stays.py").unlink()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(STAYS.encode())))
    assert sarif_run(written(capfd, "sarif", "-", "--stdin-filename", "stays.py"))["results"] == expected


def test_a_report_in_a_file_is_the_same(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for form in ("sarif", "junit"):
        assert written(capfd, form, "stays.py", "--output-file", "report") == ""
        assert (tree / "report").read_text(encoding="utf-8") == written(capfd, form, "stays.py")


def many(number: int, verdict: Verdict, code: str, **more: Any) -> list[Finding]:
    return [Finding("m.py", Span(n, 1, n, 2), code, "words", verdict, **more) for n in range(1, number + 1)]


def test_sarif_keeps_the_worst_of_too_many() -> None:
    notes, errors = many(25_000, Verdict.ADAPT, "TNP101"), many(7, Verdict.BLOCK, "TNP403", decides=True)
    told = Run(reports=(FileReport("m.py", findings=(*notes, *errors)),), texts={"m.py": ""})
    found = sarif_run("".join(to_services.sarif(told, Config())))
    assert Counter(it["level"] for it in found["results"]) == {"error": 7, "note": 24_993}
    notes_of_run = found["invocations"][0]["toolExecutionNotifications"]
    assert [(it["level"], it["message"]["text"].split(":")[0]) for it in notes_of_run] == [
        ("warning", "7 of 25,007 findings are left out, notes first")
    ]
    enough = Run(reports=(FileReport("m.py", findings=tuple(notes)),), texts={"m.py": ""})
    found = sarif_run("".join(to_services.sarif(enough, Config())))
    assert len(found["results"]) == 25_000
    assert found["invocations"][0]["toolExecutionNotifications"] == []


def test_nothing_found_is_a_report_too(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tree / "plain.py").write_text("x = 1\n")
    assert sarif_run(written(capfd, "sarif", "plain.py"))["results"] == []
    assert json.loads(written(capfd, "gitlab", "plain.py")) == []
    assert json.loads(written(capfd, "rdjson", "plain.py"))["diagnostics"] == []
    assert written(capfd, "json-lines", "plain.py") == ""
    assert ElementTree.fromstring(written(capfd, "junit", "plain.py")).attrib["tests"] == "0"


# --- columns and names


def test_rdjson_counts_bytes_and_sarif_characters(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = STAYS.splitlines()[4]
    start = line.index("np.sort")
    found = json.loads(written(capfd, "rdjson", "stays.py", "-v"))["diagnostics"]
    exp = next(it for it in found if it["code"]["value"] == "TNP003")["location"]["range"]
    assert exp["start"] == {"line": 5, "column": len(line[:start].encode()) + 1}
    assert exp["end"] == {"line": 5, "column": len(line[: start + len("np.sort(x)")].encode()) + 1}
    results = sarif_run(written(capfd, "sarif", "stays.py"))["results"]
    place = next(it for it in results if it["ruleId"] == "TNP003")["locations"][0]["physicalLocation"]["region"]
    assert (place["startColumn"], place["endColumn"]) == (start + 1, start + 1 + len("np.sort(x)"))


@pytest.mark.skipif(sys.platform == "win32", reason="no such file names there")
@pytest.mark.parametrize("form", FORMS)
def test_no_format_lets_a_hostile_name_through(tree: Path, capfd: pytest.CaptureFixture[str], form: str) -> None:
    text = written(capfd, form, HOSTILE)
    assert "stuck" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
    if form == "junit":
        assert "\x1b" not in "".join(strings(ElementTree.fromstring(text)))
    elif form in ("sarif", "gitlab", "rdjson"):  # what reads these shows them as they are
        assert "\x1b" not in "".join(strings(json.loads(text)))
        assert "](x)" not in "".join(strings(json.loads(text))) or form != "sarif"


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there only")
@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("json", "json-lines")])
def test_a_name_that_is_no_text(tree: Path, capfdbinary: pytest.CaptureFixture[bytes], form: str) -> None:
    from np2tnp.cli import main

    name = os.fsdecode(b"n\xff.py")
    (tree / name).write_text(BLOCKED)
    assert main(["check", "--no-cache", "--output-format", form, name]) == 1
    text = capfdbinary.readouterr().out.decode()
    assert "stuck" in text
    if form in ("sarif", "gitlab", "rdjson"):
        told = json.loads(text)
        assert not re.search("[\ud800-\udfff]", "".join(strings(told)))
    if form == "sarif":
        assert "pkg/n%FF.py" in text


def strings(part: Any) -> list[str]:
    """All texts in a document."""
    if isinstance(part, ElementTree.Element):
        return [text for it in part.iter() for text in (it.text or "", *it.attrib.values())]
    if isinstance(part, dict):
        return [text for key, value in part.items() for text in (key, *strings(value))]
    if isinstance(part, list):
        return [text for item in part for text in strings(item)]
    return [part] if isinstance(part, str) else []


@pytest.mark.skipif(sys.platform == "win32", reason="no such file names there")
def test_a_spreadsheet_sees_no_formula(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tree / "=1+1.py").write_text(BLOCKED)
    rows = list(csv.DictReader(written(capfd, "csv").splitlines()))
    assert len(rows) > 3
    assert "./=1+1.py" in {row["file"] for row in rows}


def test_messages_of_sarif_hold_no_links() -> None:
    finding = Finding("m.py", Span(1, 1, 1, 2), "TNP403", "see [here](https://x.invalid)", Verdict.BLOCK)
    told = Run(reports=(FileReport("m.py", findings=(finding,)),), texts={"m.py": ""})
    (result,) = sarif_run("".join(to_services.sarif(told, Config())))["results"]
    assert result["message"]["text"] == "see [here] (https://x.invalid)"


@pytest.mark.parametrize("text", ["a\x1b[0mb", "a\u202eb", "a\ufffeb", "a\udcffb", "a\nb"])
def test_what_xml_and_terminals_cannot_hold_is_written_out(text: str) -> None:
    shown = to_services.plain(text)
    assert shown == f"a{ascii(text[1])[1:-1]}{text[2:]}"
    ElementTree.fromstring(f"<a>{shown.replace('[', '')}</a>".encode())


def test_every_code_has_a_name() -> None:
    assert set(CODES) == set(DOCS)
