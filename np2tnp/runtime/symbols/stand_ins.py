"""What stands for a value while tracing without being a tensor, and how helpers take it.

Helpers know nothing of these: one that fails is called again with what NumPy's rules make of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import resolve
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.tracing import above
from np2tnp.runtime.symbols.either_number import EitherNumber, settle
from np2tnp.runtime.symbols.masked import Masked, called
from np2tnp.runtime.symbols.python_number import Weak, resolved


def is_standin(value: object) -> bool:
    """Whether `value` stands for an array or a number of the trace."""
    return isinstance(value, (Weak, Masked, EitherNumber))


def retried(api: str, reference: Any, helper: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The helper's result with tensors for the stand-ins among its arguments. Raises UnverifiedError."""
    try:
        function = reference
        if function is None:
            function = resolve(api)
        if any(isinstance(value, Masked) for value in args):
            return called(api, function, helper, args, kwargs)
        if any(type(value) is EitherNumber for value in args):
            if kwargs or not (isinstance(function, np.ufunc) or api.startswith("operator.")) or "pow" in api:
                raise Unsupported("a number that is Python's or NumPy's")
            return helper(*resolved(api, function, tuple(settle(args)), kwargs))
        return helper(*resolved(api, function, args, kwargs))
    except Unsupported as error:
        raise UnverifiedError(f"{api}: {error}") from error


above.is_standin, above.retried = is_standin, retried  # type: ignore[method-assign]
