"""What is known of NumPy's APIs: measured facts and human decisions."""

from __future__ import annotations

from np2tnp.catalog.catalog import Catalog, load
from np2tnp.catalog.facts import ApiFact, Target

__all__ = ["ApiFact", "Catalog", "Target", "load"]
