"""One call of the probe: made with NumPy, made with a target, and the label that compares the two.

Labels: ``equal``, ``ulp:3``; ``raises`` (NumPy and the target both raise; the boundary makes it one class); ``value``
``dtype`` ``shape`` ``type`` ``structure``; ``itself`` (the target gives its argument back, NumPy an array of its own);
``no error`` (NumPy raises, the target returns); ``error X`` (the target
raises X, NumPy returns or raises something else).
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from np2tnp.catalog import load
from np2tnp.probe import behaviour, python_syntax
from np2tnp.probe.cases.all_cases import Case, compile_call, fresh_arguments, name_below, name_helper
from np2tnp.probe.surface import is_indexed
from np2tnp.verify.compare import Agreement, Outcome, Tolerance, compare, contraction_slack

#: Values without meaning: only shape and dtype are compared.
_SHAPE_ONLY = {"numpy.empty", "numpy.empty_like"}
#: Objects that stand for an array's memory, not for values: np2tnp never calls a target for these.
_NO_TARGET = {
    "ndarray.flat", "ndarray.data", "ndarray.ctypes", "ndarray.base", "ndarray.flags", "ndarray.strides",
    "ndarray.device", "ndarray.resize", "ndarray.setflags",
    "numpy.dtype", "numpy.linalg.LinAlgError", "numpy.nditer", "numpy.ndenumerate", "numpy.ndindex", "numpy.vectorize",
}  # fmt: skip
#: What returns nothing and changes nothing.
_WRITE = {"ndarray.dump", "ndarray.tofile"}
#: Methods that change their array: the runtime has a function that returns the changed array, and no other will do.
_IN_PLACE = {"ndarray.sort", "ndarray.partition", "ndarray.fill", "ndarray.put", "ndarray.setfield", "ndarray.byteswap"}
#: Methods whose positional arguments are one tuple of the function: np2tnp passes the tuple.
_PACKED = {"ndarray.reshape", "ndarray.transpose", "ndarray.choose"}
#: Functions of another name that stand for what tnp lacks, or that give the same as a list: the name,
#: and what is called with its result.
STAND_INS = {
    "ndarray.astype": ("tnp.array", ""),
    "numpy.radians": ("tnp.deg2rad", ""),
    "numpy.degrees": ("tnp.rad2deg", ""),
    "numpy.linalg.norm": ("tf.norm", ""),
    "numpy.linalg.det": ("tf.linalg.det", ""),
    "numpy.fft.fft": ("tf.signal.fft", ""),
    "numpy.fft.ifft": ("tf.signal.ifft", ""),
    "numpy.fft.rfft": ("tf.signal.rfft", ""),
    "numpy.fft.fftshift": ("tf.signal.fftshift", ""),
    "numpy.fft.ifftshift": ("tf.signal.ifftshift", ""),
    "numpy.broadcast_arrays": ("tnp.broadcast_arrays", "tuple"),
    "numpy.meshgrid": ("tnp.meshgrid", "tuple"),
    "numpy.nonzero": ("tnp.nonzero", "tuple"),
    "ndarray.nonzero": ("tnp.nonzero", "tuple"),
}
_WRAPS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "tuple": tuple}
_TERMS = {"sum": 8.0, "fft": 16.0, "solve": 200.0}


def find_targets(api: str) -> dict[str, Callable[..., Any]]:
    """The functions that may stand for `api`: ``tnp`` and ``rt``, where they exist."""
    import tensorflow as tf
    import tensorflow.experimental.numpy as tnp

    from np2tnp import runtime

    targets: dict[str, Callable[..., Any]] = {}
    if api in _NO_TARGET:
        return {}
    if python_syntax.is_syntax(api):
        return python_syntax.find_targets(api)
    plain = name_below(api)
    if api in STAND_INS:
        name, wrap = STAND_INS[api]
        targets["tnp"] = _wrapped(attrgetter(name)(SimpleNamespace(tf=tf, tnp=tnp)), _WRAPS[wrap])
    elif api not in _IN_PLACE and "." not in plain and callable(getattr(tnp, plain, None)):
        targets["tnp"] = getattr(tnp, plain)
    found: Any = runtime
    for part in name_helper(api).split("."):
        found = getattr(found, part, None)
    if is_indexed(found):
        targets["rt"] = found.__getitem__
    elif callable(found) and not isinstance(found, type(runtime)):
        targets["rt"] = _storing(api, found)
    return targets


def _wrapped(function: Callable[..., Any], wrap: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: wrap(function(*args, **kwargs))


def _storing(api: str, helper: Callable[..., Any]) -> Callable[..., Any]:
    """`helper`, called as np2tnp does where the call says ``out=``: the result is stored by the runtime."""
    from np2tnp import runtime

    fact = load().get(api)
    names = ["self"] * api.startswith("ndarray.") + list(fact.positional if fact is not None else ())

    def call(*args: Any, **kwargs: Any) -> Any:
        index = names.index("out") if "out" in names[: len(args)] else None
        out = kwargs.get("out") if index is None else args[index]
        if out is None or isinstance(out, tuple) or fact is None or not fact.out_casting:
            return helper(*args, **kwargs)
        where = kwargs.get("where", True)
        kwargs = {name: value for name, value in kwargs.items() if name not in ("out", "where")}
        if index is not None:
            args = (*args[:index], None, *args[index + 1 :]) if len(args) > index + 1 else args[:index]
        casting = kwargs.get("casting", fact.out_casting)
        return runtime.assign(out, helper(*args, **kwargs), casting=casting, where=where)

    return call


def call_on_numpy(case: Case, chars: str) -> tuple[Outcome, tuple[Any, ...]]:
    """NumPy's outcome, and its arguments, with floats made absolute, for the scale of the tolerance."""
    names = fresh_arguments(case.call, *chars)
    arguments: tuple[tuple[Any, ...], dict[str, Any]] = eval(
        compile_call(case.call), {**names, "f": lambda *a, **k: (a, k)}
    )
    try:
        with behaviour.quiet():
            value = behaviour.call_numpy(case.api)(*arguments[0], **arguments[1])
    except Exception as error:
        return Outcome.of_error(error), ()
    if value is None and case.api not in _WRITE and arguments[0] and isinstance(arguments[0][0], np.ndarray):
        value = arguments[0][0]  # a function that changes its first argument: helpers return the changed array
    return Outcome(value), arguments


