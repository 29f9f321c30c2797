"""What a NumPy call returns: dtype, rank, whether it is a view, and what a 0-d result is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import (
    bind,
    given_back,
    gives_tuple,
    is_positive,
    items_given_back,
    rank_of,
    result_has_elements,
    result_rank,
    shape_rank,
    zero_d_result,
)
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import bare, is_attribute, is_parameter, is_state, of_attribute
from np2tnp.analysis.domain.promotion_rules import (
    DTYPE_NAMES,
    dtype_char,
    dtype_object,
    foreign_dtype,
    is_read_only,
    item_dtypes,
    result_dtypes,
    with_variadic,
)
from np2tnp.analysis.domain.result_aliases import copy_marks
from np2tnp.analysis.domain.summaries import Summary
from np2tnp.analysis.domain.values import (
    ALL_DTYPES,
    BY_LAYOUT,
    BY_THEIR_LAYOUT,
    EITHER,
    FOREIGN,
    FORTRAN,
    HOST,
    NO_NAMES,
    NONE,
    READ_ONLY,
    TENSOR,
    UNKNOWN,
    Array,
    Const,
    Scalar,
    Sequence,
    Unknown,
    Value,
    deps_of,
    exact_of,
    has_axes,
    home_of,
    may_be_array,
    may_hold_tensor,
    outside_of,
    parameters_in,
    refs_of,
    replace,
    view_of,
    with_refs,
    zero_d_of,
)
from np2tnp.analysis.interpreter.expressions import Evaluator
from np2tnp.analysis.syntax.python_tables import BY_ORDER, IN_PLACE_METHODS, PYTHON_METHODS, SAME_RANK
from np2tnp.analysis.syntax.scopes import target_names
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.facts import ApiFact

# --- Names whose ndarrays lie in memory as NumPy's own do
#
# Whether ``x.reshape(-1)`` shows x or a copy of it hangs on the memory order of x. An ndarray made of a tensor is in
# C order, where NumPy's may be in another one; of what is in C order in NumPy, too, and its views, NumPy says the
# same.

#: What makes arrays in C order, and how many positional arguments stand before ``order``.
_MAKERS = {
    "numpy.zeros": 2, "numpy.ones": 2, "numpy.empty": 2, "numpy.full": 3, "numpy.eye": 4, "numpy.arange": 4,
    "numpy.ascontiguousarray": 2,
    "ndarray.copy": 0,
    "numpy.array": 2, "numpy.asarray": 2,
}  # fmt: skip
#: Those of them that keep the order of an array, and make one of a list.
_OF_DISPLAYS = frozenset(("numpy.array", "numpy.asarray"))
#: Methods that show their array, or copy it where NumPy does: in C order.
_VIEWS = frozenset("reshape ravel transpose swapaxes squeeze".split())

_TARGETED = (cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor)
_NAMED = (cst.AsName, cst.FunctionDef, cst.ClassDef, cst.Param, cst.NameItem)
_IMPORTED = (cst.MatchAs, cst.MatchStar, cst.ImportAlias)
_BINDING = frozenset((cst.Assign, *_TARGETED, *_NAMED, *_IMPORTED))

_Value = cst.BaseExpression | None


def is_in_c_order(call: object) -> bool:
    """Whether the recorded event `call` makes an array that is in C order in NumPy."""
    if not isinstance(call, ev.Call) or call.api not in _MAKERS or len(call.arguments) > _MAKERS[call.api]:
        return False
    if call.api in _OF_DISPLAYS and not (
        call.arguments and isinstance(call.arguments[0].node.value, (cst.List, cst.Tuple))
    ):
        return False
    return not any(argument.star or argument.name in ("order", "like") for argument in call.arguments)


def bound_in(region: cst.CSTNode) -> dict[str, list[_Value]]:
    """All that `region` binds each name to; None for what is no expression by itself."""
    bound: dict[str, list[_Value]] = defaultdict(list)
    for node in walk(region):
        if type(node) in _BINDING:
            for name, value in _bindings(node):
                bound[name].append(value)
    return dict(bound)


def laid_out_alike(
    bound: Mapping[str, list[_Value]],
    kept: frozenset[str],
    is_maker: Callable[[cst.Call], bool],
    tensors: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Those of the names `kept`, which hold ndarrays, that are `bound` to nothing but arrays in C order, or views.

    is_maker: whether a call makes an array in C order; what shows one of those under a name is a view of it.
    tensors: those of the names whose views are arrays of their own, in C order, until they come to the host.
    """
    found: set[str] = set()
    while True:
        more = {
            name
            for name in kept & bound.keys()
            if all(
                (name not in tensors and _shows(value, found)) or (type(value) is cst.Call and is_maker(value))
                for value in bound[name]
            )
        }
        if more <= found:
            return frozenset(found)
        found |= more


