"""Options that are guests: without the folder of one the option is gone, and all others do what they did."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import CHOICES, EMISSION, Config
from np2tnp.guests import GUESTS, Guest

PACKAGE = Path(__file__).resolve().parents[2] / "np2tnp"
FIXTURES = sorted((PACKAGE.parent / "fixtures" / "programs").glob("*.py"))

#: Prints the texts that `rewrite` makes of the files that are named: in a process, for it has another np2tnp.
REWRITES = """
import sys
from np2tnp import pipeline
from np2tnp.config import Config
run = pipeline.rewrite(sys.argv[1:], Config(cache=False, jobs=1))
print([change.new_text for change in run.changes], len(run.reports))
"""


def folder_of(guest: Guest) -> str:
    """The name of its folder."""
    return guest.values.__module__.rpartition(".")[2]


def option_of(guest: Guest) -> str:
    return "--" + guest.name.replace("_", "-")


def copy_without(folder: str, place: Path) -> Path:
    """The package, in `place`, without a guest's folder and without the lines of the list that name it."""
    copy = shutil.copytree(PACKAGE, place / "np2tnp", ignore=shutil.ignore_patterns("__pycache__", folder))
    listed = copy / "guests" / "__init__.py"
    lines = listed.read_text(encoding="utf-8").splitlines(keepends=True)
    named = folder.replace("_", "")  # RandomTf, RANDOM_TF
    listed.write_text("".join(it for it in lines if named not in it.replace("_", "").lower()), encoding="utf-8")
    return place


def run_in(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=place, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", params=GUESTS, ids=folder_of)
def without(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Guest, Path]:
    """A guest, and a place to run in where the package is as it is without it."""
    return request.param, copy_without(folder_of(request.param), tmp_path_factory.mktemp("without"))


def test_the_option_is_gone(without: tuple[Guest, Path]) -> None:
    guest, place = without
    given = (option_of(guest), guest.choices[-1]) if guest.choices else (option_of(guest),)
    said = run_in(place, "-m", "np2tnp", "rewrite", *given, str(FIXTURES[0]))
    assert (said.returncode, f"unknown option {option_of(guest)}" in said.stderr) == (2, True), said.stderr
    shown = run_in(place, "-m", "np2tnp", "rewrite", "--help-all").stdout
    assert "--compile" in shown
    assert option_of(guest) not in shown.split()
    asked = run_in(place, "-m", "np2tnp", "config", "--schema").stdout
    assert (f'"{guest.name.replace("_", "-")}"' in asked, '"compile"' in asked) == (False, True)


def test_the_texts_stay_as_they_are(without: tuple[Guest, Path]) -> None:
    _, place = without
    files = [str(path) for path in FIXTURES[:6]]
    run = pipeline.rewrite(files, Config(cache=False, jobs=1))
    texts = [change.new_text for change in run.changes]
    assert len(texts) > 3
    other = run_in(place, "-c", REWRITES, *files)
    assert other.stdout == f"{texts} {len(run.reports)}\n", other.stderr


def test_the_pages_of_codes_do_not_name_it(without: tuple[Guest, Path]) -> None:
    guest, place = without
    for code, _ in guest.docs:
        page = run_in(place, "-m", "np2tnp", "explain", code)
        assert (page.returncode, option_of(guest) in page.stdout) == (0, False)
        assert option_of(guest) in run_in(PACKAGE.parent, "-m", "np2tnp", "explain", code).stdout


@pytest.mark.parametrize("guest", GUESTS, ids=folder_of)
def test_nothing_else_asks_for_its_value(guest: Guest) -> None:
    """What others need to know of it, they ask of all guests."""
    asked = re.compile(rf"\b(config|options|guests|values|Config\(\))\.{guest.name}\b|\b{folder_of(guest)}\b")
    own = PACKAGE / "guests"
    found = {
        path.relative_to(PACKAGE).as_posix(): line
        for path in PACKAGE.rglob("*.py")
        if own not in path.parents
        for line in path.read_text(encoding="utf-8").splitlines()
        if asked.search(line)
    }
    assert found == {}


@pytest.mark.parametrize("guest", GUESTS, ids=folder_of)
def test_it_is_declared_once(guest: Guest) -> None:
    default = getattr(Config(), guest.name)
    assert default == (guest.choices[0] if guest.choices else False)
    assert Config("somewhere").root == "somewhere"  # its fields come after those of all commands
    assert CHOICES.get(guest.name, ()) == guest.choices
    assert (guest.name in EMISSION) == guest.is_measured
    assert Config().fingerprint() != Config(**{guest.name: guest.choices[-1] if guest.choices else True}).fingerprint()
    assert guest.meaning


def test_the_copy_is_without_the_folder_and_works(tmp_path: Path) -> None:
    """So that these tests can fail: with the folder the option is there."""
    place = copy_without("no_such_guest", tmp_path)
    assert (place / "np2tnp" / "guests" / "random_tf").is_dir()
    assert "--random" in run_in(place, "-m", "np2tnp", "rewrite", "--help-all").stdout
