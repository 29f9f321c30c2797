"""``np2tnp api``: what becomes of one NumPy name, or of all of them."""

from __future__ import annotations

import argparse
import builtins
import keyword
import sys
from typing import TYPE_CHECKING

from np2tnp.config import Config
from np2tnp.options import add_choice
from np2tnp.report.style import wants_colour

if TYPE_CHECKING:
    from np2tnp.catalog.catalog import Catalog

FORMATS = ("markdown", "csv", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``api`` understands to `parser`."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="such as np.sum, fft.rfft, ndarray.sort, operator.add, @"
    )
    parser.add_argument("--table", choices=FORMATS, help="the whole comparison, a row a name; totals go to stderr")
    for option in ("target_tensorflow", "target_numpy"):
        add_choice(parser, option)


def run(parsed: argparse.Namespace, config: Config) -> int:
    """Exit status 2 for a name that NumPy does not have."""
    return print_table(parsed.table, config) if parsed.table else describe(parsed.name, config)


def describe(name: str, config: Config) -> int:
    """Prints what the catalog knows of a NumPy name. Exit status 2 for one that NumPy does not have."""
    from np2tnp.catalog.catalog import load
    from np2tnp.report.to_api import render

    catalog = load(config.target_tensorflow, config.target_numpy)
    text = render(name, catalog, config, wants_colour(sys.stdout))
    if text is None:
        print(f"np2tnp: nothing known of `{name}`{_hint(name, catalog)}", file=sys.stderr)
        return 2
    print(text.rstrip("\n"))
    return 0


#: Modules of NumPy's that the catalog leaves out: of classes and text, not of arrays of numbers.
_OUTSIDE = frozenset("char core ctypeslib distutils f2py ma matlib polynomial rec strings".split())


def _hint(name: str, catalog: Catalog) -> str:
    """What to say beside "nothing known": the name that was meant, or why there is none."""
    parts = name.strip().split(".")
    if parts[0] in ("np", "numpy") and len(parts) > 1 and parts[1] in _OUTSIDE:
        return f": numpy.{parts[1]} is not in the catalog, and its calls are treated as those of any other library"
    if keyword.iskeyword(name) or hasattr(builtins, name):
        return ": it is Python's"
    meant = catalog.suggest(name)
    if meant is None and len(parts) > 1:
        meant = catalog.suggest(parts[-1])
    return f"; did you mean `{meant}`?" if meant else ""


def print_table(form: str, config: Config) -> int:
    """Prints the comparison of all names in one of :data:`FORMATS`; its totals on standard error."""
    from np2tnp.catalog.catalog import load
    from np2tnp.report import comparison

    catalog = load(config.target_tensorflow, config.target_numpy)
    rows = comparison.make_rows(catalog, config)
    sys.stdout.write(comparison.FORMATS[form](rows))
    sys.stdout.flush()
    if not config.quiet:
        print("\n".join(comparison.totals(rows, catalog)), file=sys.stderr)
    return 0
