"""Positions equal libcst's own PositionProvider, node by node, on code that other people wrote."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from np2tnp.analysis.syntax.positions import positions, render
from np2tnp.model import Span

INSTALLED = [
    ("libcst", "_nodes/expression.py"),
    ("libcst", "_nodes/module.py"),
    ("rich", "console.py"),
    ("rich", "table.py"),
    ("pathspec", "pathspec.py"),
]
SNIPPETS = {
    "empty": "",
    "comment only": "# nothing\n",
    "no final newline": "x = 1",
    "windows newlines": "def f(a):\r\n    return a[1:2,\r\n             3]\r\n",
    "mixed newlines": "x = 1\r\ny = (2 +\n     3)\r\n",
    "wide characters": "s = 'äö𝄞'; t = s[1:] + '→'\n",
    "tabs": "if x:\n\tfor y in z:\n\t\ty += 1\n",
    "decorated": "\n\n@a\n# why\n@b(1)\nasync def f(x, /, *y, z=1, **k) -> int:\n    '''doc'''\n    await x\n",
    "parenthesised": "x = ((a) + (  b  ))[ (c) ]; y = (yield)\n",
    "strings": "x = 'a' \"b\" f'{c!r:>{d}}' '''\nlines\n'''\n",
    "semicolons": "a = 1; b = 2 ;c = 3\nif a: b; c\n",
    "continued": "a = 1 + \\\n    2\nwith (open(a) as b,\n      c): pass\n",
    "match": "match x:\n    case [1, *rest] if rest: pass\n    case {'a': b, **c} | P(d=1): pass\n",
    "try": "try:\n    a\nexcept* E as e:\n    b\nelse:\n    c\nfinally:\n    d\n",
}


def read(package: str, file: str) -> str:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parent / file).read_text(encoding="utf-8")


def end_of(text: str) -> tuple[int, int]:
    lines = re.split(r"\r\n?|\n", text)
    return len(lines), len(lines[-1]) + 1


def span_of(place: CodeRange, last: tuple[int, int]) -> Span:
    """libcst's place in our terms. Where a file lacks its final newline, its ends lie behind the text; ours do not."""
    start = min((place.start.line, place.start.column + 1), last)
    end = min((place.end.line, place.end.column + 1), last)
    return Span(*start, *end)


def check(text: str) -> int:
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    last = end_of(text)
    expected = {id(node): span_of(place, last) for node, place in wrapper.resolve(PositionProvider).items()}
    module = wrapper.module
    found_text, found = render(module, expected)
    assert found_text == text
    assert found == expected
    # Asked for alone, a node has the place that it has among all others.
    for key in list(expected)[:: max(1, len(expected) // 25)]:
        assert positions(module, {key}) == {key: expected[key]}
    return len(expected)


@pytest.mark.parametrize(("package", "file"), INSTALLED)
def test_installed_packages(package: str, file: str) -> None:
    assert check(read(package, file)) > 500


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=list(SNIPPETS))
def test_snippets(text: str) -> None:
    check(text)


def test_unknown_ids_are_left_out() -> None:
    module = cst.parse_module("x = 1\n")
    assert positions(module, {-1}) == {}


def test_spans_are_plain_data() -> None:
    module = cst.parse_module("x = 1\n")
    (span,) = positions(module, {id(module.body[0])}).values()
    assert dataclasses.astuple(span) == (1, 1, 1, 6)
