"""What graphs and XLA compute otherwise (measured with TensorFlow 2.21 on a CPU): such calls are not compiled."""

from __future__ import annotations

from typing import Any

from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.tracing import above, current

_COMPLEX = ("complex64", "complex128")
_INEXACT = ("float16", "float32", "float64", *_COMPLEX)
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")

#: NumPy API -> dtypes of the first argument for which the compiled helper differs.
_DIFFERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("numpy.arccos", "numpy.arccosh", "numpy.arcsin", "numpy.arcsinh"), _COMPLEX),
    "numpy.linalg.cholesky": _COMPLEX,
    "numpy.argsort": _INEXACT,  # -0.0 and 0.0, NaNs: ordered by their bits
}


def check_call(api: str, args: tuple[Any, ...]) -> None:
    """Raise UnverifiedError for a call that XLA would compile to something else."""
    dtypes = _DIFFERS.get(api)
    trace = current()
    if api in ("operator.pow", "numpy.power") and type(args[-1]) is not int:
        dtypes = _UNSIGNED  # what overflows, where the exponent is an array
    if trace is not None and api == "numpy.ldexp":
        raise UnverifiedError("numpy.ldexp, which a graph computes otherwise for some integers")
    if dtypes is None or trace is None or trace.mode != "xla" or not args:
        return
    if is_tensor(args[0]) and args[0].dtype.name in dtypes:
        raise UnverifiedError(f"{api} of {args[0].dtype.name}, which XLA computes otherwise")


above.check_call = check_call
