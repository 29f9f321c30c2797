"""What is timed: the texts that ``rewrite`` would write under the same options, one for each value of ``--compile``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from np2tnp.config import EAGERLY, EMISSION, Config
from np2tnp.model import Finding
from np2tnp.rules.constructs.compiled_regions import CODE as NOT_COMPILED
from np2tnp.verify.two_texts import CannotVerify, Pair, report_in_memory


def eager(config: Config) -> Config:
    """`config` without compiling, on no device of its own: what all others are compared beside. Raises CannotVerify."""
    if config.boundary == "tensor":
        raise CannotVerify(
            "--boundary tensor leaves functions without a boundary: there is nothing that callers can time"
        )
    return replace(config, compile="none", device="")


@dataclass(frozen=True)
class Compiled:
    """The program as it is emitted with one value of ``--compile``."""

    mode: str
    text: str
    findings: tuple[Finding, ...]

    def why_not(self, function: str) -> str:
        """Why `function` is not compiled in it, as ``check`` says; empty where it is."""
        return next((it.message for it in self.findings if (it.region, it.code) == (function, NOT_COMPILED)), "")


def compiled_forms(pair: Pair, config: Config) -> tuple[Compiled, ...]:
    """One for each value of ``--compile`` that is wanted: the one that is named, else all.

    Nothing for a pair whose rewritten text is a file. Raises CannotVerify.
    """
    if not pair.in_memory:
        return ()
    found = []
    for mode in ("graph", "xla") if config.compile in EAGERLY else (config.compile,):
        report = report_in_memory(pair.path, pair.original, replace(config, compile=mode, device=""))
        text = report.new_text if report.new_text is not None else pair.original
        found.append(Compiled(mode, text, report.findings))
    return tuple(found)


def variants_of(variants: tuple[str, ...], config: Config) -> tuple[str, ...]:
    """Those of `variants` that are eager or compiled as wanted."""
    left_out = {"graph", "xla"} - {config.compile} if config.compile not in EAGERLY else set()
    return tuple(variant for variant in variants if variant.partition("-")[0] not in left_out)


def emission_options(config: Config) -> tuple[tuple[str, Any], ...]:
    """The options that decide what is emitted, besides those that a decision names: for the result file."""
    return tuple((name, getattr(config, name)) for name in EMISSION)
