"""What is written otherwise for XLA, because its compiler would make something slow or something else of it."""