def _bindings(node: cst.CSTNode) -> Iterator[tuple[str, _Value]]:
    """The names that `node` itself binds, each with the expression that it is bound to; None where there is none."""
    kind = type(node)
    if kind is cst.Assign:
        assert isinstance(node, cst.Assign)
        for target in node.targets:
            if type(target.target) is cst.Name:
                yield target.target.value, node.value
            else:
                yield from ((name, None) for name in target_names(target.target))
    elif kind in _TARGETED:
        yield from ((name, None) for name in target_names(node.target))  # type: ignore[attr-defined]
    elif kind in _NAMED:
        yield from ((name, None) for name in target_names(node.name))  # type: ignore[attr-defined]
    elif kind in _IMPORTED:
        yield from ((part.value, None) for part in walk(node) if type(part) is cst.Name)


def _shows(node: _Value, names: set[str]) -> bool:
    """Whether `node` is one of `names`, or a view of it that NumPy makes."""
    if type(node) is cst.Name:
        return node.value in names
    if type(node) is cst.Attribute:
        return node.attr.value == "T" and _shows(node.value, names)
    if type(node) is cst.Subscript:
        return all(type(part.slice) is cst.Slice for part in node.slice) and _shows(node.value, names)
    if type(node) is not cst.Call or type(node.func) is not cst.Attribute or node.func.attr.value not in _VIEWS:
        return False
    return _shows(node.func.value, names) and not any(argument.keyword or argument.star for argument in node.args)


def updated_by_order(functions: Iterable[cst.CSTNode]) -> frozenset[str]:
    """Attributes (``.w``) and names whose arrays the functions update, or copies of them, by their memory order.

    As in ``flat = net.w.ravel(); flat[0] += 1``: NumPy decides whether net.w changes by the order it lies in.
    """
    return frozenset().union(*map(_updated_in, functions))


@lru_cache(maxsize=4096)
def _lasting(holders: frozenset[str]) -> frozenset[str]:
    """Those that are attributes and globals."""
    return frozenset(holder for holder in holders if is_state(holder))


def _by_default(function: cst.FunctionDef) -> bool:
    """Whether a default or a decorator shows something by its memory order."""
    heads = (function.params, *function.decorators)
    parts = (part for head in heads for part in walk(head) if type(part) is cst.Call)
    return any(_ordered(part) is not None for part in parts)


def _updated_in(function: cst.CSTNode) -> set[str]:
    shown: dict[str, set[str]] = defaultdict(set)
    updated: set[str] = set()
    by_order: set[str] = set()

    def updates(node: _Value) -> None:
        while type(node) is cst.Subscript:
            node = node.value
        if type(node) is cst.Name:
            updated.add(node.value)
        elif (place := _ordered(node)) is not None:
            by_order.add(place)

    for node in walk(function):
        kind = type(node)
        if kind is cst.AugAssign:
            updates(node.target)  # type: ignore[attr-defined]
        elif kind is cst.Assign:
            for name, value in _bindings(node):
                if (place := _ordered(value)) is not None:
                    shown[name].add(place)
            for target in node.targets:  # type: ignore[attr-defined]
                if type(target.target) is cst.Subscript:
                    updates(target.target)
        elif kind is cst.Call:
            assert isinstance(node, cst.Call)
            if type(node.func) is cst.Attribute and node.func.attr.value in IN_PLACE_METHODS:
                updates(node.func.value)
            for argument in node.args:
                if argument.keyword is not None and argument.keyword.value == "out":
                    updates(argument.value)
    return by_order.union(*(shown[name] for name in shown.keys() & updated))


