"""Operators and items of tensors, eager ones and those of graphs, which are NumPy's in rewritten code.

Where operands have one dtype that TensorFlow was measured equal for, its operation answers. For all else (mixed dtypes,
small integers divided, a list beside a tensor, shapes that do not fit, masks and arrays as indices) the exact helper
does, if rewritten code asks: code of a module that has the runtime among its globals. Other code of the process has
TensorFlow's own operators, but where these raise for dtypes which they have no kernel for.

Eager tensors take no detours: in TensorFlow ``x + y`` casts both operands to the dtype that they have, and takes 30 µs
of which 6 are the addition; ``x[1:]`` takes 60. There the operation that TensorFlow's operator ends at is called at
once.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from np2tnp.runtime import __name__ as own_package
from np2tnp.runtime.base import exact_floats, lazy_tensorflow
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import translate
from np2tnp.runtime.base.operands import reshaped
from np2tnp.runtime.base.own_operators import is_asked
from np2tnp.runtime.base.promotion import constant
from np2tnp.runtime.indexing.item_reads import read_basic
from np2tnp.runtime.indexing.keys import basic_key, resolve_basic

#: Python's methods for operators -> the helper, and whether it takes the operands the other way round.
HELPERS = {
    **{
        f"__{'r' * reflected}{name}__": (name, reflected)
        for name in "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()
        for reflected in (False, True)
    },
    **{f"__{name}__": (name, False) for name in "lt le gt ge eq ne neg pos abs invert".split()},
}
#: For whoever asks: what TensorFlow raises for, the sum of two masks and complex numbers compared, the helper computes.
_FOR_ALL = frozenset(f"__{name}__" for name in "add radd lt le gt ge eq ne".split())
#: Of which NumPy knows the result for Python integers that the dtype does not hold.
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _by_helper(name: str) -> Callable[..., Any]:
    """The helper for Python's method `name`, of the runtime that is given first."""
    helper, reflected = HELPERS[name]
    attribute = f"op_{helper}"
    if reflected:
        return lambda runtime, x, y: getattr(runtime, attribute)(y, x)
    return lambda runtime, *operands: getattr(runtime, attribute)(*operands)


def _own() -> Any:
    """This package, whose functions are imported when they are first asked for."""
    return importlib.import_module(own_package)


