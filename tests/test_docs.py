"""What README and docs/ say exists, the site of docs/ builds, and every option says what it does."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from np2tnp import library
from np2tnp.cli import COMMANDS, _parser
from np2tnp.commands.show_config import schema

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import write_reference  # noqa: E402

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
#: For users; the others speak of options of the project's tools, too.
USERS_PAGES = [
    page
    for page in PAGES
    if page.parent in (ROOT, DOCS) and page.stem not in ("architecture", "contributing", "third-party")
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
#: Options of other programs that the pages mention, and of np2tnp without a command.
FOREIGN = {"--hook-stage", "--print-completion"}


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """GitHub's anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lists_are_lists_on_the_site_too(page: Path) -> None:
    """Where code hosts see a list, Python-Markdown wants an empty line before it, and four spaces of indentation."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    lines = text.splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if re.match(r"(\*|-|\d+\.) ", line):
            assert not before.strip() or re.match(r"(\*|-|\d+\.|) ", before), line
        assert not re.match(r" {1,3}(\*|-|\d+\.) ", line), line


def site(configuration: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    if find_spec("mkdocs") is None or find_spec("material") is None:
        pytest.skip("needs mkdocs-material: pip install 'np2tnp[docs]'")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        configuration,
        "--site-dir",
        folder,
    ]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def test_the_site_builds(tmp_path: Path) -> None:
    built = site(ROOT / "mkdocs.yml", tmp_path / "site")
    assert built.returncode == 0, built.stderr
    for page in DOCS.rglob("*.md"):
        path = page.relative_to(DOCS).with_suffix("")
        path = path.parent if path.name in ("README", "index") else path
        assert (tmp_path / "site" / path / "index.html").is_file(), name(page)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[x](nowhere.md)", "'nowhere.md', but the target is not found"),
        ("[x](checking.md#nowhere)", "does not contain an anchor '#nowhere'"),
        ("[x](../README.md)", "'../README.md', but the target is not found"),
    ],
)
def test_a_broken_link_breaks_the_site(text: str, complaint: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    with (tmp_path / "docs" / "limits.md").open("a") as page:
        page.write(f"\n{text}\n")
    built = site(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode != 0
    assert complaint in built.stderr


@pytest.mark.parametrize("page", write_reference.PAGES)
def test_the_reference_is_current(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert "<!-- generated: " in text
    assert text == write_reference.written(page), "python tools/write_reference.py"


def test_the_reference_has_every_setting_and_every_field() -> None:
    table = write_reference.written("configuration.md")
    assert [name for name in schema()["properties"] if f"\n| `{name}` |" not in table] == []
    classes = write_reference.written("python-api.md")
    assert [name for name in library.Report.__slots__ if f"\n| `{name}` |" not in classes] == []


def test_the_example_of_a_configuration_can_be_followed(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (DOCS / "configuration.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(example, encoding="utf-8")
    (tmp_path / "a.py").write_text("import numpy\n", encoding="utf-8")
    assert library.check(tmp_path).counts.files == 1


def options(command: str) -> list[argparse.Action]:
    return [action for action in _parser(command)._actions if action.option_strings]


@pytest.mark.parametrize("page", USERS_PAGES, ids=name)
def test_options_that_pages_name_exist(page: Path) -> None:
    known = {word for command in COMMANDS for action in options(command) for word in action.option_strings}
    assert {*OPTION.findall(page.read_text())} - known - FOREIGN == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_says_what_it_does(command: str) -> None:
    assert [action.option_strings for action in options(command) if not action.help] == []
