"""Subscripts to abstract values: what an index shows of an array, a container or an object."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.asked_objects import AskedObjects
from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.values import (
    HOST,
    NO_NAMES,
    NOTHING,
    UNKNOWN,
    Array,
    Const,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    has_axes,
    held,
    item_of,
    may_be_array,
    may_hold_tensor,
    replace,
    scalar_type,
)
from np2tnp.analysis.syntax.python_tables import JOINERS


def _joined(name: str, keys: tuple[Value, ...], made: str) -> Value:
    """What ``np.r_[...]`` and its like give: new arrays, NumPy's own where a text says how to join."""
    if any(isinstance(key, Const) and key.type == "str" for key in keys):
        return Array(HOST)
    if name == "numpy.ogrid":
        return Array(made, rank=1) if len(keys) == 1 else Sequence("tuple", Array(made), (Array(made),) * len(keys))
    return Array(made)


_JOINS = (cst.BitAnd, cst.BitOr, cst.BitXor)
_MASK = frozenset("?")
_ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)


def indexes_array(node: cst.Subscript) -> bool:
    """Whether only an array is indexed like ``x[x > 0]`` or ``x[[2, 0]]``: by its own items, or by many numbers."""
    part = node.slice[0].slice
    if type(node.value) is not cst.Name or len(node.slice) != 1 or type(part) is not cst.Index:
        return False
    if type(part.value) is cst.List:
        return bool(part.value.elements) and all(type(item.value) is cst.Integer for item in part.value.elements)
    return _is_mask_of(node.value.value, part.value)


def _is_mask_of(name: str, test: cst.BaseExpression) -> bool:
    """Whether `test` compares the named value, alone or joined by ``& | ^ ~``."""
    if type(test) is cst.BinaryOperation and isinstance(test.operator, _JOINS):
        return _is_mask_of(name, test.left) or _is_mask_of(name, test.right)
    if type(test) is cst.UnaryOperation and type(test.operator) is cst.BitInvert:
        return _is_mask_of(name, test.expression)
    if type(test) is not cst.Comparison or len(test.comparisons) != 1:
        return False
    sides = (test.left, test.comparisons[0].comparator)
    is_order = isinstance(test.comparisons[0].operator, _ORDER)
    return is_order and any(type(side) is cst.Name and side.value == name for side in sides)


def _copies(key: Value) -> bool:
    """Whether indexing with `key` surely copies: an array, a list, or a bool of any kind.

    An array of unknown rank is taken for one of at least one dimension, but for what iterating over another gives:
    ``for i in np.argsort(x)`` gives numbers.
    """
    if isinstance(key, Array):
        is_number = key.rank == 0 or (key.rank is None and key.view == "piece")
        return not (key.weak or is_number) or key.dtypes == frozenset("?")
    return isinstance(key, Sequence) and key.type == "list"


