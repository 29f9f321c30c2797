# ruff: noqa: E501
"""Cases of elementwise functions, reductions, statistics, ordering, linear algebra, Fourier transforms, windows and
polynomials; of the methods of ufuncs, for all ufuncs alike; and of the keywords that whole families share, above all
``out=`` (see all_cases.py for the notation).
"""

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
mean nanmean std var average @sum : big
sum mean nansum nanmean @sum : l, dtype=np.float64
sum prod mean nansum nanmean nanprod @sum : v | m | t | z | s | e | m, 0 | m, 1 | m, axis=0 | m, axis=-1 | t, axis=(0, 2) | t, axis=1 | m, axis=0, keepdims=True
 | m, keepdims=True | m, axis=5 | em, axis=0 | em, axis=1 | l | v, dtype=np.float64 | m, axis=0, dtype=np.float64 | v, dtype=np.int32 | v, dtype=np.float32 | m, where=bm
 | m, axis=0, where=bm | v, None | t, axis=() | m, axis=(0, 0) | m, axis=None | v, dtype=float | v, dtype=int
sum nansum @sum : 0 - l3, dtype=np.uint8
sum prod mean std var nansum nanmean @sum : m, axis=1.0 | m, axis=np.int64(0) | t, axis=(0, -1) | t, axis=(0, 1), keepdims=True | m, axis=None, keepdims=True
sum mean std var @sum : l.reshape(20, 30), axis=0 | l.reshape(20, 30), axis=-1 | l.reshape(20, 30)
max min amax amin ptp : m, axis=1.0 | m, axis=np.int64(0) | t, axis=(0, -1) | t, axis=(0, 1), keepdims=True | m, axis=None | l.reshape(20, 30), axis=0
all any : m, axis=1.0 | m, axis=np.int64(0) | t, axis=(0, -1) | m, axis=None
argmax argmin : m, axis=1.0 | m, axis=np.int64(0) | t, axis=1 | m, axis=None
cumsum cumprod @sum : m, axis=1.0 | m, axis=np.int64(0) | t, axis=-1 | m, axis=None
mean @sum @int : l, dtype=np.int32 | l, dtype=int
sum prod nansum nanprod @sum : v, initial=2 | m, axis=0, initial=1.5
std var nanstd nanvar @sum : v | m | t | z | s | e | m, 0 | m, axis=0 | m, axis=-1 | t, axis=(0, 2) | m, axis=0, keepdims=True | m, axis=5 | em, axis=0 | l | v, ddof=1
 | m, axis=1, ddof=2 | l, dtype=np.float64 | m, axis=0, dtype=np.float64 | v, dtype=float | m, where=bm | v, ddof=6 | m, 0, np.float64 | v, mean=v.dtype.type(1) | v, correction=1 | one | one, ddof=1
