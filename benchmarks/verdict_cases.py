"""Which functions of the fixture programs benchmarks/verdicts.py compares, and with which arguments.

Some at several sizes, with arguments from expressions; and of every program all functions that are rewritten, with the
arguments of the calls that its own ``EXAMPLES`` and ``main`` lead to, recorded as ``np2tnp profile -- PROGRAM`` does.
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from np2tnp.config import Config  # noqa: E402
from np2tnp.profiling.basics import PROGRAM  # noqa: E402
from np2tnp.profiling.hot import first_lines  # noqa: E402
from np2tnp.profiling.record import Recorded, Signature, Wanted, record  # noqa: E402
from np2tnp.verify.two_texts import Pair, changed_functions, rewrite_in_memory  # noqa: E402

PROGRAMS = ROOT / "fixtures" / "programs"
CONFIG = Config(slow="convert", root=str(ROOT))
LINE, SQUARE, IMAGE = "rng.standard_normal(n)", "rng.standard_normal((n, n))", "rng.random((n, n, 3))"
KNN = (
    ("X_train", "rng.standard_normal((n, 8))"),
    ("y_train", "rng.integers(0, 3, n)"),
    ("X_test", "rng.standard_normal((n, 8))"),
)

#: Makes all calls of a program's EXAMPLES and of its main(), as a script that is run under the recorder. What raises
#: costs the others nothing.
DRIVER = """
import contextlib, importlib, sys
from pathlib import Path
import numpy as np

path = Path(sys.argv[1])
sys.path.insert(0, str(path.parent))
module = importlib.import_module(path.stem)
calls = [*module.EXAMPLES, ("main", lambda np, rng: ())]
for name, build, *rest in calls:
    with contextlib.suppress(Exception, SystemExit):
        getattr(module, name)(*build(np, np.random.default_rng(0)), **(rest[0] if rest else {}))
"""


class Case(NamedTuple):
    """One function of a fixture program (``basics``: of the suite), and what to call it with."""

    program: str
    function: str
    sizes: tuple[int | Signature, ...] = (1,)
    arguments: tuple[tuple[str, str], ...] = ()
    places: tuple[str, ...] = ()  #: what the program could import from when its calls were recorded
    obstacle: str = ""  #: why there is nothing to call it with

    @property
    def name(self) -> str:
        return f"{self.program}:{self.function}"


SIZED = (
    Case("basics", "sort", (100, 10_000, 1_000_000), (("x", LINE),)),
    Case("basics", "tanh", (100, 30_000, 3_000_000), (("x", LINE),)),
    Case("basics", "sigmoid", (100, 30_000, 3_000_000), (("x", LINE),)),
    Case("basics", "fft", (128, 16_384, 2**20), (("x", LINE),)),
    Case("basics", "matmul", (10, 200, 1000), (("a", SQUARE), ("b", SQUARE))),
    Case("03_fluid", "divergence", (30, 1000), (("u", SQUARE), ("v", SQUARE), ("h", "0.1"))),
    Case("06_fractals", "julia", (30, 300), (("c", "-0.4 + 0.6j"), ("n", "n"))),
    Case("09_filters", "moving_average", (1000, 1_000_000), (("x", LINE),)),
    Case("14_image_ops", "grayscale", (20, 1000), (("img", IMAGE),)),
    Case("14_image_ops", "integral_image", (20, 1000), (("img", SQUARE),)),
    Case("14_image_ops", "rgb_to_hsv", (10, 300), (("rgb", IMAGE),)),
    Case("15_mlp_functions", "sigmoid", (1000, 300_000), (("z", LINE),)),
    Case("18_statistics", "zscore", (30, 1000), (("x", SQUARE),)),
    Case("18_statistics", "linear_fit", (100, 1_000_000), (("x", LINE), ("y", LINE))),
    Case("18_statistics", "kde", (100, 2000), (("samples", LINE), ("grid", LINE))),
    Case("19_learning", "knn_predict", (40, 400), KNN),
    Case("19_learning", "ridge", (20, 300), (("X", SQUARE), ("y", LINE))),
)


def pair_of(program: str) -> Pair:
    """A fixture program before and after; ``basics`` is the suite's."""
    path = PROGRAMS / f"{program}.py"
    text = PROGRAM if program == "basics" else path.read_text(encoding="utf-8")
    return Pair(str(path), text, rewrite_in_memory(str(path), text, CONFIG), "memory", in_memory=True)


