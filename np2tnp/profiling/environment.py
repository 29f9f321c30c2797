"""What the machine and the software are: part of every result, and what ``doctor`` prints."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib import metadata
from typing import Any

_PACKAGES = (
    "np2tnp",
    "numpy",
    "tensorflow",
    "tensorflow-cpu",
    "libcst",
    "matplotlib",
    "keras",
    "ml_dtypes",
    "nvidia-ml-py",
)

#: Environment variables that change what TensorFlow and NumPy do.
_VARIABLES = (
    *("TF_CPP_", "TF_ENABLE_", "TF_FORCE_", "TF_GPU_", "TF_NUM_", "TF_XLA_", "XLA_FLAGS", "CUDA_VISIBLE_", "NP2TNP_"),
    *("OMP_", "OPENBLAS_", "MKL_"),
)

_GPU_FIELDS = (
    *("name", "driver_version", "memory.total", "memory.used", "utilization.gpu", "clocks.sm", "clocks.max.sm"),
    "clocks_throttle_reasons.active",
)


def describe_host() -> dict[str, Any]:
    """Everything that can be known without importing NumPy or TensorFlow."""
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := package_version(name))},
        "gpus": query_gpus(),
        "variables": {name: value for name, value in sorted(os.environ.items()) if name.startswith(_VARIABLES)},
    }


def package_version(name: str) -> str | None:
    """The version of an installed package."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def cpu_model() -> str:
    """The processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("model name", "Model")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    if sys.platform == "darwin":
        done = _output("sysctl", "-n", "machdep.cpu.brand_string")
        if done:
            return done
    return platform.processor() or platform.machine()


def usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def query_gpus() -> list[dict[str, str]]:
    """NVIDIA's GPUs as the driver sees them; empty without the driver's tool."""
    for fields in (_GPU_FIELDS, _GPU_FIELDS[:-1]):  # drivers name the last one differently; one wrong name spoils all
        text = _output("nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader")
        if text:
            break
    return [dict(zip(fields, line.split(", "), strict=False)) for line in text.splitlines() if line.strip()]


def _output(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def describe_tensorflow() -> dict[str, Any]:
    """What TensorFlow says of itself and its devices, as the runtime sets it up. Imports it: for child processes."""
    import numpy as np

    from np2tnp.runtime.base.lazy_tensorflow import tf

    start = time.perf_counter()
    version = str(tf.version.VERSION)  # the first use imports it
    seconds = time.perf_counter() - start
    devices = []
    for device in tf.config.list_physical_devices():
        details = {key: str(value) for key, value in tf.config.experimental.get_device_details(device).items()}
        devices.append({"name": device.name, "type": device.device_type, **details})
    build = {key: str(value) for key, value in dict(tf.sysconfig.get_build_info()).items()}
    return {
        "tensorflow": version,
        "import_seconds": seconds,
        "numpy": np.__version__,
        "built_with_cuda": bool(tf.test.is_built_with_cuda()),
        "build": {key: build[key] for key in ("cuda_version", "cudnn_version") if key in build},
        "physical_devices": devices,
        "logical_devices": [device.name for device in tf.config.list_logical_devices()],
        "tf32": bool(tf.config.experimental.tensor_float_32_execution_enabled()),
        "threads_inside": tf.config.threading.get_intra_op_parallelism_threads(),
        "threads_between": tf.config.threading.get_inter_op_parallelism_threads(),
        "numpy_threads": _numpy_threads(),
    }


def start_devices() -> dict[str, float]:
    """Seconds until each device has multiplied two matrices: its libraries are loaded then, once a process.

    Without this, the first function that is timed on a GPU would be charged for it. What does not work is left out.
    """
    from np2tnp.runtime.base.lazy_tensorflow import tf

    found = {}
    for device in tf.config.list_logical_devices():
        start = time.perf_counter()
        try:
            with tf.device(device.name):
                for dtype in (tf.float32, tf.float64):
                    tf.matmul(tf.ones((8, 8), dtype), tf.ones((8, 8), dtype)).numpy()
        except Exception:  # whatever is wrong with it, the trials there will say
            continue
        found[device.name.rpartition("device:")[2]] = time.perf_counter() - start
    return found


def _numpy_threads() -> str:
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        if value := os.environ.get(name):
            return f"{name}={value}"
    return "default"


# --- What NVIDIA's driver says of a GPU while it is timed; nothing without the optional package nvidia-ml-py

#: Reasons for which clocks are lowered that make a sample wrong, by their bit in NVML's mask.
_THROTTLED = {
    0x4: "power limit",
    0x8: "hardware slowdown",
    0x20: "thermal limit",
    0x40: "hardware thermal limit",
    0x80: "power brake",
}
_OTHERS = "on the GPU"  #: ends what is said of other processes


def watch(device: str) -> list[str]:
    """What disturbs the device (such as ``GPU:0``) at this moment: throttling, other processes. Empty for CPUs."""
    if not device.startswith("GPU"):
        return []
    try:
        import pynvml  # type: ignore[import-not-found,import-untyped,unused-ignore]

        pynvml.nvmlInit()
    except Exception:  # no driver, or none that the library fits
        return []
    found = []
    try:
        handle = _handle(pynvml, device)
        for look in (_throttling, _company):
            with contextlib.suppress(Exception):  # a slice of a GPU, say, knows of one thing and not of the other
                found += look(pynvml, handle)
    except Exception:  # no such index: nothing is known, which is no reason to stop
        pass
    finally:
        with contextlib.suppress(Exception):
            pynvml.nvmlShutdown()
    return found


def is_shared(remarks: Iterable[str]) -> bool:
    """Whether ``watch`` saw others at work, who may have slowed NumPy too: lowered clocks slow only the GPU."""
    return any(remark.endswith(_OTHERS) for remark in remarks)


def _throttling(nvml: Any, handle: Any) -> list[str]:
    ask = getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)  # the newer name
    mask = int((ask or nvml.nvmlDeviceGetCurrentClocksThrottleReasons)(handle))
    reasons = [text for bit, text in _THROTTLED.items() if mask & bit]
    return [f"clocks are lowered: {', '.join(reasons)}"] if reasons else []


def _company(nvml: Any, handle: Any) -> list[str]:
    others = [it.pid for it in nvml.nvmlDeviceGetComputeRunningProcesses(handle) if it.pid != os.getpid()]
    if not others or not _sees_own_ids(others):
        return []
    return [f"{len(others)} other process{'es' if len(others) > 1 else ''} {_OTHERS}"]


def _sees_own_ids(others: list[int]) -> bool:
    """Whether the driver's process ids are this system's: in a container they are the host's, ours among them."""
    return any(os.path.exists(f"/proc/{pid}") for pid in others)


def _handle(nvml: Any, device: str) -> Any:
    """The driver's handle of TensorFlow's device: what CUDA_VISIBLE_DEVICES has in its place, by number or name."""
    number = int(device.rpartition(":")[2])
    visible = [part.strip() for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if part.strip()]
    name = visible[number] if number < len(visible) else str(number)
    return nvml.nvmlDeviceGetHandleByIndex(int(name)) if name.isdigit() else nvml.nvmlDeviceGetHandleByUUID(name)
