# ruff: noqa: E501
"""Cases of reductions, statistics and ordering (see all_cases.py for the notation)."""

TABLE = """
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
diff : v | m | t | e | m, 0 | v, 2 | m, n=1, axis=0 | v, prepend=0 | v, append=w | m, axis=5 | v, 0 | v, -1 | z | b | s | l
ediff1d : v | m | v, to_end=[1] | v, to_begin=w | e
gradient @sum : v | m | v, 2.0 | v, x | m, axis=0 | m, 1.0, 2.0 | v, edge_order=2 | t, axis=(0, 1) | one
trapezoid @sum : v | m | v, x | v, dx=0.5 | m, axis=0 | m, dx=2.0, axis=0
interp : g, g, w | xi, x, v | 2.6, x, v | xi, x, v, left=-1.0 | xi, x, v, right=9.0 | xi, x, v, period=5.0 | v, x, x
cross @sum : q, p, axisb=0 | q, p, axisc=0 | s[:3], s[3:6] | s[:2], s[3:6] | q, p | q[0], p[1] | q, p[0] | q[:, :2], p[:, :2] | q, p, axis=0 | q, p, axisa=0 | q[0, :2], p[0] | v[:4], w[:4] | m, n | one, one
convolve correlate @sum : v, w | v, w[:3] | v[:3], w | v, w, 'same' | v, w[:2], mode='valid' | v, w, 'full' | e, v | l, l2[:5] | m, v
unwrap @sum : v | m | l | m, axis=0 | v, discont=4.0 | v, period=5
"""
