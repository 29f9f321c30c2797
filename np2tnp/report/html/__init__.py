"""The HTML page: its sections, its pieces."""
