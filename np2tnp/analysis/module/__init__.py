"""What one module says of itself: its functions, classes, names, and what its code may update."""
