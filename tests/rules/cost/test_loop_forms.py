"""Loops are judged by what an iteration costs, however they are written: progress bars, while, code out of sight.

Each program that is kept was measured to be more than three times slower when TensorFlow is forced (``NP2TNP_ABOVE=0``,
``--slow convert``); each one that migrates works on whole arrays.
"""

from __future__ import annotations

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.model import FileReport, RegionState

HEAD = """
import heapq
import numpy as np
import scipy.signal
import tqdm as bars
from tqdm import tqdm, trange
from rich.progress import track
from elsewhere import wrap, draw, pieces, notify, propose
"""
SLOW = {"TNP701", "TNP704", "TNP706", "TNP707"}

KEPT = {
    "rows by a progress bar": """
def f(x):
    out = np.zeros_like(x)
    for i in trange(len(x), desc="rows"):
        out[i] = x[i] - np.mean(x[i])
    return out
""",
    "items of a progress bar": """
def f(x):
    total = np.zeros(3)
    for row in tqdm(np.abs(x)):
        total = total + np.cross(row, row[::-1])
    return total
""",
    "a progress bar in a comprehension": """
def f(x):
    return np.array([np.linalg.norm(np.sqrt(row)) for row in bars.tqdm(np.abs(x), total=len(x))])
""",
    "a wrapper that nobody knows": """
def f(x):
    out = np.zeros_like(x)
    for i, row in wrap(enumerate(x)):
        out[i] = np.sort(row)[::-1]
    return out
""",
    "spheres": """
def f(size, count, rng):
    image = np.zeros((size, size))
    n = 0
    while n < count:
        x, y = rng.integers(0, size), rng.integers(0, size)
        if image[x, y] == 0:
            image[x, y] = 1
            n += 1
    return image
""",
    "cubes at drawn places": """
def f(shape, r, count):
    image = np.zeros(shape, dtype=bool)
    n = 0
    while n < count:
        place = np.random.randint(0, image.size)
        i, j = np.unravel_index(place, image.shape)
        image[i - r:i + r, j - r:j + r] = True
        n += 1
    return image
""",
    "a queue": """
def f(x, start):
    seen = np.zeros(len(x), dtype=bool)
    queue = [start]
    while len(queue) > 0:
        u = queue.pop(0)
        if seen[u]:
            continue
        seen[u] = True
        queue.extend(np.where(x[u] > 0.9)[0].tolist())
    return seen
""",
    "until it comes back": """
def f(grid):
    i = j = 0
    seen = np.zeros(grid.shape)
    while True:
        seen[i, j] += grid[i, j]
        i = (i + 1) % grid.shape[0]
        j = (j + 3) % grid.shape[1]
        if seen[i, j] > 0:
            break
    return seen
""",
    "single spins": """
def f(spins, n, beta):
    size = spins.shape[0]
    for _ in range(n):
        i, j = np.random.randint(0, size, 2)
        d = 2 * spins[i, j] * (spins[(i + 1) % size, j] + spins[i - 1, j] + spins[i, (j + 1) % size])
        if d <= 0 or np.random.random() < np.exp(-beta * d):
            spins[i, j] *= -1
    return spins
""",
    "pieces out of sight, with a break": """
def f(n):
    best = np.zeros(3)
    for _ in range(n):
        p = pieces(best)
        best = best + 0.1 * (p - best)
        if np.linalg.norm(p - best) < 1e-12:
            break
    return best
""",
    "draws out of sight": """
def f(n):
    points = []
    while len(points) < n:
        q = draw(2)
        if np.sum(q ** 2) < 1:
            points.append(np.sqrt(q))
    return np.array(points)
""",
    "an object that draws": """
def f(model, n):
    total = 0.0
    for _ in range(n):
        q = model.sample()
        total += np.sqrt(np.sum(q ** 2))
        if total > 1e9:
            break
    return total / n
""",
    "an item each, out of sight": """
def f(data, n):
    total = 0.0
    for k in tqdm(range(n)):
        total += np.sqrt(np.sum(propose(data, k) ** 2))
    return total
""",
    "a few numbers, drawn": """
def f(n):
    hits = 0
    for _ in range(n):
        q = np.random.random(3)
        if np.sum(q ** 2) < 1.0:
            hits += 1
    return hits / n
""",
    "a state of three": """
def f(y0, dt, n):
    y = np.array([y0, 0.0, 1.0])
    for _ in range(n):
        dy = np.array([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])
        y = y + dt * dy
    return y
""",
    "a clock and three numbers": """
def f(end, dt):
    y = np.zeros(3)
    t = 0.0
    while t < end:
        y[0] += dt * y[1]
        y[1] -= dt * y[0]
        y[2] += dt * np.sin(t)
        t += dt
    return y
""",
    "a latitude": """
def f(z, p, tol):
    new, old = np.arctan2(z, p), 0.0
    while np.abs(new - old) > tol:
        old = new
        new = np.arctan2(z + 0.0067 * np.sin(old), p)
    return new
""",
    "all elements": """
def f(x):
    total = 0.0
    for v in x.flat:
        total += np.exp(-v)
    return total
""",
    "places by a sentinel": """
def f(read, x):
    total = np.zeros(4)
    for k in iter(read, None):
        total = total + np.sqrt(x[k])
    return total
""",
    "the half with a change": """
def f(x: np.ndarray, v: float):
    if len(x) == 1:
        return 0
    mid = len(x) // 2
    if x[mid] <= v:
        return mid + f(x[mid:], v)
    return f(x[:mid], v)
""",
    "the half with the larger sum": """
def f(x):
    if x.shape[0] < 2:
        return np.sum(x)
    mid = x.shape[0] // 2
    left, right = x[:mid], x[mid:]
    if np.sum(left) > np.sum(right):
        return f(left)
    return f(right)
""",
    "quarters in a loop": """
def f(img, out, tol):
    h, w = img.shape
    if h <= 1 or img.std() < tol:
        out.append(img.mean())
        return
    for part in (img[: h // 2, : w // 2], img[: h // 2, w // 2 :], img[h // 2 :, : w // 2], img[h // 2 :, w // 2 :]):
        f(part, out, tol)
""",
    "quarters by numbers": """
def f(img, tol):
    h, w = img.shape
    if h <= 1 or img.std() < tol:
        return 1
    total = 0
    for i in range(2):
        for j in range(2):
            total += f(img[i * h // 2 : (i + 1) * h // 2, j * w // 2 : (j + 1) * w // 2], tol)
    return total
""",
    "pieces in a comprehension": """
def f(img, tol):
    if np.std(img) < tol:
        return np.mean(img)
    return [f(half, tol) for half in np.array_split(img, 2)]
""",
    "halves": """
def f(x):
    n = len(x)
    if n <= 1:
        return x
    even = f(x[::2])
    odd = f(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + w * odd, even - w * odd])
""",
    "moves of a game": """
def f(board, player):
    if (board != 0).all():
        return 0
    best = -2 * player
    for r, c in zip(*np.where(board == 0)):
        board[r, c] = player
        value = f(board, -player)
        board[r, c] = 0
        if player * value > player * best:
            best = value
    return best
""",
    "items of what another package gives": """
def f(signal, rate):
    low = scipy.signal.lfilter([1, 4, 6, 4, 1], 1, signal)
    highest, places = [], []
    m = 0
    for i in range(len(low)):
        if i < 5 * rate:
            m = 0.6 * np.max(low[: i + 1])
            highest.append(m)
            if len(highest) > 5:
                highest.pop(0)
        else:
            m = np.mean(highest)
        if low[i] > m:
            places.append(i)
    return np.array(places)
""",
    "the last few of a list": """
def f(signal, width):
    low = scipy.signal.lfilter([1, 1], 1, signal)
    last = []
    for i in range(len(low)):
        last.append(low[i])
        if low[i] > np.std(last[-5:]) + np.mean(last):
            return i
    return 0
""",
    "rows of an object's array": """
class Model:
    def f(self):
        for i in range(self.n):
            x = self.x[i, :]
            found = []
            for c in range(self.k):
                found.append(np.log(self.pi[c]) - 0.5 * np.sum((x - self.mu[c, :]) ** 2))
            self.q[i, :] = np.exp(np.array(found) - np.max(found))
""",
    "elements of an object's array, and draws": """
class Model:
    def f(self):
        chrom = self.chrom
        for i in range(self.size):
            for j in range(self.dim):
                r = np.random.random()
                if r <= self.rate:
                    y = chrom[i][j]
                    val = 2.0 * r + (1.0 - 2.0 * r) * (1.0 - y) ** 2
                    chrom[i][j] = min(max(val**0.5 - 1.0, 0), 1)
        return chrom
""",
    "pairs of numbers": """
def f(peaks):
    d = np.abs(np.diff(peaks))
    a, b = np.concatenate([[np.nan], d]), np.concatenate([d, [np.nan]])
    return np.array([np.nanmin(i) for i in list(zip(a.tolist(), b.tolist()))])
""",
    "a lambda for each window": """
def f(x, starts):
    out = []
    for s in starts:
        part = x[s : s + 30]
        h = 0.2 * np.sqrt(np.mean(np.square(part)))
        out.append(len(list(filter(lambda p: np.abs(part[p]) > h * np.max(part), range(30)))))
    return np.array(out)
""",
    "windows with weights": """
def f(signal, window, step):
    n = int(np.ceil((len(signal) - window) / step))
    line, norm = np.zeros((len(signal), 1)), np.zeros((len(signal), 1))
    fit = np.zeros((n, window))
    w = np.arange(1, window + 1) / window
    for j in range(0, n):
        part = signal[step * j : step * j + window]
        fit[j, :] = np.multiply(np.arange(1, window + 1), np.mean(part)) + np.mean(np.multiply(w, part))
        line[j * step : j * step + window] = line[j * step : j * step + window] + np.reshape(
            np.multiply(fit[j, :], w), (window, 1)
        )
        norm[j * step : j * step + window] = norm[j * step : j * step + window] + np.reshape(w, (window, 1))
    return line / norm
""",
    "windows of so many seconds": """
def f(peaks, table, rate=250, seconds=0.3, row=2):
    onsets = []
    for i in range(len(peaks)):
        start, end = peaks[i] - int(seconds * rate), peaks[i]
        if np.isnan(start):
            continue
        part = table[row + 1, start:end]
        found, _ = scipy.signal.find_peaks(part)
        onsets.append(np.where(part[: found[-1]] < 0.4 * part[found[-1]])[0][-1] + start)
    return onsets
""",
    "a place that a list holds": """
def f(x, n):
    weight = np.abs(x)
    places = [0]
    level = np.max(weight) * 0.25
    for i in range(n):
        if weight[i] > level:
            places.append(i)
            level = 0.125 * weight[places[-1]] + 0.875 * level
    return np.array(places)
""",
    "rows of an object's arrays, with an epsilon": """
class Model:
    def f(self):
        eps = np.finfo(float).eps
        total = 0.0
        for i in range(self.n):
            for c in range(self.k):
                z = self.q[i, c]
                total += z * (np.log(self.pi[c] + eps) - np.sum((self.x[i, :] - self.mu[c, :]) ** 2))
        return total
""",
}
MIGRATES = {
    "a clock": """
def f(u, end, dt):
    t = 0.0
    while t < end:
        u = u + dt * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
        t += dt
    return u
""",
    "steps of a progress bar": """
def f(u, steps):
    for _ in tqdm(range(steps)):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
    return u
""",
    "a history of sums by a progress bar": """
def f(u, steps):
    energy = np.zeros(steps)
    for t in tqdm(range(steps)):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) - 2 * u)
        energy[t] = np.sum(u ** 2)
    return energy
""",
    "a fixed point": """
def f(x, tol):
    err = 1.0
    while err > tol:
        new = np.cos(x)
        err = np.max(np.abs(new - x))
        x = new
    return x
""",
    "until nothing moves": """
def f(u, tol):
    while True:
        new = 0.5 * (np.roll(u, 1) + np.roll(u, -1))
        if np.max(np.abs(new - u)) < tol:
            break
        u = new
    return u
""",
    "power iteration": """
def f(a, n, tol):
    v = np.ones(a.shape[0])
    for _ in trange(n):
        w = a @ v
        w = w / np.linalg.norm(w)
        if np.linalg.norm(w - v) < tol:
            break
        v = w
    return v
""",
    "conjugate gradients": """
def f(a, b, tol):
    x = np.zeros_like(b)
    r = b - a @ x
    q = r
    rs = r @ r
    while np.sqrt(rs) > tol:
        ap = a @ q
        alpha = rs / (q @ ap)
        x = x + alpha * q
        r = r - alpha * ap
        new = r @ r
        q = r + (new / rs) * q
        rs = new
    return x
""",
    "gradient descent": """
def f(x, y, w, n):
    for _ in range(n):
        g = x.T @ (x @ w - y) / len(y)
        w = w - 0.1 * g
        if np.linalg.norm(g) < 1e-6:
            break
    return w
""",
    "scaling by turns": """
def f(k, a, b, n):
    u = np.ones_like(a)
    it = 0
    while it < n:
        v = b / (k.T @ u)
        u = a / (k @ v)
        it += 1
    return u[:, None] * k * v
""",
    "bodies by a progress bar": """
def f(x, v, steps, dt):
    for _ in track(range(steps)):
        d = x[:, None, :] - x[None, :, :]
        r = np.sqrt(np.sum(d ** 2, axis=-1) + 0.01)
        v = v - dt * np.sum(d / r[:, :, None] ** 3, axis=1)
        x = x + dt * v
    return x
""",
    "many walkers": """
def f(n, steps, dt):
    x = np.zeros((n, 3))
    for _ in tqdm(range(steps)):
        x = x - dt * x + np.sqrt(dt) * np.random.standard_normal((n, 3))
    return x.mean(axis=0)
""",
    "a hook that is told": """
def f(u, steps):
    for t in range(steps):
        u = u + 0.1 * (np.roll(u, 1) - u)
        if t % 5 == 0:
            notify(t)
    return u
""",
    "batches out of sight": """
def f(w, n):
    for _ in range(n):
        x, y = draw(n)
        w = w - 0.1 * (x.T @ (x @ w - y))
    return w
""",
    "a few channels of a progress bar": """
def f(x):
    return np.stack([np.fft.fft2(x[..., c]) for c in tqdm(range(3))])
""",
    "a line through points": """
def f(x, y, n, rate):
    line = np.array([0.0, 1.0])
    slope, offset = 1.0, 0.0
    for _ in range(n):
        e = line[0] + line[1] * x + offset + slope * x - y
        line = line - rate * np.array([np.mean(e), np.mean(e * x)])
        slope, offset = slope - rate * np.mean(e * x), offset - rate * np.mean(e)
    return line, slope, offset
""",
    "a cycle over coarser grids": """
def f(u, b, h):
    u = u + 0.2 * h * (b - u)
    if u.shape[0] <= 5:
        return u
    r = b - np.roll(u, 1)
    coarse = r[::2, ::2]
    e = f(np.zeros_like(coarse), coarse, 2 * h)
    e = f(e, coarse, 2 * h)
    return u + np.kron(e, np.ones((2, 2)))
""",
    "a cycle over coarser grids, in a loop": """
def f(u, b, h):
    u = u + 0.2 * h * (b - u)
    if u.shape[0] <= 5:
        return u
    r = b - np.roll(u, 1)
    e = np.zeros_like(r[::2, ::2])
    for _ in range(2):
        e = f(e, r[::2, ::2], 2 * h)
    return u + np.kron(e, np.ones((2, 2)))
""",
    "a polynomial by recursion over its coefficients": """
def f(c, t):
    if c.size == 1:
        return c[0] * np.ones_like(t)
    return c[0] + t * f(c[1:], t)
""",
    "a basis by recursion": """
def f(x, k, i):
    if k == 0:
        return np.where((x >= i) & (x < i + 1), 1.0, 0.0)
    return (x - i) / k * f(x, k - 1, i) + (i + k + 1 - x) / k * f(x, k - 1, i + 1)
""",
    "an object's list of arrays": """
class Model:
    def __init__(self, ws):
        self.w, self.k = [], len(ws)
        for w in ws:
            self.w.append(np.asarray(w))

    def f(self):
        found = []
        for i in range(self.k):
            c = np.sqrt(self.w[i])
            found.append(np.ones_like(c) * c - np.dot(c.T, c))
        return found
""",
    "arrays of layers": """
class Model:
    def f(self, x):
        for layer in self.layers:
            x = np.maximum(np.dot(x, layer.w) + layer.b, 0.0)
        return x
""",
    "what is left of a matrix": """
def f(a):
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a
""",
    "an object's whole array by a number": """
class Model:
    def f(self):
        for i in range(self.n):
            self.total = self.total + np.sum(np.exp(-self.x * self.rates[i, 0]))
""",
    "products with an object's list of matrices": """
class Model:
    def __init__(self, xs):
        self.x, self.k = [], len(xs)
        for x in xs:
            self.x.append(np.asarray(x))

    def f(self):
        found, at = [], 0
        for i in range(self.k):
            n = self.x[i].shape[1]
            found.append(np.exp(self.x[i] @ self.beta[at : at + n]))
            at += n
        return found
""",
}


