"""TensorFlow on first use: importing the runtime must stay cheap.

``tf`` and ``tnp`` stand for the modules of those names; the first attribute read imports TensorFlow and sets it up, see
:func:`configure`.
"""

from __future__ import annotations

import importlib
import os
import threading
from typing import Any


class LazyModule:
    """A module that is imported when one of its attributes is first read; attributes once read are kept."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # copy, pickle and inspect ask for these: no reason to import TensorFlow
            raise AttributeError(attribute)
        configure()
        value = getattr(importlib.import_module(self._name), attribute)
        self.__dict__[attribute] = value
        return value

    def _forget(self) -> None:
        name = self._name
        self.__dict__.clear()
        self._name = name


tf: Any = LazyModule("tensorflow")
tnp: Any = LazyModule("tensorflow.experimental.numpy")

#: True once TensorFlow is set up for this process. The boundary reads it on every call.
ready = False

#: Whether :func:`configure` switches NumPy's behaviour of tensors on.
numpy_behavior = os.environ.get("NP2TNP_NUMPY_BEHAVIOR") != "never"

_lock = threading.RLock()
_forked = False


def configure() -> None:
    """Import TensorFlow once and set it up for NumPy's semantics (safe to call again, and from several threads).

    Turns NumPy behaviour on (unless the environment has ``NP2TNP_NUMPY_BEHAVIOR=never``, or the program switches it
    itself), TF32 off (unless ``NP2TNP_TF32=1``) and GPU memory growth on. Raises RuntimeError in a process that was
    forked after TensorFlow was set up: TensorFlow's threads are gone there, and it would hang.
    """
    global ready
    if ready:
        return
    if _forked:
        raise RuntimeError(
            "this process was forked after TensorFlow ran, so TensorFlow would hang in it; start workers with "
            "multiprocessing.set_start_method('spawn') (joblib: backend='loky'), or fork before the first migrated call"
        )
    with _lock:
        if is_ready():  # another thread was first
            return
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
        module = importlib.import_module("tensorflow")
        if os.environ.get("NP2TNP_TF32") != "1":
            module.config.experimental.enable_tensor_float_32_execution(False)
        for gpu in module.config.list_physical_devices("GPU"):
            try:
                module.config.experimental.set_memory_growth(gpu, True)
            except (RuntimeError, ValueError):  # the devices are initialised already: the user's choice stands
                break
        if numpy_behavior:
            enable_numpy_behavior()
        ready = True


def enable_numpy_behavior() -> None:
    """Give the tensors of this process NumPy's behaviour: TensorFlow's own switch, and NumPy's truth of eager tensors.

    TensorFlow takes an empty tensor for false, where ``if x:`` of an empty ndarray raises ValueError since NumPy 2.2.
    """
    importlib.import_module("tensorflow.experimental.numpy").experimental_enable_numpy_behavior()
    importlib.import_module("tensorflow").__internal__.EagerTensor.__bool__ = _truth


def _truth(tensor: Any) -> bool:
    return bool(tensor.numpy())


def is_ready() -> bool:
    """Whether :func:`configure` is done in this process."""
    return ready


def _after_fork() -> None:
    """In a forked child: make the next use of TensorFlow go through :func:`configure`, which then refuses."""
    global ready, _forked, _lock
    _lock = threading.RLock()  # the parent's may have been held by a thread that does not exist here
    if ready:
        ready = False
        _forked = True
        tf._forget()
        tnp._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
