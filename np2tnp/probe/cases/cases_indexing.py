# ruff: noqa: E501
"""Cases of reading and storing with every form of index (see all_cases.py for the notation; ``np.s_[...]`` is the
index).

The objects that are indexed instead of called, such as ``np.r_``, are here, too: their call is ``__getitem__``.
(``np.r_['r', ...]`` makes a matrix: no target is asked for one.)
"""

TABLE = """
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
"""
