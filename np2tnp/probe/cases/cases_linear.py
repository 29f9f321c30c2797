# ruff: noqa: E501
"""Cases of linear algebra, products, Fourier transforms, windows and polynomials (see all_cases.py for the
notation)."""

TABLE = """
dot @sum : v, w | m, v[:4] | q, p | t, r | z, v | v, 2 | m, n | e, e | l, l2 | t, n.T | q, 2.5 | 3, 4
matmul @sum : v, w | m, v[:4] | q, p | t, r | z, v | m, n | e, e | l, l2 | Q, q | q, Q | t, n.T | em, q | q, me | v, 2 | q, p, dtype=np.float64
vdot inner @sum : v, w | q, p | e, e | m, n | l, l2 | z, y | m, r
matmul vecdot matvec vecmat @sum : q, q, casting='no' | q, q, order='C' | q, q, subok=False  | q, q, dtype=np.float64 | q, q, keepdims=True | q, q, axis=0 | q, q, axes=[(-1, -2), (-1, -2), (-1, -2)]
vecdot @sum : q, q, axes=[0, 0, ()] | v, w | m, n | m, r | m, n, axis=0
matvec @sum : q, v[:3] | Q, v[:3]
vecmat @sum : v[:3], q | v[:3], Q
outer : v, w | m, n | z, v | v, 2 | e, v | l3[:9], w
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
