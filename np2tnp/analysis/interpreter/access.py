"""Subscripts and attributes to abstract values: views, items, state on objects."""

from __future__ import annotations

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.doors import Admitted
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import of_attribute
from np2tnp.analysis.domain.promotion_rules import is_read_only
from np2tnp.analysis.domain.special_names import asked_by
from np2tnp.analysis.domain.summaries import ANY_ATTRIBUTE
from np2tnp.analysis.domain.values import (
    CALLED,
    EITHER,
    FOREIGN,
    GENERATORS,
    HOST,
    NO_NAMES,
    NOTHING,
    NUMPY,
    READ_ONLY,
    SUBCLASS,
    TENSOR,
    UNKNOWN,
    UNTENSORED,
    Array,
    Bound,
    Class,
    Const,
    Function,
    Instance,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    exact_of,
    has_axes,
    held,
    home_of,
    is_numpy_number,
    item_of,
    may_be_array,
    may_hold_tensor,
    parameters_in,
    refs_of,
    replace,
    scalar_type,
    with_refs,
)
from np2tnp.analysis.interpreter.frame import Frame, Names, Record, Visitor
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import indexes_array
from np2tnp.analysis.syntax.python_tables import (
    ARRAY_MEMBERS,
    JOINERS,
    MEMBERS,
    NUMBER_MEMBERS,
    PYTHON_ATTRIBUTES,
    RESULT_FIELDS,
    VIEW_ATTRIBUTES,
)
from np2tnp.analysis.syntax.scopes import dotted, target_names
from np2tnp.analysis.syntax.walk import nodes_of, walk


def _joined(name: str, keys: tuple[Value, ...], made: str) -> Value:
    """What ``np.r_[...]`` and its like give: new arrays, NumPy's own where a text says how to join."""
    if any(isinstance(key, Const) and key.type == "str" for key in keys):
        return Array(HOST)
    if name == "numpy.ogrid":
        return Array(made, rank=1) if len(keys) == 1 else Sequence("tuple", Array(made), (Array(made),) * len(keys))
    return Array(made)


_MASK = frozenset("?")


def _copies(key: Value) -> bool:
    """Whether indexing with `key` surely copies: an array, a list, or a bool of any kind.

    An array of unknown rank is taken for one of at least one dimension, but for what iterating over another gives:
    ``for i in np.argsort(x)`` gives numbers.
    """
    if isinstance(key, Array):
        is_number = key.rank == 0 or (key.rank is None and key.view == "piece")
        return not (key.weak or is_number) or key.dtypes == frozenset("?")
    return isinstance(key, Sequence) and key.type == "list"


def _takes_some(node: cst.Subscript, keys: tuple[Value, ...]) -> bool:
    """Whether the index takes some elements of each array that has any: numbers, new axes, ``:``, ``::2``, ``:3``."""
    slices = [part.slice for part in node.slice if isinstance(part.slice, cst.Slice)]
    if len(slices) < sum(scalar_type(key) == "slice" for key in keys):
        return False
    return all(map(_is_filled_slice, slices)) and all(map(_is_plain_key, keys))


def _leaves_axis(key: Value) -> bool:
    """Whether an index of an array certainly leaves an axis: a slice, a new or masked axis, an array with axes."""
    is_new = isinstance(key, Const) and key.value is None
    return scalar_type(key) == "slice" or is_new or has_axes(key) or (isinstance(key, Array) and key.dtypes == {"?"})


def _is_plain_key(key: Value) -> bool:
    if isinstance(key, Array):
        return key.rank == 0 and not key.weak and key.dtypes <= _INTEGERS
    return scalar_type(key) in ("int", "none", "slice", "ellipsis")


_INTEGERS = frozenset("bhilBHIL")


