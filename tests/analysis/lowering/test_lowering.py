"""The lowered tree equals libcst's in all that has meaning, and its nodes stand where libcst's do."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import libcst as cst
import pytest

from np2tnp.analysis.lowering.nodes import Unsupported
from np2tnp.analysis.lowering.tree import LoweredTree
from np2tnp.analysis.syntax.positions import positions
from np2tnp.analysis.syntax.walk import PARTS, walk
from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.files.syntax import Trees

ROOT = Path(__file__).resolve().parents[3]
#: Fields that the walk leaves out and the analysis reads by name.
ALSO_READ = frozenset(("value", "star", "keyword", "operator", "asynchronous", "relative"))
#: Kinds of node at which findings point: their places must be known.
PLACED = (
    cst.Call, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.Subscript, cst.Tuple, cst.List, cst.ListComp,
    cst.GeneratorExp, cst.Lambda, cst.Yield, cst.Arg, cst.Assign, cst.AugAssign, cst.AnnAssign, cst.Return, cst.Raise,
    cst.Try, cst.For, cst.With, cst.FunctionDef, cst.ClassDef, cst.Decorator, cst.Import, cst.ImportFrom,
)  # fmt: skip

INSTALLED = [
    ("libcst", "_nodes/expression.py"),
    ("libcst", "metadata/scope_provider.py"),
    ("pathspec", "pathspec.py"),
    ("rich", "table.py"),
]
SNIPPETS = {
    "empty": "",
    "comment only": "# nothing\n",
    "no final newline": "x = 1",
    "windows newlines": "def f(a):\r\n    '''x\r\n    y'''\r\n    return a[1:2,\r\n             3]\r\n",
    "wide characters": "s = 'äö𝄞'; t = s[1:] + '→'; größe = f(s, größe.wert)\n",
    "decorated": "\n\n@a\n# why\n@ b(1)\nasync def f(x, /, *y, z=1, **k) -> int:\n    '''doc'''\n    await x\n",
    "decorated class": "if x:\n    @a\n    class B(C, *d, metaclass=E, **k): pass\n",
    "parameters": "def f(a, b: int = 1, *, c, d=2): pass\ndef g(a, /): pass\nh = lambda *a, b=1: (yield)\n",
    "parentheses": (
        "x = ((a) + (  b  ))[ (c) ]; y = (yield)\nf((a), ( # why (\n  (b)), *(c), k=(d))((e))\nf ( (a for b in c) )\n"
    ),
    "generators": "f(a for a in (b) if (c))\nx = (  # all (of\n  (a) for b in (c)\n )\nsum( (a) for b in c )\n",
    "tuples": (
        "a, = (b)\nc = (a), (b)\nd = ((a), (b))\ne = ((a, b), c)\nx[a, b], x[(a, b)], x[(a), b], x[(a),]\nt = ()\n"
    ),
    "subscripts": "x[1:2, ..., None], x[::2], x[:, a:], x[lambda: 0], x[()]\n",
    "arguments": "f(a, *b, c=1, *d, **e)\nf(**a, b=1)\nf(a := 1)\nf\\\n(a, (b))\n",
    "strings": (
        "x = 'a' \"b\" # c\ny = ('a'  # 'x'\n  \"\" if c else r'd' '''\nlines''')\nz = b'1' b'2'\nw = '''a\\\n'''\n"
    ),
    "f-strings": "x = f'{a!r:>{b}}' 'c'; y = ('é' f'{np.sum(c)}'\n  f'{{}}')\n",
    "numbers": "x = 0x1F + 1_000 + 1e-3 + .5 + 2J + -1 + True\n",
    "semicolons": "a = 1; b = 2 ;c = 3\nif a: b; c\nelse: d;\nfor i in x: pass\nclass A: x = 1; y = 2\n",
    "two lines in one": "'''a\n'''; x = [\n 1]; y = 2\nz = 3\n",
    "continued": (
        "a = 1 + \\\n    2\nwith (open(a) as b,\n      c): pass\nwith (a): pass\nwith (a), (b) as (c, d): pass\n"
    ),
    "branches": "if a: b\nelif c:\n    d\nelse:\n    if e: f\nif a:\n  b\nelse:\n  if c: d\n  else: e\n",
    "loops": (
        "for a, *b in c:\n"
        "    break\n"
        "else:\n"
        "    d\n"
        "while x:\n"
        "    continue\n"
        "async def f():\n"
        "    async for a in b: c\n"
        "    async with d: e\n"
    ),
    "patterns": (
        "match x, y:\n"
        "    case 1 | -2 | 'a' 'b' | b.c | 1 + 2j | None | True: pass\n"
        "    case [a, *_, 3] | [a] | []: f(a)\n"
        "    case (a, *rest) | (a,) | () | ((a), b) | ( # (\n a, ): g(a[1:])\n"
        "    case {'k': v, 1: (w), **rest} | {}:\n"
        "        pass; h(v)\n"
        "    case P(1, (y), y=z, w=(a, b)) as w if (w) and x: pass\n"
        "    case (a | b) as c: pass\n"
        "    case (a): pass\n"
        "    case (a), b: pass\n"
        "    case (a, b), c: pass\n"
        "    case (a, b), (c): pass\n"
        "    case [a], b: pass\n"
        "    case a, *b: pass\n"
        "    case*a, b: pass\n"
        "    case _: pass\n"
    ),
    "boolean": "a and b and (c or not d) or e; a < b <= c is not d not in e\n",
    "imports": (
        "from __future__ import annotations\n"
        "import a.b.c as d, e\n"
        "from . import f\n"
        "from ..g import *\n"
        "from h import (i as j,)\n"
    ),
    "statements": (
        "global g\n"
        "assert a, b\n"
        "raise A from b\n"
        "del a\n"
        "del a, b[0]\n"
        "del (c, d)\n"
        "x: int\n"
        "y: int = 1\n"
        "x @= y; x //= y\n"
        "return_ = 1\n"
    ),
    "comprehensions": (
        "[a for b in c for d in e if f if g]; {a: b for c in d}; {a for b in c}; {**a, 'b': c}; {1, *x}\n"
    ),
    "try": "try:\n    a\nexcept (A, B) as e:\n    b\nexcept: c\nelse:\n    c\nfinally:\n    d\n",
    "nested": (
        "class A:\n"
        "    def f(self):\n"
        "        nonlocal_ = 1\n"
        "        def g():\n"
        "            nonlocal nonlocal_\n"
        "        return g\n"
    ),
}
if sys.version_info >= (3, 11):
    SNIPPETS["starred subscript"] = "x[*a], x[b, *c]\n"
    SNIPPETS["try star"] = "try: a\nexcept* E as e: b\n"


def pairs(ours: object, theirs: object) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Both trees' nodes, side by side; fails where they differ."""
    if isinstance(theirs, (list, tuple)):
        assert isinstance(ours, (list, tuple))
        assert len(ours) == len(theirs), theirs
        for one, other in zip(ours, theirs, strict=True):
            yield from pairs(one, other)
    elif isinstance(theirs, cst.CSTNode):
        assert type(ours) is type(theirs)
        yield ours, theirs
        kind = type(theirs)
        yield from pairs(PARTS[kind](ours), PARTS[kind](theirs))
        if kind in (cst.Module, cst.ParamStar):
            return
        for field in fields(theirs):
            if field.name in ALSO_READ:
                yield from read_by_name(getattr(ours, field.name), getattr(theirs, field.name))
    else:
        assert ours == theirs


