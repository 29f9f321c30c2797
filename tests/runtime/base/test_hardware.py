"""Whether there is a GPU, asked as cheaply as it can be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from np2tnp.runtime.base import hardware

ASKED = """
import sys
from np2tnp.runtime import hardware
{before}
print(hardware.has_gpu(), "tensorflow" in sys.modules)
"""


def asked(before: str) -> list[str]:
    text = ASKED.format(before=before)
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.split()


def test_without_a_driver_tensorflow_is_not_imported() -> None:
    assert asked("sys.platform = 'linux'; hardware._LINUX = ('/dev/no-such-device*',)") == ["False", "False"]


def test_with_hidden_devices_tensorflow_is_not_imported() -> None:
    before = "import os; os.environ['CUDA_VISIBLE_DEVICES'] = '-1'; hardware._LINUX = ('/dev/null',)"
    assert asked(before) == ["False", "False"]


def test_where_a_driver_may_be_tensorflow_says_what_it_sees() -> None:
    before = "hardware._LINUX = ('/dev/null',); sys.platform = 'linux'"
    has, imported = asked(before)
    assert imported == "True"
    import tensorflow as tf

    assert has == str(bool(tf.config.list_physical_devices("GPU")))


def test_what_tensorflow_sees_decides_once_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    monkeypatch.setattr(hardware, "_found", None)
    assert hardware.has_gpu() is bool(tf.config.list_physical_devices("GPU"))
