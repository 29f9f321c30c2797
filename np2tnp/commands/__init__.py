"""One file for each word that a user types."""
