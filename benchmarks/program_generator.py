"""Random modules of NumPy functions, from a seed: views, aliases, stores, calls that mutate, state, control flow.

The generator knows the shape of every array it makes (all inputs are of fixed shapes), so that most programs run to
their end. It knows nothing of what np2tnp can do.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from program_expressions import CUBE, LISTED, MATRIX, VECTOR, Function, Shape
from program_statements import Statements
from program_styles import ALL_HELPERS, chosen_helpers

_IMPORTS = """import collections
import copy
import dataclasses
import functools
import itertools
import operator
import types
from dataclasses import dataclass, field

import numpy as np
"""
_PRELUDE = f"""{_IMPORTS}
TABLE = np.arange(6.0)
LOG = []
Point = collections.namedtuple("Point", "x y")


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
    """One random module and calls of its functions; ``beside`` is the text of ``helper.py`` where it imports that."""

    text: str
    calls: list[str] = field(default_factory=list)
    beside: str = ""


def generate(seed: int, functions: int = 6, files: bool = False) -> Module:
    """The module of this seed, or what is the same as two files."""
    rng = random.Random(seed)
    module = _Writer(rng).module(functions)
    return _as_files(module, rng) if files else module


def _as_files(module: Module, rng: random.Random) -> Module:
    """Its head, helpers and some of its functions as ``helper.py``, which the rest imports in one of the usual ways."""
    own = list(re.finditer(r"^def f\d\(", module.text, re.MULTILINE))
    cut = rng.choice(own[1:]).start()
    helper, rest = module.text[:cut], module.text[cut:]
    names = [
        *re.findall(r"^(?:def|class) (\w+)", helper, re.MULTILINE),
        *re.findall(r"^([A-Z]\w*) =", helper, re.MULTILINE),
    ]
    names.append("hidden")
    way = rng.choice(("from helper import *", "names", "modules"))
    if way == "names":
        way = f"from helper import {', '.join(names)}"
    elif way == "modules":
        own_module = rng.choice(("helper", "h"))
        way = "import helper" + (" as h" if own_module == "h" else "")
        rest = re.sub(rf"(?<![\w.'\"])({'|'.join(names)})\b(?!=)", rf"{own_module}.\1", rest)
        rest = re.sub(r"^    global .*\n", "", rest, flags=re.MULTILINE)
        way += f"\nfrom helper import {', '.join(name for name in names if re.match(r'f[0-9]', name))}"
    return Module(f"{_IMPORTS}{way}\n\n\n{rest}", module.calls, helper)


class _Writer(Statements):
    """Writes modules, functions and control flow."""

    def module(self, functions: int) -> Module:
        self.objects = self.rng.random() < 0.4
        self.helpers = chosen_helpers(self.rng, self.objects)
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
        if self.objects and rng.random() < 0.5:
            parameters.extend([LISTED] * rng.randint(1, 2))
        header = []
        annotate = rng.random() < 0.4
        for i, shape in enumerate(parameters):
            text = f"p{i}"
            if shape == LISTED:
                self.lists.append(text)
            else:
                self.names[text] = () if shape is None else shape
            if annotate and shape not in (None, LISTED):
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
        dtype = self.dtype()
        arguments: list[str] = []
        for shape in function.parameters:
            if shape is None:
                arguments.append(rng.choice(("2", "0", "1.5", "-1", "np.float32(0.5)", "np.int64(3)", "True")))
                continue
            if shape == LISTED:
                arguments.append(self.list_argument(arguments, function, dtype))
                continue
            arguments.append(self.array_argument(shape, dtype))
            if rng.random() < 0.1:
                dtype = rng.choice(("float", "int", "np.float32"))
        arrays = [i for i, shape in enumerate(function.parameters) if shape not in (None, LISTED)]
        if len(arrays) > 1 and rng.random() < 0.1 and function.parameters[arrays[0]] == function.parameters[arrays[1]]:
            first = arguments[arrays[0]]
            arguments[arrays[0]] = f"(_same := {first})"
            arguments[arrays[1]] = "_same"
        return f"{function.name}({', '.join(arguments)})"

    def dtype(self) -> str:
        return self.rng.choice(
            ("float",) * 6 + ("np.float32", "np.float32", "int", "np.int32", "np.uint8", "bool", "complex")
        )

    def array_argument(self, shape: Shape, dtype: str) -> str:
        rng = self.rng
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
        elif self.objects and layout < 0.31:
            text = f"({text})[:0]"
        elif self.objects and layout < 0.34:
            text = "np.array(2.5)"  # 0-d
        return text

    def list_argument(self, before: list[str], function: Function, dtype: str) -> str:
        """A list of arrays; now and then one array twice, or one that is an argument, too."""
        rng = self.rng
        shape = next(shape for shape in function.parameters if shape is not None)
        items = [self.array_argument(shape, dtype) for _ in range(rng.randint(1, 3))]
        sharing = rng.random()
        if sharing < 0.15:
            items = [f"(_item := {items[0]})", "_item", *items[2:]]
        elif sharing < 0.25:
            items = [f"(_item := {items[0]})", "_item[..., ::-1]" if "2.5" not in items[0] else "_item", *items[2:]]
        elif sharing < 0.35 and before and shape == function.parameters[0] and "_same" not in before[0]:
            before[0] = f"(_same := {before[0]})"
            items[0] = "_same"
        text = ", ".join(items)
        return f"({text},)" if rng.random() < 0.15 else f"[{text}]"

    def result(self) -> tuple[Shape | None, str]:
        rng = self.rng
        choice = rng.random()
        names = list(self.names)
        if choice < 0.45:
            name = rng.choice(names)
            return self.names[name], name
        if choice < 0.6:
            return (), self.expression((), 1)
        if self.objects and self.lists and choice < 0.75:
            name = rng.choice(self.lists)
            return (
                (LISTED, name)
                if rng.random() < 0.7
                else (None, f"({name}, {rng.choice(self.lists)}, {rng.choice(names)})")
            )
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
