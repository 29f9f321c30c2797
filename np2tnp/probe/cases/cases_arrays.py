# ruff: noqa: E501
"""Cases of creation, shape manipulation and indexing (see all_cases.py for the notation; ``np.s_[...]`` is the index), of
ndarray's own members, dtypes, random numbers, and of what NumPy goes on doing: text, files, bits, dates, iterators.

The objects that are indexed instead of called, such as ``np.r_``, are here, too: their call is ``__getitem__``.
(``np.r_['r', ...]`` makes a matrix: no target is asked for one.)

Where NumPy goes on, arrays come from the migrated part of a function and go back to it: what is tried is that way there
and back.
"""

TABLE = """
zeros ones empty : 3, device='cpu' | 3, order='K' | 3, like=None | 3 | (2, 3) | () | 0 | [2, 2] | (2, 3), v.dtype | 3, dtype=v.dtype | 3, 'f4' | 3, dtype=float | 3, dtype=int | 3, dtype=bool | 3, dtype=np.complex128 | (2, 2), order='F' | (0, 3) | -1 | (k0, 2) | 3, dtype=complex | 3, dtype='int64'
zeros ones empty : 3.0 | np.int64(3) | (np.int64(2), 3) | v.shape | m.shape | (v.size, 2) | m.shape, np.float32 | (2, True)
full : v.shape, 0.0 | m.shape, 0 | 3.0, 7 | np.int64(3), 7 | m.shape, np.inf | (2, 3), z
zeros_like ones_like : m, np.int32 | m, dtype=complex | m, dtype=np.float64 | m, dtype=np.uint8
eye : 3.0 | np.int64(3) | 3, dtype=np.float32 | m.shape[0], m.shape[1]
asarray : m, dtype=int | m, dtype=bool | m, dtype=complex | m, dtype=np.int32 | m, dtype=np.uint8 | e | t
arange : np.int64(5) | 0, np.int64(5) | 5.5 | 2.0, 5.0 | v.size | 1, v.size | 0, 10, 3 | 10, 0, -3 | 0, 1e3, 10 | 1, 20, 4 | 20, 1, -4 | 0, v.size, 2 | -5, 6, 2
full : 3, 7, device='cpu' | 3, 7, order='A' | 3, 7, like=None | 3, z | (2, 3), 7 | (2, 64), 0 - l3[:64], np.uint8 | 3, 2.5 | 3, 7, dtype=v.dtype | (2, 3), r2[:3] | 3, True | 3, 1j | 3, np.nan | 3, 7, np.float32 | (2, 2), 1.5, dtype=float | (2, 2), 7, order='F' | 3, 2, dtype=int
zeros_like ones_like empty_like : v, device='cpu' | v | m | z | e | v, dtype=np.float32 | v, dtype=float | m, order='F' | m, shape=(2, 2) | v, subok=False | v, np.int64 | [1, 2] | v, dtype=int | v, dtype=bool
full_like : v, 2, device='cpu' | v, 2 | m, 7 | z, 1 | v, 2.5 | v, 2.5, dtype=np.float64 | m, 1, shape=(2,) | m, r2 | v, np.nan | v, 2, dtype=float | v, True | v, 300 | v, -1 | m, 1, order='F' | v, 2, subok=False
eye : 3, device='cpu' | 3, order='K' | 3, like=None | 3 | 3, 4 | 3, 4, 1 | 3, k=-1 | 3, dtype=v.dtype | 0 | 3, 3, 7 | 3, M=2 | 3, order='F' | 3, dtype=int | 3, dtype=float
identity : 3, like=None | 3 | 3, v.dtype | 0 | 3, dtype=int | 3, dtype=float
array : v, subok=True | v, like=None | [[1, 2], [3, 4]], ndmax=2 | v | m | z | [1, 2] | [1.0, 2] | [[1, 2], [3, 4]] | [v, w] | [z, y] | v, dtype=np.float32 | v, np.float64 | v, copy=True | v, ndmin=2 | [True, False] | 3 | 2.5 | [] | (1, 2) | [1j, 2] | [v[0], 2] | v, copy=False | m, order='F' | [1, 2], dtype=float | [1.5, 2], dtype=int | [300], dtype=np.uint8 | [-1], dtype=np.uint32 | v, dtype=float | [[1, 2], [3]] | [v[0], 1.5] | [z, 1.5, True] | 'abc' | ['a', 'b'] | [None, 1] | [2**40] | [2**63] | range(4)
asarray asanyarray ascontiguousarray : v | m | z | [1, 2] | [1.0, 2] | [v, w] | v, dtype=np.float32 | v, np.float64 | 3 | 2.5 | [] | m, dtype=float | [1.5, 2], dtype=int | [z, 2.5] | [True, 2]
asanyarray ascontiguousarray asfortranarray : v, like=None
asarray asanyarray : v, device='cpu' | m, order='C' | v, copy=None | v, like=None
asfortranarray : v, dtype=np.float32 | m, float
asarray : m, order='F' | v, copy=True | v, copy=False | m, order='C'
asarray_chkfinite : v, np.float64 | v, dtype='f4', order='C' | s
asfortranarray asarray_chkfinite require : m | v | z
require : m, np.float64 | m, requirements=['C']
copy : v | m | z | e | [1, 2] | m, order='F' | v, subok=True
arange @same : 5, device='cpu' | 5, like=None | 5 | 2, 8 | 2, 8, 2 | 8, 2, -1 | 0 | -3 | 5.0 | 0.0, 1.0, 0.1 | 0, 1, 0.1 | 0.1, 1.1, 0.1 | 1.5 | 5, dtype=np.float32 | 5, dtype=float | 0, 5, 0.5, dtype=int | 5, dtype=np.int32 | np.int32(5) | np.uint8(5) | np.float32(5) | 3, dtype=v.dtype | 0.3, 7.7, 0.7 | 1, 10, 3, np.int64 | 2, 8, dtype=np.float64 | 0, 1, 0.01 | 2**40, 2**40 + 3 | start=1, stop=4 | 3, step=1 | z | 0, z | 1e-3, 1e-2, 1e-3 | k0 | 0, 10, k0
linspace : s[:4], s[-4:], 3 | v, s[:6], 3 | 0, 1, 5, device='cpu' | 0, 1 | 0, 1, 5 | 0, 10, 11 | 1.5, 7.25, 4 | 0, 1, 5, endpoint=False | 0, 1, num=5, retstep=True | 0, 1, 5, dtype=np.float32 | 0, 9, 4, dtype=int | -5, 4, 4, dtype=int | r, r2, 3 | r, r2, 3, axis=np.int64(1) | r, r2, 3, axis=1 | 0, 1, 0 | 0, 1, 1 | 0, 1, -1 | 0, 1j, 5 | z, y, 4 | np.float32(0), np.float32(1), 5 | 0, 1, 50, False | 3, 3, 4 | 0.1, 0.7, 9 | -np.pi, np.pi, 100
logspace : s[:6], 2, 3 | 0, 1 | 0, 3, 4 | 0, 3, num=4, base=2.0 | 0, 3, 4, endpoint=False | 0, 3, 4, dtype=np.float32 | 0, 3, 4, dtype=int | r[:2], 2, 3 | -2, 2, 5 | 0, 1, 3, axis=0
geomspace : [1, 2], [9, 8], 3, axis=1 | 1, 1000 | 1, 1000, 4 | 1, 256, num=9 | 1, 1000, 4, endpoint=False | 1, 1000, 4, dtype=np.float32 | 1, 256, 9, dtype=int | -1, -1000, 4 | 1, 1000, 4, dtype=float | 0, 1
diag : v | z | m | q | q, 1 | v, k=-1 | t | z | m, k=2 | e | v, 1 | m, -1
diagflat : v | m | v, 1 | v, k=-2 | z
tri : 3, like=None | 3 | 0.5 | 2, 2.5 | 3, 4 | 3, 4, 1 | 3, k=-1 | 3, dtype=v.dtype | 3, dtype=int | 3, 4, -1, float
tril triu : q | m | t | m, 1 | m, k=-1 | v | em | q, k=5
vander : v[:4] | v[:4], 3 | v[:4], N=2, increasing=True | [1, 2, 3]
meshgrid : v, w | v | v, w, indexing='ij' | v, w, sparse=True | v, w, copy=False | v, w, r | v[:3], x[:2]
indices : (2, 3) | (2, 3), dtype=np.float64 | (2, 3), sparse=True | (2, 3), np.int32
fromfunction : lambda i, j: i + j, (2, 3), like=None | lambda i, j: i + j, (2, 3) | lambda i, j: i * j, (2, 3), dtype=int
fromiter : (i for i in range(4)), v.dtype | range(4), dtype=float | range(9), float, 3
reshape : v, (2, 3) | v, (2, -1) | m, -1 | m, (4, 3) | m, [2, 6] | v, 6 | m, (5, 5) | m, (2, 6), order='F' | m, (2, 6), 'C' | z, (1, 1) | e, (0, 3) | t, shape=(6, 4) | m, (2, 6), order='A' | m, (2, 6), copy=True | m, (-1, -1) | k, (2, 2) | m, 12 | m, (k0, -1) | one, () | e, (-1, 0) | e, (0, -1) | e3, (0, -1) | me, (-1, 3)
ravel : v | m | t | z | e | m, order='F' | m, 'C' | m, order='K' | [[1, 2], [3, 4]]
transpose : v | m | t | m, (1, 0) | t, (2, 0, 1) | t, axes=(1, 2, 0) | t, [0, 2, 1] | z | m, (0, 0) | m, axes=None | t, (-1, 0, 1) | m, (0, 1, 2)
matrix_transpose : m | t | v
reshape : m, 12.0 | m, (2.0, 6) | m, np.int64(12) | l, (20, 30) | t, (-1, 4) | t, (2, 12) | m.T, -1
roll : v, 1.0 | v, np.int64(2) | m, 1, 1.0 | t, (1, 2), (0, 2) | m, -1, -1 | v, 0
flip : m, None | m, axis=None | t, 1 | m, 1.0
repeat : v, 2.0 | m, 2, axis=None | v, np.int64(2)
expand_dims : m, 0 | m, 2 | t, -2 | m, 1.0 | m, np.int64(1)
squeeze : m, axis=None | a5, axis=-2 | one, 0
concatenate : [v, w, v] | [t, t2], 1 | [t, t2], axis=-1 | (m, n, m), 1 | [m, n], 1.0 | [m, n], np.int64(1) | [t, t2, t], axis=0 | [v, w[:0], v]
stack : [z, z] | [v[0], w[1]] | [v, w, v], 0 | [m, n, m], 2 | [t, t2], axis=1 | [t, t2], axis=-1 | [v, w], 1.0 | [v, w], np.int64(1) | [e, e]
tile : v, 2.0 | v, np.int64(2) | t, (1, 2, 1) | m, (2, 2)
swapaxes : m, 0, 1 | t, 0, -1 | t, axis1=1, axis2=2 | m, 0, 5
moveaxis : t, 0, -1 | t, [0, 1], [1, 2] | t, source=2, destination=0 | t, 5, 0 | v, 0, 1 | m, 0, 3 | z, 0, -1 | z, 0, 0 | m, [0, 0], [0, 1] | m, [0], [0, 1] | e3, -1, 0 | z, [], []
rollaxis : t, 2 | t, 2, 1 | t, axis=1, start=3 | t, 0, 5
squeeze : one | a5 | a5, axis=1 | a5, (1, 3) | m, 0 | m | z | c | c, axis=-1
expand_dims : v, 0 | m, 1 | m, -1 | v, axis=(0, 2) | z, 0 | m, axis=5 | m, axis=[0]
broadcast_to : v, (2, 6) | z, (3,) | c, (3, 4) | r, shape=(3, 4) | v, (5,) | 2, (2, 2) | v, [2, 6] | v, 6 | v, (2, 6), subok=True
broadcast_arrays : c, r, subok=True | c, r | v, z | m, 2 | v, r
broadcast_shapes : (2, 1), (1, 3) | (3,), (2, 3) | (2,), (3,)
atleast_1d atleast_2d atleast_3d : z | v | m | t | 3 | v, z | [1, 2] | e
concatenate : (v, w) | [m, n] | [m, n], 0 | [m, n], axis=1 | [m, n], axis=None | (v, e) | [v, [1.0]] | m | [v, w], dtype=np.float64 | [v, m] | [m, n], axis=-1 | [v, x] | [v, k] | [] | [m, n], axis=5 | [v] | [v, w], casting='no' | [v, w], axis=0, dtype=np.float32 | [v, [1]] | t | [z, y] | [v, [True]]
stack : [z, z] | [v[0], w[1]] | (v, w) | [m, n], axis=1 | [m, n], axis=-1 | [v, w], 1 | m | [z, y] | [v, r] | [v, x] | [v, w], dtype=np.float64 | [] | [v, w], axis=5 | [v, w], casting='same_kind' | [v, [1.0] * 6] | [1, 2] | [z, 1.5]
vstack hstack dstack column_stack : (v, w) | [m, n] | [v] | m | [z, y] | [v, x] | [m, c] | [1, 2] | [v, [1.0] * 6] | [m, r] | t | []
vstack hstack : [v, w], dtype=np.float64 | [v, w], casting='no' | [v, x], dtype=np.float32, casting='unsafe'
block : [v, w] | [[q, p], [p, q]] | [z, v] | [[1, 2], [3, 4]]
append : v, w | m, n | m, n, axis=0 | v, 3 | v, [1, 2] | m, r, 0 | m, n, axis=1 | v, 2.5
split : v, 3 | v, [2, 4] | m, 2, axis=1 | m, 2 | v, 4 | m, [1], 0 | v, [2, 9] | t, 2 | m, indices_or_sections=3 | v, k0
array_split : v, 4 | v, [2, 4] | m, 3, axis=1 | m, 2 | v, 9
hsplit : m, 2 | v, 3 | m, [1, 3]
vsplit : m, 3 | m, [1] | v, 2
dsplit : t, 2 | t, [1, 3] | m, 2
unstack : m | m, axis=1 | v
tile : A=v, reps=2 | A=[1, 2], reps=2 | v, 2 | v, (2, 2) | m, (2, 1) | z, 3 | m, 2 | v, reps=0 | v, (2, 1, 1) | v, [2, 1] | m, () | [1, 2], 2
repeat : v, 2 | m, 2 | m, 2, axis=0 | m, 2, axis=np.int64(1) | m, [1, 2, 0], axis=0 | v, kn | m, repeats=2, axis=-1 | z, 3 | v, 0 | v, [2] | v, -1 | m, 2, 5 | [1, 2], 2 | 3, 4
roll : v, 1 | v, -2 | m, 1 | m, 1, axis=0 | m, (1, 2), axis=(0, 1) | v, 9 | m, shift=-1, axis=1 | m, 1, (0, 1) | z, 1 | e, 1 | m, 1, axis=5 | v, k0 | t, -3, axis=-1 | v, np.int8(2) | m, np.uint8(1), 0 | v, k0.astype(np.int16)
rot90 : m | m, 2 | m, k=-1 | t, 1, (1, 2) | v | m, 5 | m, axes=(1, 0) | m, 1, (0, 0)
flip : v | m | m, 0 | m, axis=-1 | t, axis=(0, 2) | z | m, axis=5 | e
flipud : m | v | t | e
fliplr : m | t | v
pad : v, 2 | m, 1 | v, (1, 2) | m, ((1, 2), (0, 1)) | v, 2, 'constant' | v, 2, mode='constant', constant_values=5 | m, ((1, 0), (0, 2)), 'edge' | v, 3, 'reflect' | v, 3, 'symmetric' | v, 2, 'wrap' | v, 2, 'linear_ramp' | v, 2, 'mean' | v, 2, 'maximum' | m, ((1, 1), (2, 2)), 'reflect' | m, ((1, 1), (2, 2)), 'symmetric' | m, ((1, 1), (2, 2)), 'constant' | v, ((9, 9),), 'reflect' | m, [(1, 1), (2, 2)], 'constant', constant_values=(1, 2) | e, 2 | v, -1 | m, ((1, 1), (2, 2)), constant_values=2.5 | t, 1, 'edge'
insert : v, 1, 5 | v, [1, 3], [7, 8] | m, 1, 5, axis=0 | m, 1, 5 | m, 1, n[:, 0], axis=1 | v, 99, 1 | v, -1, w[:1] | v, slice(1, 3), 9
delete : v, 1 | v, [0, 2] | m, 1 | m, 1, axis=0 | m, [0, -1], axis=1 | v, 99 | v, slice(1, 3) | v, b | v, []
resize : v, 8 | v, (2, 2) | m, (5, 2) | e, 3 | v, 0
trim_zeros : m, axis=0 | v, axis=0 | [0, 0, 1, 2, 0] | v | w | d | g | v, 'f' | v, trim='b' | np.zeros(3)
take : v, [0, 2] | v, [-1] | v, 1 | v, k | m, k | m, [0, 2], axis=0 | m, [1, -1], axis=1 | v, kbad | v, 99 | v, km | v, [9, -9], mode='wrap' | v, [9, -9], mode='clip' | m, 1, 0 | v, 0 | e, [0] | m, [0, 2], 1 | m, k0, axis=1 | t, [0], axis=5 | v, ke | v, [0, 1], mode='raise' | [1, 2, 3], [0, 1]
take_along_axis : v, kn, 0 | m, kc, 0 | m, km[:, :1].repeat(3, 0)[:3], 1 | m, km, axis=None | v, k1, axis=-1 | m, kc, axis=5 | v, kbad, 0 | v, k1.astype(np.uint8), 0 | m, kc.astype(np.int16), 0 | m, kc.astype(np.uint64), 0
choose : kn % 3, [v, w, v] | k0, [z, y, z] | km % 2, [z, y] | kn, [v, w], mode='wrap' | kn, [v, w] | kn, [v, w], mode='clip'
select : [b, b0], [v, w] | [b, ~b], [v, w], 5 | [b], [v], default=2.5 | [bm], [m] | [b, b], [1, 2]
piecewise : v, [b, ~b], [1, 2] | v, [b], [lambda a: a + a, 0] | x, [b, ~b], [lambda a: a * a, lambda a: -a]
apply_along_axis : np.sum, 0, m | lambda a: a[::-1], 1, m
apply_over_axes : np.sum, t, [0, 2]
tril_indices triu_indices : 3 | 3, 1 | 3, k=-1 | 3, 0, 4 | 3, m=2
tril_indices_from triu_indices_from : q | m | m, k=1
diag_indices : 3 | 3, 3 | 3, ndim=1
diag_indices_from : q | p
mask_indices : 3, np.triu, 1 | 3, np.triu
ix_ : [0, 1], [2, 3] | kr, kn | b, kr
unravel_index : 5, (2, 3) | k1, (2, 3) | kr, (3, 4) | kr, shape=(2, 2) | 99, (2, 3) | kr, (3, 4), order='F' | -1, (2, 3)
ravel_multi_index : (kr, kr), (3, 4), order='F' | (kr, kr), (3, 4) | (kr, kr), dims=(3, 4) | ([1], [9]), (3, 4) | ([1], [9]), (3, 4), mode='wrap' | ([1], [9]), (3, 4), 'clip' | (1, 2), (3, 4)
diagonal : m | q | t | m, 1 | m, offset=-1 | t, 0, 1, 2 | t, axis1=0, axis2=2 | v | m, 9
trace @sum : q | m | t | m, 1 | m, offset=-1 | t, 0, 1, 2 | q, dtype=np.float64 | v | t, axis1=0, axis2=2 | m, 9
fill_diagonal : q, 1 | m, 2.5 | q, [1, 2, 3] | m, 1, wrap=True | q, z
put : v, [0, 2], 5 | v, k, [1, 2] | m, [0, -1], w[:2] | v, [9], 1 | v, [9], 1, mode='wrap' | v, [9], 1, mode='clip'
place : v, b, [1, 2] | m, bm, w
putmask : v, b, w | m, bm, 5 | v, b, [1, 2]
put_along_axis : m, kc, 5, 0 | v, kn, w, 0
copyto : v, w | m, r2 | v, 2 | v, 2.5 | v, w, where=b | v, w, casting='unsafe' | v, r
shares_memory may_share_memory : v, w | v, v
nditer ndenumerate : v
ndindex : 2, 3
astype : v, np.float32, device='cpu' | z[()], np.float32 | z, np.float32 | v, np.float32 | v, float | v, np.float64, copy=False | v, int | v, 'i8' | v, bool | v, complex | v, np.uint8
isfortran : m
operator.getitem : v, 2 | v, -1 | v, 99 | v, -7 | v, np.int64(2) | v, np.uint8(2) | v, k0 | v, True | v, False | v, np.True_ | v, None | v, ...
 | v, np.s_[:] | v, np.s_[1:4] | v, np.s_[-3:] | v, np.s_[::2] | v, np.s_[::-1] | v, np.s_[5:1:-2] | v, np.s_[1:99] | v, np.s_[4:2] | v, np.s_[::0]
 | v, [0, 2] | v, [-1, 0] | v, [] | v, k | v, ke | v, km | v, kbad | v, [0, -9] | v, b | v, b0 | v, br | v, [True, False, True, True, False, False]
 | v, k.astype(np.int32) | v, (k % 4).astype(np.uint8) | v, np.s_[2,] | v, np.s_[1:3,] | v, np.s_[None, :] | v, np.s_[..., None] | v, np.s_[..., 1] | v, np.s_[()]
 | v, np.s_[b, None] | v, np.s_[None, [0, 2]] | v, np.s_[0, 0] | v, 1.0 | v, 'a' | v, x
 | m, 1 | m, -4 | m, np.s_[1, 2] | m, np.s_[1, -1] | m, np.s_[-4, 0] | m, np.s_[:, 1] | m, np.s_[1, :] | m, np.s_[::2, ::-1] | m, np.s_[1:, :-1] | m, np.s_[2:0, 1] | m, np.s_[0, 0, 0]
 | m, np.s_[[0, 2], [1, 3]] | m, np.s_[[0, 2],] | m, np.s_[:, [0, 2]] | m, np.s_[[0, 2], :] | m, np.s_[[0, 2], 1] | m, np.s_[1, [0, 2]] | m, np.s_[[0, 1], [0, 1, 2]] | m, [[0, 1], [1, 2]]
 | m, np.s_[kr[:, None], kr] | m, np.ix_(kr, k) | m, np.s_[kr, 1:3] | m, np.s_[1:3, k] | m, np.s_[km, 1] | m, np.s_[k0, k0] | m, np.s_[k0, :] | m, np.s_[kbad, 0]
 | m, bm | m, m > 0 | m, br | m, np.s_[br, 1] | m, np.s_[br, :2] | m, np.s_[:, [True, False, True, True]] | m, np.s_[br, [0, 3]] | m, np.s_[br, [0, 1, 2]] | m, bm[:, :2] | m, np.s_[bm, None] | m, np.s_[True, 1] | m, np.s_[False, ...]
 | m, np.s_[None, 1] | m, np.s_[1, None] | m, np.s_[:, None, :] | m, np.s_[..., 0] | m, np.s_[0, ...] | m, np.s_[..., None, 1] | m, np.s_[..., ...]
 | t, np.s_[0, 1, 2] | t, np.s_[0, :, [1, 3]] | t, np.s_[:, 0, [1, 3]] | t, np.s_[[0, 1], :, [1, 3]] | t, np.s_[[0, 1], [1, 2]] | t, np.s_[..., [1, 3]] | t, np.s_[0, ..., 1] | t, np.s_[0, [1, 2], :]
 | t, np.s_[None, 0, ..., [0, 1]] | t, np.s_[:, kr, None] | t, np.s_[:, :, ::2] | t, np.s_[1:, ::-1, 1:3] | t, np.s_[:, [[0, 1], [2, 0]], 1] | t, t[:, :, 0] > 0 | t, np.s_[1, bm] | t, np.s_[:, br, 1:] | t, np.s_[0, :, :, 0]
 | z, np.s_[()] | z, ... | z, None | z, np.s_[None, ...] | z, 0 | z, np.s_[:]
 | e, np.s_[:] | e, [] | e, 0 | e, np.s_[1:] | em, np.s_[:, 1] | em, 0 | me, 1 | me, np.s_[:, 0] | e, np.zeros(0, bool)
operator.setitem : v, 2, 5 | v, -1, y | v, 99, 1 | v, k0, 2 | v, np.s_[:], 0 | v, np.s_[1:4], w[:3] | v, np.s_[1:4], w | v, np.s_[::-1], w | v, np.s_[::2], 1.5 | v, np.s_[4:2], 1 | v, ..., w | v, np.s_[:], v[::-1] | v, np.s_[1:], v[:-1]
 | v, [0, 2], [7, 8] | v, [0, 0, 1], [1, 2, 3] | v, [], 1 | v, ke, ke | v, k, w[:4] | v, kn, w | v, kbad, 1 | v, km, q[:2, :2] | v, b, 0 | v, b, w[:3] | v, b, w[:2] | v, b0, 3 | v, v > 1, 0 | v, v != v, 0 | v, True, 4 | v, False, 4 | v, None, w
 | v, np.s_[2,], 5 | v, np.s_[..., 1], 5 | v, 1.0, 2 | v, 0, True | v, 0, np.nan | v, 0, 1j | v, 0, 300 | v, 0, -1 | v, 0, [1] | v, 0, [1, 2] | v, 0, w[:1] | v, np.s_[:2], x[:2]
 | m, 1, 5 | m, 1, r | m, np.s_[1, 2], 5 | m, np.s_[:, 1], 0 | m, np.s_[:, 1], c[:, 0] | m, np.s_[:, 1:2], c | m, np.s_[1, :], r | m, np.s_[::2, ::-1], n[:2] | m, np.s_[:], r | m, np.s_[:], c | m, ..., n.T | m, np.s_[0, 0, 0], 1 | m, np.s_[1:, :], m[:-1, :]
 | m, np.s_[[0, 2], [1, 3]], [1, 2] | m, np.s_[:, [0, 2]], 9 | m, np.s_[[0, 2], :], r | m, np.s_[[0, 0], :], n[:2] | m, np.s_[1, [0, 2]], w[:2] | m, np.s_[kr[:, None], kr], q | m, np.ix_(kr, k), n | m, np.s_[kr, 1:3], n[:, :2] | m, np.s_[k0, :], r
 | m, bm, 0 | m, bm, w[:4] | m, m > 0, -1 | m, br, r | m, np.s_[br, 1], 3 | m, np.s_[br, :2], n[:2, :2] | m, np.s_[:, [True, False, True, True]], 1 | m, np.s_[br, [0, 3]], w[:2] | m, bm, r | m, np.s_[None, 1], r | m, np.s_[..., 0], c[:, 0]
 | t, np.s_[0, 1, 2], 5 | t, np.s_[0, :, [1, 3]], q[:2] | t, np.s_[..., [1, 3]], 2 | t, np.s_[[0, 1], :, [1, 3]], q[:2] | t, np.s_[:, kr], m[:1] | t, np.s_[1, bm], w[:4] | t, np.s_[0, ..., 1], r[:3] | t, t[:, :, 0] > 0, 7 | t, np.s_[1:, ::-1, 1:3], 1
 | z, np.s_[()], 5 | z, ..., y | z, 0, 1 | e, np.s_[:], 1 | e, 0, 1 | e, np.s_[:], e | em, np.s_[:, 1], 1 | me, 1, 3
r_ : np.s_[v, w] | v | np.s_[v, 1] | np.s_[0, v, -1] | np.s_[v, 0.5] | np.s_[v, 1j] | np.s_[v, True] | np.s_[300, v] | np.s_[-1, v] | np.s_[s, -0.0] | np.s_[s, S[:, 0]] | np.s_[js, v]
 | np.s_[v, 0:4] | np.s_[0:3, v] | np.s_[v, 1:5:2] | np.s_[v, 5:0:-2] | np.s_[v, 0:0] | np.s_[v, :3] | np.s_[v, 0.0:1.0:0.25] | np.s_[v, -1:1:5j] | np.s_[v, 0:1:0j] | np.s_[z:9]
 | np.s_[v, k] | np.s_[v, x] | np.s_[v, b] | np.s_[v, k.astype(np.uint8)] | np.s_[v, x.astype(np.float32)] | np.s_[v, [1, 2]] | np.s_[v, [0.5]] | np.s_[v, (1, 2)] | np.s_[v, []] | np.s_[[v[0], v[1]], w] | np.s_[np.int8(1), v] | np.s_[v, np.float32(0.1)]
 | z | np.s_[z, y] | np.s_[z, v] | np.s_[z, 1] | e | np.s_[e, v] | np.s_[e, e] | one | np.s_[v, w, v, w] | np.s_[l, l2] | np.s_[v[::-1], v[::2]]
 | np.s_[m, n] | np.s_[m, m[:1]] | np.s_[m, em.T[:0]] | np.s_[t, t2] | np.s_[m, v] | np.s_[m, q] | np.s_[m, 1] | np.s_[m, z] | np.s_[t, m] | np.s_[v, None] | np.s_[v, 'a'] | np.s_['a', v]
 | np.s_['0', m, n] | np.s_['1', m, n] | np.s_['-1', m, m] | np.s_['0,2', v, w] | np.s_['1,2', v, w] | np.s_['0,2', v, 1:7] | np.s_['0,2,0', v, w] | np.s_['1,2,0', v, w] | np.s_['2,3', v, w] | np.s_['x', v]
 | np.s_[1:4] | np.s_[1:4, 0, 9] | np.s_[1, 2, 3] | np.s_[1, 2.5] | np.s_[1, 2j] | np.s_[True, False] | np.s_[0:1:5j] | np.s_[-1:1:3j, 0, 7] | np.s_[[1, 2], [3]] | np.s_[1:2:0] | np.s_[:] | 5 | 2.5 | np.s_[()] | np.s_['0,2', 1:3, 3:5]
c_ : np.s_[v, w] | v | np.s_[v, w, v] | np.s_[v, 1:7] | np.s_[v, 0:1:6j] | np.s_[0:6, v] | np.s_[v, k1] | np.s_[v, x] | np.s_[v, b] | np.s_[v, x.astype(np.float32)] | np.s_[v, [1, 2, 3, 4, 5, 6]] | np.s_[v, v[:3]] | np.s_[s, s[::-1]] | np.s_[js, js]
 | m | np.s_[m, n] | np.s_[m, c] | np.s_[m, m[:, 0]] | np.s_[np.ones(3), m] | np.s_[m, 1] | np.s_[m, r] | np.s_[m, 0:3] | np.s_[m, q] | np.s_[t, t2] | np.s_[t, m] | np.s_[z, y] | np.s_[z, 1] | np.s_[one, 2, 0.5] | np.s_[one, 300]
 | e | np.s_[e, e] | np.s_[e, v] | em | np.s_[me, me] | np.s_[l, l2] | np.s_[v, None] | np.s_['0', m, n] | np.s_['-1,2', v, w] | np.s_[1, 2, 3] | np.s_[[1, 2], [3, 4]] | np.s_[1:4] | np.s_[1:4, 4:7] | np.s_[()] | 5
mgrid : np.s_[0:3] | np.s_[0:3, 1:4] | np.s_[:3, :2, :2] | np.s_[5:0:-2] | np.s_[0:0] | np.s_[0:3, 0:0] | np.s_[0:2.5:0.5] | np.s_[0:1:5j] | np.s_[0:1:5j, 0:3] | np.s_[-1:1:3j, -1:1:4j] | np.s_[0:3:1j] | np.s_[0:1:0j] | np.s_[1.5:4] | np.s_[0:4:True] | np.s_[0:4:0]
 | np.s_[-3:3, 2:-2:-1] | np.s_[np.float32(0):1:3j] | np.s_[np.int8(0):5] | np.s_[0:np.float32(2):0.5, 0:2] | np.s_[0:2**40:2**39] | np.s_[3:1] | np.s_[0:3j] | np.s_[()] | np.s_[:] | 3 | 'a' | np.s_[0:3, 1] | [0, 1] | None
 | np.s_[0:z] | np.s_[z:9] | np.s_[0:z, 0:y] | np.s_[0:z:3j] | np.s_[0:y:3j, 0:2] | np.s_[0:v] | np.s_[:v.size] | np.s_[:m.shape[0], :m.shape[1]] | v
ogrid : np.s_[0:3] | np.s_[0:3, 1:4] | np.s_[:3, :2, :2] | np.s_[5:0:-2, 0:2] | np.s_[0:0] | np.s_[0:3, 0:0] | np.s_[0:1:5j] | np.s_[0:1:5j, 0:3] | np.s_[-1:1:3j, -1:1:4j] | np.s_[0:3:1j, 0:2] | np.s_[1.5:4] | np.s_[0:4:0]
 | np.s_[-3:3, 2:-2:-1] | np.s_[np.float32(0):1:3j] | np.s_[np.int8(0):5, 0:2] | np.s_[3:1] | np.s_[0:3j] | np.s_[()] | np.s_[:] | 3 | 'a' | [0, 1] | None
 | np.s_[0:z] | np.s_[z:9] | np.s_[0:z, 0:y] | np.s_[0:y:3j, 0:2] | np.s_[0:v] | np.s_[:v.size] | np.s_[:m.shape[0], :m.shape[1]] | v
s_ index_exp : np.s_[1:4] | np.s_[v, 1:4] | np.s_[..., None] | v | 3 | np.s_[1, 2] | np.s_[::-1] | np.s_[()] | z | np.s_[b, 1]
ndarray.astype : v, np.float32 | s, np.uint8 | s, np.int8 | s, np.int16 | s, np.uint16 | s, np.int32 | s, np.int64 | s, np.uint64 | s, np.float32 | s, np.complex128 | s, bool | v, np.float64, order='C' | v, float | v, np.float64, copy=False | v, int | v, 'i8' | v, bool | v, complex | m, np.uint8 | v, dtype=np.int32 | v, 'd' | v, v.dtype | v, np.float64, 'C' | v, np.float64, casting='unsafe' | v, np.float32, casting='no' | s, np.float64 | v, str | v, np.int64 | z, np.float32 | v, np.float64, 'K', 'unsafe', False
ndarray.reshape : v, (2, 3), copy=True | m, (2, 6), order='C' | v, 2, 3 | v, (2, 3) | v, -1 | m, -1, 2 | m, (4, 3), order='F' | z, 1, 1 | m, 5, 5 | m, [2, 6] | v, (2, -1) | one, () | e, (-1, 0) | e3, 0, -1 | e, (0, 3) | me, -1, 3 | e, 0 | t, (2, -1)
ndarray.transpose : m | t | t, 2, 0, 1 | t, (2, 0, 1) | m, 1, 0 | v | m, None
ndarray.flatten : v | m | z | m, 'F' | m, order='C' | e
ndarray.ravel : v | m | z | m, 'F' | m, order='K' | e
ndarray.fill : v, 0 | m, 2.5 | v, z | v, True
ndarray.sort @order : v, stable=True | m, axis=0, order=None | v | m | m, 0 | s | m, axis=1 | v, kind='stable' | e | m, axis=None
ndarray.partition @order : v, 2, kind='introselect' | v, 2 | m, 1, axis=0
ndarray.item : z | one | v, 2 | m, 1, 2 | m, (1, 2) | v, -1 | v, 99 | v
ndarray.tolist : v | m | z | e | t
ndarray.tobytes : m, 'F' | m, order='C'
ndarray.tobytes ndarray.dumps : v
ndarray.clip : v, 0 | z, 0, 2 | m, 2 | v, 0, 2 | v, 3, 1 | v, min=0 | v, max=1 | v, None, 2 | s, 0, 1 | v, -1000, 1000 | m, r, r2 | v, 0, 300
ndarray.view : v | v, np.int8 | v, None | v, dtype=v.dtype | m, np.ndarray
ndarray.round : v | v, 1 | l, decimals=2 | l, -1
ndarray.std ndarray.var @sum : m, where=bm | m, 1, None, None, 1 | v | m, 0 | m, axis=1, ddof=1 | m, axis=0, keepdims=True | v, ddof=1 | m, 0, np.float64
ndarray.argsort : v[:1] | m, kind='stable' | m, 0, 'stable' | g
ndarray.argsort @order : d | s | l3
ndarray.dot @sum : v, w | m, z | v, v[0] | q, p | m, r | v, 2
ndarray.copy : v | m | z | m, 'F'
ndarray.put : v, [9], 1, mode='wrap' | v, [0, -9], 1, mode='clip' | v, [9], 1 | v, [0, 2], 5 | m, k, [1, 2]
ndarray.resize : v, 8, refcheck=False | m, (2, 2), refcheck=False | m, 2, 2, refcheck=False
ndarray.swapaxes : m, 0, 1 | t, 0, 2
ndarray.squeeze : one | a5 | a5, 1 | a5, axis=(1, 3) | m
ndarray.repeat : v, 2 | m, 2, 0 | m, 2, axis=1 | m, [1, 2, 0], axis=0
ndarray.take : v, [0, 2] | v, [-1] | m, [0, 1], axis=1 | m, 1, 0 | v, 99 | m, [0, 1], 0
ndarray.compress : v, [1, 0, 1] | m, [True, False], axis=1
ndarray.choose : km % 2, [z, y] | k0, [z, y, z] | km % 2, z, y | kn % 2, v, w | kn % 2, (v, w) | kn, v, w, mode='clip' | kn, v, w, v
ndarray.diagonal : m | q, 1 | t, axis1=1, axis2=2
ndarray.trace @sum : q | q, 1 | q, dtype=np.float64
ndarray.searchsorted : v, v, sorter=np.argsort(v) | g, v | g, 2 | g, v, 'right' | g, v, side='left'
ndarray.byteswap : v | v, True | v, inplace=False
ndarray.setflags : v, write=True
ndarray.setfield : v, 0, v.dtype | v, 2, v.dtype, 0 | v, 0, v.dtype, offset=99
ndarray.getfield : z, z.dtype | v, v.dtype | m, np.int8 | m, np.int8, 0
ndarray.dump ndarray.tofile : v, '/dev/null' | m, '/dev/null'
ndarray.conj ndarray.conjugate : v | m | z | s
ndarray.nonzero : v | m | b
ndarray.sum @sum : 0 - l3, dtype=np.uint8
ndarray.sum ndarray.prod ndarray.mean @sum : v | m, 0 | m, axis=1 | m, axis=0, keepdims=True | s | e | v, dtype=np.float64 | t, axis=(0, 2) | m, where=bm | v, None, float | l
ndarray.max ndarray.min : v | m, 0 | m, axis=1 | m, axis=0, keepdims=True | s | e | t, axis=(0, 2) | v, initial=2 | z
ndarray.all ndarray.any : j | v | m, 0 | m, axis=1 | s | e | t, axis=(0, 2) | b | m, axis=0, keepdims=True
ndarray.argmax ndarray.argmin : v | m, 0 | m, axis=1 | s | e | d | l | m, axis=0, keepdims=True
ndarray.cumsum ndarray.cumprod @sum : v | m, 0 | m, axis=1 | s | e | v, dtype=np.float64
ndarray.argpartition @order : m, 1, axis=0 | m, 1, axis=-1, kind='introselect' | v, 2
ndarray.to_device : v, 'cpu'
operator.add operator.sub operator.mul operator.truediv operator.floordiv operator.mod operator.pow operator.and_ operator.or_ operator.xor operator.lshift operator.rshift operator.eq operator.ne operator.lt operator.le operator.gt operator.ge
 : v, w | m, n | z, y | S, U | v, 2 | v, 2.5 | m, r2 | 2, v | 2.5, v | v, 1j | v, True | v, -1 | v, q | e, w[:1] | l, l2 | c, r2
operator.iadd operator.isub operator.imul operator.itruediv operator.ifloordiv operator.imod operator.ipow operator.iand operator.ior operator.ixor operator.ilshift operator.irshift
 : v, w | m, n | q, p | v, 2 | v, 2.5 | v, 1j | v, True | v, -1 | v, q | m, r2 | r, m | s, s[::-1] | e, w[:1] | v, x
operator.matmul @sum : q, p | v, w | m, n.T | m, r | t, q[:2, :2] | t, m.T | l, l2 | Q, p | m, n | z, y | v, 2 | e, e | em, p | S, U
operator.imatmul @sum : q, p | m, np.ones((4, 4)) | v, w | m, n | v, 2 | t, np.eye(4) | Q, p
operator.neg operator.pos operator.abs operator.invert : v | m | z | s | e | l | js
operator.contains : v, 3 | v, v[0] | v, 2.5 | m, 0.5 | m, np.nan | s, np.nan | s, 0 | e, 1 | z, 2.5 | v, 1j | v, w | v, [1, 2] | m, r | v, 'a' | v, None
operator.index : v | z | one | e | m
ndarray.__divmod__ @real : v, w | m, n | z, y | S, U | v, 2 | v, 2.5 | m, r2 | 7, w | v, -2 | v, 0 | v, q
ndarray.__len__ : v | m | e | me | z | one
ndarray.__iter__ : v | m | e | me | z | one | t
ndarray.__bool__ : v | z | one | one - one | e | m | v[:1] | m[:1, :1]
ndarray.__int__ ndarray.__float__ ndarray.__complex__ : z | one | v[:1] | v[0] | v | e | m | m[:1, :1]
can_cast : v.dtype, np.float64 | 'i4', 'i8' | np.float64, np.int32, casting='unsafe'
promote_types : v.dtype, np.float32 | 'i4', 'f4'
result_type : v, w | v, 2 | v, 2.5 | v.dtype, np.float32 | v, x
min_scalar_type : 3 | 2.5 | z
common_type : v, w | v, x
issubdtype : v.dtype, np.floating | np.int32, np.integer
isdtype : v.dtype, 'integral'
finfo iinfo : v.dtype
dtype : 'f4' | float
mintypecode : ['d', 'f']
typename : 'd'
array2string array_repr array_str : v | m | z
array2string : v, precision=2
format_float_positional format_float_scientific : 2.5 | z
base_repr binary_repr : 5 | 10, 3
get_printoptions geterr getbufsize geterrcall : ()
iterable : v | 3
vectorize : lambda a: a
linalg.LinAlgError : 'x'
lib.stride_tricks.sliding_window_view : v, 3, writeable=False | v, 3, subok=False | v, 3 | m, (2, 2) | m, 2, axis=0
lib.stride_tricks.as_strided : v, (2, 2), (8, 8), writeable=False | v, (2, 2), (8, 8), subok=False | v, (2, 2), (8, 8)
testing.assert_allclose testing.assert_array_equal testing.assert_equal testing.assert_array_almost_equal testing.assert_almost_equal : v, v | v, w
testing.assert_array_less : x, x + 1 | g, g + g.dtype.type(1)
ndarray.T ndarray.mT ndarray.real ndarray.imag ndarray.flat ndarray.shape ndarray.size ndarray.ndim ndarray.dtype ndarray.itemsize ndarray.nbytes ndarray.strides ndarray.flags ndarray.base ndarray.data ndarray.ctypes ndarray.device : v | m | t | z | e
random.rand : () | 3 | 2, 3
random.randn random.random_sample random.standard_normal random.random random.ranf random.sample random.standard_cauchy random.standard_exponential : () | 3
random.uniform random.normal random.laplace random.logistic random.gumbel random.lognormal : () | 0.0, 1.0 | 0.0, 1.0, 3 | 0, 1, size=(2, 2) | x
random.randint : 5 | 0, 5 | 0, 5, 3 | 5, size=(2, 2) | 5, dtype=np.int32 | 0, 5, 3, np.uint8
random.random_integers : 2, 5 | 2, 5, size=3 | 5
random.choice : 5 | 5, 3 | v | v, 2 | v, 3, False | 5, 3, p=[0.2] * 5
random.permutation : 5 | v | m
random.shuffle : v | m
random.seed : 3
random.exponential random.poisson random.rayleigh random.chisquare random.standard_gamma random.pareto random.weibull random.power random.geometric random.logseries random.standard_t
 : 0.5 | 0.5, 3 | x / 10 + 0.1
random.zipf : 2.5 | 2.5, 3
random.binomial random.negative_binomial : 5, 0.5 | 5, 0.5, 3
random.beta random.gamma random.f random.wald random.vonmises : 1.0, 2.0 | 1.0, 2.0, 3
random.dirichlet : [1.0, 2.0] | [1.0, 2.0], 3
random.multinomial : 5, [0.5, 0.5], size=3 | 5, [0.5, 0.5]
random.multivariate_normal : [0.0, 1.0], [[1.0, 0], [0, 1]] | [0.0, 1.0], [[1.0, 0], [0, 1]], 3
random.triangular : 0, 1, 2 | 0, 1, 2, 3
random.hypergeometric : 5, 5, 3 | 5, 5, 3, 2
random.Generator.integers : 5 | 0, 5 | 0, 5, 3 | 5, size=(2, 2) | 5, dtype=np.int32 | 0, 5, 3, np.uint8 | 5, endpoint=True
random.Generator.random random.Generator.standard_normal random.Generator.standard_exponential : () | 3 | (2, 2) | 3, np.float32 | 3, dtype=np.float64
random.Generator.permutation random.Generator.shuffle : m, axis=1 | m, 1
random.Generator.standard_exponential : 3, method='inv'
random.Generator.standard_gamma : 2.0, 3, np.float32
random.Generator.permuted : v | m | m, axis=0
random.Generator.choice : m | m, 2, axis=1 | v, 3, shuffle=False
random.Generator.spawn : 2
random.bytes : 4
random.get_state : ()
random.default_rng : 3 | ()
array2string : v, 40 | v, max_line_width=20 | v, suppress_small=True | v, separator=', ' | v, prefix='x: ', suffix=';' | l, threshold=5, edgeitems=2 | v, sign='+' | v, floatmode='fixed' | v, legacy='1.25' | v, formatter={'all': repr}
array_repr array_str : v, 20 | v, max_line_width=20 | v, precision=2 | v, suppress_small=True
base_repr : 10, base=3 | 10, 3, padding=4 | 10, 3, 4
binary_repr : 5, width=8 | -3, 8
format_float_positional @float : z, precision=1 | z, precision=3, unique=False | z, unique=True, fractional=False, precision=1 | z, trim='-' | z, sign=True | z, pad_left=4, pad_right=4 | z, min_digits=3
format_float_scientific @float : z, precision=1 | z, precision=3, unique=False | z, trim='-' | z, sign=True, pad_left=4 | z, exp_digits=3 | z, min_digits=3
mintypecode : ['d', 'f'], typeset='GDFgdf' | ['i'], default='f'
packbits : b | bm | bm, axis=1 | bm, 0 | b, bitorder='little' | kn | z
packbits @int : d
unpackbits : np.packbits(b) | np.packbits(bm, axis=1), axis=1 | np.packbits(b), count=6 | np.packbits(b), None, 6, 'little' | np.packbits(b), bitorder='little' | v
frombuffer : v, v.dtype | v.data, v.dtype | v.tobytes(), v.dtype | v.tobytes(), dtype=v.dtype, count=2 | v.tobytes(), v.dtype, 2, v.itemsize | v.tobytes(), v.dtype, offset=v.itemsize | v.tobytes(), v.dtype, like=None
fromstring : '1 2 3', sep=' ' | '1 2 3', int, 2, ' ' | '1 2 3', 'f4', sep=' ' | '1,2', dtype=int, sep=',' | '1 2 3', float, 2, ' ' | '1 2 3', count=2, sep=' ' | '1 2', sep=' ', like=None
fromiter : range(3), float, like=None | iter(v), v.dtype | (x for x in v), v.dtype, v.size
loadtxt : ['1 2', '3 4'] | ['1,2', '3,4'], delimiter=',' | ['1 2', '3 4'], int | ['1 2', '3 4'], dtype=np.float32, usecols=(1,) | ['a', '1 2'], skiprows=1 | ['1 2', '3 4'], unpack=True | ['1 2'], ndmin=2 | ['% 1', '2'], comments='%' | ['1 2', '3 4'], max_rows=1 | ['1 2'], converters=float | ['1 2'], encoding=None, quotechar='"'
genfromtxt : ['1 2', '3 4'] | ['1,2', ',4'], delimiter=',' | ['1,2', ',4'], delimiter=',', filling_values=9 | ['1 2', '3 4'], usecols=(1,) | ['a', '1 2'], skip_header=1 | ['1 2', 'b'], skip_footer=1 | ['1 2', '3 4'], unpack=True | ['1 2'], ndmin=2 | ['1 2', '3 4'], max_rows=1 | ['1 N'], missing_values='N' | ['1 x'], invalid_raise=False | ['1 2'], dtype=int, encoding=None, comments=None
savetxt : '/dev/null', m | '/dev/null', m, '%g' | '/dev/null', m, fmt='%.2e', delimiter=',', newline=';', header='h', footer='f', comments='%', encoding='latin1'
save : '/dev/null', m | '/dev/null', m, allow_pickle=False
isnat : np.array(['NaT', '2020-01-01'], 'M8[D]') | v
busday_count : '2020-01-01', '2020-02-01' | '2020-01-01', '2020-02-01', weekmask='1111110' | '2020-01-01', '2020-02-01', holidays=['2020-01-06']
busday_offset : '2020-01-01', 3 | '2020-01-04', 3, roll='forward' | '2020-01-04', k, 'backward', weekmask='1111110'
is_busday : '2020-01-01' | ['2020-01-04', '2020-01-06'], weekmask='1111111'
datetime_data : 'M8[3D]'
datetime_as_string : np.datetime64('2020-01-01') | np.datetime64('2020-01-01T10'), unit='m' | np.datetime64('2020-01-01T10'), timezone='UTC', casting='unsafe'
poly1d : [1, 2, 3] | v | v[:3], True | v[:3], variable='z' | v[:3], r=True
may_share_memory shares_memory : v, v[1:] | v, w | v, v, max_work=1
nditer : m | m, ['multi_index'] | m, flags=['c_index'] | m, op_flags=[['readonly']] | m, order='F' | m, casting='no' | [m, n] | m, op_dtypes=[m.dtype] | r, op_axes=[[-1, 0]], itershape=(2, 4) | m, flags=['buffered'], buffersize=4
nested_iters : m, [[0], [1]] | m, [[0], [1]], flags=['multi_index'] | m, [[1], [0]], op_flags=[['readonly']], order='C', casting='no', buffersize=0
vectorize : lambda a: a, otypes='d' | lambda a: a, otypes=[float], doc='what', cache=True | lambda a, b: a, excluded={1} | lambda a: a, signature='(n)->(n)'
frompyfunc : lambda a, b: a, 2, 1 | lambda a: a, 1, 1, identity=0
dtype : 'f4', align=True | float, False, True | 'f4', copy=True
ndarray.partition ndarray.argpartition @order : v, 2, order=None
ndarray.setflags : v, align=True | v, write=True, uic=False
ndarray.tofile : v, '/dev/null', sep=',', format='%s' | v, '/dev/null', ','
random.multivariate_normal : [0.0, 1.0], [[1.0, 0], [0, 1]], check_valid='ignore', tol=1e-6 | [0.0, 1.0], [[1.0, 2], [2, 1]], check_valid='raise'
random.noncentral_chisquare : 3, 1.0 | 3, 1.0, 4 | x + 1, 1.0
random.noncentral_f : 3, 4, 1.0 | 3, 4, 1.0, 2
random.get_state : legacy=False
random.set_state : np.random.RandomState(3).get_state()
random.RandomState.tomaxint : () | 3
random.Generator.multivariate_normal : [0.0, 1.0], [[1.0, 0], [0, 1]], method='cholesky' | [0.0, 1.0], [[1.0, 0], [0, 1]], 3, 'ignore', 1e-6, method='eigh'
random.Generator.multivariate_hypergeometric : [3, 4, 5], 4 | [3, 4, 5], 4, 2 | [3, 4, 5], 4, size=2, method='count'
random.Generator.random random.Generator.standard_normal random.Generator.standard_exponential : out=od
random.Generator.random random.Generator.standard_normal : (6,), np.float64, od
random.Generator.standard_gamma : 2.0, out=od
random.Generator.permuted : x, out=od | m, axis=1, out=om
"""
