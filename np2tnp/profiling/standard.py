"""The program of ``profile --suite basics``: five standard operations as people write them in NumPy.

Only its text is used: np2tnp rewrites it as any other program, so that what is timed is what users get.
"""

import numpy as np


def sort(x):
    """x sorted."""
    return np.sort(x)


def matmul(a, b):
    """The product of two matrices."""
    return np.matmul(a, b)


def tanh(x):
    """The hyperbolic tangent of each element."""
    return np.tanh(x)


def fft(x):
    """The discrete Fourier transform of x."""
    return np.fft.fft(x)


def sigmoid(x):
    """1 / (1 + exp(-x)) of each element."""
    return 1 / (1 + np.exp(-x))
