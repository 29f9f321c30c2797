"""What ``device_model.py`` counts: single functions and whole programs, in NumPy and written by hand for tnp.

A program by hand takes ndarrays and gives ndarrays, as the rewritten one does, and keeps tensors in between: each array
goes up once, and results come down once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

FUNCTIONS = """
import numpy as np

def scaled(x):
    x = np.asarray(x)
    return x * 2.0 + 1.0

def total(x):
    return np.sum(x)

def stencil(u):
    new = u.copy()
    new[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
    return new

def stencils(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        u = new
    return u

def product(a, b):
    return a @ b

def spectrum(x):
    return np.fft.rfft(x)

def stored_by_index(x, idx, v):
    x, idx, v = np.asarray(x), np.asarray(idx), np.asarray(v)
    y = x.copy()
    y[idx] = v
    return y

def taken_by_index(x, idx):
    return np.asarray(x)[np.asarray(idx)]

def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))

def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)

def normalised(x):
    return (x - np.mean(x)) / np.std(x)

def clipped(x):
    return np.clip(x, -1.0, 1.0)

def remainders(x, y):
    return np.asarray(x) % np.asarray(y)

def lengths(x, y):
    return np.hypot(x, y)

def masked(x):
    x = np.asarray(x)
    y = x.copy()
    y[x < 0.0] = 0.0
    return y

def ordered(x):
    return np.sort(x)
"""

HAND_FUNCTIONS = """
def scaled(x):
    return x * 2.0 + 1.0

def total(x):
    return tnp.sum(x)

def stencil(u):
    inner = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
    return tf.concat([u[:1], inner, u[-1:]], 0)

def stencils(u, steps):
    for _ in range(steps):
        u = tf.concat([u[:1], 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:], u[-1:]], 0)
    return u

def product(a, b):
    return tf.matmul(a, b)

def spectrum(x):
    return tf.signal.rfft(x)

def stored_by_index(x, idx, v):
    return tf.tensor_scatter_nd_update(x, idx[:, None], v)

def taken_by_index(x, idx):
    return tf.gather(x, idx)

def sigmoid(x):
    return 1.0 / (1.0 + tnp.exp(-x))

def softmax(x):
    e = tnp.exp(x - tnp.max(x))
    return e / tnp.sum(e)

def normalised(x):
    return (x - tnp.mean(x)) / tnp.std(x)

def clipped(x):
    return tf.clip_by_value(x, -1.0, 1.0)

def remainders(x, y):
    return tf.math.floormod(x, y)

def lengths(x, y):
    return tnp.hypot(x, y)

def masked(x):
    return tf.where(x < 0.0, tf.zeros_like(x), x)

def ordered(x):
    return tf.sort(x)
"""


@dataclass(frozen=True)
class Subject:
    """One function or program: what it is called with for about `n` elements, and what it is compiled as by hand."""

    name: str
    arguments: Callable[[int, np.random.Generator], tuple[Any, ...]]
    text: str = FUNCTIONS
    hand: str = HAND_FUNCTIONS

    @property
    def is_program(self) -> bool:
        return self.text is not FUNCTIONS


def _edge(n: int) -> int:
    return max(2, int(n**0.5))


def _square(n: int, rng: np.random.Generator) -> Any:
    return rng.normal(size=(_edge(n), _edge(n)))


SUBJECTS = [
    Subject("scaled", lambda n, rng: (rng.normal(size=n),)),
    Subject("total", lambda n, rng: (rng.normal(size=n),)),
    Subject("stencil", lambda n, rng: (rng.normal(size=n),)),
    Subject("stencils", lambda n, rng: (rng.normal(size=n), 100)),
    Subject("product", lambda n, rng: (_square(n, rng), _square(n, rng))),
    Subject("spectrum", lambda n, rng: (rng.normal(size=n),)),
    Subject("stored_by_index", lambda n, rng: (rng.normal(size=n), rng.permutation(n), rng.normal(size=n))),
    Subject("taken_by_index", lambda n, rng: (rng.normal(size=n), rng.permutation(n))),
    Subject("sigmoid", lambda n, rng: (rng.normal(size=n),)),
    Subject("softmax", lambda n, rng: (rng.normal(size=n),)),
    Subject("normalised", lambda n, rng: (rng.normal(size=n),)),
    Subject("clipped", lambda n, rng: (rng.normal(size=n),)),
    Subject("remainders", lambda n, rng: (rng.normal(size=n), rng.normal(size=n) + 5.0)),
    Subject("lengths", lambda n, rng: (rng.normal(size=n), rng.normal(size=n))),
    Subject("masked", lambda n, rng: (rng.normal(size=n),)),
    Subject("ordered", lambda n, rng: (rng.normal(size=n),)),
]

# --- Whole programs: `main` is what the benchmark calls


def _program(name: str, arguments: Callable[[int, np.random.Generator], tuple[Any, ...]], text: str, hand: str) -> None:
    SUBJECTS.append(Subject(name, arguments, f"import numpy as np\n{text}", hand))


_program(
    "option pricing",
    lambda n, rng: (rng.normal(size=(max(1, n // 50), 50)), 100.0, 105.0),
    """
