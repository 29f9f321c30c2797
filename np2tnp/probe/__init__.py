"""Measures NumPy against TensorFlow: the facts of the catalog."""
