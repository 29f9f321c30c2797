"""Makes libcst nodes with only some of their fields, without libcst's validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst


class Unsupported(Exception):  # noqa: N818 # not an error: libcst then does what cannot be done here
    """This text, or this question about it, is for libcst's own parser."""


def maker(kind: type[cst.CSTNode], *fields: str) -> Callable[..., Any]:
    """A function from the values of `fields` to a node. Its other fields stay unset: reading one raises AttributeError.

    The slots' own descriptors are used, as the classes are frozen. One to three fields are spelled out: most nodes have
    no more, and there are a million of them.
    """
    new = object.__new__
    setters = [getattr(kind, field).__set__ for field in fields]
    if len(setters) == 1:
        (set_only,) = setters

        def make_one(value: object) -> cst.CSTNode:
            node = new(kind)
            set_only(node, value)
            return node

        return make_one
    if len(setters) == 2:
        set_first, set_second = setters

        def make_two(first: object, second: object) -> cst.CSTNode:
            node = new(kind)
            set_first(node, first)
            set_second(node, second)
            return node

        return make_two
    if len(setters) == 3:
        set_1, set_2, set_3 = setters

        def make_three(first: object, second: object, third: object) -> cst.CSTNode:
            node = new(kind)
            set_1(node, first)
            set_2(node, second)
            set_3(node, third)
            return node

        return make_three

    def make(*values: object) -> cst.CSTNode:
        node = new(kind)
        for set_value, value in zip(setters, values, strict=True):
            set_value(node, value)
        return node

    return make
