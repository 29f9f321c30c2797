"""What blocks a region says what the user can change, where anything can be."""

from __future__ import annotations

import itertools
import textwrap
import warnings
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

BLOCKED = {
    "async def f(x):\n    return np.exp(x)\n": "move its work on arrays into a function of its own",
    "def f(x: np.ndarray):\n    with np.errstate(divide='raise'):\n        return 1 / x\n": "test values instead",
    "def f(x):\n    y = np.exp(x)\n    return y.ctypes.data, y\n": "move what needs it into a function of its own",
    "def f(x):\n    return np.exp(x).astype(np.longdouble)\n": "use float64",
    "def f(x):\n    y = np.exp(x)\n    return y.sort(), y\n": "give it a statement of its own",
    "def f(x):\n    y = np.exp(x)\n    z = y.ravel()\n    z[0] = 1\n    return y\n": "store through y instead",
    "def f(x):\n    y = np.exp(x)\n    s = y.strides[0]\n"
    "    return np.lib.stride_tricks.as_strided(y, (len(y) - 2, 3), (s, s)).sum(axis=1)\n": "sliding_window_view makes",
    "import numba\n\n\n@numba.njit\ndef f(x):\n    return np.sum(x)\n": "would migrate without that",
    "def f(x):\n    got = yield np.exp(x)\n    x[:] = got\n": "move its work on arrays into a function of its own",
}


@pytest.mark.parametrize("text", BLOCKED, ids=range(len(BLOCKED)))
def test_a_block_says_what_unblocks(text: str) -> None:
    report = analyze(Source("m.py", f"import numpy as np\n\n\n{text}"), Config(rewrite=True))
    (region,) = (region for region in report.regions if region.qualname == "f")
    assert region.state.value == "blocked"
    assert any(BLOCKED[text] in reason for reason in region.reasons), region.reasons


