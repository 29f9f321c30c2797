"""A migrated function as one graph: `compile="graph"` and `compile="xla"`."""
