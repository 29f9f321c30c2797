"""Functions that are defined in a function and only called there get what these calls give them.

Where all calls give an array the body is plain code of tnp's; where one gives something else, or nobody sees all calls,
it is what it was. Values are NumPy's in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("tensorflow")

from advised import told_apart  # noqa: E402

from np2tnp.config import Config  # noqa: E402
from np2tnp.engine import analyze  # noqa: E402
from np2tnp.files.source import Source  # noqa: E402

TEXT = '''
import numpy as np


class Scale:
    """Its operator tells who stands beside it."""

    def __mul__(self, other):
        return type(other).__name__

    __rmul__ = __mul__


def kernel(points, queries, width):
    def phi(a, b):
        r2 = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=-1)
        return np.exp(-r2 / width**2)

    return phi(queries, points) @ np.ones(len(points)), phi(b=points, a=points)


def by_name(x):
    z = np.cos(x)

    def scaled(a, b=3):
        return a * b

    return scaled(z), scaled(z, 4), scaled(b=2, a=z)


def two_kinds(x):
    z = np.cos(x)

    def product(a, b):
        return a * b

    return product(z, z), product(Scale(), z)


def starred(x):
    z = np.cos(x)
    both = [Scale(), z]

    def product(a, b):
        return a * b

    return product(*both), product(z, z)


def handed_on(x):
    z = np.cos(x)

    def double(a):
        return a * 2

    return list(map(double, ["a", 3])), double(z)


def another_name(x):
    z = np.cos(x)

    def product(a, b):
        return a * b

    same = product
    return product(z, z), same(Scale(), z)


def later(x):
    z = np.cos(x)

    def times(a, b):
        for k in range(2):
            yield a * b * k

    steps = times(z, z)
    z[0] = 5
    return list(steps)


def updated(x):
    z = np.cos(x)

    def shifted(a):
        a[0] = 7.0
        a += 1
        return a

    return shifted(z), z


def rebound(x):
    z = np.cos(x)

    def centred(a):
        return a - np.mean(a)

    whole = centred(z)
    z = z[0]
    return whole, centred(z)


def asked_later(x):
    z, w = np.cos(x), np.sin(x)

    def product(a):
        return a * w

    steps = (product(z) for _ in range(2))
    z = Scale()
    return list(steps)


def asked_by_a_generator(x):
    z, w = np.cos(x), np.sin(x)

    def product(a):
        return a * w

    def steps():
        yield product(z)

    made = steps()
    z = Scale()
    return list(made)


def bound_again(x):
    z, w = np.cos(x), np.sin(x)

    def product(a):
        return a * w

    def through():
        return product(z)

    first = through()
    z = Scale()
    return first, through()


def of_a_subclass(x):
    z, w = np.ma.masked_greater(np.atleast_1d(x), 1.0), np.sin(x)

    def product(a):
        return a * w

    return np.ma.filled(product(z), -1.0)


def by_itself(x):
    z = np.cos(x)

    def again(a, n):
        return a if n == 0 else again(a * 2 - 1, n - 1)

    return again(z, 3)


def without_axes(x):
    z = np.sum(x)

    def doubled(a):
        return a * 2, str(a), type(a * 2).__name__

    return doubled(z), doubled(np.array(3.0))


def of_defaults(x):
    z = np.cos(x)

    def summed(a, b=z):
        b[0] += 1
        return a + b

    return summed(z), summed(z, np.ones(4)), z
'''
POINTS = np.arange(12.0).reshape(4, 3) / 7


def rewritten(**options: Any) -> str:
    report = analyze(Source("nested.py", TEXT), Config(rewrite=True, above=0, slow="convert", **options))
    assert report.new_text is not None
    return report.new_text


def body_of(name: str, text: str) -> str:
    """The text of a migrated function."""
    return text.partition(f"def {name}(")[2].partition("\n\n\n")[0]


@pytest.mark.parametrize("name", ["kernel", "by_name"])
def test_what_only_gets_arrays_is_plain(name: str) -> None:
    text = rewritten()
    assert "rt." not in body_of(name, text)
    assert "@rt" in text.partition(f"def {name}(")[0].rstrip().rpartition("\n\n")[2]


@pytest.mark.parametrize("name", ["two_kinds", "starred"])
def test_whoever_may_get_something_else_keeps_the_exact_operator(name: str) -> None:
    assert "return rt.op_mul(a, b)" in body_of(name, rewritten())


ARGUMENTS: dict[str, Callable[[], list[Any]]] = {
    "floats": lambda: [np.linspace(0.1, 1.6, 4)],
    "integers": lambda: [np.arange(4)],
    "number": lambda: [2.5],
    "list": lambda: [[0.5, 1.0]],
}
NAMES = (
    "by_name two_kinds starred handed_on another_name later updated rebound asked_later asked_by_a_generator"
    " bound_again of_a_subclass by_itself without_axes of_defaults".split()
)


def _outcome(function: Any, arguments: list[Any]) -> Any:
    try:
        return told_apart(function(*arguments))
    except (TypeError, IndexError, ValueError) as error:
        return type(error)


@pytest.fixture(scope="module")
def spaces() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"__name__": "nested_before"}, {"__name__": "nested"}]
    exec(TEXT, found[0])
    exec(rewritten(), found[1])
    return found


@pytest.mark.parametrize("given", ARGUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_numpy(name: str, given: str, spaces: list[dict[str, Any]]) -> None:
    old, new = (_outcome(space[name], ARGUMENTS[given]()) for space in spaces)
    assert old == new


def test_a_kernel_of_two_sets_of_points(spaces: list[dict[str, Any]]) -> None:
    old, new = (space["kernel"](POINTS, POINTS[:2] + 0.1, 0.7) for space in spaces)
    for one, other in zip(old, new, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-14)