def target_arguments(case: Case, chars: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Fresh arguments of the call, in the form in which np2tnp passes them to a target; arrays are ndarrays."""
    names = fresh_arguments(case.call, *chars)
    args, kwargs = eval(compile_call(case.call), {**names, "f": lambda *a, **k: (a, k)})
    if case.api in _PACKED and len(args) > 2:
        args = (args[0], tuple(args[1:]))
    return args, kwargs


def call_on_target(case: Case, chars: str, function: Callable[..., Any], given: list[Any] | None = None) -> Outcome:
    """The target's outcome for tensors of the same values, as TensorFlow gave it. The tensors are put into `given`."""
    from np2tnp.runtime.base.dispatch import map_structure, to_tensor
    from np2tnp.runtime.base.exceptions import translate

    tensors = [] if given is None else given

    def convert(leaf: Any) -> Any:
        if not (type(leaf) is np.ndarray and leaf.dtype.kind in "biufc"):
            return leaf
        tensors.append(to_tensor(leaf))
        return tensors[-1]

    args, kwargs = map_structure(convert, target_arguments(case, chars))
    try:
        with behaviour.quiet():
            return Outcome(function(*args, **kwargs))
    except Exception as error:
        return Outcome.of_error(translate(error) or error)


def is_itself(expected: Outcome, arguments: tuple[Any, ...], actual: Outcome, given: list[Any]) -> bool:
    """Whether the target gives one of its arguments back where NumPy makes an array of its own."""
    if not isinstance(expected.value, np.ndarray) or not expected.value.size:
        return False
    if not any(actual.value is tensor for tensor in given):
        return False
    args, kwargs = arguments
    leaves = [leaf for leaf in (*args, *kwargs.values()) if isinstance(leaf, np.ndarray)]
    return not any(np.shares_memory(expected.value, leaf) for leaf in leaves)


def label(case: Case, expected: Outcome, actual: Outcome, arguments: tuple[Any, ...]) -> str:
    """The label of one observation (see the module's docstring)."""
    if expected.error is not None:
        if actual.error is None:
            return "no error"
        alike = expected.error in actual.bases or actual.error in expected.bases or actual.error == "UnverifiedError"
        return "raises" if alike else f"error {actual.error}"
    if actual.error is not None:
        return f"error {actual.error}"
    try:
        value = as_boundary(actual.value, expected.value)
    except Exception as error:  # a tensor that cannot be read back
        return f"error {type(error).__name__}"
    if case.api in _SHAPE_ONLY and isinstance(value, np.ndarray) and isinstance(expected.value, np.ndarray):
        return compare(np.zeros_like(expected.value), np.zeros_like(value)).label
    return compare_value(case, expected.value, value, arguments).label


def compare_value(case: Case, expected: Any, actual: Any, arguments: tuple[Any, ...]) -> Agreement:
    """Compare under the tolerance that the case asks for."""
    if case.tolerance == "same":
        return compare(expected, actual, Tolerance(ulp=0, signed_zero=True))
    if case.tolerance == "order":
        expected, actual = _in_order(case, expected, arguments), _in_order(case, actual, arguments)
        return compare(expected, actual)
    if case.tolerance == "elementwise":
        first = _first(expected)
        is_real = isinstance(first, (np.ndarray, np.generic)) and first.dtype.kind == "f"
        return compare(expected, actual, Tolerance(signed_zero=is_real))
    exact = compare(expected, actual)
    if exact:
        return exact
    return compare(expected, actual, Tolerance(slack=_slack(case, expected, arguments)))


def _in_order(case: Case, value: Any, arguments: tuple[Any, ...]) -> Any:
    """What NumPy promises of a result whose order among equals, or outside of the pivots, it leaves open."""
    args, kwargs = arguments
    axis = kwargs.get("axis", args[1] if len(args) > 1 and "partition" not in case.api and "arg" in case.api else -1)
    if "argsort" in case.api or "argpartition" in case.api:
        if not isinstance(value, np.ndarray) or value.dtype != np.intp:
            return value
        array = np.asarray(args[0])
        value = np.take_along_axis(array if axis is not None else array.ravel(), value, axis if axis is not None else 0)
    if "partition" in case.api and np.size(args[0]):
        pivots = [np.take(value, k, axis=-1 if axis is None else axis) for k in np.atleast_1d(args[1])]
        return [*pivots, np.sort(value, axis=-1 if axis is None else axis)]
    return value


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, (tuple, list)) and value else value