def _ordered(node: _Value) -> str | None:
    """What `node`, a call such as ``x.w.ravel()`` or ``np.reshape(x.w, -1)``, shows by its memory order."""
    if type(node) is not cst.Call or type(node.func) is not cst.Attribute or node.func.attr.value not in BY_ORDER:
        return None
    place: cst.BaseExpression = node.func.value
    if type(place) is cst.Name and node.args and type(node.args[0].value) is cst.Attribute:
        place = node.args[0].value  # of NumPy's functions
    while type(place) is cst.Subscript or (type(place) is cst.Attribute and place.attr.value == "T"):
        place = place.value
    if type(place) is cst.Attribute:
        return of_attribute(place.attr.value)
    return place.value if type(place) is cst.Name else None


class Layouts(Evaluator):
    """Which arrays lie in memory as NumPy's do, for callees and others that ask."""

    def lie_as_in_numpy(self, refs: frozenset[str]) -> bool:
        """Whether all arrays at `refs` are in C order here and in NumPy, or views of such: it shows or copies alike."""
        return self._are_alike(refs, self.host_locals)

    def by_their_layout(self, receiver: Value) -> Value:
        """What shows `receiver`, or a copy of it, by the order in which others laid it out."""
        refs = refs_of(receiver)
        return with_refs(receiver, refs | {BY_THEIR_LAYOUT}) if outside_of(refs) else receiver

    def shown_by_layout(self, told: frozenset[str], matched: Mapping[str, ev.Argument]) -> frozenset[str]:
        """The references of what a callee gives back, `told`, if that shows one of its arguments or a copy of it."""
        if BY_THEIR_LAYOUT not in told or self.made == HOST:
            return NO_NAMES
        given = [matched[name] for name in parameters_in(told) & matched.keys()]
        refs = [refs_of(item.value) for item in given if self.lies_otherwise(item.node.value, item.value)]
        return NO_NAMES.union({BY_LAYOUT}, *map(copy_marks, refs)) if refs else NO_NAMES

    def asked_by_layout(self, summary: Summary, matched: Mapping[str, ev.Argument]) -> None:
        """The callee reads the memory order of its argument, or updates a view or a copy by it: it must be NumPy's."""
        for name in summary.by_layout & matched.keys():
            argument = matched[name]
            self.facts.seen.by_layout.update(parameters_in(refs_of(argument.value)))
            if self.made != HOST and self.lies_otherwise(argument.node.value, argument.value):
                self.construct(argument.node, ev.Kind.ASKED_BY_LAYOUT, name)

    def laid_out_here(self, holders: frozenset[str], value: Value) -> None:
        """An array of ours is kept by `holders`: others must not ask in which order it lies."""
        if self.made == HOST or self.module.by_order == NO_NAMES:
            return
        holders = _lasting(holders)
        if not holders or not may_hold_tensor(value):
            return
        if self.module.by_order is None:
            functions = self.module.functions.values()
            asking = (info.node for info in functions if info.uses.by_order or _by_default(info.node))
            self.module.by_order = updated_by_order(asking)
        source = self.statement.value if isinstance(self.statement, (cst.Assign, cst.AnnAssign)) else None
        for holder in holders:
            name = holder.rpartition(":")[2]
            if name in self.module.by_order and (source is None or self.lies_otherwise(source, value)):
                self.construct(self.statement or self.facts.node, ev.Kind.KEPT_BY_LAYOUT, name)

    def lies_otherwise(self, node: cst.BaseExpression, value: Value) -> bool:
        """Whether `node` may be an array of ours that is in another memory order than NumPy's."""
        refs = refs_of(value)
        if not may_hold_tensor(value) and not refs & self.host_locals:
            return False
        if not refs:
            return not is_in_c_order(self.recorded.get((ev.Call, id(node))))
        names, ours = refs | self.host_locals, refs - self.host_locals
        return not self._are_alike(refs, names, ours)

    def _are_alike(self, refs: frozenset[str], names: frozenset[str], tensors: frozenset[str] = NO_NAMES) -> bool:
        known, region = self.module.bound_values, self.facts.node
        if id(region) not in known:
            known[id(region)] = bound_in(region)
        bound = known[id(region)]
        return refs <= bound.keys() and refs <= laid_out_alike(bound, names, self._is_maker, tensors)

    def _is_maker(self, call: cst.Call) -> bool:
        return is_in_c_order(self.recorded.get((ev.Call, id(call))))


