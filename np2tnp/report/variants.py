"""How the variants that ``profile`` times are named and coloured, the same in every chart."""

from __future__ import annotations

#: Okabe and Ito's palette, which people with colour-blindness can tell apart.
COLOURS = {
    "numpy": "#000000",
    "numpy-alone": "#888888",
    "eager-ndarray": "#D55E00",
    "eager-tensor": "#E69F00",
    "graph": "#0072B2",
    "xla": "#009E73",
    "graph-ndarray": "#56B4E9",
    "xla-ndarray": "#CC79A7",
}
LABELS = {
    "numpy": "NumPy",
    "numpy-alone": "NumPy on one thread",
    "eager-ndarray": "eager, ndarrays in and out",
    "eager-tensor": "eager, tensors",
    "graph": "tf.function, tensors",
    "xla": "tf.function + XLA, tensors",
    "graph-ndarray": "tf.function, ndarrays in and out",
    "xla-ndarray": "tf.function + XLA, ndarrays in and out",
}
_OTHER = "#777777"
#: Of lines, as SVG has it, by the device's number: CPUs broken, GPUs whole or nearly so.
_DASHES: dict[bool, tuple[str, ...]] = {
    False: ("6 4", "8 3 2 3", "2 3", "10 3 2 3 2 3"),
    True: ("", "14 3", "14 3 3 3", "10 2 2 2"),
}


def colour(variant: str) -> str:
    """The colour of a variant; grey for one that is not known here."""
    return COLOURS.get(variant, _OTHER)


def dash(device: str) -> str:
    """The dashes of a device's lines (``CPU:1``); empty for a whole line."""
    number = device.rpartition(":")[2]
    dashes = _DASHES[device.startswith("GPU")]
    return dashes[int(number) % len(dashes)] if number.isdigit() else dashes[0]


def label(variant: str) -> str:
    """What people call a variant."""
    return LABELS.get(variant, variant)
