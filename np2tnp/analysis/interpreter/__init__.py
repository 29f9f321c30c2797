"""One region, statement by statement: values, aliases, updates."""
