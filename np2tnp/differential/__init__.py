"""NumPy against TensorFlow: the comparer, the probe of single calls, the verification of whole programs."""
