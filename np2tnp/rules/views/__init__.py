"""TNP2xx: shared memory."""