def simulate(draws, start, rate, sigma, dt):
    steps = (rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * draws
    return start * np.exp(np.cumsum(steps, axis=1))

def payoff(paths, strike):
    return np.maximum(np.mean(paths, axis=1) - strike, 0.0)

def price(values, rate, years):
    discounted = np.exp(-rate * years) * values
    return np.mean(discounted), np.std(discounted)

def main(draws, start, strike):
    paths = simulate(draws, start, 0.03, 0.2, 0.02)
    values = payoff(paths, strike)
    return price(values, 0.03, 1.0)
""",
    """
def main(draws, start, strike):
    steps = (0.03 - 0.5 * 0.2**2) * 0.02 + 0.2 * 0.02**0.5 * draws
    paths = start * tnp.exp(tf.cumsum(steps, axis=1))
    values = tnp.maximum(tnp.mean(paths, axis=1) - strike, 0.0)
    discounted = tnp.exp(-0.03) * values
    return tnp.mean(discounted), tnp.std(discounted)
""",
)
_program(
    "layer training",
    lambda n, rng: (rng.normal(size=(max(8, n // 64), 64)), rng.normal(size=(max(8, n // 64), 8))),
    """
class Network:
    def __init__(self, inputs, hidden, outputs):
        rng = np.random.default_rng(0)
        self.w1 = rng.normal(size=(inputs, hidden)) * 0.1
        self.b1 = np.zeros(hidden)
        self.w2 = rng.normal(size=(hidden, outputs)) * 0.1
        self.b2 = np.zeros(outputs)

    def forward(self, x):
        self.h = np.tanh(x @ self.w1 + self.b1)
        return self.h @ self.w2 + self.b2

    def backward(self, x, error, rate):
        grad_h = (error @ self.w2.T) * (1.0 - self.h**2)
        self.w2 -= rate * (self.h.T @ error)
        self.b2 -= rate * np.sum(error, axis=0)
        self.w1 -= rate * (x.T @ grad_h)
        self.b1 -= rate * np.sum(grad_h, axis=0)

def loss_of(error):
    return np.mean(error**2)

def train(network, x, y, epochs, rate):
    losses = []
    for _ in range(epochs):
        error = network.forward(x) - y
        losses.append(loss_of(error))
        network.backward(x, error / len(x), rate)
    return losses

def main(x, y):
    network = Network(x.shape[1], 64, y.shape[1])
    losses = train(network, x, y, 20, 0.1)
    return losses, network.w1, network.w2
""",
    """
def main(x, y):
    rng = np.random.default_rng(0)
    w1 = tf.constant(rng.normal(size=(x.shape[1], 64)) * 0.1)
    b1 = tf.zeros(64, tf.float64)
    w2 = tf.constant(rng.normal(size=(64, y.shape[1])) * 0.1)
    b2 = tf.zeros(y.shape[1], tf.float64)
    losses = []
    for _ in range(20):
        h = tnp.tanh(tf.matmul(x, w1) + b1)
        error = tf.matmul(h, w2) + b2 - y
        losses.append(tnp.mean(error**2))
        error = error / x.shape[0]
        grad = tf.matmul(error, w2, transpose_b=True) * (1.0 - h**2)
        w2 = w2 - 0.1 * tf.matmul(h, error, transpose_a=True)
        b2 = b2 - 0.1 * tnp.sum(error, axis=0)
        w1 = w1 - 0.1 * tf.matmul(x, grad, transpose_a=True)
        b1 = b1 - 0.1 * tnp.sum(grad, axis=0)
    return tf.stack(losses), w1, w2
""",
)
_program(
    "heat",
    lambda n, rng: (_square(n, rng), 30),
    """
def step(u, rate):
    new = u.copy()
    new[1:-1, 1:-1] = u[1:-1, 1:-1] + rate * (
        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    )
    return new

def energy(u):
    return np.sum(u**2)

def hottest(u):
    return np.max(u)

def main(u, steps):
    history = []
    for number in range(steps):
        u = step(u, 0.2)
        if number % 10 == 0:
            history.append((float(energy(u)), float(hottest(u))))
    return u, history
""",
    """
def main(u, steps):
    history = []
    for number in range(steps):
        inner = u[1:-1, 1:-1] + 0.2 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        )
        middle = tf.concat([u[1:-1, :1], inner, u[1:-1, -1:]], 1)
        u = tf.concat([u[:1], middle, u[-1:]], 0)
        if number % 10 == 0:
            history.append((tnp.sum(u**2), tnp.max(u)))
    return u, history
