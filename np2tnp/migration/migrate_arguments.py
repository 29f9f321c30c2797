"""The options of ``np2tnp migrate`` (apart from the code: building the parser imports nothing heavy)."""

from __future__ import annotations

import argparse

from np2tnp.options import at_least


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what only ``migrate`` understands."""
    parser.usage = "np2tnp migrate [OPTIONS] PATH... -- PROGRAM [ARGUMENTS]"
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="the files and directories that may be rewritten")
    add("--apply", action="store_true", help="write the changes (default: print them as diffs)")
    add("--test", metavar="CMD", help="keep only the functions under which this command succeeds")
    add("--test-timeout", type=at_least(0.0, above=True), metavar="SECONDS", help="for one run of it")
    add(
        "--confirmed",
        metavar="RESULT.json",
        action="append",
        help="take the times of another machine: a result file of `np2tnp profile -- PROGRAM` (may be repeated)",
    )
    add("--top", type=at_least(1), default=10, metavar="N", help="how many hot functions (default 10)")
    add("--output", metavar="FILE", default="np2tnp-report.html", help="the page (default np2tnp-report.html)")
    add("--fresh", action="store_true", help="forget what an earlier run of this command found")
    parser.set_defaults(program=[])