def _is_filled_slice(part: cst.Slice) -> bool:
    if part.lower is None and part.upper is None:
        return True
    if part.step is not None:
        return False
    if part.lower is None:
        return isinstance(part.upper, cst.Integer) and part.upper.evaluated_value > 0
    is_negative = isinstance(part.lower, cst.UnaryOperation) and isinstance(part.lower.operator, cst.Minus)
    return part.upper is None and is_negative and isinstance(part.lower.expression, cst.Integer)  # type: ignore[attr-defined]


def _index(base: Array, keys: tuple[Value, ...]) -> Array:
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
    zero_d = "never" if any(map(_leaves_axis, keys)) else "array" if ellipsis and basic else "scalar"
    if not basic:
        return Array(home, base.dtypes, rank, deps=base.deps, zero_d=zero_d)
    if rank == 0 and not ellipsis:
        return Array(home, base.dtypes, 0, deps=base.deps)
    view = _item(keys) if home == TENSOR and not base.view and all(map(str.isidentifier, base.refs)) else "view"
    return Array(home, base.dtypes, rank, base.refs, None, base.deps, zero_d=zero_d, view=view)


def _item(keys: tuple[Value, ...]) -> str:
    """Which item of an array, and along which axis, these keys take; "view" where that is not certain."""
    for axis, key in enumerate(keys):
        if isinstance(key, Const) and key.type == "int" and key.value >= 0:
            return f"item {key.value} of axis {axis}"
        if scalar_type(key) != "slice":
            break
    return "view"


def _is_ellipsis(keys: tuple[Value, ...]) -> bool:
    """Whether ``...`` is one of the parts of an index: what has no axes is an array then."""
    return any(isinstance(key, Const) and key.value is Ellipsis for key in keys)


#: Attributes that tell of an array's form, not of its elements.
_DESCRIBING = frozenset(("shape", "ndim", "size", "dtype", "itemsize", "nbytes"))
#: Those that show an array's own memory.
_SHOWING = frozenset(("data", "ctypes", "base"))
#: Members of what may be an array that are followed, or tell nothing of its elements: not those that are methods.
_FOLLOWED = (
    _DESCRIBING
    | frozenset(VIEW_ATTRIBUTES)
    | frozenset("strides flags device __class__ __name__ __doc__ __module__ __qualname__ __dict__".split())
)
#: Attributes that are no arrays, whatever object has them.
_NUMBERS_OF_ARRAYS = frozenset("dtype ndim itemsize nbytes __class__ __name__ __doc__ __module__ __qualname__".split())
#: The length of an axis: NumPy gives Python's own integers.
_LENGTH = Scalar("int", own=True)


#: Members of ``x.flags`` that say nothing of memory order.
_FLAGS = ("writeable", "owndata")
#: What reaches attributes by their text.
_BY_TEXT = frozenset("setattr delattr vars exec eval __dict__ __setattr__".split())


def _hides_stores(part: cst.CSTNode, own: str) -> bool:
    """Whether attributes may be assigned to here by another name than the object's, or the name mean another object."""
    kind = type(part)
    if kind is cst.Name:
        return part.value in _BY_TEXT  # type: ignore[attr-defined]
    if kind is cst.CompFor and any(type(node) is cst.Attribute for node in walk(part.target)):  # type: ignore[attr-defined]
        return True
    if kind in (cst.AssignTarget, cst.For, cst.CompFor, cst.NamedExpr):
        return own in target_names(part.target)  # type: ignore[attr-defined]
    return kind in (cst.FunctionDef, cst.Lambda, cst.Yield, cst.Await)


