"""Random expressions of known shape: the lower half of ``program_generator.py``."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

Shape = tuple[int, ...]
VECTOR, MATRIX, CUBE = (6,), (4, 6), (2, 3, 4)
LISTED: Shape = (-1,)  #: of a parameter that is a list of arrays


@dataclass
class Function:
    """A function made so far: what a call of it needs and gives."""

    name: str
    parameters: list[Shape | None]  #: None: a number
    result: Shape | None  #: shape of the array or number it returns; None where it is a container


class Expressions:
    """Makes expressions of the names that a function has at some place."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.functions: list[Function] = []
        self.lines: list[str] = []
        self.indent = 1
        self.names: dict[str, Shape] = {}
        self.lists: list[str] = []
        self.dicts: list[str] = []
        self.models: list[str] = []
        self.loop = 0
        self.count = 0
        self.budget = 0
        self.helpers: list[str] = []
        self.objects = False  #: whether the module is about lists, objects and callbacks
        self.idioms = 1  #: how much of a function are idioms

    def array(self) -> Shape:
        """The shape of some array to make."""
        return self.rng.choice([VECTOR, MATRIX, *[shape for shape in self.names.values() if shape]])

    def view(self, name: str) -> tuple[str, Shape]:
        shape = self.names[name]
        key = self.key(shape)
        forms = [f"{name}[{key}]", f"{name}[{self.key(shape)}]", f"{name}.T", f"{name}.reshape(-1)", f"{name}.ravel()"]
        forms += [f"np.asarray({name})", f"{name}[::-1]", f"{name}[None]", f"np.array({name})", f"{name}.copy()"]
        text = self.rng.choice(forms)
        try:
            value = eval(text, {"np": np, name: np.zeros(shape)})
        except Exception:
            return name, shape
        return text, np.shape(value)

    def key(self, shape: Shape) -> str:
        """An index of an array of this shape."""
        rng = self.rng
        if not shape:
            return rng.choice(("...", "()"))
        n = shape[0]
        options = [
            "0",
            "-1",
            ":",
            "1:",
            ":-1",
            "::2",
            "::-1",
            "...",
            "None",
            f"{n - 1}",
            "1:3",
            "-2:",
            "[0, -1]",
            "[0, 0]",
        ]
        options += ["[]", "np.array([1, 0, 1])", f"np.arange({n}) > 1", "1:2"]
        if self.loop:
            options += ["i", "i", "i % 2", "i:", "i + 1", "-i"]
        if len(shape) > 1:
            options += [
                "0, 1",
                ":, 0",
                ":, 1:",
                "1:, :-1",
                "..., -1",
                "[0, 1], [1, 2]",
                "0, [1, 2]",
                ":, [0, 1]",
                ":, None, 0",
            ]
            options += ["i, i" if self.loop else "1, -1", ":, ::-1", "0, ...", "[[0], [1]], [0, 1]"]
        same = [name for name, other in self.names.items() if other == shape]
        if same:
            options += [f"{rng.choice(same)} > {rng.choice((0, 1, 2))}"] * 2
        return rng.choice(options)

    def keyed(self, name: str) -> tuple[str, Shape | None]:
        """A key into `name`, and the shape of what it selects; None where that is known only when it runs."""
        key = self.key(self.names[name])
        scope = {"np": np, "i": 0, name: np.zeros(self.names[name])}
        for other, shape in self.names.items():
            scope.setdefault(other, np.zeros(shape))
        try:
            return key, None if ">" in key and "np.arange" not in key else np.shape(eval(f"{name}[{key}]", scope))
        except Exception:
            return ":" if self.names[name] else "...", self.names[name]

    def call_text(self, function: Function) -> str:
        arguments = []
        for shape in function.parameters:
            if shape == LISTED:
                names = [name for name, other in self.names.items() if other]
                arguments.append(self.rng.choice([*self.lists, f"[{', '.join(names[:2])}]"]))
                continue
            same = [name for name, other in self.names.items() if other == (shape or ())]
            if same and self.rng.random() < 0.8:
                arguments.append(self.rng.choice(same))
            else:
                arguments.append(self.number() if shape is None else self.expression(shape, 1))
        return f"{function.name}({', '.join(arguments)})"

    def some(self) -> str:
        """An array's name (or, where there is none, any name)."""
        arrays = [name for name, shape in self.names.items() if shape]
        return self.rng.choice(arrays or list(self.names))

    def number(self) -> str:
        scalars = [name for name, shape in self.names.items() if shape == ()]
        return self.rng.choice(["2", "0", "0.5", "-1", "3", *scalars, *(["i"] if self.loop else [])])

    def condition(self) -> str:
        name = self.some()
        forms = [
            f"{name}.sum() > {self.number()}",
            f"np.any({name} > 2)",
            f"len({name}) > 3" if self.names[name] else "True",
            "TABLE[0] == 0",
            f"{self.number()} > 0",
            f"{name}.mean() < 1 or {self.number()} == 2",
            f"{name} is None",
        ]
        return self.rng.choice(forms)

    def expression(self, shape: Shape, depth: int) -> str:
        """An expression whose value has this shape."""
        rng = self.rng
        options: list[str] = [name for name, other in self.names.items() if other == shape] * 2
        if not shape:
            arrays = [name for name, other in self.names.items() if other]
            options += [rng.choice(("1", "0.5", "2"))]
            for name in arrays[:3]:
                first = ", ".join("0" for _ in self.names[name])
                options += [
                    f"{name}[{first}]",
                    f"{name}.sum()",
                    f"np.max({name})",
                    f"np.mean({name})",
                    f"len({name})",
                    f"{name}.size",
                    f"np.sum({name} * {name})",
                    f"float({name}.max())",
                    f"np.any({name})",
                    f"{name}.min()",
                ]
        elif depth <= 0 or not options:
            options += [
                f"np.ones({shape})",
                f"np.full({shape}, 2)",
                f"np.zeros({shape}, dtype={rng.choice(('float', 'int', 'np.float32'))})",
            ]
            options += [f"np.arange({shape[0]})"] if len(shape) == 1 else []
        if depth > 0:
            a, b = (self.expression(shape, depth - 1) for _ in range(2))
            op = rng.choice(("+", "-", "*", "+", "*", "/", "//", "%", ">"))
            options += [
                f"{a} {op} {b}",
                f"({a} {rng.choice('+-*')} {self.number()})",
                f"np.where({a} > 1, {a}, {b})",
                f"np.maximum({a}, {b})",
            ]
            function = rng.choice(
                (
                    "np.abs",
                    "np.sin",
                    "np.tanh",
                    "np.floor",
                    "np.sign",
                    "np.square",
                    "-",
                    "np.asarray",
                    "np.round",
                    "np.exp",
                )
            )
            options += [
                f"{function}({a})",
                f"({a}).astype({rng.choice(('float', 'int', 'np.float32', 'bool'))})" if shape else f"abs({a})",
            ]
            if shape:
                options += [
                    f"({a}).copy()",
                    f"({a})[::-1]",
                    f"np.sort({a})",
                    f"np.clip({a}, 0, 2)",
                    f"np.cumsum({a}, axis=0)",
                    f"({a}).reshape({shape})",
                ]
                options += [f"np.concatenate([{a}, {b}])[:{shape[0]}]", f"np.roll({a}, 1)", f"np.sqrt(np.abs({a}))"]
                options += self.parts(shape)
        return rng.choice(options)

    def parts(self, shape: Shape) -> list[str]:
        """Parts and reductions of larger arrays that have this shape."""
        found: list[str] = []
        for name, other in self.names.items():
            for text in (
                f"{name}[1:]",
                f"{name}[:-1]",
                f"{name}[0]",
                f"{name}[:, 1]",
                f"{name}.sum(axis=0)",
                f"np.mean({name}, axis=-1)",
                f"{name}.T",
            ):
                try:
                    if np.shape(eval(text, {"np": np, name: np.zeros(other)})) == shape and other:
                        found.append(text)
                except Exception:
                    continue
        return found
