"""How a helper runs: exact TensorFlow form first, NumPy on the host where there is none.

Every public helper is declared with :func:`exact`. In eager mode a helper that raises (:class:`Unsupported`, or any
error of TensorFlow's) is replayed by NumPy on the same arguments: NumPy then returns its own result, or raises its own
exception with its own message. While tracing (``tf.function``) there is no host, so the helper's error stands, and
:class:`Unsupported` becomes :class:`UnverifiedError`.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base import precision, tracing
from np2tnp.runtime.base.errors import Unsupported, UnverifiedError
from np2tnp.runtime.base.hardware import has_gpu
from np2tnp.runtime.base.lazy_tensorflow import constant, tf
from np2tnp.runtime.base.looking import holds_numbers, is_of, is_plain_tuple, items_of, member, module_of, tuple_like
from np2tnp.runtime.base.own_operators import is_asked, objects_in, require_left_alone
from np2tnp.runtime.base.updated import updated

__all__ = ["host", "host_items", "ndarray", "tensor"]

F = TypeVar("F", bound=Callable[..., Any])

#: NumPy dtype characters that a TensorFlow tensor can hold and NumPy's arithmetic knows.
NUMERIC = "?bhilqBHILQefdFD"

#: Kinds of dtypes whose arrays TensorFlow never takes for arrays of numbers.
NO_NUMBERS = "OSUVMm"

#: What long lists mostly hold.
_NUMBERS = frozenset((bool, int, float, complex, np.float64, np.ndarray))

#: The modules of the runtime: some of what stands for arrays in them refuses to become one.
_OWN = f"{own_package}."

#: By one of these an object turns into an array.
_ARRAY_PROTOCOLS = ("__array__", "__array_interface__")

#: By one of these it is asked what NumPy's functions give for it; None says that these take none.
_FUNCTION_PROTOCOLS = ("__array_ufunc__", "__array_function__")

#: Types met so far -> whether they are arrays of another kind.
_FOREIGN: dict[type, bool] = {}
#: Types met so far -> whether NumPy asks them.
_ANSWERING: dict[type, bool] = {}

#: Helpers by NumPy name: ``numpy.sort`` -> function. Filled by :func:`exact`; read by the probe and by tests.
HELPERS: dict[str, Callable[..., Any]] = {}

#: Python's operators on arrays: ``"add"`` -> function. functions/math/operators.py puts them here.
OPERATORS: dict[str, Callable[..., Any]] = {}

#: How often each helper had to ask NumPy on the host: evidence for the probe and for tests that TensorFlow did the
#: work.
FALLBACKS: Counter[str] = Counter()


#: Types met so far -> whether they are tensors: ``tf.is_tensor`` decides by type, and costs ten times a dict look-up.
_TENSOR_TYPES: dict[type, bool] = {}

#: Types of which TensorFlow takes every value for a tensor as it is (no variables): filled as they come.
_PLAIN_TENSORS: set[type] = set()


def is_tensor(value: object) -> bool:
    """Whether `value` is a TensorFlow tensor or variable (never imports TensorFlow by itself)."""
    known = _TENSOR_TYPES.get(type(value))
    if known is None:
        if not module_of(type(value)).startswith("tensorflow"):
            return False
        known = _TENSOR_TYPES[type(value)] = bool(tf.is_tensor(value))
    return known


def is_tracing() -> bool:
    """Whether a ``tf.function`` is being traced right now."""
    return not tf.executing_eagerly()


def is_measured() -> bool:
    """Whether operations run as they were measured: eagerly, in a process that has only CPUs.

    Kernels of XLA and of GPUs have edges of their own (NaN, zeros of both signs, numbers that a dtype cannot hold):
    where this is false a helper takes a form that meets none of them.
    """
    return bool(tf.executing_eagerly()) and not has_gpu()


def is_symbolic(value: object) -> bool:
    """Whether `value` is a tensor of a graph that is being traced: it has no value yet."""
    return is_tensor(value) and not hasattr(value, "numpy")


def holds_symbol(value: object) -> bool:
    """Whether `value`, or something in a list or tuple, is only known when a graph runs."""
    return any(map(holds_symbol, items_of(value) or ())) if is_of(value, (list, tuple)) else is_symbolic(value)


def is_array(value: object) -> bool:
    """Whether `value` is exactly an ndarray of a numeric dtype that a tensor can hold."""
    return type(value) is np.ndarray and value.dtype.char in NUMERIC and value.dtype.isnative


def is_foreign(value: object) -> bool:
    """Whether `value` is an array of another kind: an ndarray subclass, or an object that turns into an array."""
    kind = type(value)
    known = _FOREIGN.get(kind)
    if known is None:
        other = kind is not np.ndarray and not issubclass(kind, np.generic) and not is_tensor(value)
        offers = issubclass(kind, np.ndarray) or any(member(kind, name) is not None for name in _ARRAY_PROTOCOLS)
        known = _FOREIGN[kind] = other and offers and not module_of(kind).startswith(_OWN)
    return known


def to_tensor(array: Any) -> Any:
    """A tensor with its own copy of `array`'s values (an ndarray or NumPy scalar of a numeric dtype).

    A later write to `array` does not show in the tensor (tests/runtime/boundary/test_copies.py). A scalar goes in as an
    array: see :func:`np2tnp.runtime.base.lazy_tensorflow.hold_zeros` for what becomes of -0.0 otherwise.
    """
    if precision.active and precision.is_single():
        array = precision.narrowing.narrow_array(array)
    array = np.asarray(array)
    return constant(array) if tf.executing_eagerly() else tf.constant(array)


def to_ndarray(tensor: Any) -> Any:
    """A fresh, writable, C-ordered ndarray with the tensor's values (shape and dtype kept).

    Raises UnverifiedError for a tensor of strings (tnp takes an ndarray of text, and gives bytes), and for a symbol.
    """
    if is_symbolic(tensor):
        raise UnverifiedError("NumPy works here, on values that only the graph knows: not inside tf.function")
    value = tensor.numpy()  # documented to be a copy; a NumPy scalar where 0-d
    if isinstance(value, bytes) or (type(value) is np.ndarray and value.dtype.hasobject):
        raise UnverifiedError("TensorFlow made byte strings of text")
    if precision.active and precision.is_single():
        value = precision.narrowing.wide_array(value)
    if type(value) is np.ndarray and value.flags.owndata and value.flags.writeable:
        return value
    return np.array(value)


def shown(tensor: Any) -> Any:
    """What :func:`to_ndarray` gives, to be read at once: where TensorFlow works on a CPU, its memory as it is."""
    if not hasattr(tensor, "numpy") or precision.active or tensor.dtype == tf.string:
        return to_ndarray(tensor)
    value = np.asarray(tensor)
    value.flags.writeable = False
    return value


def as_tensor(value: Any, dtype: Any = None) -> Any:
    """`value` as ``np.asarray(value, dtype)`` would make it, as a tensor.

    Lists follow NumPy's dtype rules (``[1.0]`` is float64, ``[1]`` int64); tensors pass unchanged unless `dtype`
    differs. Raises Unsupported for non-numeric dtypes, and for arrays of other kinds: NumPy lets these decide what a
    function does with them.
    """
    if type(value) in _PLAIN_TENSORS and dtype is None:
        return value
    if is_tensor(value):
        tensor = tf.convert_to_tensor(value)
        if tensor is value:
            _PLAIN_TENSORS.add(type(value))
        return tensor if dtype is None or tensor.dtype == tf.as_dtype(dtype) else tf.cast(tensor, dtype)
    if tracing.active and is_of(value, (list, tuple)):
        known = tracing.above.listed(value)
        if known is not None:
            return known if dtype is None or known.dtype == tf.as_dtype(dtype) else tf.cast(known, dtype)
    is_plain = type(value) is list and holds_numbers(value)
    if not is_plain and is_of(value, (list, tuple)) and holds_tensor(value):
        parts = [as_tensor(item) for item in items_of(value) or ()]
        common = np.dtype(dtype) if dtype is not None else np.result_type(*(p.dtype.as_numpy_dtype for p in parts))
        return tf.raw_ops.Pack(values=[part if part.dtype == common else tf.cast(part, common) for part in parts])
    if not is_plain and _holds_foreign(value):
        raise Unsupported("an array of another kind")
    array = np.asarray(value, dtype=dtype)
    if not is_array(array):
        raise Unsupported(f"{type(value).__name__} of dtype {array.dtype}")
    return to_tensor(array)


def holds_tensor(value: Any) -> bool:
    """Whether something in a list or tuple is a tensor."""
    return any(is_tensor(v) or (is_of(v, (list, tuple)) and holds_tensor(v)) for v in items_of(value) or ())


def _holds_foreign(value: Any) -> bool:
    if is_of(value, (list, tuple)):
        items = list(items_of(value) or ())
        return not _NUMBERS.issuperset(map(type, items)) and any(map(_holds_foreign, items))
    return is_foreign(value) or _answers(value)


def _answers(value: object) -> bool:
    """Whether NumPy hands its ufuncs or functions to `value`'s class, which may have numbers as items besides."""
    kind = type(value)
    known = _ANSWERING.get(kind)
    if known is None:
        other = not issubclass(kind, (np.ndarray, np.generic)) and not module_of(kind).startswith(_OWN)
        known = _ANSWERING[kind] = other and any(member(kind, it, value) is not value for it in _FUNCTION_PROTOCOLS)
    return known


