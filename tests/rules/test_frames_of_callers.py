"""TNP206 about frames: said where frames above the function itself are looked at, and nowhere else."""

from __future__ import annotations

import textwrap

import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source

HEAD = """
import inspect, logging, sys, traceback, warnings
import numpy as np

log = logging.getLogger("mine")

class Named:
    def __init__(self):
        self.name = inspect.getouterframes(inspect.currentframe())[1].function

class NamedAbove:
    def __init__(self):
        self.name = inspect.stack()[2].function

def tell(message, **options):
    warnings.warn("told: " + message, **options)

def tell_changed(message, **options):
    options.setdefault("stacklevel", 3)
    warnings.warn(message, **options)

def tell_at(message, level=2):
    warnings.warn(message, stacklevel=level)

def tell_at_changed(message, level=2):
    level += 1
    warnings.warn(message, stacklevel=level)

def tell_far(message, stacklevel=4):
    warnings.warn(message, UserWarning, stacklevel)

def tell_with(message, *rest, **options):
    warnings.warn(message, stacklevel=3)

def one():
    warnings.warn("one", stacklevel=2)

def two():
    warnings.warn("two", stacklevel=3)

def two_by_one():
    two()

def shown():
    return sys._getframe(1).f_locals

class Told:
    def named(self):
        where = inspect.getouterframes(inspect.currentframe())[1]
        print(where[2], where.function)

    def unpacked(self):
        frame, file, line, function, text, at = inspect.getouterframes(inspect.currentframe())[1]
        print(file, line, function)

    def unpacked_twice(self):
        frame, file, line, _, text, _ = inspect.stack()[1]
        print(file)
        frame, file, line, _, text, _ = inspect.stack()[1]
        print(file, line)

    def by_frame(self):
        here = inspect.currentframe()
        above = here.f_back
        try:
            print(above.f_lineno, above.f_code.co_name)
        finally:
            del here, above

    def by_list(self):
        frames = inspect.stack()
        print(frames[1].function)

    def above(self):
        where = inspect.stack()[2]
        print(where.lineno)

    def above_by_frame(self):
        frame, file, line, function, text, at = inspect.stack()[1]
        print(frame.f_back.f_lineno)

    def locals_of_caller(self):
        frame, file, line, function, text, at = inspect.stack()[1]
        print(frame.f_locals)

    def kept(self):
        self.frame, file, line, function, text, at = inspect.stack()[1]

    def handed_on(self):
        where = inspect.stack()[1]
        print(where)

    def bound_twice(self, where):
        where = inspect.stack()[1]
        where = where if where else 3
        print(where.lineno)

    def all_of_them(self):
        frames = inspect.stack()
        print(frames[1].function, len(frames))

    def one_of_two(self):
        where = inspect.stack()[1]
        print(where.lineno)
        where = inspect.stack()[2]
        print(where.lineno)

told = Told()
"""

NOT_SAID = """
inspect.currentframe().f_code.co_name
sys._getframe().f_code.co_name
sys._getframe(0).f_lineno
inspect.stack()[0].function
inspect.stack()[0][3]
inspect.stack()[0].frame.f_code.co_filename
inspect.getouterframes(inspect.currentframe())[0].lineno
warnings.warn("here")
warnings.warn("here", stacklevel=1)
warnings.warn("here", UserWarning, 1)
warnings.warn("here", UserWarning, 2)
warnings.warn("here", stacklevel=n)
warnings.warn("here", stacklevel=2)
log.info("here")
Named()
one()
two_by_one()
tell("here")
tell("here", stacklevel=1)
tell("here", stacklevel=2)
tell_at("here")
tell_at("here", 1)
tell_far("here", stacklevel=2)
told.named()
told.unpacked()
told.unpacked_twice()
told.by_frame()
told.by_list()
""".strip().splitlines()

SAID = """
inspect.currentframe().f_back.f_code.co_name
inspect.currentframe().f_locals
inspect.currentframe()
sys._getframe(1).f_code.co_name
sys._getframe(n).f_code.co_name
inspect.stack()[1].function
inspect.stack()[n].function
inspect.stack()[0].frame.f_back.f_lineno
len(inspect.stack())
inspect.getouterframes(inspect.currentframe())[1].function
traceback.extract_stack()
warnings.warn("here", **n)
warnings.warn("here", skip_file_prefixes=("a",))
log.info("here", stacklevel=2)
NamedAbove()
two()
shown()
tell("here", stacklevel=3)
tell("here", stacklevel=n)
tell("here", **n)
tell_changed("here")
tell_at("here", 3)
tell_at("here", level=n)
tell_at_changed("here")
tell_far("here")
tell_with("here", 1, 2)
tell_with("here", more=1)
told.above()
told.above_by_frame()
told.locals_of_caller()
told.kept()
told.handed_on()
told.bound_twice(3)
told.one_of_two()
told.all_of_them()
""".strip().splitlines()


def reasons(call: str) -> list[str]:
    function = f"def f(x: np.ndarray, n):\n    told = Told()\n    found = {call}\n    return np.exp(x).sum()\n"
    report = analyze(Source("m.py", textwrap.dedent(HEAD) + "\n" + function), Config(rewrite=True))
    (region,) = (region for region in report.regions if region.qualname == "f")
    return [reason for reason in region.reasons if "counting frames" in reason or "frames of callers" in reason]


@pytest.mark.parametrize("call", NOT_SAID)
def test_what_does_not_reach_above_the_function_is_fine(call: str) -> None:
    assert not reasons(call)


@pytest.mark.parametrize("call", SAID)
def test_what_reaches_above_it_keeps_the_function(call: str) -> None:
    assert reasons(call)
