"""What NVIDIA's driver says of a GPU while it is timed; nothing without the optional package nvidia-ml-py."""

from __future__ import annotations

import os
from typing import Any

#: Reasons for which clocks are lowered that make a sample wrong, by their bit in NVML's mask.
_THROTTLED = {
    0x4: "power limit",
    0x8: "hardware slowdown",
    0x20: "thermal limit",
    0x40: "hardware thermal limit",
    0x80: "power brake",
}


def watch(device: str) -> list[str]:
    """What disturbs the device (such as ``GPU:0``) at this moment: throttling, other processes. Empty for CPUs."""
    if not device.startswith("GPU"):
        return []
    try:
        import pynvml  # type: ignore[import-not-found,import-untyped,unused-ignore]

        pynvml.nvmlInit()
        try:
            return _look(pynvml, pynvml.nvmlDeviceGetHandleByIndex(_index(device)))
        finally:
            pynvml.nvmlShutdown()
    except Exception:  # no driver, no such index, an old library: nothing is known, which is no reason to stop
        return []


def _look(nvml: Any, handle: Any) -> list[str]:
    found = []
    mask = int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
    if reasons := [text for bit, text in _THROTTLED.items() if mask & bit]:
        found.append(f"clocks are lowered: {', '.join(reasons)}")
    others = [it.pid for it in nvml.nvmlDeviceGetComputeRunningProcesses(handle) if it.pid != os.getpid()]
    if others and _sees_own_ids(others):
        found.append(f"{len(others)} other process{'es' if len(others) > 1 else ''} on the GPU")
    return found


def _sees_own_ids(others: list[int]) -> bool:
    """Whether the driver's process ids are this system's: in a container they are the host's, ours among them."""
    return any(os.path.exists(f"/proc/{pid}") for pid in others)


def _index(device: str) -> int:
    """The driver's number of TensorFlow's device."""
    number = int(device.rpartition(":")[2])
    visible = [part.strip() for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if part.strip()]
    if number < len(visible) and visible[number].isdigit():
        return int(visible[number])
    return number
