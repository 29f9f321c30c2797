"""TNP4xx: constructs of Python around arrays."""
