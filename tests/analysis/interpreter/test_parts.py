"""The interpreter's parts: each knows the frame and those made before it, and inherits from no chain of others."""

from __future__ import annotations

import inspect
from types import FunctionType

import libcst as cst
import pytest

from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.events import RegionFacts
from np2tnp.analysis.domain.values import HOST, UNKNOWN, Scalar
from np2tnp.analysis.interpreter import interpreter as made
from np2tnp.analysis.interpreter.frame import Frame
from np2tnp.analysis.interpreter.interpreter import OF_A_FUNCTION, OF_A_SCRIPT, Interpreter, Parts
from np2tnp.analysis.module.contents import collect
from np2tnp.catalog import load

MOST_METHODS = 40


def an_interpreter(parts: Parts = OF_A_FUNCTION) -> Interpreter:
    tree = cst.parse_module("x = 1\n")
    frame = Frame(collect(tree, "m.py"), load(), None, RegionFacts("<module>", tree), HOST)  # type: ignore[arg-type]
    return Interpreter(frame, parts)


def parts_of(interpreter: Interpreter) -> dict[str, object]:
    """By name, in the order in which they are made."""
    return {name: part for name, part in vars(interpreter).items() if name != "frame"}


def chain_of(part: type) -> list[type]:
    """The classes that a part is made of."""
    return [base for base in part.__mro__ if base is not object]


def methods_of(part: type) -> list[str]:
    return [name for base in chain_of(part) for name, value in vars(base).items() if isinstance(value, FunctionType)]


@pytest.mark.parametrize("parts", [OF_A_FUNCTION, OF_A_SCRIPT])
def test_each_part_knows_only_those_before_it(parts: Parts) -> None:
    found = parts_of(an_interpreter(parts))
    assert len(found) > 10
    seen: list[object] = []
    for name, part in found.items():
        known = [value for value in vars(part).values() if any(value is other for other in found.values())]
        assert all(any(value is other for other in seen) for value in known), name
        seen.append(part)


@pytest.mark.parametrize("parts", [OF_A_FUNCTION, OF_A_SCRIPT])
def test_no_part_is_a_chain_of_classes(parts: Parts) -> None:
    for part in parts_of(an_interpreter(parts)).values():
        chain = chain_of(type(part))
        assert len(chain) <= (2 if parts is OF_A_SCRIPT else 1), chain
        assert len(set(methods_of(type(part)))) <= MOST_METHODS + 1, type(part)  # and how it is made


def test_the_checks_can_fail() -> None:
    class One:
        def one(self) -> None: ...

    class Two(One):
        def two(self) -> None: ...

    assert chain_of(Two) == [Two, One]
    assert methods_of(Two) == ["two", "one"]


def test_a_part_that_differs_overrides_what_its_class_has() -> None:
    """A method of a new name would never be called."""
    variants = [
        value for value in vars(made).values() if inspect.isclass(value) and value.__name__.startswith("Script")
    ]
    assert len(variants) > 4
    for variant in filter(lambda it: it.__bases__ != (object,) and it.__module__ == made.__name__, variants):
        (base,) = variant.__bases__
        own = [name for name, value in vars(variant).items() if isinstance(value, FunctionType)]
        assert any(hasattr(base, name) for name in own), variant


def test_what_is_over_evaluates_nothing() -> None:
    interpreter = an_interpreter()
    visitor = interpreter.visitor
    node = cst.parse_expression("not 1")
    assert visitor.evaluate(node, Env()) == Scalar("bool")
    del interpreter
    assert visitor.evaluate(node, Env()) == UNKNOWN
