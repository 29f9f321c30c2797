# ruff: noqa: E501
"""Cases of reading and storing with every form of index (see cases.py for the notation; ``np.s_[...]`` is the index).

They are no part of the facts: the runtime has one form for all of them, which tests/runtime/test_indexing.py holds to
NumPy, and benchmarks/single_calls.py rewrites each.
"""

NAMES = ("operator.getitem", "operator.setitem")
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
"""
