"""Options that all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import HEAT
from forked_python import PYTHON, executable
from hypothesis import settings
from slow_tests import is_slow

from np2tnp.runtime.base import hardware

# tests work on small arrays, which rewritten functions leave to NumPy: what is to be tested is TensorFlow's part
os.environ["NP2TNP_ABOVE"] = "0"
# TensorFlow imports Keras, which imports scikit-learn and Matplotlib where they are: two of the five seconds that each
# process of the tests takes to begin; Keras of before is not installed, so none is imported
os.environ["TF_USE_LEGACY_KERAS"] = "1"
# journals of the tests' runs are no business of the user's
_STATE = tempfile.TemporaryDirectory(prefix="np2tnp-tests-")
os.environ["XDG_STATE_HOME"] = _STATE.name

# A gate gives the same answer twice: new examples are what the benchmarks look for, and a slow machine is no fault.
settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("gate")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell's background job ignores Ctrl-C, and so would the programs that the tests start and interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write what np2tnp makes now into the expected files, for review"
    )


def pytest_collection_finish() -> None:
    """Tests by the ten thousand, and all modules, are no garbage: nobody is to look through them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether expected files are written instead of compared."""
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture(scope="module")
def forked_children() -> Iterator[None]:
    """What is started as Python (``sys.executable``) has TensorFlow already, and what that starts, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", executable())
        yield


@pytest.fixture
def new_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for users: what is started as Python begins anew. Each kind of child is tested so once."""
    monkeypatch.setattr(sys, "executable", PYTHON)


@pytest.fixture
def as_delivered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays stay with NumPy, as they do for users who have a GPU."""
    monkeypatch.delenv("NP2TNP_ABOVE")
    from np2tnp.runtime.boundary import costs

    monkeypatch.setattr(hardware, "_found", True)
    monkeypatch.setattr(
        "np2tnp.runtime.boundary.sizes.figures", costs.Figures
    )  # the defaults, whatever was calibrated here


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory, the current one, with one file that converts and one without NumPy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "heat.py").write_text(HEAT)
    (tmp_path / "plain.py").write_text("x = 1\n")
    return tmp_path
