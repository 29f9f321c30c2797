"""Edits: how a node of a region changes. Built from the *updated* node, so that nested edits compose."""
