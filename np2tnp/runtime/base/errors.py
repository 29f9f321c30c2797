"""What the runtime raises by itself; everything else it raises is NumPy's own exception."""

from __future__ import annotations

__all__ = ["UnverifiedError", "UnverifiedWarning"]


class UnverifiedError(TypeError):
    """A value reached migrated code for which equality with NumPy was not verified. Nothing was changed."""


class ScalarStoreError(TypeError, IndexError):
    """A store into a 0-d tensor: a TypeError as for a NumPy scalar, an IndexError as for a 0-d array. It was either."""


class UnverifiedWarning(RuntimeWarning):
    """A migrated function called its NumPy original, because a value was not verified."""


class Unsupported(Exception):  # noqa: N818 - a signal between a helper and its dispatcher, never seen by users
    """A helper has no exact TensorFlow form for these arguments: the dispatcher asks NumPy on the host."""
