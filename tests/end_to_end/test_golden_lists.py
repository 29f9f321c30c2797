"""``tools/golden.sh`` sees what changes, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import golden  # noqa: E402

PROGRAM = "import numpy as np\n\n\ndef f(x):\n    x[0] = np.sum(x)\n    return x\n"
OTHER = PROGRAM.replace("np.sum", "np.max")
SETS = ("default", "unverified-raise", "check")


def listed(folder: Path, texts: dict[str, str]) -> golden.Hashes:
    """The list that ``write`` makes of a folder with these files, without processes."""
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    found: golden.Hashes = {}
    for name in SETS:
        found |= golden.hashes(name, [folder])[0]
    return found


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # `hashes` changes it, too: it goes back to where it was


def test_a_planted_difference_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = listed(tmp_path / "one" / "src", {"a.py": PROGRAM, "b.py": PROGRAM})
    new = listed(tmp_path / "two" / "src", {"a.py": PROGRAM, "b.py": OTHER})
    assert golden.compare(old, old) == 0
    kinds = {(name, kind) for name in SETS for kind in ("text", "report")} - {("check", "text")}
    assert set(golden.differences(old, new)) == {(name, kind, "src/b.py") for name, kind in kinds}
    assert golden.compare(old, new) == 1
    assert f"{len(old)} hashes and {len(new)}: 5 differences" in capsys.readouterr().out


def test_what_one_list_lacks_is_a_difference(tmp_path: Path) -> None:
    old = listed(tmp_path / "src", {"a.py": PROGRAM})
    new = {key: value for key, value in old.items() if key[:2] != ("default", "text")}
    assert golden.differences(old, new) == [("default", "text", "src/a.py")] == golden.differences(new, old)
    assert golden.compare({}, {}) == 1, "two empty lists show nothing"


def test_the_command_writes_and_compares_lists(tmp_path: Path) -> None:
    source = tmp_path / "src"
    listed(source, {"a.py": PROGRAM})
    first, second = str(tmp_path / "first.tsv"), str(tmp_path / "second.tsv")
    assert golden.main(["write", first, "--sets", "default", "--folders", str(source)]) == 0
    assert golden.main(["write", second, "--sets", "default", "--folders", str(source)]) == 0
    assert golden.main(["compare", first, second]) == 0
    (source / "a.py").write_text(OTHER, encoding="utf-8")
    assert golden.main(["write", second, "--sets", "default", "--folders", str(source)]) == 0
    assert golden.main(["compare", first, second]) == 1


def test_reports_of_check_are_compared_with_those_of_rewrite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "src", str(tmp_path / "list.tsv")
    listed(source, {"a.py": PROGRAM, "b.py": OTHER})
    assert golden.main(["write", out, "--sets", "default,check", "--folders", str(source)]) == 0
    said = capsys.readouterr().out
    assert "src 12 lines" in said
    assert "2 of 2 reports of check are those of rewrite" in said
    lines = Path(out).read_text(encoding="utf-8").splitlines()
    Path(out).write_text("\n".join(line for line in lines if line[:7] != "default") + "\n", encoding="utf-8")
    assert golden.main(["write", out, "--sets", "check", "--folders", str(source)]) == 0
    assert "0 of 2 reports of check are those of rewrite" in capsys.readouterr().out


def test_every_set_has_options_of_its_own() -> None:
    assert len(set(golden.SETS.values())) == len(golden.SETS) == 10
