"""TensorFlow on first use: importing the runtime must stay cheap.

``tf`` and ``tnp`` stand for the modules of those names; the first attribute read imports TensorFlow, turns NumPy behaviour
on (``TNP_BEHAVIOR`` environment: see :func:`configure`), turns TF32 off and GPU memory growth on.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import Any


class LazyModule:
    """A module that is imported when one of its attributes is first read."""

    __slots__ = ("_module", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            configure()
            self._module = importlib.import_module(self._name)
        return getattr(self._module, attribute)


tf: Any = LazyModule("tensorflow")
tnp: Any = LazyModule("tensorflow.experimental.numpy")

_configured = False


def configure() -> None:
    """Import TensorFlow once and set it up for NumPy's semantics (safe to call again).

    ``NP2TNP_NUMPY_BEHAVIOR=never`` leaves ``experimental_enable_numpy_behavior`` alone; ``NP2TNP_TF32=1`` leaves TF32 on.
    """
    global _configured
    if _configured:
        return
    _configured = True
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    module = importlib.import_module("tensorflow")
    if os.environ.get("NP2TNP_TF32") != "1":
        module.config.experimental.enable_tensor_float_32_execution(False)
    for gpu in module.config.list_physical_devices("GPU"):
        try:
            module.config.experimental.set_memory_growth(gpu, True)
        except (RuntimeError, ValueError):  # the devices are initialised already: the user's choice stands
            break
    if os.environ.get("NP2TNP_NUMPY_BEHAVIOR") != "never":
        importlib.import_module("tensorflow.experimental.numpy").experimental_enable_numpy_behavior()
