"""What a NumPy call returns: dtype, rank, whether it is a view, and what a 0-d result is."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from np2tnp.analysis.domain import events as ev
from np2tnp.analysis.domain.call_results import (
    bind,
    given_back,
    gives_tuple,
    items_given_back,
    result_rank,
    shape_rank,
    zero_d_result,
)
from np2tnp.analysis.domain.env import Env
from np2tnp.analysis.domain.promotion_rules import (
    DTYPE_NAMES,
    dtype_char,
    dtype_object,
    foreign_dtype,
    is_read_only,
    result_dtypes,
)
from np2tnp.analysis.domain.result_aliases import copy_marks
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
    refs_of,
    replace,
    view_of,
    with_refs,
    zero_d_of,
)
from np2tnp.analysis.layouts import Layouts
from np2tnp.analysis.syntax.python_tables import BY_ORDER, PYTHON_METHODS, SAME_RANK
from np2tnp.catalog.facts import ApiFact

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
    return name in _FROM_BYTES or any(ref.startswith(".") for ref in refs_of(dtype))


def _may_be_text(value: Value) -> bool:
    """Whether the first argument of einsum may be its subscripts, which the text does not tell."""
    return isinstance(value, Unknown)


class NumpyResults(Layouts):
    """What NumPy calls return."""

    def _result(self, api: str, fact: ApiFact, values: Mapping[str, Value], receiver: Value | None) -> Value:
        name = api.rpartition(".")[2]
        deps = NO_NAMES.union(*(deps_of(value) for value in values.values())) if values else NO_NAMES
        if api.startswith("ndarray.") and name in PYTHON_METHODS:
            return Scalar(PYTHON_METHODS[name])
        if fact.returns in ("python", "none") or api in _PYTHON_RESULTS or fact.result == "python":
            if name in ("shape", "ndim", "size"):
                return Sequence("tuple", Scalar("int")) if name == "shape" else Scalar("int")
            if api == "numpy.dtype":
                return dtype_object(values.get("dtype"))
            return NONE if fact.returns == "none" else UNKNOWN
        if name == "genfromtxt" and (values.get("names", NONE) != NONE or values.get("dtype") == NONE):
            return UNKNOWN  # records, perhaps, or text
        if may_have_fields(name, values.get("dtype")):
            return Unknown(self.made, deps=deps)
        if fact.kind in ("dtype", "class") and api not in ("numpy.ndarray", "ndarray"):
            return self._scalar_type_call(api, values, deps)
        first = receiver if receiver is not None else next(iter(values.values()), None)
        dtypes = result_dtypes(fact.result, {**values, **self._synonyms(fact, values)})
        foreign = values.get("dtype")
        if foreign is not None and foreign_dtype(foreign):
            dtypes = ALL_DTYPES
        rank = result_rank(name, fact, values, first)
        refs: frozenset[str] = NO_NAMES
        exact: str | None = None
        view = ""
        if fact.effect in ("view", "may-view") and first is not None:
            if name == "einsum":
                operands = [value for value in values.values() if refs_of(value)]
                several = sum(map(may_be_array, values.values())) - _may_be_text(first) > 1  # their sum is new
                refs = NO_NAMES if several else NO_NAMES.union(*map(refs_of, operands))
            elif not isinstance(first, Sequence):
                refs = refs_of(first)  # of a list NumPy makes a new array
                if name in _OF_EACH:
                    refs = refs.union(*map(refs_of, values.values()))
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
        if dtypes is None:
            return UNKNOWN
        several = fact.returns in ("tuple", "list") or (fact.returns == "mixed" and gives_tuple(name, values))
        zero_d = zero_d_result(name, fact, values, first)
        if (fact.kind == "ufunc" or name in SAME_RANK or name == "where") and any(map(has_axes, values.values())):
            zero_d = "never"
        whole, keeps = (first, _SCALAR_OF_SCALAR) if receiver is None else (receiver, _SCALAR_TO_SCALAR)
        if isinstance(whole, Array) and whole.zero_d == "scalar" and name in keeps:
            zero_d = "either" if name == "squeeze" and whole.rank is None else "array" if whole.rank else "scalar"
        elif isinstance(whole, Unknown) and name in _PARTS and not whole.refs and zero_d_of(whole) == "scalar":
            zero_d = "scalar"  # what an operator gave; Python's own numbers have parts, too
        if exact is None:  # an array, whatever it was made from, or what an object's own method of that name gave
            own = exact_of(receiver) if receiver is not None else None
            deps = NO_NAMES if own is None else frozenset((own,))
        made = Array(home, dtypes, rank, refs, exact, deps, zero_d=zero_d, view=view)
        if not several:
            return made
        if back is not None and back.items:
            return items_given_back(back, made, values)
        return Sequence("list" if fact.returns == "list" else "tuple", made, _of_each(name, made, values), refs)

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
        return any(ref[0] != "@" or ref[1:] in self.hosted for ref in outside_of(refs))

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
            self.construct(node, "drawn into", f".{name}()")
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
            return Array(self.made, dtypes, len(arguments)) if arguments else _number(dtypes, self.made)
        if size is None or size.value == NONE:
            if name in _FLOAT_DRAWS and any(has_axes_perhaps(argument.value) for argument in arguments):
                return Array(EITHER if self.made == TENSOR else HOST, dtypes, weak=True)
            several = any(has_axes_perhaps(item.value) for item in arguments)
            if name in _FLOAT_DRAWS or (name in ("integers", "randint") and not several):
                return _number(dtypes, self.made)
            return Array(EITHER if self.made == TENSOR else HOST, dtypes, weak=True)
        return Array(self.made, dtypes, shape_rank(size.value))

    def _synonyms(self, fact: ApiFact, values: Mapping[str, Value]) -> dict[str, Value]:
        """Variadic and list arguments under the name that the result rule uses."""
        extra: dict[str, Value] = {}
        for name, value in values.items():
            if name.endswith("[0]"):
                extra[name[:-3]] = value
        return extra

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