""",
)
_program(
    "k-means",
    lambda n, rng: (rng.normal(size=(max(8, n // 4), 4)), 8, 10),
    """
def distances(points, centers):
    squares = np.sum(points**2, axis=1)[:, None] + np.sum(centers**2, axis=1)
    return squares - 2.0 * points @ centers.T

def assign(points, centers):
    return np.argmin(distances(points, centers), axis=1)

def update(points, labels, k):
    chosen = (labels[:, None] == np.arange(k)).astype(float)
    counts = np.maximum(np.sum(chosen, axis=0), 1.0)
    return (chosen.T @ points) / counts[:, None]

def main(points, k, rounds):
    centers = points[:k].copy()
    for _ in range(rounds):
        labels = assign(points, centers)
        centers = update(points, labels, k)
    return centers, labels
""",
    """
def main(points, k, rounds):
    centers = points[:k]
    for _ in range(rounds):
        squares = tnp.sum(points**2, axis=1)[:, None] + tnp.sum(centers**2, axis=1)
        labels = tnp.argmin(squares - 2.0 * tf.matmul(points, centers, transpose_b=True), axis=1)
        chosen = tf.one_hot(labels, k, dtype=tf.float64)
        counts = tnp.maximum(tnp.sum(chosen, axis=0), 1.0)
        centers = tf.matmul(chosen, points, transpose_a=True) / counts[:, None]
    return centers, labels
""",
)
_program(
    "image pipeline",
    lambda n, rng: (rng.uniform(size=(_edge(n // 3), _edge(n // 3), 3)),),
    """
def gray(image):
    return 0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]

def blur(image):
    rows = 0.25 * image[:-2] + 0.5 * image[1:-1] + 0.25 * image[2:]
    return 0.25 * rows[:, :-2] + 0.5 * rows[:, 1:-1] + 0.25 * rows[:, 2:]

def edges(image):
    across = image[1:-1, 2:] - image[1:-1, :-2]
    down = image[2:, 1:-1] - image[:-2, 1:-1]
    return np.sqrt(across**2 + down**2)

def normalise(image):
    low, high = np.min(image), np.max(image)
    return (image - low) / (high - low)

def main(image):
    smooth = blur(blur(gray(image)))
    return np.where(normalise(edges(smooth)) > 0.2, 1.0, 0.0)
""",
    """
def blur(image):
    rows = 0.25 * image[:-2] + 0.5 * image[1:-1] + 0.25 * image[2:]
    return 0.25 * rows[:, :-2] + 0.5 * rows[:, 1:-1] + 0.25 * rows[:, 2:]

def main(image):
    smooth = blur(blur(0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]))
    across = smooth[1:-1, 2:] - smooth[1:-1, :-2]
    down = smooth[2:, 1:-1] - smooth[:-2, 1:-1]
    edges = tnp.sqrt(across**2 + down**2)
    low, high = tnp.min(edges), tnp.max(edges)
    return tf.where((edges - low) / (high - low) > 0.2, tf.ones((), tf.float64), tf.zeros((), tf.float64))
""",
)
_program(
    "beam propagation",
    lambda n, rng: (_square(n, rng) + 0j, rng.uniform(size=(_edge(n), _edge(n))), 20),
    """
def transfer(field, dz):
    fx = np.fft.fftfreq(field.shape[0])
    fy = np.fft.fftfreq(field.shape[1])
    return np.exp(-1j * dz * (fx[:, None] ** 2 + fy**2))

def diffract(field, kernel):
    return np.fft.ifft2(np.fft.fft2(field) * kernel)

def lens(field, index, dz):
    return field * np.exp(1j * dz * index)

def power(field):
    return np.sum(np.abs(field) ** 2)

def main(field, index, steps):
    kernel = transfer(field, 0.5)
    powers = []
    for _ in range(steps):
        field = lens(diffract(field, kernel), index, 0.5)
        powers.append(power(field))
    return field, powers
""",
    """
def main(field, index, steps):
    fx, fy = (tf.constant(np.fft.fftfreq(n)) for n in field.shape)
    kernel = tf.exp(tf.complex(tf.zeros((), tf.float64), -0.5 * (fx[:, None] ** 2 + fy**2)))
    turn = tf.exp(tf.complex(tf.zeros((), tf.float64), 0.5 * index))
    powers = []
    for _ in range(steps):
        field = tf.signal.ifft2d(tf.signal.fft2d(field) * kernel) * turn
        powers.append(tnp.sum(tf.math.real(field) ** 2 + tf.math.imag(field) ** 2))
    return field, tf.stack(powers)
""",
)
