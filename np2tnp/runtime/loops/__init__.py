"""Loops and branches as functions of what they change."""
