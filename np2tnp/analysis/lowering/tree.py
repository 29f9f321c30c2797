"""Python's own syntax tree as libcst's nodes, with nothing but meaning in them.

libcst's parser keeps every blank and comment, which only ``rewrite`` needs, and costs twelve times Python's own. Here
the nodes that the analysis and the rules read (``walk.PARTS``) are built from `ast`; white space, commas and
parentheses stay unset, so that whoever reads one of them by mistake gets an AttributeError instead of a wrong answer.
The tree is equal to libcst's in every field with meaning and in every place that is asked for, which test_lowering.py
compares, so ``check`` and ``rewrite`` see the same code. Where that cannot be had, libcst has to read the file.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterable, Iterator

import libcst as cst

from np2tnp.analysis.lowering.lowered_statements import Statements
from np2tnp.analysis.lowering.nodes import Unsupported, maker
from np2tnp.files.trees import Trees
from np2tnp.model import Span

#: A lone carriage return or form feed, on which the two parsers disagree, and a backslash behind a colon or semicolon:
#: then a line does not show where a statement begins.
_STRANGE = re.compile(r"\r(?!\n)|\f|[;:][ \t]*\\\r?\n")
#: White space that libcst does not keep, so that it cannot rewrite the file. (As one pattern they are slow.)
_LOST = (re.compile(r"except\b[^:\n]{0,2000}[ \t]:"), re.compile(r"![rsa][ \t]+[}:]"))
_WIDE_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*")

_NAME_FIELDS = frozenset(("id", "attr", "arg", "name", "asname", "module", "names"))

_module = maker(cst.Module, "body")


class LoweredTree:
    """A module lowered from Python's own tree."""

    def __init__(self, text: str, trees: Trees) -> None:
        """Raises Unsupported for text that Python cannot parse or that libcst must read."""
        if _STRANGE.search(text) is not None or any(pattern.search(text) for pattern in _LOST):
            raise Unsupported("white space")
        try:
            tree = trees.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            raise Unsupported(type(error).__name__) from None
        if not unicodedata.is_normalized("NFKC", text):
            _check_names(text, tree)
        lowering = Statements(text)
        self._places = lowering.places
        self.module: cst.Module = _module(lowering.statements(tree.body))

    def spans(self, nodes: Iterable[cst.CSTNode]) -> dict[int, Span]:
        """The spans of `nodes` by id, as `positions` gives them for libcst's tree. Raises Unsupported."""
        return self._places.spans(nodes)


def _check_names(text: str, tree: ast.Module) -> None:
    """Raises Unsupported for names that Python changes: it makes one of ``µ`` and ``μ``, libcst does not."""
    forms = {word: unicodedata.normalize("NFKC", word) for word in _WIDE_WORD.findall(text)}
    folded = {form for word, form in forms.items() if form != word}
    if folded and not folded.isdisjoint(_names_in(tree)):
        raise Unsupported("names")


def _names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if field in _NAME_FIELDS:
                for item in value if isinstance(value, list) else [value]:
                    if isinstance(item, str):
                        yield from item.split(".")
