"""What is read, written and cached: files, projects, imports by their text. No analysis."""
