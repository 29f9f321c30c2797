"""How a NumPy ufunc becomes TensorFlow operations: a table of implementations by class of dtype.

``ufunc("numpy.add", {"?": either, "iuefc": raw("AddV2")})`` declares a helper. NumPy itself says, through
``ufunc.resolve_dtypes``, which inner loop it would run for the dtypes that arrive; the operands are cast to that loop's
dtypes and the table's implementation for their class runs on them. Classes: ``?`` bool, ``i`` signed, ``u`` unsigned,
``e`` float16, ``f`` float32 and float64, ``c`` complex, ``m`` mixed (int64 with uint64, float with int). A float16
without an entry is computed in float32, as NumPy does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import exact, resolve, to_tensor
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.promotion import (
    CLASSES,
    WEAK,
    array,
    cast,
    constant,
    is_weak,
    key_dtype,
    known_key,
    numpy_dtype,
    operand,
    operand_tensor,
    requested_dtype,
    tensor_dtype,
)

Implementation = Callable[..., Any]
Table = dict[str, Implementation]


@functools.cache
def op(name: str) -> Any:
    """TensorFlow's raw operation of that name (a tenth of the cost of the public function of the same work)."""
    return getattr(tf.raw_ops, name)


def raw(name: str) -> Implementation:
    """An implementation that is one raw operation on ``x`` or on ``x`` and ``y``."""

    def run(x: Any, y: Any = None) -> Any:
        return op(name)(x=x) if y is None else op(name)(x=x, y=y)

    return run


def same(x: Any) -> Any:
    """The operand's values, as another tensor: NumPy copies, and nobody may see the same object."""
    return op("Identity")(input=x)


def through(dtype: str, implementation: Implementation) -> Implementation:
    """`implementation` run in `dtype` and cast back: for integers whose kernel is missing; wrapping stays the same."""

    def run(*operands: Any) -> Any:
        wide = implementation(*(cast(x, dtype) for x in operands))
        return wide if wide.dtype == tf.bool else cast(wide, operands[0].dtype)

    return run


