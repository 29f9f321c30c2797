"""The calls that the probe makes."""
