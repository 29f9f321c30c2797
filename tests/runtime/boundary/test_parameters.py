"""Who counts a function's parameters, or reads their names, sees those of the function as it was written."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from np2tnp import runtime as rt


def plain(x, y=2.0):
    return x + y


def every_kind(a, b=2, /, c=3, *rest, d, e=5, **options):
    return a, b, c, rest, d, e, options


def only_named(*, x):
    return x


def called_as_inside(call, call_):
    return call, call_


def steps(x, n=2):
    for _ in range(n):
        yield x


@pytest.mark.parametrize("function", [plain, every_kind, only_named, called_as_inside, steps])
@pytest.mark.parametrize("options", [{}, {"original": plain, "on_unverified": "numpy", "above": 10}])
def test_the_code_tells_what_the_function_s_own_tells(function: Callable[..., Any], options: dict[str, Any]) -> None:
    if options:
        options = {**options, "original": function}
    made = rt.migrated(function, **options)
    own, code = function.__code__, made.__code__
    for name in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_name", "co_filename", "co_firstlineno"):
        assert getattr(code, name) == getattr(own, name), name
    count = len(inspect.signature(function).parameters)
    assert code.co_varnames == own.co_varnames[:count]
    assert inspect.getfullargspec(made) == inspect.getfullargspec(function)
    assert inspect.unwrap(made) is made  # the body takes and gives tensors, and updates nothing
    assert made.__globals__ is function.__globals__
    assert inspect.getsource(made) == inspect.getsource(function)


def test_arguments_arrive_where_python_puts_them() -> None:
    made = rt.migrated(every_kind)
    assert made(1, d=4) == every_kind(1, d=4)
    assert made(1, 2, 3, 4, 5, d=6, x=7, a=8) == every_kind(1, 2, 3, 4, 5, d=6, x=7, a=8)
    assert rt.migrated(called_as_inside)(1, call_=2) == (1, 2)
    for arguments in ((), (1, 2, 3, 4)):
        with pytest.raises(TypeError) as ours:
            made(*arguments)
        with pytest.raises(TypeError) as own:
            every_kind(*arguments)
        assert str(ours.value) == str(own.value)


def test_a_library_that_filters_by_names_passes_what_it_should() -> None:
    def only_known(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        return function(*args, **{name: value for name, value in options.items() if name in names})

    made = rt.migrated(plain)
    x = np.ones(3)
    assert only_known(made, x, y=5.0, z=1).tolist() == only_known(plain, x, y=5.0, z=1).tolist() == [6.0] * 3


def test_methods_take_names_with_two_underscores() -> None:
    class Model:
        @rt.migrated
        def scaled(self, __factor, x):
            return __factor * x

    assert Model().scaled(2.0, np.ones(2)).tolist() == [2.0, 2.0]
    assert Model.scaled.__code__.co_varnames == ("self", "_Model__factor", "x")
