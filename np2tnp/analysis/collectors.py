"""Interpreters that only learn what is assigned: to the attributes of ``self``, to the names of a module."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.domain.env import Env, join
from np2tnp.analysis.domain.values import HOST, SUBCLASS, Instance, Unknown, Value
from np2tnp.analysis.interpret import Interpreter
from np2tnp.analysis.module.scripts import target_names


def join_into(found: dict[str, Value], more: Mapping[str, Value]) -> None:
    for name, value in more.items():
        found[name] = join(found[name], value) if name in found else value


class AttributeCollector(Interpreter):
    """Interprets a method only to learn what it assigns to ``self``."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.found: dict[str, Value] = {}

    def attribute_stored(self, base: Value, name: str, value: Value) -> None:
        if isinstance(base, Instance):
            if isinstance(value, Instance) and (known := self.services.class_of(value)) and known.array_base:
                value = Unknown(HOST, frozenset((SUBCLASS,)))
            self.found[name] = join(self.found[name], value) if name in self.found else value


class Binder(Interpreter):
    """Interprets a module's top level, and keeps all that each name is ever bound to: functions may run in between."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.bound: dict[str, Value] = {}
        self.in_class = False

    def statement_(self, node: cst.CSTNode, env: Env) -> Env | None:
        outer, self.in_class = self.in_class, self.in_class or type(node) is cst.ClassDef
        end = super().statement_(node, env)
        self.in_class = outer
        return end

    def assign(
        self, node: cst.CSTNode, target: cst.BaseExpression, value: Value, env: Env, source: cst.BaseExpression | None
    ) -> None:
        super().assign(node, target, value, env, source)
        if not self.in_class:
            join_into(self.bound, {name: env.values[name] for name in target_names(target) if name in env.values})
