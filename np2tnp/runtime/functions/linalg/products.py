"""Matrix and vector products that are ufuncs: matmul and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.dispatch import resolve
from np2tnp.runtime.base.errors import Unsupported
from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.base.operands import squeezed
from np2tnp.runtime.base.promotion import constant
from np2tnp.runtime.base.ufunc_tables import op, through, ufunc
from np2tnp.runtime.functions.axes import rank_of

__all__ = ["matmul", "matvec", "vecdot", "vecmat"]


def _product(x: Any, y: Any) -> Any:
    """``x @ y`` of tensors of one dtype that TensorFlow multiplies."""
    left, right = rank_of(x), rank_of(y)
    if left == 0 or right == 0:
        raise Unsupported("matmul of a number")
    a = op("ExpandDims")(input=x, axis=0) if left == 1 else x
    b = op("ExpandDims")(input=y, axis=1) if right == 1 else y
    result = op("MatMul")(a=a, b=b) if a.shape.rank == 2 and b.shape.rank == 2 else op("BatchMatMulV2")(x=a, y=b)
    gone = ([-2] if left == 1 else []) + ([-1] if right == 1 else [])
    return squeezed(result, gone) if gone else result


def _truth_product(x: Any, y: Any) -> Any:
    product = _product(op("Cast")(x=x, DstT=tf.float32), op("Cast")(x=y, DstT=tf.float32))
    return op("NotEqual")(x=product, y=constant(0.0, tf.float32))


def _integer_product(x: Any, y: Any) -> Any:
    if x.dtype in (tf.int32, tf.int64):
        return _product(x, y)
    return through("int64", _product)(x, y)


def _dotted(x: Any, y: Any) -> Any:
    if rank_of(x) == 0 or rank_of(y) == 0 or x.shape[-1] != y.shape[-1] or x.shape[-1] is None:
        raise Unsupported("vectors of these shapes")
    if x.dtype == tf.bool:
        return tf.reduce_any(op("LogicalAnd")(x=x, y=y), -1)
    left = op("Conj")(input=x) if x.dtype.is_complex else x
    return op("Sum")(input=op("Mul")(x=left, y=y), axis=-1)


def _matrix_vector(x: Any, y: Any) -> Any:
    if rank_of(x) < 2 or rank_of(y) < 1:
        raise Unsupported("operands of these shapes")
    return tf.squeeze(_product(x, tf.expand_dims(y, -1)), -1)


def _vector_matrix(x: Any, y: Any) -> Any:
    if rank_of(x) < 1 or rank_of(y) < 2:
        raise Unsupported("operands of these shapes")
    left = op("Conj")(input=x) if x.dtype.is_complex else x
    return tf.squeeze(_product(tf.expand_dims(left, -2), y), -2)


def _since(name: str, table: dict[str, Any]) -> Any:
    """A ufunc that older NumPys lack: there the name does not exist either."""
    if hasattr(np, name):
        return ufunc(f"numpy.{name}", table)

    def missing(*operands: Any, **keywords: Any) -> Any:
        return resolve(f"numpy.{name}")(*operands, **keywords)

    return missing


matmul = ufunc("numpy.matmul", {"?": _truth_product, "iu": _integer_product, "fc": _product})
vecdot = _since("vecdot", {"?iufc": _dotted})
matvec = _since("matvec", {"fc": _matrix_vector})
vecmat = _since("vecmat", {"fc": _vector_matrix})
