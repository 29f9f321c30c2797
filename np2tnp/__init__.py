"""np2tnp takes NumPy code to the GPU through ``tensorflow.experimental.numpy``."""

from __future__ import annotations

__version__ = "0.1.0"
