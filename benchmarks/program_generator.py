"""Random modules of NumPy functions, from a seed: views, aliases, stores, calls that mutate, state, control flow.

The generator knows the shape of every array it makes (all inputs are of fixed shapes), so that most programs run to
their end. It knows nothing of what np2tnp can do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

Shape = tuple[int, ...]
VECTOR, MATRIX = (6,), (4, 6)

_PRELUDE = '''import numpy as np

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
'''


@dataclass
class Function:
    """A function made so far: what a call of it needs and gives."""

    name: str
    parameters: list[Shape | None]  #: None: a number
    result: Shape | None  #: shape of the array or number it returns; None where it is a container


@dataclass
class Module:
    """One random module and calls of its functions."""

    text: str
    calls: list[str] = field(default_factory=list)


def generate(seed: int, functions: int = 6) -> Module:
    """The module of this seed."""
    return _Writer(random.Random(seed)).module(functions)


class _Writer:
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

    # ---- modules and functions

    def module(self, functions: int) -> Module:
        parts, calls = [_PRELUDE], []
        for number in range(functions):
            function, text = self.function(f"f{number}")
            parts.append(text)
            self.functions.append(function)
            calls.extend(self.call_of(function) for _ in range(3))
        return Module("\n\n".join(parts) + "\n", calls)

    def function(self, name: str) -> tuple[Function, str]:
        rng = self.rng
        self.lines, self.names, self.lists, self.dicts, self.models, self.loop = [], {}, [], [], [], 0
        parameters: list[Shape | None] = [rng.choice((VECTOR, VECTOR, MATRIX, None)) for _ in range(rng.randint(1, 3))]
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
        self.budget = rng.randint(3, 9)
        while self.budget > 0:
            self.statement()
        result, text = self.result()
        self.lines.append(f"    return {text}")
        lines = [f"def {name}({', '.join(header)}):", *self.lines]
        if any("TABLE =" in line.replace("TABLE ==", "") or " TABLE +=" in line or " TABLE *=" in line for line in lines):
            lines.insert(1, "    global TABLE")
        return Function(name, parameters, result), "\n".join(lines)

    def call_of(self, function: Function) -> str:
        rng = self.rng
        dtype = rng.choice(("float",) * 6 + ("np.float32", "np.float32", "int", "np.int32", "np.uint8", "bool", "complex"))
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
        names = [name for name in self.names]
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

    # ---- statements

    def add(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def fresh(self) -> int:
        self.count += 1
        return self.count

    @contextmanager
    def block(self, head: str, loop: bool = False) -> Iterator[None]:
        """An indented suite. Names bound in it keep their shapes; names that are new in it are forgotten after it."""
        self.add(head)
        before = dict(self.names), list(self.lists), list(self.dicts), list(self.models)
        self.indent += 1
        self.loop += loop
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.add("pass")
        self.loop -= loop
        self.indent -= 1
        self.names, self.lists, self.dicts, self.models = before

    def statement(self) -> None:
        self.budget -= 1
        choices: list[tuple[int, Callable[[], None]]] = [
            (5, self.assignment), (4, self.alias), (7, self.store), (4, self.whole), (2, self.swap), (3, self.method),
            (2, self.call), (3, self.container), (2, self.use_container), (1, self.print_), (2, self.model),
            (1, self.outer), (1, self.nested), (1, self.rare),
        ]  # fmt: skip
        if self.indent < 3:
            choices += [(3, self.if_), (3, self.for_), (1, self.while_), (1, self.for_rows), (1, self.try_)]
        weights = [weight for weight, _ in choices]
        self.rng.choices([action for _, action in choices], weights)[0]()

    def suite(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement()

    def assign(self, name: str, shape: Shape) -> None:
        self.add(f"{name} = {self.expression(shape, 2)}")
        self.names[name] = shape

    def array(self) -> Shape:
        """The shape of some array to make."""
        return self.rng.choice([VECTOR, MATRIX, *[shape for shape in self.names.values() if shape]])

    def assignment(self) -> None:
        if self.rng.random() < 0.5:
            name = self.rng.choice(list(self.names))
            self.assign(name, self.names[name])
        else:
            self.assign(f"v{self.fresh()}", self.rng.choice(((), self.array(), self.array())))

    def alias(self) -> None:
        """A new or old name for an array, or for a view of one."""
        name = self.some()
        text, shape = (name, self.names[name]) if self.rng.random() < 0.4 else self.view(name)
        if self.rng.random() < 0.15:
            other = self.expression(shape, 1)
            text = f"{text} if {self.condition()} else {other}"
        same = [n for n, s in self.names.items() if s == shape and n != name]
        target = self.rng.choice(same) if same and self.rng.random() < 0.3 else f"v{self.fresh()}"
        if self.rng.random() < 0.05:
            self.add(f"{target} = w{self.count} = {text}")
            self.names[f"w{self.count}"] = shape
        else:
            self.add(f"{target} = {text}")
        self.names[target] = shape

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
        options = ["0", "-1", ":", "1:", ":-1", "::2", "::-1", "...", "None", f"{n - 1}", "1:3", "-2:", "[0, -1]", "[0, 0]"]
        options += ["[]", "np.array([1, 0, 1])", f"np.arange({n}) > 1", "1:2"]
        if self.loop:
            options += ["i", "i", "i % 2", "i:", "i + 1", "-i"]
        if len(shape) > 1:
            options += ["0, 1", ":, 0", ":, 1:", "1:, :-1", "..., -1", "[0, 1], [1, 2]", "0, [1, 2]", ":, [0, 1]", ":, None, 0"]
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

    def store(self) -> None:
        name = self.some()
        key, shape = self.keyed(name)
        target = f"{name}[{key}]"
        if self.rng.random() < 0.08:
            target = f"{name}[{self.rng.choice(('1:', '0', '::-1', '[0, 1]'))}][0]"
            shape = None
        op = self.rng.choice(("", "", "+", "-", "*", "/", "//", "%", "**") if self.rng.random() < 0.5 else ("", "+", "*"))
        value = self.number() if shape is None or self.rng.random() < 0.4 else self.expression(shape, 1)
        self.add(f"{target} {op}= {value}")

    def whole(self) -> None:
        name = self.some()
        op = self.rng.choice(("+", "-", "*", "+", "*", "/", "//", "%"))
        value = self.number() if self.rng.random() < 0.5 else self.expression(self.names[name], 1)
        self.add(f"{name} {op}= {value}")

    def swap(self) -> None:
        name = self.some()
        same = [other for other, shape in self.names.items() if shape == self.names[name] and other != name]
        if same and self.rng.random() < 0.7:
            other = self.rng.choice(same)
            self.add(f"{name}, {other} = {other}, {name}")
        elif self.names[name]:
            self.add(f"{name}[0], {name}[1] = {name}[1], {name}[0]")

    def method(self) -> None:
        """Something that works in place through a call."""
        rng, name = self.rng, self.some()
        shape = self.names[name]
        value = self.expression(shape, 1)
        place = name if rng.random() < 0.7 else f"{name}[1:]"
        forms = [
            f"{place}.sort()", f"{place}.fill({self.number()})", f"np.copyto({name}, {value})",
            f"np.add({name}, {value}, out={name})", f"np.multiply({name}, {self.number()}, {name})",
            f"np.clip({name}, 0, 3, out={name})", f"np.add.at({name}, [0, 0, 1], {self.number()})",
            f"np.put({name}, [0, 1], {self.number()})", f"np.putmask({name}, {name} > 1, {self.number()})",
            f"np.negative({name}, out={name})", f"{name}.clip(0, 2, out={name})", f"np.maximum({value}, 1, out={name})",
            f"np.place({name}, {name} > 1, [1, 2])", f"{name}.put([0], 5)", f"np.subtract({name}, {value}, where={name} > 1, out={name})",
            f"{name}.flat[1:3] = {self.number()}", f"np.sqrt(np.abs({name}), out={name})",
        ]  # fmt: skip
        if len(shape) > 1:
            forms += [f"np.fill_diagonal({name}, {self.number()})", f"{name}.sort(axis=0)", f"{name}.T[0] = {self.number()}",
                      f"{name}[0].sort()", f"{name}.sum(axis=0, out={name}[0])"]  # fmt: skip
        self.add(rng.choice(forms))

    def call(self) -> None:
        if not self.functions:
            return
        function = self.rng.choice(self.functions)
        text = self.call_text(function)
        if function.result is not None and self.rng.random() < 0.7:
            name = f"v{self.fresh()}"
            self.add(f"{name} = {text}")
            self.names[name] = function.result
        else:
            self.add(text)

    def call_text(self, function: Function) -> str:
        arguments = []
        for shape in function.parameters:
            same = [name for name, other in self.names.items() if other == (shape or ())]
            if same and self.rng.random() < 0.8:
                arguments.append(self.rng.choice(same))
            else:
                arguments.append(self.number() if shape is None else self.expression(shape, 1))
        return f"{function.name}({', '.join(arguments)})"

    def container(self) -> None:
        name, number = self.some(), self.fresh()
        if self.rng.random() < 0.7:
            second = self.expression(self.names[name], 1)
            forms = [f"[{name}, {second}]", f"[{name}]", f"[{second}, {name}, {second}]", f"list({name})", f"({name}, {second})",
                     f"[{name} * k for k in range(3)]"]  # fmt: skip
            self.add(f"l{number} = {self.rng.choice(forms)}")
            self.lists.append(f"l{number}")
        else:
            self.add(f"d{number} = {{'a': {name}, 'b': {self.expression(VECTOR, 1)}}}")
            self.dicts.append(f"d{number}")

    def use_container(self) -> None:
        rng, name = self.rng, self.some()
        if self.lists and rng.random() < 0.7:
            box = rng.choice(self.lists)
            forms = [f"{box}.append({name})", f"{box}[0] = {name}", f"{box}[0][0] = {self.number()}", f"{box}[-1] += {self.number()}",
                     f"{box} = {box} + [{name}]", f"{box}[0], {name} = {name}, {box}[0]", f"{name} = {box}[0]"]  # fmt: skip
            choice = rng.choice(forms)
            if choice.startswith(f"{name} =") or ", " in choice.partition("=")[0]:
                self.names.pop(name) if len(self.names) > 1 and not self.loop and self.indent == 1 else None
            self.add(choice)
            if rng.random() < 0.4:
                item = f"x{self.fresh()}"
                self.add(f"for {item} in {box}:")
                self.add(f"    {item} {rng.choice('+*')}= {self.number()}")
        elif self.dicts:
            box = rng.choice(self.dicts)
            self.add(rng.choice((f"{box}['a'][0] = {self.number()}", f"{box}['b'] += {self.number()}", f"{box}['c'] = {name}",
                                 f"{name} = {box}.get('z', {name})")))  # fmt: skip

    def print_(self) -> None:
        name = self.some()
        self.add(self.rng.choice((f"print({name})", f"print({name}.shape, {name}.dtype)", f"print(f'{{{name}.sum():.2f}}', {self.expression((), 1)})")))

    def model(self) -> None:
        vectors = [name for name, shape in self.names.items() if shape == VECTOR]
        if not vectors:
            return
        name = self.rng.choice(vectors)
        if not self.models:
            label = f"m{self.fresh()}"
            self.add(f"{label} = Model({self.rng.choice((name, f'{name} + 0.5', f'{name}.copy()'))})")
            self.models.append(label)
            return
        box, target = self.models[0], f"v{self.fresh()}"
        forms = [(f"{target} = {box}.step({name})", ()), (f"{target} = {box}.rebind({name})", VECTOR),
                 (f"{target} = {box}.fill({name})", VECTOR), (f"{target} = {box}.w", VECTOR), (f"{box}.w[0] = {self.number()}", None),
                 (f"{box}.w = {name}", None), (f"{box}.b += {name}", None), (f"{target} = {box}.step({box}.w)", ())]  # fmt: skip
        text, shape = self.rng.choice(forms)
        self.add(text)
        if shape is not None:
            self.names[target] = shape

    def outer(self) -> None:
        """The module's own data, and functions that the analysis cannot see."""
        vectors = [name for name, shape in self.names.items() if shape == VECTOR] or ["TABLE"]
        name = self.rng.choice(vectors)
        self.add(self.rng.choice((f"TABLE[1:] += {self.number()}", f"TABLE[:] = {name}", f"TABLE = TABLE + {name}", f"LOG.append({name}[0])",
                                  f"LOG.append({name})", f"outside({name})", f"hidden({name})", f"{name} += TABLE")))  # fmt: skip

    def nested(self) -> None:
        name, label = self.some(), f"g{self.fresh()}"
        target = f"v{self.fresh()}"
        shape = self.names[name]
        forms = [
            ([f"{label} = lambda x: x * {name}"], f"{label}({name})"),
            ([f"def {label}(x):", f"    return x + {name}"], f"{label}({name})"),
            ([f"def {label}(x):", "    x += 1", "    return x"], f"{label}({name})"),
            ([f"def {label}():", f"    {name}[...] = {self.number()}"], f"{label}() or {name}"),
            ([f"def {label}(x=({name})):", "    return x"], f"{label}()"),
        ]
        lines, text = self.rng.choice(forms)
        for line in lines:
            self.add(line)
        self.add(f"{target} = {text}")
        self.names[target] = shape

    def rare(self) -> None:
        name, number = self.some(), self.fresh()
        forms = [f"assert {name} is not None", f"({name}_w := {name})[...] = {self.number()}", f"{name}_n = None; {name}_n = {name}",
                 f"u{number} = [x for x in {name}]", f"u{number} = {{k: {name} for k in 'ab'}}; u{number}['a'] += 1", f"{name} = {name}; del {name}_q"
                 if False else "pass", f"u{number} = {name}; del u{number}", f"u{number} = sum({name})", f"u{number}, *_r = [{name}, {name}]",
                 f"u{number} = (x for x in [{name}]); {name}[...] = 1; {name} = next(u{number})"]  # fmt: skip
        self.add(self.rng.choice(forms))

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

    # ---- expressions

    def some(self) -> str:
        """An array's name (or, where there is none, any name)."""
        arrays = [name for name, shape in self.names.items() if shape]
        return self.rng.choice(arrays or list(self.names))

    def number(self) -> str:
        scalars = [name for name, shape in self.names.items() if shape == ()]
        return self.rng.choice(["2", "0", "0.5", "-1", "3", *scalars, *(["i"] if self.loop else [])])

    def condition(self) -> str:
        name = self.some()
        forms = [f"{name}.sum() > {self.number()}", f"np.any({name} > 2)", f"len({name}) > 3" if self.names[name] else "True", "TABLE[0] == 0",
                 f"{self.number()} > 0", f"{name}.mean() < 1 or {self.number()} == 2", f"{name} is None"]  # fmt: skip
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
                options += [f"{name}[{first}]", f"{name}.sum()", f"np.max({name})", f"np.mean({name})", f"len({name})", f"{name}.size",
                            f"np.sum({name} * {name})", f"float({name}.max())", f"np.any({name})", f"{name}.min()"]  # fmt: skip
        elif depth <= 0 or not options:
            options += [f"np.ones({shape})", f"np.full({shape}, 2)", f"np.zeros({shape}, dtype={rng.choice(('float', 'int', 'np.float32'))})"]
            options += [f"np.arange({shape[0]})"] if len(shape) == 1 else []
        if depth > 0:
            a, b = (self.expression(shape, depth - 1) for _ in range(2))
            op = rng.choice(("+", "-", "*", "+", "*", "/", "//", "%", ">"))
            options += [f"{a} {op} {b}", f"({a} {rng.choice('+-*')} {self.number()})", f"np.where({a} > 1, {a}, {b})", f"np.maximum({a}, {b})"]
            function = rng.choice(("np.abs", "np.sin", "np.tanh", "np.floor", "np.sign", "np.square", "-", "np.asarray", "np.round", "np.exp"))
            options += [f"{function}({a})", f"({a}).astype({rng.choice(('float', 'int', 'np.float32', 'bool'))})" if shape else f"abs({a})"]
            if shape:
                options += [f"({a}).copy()", f"({a})[::-1]", f"np.sort({a})", f"np.clip({a}, 0, 2)", f"np.cumsum({a}, axis=0)", f"({a}).reshape({shape})"]
                options += [f"np.concatenate([{a}, {b}])[:{shape[0]}]", f"np.roll({a}, 1)", f"np.sqrt(np.abs({a}))"]
                options += self.parts(shape)
        return rng.choice(options)

    def parts(self, shape: Shape) -> list[str]:
        """Parts and reductions of larger arrays that have this shape."""
        found = []
        for name, other in self.names.items():
            for text in (f"{name}[1:]", f"{name}[:-1]", f"{name}[0]", f"{name}[:, 1]", f"{name}.sum(axis=0)", f"np.mean({name}, axis=-1)", f"{name}.T"):
                try:
                    if np.shape(eval(text, {"np": np, name: np.zeros(other)})) == shape and other:
                        found.append(text)
                except Exception:
                    continue
        return found
