"""Making, shaping, joining and picking arrays."""
