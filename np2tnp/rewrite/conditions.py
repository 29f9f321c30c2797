"""Conditions of staged loops: ``not``, ``and``, ``or`` ask for a truth value, which a symbol of a trace has not."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.syntax.liveness import Names, reads
from np2tnp.edits import build


def condition(test: cst.BaseExpression, runtime: str, varying: Names) -> cst.BaseExpression:
    """`test`, used for its truth only, with ``rt.negation``, ``rt.both`` and ``rt.either`` for what is `varying`."""
    if not reads(test) & varying:
        return test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return build.call(f"{runtime}.negation", build.bare(condition(test.expression, runtime, varying)))
    if isinstance(test, cst.BooleanOperation):
        function = "both" if isinstance(test.operator, cst.And) else "either"
        left = build.argument(condition(test.left, runtime, varying))
        right = build.argument(cst.Lambda(cst.Parameters(), build.bare(condition(test.right, runtime, varying))))
        return build.call(f"{runtime}.{function}", left, right)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 2 and _is_plain(test.comparisons[0].comparator):
        first, second = test.comparisons
        halves = [cst.Comparison(test.left, [first]), cst.Comparison(first.comparator, [second])]
        right = build.argument(cst.Lambda(cst.Parameters(), halves[1]))
        return build.call(f"{runtime}.both", build.argument(halves[0]), right)
    return test


def _is_plain(node: cst.BaseExpression) -> bool:
    """Whether evaluating `node` twice is the same as once."""
    return isinstance(node, (cst.Name, cst.Integer, cst.Float))
