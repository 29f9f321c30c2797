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
        "return np.array(z)",
        """
        def f(x, y):
            z = np.exp(y)
            return np.array(z), z.ravel()
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
    "TNP705 set": (
        """
        def f(x, y):
            return np.exp(y), len(set(np.exp(y)))
        """,
        "give it what .tolist() gives",
        """
        def f(x, y):
            return np.exp(y), len(set(np.exp(y).tolist()))
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
    "TNP305": (
        """
        def f(x, y):
            return np.exp(x).astype(np.longdouble).sum(axis=0)
        """,
        "use float64",
        """
        def f(x, y):
            return np.exp(x).astype(np.float64).sum(axis=0)
        """,
    ),
    "TNP307": (
        """
        def f(x, y):
            m = np.ma.masked_array(x, x > 1, copy=True)
            m += y
            return np.exp(y) * m.sum(axis=0).filled(0)
        """,
        "work on ndarrays (a masked array's values and mask)",
        """
        def f(x, y):
            kept = np.where(x > 1, 0, x + y)
            return np.exp(y) * kept.sum(axis=0)
        """,
    ),
    "TNP402": (
        """
        def steps(x):
            y = np.exp(x)
            while True:
                got = yield y.sum()
                y = y * got


        def f(x, y):
            run = steps(x)
            next(run)
            return run.send(2.0) * y
        """,
        "move its work on arrays into a function of its own",
        """
        def step(y, got):
            return y * got


        def f(x, y):
            z = step(np.exp(x), 2.0)
            return z.sum() * y
        """,
    ),
    "TNP403": (
        """
        async def work(x, y):
            return np.exp(x) @ y


        def f(x, y):
            try:
                work(x, y).send(None)
            except StopIteration as done:
                return done.value
        """,
        "move its work on arrays into a function of its own",
        """
        def work(x, y):
            return np.exp(x) @ y


        async def asked(x, y):
            return work(x, y)


        def f(x, y):
            try:
                asked(x, y).send(None)
            except StopIteration as done:
                return done.value
        """,
    ),
    "TNP404": (
        """
        def f(x, y):
            z = np.exp(x)

            def scaled():
                nonlocal y
                y = y * 2
                return z @ y

            return scaled() + y
        """,
        "return the new value, and assign it there",
        """
        def f(x, y):
            z = np.exp(x)

            def scaled(y):
                return z @ y

            y = y * 2
            return scaled(y) + y
        """,
    ),
    "TNP405": (
        """
        from timeit import kept


        @kept
        def f(x, y):
            return np.exp(x) @ y
        """,
        "put the array work into a function without it",
        """
        from timeit import kept


        def work(x, y):
            return np.exp(x) @ y


        @kept
        def f(x, y):
            return work(x, y)
        """,
    ),
    "TNP407": (
        """
        def f(x, y):
            z = np.exp(x)
            match z.sum():
                case 0:
                    return y
                case total:
                    return z / total
        """,
        "compare by if and else",
        """
        def f(x, y):
            z = np.exp(x)
            total = z.sum()
            if total == 0:
                return y
            return z / total
        """,
    ),
    "TNP408": (
        """
        def f(x, y, *calls):
            z = np.exp(x)

            def part(i):
                return z[i] * scale

            scale = y + 1
            return CALLS[0](part), z
        """,
        "scale is assigned after it alone",
        """
        def f(x, y, *calls):
            z = np.exp(x)
            scale = y + 1

            def part(i):
                return z[i] * scale

            return CALLS[0](part), z
        """,
    ),
    "TNP408 class": (
        """
        def f(x, y):
            class Held:
                def scaled(self, v):
                    return np.exp(v) * 2

            return Held().scaled(x) @ y
        """,
        "define it at the top level",
        """
        class Held:
            def scaled(self, v):
                return np.exp(v) * 2


        def f(x, y):
            return Held().scaled(x) @ y
        """,
    ),
    "TNP410": (
        """
        import contextlib


        def f(x, y):
            z = np.exp(y)
            with contextlib.suppress(ValueError):
                for i in range(3):
                    z[i] = np.log(x[i, 0]) / y[i + 1]
            return z * 2
        """,
        "move what is tried into a function that gives back new arrays",
        """
        import contextlib


        def fill(z, x, y):
            z = z.copy()
            for i in range(3):
                z[i] = np.log(x[i, 0]) / y[i + 1]
            return z


        def f(x, y):
            z = np.exp(y)
            with contextlib.suppress(ValueError):
                z = fill(z, x, y)
            return z * 2
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
        "assign to x[...]",
        """
        def f(x, y):
            z = np.exp(x)
            z[...] = y
            return z
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
    before, words, after = ADVICE[case]
    # with originals that answer what cannot be followed, calls of unknown code are in nobody's way
    config = Config(rewrite=True)
    if case == "TNP503":
        config = Config(rewrite=True, on_unverified="raise", slow="convert")
    texts = []
    for body in (before, after):
        text = f"{_HEAD}{textwrap.dedent(body)}"
        report = analyze(Source("m.py", text), config)
        told = [reason for region in report.regions for reason in region.reasons]
        if body is before:
            assert any(reason.startswith(case.partition(" ")[0]) and words in reason for reason in told), told
        else:
            states = [region.state.value for region in report.regions]
            assert ("convertible" in states, "blocked" in states) == (True, False), told
        texts.append(text)
    assert report.new_text is not None
    first, *others = map(_results, (*texts, report.new_text))
    for other in others:
        for one, same in zip(first, other, strict=True):
            if isinstance(one, str):
                assert one == same
            else:
                np.testing.assert_allclose(one, same, rtol=1e-13)


_HEAD = """import logging
import warnings

import numpy as np

LOOKS = [np.size]
CALLS = [lambda part: part(1)]


"""


def _results(text: str) -> list[Any]:
    """What f of the text gives, and what it leaves of its arguments. A decorator of nobody's gives the function."""
    text = text.replace("from timeit import kept\n", "def kept(function):\n    return function\n")
    namespace: dict[str, Any] = {"__name__": "m"}
    exec(compile(text, "m.py", "exec"), namespace)
    x, y = np.linspace(0.5, 2, 1600).reshape(40, 40), np.linspace(0.1, 1, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more = [namespace["LOOKS"]] if "looks" in text else []
        return _parts((namespace["f"](x, y, *more), x, y))


def _parts(value: Any) -> list[Any]:
    is_parts = isinstance(value, (tuple, list, itertools.chain, type(iter([]))))
    return [part for item in value for part in _parts(item)] if is_parts else [value]
