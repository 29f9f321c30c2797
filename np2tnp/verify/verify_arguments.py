"""The options of ``np2tnp verify`` (apart from the code, so that building the parser imports nothing heavy)."""

from __future__ import annotations

import argparse
from typing import Any

from np2tnp.options import at_least


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``verify`` understands to `parser`."""
    parser.usage = "np2tnp verify [OPTIONS] FILE [FUNCTION ...] [-- PROGRAM whose calls are recorded and used as well]"
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="the program: rewritten already, or still to be rewritten (in memory)"
    )
    parser.add_argument("functions", metavar="FUNCTION", nargs="*", help="only these: name, or Class.method")
    parser.set_defaults(program=[])
    parser.add_argument("--original", metavar="OLD.py", help="the original (default: the version of git's HEAD)")
    parser.add_argument("--inputs", metavar="F.npz", help="arrays named like the parameters, used as arguments as well")
    parser.add_argument(
        "-n", type=at_least(1), default=5, metavar="N", dest="count", help="inputs that EQUAL needs (default 5)"
    )
    parser.add_argument("--seed", type=at_least(0), default=0, help="of the generated inputs (default 0)")
    seconds: dict[str, Any] = {"type": at_least(0.0, above=True), "metavar": "SECONDS"}
    parser.add_argument("--timeout", default=10.0, help="for one call (default 10)", **seconds)
    parser.add_argument(
        "--budget", default=60.0, help="for one function: then what was seen so far decides (default 60)", **seconds
    )
    parser.add_argument(
        "--memory",
        type=at_least(64),
        default=4096,
        metavar="MIB",
        help="that one child process may take on top (default 4096)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
