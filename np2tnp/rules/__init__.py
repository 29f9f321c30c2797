"""The rules. Importing this package makes them all known."""

from np2tnp.rules import boundaries, calls, control, cost, dtypes, operators, stores, views  # noqa: F401
from np2tnp.rules.base import REGISTRY, Context, Hit, Rule, rules_by_event

__all__ = ["REGISTRY", "Context", "Hit", "Rule", "rules_by_event"]
