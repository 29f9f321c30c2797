"""Reading, storing and updating by an index, and in place."""
