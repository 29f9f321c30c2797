"""The pages for developers: the journey prints what it shows, prose is short, and what it names exists."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import textwrap
from inspect import signature
from pathlib import Path

import pytest

from np2tnp.runtime.boundary.door import migrated

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from show_events import lines  # noqa: E402

DEV = ROOT / "docs" / "dev"
PAGES = sorted([*DEV.rglob("*.md"), DEV.parent / "architecture.md"])
JOURNEY = DEV / "journey.md"

RUN = """
import doctest, sys
runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
session = sys.stdin.read()
runner.run(doctest.DocTestParser().get_doctest(session, {}, "journey", "journey.md", 0))
sys.exit(runner.failures > 0)
"""


def sessions(text: str) -> str:
    """All ``pycon`` blocks of a page as one session; other lines are empty, so that line numbers stay."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        fence = line.startswith("```")
        lines.append("" if fence or not inside else line)
        inside = (line == "```pycon") if fence else inside
    return "\n".join(lines) + "\n"


def run_session(text: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "-1"}
    return subprocess.run(
        [sys.executable, "-c", RUN], cwd=ROOT, env=environment, input=sessions(text), capture_output=True, text=True
    )


@pytest.mark.slow
def test_the_journey_prints_what_it_shows() -> None:
    done = run_session(JOURNEY.read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stdout


def test_a_journey_that_prints_something_else_is_noticed() -> None:
    done = run_session("```pycon\n>>> 1 + 1\n3\n```\n")
    assert done.returncode == 1
    assert "Got:\n    2" in done.stdout


def test_the_journey_has_blocks_to_run() -> None:
    assert len(doctest.DocTestParser().get_examples(sessions(JOURNEY.read_text(encoding="utf-8")))) > 30


# --- Prose

MOST_WORDS, MOST_COLUMNS = 35, 120
TOPS = (ROOT, ROOT / "np2tnp", ROOT / "np2tnp" / "runtime", ROOT / "benchmarks")
#: In backticks: ``folder/file.py``, ``folder/``, and files of a folder as ``folder/*.py``.
PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.*-]+\.(?:py|sh|md|json|toml|txt|yml))?)`")
#: A name beside the file that has it: ``f`` of ``a/b.py``, ``f(x)`` (``a/b.py``), ``F`` in ``a/b.py``.
NAMED = re.compile(r"`(\w+)(?:\([^`]*\))?` (?:of |in |into [\w ]*|\()`((?:\w+/)+\w+\.py)`")
#: What is made in other people's projects, or by who follows a how-to.
ELSEWHERE = {"np2tnp_runtime/"}
GENERATED = re.compile(r"<!-- generated: \w+ -->.*?<!-- end -->", re.DOTALL)
LIST_ITEM = re.compile(r"\s*(?:[*-]|\d+\.) ")
MAP = DEV / "map.md"


def prose(page: Path) -> str:
    """What a person wrote on a page: neither blocks of code nor what a tool wrote."""
    text = page.read_text(encoding="utf-8")
    if page == MAP:  # below its first paragraph it is docstrings
        text = text[: text.index("\n## ")]
    text = GENERATED.sub("", text)
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)


def paragraphs(text: str) -> list[str]:
    """Paragraphs, items of lists, and cells of tables, each on one line."""
    found: list[str] = [""]
    for line in text.splitlines():
        if line.lstrip().startswith("|"):
            found += [*re.split(r"(?<!\\)\|", line), ""]
        elif not line.strip() or line.startswith("#"):
            found += [line.lstrip("# "), ""]
        elif LIST_ITEM.match(line):
            found.append(LIST_ITEM.sub("", line))
        else:
            found[-1] = f"{found[-1]} {line.strip()}"
    return [it for it in map(str.strip, found) if it]


def sentences(text: str) -> list[str]:
    return [it for paragraph in paragraphs(text) for it in re.split(r"(?<=[.?!])[)\"*]* (?=\S)", paragraph)]


def words(sentence: str) -> int:
    """How many words a reader counts: what stands in backticks is one, and the target of a link none."""
    plain = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", sentence))
    return len(re.findall(r"\w[\w'.-]*", plain))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sentences_are_short(page: Path) -> None:
    assert [it for it in sentences(prose(page)) if words(it) > MOST_WORDS] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_lines_are_short(page: Path) -> None:
    lines = GENERATED.sub("", page.read_text(encoding="utf-8")).splitlines() if page != MAP else []
    assert [line for line in lines if len(line) > MOST_COLUMNS and not line.lstrip().startswith("|")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_paths_exist(page: Path) -> None:
    found = PATH.findall(prose(page))
    assert [it for it in found if it not in ELSEWHERE and not any(list(top.glob(it)) for top in TOPS)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_stand_in_the_files_that_are_named_with_them(page: Path) -> None:
    wrong: list[str] = []
    for name, path in NAMED.findall(" ".join(prose(page).split())):
        file = next((top / path for top in TOPS if (top / path).is_file()), None)
        if file is not None and not re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")):
            wrong.append(f"{name} in {path}")
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_resolve(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s#]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8"))
    assert [it for it in links if "://" not in it and not (page.parent / it).exists()] == []


def test_the_picture_is_one_page() -> None:
    assert len((DEV.parent / "architecture.md").read_text(encoding="utf-8").split()) <= 800


def test_the_checks_of_prose_can_fail() -> None:
    assert list(map(words, sentences("* one two\n  three. Four `five six`\n"))) == [3, 2]
    assert sentences("| a b. C | [d](e.md) |\n") == ["a b.", "C", "[d](e.md)"]
    assert words("see [the map](map.md) of `np2tnp/a.py`") == 5
    assert PATH.findall("`runtime/gone.py`, `docs/`, not `rt.at` or `a / b`") == ["runtime/gone.py", "docs/"]
    assert NAMED.findall("`f(x)` (`a/b.py`), `G` of `c/d.py`, `h` and `e/f.py`") == [("f", "a/b.py"), ("G", "c/d.py")]
    assert sentences("Long; then more: and so on. End.") == ["Long; then more: and so on.", "End."]


# --- What the pages count on


def test_events_of_a_function_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import numpy as np\n\n\ndef f(x: np.ndarray):\n    y = x.ravel()\n    y[0] = 0.0\n    return x.sum()\n"
    )
    found = lines(str(file), "f")
    assert "StaleRead     x" in found
    assert any(line.startswith("    base: Array tensor view shows @x, ") for line in found)
    assert found[-1] == "f: blocked"


FACTS = json.loads((ROOT / "np2tnp" / "catalog" / "facts.json").read_text(encoding="utf-8"))["apis"]


def keys_of_facts() -> set[str]:
    facts = list(FACTS.values())
    targets = [fact[name] for fact in facts for name in ("tnp", "rt") if name in fact]
    return {key for part in (*facts, *targets) for key in part}


def test_the_format_of_the_catalog_is_all_told() -> None:
    told = (DEV / "reference" / "catalog-format.md").read_text(encoding="utf-8")
    assert len(keys_of_facts()) > 30
    assert {key for key in keys_of_facts() if f"`{key}`" not in told} == set()


def test_every_pass_for_xla_is_in_the_table() -> None:
    told = (DEV / "reference" / "xla-traps.md").read_text(encoding="utf-8")
    passes = [path.name for path in (ROOT / "np2tnp" / "runtime" / "compile" / "xla").glob("[a-z]*.py")]
    assert len(passes) > 8
    assert [name for name in passes if f"`runtime/compile/xla/{name}`" not in told] == []


def test_every_keyword_of_the_decorator_is_in_the_table() -> None:
    told = (DEV / "reference" / "decorator.md").read_text(encoding="utf-8")
    assert [name for name in signature(migrated).parameters if f"| `{name}` |" not in told] == []


@pytest.mark.parametrize("folder", ["decisions", "how-to", "reference"])
def test_every_page_is_on_the_page_of_its_folder(folder: str) -> None:
    told = (DEV / folder / "README.md").read_text(encoding="utf-8")
    pages = [page.name for page in (DEV / folder).glob("*.md") if page.name != "README.md"]
    assert [name for name in pages if f"({name})" not in told] == []


def test_decisions_have_numbers_in_a_row() -> None:
    numbers = sorted(int(page.name[:4]) for page in (DEV / "decisions").glob("0*.md"))
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("page", sorted((DEV / "decisions").glob("0*.md")), ids=lambda page: page.stem)
def test_a_decision_has_its_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads[:3] == ["Context", "Decision", "Measured"]
    assert heads[3:] in ([], ["Rejected"], ["Instead of"])
    assert text.startswith(f"# {int(page.name[:4])}. ")


RULE = """
import sys, textwrap
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
exec(sys.stdin.read())
for text in (GlobalSeeds.doc.bad, GlobalSeeds.doc.good):
    report = analyze(Source("a.py", f"import numpy as np\\n\\n\\n{text}"), Config())
    print(sum(finding.code == "TNP602" for finding in report.findings))
"""


def test_the_rule_of_the_how_to_works() -> None:
    text = (DEV / "how-to" / "add-a-rule.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^    ```python\n(.*?)^    ```$", text, re.DOTALL | re.MULTILINE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", RULE], input=textwrap.dedent(block), env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", "0"], done.stderr
