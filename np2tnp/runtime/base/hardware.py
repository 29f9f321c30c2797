"""Whether this machine has a GPU for TensorFlow: without one, NumPy is faster at every size."""

from __future__ import annotations

import functools
import glob
import importlib
import os
import sys
from typing import Any

#: What stands in the file system where a driver of a GPU runs: NVIDIA's, Windows' for Linux, AMD's.
_LINUX = ("/dev/nvidia[0-9]*", "/dev/nvidia-caps", "/dev/dxg", "/dev/kfd")

_found: bool | None = None


def has_gpu() -> bool:
    """Whether TensorFlow sees a GPU, or a device of a plugin, in this process.

    Asked once a process. TensorFlow is imported for it only where a driver hints that there may be one.
    """
    global _found
    if _found is None:
        _found = ("tensorflow" in sys.modules or may_have_gpu()) and _sees_gpu()
    return _found


def when_compiled(device: str) -> str:
    """When functions of ``compile="auto"`` are compiled: "hot" (once they took long), "always" or "never".

    `device` : where the function is to work. Without a GPU there never is. ``NP2TNP_COMPILE`` in the environment says
    ``0`` for never, ``1`` for always, at the first call, and ``hot`` for what is hot on a CPU, too.
    """
    asked = {"0": "never", "1": "always", "hot": "hot"}.get(os.environ.get("NP2TNP_COMPILE", ""))
    return asked or ("hot" if "CPU" not in device.upper() and has_gpu() else "never")


@functools.cache  # a module asks it for each of its functions
def may_have_gpu() -> bool:
    """Whether a driver hints that TensorFlow may see a GPU."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return False
    return not sys.platform.startswith("linux") or any(map(glob.glob, _LINUX))


def _sees_gpu() -> bool:
    try:
        tensorflow: Any = importlib.import_module("tensorflow")
    except ImportError:
        return False
    kinds = {device.device_type for device in tensorflow.config.get_visible_devices()}
    return not kinds <= {"CPU", "XLA_CPU"}
