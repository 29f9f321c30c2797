"""More templates for ``program_generator.py``: control flow, functions, objects and memory as people use them.

As in ``program_idioms.py``: ``A`` and ``B`` are arrays of one shape, ``N`` is a number, ``#`` makes names new.
"""

# ruff: noqa: E501 - tables
from __future__ import annotations

import random

from program_idioms import HELPERS, LIKE, NUMBER, ROW, TAIL, Idiom
from program_objects import OBJECT_HELPERS


def _plain(*lines: str) -> list[Idiom]:
    return [(tuple(line.split("\n")), {}) for line in lines]


FLOW: list[Idiom] = [
    *_plain(
        "k# = 0\nwhile k# < 2:\n    A[k#] += 1\n    k# += 1\nelse:\n    A[0] *= 2",
        "for k# in range(3):\n    if A[k#].sum() > 3:\n        break\nelse:\n    A[0] = N",
        "for v# in A:\n    if v#.sum() > 2:\n        return v#",
        "for k#, v# in enumerate(A):\n    if v#.any():\n        B[k#] = v# * 2\n        return B",
        "for k#, (v#, w#) in enumerate(zip(A, B)):\n    A[k#] = v# + w#",
        "if A.sum() < 0:\n    return None",
        "if A.ndim > 2:\n    raise ValueError(f'{A.ndim} axes')",
        "if A.max() > 9:\n    raise ValueError('too large')",
        "try:\n    if A.sum() > 3:\n        raise KeyError('k')\n    A[0] = 1\nexcept KeyError as error:\n    print(error, A[0])",
        "try:\n    int('x')\nexcept ValueError:\n    A[0] = N\nelse:\n    A[1] = N\nfinally:\n    A[-1] = 2",
        "while True:\n    A *= 0.5\n    if np.abs(A).max() < 3:\n        break",
        "with np.errstate(divide='ignore', invalid='ignore'):\n    A[...] = np.where(B != 0, A / B, 0)",
        "with np.printoptions(precision=2):\n    print(A)",
        "for k# in range(len(A)):\n    A[k#], B[k#] = B[k#], A[k#] + 1",
        "for k# in range(1, len(A)):\n    B[k#] = np.maximum(A[k#], B[k# - 1])",
        "match len(A):\n    case 6:\n        A[0] = 1\n    case _:\n        A[0] = 2",
    ),
    (("def g#(z):", "    for r in z:", "        yield r * 2", "q# = np.array(list(g#(A)))"), {"q#": LIKE}),
    (("def g#(z):", "    for r in z:", "        if r.sum() > 2:", "            return r", "    return z[0]", "q# = g#(A)"), {"q#": ROW}),
    (("def g#(z, k=2, *, s=1.5):", "    z = z * k", "    z[0] += s", "    return z", "q# = g#(A, s=N)"), {"q#": LIKE}),
    (("n# = 0", "def g#(z):", "    nonlocal n#", "    n# += 1", "    return z + n#", "q# = g#(g#(A))"), {"q#": LIKE}),
    (("def g#(*zs, **ks):", "    t = zs[0] * ks.get('k', 1)", "    for z in zs[1:]:", "        t = t + z", "    return t", "q# = g#(A, B, k=2)"), {"q#": LIKE}),
    (("o# = {'k': N}", "q# = (lambda z, k=1: z * k)(A, **o#)"), {"q#": LIKE}),
    (("q# = [A * k for k in range(3) if k]", "q#[0] += q#[1]", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = {k: A + k for k in range(2)}", "q#[1][0] = N", "z# = q#[1]"), {"z#": LIKE}),
    (("q# = next((r for r in A if r.sum() > 2), A[0])",), {"q#": ROW}),
    (("q# = sum(r * k for k, r in enumerate(A))",), {"q#": ROW}),
    (("q# = max(float(v) for v in A.ravel())",), {"q#": NUMBER}),
    (("t# = 0.0", "for v# in A.ravel():", "    t# += v#"), {"t#": NUMBER}),
    (("q#, z# = divmod(A, 3)",), {"q#": LIKE, "z#": LIKE}),
    (("(q#, z#), t# = (A, B * 2), N", "q#[0] = t#"), {"q#": LIKE, "z#": LIKE}),
    (("q# = A", "while q#.sum() > 50:", "    q# = q# * 0.5"), {"q#": LIKE}),
]  # fmt: skip

MEMORY: list[Idiom] = [
    *_plain(
        "A.flags.writeable = True",
        "A[...] = A.astype(np.float32)",
        "A[0] = A.astype(int)[0]",
        "A[:1] = True",
        "A[1:1] = 5",
        "A[A > 99] += 1",
        "A[np.zeros(len(A), dtype=bool)] = 3",
        "A[..., :1] -= A[..., -1:]",
        "A[:, None][0] = N",
        "print(A[:0], A[:0].sum(), A[:0].shape)",
        "print(np.array(N), np.asarray(A.sum()).shape, A[0:1].dtype)",
        "print(A.sum(), A.mean(), A.max(), A[0].min())",
        "print(f'{A.sum():.3f} {A.max()!r} {float(A.mean()):8.2e}')",
        "print('%s %r' % (A.max(), A.astype(int).sum()))",
        "print(type(A.sum() > 1), bool(A.any()), str(A.dtype), A.sum().dtype)",
        "print(A.tolist()[0], list(A)[0], tuple(A.shape))",
        "np.add.at(A, (np.array([0, 1, 0]),), 2)",
        "np.subtract.at(A, slice(0, 2), 1)",
        "np.add.at(A, A > 1, N)",
        "np.maximum.at(A, [0, 0, 1], B[:3])",
        "np.add(A, B, out=A, where=B > 1)",
        "np.add.accumulate(A, axis=0, out=A)",
        "np.cumsum(A[::-1], axis=0, out=B[::-1])",
        "np.multiply(A[1:], 2, out=A[1:])",
        "np.matmul(np.eye(len(A)), A, out=B)",
        "np.copyto(A, np.broadcast_to(A[0], A.shape))",
        "np.copyto(B, A[::-1])",
        "A.reshape(-1)[::2] *= 2",
        "A.ravel()[A.ravel() > 2] = 0",
        "A.sort()\nA[::-1].sort()",
        "A.partition(1)",
        "A.resize(A.shape)",
        "TABLE[:3] += 1\nA[0] = TABLE[0]",
        "TABLE[[0, 1]] = TABLE[[1, 0]]\nprint(TABLE)",
        "np.multiply(TABLE, 2, out=TABLE)",
        "LOG.append(A.copy())\nLOG[-1][0] = N",
        "LOG.append(A)\nA[0] += 1",
        "LOG.extend([A.sum(), A[0]])",
    ),
    (("q# = A[0]", "A[0] += 1", "z# = q# * 2"), {"z#": ROW}),
    (("q# = A[1:]", "A = A * 2", "q#[0] = 7", "z# = q#.sum()"), {"z#": NUMBER}),
    (("q# = [A[k] for k in range(2)]", "A[0] = N", "z# = q#[0]"), {"z#": ROW}),
    (("q# = A[::2]", "q# += 1", "z# = A.sum()"), {"z#": NUMBER}),
    (("q# = A.T", "A += 1", "z# = q#.sum()"), {"z#": NUMBER}),
    (("q# = np.array(2.5)", "q# += 1", "z# = A * q#"), {"z#": LIKE}),
    (("q# = np.zeros(())", "q#[()] = N", "z# = A + q#"), {"z#": LIKE}),
    (("q# = np.asarray(A.sum())", "q# *= 2", "z# = float(q#)"), {"z#": NUMBER}),
    (("q# = np.empty((0, 3))", "z# = np.concatenate([q#.ravel(), A.ravel()]).sum()"), {"z#": NUMBER}),
    (("q# = np.asfortranarray(A)", "q#[0] = N"), {"q#": LIKE}),
    (("q# = np.array(A, order='F')", "q#.ravel()[0] = 5"), {"q#": LIKE}),
    (("q# = A.copy(order='K')", "q#.reshape(-1)[1] = 5"), {"q#": LIKE}),
    (("q# = np.zeros_like(A, dtype=np.float32)", "q#[...] = A", "q# += 0.1"), {"q#": LIKE}),
    (("q# = np.zeros(A.shape, dtype=int)", "q#[0] = 2.7", "q# += 1"), {"q#": LIKE}),
    (("q# = A.astype(np.int8)", "q# += 100", "q# -= 1"), {"q#": LIKE}),
    (("q# = np.ones(A.shape, bool)", "q#[0] = A[0]", "q# |= A > 1", "q# &= B > 0"), {"q#": LIKE}),
    (("q# = np.broadcast_to(A[0], A.shape)", "z# = q#.copy()", "z#[0] = N"), {"z#": LIKE}),
    (("q# = np.broadcast_to(A, A.shape)", "q#[0] = N"), {}),
    (("q# = A.view()", "q#.flags.writeable = False", "A[0] = N", "z# = q#.sum()"), {"z#": NUMBER}),
    (("q#, z# = np.split(A[:2], 2)", "q# += 1"), {}),
    (("q# = np.stack([A, B])", "q#[0] += q#[1]", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = np.add.reduce(A, axis=0)", "q# += 1"), {"q#": ROW}),
    (("q# = np.maximum.accumulate(A)", "q#[0] = 0"), {"q#": LIKE}),
    (("q# = np.add.reduceat(A, [0, 1], axis=0)", "z# = q#[0]"), {"z#": ROW}),
    (("q# = np.multiply.outer(A[0], [1, 2])", "z# = q#.sum()"), {"z#": NUMBER}),
    (("q# = A[A > 1]", "q# *= 2", "A[A > 1] = q#"), {}),
    (("k# = np.argsort(A[0].ravel())", "q# = A[0].ravel()[k#].sum()"), {"q#": NUMBER}),
    (("q# = A[:-1]", "z# = A[1:]", "q# += z#"), {"z#": TAIL}),
]  # fmt: skip

_BOX = """@dataclass
class Box:
    data: np.ndarray
    scale: float = 2.0
    parts: list = field(default_factory=list)

    @property
    def total(self):
        return self.data.sum() * self.scale

    @property
    def scaled(self):
        return self.data * self.scale

    def push(self, a):
        self.parts.append(np.asarray(a))
        return len(self.parts)

    def shift(self, by=1.0):
        self.data = self.data + by
        return self"""

_SERIES = """class Series:
    count = 0
    weights = np.array([1.0, 2.0])

    def __init__(self, x, *, name='s'):
        self.x = np.asarray(x)
        self.name = name
        self._last = None
        Series.count += 1

    @property
    def last(self):
        return self._last if self._last is not None else self.x

    @last.setter
    def last(self, value):
        self._last = np.array(value)

    def __len__(self):
        return len(self.x)

    def __iter__(self):
        return iter(self.x)

    def __add__(self, other):
        return Series(self.x + (other.x if isinstance(other, Series) else other))

    def smooth(self, n=1):
        for _ in range(n):
            self.x[1:-1] = (self.x[:-2] + self.x[2:]) / 2
        return self.x

    def normal(self):
        m = self.x.max()
        if m == 0:
            return self.x
        return self.x / m"""

_KEEP = """class keep:
    def __init__(self, a):
        self.a = a
        self.old = a.copy()

    def __enter__(self):
        return self.a

    def __exit__(self, *error):
        self.a[...] = self.old"""

#: Helpers of the module: text, and templates that call them.
STYLE_HELPERS: dict[str, tuple[str, list[Idiom]]] = {
    "Box": (
        _BOX,
        [(("o# = Box(A)", "q# = o#.scaled"), {"q#": LIKE}), (("o# = Box(A, 3.0)", "A[0] = N", "q# = o#.total"), {"q#": NUMBER}),
         (("o# = Box(A.copy())", "o#.push(B)", "B += 1", "q# = o#.parts[0]"), {"q#": LIKE}),
         (("o# = Box(A)", "q# = o#.shift().data", "q#[0] = N"), {"q#": LIKE}), (("o# = Box(data=A)", "o#.data += 1"), {}),
         (("o# = Box(A)", "o#.data[0] = N", "print(o#.total)"), {})],
    ),
    "Series": (
        _SERIES,
        [(("o# = Series(A)", "q# = o#.smooth()"), {"q#": LIKE}), (("o# = Series(A * 1.0)", "q# = o#.smooth(2)", "q#[0] = N"), {"q#": LIKE}),
         (("o# = Series(A)", "o#.last = B", "B += 1", "q# = o#.last"), {"q#": LIKE}), (("q# = (Series(A) + B).x",), {"q#": LIKE}),
         (("q# = (Series(A) + Series(B)).normal()", "q#[0] = N"), {"q#": LIKE}), (("q# = [r * 2 for r in Series(A)][0]",), {"q#": ROW}),
         (("o# = Series(A)", "A[0] = N", "print(len(o#), o#.normal())"), {}), (("o# = Series(A)", "o#.weights[0] += 1", "print(o#.weights)"), {})],
    ),
    "keep": (_KEEP, [*_plain("with keep(A) as w#:\n    w#[0] = N\n    print(w#.sum())", "with keep(A):\n    A[0] += 1")]),
    "clear": ("def clear(a, value=0):\n    a[...] = value", [*_plain("clear(A)", "clear(A[1:], N)", "clear(A, value=2)")]),
    "relax": (
        "def relax(a, n=2):\n    for _ in range(n):\n        a[1:-1] = 0.5 * (a[:-2] + a[2:])",
        [*_plain("relax(A)", "relax(A[1:])", "relax(A, n=1)", "for w# in (A, B):\n    relax(w#)")],
    ),
    "exchange": ("def exchange(a, b):\n    a[...], b[...] = b.copy(), a.copy()", [*_plain("exchange(A, B)", "exchange(A[:1], B[:1])", "exchange(A, A)")]),
    "first": (
        "def first(a, low=1):\n    for k, row in enumerate(a):\n        if row.sum() > low:\n            return k, row\n    return -1, None",
        [(("k#, q# = first(A)", "if q# is not None:", "    A[k#] = q# * 2"), {}), (("q# = first(A, N)[0]",), {"q#": NUMBER})],
    ),
    "bump": (
        "BUMPS = np.zeros(6)\n\n\ndef bump(a):\n    BUMPS[:len(a)] += a.ravel()[:len(a)]\n    return BUMPS.sum()",
        [(("q# = bump(A)",), {"q#": NUMBER}), *_plain("bump(A)\nbump(B)\nprint(BUMPS)", "bump(BUMPS)")],
    ),
    "checked": (
        "def checked(a):\n    a = np.asarray(a, dtype=float)\n    if a.ndim == 0:\n        raise ValueError('a number')\n    return a",
        [(("q# = checked(A)", "q#[0] = N"), {"q#": LIKE}), (("try:", "    checked(A.sum())", "except ValueError as error:", "    print(error)"), {})],
    ),
    "stats": (
        "def stats(a, axis=None, *, ddof=0):\n    return a.mean(axis=axis), a.std(axis=axis, ddof=ddof), {'n': a.size, 'low': a.min()}",
        [(("q#, z#, d# = stats(A)",), {"q#": NUMBER, "z#": NUMBER}), (("q#, _, d# = stats(A, 0)", "q# += d#['low']"), {"q#": ROW})],
    ),
    "pairs": (
        "def pairs(a, b):\n    return zip(a, b)",
        [*_plain("for v#, w# in pairs(A, B):\n    v# += 1\n    print(w#.sum())"), (("q# = [v + w for v, w in pairs(A, B)][0]",), {"q#": ROW})],
    ),
}  # fmt: skip

ALL_HELPERS = HELPERS | STYLE_HELPERS | OBJECT_HELPERS


def chosen_helpers(rng: random.Random, objects: bool) -> list[str]:
    """The helpers that a module has."""
    if objects:
        return [name for group in (HELPERS, STYLE_HELPERS, OBJECT_HELPERS) for name in rng.sample(sorted(group), 2)]
    return rng.sample(sorted(HELPERS), 4) + rng.sample(sorted(STYLE_HELPERS), 3)