class _Plan:
    """What one combination of operand dtypes needs: the loop's dtypes and its implementation."""

    __slots__ = ("inputs", "outputs", "run")

    def __init__(self, run: Implementation, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        self.run, self.inputs, self.outputs = run, inputs, outputs


def _make_plan(numpy_ufunc: Any, table: Table, keys: tuple[Any, ...], dtype: Any, casting: str) -> _Plan:
    loop = _resolve(numpy_ufunc, keys, dtype, casting)
    inputs = loop[: numpy_ufunc.nin]
    classes = {CLASSES.get(d.char, "") for d in inputs}
    kind = classes.pop() if len(classes) == 1 else "m"
    run = next((f for names, f in table.items() if kind in names), None)
    if run is None and kind == "e":
        wide = next((f for names, f in table.items() if "f" in names), None)
        run = None if wide is None else _in_float32(wide, tuple(tensor_dtype(d) for d in loop[numpy_ufunc.nin :]))
    if run is None:
        raise Unsupported(f"dtypes {[str(key_dtype(k)) for k in keys]}")
    return _Plan(run, tuple(tensor_dtype(d) for d in inputs), tuple(tensor_dtype(d) for d in loop[numpy_ufunc.nin :]))


def _resolve(numpy_ufunc: Any, keys: tuple[Any, ...], dtype: Any, casting: str) -> tuple[np.dtype[Any], ...]:
    if casting == "equiv" and any(map(is_weak, keys)):
        raise Unsupported("Python numbers under this casting rule, for which NumPy's resolve_dtypes ends the process")
    given = tuple(key_dtype(key) for key in keys) + (None,) * numpy_ufunc.nout
    if dtype is None:
        found = numpy_ufunc.resolve_dtypes(given, casting=casting)
    else:
        signature = (None,) * numpy_ufunc.nin + (dtype,) * numpy_ufunc.nout
        found = numpy_ufunc.resolve_dtypes(given, signature=signature, casting=casting)
    loop: tuple[np.dtype[Any], ...] = found
    return loop


def _in_float32(implementation: Implementation, outputs: tuple[Any, ...]) -> Implementation:
    def run(*operands: Any) -> Any:
        result = implementation(*(op("Cast")(x=x, DstT=tf.float32) if x.dtype == tf.float16 else x for x in operands))
        if isinstance(result, tuple):
            return tuple(cast(part, dtype) for part, dtype in zip(result, outputs, strict=True))
        return result if result.dtype == outputs[0] else op("Cast")(x=result, DstT=outputs[0])

    return run


def ufunc(api: str, table: Table, *, numpy_ufunc: Any = None, comparison: bool = False) -> Callable[..., Any]:
    """The exact helper for the NumPy ufunc `api`, from its table of implementations.

    The helper takes the ufunc's operands, ``where=``, ``casting=``, ``order=``, ``dtype=``, ``subok=``; with ``out=``
    NumPy computes. Where ``where`` is false the result is zero (NumPy leaves such elements uninitialised).
    With `comparison` a Python integer that the other operand's dtype cannot hold is compared by value, as in NumPy 2.
    """
    reference: Any = resolve(api) if numpy_ufunc is None else numpy_ufunc
    arity = reference.nin
    plans: dict[Any, _Plan] = {}

    def call(*operands: Any, **keywords: Any) -> Any:
        where, dtype, casting = True, None, "same_kind"
        if keywords:
            where, dtype, casting = _keywords(keywords)
        else:  # what came before: a third of the time of the way below
            known = tuple([known_key(x) for x in operands])
            plan = plans.get((known, None, casting))
            if plan is not None and not (comparison and int in map(type, operands)):
                return plan.run(*map(operand_tensor, operands, known, plan.inputs))
        if len(operands) != arity:
            raise Unsupported("out given by position")
        if all(type(x) in WEAK or isinstance(x, (bool, np.generic)) for x in operands):
            return _from_numpy(reference(*operands, **keywords))
        pairs = [operand(x) for x in operands]
        keys: tuple[Any, ...] = tuple(key for _, key in pairs)
        plan = plans.get((keys, dtype, casting))
        if plan is None:
            plan = plans[keys, dtype, casting] = _make_plan(reference, table, keys, dtype, casting)
        if comparison and any(key is int for key in keys):
            plan, pairs = _by_value(plan, pairs, lambda k: _make_plan(reference, table, k, dtype, casting))
        result = plan.run(*(operand_tensor(v, k, d) for (v, k), d in zip(pairs, plan.inputs, strict=True)))
        return result if where is True else _masked(result, where)

    call.__name__ = call.__qualname__ = api.rpartition(".")[2]
    call.__doc__ = (
        f"``{api}``: elementwise, with NumPy's broadcasting and dtypes. Returns a tensor, or a tuple of them."
    )
    return exact(api, reference)(call)


def _keywords(keywords: dict[str, Any]) -> tuple[Any, Any, str]:
    unknown = set(keywords) - {"out", "where", "casting", "order", "dtype", "subok"}
    if unknown or keywords.get("out") is not None:
        raise Unsupported(f"keywords {sorted(keywords)}")
    dtype = keywords.get("dtype")
    wanted = None if dtype is None else requested_dtype(dtype)
    return keywords.get("where", True), wanted, keywords.get("casting", "same_kind")


def _from_numpy(result: Any) -> Any:
    return tuple(to_tensor(part) for part in result) if isinstance(result, tuple) else to_tensor(result)


def _masked(result: Any, where: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_masked(part, where) for part in result)
    mask = array(where)
    if mask.dtype != tf.bool:
        raise Unsupported(f"where of dtype {mask.dtype}")
    return op("SelectV2")(condition=mask, t=result, e=constant(0, result.dtype))


def _by_value(
    plan: _Plan, pairs: list[tuple[Any, Any]], make: Callable[[tuple[Any, ...]], _Plan]
) -> tuple[_Plan, list[tuple[Any, Any]]]:
    place = next(i for i, (_, key) in enumerate(pairs) if key is int)
    dtype = numpy_dtype(plan.inputs[place])
    value = pairs[place][0]
    if dtype.kind not in "iu" or np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        return plan, pairs
    strong = tf.int64 if np.iinfo(np.int64).min <= value <= np.iinfo(np.int64).max else tf.uint64
    changed = [*pairs]
    changed[place] = (constant(value, strong), strong)
    return make(tuple(key for _, key in changed)), changed
