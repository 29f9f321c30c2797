"""What a call would take in NumPy, and on the device with the transfers there and back: which of both is less."""

from __future__ import annotations

import functools
import importlib
import json
import logging
import math
import os
import platform
import sys
import tempfile
from typing import Any, NamedTuple

# --- How fast the machine is: the table of the size test


class Figures(NamedTuple):
    """What the size test reckons with, for float64: ``np2tnp doctor --calibrate`` measures it.

    Of the defaults those of the host are about what it measured on two idle cores of an AMD EPYC, and `launch` is what
    ``benchmarks/device_model.py`` takes for an eager operation on an H200. `up` and `down` are assumed: PCIe moves 16
    to 50 GB/s, but TensorFlow copies from and to ordinary memory, not pinned, and a result needs new pages besides.
    `device_elements` is a GPU's memory of 1 TB/s over 24 bytes an operation, `device_products` one with few units for
    float64. Faster devices make little difference: the way to them decides.
    """

    launch: float = 16e-6  #: seconds of an operation, until the next can be given
    up: float = 8e9  #: bytes a second, from an ndarray to a tensor on the device
    down: float = 6e9  #: the other way round
    host_elements: float = 2e9  #: NumPy's operations a second on elements of large arrays
    host_products: float = 100e9  #: NumPy's multiplications and additions a second in products of matrices
    device_elements: float = 40e9
    device_products: float = 1e12


_FILE = "machine.json"
_log = logging.getLogger("np2tnp")


@functools.cache
def figures() -> Figures:
    """This machine's figures, where ``doctor --calibrate`` measured them, or the defaults. Read once a process."""
    path = calibration_file()
    try:
        with open(path, encoding="utf-8") as stream:
            return _checked(json.load(stream))
    except FileNotFoundError:
        return Figures()
    except (OSError, ValueError, RecursionError) as error:
        _log.warning("%s is ignored: %s (np2tnp doctor --calibrate writes it anew)", path, error)
        return Figures()


def calibration_file() -> str:
    """Where the figures are kept: the user's directory for caches."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        directory = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        directory = os.path.join(home, "Library", "Caches")
    else:
        directory = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(directory, "np2tnp", _FILE)


def keep_figures(measured: dict[str, float]) -> str:
    """Write what was measured here; the path. Raises OSError where that cannot be."""
    path = calibration_file()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=_FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump({"machine": machine(), "figures": measured}, stream, indent=2)
    os.replace(beside, path)
    return path


def machine() -> dict[str, Any]:
    """What tells this machine from others whose figures may lie in the same home directory."""
    return {"name": platform.node(), "devices": devices()}


def devices() -> list[str]:
    """The names of the GPUs, or devices of plugins, that TensorFlow sees. It is imported for that."""
    tensorflow: Any = importlib.import_module("tensorflow")
    found = [it for it in tensorflow.config.get_visible_devices() if it.device_type not in ("CPU", "XLA_CPU")]
    details = tensorflow.config.experimental.get_device_details
    return [str(details(device).get("device_name", device.device_type)) for device in found]


def _checked(kept: Any) -> Figures:
    """The figures of a file; ValueError where it is damaged, or another machine's."""
    measured = kept.get("figures") if isinstance(kept, dict) else None
    if not isinstance(measured, dict) or not measured.keys() <= set(Figures._fields):
        raise ValueError("it is damaged")
    if not all(type(value) in (int, float) and 1e-12 < value < 1e18 for value in measured.values()):
        raise ValueError("it is damaged")
    if kept.get("machine") != machine():
        raise ValueError("it was measured on another machine, or with another GPU")
    return Figures(**measured)


# --- What a call takes

#: A number: so many operations on each element. A word: products, or factorisations, of matrices.
Work = int | str

#: What TensorFlow must win by: the figures are rough, and a call that stays takes what it always took.
_MARGIN = 1.25

#: Below so many elements even a product of matrices is less than the call of it on a device.
FEW_IN_MATRICES = 10_000

_WORD = 8  #: bytes of a float64, which the figures are for


class Seen:
    """What the arrays of a call add up to."""

    __slots__ = ("has_tensors", "largest", "nbytes", "shapes")

    def __init__(self) -> None:
        self.has_tensors = False
        self.largest = 0  #: bytes of the largest
        self.nbytes = 0  #: of all that would have to cross
        self.shapes: list[tuple[int, ...]] = []

    def add(self, array: Any) -> None:
        """Count an ndarray."""
        self.add_bytes(array.nbytes)
        if array.nbytes:
            self.shapes.append(array.shape)

    def add_bytes(self, nbytes: int, crosses: bool = True) -> None:
        """Count so many bytes of an array; `crosses`: they lie in the host's memory."""
        self.largest = max(self.largest, nbytes)
        self.nbytes += nbytes * crosses


def pays(work: Work, seen: Seen, made: int, figures: Figures) -> bool:
    """Whether TensorFlow takes less than NumPy for this `work`, moving its data included.

    `made`: elements of the largest array that the function makes itself. What is on the device already stays there:
    with a tensor among the arguments the answer is yes.
    """
    if seen.has_tensors:
        return True
    size = max(seen.largest / _WORD, made)
    if isinstance(work, str):
        launches, operations = 1, _of_products(work, seen.shapes, size)
        host, device = figures.host_products, figures.device_products
    else:
        launches, operations = work, work * size
        host, device = figures.host_elements, figures.device_elements
    moved = seen.nbytes / figures.up + size * _WORD / figures.down
    return operations / host > _MARGIN * (launches * figures.launch + moved + operations / device)


def _of_products(work: str, shapes: list[tuple[int, ...]], size: float) -> float:
    """Multiplications and additions, by the shapes of arguments; at least so many, where these leave several readings.

    A matrix beside vectors is taken for one that is multiplied by them: no more work than reading it.
    """
    matrices = sorted((shape for shape in shapes if len(shape) > 1), key=math.prod, reverse=True)
    if not matrices:
        return 2 * (size if shapes else size**1.5)
    is_product = work == "matmul"
    if is_product and len(matrices) == 1 and len(shapes) > 1:
        return 2.0 * math.prod(matrices[0])
    other = matrices[1] if is_product and len(matrices) > 1 else matrices[0]
    return (2.0 if is_product else 1.0) * math.prod(matrices[0]) * min(other[-2:])
