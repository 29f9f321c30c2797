"""Single calls that no table holds: the probe's cases with other arrays, numbers and keywords, drawn at random.

``python benchmarks/random_calls.py [NAME ...] --seed 0 --number 2000`` takes a case of the probe's tables, replaces its
arrays by arrays of any dtype, shape, layout and values, its numbers by others, adds keywords that other cases of the
same name have, and compares ``def f(a0): return np.<call>`` with what rewriting makes of it, as ``single_calls.py``
does. Calls for which both raise count as equal, so nonsense costs nothing but time.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(os.environ.get("NP2TNP_ROOT", Path(__file__).resolve().parents[1]))
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from children import answers  # noqa: E402
from single_calls import compare_results, migrate  # noqa: E402
from single_functions import make_single  # noqa: E402

from np2tnp.probe import behaviour  # noqa: E402
from np2tnp.probe.cases.all_cases import DTYPES, Case, all_cases, compile_call, names_in  # noqa: E402
from np2tnp.probe.cases.cases_inputs import OUTPUTS, make_arguments, specials  # noqa: E402
from np2tnp.verify.compare import Outcome, compare  # noqa: E402

PER_MODULE = 40
#: Seconds without a word from a child after which the call that it announced counts as a crash.
PATIENCE = 90.0

#: Streams of random numbers, uninitialised memory, files; names whose result is an address.
_LEFT_OUT = (
    "numpy.random.", "numpy.empty", "ndarray.tofile", "ndarray.dump", "ndarray.ctypes", "ndarray.data", "numpy.nditer",
    "numpy.nested_iters", "numpy.ndenumerate", "numpy.ndindex", "numpy.broadcast", "numpy.poly1d",
)  # fmt: skip
#: Sums of numbers with infinite parts, and solutions of ill-conditioned systems, are nobody's promise.
_TAME = {"fft", "solve", "sum"}

_INTS = ("-1", "-2", "0", "1", "2", "3", "5", "-7", "True", "2.5", "None", "300", "np.int32(1)", "np.float32(2)", "1j")
_FLOATS = (
    "0.0", "-0.0", "1.0", "2", "-1.5", "np.nan", "np.inf", "1e300", "1e-300", "0.1", "np.float64(0.3)", "True", "1j",
    "np.float32(0.1)", "np.float16(0.1)", "np.int64(3)",
)  # fmt: skip
_DTYPE_TEXTS = (
    "np.float64", "np.float32", "np.float16", "np.int64", "np.int32", "np.int8", "np.uint8", "np.uint64", "bool", "int",
    "float", "complex", "np.complex64", "'f4'", "'i2'", "None",
)  # fmt: skip
_KEYWORDS = {
    "dtype": _DTYPE_TEXTS,
    "axis": ("0", "-1", "1", "None", "-2", "(0,)", "(0, 1)", "(-1, 0)", "()", "2", "np.int64(0)", "(0, 2)"),
    "keepdims": ("True", "False", "1"),
    "order": ("'C'", "'F'", "'A'", "'K'"),
    "casting": ("'no'", "'equiv'", "'safe'", "'same_kind'", "'unsafe'"),
    "ddof": ("0", "1", "2", "0.5", "-1", "100"),
    "initial": ("0", "1", "-5", "2.5", "np.inf", "True", "None", "300"),
}


@dataclass(frozen=True, slots=True)
class RandomCall:
    """A call, and how to make its arrays."""

    case: Case
    body: str
    arrays: dict[str, tuple[str, tuple[int, ...], str, str]]  #: name -> dtype character, shape, values, layout
    seed: int

    def source(self, name: str) -> str:
        return f"def {name}({', '.join(self.arrays)}):\n{self.body}\n"

    def arguments(self) -> dict[str, Any]:
        rng = np.random.RandomState(self.seed)
        return {name: make_array(*spec, rng) for name, spec in self.arrays.items()}

    def __str__(self) -> str:
        return f"{self.case} {self.arrays} seed {self.seed}"


def make_array(char: str, shape: tuple[int, ...], values: str, layout: str, rng: Any) -> Any:
    """An array of `shape`: ``values`` says what it holds, ``layout`` how it lies in memory."""
    size = int(np.prod(shape))
    flat = _values(char, size, values, rng)
    array = flat.reshape(shape)
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "strided" and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if layout == "reversed" and array.ndim:
        return array[::-1].copy()[::-1]
    return array


def _values(char: str, size: int, values: str, rng: Any) -> Any:
    kind = np.dtype(char).kind
    if values == "special":
        known = specials(char)
        return known[rng.randint(0, known.size, size)]
    if values == "wild" and kind == "c":
        known = make_arguments(char)["js"]
        return known[rng.randint(0, known.size, size)]
    if values == "wild" and kind in "iu":
        return np.frombuffer(rng.bytes(size * np.dtype(char).itemsize), char).copy()
    if values == "wild" and kind == "f":
        largest = {"e": 4, "f": 37, "d": 307}[char]
        with np.errstate(all="ignore"):
            return (rng.standard_normal(size) * 10.0 ** rng.uniform(-largest, largest, size)).astype(char)
    if values == "ordinary" and kind in "fc":
        real = rng.standard_normal(size) * 3
        return (real + (1j * rng.standard_normal(size) if kind == "c" else 0)).astype(char)
    low = 0 if kind == "u" else -9
    whole = rng.randint(low, 10, size)
    if kind == "b":
        return whole > 0
    return (whole / 2 if kind in "fc" and values == "small" else whole).astype(char)


def draw(rng: random.Random, apis: list[str]) -> RandomCall | None:
    """A call, or None where the text drawn means nothing."""
    api = rng.choice(apis)
    case = rng.choice(all_cases()[api])
    tree = ast.parse(f"f({case.call})", mode="eval").body
    assert isinstance(tree, ast.Call)
    _add_keywords(tree, api, rng)
    maker = _Maker(rng, case)
    tree = maker.visit(tree)
    text = ", ".join([*map(ast.unparse, tree.args), *map(ast.unparse, tree.keywords)])
    changed = Case(api, text, case.dtypes, case.tolerance)
    if any(name in make_arguments("d") and name not in ("np",) for name in names_in(text) - set(maker.arrays)):
        return None
    given = {keyword.arg for keyword in tree.keywords if ast.unparse(keyword.value) != "None"}
    if "where" in given and not given & {"out", "initial"}:
        return None  # memory that nobody has written
    single = make_single(changed)
    if single is None:
        return None
    body = single.body
    order = sorted(maker.arrays, key=lambda name: body.find(name))
    prefix = ""
    if rng.random() < 0.4:  # dtypes that the analysis knows
        for name in order:
            char, shape = maker.arrays[name][:2]
            if f"{name} = np.array({name})" not in body and shape and name[0] == "a":
                prefix += f"    {name} = np.array({name}, dtype={char!r})\n"
        body = prefix + body if not any(name[0] == "o" for name in order) else body
    call = RandomCall(changed, body, {n: maker.arrays[n] for n in order}, rng.randrange(2**31))
    try:
        compile(call.source("f"), "<drawn>", "exec")
    except SyntaxError:  # such as a store into a number
        return None
    return call


def _add_keywords(tree: ast.Call, api: str, rng: random.Random) -> None:
    known: dict[str, set[str]] = {}
    for other in all_cases()[api]:
        node = ast.parse(f"f({other.call})", mode="eval").body
        assert isinstance(node, ast.Call)
        for keyword in node.keywords:
            if keyword.arg is not None:
                known.setdefault(keyword.arg, set()).add(ast.unparse(keyword.value))
    given = {keyword.arg for keyword in tree.keywords}
    for name in sorted(known):
        if name not in given and rng.random() < 0.2:
            texts = sorted(known[name]) + list(_KEYWORDS.get(name, ()))
            tree.keywords.append(ast.keyword(name, ast.parse(rng.choice(texts), mode="eval").body))
    for keyword in tree.keywords:
        if keyword.arg in _KEYWORDS and rng.random() < 0.4:
            keyword.value = ast.parse(rng.choice(_KEYWORDS[keyword.arg]), mode="eval").body


class _Maker(ast.NodeTransformer):
    """Replaces the arrays of the tables by others, and numbers by other numbers."""

    def __init__(self, rng: random.Random, case: Case) -> None:
        self.rng, self.case = rng, case
        self.arrays: dict[str, tuple[str, tuple[int, ...], str, str]] = {}
        self.names: dict[str, str] = {}
        self.char = rng.choice(case.dtypes)
        self.is_tame = case.tolerance in _TAME
        self.values = rng.choice(("small", "ordinary") if self.is_tame else ("small", "ordinary", "special", "wild"))
        self.shapes = rng.random() < 0.5

    def visit_Name(self, node: ast.Name) -> ast.AST:
        known = make_arguments("f")
        if node.id == "np" or node.id not in known:
            return node
        if node.id == "number":
            return ast.parse(self.rng.choice(_FLOATS), mode="eval").body
        model = known[node.id]
        if isinstance(model, list):
            model = np.array(model)
        if node.id not in self.names:
            prefix = "o" if node.id in OUTPUTS else "a"
            name = self.names[node.id] = f"{prefix}{len(self.names)}"
            self.arrays[name] = self._spec(node.id, model, prefix == "o")
        return ast.Name(self.names[node.id], ast.Load())

    def _spec(self, name: str, model: Any, is_output: bool) -> tuple[str, tuple[int, ...], str, str]:
        rng = self.rng
        layout = rng.choice(("C", "C", "C", "F", "strided", "reversed"))
        shape = model.shape if model.size <= 700 else (300,)
        typed = model.dtype.char == "f"
        if is_output:
            return (self.char if typed and rng.random() < 0.6 else rng.choice(DTYPES)), shape, "small", layout
        if self.case.tolerance == "solve":
            return (self.char if typed else model.dtype.char), shape, "ordinary", layout
        char = self.char if typed else model.dtype.char
        if rng.random() < (0.25 if typed else 0.1):
            char = rng.choice(DTYPES)
        if self.shapes and rng.random() < 0.6:
            shape = self._other_shape(shape)
        values = self.values if typed else ("small" if model.dtype.kind != "i" or rng.random() < 0.8 else "wild")
        if rng.random() < 0.1 and not self.is_tame:
            values = "special"
        return char, shape, values, layout

    def _other_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        rng = self.rng
        return rng.choice([
            (), (0,), (1,), (6,), (3, 4), (4,), (3,), (1, 4), (3, 1), (0, 3), (3, 0), (2, 3, 4), (1, 1), (2, 0, 3),
            (5, 5), (3, 3), (2, 3, 3), (1, *shape), shape[1:], shape[:-1], (*shape, 1), tuple(reversed(shape)), (17,),
            (40,),
        ])  # fmt: skip

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if self.rng.random() < 0.75:
            return node
        if type(node.value) is int:
            return ast.parse(self.rng.choice(_INTS), mode="eval").body
        if type(node.value) is float:
            return ast.parse(self.rng.choice(_FLOATS), mode="eval").body
        return node


# --- in the child


def examine(call: RandomCall, original: Any, rewritten: Any) -> tuple[str, str]:
    """State and detail, as of ``single_calls.examine``."""
    expected, itself = _made(original, call)
    actual, itself_too = _made(rewritten, call)
    if actual.error == "UnverifiedError":
        return "refused", actual.message
    if expected.error is not None or actual.error is not None:
        if expected.error is None:
            return "raising", f"{actual.error}: {actual.message}"
        if actual.error is None:
            return "different", f"returns, where NumPy raises {expected.error}: {expected.message}"
        if expected.error not in actual.bases and actual.error not in expected.bases:
            return "class", f"raises {actual.error}, where NumPy raises {expected.error}: {actual.message}"
        return "raises", ""
    names = {**call.arguments(), "np": np, "f": lambda *args, **kwargs: (args, kwargs)}
    arguments = eval(compile_call(call.case.call), names)
    found = compare_results(call.case, expected.value, actual.value, arguments)
    if found:
        return "different", found
    if itself != itself_too:
        return "different", f"the result is the argument {itself_too or 'of none'}, in NumPy {itself or 'none'}"
    after = compare(dict(expected.arguments), dict(actual.arguments))
    return ("equal", "") if after else ("different", f"argument afterwards: {after.detail}")


def _made(function: Any, call: RandomCall) -> tuple[Outcome, str]:
    arrays = call.arguments()
    try:
        with behaviour.quiet():
            value = function(*arrays.values())
    except Exception as error:
        return Outcome.of_error(error, arrays), ""
    return Outcome(value, arguments=arrays), next((name for name, array in arrays.items() if value is array), "")


def _is_installed(api: str) -> bool:
    """Whether the installed NumPy has the name."""
    found: Any = np
    for part in api.split(".")[1:] if api.startswith("numpy.") else ():
        found = getattr(found, part, None)
    return found is not None


def draw_all(seed: int, number: int, names: list[str]) -> list[RandomCall]:
    """The calls of a seed: always the same."""
    rng = random.Random(seed)
    apis = [api for api in all_cases() if not api.startswith(_LEFT_OUT) and _is_installed(api)]
    if names:
        apis = [api for api in apis if api in names or api.removeprefix("numpy.") in names]
    calls: list[RandomCall] = []
    while len(calls) < number:
        drawn = draw(rng, apis)
        if drawn is not None:
            calls.append(drawn)
    return calls


def serve() -> int:
    """The child: one job from standard input, one JSON line a word on standard output."""
    from np2tnp.probe.probed_calls import import_runtime
    from np2tnp.runtime.compile import compiled

    job = json.loads(sys.stdin.read())
    stream = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    import_runtime()
    calls = draw_all(job["seed"], job["number"], job["names"])
    indices = [i for i in range(job["part"], len(calls), job["parts"]) if i >= job["start"] and i not in job["skip"]]
    for at in range(0, len(indices), PER_MODULE):
        chunk = indices[at : at + PER_MODULE]
        texts = {index: calls[index].source(f"f{index}") for index in chunk}
        original, rewritten, states = migrate(texts, job["mode"])
        for index in chunk:
            state, reason = states[f"f{index}"]
            print(json.dumps(["start", index]), file=stream)
            if state != "convertible":
                print(json.dumps(["result", index, state, reason]), file=stream)
                continue
            compiled.RUNS.clear()
            found = examine(calls[index], original[f"f{index}"], rewritten[f"f{index}"])
            print(json.dumps(["result", index, *found, dict(compiled.RUNS)], default=str), file=stream)
    print(json.dumps(["done"]), file=stream)
    return 0


# --- in the parent


def _drive(job: dict[str, Any]) -> Iterator[list[Any]]:
    start, skip = 0, []
    while True:
        last, done = None, False
        asked = {**job, "start": start, "skip": skip}
        for word in answers(__file__, asked, PATIENCE * 4, PATIENCE, NP2TNP_ABOVE="0"):
            if word[0] == "start":
                last = word[1]
            elif word[0] == "done":
                done = True
            else:
                yield word[1:]
                start, last = word[1] + 1, None
        if last is None:
            if done:
                return
            raise RuntimeError(f"a child ended before its work was done, after call {start - 1}: run it with --log")
        skip.append(last)
        yield [last, "crash", ""]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only calls of these, such as sum or ndarray.sort")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=2000, help="how many calls to draw")
    parser.add_argument("--compile", choices=("none", "graph", "xla"), default="none")
    parser.add_argument("--also", nargs="*", default=[], help="states to list, too: refused, class (of an exception)")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1), help="child processes")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.serve:
        return serve()
    job = {"seed": arguments.seed, "number": arguments.number, "names": arguments.names, "mode": arguments.compile}
    jobs = [{**job, "part": part, "parts": arguments.jobs} for part in range(arguments.jobs)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = sorted(row for rows in pool.map(lambda each: list(_drive(each)), jobs) for row in rows)
    calls = draw_all(arguments.seed, arguments.number, arguments.names)
    shown = {"different", "raising", "crash", *arguments.also}
    runs: Counter[str] = Counter()
    for index, state, detail, *rest in results:
        runs.update(rest[0] if rest else {})
        if state in shown:
            print(f"{state}: {calls[index]}\n    {detail}\n{calls[index].source(f'f{index}')}")
    counts = Counter(state for _, state, *_ in results)
    print(", ".join(f"{count} {state}" for state, count in counts.most_common()))
    if runs:
        print("runs of compiled functions: " + ", ".join(f"{count} {how}" for how, count in sorted(runs.items())))
    return int(any(counts[state] for state in ("different", "raising", "crash")))


if __name__ == "__main__":
    sys.exit(main())