#: Methods that give a scalar for a NumPy scalar, and an array for a 0-d array.
_SCALAR_TO_SCALAR = frozenset("astype copy squeeze transpose swapaxes view round conj conjugate clip".split())
#: Functions that do.
_SCALAR_OF_SCALAR = frozenset("real imag squeeze transpose swapaxes".split())
_PARTS = frozenset(("real", "imag"))


#: What gives back its very argument or a copy, never another view of it, and which of them shows in a tensor as well:
#: memory order, which decides about the others, does not.
_SAME_OR_COPY = frozenset("asarray asanyarray array astype".split())

#: What gives a view of each of several arguments.
_OF_EACH = frozenset("broadcast_arrays atleast_1d atleast_2d atleast_3d".split())

#: Calls of NumPy whose result is a Python object even where the catalog does not say so.
_PYTHON_RESULTS = frozenset(("numpy.shape", "numpy.ndim", "numpy.size", "numpy.dtype", "numpy.iinfo", "numpy.finfo"))


#: Calls whose result lies in the memory of a buffer, a file or another library's array.
_OVER_BUFFERS = frozenset(("numpy.frombuffer", "numpy.from_dlpack"))

#: Distributions over float64.
_FLOAT_DRAWS = frozenset(
    "random rand randn random_sample ranf sample uniform normal standard_normal exponential"
    " standard_exponential gamma standard_gamma beta chisquare f gumbel laplace logistic lognormal pareto"
    " power rayleigh standard_cauchy standard_t triangular vonmises wald weibull".split()
)

#: What makes arrays of the bytes of files and buffers.
_FROM_BYTES = frozenset("fromfile frombuffer memmap".split())


