# ruff: noqa: E501
"""Cases of the methods of ufuncs, for all ufuncs alike, and of the keywords that whole families share, above all ``out=``
(see all_cases.py for the notation).

What calls store into is in ``case_arrays.OUTPUTS``. Without ``out=`` what ``where=`` leaves out is memory that nobody has
written, so the two come together. ``@wide``: the result has the dtype of what it is stored into, or the cast would show
by which ULP two libraries differ.
"""

BINARY = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power", "float_power", "maximum",
    "minimum", "fmax", "fmin", "arctan2", "hypot", "copysign", "nextafter", "heaviside", "logaddexp", "logaddexp2",
    "gcd", "lcm", "ldexp", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
    "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
)  # fmt: skip
UNARY = (
    "absolute", "fabs", "negative", "positive", "sign", "signbit", "rint", "floor", "ceil", "trunc", "sqrt", "cbrt",
    "square", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin",
    "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "degrees",
    "radians", "conjugate", "isnan", "isinf", "isfinite", "logical_not", "invert", "bitwise_count", "spacing",
)  # fmt: skip
#: NumPy's own of these exists, and raises for every dtype: what it gives cannot be combined again.
_NOT_REPEATED = {"ldexp"}
METHODS = ("reduce", "accumulate", "outer", "reduceat", "at")


def _names(ufuncs: tuple[str, ...], method: str) -> str:
    left_out = _NOT_REPEATED if method in ("reduce", "accumulate", "reduceat") else set()
    return " ".join(f"{name}.{method}" for name in ufuncs if name not in left_out)


_METHODS = f"""
{_names(BINARY, "reduce")} @sum : v | m | m, 1 | t, axis=(0, 2) | m, axis=0, keepdims=True | e | z | m, axis=5 | l3
 | m, axis=None | v, dtype=np.float64 | v, initial=2 | m, axis=0, where=bm, initial=1 | m, where=bm
{_names(BINARY, "accumulate")} @sum : v | m | m, 1 | m, axis=-1 | e | m, axis=5
 | v, dtype=np.float64 | v, 0, float | l3[:40]
{_names(BINARY, "outer")} @sum : v, w | v, 2 | m, v | e, v | S, s | z, y
{_names(BINARY, "reduceat")} @sum : v, [0, 2, 4] | v, [4, 0, 2, 2] | m, [0, 2], axis=1 | m, [0, 1] | v, [0, 99]
 | v, [0, 3], dtype=np.float64 | m, [0, 2], 1, np.float64
{_names(BINARY, "at")} @sum : v, [0, 2, 0], 3 | v, kn, w | m, 1, r | m, (kr, kr), r[:3] | v, b, 2 | v, [99], 1 | v, 2, z
{_names(UNARY, "at")} : v, [0, 2] | m, 1 | v, b | v, [99] | m, (kr, kr)
"""

_KEYWORDS = (
    "dtype=np.float64", "dtype='f4'", "dtype=np.int64", "casting='no'", "casting='unsafe'", "order='C'", "order='F'",
    "subok=False", "where=True", "out=None",
)  # fmt: skip
_STORED = ("out=o[:3]", "dtype=np.float64, out=o", "where=br, out=o", "out=o[1:]")
_WIDE = ("out=od", "out=oi", "out=oc", "where=b, out=od", "where=kn, out=o")


def _calls(operands: str, keywords: tuple[str, ...]) -> str:
    return " | ".join(f"{operands}, {keyword}" for keyword in keywords)


_B, _U = " ".join(BINARY), " ".join(UNARY)
#: What NumPy computes until it meets a negative power stays stored, though it raises: np2tnp stores nothing then.
_STORING = " ".join(name for name in BINARY if name != "power")


def _methods(method: str) -> str:
    return " ".join(f"{name}.{method}" for name in BINARY if name not in ("power", "ldexp"))


