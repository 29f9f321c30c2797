"""What a program sees around its functions, and asks of them, is what it was before the rewrite.

Each program runs as it was, rewritten (where no GPU is, its originals answer), and rewritten with TensorFlow at work.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_python import python

from np2tnp import pipeline
from np2tnp.config import Config

ROOT = Path(__file__).resolve().parents[3]

HEAD = """\
import inspect, logging, sys, warnings
import numpy as np
"""

#: name -> (how many functions migrate, the program)
PROGRAMS = {
    "functions that are looked for": (
        5,
        """
        def bench_a(x: np.ndarray):
            return np.sum(x)

        if True:
            def bench_b(x: np.ndarray, power=2):
                return np.max(x) ** power

        class Meta(type):
            def __new__(cls, name, bases, namespace):
                made = super().__new__(cls, name, bases, dict(namespace))
                made.names = sorted(name for name in namespace if not name.startswith("__"))
                return made

        class Plugin(metaclass=Meta):
            registry = {}
            def __init_subclass__(cls):
                Plugin.registry.update({n: v for n, v in vars(cls).items() if callable(v)})

        class Sum(Plugin):
            def run(self, x: np.ndarray):
                return np.sum(x)
            @staticmethod
            def twice(x: np.ndarray):
                return np.sum(x) * 2
            def __call__(self, x: np.ndarray):
                return np.sum(x) * 3

        here = sys.modules[__name__]
        print([n for n, f in inspect.getmembers(here, inspect.isfunction)])
        print([n for n in dir(here) if "numpy" in n], [n for n in vars(Sum) if "numpy" in n], Sum.names)
        print({n: float(f(Sum(), np.arange(4.0))) for n, f in Plugin.registry.items() if n != "twice"})
        print(bench_a(np.ones(2)), bench_b(np.ones(2)), Sum.twice(np.ones(2)), Sum()(np.ones(2)))
        """,
    ),
    "names of functions": (
        2,
        """
        logging.basicConfig(stream=sys.stdout, format="%(funcName)s %(message)s", level=logging.INFO)

        def logged(x: np.ndarray):
            def inner():
                return 1
            logging.info("%s", np.sum(x))
            print(inner.__qualname__)
            return inner() + np.sum(x)

        class Model:
            def step(self, x: np.ndarray):
                logging.warning("%s", np.max(x))
                return np.max(x)

        print(logged(np.ones(3)), Model().step(np.ones(3)))
        print(logged.__name__, Model.step.__qualname__)
        """,
    ),
    "frames of callers": (
        6,
        """
        def old(x: np.ndarray):
            warnings.warn("use new()", DeprecationWarning, stacklevel=2)
            return np.sum(x)

        def careful(x: np.ndarray, level=2):
            if np.any(x < 0):
                warnings.warn("negative values", stacklevel=level)
            return np.sqrt(np.abs(x))

        def here(x: np.ndarray):
            warnings.warn("its own line", stacklevel=1)
            return np.sum(x)

        def who(x: np.ndarray):
            return inspect.stack()[1].function, np.sum(x)

        def names_of_caller():
            return {k: type(v).__name__ for k, v in sys._getframe(1).f_locals.items()}

        def shown(x: np.ndarray):
            y = np.sqrt(x)
            s = y.sum()
            return names_of_caller(), s

        def deprecated(name):
            warnings.warn(f"{name} is old", DeprecationWarning, stacklevel=3)

        def behind(x: np.ndarray):
            deprecated("behind")
            return np.sum(x)

        def beside(name):
            warnings.warn(f"{name} is called", stacklevel=2)

        def calls_beside(x: np.ndarray):
            beside("beside")
            return np.sum(x)

        logging.basicConfig(stream=sys.stdout, format="%(funcName)s %(message)s", level=logging.INFO)
        log = logging.getLogger("mine")

        def logged(x: np.ndarray):
            log.warning("%s", np.sum(x), stacklevel=2)
            return np.sum(x)

        class Model:
            def where(self):
                return inspect.currentframe().f_back.f_code.co_name
            def run(self, x: np.ndarray):
                return self.where(), np.sum(x)

        def plain(x: np.ndarray):
            log.info("%s", np.max(x))
            return np.max(x)

        def line():
            return sys._getframe(1).f_lineno - start

        start = sys._getframe().f_lineno
        def main():
            x = np.array([1.0, -1.0])
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("default")
                careful(x); begin = line()
                careful(x)
                old(x)
                behind(x)
                here(x)
                calls_beside(x)
            names = [(str(w.message), w.lineno - start - begin) for w in seen]
            print([name if "line" in name[0] or "called" in name[0] else name for name in names][:4])
            print(len(seen), {w.filename == __file__ for w in seen})
            print(who(x)[0], shown(np.ones(2))[0], Model().run(x), plain(x), logged(x))
        logging.getLogger("np2tnp").propagate = False
        main()
        """,
    ),
    "frames that are the function's own": (
        9,
        """
        class Named:
            def __init__(self):
                self.name = inspect.getouterframes(inspect.currentframe())[1].function

        def tell(message, **options):
            warnings.warn("told: " + message, **options)

        def tell_at(message, level=4):
            warnings.warn(message, stacklevel=level)

        def own_names(x: np.ndarray):
            first = inspect.currentframe().f_code.co_name
            return first, inspect.stack()[0][3], sys._getframe(0).f_code.co_filename == __file__, np.sum(x)

        def named(x: np.ndarray):
            return Named().name, np.sum(x)

        def over_named(x: np.ndarray):
            name, total = named(x * 2)
            return name, total + np.sum(x)

        def told(x: np.ndarray):
            tell("plain")
            return np.sum(x)

        def told_here(x: np.ndarray):
            y = np.sqrt(x)
            tell("here", stacklevel=2)
            return np.sum(y)

        def told_above(x: np.ndarray):
            tell("above", stacklevel=3)
            return np.sum(x)

        def told_far(x: np.ndarray):
            tell_at("far")
            return np.sum(x)

        def told_at(x: np.ndarray):
            y = np.exp(x)
            tell_at("at", level=2)
            return np.sum(y)

        def over_told(x: np.ndarray):
            return told(x) + told_here(np.sqrt(x)) + told_at(x)

        def rows(x: np.ndarray):
            total = np.sum(x)
            for k in range(2):
                total = total + np.sum(x * k)
                tell_at("rows", level=2)
            return total

        def picked(x: np.ndarray):
            if np.sum(x) > 0:
                tell("picked", stacklevel=2)
                y = np.exp(x)
            else:
                y = np.sqrt(x)
            return np.sum(y)

        def main():
            x = np.ones(3)
            print(own_names(x), named(x), over_named(x))
            for function in (told, told_here, told_above, told_far, told_at, over_told, rows, picked):
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    function(x)
                with open(__file__) as file:
                    lines = file.read().splitlines()
                for one in seen:
                    print(function.__name__, one.message, one.filename == __file__, lines[one.lineno - 1].strip())

        main()
        """,
    ),
    "memory order that others see": (
        3,
        """
        import json, pickle

        def bytes_of(n):
            z = np.array(np.arange(n * n).reshape(n, n), order="F")
            return z.tobytes(order="A")[:16]

        def bytes_by(x: np.ndarray, order):
            return (x + 1).tobytes(order)[:16]

        def given(n):
            z = np.array(np.arange(n * n).reshape(n, n), order="F")
            return json.dumps([z], default=lambda a: a.ravel(order="K")[:4].tolist())

        def stored(n):
            z = np.asfortranarray(np.exp(np.arange(n * n).reshape(n, n)))
            return pickle.loads(pickle.dumps(z)).flags.f_contiguous

        def shown(n, look):
            z = np.zeros((n, n), order="F")
            return look(z), np.sum(np.exp(np.sin(z)))

        def only_calculated(n):
            z = np.ones((n, n), order="F")
            return np.sum(z * 2)

        x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
        print(bytes_of(4), bytes_by(x, "A"), bytes_by(x, "C"), given(4), stored(3))
        print(shown(3, lambda a: a.strides), only_calculated(3))
        """,
    ),
    "arrays that are made read-only": (
        5,
        """
        from functools import lru_cache

        @lru_cache
        def table(n):
            y = np.sin(np.linspace(0, 1, n))
            y.setflags(write=False)
            return y

        def freeze(a):
            a.setflags(write=False)
            return a

        def by_callee(n):
            y = np.exp(np.arange(n) * 0.1)
            freeze(y)
            return y

        def by_result(n):
            return freeze(np.exp(np.arange(n) * 0.1))

        def many(n):
            arrays = [np.exp(np.arange(n) * 0.1), np.ones(n) * 2]
            for y in arrays:
                y.setflags(write=False)
            return arrays[0]

        def given(x: np.ndarray):
            x.setflags(write=False)
            return np.sum(x)

        class Grid:
            def __init__(self, n):
                self.x = np.linspace(0, 1, n) * 2.0
                self.lock()
            def lock(self):
                self.x.setflags(write=False)

        x = np.ones(3)
        print(given(x))
        print([a.flags.writeable for a in (table(4), by_callee(4), by_result(4), many(4), x, Grid(4).x)])
        """,
    ),
    "names that an import binds later": (
        1,
        """
        x = np.arange(6).reshape(2, 3)
        print(sum(range(5), -1), sum(x))
        from numpy import sum
        print(sum(range(5), -1), sum(x))
        """,
    ),
    "names that a star import binds later": (
        2,
        """
        x = np.arange(6).reshape(2, 3)

        def total(x):
            return sum(x) + np.max(x)

        def least(x: np.ndarray):
            return abs(np.min(np.tanh(x) * 3 - x))

        print(sum(range(5), -1), sum(x), total(x), least(x))
        from numpy import *
        print(sum(range(5), -1), sum(x), total(x), least(x), max(x))
        """,
    ),
    "recursion as deep as Python's limit": (
        3,
        """
        def depth(x: np.ndarray, n):
            if n == 0:
                return np.sum(x)
            return depth(x + 1, n - 1)

        def even(x: np.ndarray, n):
            return np.sum(x) if n == 0 else odd(x + 1, n - 1)

        def odd(x: np.ndarray, n):
            return np.sum(-x) if n == 0 else even(x + 1, n - 1)

        limit = sys.getrecursionlimit()
        for function in (depth, even):
            for n in (10, 300, 850):
                print(n, function(np.ones(2), n))
            try:
                function(np.ones(2), 100_000)
            except RecursionError:
                print("RecursionError")
            print(function(np.ones(2), 850), sys.getrecursionlimit() - limit)
        """,
    ),
    "floating-point errors that a caller wants raised": (
        2,
        """
        def inverse(x: np.ndarray):
            return 1.0 / (x * 1.0)

        class Model:
            def log(self, x: np.ndarray):
                return np.log(x)

        def caught(function, *args):
            try:
                print(function(*args))
            except Exception as error:
                print(type(error).__name__, error)

        zeros = np.zeros(2)
        for function in (inverse, Model().log):
            with np.errstate(all="raise"):
                caught(function, zeros)
            with np.errstate(divide="call", call=lambda *told: print(told)):
                caught(function, zeros)
            with np.errstate(divide="print"):
                caught(function, np.ones(2))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                caught(function, zeros)
            with warnings.catch_warnings():
                warnings.filterwarnings("error", category=RuntimeWarning, message="divide")
                caught(function, zeros)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                caught(function, zeros)
                print([str(one.message) for one in told])
            old = np.seterr(divide="raise")
            caught(function, zeros)
            np.seterr(**old)
            with np.errstate(all="ignore"):
                caught(function, zeros)
        """,
    ),
    "operators of objects that give their operand back": (
        3,
        """
        class Pair:
            __array_ufunc__ = None
            def __radd__(self, other):
                return [other, other * 2]
            def __rmul__(self, other):
                return (other, 1)
            def __gt__(self, other):
                return {"got": other}

        def added(x, p):
            print("begins")
            return np.exp(x) + p

        def scaled(x, p):
            print("begins")
            y = np.exp(x)
            y = y * p
            return y

        class Holder:
            def __init__(self, p):
                self.p = p
            def compared(self, x):
                print("begins")
                return np.exp(x) < self.p

        for p in (Pair(), 2.0, np.ones(3)):
            for function in (added, scaled, Holder(p).compared):
                print(function(np.zeros(3), *[p] * (function in (added, scaled))))
        """,
    ),
}

#: Those whose top level migrates, too.
TOP_LEVEL = ("names that an import binds later", "names that a star import binds later")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_prints_what_it_printed(name: str, tmp_path: Path) -> None:
    migrate, lines = PROGRAMS[name]
    file = tmp_path / "program.py"
    indent = " " * 8
    text = "\n".join(line.removeprefix(indent) for line in lines.splitlines())
    file.write_text(f"{HEAD}\n{text}\n")
    expected = run(file, None)
    (report,) = pipeline.rewrite(
        [str(file)], Config(root=str(tmp_path), cache=False, top_level=name in TOP_LEVEL), apply=True
    ).reports
    assert sum(region.state.value == "convertible" for region in report.regions) == migrate
    assert run(file, None) == expected, "its originals answer"
    assert run(file, "0") == expected, "TensorFlow works"


def run(file: Path, above: str | None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("NP2TNP_ABOVE", None)
    if above is None:  # whether somebody imported TensorFlow makes a difference
        command = [sys.executable, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    else:
        done = python(str(file), env={**environment, "NP2TNP_ABOVE": above})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
