"""Loops of a compiled function as functions of what they change."""
