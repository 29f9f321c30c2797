"""What NVIDIA's driver says of a GPU while it is timed; nothing without the optional package nvidia-ml-py."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import Any

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
