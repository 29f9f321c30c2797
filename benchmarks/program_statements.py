"""Random simple statements: the middle of ``program_generator.py``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from program_expressions import LISTED, VECTOR, Expressions, Shape
from program_idioms import CHANGES, FUNCTIONS, LIKE, LOOPS, NUMBER, PRINTS, ROW, TAIL, VIEWS
from program_objects import CALLBACKS, LIST, LISTS
from program_styles import ALL_HELPERS, FLOW, MEMORY

_WORDS = re.compile(r"\b[ABNLM]\b|#")


class Statements(Expressions):
    """Adds statements to the function at hand."""

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

    def assign(self, name: str, shape: Shape) -> None:
        self.add(f"{name} = {self.expression(shape, 2)}")
        self.names[name] = shape

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

    def store(self) -> None:
        name = self.some()
        key, shape = self.keyed(name)
        target = f"{name}[{key}]"
        if self.rng.random() < 0.08:
            target = f"{name}[{self.rng.choice(('1:', '0', '::-1', '[0, 1]'))}][0]"
            shape = None
        op = self.rng.choice(
            ("", "", "+", "-", "*", "/", "//", "%", "**") if self.rng.random() < 0.5 else ("", "+", "*")
        )
        value = self.number() if shape is None or self.rng.random() < 0.4 else self.expression(shape, 1)
        self.add(f"{target} {op}= {value}")

    def whole(self) -> None:
        name = self.some()
        op = self.rng.choice(("+", "-", "*", "+", "*", "/", "//", "%"))
        value = self.number() if self.rng.random() < 0.5 else self.expression(self.names[name], 1)
        self.add(f"{name} {op}= {value}")

    def idiom(self) -> None:
        """One of the templates, on arrays that are there."""
        rng = self.rng
        groups = [LOOPS, FUNCTIONS, VIEWS, CHANGES, PRINTS, FLOW, MEMORY]
        groups += [ALL_HELPERS[name][1] for name in self.helpers]
        groups += [LISTS, LISTS, LISTS, CALLBACKS, CALLBACKS] if self.objects else []
        lines, made = rng.choice(rng.choice(groups))
        first = self.some()
        shape = self.names[first]
        second = rng.choice([name for name, other in self.names.items() if other == shape])
        shapes = {LIKE: shape, ROW: shape[1:], TAIL: (max(shape[0] - 1, 0), *shape[1:]) if shape else (), NUMBER: ()}
        words = {"A": first, "B": second, "N": self.number(), "#": str(self.fresh())}
        if any(re.search(r"\b[LM]\b", line) for line in lines):
            words["L"], words["M"] = self.list_of(first, second), self.list_of(second, first)
        for line in lines:
            self.add(_WORDS.sub(lambda match: words[match[0]], line))
        for name, kind in made.items():
            if kind == LIST:
                self.lists.append(name.replace("#", words["#"]))
            else:
                self.names[name.replace("#", words["#"])] = shapes[kind]

    def list_of(self, first: str, second: str) -> str:
        """The name of a list of arrays, of an old one or a new one."""
        if self.lists and self.rng.random() < 0.8:
            return self.rng.choice(self.lists)
        name = f"l{self.fresh()}"
        text = self.rng.choice(("[{}, {}]", "[{}]", "[{0}, {0}]", "({}, {})", "[{} * 2, {}]"))
        self.add(f"{name} = {text.format(first, second)}")
        self.lists.append(name)
        return name

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
            f"{place}.sort()",
            f"{place}.fill({self.number()})",
            f"np.copyto({name}, {value})",
            f"np.add({name}, {value}, out={name})",
            f"np.multiply({name}, {self.number()}, {name})",
            f"np.clip({name}, 0, 3, out={name})",
            f"np.add.at({name}, [0, 0, 1], {self.number()})",
            f"np.put({name}, [0, 1], {self.number()})",
            f"np.putmask({name}, {name} > 1, {self.number()})",
            f"np.negative({name}, out={name})",
            f"{name}.clip(0, 2, out={name})",
            f"np.maximum({value}, 1, out={name})",
            f"np.place({name}, {name} > 1, [1, 2])",
            f"{name}.put([0], 5)",
            f"np.subtract({name}, {value}, where={name} > 1, out={name})",
            f"{name}.flat[1:3] = {self.number()}",
            f"np.sqrt(np.abs({name}), out={name})",
        ]
        if len(shape) > 1:
            forms += [
                f"np.fill_diagonal({name}, {self.number()})",
                f"{name}.sort(axis=0)",
                f"{name}.T[0] = {self.number()}",
                f"{name}[0].sort()",
                f"{name}.sum(axis=0, out={name}[0])",
            ]
        self.add(rng.choice(forms))

    def call(self) -> None:
        if not self.functions:
            return
        function = self.rng.choice(self.functions)
        text = self.call_text(function)
        if function.result is not None and self.rng.random() < 0.7:
            name = f"v{self.fresh()}"
            self.add(f"{name} = {text}")
            if function.result == LISTED:
                self.lists.append(name)
            else:
                self.names[name] = function.result
        else:
            self.add(text)

    def container(self) -> None:
        name, number = self.some(), self.fresh()
        if self.rng.random() < 0.7:
            second = self.expression(self.names[name], 1)
            forms = [
                f"[{name}, {second}]",
                f"[{name}]",
                f"[{second}, {name}, {second}]",
                f"list({name})",
                f"({name}, {second})",
                f"[{name} * k for k in range(3)]",
            ]
            self.add(f"l{number} = {self.rng.choice(forms)}")
            self.lists.append(f"l{number}")
        else:
            self.add(f"d{number} = {{'a': {name}, 'b': {self.expression(VECTOR, 1)}}}")
            self.dicts.append(f"d{number}")

    def use_container(self) -> None:
        rng, name = self.rng, self.some()
        if self.lists and rng.random() < 0.7:
            box = rng.choice(self.lists)
            forms = [
                f"{box}.append({name})",
                f"{box}[0] = {name}",
                f"{box}[0][0] = {self.number()}",
                f"{box}[-1] += {self.number()}",
                f"{box} = {box} + [{name}]",
                f"{box}[0], {name} = {name}, {box}[0]",
                f"{name} = {box}[0]",
            ]
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
            self.add(
                rng.choice(
                    (
                        f"{box}['a'][0] = {self.number()}",
                        f"{box}['b'] += {self.number()}",
                        f"{box}['c'] = {name}",
                        f"{name} = {box}.get('z', {name})",
                    )
                )
            )

    def print_(self) -> None:
        name = self.some()
        self.add(
            self.rng.choice(
                (
                    f"print({name})",
                    f"print({name}.shape, {name}.dtype)",
                    f"print(f'{{{name}.sum():.2f}}', {self.expression((), 1)})",
                )
            )
        )

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
        forms = [
            (f"{target} = {box}.step({name})", ()),
            (f"{target} = {box}.rebind({name})", VECTOR),
            (f"{target} = {box}.fill({name})", VECTOR),
            (f"{target} = {box}.w", VECTOR),
            (f"{box}.w[0] = {self.number()}", None),
            (f"{box}.w = {name}", None),
            (f"{box}.b += {name}", None),
            (f"{target} = {box}.step({box}.w)", ()),
        ]
        text, shape = self.rng.choice(forms)
        self.add(text)
        if shape is not None:
            self.names[target] = shape

    def outer(self) -> None:
        """The module's own data, and functions that the analysis cannot see."""
        vectors = [name for name, shape in self.names.items() if shape == VECTOR] or ["TABLE"]
        name = self.rng.choice(vectors)
        self.add(
            self.rng.choice(
                (
                    f"TABLE[1:] += {self.number()}",
                    f"TABLE[:] = {name}",
                    f"TABLE = TABLE + {name}",
                    f"LOG.append({name}[0])",
                    f"LOG.append({name})",
                    f"outside({name})",
                    f"hidden({name})",
                    f"{name} += TABLE",
                )
            )
        )

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
        forms = [
            f"assert {name} is not None",
            f"({name}_w := {name})[...] = {self.number()}",
            f"{name}_n = None; {name}_n = {name}",
            f"u{number} = [x for x in {name}]",
            f"u{number} = {{k: {name} for k in 'ab'}}; u{number}['a'] += 1",
            f"{name} = {name}; del {name}_q" if False else "pass",
            f"u{number} = {name}; del u{number}",
            f"u{number} = sum({name})",
            f"u{number}, *_r = [{name}, {name}]",
            f"u{number} = (x for x in [{name}]); {name}[...] = 1; {name} = next(u{number})",
        ]
        self.add(self.rng.choice(forms))
