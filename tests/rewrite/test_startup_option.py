"""``--enable-numpy-behavior`` and ``--device``: what a rewritten module says about TensorFlow's start."""

from __future__ import annotations

import pytest

from np2tnp.config import Config, ConfigError, load
from np2tnp.engine import analyze
from np2tnp.files.source import Source

TEXT = '''
"""A module."""
import math
import numpy as np


def f(x):
    return np.trunc(x)


if __name__ == "__main__":
    print(f(np.ones(2)))
'''


def rewritten(text: str = TEXT, **options: str) -> str:
    new = analyze(Source("m.py", text), Config(rewrite=True, slow="convert", on_unverified="raise", **options)).new_text  # type: ignore[arg-type]
    assert new is not None
    compile(new, "m.py", "exec")
    return new


@pytest.mark.parametrize(
    ("mode", "top", "main"),
    [
        ("call", "", ""),
        ("import", "\nrt.start()\n", ""),
        ("never", "\nrt.leave_numpy_behavior()\n", ""),
        ("entrypoint", "\nrt.leave_numpy_behavior()\n", "    rt.start()\n"),
    ],
)
def test_who_switches_numpys_behaviour_on(mode: str, top: str, main: str) -> None:
    new = rewritten(enable_numpy_behavior=mode)
    assert f"from np2tnp import runtime as rt\n{top}\n\n@rt.migrated\ndef f(x):" in new
    assert f'if __name__ == "__main__":\n{main}    print(' in new


def test_one_line_blocks_start_too() -> None:
    text = TEXT.replace('__main__":\n    print', '__main__": print')
    assert 'if __name__ == "__main__": rt.start(); print(' in rewritten(text, enable_numpy_behavior="entrypoint")


def test_without_wrappers_the_import_switches_it_on() -> None:
    text = TEXT.replace("print(f(np.ones(2)))", "pass")
    assert "runtime as rt\n\nrt.start()\n\n\ndef f(x):" in rewritten(text, boundary="tensor")
    assert "rt.start" not in rewritten(text, boundary="tensor", enable_numpy_behavior="never")


def test_the_device_is_named_in_the_decorator() -> None:
    assert '@rt.migrated(device="/GPU:0")\ndef f(x):' in rewritten(device="/GPU:0")
    for device in ("/GPU:0", "GPU:1", "/device:CPU:0", "/job:worker/replica:0/task:0/device:GPU:2"):
        assert load([], {"device": device}, isolated=True).device == device
    for device in ("gpu", "/GPU", "GPU:x", "all"):
        with pytest.raises(ConfigError, match="--device: expected a device such as /GPU:0"):
            load([], {"device": device}, isolated=True)
    with pytest.raises(ConfigError, match="needs a boundary"):
        load([], {"device": "/GPU:0", "boundary": "tensor"}, isolated=True)