class Subscripts(AskedObjects):
    """Evaluates subscripts, and reads of what containers hold."""

    def _subscript(self, node: cst.Subscript, env: Env) -> Value:
        base, ran = self.evaluate(node.value, env), self.ran
        keys = self.keys(node, env)
        self.read_before(node, node.value, base, ran, env)
        of_shape = type(node.value) is cst.Attribute and node.value.attr.value == "shape"
        if of_shape and len(keys) == 1 and isinstance(keys[0], Const) and keys[0].type == "int":
            self.facts.extra.setdefault("plain shapes", set()).add(id(node.value))
        result = self.read(base, keys, node)
        if self.met_subclass and self.made != HOST and may_hold_tensor(base) and self.subclass_mark(*keys):
            self.construct(node, "subclass operand")
        self.ask(node, env, [base], asked_by(node), deep=False)
        if isinstance(base, Instance):
            result = self.with_shown(result, env)
        if isinstance(base, Instance) and any(map(may_hold_tensor, keys)):
            self.object_method(node, base, "__getitem__")
        if isinstance(base, Symbol) and base.name in JOINERS:
            result = _joined(base.name, keys, self.made)
            self.emit(ev.Read(node, self.place(node), base, keys, result))
        elif may_be_array(base) or may_hold_tensor(base) or any(map(may_hold_tensor, keys)):
            self.emit(ev.Read(node, self.place(node), base, keys, result))
        return result

    def keys(self, node: cst.Subscript, env: Env) -> tuple[Value, ...]:
        """The value of each part of an index; a slice is a Scalar("slice"), whatever its bounds are."""
        values: list[Value] = []
        read: list[tuple[cst.BaseExpression, Value, int]] = []
        for element in node.slice:
            part = element.slice
            if type(part) is cst.Index:
                value = self.evaluate(part.value, env)
                read.append((part.value, value, self.ran))
                if (
                    isinstance(value, Sequence)
                    and value.type == "tuple"
                    and len(node.slice) == 1
                    and value.items is not None
                ):
                    values.extend(value.items)
                    continue
                values.append(Const.of(None) if value == Symbol("numpy.newaxis") else value)
            elif type(part) is cst.Slice:
                for bound in (part.lower, part.upper, part.step):
                    if bound is not None:
                        self.ask_parts(node, env, self.evaluate(bound, env))
                values.append(Scalar("slice"))
        self.ask_parts(node, env, *values)
        for part_node, value, ran in read:
            self.read_before(node, part_node, value, ran, env)
        return tuple(values)

    def read(self, base: Value, keys: tuple[Value, ...], node: cst.Subscript | None = None) -> Value:
        """What ``base[keys]`` is."""
        if isinstance(base, Array):
            return self._index(base, keys)
        if isinstance(base, Sequence):
            key = keys[0] if len(keys) == 1 else None
            if (
                base.items is not None
                and isinstance(key, Const)
                and key.type == "int"
                and -len(base.items) <= key.value < len(base.items)
            ):
                return held(base.items[key.value], base)
            if base.type in ("tuple", "list") and keys and scalar_type(keys[0]) == "slice":
                return replace(base, items=None)
            return held(base.element, base)
        if isinstance(base, Unknown):
            if base.home == HOST:
                return Unknown(HOST, base.refs, view="view")
            slices = len(keys) > 1 and any(scalar_type(key) == "slice" for key in keys)
            copies = node is not None and indexes_array(node)
            masked = any(isinstance(key, Array) and key.dtypes == _MASK and key.rank != 0 for key in keys)
            chosen = any(has_axes(key) and _copies(key) for key in keys)  # no list or dict takes an array
            if (slices or copies or masked or chosen) and base.deps:
                self.facts.assumed_arrays |= base.deps
                self.facts.extra["indexed"] = self.facts.extra.get("indexed", NO_NAMES) | base.deps
            # of a list of arrays, perhaps: no evidence about the parameter itself
            return Unknown(base.home, base.refs, view="" if copies or any(map(_copies, keys)) else "view")
        if base is NOTHING:
            return base
        return item_of(base) if isinstance(base, Symbol) else UNKNOWN

    def _index(self, base: Array, keys: tuple[Value, ...]) -> Array:
        rank, basic, ellipsis = base.rank, True, False
        exact_rank = True
        for key in keys:
            kind = scalar_type(key)
            if isinstance(key, Const) and key.value is None:
                rank = None if rank is None else rank + 1
            elif isinstance(key, Const) and key.value is Ellipsis:
                ellipsis = True
            elif kind == "slice":
                continue
            elif kind == "int" or (isinstance(key, Array) and key.rank == 0 and key.dtypes <= frozenset("bhilBHIL")):
                rank = None if rank is None else rank - 1
            else:
                exact_rank = False
                if _copies(key):
                    basic = False
                if (
                    isinstance(key, Array)
                    and len(keys) == 1
                    and key.dtypes == frozenset("?")
                    and key.rank == base.rank
                    and rank
                ):
                    rank, exact_rank = 1, True
        if not exact_rank or (rank is not None and rank < 0):
            rank = None
        home = base.home
        if not basic:
            return Array(home, base.dtypes, rank, deps=base.deps)
        if rank == 0 and not ellipsis:
            return Array(home, base.dtypes, 0, deps=base.deps)
        return Array(
            home, base.dtypes, rank, base.refs, None, base.deps, zero_d="array" if ellipsis else "scalar", view="view"
        )

    def element_of(self, value: Value) -> Value:
        """What iterating over `value` gives."""
        if isinstance(value, Array):
            rank = None if value.rank is None else max(value.rank - 1, 0)
            refs = NO_NAMES if rank == 0 else value.refs
            return Array(value.home, value.dtypes, rank, refs, None, value.deps, view="piece")
        if isinstance(value, Sequence):
            return held(value.element, value)
        if isinstance(value, Unknown):
            return Unknown(value.home, value.refs, view="piece")
        if isinstance(value, Const) and isinstance(value.value, str):
            return Scalar("str")
        if isinstance(value, Symbol):
            return item_of(value)
        if isinstance(value, Scalar):
            return value if value is NOTHING else Scalar("object")
        return UNKNOWN
