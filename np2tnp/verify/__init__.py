"""Runs the original and the rewritten functions of a program on the same inputs, and compares."""
