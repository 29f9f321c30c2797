"""How the originals and the rewritten texts of the tests of ``verify`` begin, and how long these may take."""

from __future__ import annotations

from np2tnp.verify.program import Limits

LIMITS = Limits(search=2.0, seconds=15.0, shrink=2.0)

HEAD = """
import numpy as np
"""
NEW_HEAD = (
    HEAD
    + """
from np2tnp.runtime import tnp
from np2tnp import runtime as rt
"""
)