max min amax amin nanmax nanmin ptp : v | m | t | z | s | e | m, 0 | m, axis=0 | m, axis=-1 | t, axis=(0, 2) | m, axis=0, keepdims=True | m, axis=5 | em, axis=0 | em, axis=1 | l | me, axis=0 | m, keepdims=True | one
max min amax amin nanmax nanmin : v, initial=2 | m, axis=0, initial=3 | m, where=bm, initial=0 | e, initial=1
all any : j | j[1:2] | v | m | t | z | s | e | m, 0 | m, axis=0 | m, axis=-1 | t, axis=(0, 2) | m, axis=0, keepdims=True | m, axis=5 | em, axis=0 | l | m, where=bm | b | bm, axis=1 | m, keepdims=True | [v, v]
argmax argmin nanargmax nanargmin : v | m | t | z | s | e | m, 0 | m, axis=0 | m, axis=-1 | m, axis=0, keepdims=True | m, axis=5 | em, axis=0 | l | d | v, keepdims=True | s[::-1] | em, axis=1 | b
cumsum cumprod nancumsum nancumprod @sum : v | m | t | z | s | e | m, 0 | m, axis=0 | m, axis=-1 | m, axis=5 | em, axis=0 | l3[:40] | v, dtype=np.float64 | m, axis=1, dtype=np.float32 | v, dtype=float
cumulative_sum cumulative_prod @sum : v | m, axis=0 | v, include_initial=True | v, dtype=np.float64 | m
count_nonzero : j | v | m | t | z | s | e | m, 0 | m, axis=0 | m, axis=-1 | t, axis=(0, 2) | m, axis=0, keepdims=True | b | m, keepdims=True
average @sum : v | m | t | e | m, axis=0 | m, axis=-1 | v, weights=v | m, axis=0, weights=c[:, 0] | m, weights=m | v, returned=True | m, axis=0, keepdims=True | v, weights=[1, -1, 0, 0, 0, 0] | t, axis=(0, 1) | m, weights=[1, 2] | s
median nanmedian @sum : v | m | t | z | s | e | m, axis=0 | m, axis=-1 | t, axis=(0, 2) | m, axis=0, keepdims=True | l | v, overwrite_input=True | m, axis=5 | one | d
percentile nanpercentile @sum : v, 30, overwrite_input=True | v, [20, 50], weights=kn, method='inverted_cdf' | v, 30, weights=None | v, 50 | v, [10, 90] | m, 25, axis=0 | m, [25, 75], axis=1, keepdims=True | v, 30, method='lower' | v, 30, method='nearest' | v, 30, method='higher' | v, 30, method='midpoint' | s, 50 | v, 101 | l, [0.5, 99.5] | e, 50 | v, 100 | t, 40, axis=(0, 1) | v, 30, method='hazen'
quantile nanquantile @sum : v, 0.3, overwrite_input=True | v, [0.2, 0.5], weights=kn, method='inverted_cdf' | v, 0.3, weights=None | v, 0.5 | v, [0.1, 0.9] | m, 0.25, axis=0 | m, [0.25, 0.75], axis=1, keepdims=True | v, 0.3, method='lower' | v, 0.3, method='median_unbiased' | s, 0.5 | v, 1.5 | l, [0.005, 0.995]
cov corrcoef @sum : m | v | m, rowvar=False | v, w | m, dtype=np.float64
cov @sum : m, bias=True | m, ddof=0 | m, fweights=[1, 2, 3, 1] | m, aweights=[1.0, 2, 3, 1]
histogram : v | l | v, 4 | v, bins=5, range=(0, 4) | l, density=True | v, bins=[0, 1, 2, 5] | v, weights=w | l, bins='auto' | v, 0 | e | s
histogram_bin_edges : v, weights=w | v, weights=[1.0, 2.0] | v, 4, weights=None | v | l | v, 4 | v, bins=5, range=(0, 4) | v, bins=[0, 1, 2, 5]
histogram2d : v, w | v, w, 4 | v, w, bins=[3, 2] | v, w, range=[[0, 4], [0, 4]] | v, w, density=True | v, w, weights=x
histogramdd : m, 3, density=True | m, 3, range=[(0, 4)] * 4 | m, 3, weights=[1, 2, 3] | m | m, 3 | m, bins=(2, 2, 2, 2)
bincount : kn | k1 | k1, x | k1, weights=v | k1, minlength=9 | ke | k | d | v | d, None, 3
digitize : v, [0, 1, 3] | m, g | v, g | v, [3, 1, 0] | v, [0, 1, 3], right=True | s, [0.0, 1.0] | z, [0, 1]
searchsorted : g, v | g, 2 | g, v, side='right' | g, m | g, v, 'right' | v, v, sorter=np.argsort(v) | g, z | g, np.nan | e, v | g, 2.5
sort @order : v, kind='stable', stable=True | v, order=None | v | m | t | s | e | m, 0 | m, axis=0 | m, axis=None | l | v, kind='stable' | v, kind='mergesort' | v, kind='heapsort' | m, axis=5 | em | z | m, axis=-2 | v, stable=True | m, -1, 'stable' | d
argsort : g, kind='stable', stable=True | g, order=None | v[:1] | g | m, axis=5 | m, kind='stable' | t, axis=1, kind='stable' | s, kind='stable' | e | m, 0, 'stable' | m, axis=None, kind='stable' | d, stable=True | v, kind='mergesort' | d, kind='stable' | z
argsort @order : l3 | d | m | s | m, 0 | m, axis=0 | l | m, axis=None
sort_complex : v | m | e
lexsort : (v, w) | v | m | (d[:6], w) | (v, w), axis=0 | t, 0
partition argpartition @order : v, 2, -1, 'introselect' | m, 1, axis=None, kind='introselect', order=None
partition @order : v, 2 | m, 1 | m, 1, axis=0 | v, (1, 3) | l, 100
argpartition @order : v, 2 | m, 1 | m, 1, axis=0
argwhere nonzero flatnonzero : j | v | m | z | e | b | bm | t | s | em
extract : b, v | bm, m | [1, 0, 1], v | b0, v
compress : [1, 0, 1], m, axis=0 | b, v | [True, False], m, 1 | [1, 0, 1], m | br, m, axis=0 | b, m
unique : v | m | d | s | e | d, return_index=True | d, return_inverse=True | d, return_counts=True | m, axis=0 | d, True, True, True | z | l | s, equal_nan=False | m, return_inverse=True | d, sorted=True
unique_values unique_counts unique_inverse unique_all : v | m | d | e
isin : v, w | m, d | v, [3, 4] | v, w, invert=True | v, w, assume_unique=True | v, e | z, v | s, s | v, w, kind='sort'
intersect1d union1d setdiff1d setxor1d : v, w | d, v | e, v | m, d | s, s
intersect1d : d, v, return_indices=True | g, g, assume_unique=True
setdiff1d setxor1d : v, w, assume_unique=True
diff : v | v[0] | m | t | e | m, 0 | v, 2 | m, n=1, axis=0 | v, prepend=0 | v, append=w | m, axis=5 | v, 0 | v, -1 | z | b | s | l
ediff1d : v | m | v, to_end=[1] | v, to_begin=w | e
gradient @sum : v | m | v, 2.0 | v, x | m, axis=0 | m, 1.0, 2.0 | v, edge_order=2 | t, axis=(0, 1) | one
trapezoid @sum : v | m | v, x | v, dx=0.5 | m, axis=0 | m, dx=2.0, axis=0
interp : g, g, w | xi, x, v | 2.6, x, v | xi, x, v, left=-1.0 | xi, x, v, right=9.0 | xi, x, v, period=5.0 | v, x, x
cross @sum : q, p, axisb=0 | q, p, axisc=0 | s[:3], s[3:6] | s[:2], s[3:6] | q, p | q[0], p[1] | q, p[0] | q[:, :2], p[:, :2] | q, p, axis=0 | q, p, axisa=0 | q[0, :2], p[0] | v[:4], w[:4] | m, n | one, one
convolve correlate @sum : v, w | v, w[:3] | v[:3], w | v, w, 'same' | v, w[:2], mode='valid' | v, w, 'full' | e, v | l, l2[:5] | m, v
unwrap @sum : v | m | l | m, axis=0 | v, discont=4.0 | v, period=5
dot @sum : v, w | m, z | z, m | v, v[0] | v[0], v | z, z | m, v[:4] | q, p | t, r | z, v | v, 2 | m, n | e, e | l, l2 | t, n.T | q, 2.5 | 3, 4
matmul @sum : v, w | m, v[:4] | q, p | t, r | z, v | m, n | e, e | l, l2 | Q, q | q, Q | t, n.T | em, q | q, me | v, 2 | q, p, dtype=np.float64
vdot inner @sum : v, w | q, p | e, e | m, n | l, l2 | z, y | m, r
matmul vecdot matvec vecmat @sum : q, q, casting='no' | q, q, order='C' | q, q, subok=False  | q, q, dtype=np.float64 | q, q, keepdims=True | q, q, axis=0 | q, q, axes=[(-1, -2), (-1, -2), (-1, -2)]
vecdot @sum : q, q, axes=[0, 0, ()] | v, w | m, n | m, r | m, n, axis=0
matvec @sum : q, v[:3] | Q, v[:3]
vecmat @sum : v[:3], q | v[:3], Q
outer : v, w | v, z | m, z | z, z | v[0], w | m, n | z, v | v, 2 | e, v | l3[:9], w
kron : v, w | z, y | q, p | m, v | z, v | t, q
tensordot @sum : q, p | q, p, 1 | q, p, axes=0 | t, m, axes=([1, 2], [0, 1]) | t, t2, 3 | v, w, 1 | t, m, ([2], [1]) | m, n, 1
einsum @sum : 'i,i', v, w | 'ij,jk->ik', q, p | 'ij->ji', m | 'ii', q | 'ij->i', m | 'i,j->ij', v, w | '...ij,jk', t, n.T | 'ij,ij->', m, n | 'ii->i', q | 'bij,jk->bik', Q, q | 'ijk->k', t | 'ij,jk', q, p, optimize=True | 'ij,jk', q, m, dtype=np.float64 | 'ij', m | 'i->', v | m, [0, 1], [1, 0]
dot matmul @sum : l.reshape(20, 30), l2.reshape(30, 20) | t, v[:4] | l.reshape(20, 30), l2[:30] | q, v[:3] | v[:3], q
matmul @sum : Q, Q | Q, v[:3] | l.reshape(2, 10, 30), l2.reshape(2, 30, 10)
outer : l, l2[:9] | v[:3], r
tensordot @sum : l.reshape(20, 30), l2.reshape(30, 20), 1 | t, t2, ([0, 2], [0, 2])
einsum @sum : 'ij,jk->ik', l.reshape(20, 30), l2.reshape(30, 20) | 'ij,kj->ik', m, n | 'ij,j->i', m, r | 'i,ij,j->', v[:3], q, v[:3] | '...i,...i->...', m, n | 'ijk,ikl->ijl', Q, Q | 'ij->j', l.reshape(20, 30)
einsum_path : 'ij,jk', q, p, optimize='greedy' | 'ij,jk', q, p
linalg.inv linalg.pinv @solve : q | Q | sing | m | p | e
linalg.pinv @solve : m, rtol=1e-3 | m, 1e-3 | m, rcond=0.1 | q, hermitian=True
linalg.solve @solve : q, n | q, v[:3] | q, p | Q, Q | sing, v[:2] | m, v | q, m | Q, m
linalg.det linalg.slogdet @solve : q | Q | sing | p | m | q[:0, :0]
linalg.cholesky @solve : q | Q | p | -q | m | q, upper=True
linalg.qr @solve : q | m | m.T | Q | m, 'r' | m, mode='complete'
linalg.svd @solve : q | m | m.T | Q | m, False | m, compute_uv=False | q, hermitian=True
linalg.svdvals linalg.eigvalsh linalg.eigvals @solve : q | Q
linalg.eigh linalg.eig @solve : q | Q | p
linalg.eigvals @solve : p
linalg.eigh linalg.eigvalsh @solve : q, 'U' | q, UPLO='L'
linalg.norm @solve : v | m | q | v, 1 | v, 2 | v, np.inf | v, -np.inf | v, 0 | v, 3 | m, 'fro' | m, 1 | m, 2 | m, np.inf | m, -1 | m, 'nuc' | m, axis=0 | m, axis=1, keepdims=True | t, axis=(1, 2) | v, keepdims=True | m, ord=1, axis=1 | s | e | l | z | m, ord=-2 | t, axis=5
linalg.vector_norm @solve : v | m | m, axis=0 | m, axis=1, keepdims=True | v, ord=1 | v, ord=np.inf
linalg.matrix_norm @solve : m | t | m, ord=1 | m, keepdims=True | m, ord=2
linalg.cond @solve : q | m | q, 1 | q, 'fro' | sing
linalg.matrix_rank @solve : q, rtol=1e-3 | q | m | sing | v | Q | q, 1e-3 | q, hermitian=True
linalg.lstsq @solve : m.T, v[:4] | q, p | m.T, v[:4], None | m, v[:3] | q, v[:3], rcond=1e-6
linalg.matrix_power @sum : q, 2 | q, 3 | q, 0 | q, -1 | Q, 2 | m, 2 | p, 5
linalg.multi_dot @sum : [q, p] | [v, w] | [q, p, q] | [v[:3], q, p]
linalg.tensorsolve @solve : q.reshape(3, 1, 3), v[:3].reshape(3, 1), axes=None | q.reshape(3, 3), v[:3]
linalg.tensorinv @solve : q, 1
linalg.cross @sum : q, p, axis=0 | q, p | q[0], p[1]
linalg.outer : v, w
linalg.matmul @sum : q, p | v, w
linalg.trace @sum : q, dtype=np.float64 | q | Q | q, offset=1
linalg.diagonal : q | Q | m, offset=1
linalg.matrix_transpose : m | t
linalg.vecdot @sum : m, n, axis=0 | v, w | m, n
linalg.tensordot @sum : q, p | q, p, axes=1
fft.fft fft.ifft fft.rfft fft.hfft fft.ihfft fft.irfft @fft : v | m | t | l | v, 4 | v, 9 | m, axis=0 | m, n=3, axis=-1 | v, norm='ortho' | v, norm='forward' | e | one | m, axis=5 | v, None, -1, 'backward' | v, 0 | z | l3
fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn @fft : m | t | q | m, (2, 3) | m, s=(4, 5) | t, axes=(0, 1) | m, norm='ortho' | m, None, (1, 0) | v | t, norm='forward'
fft.fftfreq fft.rfftfreq : 8, device='cpu' | 8 | 7 | 8, 0.1 | 8, d=0.5 | 1 | 8, z | 0
fft.fftshift fft.ifftshift : v | m | t | m, 0 | m, axes=(1,) | m, axes=-1 | e | z
bartlett blackman hamming hanning : 8 | 7 | 1 | 0 | 2 | -1 | k0
kaiser : 8, 14 | 7, 5.0 | 1, 2 | 0, 1 | 8, beta=0
polyfit @solve : x, v, 1, rcond=1e-6 | x, x * x, 2 | x, v, 1 | x, v, deg=2, w=x + 1 | x, v, 1, full=True | x, v, 1, cov=True
polyval @sum : v, w | v, 2 | v, 2.5 | v[:3], m | [1, 2, 3], v | e, v | z, v | [1.5, 2], w
polyadd polysub polymul : v, w | v[:3], w | v, [1] | 2, v
polydiv @solve : v, w[:2] | v, [2.0, 1]
polyint : v, 2, k=[1, 2] | v, k=3
polyder polyint : v | v, 2 | v, m=1 | [1, 2, 3]
poly @solve : [1, 2, 3] | q | e
roots @solve : v | [1, 2, 3.5, 4] | [1.0, -3, 2] | [1, 0, -1] | [0, 0, 1, 2] | e
"""

#: What calls store into is in ``cases_inputs.OUTPUTS``. Without ``out=`` what ``where=`` leaves out is memory that nobody
#: has written, so the two come together. ``@wide``: the result has the dtype of what it is stored into, or the cast would
#: show by which ULP two libraries differ.
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


OF_UFUNCS = f"""{_METHODS.rstrip()}
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
