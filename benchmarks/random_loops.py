"""Random loops over elements: what `rewrite` makes of them against NumPy, bit by bit.

``python benchmarks/random_loops.py --programs 500 --seed 1`` prints how many loops got whole-array form, how often the
calls agreed, and every program that did not. Arithmetic only: its results are the same on every correct machine.
"""

from __future__ import annotations

import argparse
import copy
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("NP2TNP_ABOVE", "0")  # the arrays are small, and TensorFlow's part is to be seen

import numpy as np

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

RANGES = (
    "range({n})", "range(1, {n})", "range(1, {n} - 1)", "range(len(x))", "range({n} - 2, -1, -1)", "range(0, {n}, 2)",
    "range(-2, {n})", "range({n} - 1)",
)  # fmt: skip
DTYPES = "ddddflBi?hD"


class Program:
    """One function ``f(x, y, a, s, k, n, m)`` with a loop over elements of arrays, of one or two levels."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.counters = ["i"]
        self.names: list[str] = []  #: of the iteration
        self.made = 0
        self.level = 0
        self.nested = self.random.random() < 0.35
        self.total = "total"
        self.text = "\n".join(["import numpy as np", "", "", *self._lines()]) + "\n"

    def _lines(self) -> list[str]:
        choose = self.random.choice
        lines = ["def f(x, y, a, s, k, n, m):", f"    z = np.zeros(len(x){choose(['', ', np.float32', ', int'])})"]
        lines += ["    b = np.ones_like(a)", f"    total = {choose(['0', '0.0', 's', '1.5'])}", "    scale = np.abs(s)"]
        if self.random.random() < 0.15:
            lines.append(f"    for i, v in enumerate({choose('xyz')}{choose(['', ', 1', ', start=0'])}):")
            self.names.append("v")
        elif self.random.random() < 0.3:
            lines += self._iteration()
        else:
            lines.append(f"    for i in {choose(RANGES).format(n='n')}:")
        if not self.nested:
            lines += self._block("        ", choose([1, 1, 2, 3]))
        else:
            if self.random.random() < 0.3:
                lines += self._block("        ", 1)
            lines.append("        row = 0.0")
            self.total = choose(["row", "total"])
            names = list(self.names)
            lines.append(f"        for j in {choose(RANGES).format(n='m')}:")
            self.counters.append("j")
            lines += self._block("            ", choose([1, 1, 2]))
            self.names = names
            if self.total == "row":
                lines.append("        y[i] = row")
        return [*lines, "    return x, y, z, a, b, total, scale"]

    def _iteration(self) -> list[str]:
        """A loop over the arrays themselves, which the analysis must know for arrays."""
        one, other = self.random.choice(["xy", "yx", "zx", "xx"])
        known = [f"    {name} = np.abs({name})" for name in sorted({one, other})]
        counted = [f"    for i, (v, w) in enumerate(zip({one}, {other})):", f"    for i, v in enumerate({one}, 2):"]
        bare = [f"    for v in {one}:", f"    for v, w in zip({one}, {other}):"]
        head = self.random.choice([*counted, *bare, *bare])
        self.names += ["v", "w"] if "w" in head else ["v"]
        if head in bare:
            self.counters = []
        return [*known, head]

    def _index(self, counter: str) -> str:
        choose, kind = self.random.choice, self.random.random()
        if kind < 0.5:
            return counter
        if kind < 0.85:
            return f"{counter} {choose('+-')} {choose('12')}"
        return choose([f"2 * {counter}", f"len(x) - 1 - {counter}", f"{counter} + k", "0", "-1", "1"])

    def _element(self) -> str:
        choose = self.random.choice
        if self.nested and self.random.random() < 0.5:
            i, j = (self._index(choose(self.counters or "012")) for _ in "ij")
            return f"{choose('ab')}[{i}, {j}]" if self.random.random() < 0.7 else f"{choose('ab')}[{i}][{j}]"
        return f"{choose('xyz')}[{self._index(choose(self.counters or '012'))}]"

    def _value(self, depth: int = 0) -> str:
        choose, kind = self.random.choice, self.random.random()
        if depth > 2 or kind < 0.4:
            return choose(
                [
                    self._element(),
                    self._element(),
                    *self.names[-1:],
                    "2",
                    "0.5",
                    "s",
                    choose(self.counters or self.names),
                ]
            )
        if kind < 0.85:
            return f"({self._value(depth + 1)} {choose('+-*+-*/')} {self._value(depth + 1)})"
        one, two = self._value(depth + 1), self._value(depth + 1)
        return choose([f"np.abs({one})", f"(-{one})", f"({one}) ** 2", f"np.maximum({one}, {two})"])

    def _test(self) -> str:
        choose, kind = self.random.choice, self.random.random()
        if kind < 0.3:
            return f"{[*self.names, *self.counters][-1]} {choose(['>', '<', '==', '% 2 =='])} {choose('012')}"
        return "s > 1" if kind < 0.4 else f"{self._element()} {choose(['>', '<', '<=', '!='])} {self._value(2)}"

    def _block(self, indent: str, count: int) -> list[str]:
        lines: list[str] = []
        choose = self.random.choice
        for _ in range(count):
            kind = self.random.random()
            if self.level < 2 and kind < 0.25:
                lines += self._branch(indent)
            elif kind < 0.4:
                self.made += 1
                lines.append(f"{indent}t{self.made} = {self._value()}")
                self.names.append(f"t{self.made}")
            elif kind < 0.72:
                lines.append(f"{indent}{self._element()} {choose(['=', '=', '=', '+=', '*='])} {self._value()}")
            elif kind < 0.86:
                lines.append(f"{indent}{self.total} {choose(['+=', '-=', '*='])} {self._value()}")
            else:
                array, counter = choose("xyz"), (self.counters or ["k"])[-1]
                lines.append(f"{indent}{array}[{counter} + 1] = {array}[{counter}] {choose('+-*')} {self._value()}")
        return lines

    def _branch(self, indent: str) -> list[str]:
        names = list(self.names)
        self.level += 1
        lines = [f"{indent}if {self._test()}:", *self._block(f"{indent}    ", self.random.choice([1, 2]))]
        self.names = list(names)
        for head, chance in ((f"{indent}elif {self._test()}:", 0.2), (f"{indent}else:", 0.5)):
            if self.random.random() < chance:
                lines += [head, *self._block(f"{indent}    ", 1)]
                self.names = list(names)
        self.level -= 1
        return lines


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments of a program: lengths from 0, several dtypes, special values, one array twice."""
    choose, draw = random.Random(seed), np.random.default_rng(seed)

    def array(shape: tuple[int, ...]) -> Any:
        kind = choose.choice(DTYPES)
        values: Any = draw.integers(-5, 6, shape)
        if kind in "dfD" and choose.random() < 0.5:
            values = draw.standard_normal(shape)
        values = np.abs(values).astype(kind) if kind == "B" else values.astype(kind)
        if kind in "df" and values.size and choose.random() < 0.2:
            values.flat[0] = choose.choice([np.nan, np.inf, -0.0])
        return values

    n = choose.choice([0, 1, 2, 7])
    length = n + choose.choice([0, 0, 1, 3])
    x, y = array((length,)), array((length + choose.choice([0, 0, 1]),))
    a = array((max(length, 4), max(length, 4)))
    if choose.random() < 0.08:
        y = x
    if choose.random() < 0.03:
        x = array((length, 2))
    s = choose.choice([2, 0.5, np.float32(1.5), np.float64(0.25), np.int64(3), -1, True])
    return x, y, a, s, choose.choice([0, 1, -1, 2]), n, choose.choice([0, 1, 3])


