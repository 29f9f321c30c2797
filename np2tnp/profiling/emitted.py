"""What is timed: the texts that ``rewrite`` would write under the same options, one for each value of ``--compile``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from np2tnp.config import EMISSION, Config
from np2tnp.differential.originals import CannotVerify, Pair, rewrite_in_memory


def eager(config: Config) -> Config:
    """`config` without compiling, on no device of its own: what all others are compared beside. Raises CannotVerify."""
    if config.boundary == "tensor":
        raise CannotVerify(
            "--boundary tensor leaves functions without a boundary: there is nothing that callers can time"
        )
    return replace(config, compile="none", device="")


def compiled_texts(pair: Pair, config: Config) -> tuple[tuple[str, str], ...]:
    """(value of ``--compile``, text) for those that are wanted: one that is named, else all.

    Nothing for a pair whose rewritten text is a file. Raises CannotVerify.
    """
    if not pair.in_memory:
        return ()
    modes = ("graph", "xla") if config.compile == "none" else (config.compile,)
    return tuple(
        (mode, rewrite_in_memory(pair.path, pair.original, replace(config, compile=mode, device=""))) for mode in modes
    )


def variants_of(variants: tuple[str, ...], config: Config) -> tuple[str, ...]:
    """Those of `variants` that are eager or compiled as wanted."""
    left_out = {"graph", "xla"} - {config.compile} if config.compile != "none" else set()
    return tuple(variant for variant in variants if variant.partition("-")[0] not in left_out)


def emission_options(config: Config) -> tuple[tuple[str, Any], ...]:
    """The options that decide what is emitted, besides those that a decision names: for the result file."""
    return tuple((name, getattr(config, name)) for name in EMISSION)
