"""Reductions, order, statistics, counting and sets."""
