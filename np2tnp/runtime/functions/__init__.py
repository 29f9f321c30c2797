"""NumPy's functions, by the chapters of its reference."""