#: Code → a function as it blocks or stays, words of the advice, and the function that follows it.
ADVICE = {
    "TNP109": (
        """
        def f(x, y):
            x *= np.exp(y)
            if y[0] > 9:
                raise ValueError
            return x.sum()
        """,
        "raise it before",
        """
        def f(x, y):
            if y[0] > 9:
                raise ValueError
            x *= np.exp(y)
            return x.sum()
        """,
    ),
    "TNP201": (
        """
        def f(x, y):
            a = np.exp(x)
            d = np.diag(a)
            d.flags.writeable = True
            d[:] = y
            return a
        """,
        "store through a instead",
        """
        def f(x, y):
            a = np.exp(x)
            i = np.arange(len(a))
            a[i, i] = y
            return a
        """,
    ),
    "TNP206": (
        """
        def f(x, y):
            z = np.exp(x)
            warnings.warn("slow", stacklevel=2)
            return z @ y
        """,
        "move the array work into a function of its own",
        """
        def work(x, y):
            return np.exp(x) @ y


        def f(x, y):
            warnings.warn("slow", stacklevel=2)
            return work(x, y)
        """,
    ),
    "TNP206 assertion": (
        """
        def check(z):
            if z[0] > 1:
                raise ValueError
            z[0] = 9


        def f(x, y):
            z = np.exp(y)
            np.testing.assert_raises(ValueError, check, z)
            return z * x
        """,
        "write `with np.testing.assert_raises(ValueError): check(...)`",
        """
        def check(z):
            if z[0] > 1:
                raise ValueError
            z[0] = 9


        def f(x, y):
            z = np.exp(y)
            with np.testing.assert_raises(ValueError):
                check(z)
            return z * x
        """,
    ),
    "TNP204": (
        """
        def f(x, y):
            z = np.exp(x)
            return z, z.strides[0] // z.itemsize
        """,
        "move what needs it into a function of its own",
        """
        def step(z):
            return z.strides[0] // z.itemsize


        def f(x, y):
            z = np.exp(x)
            return z, step(z)
        """,
    ),
    "TNP204 windows": (
        """
        def f(x, y):
            z = np.exp(y)
            s = z.strides[0]
            w = np.lib.stride_tricks.as_strided(z, (len(z) - 2, 3), (s, s))
            return w.sum(axis=1)
        """,
        "sliding_window_view makes",
        """
        def f(x, y):
            return np.lib.stride_tricks.sliding_window_view(np.exp(y), 3).sum(axis=1)
        """,
    ),
    "TNP207": (
        """
        def f(x, y):
            z = np.exp(y)
            return z, z.ravel()
        """,
        "return np.array(...) of one",
        """
        def f(x, y):
            z = np.exp(y)
            return z, np.array(z.ravel())
        """,
    ),
    "TNP207 items": (
        """
        import itertools


        def f(x, y):
            z = np.exp(y)
            parts = itertools.chain([z.ravel()], [x])
            return parts
        """,
        "return [np.array(item) for item in parts]",
        """
        import itertools


        def f(x, y):
            z = np.exp(y)
            parts = itertools.chain([z.ravel()], [x])
            return [np.array(item) for item in parts]
        """,
    ),
    "TNP207 kept": (
        """
        class Last:
            pass


        last = Last()


        def f(x, y):
            z = np.exp(y)
            last.held = z.reshape(4, 10)
            return z
        """,
        "return np.array(z)",
        """
        class Last:
            pass


        last = Last()


        def f(x, y):
            z = np.exp(y)
            last.held = z.reshape(4, 10)
            return np.array(z)
        """,
    ),
    "TNP401": (
        """
        def f(x, y):
            z = np.exp(y)
            try:
                for i in range(3):
                    z[i] = np.log(x[i, 0]) / y[i + 1]
            except ValueError:
                z = y
            return z * 2
        """,
        "move what is tried into a function that gives back new arrays",
        """
        def fill(z, x, y):
            z = z.copy()
            for i in range(3):
                z[i] = np.log(x[i, 0]) / y[i + 1]
            return z


        def f(x, y):
            z = np.exp(y)
            try:
                z = fill(z, x, y)
            except ValueError:
                z = y
            return z * 2
        """,
    ),
    "TNP401 updates": (
        """
        def fill(z, x, y):
            z[:3] = np.log(x[:3, 0]) / y[1:4]


        def f(x, y):
            z = np.exp(y)
            try:
                fill(z, x, y)
            except ValueError:
                z = y
            return z * 2
        """,
        "let it give back new arrays",
        """
        def filled(z, x, y):
            z = z.copy()
            z[:3] = np.log(x[:3, 0]) / y[1:4]
            return z


        def f(x, y):
            z = np.exp(y)
            try:
                z = filled(z, x, y)
            except ValueError:
                z = y
            return z * 2
        """,
    ),
    "TNP406": (
        """
        def f(x, y):
            with np.errstate(divide="raise"):
                try:
                    return np.log(x) / y
                except FloatingPointError:
                    return x
        """,
        "test values instead",
        """
        def f(x, y):
            if np.any(y == 0):
                return x
            return np.log(x) / y
        """,
    ),
    "TNP503": (
        """
        def f(x, y, looks):
            z = np.exp(y)
            return [look(z[1:]) for look in looks], z + 1
        """,
        "pass a copy",
        """
        def f(x, y, looks):
            z = np.exp(y)
            return [np.array(look(z[1:].copy())) for look in looks], z + 1
        """,
    ),
    "TNP511": (
        """
        def f(x, y):
            z = np.zeros(x.shape)
            for i in range(3):
                z = np.maximum(z, x * i)
            print("done")
            return z
        """,
        "return np.asarray(z) of an array",
        """
        def f(x, y):
            z = np.zeros(x.shape)
            for i in range(3):
                z = np.maximum(z, x * i)
            print("done")
            return np.asarray(z)
        """,
    ),
    "TNP704": (
        """
        def f(x, y):
            z = np.zeros((40, 40))
            for i, v in enumerate(y):
                z[i] = np.exp(x[i]) * v
            return z
        """,
        "work on whole arrays",
        """
        def f(x, y):
            return np.exp(x) * y[:, None]
        """,
    ),
    "TNP705": (
        """
        def f(x, y):
            return np.exp(y) * max(np.sqrt(y))
        """,
        "use np.max",
        """
        def f(x, y):
            return np.exp(y) * np.max(np.sqrt(y))
        """,
    ),
    "TNP705 sum": (
        """
        def f(x, y):
            return sum(np.exp(x))
        """,
        "use np.sum(..., axis=0)",
        """
        def f(x, y):
            return np.sum(np.exp(x), axis=0)
        """,
    ),
    "TNP705 tuple": (
        """
        def f(x, y):
            return np.exp(y), tuple(np.exp(y))
        """,
        "give it what .tolist() gives",
        """
        def f(x, y):
            return np.exp(y), tuple(np.exp(y).tolist())
        """,
    ),
}


@pytest.mark.parametrize("case", ADVICE)
def test_following_the_advice_changes_no_result(case: str) -> None:
    before, words, after = ADVICE[case]
    # with originals that answer what cannot be followed, calls of unknown code are in nobody's way
    config = Config(rewrite=True)
    if case == "TNP503":
        config = Config(rewrite=True, on_unverified="raise", slow="convert")
    results = []
    for body in (before, after):
        text = f"import warnings\n\nimport numpy as np\n\nLOOKS = [np.size]\n\n\n{textwrap.dedent(body)}"
        report = analyze(Source("m.py", text), config)
        told = [reason for region in report.regions for reason in region.reasons]
        if body is before:
            assert any(reason.startswith(case.partition(" ")[0]) and words in reason for reason in told), told
        else:
            states = [region.state.value for region in report.regions]
            assert ("convertible" in states, "blocked" in states) == (True, False), told
        namespace: dict[str, Any] = {}
        exec(compile(text, "m.py", "exec"), namespace)
        x, y = np.linspace(0.5, 2, 1600).reshape(40, 40), np.linspace(0.1, 1, 40)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            more = [namespace["LOOKS"]] if "looks" in body else []
            results.append(_parts((namespace["f"](x, y, *more), x, y)))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def _parts(value: Any) -> list[Any]:
    is_parts = isinstance(value, (tuple, list, itertools.chain))
    return [part for item in value for part in _parts(item)] if is_parts else [value]
