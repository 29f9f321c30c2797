"""Arrays put together of parts. Under XLA a concatenation is a pass over memory for each part and one for the whole;
where one part is nearly everything (a roll, another row at an end) the others are chosen element by element, which is
fused with what reads the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from np2tnp.runtime.base.lazy_tensorflow import tf
from np2tnp.runtime.compile.xla.materialize import is_costly
from np2tnp.runtime.compile.xla.sliced_reductions import is_large

#: Of how many parts there may be a choice for each element.
_MOST = 3
#: The share of the whole that all parts but one have together, at most.
_SHARE = 1 / 16


def joined(parts: list[Any], axis: int) -> Any:
    """Tensors of one dtype one after another on `axis`, which counts from 0."""
    lengths = [part.shape[axis] for part in parts]
    if len(parts) > _MOST or None in lengths or not any(map(is_large, parts)) or any(map(is_costly, parts)):
        return tf.concat(parts, axis)
    whole = sum(lengths)
    if 0 in lengths or whole - max(lengths) > _SHARE * whole:
        return tf.concat(parts, axis)
    places = np.arange(whole).reshape((-1,) + (1,) * (parts[0].shape.rank - 1 - axis))
    end, result = whole, None
    for part, length in zip(parts[::-1], lengths[::-1], strict=True):
        paddings = [(0, 0)] * part.shape.rank
        paddings[axis] = (end - length, whole - end)
        padded = tf.raw_ops.Pad(input=part, paddings=tf.constant(paddings, tf.int32))
        result = padded if result is None else tf.raw_ops.SelectV2(condition=places < end, t=padded, e=result)
        end -= length
    return result
