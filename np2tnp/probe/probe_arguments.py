"""The options of ``np2tnp probe`` (apart from the code, so that building the parser imports nothing heavy)."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``probe`` understands to `parser`."""
    parser.add_argument("--only", action="append", metavar="NAME", help="measure only these APIs, keep the other facts")
    parser.add_argument(
        "--part", choices=("all", "eager", "staged"), default="all",
        help="eager calls, or those in tf.function and under XLA of what is equal in eager mode (default: both)",
    )  # fmt: skip
    parser.add_argument(
        "--device", metavar="NAME", help="also measure eager calls there (default: the first GPU, if any)"
    )
    parser.add_argument("--diff", action="store_true", help="print what would change, write nothing")
    parser.add_argument(
        "--observations", type=Path, metavar="FILE", help="complete the observations in FILE instead of making all anew"
    )
    parser.add_argument("--facts", type=Path, metavar="FILE", help="the file to update (default: the catalog's own)")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1), help="child processes")
