"""Random draws on the device (`--random tf`)."""
