"""Answers that depend on each other do not depend on who asks first."""

from __future__ import annotations

import itertools
import random

from np2tnp.analysis.driver.solver import Key, Solver


def keys(names: str) -> list[Key]:
    return [Key("m", 0, name) for name in names]


def solver_of(edges: dict[str, str]) -> Solver:
    """Each answer is the letters it was made from, with ``?`` for one that was being made."""

    def compute(key: Key) -> str:
        solver.note({key.name})
        return key.name + "(" + "".join(solver.ask(Key("m", 0, name)) or "?" for name in edges.get(key.name, "")) + ")"

    solver = Solver(compute)
    return solver


def answers(edges: dict[str, str], order: list[Key]) -> dict[str, str]:
    solver = solver_of(edges)
    for key in order:
        solver.ask(key)
    return {key.name: solver.ask(key) for key in order}


def test_a_circle_begins_at_its_first_member() -> None:
    solver = solver_of({"b": "a", "a": "b"})
    assert solver.ask(Key("m", 0, "b")) == "b(?)"
    assert solver.ask(Key("m", 0, "a")) == "a(b(?))"


def test_a_question_about_itself_is_no_circle_of_others() -> None:
    solver = solver_of({"b": "ba", "a": ""})
    assert solver.ask(Key("m", 0, "b")) == "b(?a())"


def test_members_depend_on_the_whole_circle() -> None:
    solver = solver_of({"a": "b", "b": "c", "c": "ad", "d": ""})
    for key in keys("abcd"):
        solver.ask(key)
    for key in keys("abc"):
        answer = solver.answer(key)
        assert answer is not None
        assert answer.places == {"a", "b", "c", "d"}
        assert answer.circle == set(keys("abc"))
    assert solver.first_of(Key("m", 0, "c")) == Key("m", 0, "a")


def test_forgetting_one_forgets_its_circle() -> None:
    solver = solver_of({"a": "b", "b": "a", "c": "a"})
    solver.ask(Key("m", 0, "c"))
    solver.forget(Key("m", 0, "b"))
    assert solver.answer(Key("m", 0, "a")) is None
    assert solver.answer(Key("m", 0, "c")) is not None


def test_an_error_leaves_nothing_half_answered() -> None:
    fails = True

    def compute(key: Key) -> str:
        if key.name == "b":
            solver.ask(Key("m", 0, "a"))
            if fails:
                raise ValueError("no")
            return "b"
        return f"a{solver.ask(Key('m', 0, 'b'))}"

    solver = Solver(compute)
    for _ in range(2):
        try:
            solver.ask(Key("m", 0, "a"))
        except ValueError:
            continue
        raise AssertionError("the error was lost")
    fails = False
    assert solver.ask(Key("m", 0, "a")) == "ab"
    assert solver.places() == frozenset()


def test_an_answer_that_needs_itself_is_made_until_it_is_confirmed() -> None:
    def compute(key: Key) -> frozenset[int]:
        mine = solver.ask(key)
        if mine is None:
            return frozenset((-1,))  # nothing could be assumed
        return frozenset((*mine, min(len(mine), int(key.name))))

    solver = Solver(compute, lambda key: frozenset())
    assert solver.ask(Key("m", 0, "3")) == {0, 1, 2, 3}
    assert solver.ask(Key("m", 0, "30")) == {-1}
    solver = Solver(compute)
    assert solver.ask(Key("m", 0, "3")) == {-1}


def test_nothing_is_assumed_in_a_circle_of_several() -> None:
    def compute(key: Key) -> str:
        asked = {"a": "ab", "b": "a"}[key.name]
        return key.name + "(" + "".join(solver.ask(Key("m", 0, name)) or "?" for name in asked) + ")"

    solver = Solver(compute, lambda key: "assumed")
    assert solver.ask(Key("m", 0, "a")) == "a(?b(?))"


def test_the_order_of_questions_decides_nothing() -> None:
    chance = random.Random(7)
    for _ in range(150):
        names = "abcde"
        edges = {name: "".join(chance.sample(names, chance.randrange(3))) for name in names}
        found = {tuple(sorted(answers(edges, list(order)).items())) for order in itertools.permutations(keys(names))}
        assert len(found) == 1, edges


def test_who_watches_later_sees_what_was_noted_before() -> None:
    places, first, second = frozenset("p"), set[str](), set[str]()

    def compute(key: Key) -> None:
        for watched in (first, second):
            with solver.watch(watched):
                solver.note(places)
                solver.note(places)

    solver = Solver(compute)
    (key,) = keys("a")
    solver.ask(key)
    assert first == second == {"p"}
    answer = solver.answer(key)
    assert answer is not None
    assert answer.places == {"p"}