def covered(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """TensorFlow's `method` of that name, or the exact helper. Called by what rewritten code calls."""
    by_helper = _by_helper(name)
    if name not in _FOR_ALL:

        def answer(*operands: Any) -> Any:
            asking = _asking(2) if operands[0].dtype in _NUMPYS else None
            return method(*operands) if asking is None else by_helper(asking, *operands)

        return functools.wraps(method)(answer)
    compares = name.strip("_") in _COMPARISONS

    @functools.wraps(method)
    def call(tensor: Any, other: Any) -> Any:
        asking = _asking(2) if tensor.dtype in _NUMPYS else None
        if asking is not None:
            return by_helper(asking, tensor, other)
        if compares and type(other) is int and abs(other) >= 1 << 63 and lazy_tensorflow.ready:
            return by_helper(_own(), tensor, other)
        if lazy_tensorflow.ready and (is_asked(other) or (compares and _meet_in_floats(tensor, other))):
            return by_helper(_own(), tensor, other)
        try:
            return method(tensor, other)
        except Exception as error:
            known = translate(error)
            beyond = compares and isinstance(known or error, OverflowError)
            if not lazy_tensorflow.ready or not (beyond or isinstance(known, UnverifiedError)):
                raise
            return by_helper(_own(), tensor, other)

    return call


def _asking(frames: int) -> Any | None:
    """The runtime of the code that asks, so many frames above: that which its module has, by whatever name.

    None for other code. Of several copies in a process each knows its own traces alone.
    """
    frame = sys._getframe(frames + 1)
    scope = frame.f_globals
    known = scope.get("rt")
    if not _is_runtime(known):
        if str(scope.get("__name__")).startswith(_OTHERS):
            return None
        known = next(filter(_is_runtime, list(scope.values())), None)
    return known if known is not None and _is_rewritten(frame, known) else None


#: Packages whose modules are not looked through.
_OTHERS = ("tensorflow.", "keras.", "numpy.", f"{own_package}.")


def _is_runtime(value: Any) -> bool:
    """Whether it is this package, or that of another copy of it: one of them has put its operators in."""
    return type(value) is types.ModuleType and "EXACT_OPERATORS" in value.__dict__


def _is_rewritten(frame: types.FrameType, runtime: Any) -> bool:
    """Whether np2tnp wrote the code, of a module that has `runtime`; the program's own TensorFlow may stand beside it.

    Rules count on these operators in functions with a wrapper alone, and each of those is noted. Of what else np2tnp
    wrote (``--boundary tensor``, a script's top level), and of copies that others make of code, what names the runtime
    or TensorFlow's NumPy is taken for rewritten. So is code outside of functions, and text that was compiled, unless it
    names TensorFlow itself: a migrated function may have it evaluated.
    """
    code, scope, noted = frame.f_code, frame.f_globals, runtime.EXACT_OPERATORS
    if noted is True or id(code) in noted:  # copies of former versions note nothing
        return True
    mentioned = [scope[name] for name in _names(code) if name in scope]
    if any(it is runtime or _is_of(type(it), runtime.__name__) or _is_of(it, *_TNP) for it in mentioned):
        return True
    if _CONVERTED in code.co_filename:
        name, file = _function_converted(frame), scope.get("__file__")
        return any(each.co_name == name and _may_be_from(each, file) for each in list(noted.values()))
    is_text = not code.co_flags & inspect.CO_OPTIMIZED or code.co_filename == "<string>"
    return is_text and not any(_is_of(it, "tensorflow", "keras") for it in mentioned)


#: A module, and where its functions are defined.
_TNP = "tensorflow.experimental.numpy", "tensorflow.python.ops.numpy_ops"
#: In the names of the files that AutoGraph writes: one for each function of which it makes a copy.
_CONVERTED = "__autograph_generated_file"


def _function_converted(frame: types.FrameType) -> str:
    """The name of the function of which AutoGraph made the copy that runs in `frame`."""
    above: types.FrameType | None = frame
    while above is not None:
        if above.f_code.co_name.startswith("tf__") and above.f_code.co_filename == frame.f_code.co_filename:
            return above.f_code.co_name.removeprefix("tf__")
        above = above.f_back
    return ""


def _may_be_from(code: types.CodeType, file: Any) -> bool:
    """Whether `code` may be of the module in that file: other modules have functions of the same names."""
    return not isinstance(file, str) or os.path.basename(code.co_filename) == os.path.basename(file)


def _is_of(value: Any, *packages: str) -> bool:
    """Whether `value` is a module of one of them, or a class or function that is defined in one."""
    if not isinstance(value, (types.ModuleType, type, types.FunctionType)):
        return False
    home = value.__name__ if isinstance(value, types.ModuleType) else value.__module__
    return any(home == package or home.startswith(f"{package}.") for package in packages)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of globals, and of attributes, in the code and what is defined in it."""
    yield from code.co_names
    for inner in code.co_consts:
        if type(inner) is types.CodeType:
            yield from _names(inner)


def _meet_in_floats(tensor: Any, other: Any) -> bool:
    """Whether uint64 meets signed integers: NumPy compares them exactly, TensorFlow as float64."""
    names = {getattr(getattr(it, "dtype", None), "name", "") for it in (tensor, other)}
    return "uint64" in names and any(name.startswith("int") for name in names)


Operator = Callable[[Any, Any], Any]

_FLOATS = "f d"
_INEXACT = "f d F D"
_INTEGERS = "b h i l B H I L"
_REAL = f"{_FLOATS} {_INTEGERS}"

#: Python's operator -> TensorFlow's operation, and for which dtypes of both operands.
_OPERATIONS: dict[str, dict[str, str]] = {
    "add": {"AddV2": f"{_INEXACT} {_INTEGERS}"},
    "sub": {"Sub": f"{_INEXACT} {_INTEGERS}"},
    "mul": {"Mul": f"{_INEXACT} {_INTEGERS}"},
    "truediv": {"RealDiv": _FLOATS},
    "floordiv": {},
    "mod": {},
    "divmod": {},
    "pow": {"power": _FLOATS},
    "matmul": {},
    "and": {"LogicalAnd": "?", "BitwiseAnd": _INTEGERS},
    "or": {"LogicalOr": "?", "BitwiseOr": _INTEGERS},
    "xor": {"BitwiseXor": _INTEGERS},
    "lshift": {},
    "rshift": {},
    "lt": {"Less": _REAL},
    "le": {"LessEqual": _REAL},
    "gt": {"Greater": _REAL},
    "ge": {"GreaterEqual": _REAL},
    "eq": {"Equal": f"? {_INEXACT} {_INTEGERS}"},
    "ne": {"NotEqual": f"? {_INEXACT} {_INTEGERS}"},
}
#: Python's operator on one operand -> for which dtypes TensorFlow's own is NumPy's.
_OF_ONE = {"neg": f"b h i l {_INEXACT}", "abs": f"b h i l {_FLOATS}", "invert": f"? {_INTEGERS}", "pos": ""}
#: Of which graphs take TensorFlow's own where the dtypes are those: shapes that do not fit are no reason to differ, and
#: of powers the helper knows what XLA computes otherwise.
_NOT_IN_GRAPHS = ("eq", "ne", "pow")

#: Python's number types -> which of them have one value beside a tensor of a dtype, in NumPy and in TensorFlow.
_Limits = dict[type, tuple[float, float]]
#: Dtype -> TensorFlow's operation, and what numbers it takes beside a tensor.
_Kernels = dict[Any, tuple[Operator, _Limits]]


#: The dtypes that NumPy has, and text. Tensors of others, as bfloat16, are never rewritten code's own: a program that
#: uses TensorFlow itself made them.
_NUMPYS: set[Any] = set()

#: Counts what operators and items promise: of two copies of the runtime the one that promises more puts its own in.
_FORM = 3


def install(tensorflow: Any) -> None:
    """Give eager tensors, and those of graphs, these operators. Doing it again changes nothing."""
    tensor = tensorflow.__internal__.EagerTensor
    if getattr(tensor.__add__, "is_exact", 0) >= _FORM:  # another copy was first
        return
    _NUMPYS.update(map(tensorflow.as_dtype, (*map(np.dtype, "?bhilBHILefdFD"), "string")))
    symbol = importlib.import_module("tensorflow.python.framework.ops").SymbolicTensor
    for name, operations in _OPERATIONS.items():
        kernels = {
            tensorflow.as_dtype(dtype): (_kernel(operation, tensorflow.raw_ops), _limits(dtype))
            for operation, characters in operations.items()
            for dtype in map(np.dtype, characters.split())
        }
        in_graphs = {} if name in _NOT_IN_GRAPHS else kernels
        for own in (f"__{name}__", f"__r{name}__"):
            if own in HELPERS:
                inherited = _inherited(tensorflow.Tensor, own)
                eager = _reflected if HELPERS[own][1] else functools.partial(_operator, tensor)
                setattr(symbol, own, _in_graphs(own, inherited, in_graphs, (symbol, tensor)))
                setattr(tensor, own, eager(covered(own, inherited), kernels))
    for name, characters in _OF_ONE.items():
        alike = frozenset(map(tensorflow.as_dtype, map(np.dtype, characters.split())))
        inherited = _inherited(tensorflow.Tensor, f"__{name}__")
        for kind in (symbol, tensor):
            setattr(kind, f"__{name}__", _of_one(f"__{name}__", inherited, alike))
    product = dict.fromkeys((tensorflow.float32, tensorflow.float64), tensorflow.raw_ops.MatMul)
    inherited = _inherited(tensorflow.Tensor, "__matmul__")
    tensor.__matmul__ = _product(tensor, covered("__matmul__", inherited), product)
    inherited = _inherited(tensorflow.Tensor, "__getitem__")
    symbol.__getitem__ = _item_in_graphs(inherited)
    tensor.__getitem__ = _item(inherited)
    tensor.__add__.is_exact = _FORM


def _inherited(base: Any, name: str) -> Callable[..., Any]:
    """TensorFlow's operator as it is when it is asked: the program may switch NumPy's behaviour on later."""

    def method(*operands: Any) -> Any:
        found = getattr(base, name, None)
        if found is not None:
            return found(*operands)
        if len(operands) > 1:
            return NotImplemented
        raise TypeError(f"bad operand type for unary {name.strip('_')}: {type(operands[0]).__name__!r}")

    return functools.wraps(getattr(base, name, method))(method)


def _kernel(operation: str, raw: Any) -> Operator:
    if operation == "power":
        return _power
    run = getattr(raw, operation)
    return lambda x, y: run(x=x, y=y)


def _power(x: Any, y: Any) -> Any:
    """Of arrays with axes: NumPy's scalars know no root of -inf, so what may be one is left to the helper."""
    if not x.ndim:
        raise UnverifiedError("a power of a number")
    return exact_floats.power(x, y)


def _in_graphs(name: str, method: Operator, kernels: _Kernels, tensors: tuple[type, type]) -> Operator:
    """The operator `name` of a graph's tensors: TensorFlow's own, but for what is not known to be NumPy's."""
    by_helper = _by_helper(name)

    def call(x: Any, y: Any) -> Any:
        found = kernels.get(x.dtype)
        plain = found is not None and (y.dtype is x.dtype if type(y) in tensors else _takes(found[1], y))
        asking = None if plain or x.dtype not in _NUMPYS else _asking(1)
        return method(x, y) if asking is None else by_helper(asking, x, y)

    return functools.wraps(method)(call)


def _of_one(name: str, method: Callable[[Any], Any], dtypes: frozenset[Any]) -> Callable[[Any], Any]:
    by_helper = _by_helper(name)

    def call(x: Any) -> Any:
        asking = None if x.dtype in dtypes or x.dtype not in _NUMPYS else _asking(1)
        return method(x) if asking is None else by_helper(asking, x)

    return functools.wraps(method)(call)


def _operator(tensor: Any, slow: Operator, kernels: _Kernels) -> Operator:
    def fast(x: Any, y: Any) -> Any:
        dtype = x.dtype
        found = kernels.get(dtype)
        if found is not None:
            try:
                if type(y) is tensor:
                    if y.dtype is dtype:
                        return found[0](x, y)
                elif _takes(found[1], y):
                    return found[0](x, constant(y, dtype))
            except Exception:  # it raises its own, here too
                return slow(x, y)
        return slow(x, y)

    return fast


def _reflected(slow: Operator, kernels: _Kernels) -> Operator:
    def fast(y: Any, x: Any) -> Any:
        dtype = y.dtype
        found = kernels.get(dtype)
        if found is not None and _takes(found[1], x):
            try:
                return found[0](constant(x, dtype), y)
            except Exception:  # it raises its own, here too
                return slow(y, x)
        return slow(y, x)

    return fast


def _limits(dtype: np.dtype[Any]) -> _Limits:
    if dtype.kind in "iu":
        return {int: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))}
    return {int: (-(2**24), 2**24), float: (-1e38, 1e38)} if dtype.kind in "fc" else {}


