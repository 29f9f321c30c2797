"""How much slower programs are after a rewrite with default settings, which keeps in NumPy what surely would be slower.

    python benchmarks/kept_programs.py [PROGRAM.py ...] [--calls 5] [--limit 3]
    python benchmarks/kept_programs.py --large FILE.py ... [--calls 3] [--limit 3] [--seconds 20]

Every example of ``fixtures/programs`` whose function was rewritten is called in both versions by turns, in one process;
the medians of the processor times are compared. Examples are small (tens of elements), where TensorFlow's cost of a
call counts most. Exit status 1 if one is more than `--limit` times slower.

With ``--large`` the files are of any package that can be imported from the current directory, and every function that
migrates is called with arrays of a million elements and ``NP2TNP_ABOVE=100000``, as on a machine with a GPU: its
parameters without defaults get arrays (a vector, a matrix, or rows of 100 numbers) or small numbers, whatever the
original returns on. Functions on which nothing of that works are counted. A rewritten call is ended after `--seconds`.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import itertools
import os
import signal
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ.pop("NP2TNP_ABOVE", None)  # the default is what is measured

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("programs", nargs="*", type=Path, help="files (default: all of fixtures/programs)")
    parser.add_argument("--calls", type=int, default=5, help="of each version of each example")
    parser.add_argument("--limit", type=float, default=3.0)
    parser.add_argument("--large", action="store_true", help="any files, with arrays of a million elements")
    parser.add_argument("--seconds", type=float, default=20.0, help="that a call may take, with --large")
    options = parser.parse_args(argv)
    ratios: dict[str, float] = {}
    if options.large:
        os.environ["NP2TNP_ABOVE"] = "100000"
        sys.path.insert(0, os.getcwd())
    for path in options.programs or sorted((ROOT / "fixtures" / "programs").glob("*.py")):
        found = measure_large(path, options.calls, options.seconds) if options.large else measure(path, options.calls)
        for name, ratio in found.items():
            ratios[f"{path.stem}.{name}"] = max(ratio, ratios.get(f"{path.stem}.{name}", 0.0))
    slower = {name: ratio for name, ratio in ratios.items() if ratio > options.limit}
    for name, ratio in sorted(slower.items(), key=lambda item: -item[1]):
        print(f"{ratio:10.1f}  {name}")
    for most in (3, 5, 10, 20, 50, 100):
        print(f"{sum(1 for ratio in ratios.values() if ratio <= most):10} are at most {most} times slower")
    middle = statistics.median(ratios.values()) if ratios else 0.0
    print(f"{len(slower)} of {len(ratios)} rewritten functions are more than {options.limit:g} times slower")
    print(f"median: {middle:.1f} times NumPy's time")
    return int(bool(slower))


def measure(path: Path, calls: int) -> dict[str, float]:
    """Function → the rewritten version's time over the original's, of its slowest example."""
    from np2tnp.config import Config
    from np2tnp.verify.loading import load
    from np2tnp.verify.two_texts import rewrite_in_memory

    text = path.read_text(encoding="utf-8")
    old = load(str(path), text)
    new = load(str(path), rewrite_in_memory(str(path), text, Config(root=str(ROOT))))
    found: dict[str, float] = {}
    for name, build, *rest in old.EXAMPLES:
        if hasattr(getattr(new, name), "core"):
            versions = [getattr(old, name), getattr(new, name)]
            ratio = _ratio(versions, build, rest[0] if rest else {}, calls)
            found[name] = max(ratio, found.get(name, 0.0))
    return found


#: What a parameter without a default may be, at a million elements.
SHAPES = ((1_000_000,), (1000, 1000), (10_000, 100))


def measure_large(path: Path, calls: int, seconds: float) -> dict[str, float]:
    """As `measure`, with arguments that are tried: the first arrays or numbers on which the original returns."""
    from np2tnp.config import Config
    from np2tnp.verify.loading import load
    from np2tnp.verify.two_texts import rewrite_in_memory

    text = path.read_text(encoding="utf-8")
    try:
        old = load(str(path), text)
        new = load(str(path), rewrite_in_memory(str(path), text, Config(root=str(ROOT))))
    except Exception as error:
        print(f"{path}: not loaded ({type(error).__name__}: {error})")
        return {}
    found: dict[str, float] = {}
    for name, function in list(vars(new).items()):
        if not callable(function) or not hasattr(function, "core"):
            continue
        original = vars(old)[name]
        build = _arguments(original, seconds / 4)
        if build is None:
            print(f"{path.stem}.{name}: no arguments")
            continue
        found[name] = _ratio([original, function], build, {}, calls, seconds)
        print(f"{path.stem}.{name}: {found[name]:.2f}", flush=True)
    return found


def _arguments(function: Callable[..., Any], seconds: float) -> Callable[..., Any] | None:
    """What makes arguments of a million elements with which `function` returns."""
    parameters = inspect.signature(function).parameters.values()
    count = sum(it.default is it.empty and it.kind <= it.POSITIONAL_OR_KEYWORD for it in parameters)
    if not 0 < count <= 5:
        return None
    for shape in SHAPES:
        for kinds in itertools.product(("array", "number"), repeat=count):
            if "array" in kinds:

                def build(numpy: Any, rng: Any, shape: Any = shape, kinds: Any = kinds) -> list[Any]:
                    return [rng.random(shape) if kind == "array" else 5 for kind in kinds]

                if _returns(function, build, seconds):
                    return build
    return None


def _returns(function: Callable[..., Any], build: Callable[..., Any], seconds: float) -> bool:
    with contextlib.suppress(Exception, _TooLong), contextlib.redirect_stdout(io.StringIO()), _at_most(seconds):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*build(np, np.random.default_rng(0)))
        return True
    return False


class _TooLong(BaseException):
    """A call takes longer than it may."""


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def end(*_: Any) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ratio(
    versions: list[Any], build: Callable[..., Any], keywords: dict[str, Any], calls: int, seconds: float = 1e6
) -> float:
    times: list[list[float]] = [[], []]
    for _ in range(calls + 1):
        for which, function in enumerate(versions):
            arguments = build(np, np.random.default_rng(0))
            begin = time.process_time()
            quiet = contextlib.redirect_stdout(io.StringIO())
            with contextlib.suppress(Exception, _TooLong), quiet, warnings.catch_warnings(), _at_most(seconds):
                warnings.simplefilter("ignore")
                function(*arguments, **keywords)
            times[which].append(time.process_time() - begin)
    original, rewritten = (statistics.median(part[1:]) for part in times)
    return rewritten / max(original, 1e-6)


if __name__ == "__main__":
    sys.exit(main())