TABLE = f"""{_METHODS.rstrip()}
{_B} @classes : {_calls("v, w", _KEYWORDS)}
{_STORING} : v, w, out=o | v, w, o | v, w, out=v | m, r, out=m | v, w, where=b, out=o
{_STORING} @classes : {_calls("v, w", _STORED)} | v, w, signature='dd->d' | r, m, out=r | v[None], w, out=o
 | r, r2, out=om | v, 2, out=v | v[:3], w[:3], out=o[::2] | v, w, where=b, out=v
{_STORING} @wide : {_calls("v, w", _WIDE)}
add subtract multiply maximum @wide : v, w, out=oi, casting='unsafe'
absolute square @wide : v, out=oi, casting='unsafe'
power @inexact : v, w, out=o | v, w, o | m, r, out=m | v, w, where=b, out=o | r, m, out=r
power @inexact : v, w, signature='dd->d'
power : v, 2, out=v | v, kn, out=o | v, kn, where=b, out=v
{_U} : v, out=o | v, o | v, out=v | v, where=b, out=o
{_U} @classes : {_calls("v", _KEYWORDS + _STORED)} | v, signature='d->d' | v[None], out=o | r, out=om | v[:3], out=o[::2] | v, where=b, out=v
{_U} @wide : {_calls("v", _WIDE)}
frexp modf @float : {_calls("v", _KEYWORDS)} | v, where=b, out=(o, od) | v, signature='d->dd'
divmod @classes : {_calls("v, w", _KEYWORDS)} | v, w, signature='dd->dd'
divmod : v, w, o, o2 | v, w, out=(o, o2) | v, w, dtype=np.float64 | v, w, where=b, out=(o, o2)
modf @float : v, o, o2 | v, out=(o, o2)
frexp @float : v, o, oi | v, out=(o, oi)
isneginf isposinf @real : v, ob | v, out=ob | v, out=o
fix @real : v, o | v, out=o
clip : v, 0, 2, o | v, 0, 2, out=v | v, 0, 2, out=od | v, 1, 3, dtype=np.float64 | v, 0, 2, out=o4 | v, 0, 2, where=b, out=o
sum prod nansum nanprod @sum : m, axis=0, out=o4 | m, 1, None, o3 | v, out=oz | m, axis=0, out=od4 | m, axis=0, dtype=np.float64, out=od4 | m, 0, out=o3
 | m, axis=0, keepdims=True, out=om[:1]
mean nanmean std var nanstd nanvar @sum : m, axis=0, out=o4 | m, axis=0, out=od4 | v, out=oz | m, axis=1, out=o4
median nanmedian @sum : m, axis=0, out=o4 | m, axis=0, out=od4
percentile nanpercentile @sum : m, 25, axis=0, out=o4 | m, 25, axis=0, out=od4
quantile nanquantile @sum : m, 0.25, axis=0, out=o4 | m, 0.25, axis=0, out=od4
ptp @number : m, axis=0, out=o4 | m, 1, o3 | m, axis=0, out=od4
max min amax amin nanmax nanmin : m, axis=0, out=o4 | m, 1, o3 | m, axis=0, out=od4 | v, out=oz | m, axis=0, out=o3
all any : m, axis=0, out=ob4 | m, axis=0, out=od4
argmax argmin nanargmax nanargmin : m, axis=0, out=oi4 | m, axis=0, out=od4 | m, 0, o4
cumsum cumprod nancumsum nancumprod @sum : v, out=o | v, out=od | v, 0, None, o | v, out=oi | v, dtype=np.float64, out=od | v, out=v
cumulative_sum cumulative_prod @sum : v, out=o | v, out=od
round around : v, 1, out=o | v, 0, o | v, out=v
round around @float : v, 1, out=od
take : v, kr, out=o3 | v, kr, 0, o3 | v, kr, out=o3, mode='clip' | v, kr, out=o3, mode='wrap'
compress : br, v, out=o[:2] | br, v, None, o[:2]
choose : [0, 1, 0, 1, 0, 1], [v, w], out=o | [0, 1, 0, 1, 0, 1], [v, w], o, 'clip'
trace : q, out=oz
dot @sum : q, p, out=oq | m, r, out=o3 | q, p, oq | q, m, out=om | m, r, out=o4
matmul vecdot matvec vecmat @sum : q, p, out=oq | q, p, out=o3 | q, v[:3], out=o3
outer : v[:3], r, out=om | v[:3], r, om
einsum @sum : 'ij,jk', q, p, out=oq | 'ij->i', m, out=o3
linalg.multi_dot @sum : [q, p], out=oq
fft.fft fft.ifft @complex @fft : v, out=o
fft.fft2 fft.ifft2 fft.fftn fft.ifftn @complex @fft : m, out=om
fft.rfft fft.ihfft @double @fft : v, out=oc4
fft.hfft fft.irfft @complex @fft : v[:4], out=od
fft.rfft2 fft.rfftn @double @fft : m, out=oc33
fft.irfft2 fft.irfftn @complex @fft : q, out=od34
ndarray.clip : v, 0, 2, out=o | v, 0, 2, dtype=np.float64
ndarray.compress : v, br, out=o[:2]
ndarray.all ndarray.any : m, 0, ob4 | m, 0, None, True
ndarray.choose @int : kn % 2, [v, w], out=o
concatenate : (v[:3], w[:3]), out=o | (v[:3], w[:3]), 0, o | (v[:3], w[:3]), out=od
stack : (r, r2, r), out=om | (r, r2, r), 0, om
{_methods("reduce")} @sum : m, axis=0, out=o4
{_methods("accumulate")} @sum : v, out=o
power.reduce @inexact @sum : m, axis=0, out=o4
power.accumulate @inexact @sum : v, out=o
power.reduceat @inexact @sum : v, [0, 2, 4], out=o3
add.reduce multiply.reduce @sum : m, 1, None, o3
add.accumulate multiply.accumulate @sum : v, 0, None, o
{_methods("reduceat")} @sum : v, [0, 2, 4], out=o3
{_methods("outer")} @sum : v[:3], r, out=om
matmul @wide : q, p, signature='dd->d'
vecdot @wide : v, w, signature='dd->d'
matvec @wide : q, q[0], signature='dd->d'
vecmat @wide : q[0], q, signature='dd->d'
"""
