"""Loops over elements that are operations on whole arrays."""