def map_structure(function: Callable[[Any], Any], value: Any) -> Any:
    """`value` with `function` applied to each leaf of nested exact tuples, namedtuples, lists and dicts.

    The same object comes back when no leaf changed, so that identity (and a caller's list) survives. Of what a core
    returned, only its result is taken: the arrays beside it stay what they are.
    """
    if type(value) is updated:
        return updated(map_structure(function, value.result), **value.arrays)
    if is_plain_tuple(value):
        items = [map_structure(function, item) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return tuple_like(value, items)
    if type(value) is list:
        items = [map_structure(function, item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if type(value) is dict:
        pairs = {key: map_structure(function, item) for key, item in value.items()}
        return value if all(pairs[key] is value[key] for key in pairs) else pairs
    return function(value)


def host(value: Any) -> Any:
    """`value` as NumPy and Python know it: each tensor in it becomes a fresh writable ndarray (0-d: a NumPy scalar).

    Everything else passes unchanged, and a container without tensors is returned as the same object.
    """
    return _left(value) if is_tensor(value) else _convert(_left, value)


def _convert(left: Callable[[Any], Any], value: Any) -> Any:
    """`value` with `left` of each tensor in it."""
    made: dict[int, Any] = {}  # one tensor in several places becomes one ndarray

    def leave(leaf: Any) -> Any:
        if type(leaf) in _DICT_VIEWS:
            return _left_view(left, leaf)
        if not is_tensor(leaf):
            return leaf
        if id(leaf) not in made:
            made[id(leaf)] = left(leaf)
        return made[id(leaf)]

    return map_structure(leave, value)


_DICT_VIEWS: tuple[type, ...] = (type({}.values()), type({}.items()))


def _left_view(left: Callable[[Any], Any], view: Any) -> Any:
    """What shows the values, or the items, of a dict that holds ndarrays for tensors."""
    shown = list(view)
    items = _convert(left, shown)
    if items is shown:
        return view
    return dict(items).items() if type(view) is _DICT_VIEWS[1] else dict(enumerate(items)).values()


def host_items(items: Iterable[Any]) -> Iterator[Any]:
    """The items of an iterator over what may be tensors, each as :func:`host` gives it, when it is asked for."""
    return (host(item) for item in items)


def _left(leaf: Any) -> Any:
    array = to_ndarray(leaf)
    return array if array.ndim else array[()]  # of more dimensions that would be a view, which owns no memory


def ndarray(value: Any) -> Any:
    """A tensor as a fresh writable ndarray, also where it is 0-d and :func:`host` gives a scalar.

    For what NumPy makes an array in any case: ``np.where(True, 1.0, 2.0)``, ``np.array(3)``, and containers of such.
    """
    return to_ndarray(value) if is_tensor(value) else _convert(to_ndarray, value)


def tensor(value: Any) -> Any:
    """`value` for TensorFlow: each exact numeric ndarray in it becomes a tensor; everything else passes unchanged.

    So do, in eager code, exact ndarrays of objects, text, dates and fields: NumPy works on them, in helpers, too. An
    ndarray subclass (its extra meaning would be lost) or an ndarray of another dtype raises :class:`UnverifiedError`.
    """
    return map_structure(_leaf_to_tensor, value)


def _leaf_to_tensor(leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray):
        return leaf
    if is_array(leaf):
        return to_tensor(leaf)
    if type(leaf) is np.ndarray and leaf.dtype.kind in NO_NUMBERS and not is_tracing():
        return leaf
    raise UnverifiedError(
        f"a value of class {type(leaf).__name__} and dtype {leaf.dtype} was not verified to behave as in NumPy"
    )


def on_host(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    differentiable: Callable[..., Any] | None = None,
) -> Any:
    """`function` (NumPy's) on host copies of the arguments; ndarrays and NumPy numbers in its result become tensors.

    A gradient tape that watches an argument gets the derivative of `differentiable`, or LookupError when it asks.
    Raises UnverifiedError where the result is an array of another kind, of which the code that follows knows nothing.
    What NumPy gives back of its arguments is the caller's tensor: ``np.linalg.matrix_power(x, 1)`` is ``x``.
    """
    if not kwargs and any(is_asked(item) for each in args for item in objects_in(each)):
        return map_structure(_entered, asked_on_host(function, *args))
    args = tuple(map(_numpys, args))
    kwargs = {name: _numpys(value) for name, value in kwargs.items()}
    lent: list[tuple[Any, Any]] = []

    def left(leaf: Any) -> Any:
        array = _left(leaf)
        lent.append((leaf, array))
        return array

    def entered(leaf: Any) -> Any:
        own = next((own for own, array in lent if array is leaf and type(leaf) is np.ndarray), None)
        unchanged = own is not None and to_ndarray(own).tobytes() == leaf.tobytes()
        return own if unchanged else _entered(leaf)

    result = map_structure(entered, function(*_convert(left, args), **_convert(left, kwargs)))
    return attach_gradient(result, function, args, kwargs, differentiable)


def _numpys(value: Any) -> Any:
    """A tensor's own shape or dtype, which a function is given, as NumPy has it."""
    kind = type(value)
    if kind is tf.TensorShape:
        return tuple(value)
    return np.dtype(value.as_numpy_dtype) if kind is tf.DType else value


def asked_on_host(function: Callable[..., Any], *args: Any, keeps: bool = False) -> Any:
    """`function`, which asks an object among its arguments, on host copies of the others.

    Raises UnverifiedError where that object changed one of them, and, unless it `keeps` what it gets, where it does so
    or gives it back.
    """
    lent: list[tuple[Any, bytes]] = []

    def left(leaf: Any) -> Any:
        array = _left(leaf)
        if type(array) is np.ndarray:
            lent.append((array, array.tobytes()))
        return array

    result = function(*_convert(left, args))
    require_left_alone(lent, keeps)
    return result


def _entered(leaf: Any) -> Any:
    if is_array(leaf) or (isinstance(leaf, np.generic) and leaf.dtype.char in NUMERIC):
        return to_tensor(leaf)
    if is_foreign(leaf):
        raise UnverifiedError(f"NumPy gives a {type(leaf).__name__} here, and what that adds to an array would be lost")
    if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "iufc":
        raise UnverifiedError(f"NumPy gives an array of dtype {leaf.dtype} here, which no tensor has")
    return leaf


def _outputs(
    helper: Callable[..., Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments that NumPy's `function` stores its results into."""
    given = kwargs.get("out")
    if given is None and isinstance(function, np.ufunc):
        given = args[function.nin :]
    elif given is None and len(args) > 1:
        parameters = inspect.signature(helper).parameters.values()
        names = [each.name for each in parameters if each.kind <= each.POSITIONAL_OR_KEYWORD]
        given = args[names.index("out")] if "out" in names[: len(args)] else None
    return given if isinstance(given, tuple) else (given,)


def resolve(api: str) -> Callable[..., Any]:
    """The NumPy function named `api`, such as ``numpy.linalg.norm``."""
    found: Any = np
    for part in api.split(".")[1:]:
        found = getattr(found, part)
    result: Callable[..., Any] = found
    return result


def attach_gradient(result: Any, *_: Any) -> Any:
    """What NumPy gave, tied to the tapes that watch its arguments: gradients.py puts its own function here."""
    return result


def unconverted(function: F) -> F:
    """Mark `function` for AutoGraph to call as it is: it decides by Python values, and its errors keep their type."""
    function.autograph_info__ = {}  # type: ignore[attr-defined]
    return function


def exact(
    api: str, reference: Callable[..., Any] | None = None, differentiable: Callable[..., Any] | None = None
) -> Callable[[F], F]:
    """Declare the decorated function as the exact helper for the NumPy function `api`.

    Parameters
    ----------
    api : canonical NumPy name, such as ``"numpy.sort"``.
    reference : what computes the result on the host; by default the NumPy function itself. Helpers for operations that
        change their argument give one that returns the changed copy.
    differentiable : the function in TensorFlow's operations, of which only the derivative is taken, where NumPy gave
        the values. It raises where it has no form.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def helper(*args: Any, **kwargs: Any) -> Any:
            try:
                if tracing.active:
                    tracing.above.check_call(api, args)
                    if any(map(tracing.above.is_sliced, args)):
                        return tracing.above.called_with_slices(api, reference, helper, args, kwargs)
                if precision.active and precision.is_single():
                    return precision.narrowing.call(api, function, args, kwargs)
                return function(*args, **kwargs)
            except UnverifiedError:
                raise
            except Exception as error:
                if is_tracing():
                    if any(map(tracing.above.is_standin, args)):
                        return tracing.above.retried(api, reference, helper, args, kwargs)
                    if isinstance(error, Unsupported):
                        raise UnverifiedError(f"{api}: {error}, which has no exact form inside tf.function") from error
                    raise
                numpy_function = reference or resolve(api)
                if any(out is not None for out in _outputs(function, numpy_function, args, kwargs)):
                    raise UnverifiedError(f"{api}: an out= that * or ** hid: NumPy would store into a copy") from error
                FALLBACKS[api] += 1
                return on_host(numpy_function, args, kwargs, differentiable)

        unconverted(helper)
        HELPERS[api] = helper
        return helper  # type: ignore[return-value]

    return decorate
