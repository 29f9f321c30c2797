"""Names that differ between NumPy 1.26 and NumPy 2, as ``dir()`` of both showed.

The catalog knows the union: code that people migrate is full of the old names.
"""

from __future__ import annotations

from typing import Any

#: NumPy 1 names: what they mean in NumPy 2, or None where nothing has the same meaning.
LEGACY: dict[str, str | None] = {
    "numpy.float_": "numpy.float64", "numpy.complex_": "numpy.complex128", "numpy.singlecomplex": "numpy.complex64",
    "numpy.cfloat": "numpy.complex128", "numpy.longfloat": "numpy.longdouble", "numpy.clongfloat": "numpy.clongdouble",
    "numpy.longcomplex": "numpy.clongdouble", "numpy.string_": "numpy.bytes_", "numpy.unicode_": "numpy.str_",
    "numpy.bool8": "numpy.bool", "numpy.int0": "numpy.intp", "numpy.uint0": "numpy.uintp", "numpy.object0":
    "numpy.object_",
    "numpy.str0": "numpy.str_", "numpy.bytes0": "numpy.bytes_", "numpy.void0": "numpy.void",
    "numpy.float": "builtins.float", "numpy.int": "builtins.int", "numpy.complex": "builtins.complex",
    "numpy.object": "builtins.object", "numpy.str": "builtins.str", "numpy.unicode": "builtins.str",
    "numpy.Inf": "numpy.inf", "numpy.Infinity": "numpy.inf", "numpy.infty": "numpy.inf", "numpy.PINF": "numpy.inf",
    "numpy.NINF": None, "numpy.PZERO": None, "numpy.NZERO": None, "numpy.NaN": "numpy.nan", "numpy.NAN": "numpy.nan",
    "numpy.product": "numpy.prod", "numpy.cumproduct": "numpy.cumprod", "numpy.alltrue": "numpy.all",
    "numpy.sometrue": "numpy.any", "numpy.round_": "numpy.round", "numpy.row_stack": "numpy.vstack",
    "numpy.trapz": "numpy.trapezoid", "numpy.mat": "numpy.asmatrix", "numpy.in1d": None, "numpy.msort": None,
    "numpy.asscalar": None, "numpy.asfarray": None, "numpy.find_common_type": None, "numpy.cast": None,
    "numpy.source": None,
    "numpy.lookfor": None, "numpy.who": None, "numpy.fastCopyAndTranspose": None, "numpy.set_numeric_ops": None,
    "numpy.geterrobj": None, "numpy.seterrobj": None, "numpy.compare_chararrays": "numpy.char.compare_chararrays",
    "numpy.disp": None, "numpy.safe_eval": None, "numpy.recfromcsv": None, "numpy.recfromtxt": None,
    "numpy.deprecate": None,
    "numpy.deprecate_with_doc": None, "numpy.byte_bounds": None, "numpy.maximum_sctype": None, "numpy.obj2sctype": None,
    "numpy.sctype2char": None, "numpy.sctypes": None, "numpy.issubsctype": None, "numpy.issubclass_": None,
    "numpy.set_string_function": None, "numpy.add_docstring": None, "numpy.add_newdoc": None,
    "numpy.add_newdoc_ufunc": None,
    "numpy.nbytes": None, "numpy.tracemalloc_domain": None, "numpy.rank": "numpy.ndim", "numpy.rollaxis":
    "numpy.rollaxis",
    "numpy.ComplexWarning": "numpy.exceptions.ComplexWarning", "numpy.AxisError": "numpy.exceptions.AxisError",
    "numpy.VisibleDeprecationWarning": "numpy.exceptions.VisibleDeprecationWarning",
    "numpy.RankWarning": "numpy.exceptions.RankWarning", "numpy.TooHardError": "numpy.exceptions.TooHardError",
    "numpy.DTypePromotionError": "numpy.exceptions.DTypePromotionError",
    "numpy.ModuleDeprecationWarning": "numpy.exceptions.ModuleDeprecationWarning",
    "numpy.random.random_integers": "numpy.random.random_integers",
    "ndarray.newbyteorder": None, "ndarray.itemset": None, "ndarray.ptp": None,
    "ndarray.tostring": "ndarray.tobytes",
    "numpy.ALLOW_THREADS": None, "numpy.BUFSIZE": None, "numpy.CLIP": None, "numpy.DataSource": None,
    "numpy.ERR_CALL": None, "numpy.ERR_DEFAULT": None, "numpy.ERR_IGNORE": None, "numpy.ERR_LOG": None,
    "numpy.ERR_PRINT": None, "numpy.ERR_RAISE": None, "numpy.ERR_WARN": None, "numpy.FLOATING_POINT_SUPPORT": None,
    "numpy.FPE_DIVIDEBYZERO": None, "numpy.FPE_INVALID": None, "numpy.FPE_OVERFLOW": None,
    "numpy.FPE_UNDERFLOW": None, "numpy.MAXDIMS": None, "numpy.MAY_SHARE_BOUNDS": None,
    "numpy.MAY_SHARE_EXACT": None, "numpy.RAISE": None, "numpy.SHIFT_DIVIDEBYZERO": None,
    "numpy.SHIFT_INVALID": None, "numpy.SHIFT_OVERFLOW": None, "numpy.SHIFT_UNDERFLOW": None,
    "numpy.UFUNC_BUFSIZE_DEFAULT": None, "numpy.UFUNC_PYVALS_NAME": None, "numpy.WRAP": None,
    "numpy.chararray": "numpy.char.chararray", "numpy.compat": None, "numpy.format_parser": None,
    "numpy.fft.helper": None, "numpy.linalg.linalg": None,
    "numpy.get_array_wrap": None, "numpy.issctype": None, "numpy.kernel_version": None, "numpy.numarray": None,
    "numpy.oldnumeric": None, "numpy.version": None,
    "numpy.lib.stride_tricks.broadcast_arrays": "numpy.broadcast_arrays",
    "numpy.lib.stride_tricks.broadcast_shapes": "numpy.broadcast_shapes",
    "numpy.lib.stride_tricks.broadcast_to": "numpy.broadcast_to",
}  # fmt: skip

