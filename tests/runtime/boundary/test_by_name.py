"""Arrays that are arguments of a function, and that it, or functions that it calls, read as globals, too."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt

STORE = """
import numpy as np
W = np.arange(3.0)
def total():
    return W.sum()
class Box:
    def total(self):
        return W.sum()
"""
USER = """
from np2tnp import runtime as rt
def through(function):
    return lambda: function()
def indirect():
    return total()
def of_a_module():
    return store.W.sum()
def of_a_class():
    return store.Box().total()
wrapped = through(total)
def by_text():
    return globals()["V"].sum()
def of_an_object():
    return BOX.inner["a"].sum()
def later():
    return unborn()
def nothing():
    return LENGTH
"""
CASES = ["total", "indirect", "of_a_module", "of_a_class", "wrapped", "by_text", "of_an_object", "later", "nothing"]


@pytest.fixture
def user() -> Any:
    store, module = types.ModuleType("store_of_arrays"), types.ModuleType("user_of_arrays")
    exec(STORE, vars(store))
    vars(module).update(store=store, total=store.total, LENGTH=3, BOX=types.SimpleNamespace(inner={"a": store.W}))
    for name in CASES:
        text = f"@rt.migrated(mutates=('x',))\ndef update_{name}(x):\n    x = rt.iadd(x, 1.0)\n"
        exec(USER + f"{text}    return rt.updated({name}(), x=x)\n", vars(module))
    return module


@pytest.mark.parametrize("name", CASES)
def test_an_argument_that_is_updated_must_not_be_read_by_name(user: Any, name: str) -> None:
    w = user.store.W
    if name == "by_text":
        user.V = w
    update = getattr(user, f"update_{name}")
    if name == "later":
        with pytest.raises(NameError):
            update(w.copy())
        user.unborn = user.total  # found although the first call is over
    if name == "nothing":
        assert update(w) == 3
        np.testing.assert_array_equal(w, np.arange(3.0) + 1)
        return
    with pytest.raises(rt.UnverifiedError, match="shares memory with what functions that it may call read"):
        update(w[1:])
    np.testing.assert_array_equal(w, np.arange(3.0))


def test_another_array_may_be_updated(user: Any) -> None:
    x = np.arange(3.0)
    assert user.update_indirect(x) == 3
    np.testing.assert_array_equal(x, np.arange(3.0) + 1)
