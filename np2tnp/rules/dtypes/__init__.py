"""TNP3xx: dtypes that tensors do not have, or promote otherwise."""
