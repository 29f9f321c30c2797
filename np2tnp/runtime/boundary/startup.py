"""When TensorFlow starts, and whether it does with NumPy's behaviour: what the rewritten module says at its top.

Without any of these, the first call of a migrated function starts TensorFlow and switches its NumPy behaviour on.
"""

from __future__ import annotations

import contextlib
from typing import Any

from np2tnp.runtime.base import lazy_tensorflow

__all__ = ["leave_numpy_behavior", "start"]

_NOWHERE = contextlib.nullcontext()
_checked: set[str] = set()
_entered = contextlib.ExitStack()  #: never left: it holds for the rest of the program


def start(device: str = "") -> None:
    """Start TensorFlow now, with NumPy's behaviour of tensors: ``x + 1.5`` promotes, ``x[mask]`` selects.

    `device`: where this thread works from now on, such as ``"/GPU:0"``; for scripts whose top level was migrated.
    Raises RuntimeError in a process that was forked after TensorFlow ran, and where there is no such device.
    """
    lazy_tensorflow.begin()
    lazy_tensorflow.enable_numpy_behavior()
    if device:
        _entered.enter_context(place(device))


def leave_numpy_behavior() -> None:
    """Leave the switch of tensors' NumPy behaviour, which is one for the whole process, to the program.

    Migrated functions need it on: the program calls :func:`start`, or TensorFlow's own
    ``experimental_enable_numpy_behavior``, before the first of them.
    """
    lazy_tensorflow.numpy_behavior = False


def place(device: str) -> Any:
    """A context in which TensorFlow works on `device` (``"/GPU:0"``; empty: where it likes).

    Raises RuntimeError where there is no such device, instead of working on another.
    """
    if not device:
        return _NOWHERE
    if device not in _checked:
        tf = lazy_tensorflow.tf
        wanted = tf.DeviceSpec.from_string(device)
        here = [item.name for item in tf.config.list_logical_devices()]
        specs = [tf.DeviceSpec.from_string(name) for name in here]
        if not any((s.device_type, s.device_index) == (wanted.device_type, wanted.device_index or 0) for s in specs):
            raise RuntimeError(f"there is no device {device} here: TensorFlow has {', '.join(here)}")
        with tf.device(device):
            lazy_tensorflow.hold_zeros()
        _checked.add(device)
    return lazy_tensorflow.tf.device(device)
