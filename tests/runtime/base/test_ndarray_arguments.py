"""Exact helpers take ndarrays as they take tensors: rewritten code passes what objects and other libraries hold."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt
from np2tnp.catalog import load
from np2tnp.probe import behaviour
from np2tnp.probe.cases.all_cases import Case, all_cases, name_helper
from np2tnp.probe.cases.cases_inputs import OUTPUTS
from np2tnp.probe.probed_calls import call_on_target, find_targets, target_arguments
from np2tnp.rules.decisions import NEED_TENSORS
from np2tnp.runtime.base.dispatch import is_tensor
from np2tnp.runtime.base.errors import UnverifiedError
from np2tnp.runtime.base.exceptions import translate
from np2tnp.verify.compare import Outcome

#: An item of an ndarray is NumPy's own scalar, and the product of two numbers raises a class that stands for both.
_OTHERWISE = frozenset(("operator.getitem", "operator.matmul"))


def helpers() -> list[str]:
    """The APIs that have one which changes no argument."""
    catalog = load()
    found = []
    for api in all_cases():
        fact = catalog.get(api)
        if api.startswith("numpy.random.") or api in _OTHERWISE or fact is None or fact.rt is None or fact.mutates:
            continue
        if "rt" in find_targets(api) and name_helper(api) not in NEED_TENSORS and not api.endswith(".at"):
            found.append(api)
    return sorted(found)


def has_output(call: str) -> bool:
    """Whether the call says where to store its result: rewritten code passes no such argument."""
    names = {node.id for node in ast.walk(ast.parse(f"f({call})")) if isinstance(node, ast.Name)}
    return "out=" in call or bool(names & OUTPUTS.keys())


def on_ndarrays(case: Case, char: str, function: Any) -> Outcome:
    """The outcome for ndarrays, which change as soon as it is there."""
    args, kwargs = target_arguments(case, char)
    try:
        with behaviour.quiet():
            outcome = Outcome(function(*args, **kwargs))
    except Exception as error:
        return Outcome.of_error(translate(error) or error)
    for leaf in (*args, *kwargs.values()):
        if type(leaf) is np.ndarray and leaf.flags.writeable and leaf.dtype.kind in "biufc":
            leaf[...] = 1
    return outcome


def described(value: Any) -> Any:
    """What can be seen of a result, to the last bit."""
    if is_tensor(value):
        return "tensor", value.dtype.name, tuple(value.shape), np.asarray(value.numpy()).tobytes()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [described(item) for item in value]
    if isinstance(value, dict):
        return {key: described(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return "ndarray", str(value.dtype), value.shape, repr(value)
    return type(value).__name__, repr(value)


@pytest.mark.parametrize("api", helpers())
def test_a_helper_gives_the_same_for_ndarrays(api):
    function = find_targets(api)["rt"]
    compared = 0
    for case in all_cases()[api]:
        for char in [char for char in "dl" if char in case.dtypes] or case.dtypes[:1]:
            if has_output(case.call):
                continue
            try:
                of_tensors = call_on_target(case, char, function)
            except TypeError:  # such as -v for booleans: the text of the call means nothing
                continue
            if of_tensors.error == "UnverifiedError":  # a tensor knows no order in memory
                continue
            if api in ("numpy.asarray", "numpy.asanyarray") and case.call == "z":  # the very 0-d array, as NumPy's
                continue
            of_arrays = on_ndarrays(case, char, function)
            assert (of_arrays.error, described(of_arrays.value)) == (of_tensors.error, described(of_tensors.value)), (
                str(case)
            )
            compared += 1
    assert compared


@pytest.mark.parametrize("name", sorted(NEED_TENSORS))
def test_what_needs_tensors_is_a_helper(name):
    assert callable(getattr(rt, name))


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.arange(3, dtype=np.longdouble),
        lambda: np.arange(3).astype(">i8"),
        lambda: np.matrix([[1.0, 2.0]]),
        lambda: np.ma.masked_equal([1.0, 2.0], 2.0),
    ],
    ids=["longdouble", "big-endian", "matrix", "masked"],
)
def test_arrays_that_no_tensor_stands_for_are_numpys_or_refused(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = make()
        with pytest.raises(UnverifiedError):
            rt.reshape(values, (-1,))
        assert rt.host(rt.argmax(values)) == np.argmax(values)
