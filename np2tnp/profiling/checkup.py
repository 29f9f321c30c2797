"""The child process of ``doctor``: whether TensorFlow and each device work is found out by using them."""

from __future__ import annotations

import time
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


if __name__ == "__main__":
    serve({"describe": describe, "try_device": try_device})
