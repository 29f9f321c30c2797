"""The lattice of abstract values, events, and what NumPy's functions give."""
