"""TensorFlow on first use: importing the runtime must stay cheap.

``tf`` and ``tnp`` stand for the modules of those names; the first attribute read imports TensorFlow and sets it up, see
:func:`configure`.
"""

from __future__ import annotations

import importlib
import math
import os
import threading
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base.hardware import has_gpu

_lazy: list[LazyModule] = []


class LazyModule:
    """A module that is imported when one of its attributes is first read; attributes once read are kept."""

    def __init__(self, name: str, here: str) -> None:
        """`here`: what it is called in its class's module, by which it pickles."""
        self._name, self._here = name, here
        _lazy.append(self)

    def __repr__(self) -> str:
        return f"<module {self._name!r}, imported on first use>"

    def __reduce__(self) -> str:
        return self._here

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # copy, pickle, inspect and pytest ask for these: no reason to import TensorFlow
            raise AttributeError(attribute)
        configure()
        value = getattr(importlib.import_module(self._name), attribute)
        self.__dict__[attribute] = value
        return value

    def _forget(self) -> None:
        name, here = self._name, self._here
        self.__dict__.clear()
        self._name, self._here = name, here


tf: Any = LazyModule("tensorflow", "tf")
tnp: Any = LazyModule("tensorflow.experimental.numpy", "tnp")  #: rewritten code has that of ``tracing.py``

#: True once TensorFlow is ready for calls (see :func:`begin`). The boundary reads it on every call.
ready = False

#: Whether :func:`configure` switches NumPy's behaviour of tensors on.
numpy_behavior = os.environ.get("NP2TNP_NUMPY_BEHAVIOR") != "never"

#: What is said in a process that was forked after TensorFlow ran.
FORKED = (
    "this process was forked after TensorFlow ran, so TensorFlow would hang in it; start workers with "
    "multiprocessing.set_start_method('spawn') (joblib: backend='loky'), or fork before the first migrated call"
)

_lock = threading.RLock()
_configured = False
_forked = False


def configure() -> None:
    """Import TensorFlow once and set it up for NumPy's semantics (safe to call again, and from several threads).

    Turns NumPy behaviour on (unless the environment has ``NP2TNP_NUMPY_BEHAVIOR=never``, or the program switches it
    itself), TF32 off (unless ``NP2TNP_TF32=1``) and GPU memory growth on. Raises RuntimeError in a process that was
    forked after TensorFlow was set up: TensorFlow's threads are gone there, and it would hang.
    """
    global _configured
    if _configured:
        return
    if _forked:
        raise RuntimeError(FORKED)
    with _lock:
        if _is_configured():  # another thread was first
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
        take_part("indexing.eager_operators", module)
        keep_negative_zeros()
        _configured = True
        take_part("base.gradients", module)


#: Where memory must begin, for TensorFlow to work on it as it lies there.
_ALIGNMENT = 64

#: From so many bytes on it is worth to lay out memory like that, and to spare a copy.
LARGE = 1 << 18


def constant(array: np.ndarray) -> Any:
    """``tf.constant(array)`` of an ndarray of numbers, in eager code: a tensor with its own copy of the values.

    ``tf.constant`` copies the array, and TensorFlow copies that once more where it does not begin at a multiple of 64,
    as NumPy's large arrays hardly ever do. So the copy is laid out like that, and nobody but the tensor holds it.
    """
    if _convert is None:
        return tf.constant(array)
    context = _context()
    context.ensure_initialized()
    if array.nbytes < LARGE:
        return _convert(array, context)
    if has_gpu() and not context.is_async():
        made = _on_a_device(array, context.device_name)
        if made is not None:
            return made
    return _eager_tensor(_aligned_copy(array), context.device_name, None)


def _on_a_device(array: np.ndarray, device: Any) -> Any | None:
    """A tensor in the memory of a GPU, which is its own copy; None where it would be in the host's.

    There it may be the very memory of `array`: TensorFlow keeps int32 on the host, for one.
    """
    if array.dtype == np.int32 or not array.flags.c_contiguous:
        return None
    made = _eager_tensor(array, device, None)
    return None if made.backing_device.endswith(_ON_HOST) else made


_ON_HOST = tuple(f"CPU:{number}" for number in range(64))


def _aligned_copy(array: np.ndarray) -> np.ndarray:
    memory = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    begin = -int(memory.__array_interface__["data"][0]) % _ALIGNMENT
    made: np.ndarray = np.ndarray(array.shape, array.dtype, memory, begin)
    np.copyto(made, array)
    return made


_eager_tensor: Any = None  #: the class of TensorFlow's tensors, which takes an ndarray and may keep its memory
_convert: Any = None  #: TensorFlow's own function that copies an ndarray, and what gives the context that it takes
_context: Any = None


def enable_numpy_behavior() -> None:
    """Give the tensors of this process NumPy's behaviour: TensorFlow's own switch, and NumPy's truth of eager tensors.

    TensorFlow takes an empty tensor for false, where ``if x:`` of an empty ndarray raises ValueError since NumPy 2.2.
    """
    importlib.import_module("tensorflow.experimental.numpy").experimental_enable_numpy_behavior()
    tensorflow: Any = importlib.import_module("tensorflow")
    tensorflow.__internal__.EagerTensor.__bool__ = _truth


