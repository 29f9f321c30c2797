"""Sharing of memory between names: kept through joins, exchanges and rebinding."""

from __future__ import annotations

from np2tnp.analysis.domain.env import Env, Gathered, Stale, join_all
from np2tnp.analysis.domain.values import HOST, TENSOR, Array, refs_of


def fresh() -> Array:
    return Array(TENSOR)


def env_with(*names: str) -> Env:
    env = Env()
    for name in names:
        env.bind(name, fresh())
    return env


def shared(env: Env, name: str) -> frozenset[str]:
    value = env.load(name)
    assert value is not None
    return refs_of(value)


def test_a_name_shares_memory_with_itself_alone_at_first() -> None:
    assert shared(env_with("x", "y"), "x") == {"x"}


def test_sharing_is_mutual() -> None:
    env = env_with("x")
    env.bind("y", Array(TENSOR, refs=frozenset(("x",))))
    assert shared(env, "x") == shared(env, "y") == {"x", "y"}


def test_rebinding_ends_sharing_for_both() -> None:
    env = env_with("x")
    env.bind("y", Array(TENSOR, refs=frozenset(("x",))))
    env.bind("x", fresh())
    assert shared(env, "x") == {"x"}
    assert shared(env, "y") == {"y"}


def test_an_exchange_keeps_two_buffers_apart() -> None:
    env = env_with("u", "v")
    u, v = env.load("u"), env.load("v")
    assert u is not None
    assert v is not None
    env.bind_all([("u", v), ("v", u)])
    assert shared(env, "u") == {"u"}
    assert shared(env, "v") == {"v"}


def test_an_exchange_of_views_of_one_buffer_keeps_them_together() -> None:
    env = env_with("a")
    env.bind("u", Array(TENSOR, refs=frozenset(("a",))))
    env.bind("v", Array(TENSOR, refs=frozenset(("a",))))
    u, v = env.load("u"), env.load("v")
    assert u is not None
    assert v is not None
    env.bind_all([("u", v), ("v", u)])
    assert {"a", "u"} <= shared(env, "u")
    assert "v" in shared(env, "u") or "a" in shared(env, "v")


def test_a_join_shares_what_either_way_shares() -> None:
    left = env_with("x", "y")
    right = left.copy()
    right.bind("y", Array(TENSOR, refs=frozenset(("x",))))
    for joined in (left.join(right), right.join(left)):
        assert shared(joined, "x") == {"x", "y"}


def test_a_join_keeps_what_is_stale_on_one_way() -> None:
    left, right = env_with("x"), env_with("x")
    right.stale["x"] = Stale("y", 1)
    assert left.join(right).stale == right.join(left).stale == {"x": Stale("y", 1)}


def test_a_copy_is_independent() -> None:
    env = env_with("x")
    other = env.copy()
    other.bind("y", Array(TENSOR, refs=frozenset(("x",))))
    assert env.load("y") is None
    assert shared(env, "x") == {"x"}


def test_joining_with_itself_changes_nothing() -> None:
    env = env_with("x")
    env.bind("y", Array(TENSOR, refs=frozenset(("x",))))
    assert env.join(env.copy()) == env


def test_unreachable_ways_do_not_count() -> None:
    env = env_with("x")
    assert join_all([None, env, None]) is env
    assert join_all([None]) is None


def test_what_was_loaded_before_does_not_hide_what_changed() -> None:
    env = env_with("a", "b")
    assert refs_of(env.load("a") or fresh()) == {"a"}
    other = env.copy()
    env.link("a", frozenset(("b",)))
    assert refs_of(env.load("a") or fresh()) == {"a", "b"}
    assert refs_of(other.load("a") or fresh()) == {"a"}
    env.bind("a", Array(HOST))
    assert env.load("a") == Array(HOST, refs=frozenset("a"))


def test_reasons_of_a_stale_name_are_told_once() -> None:
    first, second = Stale("y", 1), Stale("f", 2, "call")
    both = first.join(second)
    assert both.reasons == (first, second)
    assert both.join(second) is both
    assert both.join(first) is both
    assert second.join(both).reasons == (second, first)


def test_what_others_hold_on_to_is_found() -> None:
    env = env_with("x", "y", "z")
    env.link("kept by box", frozenset(("x",)))
    env.link(".w", frozenset(("y",)))
    assert env.held_outside() == {"x", "y"}
    assert env.shares("x", "kept by box")
    assert not env.shares("x", "y")


def test_environments_gathered_one_by_one_are_their_join() -> None:
    env = env_with("x", "y")
    gathered, joined = Gathered(), env.copy()
    gathered.add(env)
    for name, refs in (("y", frozenset(("x",))), ("z", frozenset(("y",))), ("x", frozenset[str]())):
        env.bind(name, Array(TENSOR, refs=refs))
        env.stale["y"] = Stale(name, 1)
        gathered.add(env)
        joined = joined.join(env)
    assert gathered.env == joined
    assert shared(joined, "y") == {"x", "y", "z"}
