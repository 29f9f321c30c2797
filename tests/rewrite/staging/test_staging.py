"""Functions rewritten with --compile: their loops are staged, and they do what the originals do."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from np2tnp.config import Config
from np2tnp.engine import analyze
from np2tnp.files.source import Source
from np2tnp.runtime.compile.compiled import RUNS

CONFIG = Config(rewrite=True, slow="convert", compile="xla", on_unverified="raise")

RELAX = """
import numpy as np

def relax(field, steps):
    # five points
    for _ in range(steps):
        field[1:-1] = 0.5 * (field[:-2] + field[2:])
    return field.sum()
"""
RELAXED = """
import numpy as np
from np2tnp import runtime as rt
from np2tnp.runtime import tnp

@rt.migrated(updates="field", no_lists="field", compile="xla", scalars="steps")
def relax(field, steps):
    # five points
    def loop_body(_, field):
        field = rt.at(field)[1:-1].set(0.5 * (field[:-2] + field[2:]))
        return field
    field = rt.fori_loop(0, steps, loop_body, field)
    return rt.updated(tnp.sum(field), field=field)
"""


def rewritten(text: str, config: Config = CONFIG) -> Any:
    report = analyze(Source("program.py", text), config)
    assert report.new_text is not None, report
    return report


def module(text: str) -> types.ModuleType:
    made = types.ModuleType("program")
    exec(compile(text, "program.py", "exec"), made.__dict__)
    return made


def test_a_loop_becomes_a_function_that_people_would_write() -> None:
    assert rewritten(RELAX).new_text == RELAXED


def test_functions_made_in_a_loop_are_made_in_the_function_of_its_body() -> None:
    text = rewritten(TEXT).new_text
    made = text[text.index("def functions_made_in_the_loop") : text.index("def a_function_of_the_loop")]
    assert (
        made.index("def loop_body(i, x):")
        < made.index("        def mean(")
        < made.index("rt.fori_loop(0, n, loop_body, x)")
    )
    filled = text[text.index("def a_function_of_the_loop") : text.index("def the_last_function")]
    assert "for i in rt.unrolled(range(n)):" in filled


PROGRAMS = Path(__file__).resolve().parents[3] / "fixtures" / "staging" / "programs.py"
TEXT = PROGRAMS.read_text(encoding="utf-8")
ORIGINAL = module(TEXT)


@pytest.fixture(scope="module")
def versions() -> dict[str, types.ModuleType]:
    new = rewritten(TEXT).new_text
    return {mode: module(new.replace('compile="xla"', f'compile="{mode}"')) for mode in ("none", "graph", "xla")}


NAMES = [name for name, *_ in ORIGINAL.EXAMPLES]


@pytest.mark.parametrize(("name", "build", "is_compiled"), ORIGINAL.EXAMPLES, ids=NAMES)
def test_programs_do_what_they_did(
    versions: dict[str, types.ModuleType], name: str, build: Callable[[], Any], is_compiled: bool
) -> None:
    expected, given = outcome(getattr(ORIGINAL, name), build())
    for mode, version in versions.items():
        RUNS.clear()
        actual, changed = outcome(getattr(version, name), build())
        assert kinds(actual) == kinds(expected)
        for one, other in zip(leaves((actual, changed)), leaves((expected, given)), strict=True):
            if one is None or isinstance(one, str):
                assert one == other
                continue
            np.testing.assert_allclose(one, other, rtol=1e-6)
        if mode != "none":
            assert bool(RUNS["compiled"]) == is_compiled, (mode, RUNS)


def outcome(function: Any, arguments: Any) -> tuple[Any, Any]:
    """The result, or the class of what was raised; and the arguments afterwards."""
    try:
        return function(*arguments), arguments
    except ValueError as error:
        return str(type(error)), arguments


def leaves(value: Any) -> list[Any]:
    value = list(value.items()) if isinstance(value, dict) else value
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else [value]


def kinds(value: Any) -> list[Any]:
    return [(type(leaf), getattr(leaf, "dtype", None), getattr(leaf, "shape", None)) for leaf in leaves(value)]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("print(x.sum())", "print() may do more than compute"),
        ("x = x + np.random.rand(3)", "np.random.rand stays in NumPy"),
        ("np.set_printoptions(precision=3)", "np.set_printoptions does more than compute"),
        ("open('a').read()", "may do more than compute"),
        ("helper(x)", "helper() is not migrated, and may do more than compute"),
        ("callback(3)", "callback() may do more than compute"),
        ("OBJECT.count = 3", "the attribute .count is assigned"),
    ],
)
def test_what_happens_at_every_call_keeps_a_function_out_of_graphs(statement: str, words: str) -> None:
    text = (
        "import numpy as np\nclass C: pass\nOBJECT = C()\ndef helper(x):\n    OBJECT.x = 1\n\n"
        f"def f(x, callback):\n    {statement}\n    return np.exp(x)\n"
    )
    report = rewritten(text)
    found = [finding for finding in report.findings if finding.code == "TNP409"]
    assert {finding.span.line for finding in found} == {8}
    assert any(words in finding.message for finding in found)
    assert "compile=" not in report.new_text
    plain = analyze(Source("program.py", text), replace(CONFIG, compile="none"))
    assert not any(finding.code == "TNP409" for finding in plain.findings)


@pytest.mark.parametrize(
    ("below", "stays"),
    [
        ("return n + 1", False),
        ("LOG.append(n)\n    return n", True),
        ("return 2 if type(n) is int else 1", True),
    ],
)
def test_what_its_helpers_reach_decides_whether_a_function_is_compiled(below: str, stays: bool) -> None:
    text = (
        f"import numpy as np\nLOG = []\ndef below(n):\n    {below}\n\ndef middle(n):\n    return below(n) * 2\n\n"
        "def beside(n):\n    LOG.append(n)\n    return type(n)\n\n"
        "def f(x, n):\n    return np.exp(x) * middle(n)\n"
    )
    report = rewritten(text)
    assert ("compile=" not in report.new_text) == stays
    assert any(finding.code == "TNP409" and "middle()" in finding.message for finding in report.findings) == stays


def test_sets_of_values_are_no_settings() -> None:
    text = "import numpy as np\ndef f(x, y):\n    return np.setdiff1d(x, y), np.setxor1d(x, y), np.unique(x)\n"
    new = rewritten(text, replace(CONFIG, compile="graph")).new_text
    assert 'compile="graph"' in new
    x, y = np.array([3, 1, 2, 1]), np.array([1, 5])
    for found, expected in zip(module(new).f(x, y), module(text).f(x, y), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_methods_that_only_read_their_object_are_compiled() -> None:
    text = (
        "import numpy as np\nclass C:\n    def f(self, x):\n        return np.exp(x @ self.w) * self.k[0]\n"
        "    def g(self, x):\n        return np.exp(self.f(x)) - self.w\n"
    )
    report = rewritten(text)
    assert not any(finding.code == "TNP409" for finding in report.findings)
    assert 'compile="xla", state="w")\n    def f' in report.new_text  # .k is indexed as NumPy does
    assert 'compile="xla", methods="f", state="w")\n    def g' in report.new_text


@pytest.mark.parametrize(
    ("formula", "is_input"),
    [
        ("np.exp(x) ** self.w > self.w", True),
        ("~(self.w < np.exp(x))", True),
        ("np.exp(x) * (self.w is x)", False),
        ("np.exp(x) * self.w * len(self.w)", False),
        ("(self.k + self.w) * np.exp(x)", False),
    ],
)
def test_attributes_are_inputs_where_only_operators_of_tensors_get_them(formula: str, is_input: bool) -> None:
    text = f"import numpy as np\nclass C:\n    def f(self, x):\n        return {formula}, np.tanh(x) - self.w\n"
    assert ('state="w"' in rewritten(text).new_text) == is_input


def test_operators_and_indices_are_written_as_in_eager_code() -> None:
    body = "(y // k) % 3 + y[y > 1].sum() + (abs(y) == y[0]), y[[0, -1]], ~(y < x), 1.5 * x, y << k"
    text = f"import numpy as np\ndef f(x, k):\n    y = np.exp(x)\n    return {body}\n"
    plain, *compiled = [rewritten(text, replace(CONFIG, compile=mode)).new_text for mode in ("none", "graph", "xla")]
    (line,) = [line for line in plain.partition("rt.original")[0].splitlines() if "return" in line]
    assert line == f"    return {body.replace('y[y > 1].sum()', 'tnp.sum(y[y > 1])')}"
    assert all(line in made.partition("rt.original")[0].splitlines() for made in compiled)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("keep(self)", "self itself is used"),
        ("y = self", "self itself is used"),
        ("del self.w", "something of it deleted"),
        ("self.w = x", "the attribute .w is assigned"),
        ("self.w[0] = 1.0", "an array that belongs to an object outside is changed"),
        ("self.w += x", "the attribute .w is assigned"),
        ("self.plain(x)", "may do more than compute"),
    ],
)
def test_methods_that_do_more_are_not_compiled(statement: str, words: str) -> None:
    text = (
        "import numpy as np\ndef keep(it):\n    print(it)\nclass C:\n    def plain(self, x):\n        print(x)\n"
        f"    def f(self, x):\n        {statement}\n        return np.exp(x) * self.k\n"
    )
    report = rewritten(text)
    assert any(words in finding.message for finding in report.findings if finding.code == "TNP409")
    assert "compile=" not in report.new_text


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    again = analyze(Source("program.py", rewritten(RELAX).new_text), CONFIG)
    assert again.new_text is None


@pytest.mark.parametrize(
    "first",
    [
        'with np.errstate(divide="ignore"):\n        y = np.log(x)',
        "if n:\n        y = np.log(x)",
        "for r in (x, -x):\n        y = np.exp(r)",
        "try:\n        y = np.log(x)\n    except ValueError:\n        y = x",
    ],
)
def test_a_value_from_a_block_before_the_loop_is_carried(first: str) -> None:
    text = (
        f"import numpy as np\ndef f(x, n):\n    {first}\n    for t in range(n):\n        y = np.sin(y) * 0.5\n"
        "    return y\n"
    )
    x = np.array([1.5, 2.0])
    expected, result = module(text).f(x, 3), module(rewritten(text).new_text).f(x, 3)
    np.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("result", ["y", "x, y", "{'y': y}"])
def test_what_no_iteration_assigned_raises_where_it_is_returned(result: str) -> None:
    text = f"import numpy as np\ndef f(x, n):\n    for t in range(n):\n        y = np.sin(x) * t\n    return {result}\n"
    with pytest.raises(UnboundLocalError):
        module(rewritten(text).new_text).f(np.ones(2), 0)