def report_of(text: str, **options: object) -> FileReport:
    return analyze(Source("m.py", HEAD + text), Config(rewrite=True, **options))  # type: ignore[arg-type]


def is_f(qualname: str) -> bool:
    return qualname in ("f", "Model.f")


def state_of(report: FileReport) -> RegionState:
    (state,) = [region.state for region in report.regions if is_f(region.qualname)]
    return state


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_small_work_in_any_loop_stays_numpy_and_says_so(text: str) -> None:
    report = report_of(text)
    assert state_of(report) is RegionState.KEPT
    assert {finding.code for finding in report.findings if is_f(finding.region)} & SLOW
    assert state_of(report_of(text, slow="convert")) is RegionState.CONVERTIBLE


@pytest.mark.parametrize("text", MIGRATES.values(), ids=MIGRATES.keys())
def test_work_on_whole_arrays_migrates_in_any_loop(text: str) -> None:
    report = report_of(text)
    assert state_of(report) is RegionState.CONVERTIBLE
    assert not {finding.code for finding in report.findings if is_f(finding.region)} & SLOW


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pieces out of sight, with a break", "nobody can see"),
        ("a state of three", "a few numbers at a time"),
        ("items of a progress bar", "one part of an array after the other"),
        ("halves", "f calls itself for parts"),
    ],
)
def test_the_finding_names_what_is_slow(name: str, words: str) -> None:
    told = [it for it in report_of(KEPT[name]).findings if it.region == "f" and it.code in SLOW]
    assert any(words in finding.message for finding in told)
    assert all("--slow convert" in finding.message for finding in told)


def test_what_reads_files_gives_much() -> None:
    body = """
def f(n):
    total = 0.0
    for k in range(n):
        total += np.sum(np.sqrt({}(f"{k}.png")))
    return total
"""
    assert state_of(report_of(body.replace("{}", "imread"))) is RegionState.CONVERTIBLE
    assert state_of(report_of(body.replace("{}", "draw"))) is RegionState.KEPT