#: Parameters and meaning of legacy names without an equal in NumPy 2 that still occur often, as NumPy 1.26 had them.
LEGACY_FACTS: dict[str, dict[str, Any]] = {
    "numpy.in1d": {
        "kind": "function",
        "parameters": ["ar1", "ar2", "assume_unique=False", "invert=False", "*", "kind=None"],
    },
    "numpy.msort": {"kind": "function", "parameters": ["a"]},
    "numpy.asscalar": {"kind": "function", "parameters": ["a"], "effect": "none", "returns": "python"},
    "numpy.asfarray": {"kind": "function", "parameters": ["a", "dtype=numpy.float64"], "effect": "may-view"},
    "numpy.NINF": {"kind": "constant", "parameters": []},
    **{
        name: {"kind": "constant", "parameters": []}
        for name, meaning in LEGACY.items()
        if meaning is None and name.rpartition(".")[2].isupper()
    },
    **{
        f"numpy.{name}": {"kind": "constant", "parameters": []}  # dicts, tuples and notes of what is gone
        for name in ("cast", "kernel_version", "nbytes", "numarray", "oldnumeric", "sctypes", "tracemalloc_domain")
    },
    "numpy.compat": {"kind": "module"},
    "numpy.fft.helper": {"kind": "module"},
    "numpy.linalg.linalg": {"kind": "module"},
    "numpy.version": {"kind": "module"},  # which NumPy 2 has, but does not list
    "numpy.PZERO": {"kind": "constant", "parameters": []},
    "numpy.NZERO": {"kind": "constant", "parameters": []},
    "ndarray.newbyteorder": {"kind": "method", "parameters": ["new_order='S'", "/"], "effect": "view"},
    "ndarray.itemset": {
        "kind": "method",
        "parameters": ["*args"],
        "effect": "none",
        "mutates": ["self"],
        "returns": "none",
    },
    "ndarray.ptp": {"kind": "method", "parameters": ["axis=None", "out=None", "keepdims=False"], "effect": "fresh"},
}

#: Names that NumPy 1.26 does not have.
SINCE_2 = frozenset(
    """
    ndarray.device ndarray.mT ndarray.to_device numpy.acos numpy.acosh numpy.asin numpy.asinh numpy.astype
    numpy.atan numpy.atan2 numpy.atanh numpy.bitwise_count numpy.bitwise_invert numpy.bitwise_left_shift
    numpy.bitwise_right_shift numpy.bool numpy.concat numpy.cumulative_prod numpy.cumulative_sum numpy.isdtype
    numpy.long numpy.matrix_transpose numpy.matvec numpy.permute_dims numpy.pow numpy.strings numpy.trapezoid
    numpy.ulong numpy.unique_all numpy.unique_counts numpy.unique_inverse numpy.unique_values numpy.unstack
    numpy.vecdot numpy.vecmat numpy.linalg.cross numpy.linalg.diagonal numpy.linalg.matmul numpy.linalg.matrix_norm
    numpy.linalg.matrix_transpose numpy.linalg.outer numpy.linalg.svdvals numpy.linalg.tensordot numpy.linalg.trace
    numpy.linalg.vecdot numpy.linalg.vector_norm numpy.testing.BLAS_SUPPORTS_FPE numpy.testing.IS_64BIT
    numpy.testing.IS_EDITABLE numpy.testing.IS_INSTALLED numpy.testing.NOGIL_BUILD numpy.testing.NUMPY_ROOT
    numpy.testing.check_support_sve numpy.testing.run_threaded
    """.split()
)