def _takes(limits: _Limits, number: Any) -> bool:
    limit = limits.get(type(number))
    return limit is not None and limit[0] <= number <= limit[1]


def _product(tensor: Any, slow: Operator, kernels: dict[Any, Any]) -> Operator:
    def fast(x: Any, y: Any) -> Any:
        kernel = kernels.get(x.dtype)
        if kernel is not None and type(y) is tensor and y.dtype is x.dtype and 0 < x.ndim < 3 and 0 < y.ndim < 3:
            left, right = tuple(x.shape), tuple(y.shape)
            try:  # a vector is a matrix of one row, or one column
                a = x if len(left) == 2 else reshaped(x, (1, *left))
                b = y if len(right) == 2 else reshaped(y, (*right, 1))
                product = kernel(a=a, b=b)
                return product if a is x and b is y else reshaped(product, left[:-1] + right[1:])
            except Exception:  # it raises its own, here too
                return slow(x, y)
        return slow(x, y)

    return fast


def _item(method: Operator) -> Operator:
    def fast(x: Any, key: Any) -> Any:
        parts = None
        try:
            parts = basic_key(key)
            if parts is not None and lazy_tensorflow.numpy_behavior:
                shape = tuple(x.shape)
                plan = resolve_basic(shape, parts)
                if plan.strided and not (plan.whole and plan.shape == shape):  # which would give x itself
                    return read_basic(x, plan)
        except IndexError:  # NumPy's own
            if _asking(1) is not None:
                raise
        except Exception:  # whoever answers raises its own
            parts = None
        asking = _asking(1) if parts is None and x.dtype in _NUMPYS else None
        return method(x, key) if asking is None else asking.at(x)[key].get()

    return functools.wraps(method)(fast)


def _item_in_graphs(method: Operator) -> Operator:
    def call(x: Any, key: Any) -> Any:
        asking = None if _is_basic(key) or x.dtype not in _NUMPYS else _asking(1)
        return method(x, key) if asking is None else asking.at(x)[key].get()

    return functools.wraps(method)(call)


_WHOLE = (int, type(None), type(Ellipsis))


def _is_basic(key: Any) -> bool:
    """Whether a key holds only integers, slices between such, ``None`` and ``...``: TensorFlow reads it as NumPy."""
    return all(
        type(part) in _WHOLE
        or (type(part) is slice and all(type(it) in _WHOLE for it in (part.start, part.stop, part.step)))
        for part in (key if type(key) is tuple else (key,))
    )
