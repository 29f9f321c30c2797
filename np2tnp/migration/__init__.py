"""The ``rewrite`` command: which of the planned regions stay rewritten, and writing them."""