def read_by_name(ours: object, theirs: object) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    if isinstance(theirs, cst.CSTNode):
        assert type(ours) is type(theirs)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)  # type: ignore[arg-type]
    else:
        assert ours == theirs
    yield from ()


def check(text: str) -> int:
    lowered, parsed = LoweredTree(text, Trees()), cst.parse_module(text)
    both = list(pairs(lowered.module, parsed))
    expected = positions(parsed, {id(theirs) for _, theirs in both})
    formatted = [node for ours, _ in both if isinstance(ours, cst.FormattedString) for node in walk(ours)]
    inside = {id(node) for node in formatted}
    found = lowered.spans(formatted)
    for ours, theirs in both[1:]:
        if id(ours) not in inside:
            with contextlib.suppress(Unsupported):
                found.update(lowered.spans([ours]))
        if id(ours) in found:
            assert found[id(ours)] == expected[id(theirs)], type(ours).__name__
    return len(both)


@pytest.mark.parametrize(("package", "file"), INSTALLED)
def test_installed_packages(package: str, file: str) -> None:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    assert check((Path(spec.origin).parent / file).read_text(encoding="utf-8")) > 500


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=list(SNIPPETS))
def test_snippets(text: str) -> None:
    check(text)


def test_places_are_known_where_findings_point() -> None:
    text = (ROOT / "np2tnp" / "cli.py").read_text(encoding="utf-8") + SNIPPETS["decorated"] + SNIPPETS["parentheses"]
    lowered = LoweredTree(text, Trees())
    found = [node for node, _ in pairs(lowered.module, lowered.module) if isinstance(node, PLACED)]
    # no finding points at a base class by itself
    bases = {id(item) for node in found if isinstance(node, cst.ClassDef) for item in (*node.bases, *node.keywords)}
    nodes = [node for node in found if id(node) not in bases]
    assert len(lowered.spans(nodes)) == len(nodes) > 500


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\ry = 2\n",
        "x = 1\n\f\ny = 2\n",
        "if x: \\\n    y\n",
        "a = 1; \\\nb = 2\n",
        "try: a\nexcept E, e: b\n",
        "x = \n",
        "µ = 1\n",
        "type A = int\n",
    ],
)
def test_libcst_reads_what_python_reads_differently(text: str) -> None:
    with pytest.raises(Unsupported):
        LoweredTree(text, Trees())


def test_signs_outside_of_names_are_fine() -> None:
    check("# in m² and µs\nx = 'x² ﬁ'\n")


def test_a_field_that_is_not_there_is_an_error() -> None:
    (line,) = LoweredTree("x = (1)\n", Trees()).module.body
    (assign,) = line.body  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        assign.value.lpar  # noqa: B018


def test_check_and_rewrite_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: LoweredTree, text: str, trees: Trees) -> None:
        raise Unsupported

    sources = [
        Source(path.name, path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "fixtures" / "projects").rglob("*.py"))
    ]
    assert len(sources) > 5
    reports = [analyze(source, Config()) for source in sources]
    monkeypatch.setattr(LoweredTree, "__init__", refuse)
    assert [analyze(source, Config()) for source in sources] == reports
    assert any(report.findings for report in reports)
