"""Times NumPy against TensorFlow, and finds where programs spend their time."""
