"""The cache as a file: what is stored, touched, damaged."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from np2tnp import pipeline
from np2tnp.config import Config
from np2tnp.files import cache as cache_module
from np2tnp.files.cache import Cache, hash_bytes, stat_key
from np2tnp.model import FileReport, Finding, Region, RegionState, Safety, Span, Verdict

REPORT = FileReport(
    "f.py",
    (
        Finding("f.py", Span(1, 2, 3, 4), "TNP101", "mess → age", Verdict.ADAPT, Safety.UNSAFE, "f.<locals>.g", True),
        Finding("f.py", Span(5, 2, 5, 4), "TNP701", "slow", Verdict.NOTE, region="f", decides=True),
    ),
    (Region("f", Span(1, 1, 9, 9), RegionState.KEPT, ("TNP701 3: slow",), 7, 5),),
    uses_numpy=True,
    unresolved=(2, 7),
    suppressed=3,
)


def stored(tmp_path: Path) -> tuple[str, Path, FileReport]:
    file = tmp_path / "f.py"
    file.write_bytes(b"x = 1\n")
    report = replace(REPORT, path=str(file), findings=tuple(replace(item, path=str(file)) for item in REPORT.findings))
    directory = str(tmp_path / "cache")
    cache = Cache.open(directory, "run", [str(file)])
    cache.add(report, hash_bytes(b"x = 1\n"), stat_key(str(file)))
    cache.save()
    return directory, file, report


def test_the_cache_gives_back_what_it_was_given(tmp_path: Path) -> None:
    directory, file, report = stored(tmp_path)
    cache = Cache.open(directory, "run", [str(file)])
    assert cache.find_unchanged(str(file)) == report
    file.write_bytes(b"x = 2  #\n")
    assert cache.find_unchanged(str(file)) is None
    assert cache.find_same(str(file), hash_bytes(b"x = 2  #\n"), "") is None
    assert cache.find_same(str(file), hash_bytes(b"x = 1\n"), "") == report
    assert Cache.open(directory, "other options", [str(file)]).find_unchanged(str(file)) is None
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


def test_a_touched_file_is_found_by_its_content(tmp_path: Path) -> None:
    directory, file, report = stored(tmp_path)
    os.utime(file, ns=(1, 1))
    cache = Cache.open(directory, "run", [str(file)])
    assert cache.find_unchanged(str(file)) is None
    assert cache.find_same(str(file), hash_bytes(b"x = 1\n"), stat_key(str(file))) == report
    cache.save()
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) == report


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000, None])
def test_a_damaged_cache_is_no_cache(tmp_path: Path, damage: bytes | None) -> None:
    directory, file, report = stored(tmp_path)
    database = Path(directory) / "reports.sqlite"
    database.write_bytes(database.read_bytes()[:300] if damage is None else damage)
    cache = Cache.open(directory, "run", [str(file)])
    assert cache.find_unchanged(str(file)) is None
    cache.add(report, "hash", stat_key(str(file)))
    cache.save()
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) == report


def test_rows_that_are_not_reports_are_no_reports(tmp_path: Path) -> None:
    import sqlite3

    directory, file, _ = stored(tmp_path)
    connection = sqlite3.connect(Path(directory) / "reports.sqlite")
    connection.execute("UPDATE report SET data = '{\"findings\": [1]}'")
    connection.commit()
    connection.close()
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) is None


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache.open(str(tmp_path / "file" / "cache"), "run", [])
    cache.add(REPORT, "hash", "stat")
    cache.save()


def test_what_is_known_is_kept_while_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed has not been for nothing."""
    monkeypatch.setattr(cache_module, "_SECONDS", 0.0)
    directory, file, report = stored(tmp_path)
    other = tmp_path / "other.py"
    other.write_bytes(b"y = 1\n")
    running = Cache.open(directory, "run", [str(other)])
    running.add(replace(report, path=str(other)), hash_bytes(b"y = 1\n"), stat_key(str(other)))
    later = Cache.open(directory, "run", [str(file), str(other)])
    assert later.find_unchanged(str(file)) is not None
    assert later.find_unchanged(str(other)) is not None


def test_an_interrupted_run_keeps_what_it_found(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"f{number}.py").write_text("import numpy as np\n")

    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    config = Config(root=str(tmp_path), jobs=1)
    with pytest.raises(KeyboardInterrupt):
        pipeline.check([str(tmp_path)], config, progress=interrupt)
    left: list[int] = []
    pipeline.check([str(tmp_path)], config, progress=lambda done, total: left.append(total))
    assert left == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("what", ["directory", "file"])
def test_the_cache_is_not_written_through_links(tmp_path: Path, what: str) -> None:
    """A project may bring a link along, to a folder or a database of the user's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if what == "directory":
        (tmp_path / "cache").symlink_to(elsewhere)
    else:
        (tmp_path / "cache").mkdir()
        (elsewhere / "mine.sqlite").write_bytes(b"")
        (tmp_path / "cache" / "reports.sqlite").symlink_to(elsewhere / "mine.sqlite")
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    directory, file, _ = stored(tmp_path)
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before
    assert Cache.open(directory, "run", [str(file)]).find_unchanged(str(file)) is None
