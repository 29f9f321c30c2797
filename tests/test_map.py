"""docs/dev/map.md is what the modules say of themselves, and the pages name files that there are."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import write_map  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "dev").glob("*.md"))]
TOPS = (ROOT, ROOT / "np2tnp", ROOT / "np2tnp" / "runtime", ROOT / "benchmarks")
#: What is made in other people's projects.
ELSEWHERE = {"np2tnp_runtime/"}
#: ``folder/file.py`` and ``folder/`` in backticks, from the top of the repository or of the package.
PATH = re.compile(r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+\.(?:py|sh|md|json|toml))?)`")


def test_the_map_is_current() -> None:
    assert write_map.MAP.read_text(encoding="utf-8") == write_map.write_map(ROOT / "np2tnp"), (
        "python tools/write_map.py"
    )


def test_every_module_says_in_a_sentence_what_it_is() -> None:
    files = [path for path in (ROOT / "np2tnp").rglob("*.py") if path.name != "__init__.py"]
    assert [path for path in files if not write_map.first_words(path).endswith((".", ":", "?"))] == []


def test_every_folder_says_what_it_is() -> None:
    homes = {path.parent for path in (ROOT / "np2tnp").rglob("*.py")} - {ROOT / "np2tnp" / "profiling" / "inside"}
    assert [home for home in sorted(homes) if not write_map.first_words(home / "__init__.py")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [
        path for path in PATH.findall(text) if path not in ELSEWHERE and not any((top / path).exists() for top in TOPS)
    ]
    assert missing == []


def test_the_check_of_paths_can_fail() -> None:
    assert PATH.findall("see `runtime/lazy.py` and `docs/`, not `rt.at` or `a / b`") == ["runtime/lazy.py", "docs/"]
