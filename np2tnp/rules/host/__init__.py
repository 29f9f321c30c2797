"""TNP5xx: what stays on the host."""
