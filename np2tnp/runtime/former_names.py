"""Modules of the runtime by the names that they had when it was one folder: old pickles name them. For one release."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from np2tnp.runtime import __name__ as own_package

#: Former name -> path from the runtime's folder.
FORMER = {
    "ambient": "base.exceptions",
    "appended": "symbols.growing_list",
    "applied": "functions.arrays.functional",
    "arguments": "boundary.contract",
    "attributes": "functions.arrays.array_methods",
    "axes": "functions.axes",
    "bin_edges": "functions.statistics.histograms",
    "bits": "functions.math.bits",
    "boundary": "boundary.wrapper",
    "bounds": "base.device_forms",
    "calls": "boundary.unknown_calls",
    "carried": "symbols.carried_values",
    "comparison": "functions.math.comparisons",
    "compiled": "compile.compiled",
    "compiled_state": "compile.signatures",
    "contractions": "functions.linalg.contractions",
    "control": "loops.control",
    "copies": "functions.arrays.creation",
    "core_results": "base.updated",
    "costly": "compile.xla.materialize",
    "counting": "boundary.counting",
    "creation": "functions.arrays.creation",
    "differences": "functions.math.differences",
    "dispatch": "base.dispatch",
    "distributions": "functions.random.distributions",
    "door": "boundary.door",
    "each": "loops.item_loops",
    "eager": "indexing.eager_operators",
    "either_number": "symbols.either_number",
    "elementwise": "functions.math.elementwise",
    "errors": "base.errors",
    "exceptions": "base.exceptions",
    "exchanged": "boundary.buffer_swaps",
    "factors": "functions.linalg.host_steps",
    "fallback": "boundary.fallback",
    "fft": "functions.math.fft",
    "folds": "compile.xla.fused_forms",
    "forwarding": "compile.xla.store_forwarding",
    "generators": "boundary.wrapper",
    "gradients": "base.gradients",
    "graph_results": "compile.compiled",
    "grids": "functions.arrays.index_grids",
    "hardware": "base.hardware",
    "held": "boundary.aliasing",
    "histograms": "functions.statistics.histograms",
    "hypotenuses": "base.exact_floats",
    "indexing": "indexing.items",
    "indexing_padded": "compile.xla.padded_stores",
    "indexing_read": "indexing.item_reads",
    "indexing_steps": "indexing.loop_steps",
    "indexing_write": "indexing.item_stores",
    "inplace": "indexing.inplace",
    "interiors": "compile.xla.split_interior",
    "interleaved": "compile.xla.strided_planes",
    "iterations": "symbols.loop_counter",
    "joining": "functions.arrays.joining",
    "kernels": "base.device_forms",
    "keys": "indexing.keys",
    "lapack_steps": "functions.linalg.host_steps",
    "lazy": "base.lazy_tensorflow",
    "lengths": "symbols.changing_length",
    "linalg": "functions.linalg.linalg",
    "literal_graphs": "compile.compiled",
    "looking": "base.looking",
    "loops": "base.ufunc_tables",
    "managers": "boundary.managers",
    "manipulation": "functions.arrays.manipulation",
    "masked": "symbols.masked",
    "matrix_products": "functions.linalg.linalg",
    "memory": "functions.arrays.array_methods",
    "missing_kernels": "indexing.eager_operators",
    "nanreductions": "functions.statistics.averages",
    "narrowing": "symbols.float32",
    "norms": "functions.linalg.norms",
    "object_state": "boundary.object_state",
    "opaque": "compile.compiled",
    "operators": "functions.math.operators",
    "ordering": "functions.statistics.sorting",
    "overlaps": "base.shared_memory",
    "overriding": "boundary.contract",
    "packing": "functions.math.bits",
    "padding": "functions.arrays.padding",
    "parameters": "boundary.door",
    "parts": "compile.xla.fused_forms",
    "places": "functions.statistics.sorting",
    "plain_calls": "boundary.unknown_calls",
    "polynomials": "functions.math.polynomials",
    "positions": "functions.arrays.index_arithmetic",
    "powers": "base.exact_floats",
    "precision": "base.precision",
    "products": "functions.linalg.products",
    "promotion": "base.promotion",
    "python_numbers": "symbols.python_builtins",
    "quantiles": "functions.statistics.averages",
    "random": "functions.random.random",
    "reachable": "boundary.aliasing",
    "read_globals": "base.tracing",
    "records": "compile.signatures",
    "recursion": "boundary.door",
    "reductions": "functions.statistics.reductions",
    "refusals": "boundary.refusals",
    "results": "boundary.wrapper",
    "rounding": "functions.math.rounding",
    "running": "functions.statistics.cumulative",
    "same_arrays": "symbols.same_arrays",
    "second_places": "compile.xla.double_buffering",
    "selection": "functions.arrays.index_arithmetic",
    "sets": "functions.statistics.sets",
    "shapes": "base.shapes",
    "shared": "compile.xla.common_subexpressions",
    "signals": "functions.math.polynomials",
    "signatures": "compile.signatures",
    "sizes": "boundary.sizes",
    "sliced_calls": "symbols.changing_length",
    "spectra": "functions.linalg.norms",
    "staged_loops": "loops.control",
    "standins": "symbols.stand_ins",
    "startup": "boundary.startup",
    "statistics": "functions.statistics.covariance",
    "stored": "base.stored_values",
    "stores": "indexing.mutating_functions",
    "streams": "functions.random.random",
    "threads": "boundary.threads",
    "traced_keys": "indexing.items",
    "tracing": "base.tracing",
    "transcendental": "functions.math.transcendental",
    "triangles": "functions.arrays.index_grids",
    "two_steps": "compile.xla.double_buffering",
    "ufunc_at": "indexing.ufunc_at",
    "ufunc_steps": "functions.math.ufunc_methods",
    "ufuncs": "functions.math.ufunc_methods",
    "unbound": "symbols.carried_values",
    "vectors": "base.operands",
    "weak": "symbols.python_number",
    "whole_arrays": "loops.vectorized_loops",
    "windows": "functions.math.transcendental",
    "xla_limits": "compile.xla.limits",
}


class Loader:
    """Gives the module of today for a former name."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Python's own empty module: it is replaced at once."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in its place."""
        name = module.__name__
        sys.modules[name] = importlib.import_module(f"{own_package}.{FORMER[name.rpartition('.')[2]]}")


def spec_of(name: str) -> ModuleSpec | None:
    """How to import the module that had this name; None where there was none."""
    package, _, stem = name.rpartition(".")
    return ModuleSpec(name, Loader()) if package == own_package and stem in FORMER else None  # type: ignore[arg-type]


def look_up(package: str, name: str) -> Any:
    """What the module had that is a folder now, such as ``np2tnp.runtime.indexing.at``."""
    module = importlib.import_module(f"{own_package}.{FORMER[package.rpartition('.')[2]]}")
    return getattr(module if hasattr(module, name) else sys.modules[own_package], name)
