"""``np2tnp doctor``: what is installed, which devices there are, whether the GPU works, and what to do if not."""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import sys
from typing import Any

from np2tnp.config import Config
from np2tnp.profiling.environment import describe_host
from np2tnp.verify.channel import Child, ChildDied, ChildTimeout

_MODULE = "np2tnp.profiling.checkup"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``doctor`` understands to `parser`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="measure NumPy, the device and the way between them, and keep that for the runtime's size test",
    )


def run(args: argparse.Namespace, config: Config) -> int:
    """The command. Exit status 0; 2 when something that profile and verify need is missing or broken."""
    report = examine(args.calibrate)
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)
    return 0 if report["tensorflow"] is not None else 2


def examine(calibrates: bool = False) -> dict[str, Any]:
    """Everything found out: ``host``, ``tensorflow`` (None where it cannot be used), ``devices`` and ``advice``.

    `calibrates`: with ``calibration``, the machine's figures, which are kept where the runtime finds them.
    """
    report: dict[str, Any] = {"host": describe_host(), "tensorflow": None, "devices": [], "advice": []}
    missing = [name for name in ("numpy", "tensorflow") if importlib.util.find_spec(name) is None]
    if missing:
        report["advice"].append(
            f"{' and '.join(missing)} {'are' if missing[1:] else 'is'} not installed: check and rewrite work without; "
            "for verify and profile run pip install 'np2tnp[tf]', or 'np2tnp[gpu]' on Linux with an NVIDIA GPU"
        )
        return report
    try:
        with Child(_MODULE, {"TF_CPP_MIN_LOG_LEVEL": "2"}) as child:
            report["tensorflow"] = child.ask("describe", 180)
            for name in report["tensorflow"]["logical_devices"]:
                short = name.rpartition("device:")[2]
                report["devices"].append({"name": short, **_tried(child, short)})
    except (ChildDied, ChildTimeout, RuntimeError) as error:
        report["advice"].append(f"TensorFlow cannot be used: {error}")
        return report
    if calibrates:
        report["calibration"] = _calibrated()
    report["advice"] += _advise(report)
    return report


def _tried(child: Child, device: str) -> dict[str, Any]:
    try:
        return {"works": True, **child.ask("try_device", 120, device=device)}
    except (ChildDied, ChildTimeout, RuntimeError) as error:
        return {"works": False, "error": str(error)}


def _calibrated() -> dict[str, Any]:
    try:
        with Child(_MODULE, {"TF_CPP_MIN_LOG_LEVEL": "2"}) as child:
            found: dict[str, Any] = child.ask("calibrate", 180)
    except (ChildDied, ChildTimeout, RuntimeError) as error:
        return {"error": str(error)}
    return found


def _advise(report: dict[str, Any]) -> list[str]:
    """What to do, most important first."""
    advice = []
    software, cards = report["tensorflow"], report["host"]["gpus"]
    seen = [device for device in report["devices"] if device["name"].startswith("GPU")]
    for device in report["devices"]:
        if not device["works"]:
            advice.append(f"{device['name']} is listed but does not work: {device['error']}")
        elif device["xla"]:
            advice.append(
                f"XLA cannot compile for {device['name']} (--compile xla runs eagerly there): {device['xla']}"
            )
    if cards and not seen:
        if not software["built_with_cuda"]:
            advice.append("the driver sees a GPU but this TensorFlow is built without CUDA: pip install 'np2tnp[gpu]'")
        else:
            advice.append(
                "the driver sees a GPU but TensorFlow does not: its CUDA libraries are missing or do not fit "
                f"(built for CUDA {software['build'].get('cuda_version', '?')}); pip install 'tensorflow[and-cuda]' "
                "brings them, and CUDA_VISIBLE_DEVICES must not hide the GPU"
            )
    elif not seen:
        what = (
            "no NVIDIA driver was found (nvidia-smi)"
            if platform.system() == "Linux"
            else "TensorFlow supports GPUs on Linux"
        )
        advice.append(f"no GPU: {what}; everything works on the CPU, where few programs become faster")
    if seen and "nvidia-ml-py" not in report["host"]["packages"]:
        advice.append(
            "profile cannot see lowered clocks and other processes on the GPU: pip install nvidia-ml-py shows them"
        )
    if seen and software["tf32"]:
        advice.append("TF32 is on: float32 products on the GPU are only good to about three digits")
    return advice


def _print(report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(soft_wrap=True)
    table = Table.grid(padding=(0, 2))
    host, software = report["host"], report["tensorflow"]
    table.add_row("python", f"{host['python']} ({sys.executable})")
    table.add_row("system", host["platform"])
    table.add_row("cpu", f"{host['cpu']}, {host['cores']} cores usable")
    for name, version in host["packages"].items():
        table.add_row(name, version)
    if software is not None:
        build = ", ".join(f"{key} {value}" for key, value in software["build"].items())
        table.add_row(
            "built with CUDA", f"{'yes' if software['built_with_cuda'] else 'no'}{f' ({build})' if build else ''}"
        )
        table.add_row("TF32", "on" if software["tf32"] else "off")
    for card in host["gpus"]:
        table.add_row(
            "driver sees", f"{card['name']}, driver {card['driver_version']}, {card.get('memory.total', '?')}"
        )
    for device in report["devices"]:
        text = (
            f"works (1000x1000 float32 product in {device['seconds'] * 1e3:.2f} ms)"
            if device["works"]
            else "does not work"
        )
        table.add_row(device["name"], text)
    for name, value in host["variables"].items():
        table.add_row(name, value)
    console.print(table, highlight=False)
    for line in _of_calibration(report.get("calibration")):
        console.print(line, highlight=False, markup=False)
    for line in report["advice"]:
        console.print(f"- {line}", highlight=False, markup=False)
    if not report["advice"]:
        console.print("everything works", highlight=False)


#: Figures as people read them: what they are, the unit, and how many of it are one.
_FIGURES = {
    "host_elements": ("NumPy, operations on elements", "billion a second", 1e9),
    "host_products": ("NumPy, products of matrices", "GFLOPS", 1e9),
    "launch": ("an operation of TensorFlow", "µs", 1e-6),
    "up": ("to the device", "GB/s", 1e9),
    "down": ("from the device", "GB/s", 1e9),
    "device_elements": ("the device, operations on elements", "billion a second", 1e9),
    "device_products": ("the device, products of matrices", "GFLOPS", 1e9),
}


def _of_calibration(found: dict[str, Any] | None) -> list[str]:
    """What was measured for the size test, and where it is kept."""
    if found is None:
        return []
    lines = []
    for name, (what, unit, one) in _FIGURES.items():
        for kind, note in (("figures", ""), ("defaults", " (default)")):
            if name in found.get(kind, ()):
                lines.append(f"{what}: {found[kind][name] / one:.3g} {unit}{note}")
    if "figures" in found and not found["devices"]:
        lines.append("there is no GPU: the device's figures are defaults, and all calls stay in NumPy")
    if "path" in found:
        lines.append(f"kept in {found['path']}")
    else:
        lines.append(f"the figures could not be {'kept' if 'figures' in found else 'measured'}: {found['error']}")
    return lines
