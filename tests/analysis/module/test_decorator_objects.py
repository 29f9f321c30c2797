"""Decorators that are classes, objects of the project or their methods, by what their text does with the function."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from forked_python import python

from np2tnp import pipeline
from np2tnp.cli import main
from np2tnp.config import Config

_HEAD = "import functools\nimport inspect\n\nimport numpy as np\n\n\n"
_REGISTRY = """
class Parent:
    def __init__(self):
        self.table = {}

    def register(self, name):
        def keep(f):
            self.table[name] = f
            return f

        return keep


class Registry(Parent):
    def __call__(self, f):
        self.table[f.__name__] = f
        return f

    @classmethod
    def noted(cls, f):
        f.noted = cls.__name__
        return f


REG = Registry()
"""
_COUNTED = """
class Counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f, self.calls = f, 0

    def __call__(self, *args):
        self.calls += 1
        return self.f(*args)
"""
_TWICE = """
class Twice:
    def __init__(self, times):
        self.times = times

    def __call__(self, f):
        @functools.wraps(f)
        def repeated(*args):
            for _ in range(self.times):
                out = f(*args)
            return out

        return repeated
"""
_CHECKED = """
def checked(f):
    parameters = inspect.signature(f).parameters
    setattr(f, "checked", True)

    @functools.wraps(f)
    def inner(*args):
        assert len(args) == len(parameters) and getattr(f, "checked")
        return f(*args)

    return inner
"""
_NAMED = """
def named(*wanted):
    def decorator(f):
        try:
            getspec = inspect.getfullargspec
        except AttributeError:
            getspec = inspect.getargspec

        @functools.wraps(f)
        def inner(*args):
            spec = getspec(f)
            return f(*[np.array(v) if name in wanted else v for name, v in zip(spec.args, args)])

        return inner

    return decorator
"""
_OLD = """
def old(since):
    def warn_first(f, text=""):
        text = text or f.__name__

        @functools.wraps(f)
        def inner(*args):
            print(text, since)
            return f(*args)

        return inner

    def old_class(cls):
        cls.__init__ = warn_first(cls.__init__, cls.__code__)
        return cls

    def decorate(obj):
        if isinstance(obj, type):
            return old_class(obj)
        else:
            return warn_first(obj)

    return decorate
"""
_WHERE = """
def where(condition):
    if condition:
        return old(1)
    return old(condition)


class Where:
    def __init__(self, condition):
        self.condition = condition

    def __call__(self, f):
        return where(self.condition)(f)
"""
_USE = (
    "\n\n@{}\ndef norm(x):\n    return np.sqrt(np.sum(np.exp(x)))\n\n\ndef main():\n    print(norm(np.arange(4.0)))\n"
)

_CACHED = """
class Cached:
    def __init__(self, func):
        self.func = self.fget = func
        self.__name__, self.__doc__ = func.__name__, getattr(func, "__doc__", None)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        kept = obj.__dict__.setdefault("kept", {})
        if self.__name__ not in kept:
            kept[self.__name__] = self.func(obj)
        return kept[self.__name__]


KeptAsWell = Cached
"""
_OF_CLASSES = """
class OfClass(property):
    def __init__(self, func):
        name = func.__name__
        super(OfClass, self).__init__(func)
        self.__doc__ = name

    def __get__(self, obj, owner=None):
        if getattr(self.fget, "__isabstractmethod__", False):
            return self
        return self.fget(owner)

    def setter(self, fset):
        return type(self)(self.fget)


class Only(classmethod):
    def __init__(self, func):
        if hasattr(func, "__annotations__") and "cls" in func.__annotations__:
            func.__annotations__["cls"] = object
        super().__init__(func)

    def __get__(self, obj, cls=None):
        if obj is not None:
            raise TypeError(self.__func__.__name__)
        return super().__get__(obj, cls)
"""
_METHODS = """

class Host:
    size = 3

    @{}
    def norm(self):
        return np.sqrt(np.sum(np.exp(np.ones((self.size, 4)))))


def main():
    print(round(float({}), 9))
