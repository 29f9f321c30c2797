"""Which names the next iteration of a loop does not see."""

from __future__ import annotations

import libcst as cst
import pytest

from np2tnp.analysis.syntax.liveness import dead_at_head

LOOP = "for i in range(n):\n    {}\n"


def dead(loop: str, before: str = "pass", after: str = "pass") -> set[str]:
    lines = [before, *loop.splitlines(), after]
    text = "def f(n, p):\n" + "".join(f"    {line}\n" for line in lines)
    function = cst.ensure_type(cst.parse_module(text).body[0], cst.FunctionDef)
    found = next(part for part in function.body.body if isinstance(part, (cst.For, cst.While)))
    return set(dead_at_head(function, found, {}))


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        (LOOP.format("a = n; b = a"), {"i", "a", "b"}),
        (LOOP.format("b = a; a = n") + "", {"i", "b"}),
        (LOOP.format("if i: a = n\n    b = a"), {"i", "b"}),
        (LOOP.format("a = n\n    for j in a:\n        c = j\n    d = c"), {"i", "a", "j", "d"}),
        (LOOP.format("a = n\n    if a: continue\n    b = a\nelse:\n    d = b"), {"i", "a", "d"}),
        (LOOP.format("try: a = n\n    except E: pass\n    b = a"), {"i", "b"}),
        (LOOP.format("p = n; b = p"), {"i", "b"}),
        (LOOP.format("a = n; b = lambda: a"), {"i", "b"}),
        (LOOP.format("a = n; b = [a for _ in n]"), {"i", "b"}),
        (LOOP.format("global a; a = n"), {"i"}),
        (LOOP.format("a = n; a += 1; b += 1"), {"i", "a"}),
        ("for i in b or n:\n    a = n; b = a\n", {"i", "a"}),
        (LOOP.format("with m(): a = n\n    b = a"), {"i", "b"}),
        (LOOP.format("with np.errstate(all='ignore'): a = n\n    b = a"), {"i", "a", "b"}),
        ("while (c := n):\n    a = c\n", {"c", "a"}),
    ],
)
def test_what_an_iteration_assigns_before_it_reads_it(loop: str, expected: set[str]) -> None:
    found = dead(loop)
    assert found <= expected
    assert expected - found <= {"c", "d"}  # less may be found, where a loop or a walrus is in between


@pytest.mark.parametrize(("before", "after"), [("a = n", "pass"), ("pass", "a"), ("pass", "print(f'{a}')")])
def test_names_that_stand_elsewhere_too_are_none(before: str, after: str) -> None:
    assert dead(LOOP.format("a = n; b = a"), before, after) == {"i", "b"}


def test_the_top_level_has_none() -> None:
    module = cst.parse_module(LOOP.format("a = n"))
    assert not dead_at_head(module, cst.ensure_type(module.body[0], cst.For), {})
