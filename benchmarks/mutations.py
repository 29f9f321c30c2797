"""Small changes of a program's functions, at random places: what makes other aliases, views, stores and copies of it.

They know nothing of types. Whoever uses them runs the changed program first, and drops the changes that raise.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator

FunctionNode = ast.FunctionDef

#: What the place of a name can take instead of it; ``x`` and ``y`` are arrays of the function.
_FOR_NAMES = """
x[:]; x[...]; x.T; x[::-1]; x.reshape(-1); np.asarray(x); x.copy(); x.view(); y; [x][0]; (lambda: x)(); (y, x)[1]
x[1:]; x[:1]; x[None][0]; np.atleast_1d(x); np.ascontiguousarray(x); {'k': x}['k']; next(iter([x])); x.ravel()
np.array(x, copy=None); x if x is y else y; (lambda v=x: v)(); x.astype(float, copy=False); np.broadcast_to(x, x.shape)
x.real; np.moveaxis(x, 0, -1); np.split(x, 1)[0]; np.squeeze(x); np.swapaxes(x, 0, -1); np.expand_dims(x, 0)[0]
np.require(x); getattr(x, 'T'); x.__getitem__(slice(None)); np.lib.stride_tricks.sliding_window_view(x, 1)[..., 0]
(lambda *v: v)(y, x)[1]
(lambda **k: k)(v=x)['v']; np.diagonal(np.atleast_2d(x)); np.broadcast_arrays(x, y)[0]; np.transpose(x); np.real(x)
""".replace("\n", ";").split(";")

#: What any expression can be put through; ``x`` stands for it.
_THROUGH = [
    "[x][0]",
    "(lambda v: v)(x)",
    "(lambda: x)()",
    "{'k': x}['k']",
    "list({'k': x}.values())[0]",
    "dict(k=x).popitem()[1]",
    "next(iter((x,)))",
    "next(v for v in [x])",
    "[v for v in (x,)][0]",
    "max([x], key=np.size)",
    "sorted([x], key=np.sum)[0]",
    "list(zip([x]))[0][0]",
    "list(reversed([x]))[0]",
    "list(map(np.asarray, [x]))[0]",
    "next(map(lambda v: v, [x]))",
    "list(filter(lambda v: v is not None, [x]))[0]",
    "list(enumerate([x]))[0][1]",
    "functools.reduce(lambda p, q: q, [0, x])",
    "[[x]][0].pop()",
    "(0, [x])[1][0]",
    "types.SimpleNamespace(v=x).v",
    "np.asarray(x)",
    "np.atleast_1d(x)",
]

#: Statements to put somewhere.
_STATEMENTS = """
x[0] = y[0]
x[...] = y
x[:] = x[::-1]
x += y
x *= 0.5
x[0] += 1
x[:-1] += x[1:]
x = y
y, x = x, y
x = x if len(x) > 1 else y
KEPT.append(x)
KEPT.extend([x, y])
KEPT.append(x); KEPT[-1][0] = y[0]
x = np.asarray(x)
x.sort()
x.fill(2)
np.add(x, y, out=x)
np.copyto(x, y)
np.multiply(x[1:], 2, out=x[:-1])
x = x.copy()
x[x > 0] = 0
x[[0, -1]] = x[[-1, 0]]
for row in x: row *= 2
for box in [x, y]: box += 1
for box in (x, y): box[0] = 1
x, y = (np.asarray(v) for v in (x, y))
x, y = [y, x]
x = sorted([x, y], key=np.sum)[0]
x = max([x, y], key=np.size)
assert x is not y
print(np.shape(x), np.sum(x))
x.flat[0] = 3
x.T[0] = 1
x[0][...] = 0
del x
global KEPT
"""
_STATEMENTS_LIST = [line for line in _STATEMENTS.splitlines() if line and line not in ("del x", "global KEPT")]

#: ``s`` stands for a statement that is there.
_AROUND = [
    "for _ in range(2):\n    s",
    "try:\n    s\nfinally:\n    pass",
    "with np.errstate(all='ignore'):\n    s",
    "try:\n    s\n    x[0] = 1\nexcept (IndexError, TypeError):\n    pass",
    "if x is not y:\n    s",
    "if np.sum(x) > 0:\n    s",
    "def box():\n    s\nbox()",
    "def box(x):\n    s\nbox(x)",
    "def box(x=x):\n    s\nbox()",
    "box = [x]\nfor x in box:\n    s",
    "for x, box in zip([x], [y]):\n    s",
    "for x in map(np.asarray, [x, y]):\n    s",
]

#: A name's uses in the rest of its block go through ``new`` after ``line``.
_DETOURS = [
    ("box = [x]", "box[0]"),
    ("box = {'x': x}", "box['x']"),
    ("box = (y, x)", "box[-1]"),
    ("box = x", "box"),
    ("box = x[...]", "box"),
    ("box = np.asarray(x)", "box"),
    ("box = lambda: x", "box()"),
    ("def box(): return x", "box()"),
    ("def box(v=x): return v", "box()"),
    ("box = types.SimpleNamespace(x=x)", "box.x"),
    ("box = functools.partial(np.asarray, x)", "box()"),
    ("box = [v for v in (x, y)]", "box[0]"),
    ("box = {k: v for k, v in zip('ab', (x, y))}", "box['a']"),
    ("box = [x] * 2", "box[1]"),
    ("box = [y] + [x]", "box[1]"),
    ("box = list((x, y))", "box[0]"),
    ("KEPT.append(x)", "KEPT[-1]"),
    ("def box(): return held\nheld = x", "box()"),
    ("held = 0\nbox = lambda: held\nheld = x", "box()"),
    ("def box(): return held()\ndef held(): return x", "box()"),
    ("held = box = [x, y]", "held[0]"),
    ("held, _ = box = x, y", "box[0]"),
    ("box = {}\nbox['k'] = held = x", "held"),
    ("box = [None]\nbox[0] = x", "box[0]"),
    ("box = []\nbox.append(x)", "box[-1]"),
    ("box = {}\nbox.setdefault('k', x)", "box['k']"),
    ("box = {'a': {'b': x}, 'c': y}", "box['a']['b']"),
    ("box = [x] + [{'k': y}]", "box[0]"),
    ("box = {**{'k': x}}", "box['k']"),
    ("box = [*[y], x]", "box[1]"),
    ("box = functools.partial(lambda v, w: w, y)", "box(x)"),
]

HEAD = "import functools\nimport types\n\nimport numpy as np\n\nKEPT = []\n"


def functions(tree: ast.Module) -> list[FunctionNode]:
    """The functions and methods of the module that can be changed."""
    found = [node for node in ast.walk(tree) if isinstance(node, FunctionNode) and node.name != "main"]
    return [node for node in found if not node.name.startswith("__")]


def mutate(node: FunctionNode, rng: random.Random) -> bool:
    """Change the function once; False where there was nothing to change in the way that was drawn."""
    names = sorted({n.id for n in _names(node)})
    if not names:
        return False
    changes: list[tuple[int, Callable[[FunctionNode, random.Random, list[str]], bool]]] = [
        (6, _other_name),
        (5, _insert),
        (3, _around),
        (4, _detour),
        (3, _order),
        (4, _operator),
        (4, _return_more),
        (2, _same_argument),
        (2, _no_copy),
        (2, _chain),
        (4, _through),
        (2, _closed),
    ]
    return rng.choices([f for _, f in changes], [w for w, _ in changes])[0](node, rng, names)


def _names(node: ast.AST) -> Iterator[ast.Name]:
    """Names that are read, but not called or asked for attributes that arrays do not have."""
    called = {id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
    modules = {"np", "math", "self", "cls", "KEPT", "types", "functools", "print", "range", "len"}
    for found in ast.walk(node):
        if isinstance(found, ast.Name) and id(found) not in called and found.id not in modules:
            yield found


def _blocks(node: FunctionNode) -> list[list[ast.stmt]]:
    return [
        block
        for found in ast.walk(node)
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(found, name, None), list) and block and isinstance(block[0], ast.stmt)
    ]


def _place(node: FunctionNode, rng: random.Random) -> tuple[list[ast.stmt], int]:
    block = rng.choice(_blocks(node))
    return block, rng.randrange(len(block))


def _filled(text: str, rng: random.Random, names: list[str]) -> str:
    one, two = rng.sample(names, 2) if len(names) > 1 else names * 2
    return ast.unparse(_renamed(ast.parse(text), _words(one, two, rng)))


def _words(one: str, two: str, rng: random.Random) -> dict[str, str]:
    number = rng.randrange(100)
    return {"x": one, "y": two, "box": f"box{number}", "held": f"held{number}"}


class _Replace(ast.NodeTransformer):
    def __init__(self, chosen: dict[int, ast.AST]) -> None:
        self.chosen = chosen

    def visit(self, node: ast.AST) -> ast.AST:
        return self.chosen[id(node)] if id(node) in self.chosen else self.generic_visit(node)


def _expression(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _other_name(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    places = [n for block in node.body for n in _names(block) if isinstance(n.ctx, ast.Load)]
    if not places:
        return False
    place = rng.choice(places)
    form = rng.choice([form for form in _FOR_NAMES if form.strip()])
    tree = _expression(form)
    other = rng.choice(names)
    for found in ast.walk(tree):
        if isinstance(found, ast.Name) and found.id in "xy":
            found.id = place.id if found.id == "x" else other
    _Replace({id(place): tree}).visit(node)
    return True


def _insert(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    block, index = _place(node, rng)
    block[index:index] = ast.parse(_filled(rng.choice(_STATEMENTS_LIST), rng, names)).body
    return True


def _around(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    block, index = _place(node, rng)
    new = ast.parse(_filled(rng.choice(_AROUND), rng, names))
    for inner in ast.walk(new):
        body = getattr(inner, "body", None)
        if isinstance(body, list) and isinstance(body[0], ast.Expr) and getattr(body[0].value, "id", "") == "s":
            body[0] = block[index]
            block[index : index + 1] = new.body
            return True
    return False


def _detour(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    block, index = _place(node, rng)
    line, new = rng.choice(_DETOURS)
    name = rng.choice(names)
    words = _words(name, rng.choice(names), rng)
    rest = [n for statement in block[index:] for n in _names(statement) if n.id == name and isinstance(n.ctx, ast.Load)]
    chosen = {id(n): _renamed(_expression(new), words) for n in rest if rng.random() < 0.7}
    if not chosen:
        return False
    _Replace(chosen).visit(node)
    block[index:index] = [_renamed(statement, words) for statement in ast.parse(line).body]
    return True


def _renamed(tree: ast.AST, words: dict[str, str]) -> ast.AST:
    for found in ast.walk(tree):
        if isinstance(found, ast.Name):
            found.id = words.get(found.id, found.id)
        elif isinstance(found, ast.FunctionDef):
            found.name = words.get(found.name, found.name)
        elif isinstance(found, ast.arg) and found.arg in "xy":
            found.arg = words.get(found.arg, found.arg)
    return tree


def _through(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    """An argument, an operand or what is assigned or returned goes through a container or a function."""
    places = [value for part in ast.walk(node) for value in _values(part)]
    if not places:
        return False
    place = rng.choice(places)
    tree = _expression(rng.choice(_THROUGH))
    inner = next(found for found in ast.walk(tree) if isinstance(found, ast.Name) and found.id == "x")
    _Replace({id(place): _Replace({id(inner): copy.deepcopy(place)}).visit(tree)}).visit(node)
    return True


def _closed(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    """An expression moves into a function that is defined at the top, before its names are bound."""
    places = [value for part in node.body for inner in ast.walk(part) for value in _values(inner)]
    if not places:
        return False
    place, name = rng.choice(places), f"box{rng.randrange(100)}"
    _Replace({id(place): _expression(f"{name}()")}).visit(node)
    node.body[:0] = ast.parse(f"def {name}():\n    return {ast.unparse(place)}").body
    return True


def _values(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [argument for argument in node.args if not isinstance(argument, ast.Starred)]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return)) and node.value is not None:
        return [node.value]
    return []


def _order(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    block, index = _place(node, rng)
    choice = rng.random()
    if choice < 0.3:
        block.insert(index, copy.deepcopy(block[index]))
    elif choice < 0.5 and len(block) > 1:
        del block[index]
    elif index + 1 < len(block):
        block[index], block[index + 1] = block[index + 1], block[index]
    return True


def _operator(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    """``x = x + y`` becomes ``x += y`` or ``x[...] = x + y``, and the other way round."""
    places = [(b, i) for b in _blocks(node) for i, s in enumerate(b) if isinstance(s, (ast.Assign, ast.AugAssign))]
    if not places:
        return False
    block, index = rng.choice(places)
    statement = block[index]
    if isinstance(statement, ast.AugAssign):
        load = _expression(ast.unparse(statement.target))
        block[index] = ast.Assign([statement.target], ast.BinOp(load, statement.op, statement.value), lineno=0)
        return True
    assert isinstance(statement, ast.Assign)
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        if isinstance(value, ast.BinOp) and rng.random() < 0.6:
            block[index] = ast.AugAssign(target, value.op, value.right)
        else:
            statement.targets = [ast.Subscript(target, ast.Constant(...), ast.Store())]
        return True
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        statement.targets = [ast.Name(target.value.id, ast.Store())]
        return True
    return False


def _return_more(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    returns = [n for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
    name = ast.Name(rng.choice(names), ast.Load())
    if not returns:
        node.body.append(ast.Return(name))
    elif rng.random() < 0.5:
        place = rng.choice(returns)
        place.value = ast.Tuple([place.value, name], ast.Load())  # type: ignore[list-item]
    else:
        rng.choice(returns).value = name
    return True


def _same_argument(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call) and len(n.args) > 1]
    if not calls:
        return False
    call = rng.choice(calls)
    one, two = rng.sample(range(len(call.args)), 2)
    call.args[one] = copy.deepcopy(call.args[two])
    return True


def _no_copy(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    """``x.copy()``, ``np.array(x)`` and ``np.zeros_like(x)`` become ``x``."""
    found: list[tuple[ast.Call, ast.expr]] = []
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if call.func.attr in ("copy", "astype", "flatten"):
                found.append((call, call.func.value))
            elif call.func.attr in ("array", "copy", "zeros_like", "empty_like", "abs", "sqrt", "exp") and call.args:
                found.append((call, call.args[0]))
    if not found:
        return False
    call, value = rng.choice(found)
    _Replace({id(call): value}).visit(node)
    return True


def _chain(node: FunctionNode, rng: random.Random, names: list[str]) -> bool:
    """One more name, or an attribute, for what is assigned."""
    places = [s for b in _blocks(node) for s in b if isinstance(s, ast.Assign)]
    if not places:
        return False
    target = f"self.kept{rng.randrange(2)}" if node.args.args[:1] and node.args.args[0].arg == "self" else ""
    text = target if target and rng.random() < 0.7 else rng.choice(names)
    place = rng.choice(places)
    if rng.random() < 0.3 and len(names) > 1:
        text = ", ".join(rng.sample(names, 2))
    new = ast.parse(f"{text} = 0").body[0].targets  # type: ignore[attr-defined]
    place.targets = [*new, *place.targets] if rng.random() < 0.5 else [*place.targets, *new]
    return True
