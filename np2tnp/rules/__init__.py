"""The rules, one a file. Importing this package makes them all known, and what guests add to them."""

import importlib

from np2tnp.guests import GUESTS
from np2tnp.rules import tool  # noqa: F401
from np2tnp.rules.base import DOCS, HOOKS, REGISTRY, Context, Doc, Hit, Rule, Severity, rules_by_event
from np2tnp.rules.calls import (  # noqa: F401
    array_attributes,
    exact_helpers,
    host_fallbacks,
    index_forms,
    numpy_calls,
    operator_differences,
    random_streams,
    silent_differences,
    unknown_names,
    unknown_values,
)
from np2tnp.rules.constructs import (  # noqa: F401
    compiled_regions,
    context_managers,
    coroutines,
    decorators,
    escaping_functions,
    exception_handlers,
    floating_point_errors,
    generator_functions,
    matches,
    nested_state,
    replaced_names,
)
from np2tnp.rules.cost import element_loops, part_loops, small_arrays, whole_array_loops  # noqa: F401
from np2tnp.rules.dtypes import (  # noqa: F401
    array_subclasses,
    foreign_dtypes,
    old_promotion,
    python_dtypes,
    removed_names,
    single_precision,
)
from np2tnp.rules.host import (  # noqa: F401
    arrays_in_objects,
    held_arrays,
    host_calls,
    host_updates,
    migrated_callees,
    native_code,
    processes,
    python_values,
    script_top_level,
    tensorflow_beside,
    undecided_results,
)
from np2tnp.rules.mutation import (  # noqa: F401
    array_stores,
    assigned_attributes,
    in_place_calls,
    in_place_operators,
    interrupted_updates,
    lost_arguments,
    out_arguments,
    unpacked_stores,
    updating_calls,
)
from np2tnp.rules.views import (  # noqa: F401
    aliased_stores,
    memory_attributes,
    memory_order,
    returned_views,
    stale_views,
    strided_views,
    untraceable,
)

__all__ = ["DOCS", "REGISTRY", "Context", "Doc", "Hit", "Rule", "Severity", "rules_by_event"]

HOOKS += [importlib.import_module(guest.hooks).HOOKS for guest in GUESTS if guest.hooks]
