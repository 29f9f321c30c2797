"""TNP7xx: what would be slow."""