def _called(function: Any, given: tuple[Any, ...]) -> tuple[Any, Any]:
    """What a call gives and leaves in its arguments, or its exception's type."""
    mine = copy.deepcopy(given)
    try:
        with np.errstate(all="ignore"):
            return function(*mine), mine
    except Exception as error:
        return type(error).__name__, None


def is_same(old: Any, new: Any) -> bool:
    """Whether types, dtypes, shapes and bits agree; a NaN is one, whatever its bits."""
    if type(old) is not type(new):
        return False
    if isinstance(old, tuple):
        return len(old) == len(new) and all(map(is_same, old, new))
    if isinstance(old, (np.ndarray, np.generic)):
        if old.dtype != new.dtype or old.shape != new.shape:
            return False
        parts = (old.real, new.real, old.imag, new.imag) if old.dtype.kind == "c" else (old, new)
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        return all(bool(np.all((p == q) | ((p != p) & (q != q)))) for p, q in pairs)
    return repr(old) == repr(new)


def run(seed: int, calls: int = 6) -> tuple[Counter[str], str]:
    """What came of one program, and its text where something is wrong."""
    program = Program(seed)
    tally: Counter[str] = Counter()
    new_text = analyze(Source("m.py", program.text), Config(rewrite=True)).new_text or ""
    if not any(f"rt.{word}(" in new_text for word in ("vectorized", "enumerated", "zipped")):
        return Counter({"programs without a form": 1}), ""
    tally["programs with a form"] += 1
    original: dict[str, Any] = {}
    rewritten: dict[str, Any] = {}
    exec(compile(program.text, "original", "exec"), original)
    exec(compile(new_text, "rewritten", "exec"), rewritten)
    for number in range(calls):
        given = arguments(1000 * seed + number)
        if any(array.dtype.kind == "c" for array in given[:3]) and "/" in program.text:
            continue  # a quotient of complex numbers has no last bit to agree on
        (old, old_left), (new, new_left) = _called(original["f"], given), _called(rewritten["f"], given)
        if isinstance(old, str):
            kind = "raised" if isinstance(new, str) else "WRONG: did not raise"
        elif isinstance(new, str):
            kind = f"WRONG: raised {new}"
        else:
            kind = "equal" if is_same(old, new) and is_same(old_left, new_left) else "WRONG"
        tally[kind] += 1
        if kind.startswith("WRONG"):
            return tally, f"{kind}, seed {seed}\n{new_text}\n{given}\n{old}\n{new}"
    return tally, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.programs):
        tally, text = run(seed)
        total += tally
        if text:
            print(text)
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(total.items())))
    return 1 if any(kind.startswith("WRONG") for kind in total) else 0


if __name__ == "__main__":
    raise SystemExit(main())
