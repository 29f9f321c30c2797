"""Ufuncs, operators, and what is computed element by element."""
