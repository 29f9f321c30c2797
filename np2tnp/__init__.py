"""np2tnp takes NumPy code to the GPU through ``tensorflow.experimental.numpy``."""

# no import here, not even of __future__: `python -m np2tnp` looks it up in the current directory (see importing.py)
__version__ = "0.1.0"
