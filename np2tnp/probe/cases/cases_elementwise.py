# ruff: noqa: E501
"""Cases of elementwise functions (see all_cases.py for the notation)."""

TABLE = """
absolute fabs negative positive sign signbit rint floor ceil trunc fix sqrt cbrt square reciprocal exp exp2 expm1 log log2 log10
 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg degrees radians
 conjugate isnan isinf isfinite isneginf isposinf logical_not invert bitwise_count spacing frexp modf
 : v | m | t | z | s | e | em | l | one | m[0, 0]
isneginf isposinf : v | s | m | z | e
real imag conj angle isreal iscomplex sinc nan_to_num real_if_close i0 : v | m | t | z | s | e | em | l
angle : v, True | s, deg=True
nan_to_num : s, nan=1.0 | s, posinf=5.0 | s, neginf=-5.0 | s, copy=False
real_if_close : v, 1e9
round around : v | m | s | z | e | l | v, 1 | l, 2 | l, decimals=3 | l, -1 | v, decimals=-1 | s, 1 | s, decimals=-2 | s, 0
add subtract multiply : v, 300 | v, r | v, w | m, n | m, r2 | c, r2 | z, y | S, U | e, e | l, l2 | v, 2 | 2, v | v, 2.5 | v, 1j | m, y | v, True | m, v | em, em | v, -3
divide floor_divide remainder fmod power float_power divmod : v, r | v, w | m, n | m, r2 | c, r2 | z, y | S, U | e, e | l, l2 | v, 2 | 2, v
 | v, 2.5 | 2.5, v | m, y | m, v | v, 3 | v, -2 | v, 0.1 | v, 0
gcd lcm ldexp : l, l2
logaddexp logaddexp2 @sum : l, l2
maximum minimum fmax fmin arctan2 hypot copysign nextafter heaviside : l, l2
maximum minimum fmax fmin arctan2 hypot copysign nextafter heaviside logaddexp logaddexp2 gcd lcm ldexp : v, w | m, n | m, r2 | c, r2
 | z, y | S, U | e, e | v, 2 | 2, v | v, 2.5 | m, y | m, v | v, 0 | v, -1
ldexp : v, kn | s[:6], kn
maximum minimum arctan2 hypot equal not_equal less greater logical_and bitwise_and left_shift : v, r
logical_and logical_or logical_xor : j, j | j, 2
logical_not where : j
sign reciprocal sinc @inexact : l * l.dtype.type(1e-25) | l * l.dtype.type(1e-200)
reciprocal @float : l / l.dtype.type(30) * l.dtype.type(1e37)
equal not_equal less less_equal greater greater_equal : s, -1 | s, 300
equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor : v, w | m, n | m, r2 | c, r2 | z, y | S, U | e, e
 | l, l2 | v, 2 | 2, v | v, 2.5 | m, v | v, v | v, -1 | v, 300
bitwise_and bitwise_or bitwise_xor left_shift right_shift : v, w | m, n | m, r2 | c, r2 | z, y | S, U | e, e | l, l2 | v, 2 | 2, v | m, v | v, 70 | v, 0 | v, -1
add subtract multiply divide floor_divide remainder maximum arctan2 hypot equal less logical_and : v, w, where=b, out=np.zeros_like(v)
sqrt log exp : v, where=b, out=np.zeros_like(v)
clip : v, 0, 2 | v, 1, 3 | m, -1, 2 | m, r, r2 | v, 3, 1 | v, None, 2 | v, 0, None | s, 0, 1 | v, a_min=0, a_max=2 | v, min=0, max=2 | v, None, None | v, 0.5, 2.5
 | e, 0, 1 | z, 0, 1 | v, -1000, 1000 | v, 0, 300 | s, -1, 1 | v, w, 3 | v, np.nan, 1 | l, 0, 2
where : b, v, w | bm, m, n | b, v, 0 | b, 0, v | bm, m, r2 | b, 1.5, v | br, q, p | b0, v, w | v, v, w | b, z, y | b, v, np.nan | True, z, y | bm, 1.0, 0.0 | bm, 1, 0 | e, e, e
where : b | bm | v | m
where : m > 0, m, 0.0 | m > 0, m, n | v > w, v, w | v > 0, 1.0, v | b, 1.0, np.nan | m[:, :1] > 0, m, n | z > 1, v, w | t > 0, t, t2 | b, v, z | b, np.inf, v
maximum minimum : v, 0.0 | 0.0, v | m, 0.0 | t, t2 | l.reshape(20, 30), l2[:30]
add subtract multiply divide : v, 0.5 | 1.0, v | t, t2 | l.reshape(20, 30), l2[:30]
isclose : v, w | v, v | s, s | S, U | v, w, rtol=0.5 | v, w, atol=2.0 | s, s, equal_nan=True | v, 3.5 | z, y | e, e | l, l + l.dtype.type(0)
allclose : v, w | v, v | s, s | v, w, rtol=10.0 | v, w, atol=20.0 | s, s, equal_nan=True | v, 3.5 | z, z | e, e
array_equal array_equiv : v, v | v, w | m, m | m, v | m, r | s, s | e, e | z, z | z, y | v, [1, 2]
array_equal : s, s, equal_nan=True | v, w, equal_nan=True
isscalar ndim shape size iterable : z | v | m | e | 3 | 2.5 | [1, 2] | 'a'
size : m, 0 | m, 1 | m, axis=-1
isreal iscomplex isrealobj iscomplexobj : v | m | e | z
absolute negative square sqrt reciprocal exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh
 arccosh arctanh conjugate isnan isinf isfinite real imag angle isreal iscomplex nan_to_num @complex : js
add subtract multiply divide power equal not_equal less less_equal greater greater_equal maximum minimum fmax fmin isclose
 logical_and @complex : js[:, None], js | js, 2 | js, 0.5
log log2 log10 @inexact : v * (np.finfo(v.dtype).max / 20)
"""
