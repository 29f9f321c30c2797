"""Generates catalog/facts.json: NumPy's surface, NumPy's behaviour, and how far TensorFlow agrees.

``python -m np2tnp.differential.probe [--only numpy.sum] [--diff] [--surface-only]``
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from np2tnp.differential import behaviour, surface
from np2tnp.differential.cases import DTYPES

FACTS = Path(__file__).parent.parent / "catalog" / "facts.json"


def describe_numpy(names: set[str] | None = None) -> dict[str, dict[str, Any]]:
    """Facts about NumPy alone: kind, parameters and measured behaviour of each name (or of `names`)."""
    facts = surface.list_surface()
    for name, fact in facts.items():
        if "alias_of" in fact or (names is not None and name not in names):
            continue
        measured = behaviour.measure(name, fact.get("parameters", []))
        if measured is None:
            continue
        fact.update(effect=measured.effect, zero_d=measured.zero_d, result=measured.result, returns=measured.returns)
        if measured.mutates:
            fact["mutates"] = measured.mutates
        fact["numpy_calls"] = measured.calls
    return {name: {k: v for k, v in fact.items() if v is not None} for name, fact in facts.items()}


def add_unmeasured_targets(facts: dict[str, dict[str, Any]]) -> None:
    """Give functions that tnp has by name a target with the positional parameters, marked as not measured."""
    import tensorflow.experimental.numpy as tnp

    from np2tnp.runtime.dispatch import HELPERS

    for name, fact in facts.items():
        function = name.replace("ndarray.", "numpy.") if fact.get("kind") == "method" else name
        if fact.get("kind") not in ("function", "ufunc", "method") or "agreement" in fact:
            continue
        plain = function.removeprefix("numpy.")
        if function in facts and "." not in plain and hasattr(tnp, plain):
            accepted = [p for p in surface.parameter_names(facts[function].get("parameters", [])) if p in ("a", "x", "x1", "x2", "axis")]
            fact["tnp"] = {"target": f"tnp.{plain}", "accepted": accepted, "dtypes": "ld"}
            fact["agreement"] = "unmeasured"
        if function in HELPERS:
            fact["rt"] = {"target": f"rt.{plain}", "accepted": surface.parameter_names(facts[function].get("parameters", [])), "dtypes": DTYPES}


def write_facts(facts: dict[str, dict[str, Any]], versions: dict[str, str], path: Path = FACTS) -> None:
    """Write the catalog's file, sorted, one API a line so that diffs are readable."""
    lines = [f"  {json.dumps(name)}: {json.dumps(facts[name], sort_keys=True)}" for name in sorted(facts)]
    head = json.dumps({"schema": 1, "versions": versions}, sort_keys=True)[:-1]
    path.write_text(f'{head}, "apis": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


def read_versions() -> dict[str, str]:
    """Versions of what was measured."""
    import numpy
    import tensorflow as tf

    return {"numpy": numpy.__version__, "tensorflow": tf.__version__, "python": ".".join(map(str, sys.version_info[:2]))}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="np2tnp probe", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="measure only these APIs, keep the other facts")
    arguments = parser.parse_args(argv)
    facts = describe_numpy(set(arguments.only) if arguments.only else None)
    add_unmeasured_targets(facts)
    write_facts(facts, read_versions())
    return 0


if __name__ == "__main__":
    sys.exit(main())
