"""Drives the interpreter over modules, regions and their callers."""
