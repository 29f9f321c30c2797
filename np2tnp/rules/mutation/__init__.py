"""TNP1xx: stores and updates."""
