"""Random classes whose methods read, share, hand out and update arrays of their objects, rewritten and compared.

``python benchmarks/random_objects.py --programs 500 --state tensor`` prints each program that does something else than
before, and how many did what they did. A seed makes one program.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from side_by_side import Call, Pair, rewrite

#: Of arrays. {a} and {b} are attributes, {v} local names, {e}, {s} and {t} further expressions, numbers and statements.
_ARRAYS = """self.{a} | self.{a} * 2.0 | np.tanh(self.{a}) | self.{a} + self.{b} | self.{a}[1:] | x | {v}
self.{a}.copy() | np.sqrt(np.abs(x)) | {v} * 2 | {v}[::-1] | self.{a}.T | np.maximum(self.{a}, {v})
np.where(self.{a} > 0, self.{a}, x) | self.{a}.reshape(-1) | np.asarray(self.{a}) | other.{a} | self.read(x)
self.get() | np.abs(other.{b}) | same(self.{a}) | self.{a} if self.{b}[0] > 0 else self.{b} | self.parts[0]
np.zeros(4) | np.arange(4.0) | self.first | -self.{a} | np.cumsum(self.{a})[:4] | self.{a}[at]
np.concatenate([self.{a}[:2], x[2:]]) | self.{a} * self.bump(x) | self.{a} + np.full(4, self.changed) - self.{a}"""
_NUMBERS = """{v}.sum() | self.{a}.sum() | float(self.{a}[0]) | np.mean(self.{a}) | self.{a}[1] | {v}[2] | 0.5
len(self.{a}) | np.max(self.{a}) | self.{a}.shape[0] | 1.0 if self.{a} is {v} else 0.25
np.sum(self.{a} * self.bump(x)) | self.changed"""
_STATEMENTS = """self.{a} = {e} | self.{a} -= {e} | self.{a} *= {s} | self.{a}[0] = {s} | self.{a}[1:] += {s}
{v} = {e} | self.{a}[at] -= {s} | self.{a}[:] = {e} | self.{a}, self.{b} = self.{b}, self.{a} | {v} += {s}
{v}[0] = {s} | total += {s} | self.bump(x) | self.log.append({e}) | np.add.at(self.{a}, at, {s}) | self.{a}.sort()
other.{a} = {e} | np.multiply(self.{a}, 0.5, out=self.{a}) | other.{a} += {s} | other.{a}[2] = {s} | keep(self.{a})
hook(self) | self.{a} = self.{b} = {e} | print(self.{a}, {s}) | total += sum(q * 2 for q in self.{a})
{v} = [self.{a}, x][0] | self.{a} = np.array(self.{a}) | total += np.dot(self.{a}[:4], x) | touch({e})
{v} = self.{a} | for i in range(2):; {t} | if total > 1:; {t} | del self.{a}; self.{a} = {e}
try:; {t}; except ValueError:; total += 1
for i in range(len(self.{a})):; self.{a}[i] = self.{a}[i - 1] * 0.5 + {s} | total += (lambda k: self.{a}[k])(1)"""

_MODULE = """import numpy as np

kept = []


def keep(w):
    kept.append(w)


def same(w):
    return w


def touch(w):
    w += 1


class A:
    def __init__(self):
        self.a = np.sqrt(np.arange(4.0)) - 0.5
        self.b = np.cos(np.arange(4.0))
        self.log = []
        self.parts = [np.ones(4)]

    @property
    def first(self):
        return self.{first}

    @property
    def changed(self):
        self.{first}[0] += 1
        return 2.0

    def get(self):
        return self.{given}

    def read(self, x):
        return self.a * x + self.b

    def bump(self, x):
        self.a {change} np.tanh(x)
        self.b[1:] -= {by}
        return np.sum(self.a)

{methods}

