"""What README and docs/ say exists, and every option says what it does."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from np2tnp.cli import COMMANDS, _parser

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
#: Options of other programs that the pages mention, and of np2tnp without a command.
FOREIGN = {"--hook-stage", "--print-completion"}


def anchors(page: Path) -> set[str]:
    """GitHub's anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


def options(command: str) -> list[argparse.Action]:
    return [action for action in _parser(command)._actions if action.option_strings]


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "guide.md"], ids=lambda page: page.name)
def test_options_that_pages_name_exist(page: Path) -> None:
    known = {word for command in COMMANDS for action in options(command) for word in action.option_strings}
    assert {*OPTION.findall(page.read_text())} - known - FOREIGN == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_says_what_it_does(command: str) -> None:
    assert [action.option_strings for action in options(command) if not action.help] == []
