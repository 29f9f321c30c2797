"""Python's own syntax tree in libcst's nodes: what ``check`` looks at instead of libcst's parse."""
