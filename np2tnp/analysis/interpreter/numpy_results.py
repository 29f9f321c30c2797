"""Calls of NumPy's functions: what they give, show and write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import (
    asked_dtypes,
    bind,
    given_back,
    gives_tuple,
    is_in_place,
    is_positive,
    items_given_back,
    rank_of,
    result_has_elements,
    result_rank,
    shape_rank,
    ufunc_method,
    ufunc_output,
    zero_d_result,
)
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.locations import is_attribute
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
from np2tnp.analysis.domain.summaries import hosted
from np2tnp.analysis.domain.untensored import HOLDERS, KEPT, OF_ITEMS, holds_text
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
    SUBCLASS,
    TENSOR,
    UNKNOWN,
    UNTENSORED,
    Array,
    Const,
    Scalar,
    Sequence,
    Symbol,
    Unknown,
    Value,
    deps_of,
    exact_of,
    has_axes,
    home_of,
    is_number,
    may_be_array,
    may_hold_tensor,
    outside_of,
    refs_of,
    replace,
    scalar_type,
    view_of,
    with_refs,
    zero_d_of,
)
from np2tnp.analysis.interpreter.callees import Callees
from np2tnp.analysis.interpreter.frame import Frame, Names, Record
from np2tnp.analysis.interpreter.placement import Placement
from np2tnp.analysis.interpreter.unseen_code import UnseenCode
from np2tnp.analysis.interpreter.writes import Writes
from np2tnp.analysis.module.subclasses import copies, holds_subclass, is_followed, makes_subclass, maps_file
from np2tnp.analysis.syntax.python_tables import BY_ORDER, ONE_ARRAY, OVER_MEMORY, POSITIONS, PYTHON_METHODS, SAME_RANK
from np2tnp.analysis.syntax.walk import walk
from np2tnp.catalog.facts import ApiFact

#: Methods that give a scalar for a NumPy scalar, and an array for a 0-d array.
_SCALAR_TO_SCALAR = frozenset("astype copy squeeze transpose swapaxes view round conj conjugate clip".split())
#: Functions that do.
_SCALAR_OF_SCALAR = frozenset("real imag squeeze transpose swapaxes".split())
_PARTS = frozenset(("real", "imag"))
#: What gives back its very argument or a copy, never another view of it, and which of them shows in a tensor as well:
#: memory order, which decides about the others, does not.
_SAME_OR_COPY = frozenset("asarray asanyarray array astype".split())
#: Views of all elements, each of them once.
_REARRANGED = frozenset("moveaxis ravel reshape rollaxis squeeze swapaxes transpose".split())
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


#: Functions of NumPy's that leave alone what they get, of whatever class it is.
_ASKING = frozenset(
    f"numpy.{name}" for name in "shape ndim size isscalar iterable may_share_memory result_type".split()
)
#: What makes arrays of nothing but numbers, in less time than a copy from the device takes.
_MAKERS = frozenset(f"numpy.{name}" for name in "zeros ones empty full arange linspace eye identity array".split())


class NumpyCalls:
    """Evaluates calls of NumPy's functions."""

    def __init__(
        self,
        frame: Frame,
        record: Record,
        names: Names,
        unseen: UnseenCode,
        placement: Placement,
        writes: Writes,
        callees: Callees,
    ) -> None:
        self.frame = frame
        self.assumed = frame.assumed
        self.facts = frame.facts
        self.catalog = frame.catalog
        self.record = record
        self.names = names
        self.unseen = unseen
        self.placement = placement
        self.writes = writes
        self.callees = callees

    def numpy_call(
        self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], receiver: Value | None, env: Env
    ) -> Value:
        if is_followed(api) and not any(argument.star or argument.name == "out" for argument in arguments):
            self.frame.met_subclass |= makes_subclass(api)
            marks = frozenset((SUBCLASS, UNTENSORED))
            shown = (
                NO_NAMES if copies(api, arguments) else self.callees.given_back(arguments) - marks
            )  # it only reads them
            return Unknown(HOST, shown | marks if makes_subclass(api) else shown, view="view" if shown else "")
        result = self._by_the_catalog(node, api, arguments, receiver, env)
        if makes_subclass(api) or maps_file(api, arguments):
            self.frame.met_subclass = True
            result = with_refs(result, refs_of(result) | {SUBCLASS})
        elif self.frame.met_subclass and api not in _ASKING:
            given = [argument.value for argument in arguments]
            self.names.meet_subclass(node, *given, receiver or NONE)
            fact = self.catalog.get(api)
            updates = api.endswith(".at") or (fact is not None and fact.mutates)
            if (updates or any(item.name == "out" for item in arguments)) and any(map(holds_subclass, given)):
                self.record.construct(node, ev.Kind.SUBCLASS_OPERAND)
        if len(node.args) > (receiver is None):
            self.placement.reads_before_updates(node, arguments, receiver)
        return hosted(result) if id(node) in self.frame.kept_as_made and makes_from_numbers(api, arguments) else result

    def _by_the_catalog(
        self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], receiver: Value | None, env: Env
    ) -> Value:
        if api in ("numpy.random.default_rng", "numpy.random.Generator", "numpy.random.RandomState"):
            return Symbol("numpy.random.RandomState" if api.endswith("RandomState") else "numpy.random.Generator")
        if api.startswith("numpy.random."):
            return self._random(node, api, arguments, env)
        fact = self.catalog.get(api)
        if fact is None or ufunc_method(self.catalog, api) is not None:
            return self._ufunc_method(node, api, arguments, env)
        if api in OVER_MEMORY and any(may_hold_tensor(argument.value) for argument in arguments):
            self.record.construct(node, ev.Kind.OVER_MEMORY, api.replace("numpy.", "np."))
        if api in OVER_MEMORY:
            self.facts.seen.tells_apart = True
            if (shown := self._over_memory(api, arguments)) is not None:
                return shown
        if api in POSITIONS:
            return Sequence("iterator", Sequence("tuple", Scalar("int")))
        bound = bind(fact, arguments)
        if api != "numpy.dtype" and any(map(foreign_dtype, asked_dtypes(fact, arguments))):
            held = self.callees.given_back(arguments) if api.rpartition(".")[2] in HOLDERS else NO_NAMES
            return with_refs(KEPT, KEPT.refs | held)  # strings, objects: the result stays NumPy's
        if api in OF_ITEMS and arguments and holds_text(arguments[0].value) and "dtype" not in (bound or ()):
            return KEPT
        if (
            api in ("numpy.array", "numpy.asarray", "numpy.asanyarray")
            and arguments
            and _holds_objects(arguments[0].value)
        ):
            return UNKNOWN  # None and strings in a list make an object or string array
        if bound is None:
            if fact.mutates or (fact.rt is None and "out=None" in fact.parameters):  # helpers refuse a hidden out
                only_if = [text for text in fact.parameters if text.startswith(("out=", "overwrite"))]
                changes = f"may change (by {only_if[0].partition('=')[0]}=)" if only_if else "changes"
                self.record.construct(node, ev.Kind.HIDDEN_ARRAY, f"{api.replace('numpy.', 'np.')} {changes}")
            if fact.mutates or any(text.partition("=")[0] == "out" for text in fact.parameters):
                self.unseen.unfollowed(
                    *(argument.value for argument in arguments), *(() if receiver is None else (receiver,))
                )
            return self.result_of_spread(api, fact, arguments, receiver)
        for name in fact.mutates if is_in_place(fact, bound) else ():
            if name == "self" and receiver is not None:
                func = node.func
                self.writes.write(
                    node, func.value if type(func) is cst.Attribute else func, receiver, UNKNOWN, env, op=api
                )
            elif name in bound:
                self.writes.write(node, bound[name].node.value, bound[name].value, UNKNOWN, env, op=api)
        out = bound.get("out")
        if out is not None and (isinstance(out.value, Sequence) or (fact.kind == "ufunc" and fact.returns == "tuple")):
            self.record.construct(out.node, ev.Kind.OUT_TUPLE)
            self.unseen.unfollowed(*(argument.value for argument in arguments))
        elif out is not None and out.value != NONE:
            self.writes.write(node, out.node.value, out.value, UNKNOWN, env, op="out=")
            return replace(out.value, view="") if isinstance(out.value, Array) else out.value
        values: dict[str, Value] = {name: argument.value for name, argument in bound.items()}
        if receiver is not None:
            values["self"] = receiver
            for text in ("a", "x", "self"):
                values.setdefault(text, receiver)
        result = self._result(api, fact, values, receiver)
        if api.rpartition(".")[2] in ONE_ARRAY and isinstance(result, Sequence) and not self._is_key(node):
            assert isinstance(result.element, Array)
            return replace(result, element=replace(result.element, home=HOST))
        return result

    def _over_memory(self, api: str, arguments: tuple[ev.Argument, ...]) -> Value | None:
        """What shows the memory of the arguments, and may write to it; None where a function only asks about it."""
        if api in ("numpy.shares_memory", "numpy.may_share_memory", "numpy.byte_bounds"):
            return None
        reads = (
            api != "numpy.ndarray"
            and len(arguments) < 3
            and all(not argument.star and argument.name in (None, "flags", "order") for argument in arguments)
        )
        if not reads:
            self.unseen.unfollowed(*(argument.value for argument in arguments))
        return Unknown(HOST, self.callees.given_back(arguments), view="view")

    def _is_key(self, node: cst.Call) -> bool:
        """Whether the call stands between brackets, ``x[np.f()]``: nobody else has its result."""
        return any(type(part) is cst.Index and part.value is node for part in walk(self.facts.node))

    def _ufunc_method(self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """``np.add.at(...)``, ``np.add.reduce(...)``; or a name that NumPy does not have."""
        found = ufunc_method(self.catalog, api)
        if found is not None:
            owner, method = found
            if method == "at":
                if arguments and arguments[0].star:
                    self.record.construct(node, ev.Kind.HIDDEN_ARRAY, f"{api.replace('numpy.', 'np.')} changes")
                    self.unseen.unfollowed(*(argument.value for argument in arguments))
                elif arguments:
                    self.writes.write(node, arguments[0].node.value, arguments[0].value, UNKNOWN, env, op=f"{owner}.at")
                return NONE
            out = ufunc_output(method, arguments)
            if any(argument.star for argument in arguments):
                self.unseen.unfollowed(*(argument.value for argument in arguments))
            if out is not None and isinstance(out.value, Sequence):
                self.record.construct(out.node, ev.Kind.OUT_TUPLE)
                self.unseen.unfollowed(out.value)
            elif out is not None and out.value != NONE:
                self.writes.write(node, out.node.value, out.value, UNKNOWN, env, op="out=")
                return out.value
            deps = NO_NAMES.union(*(deps_of(argument.value) for argument in arguments))
            return Array(self.frame.made, deps=deps)
        self.record.note_unresolved()
        result = self.callees.unresolved(node, api, arguments, env, pure=False)
        known = api.count(".") > 1  # np.ndarray.reshape(x, s) exists; np.summ(x) raises
        return Unknown(HOST, refs_of(result), view="view") if known else UNKNOWN

    # ---- what a call gives

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
        home, refs = self._home(name, fact, values, refs)
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
            if self.frame.made == TENSOR and may_be_array(first) and self._may_copy(first, refs):
                refs |= {FOREIGN}
            same = name in _SAME_OR_COPY and values.keys().isdisjoint(("order", "ndmin", "ndmax"))
            view = view_of(first) if same else "view"
            if not refs and name in _REARRANGED and home_of(first) == TENSOR and not view_of(first):
                view = ""  # of an array that nobody else has, and whose items share nothing
            if name in ("asarray", "asanyarray") and len(values) == 1:
                exact = exact_of(first) if self.frame.made == HOST or may_hold_tensor(first) else None  # else a copy
            elif "copy=True" in fact.parameters or name == "array":
                copy = values.get("copy")
                if copy is None or copy == Const.of(True):
                    refs, view = NO_NAMES, ""
        back = fact.gives_back
        if back is not None and (certain := given_back(back, values)) is not None:
            lender = values[back.argument]
            refs = refs_of(lender) if back.may_hold or not isinstance(lender, Sequence) else NO_NAMES
            if certain and (self.frame.made == HOST or may_hold_tensor(lender)):
                exact = exact_of(lender)
            view = view_of(lender)
            if self.frame.made == TENSOR and self._may_copy(lender, refs):
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

    def _home(
        self, name: str, fact: ApiFact, values: Mapping[str, Value], refs: frozenset[str]
    ) -> tuple[str, frozenset[str]]:
        """Where the result lies that shows `refs`, and what it then shows."""
        home = self.frame.made
        of_numbers = fact.kind == "ufunc" and all(map(_is_on_host, values.values()))
        if self.assumed.eager and (of_numbers or (name in _OF_SHAPES and _is_shape(values))):
            home = HOST  # a number, which needs no device: ``np.sqrt(2 * np.pi)``, ``np.prod(x.shape)``
        held = any(may_hold_tensor(value) for value in values.values() if refs_of(value) & refs)  # not axis or dtype
        if not held and (self.record.must_stay_view(refs) or refs & self.assumed.host_locals):
            home = HOST
            refs -= {FOREIGN}  # it is no copy of ours
            if refs & self.assumed.host_locals and name in BY_ORDER and not self.placement.lie_as_in_numpy(refs):
                refs |= copy_marks(refs) | {BY_LAYOUT}
        if self.frame.made == TENSOR and asks_for_fortran_order(name, values):
            if self.record.must_stay_view(frozenset((FORTRAN,))):
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
        if name == "squeeze" and isinstance(whole := receiver or first, Array) and has_axes(whole):
            return "array"  # no scalar has axes
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
        if fact.returns in ("python", "none") or fact.result == "python":  # no array, whichever gets what
            return NONE if fact.returns == "none" else UNKNOWN
        home = TENSOR if self.frame.made == TENSOR else HOST
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
        return self.placement.is_perhaps_theirs(value, refs)

    def _random(self, node: cst.Call, api: str, arguments: tuple[ev.Argument, ...], env: Env) -> Value:
        """A draw: floats and integers of the machine's size, Python numbers where no size is given."""
        name = api.rpartition(".")[2]
        fact = self.catalog.get(api)
        bound = bind(fact, arguments) if fact is not None else None
        out = bound.get("out") if bound is not None else None
        if name in ("shuffle", "permuted") and arguments:
            itself = out is not None and _is_same_name(arguments[0].node.value, out.node.value)
            if name == "shuffle" or itself:
                self.writes.write(node, arguments[0].node.value, arguments[0].value, UNKNOWN, env, op=api)
            if name == "shuffle":
                return NONE
            if itself:
                return arguments[0].value
        into = [] if out is None or out.value == NONE else [out.value]
        draws_into = fact is not None and any(text.partition("=")[0] == "out" for text in fact.parameters)
        hidden = [it.value for it in arguments if it.star] if bound is None and draws_into else []
        self.unseen.unfollowed(*into, *hidden)
        taken = bool(into) and isinstance(into[0], (Scalar, Const))  # for a number, which it is not
        if taken or any(map(may_hold_tensor, into or hidden)):
            self.record.construct(node, ev.Kind.DRAWN_INTO, f".{name}()")
        elif into and out is not None:
            self.writes.write(node, out.node.value, into[0], UNKNOWN, env, op="out=")
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
            return Array(self.frame.made)
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
                Array(self.frame.made, dtypes, len(arguments), nonempty=filled)
                if arguments
                else _number(dtypes, self.frame.made)
            )
        if size is None or size.value == NONE:
            if name in _FLOAT_DRAWS and any(has_axes_perhaps(argument.value) for argument in arguments):
                return Array(EITHER if self.frame.made == TENSOR else HOST, dtypes, weak=True)
            several = any(has_axes_perhaps(item.value) for item in arguments)
            if name in _FLOAT_DRAWS or (name in ("integers", "randint") and not several):
                return _number(dtypes, self.frame.made)
            return Array(EITHER if self.frame.made == TENSOR else HOST, dtypes, weak=True)
        return Array(self.frame.made, dtypes, shape_rank(size.value), nonempty=is_positive(size.value))

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
        made = Array(EITHER if self.frame.made == TENSOR else HOST, frozenset(char), rank, refs, deps=deps)
        if not refs:
            return made
        if not may_hold_tensor(only) and (self.record.must_stay_view(refs) or refs & self.assumed.host_locals):
            return replace(made, home=HOST)
        marks = copy_marks(refs) if may_hold_tensor(only) else frozenset((FOREIGN,))
        return replace(made, refs=refs | marks, view="view")


