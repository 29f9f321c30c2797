"""Programs that are forked from a process with TensorFlow run as those that begin anew do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from forked_python import python

TOLD = """
import os, sys
print(__name__, sys.argv[1:], sys.path[:2], os.getcwd(), sorted(os.environ), sys.stdin.read())
print(sys.modules["__main__"].__dict__ is globals(), globals().get("__file__"), "np2tnp" in sys.modules)
print("told", file=sys.stderr)
"""


def test_a_program_finds_what_it_finds_in_a_new_process(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(TOLD)
    environment = {"PYTHONPATH": str(tmp_path / "more"), "GIVEN": "1", "LC_CTYPE": "C.UTF-8"}
    for words in ([str(file), "a", "b c"], ["-c", TOLD, "a"]):
        command = [sys.executable, *words]
        done = subprocess.run(
            command, input="", capture_output=True, text=True, cwd=tmp_path, env=environment, check=True
        )
        found = python(*words, cwd=tmp_path, env=environment)
        assert (found.returncode, found.stdout, found.stderr) == (0, done.stdout, done.stderr) != (0, "", "")


@pytest.mark.parametrize(
    ("text", "status"),
    [("import sys; sys.exit(3)", 3), ("1 / 0", 1), ("import os, signal; os.kill(os.getpid(), 11)", -signal.SIGSEGV)],
)
def test_how_a_program_ends_is_told(text: str, status: int) -> None:
    done = python("-c", text)
    assert done.returncode == status
    assert ("ZeroDivisionError" in done.stderr) == (status == 1)


def test_programs_share_nothing_but_imports() -> None:
    for number in range(2):
        text = "import tensorflow as tf, numpy as np, os\nprint(hasattr(np, 'mine'), os.environ.get('MINE'))\n"
        text += f"np.mine = os.environ['MINE'] = '{number}'\nprint(int(tf.reduce_sum([1, 2])))"
        done = python("-c", text)
        assert done.stdout == "False None\n3\n", done.stderr


def test_a_program_without_end_is_ended() -> None:
    with pytest.raises(TimeoutError):
        python("-c", "import time; print('begins', flush=True); time.sleep(1000)", seconds=0.1)
    assert python("-c", "print('next')").stdout == "next\n"
    assert "MINE" not in os.environ
