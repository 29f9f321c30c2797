"""Programs that are forked from a process with TensorFlow run as those that begin anew do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from forked_python import executable, python

TOLD = """
import os, sys
print(__name__, sys.argv[1:], sys.path[:2], os.getcwd(), sorted(os.environ), sys.stdin.read())
print(sys.modules["__main__"].__dict__ is globals(), globals().get("__file__"), "np2tnp" in sys.modules)
print("told", file=sys.stderr)
"""


def test_a_program_finds_what_it_finds_in_a_new_process(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(TOLD)
    environment = {name: value for name, value in os.environ.items() if name.startswith("TF_")}
    environment |= {"PYTHONPATH": str(tmp_path / "more"), "GIVEN": "1", "LC_CTYPE": "C.UTF-8"}
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


def test_a_program_without_end_is_ended(tmp_path: Path) -> None:
    text = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(1000)"
    with pytest.raises(subprocess.TimeoutExpired):
        python("-c", text, cwd=tmp_path, seconds=3)
    number = int((tmp_path / "pid").read_text())
    for _ in range(300):
        if not Path(f"/proc/{number}").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{number}").exists()
    assert python("-c", "print('next')").stdout == "next\n"
    assert "MINE" not in os.environ


@pytest.mark.parametrize("apart", [False, True])
def test_signals_reach_a_program(apart: bool) -> None:
    text = "import signal, time\nsignal.signal(signal.SIGTERM, lambda *_: print('asked', flush=True))\n"
    text += "try:\n    print('begins', flush=True)\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n    print('ends')"
    process = subprocess.Popen([executable(), "-c", text], stdout=subprocess.PIPE, text=True, start_new_session=apart)
    with process as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "begins\n"
        it.send_signal(signal.SIGTERM)
        assert it.stdout.readline() == "asked\n"
        it.send_signal(signal.SIGINT)
        assert it.stdout.read() == "ends\n"
    assert process.returncode == 0


def test_modules_run_and_start_others_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text("import sys\nprint(sys.argv, 'tensorflow' in sys.modules, input())\n")
    run = "subprocess.run([sys.executable, '-m', 'inner', *sys.argv[1:]], stdin=sys.stdin, check=True)"
    (tmp_path / "outer.py").write_text(f"import subprocess, sys\n{run}\n")
    command = [executable(), "-m", "outer", "a"]
    done = subprocess.run(command, input="given", capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == f"{[str(tmp_path / 'inner.py'), 'a']} True given\n"


def test_what_imports_read_is_as_it_is_told() -> None:
    """The libraries of another number of threads are other ones, and options are Python's business."""
    text = "import ctypes, glob, os, numpy\n"
    text += "[path] = glob.glob(os.path.join(os.path.dirname(numpy.__file__), '..', 'numpy.libs', '*openblas*'))\n"
    text += "library = ctypes.CDLL(path)\n"
    text += "print(next(getattr(library, name)() for name in (\n"
    text += "    'scipy_openblas_get_num_threads64_', 'openblas_get_num_threads64_') if hasattr(library, name)))"
    done = python("-c", text, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert done.stdout == "1\n", done.stderr
    asked = python("-I", "-c", "import sys; print(sys.flags.isolated, 'tensorflow' in sys.modules)")
    assert asked.stdout == "1 False\n"
