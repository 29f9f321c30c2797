"""Things that people write around arrays, as templates: what is hard to follow for who reads the program alone.

In a template ``A`` and ``B`` are arrays of one shape, ``N`` is a number and ``#`` a number that makes names new.
"""

# ruff: noqa: E501 - tables
from __future__ import annotations

#: What a template's name holds afterwards: an array like A, a row of A, A without its first row, or a number.
LIKE, ROW, TAIL, NUMBER = "like", "row", "tail", "number"

#: One template: its lines, and the names that they leave bound.
Idiom = tuple[tuple[str, ...], dict[str, str]]


def _plain(*lines: str) -> list[Idiom]:
    return [(tuple(line.split("\n")), {}) for line in lines]


LOOPS = [
    *_plain(
        "for w# in [A, B]:\n    w# += N",
        "for w# in (A, B):\n    w#[0] = N",
        "for k#, w# in enumerate([A, B]):\n    w# *= k#",
        "for w#, z# in zip([A, B], [B, A]):\n    w#[...] = z# + 1",
        "for k#, w# in {'a': A, 'b': B}.items():\n    w#[0] = N",
        "for r# in A:\n    r#[...] = N",
        "for r#, s# in zip(A, B):\n    print(r#.sum() - s#.sum())",
        "for k#, r# in enumerate(A):\n    A[k#] = r# * 2",
        "for k# in range(len(A) - 1):\n    A[k# + 1] = A[k#] * 0.5 + N",
        "for k# in reversed(range(len(A))):\n    A[k#] = A[k#] - A[0]",
        "while A.sum() > 100:\n    A *= 0.5",
        "n# = 0\nwhile True:\n    A += 1\n    n# += 1\n    if n# > 2:\n        break",
        "for k# in range(3):\n    if k# == 1:\n        continue\n    A[k#] += k#\nelse:\n    A[0] = 1",
        "A[0], A[1] = A[1], A[0]",
        "A[:], B[:] = B, A",
        "A[0], A[-1] = A[-1].copy(), A[0].copy()",
        "A[1:] = A[:-1]",
        "A[::-1] = A",
        "A[1:] += A[:-1]",
        "A[[0, 1]] = A[[1, 0]]",
        "A[[0, 0, 1]] += 1",
        "A[A > N] = 0",
        "A[A > 1] *= A[A > 1]",
        "A[~(A > 1)] += N",
        "A[..., 0], A[..., -1] = 1, 2",
        "A[None][0, 0] = N",
        "A[...] = A.sum(axis=0)",
        "A.flat[::2] = N",
        "A.reshape(-1)[1] = N",
        "A.ravel()[:2] += 1",
    ),
    (("q# = A", "A = A + 1", "q#[0] = 5"), {"q#": LIKE}),
    (("q# = A", "A += 1", "q#[0] = 5"), {"q#": LIKE}),
    (("q#, z# = A, B", "for k# in range(3):", "    q#, z# = z#, q# + z#"), {"q#": LIKE, "z#": LIKE}),
    (("q# = A.copy()", "z# = np.empty_like(q#)", "for k# in range(3):",
      "    z#[...] = q# * 0.5 + 1", "    q#, z# = z#, q#"), {"q#": LIKE, "z#": LIKE}),
    (("q# = A[0]", "A[0] = 3"), {"q#": ROW}),
    (("q# = A[1:]", "q#[...] = 4"), {"q#": TAIL}),
    (("q# = [r for r in A]", "q#[0] = q#[0] * 2"), {}),
    (("q#, *z# = A",), {"q#": ROW}),
    (("q# = np.zeros_like(A)", "for k# in range(len(A)):", "    q#[k#] = A[: k# + 1].sum(axis=0)"), {"q#": LIKE}),
    (("q# = z# = A * 2", "q# += 1"), {"q#": LIKE, "z#": LIKE}),
    (("q# = []", "for k# in range(3):", "    q#.append(A * k#)", "z# = sum(q#)"), {"z#": LIKE}),
    (("q# = []", "for k# in range(3):", "    A = A * 0.5", "    q#.append(A)", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = []", "for k# in range(3):", "    A *= 2", "    q#.append(A)", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = {}", "for k# in range(3):", "    q#[k# % 2] = q#.get(k# % 2, 0) + A", "z# = q#[1]"), {"z#": LIKE}),
    (("q# = {}", "for k# in 'aba':", "    q#.setdefault(k#, np.zeros_like(A))[0] += 1", "z# = q#['a']"), {"z#": LIKE}),
    (("q# = None", "for k# in range(3):", "    q# = A if q# is None else q# + A"), {"q#": LIKE}),
    (("q# = None", "for k# in range(3):", "    if q# is None:", "        q# = A", "    else:", "        q# += A"),
     {"q#": LIKE}),
    (("q# = 0", "for r# in A:", "    q# += r#"), {"q#": ROW}),
    (("q# = 1", "for k# in range(3):", "    q# = q# * A"), {"q#": LIKE}),
]  # fmt: skip

FUNCTIONS = [
    (("def g#():", "    nonlocal A", "    A = A + 1", "g#()"), {}),
    (("def g#():", "    A[0] = N", "g#()"), {}),
    (("def g#(z):", "    z[0] = N", "    return z", "q# = g#(A)"), {"q#": LIKE}),
    (("def g#(z):", "    z[0] = N", "g#(A[1:])"), {}),
    (("def g#(z, n):", "    return z if n == 0 else g#(z * 0.5, n - 1)", "q# = g#(A, 2)"), {"q#": LIKE}),
    (("def g#(z, n):", "    z[0] += n", "    return z if n == 0 else g#(z, n - 1)", "q# = g#(A, 2)"), {"q#": LIKE}),
    (("def g#(z, acc=[]):", "    acc.append(z)", "    return acc[0]", "g#(A)", "q# = g#(B)"), {"q#": LIKE}),
    (("def g#(*zs):", "    zs[0][0] = 1", "    return zs[-1]", "q# = g#(A, B)"), {"q#": LIKE}),
    (("def g#(**zs):", "    return zs['z']", "q# = g#(z=A)", "q#[0] = N"), {"q#": LIKE}),
    (("def g#(z=A):", "    return z", "A = A * 2", "q# = g#()"), {"q#": LIKE}),
    (("fs# = [lambda z, k=k: z * k for k in range(3)]", "q# = fs#[2](A)"), {"q#": LIKE}),
    (("fs# = []", "for k# in range(2):", "    fs#.append(lambda: A + k#)", "A = A * 2", "q# = fs#[0]()"), {"q#": LIKE}),
    (("g# = lambda z: z", "q# = g#(A)", "q#[0] = N"), {"q#": LIKE}),
    (("g# = (lambda: A)", "A[0] = N", "q# = g#()"), {"q#": LIKE}),
    (("q# = list(map(np.sin, [A, B]))[0]",), {"q#": LIKE}),
    (("q# = list(map(lambda z: z, [A, B]))[0]", "q#[0] = N"), {"q#": LIKE}),
    (("q# = functools.reduce(np.add, [A, B])",), {"q#": LIKE}),
    (("q# = functools.reduce(lambda s, t: s + t, [A, B])",), {"q#": LIKE}),
    (("q# = sorted([A, B], key=lambda z: float(z.sum()))[0]", "q#[0] = N"), {"q#": LIKE}),
    (("q# = max([A, B], key=np.sum)", "q#[0] = N"), {"q#": LIKE}),
    (("q# = np.array(list(r * 2 for r in A))",), {"q#": LIKE}),
    (("q# = np.array([r * 2 for r in A])", "q#[0] = N"), {"q#": LIKE}),
    (("q# = np.array([A, B])[0]", "q#[0] = N"), {"q#": LIKE}),
    (("q# = np.apply_along_axis(lambda r: r * 2, 0, A)",), {"q#": LIKE}),
    (("q# = [A, B][0 if A.sum() > 0 else 1]", "q#[0] = N"), {"q#": LIKE}),
    (("q# = A if A.any() else B", "q# += 1"), {"q#": LIKE}),
    (("q# = A.any() and A or B",), {}),
    (("q# = (lambda *zs: zs[-1])(A, B)", "q#[0] = N"), {"q#": LIKE}),
    (("with np.errstate(all='ignore'):", "    q# = A / B"), {"q#": LIKE}),
    (("try:", "    q# = A + np.ones(99)", "except ValueError:", "    q# = A"), {}),
    (("try:", "    A[0] = N", "    A[99] = 1", "except IndexError:", "    A[1] = N"), {}),
    (("try:", "    A[0] = N", "finally:", "    A[1] = 2"), {}),
]  # fmt: skip

VIEWS = [
    *[((f"q# = {text}",), {"q#": LIKE}) for text in (
        "A.view()", "np.asarray(A, dtype=float)", "A.astype(float, copy=False)", "np.array(A, copy=None)", "A[...]",
        "np.ascontiguousarray(A)", "np.transpose(A).T", "np.swapaxes(A, 0, -1).swapaxes(0, -1)", "A[:]", "A[::-1]",
        "np.flip(A)", "np.nan_to_num(A, copy=False)", "np.real(A)", "A.real", "A.reshape(A.shape)", "np.squeeze(A)",
        "A.T.reshape(A.shape)", "np.expand_dims(A, 0)[0]", "np.atleast_1d(A)", "np.broadcast_to(A, A.shape)",
        "np.require(A)", "np.asanyarray(A)", "np.moveaxis(A, 0, 0)", "A[None][0]", "A.squeeze()", "np.array(A)",
        "A.flatten().reshape(A.shape)", "np.copy(A)", "+A", "A * 1", "np.positive(A)", "np.where(True, A, B)",
        "np.select([A > 1], [A], B)", "np.choose(A > 1, [A, B])", "np.concatenate([A])", "np.stack([A])[0]",
        "np.hstack([A])", "np.vstack([A, B])[:len(A)].reshape(A.shape)", "np.split(A, 1)[0]", "A.conj()",
        "np.roll(A, 0)", "np.sort(A)", "A.clip(0, 3)", "np.ma.getdata(A)", "np.lib.stride_tricks.as_strided(A)",
        "np.rollaxis(A, 0)", "np.resize(A, A.shape)", "np.tile(A, 1)", "np.broadcast_arrays(A, B)[0]",
        "np.fft.ifft(np.fft.fft(A)).real", "np.cumsum(A, axis=-1)", "A.astype(np.float32)", "A.astype(int)",
        "A.astype(np.uint8)", "A.astype(bool)", "A.astype(complex)", "A // 2", "A % 3", "A ** 2", "2 ** (A % 3)",
        "A @ np.eye(A.shape[-1])", "divmod(A, 2)[1]", "(A > 1) & (B > 0)", "(A > 1) | ~(B > 0)", "np.trunc(A)",
        "(A > 1) ^ (B > 0)", "A.astype(int) & 3", "A.astype(int) << 1", "-A", "abs(A)", "np.float32(2) * A",
        "np.uint8(200) + A.astype(np.uint8)", "A.astype(np.uint8) - 1", "A.astype(np.int8) * 100",
        "np.minimum(A, np.nan)", "np.hypot(A, B)", "np.arctan2(A, B)", "np.isclose(A, B)", "A == B", "A != N",
        "np.rint(A * 0.5)", "np.interp(A, [0, 1, 4], [1, 3, 2])", "np.take(A, range(len(A)), axis=0)",
        "np.linspace(A, B, 3)[1]", "np.full_like(A, N)", "np.add.accumulate(A)", "np.subtract.outer(N, A)",
        "np.diff(A, axis=0, prepend=0)", "np.gradient(A, axis=0)", "np.cross(A[:3].ravel()[:3], [1, 2, 3]).sum() + A",
        "np.searchsorted([0, 1, 2], A)", "np.digitize(A, [0, 1, 2])", "np.unique(A).sum() + A", "A - A.mean(axis=0)",
        "np.exp(A * 1j).imag", "np.median(A, axis=0) + A", "A / np.linalg.norm(A)", "np.round(A, 1)",
    )],
]  # fmt: skip

CHANGES = _plain(
    "np.add(A, B, out=A)",
    "np.add(A, 1, A)",
    "np.copyto(A, B, where=B > 1)",
    "np.copyto(A[1:], B[:-1])",
    "np.put(A, [0, -1], [N, 2])",
    "np.add.at(A, [0, 0], 1)",
    "np.multiply.at(A, [1, 1], 2)",
    "np.minimum.at(A, [0, 1], N)",
    "np.clip(A, 0, 1, out=A)",
    "A.clip(0, 1, out=A)",
    "A.cumsum(axis=0, out=A)",
    "np.cumsum(A, axis=0, out=B)",
    "np.take(A, [1] * len(A), axis=0, out=B)",
    "np.add.reduce(A, axis=0, out=B[0])",
    "A.mean(axis=0, out=B[0])",
    "np.sqrt(A, where=A > 0, out=B)",
    "np.divide(A, B, out=np.zeros_like(A, dtype=float), where=B != 0)",
    "A.flat = N",
    "A.flat[2] = 7",
    "A.real[0] = 3",
    "A.T[0] = N",
    "A[1:][0] = N",
    "A[1:].fill(N)",
    "A[::2].sort()",
    "np.nan_to_num(A, copy=False)",
    "np.concatenate([A[:1], B[1:]], out=B)",
    "np.place(A, A > 2, [7, 8])",
    "np.putmask(A, B > 1, B)",
    "np.maximum(A, B, out=B)",
    "np.reshape(A, -1)[0] = N",
    "np.ravel(A)[1] += N",
    "np.asarray(A)[0] = N",
    "np.squeeze(A)[0] = N",
    "A.view()[0] = N",
    "A.swapaxes(0, -1)[0] = N",
    "np.transpose(A)[0] += 1",
    "A.setflags(write=True)",
    "A[np.ix_([0, 1])] = N",
    "A[np.nonzero(A)] = N",
    "A[np.argsort(A, axis=0)[0]] = N",
    "A[A.argmax() % len(A)] = N",
    "A[np.array([True] + [False] * (len(A) - 1))] += 1",
    "A[np.int64(1)] -= N",
    "A[slice(0, 2)] = B[slice(1, 3)]",
    "A[-1:0:-2] = N",
    "A[(0,)] = N",
    "A[()] = N",
    "A[[]] = N",
    "A[5:2] = N",
    "A[True] = N",
)

PRINTS = _plain(
    *(f"print({text})" for text in (
        "A", "f'{A}'", "'%s' % A", "str(A[0]), repr(A)", "*A", "A.tolist()", "type(A).__name__", "A is B",
        "isinstance(A, np.ndarray)", "len(A), A.ndim, A.nbytes", "list(A)", "A.dtype.kind, A.shape[0]", "round(A.sum(), 2)",
        "'ok' if A.any() else 'no'", "int(A.max()), bool(A.min())", "'{:.2f}'.format(A.sum())", "A.max() in [1, 2, 3]",
        "np.array2string(A)", "f'{A.mean():.3f} {A.dtype}'", "sum(A.tolist(), start=0) if A.ndim == 1 else 0", "A.sum(), B",
        "[A[0], B[0]]", "{'a': A}", "(A, 1)", "A.sum() == B.sum()", "A.size, A.itemsize", "A.flags.writeable",
        "np.shares_memory(A, B)", "A.item(0)", "np.shape(A), np.ndim(A)", "type(A.sum()).__name__, type(A[0]).__name__",
        "np.array_equal(A, B)", "{float(A.max()): 1}", "'%.2f %d' % (A.sum(), len(A))", "repr(A.sum())",
        "type(A.mean()), type(len(A))", "A.astype(int).tolist()", "any(r.any() for r in A)", "A.T.shape, A.strides",
    ))
)  # fmt: skip

_GRID = """class Grid:
    def __init__(self, a):
        self.a = a
        self.parts = [a, a * 2]
        self.by = {'x': a + 1}

    @property
    def top(self):
        return self.a[0]

    @property
    def whole(self):
        return self.a

    def add(self, v):
        self.a += v
        return self

    def twice(self, v):
        return self.add(v).add(v).total()

    def total(self):
        return self.a.sum() + self.parts[1].sum()

    def __call__(self, b):
        return self.a * b

    def set(self, a):
        self.a[...] = a
        self.parts[0] = self.a
        self.by['x'] += 1

    @staticmethod
    def half(a):
        a *= 0.5
        return a

    @classmethod
    def make(cls, a):
        return cls(a.copy())

    def __getitem__(self, k):
        return self.a[k]

    def __setitem__(self, k, v):
        self.a[k] = v"""

#: Helpers of the module: text, and templates that call them.
HELPERS: dict[str, tuple[str, list[Idiom]]] = {
    "both": (
        "def both(a, b):\n    a += 1\n    b[...] = a\n    return a, b",
        [*_plain("both(A, B)", "both(A, A)", "both(A[1:], B[:-1])"),
         (("q#, z# = both(A, B)",), {"q#": LIKE, "z#": LIKE}), (("q# = both(A, A * 2)[1]",), {"q#": LIKE})],
    ),
    "tail": ("def tail(a):\n    return a[1:]", [(("q# = tail(A)", "q#[...] = N"), {"q#": TAIL}), *_plain("tail(A)[0] = N")]),
    "same": ("def same(a):\n    return a", [(("q# = same(A)", "q#[0] = N"), {"q#": LIKE}), *_plain("same(A)[0] += N")]),
    "maybe": (
        "def maybe(a, flag=True):\n    return a if flag else a + 1",
        [(("q# = maybe(A, N)", "q#[0] = 9"), {"q#": LIKE}), (("q# = maybe(A, A.sum() > 3)", "q# += 1"), {"q#": LIKE})],
    ),
    "fold": (
        "def fold(a, n=2):\n    if n == 0:\n        return a\n    a[0] += n\n    return fold(a, n - 1)",
        [(("q# = fold(A)",), {"q#": LIKE}), *_plain("fold(A, 1)")],
    ),
    "count": (
        "def count(a, n=2):\n    if n <= 0:\n        return a * 1\n    return count(a + 1, n - 1)",
        [(("q# = count(A)",), {"q#": LIKE})],
    ),
    "spread": (
        "def spread(*args, **options):\n    args[0][0] = options.get('v', 1)\n    return args[-1]",
        [(("q# = spread(A, B, v=N)",), {"q#": LIKE}), (("q# = spread(*[A, B])", "q#[0] = 4"), {"q#": LIKE})],
    ),
    "each": (
        "def each(a):\n    for row in a:\n        yield row",
        [*_plain("for w# in each(A):\n    w#[...] = N"), (("q# = list(each(A))[0]",), {"q#": ROW})],
    ),
    "run": (
        "def run(f, a):\n    return f(a)",
        [(("q# = run(np.sin, A)",), {"q#": LIKE}), (("q# = run(lambda z: z, A)", "q#[0] = N"), {"q#": LIKE}),
         (("def g#(z):", "    z[0] = N", "    return z", "q# = run(g#, A)"), {"q#": LIKE})],
    ),
    "add_to": (
        "def add_to(items, a):\n    items.append(a)\n    return items",
        [(("q# = []", "add_to(q#, A)", "q#[0][0] = N", "z# = q#[0]"), {"z#": LIKE}),
         (("q# = add_to([B], A)[-1]", "q#[0] = N"), {"q#": LIKE})],
    ),
    "poke": ("def poke(items):\n    items[0][0] = 9\n    items[-1] = items[0] + 1",
             [(("q# = [A, B]", "poke(q#)", "z# = q#[1]"), {"z#": LIKE})]),
    "scale": (
        ("def scale(a, out=None):\n    out = np.empty_like(a) if out is None else out\n    np.multiply(a, 2, out=out)\n"
        "    return out"),
        [(("q# = scale(A)",), {"q#": LIKE}), (("q# = scale(A, out=A)",), {"q#": LIKE}), *_plain("scale(A, B)"),
         (("q# = scale(A, B)", "q#[0] = N"), {"q#": LIKE})],
    ),
    "swapped": ("def swapped(a, b):\n    return b, a",
                [(("q#, z# = swapped(A, B)", "q#[0] = N"), {"q#": LIKE, "z#": LIKE}), *_plain("A, B = swapped(A, B)")]),
    "put_in": ("def put_in(d, a):\n    d['k'] = a\n    return d",
               [(("q# = put_in({}, A)['k']", "q#[0] = N"), {"q#": LIKE}), (("d# = {'k': B}", "put_in(d#, A)", "z# = d#['k']"), {"z#": LIKE})]),
    "normal": ("def normal(a):\n    m = a.max()\n    return a / m if m else a",
               [(("q# = normal(A)",), {"q#": LIKE}), (("q# = normal(A)", "q#[0] = N"), {"q#": LIKE})]),
    "kept": ("def kept(a, box=[]):\n    box.append(a)\n    return box[0]", [(("q# = kept(A)",), {})]),
    "table": (
        "CACHE = {}\n\n\ndef table(a):\n    if 'k' not in CACHE:\n        CACHE['k'] = a * 2\n    return CACHE['k']",
        [*_plain("print(table(A).shape)")],
    ),
    "smooth": (
        ("def smooth(a, n=2):\n    new = a.copy()\n    for _ in range(n):\n        new[1:-1] = 0.5 * (a[:-2] + a[2:])\n"
        "        a, new = new, a\n    return a"),
        [(("q# = smooth(A * 1.0)",), {"q#": LIKE}), (("q# = smooth(A)",), {"q#": LIKE})],
    ),
    "clean": ("def clean(a, low=0):\n    a = np.asarray(a)\n    a[a < low] = low\n    return a",
              [(("q# = clean(A)",), {"q#": LIKE}), (("q# = clean(list(A.ravel()))[0]",), {"q#": NUMBER})]),
    "walk": (
        "def walk(a):\n    for k in range(len(a)):\n        if a[k].sum() > 3:\n            return a[k]\n    return None",
        [(("q# = walk(A)", "if q# is not None:", "    A[0] = q#"), {})],
    ),
    "Grid": (
        _GRID,
        [(("o# = Grid(A)", "q# = o#.whole", "q#[0] = N"), {"q#": LIKE}), (("o# = Grid(A)", "o#.top[...] = N"), {}),
         (("o# = Grid(A)", "q# = o#.twice(N)"), {"q#": NUMBER}), (("o# = Grid(A)", "q# = o#.add(1).a"), {"q#": LIKE}),
         (("q# = Grid(A)(B)",), {"q#": LIKE}), (("o# = Grid(A * 1)", "o#.set(B)", "q# = o#.parts[0]"), {"q#": LIKE}),
         (("q# = Grid.half(A)",), {"q#": LIKE}), (("o# = Grid.make(A)", "o#.add(2)", "q# = o#.a"), {"q#": LIKE}),
         (("o# = Grid(A)", "o#[0] = N", "q# = o#[1]"), {"q#": ROW}), (("o# = Grid(A)", "A[0] = N", "print(o#.total())"), {}),
         (("o# = Grid(A)", "o#.a = B", "B[0] = N", "q# = o#.a"), {"q#": LIKE}), (("o# = Grid(A)", "q# = o#.parts[1]", "q# += 1"), {"q#": LIKE}),
         (("o# = Grid(A)", "o#.by['y'] = B", "B += 1", "q# = o#.by['y']"), {"q#": LIKE})],
    ),
}  # fmt: skip