def _is_on_host(value: Value) -> bool:
    """Whether `value` certainly is a number, of Python's or of NumPy's own."""
    return home_of(value) == HOST and is_number(value)


#: Functions that make a number of a few.
_OF_SHAPES = frozenset("prod sum max min amax amin mean any all".split())


def _is_shape(values: Mapping[str, Value]) -> bool:
    """Whether nothing is given but a tuple or list of numbers, such as a shape or a part of it."""
    value = next(iter(values.values()), None)
    if len(values) != 1 or not isinstance(value, Sequence):
        return False
    items = value.items if value.items is not None else (value.element,)
    return bool(items) and all(map(_is_on_host, items))


def _holds_objects(value: Value) -> bool:
    """Whether a list holds, at any depth, what has no number: None or a string."""
    if isinstance(value, Sequence):
        items = value.items if value.items is not None else (value.element,)
        return any(_holds_objects(item) or item == NONE or scalar_type(item) in ("str", "bytes") for item in items)
    return False


def makes_from_numbers(api: str, arguments: Iterable[ev.Argument]) -> bool:
    """Whether the call makes an array (or draws one) that does not depend on any tensor."""
    if api.startswith("ndarray."):
        return False
    if api.startswith("numpy.random.") or all(isinstance(argument.value, (Const, Scalar)) for argument in arguments):
        return True
    return api in _MAKERS and not any(
        home_of(argument.value) == TENSOR or (api == "numpy.array" and may_hold_tensor(argument.value))
        for argument in arguments
    )