def _is_same_name(one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    return isinstance(one, cst.Name) and isinstance(other, cst.Name) and one.value == other.value


def _number(dtypes: frozenset[str], made: str) -> Array:
    """One draw: a Python number."""
    return Array(EITHER if made == TENSOR else HOST, dtypes, 0, weak=True)


def has_axes_perhaps(value: Value) -> bool:
    """Whether `value` may be an array, or become one, that is no single number."""
    if isinstance(value, Sequence):
        return True
    return may_be_array(value) and not (isinstance(value, Array) and value.rank == 0)


#: Functions whose `order` is not about memory, or says in which order elements are read.
_OTHER_ORDERS = frozenset("sort argsort partition argpartition reshape ravel flatten resize".split())


def asks_for_fortran_order(name: str, values: Mapping[str, Value]) -> bool:
    """Whether the function `name` makes an array in Fortran order, or may: `order` is not known before run time."""
    if name in ("asfortranarray", "require"):
        return True
    order = values.get("order", NONE)
    if order == NONE or name in _OTHER_ORDERS:
        return False
    return not isinstance(order, Const) or order.value in ("F", "A")


def _of_each(name: str, made: Array, values: Mapping[str, Value]) -> tuple[Value, ...] | None:
    """The items of a result that has one for each argument: it shows that argument, and none of the others."""
    if name not in _OF_EACH or not all(key.endswith("]") for key in values):
        return None
    given = [refs_of(value) for value in values.values()]
    every = NO_NAMES.union(*given)
    return tuple(replace(made, refs=made.refs - (every - own), dtypes=ALL_DTYPES) for own in given)


def may_have_fields(name: str, dtype: Value | None) -> bool:
    """Whether an array of `dtype` may be one of records: where an object says which, or bytes are read."""
    if not isinstance(dtype, Unknown):
        return False
    return name in _FROM_BYTES or any(map(is_attribute, refs_of(dtype)))


def _may_be_text(value: Value) -> bool:
    """Whether the first argument of einsum may be its subscripts, which the text does not tell."""
    return isinstance(value, Unknown)


def _several(name: str, fact: ApiFact, values: Mapping[str, Value], made: Array) -> Value:
    """The tuple or list that a function gives, of arrays like `made`."""
    each = item_dtypes(fact.result, with_variadic(values))
    back = fact.gives_back
    if back is not None and back.items:
        return items_given_back(back, made, values, each)
    kind = "list" if fact.returns == "list" else "tuple"
    if not each:
        return Sequence(kind, made, _of_each(name, made, values), made.refs)
    made = replace(made, dtypes=frozenset().union(*each), rank=made.rank)
    items = tuple(replace(made, dtypes=dtypes, rank=made.rank) for dtypes in each) if len(each) > 1 else None
    return Sequence(kind, made, items or _of_each(name, made, values), made.refs)


class NumpyResults(Layouts):
    """What NumPy calls return."""

    def _result(self, api: str, fact: ApiFact, values: Mapping[str, Value], receiver: Value | None) -> Value:
        name = api.rpartition(".")[2]
        deps = NO_NAMES.union(*(deps_of(value) for value in values.values())) if values else NO_NAMES
        other = self._no_array(api, fact, values, deps)
        if other is not None:
            return other
        first = receiver if receiver is not None else next(iter(values.values()), None)
        dtypes = result_dtypes(fact.result, with_variadic(values))
        if dtypes is not None and not dtypes <= ALL_DTYPES:  # texts or dates, which no tensor holds
            return Unknown(HOST, deps=deps)
        foreign = values.get("dtype")
        if foreign is not None and foreign_dtype(foreign):
            dtypes = ALL_DTYPES
        rank = result_rank(name, fact, values, first)
        refs, exact, view = self._memory(api, fact, values, first)
        home, refs = self._home(name, values, refs)
        if may_have_fields(name, values.get("dtype")):
            return Unknown(home, refs, deps=deps)
        if dtypes is None:
            return UNKNOWN
        zero_d = self._zero_d(name, fact, values, first, receiver)
        if exact is None:  # an array, whatever it was made from, or what an object's own method of that name gave
            own = exact_of(receiver) if receiver is not None else None
            deps = NO_NAMES if own is None else frozenset((own,))
        filled = result_has_elements(name, fact, values, first)
        made = Array(home, dtypes, rank, refs, exact, deps, zero_d=zero_d, view=view, nonempty=filled)
        if fact.returns in ("tuple", "list") or (fact.returns == "mixed" and gives_tuple(name, values)):
            return _several(name, fact, values, made)
        return made

    def _no_array(self, api: str, fact: ApiFact, values: Mapping[str, Value], deps: frozenset[str]) -> Value | None:
        """What a call gives that gives no array, or one of which nothing is known; None of all others."""
        name = api.rpartition(".")[2]
        if api.startswith("ndarray.") and name in PYTHON_METHODS:
            return Scalar(PYTHON_METHODS[name])
        if fact.returns in ("python", "none") or api in _PYTHON_RESULTS or fact.result == "python":
            if name in ("shape", "ndim", "size"):
                return Sequence("tuple", Scalar("int", own=True)) if name == "shape" else Scalar("int", own=True)
            if api == "numpy.dtype":
                return dtype_object(values.get("dtype"))
            return NONE if fact.returns == "none" else UNKNOWN
        if name == "genfromtxt" and (values.get("names", NONE) != NONE or values.get("dtype") == NONE):
            return UNKNOWN  # records, perhaps, or text
        if fact.kind in ("dtype", "class") and api not in ("numpy.ndarray", "ndarray"):
            return self._scalar_type_call(api, values, deps)
        return None

    def _memory(
        self, api: str, fact: ApiFact, values: Mapping[str, Value], first: Value | None
    ) -> tuple[frozenset[str], str | None, str]:
        """Which memory the result shows, which parameter it is itself, and whether it is a view."""
        name = api.rpartition(".")[2]
        refs: frozenset[str] = NO_NAMES
        exact: str | None = None
        view = ""
        if fact.effect in ("view", "may-view") and first is not None:
            refs = self._shown_of_first(name, values, first)
            if self.made == TENSOR and may_be_array(first) and self._may_copy(first, refs):
                refs |= {FOREIGN}
            same = name in _SAME_OR_COPY and values.keys().isdisjoint(("order", "ndmin", "ndmax"))
            view = view_of(first) if same else "view"
            if name in ("asarray", "asanyarray") and len(values) == 1:
                exact = exact_of(first) if self.made == HOST or may_hold_tensor(first) else None  # else a copy
            elif "copy=True" in fact.parameters or name == "array":
                copy = values.get("copy")
                if copy is None or copy == Const.of(True):
                    refs, view = NO_NAMES, ""
        back = fact.gives_back
        if back is not None and (certain := given_back(back, values)) is not None:
            lender = values[back.argument]
            refs = refs_of(lender) if back.may_hold or not isinstance(lender, Sequence) else NO_NAMES
            if certain and (self.made == HOST or may_hold_tensor(lender)):
                exact = exact_of(lender)
            view = view_of(lender)
            if self.made == TENSOR and self._may_copy(lender, refs):
                refs |= {FOREIGN}
        if api in _OVER_BUFFERS or "buffer" in values:
            refs |= {FOREIGN}
        if is_read_only(name, first):
            refs |= {READ_ONLY}
        if name in BY_ORDER and outside_of(refs):
            refs |= {BY_THEIR_LAYOUT}
        return refs, exact, view

    @staticmethod
    def _shown_of_first(name: str, values: Mapping[str, Value], first: Value) -> frozenset[str]:
        """What a function that gives views shows of its first argument, or of all."""
        if name == "einsum":
            operands = [value for value in values.values() if refs_of(value)]
            several = sum(map(may_be_array, values.values())) - _may_be_text(first) > 1  # their sum is new
            return NO_NAMES if several else NO_NAMES.union(*map(refs_of, operands))
        if isinstance(first, Sequence):  # of a list NumPy makes a new array
            return NO_NAMES
        return refs_of(first).union(*map(refs_of, values.values())) if name in _OF_EACH else refs_of(first)

    def _home(self, name: str, values: Mapping[str, Value], refs: frozenset[str]) -> tuple[str, frozenset[str]]:
        """Where the result lies that shows `refs`, and what it then shows."""
        home = self.made
        held = any(may_hold_tensor(value) for value in values.values() if refs_of(value) & refs)  # not axis or dtype
        if not held and (self.must_stay_view(refs) or refs & self.host_locals):
            home = HOST
            refs -= {FOREIGN}  # it is no copy of ours
            if refs & self.host_locals and name in BY_ORDER and not self.lie_as_in_numpy(refs):
                refs |= copy_marks(refs) | {BY_LAYOUT}
        if self.made == TENSOR and asks_for_fortran_order(name, values):
            if self.must_stay_view(frozenset((FORTRAN,))):
                if held and refs:
                    refs |= copy_marks(refs)
                home = HOST
            else:
                refs |= {FORTRAN}
        return home, refs

    def _zero_d(
        self, name: str, fact: ApiFact, values: Mapping[str, Value], first: Value | None, receiver: Value | None
    ) -> str:
        """What NumPy gives where the result has no dimensions."""
        zero_d = zero_d_result(name, fact, values, first)
        if (fact.kind == "ufunc" or name in SAME_RANK or name == "where") and any(map(has_axes, values.values())):
            zero_d = "never"
        if name in ("dot", "matmul", "inner") and any((rank_of(it) or 0) > 1 for it in (first, *values.values())):
            zero_d = "never"  # the other factor loses one axis of those
        whole, keeps = (first, _SCALAR_OF_SCALAR) if receiver is None else (receiver, _SCALAR_TO_SCALAR)
        if isinstance(whole, Array) and whole.zero_d == "scalar" and name in keeps:
            return "either" if name == "squeeze" and whole.rank is None else "array" if whole.rank else "scalar"
        if isinstance(whole, Array) and whole.zero_d == "never" and whole.weak and name in keeps and whole.exact:
            self.facts.seen.copied.add(whole.exact)
        elif isinstance(whole, Unknown) and name in _PARTS and not whole.refs and zero_d_of(whole) == "scalar":
            return "scalar"  # what an operator gave; Python's own numbers have parts, too
        return zero_d

    def result_of_spread(
        self, api: str, fact: ApiFact, arguments: tuple[ev.Argument, ...], receiver: Value | None
    ) -> Value:
        """What ``np.f(*items)`` gives, where nobody knows which parameter gets what.

        A method gives a view of its receiver wherever some arguments make it do so.
        """
        if receiver is not None and fact.effect in ("view", "may-view"):
            hidden: dict[str, Value] = {"copy": Scalar("object")}
            if any(argument.star == "**" for argument in arguments):
                hidden["order"] = Scalar("object")
            given = {argument.name: argument.value for argument in arguments if argument.name is not None}
            made = self._result(api, fact, {"self": receiver, **hidden, **given}, receiver)
            return replace(made, rank=None, dtypes=ALL_DTYPES) if isinstance(made, Array) else made
        home = TENSOR if self.made == TENSOR else HOST
        refs = NO_NAMES.union(*(refs_of(argument.value) for argument in arguments))
        named = all(argument.star != "**" and argument.name != "copy" for argument in arguments)
        copies = named and "copy=True" in fact.parameters and fact.parameters[0].startswith("*")
        if copies or (fact.effect == "fresh" and fact.gives_back is None) or not refs:
            made = Array(home, zero_d=fact.zero_d)
        else:
            made = Array(home, refs=refs, zero_d=fact.zero_d, view="view")
        return Sequence(fact.returns, made, None, made.refs) if fact.returns in ("tuple", "list") else made

    def _may_copy(self, value: Value, refs: frozenset[str]) -> bool:
        """Whether a tensor that is made of `value` may be our copy of memory which stays on the host."""
        if home_of(value) == HOST:
            return bool(refs) or isinstance(value, Unknown)
        return self.is_perhaps_theirs(value, refs)

    def is_perhaps_theirs(self, value: Value, refs: frozenset[str]) -> bool:
        """Whether `value` is a tensor on some ways and on others memory of the host that lies at `refs`."""
        if home_of(value) != EITHER:
            return False
        return any(not is_parameter(ref) or bare(ref) in self.hosted for ref in outside_of(refs))

    def _random(self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A draw: floats and integers of the machine's size, Python numbers where no size is given."""
        name = api.rpartition(".")[2]
        fact = self.catalog.get(api)
        bound = bind(fact, arguments) if fact is not None else None
        out = bound.get("out") if bound is not None else None
        if name in ("shuffle", "permuted") and arguments:
            itself = out is not None and _is_same_name(arguments[0].node.value, out.node.value)
            if name == "shuffle" or itself:
                self.write(node, arguments[0].node.value, arguments[0].value, UNKNOWN, env, op=api)
            if name == "shuffle":
                return NONE
            if itself:
                return arguments[0].value
        into = [] if out is None or out.value == NONE else [out.value]
        draws_into = fact is not None and any(text.partition("=")[0] == "out" for text in fact.parameters)
        hidden = [it.value for it in arguments if it.star] if bound is None and draws_into else []
        self.unfollowed(*into, *hidden)
        taken = bool(into) and isinstance(into[0], (Scalar, Const))  # for a number, which it is not
        if taken or any(map(may_hold_tensor, into or hidden)):
            self.construct(node, ev.Kind.DRAWN_INTO, f".{name}()")
        elif into and out is not None:
            self.write(node, out.node.value, into[0], UNKNOWN, env, op="out=")
        if name in ("seed", "set_state"):
            return NONE
        if name in (
            "get_state",
            "bytes",
            "spawn",
            "PCG64",
            "MT19937",
            "SeedSequence",
            "Philox",
            "SFC64",
            "BitGenerator",
        ):
            return UNKNOWN
        if bound is None:
            return Array(self.made)
        if into:
            return with_refs(Array(home_of(into[0])), refs_of(into[0]))
        dtypes = ALL_DTYPES
        if "dtype" in bound:
            char = dtype_char(bound["dtype"].value)
            dtypes = frozenset(char) if char else ALL_DTYPES
        elif name in _FLOAT_DRAWS:
            dtypes = frozenset("d")
        elif name in ("integers", "randint", "poisson", "binomial"):
            dtypes = frozenset("l")
        size = bound.get("size")
        if name in ("rand", "randn"):
            filled = all(map(is_positive, (argument.value for argument in arguments)))
            return (
                Array(self.made, dtypes, len(arguments), nonempty=filled) if arguments else _number(dtypes, self.made)
            )
        if size is None or size.value == NONE:
            if name in _FLOAT_DRAWS and any(has_axes_perhaps(argument.value) for argument in arguments):
                return Array(EITHER if self.made == TENSOR else HOST, dtypes, weak=True)
            several = any(has_axes_perhaps(item.value) for item in arguments)
            if name in _FLOAT_DRAWS or (name in ("integers", "randint") and not several):
                return _number(dtypes, self.made)
            return Array(EITHER if self.made == TENSOR else HOST, dtypes, weak=True)
        return Array(self.made, dtypes, shape_rank(size.value), nonempty=is_positive(size.value))

    def _scalar_type_call(self, api: str, values: Mapping[str, Value], deps: frozenset[str]) -> Value:
        """``np.float32(x)``: a number, or an array, which is `x` itself where it has that dtype."""
        char = DTYPE_NAMES.get(api)
        if char is None:
            if api.endswith(("Generator", "RandomState", "default_rng")):
                return Unknown(HOST)
            return UNKNOWN
        only: Value = next(iter(values.values()), Scalar("int"))
        if isinstance(only, (Const, Scalar)) and len(values) <= 1:
            return Array(HOST, frozenset(char), 0)
        rank = only.rank if isinstance(only, Array) else None
        itself = may_be_array(only) and not (isinstance(only, Array) and char not in only.dtypes)
        refs = refs_of(only) if itself else NO_NAMES
        made = Array(EITHER if self.made == TENSOR else HOST, frozenset(char), rank, refs, deps=deps)
        if not refs:
            return made
        if not may_hold_tensor(only) and (self.must_stay_view(refs) or refs & self.host_locals):
            return replace(made, home=HOST)
        marks = copy_marks(refs) if may_hold_tensor(only) else frozenset((FOREIGN,))
        return replace(made, refs=refs | marks, view="view")
