"""More templates for ``program_generator.py``: lists and dicts of arrays, objects that hold arrays, generators, callbacks.

As in ``program_idioms.py``; ``L`` and ``M`` are lists (or tuples) of arrays.
"""

# ruff: noqa: E501 - tables
from __future__ import annotations

from program_idioms import LIKE, NUMBER, ROW, Idiom

LIST = "list"  #: what a template's name holds afterwards: a list of arrays


def _plain(*lines: str) -> list[Idiom]:
    return [(tuple(line.split("\n")), {}) for line in lines]


LISTS: list[Idiom] = [
    *[((f"q# = {text}",), {"q#": LIST}) for text in (
        "L + M", "L + [A]", "[A] + L", "L * 2", "2 * L", "L[1:]", "L[:]", "L[::-1]", "[*L]", "[*L, *M]", "[*M, A]", "list(L)",
        "sorted(L, key=np.sum)", "list(reversed(L))", "list(map(np.asarray, L))", "list(map(lambda z: z, L))", "[z for z in L]",
        "[z for z in L if z.sum() > 1]", "[z * 2 for z in L]", "[z[...] for z in L]", "[z for p in (L, M) for z in p]",
        "list(filter(lambda z: z.any(), L))", "[np.asarray(z, dtype=float) for z in L]", "list(zip(L, M))[0]", "[z for z, _ in zip(L, M)]",
        "[z for _, z in enumerate(L)]", "sum([L, M], [])", "list(functools.reduce(lambda s, t: [*s, t], L, []))", "list(dict(enumerate(L)).values())",
        "[max(L, key=np.sum), min(L, key=np.sum)]", "[A, *L[1:]]", "L if len(L) > 1 else [A, B]", "L or M", "L and M", "[L[0], L[-1]]",
        "list(iter(L))", "[next(iter(L))]", "list({id(z): z for z in L}.values())", "[L[k] for k in range(len(L))]", "[z for z in L][::-1]",
        "np.array_split(A, 2)", "list(np.broadcast_arrays(A, B))", "np.split(A[:2], 2)", "[L[0]] * 3", "(lambda *zs: list(zs))(*L)",
    )],
    *_plain(
        "L[0][0] = N", "L[-1] += N", "L[0][...] = M[-1]", "L[0], L[-1] = L[-1], L[0]", "L[0] = L[-1]", "L[0] = L[0] * 2", "L[0] = A", "L.append(A)",
        "L += M", "L += [A]", "L *= 2", "L.extend(M)", "L.insert(0, A)", "L.reverse()", "L.sort(key=np.sum)", "L.pop()", "del L[0]", "L[:1] = [A, B]",
        "L[:] = [z * 2 for z in L]", "L.append(L[0])\nL[0][0] = N", "L.clear()", "print(len(L), L[0].shape)", "print([z.sum() for z in L])", "print(L)",
        "A[...] = L[0]", "A += L[0]", "A = L[0]", "A[0] = L[0][0]", "np.copyto(A, L[0])", "np.add(L[0], A, out=L[0])", "L[0].sort()", "L[0].fill(N)",
        "for w# in L:\n    w# += 1", "for w# in L:\n    w#[0] = N", "for w# in L + M:\n    w# *= 2", "for w#, z# in zip(L, M):\n    w# += z#",
        "for w#, z# in zip(L, M):\n    w#[...] = z#", "for k#, w# in enumerate(L):\n    L[k#] = w# + 1", "for k# in range(len(L)):\n    L[k#] += 1",
        "for k# in range(len(L)):\n    L[k#] = L[k#] * 0.5", "for k#, w# in enumerate(L):\n    w#[...] = k#", "for w# in sorted(L, key=np.sum):\n    w#[0] = N",
        "for w# in reversed(L):\n    w# -= 1", "for w# in map(np.asarray, L):\n    w#[0] = N", "for w#, z# in zip(L, L[1:]):\n    z# += w#",
        "for w# in L[1:]:\n    w#[...] = L[0]", "for w# in (z for z in L):\n    w#[0] = N", "for w# in L:\n    A += w#", "for w# in list(L):\n    L.append(w# * 2)",
        "while len(L) > 1:\n    A = L.pop()\n    A[0] = N", "L[0][L[0] > 1] = 0", "(L[0])[1:] = 2", "[z.fill(1) for z in L]", "if A is L[0]:\n    A[0] = 7",
        "if any(z is A for z in L):\n    print('in')", "print(sum(z.sum() for z in L), np.mean(L[0]))", "L[0].T[0] = N",
        "try:\n    L[0] += N\n    L[9] += 1\nexcept IndexError:\n    L[0][0] = 3", "try:\n    for w# in L:\n        w# += 1\n        if w#[0].sum() > 2:\n            raise ValueError\nexcept ValueError:\n    L[0][0] = N",
        "with np.errstate(all='ignore'):\n    L[0] /= N",
    ),
    (("q#, *r# = L", "q#[0] = N"), {"q#": LIKE}),
    (("q#, z# = L[0], L[-1]", "q# += z#"), {"q#": LIKE, "z#": LIKE}),
    (("*r#, q# = L", "q# *= 2"), {"q#": LIKE}),
    (("q# = L[0]", "L[0] = A", "q#[0] = N"), {"q#": LIKE}),
    (("q# = L[0]", "q# = q# + 1", "L[0] += 1"), {"q#": LIKE}),
    (("q# = np.array(L)", "L[0][0] = N", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = np.stack(L)", "q#[0] += 1", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = np.asarray(L[0])", "q#[0] = N"), {"q#": LIKE}),
    (("q# = np.concatenate(L)[:len(A)]", "q#[0] = N"), {"q#": LIKE}),
    (("q# = functools.reduce(np.add, L)", "q# += 1"), {"q#": LIKE}),
    (("q# = functools.reduce(lambda s, t: s if s.sum() > t.sum() else t, L)", "q#[0] = N"), {"q#": LIKE}),
    (("q# = sum(L)", "q#[0] = N"), {"q#": LIKE}),
    (("q# = [z.sum() for z in L]", "z# = max(q#)"), {"z#": NUMBER}),
    (("q# = {'a': L, 'b': [A]}", "q#['a'][0][0] = N", "q#['b'] += L", "z# = q#['b'][0]"), {"z#": LIKE}),
    (("q# = dict(zip('ab', L))", "q#['a'][0] = N", "z# = q#['a']"), {"z#": LIKE}),
    (("q# = {'a': A}", "q# = {**q#, 'b': B}", "q#['b'][0] = N", "z# = q#['b']"), {"z#": LIKE}),
    (("q# = {'a': A} | {'b': B}", "q#['a'] += 1", "z# = q#['a']"), {"z#": LIKE}),
    (("q# = {'a': A}", "q#.update(b=B)", "z# = q#.pop('b')", "z#[0] = N"), {"z#": LIKE}),
    (("q# = {'a': A}", "q# |= {'a': B}", "z# = q#['a']", "z# += 1"), {"z#": LIKE}),
    (("q# = {k: v for k, v in [('a', A), ('b', B)]}", "for v# in q#.values():", "    v# += 1", "z# = q#['a']"), {"z#": LIKE}),
    (("q# = {}", "for k#, v# in enumerate(L):", "    q#[k#] = v#", "q#[0][0] = N", "z# = q#[0]"), {"z#": LIKE}),
    (("q# = dict(a=A)", "w# = q#.copy()", "w#['a'] = B", "z# = q#['a']", "z#[0] = N"), {"z#": LIKE}),
    (("q# = {'a': A}", "w# = q#", "w#['a'] = B * 2", "z# = q#['a']"), {"z#": LIKE}),
    (("q# = [[A, B], [B]]", "q#[0][1][0] = N", "z# = q#[1][0]"), {"z#": LIKE}),
    (("q# = [(A, 1), (B, 2)]", "for v#, k# in q#:", "    v#[0] = k#", "z# = q#[1][0]"), {"z#": LIKE}),
    (("q# = []", "q# = q# + [A]", "q# = q# + [B]", "z# = q#[0]", "z#[0] = N"), {"z#": LIKE}),
    (("q# = []", "for v# in L:", "    q# = q# + [v#]", "z# = q#[-1]"), {"z#": LIKE}),
    (("q# = [None] * 2", "q#[0] = A", "q#[1] = A", "q#[0][0] = N", "z# = q#[1]"), {"z#": LIKE}),
    (("q# = [A] * 2", "q#[0] += 1", "z# = q#[1]"), {"z#": LIKE}),
    (("q# = [np.zeros_like(A)] * 2", "q#[0] += N", "z# = q#[1]"), {"z#": LIKE}),
    (("q# = (A, B)", "q#[0][0] = N", "z#, _ = q#"), {"z#": LIKE}),
    (("q# = types.SimpleNamespace(a=A, b=L)", "q#.a[0] = N", "q#.b[0] += 1", "z# = q#.a"), {"z#": LIKE}),
    (("q# = Point(A, B)", "q#.x[0] = N", "z# = q#.y"), {"z#": LIKE}),
    (("q# = Point(A, B)._replace(x=A * 2)", "z# = q#.x", "z# += q#.y"), {"z#": LIKE}),
    (("q# = Point(*L[:2]) if len(L) > 1 else Point(A, B)", "z#, _ = q#", "z#[0] = N"), {"z#": LIKE}),
    (("q# = collections.deque(L, maxlen=3)", "q#.append(A)", "q#[0][0] = N", "z# = q#.popleft()"), {"z#": LIKE}),
    (("q# = collections.defaultdict(list)", "q#['a'].append(A)", "q#['a'][0] += 1", "z# = q#['a'][0]"), {"z#": LIKE}),
    (("q# = itertools.chain(L, M)", "for v# in q#:", "    v#[0] = N"), {}),
    (("for v#, w# in itertools.combinations(L, 2):", "    v# += w#"), {}),
    (("q# = list(itertools.accumulate(L))", "z# = q#[-1]", "z#[0] = N"), {"z#": LIKE}),
    (("q# = copy.copy(L)", "q#[0][0] = N"), {"q#": LIST}),
    (("q# = copy.deepcopy(L)", "q#[0][0] = N"), {"q#": LIST}),
    (("q# = copy.copy(A)", "q#[0] = N"), {"q#": LIKE}),
]  # fmt: skip

CALLBACKS: list[Idiom] = [
    (("q# = functools.partial(np.add, A)", "A[0] = N", "z# = q#(B)"), {"z#": LIKE}),
    (("q# = functools.partial(np.multiply, out=A)", "q#(B, N)"), {}),
    (("def g#(z, w):", "    z += w", "    return z", "q# = functools.partial(g#, A)", "z# = q#(B)"), {"z#": LIKE}),
    (("def g#(z, w):", "    w[0] = z[0]", "    return w", "q# = functools.partial(g#, w=A)", "z# = q#(B)"), {"z#": LIKE}),
    (("def g#(k):", "    def h(z):", "        return z * k + A", "    return h", "q# = g#(N)", "A[0] = 1", "z# = q#(B)"), {"z#": LIKE}),
    (("def g#():", "    state = [A]", "    def h(z):", "        state[0] = state[0] + z", "        return state[0]", "    return h", "q# = g#()", "q#(B)", "z# = q#(B)"), {"z#": LIKE}),
    (("def g#():", "    t = A", "    def h(z):", "        nonlocal t", "        t = t + z", "        return t", "    return h", "q# = g#()", "q#(B)", "z# = q#(B)", "z#[0] = N"), {"z#": LIKE}),
    (("def g#():", "    t = A * 1", "    def h(z):", "        nonlocal t", "        t += z", "        return t", "    return h", "q# = g#()", "w# = q#(B)", "z# = q#(B)"), {"z#": LIKE, "w#": LIKE}),
    (("def g#(f, z):", "    f(z)", "    return z", "z# = g#(lambda v: v.sort(), A)"), {"z#": LIKE}),
    (("fs# = [np.sin, lambda v: v, np.asarray]", "for f# in fs#:", "    A = f#(A)"), {}),
    (("fs# = {'a': np.add, 'b': lambda v, w: v}", "z# = fs#['b'](A, B)", "z#[0] = N"), {"z#": LIKE}),
    (("def g#(z):", "    z[0] = N", "    return z.sum()", "q# = [g#(v) for v in (A, B)]", "z# = q#[0]"), {"z#": NUMBER}),
    (("def g#(z):", "    z = z.copy()", "    z[0] = N", "    return z", "q# = list(map(g#, L))", "z# = q#[0]"), {"z#": LIKE}),
    (("def g#(z=None):", "    if z is None:", "        z = A", "    z[0] += 1", "    return z", "g#(B)", "z# = g#()"), {"z#": LIKE}),
    (("def g#(*zs, out=None):", "    for z in zs:", "        z += 1", "    return zs", "q# = g#(A, B)", "z# = q#[0]"), {"z#": LIKE}),
    (("def g#(**ks):", "    ks['a'][0] = N", "    ks['b'] = ks['a']", "    return ks", "q# = g#(a=A, b=B)", "z# = q#['b']"), {"z#": LIKE}),
    (("def g#(**ks):", "    for v in ks.values():", "        v *= 2", "g#(a=A, b=B)"), {}),
    (("def g#(z, /, *, k=1):", "    z[...] = z * k", "g#(A, k=N)"), {}),
    (("o# = dict(out=A)", "np.add(A, B, **o#)"), {}),
    (("a# = (A, B)", "np.add(*a#, out=a#[0])"), {}),
    (("z# = operator.iadd(A, B)", "z#[0] = N"), {"z#": LIKE}),
    (("operator.setitem(A, 0, N)",), {}),
    (("z# = operator.itemgetter(0)((A, B))", "z#[0] = N"), {"z#": LIKE}),
    (("z# = getattr(A, 'T')", "z#[0] = N"), {}),
    (("g# = A.sum", "A[0] = N", "z# = g#()"), {"z#": NUMBER}),
    (("g# = A.fill", "g#(N)"), {}),
    (("g# = A.copy", "A += 1", "z# = g#()"), {"z#": LIKE}),
    (("g# = np.add", "g#(A, 1, out=A)"), {}),
    (("g# = np.asarray", "z# = g#(A)", "z#[0] = N"), {"z#": LIKE}),
    (("(lambda z: z.fill(3))(A)",), {}),
    (("z# = (lambda z, w: (z, w))(A, B)[1]", "z# += 1"), {"z#": LIKE}),
    (("z# = (w# := A)", "w#[0] = N"), {"z#": LIKE}),
    (("if (w# := A.sum()) > 1:", "    A[0] = w#"), {}),
    (("z# = [w# := A, w# * 2][0]", "z#[0] = N"), {"z#": LIKE}),
    (("def g#(z, depth=0):", "    if depth == 2:", "        raise ValueError(float(z.sum()))", "    z[0] += 1", "    g#(z, depth + 1)", "try:", "    g#(A)", "except ValueError as e#:", "    print(e#)"), {}),
    (("def g#(z):", "    try:", "        z[0] = 1", "        return z", "    finally:", "        z[-1] = 2", "z# = g#(A)"), {"z#": LIKE}),
    (("def g#(z):", "    for k in range(3):", "        if z[k].sum() > 2:", "            return z", "        z[k] += 1", "    return z * 2", "z# = g#(A)"), {"z#": LIKE}),
    (("def g#(z):", "    while True:", "        z += 1", "        if z.max() > 5:", "            return z[1:]", "z# = g#(A.copy())"), {}),
    (("def g#(z, n):", "    if n == 0:", "        return [z]", "    return g#(z, n - 1) + [z + n]", "q# = g#(A, 2)", "q#[0][0] = N"), {"q#": LIST}),
    (("def g#(z):", "    if len(z) <= 1:", "        return z", "    h = len(z) // 2", "    return np.concatenate([g#(z[h:]), g#(z[:h])])", "z# = g#(A)"), {"z#": LIKE}),
    (("def g#(z):", "    if len(z) > 1:", "        z[0] += z[-1]", "        g#(z[1:])", "g#(A)"), {}),
    (("def g#(z):", "    yield z", "    z[0] = N", "    yield z", "for v# in g#(A):", "    print(v#.sum())"), {}),
    (("def g#(z):", "    for k in range(2):", "        z = z * 0.5", "        yield z", "z# = None", "for z# in g#(A):", "    z#[0] = N"), {"z#": LIKE}),
    (("def g#(zs):", "    yield from zs", "for v# in g#(L):", "    v#[0] = N"), {}),
    (("def g#(z):", "    t = z * 0", "    while True:", "        t = t + (yield t)", "q# = g#(A)", "next(q#)", "q#.send(B)", "z# = q#.send(A)"), {"z#": LIKE}),
    (("z# = next(v for v in L if v is not None)", "z#[0] = N"), {"z#": LIKE}),
    (("q# = (v * 2 for v in L)", "L[0][0] = N", "z# = next(q#)"), {"z#": LIKE}),
    (("z# = max((v for v in L), key=lambda v: v.sum())", "z# += 1"), {"z#": LIKE}),
]  # fmt: skip

_BASE = """class Base:
    shared = np.zeros(3)

    def __init__(self, a, tag='t'):
        self.a = a
        self.history = [a]
        self.cache = {}
        self.tag = tag

    def move(self, by):
        self.a += by
        return self

    def renew(self, by):
        self.a = self.a + by
        self.history.append(self.a)
        return self.a

    def both(self, other):
        self.a[0], other[0] = other[0], self.a[0]
        return other

    def norm(self):
        return np.sqrt((self.a ** 2).sum())

    def get(self, key='k'):
        if key not in self.cache:
            self.cache[key] = self.a * 2
        return self.cache[key]

    @classmethod
    def like(cls, other):
        return cls(other.a, tag='like')

    @staticmethod
    def clip(z, top=2):
        np.clip(z, 0, top, out=z)
        return z

    @property
    def half(self):
        return self.a[: len(self.a) // 2]

    @half.setter
    def half(self, value):
        self.a[: len(self.a) // 2] = value

    def __call__(self, z):
        z[0] = self.a[0]
        return z

    def __getitem__(self, key):
        return self.a[key]

    def __setitem__(self, key, value):
        self.a[key] = value

    def __iadd__(self, other):
        self.a += other
        return self

    def apply(self, f):
        self.a = f(self.a)
        return self.a


class Derived(Base):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b
        self.parts = [Base(b), Base(a)]

    def move(self, by):
        super().move(by)
        self.b[...] = self.a
        return self

    def pair(self):
        return self.a, self.b

    def swap(self):
        self.a, self.b = self.b, self.a

    def total(self):
        t = self.a * 0
        for part in self.parts:
            t += part.a
        return t"""

_RING = """@dataclass
class Ring:
    data: np.ndarray
    at: int = 0
    old: list = field(default_factory=list)
    table: dict = field(default_factory=dict)

    def __post_init__(self):
        self.view = self.data[:2]

    def put(self, row):
        self.data[self.at % len(self.data)] = row
        self.at += 1
        self.old.append(row)
        self.table[self.at] = self.data

    def turn(self):
        self.data[:] = np.roll(self.data, 1, axis=0)
        return self.view

    def step(self, x, dt=0.5):
        x += dt * self.data
        self.data -= dt * x
        return x, self.data"""

_STORE = """STATE = np.zeros(6)
HISTORY = []
SETTINGS = {'w': np.ones(6), 'n': 2}


def record(a):
    HISTORY.append(a)
    STATE[: len(a)] += a.ravel()[: len(a)]
    return STATE


def advance(n=1):
    for _ in range(n):
        STATE[1:] = 0.5 * (STATE[1:] + STATE[:-1])
    return STATE.sum()


def weights(a=None):
    if a is not None:
        SETTINGS['w'] = a
    return SETTINGS['w']


def reset():
    global STATE
    old = STATE
    STATE = np.zeros(6)
    return old"""

_LISTS = """def total(items):
    t = 0
    for item in items:
        t = t + item
    return t


def shift(items, by=1):
    for item in items:
        item += by
    return items


def joined(xs, ys):
    return xs + ys


def doubled(xs):
    return [x * 2 for x in xs]


def picked(xs, k=0):
    return xs[k]


def ordered(xs):
    return sorted(xs, key=np.sum)"""

_YIELD = """def rows(a, step=1):
    for k in range(0, len(a), step):
        yield a[k]


def windows(a):
    for k in range(len(a) - 1):
        yield k, a[k:k + 2]


def updates(a, n=2):
    for k in range(n):
        a[k] += 1
        yield a"""

#: Helpers of the module: text, and templates that call them.
OBJECT_HELPERS: dict[str, tuple[str, list[Idiom]]] = {
    "Base": (
        _BASE,
        [
            (("o# = Base(A)", "z# = o#.move(N).a"), {"z#": LIKE}), (("o# = Base(A)", "z# = o#.renew(N)", "o#.history[0][0] = 4", "z#[0] = 2"), {"z#": LIKE}),
            (("o# = Base(A)", "z# = o#.both(B)"), {"z#": LIKE}), (("o# = Base(A)", "A += 1", "z# = o#.norm()"), {"z#": NUMBER}),
            (("o# = Base(A)", "z# = o#.get()", "z#[0] = N", "w# = o#.get()"), {"w#": LIKE}), (("o# = Base.like(Base(A))", "o#.a[0] = N"), {}),
            (("z# = Base.clip(A)", "z#[0] = N"), {"z#": LIKE}), (("o# = Base(A)", "o#.half = N", "z# = o#.half"), {}),
            (("o# = Base(A)", "z# = o#.half", "A[0] = N", "print(z#)"), {}), (("o# = Base(A)", "z# = o#(B)"), {"z#": LIKE}),
            (("o# = Base(A)", "o#[0] = N", "z# = o#[1:]"), {}), (("o# = Base(A)", "o#[0] += N"), {}), (("o# = Base(A)", "o# += B", "z# = o#.a"), {"z#": LIKE}),
            (("o# = Base(A)", "z# = o#.apply(np.asarray)", "z#[0] = N"), {"z#": LIKE}), (("o# = Base(A)", "z# = o#.apply(lambda v: v * 2)", "z#[0] = N"), {"z#": LIKE}),
            (("o# = Derived(A, B)", "z#, w# = o#.move(N).pair()", "z#[0] = 5"), {"z#": LIKE, "w#": LIKE}), (("o# = Derived(A, B)", "o#.swap()", "o#.a[0] = N"), {}),
            (("o# = Derived(A, B)", "z# = o#.total()", "o#.parts[0].a[0] = N"), {"z#": LIKE}), (("o# = Derived(A, A)", "o#.move(N)"), {}),
            (("os# = [Base(A), Base(B)]", "for o# in os#:", "    o#.move(N)", "z# = os#[0].a"), {"z#": LIKE}),
            (("os# = [Base(A) for _ in range(2)]", "os#[0].a[0] = N", "z# = os#[1].a"), {"z#": LIKE}), (("d# = {'k': Base(A)}", "d#['k'].a = B", "d#['k'].move(N)"), {}),
            (("o# = Base(A)", "g# = o#.move", "g#(N)"), {}), (("o#, p# = Base(A), Base(A)", "o#.renew(N)", "p#.move(1)", "z# = o#.a"), {"z#": LIKE}),
            (("Base.shared[0] += 1", "o# = Base(A)", "print(o#.shared)"), {}), (("o# = Base(A)", "z# = o#.a", "o#.a = B", "z#[0] = N"), {"z#": LIKE}),
            (("o# = copy.copy(Base(A))", "o#.a[0] = N"), {}), (("o# = Base(A)", "setattr(o#, 'a', B)", "o#.a[0] = N"), {}), (("o# = Base(A)", "vars(o#)['a'][0] = N"), {}),
            (("o# = Base(A)", "z# = o#.a if N else B", "z# += 1"), {"z#": LIKE}), (("o# = Base(A)", "try:", "    o#.move(N)", "    o#.a[99] = 1", "except IndexError:", "    o#.a[0] = 3"), {}),
        ],
    ),
    "Ring": (
        _RING,
        [
            (("o# = Ring(A)", "o#.put(B[0])", "z# = o#.turn()"), {}), (("o# = Ring(A)", "z#, w# = o#.step(B)", "z#[0] = N"), {"z#": LIKE, "w#": LIKE}),
            (("o# = Ring(A.copy())", "o#.put(N)", "o#.view[0] = 7", "z# = o#.data"), {"z#": LIKE}), (("o# = Ring(A)", "o#.put(A[1])", "A[1] = N", "print(o#.old[0])"), {}),
            (("o# = dataclasses.replace(Ring(A), at=1)", "o#.put(N)"), {}), (("o# = Ring(A)", "o#.step(A)"), {}), (("o# = Ring(A)", "o#.put(N)", "z# = o#.table[1]", "z#[0] = 3"), {"z#": LIKE}),
        ],
    ),
    "store": (
        _STORE,
        [*_plain("record(A)", "record(A)[0] = N", "record(A)\nA[0] = N\nprint(HISTORY[-1])", "record(STATE)", "print(advance())", "weights(A)\nA[0] = N", "weights()[0] = N", "weights(A)\nweights()[0] += 1",
                 "record(A)\nadvance(2)\nreset()[0] = N", "STATE[:] = weights()", "SETTINGS['w'] = A\nweights()[0] = N", "HISTORY.append(STATE)\nadvance()"),
         (("q# = record(A)", "advance()", "z# = q#.sum()"), {"z#": NUMBER}), (("q# = reset()", "record(A)", "z# = q#[0] + STATE[0]"), {"z#": NUMBER})],
    ),
    "lists": (
        _LISTS,
        [(("q# = joined(L, M)",), {"q#": LIST}), (("q# = joined(L, [A])", "q#[-1][0] = N"), {"q#": LIST}), (("q# = shift(L)",), {"q#": LIST}), *_plain("shift(L)", "shift([A, B], N)", "shift((A, B))", "picked(L)[0] = N"),
         (("z# = total(L)", "z#[0] = N"), {"z#": LIKE}), (("z# = total([A])",), {"z#": LIKE}), (("q# = doubled(L)", "q#[0][0] = N"), {"q#": LIST}), (("z# = picked(L, -1)", "z# += 1"), {"z#": LIKE}),
         (("q# = ordered(L)", "q#[0][0] = N"), {"q#": LIST}), (("q# = shift(joined(L, M))",), {"q#": LIST}), (("z# = picked([A, B])", "z#[0] = N"), {"z#": LIKE}), (("z# = joined(A, B)", "z#[0] = N"), {"z#": LIKE})],
    ),
    "yields": (
        _YIELD,
        [*_plain("for v# in rows(A):\n    v#[...] = N", "for v# in rows(A, 2):\n    print(v#.sum())", "for k#, v# in windows(A):\n    v#[0] = k#", "for v# in updates(A):\n    v#[-1] = N", "for v# in updates(A):\n    print(v#.sum())",
                 "for v#, w# in zip(rows(A), rows(B)):\n    v# += w#", "for k#, v# in enumerate(rows(A)):\n    B[k#] = v# * 2"),
         (("q# = list(rows(A))", "z# = q#[0]"), {"z#": ROW}), (("z# = np.array([v.sum() for v in rows(A)]).sum()",), {"z#": NUMBER}), (("q# = list(updates(A))", "z# = q#[0]", "z#[0] = N"), {"z#": LIKE}),
         (("z# = sum(rows(A))",), {"z#": ROW}), (("z# = np.concatenate([v for _, v in windows(A)]).sum()",), {"z#": NUMBER}), (("g# = updates(A)", "next(g#)", "A[0] = N", "z# = next(g#)"), {"z#": LIKE})],
    ),
}  # fmt: skip