def run(x):
    del kept[:]
    one, two = A(), A()

    def hook(it):
        it.{hooked}[0] += 10

    results = []
    for _ in range(2):
        results.append(one.step(x, two, hook))
        results.append(one.work(x, one, hook))
        results.append(two.last(x, one, hook))
        results.append(one.get())
        results[-1][1] = 3.5
        results.append([w.sum() for w in kept])
    return results, one.a is one.b, one.a is two.a, one, two, kept
"""
_METHOD = """    def {name}(self, x, other, hook):
        at = np.array([0, 2])
        total = 0.0
        p = x * 1.0
        q = self.{a}
        {body}
        return total, np.sum(self.a), np.tanh(p), {result}
"""
CALL = Call.parse("run(np.array([0.5, -1.0, 2.0, 0.1]))")


def _choices(text: str) -> list[str]:
    return [item.strip() for line in text.splitlines() for item in line.split(" | ")]


def generate(seed: int) -> str:
    """The module of one seed."""
    draw = random.Random(seed)

    def attribute() -> str:
        return draw.choice("ab")

    def filled(text: str) -> str:
        parts: dict[str, Callable[[], str]] = {
            "{t}": lambda: statement(nested=True),
            "{e}": lambda: draw.choice(_choices(_ARRAYS)),
            "{s}": lambda: draw.choice(_choices(_NUMBERS)),
            "{v}": lambda: draw.choice("pq"),
            "{a}": attribute,
            "{b}": attribute,
        }
        for place, make in parts.items():
            while place in text:
                text = text.replace(place, make(), 1)
        return text

    def statement(nested: bool = False) -> str:
        text = draw.choice(_choices(_STATEMENTS))
        while nested and ";" in text:
            text = draw.choice(_choices(_STATEMENTS))
        lines = [filled(line) for line in text.split("; ")]
        indented = lines[0].endswith(":")
        for number, line in enumerate(lines[1:], 1):
            lines[number] = line if line.endswith(":") or not indented else f"    {line}"
        return "\n        ".join(lines)

    def method(name: str) -> str:
        body = "\n        ".join(statement() for _ in range(draw.randint(2, 5)))
        result = draw.choice(["q", "self.a", "None", "self.b * 2", "p"])
        return _METHOD.format(name=name, a=attribute(), body=body, result=result)

    return _MODULE.format(
        methods="\n".join(map(method, ("step", "work", "last"))),
        first=attribute(),
        given=attribute(),
        hooked=attribute(),
        change=draw.choice(["+=", "*=", "="]),
        by=draw.choice(["0.25", "np.sqrt(2.0)"]),
    )


def run(seeds: Iterable[int], **options: Any) -> tuple[Counter[str], list[str]]:
    """How the programs compare, with how many functions work on tensors of objects; and what is wrong."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for seed in seeds:
        text = generate(seed)
        report = rewrite(text, **options)
        if report.error is not None or report.new_text is None:
            counts["unchanged"] += 1
            problems += [f"{seed}: {report.error}"] if report.error is not None else []
            continue
        counts["on tensors of objects"] += report.new_text.count('tensors="')
        (judgement,) = Pair(text, report.new_text).compare([CALL])
        half_way = judgement.detail.startswith("refused")  # what it did until then stays
        counts["refused" if half_way else judgement.kind] += 1
        if not half_way and judgement.kind not in ("equal", "raised", "refused", "misused"):
            problems.append(f"{seed}: {judgement.kind}: {judgement.detail}\n{report.new_text}")
    return counts, problems


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=100, help="how many (default 100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--state", default="tensor", help="as of rewrite (default tensor)")
    parser.add_argument("--slow", default="convert", help="as of rewrite (default convert)")
    parser.add_argument("--on-unverified", default="raise", help="as of rewrite (default raise)")
    options = vars(parser.parse_args(argv))
    os.environ["NP2TNP_ABOVE"] = "0"
    first, number = options.pop("first"), options.pop("programs")
    counts, problems = run(range(first, first + number), **options)
    print("\n\n".join([*problems, ", ".join(f"{count} {kind}" for kind, count in counts.most_common())]))
    return int(bool(problems))


if __name__ == "__main__":
    raise SystemExit(main())
