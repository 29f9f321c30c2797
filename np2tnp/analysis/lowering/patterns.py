"""Patterns of ``case`` as libcst's nodes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from np2tnp.analysis.lowering.expressions import Expressions
from np2tnp.analysis.lowering.nodes import maker
from np2tnp.analysis.lowering.places import own_parentheses

_value = maker(cst.MatchValue, "value")
_singleton = maker(cst.MatchSingleton, "value")
_list = maker(cst.MatchList, "patterns")
_tuple = maker(cst.MatchTuple, "patterns")
_element = maker(cst.MatchSequenceElement, "value")
_star = maker(cst.MatchStar, "name")
_mapping = maker(cst.MatchMapping, "elements", "rest")
_mapping_element = maker(cst.MatchMappingElement, "key", "pattern")
_class = maker(cst.MatchClass, "cls", "patterns", "kwds")
_keyword = maker(cst.MatchKeywordElement, "key", "pattern")
_as = maker(cst.MatchAs, "pattern", "name")
_or = maker(cst.MatchOr, "patterns")
_or_element = maker(cst.MatchOrElement, "pattern", "separator")
_OR = cst.BitOr()


class Patterns(Expressions):
    """Lowers the patterns of one text."""

    def pattern(self, node: ast.pattern) -> Any:
        return _PATTERNS[type(node)](self, node)

    def _optional_name(self, name: str | None) -> Any:
        return None if name is None else self.name(name)

    def _elements(self, nodes: Sequence[ast.pattern]) -> list[Any]:
        return [self.pattern(item) if type(item) is ast.MatchStar else _element(self.pattern(item)) for item in nodes]

    def _value(self, node: ast.MatchValue) -> Any:
        return _value(self.expression(node.value))

    def _singleton(self, node: ast.MatchSingleton) -> Any:
        return _singleton(self.name(repr(node.value)))

    def _sequence(self, node: ast.MatchSequence) -> Any:
        make = _tuple if own_parentheses(self.places, node, node.patterns) else _list
        return make(self._elements(node.patterns))

    def _star(self, node: ast.MatchStar) -> Any:
        return _star(self._optional_name(node.name))

    def _mapping(self, node: ast.MatchMapping) -> Any:
        pairs = zip(map(self.expression, node.keys), map(self.pattern, node.patterns), strict=True)
        return _mapping([_mapping_element(*pair) for pair in pairs], self._optional_name(node.rest))

    def _class_pattern(self, node: ast.MatchClass) -> Any:
        keywords = zip(map(self.name, node.kwd_attrs), map(self.pattern, node.kwd_patterns), strict=True)
        return _class(self.expression(node.cls), self._elements(node.patterns), [_keyword(*pair) for pair in keywords])

    def _as(self, node: ast.MatchAs) -> Any:
        return _as(None if node.pattern is None else self.pattern(node.pattern), self._optional_name(node.name))

    def _or(self, node: ast.MatchOr) -> Any:
        *before, last = map(self.pattern, node.patterns)
        return _or([*(_or_element(item, _OR) for item in before), _or_element(last, cst.MaybeSentinel.DEFAULT)])


_PATTERNS: dict[type, Callable[[Patterns, Any], Any]] = {
    ast.MatchValue: Patterns._value,
    ast.MatchSingleton: Patterns._singleton,
    ast.MatchSequence: Patterns._sequence,
    ast.MatchStar: Patterns._star,
    ast.MatchMapping: Patterns._mapping,
    ast.MatchClass: Patterns._class_pattern,
    ast.MatchAs: Patterns._as,
    ast.MatchOr: Patterns._or,
}