def take_part(module: str, tensorflow: Any) -> None:
    """Let a module of the runtime, by its path, change TensorFlow as it starts. What it does needs this one."""
    importlib.import_module(f"{own_package}.{module}").install(tensorflow)


def _truth(tensor: Any) -> bool:
    return bool(tensor.numpy())


def _is_configured() -> bool:
    return _configured


def is_forked() -> bool:
    """Whether this process was forked after TensorFlow ran: its threads are gone, and it would hang."""
    return _forked


def begin() -> None:
    """:func:`configure`, and what starts TensorFlow's devices: a program may set those up until its first call."""
    global ready
    configure()
    if not ready:
        # What operators of tensors, of numbers in graphs and of loops ask for. It imports TensorFlow: not before.
        importlib.import_module(f"{own_package}.functions.math.operators")
        hold_zeros()
        refuse_wide_integers()
        ready = True


def hold_zeros() -> None:
    """Make 0.0 stay 0.0 on the current device.

    TensorFlow keeps the tensors that it makes of single numbers, and finds them again by ``==``: once somebody has made
    one of -0.0, ``x * 0.0`` is ``x * -0.0`` for the rest of the process. So 0.0 is there first.
    """
    with tf.init_scope():
        for dtype in (None, tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128):
            for zero in (0.0, np.float64(0.0), 0j):
                if not isinstance(zero, complex) or dtype is None or dtype.is_complex:
                    tf.constant(zero, dtype)


def keep_negative_zeros() -> None:
    """Make -0.0 stay -0.0 where TensorFlow makes a tensor of a single number, as beside an operator.

    See :func:`hold_zeros`: it would find the tensor of 0.0. It keeps no tensors of arrays.
    """
    global _convert, _context, _eager_tensor
    module: Any = importlib.import_module("tensorflow.python.framework.constant_op")
    convert = getattr(module, "convert_to_eager_tensor", None)
    if convert is None or hasattr(convert, "keeps_negative_zeros"):
        return
    _context = getattr(importlib.import_module("tensorflow.python.eager.context"), "context", None)
    _eager_tensor = getattr(importlib.import_module("tensorflow.python.framework.ops"), "EagerTensor", None)
    _convert = convert if _context is not None and _eager_tensor is not None else None

    def convert_with_sign(value: Any, ctx: Any, dtype: Any = None) -> Any:
        if isinstance(value, (float, complex)) and (type(value) is complex or _is_negative_zero(value)):
            value = np.array(value, convert(type(value)(1), ctx, dtype).dtype.as_numpy_dtype)
        return convert(value, ctx, dtype)

    convert_with_sign.keeps_negative_zeros = True  # type: ignore[attr-defined]
    module.convert_to_eager_tensor = convert_with_sign


class OutOfBoundsError(OverflowError, ValueError):
    """NumPy's OverflowError, and what TensorFlow catches where it tries one dtype after the other."""


def refuse_wide_integers() -> None:
    """Raise OverflowError where TensorFlow makes a tensor of a Python integer that its dtype cannot hold.

    It would wrap the number, and a negative one beside unsigned integers corrupts its memory: the process ends, then
    or later. The facts are measured without this net, for tensors that reach no migrated function first. For
    graphs see ``tracing.py``.
    """
    tensorflow: Any = importlib.import_module("tensorflow")
    module: Any = importlib.import_module("tensorflow.python.framework.constant_op")
    convert = getattr(module, "convert_to_eager_tensor", None)
    if convert is None or hasattr(convert, "refuses_wide_integers"):
        return
    names = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32")  # of int64 TensorFlow raises itself
    ranges = {getattr(tensorflow, name): range(np.iinfo(name).min, int(np.iinfo(name).max) + 1) for name in names}

    def convert_in_range(value: Any, ctx: Any, dtype: Any = None) -> Any:
        if type(value) is int and dtype in ranges and value not in ranges[dtype]:
            raise OutOfBoundsError(f"Python integer {value} out of bounds for {dtype.name}")
        return convert(value, ctx, dtype)

    convert_in_range.refuses_wide_integers = True  # type: ignore[attr-defined]
    convert_in_range.keeps_negative_zeros = True  # type: ignore[attr-defined]
    module.convert_to_eager_tensor = convert_in_range


def _is_negative_zero(value: float | complex) -> bool:
    return value == 0 and (isinstance(value, complex) or math.copysign(1.0, value) < 0)


def _after_fork() -> None:
    """In a forked child: make the next use of TensorFlow go through :func:`configure`, which then refuses."""
    global ready, _configured, _forked, _lock
    _lock = threading.RLock()  # the parent's may have been held by a thread that does not exist here
    if _configured:
        ready = _configured = False
        _forked = True
        for module in _lazy:
            module._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