class Access:
    """Evaluates subscripts and attributes."""

    def __init__(
        self,
        frame: Frame,
        visitor: Visitor,
        record: Record,
        names: Names,
        placement: Placement,
        unseen: UnseenCode,
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.module = frame.module
        self.services = frame.services
        self.visitor = visitor
        self.record = record
        self.names = names
        self.placement = placement
        self.unseen = unseen
        self._keeps_to_names: bool | None = None  #: whether attributes are assigned to by the object's name alone

    def subscript(self, node: cst.Subscript, env: Env) -> Value:
        base, ran = self.visitor.evaluate(node.value, env), self.frame.ran
        keys = self.keys(node, env, base)
        self.unseen.read_before(node, node.value, base, ran, env)
        of_shape = type(node.value) is cst.Attribute and node.value.attr.value == "shape"
        if of_shape and len(keys) == 1 and isinstance(keys[0], Const) and keys[0].type == "int":
            self.facts.seen.plain_shapes.add(id(node.value))
        result = self.read(base, keys, node)
        if (
            self.frame.met_subclass
            and self.frame.made != HOST
            and may_hold_tensor(base)
            and self.names.subclass_mark(*keys)
        ):
            self.record.construct(node, ev.Kind.SUBCLASS_OPERAND)
        self.unseen.ask(node, env, [base], asked_by(node), deep=False)
        self.unseen.operand_given(node, base, keys, asked_by(node))
        if isinstance(base, Instance):
            result = self.unseen.with_shown(result, env)
        if isinstance(base, Instance) and any(map(may_hold_tensor, keys)):
            self.unseen.object_method(node, base, "__getitem__")
        if isinstance(base, Symbol) and base.name in JOINERS:
            result = _joined(base.name, keys, self.frame.made)
            self.record.emit(ev.Read(node, self.record.place(node), base, keys, result))
        elif may_be_array(base) or may_hold_tensor(base) or any(map(may_hold_tensor, keys)):
            self.record.emit(ev.Read(node, self.record.place(node), base, keys, result))
        return result

    def keys(self, node: cst.Subscript, env: Env, base: Value) -> tuple[Value, ...]:
        """The value of each part of an index; a slice is a Scalar("slice"), whatever its bounds are.

        An object's own code gets the index, and may ask what it is: that and the bounds of slices are NumPy's there.
        """
        own = not isinstance(base, (Array, Sequence, Const, Scalar)) and not may_hold_tensor(base)
        own = own and not (isinstance(base, Symbol) and base.name in JOINERS)
        values: list[Value] = []
        read: list[tuple[cst.BaseExpression, Value, int]] = []
        for element in node.slice:
            part = element.slice
            if type(part) is cst.Index:
                value = self.visitor.evaluate(part.value, env)
                read.append((part.value, value, self.frame.ran))
                if own and not isinstance(base, Unknown):  # of that the rules see to it
                    self.record.escape(part.value, value, "is an index of an object")
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
                        value = self.visitor.evaluate(bound, env)
                        self.unseen.ask_parts(node, env, value)
                        if own:
                            self.record.escape(bound, value, "is an index of an object")
                values.append(Scalar("slice"))
        self.unseen.ask_parts(node, env, *values)
        for part_node, value, ran in read:
            self.unseen.read_before(node, part_node, value, ran, env)
        return tuple(values)

    def read(self, base: Value, keys: tuple[Value, ...], node: cst.Subscript | None = None) -> Value:
        """What ``base[keys]`` is."""
        if isinstance(base, Array):
            part = _index(base, keys)
            filled = base.nonempty and node is not None and _takes_some(node, keys)
            return replace(part, nonempty=True) if filled else part
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
                self.facts.seen.indexed |= base.deps
            # of a list of arrays, perhaps: no evidence about the parameter itself
            array = _is_ellipsis(keys) and not any(map(_copies, keys))
            view = "" if copies or any(map(_copies, keys)) else "view"
            return Unknown(base.home, base.refs, view=view, zero_d="array" if array else "")
        if base is NOTHING:
            return base
        return item_of(base) if isinstance(base, Symbol) else UNKNOWN

    # ---- attributes

    def _asks_who_may_write(self, node: cst.Attribute) -> bool:
        """Whether `node` is the ``x.flags`` of ``x.flags.writeable``, which says nothing of memory order."""
        if node.attr.value != "flags":
            return False
        for part in walk(self.facts.node):
            if type(part) is cst.Attribute and part.value is node:
                return part.attr.value in _FLAGS
            if type(part) is cst.Subscript and part.value is node:
                index = part.slice[0].slice
                text = index.value if isinstance(index, cst.Index) else None
                return isinstance(text, cst.SimpleString) and text.raw_value.lower() in _FLAGS
        return False

    def attribute(self, node: cst.Attribute, env: Env, called: bool = False, base: Value | None = None) -> Value:
        name = node.attr.value
        if name in self.module.numpy_names:  # self.xp
            return NUMPY
        if base is None:
            base = self.described(node.value, env) if name in _DESCRIBING else self.evaluate_base(node.value, env)
        if isinstance(base, Symbol):
            value = self.names.symbol_attribute(base, name, env)
            if not called and isinstance(value, Symbol) and value.name.startswith("numpy."):
                self.record.emit(ev.NameRead(node, self.record.place(node), value.name))
            return value
        if name in NUMBER_MEMBERS and isinstance(base, (Array, Unknown)) and may_hold_tensor(base):
            self.record.escape(node.value, base, f"is asked for .{name}")
            base = replace(base, home=HOST)
        self.unseen.attribute_read(node, base, name, env)
        if id(node) in self.assumed.direct and not isinstance(base, Class):
            return self._state_read(base, name)
        if isinstance(base, Instance):
            found = self.instance_attribute(base, name, env, called, self._known_owner(node.value))
            noted = env.noted_attribute(name) if self.is_own_object(node.value) else None
            return (
                with_refs(noted, refs_of(found)) if noted is not None and isinstance(found, (Array, Unknown)) else found
            )
        if isinstance(base, Class):
            method = self.names.method_of(base, name)
            if method is not None and method[1] == "class":
                return Bound(Instance(base.qualname, base.module), name)
            return method[0] if method is not None else UNKNOWN
        asks = name in ("strides", "flags") and not self._asks_who_may_write(node)
        if asks and not self.placement.is_in_order(node.value):
            # a copy (``np.array(a)``) lies as the parameter does that it was made of, and nobody notes which
            self.facts.seen.by_layout |= parameters_in(refs_of(base)) or frozenset(self.facts.parameters)
        if name in ("base", "flags", "strides") and refs_of(base) & self.assumed.host_locals:
            self.record.construct(
                node, ev.Kind.OVER_MEMORY, f".{name}"
            )  # our ndarrays own their memory, and are in C order
        if isinstance(base, Unknown) and base.exact is not None and name not in MEMBERS:
            self.facts.objects |= {base.exact}
        elif isinstance(base, Array) and name not in MEMBERS:
            self.facts.objects |= base.deps  # what it was computed from is no array, or this would raise
        tells = name in ARRAY_MEMBERS and not self.module.has_method(name)
        if tells and isinstance(base, Unknown) and base.home != HOST and base.deps - self.assumed.objects:
            self.facts.assumed_arrays |= base.deps
            base = Array(EITHER, refs=base.refs, exact=base.exact, deps=base.deps, weak=True)
        if called:
            return Bound(base, name)
        if isinstance(base, Sequence) and base.type == "tuple" and name in RESULT_FIELDS:
            return held(base.element, base)
        if isinstance(base, (Sequence, Const, Scalar, Function, Bound)):
            if may_hold_tensor(base):
                self.record.construct(node, ev.Kind.METHOD_OBJECT, name)
            self.unseen.unfollowed(base)
            return UNKNOWN
        if isinstance(base, Array) and name in MEMBERS:
            return self._array_attribute(node, base, name)
        refs = NO_NAMES if name in _NUMBERS_OF_ARRAYS else env.reach(of_attribute(name)) | refs_of(base)
        if name in self.unseen.changers().shown:
            refs |= env.held_outside()
        if self.frame.met_subclass and name not in VIEW_ATTRIBUTES:
            refs -= {SUBCLASS}  # such as .data and .mask
        result = Unknown(home_of(base) if home_of(base) == HOST else EITHER, refs, view="view")
        special = name[:2] == "__" and name not in _FOLLOWED and not name.startswith("__array")
        if special or (name in MEMBERS and name not in PYTHON_ATTRIBUTES and name not in VIEW_ATTRIBUTES):
            given = parameters_in(refs_of(base))
            if given <= self.assumed.hosted and may_hold_tensor(base):  # an array made here, or a parameter
                self.record.construct(node, ev.Kind.METHOD_OBJECT, name)
            self.facts.host_parameters |= given  # perhaps a method that only ndarrays have
        if (name in MEMBERS or name[:2] == "__") and name not in _FOLLOWED:
            self.unseen.unfollowed(base)
        admitted = self._admitted(f"{exact_of(base)}.{name}", name)
        if admitted is not None:
            return admitted.attribute(refs, result.home)
        if result.home != HOST:
            self.record.emit(ev.AttributeRead(node, self.record.place(node), base, name, result))
        return result

    def is_own_object(self, node: cst.BaseExpression) -> bool:
        """Whether `node` is the object of which the function is a method, all of whose code is in sight."""
        if type(node) is not cst.Name or self.facts.parameters[:1] != (node.value,):
            return False
        if self._keeps_to_names is None:
            parts = nodes_of(self.facts.node)
            self._keeps_to_names = not any(
                _hides_stores(part, node.value) for part in parts if part is not self.facts.node
            )
        return self._keeps_to_names

    def _admitted(self, attribute: str, name: str) -> Admitted | None:
        """What the door lets in for an attribute to which nothing has assigned since."""
        admitted = self.assumed.door.get(attribute) if name not in self.frame.assigned else None
        if not self.facts.seen.assigns.isdisjoint(ANY_ATTRIBUTE | {name}):
            return None
        if admitted is not None:
            self.facts.seen.read_behind_the_door.add(attribute)
        return admitted

    def described(self, node: cst.BaseExpression, env: Env) -> Value:
        """The array that is only asked for its shape or dtype: no store through another name changes those."""
        name = dotted(node)
        stale = env.stale.get(name)
        if stale is None or any(r.kind != "store" or r.line_node in self.frame.reforming for r in stale.reasons):
            return self.evaluate_base(node, env)
        del env.stale[name]
        base = self.evaluate_base(node, env)
        env.stale[name] = stale
        return base

    def evaluate_base(self, node: cst.BaseExpression, env: Env) -> Value:
        """Evaluate the left side of a dot, without reporting the module name itself as a read of NumPy."""
        if type(node) is cst.Name and node.value not in env.values:
            return self.names.outer_value(node.value, env)
        if type(node) is cst.Attribute and type(node.value) in (cst.Name, cst.Attribute):
            inner = self.evaluate_base(node.value, env)
            if isinstance(inner, Symbol):
                return self.names.symbol_attribute(inner, node.attr.value, env)
            return self.attribute(node, env, base=inner)  # evaluated once: a chain of n would cost 2**n
        return self.visitor.evaluate(node, env)

    def _array_attribute(self, node: cst.Attribute, base: Array, name: str) -> Value:
        if name in PYTHON_ATTRIBUTES:
            kind = PYTHON_ATTRIBUTES[name]
            result: Value = Scalar(kind, kind == "int")
            if kind == "tuple":
                items = None if base.rank is None or base.rank > 8 else (_LENGTH,) * base.rank
                result = Sequence("tuple", _LENGTH, items)
            if name in _SHOWING:
                self.unseen.unfollowed(base)
        elif name in VIEW_ATTRIBUTES:
            dtypes = base.dtypes
            if name in ("real", "imag"):
                dtypes = frozenset({"F": "f", "D": "d"}.get(char, char) for char in dtypes)
            # the transpose of a 0-d or 1-d array is a view too, never the object itself
            home = base.home if self.frame.storing or base.home == HOST else self.lifted(base)
            refs = base.refs | {FOREIGN} if base.refs and home != base.home else base.refs  # our copy of NumPy's memory
            refs = refs | {READ_ONLY} if is_read_only(name, base) else refs
            result = replace(base, home=home, dtypes=dtypes, refs=refs, exact=None, view="view")
        else:
            if base.home != HOST:
                self.record.construct(node, ev.Kind.METHOD_OBJECT, name)
            self.unseen.unfollowed(base)
            return UNKNOWN
        self.record.emit(ev.AttributeRead(node, self.record.place(node), base, name, result))
        return result

    def lifted(self, value: Value) -> str:
        """The home of `value` as an operand here: arrays of the host are brought to TensorFlow where they are used."""
        if isinstance(value, Array) and value.home == HOST and self.frame.made == TENSOR:
            if self.assumed.eager and is_numpy_number(value):
                return HOST
            return HOST if self.record.must_stay_view(value.refs) else EITHER if value.weak else TENSOR
        if isinstance(value, Unknown) and CALLED in value.refs and self.frame.made == TENSOR:
            return EITHER
        return home_of(value)

    def _known_owner(self, node: cst.BaseExpression) -> str:
        """The parameter of which an attribute is asked, where its door asks for an object; else the function's own."""
        if type(node) is cst.Name and node.value in self.assumed.classes:
            return node.value
        return self.facts.parameters[0] if self.facts.parameters else ""

    def instance_attribute(
        self, base: Instance, name: str, env: Env, called: bool = False, own: str | None = None
    ) -> Value:
        """`own`: the parameter that `base` is, the first one where that is not said."""
        method = self.names.method_of(base, name)
        location = of_attribute(name)
        if method is not None:
            is_read = method[1] == "property" or (method[1] == "decorated" and not called)
            if is_read:
                env.forget_attributes()
            return Unknown(HOST, env.held_outside() | {location}) if is_read else Bound(base, name)
        declared = self.services.attributes(base).get(name)
        refs = env.reach(location)
        if name in self.unseen.changers().shown or (declared is None and self.unseen.gives_any(base)):
            refs |= env.held_outside()
        if declared is not None and SUBCLASS in declared.refs:
            refs |= self.names.subclass_mark(declared)
        if own is None:
            own = self.facts.parameters[0] if self.facts.parameters else ""
        admitted = self._admitted(f"{own}{location}", name)
        if admitted is not None:
            return admitted.attribute(refs, HOST)
        if isinstance(declared, Array):
            return Array(HOST, refs=refs, weak=True, rank=None)
        if isinstance(declared, Unknown) and UNTENSORED in declared.refs:
            return Unknown(HOST, refs | {UNTENSORED})
        if isinstance(declared, (Function, Class)) or declared in GENERATORS:
            return declared
        return Unknown(HOST, refs)

    def _state_read(self, base: Value, name: str) -> Value:
        """An attribute that may hold a tensor, where it is used up at once: nobody sees whose memory it was."""
        declared = self.services.attributes(base).get(name) if isinstance(base, Instance) else None
        return Array(EITHER, weak=True) if isinstance(declared, Array) else Unknown(EITHER)

    def callee(self, node: cst.BaseExpression, env: Env) -> Value:
        """The value of the function part of a call: a method stays bound to its receiver."""
        return (
            self.attribute(node, env, called=True) if type(node) is cst.Attribute else self.visitor.evaluate(node, env)
        )

    def decorator_name(self, decorator: cst.Decorator, env: Env) -> str:
        """The canonical name of a decorator, or of the function that makes it."""
        node = decorator.decorator
        made_by = node.func if type(node) is cst.Call else node
        return getattr(self.callee(made_by, env), "name", "") or dotted(made_by)