"""


def state(tmp_path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    config = Config(root=str(tmp_path), cache=False, quiet=True, jobs=1, slow="convert")
    run = pipeline.check([str(tmp_path / name) for name in files], config)
    assert not [report.error for report in run.reports if report.error]
    found = {region.qualname: region for report in run.reports for region in report.regions}
    return next(region.state.value for name, region in found.items() if name in ("norm", "Host.norm"))


@pytest.mark.parametrize(
    ("given", "use"),
    [
        (_REGISTRY, "REG.register('n')"),
        (_REGISTRY, "REG"),
        (_REGISTRY, "REG.noted"),
        (_REGISTRY, "Registry.noted"),
        (_COUNTED, "Counted"),
        (_TWICE, "Twice(2)"),
        (_CHECKED, "checked"),
        (_NAMED, "named('x')"),
        (_OLD, "old('2.0')"),
        (_OLD + _WHERE, "Where(0)"),
        ("from multipledispatch import dispatch\n", "dispatch(np.ndarray)"),
        ("", "np.vectorize"),
        ("@functools.singledispatch\ndef any_norm(x):\n    return 0\n", "any_norm.register"),
    ],
)
def test_what_only_calls_or_keeps_the_function_is_no_obstacle(tmp_path: Path, given: str, use: str) -> None:
    text = _HEAD + given + _USE.format(use)
    if "singledispatch" in given:
        text = text.replace("norm(x)", "norm(x: np.ndarray)", 1)
    assert state(tmp_path, {"f.py": text}) == "convertible"


def test_the_program_prints_the_same(tmp_path: Path) -> None:
    text = _HEAD + _REGISTRY + _COUNTED + _TWICE + _CHECKED + _NAMED + _OLD + _WHERE
    uses = ["REG.register('n')", "REG", "REG.noted", "Registry.noted", "Counted", "Twice(2)", "checked", "np.vectorize"]
    uses += ["named('x')", "old('2.0')", "Where(0)"]
    for number, use in enumerate(uses):
        text += _USE.format(use).replace("norm", f"norm{number}").replace("main", f"main{number}")
    text += "\n\n" + "".join(f"main{number}()\n" for number in range(len(uses)))
    text += "print(sorted(REG.table), norm4.calls, norm2.noted, norm6.checked, REG.table['norm1'](np.ones(2)))\n"
    program = tmp_path / "f.py"
    program.write_text(text)
    before = subprocess.run([sys.executable, "f.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert main(["rewrite", "--apply", "--slow", "convert", "--no-cache", "-q", str(program)]) == 0
    decorators = re.findall(r"@rt\.migrated\b(?:(?!\ndef ).)*\ndef norm", program.read_text(), re.DOTALL)
    assert len(decorators) == len(uses)
    env = os.environ | {"NP2TNP_ABOVE": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    after = python("f.py", cwd=tmp_path, env=env)
    assert (after.returncode, after.stdout) == (0, before), after.stderr


@pytest.mark.parametrize(
    ("given", "use"),
    [
        (_REGISTRY + "REG = None or REG\n", "REG"),  # bound twice
        (_REGISTRY.replace("return keep", "return compile_all(keep)"), "REG.register('n')"),
        (_REGISTRY.replace("self.table[name] = f", "self.table[name] = f.__code__"), "REG.register('n')"),
        (_REGISTRY.replace("REG = Registry()", "REG = make()"), "REG"),
        (_REGISTRY.replace("    def __call__(", "    @traced\n    def __call__("), "REG"),
        (_COUNTED.replace("self.f, self.calls = f, 0", "self.f, self.text = f, inspect.getsource(f)"), "Counted"),
        (_COUNTED.replace("self.calls += 1", "np.seterr(all='raise')"), "Counted"),
        (_COUNTED.replace("class Counted:", "class Counted(Other):"), "Counted"),
        (_TWICE.replace("self, f):", "self, *fs):\n        f = fs[0]\n"), "Twice(2)"),
        (_CHECKED.replace("inspect.signature(f).parameters", "f.__code__.co_varnames"), "checked"),
        (_CHECKED.replace('setattr(f, "checked", True)', 'setattr(f, "__code__", None)'), "checked"),
        (_CHECKED.replace('setattr(f, "checked", True)', "setattr(f, NAME, None)"), "checked"),
        (_NAMED.replace("= inspect.getfullargspec", "= inspect.getsource"), "named('x')"),
        (_NAMED.replace("            spec =", "            getspec = args[0]\n            spec ="), "named('x')"),
        (_OLD.replace("isinstance(obj, type)", "isinstance(obj, KIND)"), "old('2.0')"),
        (_OLD.replace("text or f.__name__", "text or f.__code__"), "old('2.0')"),
        (_OLD + _WHERE.replace("return old(1)", "return compile_all(1)"), "Where(0)"),
        (_WHERE, "Where(0)"),  # nobody knows `old`
        (_OLD + _WHERE.replace("def where(", "where = print\n\n\ndef where_else("), "Where(0)"),
        ("def again(n):\n    def inner(f):\n        return again(n)(f)\n\n    return inner\n", "again(0)"),
    ],
)
def test_what_may_look_into_it_is(tmp_path: Path, given: str, use: str) -> None:
    assert state(tmp_path, {"f.py": _HEAD + given + _USE.format(use)}) == "blocked"


@pytest.mark.parametrize("use", ["REG.register('n')", "Counted", "Registry.noted", "kept.REG"])
def test_decorators_of_another_module(tmp_path: Path, use: str) -> None:
    text = "import kept\nimport numpy as np\nfrom kept import REG, Counted, Registry\n" + _USE.format(use)
    assert state(tmp_path, {"f.py": text, "kept.py": "import functools\n" + _REGISTRY + _COUNTED}) == "convertible"


@pytest.mark.parametrize(
    ("given", "use"), [(_CACHED, "Cached"), (_CACHED, "KeptAsWell"), (_OF_CLASSES, "OfClass"), (_OF_CLASSES, "Only")]
)
def test_a_descriptor_that_keeps_the_method_and_calls_it_is_no_obstacle(tmp_path: Path, given: str, use: str) -> None:
    assert state(tmp_path, {"f.py": _HEAD + given + _METHODS.format(use, "0")}) == "convertible"
    asks = _HEAD + f"from kept import {use}\n" + _METHODS.format(use, "0")
    assert state(tmp_path, {"f.py": asks, "kept.py": given}) == "convertible"


@pytest.mark.parametrize(
    ("given", "use"),
    [
        (_CACHED.replace("self.func(obj)", "run(self.func, obj)"), "Cached"),
        (_CACHED.replace("self.func(obj)", "self.func.__code__"), "KeptAsWell"),
        (_CACHED.replace("func.__name__,", "func.__code__,"), "Cached"),
        (_CACHED + "KeptAsWell = None or KeptAsWell\n", "KeptAsWell"),
        (_OF_CLASSES.replace("self.fget(owner)", "run(self.fget, owner)"), "OfClass"),
        (_OF_CLASSES.replace("__isabstractmethod__", "__code__"), "OfClass"),
        (_OF_CLASSES.replace("type(self)(self.fget)", "make(self)(self.fget)"), "OfClass"),
        (_OF_CLASSES.replace("(property)", "(property, Other)"), "OfClass"),
        ("from other import property\n" + _OF_CLASSES, "OfClass"),
        (_OF_CLASSES.replace("super().__init__(func)", "other().__init__(func)"), "Only"),
    ],
)
def test_a_descriptor_that_may_do_more_with_it_is(tmp_path: Path, given: str, use: str) -> None:
    assert state(tmp_path, {"f.py": _HEAD + given + _METHODS.format(use, "0")}) == "blocked"


def test_a_program_with_descriptors_prints_the_same(tmp_path: Path) -> None:
    text = _HEAD + _CACHED + _OF_CLASSES
    ways = {"Cached": "Host().norm", "KeptAsWell": "Host().norm", "OfClass": "Host.norm", "Only": "Host.norm()"}
    for number, (use, asked) in enumerate(ways.items()):
        written = _METHODS.format(use, asked.replace("Host", f"Host{number}"))
        text += written.replace("class Host", f"class Host{number}").replace("main", f"main{number}")
    text += "\n\n" + "".join(f"main{number}()\n" for number in range(len(ways)))
    program = tmp_path / "f.py"
    program.write_text(text)
    before = subprocess.run([sys.executable, "f.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert main(["rewrite", "--apply", "--slow", "convert", "--no-cache", "-q", str(program)]) == 0
    assert len(re.findall(r"@rt\.migrated\b(?:(?!\n    def ).)*\n    def norm", program.read_text(), re.DOTALL)) == 4
    env = os.environ | {"NP2TNP_ABOVE": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    after = python("f.py", cwd=tmp_path, env=env)
    assert (after.returncode, after.stdout) == (0, before), after.stderr


_DOCUMENTS = (
    "try:\n    from matplotlib._docstring import {0}\nexcept ImportError:\n    from matplotlib.docstring import {0}\n"
)


def test_what_fills_in_a_docstring_gives_the_function_back(tmp_path: Path) -> None:
    filled = _DOCUMENTS.format("Substitution") + "\n__all__ = ['_doc']\n_doc = Substitution(x='an array')\n"
    assert state(tmp_path, {"f.py": _HEAD + filled + _USE.format("_doc")}) == "convertible"
    package = tmp_path / "drawn"
    package.mkdir()
    (package / "_doc.py").write_text(filled)  # the name that the star binds comes after the submodule of that name
    (package / "__init__.py").write_text("from ._doc import *\n")
    assert state(tmp_path, {"f.py": _HEAD + "from drawn import _doc\n" + _USE.format("_doc")}) == "convertible"
    other = filled.replace("Substitution", "rc_context")
    assert state(tmp_path, {"f.py": _HEAD + other + _USE.format("_doc")}) == "blocked"
    appended = "from pandas.util._decorators import Appender\n"
    assert state(tmp_path, {"f.py": _HEAD + appended + _USE.format("Appender('more')")}) == "convertible"