def programs(names: Sequence[str] = ()) -> list[str]:
    """The fixture programs; where all of `names` are programs, these."""
    found = sorted(path.stem for path in PROGRAMS.glob("*.py"))
    return [name for name in found if name in names or not {*found, "basics"}.issuperset(names) or not names]


def recorded_cases(pair: Pair, folder: Path, signatures: int = 1) -> Iterator[Case]:
    """A case for each rewritten function of the program, with up to so many of the calls that were recorded of it.

    Those with most elements, since they are what anybody would migrate for. `folder` holds the arguments. Where none
    could be recorded, an example's own expression is taken.
    """
    program, lines = Path(pair.path).stem, first_lines(pair.original)
    names = [name for name in changed_functions(pair)[0] if name in lines]
    wanted = [Wanted(pair.path, name, lines[name]) for name in names]
    driver = folder / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    found, _ = record([sys.executable, str(driver), pair.path], wanted, folder, 30.0, 64)
    for item in found:
        name = item.wanted.name
        if not item.obstacle():
            yield Case(program, name, _largest(item, signatures), places=item.places)
        elif arguments := example_of(pair.original, name):
            yield Case(program, name, arguments=arguments)
        else:
            yield Case(program, name, obstacle=item.obstacle())


def _largest(item: Recorded, count: int) -> tuple[Signature, ...]:
    kept = [signature for signature in item.signatures if signature.payload]
    chosen = sorted(kept, key=lambda it: (-it.elements, -it.seconds))[:count]
    return tuple(replace(it, text=it.text[:200]) for it in sorted(chosen, key=lambda it: it.elements))


def example_of(text: str, function: str) -> tuple[tuple[str, str], ...]:
    """The arguments of a function's first example as expressions; empty where there are none to be counted."""
    for number, (name, count) in enumerate(examples(text)):
        if name == function and count:
            build = f"EXAMPLES[{number}][1](np, np.random.default_rng(0))"
            return tuple((it, f"{build}[{k}]") for k, it in enumerate(parameters_of(text, name)[:count]))
    return ()


def examples(text: str) -> list[tuple[str, int]]:
    """The function and the number of arguments of each entry of ``EXAMPLES``; 0 where these cannot be counted."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EXAMPLES":
            return [_example(entry) for entry in getattr(node.value, "elts", [])]
    return []


def _example(entry: ast.expr) -> tuple[str, int]:
    match entry:
        case ast.Tuple([ast.Constant(str(name)), ast.Lambda(body=ast.Tuple(elts=values))]):
            return name, 0 if any(isinstance(value, ast.Starred) for value in values) else len(values)
    return "", 0


def parameters_of(text: str, function: str) -> list[str]:
    """The names of a top-level function's positional parameters."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [item.arg for item in (*node.args.posonlyargs, *node.args.args)]
    return []


def count_reached() -> None:
    """Print how many rewritten functions have arguments, and why the others have none."""
    from collections import Counter

    reasons: Counter[str] = Counter()
    for program in programs():
        with tempfile.TemporaryDirectory() as folder:
            for case in recorded_cases(pair_of(program), Path(folder)):
                kind = "recorded" if case.places else "of an example" if case.arguments else "none"
                reasons[kind] += 1
                if case.obstacle:
                    print(f"{case.name} {case.obstacle}", flush=True)
    print(*(f"{count} {kind}" for kind, count in reasons.items()), sep=", ")


if __name__ == "__main__":
    count_reached()
