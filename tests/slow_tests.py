"""Which tests are marked ``slow``: those that start processes, compile graphs, or ask the same hundreds of times.

They take nine tenths of the time. ``-m "not slow"`` leaves them out, for daily work; the gate runs them all.
"""

from __future__ import annotations

from pathlib import Path

#: Files, folders, and beginnings of the names of files.
SLOW = """
analysis/domain/test_ranks.py analysis/domain/test_zero_d_results.py analysis/interpreter/test_effects.py
analysis/interpreter/test_unknown_receivers.py commands/test_bad_input.py commands/test_hooks.py
commands/test_notebook_files.py commands/test_server.py edits/test_written_out_operators.py end_to_end/ migration/
probe/test_scalar_pairs.py probe/test_shown_calls.py probe/test_single_calls.py profiling/test_profile.py
profiling/test_program_profile.py profiling/test_sampler.py report/test_api_report.py rewrite/staging/
rewrite/test_tensor_state.py rewrite/test_vendoring.py rewrite/test_written_imports.py runtime/base/test_hardware.py
runtime/base/test_ndarray_arguments.py runtime/boundary/test_boundary_calls.py runtime/boundary/test_surroundings.py
runtime/compile/ runtime/functions/test_complex_specials.py runtime/functions/test_linalg.py
runtime/functions/test_packing.py runtime/functions/test_polynomials.py runtime/functions/test_reductions.py
runtime/functions/test_sets.py runtime/functions/test_sorting_in_graphs.py runtime/functions/test_ufunc_steps.py
runtime/indexing/test_indexing_graph.py runtime/loops/ runtime/symbols/ test_engine_properties.py test_install.py
test_library.py verify/test_case_inputs.py verify/test_marked_tests.py verify/test_round_numbers.py
verify/test_trials.py verify/test_verify
probe/test_probe.py files/test_lazy_imports.py files/test_importing.py commands/test_calibrate.py
runtime/test_linalg_edges.py runtime/functions/test_lapack_steps.py runtime/functions/test_statistics.py
runtime/base/test_wide_integers.py runtime/base/test_package.py runtime/boundary/test_startup.py
runtime/indexing/test_tensor_operators.py
analysis/driver/test_project.py rewrite/test_kept_originals.py rewrite/test_tensor_boundary.py
""".split()
_FOLDER = Path(__file__).parent


def is_slow(path: Path) -> bool:
    return path.relative_to(_FOLDER).as_posix().startswith(tuple(SLOW))