def _slack(case: Case, expected: Any, arguments: tuple[Any, ...]) -> float:
    """The absolute error that the size of the terms allows, the same for all elements of the result."""
    args, kwargs = arguments

    def magnitude(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "iu":
            leaf = leaf.astype(np.float64)
        return np.abs(leaf) if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc" else leaf

    leaves = [np.asarray(e) for e in (expected if isinstance(expected, (tuple, list)) else [expected])]
    inexact = [leaf.dtype for leaf in leaves if leaf.dtype.kind in "fc"]
    if not inexact:
        return 0.0
    scales = [*leaves, *(np.asarray(a) for a in args if isinstance(a, np.ndarray) and case.tolerance != "sum")]
    try:
        with behaviour.quiet():
            terms = behaviour.call_numpy(case.api)(*map(magnitude, args), **kwargs)
        scales += [np.asarray(e) for e in (terms if isinstance(terms, (tuple, list)) else [terms])]
    except Exception:  # such as eigenvalues of a matrix made absolute: the result's own size must do
        pass
    finite = [np.abs(s[np.isfinite(s)]).max(initial=0.0) for s in scales if s.dtype.kind in "biufc"]
    count = max([a.size for a in args if isinstance(a, np.ndarray)], default=1)
    with np.errstate(all="ignore"):
        slack = contraction_slack(
            float(max(finite, default=0.0)), count, max(inexact, key=lambda d: np.finfo(d).eps), _TERMS[case.tolerance]
        )
    return float(slack)


def as_boundary(value: Any, expected: Any) -> Any:
    """`value` with tensors as the boundary would hand them out: 0-d as a scalar or an array, whichever NumPy has
    here.
    """
    if hasattr(value, "numpy") and type(value).__module__.startswith("tensorflow"):
        array = value.numpy()
        return array[()] if np.ndim(array) == 0 and not isinstance(expected, np.ndarray) else np.asarray(array)
    if isinstance(value, (list, tuple)):
        wanted = list(expected) if isinstance(expected, (list, tuple)) else []
        wanted += [None] * (len(value) - len(wanted))
        items = [as_boundary(v, e) for v, e in zip(value, wanted, strict=False)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def import_runtime() -> None:
    """Import TensorFlow and every family of the runtime, so that all helpers are declared."""
    from np2tnp import runtime
    from np2tnp.runtime.base import lazy_tensorflow

    lazy_tensorflow.configure()
    for module in pkgutil.walk_packages(runtime.__path__, f"{runtime.__name__}."):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            print(f"cannot import {module.name}: {error}", file=sys.stderr)
