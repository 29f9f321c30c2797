"""np2tnp takes NumPy code to the GPU through ``tensorflow.experimental.numpy``."""

# no import here, not even of __future__: `python -m np2tnp` looks it up in the current directory (see importing.py)
__version__ = "0.1.0"

TYPE_CHECKING = False  #: which type checkers take for true
if TYPE_CHECKING:
    from np2tnp.library import Report as Report
    from np2tnp.library import check as check
    from np2tnp.library import rewrite as rewrite
else:

    def __getattr__(name):
        """What programs use, imported when they do."""
        if name not in ("Report", "check", "rewrite"):
            raise AttributeError(f"module 'np2tnp' has no attribute {name!r}")
        from np2tnp import library

        return getattr(library, name)
