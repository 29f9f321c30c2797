"""What blocks a region says what the user can change, where anything can be: memory, updates and views."""

from __future__ import annotations

import pytest
from advised import changes_no_result

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
            logging.warning("slow", stacklevel=2)
            return z @ y
        """,
        "move the array work into a function of its own",
        """
        def work(x, y):
            return np.exp(x) @ y


        def f(x, y):
            logging.warning("slow", stacklevel=2)
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
            return z, z.data.nbytes // z.itemsize
        """,
        "move what needs it into a function of its own",
        """
        def step(z):
            return z.data.nbytes // z.itemsize


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
        "z and z.ravel() may share memory: return z.copy()",
        """
        def f(x, y):
            z = np.exp(y)
            return z.copy(), z.ravel()
        """,
    ),
    "TNP207 items": (
        """
        import itertools


        def f(x, y):
            z = np.exp(np.sin(y))
            parts = itertools.chain([z.ravel()], [x])
            return parts
        """,
        "return [np.array(item) for item in parts]",
        """
        import itertools


        def f(x, y):
            z = np.exp(np.sin(y))
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
    "TNP202": (
        """
        def f(x, y):
            z = np.exp(x)
            it = iter([1, 2])
            z[next(it)][1:3] *= 2
            return z
        """,
        "give it a name",
        """
        def f(x, y):
            z = np.exp(x)
            it = iter([1, 2])
            i = next(it)
            z[i][1:3] *= 2
            return z
        """,
    ),
    "TNP202 name": (
        """
        def f(x, y):
            z = np.exp(x)
            z.ravel()[:3] = y[:3]
            return z
        """,
        "store into the array itself, by indices",
        """
        def f(x, y):
            z = np.exp(x)
            z[0, :3] = y[:3]
            return z
        """,
    ),
    "TNP206 operator": (
        """
        def f(x, y):
            z = np.exp(x)
            [z.__iadd__(part) for part in (y, y * 2)]
            return z
        """,
        "write `x += ...`, as a statement of its own",
        """
        def f(x, y):
            z = np.exp(x)
            for part in (y, y * 2):
                z += part
            return z
        """,
    ),
    "TNP206 item": (
        """
        def f(x, y):
            z = np.exp(x)
            z.__setitem__(0, y)
            return z
        """,
        "write `x[...] = ...`, as a statement of its own",
        """
        def f(x, y):
            z = np.exp(x)
            z[0] = y
            return z
        """,
    ),
    "TNP206 tuple": (
        """
        def f(x, y):
            tables = (np.zeros(x.shape), np.zeros(x.shape))
            tables[0][1:, :] = np.mod(x[1:], 3)
            tables[1][:-1, :] = np.exp(x[1:]) * y
            return tables
        """,
        "store through a name of its own, and make the tuple at the end",
        """
        def f(x, y):
            lower, upper = np.zeros(x.shape), np.zeros(x.shape)
            lower[1:, :] = np.mod(x[1:], 3)
            upper[:-1, :] = np.exp(x[1:]) * y
            return lower, upper
        """,
    ),
    "TNP206 twice": (
        """
        def add(a, b, n):
            a += b * n
            return a.sum()


        def f(x, y):
            z = np.exp(x)
            return add(z, z[::-1], 2), z
        """,
        "may get one array twice: pass a copy (np.array(...)) of what is an array among z[...]",
        """
        def add(a, b, n):
            a += b * n
            return a.sum()


        def f(x, y):
            z = np.exp(x)
            return add(z, np.array(z[::-1]), 2), z
        """,
    ),
    "TNP206 shown": (
        """
        def f(x, y):
            z = np.exp(x) @ y
            return z, f"{z.sum()=}"
        """,
        "write f'x={x!r}'",
        """
        def f(x, y):
            z = np.exp(x) @ y
            return z, f"z.sum()={z.sum()!r}"
        """,
    ),
    "TNP206 flat": (
        """
        def f(x, y):
            z = np.exp(x)
            z.flat[...] = y
            return z
        """,
        "write z[...] = np.resize(v, z.shape)",
        """
        def f(x, y):
            z = np.exp(x)
            z[...] = np.resize(y, z.shape)
            return z
        """,
    ),
    "TNP206 flat by integers": (
        """
        def f(x, y):
            z = np.exp(x)
            z.flat[np.flatnonzero(y < 0.5)] = y
            return z
        """,
        "write np.put(z, indices, v)",
        """
        def f(x, y):
            z = np.exp(x)
            np.put(z, np.flatnonzero(y < 0.5), y)
            return z
        """,
    ),
    "TNP206 flat by a mask": (
        """
        def f(x, y):
            z = np.zeros_like(x.T)
            good = x.ravel() > 0.7
            z.flat[good] = np.exp(x).ravel()[good]
            return z * y
        """,
        "bind flat = z.flatten(), store into flat[...], and put it back, z[...] = flat.reshape(z.shape)",
        """
        def f(x, y):
            z = np.zeros_like(x.T)
            good = x.ravel() > 0.7
            flat = z.flatten()
            flat[good] = np.exp(x).ravel()[good]
            z[...] = flat.reshape(z.shape)
            return z * y
        """,
    ),
    "TNP206 flat of an argument": (
        """
        def f(x: np.ndarray, y):
            x.flat[::41] = y
            return np.exp(x)
        """,
        "bind flat = x.flatten()",
        """
        def f(x: np.ndarray, y):
            flat = x.flatten()
            flat[::41] = y
            x[...] = flat.reshape(x.shape)
            return np.exp(x)
        """,
    ),
    "TNP206 out": (
        """
        def f(x, y):
            a = np.empty(x.shape)
            b = np.empty(x.shape)
            np.modf(np.exp(x), out=(a, b))
            return a + b * 2
        """,
        "assign the results instead",
        """
        def f(x, y):
            a, b = np.modf(np.exp(x))
            return a + b * 2
        """,
    ),
    "TNP206 method": (
        """
        def f(x, y):
            z = np.exp(x)
            total = z.sum
            return total() * y
        """,
        "call it where it stands",
        """
        def f(x, y):
            z = np.exp(x)
            return z.sum() * y
        """,
    ),
    "TNP206 names": (
        """
        def f(x, y):
            z = np.exp(x)
            return sorted(locals()), z @ y
        """,
        "name what is needed",
        """
        def f(x, y):
            z = np.exp(x)
            return ["x", "y", "z"], z @ y
        """,
    ),
    "TNP206 texts": (
        """
        def f(x, y):
            z = np.exp(x)
            return z * eval("np.hanning(len(y))")
        """,
        'as in eval(text, {"np": np, "n": n})',
        """
        def f(x, y):
            z = np.exp(x)
            return z * eval("np.hanning(n)", {"np": np, "n": len(y)})
        """,
    ),
    "TNP206 iterator": (
        """
        def f(x, y):
            z = np.exp(x)
            return iter([z, z * y])
        """,
        "make a list of it",
        """
        def f(x, y):
            z = np.exp(x)
            return [z, z * y]
        """,
    ),
    "TNP206 kept": (
        """
        class Log:
            pass


        log = Log()


        def f(x, y):
            z = np.exp(x)
            log.one = z
            log.other = z.ravel()
            return z @ y
        """,
        "give it np.array(...)",
        """
        class Log:
            pass


        log = Log()


        def f(x, y):
            z = np.exp(x)
            log.one = z
            log.other = np.array(z.ravel())
            return z @ y
        """,
    ),
    "TNP206 order": (
        """
        def f(x, y):
            place = iter([3, 4])
            x[next(place)] = np.exp(next(place) * y)
            return x.sum()
        """,
        "bind the value to a name in a statement before",
        """
        def f(x, y):
            place = iter([3, 4])
            value = np.exp(next(place) * y)
            x[next(place)] = value
            return x.sum()
        """,
    ),
}


@pytest.mark.parametrize("case", ADVICE)
def test_following_the_advice_changes_no_result(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    changes_no_result(case.partition(" ")[0], *ADVICE[case])
