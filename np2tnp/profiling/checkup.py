"""The child process of ``doctor``: whether TensorFlow and each device work, and how fast, is found out by use."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from np2tnp.verify.channel import serve


def describe() -> dict[str, Any]:
    """What TensorFlow says of itself."""
    from np2tnp.profiling.environment import describe_tensorflow

    return describe_tensorflow()


def try_device(device: str) -> dict[str, Any]:
    """Multiply two matrices on `device` and check the result. Raises when it is wrong or was computed elsewhere."""
    import numpy as np

    from np2tnp.runtime.base.lazy_tensorflow import tf

    values = np.random.default_rng(0).standard_normal((1000, 1000)).astype(np.float32)
    with tf.device(device):
        held = tf.constant(values)
        result = tf.matmul(held, held)
        found = result.numpy()
        start = time.perf_counter()
        tf.matmul(held, held).numpy()
        seconds = time.perf_counter() - start
    if device not in result.device.upper():
        raise RuntimeError(f"the product was computed on {result.device}")
    error = float(np.max(np.abs(found - values @ values)))
    if error > 0.5:
        raise RuntimeError(f"a matrix product is wrong by {error:g}")
    return {"seconds": seconds, "error": error, "xla": _xla(device)}


def _xla(device: str) -> str:
    """Why nothing can be compiled for `device`, such as a missing ptxas; empty where it can."""
    from np2tnp.runtime.base.lazy_tensorflow import tf

    try:
        with tf.device(device):
            tf.function(lambda x: tf.reduce_sum(tf.tanh(x)), jit_compile=True)(tf.ones(8)).numpy()
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0][:300]
    return ""


# --- How fast the machine is, for the size test

_ELEMENTS = 4_000_000  #: 32 MB of float64: more than caches hold
_SIDE = 1500  #: of matrices


def calibrate() -> dict[str, Any]:
    """Measure the machine's figures, and keep them. ``figures``: those measured; ``path``, or ``error``."""
    from np2tnp.runtime.boundary.costs import Figures, devices, keep_figures

    found = _of_host()
    names = devices()
    if names:
        found.update(_of_device())
    report: dict[str, Any] = {"figures": found, "defaults": {}, "devices": names}
    report["defaults"] = {name: value for name, value in Figures()._asdict().items() if name not in found}
    try:
        report["path"] = keep_figures(found)
    except OSError as error:
        report["error"] = str(error)
    return report


def _of_host() -> dict[str, float]:
    import numpy as np

    values, others = np.linspace(0.0, 1.0, _ELEMENTS), np.linspace(1.0, 2.0, _ELEMENTS)
    matrix = values[: _SIDE**2].reshape(_SIDE, _SIDE)
    return {
        "host_elements": _ELEMENTS / _seconds(lambda: values + others),
        "host_products": 2 * _SIDE**3 / _seconds(lambda: matrix @ matrix),
    }


def _of_device() -> dict[str, float]:
    """The same of the first device that is no CPU, and of the way there and back."""
    import numpy as np

    from np2tnp.runtime.base.lazy_tensorflow import tf

    values = np.linspace(0.0, 1.0, _ELEMENTS)
    name = next(it.name for it in tf.config.list_logical_devices() if it.device_type not in ("CPU", "XLA_CPU"))
    with tf.device(name):
        few, many = tf.zeros(10, tf.float64), tf.identity(tf.constant(values))
        matrix = tf.reshape(many[: _SIDE**2], (_SIDE, _SIDE))

        def repeated(work: Callable[[], Any], times: int = 50) -> float:
            """Seconds of one of many operations, of which the last is waited for."""

            def all_of_them() -> None:
                for _ in range(times):
                    result = work()
                result[:1].numpy()

            return _seconds(all_of_them) / times

        # a result is read anew each time: what was copied once stays with its tensor
        down = _seconds(lambda: np.copy((many + 1.0).numpy())) - repeated(lambda: many + 1.0, 5)
        up = _seconds(lambda: (tf.identity(tf.constant(values))[:1]).numpy())
        return {
            "launch": repeated(lambda: few + 1.0),
            "up": values.nbytes / up,
            "down": values.nbytes / max(down, 1e-6),
            "device_elements": _ELEMENTS / repeated(lambda: many + many),
            "device_products": 2 * _SIDE**3 / repeated(lambda: matrix @ matrix, 5),
        }


def _seconds(work: Callable[[], Any], rounds: int = 7) -> float:
    """The least time of several; the first round warms up."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return max(min(found[1:]), 1e-9)


if __name__ == "__main__":
    serve({"describe": describe, "try_device": try_device, "calibrate": calibrate})
