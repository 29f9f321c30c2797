"""From the rules' edits to new text."""
