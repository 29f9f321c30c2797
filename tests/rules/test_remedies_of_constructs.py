"""What keeps a function in NumPy says what can be written instead: dtypes, constructs, calls and loops."""

from __future__ import annotations

from typing import Any

import pytest
from advised import changes_no_result

#: Code → a function as it blocks or stays, words of the advice, and the function that follows it.
ADVICE = {
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
        "work on ndarrays, its values and its mask",
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
}


@pytest.mark.parametrize("case", ADVICE)
def test_following_the_advice_changes_no_result(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NP2TNP_ABOVE", "0")
    options: dict[str, Any] = {}
    if (
        case == "TNP503"
    ):  # with originals that answer what cannot be followed, calls of unknown code are in nobody's way
        options = {"on_unverified": "raise", "slow": "convert"}
    changes_no_result(case.partition(" ")[0], *ADVICE[case], **options)
