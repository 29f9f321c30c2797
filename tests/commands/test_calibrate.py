"""``doctor --calibrate``: the figures of a machine, and the file that keeps them."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from np2tnp.runtime.boundary import costs

pytestmark = pytest.mark.usefixtures("forked_children")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the figures of a machine would be."""
    path = tmp_path / "np2tnp" / "machine.json"
    monkeypatch.setattr(costs, "calibration_file", lambda: str(path))
    costs.figures.cache_clear()
    yield path
    costs.figures.cache_clear()


def test_without_a_file_the_defaults_count(kept: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert costs.figures() == costs.Figures()
    assert not caplog.records


def test_what_was_measured_counts_and_the_rest_is_the_default(kept: Path) -> None:
    assert costs.keep_figures({"up": 3e9, "host_elements": 4e9}) == str(kept)
    assert costs.figures() == costs.Figures(up=3e9, host_elements=4e9)
    assert [path.name for path in kept.parent.iterdir()] == ["machine.json"]


def _changed(**changes: object) -> str:
    return json.dumps({"machine": costs.machine(), "figures": {"up": 3e9}, **changes})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("[1, 2", "Expecting"),
        ("[" * 100_000, "recursion"),
        ("\x00\xff", "can't decode"),
        ("[]", "damaged"),
        ("{}", "damaged"),
        (_changed(figures=[1]), "damaged"),
        (_changed(figures={"up": 0}), "damaged"),
        (_changed(figures={"up": -1.0}), "damaged"),
        (_changed(figures={"up": "fast"}), "damaged"),
        (_changed(figures={"up": True}), "damaged"),
        (_changed(figures={"up": float("nan")}), "damaged"),
        (_changed(figures={"up": 10**400}), "damaged"),
        (_changed(figures={"sideways": 1.0}), "damaged"),
        (_changed(machine={"name": "elsewhere", "devices": []}), "another machine"),
        (_changed(machine={**costs.machine(), "devices": ["another GPU"]}), "another machine"),
        (_changed(machine=None), "another machine"),
    ],
)
def test_a_file_that_says_something_else_is_ignored_with_one_line(
    text: str, why: str, kept: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept.parent.mkdir()
    kept.write_text(text, encoding="latin-1")
    with caplog.at_level(logging.WARNING, logger="np2tnp"):
        assert [costs.figures() for _ in range(3)] == [costs.Figures()] * 3
    (record,) = caplog.records
    assert str(kept) in record.getMessage()
    assert "is ignored" in record.getMessage()
    assert why in record.getMessage()


def test_a_directory_in_the_place_of_the_file_is_ignored(kept: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept.mkdir(parents=True)
    assert costs.figures() == costs.Figures()
    assert len(caplog.records) == 1


def test_doctor_measures_the_host_and_keeps_it(tmp_path: Path) -> None:
    """In processes of their own, as users have them: the second one reads what the first one wrote."""
    places = {name: str(tmp_path) for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME")}
    environment = {**os.environ, **places, "CUDA_VISIBLE_DEVICES": "-1"}
    command = [sys.executable, "-m", "np2tnp", "doctor", "--calibrate"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "there is no GPU: the device's figures are defaults" in done.stdout
    (path,) = tmp_path.rglob("machine.json")
    assert str(path) in done.stdout.replace("\n", "")
    measured = json.loads(path.read_text())["figures"]
    assert measured.keys() == {"host_elements", "host_products"}
    program = "from np2tnp.runtime.boundary import costs; print(*costs.figures())"
    read = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    expected = costs.Figures(**measured)
    assert tuple(map(float, read.stdout.split())) == tuple(expected)
    assert "is ignored" not in read.stderr


@pytest.mark.usefixtures("new_children")
def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "np2tnp").write_text("a file")
    places = {name: str(tmp_path) for name in ("XDG_CACHE_HOME", "LOCALAPPDATA")}
    environment = {**os.environ, **places, "CUDA_VISIBLE_DEVICES": "-1"}
    command = [sys.executable, "-m", "np2tnp", "doctor", "--calibrate", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    report = json.loads(done.stdout)["calibration"]
    assert report["figures"].keys() == {"host_elements", "host_products"}
    assert "np2tnp" in report["error"]
    assert "path" not in report
