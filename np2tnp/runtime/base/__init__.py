"""What every helper stands on: dtypes, shapes, errors, how a helper runs. Knows no function of NumPy's."""
