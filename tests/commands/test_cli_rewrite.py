"""``np2tnp rewrite`` on the command line: the diff it prints and the files it writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import HEAT, check_json, run

from np2tnp.cli import main

ROOT = Path(__file__).resolve().parents[2]


def test_rewrite_prints_a_diff_that_patch_understands(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capfd, "rewrite", "heat.py")
    assert status == 0
    assert (project / "heat.py").read_text() == HEAT
    assert out.startswith("--- a/heat.py\n+++ b/heat.py\n@@ ")
    assert "1 file would be rewritten" in err
    status, out_check, _ = run(capfd, "rewrite", "--check", "heat.py")
    assert (status, out_check) == (1, out)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply", "-"], input=out, text=True, check=True)
    patched = (project / "heat.py").read_text()
    (project / "heat.py").write_text(HEAT)
    assert run(capfd, "rewrite", "--apply", "heat.py")[0] == 0
    assert (project / "heat.py").read_text() == patched
    # And a second run changes nothing.
    assert run(capfd, "rewrite", "--check", "heat.py")[:2] == (0, "")
    assert run(capfd, "rewrite", "--apply", "heat.py")[:2] == (0, "")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("with a space.py", HEAT.encode()),
        ('quoted "é".py', HEAT.encode()),
        ("two\nlines.py", HEAT.encode()),
        ("latin_\udce9.py", HEAT.encode()),
        ("bom.py", b"\xef\xbb\xbf" + HEAT.encode()),
        ("latin.py", "# coding: latin-1\n# größe\n".encode("latin-1") + HEAT.encode()),
        ("crlf.py", HEAT.replace("\n", "\r\n").encode()),
        ("no_end.py", HEAT.rstrip("\n").encode()),
    ],
    ids=["space", "quotes", "newline", "no UTF-8", "bom", "latin-1", "crlf", "no final newline"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="such names are not possible there")
def test_git_applies_what_rewrite_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], name: str, data: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(data)
    assert main(["rewrite", name]) == 0
    diff = capfdbinary.readouterr().out
    assert main(["rewrite", "--apply", name]) == 0
    written = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=diff, check=True)
    assert (tmp_path / name).read_bytes() == written != data


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbf" + HEAT.encode(), b"# \xff is no UTF-8\n", b"x = 1\r\n"],
    ids=["bom", "undecodable", "plain"],
)
def test_standard_input_comes_out_as_bytes(project: Path, data: bytes) -> None:
    command = [sys.executable, "-m", "np2tnp", "rewrite", "--apply", "-"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, input=data, env=environment, capture_output=True, check=False)
    if HEAT.encode() in data:
        file = project / "bom.py"
        file.write_bytes(data)
        assert main(["rewrite", "--apply", "-q", "bom.py"]) == 0
        assert done.stdout == file.read_bytes() != data
    else:
        assert done.stdout == data


@pytest.mark.parametrize("form", ["crlf", "bom", "latin-1", "no final newline", "mode"])
def test_rewriting_keeps_what_it_does_not_change(project: Path, capfd: pytest.CaptureFixture[str], form: str) -> None:
    file = project / "heat.py"
    comment = "# größe\n"
    text = comment + HEAT
    data = {
        "crlf": text.replace("\n", "\r\n").encode(),
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "latin-1": ("# -*- coding: latin-1 -*-\n" + text).encode("latin-1"),
        "no final newline": text.rstrip("\n").encode(),
        "mode": text.encode(),
    }[form]
    file.write_bytes(data)
    file.chmod(0o751)
    assert run(capfd, "rewrite", "--apply", "heat.py")[0] == 0
    new = file.read_bytes()
    assert new != data
    assert file.stat().st_mode & 0o777 == 0o751
    assert new.startswith(data.partition("größe"[0].encode())[0][:3])
    if form == "crlf":
        assert new.count(b"\n") == new.count(b"\r\n")
    elif form == "latin-1":
        assert "größe".encode("latin-1") in new
    elif form == "no final newline":
        assert not new.endswith(b"\n")
    compile(new, "heat.py", "exec")


def test_rewriting_standard_input(project: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "np2tnp", "rewrite", "--apply", "-q", "-"]
    done = subprocess.run(command, input=HEAT, env=environment, capture_output=True, text=True, check=True)
    assert "rt.at(field)[1:-1].set(" in done.stdout
    plain = subprocess.run(command, input="x = 1\n", env=environment, capture_output=True, text=True, check=True)
    assert plain.stdout == "x = 1\n"


def test_what_check_calls_fixable_is_what_rewrite_changes(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, document = check_json(capfd, "heat.py")
    fixable = {item["line"] for item in document["findings"] if item["fixable"]}
    assert fixable
    run(capfd, "rewrite", "--apply", "--on-unverified", "raise", "heat.py")
    new = (project / "heat.py").read_text()
    for number in fixable:
        assert HEAT.splitlines()[number - 1] not in new.splitlines()


def test_what_was_migrated_counts_as_done(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Before the rewrite nothing is blocked, and so nothing is after it: neither what migrated nor its callers."""
    caller = "\n\ndef table(n):\n    rows = [softmax(np.ones((1, n)))]\n    return str(rows)\n"
    softmax = "import numpy as np\n\n\ndef softmax(z):\n    e = np.exp(z)\n    return e / e.sum(axis=1)\n"
    (project / "two.py").write_text(softmax + caller)
    assert run(capfd, "check", "--fail-on", "block", "two.py")[0] == 0
    assert run(capfd, "rewrite", "--apply", "--only", "softmax", "two.py")[0] == 0
    status, out, _ = run(capfd, "check", "--fail-on", "block", "two.py")
    assert status == 0
    assert (
        "1 of 1 are migrated (100 %), 0 more can be, 0 kept in NumPy, 0 blocked; 1 more with nothing to migrate" in out
    )
    states = {item["qualname"]: item["state"] for item in check_json(capfd, "two.py")[1]["files"][0]["regions"]}
    assert (states["softmax"], states["table"]) == ("migrated", "kept")
