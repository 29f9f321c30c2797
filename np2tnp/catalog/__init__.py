"""What is known of NumPy's APIs: measured facts and human decisions."""

from __future__ import annotations

from np2tnp.catalog.catalog import ApiFact, Catalog, Target, load

__all__ = ["ApiFact", "Catalog", "Target", "load"]
