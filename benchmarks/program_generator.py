"""Random modules of NumPy functions, from a seed: views, aliases, stores, calls that mutate, state, control flow.

The generator knows the shape of every array it makes (all inputs are of fixed shapes), so that most programs run to
their end. It knows nothing of what np2tnp can do.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from program_expressions import CUBE, MATRIX, VECTOR, Function, Shape
from program_statements import Statements
from program_styles import ALL_HELPERS, chosen_helpers

_PRELUDE = """import functools
from dataclasses import dataclass, field

import numpy as np

TABLE = np.arange(6.0)
LOG = []


class Model:
    scale = 2.0

    def __init__(self, w):
        self.w = w
        self.b = np.zeros(6)
        self.seen = []

    def step(self, g):
        self.w -= 0.5 * g
        self.b[1:] += g[:-1]
        return self.w.sum()

    def rebind(self, g):
        old = self.w
        self.w = self.w + g * self.scale
        self.seen.append(old[0])
        return old

    def fill(self, out):
        out[:] = self.b + np.sqrt(np.abs(self.w))
        return out


def outside(x):
    x[0] = x[0] + 1
    return x


globals()["hidden"] = outside
"""


@dataclass
class Module:
    """One random module and calls of its functions."""

    text: str
    calls: list[str] = field(default_factory=list)


def generate(seed: int, functions: int = 6) -> Module:
    """The module of this seed."""
    return _Writer(random.Random(seed)).module(functions)


class _Writer(Statements):
    """Writes modules, functions and control flow."""

    def module(self, functions: int) -> Module:
        self.helpers = chosen_helpers(self.rng)
        parts, calls = [_PRELUDE, *(ALL_HELPERS[name][0] for name in self.helpers)], []
        for number in range(functions):
            function, text = self.function(f"f{number}")
            parts.append(text)
            self.functions.append(function)
            calls.extend(self.call_of(function) for _ in range(3))
        return Module("\n\n".join(parts) + "\n", calls)

    def function(self, name: str) -> tuple[Function, str]:
        rng = self.rng
        self.lines, self.names, self.lists, self.dicts, self.models, self.loop = [], {}, [], [], [], 0
        parameters: list[Shape | None] = [
            rng.choice((VECTOR,) * 6 + (MATRIX,) * 3 + (CUBE,) + (None,) * 3) for _ in range(rng.randint(1, 3))
        ]
        if all(shape is None for shape in parameters):
            parameters[0] = VECTOR
        header = []
        annotate = rng.random() < 0.4
        for i, shape in enumerate(parameters):
            text = f"p{i}"
            self.names[text] = () if shape is None else shape
            if annotate and shape is not None:
                text += ": np.ndarray"
            header.append(text)
        if rng.random() < 0.3:
            default, shape = rng.choice((("None", ()), ("2.5", ()), ("TABLE", VECTOR), ("np.ones(6)", VECTOR)))
            if default == "None":
                header.append("out=None")
                self.lines.append("    if out is None:")
                self.lines.append("        out = np.zeros(6)")
                self.names["out"] = VECTOR
            else:
                header.append(f"d={default}")
                self.names["d"] = shape
        if rng.random() < 0.4:
            self.assign(f"v{self.fresh()}", self.array())
        short = rng.random() < 0.6
        self.budget, self.idioms = (rng.randint(1, 4), 30) if short else (rng.randint(3, 9), 3)
        while self.budget > 0:
            self.statement()
        result, text = self.result()
        if rng.random() < 0.9:
            self.lines.append(f"    return {text}")
        else:  # all that it does is to update what it got
            self.add("pass")
            result = None
        lines = [f"def {name}({', '.join(header)}):", *self.lines]
        if any(
            "TABLE =" in line.replace("TABLE ==", "") or " TABLE +=" in line or " TABLE *=" in line for line in lines
        ):
            lines.insert(1, "    global TABLE")
        return Function(name, parameters, result), "\n".join(lines)

    def call_of(self, function: Function) -> str:
        rng = self.rng
        dtype = rng.choice(
            ("float",) * 6 + ("np.float32", "np.float32", "int", "np.int32", "np.uint8", "bool", "complex")
        )
        arguments = []
        for shape in function.parameters:
            if shape is None:
                arguments.append(rng.choice(("2", "0", "1.5", "-1", "np.float32(0.5)", "np.int64(3)", "True")))
                continue
            size = int(np.prod(shape))
            values = f"np.arange({size}) * {rng.choice((1, 3, 7))} % {rng.choice((5, 11))}"
            if rng.random() < 0.5 and dtype not in ("bool", "np.uint8"):
                values = f"{values} - 2"
            if rng.random() < 0.4 and dtype in ("float", "np.float32"):
                values = f"({values}) * 0.37"
            text = f"({values}).astype({dtype}).reshape{shape!r}"
            layout = rng.random()
            if layout < 0.1:
                text = f"np.repeat({text}, 2, axis=-1)[..., ::2]"
            elif layout < 0.2:
                text = f"np.array({text}, order='F')"
            elif layout < 0.25:
                text = f"({text})[::-1]"
            elif layout < 0.28:
                text = f"np.broadcast_to({text}, {shape!r})"  # read-only
            arguments.append(text)
            if rng.random() < 0.1:
                dtype = rng.choice(("float", "int", "np.float32"))
        arrays = [i for i, shape in enumerate(function.parameters) if shape is not None]
        if len(arrays) > 1 and rng.random() < 0.1 and function.parameters[arrays[0]] == function.parameters[arrays[1]]:
            first = arguments[arrays[0]]
            arguments[arrays[0]] = f"(_same := {first})"
            arguments[arrays[1]] = "_same"
        return f"{function.name}({', '.join(arguments)})"

    def result(self) -> tuple[Shape | None, str]:
        rng = self.rng
        choice = rng.random()
        names = list(self.names)
        if choice < 0.45:
            name = rng.choice(names)
            return self.names[name], name
        if choice < 0.6:
            return (), self.expression((), 1)
        chosen = rng.sample(names, min(len(names), rng.randint(1, 3))) + self.lists[:1] + self.dicts[:1]
        if self.models and rng.random() < 0.6:
            chosen.append(f"{self.models[0]}.w")
        if choice < 0.9:
            return None, f"({', '.join(chosen)},)"
        return None, "{" + ", ".join(f"{text!r}: {text}" for text in chosen) + "}"

    def statement(self) -> None:
        self.budget -= 1
        choices: list[tuple[int, Callable[[], None]]] = [
            (5, self.assignment),
            (4, self.alias),
            (7, self.store),
            (4, self.whole),
            (2, self.swap),
            (3, self.method),
            (2, self.call),
            (3, self.container),
            (2, self.use_container),
            (1, self.print_),
            (2, self.model),
            (1, self.outer),
            (1, self.nested),
            (1, self.rare),
            (self.idioms, self.idiom),
        ]
        if self.indent < 3:
            choices += [(3, self.if_), (3, self.for_), (1, self.while_), (1, self.for_rows), (1, self.try_)]
        weights = [weight for weight, _ in choices]
        self.rng.choices([action for _, action in choices], weights)[0]()

    def suite(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement()

    def if_(self) -> None:
        with self.block(f"if {self.condition()}:"):
            if self.indent > 1 and self.rng.random() < 0.1:
                self.add(f"return {self.some()}")
            else:
                self.suite()
        if self.rng.random() < 0.5:
            with self.block("else:"):
                self.suite()

    def for_(self) -> None:
        if self.loop:
            return self.suite()
        with self.block(f"for i in range({self.rng.choice((1, 2, 3))}):", loop=True):
            self.suite()
            if self.rng.random() < 0.15:
                self.add(f"if {self.condition()}:")
                self.add("    " + self.rng.choice(("break", "continue")))
                self.suite()
        return None

    def while_(self) -> None:
        if self.loop:
            return self.suite()
        self.add("i = 0")
        with self.block("while i < 2:", loop=True):
            self.suite()
            self.add("i += 1")
        return None

    def for_rows(self) -> None:
        name, item = self.some(), f"r{self.fresh()}"
        if not self.names[name]:
            return
        with self.block(f"for {item} in {name}:"):
            self.names[item] = self.names[name][1:]
            if self.rng.random() < 0.5:
                self.add(f"{item} {self.rng.choice('+*')}= {self.number()}")
            else:
                self.suite()

    def try_(self) -> None:
        with self.block("try:"):
            self.suite()
        with self.block(self.rng.choice(("finally:", "except ZeroDivisionError:", "except IndexError:"))):
            self.suite()
