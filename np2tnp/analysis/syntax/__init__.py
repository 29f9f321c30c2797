"""What the text alone says: names, scopes, places. No values."""
