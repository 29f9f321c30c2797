"""The options of ``np2tnp profile`` (apart from the code: building the parser imports nothing heavy)."""

from __future__ import annotations

import argparse
from typing import TypedDict

from np2tnp.options import at_least


class Settings(TypedDict):
    """How every trial of a run is measured; the fields of ``measured.Plan`` of these names say more."""

    devices: str
    repeats: int
    budget: float
    min_effect: float
    timeout: float
    memory: int
    seed: int
    logical_cpus: int


def settings_of(args: argparse.Namespace) -> Settings:
    """What the command line says of them."""
    return Settings(
        devices=args.device,
        repeats=args.repeats,
        budget=args.budget,
        min_effect=args.min_effect,
        timeout=args.timeout,
        memory=args.memory,
        seed=args.seed,
        logical_cpus=args.logical_cpus,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what ``profile`` understands to `parser`."""
    parser.add_argument(
        "target",
        metavar="FILE:FUNCTION",
        nargs="?",
        help="what to time, as rewrite would emit it; or FILE:CLASS.METHOD",
    )
    parser.add_argument(
        "--top",
        type=at_least(1),
        default=10,
        metavar="N",
        help="of a program (after --): how many hot functions (default 10)",
    )
    parser.add_argument(
        "--find-only", action="store_true", help="run the program once and rank its functions; time nothing"
    )
    parser.add_argument(
        "--signatures",
        type=at_least(1),
        default=3,
        metavar="N",
        help="recorded arguments to time a function with (default 3)",
    )
    parser.add_argument(
        "--record-limit",
        type=at_least(1),
        default=256,
        metavar="MIB",
        help="of the arguments of one call (default 256)",
    )
    parser.add_argument("--suite", choices=("basics",), help="time five standard operations instead")
    parser.add_argument(
        "--size", metavar="n=LOW..HIGH", help="sizes on a log grid (n=1e3..1e7, n=1e3..1e6:7 for seven) or n=100,1000"
    )
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=EXPRESSION",
        help="an argument; the expression knows np, rng, the size's name and the arguments before it; "
        "a method's object is self=CLASS(...), or made from arguments that only its constructor has",
    )
    parser.add_argument("--original", metavar="OLD.py", help="the original program (default: as for verify)")
    parser.add_argument("--inputs", metavar="F.npz", help="arrays named like the parameters")
    parser.add_argument(
        "--device", default="all", metavar="cpu|gpu|all|CPU:1", help="where to run TensorFlow (default all)"
    )
    parser.add_argument(
        "--logical-cpus", type=at_least(1), default=1, metavar="N", help="split the CPU into N logical devices"
    )
    parser.add_argument(
        "--repeats",
        type=at_least(1),
        default=20,
        metavar="N",
        help="samples of each side a size (default 20; up to four times as many where they do not decide)",
    )
    parser.add_argument(
        "--budget",
        type=at_least(0.0, above=True),
        default=3.0,
        metavar="SECONDS",
        help="of samples a size and variant (default 3)",
    )
    parser.add_argument(
        "--min-effect", type=at_least(0.0), default=0.05, metavar="SHARE", help="smaller is SAME (default 0.05)"
    )
    parser.add_argument(
        "--timeout",
        type=at_least(0.0, above=True),
        default=120.0,
        metavar="SECONDS",
        help="for one size of one variant",
    )
    parser.add_argument(
        "--memory", type=at_least(0), default=0, metavar="MIB", help="that a child may take on top (default: no limit)"
    )
    parser.add_argument("--seed", type=at_least(0), default=0, help="of rng in the argument expressions")
    parser.add_argument(
        "--output", metavar="PATH", help="the result file (default np2tnp-profile.json); a folder with --suite"
    )
    parser.add_argument("--no-charts", action="store_true", help="write no PNG files")
    parser.add_argument(
        "--dtype", choices=("float32", "float64"), default="float32", help="of --suite (default float32)"
    )
